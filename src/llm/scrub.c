/*
 * Servers repeat a part of the key they refuse ("sk-12***"). So a word that begins like the key is replaced
 * whole, not only the key itself.
 */
#include "llm/scrub.h"

#include "base/buf.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

static bool in_a_host(char c)
{
    return isalnum((unsigned char)c) || c == '.' || c == '-' || c == '_';
}

/* Whole words only, with the port and the path behind them. */
static void without_host(struct buf *into, const char *text, const char *host)
{
    size_t len = strlen(host);
    char before = ' ';

    while (*text) {
        if (in_a_host(before) || strncasecmp(text, host, len) != 0 || isalnum((unsigned char)text[len]) ||
            text[len] == '-' || text[len] == '_') {
            before = *text;
            buf_char(into, *text++);
            continue;
        }
        buf_text(into, "***");
        text += len;
        if (strchr(":/", *text))
            while (!ends_word(*text))
                text++;
        before = '*';
    }
}

const char *scrub_host(struct arena *arena, const char *url)
{
    const char *host = strstr(url, "://");

    host = host ? host + 3 : url;
    if (*host == '[')
        return arena_copy(arena, host + 1, strcspn(host + 1, "]"));
    return arena_copy(arena, host, strcspn(host, ":/?#"));
}

const char *scrub(struct arena *arena, const char *text, const struct secrets *secrets, size_t chars)
{
    BUF_AUTO clean = { 0 };
    BUF_AUTO homeless = { 0 };

    buf_init(&clean, 0);
    buf_init(&homeless, 0);
    if (secrets->key && *secrets->key)
        without_key(&clean, text, secrets->key);
    else
        buf_text(&clean, text);
    if (!str_is_utf8(clean.bytes, clean.len))
        return "(something that is not text)";
    if (secrets->host && *secrets->host)
        without_host(&homeless, clean.bytes, secrets->host);
    else
        buf_text(&homeless, clean.bytes);
    return str_beginning(arena, str_plain_line(arena, homeless.bytes), chars);
}
