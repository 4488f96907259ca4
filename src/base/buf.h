/*
 * buf.h - bytes that grow, up to a limit.
 *
 * A buffer owns its bytes (malloc) and never exceeds its limit: past it the buffer is marked `full`,
 * further bytes are dropped, and the owner checks once at the end. The bytes are always followed by
 * a NUL that is not counted.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct buf {
    char *bytes;
    size_t len, room, limit; /* limit 0 means LIMIT_REPLY */
    bool full;
};

void buf_init(struct buf *buf, size_t limit);
void buf_done(struct buf *buf);
void buf_clear(struct buf *buf);
void buf_add(struct buf *buf, const void *bytes, size_t len);
void buf_text(struct buf *buf, const char *text);
void buf_char(struct buf *buf, char c);
void buf_format(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *buf_take(struct buf *buf, size_t *len); /* the caller frees; the buffer is empty again */

#define BUF_AUTO __attribute__((cleanup(buf_done))) struct buf

#endif
