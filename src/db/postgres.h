/*
 * postgres.h - the PostgreSQL driver, as the store's pool sees it.
 *
 * Everyone else opens connections with db_open and uses db.h.
 *
 * Thread: a connection belongs to one thread at a time.
 */
#ifndef DB_POSTGRES_H
#define DB_POSTGRES_H

#include "db/db.h"

#include <libpq-fe.h>

/* A bare connection with the time-outs that notice a server which is gone. Never NULL; see PQstatus. */
PGconn *postgres_connect(const char *url, const char *application);
struct db *postgres_open(const char *url, struct err *err);

/*
 * From now on no statement may take longer. The server is told to end it a little earlier, which leaves the
 * connection whole; a server that does not answer even then loses it.
 */
CHECKED bool postgres_limit(struct db *db, int64_t limit_ms, struct err *err);

/*
 * Whether a statement of this transaction met a serialisation failure or a deadlock, whatever its
 * caller made of the error: the unit must run again.
 */
bool postgres_must_retry(const struct db *db);
/*
 * Whether a statement failed because the server cannot write: it is read-only, or has no room. A session may
 * keep such a state after the server has left it, so it is better replaced.
 */
bool postgres_cannot_write(const struct db *db);
/* Looks, without waiting, whether an idle connection is still there; db->driver->alive only remembers. */
bool postgres_probe(struct db *db);

#endif
