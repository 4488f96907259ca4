#include "http/websocket.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/handshake.h"
#include "http/internal.h"
#include "http/ws_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define HUB_EVENTS  256
#define HUB_TICK_MS 200
#define READ_ROOM   (16 * KB)
#define CLOSE_MS    2000 /* how long the peer may take to answer our close frame */

struct websocket {
    struct ws_hub *hub;
    struct websocket *prev, *next; /* hub->all, touched by the hub's thread only */
    struct websocket *next_mail;   /* hub->mail, under hub->lock */
    struct MHD_UpgradeResponseHandle *handle;
    struct ws_session session;
    struct websocket_calls calls;
    void *data;
    char *extra; /* what the client sent right behind its handshake */
    size_t extra_len;
    int64_t beat_ms, close_by_ms, slow_since_ms;
    int fd, unanswered;
    uint32_t events; /* what epoll waits for */
    bool mailed;     /* under hub->lock */
    bool joined, ended, told_to_stop;
};

struct ws_hub {
    struct http_server *server;
    pthread_t thread;
    pthread_mutex_t lock;
    struct websocket *mail, **mail_end; /* new sockets and woken ones, the first to come first */
    struct websocket *all;
    int epoll_fd, event_fd;
    int64_t heartbeat_ms;
    atomic_bool stopping, closing;
    bool running;
};

static void hub_nudge(struct ws_hub *hub)
{
    uint64_t one = 1;

    if (write(hub->event_fd, &one, sizeof one) < 0)
        return; /* The counter is full: the thread is awake anyway. */
}

void websocket_wake(struct websocket *ws)
{
    struct ws_hub *hub = ws->hub;

    pthread_mutex_lock(&hub->lock);
    bool first = !hub->mail;

    if (!ws->mailed) {
        ws->mailed = true;
        ws->next_mail = NULL;
        *hub->mail_end = ws;
        hub->mail_end = &ws->next_mail;
    }
    pthread_mutex_unlock(&hub->lock);
    if (first)
        hub_nudge(hub);
}

bool websocket_send(struct websocket *ws, const char *text, size_t len)
{
    if (ws_session_send(&ws->session, text, len))
        return true;
    if (!ws->slow_since_ms && !ws_session_is_closing(&ws->session))
        ws->slow_since_ms = clock_ticks_ms();
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

static void wait_for(struct websocket *ws, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.ptr = ws };

    if (events == ws->events)
        return;
    epoll_ctl(ws->hub->epoll_fd, ws->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, ws->fd, &event);
    ws->events = events;
}

static void send_backlog(struct websocket *ws)
{
    struct ws_session *session = &ws->session;
    size_t left;

    while ((left = ws_session_backlog(session)) > 0) {
        ssize_t sent = send(ws->fd, session->out.bytes + session->out_at, left, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent > 0) {
            ws_session_sent(session, (size_t)sent);
            continue;
        }
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
            ws->ended = true;
        return;
    }
}

/*
 * Sends what there is and asks for more while there is room, as long as that makes progress. A reader with
 * a full backlog is asked again when half of it is gone, not for every byte.
 */
static void pump(struct websocket *ws)
{
    send_backlog(ws);
    while (!ws->ended && ws->slow_since_ms && ws_session_backlog(&ws->session) < WS_BACKLOG_BYTES / 2) {
        ws->slow_since_ms = 0;
        if (ws->calls.ready)
            ws->calls.ready(ws, ws->data);
        send_backlog(ws);
    }
    if (ws_session_is_closing(&ws->session) && !ws->close_by_ms)
        ws->close_by_ms = clock_ticks_ms() + CLOSE_MS;
    if (ws_session_is_over(&ws->session))
        ws->ended = true;
    if (!ws->ended)
        wait_for(ws, EPOLLIN | EPOLLRDHUP | (ws_session_backlog(&ws->session) ? EPOLLOUT : 0u));
}

static void hub_unmail(struct ws_hub *hub, struct websocket *ws)
{
    pthread_mutex_lock(&hub->lock);
    struct websocket **at = &hub->mail;

    while (*at && *at != ws)
        at = &(*at)->next_mail;
    if (*at) {
        *at = ws->next_mail;
        if (!*at)
            hub->mail_end = at;
    }
    pthread_mutex_unlock(&hub->lock);
}

/* Tells the owner, gives the socket back to libmicrohttpd and frees. No lock is held. */
static void drop(struct websocket *ws)
{
    struct ws_hub *hub = ws->hub;

    if (ws->joined) {
        if (ws->prev)
            ws->prev->next = ws->next;
        else
            hub->all = ws->next;
        if (ws->next)
            ws->next->prev = ws->prev;
    }
    if (ws->events)
        epoll_ctl(hub->epoll_fd, EPOLL_CTL_DEL, ws->fd, NULL);
    if (ws->calls.closed)
        ws->calls.closed(ws->data);
    hub_unmail(hub, ws);
    if (ws->handle) {
        shutdown(ws->fd, SHUT_RDWR);
        MHD_upgrade_action(ws->handle, MHD_UPGRADE_ACTION_CLOSE);
    }
    ws_session_done(&ws->session);
    free(ws->extra);
    free(ws);
    atomic_fetch_sub(&hub->server->websockets, 1);
}

void websocket_discard(struct websocket *ws)
{
    drop(ws);
}

static void tell_to_stop(struct websocket *ws)
{
    ws->told_to_stop = true;
    if (ws->calls.stop)
        ws->calls.stop(ws, ws->data);
    else
        websocket_end(ws, WSLAY_CODE_GOING_AWAY, "The server stops.");
}

static void join(struct websocket *ws)
{
    struct ws_hub *hub = ws->hub;

    ws->joined = true;
    ws->beat_ms = clock_ticks_ms();
    ws->next = hub->all;
    if (ws->next)
        ws->next->prev = ws;
    hub->all = ws;
    if (ws->calls.opened)
        ws->calls.opened(ws, ws->data);
    if (ws->extra_len > 0)
        ws_session_feed(&ws->session, ws->extra, ws->extra_len);
    free(ws->extra);
    ws->extra = NULL;
    ws->extra_len = 0;
}

/*
 * One round: those who wake while it lasts come in the next, after the sockets and timers have had their
 * turn. So whoever is always busy delays the others by one turn of its own, and no more.
 */
static void read_mail(struct ws_hub *hub)
{
    pthread_mutex_lock(&hub->lock);
    struct websocket *round = hub->mail;

    hub->mail = NULL;
    hub->mail_end = &hub->mail;
    pthread_mutex_unlock(&hub->lock);

    while (round) {
        struct websocket *ws = round;

        pthread_mutex_lock(&hub->lock);
        round = ws->next_mail;
        ws->mailed = false;
        pthread_mutex_unlock(&hub->lock);
        if (!ws->joined)
            join(ws);
        else if (ws->calls.ready && !ws_session_is_closing(&ws->session))
            ws->calls.ready(ws, ws->data);
        if (atomic_load(&hub->stopping) && !ws->told_to_stop)
            tell_to_stop(ws);
        pump(ws);
        if (ws->ended)
            drop(ws);
    }
}

static void read_socket(struct websocket *ws)
{
    char bytes[READ_ROOM];
    ssize_t len = recv(ws->fd, bytes, sizeof bytes, MSG_DONTWAIT);

    if (len > 0) {
        ws->unanswered = 0;
        ws_session_feed(&ws->session, bytes, (size_t)len);
    } else if (len == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        ws->ended = true;
    }
    /* Answers to pings count too: a peer that only sends and never reads is not kept. */
    if (ws_session_backlog(&ws->session) > WS_BACKLOG_BYTES + WS_MESSAGE_MAX)
        ws->ended = true;
}

static void serve(struct websocket *ws, uint32_t events)
{
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        read_socket(ws);
    if (!ws->ended)
        pump(ws);
    if (ws->ended)
        drop(ws);
}

static void beat(struct websocket *ws, int64_t now)
{
    ws->beat_ms = now;
    if (ws->unanswered++ >= 2) {
        ws->ended = true;
        return;
    }
    ws_session_ping(&ws->session);
}

/* The timers of every WebSocket: heartbeats, readers that stay behind, and peers that do not say goodbye. */
static void run_timers(struct ws_hub *hub)
{
    int64_t now = clock_ticks_ms();

    for (struct websocket *ws = hub->all, *next; ws; ws = next) {
        next = ws->next;
        if (atomic_load(&hub->stopping) && !ws->told_to_stop)
            tell_to_stop(ws);
        if (now - ws->beat_ms >= hub->heartbeat_ms)
            beat(ws, now);
        if (ws->slow_since_ms && now - ws->slow_since_ms >= hub->heartbeat_ms)
            websocket_end(ws, 1013, "The reader is too slow.");
        if (ws->close_by_ms && now >= ws->close_by_ms)
            ws->ended = true;
        if (!ws->ended)
            pump(ws);
        if (ws->ended)
            drop(ws);
    }
}

static void *hub_run(void *arg)
{
    struct ws_hub *hub = arg;
    struct epoll_event events[HUB_EVENTS];
    int64_t next_tick = clock_ticks_ms() + HUB_TICK_MS;

    pthread_setname_np(pthread_self(), "websocket");
    while (!atomic_load(&hub->closing)) {
        int count = epoll_wait(hub->epoll_fd, events, HUB_EVENTS, HUB_TICK_MS);

        for (int i = 0; i < count; i++) {
            uint64_t nudges;

            if (events[i].data.ptr)
                serve(events[i].data.ptr, events[i].events);
            else if (read(hub->event_fd, &nudges, sizeof nudges) < 0)
                continue;
        }
        /* Mail may drop sockets, so it is read only after all events of this round have been served. */
        read_mail(hub);
        if (clock_ticks_ms() >= next_tick || atomic_load(&hub->stopping)) {
            run_timers(hub);
            next_tick = clock_ticks_ms() + HUB_TICK_MS;
        }
    }
    read_mail(hub);
    while (hub->all)
        drop(hub->all);
    return NULL;
}

struct ws_hub *ws_hub_open(struct http_server *server, struct err *err)
{
    struct ws_hub *hub = calloc(1, sizeof *hub);
    struct epoll_event event = { .events = EPOLLIN };

    if (!hub)
        abort();
    hub->server = server;
    hub->mail_end = &hub->mail;
    hub->heartbeat_ms = server->options.heartbeat_ms > 0 ? server->options.heartbeat_ms : HEARTBEAT_MS;
    pthread_mutex_init(&hub->lock, NULL);
    hub->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    hub->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (hub->epoll_fd >= 0 && hub->event_fd >= 0 &&
        epoll_ctl(hub->epoll_fd, EPOLL_CTL_ADD, hub->event_fd, &event) == 0 &&
        pthread_create(&hub->thread, NULL, hub_run, hub) == 0) {
        hub->running = true;
        return hub;
    }
    err_set(err, ERR_INTERNAL, "Cannot serve WebSockets: %s", strerror(errno));
    ws_hub_close(hub);
    return NULL;
}

void ws_hub_stop(struct ws_hub *hub)
{
    atomic_store(&hub->stopping, true);
    hub_nudge(hub);
}

void ws_hub_close(struct ws_hub *hub)
{
    if (!hub)
        return;
    if (hub->running) {
        atomic_store(&hub->closing, true);
        hub_nudge(hub);
        pthread_join(hub->thread, NULL);
    }
    if (hub->epoll_fd >= 0)
        close(hub->epoll_fd);
    if (hub->event_fd >= 0)
        close(hub->event_fd);
    pthread_mutex_destroy(&hub->lock);
    free(hub);
}

/* Runs on the connection's thread once the 101 is out: from here on the socket is the hub's. */
static void upgraded(void *arg, struct MHD_Connection *connection, void *context, const char *extra,
                     size_t extra_len, MHD_socket fd, struct MHD_UpgradeResponseHandle *handle)
{
    struct websocket *ws = arg;
    struct http_exchange *exchange = context;

    (void)connection;
    exchange->upgraded = true;
    exchange->websocket = NULL;
    atomic_fetch_sub(&exchange->server->active, 1);
    ws->fd = fd;
    ws->handle = handle;
    if (extra_len > 0 && (ws->extra = malloc(extra_len))) {
        memcpy(ws->extra, extra, extra_len);
        ws->extra_len = extra_len;
    }
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    websocket_wake(ws);
}

static void refuse(struct http_exchange *exchange, enum handshake fault, const char *why)
{
    static const struct http_header_line version[] = { { "Sec-WebSocket-Version", "13" },
                                                       { "Upgrade", "websocket" },
                                                       { NULL, NULL } };
    bool old = fault == HANDSHAKE_VERSION;
    struct buf body;

    buf_init(&body, 0);
    reply_write_refusal(exchange, &body, old ? 426 : 400, old ? "upgrade_required" : "bad_request", why);
    http_reply(exchange, old ? 426 : 400, "application/json", old ? version : NULL, &body);
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

    struct websocket *ws = calloc(1, sizeof *ws);
    struct MHD_Response *response = ws ? MHD_create_response_for_upgrade(upgraded, ws) : NULL;

    if (!response)
        abort();
    ws->hub = exchange->server->hub;
    ws->calls = *calls;
    ws->data = data;
    ws->fd = -1;
    ws_session_init(&ws->session, text_came, ws);
    handshake_accept(http_header(exchange, "Sec-WebSocket-Key"), accept);
    MHD_add_response_header(response, "Upgrade", "websocket");
    MHD_add_response_header(response, "Sec-WebSocket-Accept", accept);
    MHD_add_response_header(response, "X-Request-Id", exchange->request_id);
    atomic_fetch_add(&exchange->server->websockets, 1);
    exchange->websocket = ws;
    exchange_finish(exchange, 101, response);
    return true;
}
