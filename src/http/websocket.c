/*
 * The connection's part of a WebSocket: the socket, the beat, the owner's callbacks. Unlike a stream it may
 * have a backlog, since its peer also speaks and has to be answered in order; a reader whose backlog has been
 * full for a whole beat is told that it is too slow.
 */
#include "http/websocket.h"

#include "base/limits.h"
#include "base/memory.h"
#include "http/handshake.h"
#include "http/internal.h"
#include "http/ws_session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#define REFILLS_A_TURN 4

struct websocket {
    struct http_exchange *conn;
    struct ws_session session;
    struct websocket_calls calls;
    void *data;
    int64_t slow_since_ms;
    int unanswered; /* pings */
    bool ended;     /* the connection is of no more use */
};

void websocket_wake(struct websocket *ws)
{
    loop_post(ws->conn, MAIL_WAKE);
}

bool websocket_send(struct websocket *ws, const char *text, size_t len)
{
    if (ws_session_send(&ws->session, text, len))
        return true;
    if (!ws->slow_since_ms && !ws_session_is_closing(&ws->session))
        ws->slow_since_ms = ws->conn->loop->now_ms;
    return false;
}

void websocket_end(struct websocket *ws, int code, const char *reason)
{
    ws_session_end(&ws->session, code, reason);
}

static void text_came(void *arg, const char *text, size_t len)
{
    struct websocket *ws = arg;

    if (ws->calls.text)
        ws->calls.text(ws, ws->data, text, len);
}

static void send_backlog(struct websocket *ws)
{
    struct ws_session *session = &ws->session;
    size_t left;

    while (!ws->ended && (left = ws_session_backlog(session)) > 0) {
        ssize_t sent = send(ws->conn->fd, session->out.bytes + session->out_at, left, MSG_NOSIGNAL);

        if (sent > 0)
            ws_session_sent(session, (size_t)sent);
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return;
        else if (errno != EINTR)
            ws->ended = true;
    }
}

/*
 * Sends what there is and asks for more while there is room. A reader with a full backlog is asked again when
 * half of it is gone, not for every byte.
 */
static void pump(struct http_exchange *conn)
{
    struct websocket *ws = conn->websocket;

    /* The handshake goes first. */
    if (!conn_flush(conn))
        return;
    send_backlog(ws);
    for (int turn = 0;
         !ws->ended && ws->slow_since_ms && ws_session_backlog(&ws->session) < WS_BACKLOG_BYTES / 2; turn++) {
        if (turn == REFILLS_A_TURN) {
            loop_again(conn);
            break;
        }
        ws->slow_since_ms = 0;
        if (ws->calls.ready)
            ws->calls.ready(ws, ws->data);
        send_backlog(ws);
    }
    if (ws->ended || conn->broken || ws_session_is_over(&ws->session))
        conn_close(conn);
    else if (ws_session_is_closing(&ws->session) && conn->timer != TIMER_LINGER)
        timer_set(conn, TIMER_LINGER);
    else if (conn->timer == TIMER_NONE)
        timer_set(conn, TIMER_BEAT);
}

void websocket_serve(struct http_exchange *conn)
{
    struct websocket *ws = conn->websocket;
    ssize_t got = conn->readable ? request_receive(conn, conn->loop->scratch, SCRATCH_BYTES) : -1;

    if (got > 0) {
        ws->unanswered = 0;
        ws_session_feed(&ws->session, conn->loop->scratch, (size_t)got);
    }
    /* Answers to pings count too: a peer that only sends and never reads is not kept. */
    if (got == 0 || ws_session_backlog(&ws->session) > WS_BACKLOG_BYTES + WS_MESSAGE_MAX)
        ws->ended = true;
    if (conn->readable)
        loop_again(conn);
    pump(conn);
}

void websocket_woken(struct http_exchange *conn)
{
    struct websocket *ws = conn->websocket;

    if (ws->calls.ready && !ws_session_is_closing(&ws->session))
        ws->calls.ready(ws, ws->data);
    pump(conn);
}

static void tell_to_stop(struct websocket *ws)
{
    if (ws->calls.stop)
        ws->calls.stop(ws, ws->data);
    else
        websocket_end(ws, WSLAY_CODE_GOING_AWAY, "The server stops.");
}

void websocket_stop(struct http_exchange *conn)
{
    tell_to_stop(conn->websocket);
    pump(conn);
}

void websocket_beat(struct http_exchange *conn)
{
    struct websocket *ws = conn->websocket;
    struct loop *loop = conn->loop;

    if (ws->unanswered++ >= 2) {
        conn_close(conn);
        return;
    }
    if (ws->slow_since_ms && loop->now_ms - ws->slow_since_ms >= loop->timers[TIMER_BEAT].ms)
        websocket_end(ws, 1013, "The reader is too slow.");
    else
        ws_session_ping(&ws->session);
    pump(conn);
}

void websocket_begin(struct http_exchange *conn)
{
    struct websocket *ws = conn->websocket;
    struct http_request *request = conn->request;

    reply_end(conn);
    conn->state = CONN_WEBSOCKET;
    if (ws->calls.opened)
        ws->calls.opened(ws, ws->data);
    if (request->used < request->len)
        ws_session_feed(&ws->session, request->bytes + request->used, request->len - request->used);
    request_free(conn);
    if (conn->loop->stopping)
        tell_to_stop(ws);
    if (conn->readable)
        loop_again(conn);
    pump(conn);
}

void websocket_free(struct websocket *ws)
{
    struct http_server *server = ws->conn->loop->server;

    if (ws->calls.closed)
        ws->calls.closed(ws->data);
    ws_session_done(&ws->session);
    free(ws);
    atomic_fetch_sub(&server->websockets, 1);
}

static void refuse(struct http_exchange *exchange, enum handshake fault, const char *why)
{
    static const struct http_header_line version[] = { { "Sec-WebSocket-Version", "13" },
                                                       { "Upgrade", "websocket" },
                                                       { NULL, NULL } };
    bool old = fault == HANDSHAKE_VERSION;
    struct http_fault refusal = { old ? 426 : 400, old ? "upgrade_required" : "bad_request", why };
    struct buf body;

    reply_write_refusal(exchange->loop->server, &body, &refusal);
    http_reply(exchange, refusal.status, "application/json", old ? version : NULL, &body);
}

bool websocket_accept(struct http_exchange *exchange, const struct websocket_calls *calls, void *data)
{
    char accept[HANDSHAKE_ACCEPT_SIZE];
    const char *why = NULL;
    enum handshake fault = handshake_check(exchange, &why);

    if (fault != HANDSHAKE_OK) {
        refuse(exchange, fault, why);
        return false;
    }

    struct websocket *ws = memory_take(sizeof *ws);

    *ws = (struct websocket){ .conn = exchange, .calls = *calls, .data = data };
    ws_session_init(&ws->session, text_came, ws);
    handshake_accept(http_header(exchange, "Sec-WebSocket-Key"), accept);
    reply_begin(exchange, 101, NULL,
                (struct http_header_line[]){
                    { "Upgrade", "websocket" }, { "Sec-WebSocket-Accept", accept }, { NULL, NULL } });
    atomic_fetch_add(&exchange->loop->server->websockets, 1);
    exchange->websocket = ws;
    exchange_finish(exchange);
    return true;
}
