/*
 * What is still open when a run ends is closed with it: calls that are out become unwanted, and what was
 * asked on the run's behalf, the squad or a discussion, is cancelled. Questions to people go with the job
 * (docket.h).
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/chat/prompt.h"
#include "core/council/control.h"
#include "core/runs/moving.h"
#include "core/runs/run_agents.h"

#include <string.h>

#define MS_OF_SECOND 1000
#define CAUSE_SHOWN  300 /* characters of what the model is told about a mistake */

/* What has ended by itself in the meantime, or is gone, needs no closing. */
static bool is_settled(struct moving *m, const struct err *err)
{
    if (err->code == ERR_NOT_FOUND || err->code == ERR_CONFLICT || err->code == ERR_DUE)
        return true;
    *m->tx->err = *err;
    return false;
}

static bool close_asked(struct moving *m, const struct run_call *call)
{
    struct err err = { 0 };
    struct tx quiet = tx_with_err(&m->as, &err);
    struct discussion discussion;
    struct prompt prompt;

    if (call->state != CALL_WAITING)
        return true;
    if (call->prompt_id && !prompt_close(&quiet, call->prompt_id, "cancel", &prompt))
        return is_settled(m, &err);
    if (call->discussion_id && !control_cancel(&quiet, call->discussion_id, &discussion))
        return is_settled(m, &err);
    return true;
}

static bool close_calls(struct moving *m)
{
    for (size_t i = 0; i < m->call_count; i++) {
        struct run_call *call = m->calls[i];

        if (call->state == CALL_DONE)
            continue;
        if (!close_asked(m, call))
            return false;
        if (call->state == CALL_RUNNING)
            moving_unwanted(m, call);
        moving_done(m, call, OUT_CANCELLED, "The run has ended.", NULL);
        if (call->discussion_id && !own_tool_spent(m, call->discussion_id))
            return false;
    }
    return true;
}

static bool end(struct moving *m, const struct job_ending *ending, const char *result)
{
    struct docket *docket;
    struct job *job;

    if (!close_calls(m) || !moving_docket(m, &docket, &job))
        return false;
    m->run.phase = RUN_ENDED;
    m->run.advice_id = NULL;
    if (!job_is_open(job))
        return true;
    if (result) {
        job->result = result;
        job->dirty = true;
    }
    docket_end_job(docket, job, ending);
    return true;
}

/* What was handed in by finish: its arguments, as they are. */
static const char *handed_in(const struct moving *m)
{
    for (size_t i = 0; i < m->call_count; i++)
        if (run_tool_named(m->calls[i]->name) == RUN_TOOL_FINISH && m->calls[i]->outcome == OUT_OK)
            return m->calls[i]->arguments;
    return m->result;
}

/* The job's result tells what became of it in the project. */
static const char *with_handed(struct arena *arena, const char *result, const struct run_handed *handed)
{
    JSON_AUTO *value = json_loads(result, JSON_DECODE_ANY, NULL);

    if (!json_is_object(value))
        return result;
    json_object_set_new(value, "handedIn", json_loads(handed->text, 0, NULL));
    return json_dump_text(arena, value);
}

/* One of the agents that work in projects hands in what it ended with (run_agents.h). A docket's job has no
 * input; once its docket is closed nothing of it is overdue, so that it can be read. */
static bool hand_in(struct moving *m, const char **result, struct run_handed *handed)
{
    struct docket *docket;
    struct job *job, whole;

    *handed = (struct run_handed){ 0 };
    if (!*result || !moving_docket(m, &docket, &job))
        return !*result;
    if (!job_is_open(job))
        return true;
    if (!moving_flush(m) || !job_get(&m->as, m->run.job_id, &whole) ||
        !run_hand_in(&m->as, &whole, *result, handed))
        return false;
    if (handed->handed)
        *result = with_handed(m->tx->arena, *result, handed);
    return true;
}

bool closing_complete(struct moving *m)
{
    const char *result = handed_in(m);
    struct run_handed handed;

    if (!hand_in(m, &result, &handed))
        return false;
    return end(m,
               &(struct job_ending){ .status = handed.unwanted  ? JOB_CANCELLED
                                               : handed.problem ? JOB_FAILED
                                                                : JOB_COMPLETED,
                                     .source = handed.unwanted ? OUTCOME_CANCELLED : OUTCOME_AGENTS,
                                     .by = { m->run.agent, m->caller.id },
                                     .error = handed.problem },
               result);
}

bool closing_fail(struct moving *m, const char *why)
{
    return end(m,
               &(struct job_ending){
                   .status = JOB_FAILED, .source = OUTCOME_AGENTS, .by = ACTOR_SYSTEM, .error = why },
               NULL);
}

/* Since when its model is asked, whose answer has not come to its end; 0: it is not. */
static bool asked_since(struct moving *m, int64_t *since_ms)
{
    struct run_entry *newest;
    struct db_rows rows;

    *since_ms = 0;
    if (m->run.phase != RUN_ASKING && m->run.phase != RUN_CONDENSING)
        return true;
    for (size_t i = 0; i < m->entry_count; i++)
        if (m->entries[i].kind != RUN_DECISION)
            return true;
    if (!tx_query(m->tx, SQL_RUN_ENTRY_LIST_NEWEST,
                  DB_ARGS(db_text(m->run.job_id), db_int(m->stored_seq + 1), db_int(1)), &rows) ||
        !run_entry_from_rows(m->tx, &rows, rows.count, &newest))
        return false;
    *since_ms = rows.count > 0 ? newest[0].at_ms : 0;
    return true;
}

/* No longer than it has worked at all: in between there may have been no server. */
static long long seconds_since(const struct moving *m, int64_t since_ms)
{
    int64_t ms = m->tx->now_ms - since_ms, used_ms = moving_used_ms(m);

    return (long long)((ms < used_ms ? ms : used_ms) / MS_OF_SECOND);
}

bool closing_give_up(struct moving *m, enum run_limit limit, const char *why)
{
    struct arena *arena = m->tx->arena;
    const char *cause = NULL;
    int64_t since_ms;

    if (limit == RUN_LIMIT_TIME) {
        if (!asked_since(m, &since_ms))
            return false;
        if (since_ms > 0)
            cause = arena_format(arena, "its model had not come to the end of its answer in %lld seconds.",
                                 seconds_since(m, since_ms));
        for (size_t i = 0; !cause && i < m->call_count; i++)
            if (m->calls[i]->state == CALL_RUNNING)
                cause = arena_format(arena, "%s had been running for %lld seconds.", m->calls[i]->name,
                                     seconds_since(m, m->calls[i]->started_ms));
    } else if (limit == RUN_LIMIT_NONE && m->mistake) {
        cause = str_beginning(arena, m->mistake, CAUSE_SHOWN);
    }
    if (cause)
        why = arena_format(arena, "%.*s, the last: %s", (int)strcspn(why, "."), why, cause);
    return closing_fail(m, why);
}

bool closing_stop(struct moving *m)
{
    if (!close_calls(m))
        return false;
    m->run.phase = RUN_ENDED;
    m->run.advice_id = NULL;
    return true;
}
