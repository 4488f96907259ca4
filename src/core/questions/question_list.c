/*
 * Oldest first, so cursors begin below every row. By deadline there are two parts, since a row without a
 * deadline has no place among those that have one.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/log/cursor.h"
#include "core/questions/question.h"
#include "core/questions/question_row.h"

#include <string.h>

#define LIST_JOB      "questions of a job"
#define LIST_OLDEST   "pending questions"
#define LIST_DEADLINE "pending questions by deadline"
#define LIST_ENDED    "ended questions"

/* By deadline there are two parts: those that have one, then the rest. */
enum { GROUP_DATED, GROUP_UNDATED, GROUPS };

/* These lists are oldest first, so they start below every row instead of above. */
static void start_below(int group, struct cursor *from)
{
    *from = (struct cursor){ .group = group,
                             .created_at = "0001-01-01T00:00:00.000Z",
                             .id = "00000000-0000-0000-0000-000000000000" };
}

static bool read_place(const char *list, const char *cursor, struct cursor *from, struct err *err)
{
    if (cursor)
        return cursor_read(list, cursor, from, err);
    start_below(0, from);
    return true;
}

static bool take_rows(struct question_page *page, const struct db_rows *rows, struct err *err)
{
    for (size_t i = 0; i < rows->count; i++)
        if (!question_from_row(rows, i, &page->questions[page->count++], err))
            return false;
    return true;
}

static const char *sorted_by(const struct question *question, bool by_deadline)
{
    return by_deadline && question->timeout_at ? question->timeout_at : question->created_at;
}

/* One row more than asked for tells whether there is a next page. */
static void cut(struct question_page *page, struct arena *arena, const char *list, bool by_deadline,
                size_t limit)
{
    if (page->count <= limit)
        return;
    const struct question *last = &page->questions[limit - 1];

    page->count = limit;
    page->next_cursor =
        cursor_after(arena, list, by_deadline && !last->timeout_at ? GROUP_UNDATED : GROUP_DATED,
                     sorted_by(last, by_deadline), last->id);
}

bool question_list_job(const struct tx *tx, const char *job_id, const char *cursor, size_t limit,
                       struct question_page *page)
{
    struct question_page found = { .questions = arena_array(tx->arena, struct question, limit + 1) };
    struct db_rows rows;
    struct cursor from;
    struct job job;

    if (!read_place(LIST_JOB, cursor, &from, tx->err) || !job_get(tx, job_id, &job) ||
        !tx_query(
            tx, SQL_QUESTION_LIST_JOB,
            DB_ARGS(db_text(job_id), db_text(from.created_at), db_text(from.id), db_int((int64_t)limit + 1)),
            &rows))
        return false;
    if (!take_rows(&found, &rows, tx->err))
        return false;
    cut(&found, tx->arena, LIST_JOB, false, limit);
    *page = found;
    return true;
}

static bool query_pending(const struct tx *tx, const struct question_filter *filter,
                          const struct cursor *from, size_t limit, struct db_rows *rows)
{
    struct db_arg args[7] = { db_text(filter->workspace_id), db_text(from->created_at), db_text(from->id),
                              db_int((int64_t)limit) };
    struct db_arg type = db_text(question_type_word(filter->type)), project = db_text(filter->project_id);

    if (filter->by_deadline && from->group == GROUP_UNDATED) {
        memcpy(&args[4], (struct db_arg[]){ type, project }, 2 * sizeof(*args));
        return tx_query(tx, SQL_QUESTION_PENDING_UNDATED, 6, args, rows);
    }
    memcpy(&args[4], (struct db_arg[]){ db_text(clock_text(tx->arena, tx->now_ms)), type, project },
           3 * sizeof(*args));
    return tx_query(tx, filter->by_deadline ? SQL_QUESTION_PENDING_DATED : SQL_QUESTION_PENDING_OLDEST, 7,
                    args, rows);
}

bool question_pending(const struct tx *tx, const struct question_filter *filter, struct question_page *page)
{
    const char *list = filter->by_deadline ? LIST_DEADLINE : LIST_OLDEST;
    int groups = filter->by_deadline ? GROUPS : 1;
    size_t most = filter->limit + 1;
    struct question_page found = { .questions = arena_array(tx->arena, struct question, most) };
    struct cursor from;

    if (!read_place(list, filter->cursor, &from, tx->err))
        return false;
    for (; from.group < groups && found.count < most; start_below(from.group + 1, &from)) {
        struct db_rows rows;

        if (!query_pending(tx, filter, &from, most - found.count, &rows) ||
            !take_rows(&found, &rows, tx->err))
            return false;
    }
    cut(&found, tx->arena, list, filter->by_deadline, filter->limit);
    *page = found;
    return true;
}

bool question_list_ended(const struct tx *tx, const struct question_filter *filter,
                         struct question_page *page)
{
    struct question_page found = { .questions = arena_array(tx->arena, struct question, filter->limit + 1) };
    struct cursor from;
    struct db_rows rows;

    if (!cursor_read(LIST_ENDED, filter->cursor, &from, tx->err) ||
        !tx_query(tx, SQL_QUESTION_ENDED,
                  DB_ARGS(db_text(filter->workspace_id), db_text(from.id), db_int((int64_t)filter->limit + 1),
                          db_text(question_status_word(filter->status)),
                          db_text(question_type_word(filter->type)), db_text(filter->project_id),
                          db_text(filter->asked_by)),
                  &rows) ||
        !take_rows(&found, &rows, tx->err))
        return false;
    cut(&found, tx->arena, LIST_ENDED, false, filter->limit);
    *page = found;
    return true;
}

bool question_answered_count(const struct tx *tx, int64_t since_ms, int64_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_QUESTION_ANSWERED_COUNT,
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(tx->caller->id),
                          db_text(clock_text(tx->arena, since_ms)), db_int(LIMIT_LIST)),
                  &rows))
        return false;
    *count = db_cell_int(&rows, 0, 0);
    return true;
}

/* The key is a hash, and a hash may be hit on purpose: the texts decide. */
static bool keep_same(const struct tx *tx, const struct question *like, const struct db_rows *rows,
                      struct question **kept, size_t *count)
{
    const char *normal = str_normal(tx->arena, like->question);

    *kept = arena_array(tx->arena, struct question, rows->count);
    *count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        struct question *into = &(*kept)[*count];

        if (!question_from_row(rows, i, into, tx->err))
            return false;
        if (into->type == like->type && str_equal(str_normal(tx->arena, into->question), normal))
            ++*count;
    }
    return true;
}

bool question_similar(const struct tx *tx, const char *id, size_t limit, struct question **questions,
                      size_t *count)
{
    struct question like;
    struct db_rows rows;

    if (!question_get(tx, id, &like) ||
        !tx_query(tx, SQL_QUESTION_SIMILAR,
                  DB_ARGS(db_int(like.key), db_text(like.workspace_id), db_text(like.id),
                          db_text(clock_text(tx->arena, tx->now_ms)), db_int((int64_t)limit),
                          db_text(tx->caller->project_id)),
                  &rows))
        return false;
    return keep_same(tx, &like, &rows, questions, count);
}

bool question_precedents(const struct tx *tx, const struct question *question, size_t limit,
                         struct question **questions, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_QUESTION_PRECEDENTS,
                  DB_ARGS(db_int(question->key), db_text(question->workspace_id), db_text(question->id),
                          db_int((int64_t)limit), db_text(tx->caller->project_id)),
                  &rows))
        return false;
    return keep_same(tx, question, &rows, questions, count);
}
