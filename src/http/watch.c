#include "base/clock.h"
#include "http/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define WATCH_EVENTS  256
#define WATCH_TICK_MS 200
#define CROWDED_MS    2000 /* how long a connection that is one too many may take to ask, and be told so */

void watch_nudge(struct http_server *server)
{
    uint64_t one = 1;

    if (write(server->event_fd, &one, sizeof one) < 0)
        return; /* The counter is full: the watcher is awake anyway. */
}

/* One machine may have a whole /64 of IPv6 to itself. An IPv4 address is written as IPv6 maps it. */
static void write_address(const struct sockaddr *peer, unsigned char address[static 16])
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

    memset(address, 0, 16);
    if (peer->sa_family == AF_INET) {
        memcpy(address, mapped, sizeof mapped);
        memcpy(address + 12, &((const struct sockaddr_in *)(const void *)peer)->sin_addr, 4);
        return;
    }

    const struct in6_addr *in6 = &((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr;

    memcpy(address, in6, IN6_IS_ADDR_V4MAPPED(in6) ? 16 : 8);
}

static void count_address(struct http_server *server, struct MHD_Connection *connection, struct conn *conn)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *peer = info ? info->client_addr : NULL;

    if (!server->addresses || !peer || (peer->sa_family != AF_INET && peer->sa_family != AF_INET6))
        return;
    unsigned most = server->options.address_limit(peer, server->options.user);

    if (most == 0)
        return;
    write_address(peer, conn->address);
    conn->counted = tally_take(server->addresses, conn->address, sizeof conn->address, most * 2);
    conn->crowded = !conn->counted || tally_count(server->addresses, conn->address, 16) > most;
    if (!conn->crowded)
        return;
    atomic_fetch_add(&server->crowded, 1);
    atomic_store(&conn->cut_ms, clock_ticks_ms() + CROWDED_MS);
    if (!conn->counted)
        shutdown(conn->fd, SHUT_RDWR);
}

/*
 * A socket enters our epoll once, when its connection is accepted, and leaves it before it is closed. The
 * mask has neither EPOLLIN nor EPOLLOUT and the event is an edge, so a connection that is in use costs
 * nothing here; adding and removing the socket around each sleep of a stream would cost two system calls
 * for every event delivered.
 */
static void connection_opened(struct http_server *server, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct conn *conn = calloc(1, sizeof *conn);

    atomic_fetch_add(&server->accepted, 1);
    atomic_fetch_add(&server->connections, 1);
    *context = conn;
    if (!conn || !info)
        return;
    conn->server = server;
    conn->fd = info->connect_fd;
    atomic_init(&conn->cut_ms, clock_ticks_ms() + server->body_ms);
    count_address(server, connection, conn);

    pthread_mutex_lock(&server->lock);
    conn->next = server->conns;
    if (conn->next)
        conn->next->prev = conn;
    server->conns = conn;
    pthread_mutex_unlock(&server->lock);

    struct epoll_event event = { .events = EPOLLRDHUP | EPOLLET, .data.ptr = conn };

    epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, conn->fd, &event);
}

static void connection_closed(struct http_server *server, void **context)
{
    struct conn *conn = *context;

    atomic_fetch_sub(&server->connections, 1);
    *context = NULL;
    if (!conn)
        return;
    if (conn->counted)
        tally_give(server->addresses, conn->address, sizeof conn->address);
    epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, conn->fd, NULL);

    pthread_mutex_lock(&server->lock);
    if (conn->prev)
        conn->prev->next = conn->next;
    else
        server->conns = conn->next;
    if (conn->next)
        conn->next->prev = conn->prev;
    conn->fd = -1;
    conn->next = server->dead;
    server->dead = conn;
    pthread_mutex_unlock(&server->lock);
}

void watch_connection(void *server, struct MHD_Connection *connection, void **context,
                      enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        connection_opened(server, connection, context);
    else
        connection_closed(server, context);
}

void watch_arm(struct http_exchange *exchange)
{
    struct http_server *server = exchange->server;
    bool late;

    exchange_hold(exchange);
    pthread_mutex_lock(&server->lock);
    exchange->conn->watched = exchange;
    late = exchange->conn->vanished;
    pthread_mutex_unlock(&server->lock);

    if (late)
        atomic_store(&server->late_watch, true);
    if (atomic_load(&server->closing))
        atomic_store(&server->stop_round, true);
    if (late || atomic_load(&server->closing))
        watch_nudge(server);
}

/* An exchange that is not linked any more may have outlived its connection. */
bool watch_disarm(struct http_exchange *exchange)
{
    struct http_server *server = exchange->server;

    pthread_mutex_lock(&server->lock);
    bool armed = exchange->linked && exchange->conn->watched == exchange;

    if (armed)
        exchange->conn->watched = NULL;
    pthread_mutex_unlock(&server->lock);
    if (armed)
        exchange_drop(exchange);
    return armed;
}

/* Something to tell an owner, noted under the lock and told without it. It holds a reference. */
struct notice {
    struct http_exchange *exchange;
    void (*tell)(void *data);
    void *data;
    bool streaming;
};

/* Uses up the watch of a connection whose client is gone; its reference becomes the notice's. */
static bool take_gone(struct conn *conn, struct notice *notice)
{
    struct http_exchange *exchange = conn->watched;

    conn->watched = NULL;
    if (!exchange)
        return false;
    atomic_store(&exchange->gone, true);
    *notice = (struct notice){ exchange, exchange->calls.gone, exchange->data, exchange->streaming };
    return true;
}

static void tell_gone(struct http_server *server, const struct notice *notice)
{
    atomic_fetch_add(&server->vanished, 1);
    if (notice->streaming)
        http_stream_wake(notice->exchange);
    else if (notice->tell)
        notice->tell(notice->data);
    exchange_drop(notice->exchange);
}

static void connection_vanished(struct http_server *server, struct conn *conn)
{
    struct notice notice;

    pthread_mutex_lock(&server->lock);
    conn->vanished = true;
    bool found = take_gone(conn, &notice);

    pthread_mutex_unlock(&server->lock);
    if (found)
        tell_gone(server, &notice);
}

/* Watches that were armed after their client had gone: the edge had been seen already. */
static void fire_late_watches(struct http_server *server)
{
    struct conn *conn;

    if (!atomic_exchange(&server->late_watch, false))
        return;
    do {
        pthread_mutex_lock(&server->lock);
        for (conn = server->conns; conn; conn = conn->next) {
            if (conn->vanished && conn->watched)
                break;
        }
        pthread_mutex_unlock(&server->lock);
        if (conn)
            connection_vanished(server, conn);
    } while (conn);
}

/*
 * Collects those who are to be told that the server stops. A watch is used up by it, since its owner ends
 * the exchange; a stream stays watched until it has said its last word.
 */
static size_t collect_stops(struct http_server *server, struct notice **out)
{
    size_t count = 0, room = 0;

    *out = NULL;
    for (struct http_exchange *e = server->waiting; e; e = e->next)
        room++;
    if (room == 0 || !(*out = calloc(room, sizeof **out)))
        return 0;
    for (struct http_exchange *e = server->waiting; e; e = e->next) {
        if (e->told_to_stop || !e->calls.stop || e->conn->watched != e)
            continue;
        e->told_to_stop = true;
        if (e->streaming)
            exchange_hold(e);
        else
            e->conn->watched = NULL;
        (*out)[count++] =
            (struct notice){ e, e->calls.stop, e->streaming ? e->stream_data : e->data, e->streaming };
    }
    return count;
}

static void tell_to_stop(struct http_server *server)
{
    struct notice *notices;

    if (!atomic_exchange(&server->stop_round, false))
        return;
    pthread_mutex_lock(&server->lock);
    size_t count = collect_stops(server, &notices);

    pthread_mutex_unlock(&server->lock);
    for (size_t i = 0; i < count; i++) {
        notices[i].tell(notices[i].data);
        exchange_drop(notices[i].exchange);
    }
    free(notices);
}

/*
 * libmicrohttpd's timeout starts anew with each byte, so a client that sends one byte a second would never
 * meet it. A shut-down socket reads as closed, and libmicrohttpd then ends the connection itself.
 */
static void sweep(struct http_server *server)
{
    int64_t now = clock_ticks_ms();

    pthread_mutex_lock(&server->lock);
    for (struct conn *conn = server->conns; conn; conn = conn->next) {
        int64_t cut_ms = atomic_load_explicit(&conn->cut_ms, memory_order_relaxed);

        if (cut_ms && now > cut_ms)
            shutdown(conn->fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&server->lock);
}

/* Every event that could name these has been handled, and their sockets have left the epoll. */
static void free_dead(struct http_server *server)
{
    pthread_mutex_lock(&server->lock);
    struct conn *dead = server->dead;
    struct http_exchange *ended = server->ended;

    server->dead = NULL;
    server->ended = NULL;
    pthread_mutex_unlock(&server->lock);

    while (dead) {
        struct conn *next = dead->next;

        free(dead);
        dead = next;
    }
    while (ended) {
        struct http_exchange *next = ended->next;

        exchange_drop(ended);
        ended = next;
    }
}

static void *watch_run(void *arg)
{
    struct http_server *server = arg;
    struct epoll_event events[WATCH_EVENTS];
    int64_t next_sweep = clock_ticks_ms() + WATCH_TICK_MS;

    pthread_setname_np(pthread_self(), "http-watch");
    while (!atomic_load(&server->watcher_stops)) {
        int count = epoll_wait(server->epoll_fd, events, WATCH_EVENTS, WATCH_TICK_MS);

        for (int i = 0; i < count; i++) {
            uint64_t nudges;

            if (events[i].data.ptr)
                connection_vanished(server, events[i].data.ptr);
            else if (read(server->event_fd, &nudges, sizeof nudges) < 0)
                continue;
        }
        fire_late_watches(server);
        tell_to_stop(server);
        if (clock_ticks_ms() >= next_sweep) {
            sweep(server);
            next_sweep = clock_ticks_ms() + WATCH_TICK_MS;
        }
        free_dead(server);
    }
    free_dead(server);
    return NULL;
}

bool watch_open(struct http_server *server, struct err *err)
{
    struct epoll_event event = { .events = EPOLLIN };

    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    server->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (server->epoll_fd < 0 || server->event_fd < 0 ||
        epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, server->event_fd, &event) < 0)
        return err_set(err, ERR_INTERNAL, "Cannot watch connections: %s", strerror(errno));

    int failed = pthread_create(&server->watcher, NULL, watch_run, server);

    if (failed)
        return err_set(err, ERR_INTERNAL, "Cannot start a thread: %s", strerror(failed));
    server->watching = true;
    return true;
}

void watch_close(struct http_server *server)
{
    if (server->watching) {
        atomic_store(&server->watcher_stops, true);
        watch_nudge(server);
        pthread_join(server->watcher, NULL);
    }
    if (server->epoll_fd >= 0)
        close(server->epoll_fd);
    if (server->event_fd >= 0)
        close(server->event_fd);
}
