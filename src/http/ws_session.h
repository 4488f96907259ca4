/*
 * ws_session.h - the frames of one WebSocket, without a socket.
 *
 * Bytes that arrived go in with ws_session_feed, bytes to be sent come out of `out`; in between wslay checks
 * and builds frames. Whole text messages are handed to `text`. Pings are answered, the close handshake is
 * kept, and whatever the protocol forbids becomes a close frame with its code (1002, 1007, 1009).
 *
 * Thread: one at a time.
 */
#ifndef HTTP_WS_SESSION_H
#define HTTP_WS_SESSION_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <wslay/wslay.h>

struct ws_session {
    wslay_event_context_ptr wslay;
    const char *in; /* what ws_session_feed was given and wslay has not read yet */
    size_t in_len;
    struct buf out; /* frames to be sent, from out_at on */
    size_t out_at;
    void (*text)(void *user, const char *text, size_t len);
    void *user;
    bool broken; /* no more can be read or written: drop the connection */
};

void ws_session_init(struct ws_session *session, void (*text)(void *user, const char *text, size_t len),
                     void *user);
void ws_session_done(struct ws_session *session);

void ws_session_feed(struct ws_session *session, const char *bytes, size_t len);
/* False: the peer is WS_BACKLOG_BYTES behind, or the session is closing. */
bool ws_session_send(struct ws_session *session, const char *text, size_t len);
void ws_session_ping(struct ws_session *session);
void ws_session_end(struct ws_session *session, int code, const char *reason);

size_t ws_session_backlog(const struct ws_session *session);
/* So many bytes of the backlog have been sent. */
void ws_session_sent(struct ws_session *session, size_t len);
/* A close frame was queued, by either side. */
bool ws_session_is_closing(const struct ws_session *session);
/* Both sides have said goodbye and all is sent, or the session broke. */
bool ws_session_is_over(const struct ws_session *session);

#endif
