/*
 * wslay is used as a translator between two buffers and never sees the socket, so that it can be fuzzed with
 * plain bytes. Each message is turned into bytes at once and not left in wslay's own queue: its backlog is
 * then one number, and a later fault cannot take back an answer.
 */
#include "http/ws_session.h"

#include "base/limits.h"

#include <string.h>

#define REASON_MAX 123 /* what fits into a close frame */

static ssize_t read_in(wslay_event_context_ptr ctx, uint8_t *into, size_t room, int flags, void *user)
{
    struct ws_session *session = user;
    size_t len = session->in_len < room ? session->in_len : room;

    (void)flags;
    if (len == 0) {
        wslay_event_set_error(ctx, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(into, session->in, len);
    session->in += len;
    session->in_len -= len;
    return (ssize_t)len;
}

static ssize_t write_out(wslay_event_context_ptr ctx, const uint8_t *bytes, size_t len, int flags, void *user)
{
    struct ws_session *session = user;

    (void)flags;
    buf_add(&session->out, bytes, len);
    if (session->out.full) {
        wslay_event_set_error(ctx, WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    return (ssize_t)len;
}

/* Everything queued becomes bytes at once, so that the backlog is one number. */
static void flush(struct ws_session *session)
{
    if (!session->broken && wslay_event_want_write(session->wslay) && wslay_event_send(session->wslay) != 0)
        session->broken = true;
}

static void message_came(wslay_event_context_ptr ctx, const struct wslay_event_on_msg_recv_arg *arg,
                         void *user)
{
    struct ws_session *session = user;

    if (arg->opcode == WSLAY_TEXT_FRAME)
        session->text(session->user, (const char *)arg->msg, arg->msg_length);
    else if (arg->opcode == WSLAY_BINARY_FRAME)
        wslay_event_queue_close(ctx, WSLAY_CODE_UNSUPPORTED_DATA, (const uint8_t *)"Text only.", 10);
    /* A pong goes out before a fault in the next frame closes: wslay would drop it then. */
    flush(session);
}

void ws_session_init(struct ws_session *session, void (*text)(void *user, const char *text, size_t len),
                     void *user)
{
    static const struct wslay_event_callbacks callbacks = {
        .recv_callback = read_in,
        .send_callback = write_out,
        .on_msg_recv_callback = message_came,
    };

    *session = (struct ws_session){ .text = text, .user = user };
    /*
     * ws_session_send keeps the backlog in bounds. The buffer may hold more than that: a last frame of any
     * size, and as many bytes again that were sent and are not moved out yet.
     */
    buf_init(&session->out, 0);
    if (wslay_event_context_server_init(&session->wslay, &callbacks, session) != 0) {
        session->wslay = NULL;
        session->broken = true;
        return;
    }
    wslay_event_config_set_max_recv_msg_length(session->wslay, WS_MESSAGE_MAX);
}

void ws_session_done(struct ws_session *session)
{
    if (session->wslay)
        wslay_event_context_free(session->wslay);
    buf_done(&session->out);
}

void ws_session_feed(struct ws_session *session, const char *bytes, size_t len)
{
    session->in = bytes;
    session->in_len = len;
    while (session->in_len > 0 && !session->broken && wslay_event_want_read(session->wslay)) {
        if (wslay_event_recv(session->wslay) != 0)
            session->broken = true;
        flush(session);
    }
    session->in_len = 0;
}

static bool queue(struct ws_session *session, uint8_t opcode, const char *bytes, size_t len)
{
    struct wslay_event_msg message = { opcode, (const uint8_t *)bytes, len };

    if (session->broken || ws_session_is_closing(session) ||
        wslay_event_queue_msg(session->wslay, &message) != 0)
        return false;
    flush(session);
    return !session->broken;
}

bool ws_session_send(struct ws_session *session, const char *text, size_t len)
{
    return ws_session_backlog(session) < WS_BACKLOG_BYTES && queue(session, WSLAY_TEXT_FRAME, text, len);
}

void ws_session_ping(struct ws_session *session)
{
    queue(session, WSLAY_PING, NULL, 0);
}

void ws_session_end(struct ws_session *session, int code, const char *reason)
{
    size_t len = reason ? strnlen(reason, REASON_MAX) : 0;

    if (session->broken || ws_session_is_closing(session))
        return;
    if (wslay_event_queue_close(session->wslay, (uint16_t)code, (const uint8_t *)reason, len) != 0)
        session->broken = true;
    flush(session);
}

size_t ws_session_backlog(const struct ws_session *session)
{
    return session->out.len - session->out_at;
}

void ws_session_sent(struct ws_session *session, size_t len)
{
    session->out_at += len;
    if (session->out_at == session->out.len) {
        /* An idle WebSocket keeps no buffer. */
        buf_done(&session->out);
        session->out_at = 0;
    } else if (session->out_at > session->out.len / 2) {
        memmove(session->out.bytes, session->out.bytes + session->out_at, ws_session_backlog(session));
        session->out.len -= session->out_at;
        session->out_at = 0;
    }
}

bool ws_session_is_closing(const struct ws_session *session)
{
    return session->broken || wslay_event_get_close_sent(session->wslay) ||
           wslay_event_get_close_received(session->wslay) || !wslay_event_get_write_enabled(session->wslay) ||
           !wslay_event_get_read_enabled(session->wslay);
}

bool ws_session_is_over(const struct ws_session *session)
{
    if (session->broken)
        return true;
    return ws_session_backlog(session) == 0 && wslay_event_get_close_sent(session->wslay) &&
           (wslay_event_get_close_received(session->wslay) || !wslay_event_get_read_enabled(session->wslay));
}
