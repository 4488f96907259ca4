/*
 * A table of kinds with a name, a setting and a statement each. A batch reports something done even when it
 * only skipped what was empty, since the caller stops at the first batch that says nothing.
 */
#include "core/upkeep/purge.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "core/log/audit_keep.h"
#include "core/log/event.h"
#include "core/log/idempotency.h"

#include <string.h>

static const struct {
    const char *name, *what;
} kinds[PURGE_KINDS] = {
    [PURGE_EVENTS] = { "events", "events in the log that streams read" },
    [PURGE_LOGS] = { "logs", "log lines of ended jobs, and the traces of runs" },
    [PURGE_NOTIFICATIONS] = { "notifications", "notifications that were read or are settled" },
    [PURGE_DISCUSSIONS] = { "discussions", "ended discussions, with what was said in them" },
    [PURGE_IDEMPOTENCY] = { "idempotency", "replies kept for repeats" },
    [PURGE_AUDIT] = { "audit", "rows of the audit log" },
};

const char *purge_name(enum purge_kind kind)
{
    return kinds[kind].name;
}

const char *purge_what(enum purge_kind kind)
{
    return kinds[kind].what;
}

bool purge_parse(const char *name, enum purge_kind *kind)
{
    for (size_t i = 0; i < PURGE_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *kind = (enum purge_kind)i;
            return true;
        }
    return false;
}

int64_t purge_keep_ms(enum purge_kind kind)
{
    switch (kind) {
    case PURGE_EVENTS: return settings()->events_keep_ms;
    case PURGE_LOGS: return settings()->logs_keep_ms;
    case PURGE_NOTIFICATIONS: return settings()->notifications_keep_ms;
    case PURGE_DISCUSSIONS: return settings()->discussions_keep_ms;
    case PURGE_IDEMPOTENCY: return settings()->idempotency_lifetime_ms;
    case PURGE_AUDIT: return settings()->audit_keep_ms;
    case PURGE_KINDS: break;
    }
    return 0;
}

bool purge_count(const struct tx *tx, enum purge_kind kind, int64_t before_ms, int64_t *count)
{
    static const enum sql_id statements[PURGE_KINDS] = {
        [PURGE_EVENTS] = SQL_PURGE_EVENTS_COUNT,
        [PURGE_LOGS] = SQL_PURGE_LOGS_COUNT,
        [PURGE_NOTIFICATIONS] = SQL_PURGE_NOTIFICATIONS_COUNT,
        [PURGE_DISCUSSIONS] = SQL_PURGE_DISCUSSIONS_COUNT,
        [PURGE_IDEMPOTENCY] = SQL_PURGE_IDEMPOTENCY_COUNT,
        [PURGE_AUDIT] = SQL_AUDIT_PURGE_COUNT,
    };
    struct db_rows rows;
    bool counted =
        kind == PURGE_IDEMPOTENCY
            ? tx_query(tx, statements[kind],
                       DB_ARGS(db_int(before_ms), db_text(clock_text(tx->arena, before_ms))), &rows)
            : tx_query(tx, statements[kind], DB_ARGS(db_int(before_ms)), &rows);

    if (!counted)
        return false;
    *count = db_cell_int(&rows, 0, 0);
    return true;
}

static bool purge_logs(const struct tx *tx, int64_t before_ms, size_t limit, size_t *purged)
{
    size_t done;

    if (!tx_exec(tx, SQL_PURGE_LOGS, DB_ARGS(db_int(before_ms), db_int((int64_t)limit), db_int(PURGE_JOBS)),
                 purged) ||
        !tx_exec(tx, SQL_PURGE_RUN_ENTRIES, DB_ARGS(db_int(before_ms), db_int(PURGE_JOBS)), NULL) ||
        !tx_exec(tx, SQL_PURGE_RUN_CALLS, DB_ARGS(db_int(before_ms), db_int(PURGE_JOBS)), NULL) ||
        !tx_exec(tx, SQL_PURGE_LOGS_DONE, DB_ARGS(db_int(before_ms), db_int(PURGE_JOBS)), &done))
        return false;
    /* Jobs whose lines had gone before count as something done: there may be more behind them. */
    if (*purged == 0)
        *purged = done;
    return true;
}

size_t purge_most(enum purge_kind kind, size_t limit)
{
    size_t families = limit / PURGE_ROWS_EACH;

    return kind != PURGE_DISCUSSIONS ? limit : families > 0 ? families : 1;
}

/* Each goes whole, with all that were split off from it, so a batch is a few of them however long they are.
 */
static bool purge_discussions(const struct tx *tx, int64_t before_ms, size_t limit, size_t *purged)
{
    size_t most = purge_most(PURGE_DISCUSSIONS, limit);
    struct db_rows ripe;

    if (!tx_query(tx, SQL_PURGE_DISCUSSIONS_RIPE, DB_ARGS(db_int(before_ms), db_int((int64_t)most)), &ripe))
        return false;
    *purged = ripe.count;
    for (size_t i = 0; i < ripe.count; i++) {
        const char *id = db_cell(&ripe, i, 0);

        if (!tx_exec(tx, SQL_PURGE_DISCUSSION_LOGS, DB_ARGS(db_text(id)), NULL) ||
            !tx_exec(tx, SQL_PURGE_DISCUSSION_PARTICIPANTS, DB_ARGS(db_text(id)), NULL) ||
            !tx_exec(tx, SQL_PURGE_DISCUSSION, DB_ARGS(db_text(id)), NULL))
            return false;
    }
    return true;
}

bool purge_batch(const struct tx *tx, enum purge_kind kind, const struct audit_entry *by, int64_t before_ms,
                 size_t limit, size_t *purged)
{
    struct tx then = *tx;

    switch (kind) {
    case PURGE_EVENTS: return event_prune(tx, before_ms, limit, purged);
    case PURGE_LOGS: return purge_logs(tx, before_ms, limit, purged);
    case PURGE_NOTIFICATIONS:
        return tx_exec(tx, SQL_PURGE_NOTIFICATIONS, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)),
                       purged);
    case PURGE_DISCUSSIONS: return purge_discussions(tx, before_ms, limit, purged);
    case PURGE_IDEMPOTENCY: /* which goes by the moment whose lifetime ends there */
        then.now_ms = before_ms + settings()->idempotency_lifetime_ms;
        return idempotency_prune(&then, limit, purged);
    case PURGE_AUDIT: return audit_purge(tx, by, before_ms, limit, purged);
    case PURGE_KINDS: break;
    }
    return err_set(tx->err, ERR_INTERNAL, "There is no such kind.");
}
