#include "db/anchor.h"

#include "base/limits.h"
#include "db/sqlite.h"

#include <stdlib.h>

struct anchor {
    struct db *db;
    bool held;
    uint64_t reads; /* as of the last move */
};

struct anchor *anchor_open(const char *path, const char *vfs, struct err *err)
{
    struct sqlite_options how = { .path = path, .vfs = vfs, .readonly = true, .busy_ms = SQLITE_BUSY_MS };
    struct db *db = sqlite_open(&how, err);

    if (!db)
        return NULL;
    struct anchor *anchor = calloc(1, sizeof(*anchor));

    if (!anchor)
        abort();
    anchor->db = db;
    return anchor;
}

void anchor_close(struct anchor *anchor)
{
    if (!anchor)
        return;
    anchor_drop(anchor);
    db_close(anchor->db);
    free(anchor);
}

void anchor_drop(struct anchor *anchor)
{
    if (anchor->held)
        db_rollback(anchor->db);
    anchor->held = false;
}

/* The lock is taken by the first statement, not by BEGIN. */
static bool begin(struct anchor *anchor)
{
    ARENA_AUTO arena = { 0 };
    struct db_rows rows;
    struct err ignored = { 0 };

    if (!db_begin(anchor->db, false, &ignored))
        return false;
    if (db_query(anchor->db, &arena, SQL_SCHEMA_EXISTS, DB_NO_ARGS, &rows, &ignored))
        return true;
    db_rollback(anchor->db);
    return false;
}

void anchor_move(struct anchor *anchor, uint64_t reads)
{
    anchor_drop(anchor);
    if (reads != anchor->reads)
        anchor->held = begin(anchor);
    anchor->reads = reads;
}
