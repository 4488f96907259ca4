/*
 * The server has one reference of its own and one for each parked exchange that outlives its loop: the last
 * to go frees it. Closing is in three steps, each heard by the loops: quiet (nothing new), closing (what
 * waits is told), cut (the time is up).
 */
#include "http/server.h"

#include "base/clock.h"
#include "base/uuid.h"
#include "http/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CLOSE_POLL_MS 2

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

static struct http_server *server_new(const struct http_options *options)
{
    struct http_server *server = calloc(1, sizeof *server);
    unsigned threads = thread_count(options);

    if (!server || !(server->loops = calloc(threads, sizeof *server->loops)))
        abort();
    server->options = *options;
    atomic_init(&server->refs, 1);
    server->listen_fd = -1;
    server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (options->address_limit)
        server->addresses = tally_new();
    random_bytes(&server->request_prefix, sizeof server->request_prefix);
    return server;
}

void server_drop(struct http_server *server)
{
    if (atomic_fetch_sub(&server->refs, 1) != 1)
        return;
    for (unsigned i = 0; i < server->loop_count; i++)
        pthread_mutex_destroy(&server->loops[i].lock);
    free(server->loops);
    tally_free(server->addresses);
    free(server);
}

/* The threads have been told to end. */
static void server_close(struct http_server *server)
{
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_close(&server->loops[i]);
    if (server->listen_fd >= 0)
        close(server->listen_fd);
    if (server->spare_fd >= 0)
        close(server->spare_fd);
    server_drop(server);
}

static void wake_loops(struct http_server *server)
{
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_wake(&server->loops[i]);
}

/* The first loop accepts, once all of them are there. */
static bool start(struct http_server *server, struct err *err)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = server };
    unsigned threads = thread_count(&server->options);

    for (unsigned i = 0; i < threads; i++) {
        server->loop_count++;
        if (!loop_open(&server->loops[i], server, err))
            return false;
    }
    if (epoll_ctl(server->loops[0].epoll_fd, EPOLL_CTL_ADD, server->listen_fd, &event) < 0)
        return err_set(err, ERR_INTERNAL, "Cannot accept connections: %s", strerror(errno));
    return true;
}

struct http_server *http_open(const struct http_options *options, struct err *err)
{
    struct http_server *server = server_new(options);

    raise_descriptor_limit();
    server->listen_fd = listen_open(options->listen, &server->port, err);
    if (server->listen_fd >= 0 && start(server, err))
        return server;
    atomic_store(&server->cut, true);
    wake_loops(server);
    server_close(server);
    return NULL;
}

int http_port(const struct http_server *server)
{
    return server->port;
}

/* The listening socket is shut down, so that clients are refused at once instead of waiting in its queue. */
void http_quiesce(struct http_server *server)
{
    if (!atomic_exchange(&server->quiet, true))
        shutdown(server->listen_fd, SHUT_RDWR);
}

void http_close(struct http_server *server, int grace_ms)
{
    const struct timespec pause = { .tv_nsec = CLOSE_POLL_MS * 1000000L };

    if (!server)
        return;
    int64_t until_ms = clock_ticks_ms() + grace_ms;

    http_quiesce(server);
    atomic_store(&server->closing, true);
    wake_loops(server);
    while (atomic_load(&server->connections) > 0 && clock_ticks_ms() < until_ms)
        nanosleep(&pause, NULL);
    atomic_store(&server->cut, true);
    wake_loops(server);
    server_close(server);
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
