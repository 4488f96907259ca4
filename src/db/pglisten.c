/*
 * One poll on two descriptors: the connection's socket and an eventfd for those who interrupt. A lost
 * connection is tried again after pauses that double; an interrupt stays in the eventfd until a wait has seen
 * it, so none is lost between two waits.
 */
#include "db/pglisten.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "db/pgwait.h"
#include "db/postgres.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct pg_listener {
    char *url;
    char command[80];
    PGconn *connection; /* NULL while there is none */
    int interrupt_fd;
    int64_t retry_at_ms;
    int backoff_ms;
    bool was_connected;
    _Atomic uint64_t reconnects;
};

struct pg_listener *pg_listener_new(const char *url, const char *channel)
{
    struct pg_listener *listener = calloc(1, sizeof(*listener));

    if (!listener)
        abort();
    listener->url = strdup(url);
    listener->interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!listener->url || listener->interrupt_fd < 0)
        abort();
    snprintf(listener->command, sizeof(listener->command), "LISTEN %s", channel);
    listener->backoff_ms = RECONNECT_MIN_MS;
    return listener;
}

void pg_listener_free(struct pg_listener *listener)
{
    if (!listener)
        return;
    PQfinish(listener->connection);
    close(listener->interrupt_fd);
    free(listener->url);
    free(listener);
}

void pg_listener_interrupt(struct pg_listener *listener)
{
    eventfd_write(listener->interrupt_fd, 1);
}

uint64_t pg_listener_reconnects(const struct pg_listener *listener)
{
    return atomic_load(&listener->reconnects);
}

/* Interrupts stay until a wait has seen them. */
static bool interrupted(struct pg_listener *listener)
{
    eventfd_t count;

    return eventfd_read(listener->interrupt_fd, &count) == 0;
}

static void disconnect(struct pg_listener *listener)
{
    PQfinish(listener->connection);
    listener->connection = NULL;
    listener->retry_at_ms = clock_ticks_ms() + listener->backoff_ms;
    listener->backoff_ms *= 2;
    if (listener->backoff_ms > RECONNECT_MAX_MS)
        listener->backoff_ms = RECONNECT_MAX_MS;
}

static bool connect_again(struct pg_listener *listener)
{
    PGresult *result = NULL;
    bool late;

    listener->connection = postgres_connect(listener->url, "witan-listen");
    if (PQstatus(listener->connection) != CONNECTION_OK) {
        disconnect(listener);
        return false;
    }
    if (PQsendQuery(listener->connection, listener->command))
        result = pgwait_result(listener->connection, settings()->store_timeout_ms, &late);

    bool listening = PQresultStatus(result) == PGRES_COMMAND_OK;

    PQclear(result);
    if (!listening) {
        disconnect(listener);
        return false;
    }
    listener->backoff_ms = RECONNECT_MIN_MS;
    if (listener->was_connected)
        atomic_fetch_add(&listener->reconnects, 1);
    listener->was_connected = true;
    return true;
}

static void sleep_until(struct pg_listener *listener, int64_t until_ms)
{
    struct pollfd fd = { .fd = listener->interrupt_fd, .events = POLLIN };
    int64_t left = until_ms - clock_ticks_ms();

    if (left > 0)
        poll(&fd, 1, (int)left);
}

/* Takes everything that has arrived. */
static bool drain(struct pg_listener *listener)
{
    bool heard = false;
    PGnotify *word;

    if (!PQconsumeInput(listener->connection)) {
        disconnect(listener);
        return false;
    }
    while ((word = PQnotifies(listener->connection))) {
        PQfreemem(word);
        heard = true;
    }
    return heard;
}

bool pg_listener_wait(struct pg_listener *listener, int timeout_ms)
{
    int64_t until = clock_ticks_ms() + timeout_ms;

    while (!interrupted(listener)) {
        int64_t now = clock_ticks_ms();

        if (!listener->connection) {
            if (now >= listener->retry_at_ms && connect_again(listener))
                return true;
            if (now >= until)
                return false;
            sleep_until(listener, listener->retry_at_ms < until ? listener->retry_at_ms : until);
            continue;
        }
        if (drain(listener))
            return true;
        if (!listener->connection)
            continue;
        if (now >= until)
            return false;

        struct pollfd fds[] = { { .fd = PQsocket(listener->connection), .events = POLLIN },
                                { .fd = listener->interrupt_fd, .events = POLLIN } };

        poll(fds, 2, (int)(until - now));
    }
    return false;
}
