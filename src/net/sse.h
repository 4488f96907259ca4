/*
 * sse.h - reads server-sent events as they come, in pieces of any size.
 *
 * Comments are passed over; the last id and the last retry time are kept for those who take a stream up
 * again. An event that the stream breaks off in is handed on by sse_flush: some servers leave out the last
 * empty line.
 */
#ifndef NET_SSE_H
#define NET_SSE_H

#include "net/lines.h"

#include <stdint.h>

/* The data of one event, its lines joined by LF, followed by a NUL. False: no more are wanted. */
typedef bool sse_take(void *user, const char *data, size_t len);

struct sse {
    struct lines lines;
    struct buf data;
    bool begun;             /* past the byte order mark that may come first */
    bool has_data;          /* of the event being read; it may be empty */
    struct buf id, next_id; /* of the last event that has ended, and of the one being read */
    int64_t retry_ms;       /* the same, how long to wait before taking it up again; -1: nothing */
    sse_take *take;
    void *user;
};

void sse_init(struct sse *sse, sse_take *take, void *user);
/* Another limit for a line and for an event than LIMIT_MODEL_LINE; before the first is fed. */
void sse_bound(struct sse *sse, size_t most);
void sse_done(struct sse *sse);
/* False: `take` said so, or the stream has a line or an event that is too long (sse_too_long). */
bool sse_feed(struct sse *sse, const char *bytes, size_t len);
bool sse_flush(struct sse *sse);
bool sse_too_long(const struct sse *sse);
/* The id of the last event that has ended; "": none has said one. */
const char *sse_last_id(const struct sse *sse);

#endif
