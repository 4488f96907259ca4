/*
 * One transaction a step. The take's row is locked first and held against the node's claim, so that a node
 * that was stopped and comes back changes nothing. Whatever ends a take goes through the question protocol:
 * a reason that is not a result becomes a question, as if the coder had asked it.
 */
#include "core/runs/orchestrate_parts.h"

#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/caller/caller.h"
#include "core/questions/docket.h"
#include "core/runs/run.h"
#include "core/runs/run_agents.h"

#include <string.h>

const char *const take_states[] = { "queued", "coding", NULL };
WORDS_FIT(take_states, TAKE_END);

bool orchestrator_call_for(const struct tx *tx, const char *workspace_id, const char *project_id,
                           struct orchestrator_call *as)
{
    as->tx = *tx;
    as->caller = (struct caller){ .kind = CALLER_NOBODY,
                                  .id = "system",
                                  .name = ORCHESTRATOR_NAME,
                                  .workspace_id = workspace_id,
                                  .project_id = project_id };
    as->tx.caller = &as->caller;
    return project_see(&as->tx, project_id, &as->project);
}

bool orchestrator_is_coders(const struct task *task)
{
    return (task->status == TASK_IN_PROGRESS || task_is_blocked_by_question(task)) && task->assignee &&
           str_same_name(task->assignee, CODER_NAME);
}

const char *orchestrator_how_it_went(struct arena *arena, const struct task *task)
{
    if (task->status == TASK_CLOSED)
        return "The task was closed while its coder worked on it.";
    if (task->assignee && !str_same_name(task->assignee, CODER_NAME))
        return arena_format(arena, "The task was given to %s while its coder worked on it.", task->assignee);
    return "The task was taken from its coder while it was worked on.";
}

/* What was handed in for a task that was taken away meanwhile. */
static const char *kept_words(struct arena *arena, const struct task *task)
{
    return arena_format(arena, "%s What it handed in is kept in this job and changed nothing.",
                        orchestrator_how_it_went(arena, task));
}

bool orchestrator_end_job(const struct orchestrator_call *as, const char *job_id,
                          const struct coder_ending *how)
{
    struct docket docket;
    struct job *job;

    if (!docket_of_job(&as->tx, &docket, as->caller.workspace_id, job_id))
        return false;
    job = docket_job(&docket, job_id);
    if (job && job_is_open(job)) {
        if (how->result) {
            job->result = how->result;
            job->dirty = true;
        }
        docket_end_job(&docket, job,
                       &(struct job_ending){
                           .status = how->status,
                           .source = how->status == JOB_CANCELLED ? OUTCOME_CANCELLED : OUTCOME_AGENTS,
                           .by = actor_of(&as->caller),
                           .error = how->error ? str_sanitise(as->tx.arena, how->error) : NULL,
                       });
    }
    return docket_close(&docket);
}

bool orchestrator_cancel_job(const struct orchestrator_call *as, const char *job_id, const char *why)
{
    return orchestrator_end_job(as, job_id, &(struct coder_ending){ .status = JOB_CANCELLED, .error = why });
}

/* Asking. */

/* A task that could not be asked about waits all the same, for whoever opens it again by hand. */
static bool block_by_hand(const struct orchestrator_call *as, const char *task_id, const char *reason)
{
    struct task task;

    if (!task_lock(&as->tx, &as->project, task_id, &task))
        return false;
    task.status = TASK_BLOCKED;
    task.assignee = NULL;
    task.block_reason = str_beginning(as->tx.arena, reason, LIMIT_TITLE);
    return task_save(&as->tx, &as->project, &task);
}

/* A coder's own words may end without a full stop. */
static const char *stop_of(const char *words)
{
    size_t len = strlen(words);

    return len > 0 && strchr(".!?", words[len - 1]) ? "" : ".";
}

static bool ask_about(const struct orchestrator_call *as, const char *task_id, const char *reason)
{
    const char *text = arena_format(
        as->tx.arena,
        "%s%s What should be done? Your answer is given to the coder, who then takes the task up again; close the task if it is done or not wanted any more.",
        reason, stop_of(reason));
    struct output_question question = { .id = "q1", .text = text };
    struct output output = { .status = OUTPUT_FAILED,
                             .status_text = "failed",
                             .summary = reason,
                             .questions = &question,
                             .question_count = 1,
                             .found = true };
    struct result result = { .agent = AGENT_CODER,
                             .source = SOURCE_EXECUTE,
                             .source_id = task_id,
                             .author = ORCHESTRATOR_NAME,
                             .handed_in_by = as->caller.id,
                             .output = &output };
    struct err refused = { 0 };
    struct tx quiet = tx_with_err(&as->tx, &refused);

    if (result_hand_in(&quiet, &as->project, &result))
        return true;
    if (refused.code == ERR_CONFLICT)
        return block_by_hand(as, task_id, reason);
    *as->tx.err = refused;
    return false;
}

static bool drop_take(const struct tx *tx, const char *take_id)
{
    return tx_exec(tx, SQL_TAKE_DELETE, DB_ARGS(db_text(take_id)), NULL);
}

/* All that was wrong with it, one after the other. */
static const char *problems_of(struct arena *arena, const struct result *result)
{
    const char *all = "";

    for (size_t i = 0; i < result->problem_count; i++)
        all = arena_format(arena, "%s%s%s", all, *all ? " " : "", result->problems[i]);
    return all;
}

/* Why a result that was handed in is not what the task was given out for, in a sentence; NULL: it is, or
 * people are asked. */
static const char *why_not(const struct orchestrator_call *as, const struct result *result)
{
    const char *why = result->accepted && result->output->summary ? result->output->summary
                      : result->problem_count > 0                 ? problems_of(as->tx.arena, result)
                                                  : "it says neither success nor what stood in the way.";

    if (result->accepted && (result->notification_id || result->task.status == TASK_CLOSED))
        return NULL;
    return arena_format(as->tx.arena,
                        result->accepted ? "The coder could not do this task: %s"
                                         : "The coder's result could not be taken: %s",
                        str_beginning(as->tx.arena, why, LIMIT_CODER_REASON));
}

/* A result has been handed in; the task must not be left in the hands of nobody, nor be run again at once. */
static bool settle(const struct orchestrator_call *as, struct result *result)
{
    struct task *task = &result->task;

    if (task->status == TASK_CLOSED || (task->status == TASK_BLOCKED && !task->assignee))
        return true;
    if (result->notification_id) {
        task_block(task, false);
        return task_save(&as->tx, &as->project, task);
    }
    if (task->status == TASK_IN_PROGRESS && !orchestrator_is_coders(task))
        return true;
    return ask_about(as, task->id, why_not(as, result));
}

static bool take_of_job(const struct tx *tx, const char *job_id, struct coder_take *take, bool *found)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TAKE_OF_JOB, DB_ARGS(db_text(job_id)), &rows))
        return false;
    *found = rows.count > 0;
    return !*found || coder_take_from_row(&rows, 0, take, tx->err);
}

bool orchestrate_wants(const struct tx *tx, const struct project *project, const struct job *job,
                       const char **why_not_wanted)
{
    struct orchestrator_call as;
    struct coder_take take;
    struct task task;
    bool found;

    *why_not_wanted = NULL;
    if (!take_of_job(tx, job->id, &take, &found))
        return false;
    if (!found)
        return true;
    if (!orchestrator_call_for(tx, project->workspace_id, project->id, &as) ||
        !project_lock(&as.tx, &as.project) || !task_lock(&as.tx, &as.project, take.task_id, &task))
        return false;
    if (orchestrator_is_coders(&task))
        return true;
    *why_not_wanted = kept_words(tx->arena, &task);
    return drop_take(tx, take.id);
}

bool orchestrate_handed_in(const struct tx *tx, const struct project *project, const struct job *job,
                           struct result *result)
{
    struct orchestrator_call as;
    struct coder_take take;
    bool found;

    if (result->source != SOURCE_EXECUTE)
        return true;
    if (!take_of_job(tx, job->id, &take, &found))
        return false;
    if (!found)
        return true;
    return drop_take(tx, take.id) && orchestrator_call_for(tx, project->workspace_id, project->id, &as) &&
           settle(&as, result);
}

/* Working on a take that is held. */

struct held_take {
    struct orchestrator_call as;
    struct coder_take take;
    struct task task;
};

static bool enter(const struct tx *tx, const struct take_ref *ref, struct held_take *held)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TAKE_LOCK, DB_ARGS(db_text(ref->take_id)), &rows) ||
        !tx_query(tx, SQL_TAKE_GET, DB_ARGS(db_text(ref->take_id)), &rows))
        return false;
    if (rows.count == 0) {
        err_set(tx->err, ERR_NOT_FOUND, "This task is not out any more.");
        return holding_gone(tx);
    }
    return coder_take_from_row(&rows, 0, &held->take, tx->err) &&
           holding_fence(tx, HOLDING_TAKE, &(struct holding_as){ held->take.node, held->take.epoch },
                         &(struct holding_as){ ref->node, ref->epoch }) &&
           orchestrator_call_for(tx, held->take.workspace_id, held->take.project_id, &held->as);
}

/* The project first, as whoever hands in a result. */
static bool load_task(struct held_take *held)
{
    return project_lock(&held->as.tx, &held->as.project) &&
           task_lock(&held->as.tx, &held->as.project, held->take.task_id, &held->task);
}

static bool end_job(const struct held_take *held, const struct coder_ending *how)
{
    return !held->take.job_id || orchestrator_end_job(&held->as, held->take.job_id, how);
}

/* Ends the take and, unless the task is somebody else's by now, asks people. */
static bool ask_and_drop(struct held_take *held, const char *reason)
{
    if (!load_task(held) || !drop_take(&held->as.tx, held->take.id))
        return false;
    if (!orchestrator_is_coders(&held->task))
        return end_job(held, &(struct coder_ending){
                                 .status = JOB_CANCELLED,
                                 .error = orchestrator_how_it_went(held->as.tx.arena, &held->task) });
    return end_job(held, &(struct coder_ending){ .status = JOB_FAILED, .error = reason }) &&
           ask_about(&held->as, held->take.task_id, reason);
}

/* Its job has ended, and nothing was handed in. */
static bool ask_for_job(struct held_take *held)
{
    struct arena *arena = held->as.tx.arena;
    struct job job;

    return job_get(&held->as.tx, held->take.job_id, &job) &&
           ask_and_drop(held,
                        arena_format(arena, "The coder's job %s: %s",
                                     job.status == JOB_CANCELLED ? "was cancelled" : "ended without a result",
                                     job.error && *job.error
                                         ? str_beginning(arena, job.error, LIMIT_CODER_REASON)
                                         : "no reason was given."));
}

#define INTERRUPTED \
    "The server stopped while the coder's command was running, so nobody knows how far it came; it was not run again."

/* People want it no more: it is given back as it was found. */
static bool put_back(struct held_take *held)
{
    struct task_change change = { .status = TASK_OPEN };

    return drop_take(&held->as.tx, held->take.id) &&
           (!orchestrator_is_coders(&held->task) ||
            task_update(&held->as.tx, &held->as.project, held->take.task_id, &change, &held->task));
}

static const char *config_of(const struct held_take *held)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    brief_write_config(held->as.tx.arena, &held->as.project, held->take.task_id, &out);
    buf_char(&text, '\n');
    return arena_copy(held->as.tx.arena, text.bytes, text.len);
}

bool orchestrate_open(const struct tx *tx, const struct take_ref *ref, struct take_step *step)
{
    struct held_take held;

    *step = (struct take_step){ .over = true };
    if (!enter(tx, ref, &held))
        return false;
    if (held.take.state == TAKE_CODING)
        return held.take.coder == CODER_COMMAND ? ask_and_drop(&held, INTERRUPTED) : ask_for_job(&held);
    if (!load_task(&held))
        return false;
    if (!held.as.project.orchestrator.on || !orchestrator_is_coders(&held.task))
        return put_back(&held);
    *step = (struct take_step){ .prepare = true,
                                .command = held.take.coder == CODER_COMMAND,
                                .task_id = held.take.task_id,
                                .project_id = held.take.project_id,
                                .config = config_of(&held) };
    return true;
}

static bool begin_run(struct held_take *held, struct take_step *step)
{
    struct job job = { .kind = JOB_KIND_AGENT,
                       .agent = CODER_NAME,
                       .project_id = held->take.project_id,
                       .task_id = held->take.task_id,
                       .status = JOB_PENDING };

    step->over = true;
    return run_create(&held->as.tx, &job, &(struct run_wish){ 0 }) &&
           tx_exec(&held->as.tx, SQL_TAKE_BEGIN, DB_ARGS(db_text(held->take.id), db_text(job.id), db_int(0)),
                   NULL);
}

static bool command_prompt(struct held_take *held, const char **prompt)
{
    struct brief_subject subject = brief_of_task(&held->task);
    const char *words;
    struct brief brief;

    if (!run_agent_words(&held->as.tx, AGENT_CODER, &held->as.project, &words) ||
        !brief_prompt(&held->as.tx, &held->as.project, &subject, &brief))
        return false;
    *prompt = arena_format(held->as.tx.arena, "%s\n%s", words, brief.text);
    return true;
}

static bool begin_command(struct held_take *held, struct take_step *step)
{
    struct job job = { .kind = JOB_KIND_CODER,
                       .agent = CODER_NAME,
                       .project_id = held->take.project_id,
                       .task_id = held->take.task_id,
                       .status = JOB_RUNNING };

    /* It was begun, and nobody was told that this is stored; nothing was started yet. */
    bool begun = held->take.state == TAKE_CODING;

    if (!command_prompt(held, &step->prompt) ||
        (!begun && (!job_create(&held->as.tx, &job) ||
                    !tx_exec(&held->as.tx, SQL_TAKE_BEGIN,
                             DB_ARGS(db_text(held->take.id), db_text(job.id), db_int(1)), NULL))))
        return false;
    step->start = true;
    step->job_id = begun ? held->take.job_id : job.id;
    step->task_id = held->take.task_id;
    step->project_id = held->take.project_id;
    return true;
}

bool orchestrate_begin(const struct tx *tx, const struct take_ref *ref, struct take_step *step)
{
    struct held_take held;

    *step = (struct take_step){ 0 };
    if (!enter(tx, ref, &held) || !load_task(&held))
        return false;
    if (!held.as.project.orchestrator.on || !orchestrator_is_coders(&held.task)) {
        step->over = true;
        return end_job(&held,
                       &(struct coder_ending){
                           .status = JOB_CANCELLED,
                           .error = "Nobody wanted it any more before the coder's command was started." }) &&
               put_back(&held);
    }
    return held.take.coder == CODER_RUNNER ? begin_run(&held, step) : begin_command(&held, step);
}

bool orchestrate_job_is_over(const struct tx *tx, const char *job_id, bool *over)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TAKE_JOB_OPEN, DB_ARGS(db_text(job_id)), &rows))
        return false;
    *over = rows.count == 0;
    return true;
}

static const char *result_text(struct arena *arena, const struct output *output)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "status", output->status == OUTPUT_SUCCESS ? "success" : "failed");
    json_text(&out, "summary", output->summary);
    json_map_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

/* What was printed by a command that broke off is no success, but what it asks is asked. */
static bool end_with(struct held_take *held, const struct output *output, const char *broke)
{
    struct result result = { .agent = AGENT_CODER,
                             .source = SOURCE_EXECUTE,
                             .source_id = held->take.task_id,
                             .author = CODER_NAME,
                             .handed_in_by = held->as.caller.id,
                             .output = output };

    if (!drop_take(&held->as.tx, held->take.id) || !result_hand_in(&held->as.tx, &held->as.project, &result))
        return false;
    const char *error = broke ? broke : why_not(&held->as, &result);

    return settle(&held->as, &result) &&
           end_job(held, &(struct coder_ending){ .status = error ? JOB_FAILED : JOB_COMPLETED,
                                                 .error = error,
                                                 .result = result_text(held->as.tx.arena, output) });
}

/* The task is not the coder's any more: what it did is kept, and changes nothing. */
static bool end_kept(struct held_take *held, const struct output *output)
{
    struct arena *arena = held->as.tx.arena;

    return end_job(held, &(struct coder_ending){ .status = JOB_CANCELLED,
                                                 .error = kept_words(arena, &held->task),
                                                 .result = result_text(arena, output) }) &&
           drop_take(&held->as.tx, held->take.id);
}

/* Of what is longer than a line of the log may be, the end: that is where programs say how it went. */
static bool note(const struct held_take *held, const char *label, const char *text)
{
    size_t most = (size_t)settings()->limits_message - strlen(label), len = strlen(text);
    struct job_line line = { .level = LINE_INFO };

    if (len > most)
        text += len - most;
    while (((unsigned char)*text & 0xc0) == 0x80)
        text++;
    line.message = arena_format(held->as.tx.arena, "%s%s", label, text);
    return !*text || job_log(&held->as.tx, held->take.job_id, &line);
}

bool orchestrate_end(const struct tx *tx, const struct take_ref *ref, const struct take_end *end)
{
    const struct output *output = end->output;
    struct held_take held;
    struct output asked = *output;
    struct job job;

    if (!enter(tx, ref, &held) || !load_task(&held) || !note(&held, "", end->how) ||
        !note(&held, "The command printed: ", end->printed) ||
        !note(&held, "The command printed as errors: ", end->errors) ||
        !job_get(&held.as.tx, held.take.job_id, &job))
        return false;
    if (!job_is_open(&job))
        return ask_for_job(&held);
    if (!orchestrator_is_coders(&held.task))
        return end_kept(&held, output);
    if (!end->broke)
        return end_with(&held, output, NULL);
    if (output->question_count == 0)
        return ask_and_drop(&held, end->broke);
    asked.status = OUTPUT_FAILED;
    return end_with(&held, &asked, end->broke);
}

bool orchestrate_give_up(const struct tx *tx, const struct take_ref *ref, const char *reason)
{
    struct held_take held;

    return enter(tx, ref, &held) && ask_and_drop(&held, reason);
}
