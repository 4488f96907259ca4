/*
 * websocket.h - RFC 6455 on an upgraded connection, framed by wslay.
 *
 * A WebSocket stays on the HTTP thread of its connection: reads, pings, close frames and writes, never
 * blocking. Text messages out are queued per connection up to WS_BACKLOG_BYTES; a reader
 * that falls further behind is closed with 1013 and a reason. Incoming messages over WS_MESSAGE_MAX are
 * refused with 1009. The server pings every HEARTBEAT_MS and drops a peer that does not answer two.
 *
 * Thread: websocket_accept from the handler, or from any thread once parked; wake from any. Callbacks run on
 * the socket's HTTP thread, never concurrently for one socket.
 */
#ifndef HTTP_WEBSOCKET_H
#define HTTP_WEBSOCKET_H

#include "http/server.h"

struct websocket;

struct websocket_calls {
    void (*opened)(struct websocket *ws, void *data);
    void (*text)(struct websocket *ws, void *data, const char *text, size_t len);
    /* There is room to send, or websocket_wake was called: fill with websocket_send until it says no. */
    void (*ready)(struct websocket *ws, void *data);
    void (*stop)(struct websocket *ws,
                 void *data);   /* the server stops: send a last word, then websocket_end */
    void (*closed)(void *data); /* exactly once; data is the owner's to free */
};

/* Checks the handshake (version, key, method) and replies 101; on a bad one it answers 400/426 itself. */
bool websocket_accept(struct http_exchange *exchange, const struct websocket_calls *calls, void *data);

/* From a callback. False: the backlog is full, try again from `ready`. */
bool websocket_send(struct websocket *ws, const char *text, size_t len);
void websocket_end(struct websocket *ws, int code, const char *reason);
/* From any thread: `ready` will run. The socket stays valid until `closed` has returned. */
void websocket_wake(struct websocket *ws);

#endif
