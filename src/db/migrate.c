/*
 * One migration per transaction, and the number is read anew under the lock each time: two nodes that start
 * together may take turns, and neither applies what the other has just done. What counts is the number in the
 * store, never how far this process thinks it got.
 */
#include "db/migrate.h"

#include "base/clock.h"
#include "gen/version.h"

#define WRITTEN_BY "written_by"

int migrate_newest(void)
{
    return migration_count > 0 ? migrations[migration_count - 1].number : 0;
}

bool migrate_current(struct db *db, struct arena *arena, int *number, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_SCHEMA_EXISTS, DB_NO_ARGS, &rows, err))
        return false;
    if (db_cell_int(&rows, 0, 0) == 0) {
        *number = 0;
        return true;
    }
    if (!db_query(db, arena, SQL_SCHEMA_CURRENT, DB_NO_ARGS, &rows, err))
        return false;
    *number = (int)db_cell_int(&rows, 0, 0);
    return true;
}

/* Which program brought the store to its schema; NULL where that was not written down. */
static const char *written_by(struct db *db, struct arena *arena)
{
    struct err ignored = { 0 };
    struct db_rows rows;

    return db_query(db, arena, SQL_FACT_GET, DB_ARGS(db_text(WRITTEN_BY)), &rows, &ignored) && rows.count > 0
               ? db_cell(&rows, 0, 0)
               : NULL;
}

bool migrate_refuse_newer(struct db *db, struct arena *arena, int number, struct err *err)
{
    const char *version = written_by(db, arena);

    err_set(err, ERR_CONFLICT, "This store has schema %d; this witan (%s) knows up to %d.", number,
            WITAN_VERSION, migrate_newest());
    return err_hint(
        err,
        "Use witan %s or newer. "
        "To go back to this one, restore a backup from before the upgrade: `witan restore FILE --replace`.",
        version ? version : "of the version that wrote it");
}

static bool apply(struct db *db, struct arena *arena, const struct migration *migration, struct err *err)
{
    const char *sql = db->engine == DB_SQLITE ? migration->sqlite : migration->postgres;
    struct err cause = { 0 };

    /* An index on a large table takes as long as it takes. */
    if (db->engine == DB_POSTGRES &&
        !db_script(db, "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0", err))
        return false;
    if (!db_script(db, sql, &cause))
        return err_set(err, cause.code, "Migration %d (%s) failed: %s", migration->number, migration->name,
                       cause.text);
    return db_exec(db, arena, SQL_SCHEMA_RECORD,
                   DB_ARGS(db_int(migration->number), db_text(migration->name), db_int(clock_now_ms())), NULL,
                   err) &&
           db_exec(db, arena, SQL_FACT_SET, DB_ARGS(db_text(WRITTEN_BY), db_text(WITAN_VERSION)), NULL, err);
}

/* Under the lock, so that of two nodes that start at once the second finds the work done. */
static bool step_locked(struct db *db, struct arena *arena, int last, struct migrate_report *done,
                        struct err *err)
{
    if (!db_exec(db, arena, SQL_SCHEMA_LOCK, DB_NO_ARGS, NULL, err) ||
        !db_exec(db, arena, SQL_SCHEMA_CREATE, DB_NO_ARGS, NULL, err) ||
        !migrate_current(db, arena, &done->from, err))
        return false;
    done->to = done->from;
    if (done->from > migrate_newest())
        return migrate_refuse_newer(db, arena, done->from, err);
    for (size_t i = 0; i < migration_count && migrations[i].number <= last; i++) {
        if (migrations[i].number <= done->from)
            continue;
        done->to = migrations[i].number;
        return apply(db, arena, &migrations[i], err);
    }
    return true;
}

/* Applies the next migration, if there is one, in a transaction of its own. */
static bool step(struct db *db, struct arena *arena, int last, struct migrate_report *done, struct err *err)
{
    if (!db_begin(db, true, err))
        return false;
    if (!step_locked(db, arena, last, done, err)) {
        db_rollback(db);
        return false;
    }
    return db_commit(db, err);
}

bool migrate_up_to(struct db *db, struct arena *arena, int number, struct migrate_report *report,
                   struct err *err)
{
    struct migrate_report done;
    int first;

    if (!step(db, arena, number, &done, err))
        return false;
    for (first = done.from; done.from != done.to;) {
        if (!step(db, arena, number, &done, err))
            return false;
    }
    *report = (struct migrate_report){ .from = first, .to = done.to };
    return true;
}

bool migrate_up(struct db *db, struct arena *arena, struct migrate_report *report, struct err *err)
{
    return migrate_up_to(db, arena, migrate_newest(), report, err);
}
