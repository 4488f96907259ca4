/*
 * Each kind is a question about rows, asked from scratch: nothing is counted in memory. The insert of a
 * beginning and the update of an end say whether they changed anything, and only the node whose statement did
 * tells of it.
 */
#include "core/inbox/alert.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/uuid.h"
#include "core/log/event.h"

#define MINUTE_MS INT64_C(60000)

const char *const alert_kinds[] = { "timeout_rate", "unanswered", "ask_errors", NULL };
WORDS_FIT(alert_kinds, ALERT_KIND_END);

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

static bool look_rate(const struct tx *tx, const char *workspace_id, struct finding *finding)
{
    const char *since = clock_text(tx->arena, tx->now_ms - ALERT_RATE_MS);
    struct sheet sheet;
    struct db_rows rows;
    int64_t asked, missed;

    if (!tx_query(tx, SQL_ALERT_RATE, DB_ARGS(db_text(workspace_id), db_text(since), db_int(ALERT_RATE_ROWS)),
                  &rows))
        return false;
    asked = db_cell_int(&rows, 0, 0);
    missed = db_cell_int(&rows, 0, 1);
    finding->holds = asked >= ALERT_RATE_MIN && missed * 100 > asked * ALERT_RATE_PERCENT;
    sheet_open(&sheet);
    json_int(&sheet.out, "questions", asked);
    json_int(&sheet.out, "timedOut", missed);
    json_double(&sheet.out, "rate", asked > 0 ? (double)missed / (double)asked : 0);
    finding->details = sheet_close(&sheet, tx->arena);
    return true;
}

static bool look_unanswered(const struct tx *tx, const char *workspace_id, const char *blocking,
                            struct finding *finding)
{
    const char *before = clock_text(tx->arena, tx->now_ms - ALERT_OPEN_MS);
    struct sheet sheet;
    struct db_rows rows;

    if (!tx_query(tx, SQL_ALERT_UNANSWERED,
                  DB_ARGS(db_text(workspace_id), db_text(before), db_int(LIMIT_PAGE), db_text(blocking)),
                  &rows))
        return false;
    finding->holds = rows.count > 0;
    sheet_open(&sheet);
    json_int(&sheet.out, "questions", (int64_t)rows.count);
    json_text(&sheet.out, "oldestQuestionId", rows.count > 0 ? db_cell(&rows, 0, 0) : NULL);
    json_text(&sheet.out, "askedAt", rows.count > 0 ? db_cell(&rows, 0, 1) : NULL);
    finding->details = sheet_close(&sheet, tx->arena);
    return true;
}

static bool look_errors(const struct tx *tx, const char *workspace_id, struct finding *finding)
{
    struct sheet sheet;
    struct db_rows rows;
    int64_t refused, failed;

    if (!tx_query(tx, SQL_ALERT_ERRORS,
                  DB_ARGS(db_text(workspace_id), db_int((tx->now_ms - ALERT_ERRORS_MS) / MINUTE_MS)), &rows))
        return false;
    refused = db_cell_int(&rows, 0, 0);
    failed = db_cell_int(&rows, 0, 1);
    finding->holds = failed > 0 || refused >= ALERT_ERRORS_REFUSED;
    sheet_open(&sheet);
    json_int(&sheet.out, "refused", refused);
    json_int(&sheet.out, "failed", failed);
    json_int(&sheet.out, "minutes", ALERT_ERRORS_MS / MINUTE_MS);
    finding->details = sheet_close(&sheet, tx->arena);
    return true;
}

static bool tell(const struct tx *tx, const char *workspace_id, const struct alert *alert,
                 const char *details, int64_t ended_ms)
{
    BUF_AUTO text = { 0 };
    struct json_out out;
    struct event event = {
        .workspace_id = workspace_id, .type = EVENT_ALERT, .subject = alert->id, .at_ms = tx->now_ms
    };

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "alertId", alert->id);
    json_text(&out, "kind", alert_kind_word(alert->kind));
    json_bool(&out, "active", ended_ms == 0);
    json_time(&out, "since", alert->since_ms);
    if (ended_ms)
        json_time(&out, "endedAt", ended_ms);
    else
        json_none(&out, "endedAt");
    json_raw(&out, "details", details);
    json_map_end(&out);
    event.data = arena_copy(tx->arena, text.bytes, text.len);
    return event_append(tx, &event);
}

/* Another node may have been faster: then there is nothing left to say. */
static bool begin(const struct tx *tx, const char *workspace_id, enum alert_kind kind,
                  const struct finding *finding)
{
    struct alert alert = { .id = uuid_new(tx->arena),
                           .workspace_id = workspace_id,
                           .kind = kind,
                           .since_ms = tx->now_ms,
                           .details = finding->details };
    struct db_arg row[ALERT_INSERT_WIDTH];
    size_t changed;

    alert_put_insert(&alert, row);
    if (!tx_exec(tx, SQL_ALERT_BEGIN, ALERT_INSERT_WIDTH, row, &changed))
        return false;
    return changed == 0 || tell(tx, workspace_id, &alert, finding->details, 0);
}

static bool end(const struct tx *tx, const char *workspace_id, const struct alert *alert,
                const struct finding *finding)
{
    size_t changed;

    if (!tx_exec(tx, SQL_ALERT_END, DB_ARGS(db_text(alert->id), db_int(tx->now_ms)), &changed))
        return false;
    return changed == 0 || tell(tx, workspace_id, alert, finding->details, tx->now_ms);
}

static const struct alert *open_one(const struct alert *alerts, size_t count, enum alert_kind kind)
{
    for (size_t i = 0; i < count; i++)
        if (alerts[i].kind == kind)
            return &alerts[i];
    return NULL;
}

static bool check_workspace(const struct tx *tx, const char *workspace_id, const char *blocking, bool apply,
                            size_t *changes)
{
    struct finding findings[ALERT_KIND_END];
    struct alert *alerts;
    size_t count;

    if (!look_rate(tx, workspace_id, &findings[ALERT_TIMEOUT_RATE]) ||
        !look_unanswered(tx, workspace_id, blocking, &findings[ALERT_UNANSWERED]) ||
        !look_errors(tx, workspace_id, &findings[ALERT_ASK_ERRORS]) ||
        !alert_list(tx, workspace_id, &alerts, &count))
        return false;
    for (enum alert_kind kind = ALERT_TIMEOUT_RATE; kind < ALERT_KIND_END; kind++) {
        const struct alert *open = open_one(alerts, count, kind);

        if (findings[kind].holds == (open != NULL))
            continue;
        ++*changes;
        if (!apply)
            continue;
        if (open ? !end(tx, workspace_id, open, &findings[kind])
                 : !begin(tx, workspace_id, kind, &findings[kind]))
            return false;
    }
    return true;
}

bool alert_check(const struct tx *tx, const char *blocking, bool apply, size_t *changes)
{
    struct db_rows rows;
    size_t all = 0;

    if (!tx_query(tx, SQL_ALERT_WORKSPACES,
                  DB_ARGS(db_text(clock_text(tx->arena, tx->now_ms - ALERT_RATE_MS)),
                          db_int((tx->now_ms - ALERT_ERRORS_MS) / MINUTE_MS)),
                  &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!check_workspace(tx, db_cell(&rows, i, 0), blocking, apply, &all))
            return false;
    *changes = all;
    return true;
}

bool alert_list(const struct tx *tx, const char *workspace_id, struct alert **alerts, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ALERT_OPEN, DB_ARGS(db_text(workspace_id)), &rows))
        return false;
    *count = rows.count;
    return alert_from_rows(tx, &rows, rows.count, alerts);
}

bool alert_count_errors(const struct tx *tx, const char *workspace_id, int64_t refused, int64_t failed)
{
    int64_t minute = tx->now_ms / MINUTE_MS;

    return tx_exec(tx, SQL_ASK_ERRORS_ADD,
                   DB_ARGS(db_text(workspace_id), db_int(minute), db_int(refused), db_int(failed)), NULL) &&
           tx_exec(tx, SQL_ASK_ERRORS_PRUNE, DB_ARGS(db_int(minute - ALERT_KEEP_MINUTES)), NULL);
}
