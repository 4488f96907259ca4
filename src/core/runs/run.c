/*
 * Rows of runs and how one is made. A run is made with its first two entries, what the model is told first
 * and the task, so that the log holds the whole conversation whatever becomes of the agent.
 */
#include "core/runs/run.h"

#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/caller/caller.h"
#include "core/council/agent.h"
#include "core/council/model_config.h"
#include "core/council/voice.h"
#include "core/questions/job.h"
#include "core/runs/instructions.h"
#include "core/runs/offer.h"
#include "core/runs/room.h"
#include "core/runs/run_agents.h"
#include "llm/model_choice.h"

#include <string.h>

#define FIRST_ENTRIES 2
#define MS_OF_SECOND  1000

/* Making one */

static bool find_agent(const struct tx *tx, const char *name, struct agent *agent)
{
    struct model_config config;

    if (!name)
        return err_field(tx->err, "agent", "Say which agent is to work on it: agent is required.");
    if (!agent_find(tx, name, agent)) {
        if (tx->err->code != ERR_NOT_FOUND)
            return false;
        if (run_agent_known(tx->arena, name)) {
            *agent = run_agent_made_up(tx->arena, name);
            *tx->err = (struct err){ 0 };
            return true;
        }
        return err_field(tx->err, "agent", "There is no agent of that name in this workspace: %.80s.", name);
    }
    model_config_read(tx->arena, agent->ai_model_config, &config);
    return !config.external ||
           err_field(tx->err, "agent", "%.80s is not run by this server: its provider is external.", name);
}

/* One that could only fail is not begun. */
static bool find_model(const struct tx *tx, const struct agent *agent, struct llm_model *model)
{
    struct err cause = { 0 };
    const char *key = NULL;

    if (model_of_config(tx->arena, agent->ai_model_config, model, &cause) &&
        (model->provider == LLM_SCRIPTED || model_key(model, tx->arena, &key, &cause))) {
        if (!voice_may_call(tx, model, &cause))
            return false;
        if (cause.code == ERR_NONE)
            return true;
    }
    err_field(tx->err, "agent", "%.80s has no model to run on. %s", agent->name, cause.text);
    return err_hint(tx->err, "%s", cause.hint);
}

/* A budget against which nothing is ever counted bounds nothing, and whoever asks for it relies on it. */
static bool check_price(const struct tx *tx, const struct llm_model *model)
{
    if (model_is_priced(model))
        return true;
    err_field(tx->err, "budget.money",
              "budget.money would not bound this run: what its model %.80s costs is not known.",
              model_called(model));
    return err_hint(
        tx->err,
        "Give the model price_in and price_out under models in config.yaml%s, or bound the run by its tokens.",
        *model->name ? "" : " and let the agent name it by its name there");
}

/* A server that leaves the running to another may know other models. */
static bool check_model(const struct tx *tx, const struct agent *agent, const struct run_wish *wish)
{
    struct llm_model model;

    return !settings()->runner_drive ||
           (find_model(tx, agent, &model) && (wish->money == 0 || check_price(tx, &model)));
}

static int64_t or_else(int64_t wished, int64_t fallback)
{
    return wished > 0 ? wished : fallback;
}

static bool check_budget(const struct tx *tx, const struct run_wish *wish)
{
    if (wish->steps < 0 || wish->tokens < 0 || wish->ms < 0 || wish->money < 0)
        return err_field(tx->err, "budget", "A budget must be more than nothing.");
    return true;
}

/* What it is given: a text that says something, or an object; its task may say it all. */
static bool check_input(const struct tx *tx, const struct job *job)
{
    JSON_AUTO *input = NULL;

    if (!job->input)
        return job->task_id || err_field(tx->err, "input", "Say what the agent is to do: input is required.");
    if (!json_parse(job->input, strlen(job->input), &input, tx->err))
        return false;
    if (json_is_string(input) && str_is_blank(json_string_value(input)))
        return err_field(tx->err, "input", "Say what the agent is to do: the text is empty.");
    if (json_is_object(input) && json_object_size(input) == 0)
        return err_field(tx->err, "input", "Say what the agent is to do: the object is empty.");
    return json_is_string(input) || json_is_object(input) ||
           err_field(tx->err, "input", "What the agent is to do is a text or an object.");
}

static bool insert(const struct tx *tx, const struct run *run, const struct run_entry *input)
{
    const struct run_entry entries[FIRST_ENTRIES] = {
        { .job_id = run->job_id,
          .seq = 1,
          .kind = RUN_INSTRUCTIONS,
          .text = run->instructions,
          .at_ms = tx->now_ms },
        { .job_id = run->job_id,
          .seq = FIRST_ENTRIES,
          .kind = RUN_INPUT,
          .text = input->text,
          .data = input->data,
          .at_ms = tx->now_ms },
    };
    struct db_arg rows[FIRST_ENTRIES * RUN_ENTRY_INSERT_WIDTH], row[RUN_INSERT_WIDTH];

    run_put_insert(run, row);
    for (size_t i = 0; i < FIRST_ENTRIES; i++)
        run_entry_put_insert(&entries[i], &rows[i * RUN_ENTRY_INSERT_WIDTH]);
    return tx_exec(tx, SQL_RUN_INSERT, RUN_INSERT_WIDTH, row, NULL) &&
           db_exec_rows(tx->db, tx->arena, SQL_RUN_ENTRY_INSERT, SQL_RUN_ENTRY_INSERT_MANY,
                        RUN_ENTRY_INSERT_WIDTH, rows, FIRST_ENTRIES, NULL, tx->err);
}

/* What its model cannot be told is refused here, before a job fails of it. */
static bool check_room(const struct tx *tx, const struct run *run, const struct run_entry *input)
{
    const struct llm_tool *tools;
    struct room room;
    size_t count;

    if (!settings()->runner_drive)
        return true;
    if (!offer_all(tx, run, tools_now(tx->arena), &tools, &count))
        return false;
    room_of(tx->arena, run->model_config, &room);
    const char *refusal =
        room_refusal(tx->arena, &room, run->agent, strlen(run->instructions) + strlen(input->text),
                     room_tools(tools, count));

    if (!refusal)
        return true;
    err_field(tx->err, "input", "%s", refusal);
    return err_hint(tx->err, "Say it in fewer words, or give the agent a model with a larger window.");
}

bool run_create(const struct tx *tx, struct job *job, const struct run_wish *wish)
{
    struct agent agent;
    struct run_entry input;

    if (!check_budget(tx, wish) || !find_agent(tx, job->agent, &agent) || !check_model(tx, &agent, wish) ||
        !check_input(tx, job))
        return false;
    job->kind = JOB_KIND_AGENT;
    job->agent = agent.name;
    job->status = JOB_PENDING;
    if (!job_create(tx, job) || !run_work_begins(tx, job))
        return false;
    struct run run = {
        .job_id = job->id,
        .workspace_id = job->workspace_id,
        .project_id = job->project_id,
        .task_id = job->task_id,
        .agent_id = agent.id,
        .agent = agent.name,
        .model_config = agent.ai_model_config,
        .requester_role = role_name(tx->caller->role),
        .phase = RUN_OPENING,
        .recover = wish->recover,
        .budget_steps = or_else(wish->steps, settings()->runner_steps),
        .budget_tokens = or_else(wish->tokens, settings()->runner_tokens),
        .budget_ms = or_else(wish->ms, settings()->runner_seconds * MS_OF_SECOND),
        .budget_money = or_else(wish->money, settings()->runner_money_millionths),
        .last_seq = FIRST_ENTRIES,
        .wanted = 1,
        .created_ms = tx->now_ms,
    };
    return offer_take(tx, &run, wish->tools, &run.tools) &&
           run_instructions(tx, &agent, job, &run.instructions) &&
           run_input(tx, &run, job, &input.text, &input.data) && check_room(tx, &run, &input) &&
           insert(tx, &run, &input);
}

/* A note of its own, by whose question the answer is found when somebody is erased. */
static bool tell_late(const struct tx *tx, const struct run *run, const char *answer)
{
    struct err ignored = { 0 };
    JSON_AUTO *value = NULL;
    const char *question_id = json_parse(answer, strlen(answer), &value, &ignored)
                                  ? json_string_value(json_object_get(value, "questionId"))
                                  : NULL;
    const struct run_entry note = {
        .job_id = run->job_id,
        .seq = FIRST_ENTRIES + 1,
        .kind = RUN_NOTE,
        .text = arena_format(
            tx->arena, "You have worked on this before, and asked something that was answered too late: %s",
            answer),
        .data = question_id ? arena_format(tx->arena, "{\"questionId\":\"%s\"}", question_id) : NULL,
        .at_ms = tx->now_ms,
    };
    struct db_arg row[RUN_ENTRY_INSERT_WIDTH];

    run_entry_put_insert(&note, row);
    return tx_exec(tx, SQL_RUN_ENTRY_INSERT, RUN_ENTRY_INSERT_WIDTH, row, NULL);
}

/* What somebody starts again runs by nobody's leave but that of the first: an owner who answers late does not
 * lend a member's words the tools of owners, nor does a member get those of an owner's run. */
static const char *restart_role(const struct tx *tx, const struct run *before)
{
    enum role role = 0;

    (void)role_parse(before->requester_role, &role);
    return role_name(role_lesser(role, tx->caller->role));
}

/* While a project's orchestrator is on, it has asked about the task what this run failed of. */
static bool refuse_orchestrated(const struct tx *tx)
{
    err_set(tx->err, ERR_CONFLICT, "The orchestrator has this project's tasks done.");
    return err_hint(tx->err, "Open the task, or answer what is asked about it: its coder takes it up again.");
}

/* Whoever starts again gives nothing but a late answer: what is not there or done by now is no fault of
 * theirs. */
static bool may_restart(const struct tx *tx, const struct job *job, struct agent *agent)
{
    struct run_work work;

    if (find_agent(tx, job->agent, agent) && check_model(tx, agent, &(struct run_wish){ 0 }) &&
        run_work_begins(tx, job) && run_work_of(tx, job, &work))
        return work.agent != AGENT_CODER || !work.project.orchestrator.on || refuse_orchestrated(tx);
    if (tx->err->code == ERR_INVALID) {
        tx->err->code = ERR_CONFLICT;
        *tx->err->field = '\0';
    }
    return false;
}

bool run_restart(const struct tx *tx, const struct job *job)
{
    struct err missing = { 0 };
    struct tx looking = tx_with_err(tx, &missing);
    struct run_entry input;
    struct agent agent;
    struct run before;

    if (!job->restart_of)
        return true;
    if (!run_load(&looking, job->restart_of, &before)) {
        *tx->err = missing;
        return missing.code == ERR_NOT_FOUND;
    }
    if (!may_restart(tx, job, &agent))
        return false;
    struct run run = {
        .job_id = job->id,
        .workspace_id = job->workspace_id,
        .project_id = job->project_id,
        .task_id = job->task_id,
        .agent_id = agent.id,
        .agent = agent.name,
        .model_config = agent.ai_model_config,
        .requester_role = restart_role(tx, &before),
        .phase = RUN_OPENING,
        .recover = before.recover,
        .budget_steps = before.budget_steps,
        .budget_tokens = before.budget_tokens,
        .budget_ms = before.budget_ms,
        .budget_money = before.budget_money,
        .tools = before.tools,
        .last_seq = FIRST_ENTRIES + 1,
        .wanted = 1,
        .created_ms = tx->now_ms,
    };
    return run_instructions(tx, &agent, job, &run.instructions) &&
           run_input(tx, &run, job, &input.text, &input.data) && check_room(tx, &run, &input) &&
           insert(tx, &run, &input) && tell_late(tx, &run, job->restart_answer);
}

/* Reading */

/* What kind of job it is, then, and where to look. */
static bool is_no_run(const struct tx *tx, const char *job_id)
{
    struct job job;

    if (!job_get(tx, job_id, &job))
        return false;
    return err_set(
        tx->err, ERR_NOT_FOUND,
        "This job is no run of an agent but one of the kind \"%s\": what happened in it is in its log.",
        job.kind);
}

bool run_load(const struct tx *tx, const char *job_id, struct run *run)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_RUN_LOAD, DB_ARGS(db_text(job_id)), &rows))
        return false;
    if (rows.count == 0)
        return is_no_run(tx, job_id);
    return run_from_row(&rows, 0, run, tx->err);
}

/* What a call waits for, in one word and by its id. */
static void write_wait(const struct run_call *call, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "callId", call->id);
    json_text(out, "name", call->name);
    json_text(out, "state", run_call_state_word(call->state));
    json_text(out, "questionId", call->question_id);
    json_text(out, "discussionId", call->discussion_id);
    json_text(out, "promptId", call->prompt_id);
    json_map_end(out);
}

static bool find_waits(const struct tx *tx, struct run *run)
{
    BUF_AUTO text = { 0 };
    struct run_call *calls;
    struct json_out out;
    struct db_rows rows;

    if (!tx_query(tx, SQL_RUN_CALL_OPEN, DB_ARGS(db_text(run->job_id)), &rows) ||
        !run_call_from_rows(tx, &rows, rows.count, &calls))
        return false;
    json_begin(&out, &text);
    json_list(&out, NULL);
    for (size_t i = 0; i < rows.count; i++)
        if (calls[i].question_id || calls[i].discussion_id || calls[i].prompt_id)
            write_wait(&calls[i], &out);
    if (run->advice_id) {
        json_map(&out, NULL);
        json_none(&out, "callId");
        json_none(&out, "name");
        json_text(&out, "state", run_call_state_word(CALL_WAITING));
        json_text(&out, "questionId", run->advice_id);
        json_none(&out, "discussionId");
        json_none(&out, "promptId");
        json_map_end(&out);
    }
    json_list_end(&out);
    run->waits_for = arena_copy(tx->arena, text.bytes, text.len);
    return true;
}

bool run_get(const struct tx *tx, const char *job_id, struct run *run)
{
    struct job job;

    return job_get(tx, job_id, &job) && run_load(tx, job_id, run) && find_waits(tx, run);
}

static const struct run_call *call_with_id(const struct run_call *calls, size_t count, const char *id)
{
    for (size_t i = 0; id && i < count; i++)
        if (strcmp(calls[i].id, id) == 0)
            return &calls[i];
    return NULL;
}

/* The calls of a page: those that its first to its last entry are about. */
static bool find_calls(const struct tx *tx, const struct run_entry *entries, size_t count,
                       const struct run_call ***calls)
{
    const struct run_entry *last = &entries[count > 0 ? count - 1 : 0];
    struct run_call *found;
    struct db_rows rows;

    *calls = arena_array(tx->arena, const struct run_call *, count + 1);
    if (count == 0)
        return true;
    bool falls = last->seq < entries[0].seq;
    int64_t from = falls ? last->seq : entries[0].seq, to = falls ? entries[0].seq : last->seq;

    if (!tx_query(tx, SQL_RUN_CALL_OF_ENTRIES, DB_ARGS(db_text(entries[0].job_id), db_int(from), db_int(to)),
                  &rows) ||
        !run_call_from_rows(tx, &rows, rows.count, &found))
        return false;
    for (size_t i = 0; i < count; i++)
        (*calls)[i] = call_with_id(found, rows.count, entries[i].call_id);
    return true;
}

bool run_entries(const struct tx *tx, const char *job_id, const struct run_entry_filter *filter,
                 struct run_entry **entries, const struct run_call ***calls, size_t *count)
{
    int64_t from = filter->newest && filter->from == 0 ? INT64_MAX : filter->from;
    struct db_rows rows;
    struct job job;
    struct run run;

    if (!job_get(tx, job_id, &job) || !run_load(tx, job_id, &run) ||
        !tx_query(tx, filter->newest ? SQL_RUN_ENTRY_LIST_NEWEST : SQL_RUN_ENTRY_LIST,
                  DB_ARGS(db_text(job_id), db_int(from), db_int((int64_t)filter->limit)), &rows) ||
        !run_entry_from_rows(tx, &rows, rows.count, entries))
        return false;
    *count = rows.count;
    return find_calls(tx, *entries, rows.count, calls);
}

/* Showing */

static void write_limit(struct json_out *out, const char *key, int64_t most)
{
    if (most > 0)
        json_int(out, key, most);
    else
        json_none(out, key);
}

void run_write_budget(const struct run *run, const char *key, struct json_out *out)
{
    json_map(out, key);
    write_limit(out, "steps", run->budget_steps);
    write_limit(out, "tokens", run->budget_tokens);
    write_limit(out, "seconds", run->budget_ms / MS_OF_SECOND);
    if (run->budget_money > 0)
        json_double(out, "money", (double)run->budget_money / MONEY_MILLIONTHS);
    else
        json_none(out, "money");
    json_map_end(out);
}

void run_write_spent(const struct run *run, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_int(out, "steps", run->step);
    json_int(out, "tokensIn", run->tokens_in);
    json_int(out, "tokensOut", run->tokens_out);
    json_double(out, "seconds", (double)run->used_ms / MS_OF_SECOND);
    json_double(out, "money", (double)run->money / MONEY_MILLIONTHS);
    json_int(out, "usageMissing", run->usage_missing);
    json_map_end(out);
}
