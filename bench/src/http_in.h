/*
 * http_in.h - reads HTTP/1.1 replies as the bytes come.
 *
 * Feed it what a socket gave; it takes the head apart, hands the body over in spans (chunk framing taken
 * out), and stops at the end of the reply, so that a kept-alive connection can start the next one.
 *
 * Owner: whoever owns the connection; the parser allocates nothing. Thread: one at a time.
 */
#ifndef BENCH_HTTP_IN_H
#define BENCH_HTTP_IN_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_HEAD_MAX 4096

enum http_state {
    HTTP_HEAD,
    HTTP_LENGTH,
    HTTP_CHUNK_SIZE,
    HTTP_CHUNK_DATA,
    HTTP_CHUNK_END,
    HTTP_TRAILER,
    HTTP_UNTIL_CLOSE,
    HTTP_DONE
};

struct http_in {
    enum http_state state;
    int status;
    bool closes; /* the server said that it closes the connection after this reply */
    size_t left; /* bytes left of the body or chunk */
    size_t line; /* bytes in the current chunk-size or trailer line */
    size_t head_len;
    char head[HTTP_HEAD_MAX + 1];
};

/* Is handed each span of the body; may be NULL when nobody wants it. */
typedef void http_body_fn(void *ctx, const char *data, size_t len);

void http_in_reset(struct http_in *in);

/*
 * Takes bytes up to the end of the reply and tells through *used how many those were. False: the bytes are
 * not HTTP, and the connection is of no further use.
 */
bool http_in_feed(struct http_in *in, const char *data, size_t len, size_t *used, http_body_fn *body,
                  void *ctx);

static inline bool http_in_done(const struct http_in *in)
{
    return in->state == HTTP_DONE;
}

/* Whether the head has been read: for a stream that never ends, the moment it stands. */
static inline bool http_in_started(const struct http_in *in)
{
    return in->state != HTTP_HEAD;
}

#endif
