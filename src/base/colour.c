#include "base/colour.h"

#include "base/str.h"

#include <stdbool.h>
#include <string.h>

#define ESC         '\033'
#define BEL         '\a'
#define PARAMS_MOST 64
#define TITLE_MOST  4096 /* or one without an end would take all that follows with it */

static bool between(char c, char first, char last)
{
    return c >= first && c <= last;
}

/* How many of these are there, up to `most`. */
static size_t run(const char *text, char first, char last, size_t most)
{
    size_t len = 0;

    while (len < most && between(text[len], first, last))
        len++;
    return len;
}

/* A command with parameters, behind "ESC [". 0: it has no end. */
static size_t command(const char *text, bool *colours)
{
    size_t params = run(text, '0', '?', PARAMS_MOST), more = run(text + params, ' ', '/', 8);
    char last = text[params + more];

    if (!between(last, '@', '~'))
        return 0;
    *colours = last == 'm' && more == 0 && strspn(text, "0123456789;:") == params;
    return params + more + 1;
}

/* A text for the terminal itself, behind "ESC ]" and its like. 0: it has no end. */
static size_t title(const char *text)
{
    size_t len = 0;

    while (len < TITLE_MOST && text[len] && text[len] != BEL && text[len] != ESC && text[len] != '\n')
        len++;
    if (text[len] == BEL)
        return len + 1;
    return text[len] == ESC && text[len + 1] == '\\' ? len + 2 : 0;
}

/* The escape that begins here; of one without an end only the sign itself. */
static size_t escape(const char *text, bool *colours)
{
    size_t len = 0;

    *colours = false;
    if (text[1] == '[')
        len = command(text + 2, colours);
    else if (text[1] && strchr("]PX^_", text[1]))
        len = title(text + 2);
    if (len > 0)
        return len + 2;
    if (text[1] == '[' || (text[1] && strchr("]PX^_", text[1])))
        return 1;
    len = 1 + run(text + 1, ' ', '/', 8);
    return len + (between(text[len], '0', '~') ? 1 : 0);
}

char *colour_keep(struct arena *arena, const char *text)
{
    size_t len = strlen(text), kept = 0;
    char *clean = arena_copy(arena, text, len);
    uint32_t code;
    bool colours;

    for (size_t at = 0, step; at < len; at += step) {
        bool keeps;

        if (text[at] == ESC) {
            step = escape(text + at, &colours);
            keeps = colours;
        } else {
            step = str_decode(text + at, len - at, &code);
            keeps = step > 0 && (code == '\r' ? text[at + 1] != '\n' : !str_is_unwanted(code));
            step = step > 0 ? step : 1;
        }
        if (keeps)
            memmove(clean + kept, text + at, step);
        kept += keeps ? step : 0;
    }
    clean[kept] = '\0';
    return clean;
}

char *colour_drop(struct arena *arena, const char *text)
{
    size_t len = strlen(text), kept = 0;
    char *clean = arena_copy(arena, text, len);
    bool colours;

    for (size_t at = 0; at < len;) {
        if (text[at] == ESC)
            at += escape(text + at, &colours);
        else
            clean[kept++] = text[at++];
    }
    clean[kept] = '\0';
    return clean;
}
