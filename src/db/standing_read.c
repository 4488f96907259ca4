/*
 * BEGIN alone takes no lock, so the cheapest statement there is runs right after it. Moving is dropping and
 * beginning anew; when nobody has read since the last move, it is only dropped.
 */
#include "db/standing_read.h"

#include "base/limits.h"
#include "db/sqlite.h"

#include <stdlib.h>

struct standing_read {
    struct db *db;
    bool held;
    uint64_t reads; /* as of the last move */
};

struct standing_read *standing_read_open(const char *path, const char *vfs, struct err *err)
{
    struct sqlite_options how = { .path = path, .vfs = vfs, .readonly = true, .busy_ms = SQLITE_BUSY_MS };
    struct db *db = sqlite_open(&how, err);

    if (!db)
        return NULL;
    struct standing_read *standing = calloc(1, sizeof(*standing));

    if (!standing)
        abort();
    standing->db = db;
    return standing;
}

void standing_read_close(struct standing_read *standing)
{
    if (!standing)
        return;
    standing_read_drop(standing);
    db_close(standing->db);
    free(standing);
}

void standing_read_drop(struct standing_read *standing)
{
    if (standing->held)
        db_rollback(standing->db);
    standing->held = false;
}

/* The lock is taken by the first statement, not by BEGIN. */
static bool begin(struct standing_read *standing)
{
    ARENA_AUTO arena = { 0 };
    struct db_rows rows;
    struct err ignored = { 0 };

    if (!db_begin(standing->db, false, &ignored))
        return false;
    if (db_query(standing->db, &arena, SQL_SCHEMA_TOUCH, DB_NO_ARGS, &rows, &ignored))
        return true;
    db_rollback(standing->db);
    return false;
}

void standing_read_move(struct standing_read *standing, uint64_t reads)
{
    standing_read_drop(standing);
    if (reads != standing->reads)
        standing->held = begin(standing);
    standing->reads = reads;
}
