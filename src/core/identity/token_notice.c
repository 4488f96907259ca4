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

static bool tell(const struct tx *tx, const struct db_rows *rows, size_t row)
{
    const char *id = db_cell(rows, row, COL_TOKEN_NOTICE_ID),
               *agent = db_cell(rows, row, COL_TOKEN_NOTICE_AGENT_NAME),
               *maker = db_cell(rows, row, COL_TOKEN_NOTICE_MAKER_ID);
    int64_t expires_ms = db_cell_int(rows, row, COL_TOKEN_NOTICE_EXPIRES_AT);
    struct notification told[READERS];
    struct event events[READERS];
    struct notification notice = {
        .workspace_id = db_cell(rows, row, COL_TOKEN_NOTICE_WORKSPACE_ID),
        .kind = NOTIFICATION_TOKEN_EXPIRING,
        .priority = PRIORITY_NORMAL,
        .title = arena_format(tx->arena, "The token \"%s\" expires in %s",
                              db_cell(rows, row, COL_TOKEN_NOTICE_NAME),
                              time_left(tx->arena, expires_ms - tx->now_ms)),
        .body = arena_format(
            tx->arena,
            "It ends at %s. "
            "`witan token rotate %s` gives it a new secret, and keeps the one in use good for a while.",
            clock_text(tx->arena, expires_ms), id),
        .about = ABOUT_TOKEN,
        .ref_id = id,
        .roles = ROLES_MANAGE,
    };
    size_t count = 0;

    told[count++] = notice;
    notice.roles = 0;
    if (agent) {
        notice.agent_key = str_fold(tx->arena, agent);
        told[count++] = notice;
        notice.agent_key = NULL;
    }
    if (maker) {
        notice.user_id = maker;
        told[count++] = notice;
    }
    if (!notification_insert(tx, told, count))
        return false;
    for (size_t i = 0; i < count; i++)
        events[i] = notification_added(tx->arena, &told[i]);
    return event_append_many(tx, events, count);
}

bool token_notice_sweep(const struct tx *tx, size_t limit, size_t *told)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TOKEN_NOTICE_DUE,
                  DB_ARGS(db_int(tx->now_ms), db_int((int64_t)limit), db_text(ROLES_MANAGE_WORDS)), &rows))
        return false;
    for (size_t row = 0; row < rows.count; row++) {
        /* One that has expired meanwhile is past help. */
        if (tx->now_ms <= db_cell_int(&rows, row, COL_TOKEN_NOTICE_EXPIRES_AT) && !tell(tx, &rows, row))
            return false;
        if (!tx_exec(tx, SQL_TOKEN_NOTICE_DONE, DB_ARGS(db_text(db_cell(&rows, row, COL_TOKEN_NOTICE_ID))),
                     NULL))
            return false;
    }
    *told = rows.count;
    return true;
}

bool token_notice_next(const struct tx *tx, int64_t *due_ms)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TOKEN_NOTICE_NEXT, DB_NO_ARGS, &rows))
        return false;
    *due_ms = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;
    return true;
}
