/*
 * Servers repeat a part of the key they refuse ("sk-12***"). So a word that begins like the key is replaced
 * whole, not only the key itself.
 */
#include "llm/scrub.h"

#include "base/buf.h"
#include "base/str.h"

#include <string.h>

#define KEY_BEGINNING 6

static bool ends_word(char c)
{
    return c == '\0' || strchr(" \t\r\n\"'<>,;", c) != NULL;
}

static void without_key(struct buf *into, const char *text, const char *key)
{
    size_t len = strlen(key), begins = len < 2 * KEY_BEGINNING ? len : KEY_BEGINNING;

    while (*text) {
        if (strncmp(text, key, begins) != 0) {
            buf_char(into, *text++);
            continue;
        }
        buf_text(into, "***");
        if (strncmp(text, key, len) == 0)
            text += len;
        while (!ends_word(*text))
            text++;
    }
}

const char *scrub(struct arena *arena, const char *text, const char *key, size_t chars)
{
    BUF_AUTO clean = { 0 };

    buf_init(&clean, 0);
    if (key && *key)
        without_key(&clean, text, key);
    else
        buf_text(&clean, text);
    if (!str_is_utf8(clean.bytes, clean.len))
        return "(something that is not text)";
    return str_beginning(arena, str_plain_line(arena, clean.bytes), chars);
}
