/*
 * The text of strings: escapes resolved, and valid UTF-8 whatever the bytes were.
 */
#include "base/str.h"
#include "output/parts.h"

#include <string.h>

#define REPLACEMENT 0xFFFDu

static size_t put_code(char *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xE0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3F));
        to[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3F));
    to[2] = (char)(0x80 | (code >> 6 & 0x3F));
    to[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

/* Four hexadecimal digits after \u. */
static bool read_hex(const char *at, const char *end, uint32_t *code)
{
    *code = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return false;
    for (int i = 2; i < 6; i++) {
        char c = at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;

        if (digit < 0)
            return false;
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

/* A \u escape, with its second half when it is one of a pair; returns the bytes it took, 0 for none. */
static size_t unicode_escape(const char *at, const char *end, uint32_t *code)
{
    uint32_t low;

    if (!read_hex(at, end, code))
        return 0;
    if (*code >= 0xD800 && *code < 0xDC00 && read_hex(at + 6, end, &low) && low >= 0xDC00 && low < 0xE000) {
        *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
        return 12;
    }
    if (*code >= 0xD800 && *code < 0xE000)
        *code = REPLACEMENT;
    return 6;
}

/*
 * An escape of one letter. An unknown one before a letter or digit keeps its backslash, since it was most
 * likely meant to be there (a path, a pattern); before a mark the backslash goes.
 */
static size_t plain_escape(char letter, char *to)
{
    static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
    const char *known = letter ? strchr(letters, letter) : NULL;

    if (known) {
        to[0] = meant[known - letters];
        return 1;
    }
    if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
        (letter >= '0' && letter <= '9')) {
        to[0] = '\\';
        to[1] = letter;
        return 2;
    }
    to[0] = letter;
    return 1;
}

/* Resolves escapes within valid UTF-8; what comes out is never longer, so it may be done in place. */
static size_t resolve(char *to, const char *at, const char *end)
{
    char *first = to;
    uint32_t code;

    while (at < end) {
        const char *slash = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((slash ? slash : end) - at);

        memmove(to, at, plain);
        to += plain;
        at += plain;
        if (!slash)
            break;
        size_t taken = unicode_escape(at, end, &code);

        if (taken > 0) {
            if (code != 0)
                to += put_code(to, code);
            at += taken;
        } else if (at + 1 == end || (unsigned char)at[1] >= 0x80) {
            at++;
        } else {
            to += plain_escape(at[1], to);
            at += 2;
        }
    }
    return (size_t)(to - first);
}

/* A copy in which each byte that is not UTF-8 became a replacement character, and NULs are gone. */
static char *clean(struct arena *arena, const char *bytes, size_t len, size_t *out_len)
{
    size_t need = 0;
    uint32_t code;

    for (size_t at = 0, step; at < len; at += step) {
        step = str_decode(bytes + at, len - at, &code);
        need += step == 0 ? 3 : step;
        step += step == 0;
    }
    char *copy = arena_alloc(arena, need + 1, 1), *to = copy;

    for (size_t at = 0, step; at < len; at += step) {
        step = str_decode(bytes + at, len - at, &code);
        if (step == 0) {
            to += put_code(to, REPLACEMENT);
            step = 1;
        } else if (code != 0) {
            memcpy(to, bytes + at, step);
            to += step;
        }
    }
    *out_len = (size_t)(to - copy);
    return copy;
}

char *value_decode(struct arena *arena, const char *bytes, size_t len, bool escapes)
{
    char *copy;

    if (str_is_utf8(bytes, len))
        copy = arena_copy(arena, bytes, len);
    else
        copy = clean(arena, bytes, len, &len);
    if (escapes)
        copy[resolve(copy, copy, copy + len)] = '\0';
    return copy;
}
