#include "http/server.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/uuid.h"
#include "http/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CLOSE_POLL_MS  2
#define CLOSE_FORCE_MS 2000 /* how long connections that were cut at the end may take to be gone */

/* Paths and queries stay as they were sent; whoever reads them decodes them piece by piece. */
static size_t keep_escapes(void *arg, struct MHD_Connection *connection, char *text)
{
    (void)arg;
    (void)connection;
    return strlen(text);
}

/* Each connection is a descriptor, and the usual soft limit of 1,024 is for programs that use select(). */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static unsigned thread_count(const struct http_options *options)
{
    long cores = options->threads > 0 ? options->threads : sysconf(_SC_NPROCESSORS_ONLN);

    if (cores < 1)
        return 1;
    return cores > SERVER_THREADS && options->threads <= 0 ? SERVER_THREADS : (unsigned)cores;
}

/* A pool of one thread is refused by libmicrohttpd; that is its plain internal thread. */
static bool start_daemon(struct http_server *server, struct err *err)
{
    const struct http_options *options = &server->options;
    unsigned threads = thread_count(options);
    unsigned idle_s = (unsigned)((server->idle_ms + 999) / 1000);
    struct MHD_OptionItem items[] = {
        { MHD_OPTION_LISTEN_SOCKET, server->listen_fd, NULL },
        { MHD_OPTION_CONNECTION_MEMORY_LIMIT, HTTP_POOL_BYTES, NULL },
        { MHD_OPTION_CONNECTION_LIMIT, options->connections ? (int)options->connections : LIMIT_CONNECTIONS,
          NULL },
        { MHD_OPTION_CONNECTION_TIMEOUT, (int)idle_s, NULL },
        { MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL },
        { threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (int)threads, NULL },
        { MHD_OPTION_END, 0, NULL },
    };

    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE, 0,
        NULL, NULL, request_call, server, MHD_OPTION_ARRAY, items, MHD_OPTION_URI_LOG_CALLBACK, request_begin,
        server, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_NOTIFY_COMPLETED, request_end,
        server, MHD_OPTION_NOTIFY_CONNECTION, watch_connection, server, MHD_OPTION_END);
    if (!server->daemon)
        return err_set(err, ERR_INTERNAL, "Cannot start the HTTP server: %s", strerror(errno));
    return true;
}

static struct http_server *server_new(const struct http_options *options)
{
    struct http_server *server = calloc(1, sizeof *server);

    if (!server)
        abort();
    server->options = *options;
    atomic_init(&server->refs, 1);
    server->epoll_fd = server->event_fd = server->listen_fd = -1;
    server->body_ms = options->body_ms > 0 ? options->body_ms : HTTP_BODY_S * 1000;
    server->idle_ms = options->idle_ms > 0 ? options->idle_ms : HTTP_IDLE_S * 1000;
    if (options->address_limit)
        server->addresses = tally_new();
    random_bytes(&server->request_prefix, sizeof server->request_prefix);
    pthread_mutex_init(&server->lock, NULL);
    return server;
}

void server_drop(struct http_server *server)
{
    if (atomic_fetch_sub(&server->refs, 1) != 1)
        return;
    if (server->listen_fd >= 0)
        close(server->listen_fd);
    tally_free(server->addresses);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

struct http_server *http_open(const struct http_options *options, struct err *err)
{
    struct http_server *server = server_new(options);

    raise_descriptor_limit();
    server->listen_fd = listen_open(options->listen, &server->port, err);
    if (server->listen_fd >= 0 && watch_open(server, err) && (server->hub = ws_hub_open(server, err)) &&
        start_daemon(server, err))
        return server;
    ws_hub_close(server->hub);
    watch_close(server);
    server_drop(server);
    return NULL;
}

int http_port(const struct http_server *server)
{
    return server->port;
}

/* The listening socket is shut down, so that clients are refused at once instead of waiting in its queue. */
void http_quiesce(struct http_server *server)
{
    if (atomic_exchange(&server->quiet, true))
        return;
    MHD_quiesce_daemon(server->daemon);
    shutdown(server->listen_fd, SHUT_RDWR);
}

static bool wait_until_idle(struct http_server *server, int64_t until_ms)
{
    const struct timespec pause = { .tv_nsec = CLOSE_POLL_MS * 1000000L };

    while (atomic_load(&server->active) > 0 || atomic_load(&server->streams) > 0 ||
           atomic_load(&server->websockets) > 0) {
        if (clock_ticks_ms() >= until_ms)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

/* One waiting exchange that has not been cut yet, with a reference. */
static struct http_exchange *next_to_cut(struct http_server *server)
{
    pthread_mutex_lock(&server->lock);
    struct http_exchange *exchange = server->waiting;

    while (exchange && exchange->cut)
        exchange = exchange->next;
    if (exchange) {
        exchange->cut = true;
        exchange_hold(exchange);
    }
    pthread_mutex_unlock(&server->lock);
    return exchange;
}

/*
 * The grace is over. Suspended connections must not be left when libmicrohttpd stops (it would abort), so
 * they are taken from their owners, who may still come with a reply later: each then keeps the server's
 * memory.
 */
static void cut_all(struct http_server *server)
{
    struct http_exchange *exchange;

    while ((exchange = next_to_cut(server))) {
        if (!exchange_abandon(exchange) && exchange->streaming)
            stream_cut(exchange);
        exchange_drop(exchange);
    }
    pthread_mutex_lock(&server->lock);
    for (struct conn *conn = server->conns; conn; conn = conn->next)
        shutdown(conn->fd, SHUT_RDWR);
    pthread_mutex_unlock(&server->lock);
}

void http_close(struct http_server *server, int grace_ms)
{
    if (!server)
        return;
    http_quiesce(server);
    atomic_store(&server->closing, true);
    atomic_store(&server->stop_round, true);
    watch_nudge(server);
    ws_hub_stop(server->hub);
    if (!wait_until_idle(server, clock_ticks_ms() + grace_ms)) {
        cut_all(server);
        ws_hub_close(server->hub);
        server->hub = NULL;
        wait_until_idle(server, clock_ticks_ms() + CLOSE_FORCE_MS);
    }
    ws_hub_close(server->hub);
    MHD_stop_daemon(server->daemon);
    watch_close(server);
    server_drop(server);
}

void http_stats(const struct http_server *server, struct http_stats *stats)
{
    *stats = (struct http_stats){
        .connections = atomic_load(&server->connections),
        .parked = atomic_load(&server->parked),
        .streams = atomic_load(&server->streams),
        .websockets = atomic_load(&server->websockets),
        .accepted = atomic_load(&server->accepted),
        .refused = atomic_load(&server->refused),
        .vanished = atomic_load(&server->vanished),
        .crowded = atomic_load(&server->crowded),
    };
}
