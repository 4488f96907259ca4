/*
 * A character is looked at once, as it is decoded: what has no width of its own that a terminal agrees on
 * (control characters, bytes that are no text) is left out. wcwidth() knows the rest by the locale, which is
 * UTF-8 (window.c).
 */
#include "cli/screen/columns.h"

#include "base/buf.h"
#include "base/str.h"

#include <string.h>
#include <wchar.h>

/* The next character: its bytes, and how many columns it takes; -1: it must not be shown. */
static size_t next(const char *text, int *width)
{
    uint32_t code = 0;
    size_t bytes = str_decode(text, strlen(text), &code);

    *width = bytes == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0) ? -1 : wcwidth((wchar_t)code);
    return bytes ? bytes : 1;
}

size_t columns_of(const char *text)
{
    size_t columns = 0;
    int width;

    for (const char *at = text; *at;) {
        at += next(at, &width);
        columns += width > 0 ? (size_t)width : 0;
    }
    return columns;
}

/* Adds what fits into `room` columns; returns how many were used. */
static size_t add_fitting(struct buf *out, const char *text, size_t room)
{
    size_t used = 0;
    int width;

    for (const char *at = text; *at;) {
        size_t bytes = next(at, &width);

        if (width >= 0) {
            if (used + (size_t)width > room)
                break;
            buf_add(out, at, bytes);
            used += (size_t)width;
        }
        at += bytes;
    }
    return used;
}

const char *columns_fit(struct arena *arena, const char *text, size_t width)
{
    BUF_AUTO out = { 0 };
    bool whole = columns_of(text) <= width;
    size_t used;

    buf_init(&out, 0);
    used = add_fitting(&out, text, whole || width == 0 ? width : width - 1);
    if (!whole && width > 0) {
        buf_text(&out, "…");
        used++;
    }
    for (; used < width; used++)
        buf_char(&out, ' ');
    return arena_copy(arena, out.bytes ? out.bytes : "", out.len);
}

/* How many bytes of a line without breaks go onto one of that width: up to a space if there is one. */
static size_t fitting_bytes(const char *text, size_t len, size_t width)
{
    size_t used = 0, space = 0, at = 0;
    int wide;

    while (at < len) {
        size_t bytes = next(text + at, &wide);

        if (wide > 0 && used + (size_t)wide > width)
            return space ? space : at ? at : bytes;
        used += wide > 0 ? (size_t)wide : 0;
        at += bytes;
        if (text[at - 1] == ' ')
            space = at;
    }
    return len;
}

struct column_lines {
    struct arena *arena;
    const char **lines;
    size_t count, room;
};

static void add_line(struct column_lines *lines, const char *text, size_t len, size_t width)
{
    BUF_AUTO out = { 0 };

    if (lines->count == lines->room) {
        size_t room = lines->room ? lines->room * 2 : 32;
        const char **grown = arena_array(lines->arena, const char *, room);

        if (lines->count > 0)
            memcpy(grown, lines->lines, lines->count * sizeof(*grown));
        lines->lines = grown;
        lines->room = room;
    }
    buf_init(&out, 0);
    add_fitting(&out, arena_copy(lines->arena, text, len), width);
    lines->lines[lines->count++] = arena_copy(lines->arena, out.bytes ? out.bytes : "", out.len);
}

const char *const *columns_wrap(struct arena *arena, const char *text, size_t width, size_t *count)
{
    struct column_lines lines = { .arena = arena };

    if (width < 2)
        width = 2;
    while (*text) {
        size_t len = strcspn(text, "\n"), done = 0;

        do {
            size_t part = fitting_bytes(text + done, len - done, width);

            add_line(&lines, text + done, part, width);
            done += part;
        } while (done < len);
        text += len + (text[len] == '\n');
    }
    *count = lines.count;
    return lines.lines;
}
