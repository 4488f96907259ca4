/*
 * An empty buffer points to a static NUL and owns nothing, so that it can be read, cleared and freed like any
 * other. A buffer that is full drops what comes and stays full: callers look once at the end instead of after
 * each append.
 */
#include "base/buf.h"

#include "base/limits.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 512

/* What an empty buffer points to (its room is 0), so that its bytes are always a text. Never written. */
static char nothing[1];

void buf_init(struct buf *buf, size_t limit)
{
    *buf = (struct buf){ .bytes = nothing, .limit = limit };
}

void buf_done(struct buf *buf)
{
    if (buf->room > 0)
        free(buf->bytes);
    buf_init(buf, buf->limit);
}

void buf_clear(struct buf *buf)
{
    buf->len = 0;
    buf->full = false;
    if (buf->room > 0)
        buf->bytes[0] = '\0';
}

static size_t buf_limit(const struct buf *buf)
{
    return buf->limit ? buf->limit : LIMIT_REPLY;
}

static void buf_grow(struct buf *buf, size_t need)
{
    size_t room = buf->room ? buf->room : FIRST_ROOM;

    while (room < need)
        room *= 2;
    if (room > buf_limit(buf) + 1)
        room = buf_limit(buf) + 1;

    buf->bytes = memory_resize(buf->room ? buf->bytes : NULL, room);
    buf->room = room;
}

/* Makes room for so many more bytes and the NUL; false, and marked full, when the limit forbids it. */
static bool buf_reserve(struct buf *buf, size_t more)
{
    if (buf->full)
        return false;
    if (more > buf_limit(buf) - buf->len) {
        buf->full = true;
        return false;
    }
    if (buf->room - buf->len <= more)
        buf_grow(buf, buf->len + more + 1);
    return true;
}

void buf_add(struct buf *buf, const void *bytes, size_t len)
{
    if (len == 0 || !buf_reserve(buf, len))
        return;
    memcpy(buf->bytes + buf->len, bytes, len);
    buf->len += len;
    buf->bytes[buf->len] = '\0';
}

void buf_text(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_char(struct buf *buf, char c)
{
    if (!buf_reserve(buf, 1))
        return;
    buf->bytes[buf->len++] = c;
    buf->bytes[buf->len] = '\0';
}

void buf_format(struct buf *buf, const char *fmt, ...)
{
    size_t left = buf->room - buf->len;
    va_list args;

    if (buf->full)
        return;
    va_start(args, fmt);
    int len = vsnprintf(left ? buf->bytes + buf->len : NULL, left, fmt, args);
    va_end(args);

    /* What did not fit has left a cut-off piece behind the end: it is overwritten or ended again. */
    if (len < 0 || !buf_reserve(buf, (size_t)len)) {
        if (left > 0)
            buf->bytes[buf->len] = '\0';
        return;
    }
    if ((size_t)len >= left) {
        va_start(args, fmt);
        vsnprintf(buf->bytes + buf->len, buf->room - buf->len, fmt, args);
        va_end(args);
    }
    buf->len += (size_t)len;
}

char *buf_take(struct buf *buf, size_t *len)
{
    if (buf->room == 0)
        buf_grow(buf, 1);
    buf->bytes[buf->len] = '\0';

    char *bytes = buf->bytes;

    if (len)
        *len = buf->len;
    buf_init(buf, buf->limit);
    return bytes;
}
