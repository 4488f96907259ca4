/*
 * A step reads the job with its open questions, the run, and, unless they have just been made, the calls of
 * the last reply; it writes the entries, the calls, the run and what the docket has gathered, each with one
 * statement. The conversation is not read for it, but after a claim.
 */
#include "core/runs/moving.h"

#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"

#include <string.h>

#define ENTRIES_FIRST 16
#define DAY_MS        (24LL * 3600 * 1000)

/* What run_update takes behind the noun's own values. */
#define UPDATE_EXTRAS 5
_Static_assert(RUN_UPDATE_WIDTH == 20, "as run_update in src/db/sql/run.sql counts its parameters");

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
    m->stored_seq = m->run.last_seq;
    m->tools = tools_now(tx->arena);
    become_agent(m);
    return holding_fence(tx, HOLDING_RUN, &(struct holding_as){ m->run.node, m->run.epoch },
                         &(struct holding_as){ ref->node, ref->epoch });
}

bool moving_load_calls(struct moving *m)
{
    struct run_call *calls;
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_RUN_CALL_LIST, DB_ARGS(db_text(m->run.job_id), db_int(m->run.step)), &rows) ||
        !run_call_from_rows(m->tx, &rows, rows.count, &calls))
        return false;
    m->calls = arena_array(m->tx->arena, struct run_call *, rows.count + 1);
    m->fresh = arena_array(m->tx->arena, bool, rows.count + 1);
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
    if (text && (kind == RUN_RESULT || kind == RUN_NOTE))
        m->run.context_tokens += loop_tokens(strlen(text));
    return entry;
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
    entry = moving_add(m, RUN_RESULT, output, data);
    entry->call_id = call->id;
    entry->took_ms = call->started_ms ? m->tx->now_ms - call->started_ms : 0;
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

/* Deciding */

int64_t moving_used_ms(const struct moving *m)
{
    return m->run.used_ms + (m->run.began_ms ? m->tx->now_ms - m->run.began_ms : 0);
}

static struct run_budget budget_of(const struct run *run)
{
    return (struct run_budget){ run->budget_steps, run->budget_tokens, run->budget_ms, run->budget_money };
}

static struct run_budget used_of(const struct moving *m)
{
    return (struct run_budget){ m->run.step, m->run.tokens_in + m->run.tokens_out, moving_used_ms(m),
                                m->run.money };
}

/* What all runs of the project may take in a day. */
static bool project_limit(struct moving *m, enum run_limit *limit)
{
    int64_t tokens = settings()->runner_project_tokens, money = settings()->runner_project_money;
    struct db_rows rows;

    if (!m->run.project_id || (tokens == 0 && money == 0))
        return true;
    if (!tx_query(m->tx, SQL_RUN_PROJECT_SPENT,
                  DB_ARGS(db_text(m->run.project_id), db_int(m->tx->now_ms - DAY_MS), db_text(m->run.job_id)),
                  &rows))
        return false;
    if (tokens > 0 && db_cell_int(&rows, 0, 0) + m->run.tokens_in + m->run.tokens_out >= tokens)
        *limit = RUN_LIMIT_PROJECT_TOKENS;
    else if (money > 0 && db_cell_int(&rows, 0, 1) + m->run.money >= money * MONEY_MILLIONTHS)
        *limit = RUN_LIMIT_PROJECT_MONEY;
    return true;
}

static bool gather(struct moving *m, struct loop_facts *facts)
{
    const struct run_budget budget = budget_of(&m->run), used = used_of(m);

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
    if (facts->limit == RUN_LIMIT_NONE && !project_limit(m, &facts->limit))
        return false;
    return talk_is_too_long(m, &facts->too_long);
}

/* What was decided, with all that a replay cannot see in the log. */
static void note_decision(struct moving *m, const struct loop_facts *facts, enum loop_verdict verdict,
                          const char *reason)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "verdict", loop_verdict_word(verdict));
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
    if (facts->too_long)
        json_bool(&out, "tooLong", true);
    json_map_end(&out);
    moving_add(m, RUN_DECISION, reason, arena_copy(m->tx->arena, data.bytes, data.len));
}

/* Doing what was decided */

static const struct tool *tool_of(const struct moving *m, const struct run_call *call)
{
    return tool_named(m->tools, call->name);
}

/* Those that may run now: a tool that wants to be alone waits for the others, and they for it. */
static void give_calls(struct moving *m, struct run_step *step)
{
    bool lone = false;
    size_t out = 0;

    step->calls = arena_array(m->tx->arena, struct run_todo, m->call_count);
    for (size_t i = 0; i < m->call_count; i++) {
        const struct tool *tool = tool_of(m, m->calls[i]);

        if (m->calls[i]->state == CALL_RUNNING) {
            out++;
            lone |= tool && tool->alone;
        }
    }
    for (size_t i = 0; i < m->call_count; i++) {
        struct run_call *call = m->calls[i];
        const struct tool *tool = tool_of(m, call);

        if (call->state != CALL_QUEUED || lone || (tool->alone && out > 0))
            continue;
        lone = tool->alone;
        out++;
        step->calls[step->call_count++] = (struct run_todo){
            .call_id = call->id,
            .tool = tool,
            .arguments = call->approved_arguments ? call->approved_arguments : call->arguments,
        };
    }
}

/* A tool that was there when its call was judged may be gone by now. */
static void drop_lost_tools(struct moving *m)
{
    for (size_t i = 0; i < m->call_count; i++)
        if (m->calls[i]->state == CALL_QUEUED && !tool_of(m, m->calls[i]))
            moving_done(m, m->calls[i], OUT_UNAVAILABLE, "This tool is not there any more.", NULL);
}

static bool follow(struct moving *m, const struct loop_facts *facts, enum loop_verdict verdict,
                   const char *reason, struct run_step *step)
{
    const struct run_budget budget = budget_of(&m->run), used = used_of(m);

    switch (verdict) {
    case LOOP_ASK: m->run.phase = RUN_ASKING; return talk_ask(m, m->claimed || m->rebuild, step);
    case LOOP_CALL:
        m->run.phase = RUN_CALLING;
        give_calls(m, step);
        return true;
    case LOOP_CONDENSE: m->run.phase = RUN_CONDENSING; return talk_condense(m, step);
    case LOOP_WAIT:
        m->run.phase = RUN_WAITING;
        step->over = true;
        return true;
    case LOOP_COMPLETE: step->over = true; return closing_complete(m);
    case LOOP_FAIL:
        step->over = true;
        return closing_fail(m, facts->fatal ? facts->fatal
                               : facts->limit != RUN_LIMIT_NONE && facts->mistakes < LIMIT_RUN_MISTAKES
                                   ? loop_limit_words(m->tx->arena, facts->limit, &budget, &used)
                                   : reason);
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
        if (m->fresh[i])
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

    if (over && m->run.began_ms) {
        m->run.used_ms = moving_used_ms(m);
        m->run.began_ms = 0;
    }
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

bool moving_run(struct moving *m, struct run_step *step)
{
    enum run_phase before = m->run.phase;
    struct loop_facts facts;
    enum loop_verdict verdict;
    const char *reason;

    *step = (struct run_step){ .speaker = m->run.agent };
    if (!begin(m))
        return false;
    /* While a model is asked, nothing is taken in behind its back: it is told with the next request. */
    bool again = m->heard && m->entry_count == 0 && (before == RUN_ASKING || before == RUN_CONDENSING);

    if (m->job_is_open && !again && (m->claimed || m->run.news > 0) && !people_settle(m))
        return false;
    drop_lost_tools(m);
    if (!gather(m, &facts))
        return false;
    verdict = loop_next(&facts, LIMIT_RUN_MISTAKES, &reason);
    if (!again || verdict != (before == RUN_ASKING ? LOOP_ASK : LOOP_CONDENSE))
        note_decision(m, &facts, verdict, reason);
    if (!follow(m, &facts, verdict, reason, step))
        return false;
    step->phase = m->run.phase;
    step->unwanted = m->unwanted;
    step->unwanted_count = m->unwanted_count;
    if (!step->over && m->run.budget_ms > 0)
        step->due_ms = m->run.began_ms + m->run.budget_ms - m->run.used_ms;
    return save_entries(m) && save_calls(m) && tell_moved(m) && save_run(m, step->over) && moving_flush(m);
}
