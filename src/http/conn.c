/*
 * The life of a connection: each state has one thing to do when its socket, its mail or its timer calls, and
 * conn_run, conn_mail, conn_expired and conn_stop find it. The socket is edge-triggered, so a turn that stops
 * early (to let others go first) must ask for another with loop_again, or it would never be called.
 */
#include "http/internal.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define SENDS_A_TURN 4

static const struct http_fault too_slow = { 408, "too_slow", "The request took too long to arrive." };
const struct http_fault fault_stopping = { 503, "unavailable", "The server is stopping." };
static const struct http_fault unanswered = { 500, "internal", "The request was not answered." };

/* Bytes that the client's side has not taken yet. */
static int unsent(const struct http_exchange *conn)
{
    int bytes = 0;

    return ioctl(conn->fd, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

/* The client reads nothing, or not fast enough: from now on it has the time that a reader may take. */
static void wait_for_reader(struct http_exchange *conn, bool moved)
{
    if (conn->timer == TIMER_SEND && !moved)
        return;
    conn->unsent = unsent(conn);
    timer_set(conn, TIMER_SEND);
}

bool conn_flush(struct http_exchange *conn)
{
    struct out *out = &conn->out;
    bool moved = false;

    for (int turn = 0; out->at < out->head.len + out->body_len; turn++) {
        size_t head_at = out->at < out->head.len ? out->at : out->head.len;
        struct iovec parts[2] = {
            { out->head.bytes + head_at, out->head.len - head_at },
            { (char *)(uintptr_t)out->bytes + (out->at - head_at), out->body_len - (out->at - head_at) },
        };
        struct msghdr message = { .msg_iov = parts, .msg_iovlen = out->body_len ? 2 : 1 };

        if (turn == SENDS_A_TURN) {
            loop_again(conn);
            return false;
        }
        ssize_t sent = sendmsg(conn->fd, &message, MSG_NOSIGNAL);

        if (sent >= 0) {
            out->at += (size_t)sent;
            moved = true;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            wait_for_reader(conn, moved);
            return false;
        } else if (errno != EINTR) {
            conn->broken = true;
            break;
        }
    }
    reply_free(conn);
    if (conn->timer == TIMER_SEND)
        timer_clear(conn);
    return true;
}

void conn_send(struct http_exchange *conn, const char *bytes, size_t len)
{
    ssize_t sent = send(conn->fd, bytes, len, MSG_NOSIGNAL);

    size_t out = sent > 0 ? (size_t)sent : 0;

    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        conn->broken = true;
    else
        buf_add(&conn->out.head, bytes + out, len - out);
}

void conn_close(struct http_exchange *conn)
{
    struct loop *loop = conn->loop;
    struct http_server *server = loop->server;

    timer_clear(conn);
    *(conn->prev ? &conn->prev->next : &loop->all) = conn->next;
    if (conn->next)
        conn->next->prev = conn->prev;
    close(conn->fd);
    conn->fd = -1;
    if (conn->counted)
        tally_give(server->addresses, conn->counted_as, sizeof conn->counted_as);
    /* Its owner may take any time to come, and finds the server's memory then. */
    if (conn->state == CONN_PARKED) {
        atomic_fetch_add(&server->refs, 1);
    } else {
        exchange_reset(conn);
        conn->next = loop->dead;
        loop->dead = conn;
    }
    atomic_fetch_sub(&server->connections, 1);
}

/* All is said; a client that still sends would lose the reply to a reset if its bytes were not taken. */
static void drain(struct http_exchange *conn)
{
    ssize_t got = conn->readable ? request_receive(conn, conn->loop->scratch, SCRATCH_BYTES) : -1;

    if (got == 0)
        conn_close(conn);
    else if (conn->readable)
        loop_again(conn);
}

static void end(struct http_exchange *conn)
{
    bool unread = conn->linger || conn->readable || request_keep_rest(conn);

    request_free(conn);
    if (!unread || conn->broken) {
        conn_close(conn);
        return;
    }
    conn->state = CONN_LINGERING;
    shutdown(conn->fd, SHUT_WR);
    timer_set(conn, TIMER_LINGER);
    drain(conn);
}

void conn_next(struct http_exchange *conn)
{
    exchange_reset(conn);
    if (conn->broken || !conn->keep ||
        atomic_load_explicit(&conn->loop->server->quiet, memory_order_relaxed)) {
        end(conn);
        return;
    }
    conn->state = CONN_HEAD;
    if (request_keep_rest(conn)) {
        timer_set(conn, TIMER_REQUEST);
        loop_again(conn);
    } else {
        timer_set(conn, TIMER_IDLE);
        if (conn->readable)
            loop_again(conn);
    }
}

/* The reply is whole: sends it. */
static void reply(struct http_exchange *conn)
{
    reply_end(conn);
    conn->state = CONN_REPLYING;
    if (conn_flush(conn))
        conn_next(conn);
}

/* The connection closes after a refusal: where the next request begins is exactly what is not known. */
void conn_refuse(struct http_exchange *conn, const struct http_fault *fault)
{
    static const struct http_header_line retry[] = { { "Retry-After", "1" }, { NULL, NULL } };
    struct buf body;

    if (!conn->request || !conn->request->id[0])
        request_name(conn);
    reply_write_refusal(conn->loop->server, &body, fault);
    reply_begin(conn, fault->status, "application/json",
                fault->status == 503 || fault->status == 429 ? retry : NULL);
    conn->out.body = buf_take(&body, &conn->out.body_len);
    conn->keep = false;
    conn->linger = true;
    reply(conn);
}

/* What the owner, or the handler, has left to be sent. */
static void finish(struct http_exchange *conn)
{
    conn->watched = false;
    if (conn->asking) {
        conn->keep = false;
        conn->linger = true;
    }
    if (conn->websocket)
        websocket_begin(conn);
    else if (conn->streaming)
        stream_start(conn);
    else
        reply(conn);
}

void conn_settle(struct http_exchange *conn)
{
    if (conn->state == CONN_FINISHED)
        finish(conn);
    else if (conn->state == CONN_HANDLING)
        conn_refuse(conn, &unanswered);
}

static void handle(struct http_exchange *conn)
{
    struct http_options *options = &conn->loop->server->options;

    timer_clear(conn);
    conn->state = CONN_HANDLING;
    options->handle(conn, options->user);
    conn_settle(conn);
}

static void tell_gone(struct http_exchange *conn)
{
    if (!conn->watched)
        return;
    conn->watched = false;
    atomic_fetch_add(&conn->loop->server->vanished, 1);
    if (conn->calls.gone)
        conn->calls.gone(conn->data);
}

void conn_run(struct http_exchange *conn)
{
    switch (conn->state) {
    case CONN_HEAD:
    case CONN_BODY:
        if (request_read(conn))
            handle(conn);
        break;
    case CONN_PARKED:
        if (conn->vanished)
            tell_gone(conn);
        break;
    case CONN_REPLYING:
        if (conn_flush(conn))
            conn_next(conn);
        break;
    case CONN_STREAMING:
    case CONN_ENDING: stream_pump(conn); break;
    case CONN_WEBSOCKET: websocket_serve(conn); break;
    default: drain(conn);
    }
}

void conn_stop(struct http_exchange *conn)
{
    switch (conn->state) {
    case CONN_HEAD:
    case CONN_BODY:
        if (conn->request)
            conn_refuse(conn, &fault_stopping);
        else
            conn_close(conn);
        break;
    case CONN_PARKED:
        if (!conn->watched)
            break;
        conn->watched = false;
        if (conn->calls.stop)
            conn->calls.stop(conn->data);
        break;
    case CONN_STREAMING:
        if (conn->calls.stop)
            conn->calls.stop(conn->stream_data);
        break;
    case CONN_WEBSOCKET: websocket_stop(conn); break;
    default: break;
    }
}

static void watch(struct http_exchange *conn)
{
    conn->watched = true;
    if (conn->loop->stopping)
        conn_stop(conn);
    else if (conn->vanished)
        tell_gone(conn);
}

void conn_mail(struct http_exchange *conn, unsigned char mail)
{
    if (conn->fd < 0)
        return;
    if (mail & MAIL_FINISH) {
        finish(conn);
    } else if (mail & MAIL_READ) {
        conn->asking = false;
        conn->state = CONN_BODY;
        /* A loop that has ended begins nothing: what it handed to an owner now would be freed by both. */
        if (!conn->loop->ended && request_read_body(conn))
            handle(conn);
    } else if (mail & MAIL_WATCH) {
        watch(conn);
    } else if (conn->state == CONN_STREAMING) {
        loop_again(conn);
    } else if (conn->state == CONN_WEBSOCKET) {
        websocket_woken(conn);
    }
}

void conn_expired(struct http_exchange *conn, enum timer_kind kind)
{
    if (kind == TIMER_BEAT) {
        websocket_beat(conn);
    } else if (kind == TIMER_REQUEST && conn->request) {
        conn_refuse(conn, &too_slow);
    } else if (kind == TIMER_SEND && unsent(conn) < conn->unsent) {
        wait_for_reader(conn, true);
    } else {
        conn_close(conn);
    }
}
