/*
 * Lists that grow in the arena, one for each table, flushed with one statement each. The order at the close
 * is fixed (questions, jobs, lines, notifications, events, audit), so that two dockets never lock tables the
 * other way round.
 */
#include "core/questions/docket_writes.h"

#include "core/log/audit.h"

#include <string.h>

#define ROOM_FIRST 8

struct docket_list {
    void *items;
    size_t count, room;
};

struct docket_writes {
    struct arena *arena;
    struct docket_list questions, lines, events, notifications, resolved, audit;
};

struct docket_writes *writes_new(struct arena *arena)
{
    struct docket_writes *writes = arena_new(arena, struct docket_writes);

    writes->arena = arena;
    return writes;
}

static void *add(struct docket_writes *writes, struct docket_list *list, size_t size)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : ROOM_FIRST;
        void *items = arena_alloc(writes->arena, room * size, alignof(max_align_t));

        if (list->count > 0)
            memcpy(items, list->items, list->count * size);
        list->items = items;
        list->room = room;
    }
    return (char *)list->items + size * list->count++;
}

struct question **writes_question(struct docket_writes *writes)
{
    return add(writes, &writes->questions, sizeof(struct question *));
}

struct job_line *writes_line(struct docket_writes *writes)
{
    return add(writes, &writes->lines, sizeof(struct job_line));
}

struct event *writes_event(struct docket_writes *writes)
{
    return add(writes, &writes->events, sizeof(struct event));
}

struct notification *writes_notification(struct docket_writes *writes)
{
    return add(writes, &writes->notifications, sizeof(struct notification));
}

const char **writes_resolved(struct docket_writes *writes)
{
    return add(writes, &writes->resolved, sizeof(const char *));
}

const struct question **writes_audit(struct docket_writes *writes)
{
    return add(writes, &writes->audit, sizeof(const struct question *));
}

#define AUDIT_WIDTH 5

/* Jobs are locked and every change goes through here, so a row that does not fit is our mistake. */
static bool write_questions(struct docket *docket)
{
    struct question **questions = docket->writes->questions.items;
    size_t count = docket->writes->questions.count, changed;
    struct db_arg *rows = arena_array(docket->tx->arena, struct db_arg, count * QUESTION_UPDATE_WIDTH);

    for (size_t i = 0; i < count; i++)
        question_put_update(questions[i], &rows[i * QUESTION_UPDATE_WIDTH]);
    if (!db_exec_rows(docket->tx->db, docket->tx->arena, SQL_QUESTION_UPDATE, SQL_QUESTION_UPDATE_MANY,
                      QUESTION_UPDATE_WIDTH, rows, count, &changed, docket->tx->err))
        return false;
    return changed == count ||
           err_set(docket->tx->err, ERR_RETRY, "A question was changed by somebody else at the same time.");
}

static bool write_jobs(struct docket *docket)
{
    struct db_arg *rows = arena_array(docket->tx->arena, struct db_arg, docket->job_count * JOB_UPDATE_WIDTH);
    size_t count = 0;

    for (size_t i = 0; i < docket->job_count; i++)
        if (docket->jobs[i].dirty)
            job_put_update(&docket->jobs[i], &rows[count++ * JOB_UPDATE_WIDTH]);
    return db_exec_rows(docket->tx->db, docket->tx->arena, SQL_JOB_UPDATE, SQL_JOB_UPDATE_MANY,
                        JOB_UPDATE_WIDTH, rows, count, NULL, docket->tx->err);
}

static bool write_lines(struct docket *docket)
{
    const struct job_line *lines = docket->writes->lines.items;
    size_t count = docket->writes->lines.count;
    struct db_arg *rows = arena_array(docket->tx->arena, struct db_arg, count * JOB_LINE_INSERT_WIDTH);

    for (size_t i = 0; i < count; i++)
        job_line_put_insert(&lines[i], &rows[i * JOB_LINE_INSERT_WIDTH]);
    return db_exec_rows(docket->tx->db, docket->tx->arena, SQL_JOB_LOG_INSERT, SQL_JOB_LOG_INSERT_MANY,
                        JOB_LINE_INSERT_WIDTH, rows, count, NULL, docket->tx->err);
}

static void put_audit(const struct docket *docket, const struct question *question,
                      struct db_arg row[static AUDIT_WIDTH])
{
    BUF_AUTO detail = { 0 };
    struct json_out out;
    size_t at = 0;

    json_begin(&out, &detail);
    json_map(&out, NULL);
    json_text(&out, "status", question_status_word(question->status));
    json_text(&out, "source", outcome_source_word(question->outcome_source));
    json_raw(&out, "response", question->response);
    json_map_end(&out);
    row[at++] = db_text(question->workspace_id);
    row[at++] = db_text("question_end");
    row[at++] = db_text(question->id);
    row[at++] = db_text(arena_copy(docket->tx->arena, detail.bytes, detail.len));
    row[at] = db_int(docket->tx->now_ms);
}

/* What the server did by itself. */
static bool write_audit(struct docket *docket)
{
    const struct question **questions = docket->writes->audit.items;
    size_t count = docket->writes->audit.count;
    struct db_arg *rows = arena_array(docket->tx->arena, struct db_arg, count * AUDIT_WIDTH);

    for (size_t i = 0; i < count; i++)
        put_audit(docket, questions[i], &rows[i * AUDIT_WIDTH]);
    return db_exec_rows(docket->tx->db, docket->tx->arena, SQL_AUDIT_INSERT_SYSTEM,
                        SQL_AUDIT_INSERT_SYSTEM_MANY, AUDIT_WIDTH, rows, count, NULL, docket->tx->err);
}

/* Those that have ended go first: who is asked instead is told anew. */
static bool write_notifications(struct docket *docket)
{
    struct docket_list *list = &docket->writes->notifications, *resolved = &docket->writes->resolved;
    struct notification *notifications = list->items;
    struct event *events = NULL;
    size_t count = 0;

    if (resolved->count > 0 &&
        !notification_resolve(docket->tx, ABOUT_QUESTION, resolved->items, resolved->count, &events, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        *writes_event(docket->writes) = events[i];
    if (!notification_insert(docket->tx, notifications, list->count))
        return false;
    for (size_t i = 0; i < list->count; i++)
        *writes_event(docket->writes) = notification_added(docket->tx->arena, &notifications[i]);
    return true;
}

bool docket_close(struct docket *docket)
{
    struct docket_writes *writes = docket->writes;

    return write_questions(docket) && write_jobs(docket) && write_lines(docket) &&
           write_notifications(docket) &&
           event_append_many(docket->tx, writes->events.items, writes->events.count) && write_audit(docket);
}
