#include "core/docket_writes.h"

#include "core/audit.h"

#include <string.h>

#define ROOM_FIRST 8

struct list {
    void *items;
    size_t count, room;
};

struct docket_writes {
    struct arena *arena;
    struct list questions, lines, events, notifications, resolved, audit;
};

struct docket_writes *writes_new(struct arena *arena)
{
    struct docket_writes *writes = arena_new(arena, struct docket_writes);

    writes->arena = arena;
    return writes;
}

static void *add(struct docket_writes *writes, struct list *list, size_t size)
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

struct docket_line *writes_line(struct docket_writes *writes)
{
    return add(writes, &writes->lines, sizeof(struct docket_line));
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

/* Runs a statement that takes all its rows as one JSON list. */
static bool write_rows(struct docket *docket, enum sql_id sql, size_t count,
                       void (*put)(const struct docket *docket, size_t at, struct json_out *out),
                       size_t *changed, struct err *err)
{
    BUF_AUTO rows = { 0 };
    struct json_out out;

    if (count == 0)
        return true;
    json_begin(&out, &rows);
    json_list(&out, NULL);
    for (size_t i = 0; i < count; i++)
        put(docket, i, &out);
    json_list_end(&out);
    return db_exec(docket->db, docket->arena, sql, DB_ARGS(db_text(rows.bytes)), changed, err);
}

static void put_question(const struct docket *docket, size_t at, struct json_out *out)
{
    const struct question *question = ((struct question **)docket->writes->questions.items)[at];

    json_list(out, NULL);
    json_text(out, NULL, question->id);
    json_text(out, NULL, question->status);
    json_text(out, NULL, question->response);
    json_text(out, NULL, question->responded_by);
    json_text(out, NULL, question->responded_at);
    json_text(out, NULL, question->timeout_at);
    json_text(out, NULL, question->outcome_source);
    json_text(out, NULL, question->outcome_by);
    json_text(out, NULL, question->ended_at);
    json_text(out, NULL, question->approvals);
    json_text(out, NULL, question->approved_args);
    json_text(out, NULL, question->late_answers);
    json_text(out, NULL, question->draft_by);
    json_text(out, NULL, question->draft_at);
    json_int(out, NULL, question->draft_moves);
    json_text(out, NULL, question->restart_job_id);
    json_list_end(out);
}

/* Jobs are locked and every change goes through here, so a row that does not fit is our mistake. */
static bool write_questions(struct docket *docket, struct err *err)
{
    size_t count = docket->writes->questions.count, changed = count;

    if (!write_rows(docket, SQL_QUESTION_UPDATE_MANY, count, put_question, &changed, err))
        return false;
    return changed == count ||
           err_set(err, ERR_RETRY, "A question was changed by somebody else at the same time.");
}

static void put_job(const struct docket *docket, size_t at, struct json_out *out)
{
    const struct job *job = &docket->jobs[at];

    if (!job->dirty)
        return;
    json_list(out, NULL);
    json_text(out, NULL, job->id);
    json_text(out, NULL, job->status);
    json_text(out, NULL, job->error);
    if (job->ended_ms)
        json_int(out, NULL, job->ended_ms);
    else
        json_none(out, NULL);
    json_text(out, NULL, job->outcome_source);
    json_text(out, NULL, job->outcome_by);
    json_int(out, NULL, job->log_lines);
    json_text(out, NULL, job->result);
    json_list_end(out);
}

static bool write_jobs(struct docket *docket, struct err *err)
{
    bool any = false;

    for (size_t i = 0; i < docket->job_count; i++)
        any |= docket->jobs[i].dirty;
    return !any || write_rows(docket, SQL_JOB_UPDATE_MANY, docket->job_count, put_job, NULL, err);
}

static void put_line(const struct docket *docket, size_t at, struct json_out *out)
{
    const struct docket_line *entry = &((struct docket_line *)docket->writes->lines.items)[at];

    json_list(out, NULL);
    json_text(out, NULL, entry->job_id);
    json_int(out, NULL, entry->line.seq);
    json_text(out, NULL, entry->line.kind);
    json_text(out, NULL, entry->line.level);
    json_text(out, NULL, entry->line.message);
    json_text(out, NULL, entry->line.data);
    json_int(out, NULL, entry->line.at_ms);
    json_list_end(out);
}

static void put_audit(const struct docket *docket, size_t at, struct json_out *out)
{
    const struct question *question = ((const struct question **)docket->writes->audit.items)[at];
    BUF_AUTO detail = { 0 };
    struct json_out inner;

    json_begin(&inner, &detail);
    json_map(&inner, NULL);
    json_text(&inner, "status", question->status);
    json_text(&inner, "source", question->outcome_source);
    json_raw(&inner, "response", question->response);
    json_map_end(&inner);
    json_list(out, NULL);
    json_text(out, NULL, question->workspace_id);
    json_text(out, NULL, "question_end");
    json_text(out, NULL, question->id);
    json_text(out, NULL, detail.bytes);
    json_int(out, NULL, docket->now_ms);
    json_list_end(out);
}

static bool write_notifications(struct docket *docket, struct err *err)
{
    struct list *list = &docket->writes->notifications, *resolved = &docket->writes->resolved;
    struct notification *notifications = list->items;
    struct event *events = NULL;
    size_t count = 0;

    if (!notification_insert(docket->db, docket->arena, docket->now_ms, notifications, list->count, err))
        return false;
    for (size_t i = 0; i < list->count; i++)
        *writes_event(docket->writes) = notification_added(docket->arena, &notifications[i]);
    if (resolved->count > 0 && !notification_resolve(docket->db, docket->arena, docket->now_ms, "question",
                                                     resolved->items, resolved->count, &events, &count, err))
        return false;
    for (size_t i = 0; i < count; i++)
        *writes_event(docket->writes) = events[i];
    return true;
}

bool docket_close(struct docket *docket, struct err *err)
{
    struct docket_writes *writes = docket->writes;

    return write_questions(docket, err) && write_jobs(docket, err) &&
           write_rows(docket, SQL_JOB_LOG_INSERT_MANY, writes->lines.count, put_line, NULL, err) &&
           write_notifications(docket, err) &&
           event_append_many(docket->db, docket->arena, writes->events.items, writes->events.count, err) &&
           write_rows(docket, SQL_AUDIT_INSERT_SYSTEM, writes->audit.count, put_audit, NULL, err);
}
