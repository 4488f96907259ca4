/*
 * A step reads the job with its open questions, the run, and, unless they have just been made, the calls of
 * the last reply; it writes the entries, the calls, the run and what the docket has gathered, each with one
 * statement. The conversation is not read for it, but after a claim.
 */
#include "core/runs/moving.h"

#include "base/limits.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

#define ENTRIES_FIRST 16

/* What run_update takes behind the noun's own values. */
#define UPDATE_EXTRAS 5
_Static_assert(RUN_UPDATE_WIDTH == 20, "as run_update in src/db/sql/run.sql counts its parameters");

/* What follows, and why, in one sentence. */
struct decided {
    enum loop_verdict verdict;
    const char *reason;
};

enum wanting { WANTED_ON_NEWS = 0, WANTED = 1, WANTED_NEVER = 2 };

/* Entering */

static void become_agent(struct moving *m)
{
    m->caller = (struct caller){ .kind = CALLER_NOBODY,
                                 .role = ROLE_AGENT,
                                 .id = "system",
                                 .name = m->run.agent,
                                 .agent_name = m->run.agent,
                                 .project_id = m->run.project_id,
                                 .workspace_id = m->run.workspace_id };
    m->as = *m->tx;
    m->as.caller = &m->caller;
}

bool moving_enter(const struct tx *tx, const struct run_ref *ref, struct moving *m)
{
    struct job *job;

    *m = (struct moving){ .tx = tx, .ref = ref };
    if (!docket_of_run(tx, &m->docket, ref->job_id))
        return false;
    job = docket_job(&m->docket, ref->job_id);
    if (!job) {
        err_set(tx->err, ERR_NOT_FOUND, "There is no such run.");
        return holding_gone(tx);
    }
    if (!run_load(tx, ref->job_id, &m->run))
        return holding_gone(tx);
    m->docket_is_open = true;
    m->job_is_open = job_is_open(job);
    m->run.task_id = job->task_id;
    m->stored_seq = m->run.last_seq;
    m->before = (struct run_budget){ m->run.step, m->run.tokens_in + m->run.tokens_out, m->run.used_ms,
                                     m->run.money };
    m->edition = tools_edition();
    become_agent(m);
    if (holding_fence(tx, HOLDING_RUN, &(struct holding_as){ m->run.node, m->run.epoch },
                      &(struct holding_as){ ref->node, ref->epoch }))
        return true;
    /* A job's end takes its run from whoever moves it (migration 032): no other node need be there. */
    if (!m->job_is_open && !m->run.node)
        snprintf(tx->err->text, sizeof(tx->err->text), "The job has ended; its run is closed next.");
    return false;
}

bool moving_load_calls(struct moving *m)
{
    struct run_call *calls;
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_RUN_CALL_LIST, DB_ARGS(db_text(m->run.job_id), db_int(m->run.step)), &rows) ||
        !run_call_from_rows(m->tx, &rows, rows.count, &calls))
        return false;
    m->calls = arena_array(m->tx->arena, struct run_call *, rows.count + 1);
    m->notes = arena_array(m->tx->arena, struct call_notes, rows.count + 1);
    m->call_count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        m->calls[i] = &calls[i];
    return true;
}

struct run_call *moving_call(struct moving *m, const char *id)
{
    for (size_t i = 0; i < m->call_count; i++)
        if (strcmp(m->calls[i]->id, id) == 0)
            return m->calls[i];
    return NULL;
}

bool moving_docket(struct moving *m, struct docket **docket, struct job **job)
{
    if (!m->docket_is_open && !docket_of_run(m->tx, &m->docket, m->run.job_id))
        return false;
    m->docket_is_open = true;
    *docket = &m->docket;
    *job = docket_job(&m->docket, m->run.job_id);
    return *job || err_set(m->tx->err, ERR_NOT_FOUND, "There is no such run.");
}

bool moving_flush(struct moving *m)
{
    if (!m->docket_is_open)
        return true;
    m->docket_is_open = false;
    return docket_close(&m->docket);
}

/* Gathering */

struct run_entry *moving_add(struct moving *m, enum run_entry_kind kind, const char *text, const char *data)
{
    struct run_entry *entry;

    if (m->entry_count == m->entry_room) {
        size_t room = m->entry_room ? m->entry_room * 2 : ENTRIES_FIRST;
        struct run_entry *more = arena_array(m->tx->arena, struct run_entry, room);

        if (m->entry_count > 0)
            memcpy(more, m->entries, m->entry_count * sizeof(*more));
        m->entries = more;
        m->entry_room = room;
    }
    entry = &m->entries[m->entry_count++];
    *entry = (struct run_entry){ .job_id = m->run.job_id,
                                 .seq = ++m->run.last_seq,
                                 .step = m->run.step,
                                 .kind = kind,
                                 .text = text,
                                 .data = data,
                                 .at_ms = m->tx->now_ms };
    if (text && kind == RUN_NOTE)
        m->run.context_tokens += talk_note_tokens(m, text);
    return entry;
}

void moving_people(struct moving *m, const struct run_call *call, const char *words, const char *verdict,
                   const char *question_id)
{
    moving_add(m, RUN_DECISION, words,
               arena_format(m->tx->arena, "{\"rule\":\"people\",\"verdict\":\"%s\",\"questionId\":\"%s\"}",
                            verdict, question_id))
        ->call_id = call->id;
}

/* What the model is told: it must not take for the result of its call what is that of another. One that never
 * began has done nothing with any arguments. */
static const char *as_told(struct moving *m, const struct run_call *call, const char *output)
{
    if (!call->approved_arguments || call->attempt == 0)
        return output;
    return arena_format(m->tx->arena, "Somebody approved this call with other arguments: %s\n%s",
                        call->approved_arguments, output);
}

void moving_done(struct moving *m, struct run_call *call, enum run_outcome outcome, const char *output,
                 const char *data)
{
    struct run_entry *entry;

    call->state = CALL_DONE;
    call->outcome = outcome;
    call->output = output;
    call->ended_ms = m->tx->now_ms;
    call->dirty = true;
    if (!data)
        data = arena_format(m->tx->arena, "{\"outcome\":\"%s\"}", run_outcome_word(outcome));
    entry = moving_add(m, RUN_RESULT, as_told(m, call, output), data);
    entry->call_id = call->id;
    m->run.context_tokens += talk_result_tokens(m, call);
    entry->took_ms = call->started_ms ? m->tx->now_ms - call->started_ms : 0;
}

void moving_unwanted(struct moving *m, const struct run_call *call)
{
    const char **more = arena_array(m->tx->arena, const char *, m->unwanted_count + 1);

    if (m->unwanted_count > 0)
        memcpy(more, m->unwanted, m->unwanted_count * sizeof(*more));
    more[m->unwanted_count++] = call->id;
    m->unwanted = more;
}

const char *moving_clean(struct moving *m, const char *text, size_t most)
{
    size_t len = text ? strlen(text) : 0;
    char *copy;

    if (len > most)
        len = str_fitting(text, most);
    copy = arena_copy(m->tx->arena, text ? text : "", len);
    /* What is not UTF-8, as a program may print it, could not be stored. */
    bool good = str_is_utf8(copy, len);

    for (size_t i = 0; !good && i < len;) {
        uint32_t code;
        size_t bytes = str_decode(copy + i, len - i, &code);

        if (bytes == 0)
            copy[i] = '?';
        i += bytes ? bytes : 1;
    }
    return text && strlen(text) > most ? arena_format(m->tx->arena, "%s\n[The rest was cut off.]", copy)
                                       : copy;
}

void moving_take(struct moving *m, int64_t tokens_in, int64_t tokens_out, int64_t money)
{
    m->run.tokens_in += tokens_in;
    m->run.tokens_out += tokens_out;
    m->run.money += money;
}

/* Tools of its calls */

/* MCP servers may have listed hundreds, which are copied: most writes ask for none. */
const struct tool_list *moving_tools(struct moving *m)
{
    if (!m->tools)
        m->tools = tools_now(m->tx->arena);
    return m->tools;
}

/* Its server has listed its tools since this step began, so that it is in no list of ours and waited for no
 * more: it is called as one that is waited for, and only what was judged is run. */
static const struct tool *listed_since(const struct moving *m, const struct run_call *call)
{
    const struct tool *tool = tool_named(tools_now(m->tx->arena), call->name);
    struct tool *awaited;

    if (!tool || tool->kind != TOOL_MCP)
        return tool;
    awaited = arena_new(m->tx->arena, struct tool);
    *awaited = *tool;
    awaited->server_tool = NULL;
    awaited->digest = call->digest;
    return awaited;
}

static const struct tool *find_tool(struct moving *m, const struct run_call *call)
{
    const struct tool *tool = tool_named(moving_tools(m), call->name);

    if (!tool)
        tool = tool_awaited(m->tx->arena, call->name, call->digest);
    return tool || tools_edition() == m->edition ? tool : listed_since(m, call);
}

const struct tool *moving_tool(struct moving *m, const struct run_call *call)
{
    size_t at = 0;

    while (m->calls[at] != call)
        at++;
    if (!m->notes[at].looked)
        m->notes[at].tool = find_tool(m, call);
    m->notes[at].looked = true;
    return m->notes[at].tool;
}

/* It has the run to itself. */
static bool is_alone(struct moving *m, const struct run_call *call)
{
    const struct tool *tool = moving_tool(m, call);

    return tool && tool->alone;
}

/* Deciding */

int64_t moving_used_ms(const struct moving *m)
{
    return m->run.used_ms + (m->run.began_ms ? m->tx->now_ms - m->run.began_ms : 0);
}

/* Whether all of its calls that are not done wait for others, and some of them inside their tools. A call
 * that is kept back until it can be alone, or until another is not, waits for those. */
static bool only_asks(struct moving *m)
{
    size_t working = 0, asking = 0, ready = 0;
    bool lone = false;

    for (size_t i = 0; i < m->call_count; i++) {
        const struct run_call *call = m->calls[i];

        if (call->state == CALL_RUNNING) {
            working += call->elicitation == NULL;
            asking += call->elicitation != NULL;
            lone |= is_alone(m, call);
        } else if (call->state == CALL_QUEUED) {
            ready += !is_alone(m, call);
        }
    }
    return asking > 0 && working == 0 && (lone || ready == 0);
}

/* With each step: when nobody has the run any more, what it took since then counts no further (run_release).
 */
static void count_time(struct moving *m, bool goes_on)
{
    m->run.used_ms = moving_used_ms(m);
    m->run.began_ms = goes_on ? m->tx->now_ms : 0;
}

static bool gather(struct moving *m, struct loop_facts *facts)
{
    const struct run_budget budget = limits_of(m), used = limits_used(m);

    *facts = (struct loop_facts){ .job_ended = !m->job_is_open,
                                  .fatal = m->fatal,
                                  .advice = m->run.advice_id != NULL,
                                  .begun = m->run.step > 0,
                                  .calls = m->call_count,
                                  .blank = m->blank,
                                  .heard = m->heard,
                                  .mistakes = m->run.mistakes,
                                  .limit = loop_limit(&budget, &used) };
    for (size_t i = 0; i < m->call_count; i++) {
        const struct run_call *call = m->calls[i];

        facts->open += call->state == CALL_QUEUED || call->state == CALL_RUNNING;
        facts->waiting += call->state == CALL_APPROVAL || call->state == CALL_WAITING;
        facts->finish |= call->state == CALL_DONE && call->outcome == OUT_OK &&
                         run_tool_named(call->name) == RUN_TOOL_FINISH;
    }
    if (facts->open > 0 || facts->waiting > 0 || facts->finish || !m->job_is_open || m->fatal)
        return true;
    if (facts->limit == RUN_LIMIT_NONE && !limits_project(m, &facts->limit))
        return false;
    return talk_is_too_long(m, &facts->too_long);
}

/* MCP servers have listed others since its model was told what it may call. */
static bool has_other_tools(const struct moving *m)
{
    return m->ref->tools != 0 && m->ref->tools != m->edition;
}

/* The request that is to be made, put together. */
static bool put_request(struct moving *m, enum loop_verdict verdict, struct run_step *step)
{
    return verdict == LOOP_ASK ? talk_ask(m, m->claimed || m->rebuild || has_other_tools(m), step)
                               : talk_condense(m, step);
}

/* What was decided, with all that a replay cannot see in the log. */
static void note_decision(struct moving *m, const struct loop_facts *facts, const struct decided *decided)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "verdict", loop_verdict_word(decided->verdict));
    json_int(&out, "usedMs", moving_used_ms(m));
    json_int(&out, "money", m->run.money);
    if (facts->job_ended)
        json_bool(&out, "jobEnded", true);
    if (facts->fatal)
        json_text(&out, "fatal", facts->fatal);
    if (facts->advice)
        json_bool(&out, "advice", true);
    if (facts->limit >= RUN_LIMIT_PROJECT_TOKENS)
        json_text(&out, "limit", run_limit_word(facts->limit));
    if (m->short_of)
        json_int(&out, "next", m->ahead);
    if (facts->too_long)
        json_bool(&out, "tooLong", true);
    json_map_end(&out);
    moving_add(m, RUN_DECISION, decided->reason, arena_copy(m->tx->arena, data.bytes, data.len));
}

/* Doing what was decided */

/* Those that may run now: a tool that wants to be alone waits for the others, and they for it. */
static void give_calls(struct moving *m, struct run_step *step)
{
    bool lone = false;
    size_t out = 0;

    step->calls = arena_array(m->tx->arena, struct run_todo, m->call_count);
    for (size_t i = 0; i < m->call_count; i++) {
        if (m->calls[i]->state == CALL_RUNNING) {
            out++;
            lone |= is_alone(m, m->calls[i]);
        }
    }
    for (size_t i = 0; i < m->call_count; i++) {
        struct run_call *call = m->calls[i];

        if (call->state != CALL_QUEUED || lone || (is_alone(m, call) && out > 0))
            continue;
        lone = is_alone(m, call);
        out++;
        step->calls[step->call_count++] = (struct run_todo){
            .call_id = call->id,
            .tool = moving_tool(m, call),
            .arguments = judge_arguments(call),
            .work = { m->run.job_id, m->run.project_id, m->run.task_id },
        };
    }
}

static bool follow(struct moving *m, const struct loop_facts *facts, const struct decided *decided,
                   struct run_step *step)
{
    const struct run_budget budget = limits_of(m), used = limits_used(m);

    switch (decided->verdict) {
    case LOOP_ASK:
        m->run.phase = RUN_ASKING;
        m->run.told_seq = m->run.last_seq;
        return true;
    case LOOP_CALL:
        m->run.phase = RUN_CALLING;
        give_calls(m, step);
        return true;
    case LOOP_CONDENSE: m->run.phase = RUN_CONDENSING; return true;
    case LOOP_WAIT:
        m->run.phase = RUN_WAITING;
        step->over = true;
        return true;
    case LOOP_COMPLETE: step->over = true; return closing_complete(m);
    case LOOP_FAIL:
        step->over = true;
        if (facts->fatal)
            return closing_fail(m, facts->fatal);
        if (facts->limit == RUN_LIMIT_NONE || facts->mistakes >= LIMIT_RUN_MISTAKES)
            return closing_give_up(m, RUN_LIMIT_NONE, decided->reason);
        return closing_give_up(m, facts->limit,
                               m->short_of ? m->short_of
                                           : loop_limit_words(m->tx->arena, facts->limit, &budget, &used));
    case LOOP_STOP: step->over = true; return closing_stop(m);
    case LOOP_VERDICT_END: break;
    }
    return true;
}

/* Storing */

static bool save_entries(struct moving *m)
{
    struct db_arg *rows =
        arena_array(m->tx->arena, struct db_arg, m->entry_count * RUN_ENTRY_INSERT_WIDTH + 1);

    for (size_t i = 0; i < m->entry_count; i++)
        run_entry_put_insert(&m->entries[i], &rows[i * RUN_ENTRY_INSERT_WIDTH]);
    return db_exec_rows(m->tx->db, m->tx->arena, SQL_RUN_ENTRY_INSERT, SQL_RUN_ENTRY_INSERT_MANY,
                        RUN_ENTRY_INSERT_WIDTH, rows, m->entry_count, NULL, m->tx->err);
}

static bool save_calls(struct moving *m)
{
    struct db_arg *added =
        arena_array(m->tx->arena, struct db_arg, m->call_count * RUN_CALL_INSERT_WIDTH + 1);
    struct db_arg *changed =
        arena_array(m->tx->arena, struct db_arg, m->call_count * RUN_CALL_UPDATE_WIDTH + 1);
    size_t add = 0, change = 0;

    for (size_t i = 0; i < m->call_count; i++) {
        if (m->notes[i].fresh)
            run_call_put_insert(m->calls[i], &added[add++ * RUN_CALL_INSERT_WIDTH]);
        else if (m->calls[i]->dirty)
            run_call_put_update(m->calls[i], &changed[change++ * RUN_CALL_UPDATE_WIDTH]);
    }
    return db_exec_rows(m->tx->db, m->tx->arena, SQL_RUN_CALL_INSERT, SQL_RUN_CALL_INSERT_MANY,
                        RUN_CALL_INSERT_WIDTH, added, add, NULL, m->tx->err) &&
           db_exec_rows(m->tx->db, m->tx->arena, SQL_RUN_CALL_UPDATE, SQL_RUN_CALL_UPDATE_MANY,
                        RUN_CALL_UPDATE_WIDTH, changed, change, NULL, m->tx->err);
}

static bool save_run(struct moving *m, bool over)
{
    struct db_arg row[RUN_UPDATE_WIDTH + UPDATE_EXTRAS];
    bool ended = m->run.phase == RUN_ENDED;
    size_t at = RUN_UPDATE_WIDTH, changed;

    count_time(m, !over && !only_asks(m));
    if (ended)
        m->run.ended_ms = m->tx->now_ms;
    run_put_update(&m->run, row);
    row[at++] = db_int(m->news_seen);
    row[at++] = db_int(ended ? WANTED_NEVER : over ? WANTED_ON_NEWS : WANTED);
    row[at++] = db_int(!over);
    row[at++] = db_text(m->ref->node);
    row[at] = db_int(m->ref->epoch);
    return tx_exec(m->tx, SQL_RUN_UPDATE, RUN_UPDATE_WIDTH + UPDATE_EXTRAS, row, &changed) &&
           holding_wrote(m->tx, HOLDING_RUN, changed);
}

static bool tell_moved(struct moving *m)
{
    struct docket *docket;
    BUF_AUTO data = { 0 };
    struct json_out out;
    struct job *job;

    if (!moving_docket(m, &docket, &job))
        return false;
    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "jobId", m->run.job_id);
    json_text(&out, "phase", run_phase_word(m->run.phase));
    json_int(&out, "step", m->run.step);
    json_int(&out, "lastSeq", m->run.last_seq);
    json_map_end(&out);
    docket_event(docket, &(struct event){ .workspace_id = m->run.workspace_id,
                                          .type = EVENT_RUN_MOVED,
                                          .project_id = m->run.project_id,
                                          .job_id = m->run.job_id,
                                          .data = arena_copy(m->tx->arena, data.bytes, data.len) });
    return true;
}

/* The first that anybody does about it: it runs. */
static bool begin(struct moving *m)
{
    struct docket *docket;
    struct job *job;

    if (!m->run.started_ms)
        m->run.started_ms = m->tx->now_ms;
    if (!m->run.began_ms)
        m->run.began_ms = m->tx->now_ms;
    if (m->run.phase != RUN_OPENING || !m->job_is_open)
        return true;
    if (!moving_docket(m, &docket, &job))
        return false;
    if (job->status == JOB_PENDING)
        docket_set_status(docket, job, JOB_RUNNING);
    return true;
}

bool moving_keep(struct moving *m)
{
    count_time(m, !only_asks(m));
    return save_entries(m) &&
           tx_exec(m->tx, SQL_RUN_KEEP,
                   DB_ARGS(db_text(m->run.job_id), db_int(m->run.used_ms), db_ms(m->run.began_ms),
                           db_int(m->run.last_seq)),
                   NULL) &&
           tell_moved(m) && moving_flush(m) && limits_save(m);
}

static bool is_request(enum loop_verdict verdict)
{
    return verdict == LOOP_ASK || verdict == LOOP_CONDENSE;
}

/* What follows. How much a model is told is known when it is put together, and decides once more. */
static bool decide(struct moving *m, struct loop_facts *facts, bool again, struct run_step *step,
                   struct decided *decided)
{
    const struct run_step none = *step;

    decided->verdict = loop_next(facts, LIMIT_RUN_MISTAKES, &decided->reason);
    if (!is_request(decided->verdict))
        return true;
    if (!put_request(m, decided->verdict, step) || !limits_ahead(m, facts, again))
        return false;
    decided->verdict = loop_next(facts, LIMIT_RUN_MISTAKES, &decided->reason);
    if (!is_request(decided->verdict))
        *step = none;
    return true;
}

bool moving_run(struct moving *m, struct run_step *step)
{
    enum run_phase before = m->run.phase;
    struct loop_facts facts;
    struct decided decided;

    *step = (struct run_step){ .speaker = m->run.agent, .edition = m->edition };
    if (!begin(m))
        return false;
    /* While a model is asked, nothing is taken in behind its back: it is told with the next request. */
    bool again = m->heard && m->entry_count == 0 && (before == RUN_ASKING || before == RUN_CONDENSING);

    if (m->job_is_open && !again && (m->claimed || m->run.news > 0) && !people_settle(m))
        return false;
    if (m->job_is_open && !m->fatal && !judge_waited(m))
        return false;
    if (m->job_is_open && !m->fatal)
        own_tools_finish(m);
    if (!gather(m, &facts))
        return false;
    if (!decide(m, &facts, again, step, &decided))
        return false;
    if (!again || decided.verdict != (before == RUN_ASKING ? LOOP_ASK : LOOP_CONDENSE))
        note_decision(m, &facts, &decided);
    if (!follow(m, &facts, &decided, step))
        return false;
    step->phase = m->run.phase;
    step->unwanted = m->unwanted;
    step->unwanted_count = m->unwanted_count;
    if (!step->over && m->run.budget_ms > 0 && !only_asks(m))
        step->due_ms = m->run.began_ms + m->run.budget_ms - m->run.used_ms;
    return save_entries(m) && save_calls(m) && tell_moved(m) && save_run(m, step->over) && moving_flush(m) &&
           limits_save(m);
}
