/*
 * An agent is known by its name alone, so that a template of that name does the same work with other words.
 * What a run is about is read from its job each time: the input says it and never changes.
 */
#include "core/runs/run_agents.h"

#include "base/limits.h"
#include "base/str.h"
#include "core/council/own_words.h"
#include "core/runs/orchestrate.h"
#include "core/work/document.h"

#include <string.h>

/* The four, with what their input calls what they work on. */
static const struct known_agent {
    enum result_agent agent;
    enum prompt_text prompt;
    const char *member, *twin;
} known_agents[] = {
    { AGENT_ANALYST, PROMPT_TEXT_AGENT_ANALYST, "feedbackId", "feedback_id" },
    { AGENT_DREAMER, PROMPT_TEXT_AGENT_DREAMER, "sectionKey", "section_key" },
    { AGENT_PLANNER, PROMPT_TEXT_AGENT_PLANNER, "planId", "plan_id" },
    { AGENT_CODER, PROMPT_TEXT_AGENT_CODER, "taskId", "task_id" },
};
#define KNOWN_AGENTS (sizeof(known_agents) / sizeof(*known_agents))

static const struct known_agent *known_by(enum result_agent agent)
{
    for (size_t i = 0; i < KNOWN_AGENTS; i++)
        if (known_agents[i].agent == agent)
            return &known_agents[i];
    return NULL;
}

enum result_agent run_agent_known(struct arena *arena, const char *name)
{
    const char *folded = name ? str_fold(arena, name) : NULL;

    for (size_t i = 0; folded && i < KNOWN_AGENTS; i++)
        if (strcmp(folded, result_agent_word(known_agents[i].agent)) == 0)
            return known_agents[i].agent;
    return 0;
}

struct agent run_agent_made_up(struct arena *arena, const char *name)
{
    const char *word = result_agent_word(run_agent_known(arena, name));

    return (struct agent){ .name = word, .role = word };
}

bool run_agents_built_in(const struct tx *tx, const char *const **names)
{
    const char **found = arena_array(tx->arena, const char *, KNOWN_AGENTS + 1);
    struct err missing = { 0 };
    struct tx looking = tx_with_err(tx, &missing);
    struct agent template;
    size_t count = 0;

    for (size_t i = 0; i < KNOWN_AGENTS; i++) {
        const char *name = result_agent_word(known_agents[i].agent);

        missing = (struct err){ 0 };
        if (agent_find(&looking, name, &template))
            continue;
        if (missing.code != ERR_NOT_FOUND) {
            *tx->err = missing;
            return false;
        }
        found[count++] = name;
    }
    *names = found;
    return true;
}

/* Nobody has settled what an agent may decide outside of a project. */
#define NO_AUTONOMY \
    "You work outside of a project: nothing has been settled about what you may decide. " \
    "Ask before you decide anything that is hard to undo.\n"

bool run_agent_words(const struct tx *tx, enum result_agent agent, const struct project *project,
                     const char **words)
{
    const struct wording_value values[] = {
        { "name", result_agent_word(agent) },
        { "project", project ? arena_format(tx->arena, "the project \"%s\"", project->name) : "this squad" },
        { "autonomy", project ? autonomy_lines(tx->arena, &project->autonomy) : NO_AUTONOMY },
    };
    const char *text;
    char *filled;

    if (!own_words_of(tx, tx->caller->workspace_id, known_by(agent)->prompt, &text) ||
        !wording_fill(tx->arena, text, values, sizeof(values) / sizeof(*values), &filled, tx->err))
        return false;
    *words = filled;
    return true;
}

/* What it works on. */

static const json_t *input_member(const json_t *input, const struct known_agent *known)
{
    const json_t *value = json_object_get(input, known->member);

    return value ? value : json_object_get(input, known->twin);
}

static bool refuse_source(const struct tx *tx, const struct known_agent *own, const struct known_agent *other)
{
    const char *field = arena_format(tx->arena, "input.%s", other->member);

    return err_field(tx->err, field, "The %s works on %s, not on %s: give it %s.",
                     result_agent_word(own->agent), work_source_word(result_source_of(own->agent)),
                     work_source_word(result_source_of(other->agent)), own->member);
}

/* The id in the input, NULL when it says none. One of another agent's is a slip that nobody would notice, and
 * so is one that says something else than the job does. */
static bool find_source(const struct tx *tx, const struct job *job, const struct known_agent *own,
                        const char **source_id)
{
    JSON_AUTO *input = NULL;

    *source_id = NULL;
    if (job->input && !json_parse(job->input, strlen(job->input), &input, tx->err))
        return false;
    for (size_t i = 0; i < KNOWN_AGENTS; i++) {
        const json_t *id = input_member(input, &known_agents[i]);

        if (!id || json_is_null(id))
            continue;
        if (&known_agents[i] != own)
            return refuse_source(tx, own, &known_agents[i]);
        if (!json_is_string(id))
            return err_field(tx->err, arena_format(tx->arena, "input.%s", own->member), "%s must be a text.",
                             own->member);
        *source_id = arena_text(tx->arena, json_string_value(id));
    }
    if (own->agent != AGENT_CODER || !job->task_id)
        return true;
    if (*source_id && strcmp(*source_id, job->task_id) != 0)
        return err_field(tx->err, "input.taskId", "input.taskId is another task than the job's taskId.");
    *source_id = job->task_id;
    return true;
}

static bool load_task(const struct tx *tx, struct run_work *work, const char *id)
{
    struct task task;

    if (!task_get(tx, &work->project, id, &task))
        return false;
    work->subject = brief_of_task(&task);
    if (task.status == TASK_CLOSED)
        work->done = "The task is closed: open it again before a coder works on it.";
    return true;
}

static bool load_feedback(const struct tx *tx, struct run_work *work, const char *id)
{
    struct feedback feedback;

    if (!feedback_get(tx, &work->project, id, &feedback))
        return false;
    work->subject = (struct brief_subject){
        .source = SOURCE_EVAL, .source_id = feedback.id, .title = "Feedback", .text = feedback.text
    };
    if (feedback.handled_ms)
        work->done =
            "The tasks of this feedback have been made. Give it as new feedback to have it looked at once more.";
    return true;
}

/* Sections and plans begin with their first text. */
static bool load_document(const struct tx *tx, struct run_work *work, const char *id)
{
    enum work_source source = result_source_of(work->agent);
    struct document document = { .text = "" };
    struct err none = { 0 };
    struct tx quiet = tx_with_err(tx, &none);

    if (!document_get(&quiet, &work->project, source, id, 0, &document) && none.code != ERR_NOT_FOUND) {
        *tx->err = none;
        return false;
    }
    work->subject = (struct brief_subject){
        .source = source,
        .source_id = id,
        .title = arena_format(tx->arena, source == SOURCE_PRD ? "The section \"%s\"" : "The plan \"%s\"", id),
        .text = document.text,
    };
    return true;
}

static bool load_subject(const struct tx *tx, struct run_work *work, const char *id)
{
    switch (result_source_of(work->agent)) {
    case SOURCE_EXECUTE: return load_task(tx, work, id);
    case SOURCE_EVAL: return load_feedback(tx, work, id);
    case SOURCE_PRD:
    case SOURCE_PLAN: return load_document(tx, work, id);
    case SOURCE_END: break;
    }
    return false;
}

bool run_work_of(const struct tx *tx, const struct job *job, struct run_work *work)
{
    enum result_agent agent = run_agent_known(tx->arena, job->agent);
    const struct known_agent *own = known_by(agent);
    const char *source_id;

    *work = (struct run_work){ 0 };
    if (!own || !find_source(tx, job, own, &source_id))
        return !own;
    if (!source_id)
        return true;
    const char *field = arena_format(tx->arena, "input.%s", own->member);

    if (!job->project_id)
        return err_field(tx->err, "projectId", "projectId is required: %s is of a project.", own->member);
    work->agent = agent;
    if (project_see(tx, job->project_id, &work->project) && load_subject(tx, work, source_id))
        return true;
    if (tx->err->code == ERR_NOT_FOUND)
        return err_field(tx->err, field, "%s names nothing in this project.", own->member);
    return false;
}

/* Two coders would write to one folder. The orchestrator itself has taken the task before it begins. */
static bool find_other(const struct tx *tx, struct run_work *work)
{
    bool out;

    if (work->agent != AGENT_CODER || work->done || tx->caller->kind == CALLER_NOBODY)
        return true;
    if (!orchestrate_is_out(tx, work->subject.source_id, &out))
        return false;
    if (out)
        work->done = "The orchestrator's coder works on this task now: wait for it, or close the task first.";
    return true;
}

bool run_work_begins(const struct tx *tx, const struct job *job)
{
    struct run_work work;

    if (!run_work_of(tx, job, &work) || !find_other(tx, &work))
        return false;
    return !work.done ||
           err_field(tx->err, work.agent == AGENT_CODER ? "taskId" : "input.feedbackId", "%s", work.done);
}

bool run_work_brief(const struct tx *tx, const struct run_work *work, struct brief *brief)
{
    return brief_prompt(tx, &work->project, &work->subject, brief);
}

/* Handing in. */

/*
 * What a model gave to finish is {result, open_questions...}, in which the result may be the object itself or
 * its text; a run that ended without a call has a text. An object that says how it ended is the result,
 * wherever it stands; questions beside it count as its own.
 */
static bool is_result(const json_t *object)
{
    static const char *const members[] = { "open_questions", "openQuestions", "tasks", "prd",
                                           "plan",           "status",        NULL };

    for (size_t i = 0; members[i]; i++)
        if (json_object_get(object, members[i]))
            return true;
    return false;
}

static bool read_text(const struct tx *tx, const json_t *text, const struct output_options *options,
                      struct output *output)
{
    return output_read(tx->arena, json_string_value(text), json_string_length(text), options, output,
                       tx->err);
}

static bool read_result(const struct tx *tx, const json_t *given, const struct output_options *options,
                        struct output *output)
{
    const json_t *inner = json_object_get(given, "result");

    if (json_is_string(given))
        return read_text(tx, given, options, output);
    if (is_result(given) || !inner)
        return output_read_object(tx->arena, given, options, output, tx->err);
    if (json_is_string(inner))
        return read_text(tx, inner, options, output);
    return output_read_object(tx->arena, json_is_object(inner) ? inner : given, options, output, tx->err);
}

static const char *handed_text(struct arena *arena, const struct result *result)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_bool(&out, "accepted", result->accepted);
    json_int(&out, "questions", (int64_t)result->question_count);
    json_text(&out, "notificationId", result->notification_id);
    json_int(&out, "tasks", (int64_t)result->task_count);
    json_list(&out, "problems");
    for (size_t i = 0; i < result->problem_count; i++)
        json_text(&out, NULL, result->problems[i]);
    json_list_end(&out);
    json_map_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

static const char *failed_words(struct arena *arena, const struct output *output)
{
    return output->summary && *output->summary ? str_beginning(arena, output->summary, LIMIT_CODER_REASON)
                                               : "It ended as failed and gave no reason.";
}

/* Why a run that ended so is no completed one; NULL: it is. One that asks people has done its part. */
static const char *shortfall(struct arena *arena, const struct result *result)
{
    const struct output *output = result->output;

    if (!result->accepted)
        return arena_format(arena, "The result was not taken: %s",
                            result->problem_count > 0 ? result->problems[result->problem_count - 1]
                                                      : "it says neither success nor what stood in the way.");
    if (output->status == OUTPUT_FAILED && output->status_text && result->question_count == 0)
        return failed_words(arena, output);
    return NULL;
}

static void tell_handed(struct arena *arena, const struct result *result, struct run_handed *handed)
{
    *handed = (struct run_handed){ .handed = true,
                                   .accepted = result->accepted,
                                   .text = handed_text(arena, result),
                                   .problem = shortfall(arena, result) };
}

/* What it was about may have gone while it ran: that is no reason to lose the run. */
static bool find_work(const struct tx *tx, const struct job *job, struct run_work *work,
                      struct run_handed *handed)
{
    struct err why = { 0 };
    struct tx quiet = tx_with_err(tx, &why);

    if (run_work_of(&quiet, job, work))
        return true;
    *work = (struct run_work){ 0 };
    if (why.code != ERR_INVALID && why.code != ERR_NOT_FOUND) {
        *tx->err = why;
        return false;
    }
    *handed = (struct run_handed){ .handed = true,
                                   .text = "{\"accepted\":false}",
                                   .problem = "What it worked on is not there any more." };
    return true;
}

/* One of the four with nothing to hand in for: what it asks would reach nobody, and what it failed at is no
 * completed job. */
static void tell_loose(struct arena *arena, const struct output *output, struct run_handed *handed)
{
    if (output->question_count > 0)
        handed->problem = arena_format(arena, "It ended with a question that nobody was asked: %s",
                                       str_beginning(arena, output->questions[0].text, LIMIT_CODER_REASON));
    else if (output->status == OUTPUT_FAILED && output->status_text)
        handed->problem = failed_words(arena, output);
}

/* Two may have begun on the same feedback: what the second made of it would be there twice. Under the lock of
 * the project, as whoever makes tasks. */
static bool feedback_wants(const struct tx *tx, const struct run_work *work, const char **why_not_wanted)
{
    struct feedback feedback;

    if (!project_lock(tx, &work->project) ||
        !feedback_get(tx, &work->project, work->subject.source_id, &feedback))
        return false;
    if (feedback.handled_ms)
        *why_not_wanted = "The tasks of this feedback have been made while this run worked on it: what it "
                          "handed in is kept in this job and changed nothing.";
    return true;
}

static bool is_wanted(const struct tx *tx, const struct job *job, const struct run_work *work,
                      const char **why_not_wanted)
{
    switch (work->subject.source) {
    case SOURCE_EXECUTE: return orchestrate_wants(tx, &work->project, job, why_not_wanted);
    case SOURCE_EVAL: return feedback_wants(tx, work, why_not_wanted);
    case SOURCE_PRD:
    case SOURCE_PLAN:
    case SOURCE_END: break;
    }
    return true;
}

static bool hand_in_work(const struct tx *tx, const struct job *job, const struct run_work *work,
                         const struct output *output, struct run_handed *handed)
{
    struct result handing = { .agent = work->agent,
                              .source = work->subject.source,
                              .source_id = work->subject.source_id,
                              .author = job->agent,
                              .handed_in_by = tx->caller->id,
                              .output = output };
    const char *unwanted = NULL;

    if (!is_wanted(tx, job, work, &unwanted))
        return false;
    if (unwanted) {
        *handed = (struct run_handed){
            .handed = true, .text = "{\"accepted\":false}", .problem = unwanted, .unwanted = true
        };
        return true;
    }
    if (!result_hand_in(tx, &work->project, &handing))
        return false;
    tell_handed(tx->arena, &handing, handed);
    return orchestrate_handed_in(tx, &work->project, job, &handing);
}

bool run_hand_in(const struct tx *tx, const struct job *job, const char *result, struct run_handed *handed)
{
    enum result_agent agent = run_agent_known(tx->arena, job->agent);
    JSON_AUTO *given = NULL;
    struct output output;
    struct run_work work;

    *handed = (struct run_handed){ 0 };
    if (!agent)
        return true;
    if (!find_work(tx, job, &work, handed))
        return false;
    if (handed->problem)
        return true;
    struct output_options options = { .coder = agent == AGENT_CODER };

    if (!json_parse(result, strlen(result), &given, tx->err) || !read_result(tx, given, &options, &output))
        return false;
    if (work.agent)
        return hand_in_work(tx, job, &work, &output, handed);
    tell_loose(tx->arena, &output, handed);
    return true;
}

bool run_finish_unfit(const struct tx *tx, const struct job *job, const char *arguments, const char **why)
{
    enum result_agent agent = run_agent_known(tx->arena, job->agent);
    struct output_options options = { .coder = agent == AGENT_CODER };
    struct run_handed handed = { 0 };
    JSON_AUTO *given = NULL;
    struct output output;
    struct run_work work;

    *why = NULL;
    if (!agent)
        return true;
    if (!find_work(tx, job, &work, &handed))
        return false;
    if (work.agent || handed.problem)
        return true;
    if (!json_parse(arguments, strlen(arguments), &given, tx->err) ||
        !read_result(tx, given, &options, &output))
        return false;
    if (output.question_count > 0)
        *why = arena_format(
            tx->arena,
            "This run was not told what it works on (%s), so open questions in its result reach nobody. "
            "Ask each of them with ask_question, and call finish again when you have the answers.",
            known_by(agent)->member);
    return true;
}
