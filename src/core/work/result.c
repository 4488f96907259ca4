/*
 * First what stands in the way (open questions, questions of its own), then the effects. Everything the
 * result lists is planned and checked before the first row is made, so that a mistake in the last task leaves
 * no half of a plan behind.
 */
#include "core/work/result.h"

#include "base/limits.h"
#include "base/str.h"
#include "core/work/confirmation.h"
#include "core/work/document.h"
#include "core/work/result_tasks.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const result_agents[] = { "analyst", "dreamer", "planner", "coder", "reviewer", NULL };
WORDS_FIT(result_agents, AGENT_END);

enum work_source result_source_of(enum result_agent agent)
{
    switch (agent) {
    case AGENT_ANALYST: return SOURCE_EVAL;
    case AGENT_DREAMER: return SOURCE_PRD;
    case AGENT_PLANNER: return SOURCE_PLAN;
    case AGENT_CODER:
    case AGENT_REVIEWER: return SOURCE_EXECUTE;
    case AGENT_END: break;
    }
    return 0;
}

static void add_problem(struct result *result, const char *problem)
{
    result->problems[result->problem_count++] = problem;
}

/* What the reader found out, with room for what is found out here. */
static void take_problems(struct arena *arena, struct result *result)
{
    const struct output *output = result->output;

    result->problems = arena_array(arena, const char *, output->problem_count + LIMIT_QUESTIONS + 4);
    for (size_t i = 0; i < output->problem_count; i++)
        add_problem(result, output->problems[i]);
}

static const char *outcome_text(struct arena *arena, const struct result *result, int64_t now_ms)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "agent", result_agent_word(result->agent));
    json_text(&out, "status", result->output->status == OUTPUT_SUCCESS ? "success" : "failed");
    json_text(&out, "summary", result->output->summary);
    json_time(&out, "at", now_ms);
    json_map_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

/*
 * A person is asked "are you sure" once for each feedback. Once that is answered, asking it again says
 * nothing new; the question is left out and that it was is reported.
 */
static bool leave_out_confirmations(const struct tx *tx, const struct project *project,
                                    const struct feedback *feedback, struct result *result)
{
    const struct output *output = result->output;
    struct output_question *kept = arena_array(tx->arena, struct output_question, output->question_count);
    bool confirmed = feedback->confirmed;
    size_t count = 0;

    for (size_t i = 0; i < output->question_count; i++) {
        bool confirms = confirmation_is(tx->arena, &output->questions[i]);

        if (confirms && confirmed)
            add_problem(result,
                        arena_format(tx->arena,
                                     "The question %s asks for confirmation a second time and was left out.",
                                     output->questions[i].id));
        else
            kept[count++] = output->questions[i];
        confirmed = confirmed || confirms;
    }
    result->questions = kept;
    result->question_count = count;
    return confirmed == feedback->confirmed || feedback_set_confirmed(tx, project, feedback->id);
}

/* Which of its words names nothing. */
static bool no_such_source(const struct tx *tx)
{
    struct err why = *tx->err;

    if (why.code != ERR_NOT_FOUND)
        return false;
    err_set(tx->err, ERR_NOT_FOUND, "sourceId: %s", why.text);
    snprintf(tx->err->field, sizeof(tx->err->field), "sourceId");
    return false;
}

/* What the result is about must be there; sections and plans begin with their first text. */
static bool find_subject(const struct tx *tx, const struct project *project, struct result *result,
                         const char **about)
{
    struct feedback feedback;

    *about = result->source_id;
    if (result->source == SOURCE_EXECUTE) {
        if (!task_lock(tx, project, result->source_id, &result->task))
            return no_such_source(tx);
        result->has_task = true;
        *about = result->task.title;
    }
    if (result->source != SOURCE_EVAL)
        return true;
    if (!feedback_get(tx, project, result->source_id, &feedback))
        return no_such_source(tx);
    *about = feedback.text;
    return leave_out_confirmations(tx, project, &feedback, result);
}

/* With open questions nothing else of the result counts: the answers may change all of it. */
static bool ask(const struct tx *tx, const struct project *project, const char *about, struct result *result)
{
    struct question_set_wish wish = {
        .source = result->source,
        .source_id = result->source_id,
        .agent = result_agent_word(result->agent),
        .asked_by_id = result->handed_in_by,
        .about = about,
        .questions = result->questions,
        .count = result->question_count,
    };
    struct question_set set;
    bool failed = result->output->status == OUTPUT_FAILED;

    if (!question_set_ask(tx, project, &wish, &set))
        return false;
    result->accepted = true;
    result->notification_id = set.id;
    if (!result->has_task || (!failed && result->problem_count == 0))
        return true;
    result->task.problems = json_texts(tx->arena, result->problems, result->problem_count);
    if (failed) {
        result->task.result = outcome_text(tx->arena, result, tx->now_ms);
        task_block(&result->task, result->agent != AGENT_CODER);
    }
    return task_save(tx, project, &result->task);
}

/* One that says no status and whose questions have all been left out has nothing left to fail for. */
static bool succeeded(const struct result *result)
{
    const struct output *output = result->output;

    return output->status == OUTPUT_SUCCESS ||
           (!output->status_text && output->question_count > 0 && result->question_count == 0);
}

/* Whether there is anything to go by: what was not understood whole is neither success nor failure. */
static bool is_understood(const struct result *result)
{
    const struct output *output = result->output;

    if (!output->found || output->lost)
        return false;
    if (!succeeded(result))
        return output->status_text && strcasecmp(output->status_text, "failed") == 0;
    return !result->has_task || output->summary;
}

static bool keep_on_task(const struct tx *tx, const struct project *project, struct result *result)
{
    struct task *task = &result->task;

    if (!result->has_task)
        return true;
    task->problems = json_texts(tx->arena, result->problems, result->problem_count);
    if (result->accepted) {
        task->result = outcome_text(tx->arena, result, tx->now_ms);
        if (succeeded(result)) {
            task->status = TASK_CLOSED;
            task->block_reason = NULL;
        } else if (task->status == TASK_IN_PROGRESS) {
            task->status = TASK_OPEN;
            task->assignee = NULL;
        }
    }
    return task_save(tx, project, task);
}

static bool write_document(const struct tx *tx, const struct project *project, const char *text,
                           struct result *result)
{
    struct document document = {
        .source = result->source, .source_id = result->source_id, .author = result->author, .text = text
    };
    bool is_first;

    return !text || document_put(tx, project, &document, &is_first);
}

static bool apply(const struct tx *tx, const struct project *project, const struct result_plan *plan,
                  struct result *result)
{
    const struct output *output = result->output;
    const char *text = result->source == SOURCE_PRD    ? output->prd
                       : result->source == SOURCE_PLAN ? output->plan
                                                       : NULL;

    if (output->prd && result->source != SOURCE_PRD)
        add_problem(result, "`prd` is taken from the dreamer only and was passed over.");
    if (output->plan && result->source != SOURCE_PLAN)
        add_problem(result, "`plan` is taken from the planner only and was passed over.");
    if (!result_make_tasks(tx, project, plan, result) || !write_document(tx, project, text, result))
        return false;
    /* What was passed over may have been all that there was to say about it. */
    bool is_handled = result->task_count > 0 || result->problem_count == 0;

    return result->source != SOURCE_EVAL || !is_handled ||
           feedback_set_handled(tx, project, result->source_id);
}

/* What would not be taken from a person is not taken from an agent either. */
static const char *too_long(struct arena *arena, const struct output *output)
{
    for (size_t i = 0; i < output->task_count; i++)
        if (strlen(output->tasks[i].description) > LIMIT_MESSAGE)
            return arena_format(arena,
                                "The description of task %zu is longer than %d bytes: no task was made.",
                                i + 1, LIMIT_MESSAGE);
    if ((output->prd && strlen(output->prd) > LIMIT_DOCUMENT) ||
        (output->plan && strlen(output->plan) > LIMIT_DOCUMENT))
        return arena_format(arena, "The text is longer than %d bytes and was not taken.", LIMIT_DOCUMENT);
    return NULL;
}

static bool conclude(const struct tx *tx, const struct project *project, struct result *result)
{
    const struct output *output = result->output;
    struct result_plan plan;

    result->accepted = is_understood(result);
    if (output->lost)
        add_problem(result, output->lost);
    if (!output->found && result->problem_count == 0)
        add_problem(result, "No result was found in the output.");
    if (result->accepted && succeeded(result)) {
        if (!result_plan(tx, project, output, &plan))
            return false;
        if (!plan.problem)
            plan.problem = too_long(tx->arena, output);
        result->accepted = !plan.problem;
        if (plan.problem)
            add_problem(result, plan.problem);
        else if (!apply(tx, project, &plan, result))
            return false;
    }
    return keep_on_task(tx, project, result);
}

/* Whether what has been asked before keeps this result from being applied. Of a task, only what blocks it
 * does. */
static bool may_wait(const struct result *result)
{
    return result->question_count == 0 && result->output->found && succeeded(result) &&
           (!result->has_task || task_is_blocked_by_question(&result->task));
}

/*
 * While a question about the same thing is open nothing is made of a result: the answer may change all of it.
 * The caller is shown the open set. A confirmation that was left out because its twin is still open
 * has been asked, so such a result is taken; one that asks nothing has to be handed in again.
 */
static bool wait_for_answers(const struct tx *tx, const struct project *project, struct result *result)
{
    const char *open;

    if (!may_wait(result))
        return true;
    if (!question_set_newest_open(tx, project, result->source, result->source_id, &open))
        return false;
    if (!open)
        return true;
    result->notification_id = open;
    result->questions = result->output->questions;
    result->question_count = result->output->question_count;
    result->accepted = result->question_count > 0;
    if (!result->accepted)
        add_problem(
            result,
            "Questions about this are still open, so nothing was made of the result: hand it in again when they have been answered or dismissed.");
    return true;
}

bool result_hand_in(const struct tx *tx, const struct project *project, struct result *result)
{
    const char *about;

    result->questions = result->output->questions;
    result->question_count = result->output->question_count;
    take_problems(tx->arena, result);
    if (!project_lock(tx, project) || !find_subject(tx, project, result, &about) ||
        !wait_for_answers(tx, project, result))
        return false;
    if (result->notification_id)
        return true;
    return result->question_count > 0 ? ask(tx, project, about, result) : conclude(tx, project, result);
}
