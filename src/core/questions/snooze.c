/*
 * Only the wish is stored; what a deadline makes of it is worked out where it is read.
 */
#include "core/questions/snooze.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/log/audience.h"
#include "core/log/event.h"
#include "core/questions/question_row.h"

#include <math.h>

/* The last moment at which it may sleep. */
static int64_t latest(const struct question *question)
{
    return question->due_ms ? question->due_ms - QUESTION_WAKE_MS : INT64_MAX;
}

static bool load_open(const struct tx *tx, const char *id, struct question *question)
{
    if (!question_load(tx, tx->caller->workspace_id, id, question))
        return false;
    if (!caller_sees_project(tx->caller, question->project_id))
        return question_not_found(tx->err);
    if (!question_is_open(question) || question_is_overdue(question, tx->now_ms))
        return err_set(tx->err, ERR_CONFLICT, "This question has already ended.");
    return true;
}

/* Only to whoever it is: others are not concerned. */
static bool tell(const struct tx *tx, const struct question *question, int64_t until_ms)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "jobId", question->job_id);
    if (until_ms)
        json_time(&out, "until", until_ms);
    else
        json_none(&out, "until");
    json_map_end(&out);
    return event_append(
        tx, &(struct event){ .workspace_id = question->workspace_id,
                             .type = EVENT_QUESTION_SNOOZED,
                             .project_id = question->project_id,
                             .job_id = question->job_id,
                             .subject = question->id,
                             .data = data.bytes,
                             .at_ms = tx->now_ms,
                             .audience =
                                 audience_text(tx->arena, &(struct audience){ .user_id = tx->caller->id }) });
}

/* Rows of questions that have ended stand there until their time is over; they go when their place is needed.
 */
static bool check_room(const struct tx *tx, const char *question_id)
{
    struct db_rows rows;
    size_t ended;

    if (!tx_query(tx, SQL_SNOOZE_COUNT,
                  DB_ARGS(db_text(tx->caller->id), db_int(tx->now_ms), db_text(question_id)), &rows))
        return false;
    if (db_cell_int(&rows, 0, 0) < LIMIT_SNOOZES)
        return true;
    if (!tx_exec(tx, SQL_SNOOZE_FORGET_ENDED, DB_ARGS(db_text(tx->caller->id)), &ended))
        return false;
    return ended > 0 || err_set(tx->err, ERR_CONFLICT,
                                "You have snoozed %d questions already: answer some first.", LIMIT_SNOOZES);
}

bool snooze_set(const struct tx *tx, const char *question_id, double minutes, int64_t *until_ms)
{
    struct question question;
    int64_t until;

    if (!load_open(tx, question_id, &question) || !check_room(tx, question_id))
        return false;
    until = tx->now_ms + llround(minutes * 60000.0);
    if (until > latest(&question))
        until = latest(&question);
    if (until <= tx->now_ms) {
        err_set(tx->err, ERR_CONFLICT, "The time of this question is up too soon for it to be snoozed.");
        return err_hint(tx->err, "Answer it, or move its deadline.");
    }
    if (!tx_exec(tx, SQL_SNOOZE_SET,
                 DB_ARGS(db_text(tx->caller->id), db_text(question.id),
                         db_int(tx->now_ms + llround(minutes * 60000.0))),
                 NULL))
        return false;
    *until_ms = until;
    return tell(tx, &question, until);
}

bool snooze_end(const struct tx *tx, const char *question_id)
{
    struct question question;
    size_t ended;

    if (!load_open(tx, question_id, &question) ||
        !tx_exec(tx, SQL_SNOOZE_END, DB_ARGS(db_text(tx->caller->id), db_text(question.id)), &ended))
        return false;
    return ended == 0 || tell(tx, &question, 0);
}

bool snooze_end_all(const struct tx *tx, const char *question_id)
{
    return tx_exec(tx, SQL_SNOOZE_END_ALL, DB_ARGS(db_text(question_id)), NULL);
}

/* Whoever holds a link stands for a person and is not them. */
static bool has_snoozes(const struct caller *caller)
{
    return caller->kind != CALLER_LINK && caller_is_person(caller);
}

bool snooze_read(const struct tx *tx, const char *question_id, struct snoozes *snoozes)
{
    struct db_rows rows;

    *snoozes = (struct snoozes){ 0 };
    if (!has_snoozes(tx->caller))
        return true;
    if (!tx_query(tx, SQL_SNOOZE_LIST,
                  DB_ARGS(db_text(tx->caller->id), db_int(tx->now_ms), db_text(question_id)), &rows))
        return false;
    snoozes->question_ids = arena_array(tx->arena, const char *, rows.count);
    snoozes->until_ms = arena_array(tx->arena, int64_t, rows.count);
    snoozes->count = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        snoozes->question_ids[i] = db_cell(&rows, i, 0);
        snoozes->until_ms[i] = db_cell_int(&rows, i, 1);
    }
    return true;
}

int64_t snooze_until(const struct snoozes *snoozes, const struct question *question, int64_t now_ms)
{
    for (size_t i = 0; i < snoozes->count && question_is_open(question); i++) {
        int64_t until = snoozes->until_ms[i];

        if (!str_equal(snoozes->question_ids[i], question->id))
            continue;
        if (until > latest(question))
            until = latest(question);
        return until > now_ms ? until : 0;
    }
    return 0;
}

bool snooze_prune(const struct tx *tx, size_t limit, size_t *pruned)
{
    return tx_exec(tx, SQL_SNOOZE_PRUNE, DB_ARGS(db_int(tx->now_ms), db_int((int64_t)limit)), pruned);
}
