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
/*
 * The same for a statement in single row mode: each row is a result of its own, which `take` has to clear or
 * to keep. It is called until the last, and must not leave by memory_gone: the connection would be between
 * two rows. What is returned says how it ended.
 */
PGresult *pgwait_rows(PGconn *conn, int64_t limit_ms, bool *late, void (*take)(PGresult *row, void *user),
                      void *user);

#endif
