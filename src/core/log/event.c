/*
 * A row's data is the text of a JSON object without the members that every event has; those are put before it
 * when it is written out, and the rest is copied byte for byte, never parsed again.
 */
#include "core/log/event.h"

#include "base/clock.h"
#include "base/limits.h"
#include "core/caller/caller.h"

#include <string.h>

#define EVENT_WIDTH 10

const char *event_type_text(const struct event *event)
{
    return event->type_text ? event->type_text : event_type_word(event->type);
}

static void put_row(const struct tx *tx, const struct event *event, struct db_arg row[static EVENT_WIDTH])
{
    size_t at = 0;

    row[at++] = db_text(event->workspace_id);
    row[at++] = db_text(event_type_text(event));
    row[at++] = db_text(event->project_id);
    row[at++] = db_text(event->job_id);
    row[at++] = db_text(event->discussion_id);
    row[at++] = db_text(event->subject);
    row[at++] = db_text(event->data ? event->data : "{}");
    row[at++] = db_int(event->at_ms);
    row[at++] = db_text(event->audience);
    row[at] = db_text(tx_actor_id(tx));
}

bool event_append(const struct tx *tx, const struct event *event)
{
    return event_append_many(tx, event, 1);
}

bool event_append_many(const struct tx *tx, const struct event events[], size_t count)
{
    struct db_arg *rows = arena_array(tx->arena, struct db_arg, count * EVENT_WIDTH);

    for (size_t i = 0; i < count; i++)
        put_row(tx, &events[i], &rows[i * EVENT_WIDTH]);
    return db_exec_rows(tx->db, tx->arena, SQL_EVENT_INSERT, SQL_EVENT_INSERT_MANY, EVENT_WIDTH, rows, count,
                        NULL, tx->err);
}

bool event_changed(const struct tx *tx, const struct event *event, const char *member)
{
    struct event changed = *event;
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    if (member)
        json_text(&out, member, event->subject);
    json_map_end(&out);
    changed.data = arena_copy(tx->arena, text.bytes, text.len);
    changed.at_ms = tx->now_ms;
    return event_append(tx, &changed);
}

static void event_from_row(const struct db_rows *rows, size_t row, struct event *event)
{
    *event = (struct event){
        .seq = db_cell_int(rows, row, COL_EVENT_SEQ),
        .workspace_id = db_cell(rows, row, COL_EVENT_WORKSPACE_ID),
        .type = event_type_of(db_cell(rows, row, COL_EVENT_TYPE)),
        .type_text = db_cell(rows, row, COL_EVENT_TYPE),
        .project_id = db_cell(rows, row, COL_EVENT_PROJECT_ID),
        .job_id = db_cell(rows, row, COL_EVENT_JOB_ID),
        .discussion_id = db_cell(rows, row, COL_EVENT_DISCUSSION_ID),
        .subject = db_cell(rows, row, COL_EVENT_SUBJECT),
        .data = db_cell(rows, row, COL_EVENT_DATA),
        .at_ms = db_cell_int(rows, row, COL_EVENT_CREATED_AT),
        .audience = db_cell(rows, row, COL_EVENT_AUDIENCE),
    };
}

bool event_read(const struct tx *tx, int64_t after, size_t limit, struct event **events, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_EVENT_READ, DB_ARGS(db_int(after), db_int((int64_t)limit)), &rows))
        return false;
    *events = arena_array(tx->arena, struct event, rows.count);
    for (size_t i = 0; i < rows.count; i++)
        event_from_row(&rows, i, &(*events)[i]);
    *count = rows.count;
    return true;
}

static bool read_number(const struct tx *tx, enum sql_id sql, int64_t *number)
{
    struct db_rows rows;

    if (!tx_query(tx, sql, DB_NO_ARGS, &rows))
        return false;
    *number = db_cell_int(&rows, 0, 0);
    return true;
}

bool event_last(const struct tx *tx, int64_t *seq)
{
    return read_number(tx, SQL_EVENT_LAST, seq);
}

bool event_first(const struct tx *tx, int64_t *seq)
{
    return read_number(tx, SQL_EVENT_FIRST, seq);
}

bool event_number(const struct tx *tx, size_t *numbered, bool *busy)
{
    struct db_rows rows;
    int64_t given;

    *numbered = 0;
    *busy = false;
    if (tx->db->engine == DB_SQLITE)
        return true;
    if (!tx_query(tx, SQL_EVENT_NUMBER, DB_ARGS(db_int(SEAL_BATCH)), &rows))
        return false;
    given = db_cell_int(&rows, 0, 0);
    *busy = given < 0;
    *numbered = given > 0 ? (size_t)given : 0;
    return true;
}

bool event_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned)
{
    return tx_exec(tx, SQL_EVENT_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned);
}

/* The stored object's members are copied as they stand: the log is the truth, down to the byte. */
void event_write(const struct event *event, struct buf *into)
{
    struct json_out out;
    const char *members = event->data + strspn(event->data, " \t\r\n{");

    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "type", event_type_text(event));
    json_time(&out, "at", event->at_ms);
    json_text(&out, "workspaceId", event->workspace_id);
    if (*members == '}' || *members == '\0') {
        json_map_end(&out);
        return;
    }
    buf_char(into, ',');
    buf_text(into, members);
}
