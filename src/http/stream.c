/*
 * Bytes are pulled, not pushed: the owner is asked for more only when all that it gave has left, so a slow
 * reader costs a position in the log and no memory. Room is left before and behind each piece, so that a
 * chunk's frame is written around it without moving it.
 */
#include "http/internal.h"

#include <string.h>

#define PREFIX       (sizeof "ffffffff\r\n" - 1)
#define SUFFIX       (sizeof "\r\n" - 1)
#define PULLS_A_TURN 4

/* The size of a chunk stands right before its bytes, the end of it right behind them. */
static void send_piece(struct http_exchange *conn, char *bytes, size_t len)
{
    char *from = bytes;

    if (conn->in_chunks) {
        *--from = '\n';
        *--from = '\r';
        for (size_t left = len; left > 0; left /= 16)
            *--from = "0123456789abcdef"[left % 16];
        memcpy(bytes + len, "\r\n", SUFFIX);
        len += (size_t)(bytes - from) + SUFFIX;
    }
    conn_send(conn, from, len);
}

/* Its owner has nothing more to say. */
static void end(struct http_exchange *conn)
{
    conn->state = CONN_ENDING;
    conn->streaming = false;
    atomic_fetch_sub(&conn->loop->server->streams, 1);
    if (conn->calls.gone)
        conn->calls.gone(conn->stream_data);
    if (conn->in_chunks)
        conn_send(conn, "0\r\n\r\n", 5);
}

void stream_pump(struct http_exchange *conn)
{
    char *into = conn->loop->scratch + PREFIX;

    for (int turn = 0;; turn++) {
        if (conn->vanished && conn->state == CONN_STREAMING) {
            atomic_fetch_add(&conn->loop->server->vanished, 1);
            conn_close(conn);
            return;
        }
        if (!conn_flush(conn))
            return;
        if (conn->broken || conn->state == CONN_ENDING) {
            conn_next(conn);
            return;
        }
        if (turn == PULLS_A_TURN) {
            loop_again(conn);
            return;
        }
        ptrdiff_t len = conn->calls.pull(conn->stream_data, into, SCRATCH_BYTES - PREFIX - SUFFIX);

        if (len == 0)
            return;
        if (len > 0)
            send_piece(conn, into, (size_t)len);
        else
            end(conn);
    }
}

void stream_start(struct http_exchange *conn)
{
    bool whole = conn->request->head.minor > 0;

    conn->in_chunks = whole && !conn->head;
    conn->keep = conn->keep && whole;
    reply_end(conn);
    conn->state = CONN_STREAMING;
    if (conn->request->used == conn->request->len)
        request_free(conn);
    if (conn->head)
        end(conn);
    else if (conn->loop->stopping)
        conn_stop(conn);
    stream_pump(conn);
}

void http_stream(struct http_exchange *exchange, const char *content_type,
                 const struct http_header_line *headers, const struct http_stream_calls *calls, void *data)
{
    reply_begin(exchange, 200, content_type, headers);
    exchange->calls = *calls;
    exchange->stream_data = data;
    exchange->streaming = true;
    atomic_fetch_add(&exchange->loop->server->streams, 1);
    exchange_finish(exchange);
}

void http_stream_wake(struct http_exchange *exchange)
{
    loop_post(exchange, MAIL_WAKE);
}
