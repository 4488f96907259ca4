/*
 * One transaction a step. The take's row is locked first and held against the node's claim, so that a node
 * that was stopped and comes back changes nothing. Whatever ends a take goes through the question protocol:
 * a reason that is not a result becomes a question, as if the coder had asked it.
 */
#include "core/runs/orchestrate.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/caller/caller.h"
#include "core/log/audit.h"
#include "core/runs/run.h"
#include "core/runs/run_agents.h"

#include <string.h>

const char *const take_states[] = { "queued", "coding", NULL };
WORDS_FIT(take_states, TAKE_END);

/* It calls as the server itself, in one project: nobody whom a rule could take for a person. */
struct orchestrator_call {
    struct tx tx;
    struct caller caller;
    struct project project;
};

static bool call_for(const struct tx *tx, const char *workspace_id, const char *project_id,
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

/* Taking. */

static bool note_taken(const struct orchestrator_call *as, const struct task *task)
{
    return audit_append(&as->tx, &(struct audit_entry){ .workspace_id = task->workspace_id,
                                                        .actor_kind = "system",
                                                        .actor_id = "system",
                                                        .actor = ORCHESTRATOR_NAME,
                                                        .operation = OP_TASK_CLAIM,
                                                        .subject = task->id,
                                                        .door = "engine",
                                                        .detail = "{\"agent\":\"" CODER_NAME "\"}",
                                                        .at_ms = as->tx.now_ms });
}

static bool take_one(const struct orchestrator_call *as, const char *task_id)
{
    struct db_arg row[CODER_TAKE_INSERT_WIDTH];
    struct coder_take take = { .id = uuid_new(as->tx.arena),
                               .workspace_id = as->project.workspace_id,
                               .project_id = as->project.id,
                               .task_id = task_id,
                               .coder = as->project.orchestrator.coder,
                               .state = TAKE_QUEUED,
                               .created_ms = as->tx.now_ms };
    struct err refused = { 0 };
    struct tx quiet = tx_with_err(&as->tx, &refused);
    struct task task;

    /* Somebody was quicker, or has made it wait since. */
    if (!task_claim(&quiet, &as->project, task_id, CODER_NAME, &task)) {
        *as->tx.err = refused;
        return refused.code == ERR_CONFLICT || refused.code == ERR_NOT_FOUND;
    }
    coder_take_put_insert(&take, row);
    return tx_exec(&as->tx, SQL_TAKE_INSERT, CODER_TAKE_INSERT_WIDTH, row, NULL) && note_taken(as, &task);
}

static bool take_in(const struct tx *tx, const char *project_id, const char *workspace_id, int64_t room)
{
    struct orchestrator_call as;
    struct task *tasks;
    size_t count;

    if (!call_for(tx, workspace_id, project_id, &as) ||
        !task_ready(&as.tx, &as.project, NULL, (size_t)(room < LIMIT_PARALLEL ? room : LIMIT_PARALLEL),
                    &tasks, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!take_one(&as, tasks[i].id))
            return false;
    return true;
}

/* One node at a time, so that two do not fill the same room. The other finds what is left the next time. */
static bool take_ready(const struct tx *tx)
{
    struct db_rows rows;
    bool alone;

    if (!tx_query(tx, SQL_TAKE_ROOM, DB_ARGS(db_int(ORCHESTRATED_AT_ONCE)), &rows))
        return false;
    if (rows.count == 0)
        return true;
    if (!holding_alone(tx, LOCK_ORCHESTRATE, &alone) || !alone)
        return !alone;
    /* Read again: whoever had the lock may have filled it meanwhile. */
    if (!tx_query(tx, SQL_TAKE_ROOM, DB_ARGS(db_int(ORCHESTRATED_AT_ONCE)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!take_in(tx, db_cell(&rows, i, 0), db_cell(&rows, i, 1), db_cell_int(&rows, i, 2)))
            return false;
    return true;
}

bool orchestrate_claim(const struct tx *tx, const char *node, size_t limit, struct held_row **list,
                       size_t *count)
{
    return take_ready(tx) && tx_exec(tx, SQL_TAKE_LEFT, DB_NO_ARGS, NULL) &&
           holding_claim(tx, HOLDING_TAKE, node, limit, list, count);
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

static bool ask_about(const struct orchestrator_call *as, const char *task_id, const char *reason)
{
    const char *text = arena_format(
        as->tx.arena,
        "%s What should be done? Your answer is given to the coder, who then takes the task up again; close the task if it is done or not wanted any more.",
        reason);
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

/* Whether the task is still the coder's: people may have taken it away, closed it or given it to another. */
static bool is_coders(const struct task *task)
{
    return task->status == TASK_IN_PROGRESS && task->assignee && str_same_name(task->assignee, CODER_NAME);
}

static bool drop_take(const struct tx *tx, const char *take_id)
{
    return tx_exec(tx, SQL_TAKE_DELETE, DB_ARGS(db_text(take_id)), NULL);
}

/* A result has been handed in; the task must not be left in the hands of nobody, nor be run again at once. */
static bool settle(const struct orchestrator_call *as, struct result *result)
{
    struct task *task = &result->task;

    if (task->status == TASK_CLOSED || task->status == TASK_BLOCKED)
        return true;
    if (result->notification_id) {
        task_block(task, false);
        return task_save(&as->tx, &as->project, task);
    }
    if (task->status == TASK_IN_PROGRESS && !is_coders(task))
        return true;
    const char *why = result->accepted && result->output->summary ? result->output->summary
                      : result->problem_count > 0 ? result->problems[result->problem_count - 1]
                                                  : "it says neither success nor what stood in the way.";

    return ask_about(as, task->id,
                     arena_format(as->tx.arena,
                                  result->accepted ? "The coder could not do this task: %s"
                                                   : "The coder's result could not be taken: %s",
                                  str_beginning(as->tx.arena, why, LIMIT_CODER_REASON)));
}

bool orchestrate_handed_in(const struct tx *tx, const struct project *project, const struct job *job,
                           struct result *result)
{
    struct orchestrator_call as;
    struct db_rows rows;
    struct coder_take take;

    if (result->source != SOURCE_EXECUTE)
        return true;
    if (!tx_query(tx, SQL_TAKE_OF_JOB, DB_ARGS(db_text(job->id)), &rows))
        return false;
    if (rows.count == 0)
        return true;
    return coder_take_from_row(&rows, 0, &take, tx->err) && drop_take(tx, take.id) &&
           call_for(tx, project->workspace_id, project->id, &as) && settle(&as, result);
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
           call_for(tx, held->take.workspace_id, held->take.project_id, &held->as);
}

static bool load_task(struct held_take *held)
{
    return task_lock(&held->as.tx, &held->as.project, held->take.task_id, &held->task);
}

static bool end_job(const struct held_take *held, const struct job_change *change)
{
    struct job job;

    if (!held->take.job_id)
        return true;
    if (!job_get(&held->as.tx, held->take.job_id, &job))
        return held->as.tx.err->code == ERR_NOT_FOUND;
    return !job_is_open(&job) || job_update(&held->as.tx, job.id, change, &job);
}

/* Ends the take and, unless the task is somebody else's by now, asks people. */
static bool ask_and_drop(struct held_take *held, const char *reason)
{
    return end_job(held, &(struct job_change){ .status = JOB_FAILED, .error = reason }) &&
           drop_take(&held->as.tx, held->take.id) && load_task(held) &&
           (!is_coders(&held->task) || ask_about(&held->as, held->take.task_id, reason));
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
           (!is_coders(&held->task) ||
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
    if (!held.as.project.orchestrator.on || !is_coders(&held.task))
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
    const char *words, *brief;

    if (!run_agent_words(&held->as.tx, AGENT_CODER, &held->as.project, &words) ||
        !brief_prompt(&held->as.tx, &held->as.project, &subject, &brief))
        return false;
    *prompt = arena_format(held->as.tx.arena, "%s\n%s", words, brief);
    return true;
}

static bool begin_command(struct held_take *held, struct take_step *step)
{
    struct job job = { .kind = JOB_KIND_CODER,
                       .agent = CODER_NAME,
                       .project_id = held->take.project_id,
                       .task_id = held->take.task_id,
                       .status = JOB_RUNNING };

    if (!command_prompt(held, &step->prompt) || !job_create(&held->as.tx, &job) ||
        !tx_exec(&held->as.tx, SQL_TAKE_BEGIN, DB_ARGS(db_text(held->take.id), db_text(job.id), db_int(1)),
                 NULL))
        return false;
    step->start = true;
    step->job_id = job.id;
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
    if (!held.as.project.orchestrator.on || !is_coders(&held.task)) {
        step->over = true;
        return put_back(&held);
    }
    return held.take.coder == CODER_RUNNER ? begin_run(&held, step) : begin_command(&held, step);
}

/* What was printed by a command that broke off is no success, but what it asks is asked. */
static bool end_with(struct held_take *held, const struct output *output)
{
    struct result result = { .agent = AGENT_CODER,
                             .source = SOURCE_EXECUTE,
                             .source_id = held->take.task_id,
                             .author = CODER_NAME,
                             .handed_in_by = held->as.caller.id,
                             .output = output };
    const char *text = arena_format(held->as.tx.arena, "{\"status\":\"%s\"}",
                                    output->status == OUTPUT_SUCCESS ? "success" : "failed");

    return end_job(held, &(struct job_change){ .status = JOB_COMPLETED, .result = text }) &&
           drop_take(&held->as.tx, held->take.id) &&
           result_hand_in(&held->as.tx, &held->as.project, &result) && settle(&held->as, &result);
}

bool orchestrate_end(const struct tx *tx, const struct take_ref *ref, const struct output *output,
                     const char *broke)
{
    struct held_take held;
    struct output asked = *output;
    struct job job;

    if (!enter(tx, ref, &held) || !load_task(&held) || !job_get(&held.as.tx, held.take.job_id, &job))
        return false;
    if (!job_is_open(&job))
        return ask_for_job(&held);
    if (!broke)
        return end_with(&held, output);
    if (output->question_count == 0)
        return ask_and_drop(&held, broke);
    asked.status = OUTPUT_FAILED;
    return end_with(&held, &asked);
}

bool orchestrate_give_up(const struct tx *tx, const struct take_ref *ref, const char *reason)
{
    struct held_take held;

    return enter(tx, ref, &held) && ask_and_drop(&held, reason);
}

bool orchestrate_list(const struct tx *tx, const struct project *project, struct coder_take **takes,
                      size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TAKE_LIST, DB_ARGS(db_text(project->id), db_int(LIMIT_PARALLEL)), &rows))
        return false;
    *count = rows.count;
    return coder_take_from_rows(tx, &rows, rows.count, takes);
}
