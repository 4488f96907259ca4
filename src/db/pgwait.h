/*
 * pgwait.h - waits for PostgreSQL's answer, but not for ever.
 *
 * libpq's own PQexec and its kin wait as long as the connection looks alive, and that of a server which was
 * stopped or lost its disk does: its kernel still acknowledges what we send. Here a statement is sent without
 * blocking, and its answer is waited for up to a limit.
 *
 * Thread: as the connection.
 */
#ifndef DB_PGWAIT_H
#define DB_PGWAIT_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The answer to what was just sent with PQsend...: its last result, the caller's to clear. NULL when the time
 * was up, and then *late is true and the connection of no more use than to be closed. A limit of 0 is none.
 */
PGresult *pgwait_result(PGconn *conn, int64_t limit_ms, bool *late);

#endif
