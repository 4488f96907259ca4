/*
 * token_notice.c - tells of tokens that will expire, while something can still be done about it.
 */
#include "base/clock.h"
#include "base/str.h"
#include "core/identity/token.h"
#include "core/inbox/notification.h"

#define READERS 3 /* those who manage the workspace, the agent, who made it */

/* "3 days", "5 hours". */
static const char *time_left(struct arena *arena, int64_t ms)
{
    int64_t hours = (ms + 1800000) / 3600000;
    bool in_days = hours >= 48;
    int64_t number = in_days ? (hours + 12) / 24 : hours;

    return arena_format(arena, "%lld %s%s", (long long)number, in_days ? "day" : "hour",
                        number == 1 ? "" : "s");
}

static bool tell(struct db *db, struct arena *arena, const struct db_rows *rows, size_t row, int64_t now_ms,
                 struct err *err)
{
    const char *id = db_cell(rows, row, 0), *agent = db_cell(rows, row, 3), *maker = db_cell(rows, row, 5);
    int64_t expires_ms = db_cell_int(rows, row, 4);
    struct notification told[READERS];
    struct event events[READERS];
    struct notification notice = {
        .workspace_id = db_cell(rows, row, 1),
        .kind = "token_expiring",
        .priority = "normal",
        .title = arena_format(arena, "The token \"%s\" expires in %s", db_cell(rows, row, 2),
                              time_left(arena, expires_ms - now_ms)),
        .body =
            arena_format(arena,
                         "It ends at %s. `witan token rotate %s` gives it a new secret, and keeps the one "
                         "in use good for a while.",
                         clock_text(arena, expires_ms), id),
        .ref_type = "token",
        .ref_id = id,
        .roles = ROLES_MANAGE,
    };
    size_t count = 0;

    told[count++] = notice;
    notice.roles = 0;
    if (agent) {
        notice.agent_key = str_fold(arena, agent);
        told[count++] = notice;
        notice.agent_key = NULL;
    }
    if (maker) {
        notice.user_id = maker;
        told[count++] = notice;
    }
    if (!notification_insert(db, arena, now_ms, told, count, err))
        return false;
    for (size_t i = 0; i < count; i++)
        events[i] = notification_added(arena, &told[i]);
    return event_append_many(db, arena, events, count, err);
}

bool token_notice_sweep(struct db *db, struct arena *arena, int64_t now_ms, size_t limit, size_t *told,
                        struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_TOKEN_NOTICE_DUE, DB_ARGS(db_int(now_ms), db_int((int64_t)limit)), &rows,
                  err))
        return false;
    for (size_t row = 0; row < rows.count; row++) {
        /* One that has expired meanwhile is past help. */
        if (now_ms <= db_cell_int(&rows, row, 4) && !tell(db, arena, &rows, row, now_ms, err))
            return false;
        if (!db_exec(db, arena, SQL_TOKEN_NOTICE_DONE, DB_ARGS(db_text(db_cell(&rows, row, 0))), NULL, err))
            return false;
    }
    *told = rows.count;
    return true;
}

bool token_notice_next(struct db *db, struct arena *arena, int64_t *due_ms, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_TOKEN_NOTICE_NEXT, DB_NO_ARGS, &rows, err))
        return false;
    *due_ms = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;
    return true;
}
