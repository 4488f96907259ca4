#include "base/limits.h"
#include "http/internal.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * libmicrohttpd allocates this much with each response, but uses it only for clients of HTTP/1.0: a chunked
 * reply is pulled straight into the connection's own memory.
 */
#define STREAM_BLOCK 512
#define LEAN_BYTES   (2 * KB) /* a pull of more than this has touched pages worth giving back */

/*
 * The buffer of a pull is what is left of the connection's pool, and libmicrohttpd has zeroed half of that
 * when it built the head of the reply: about 8 KB of memory that a sleeping stream never reads. The bytes are
 * ours to write, and zeroes are as good as any: whole pages of them are handed back to the kernel.
 */
static void give_back(char *buffer, size_t room)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)buffer + page - 1) / page * page;
    uintptr_t to = ((uintptr_t)buffer + room) / page * page;

    if (to > from)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

/*
 * Runs on the connection's thread. Suspending comes first, falling asleep second: from the moment ASLEEP
 * can be seen, another thread may resume the connection. A wake in between is found by the exchange, and
 * then the resume is ours.
 */
static ssize_t stream_read(void *arg, uint64_t position, char *into, size_t room)
{
    struct http_exchange *exchange = arg;

    (void)position;
    for (;;) {
        atomic_store(&exchange->pulse, PULSE_AWAKE);
        if (atomic_load(&exchange->gone))
            return MHD_CONTENT_READER_END_WITH_ERROR;

        ptrdiff_t len = exchange->calls.pull(exchange->stream_data, into, room);

        if (len > LEAN_BYTES)
            exchange->lean = false;
        if (len > 0)
            return len;
        if (len < 0)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (atomic_load(&exchange->pulse) == PULSE_WOKEN)
            continue;

        unsigned char awake = PULSE_AWAKE;

        if (!exchange->lean)
            give_back(into, room);
        exchange->lean = true;
        MHD_suspend_connection(exchange->connection);
        if (!atomic_compare_exchange_strong(&exchange->pulse, &awake, PULSE_ASLEEP))
            MHD_resume_connection(exchange->connection);
        return 0;
    }
}

void http_stream_wake(struct http_exchange *exchange)
{
    if (atomic_exchange(&exchange->pulse, PULSE_WOKEN) == PULSE_ASLEEP)
        MHD_resume_connection(exchange->connection);
}

void stream_cut(struct http_exchange *exchange)
{
    atomic_store(&exchange->gone, true);
    http_stream_wake(exchange);
}

/* For HEAD libmicrohttpd would still send the last chunk's "0", which the client takes for the next reply. */
static struct MHD_Response *stream_response(struct http_exchange *exchange)
{
    if (exchange->head)
        return MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, stream_read, exchange, NULL);
}

void http_stream(struct http_exchange *exchange, const char *content_type,
                 const struct http_header_line *headers, const struct http_stream_calls *calls, void *data)
{
    struct MHD_Response *response = stream_response(exchange);

    if (!response)
        abort();
    http_slim(exchange);
    reply_add_headers(exchange, response, content_type, headers);

    pthread_mutex_lock(&exchange->server->lock);
    exchange->calls = *calls;
    exchange->stream_data = data;
    exchange->streaming = true;
    exchange->told_to_stop = false;
    pthread_mutex_unlock(&exchange->server->lock);

    atomic_fetch_add(&exchange->server->streams, 1);
    exchange_link(exchange);
    exchange_finish(exchange, MHD_HTTP_OK, response);
}
