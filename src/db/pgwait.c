/*
 * libpq in non-blocking mode under a poll with a deadline. The trap is a statement that is larger than the
 * socket's buffer: the server may answer while we still send, so both directions are watched until all is
 * out.
 */
#include "db/pgwait.h"

#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

/* Until the socket is ready for one of `events`. False: the time was up. */
static bool wait_ready(PGconn *conn, short events, int64_t until_ms)
{
    struct pollfd ready = { .fd = PQsocket(conn), .events = events };

    for (;;) {
        int64_t left_ms = until_ms - clock_ticks_ms();
        int timeout_ms = until_ms == INT64_MAX ? -1
                         : left_ms <= 0        ? 0
                         : left_ms > INT_MAX   ? INT_MAX
                                               : (int)left_ms;
        int found = poll(&ready, 1, timeout_ms);

        if (found > 0 || (found < 0 && errno != EINTR))
            return true;
        if (found == 0)
            return false;
    }
}

/* A large statement does not fit into the socket at once; the server may have something to say meanwhile. */
static bool flush(PGconn *conn, int64_t until_ms)
{
    while (PQflush(conn) == 1) {
        if (!wait_ready(conn, POLLIN | POLLOUT, until_ms))
            return false;
        if (!PQconsumeInput(conn))
            return true;
    }
    return true;
}

/* After an error of the connection PQgetResult says what happened, without waiting. */
static bool read_answer(PGconn *conn, int64_t until_ms)
{
    while (PQisBusy(conn)) {
        if (!wait_ready(conn, POLLIN, until_ms))
            return false;
        if (!PQconsumeInput(conn))
            return true;
    }
    return true;
}

PGresult *pgwait_result(PGconn *conn, int64_t limit_ms, bool *late)
{
    return pgwait_rows(conn, limit_ms, late, NULL, NULL);
}

PGresult *pgwait_rows(PGconn *conn, int64_t limit_ms, bool *late, void (*take)(PGresult *row, void *user),
                      void *user)
{
    int64_t until_ms = limit_ms > 0 ? clock_ticks_ms() + limit_ms : INT64_MAX;
    PGresult *last = NULL, *next;

    *late = !flush(conn, until_ms);
    while (!*late) {
        if (!read_answer(conn, until_ms)) {
            *late = true;
            break;
        }
        next = PQgetResult(conn);
        if (!next)
            return last;
        if (take && PQresultStatus(next) == PGRES_SINGLE_TUPLE) {
            take(next, user);
            continue;
        }
        PQclear(last);
        last = next;
        if (PQstatus(conn) != CONNECTION_OK)
            return last;
    }
    PQclear(last);
    return NULL;
}
