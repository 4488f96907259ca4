#include "core/inbox/alert.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/log/event.h"

#include <string.h>

#define MINUTE_MS INT64_C(60000)

enum { TIMEOUT_RATE, UNANSWERED, ASK_ERRORS, KINDS };

static const char *const kind_names[KINDS] = { "timeout_rate", "unanswered", "ask_errors" };

/* What one kind looks like in one workspace. */
struct finding {
    bool holds;
    const char *details;
};

/* Collects the members of a finding's details. */
struct sheet {
    struct buf text;
    struct json_out out;
};

static void sheet_open(struct sheet *sheet)
{
    buf_init(&sheet->text, 0);
    json_begin(&sheet->out, &sheet->text);
    json_map(&sheet->out, NULL);
}

static const char *sheet_close(struct sheet *sheet, struct arena *arena)
{
    const char *text;

    json_map_end(&sheet->out);
    text = arena_copy(arena, sheet->text.bytes, sheet->text.len);
    buf_done(&sheet->text);
    return text;
}

static bool look_rate(struct db *db, struct arena *arena, const char *workspace_id, int64_t now_ms,
                      struct finding *finding, struct err *err)
{
    const char *since = clock_text(arena, now_ms - ALERT_RATE_MS);
    struct sheet sheet;
    struct db_rows rows;
    int64_t asked, missed;

    if (!db_query(db, arena, SQL_ALERT_RATE,
                  DB_ARGS(db_text(workspace_id), db_text(since), db_int(ALERT_RATE_ROWS)), &rows, err))
        return false;
    asked = db_cell_int(&rows, 0, 0);
    missed = db_cell_int(&rows, 0, 1);
    finding->holds = asked >= ALERT_RATE_MIN && missed * 100 > asked * ALERT_RATE_PERCENT;
    sheet_open(&sheet);
    json_int(&sheet.out, "questions", asked);
    json_int(&sheet.out, "timedOut", missed);
    json_double(&sheet.out, "rate", asked > 0 ? (double)missed / (double)asked : 0);
    finding->details = sheet_close(&sheet, arena);
    return true;
}

static bool look_unanswered(struct db *db, struct arena *arena, const char *workspace_id, int64_t now_ms,
                            struct finding *finding, struct err *err)
{
    const char *before = clock_text(arena, now_ms - ALERT_OPEN_MS);
    struct sheet sheet;
    struct db_rows rows;

    if (!db_query(db, arena, SQL_ALERT_UNANSWERED,
                  DB_ARGS(db_text(workspace_id), db_text(before), db_int(LIMIT_PAGE)), &rows, err))
        return false;
    finding->holds = rows.count > 0;
    sheet_open(&sheet);
    json_int(&sheet.out, "questions", (int64_t)rows.count);
    json_text(&sheet.out, "oldestQuestionId", rows.count > 0 ? db_cell(&rows, 0, 0) : NULL);
    json_text(&sheet.out, "askedAt", rows.count > 0 ? db_cell(&rows, 0, 1) : NULL);
    finding->details = sheet_close(&sheet, arena);
    return true;
}

static bool look_errors(struct db *db, struct arena *arena, const char *workspace_id, int64_t now_ms,
                        struct finding *finding, struct err *err)
{
    struct sheet sheet;
    struct db_rows rows;
    int64_t refused, failed;

    if (!db_query(db, arena, SQL_ALERT_ERRORS,
                  DB_ARGS(db_text(workspace_id), db_int((now_ms - ALERT_ERRORS_MS) / MINUTE_MS)), &rows, err))
        return false;
    refused = db_cell_int(&rows, 0, 0);
    failed = db_cell_int(&rows, 0, 1);
    finding->holds = failed > 0 || refused >= ALERT_ERRORS_REFUSED;
    sheet_open(&sheet);
    json_int(&sheet.out, "refused", refused);
    json_int(&sheet.out, "failed", failed);
    json_int(&sheet.out, "minutes", ALERT_ERRORS_MS / MINUTE_MS);
    finding->details = sheet_close(&sheet, arena);
    return true;
}

static bool tell(struct db *db, struct arena *arena, const char *workspace_id, const struct alert *alert,
                 const char *details, int64_t ended_ms, int64_t now_ms, struct err *err)
{
    BUF_AUTO text = { 0 };
    struct json_out out;
    struct event event = {
        .workspace_id = workspace_id, .type = "alert", .subject = alert->id, .at_ms = now_ms
    };

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "alertId", alert->id);
    json_text(&out, "kind", alert->kind);
    json_bool(&out, "active", ended_ms == 0);
    json_time(&out, "since", alert->since_ms);
    if (ended_ms)
        json_time(&out, "endedAt", ended_ms);
    else
        json_none(&out, "endedAt");
    json_raw(&out, "details", details);
    json_map_end(&out);
    event.data = arena_copy(arena, text.bytes, text.len);
    return event_append(db, arena, &event, err);
}

/* Another node may have been faster: then there is nothing left to say. */
static bool begin(struct db *db, struct arena *arena, const char *workspace_id, int kind, int64_t now_ms,
                  const struct finding *finding, struct err *err)
{
    struct alert alert = { .id = uuid_new(arena), .kind = kind_names[kind], .since_ms = now_ms };
    size_t changed;

    if (!db_exec(db, arena, SQL_ALERT_BEGIN,
                 DB_ARGS(db_text(alert.id), db_text(workspace_id), db_text(alert.kind), db_int(now_ms),
                         db_text(finding->details)),
                 &changed, err))
        return false;
    return changed == 0 || tell(db, arena, workspace_id, &alert, finding->details, 0, now_ms, err);
}

static bool end(struct db *db, struct arena *arena, const char *workspace_id, const struct alert *alert,
                int64_t now_ms, const struct finding *finding, struct err *err)
{
    size_t changed;

    if (!db_exec(db, arena, SQL_ALERT_END, DB_ARGS(db_text(alert->id), db_int(now_ms)), &changed, err))
        return false;
    return changed == 0 || tell(db, arena, workspace_id, alert, finding->details, now_ms, now_ms, err);
}

static const struct alert *open_one(const struct alert *alerts, size_t count, const char *kind)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(alerts[i].kind, kind) == 0)
            return &alerts[i];
    return NULL;
}

static bool check_workspace(struct db *db, struct arena *arena, const char *workspace_id, int64_t now_ms,
                            bool apply, size_t *changes, struct err *err)
{
    struct finding findings[KINDS];
    struct alert *alerts;
    size_t count;

    if (!look_rate(db, arena, workspace_id, now_ms, &findings[TIMEOUT_RATE], err) ||
        !look_unanswered(db, arena, workspace_id, now_ms, &findings[UNANSWERED], err) ||
        !look_errors(db, arena, workspace_id, now_ms, &findings[ASK_ERRORS], err) ||
        !alert_list(db, arena, workspace_id, &alerts, &count, err))
        return false;
    for (int kind = 0; kind < KINDS; kind++) {
        const struct alert *open = open_one(alerts, count, kind_names[kind]);

        if (findings[kind].holds == (open != NULL))
            continue;
        ++*changes;
        if (!apply)
            continue;
        if (open ? !end(db, arena, workspace_id, open, now_ms, &findings[kind], err)
                 : !begin(db, arena, workspace_id, kind, now_ms, &findings[kind], err))
            return false;
    }
    return true;
}

bool alert_check(struct db *db, struct arena *arena, int64_t now_ms, bool apply, size_t *changes,
                 struct err *err)
{
    struct db_rows rows;
    size_t all = 0;

    if (!db_query(db, arena, SQL_ALERT_WORKSPACES,
                  DB_ARGS(db_text(clock_text(arena, now_ms - ALERT_RATE_MS)),
                          db_int((now_ms - ALERT_ERRORS_MS) / MINUTE_MS)),
                  &rows, err))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!check_workspace(db, arena, db_cell(&rows, i, 0), now_ms, apply, &all, err))
            return false;
    *changes = all;
    return true;
}

bool alert_list(struct db *db, struct arena *arena, const char *workspace_id, struct alert **alerts,
                size_t *count, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_ALERT_OPEN, DB_ARGS(db_text(workspace_id)), &rows, err))
        return false;
    *alerts = arena_array(arena, struct alert, rows.count + 1);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*alerts)[i] = (struct alert){
            .id = db_cell(&rows, i, 0),
            .kind = db_cell(&rows, i, 1),
            .since_ms = db_cell_int(&rows, i, 2),
            .details = db_cell(&rows, i, 3),
        };
    return true;
}

void alert_write(const struct alert *alert, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "id", alert->id);
    json_text(out, "kind", alert->kind);
    json_time(out, "since", alert->since_ms);
    json_raw(out, "details", alert->details);
    json_map_end(out);
}

bool alert_count_errors(struct db *db, struct arena *arena, const char *workspace_id, int64_t now_ms,
                        int64_t refused, int64_t failed, struct err *err)
{
    int64_t minute = now_ms / MINUTE_MS;

    return db_exec(db, arena, SQL_ASK_ERRORS_ADD,
                   DB_ARGS(db_text(workspace_id), db_int(minute), db_int(refused), db_int(failed)), NULL,
                   err) &&
           db_exec(db, arena, SQL_ASK_ERRORS_PRUNE, DB_ARGS(db_int(minute - ALERT_KEEP_MINUTES)), NULL, err);
}
