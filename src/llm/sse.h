/*
 * sse.h - reads server-sent events as they come, in pieces of any size.
 *
 * Comments, ids and retry times are passed over. An event that the stream breaks off in is handed on by
 * sse_flush: some servers leave out the last empty line.
 */
#ifndef LLM_SSE_H
#define LLM_SSE_H

#include "llm/lines.h"

/* The data of one event, its lines joined by LF, followed by a NUL. False: no more are wanted. */
typedef bool sse_take(void *user, const char *data, size_t len);

struct sse {
    struct lines lines;
    struct buf data;
    bool begun;    /* past the byte order mark that may come first */
    bool has_data; /* of the event being read; it may be empty */
    sse_take *take;
    void *user;
};

void sse_init(struct sse *sse, sse_take *take, void *user);
void sse_done(struct sse *sse);
/* False: `take` said so, or the stream has a line or an event that is too long (sse_too_long). */
bool sse_feed(struct sse *sse, const char *bytes, size_t len);
bool sse_flush(struct sse *sse);
bool sse_too_long(const struct sse *sse);

#endif
