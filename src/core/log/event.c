#include "core/log/event.h"

#include "base/clock.h"
#include "base/limits.h"

#include <string.h>

#define EVENT_WIDTH 9

static void put_row(const struct event *event, struct db_arg row[static EVENT_WIDTH])
{
    size_t at = 0;

    row[at++] = db_text(event->workspace_id);
    row[at++] = db_text(event->type);
    row[at++] = db_text(event->project_id);
    row[at++] = db_text(event->job_id);
    row[at++] = db_text(event->discussion_id);
    row[at++] = db_text(event->subject);
    row[at++] = db_text(event->data ? event->data : "{}");
    row[at++] = db_int(event->at_ms);
    row[at] = db_text(event->audience);
}

bool event_append(struct db *db, struct arena *arena, const struct event *event, struct err *err)
{
    return event_append_many(db, arena, event, 1, err);
}

bool event_append_many(struct db *db, struct arena *arena, const struct event events[], size_t count,
                       struct err *err)
{
    struct db_arg *rows = arena_array(arena, struct db_arg, count * EVENT_WIDTH);

    for (size_t i = 0; i < count; i++)
        put_row(&events[i], &rows[i * EVENT_WIDTH]);
    return db_exec_rows(db, arena, SQL_EVENT_INSERT, SQL_EVENT_INSERT_MANY, EVENT_WIDTH, rows, count, NULL,
                        err);
}

static void event_from_row(const struct db_rows *rows, size_t row, struct event *event)
{
    *event = (struct event){
        .seq = db_cell_int(rows, row, COL_EVENT_SEQ),
        .workspace_id = db_cell(rows, row, COL_EVENT_WORKSPACE_ID),
        .type = db_cell(rows, row, COL_EVENT_TYPE),
        .project_id = db_cell(rows, row, COL_EVENT_PROJECT_ID),
        .job_id = db_cell(rows, row, COL_EVENT_JOB_ID),
        .discussion_id = db_cell(rows, row, COL_EVENT_DISCUSSION_ID),
        .subject = db_cell(rows, row, COL_EVENT_SUBJECT),
        .data = db_cell(rows, row, COL_EVENT_DATA),
        .at_ms = db_cell_int(rows, row, COL_EVENT_CREATED_AT),
        .audience = db_cell(rows, row, COL_EVENT_AUDIENCE),
    };
}

bool event_read(struct db *db, struct arena *arena, int64_t after, size_t limit, struct event **events,
                size_t *count, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_EVENT_READ, DB_ARGS(db_int(after), db_int((int64_t)limit)), &rows, err))
        return false;
    *events = arena_array(arena, struct event, rows.count);
    for (size_t i = 0; i < rows.count; i++)
        event_from_row(&rows, i, &(*events)[i]);
    *count = rows.count;
    return true;
}

static bool read_number(struct db *db, struct arena *arena, enum sql_id sql, int64_t *number, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, sql, DB_NO_ARGS, &rows, err))
        return false;
    *number = db_cell_int(&rows, 0, 0);
    return true;
}

bool event_last(struct db *db, struct arena *arena, int64_t *seq, struct err *err)
{
    return read_number(db, arena, SQL_EVENT_LAST, seq, err);
}

bool event_first(struct db *db, struct arena *arena, int64_t *seq, struct err *err)
{
    return read_number(db, arena, SQL_EVENT_FIRST, seq, err);
}

bool event_number(struct db *db, struct arena *arena, size_t *numbered, bool *busy, struct err *err)
{
    struct db_rows rows;
    int64_t given;

    *numbered = 0;
    *busy = false;
    if (db->engine == DB_SQLITE)
        return true;
    if (!db_query(db, arena, SQL_EVENT_NUMBER, DB_ARGS(db_int(SEAL_BATCH)), &rows, err))
        return false;
    given = db_cell_int(&rows, 0, 0);
    *busy = given < 0;
    *numbered = given > 0 ? (size_t)given : 0;
    return true;
}

bool event_prune(struct db *db, struct arena *arena, int64_t before_ms, size_t limit, size_t *pruned,
                 struct err *err)
{
    return db_exec(db, arena, SQL_EVENT_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned,
                   err);
}

/* The stored object's members are copied as they stand: the log is the truth, down to the byte. */
void event_write(const struct event *event, struct buf *into)
{
    struct json_out out;
    const char *members = event->data + strspn(event->data, " \t\r\n{");

    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "type", event->type);
    json_time(&out, "at", event->at_ms);
    json_text(&out, "workspaceId", event->workspace_id);
    if (*members == '}' || *members == '\0') {
        json_map_end(&out);
        return;
    }
    buf_char(into, ',');
    buf_text(into, members);
}
