/*
 * The seam (run_drive.h): what has come back from outside is stored, and the machine goes on with it, in one
 * transaction.
 */
#include "core/runs/run_drive.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/runs/moving.h"

#include <math.h>
#include <string.h>

#define KIND_SUMMARY "summary"

bool run_claim(const struct tx *tx, const char *node, size_t limit, struct held_row **list, size_t *count)
{
    return holding_claim(tx, HOLDING_RUN, node, limit, list, count);
}

/* What was decided about a call that was to end, for a replay; `data`: what came beside its text, or NULL. */
static const char *ended_data(struct moving *m, const struct ended_facts *facts, enum ended_verdict verdict,
                              const char *data)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_map(&out, NULL);
    if (verdict != ENDED_RESULT)
        json_text(&out, "rule", "ended");
    json_text(&out, "verdict", ended_verdict_word(verdict));
    json_text(&out, "outcome", run_outcome_word(facts->outcome));
    json_bool(&out, "idempotent", facts->idempotent);
    if (facts->died)
        json_bool(&out, "died", true);
    if (data && strlen(data) <= LIMIT_RUN_OUTPUT)
        json_raw(&out, "structured", data);
    json_map_end(&out);
    return arena_copy(m->tx->arena, text.bytes, text.len);
}

/* Nobody is left who would take the answer to what its tool has asked. */
static bool drop_asked(struct moving *m, const struct run_call *call)
{
    struct docket *docket;
    struct question *question;
    struct job *job;

    if (!call->elicitation)
        return true;
    if (!moving_docket(m, &docket, &job))
        return false;
    question = docket_question(docket, call->question_id);
    if (question && question_is_open(question))
        docket_end(docket, question,
                   &(struct ending){ .status = QUESTION_CANCELLED,
                                     .source = OUTCOME_CANCELLED,
                                     .by = ACTOR_SYSTEM,
                                     .reason = "The tool that asked this has ended." });
    return true;
}

/* A tool has ended, or its node has died. */
static bool follow_end(struct moving *m, struct run_call *call, const struct ended_facts *facts,
                       const char *text, const char *data)
{
    const char *reason;
    enum ended_verdict verdict = loop_ended(facts, &reason);

    if (!drop_asked(m, call))
        return false;
    call->elicitation = NULL;
    call->question_id = NULL;
    call->dirty = true;
    if (verdict == ENDED_RESULT) {
        moving_done(m, call, facts->outcome, text, ended_data(m, facts, verdict, data));
        return true;
    }
    moving_add(m, RUN_DECISION, reason, ended_data(m, facts, verdict, data))->call_id = call->id;
    if (verdict == ENDED_ADVICE)
        return people_advise(m, call, facts->outcome, text);
    call->state = CALL_QUEUED;
    return true;
}

/* As its tool is now: who has taken that back in the meantime, means it. */
static bool may_repeat(struct moving *m, const struct run_call *call)
{
    const struct tool *tool = moving_tool(m, call);

    return call->idempotent && tool && tool->idempotent && call->attempt < RUN_RETRIES_MOST;
}

/* A tool that ran under an earlier claim is lost with its node: nobody knows how far it came. */
static bool find_lost(struct moving *m)
{
    for (size_t i = 0; i < m->call_count; i++) {
        struct run_call *call = m->calls[i];
        struct ended_facts facts = { .outcome = OUT_INTERRUPTED,
                                     .idempotent = may_repeat(m, call),
                                     .died = true,
                                     .recover = m->run.recover };

        if (call->state == CALL_RUNNING && call->epoch != m->ref->epoch &&
            !follow_end(m, call, &facts, "The server stopped while it ran: nobody knows how far it came.",
                        NULL))
            return false;
    }
    return true;
}

/* With nothing new, from what is stored. */
static bool move_on(struct moving *m, struct run_step *step)
{
    m->claimed = true;
    m->heard = m->run.phase == RUN_ASKING || m->run.phase == RUN_CONDENSING || m->run.advice_id;
    return (!m->job_is_open || find_lost(m)) && moving_run(m, step);
}

bool run_advance(const struct tx *tx, const struct run_ref *ref, struct run_step *step)
{
    struct moving m;

    return moving_enter(tx, ref, &m) && moving_load_calls(&m) && move_on(&m, step);
}

/* A reply */

/* What a reply took, in tokens. A provider that does not say is not free: it is estimated then. */
struct tokens_taken {
    int64_t in, out;
    bool estimated;
};

static int64_t said_tokens(const struct llm_result *result)
{
    size_t bytes = result->text ? strlen(result->text) : 0;

    for (size_t i = 0; i < result->tool_call_count; i++)
        bytes += strlen(result->tool_calls[i].name) + strlen(result->tool_calls[i].arguments);
    return loop_tokens(bytes);
}

/* Of a call that brought nothing, and of lines of a script, nothing is estimated. */
static struct tokens_taken taken_by(const struct moving *m, const struct llm_result *result)
{
    struct tokens_taken taken = { .in = result->usage.input, .out = result->usage.output };
    bool spoke = !result->scripted && (result->kind == LLM_FINE || said_tokens(result) > 0);

    if (taken.in == LLM_NOT_REPORTED) {
        taken.in = spoke ? m->run.context_tokens : 0;
        taken.estimated = spoke;
    }
    if (taken.out == LLM_NOT_REPORTED) {
        taken.out = spoke ? said_tokens(result) : 0;
        taken.estimated |= spoke;
    }
    return taken;
}

static void count_usage(struct moving *m, const struct run_reply *reply, const struct tokens_taken *taken)
{
    const struct llm_usage *usage = &reply->result->usage;
    const struct llm_model *priced = reply->priced;
    int64_t money = 0;

    m->run.turns += !reply->kind; /* a summary is none of its turns */
    m->run.usage_missing += usage->input == LLM_NOT_REPORTED && usage->output == LLM_NOT_REPORTED;
    /* Prices are for a million tokens, and money is counted in millionths. */
    if (priced && priced->price_in > 0)
        money += llround((double)taken->in * priced->price_in);
    if (priced && priced->price_out > 0)
        money += llround((double)taken->out * priced->price_out);
    moving_take(m, taken->in, taken->out, money);
    if (reply->model)
        m->run.model = arena_text(m->tx->arena, reply->model);
}

static void put_usage(struct run_entry *entry, const struct run_reply *reply,
                      const struct tokens_taken *taken)
{
    entry->model = reply->model;
    entry->tokens_in = taken->in;
    entry->tokens_out = taken->out;
    entry->took_ms = reply->result->whole_ms;
}

/* The model's calls as rows; the order is the model's. */
static void make_calls(struct moving *m, const struct llm_result *result)
{
    m->call_count = result->tool_call_count;
    m->calls = arena_array(m->tx->arena, struct run_call *, m->call_count + 1);
    m->notes = arena_array(m->tx->arena, struct call_notes, m->call_count + 1);
    for (size_t i = 0; i < m->call_count; i++) {
        const struct llm_tool_call *made = &result->tool_calls[i];
        struct run_call *call = arena_new(m->tx->arena, struct run_call);

        *call = (struct run_call){
            .id = uuid_new(m->tx->arena),
            .job_id = m->run.job_id,
            .step = m->run.step,
            .position = (int64_t)i,
            .provider_id = moving_clean(m, made->id, LIMIT_REF),
            .name = moving_clean(m, made->name, LIMIT_REF),
            .arguments = moving_clean(m, made->arguments, LIMIT_RUN_REPLY),
            .state = CALL_PROPOSED,
            .created_ms = m->tx->now_ms,
        };
        m->calls[i] = call;
        m->notes[i].fresh = true;
    }
}

/* What the conversation is put together from again after a claim. */
static const char *reply_data(const struct moving *m, const struct run_reply *reply, bool estimated)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "provider", reply->provider);
    json_text(&out, "finish", llm_finish_name(reply->result->finish));
    if (reply->result->scripted)
        json_bool(&out, "rehearsed", true);
    if (estimated)
        json_bool(&out, "estimated", true);
    json_list(&out, "calls");
    for (size_t i = 0; i < m->call_count; i++) {
        json_map(&out, NULL);
        json_text(&out, "call", m->calls[i]->id);
        json_text(&out, "id", m->calls[i]->provider_id);
        json_text(&out, "name", m->calls[i]->name);
        json_text(&out, "arguments", m->calls[i]->arguments);
        json_map_end(&out);
    }
    json_list_end(&out);
    json_map_end(&out);
    return arena_copy(m->tx->arena, data.bytes, data.len);
}

static void take_words(struct moving *m, const struct llm_result *result, const char *text)
{
    bool cut = result->finish == LLM_FINISH_LENGTH;
    BUF_AUTO handed = { 0 };
    struct json_out out;

    if (m->call_count > 0)
        return;
    m->blank = cut || str_is_blank(text);
    if (m->blank) {
        m->mistake = cut ? "The reply was cut off because it was too long." : "The reply was empty.";
        moving_add(
            m, RUN_NOTE,
            cut ? "Your reply was cut off because it was too long. Say it in fewer words, or call finish."
                : "Your reply was empty. Call a tool, or call finish with the result.",
            NULL);
        return;
    }
    json_begin(&out, &handed);
    json_map(&out, NULL);
    json_text(&out, "result", text);
    json_map_end(&out);
    m->result = arena_copy(m->tx->arena, handed.bytes, handed.len);
}

static bool judge_calls(struct moving *m, const struct llm_result *result)
{
    for (size_t i = 0; i < m->call_count; i++)
        if (!judge_call(m, m->calls[i], result->tool_calls[i].is_object, i >= LIMIT_RUN_CALLS))
            return false;
    return true;
}

static void count_mistakes(struct moving *m)
{
    size_t wrong = 0;

    for (size_t i = 0; i < m->call_count; i++)
        if (m->calls[i]->state == CALL_DONE && outcome_is_mistake(m->calls[i]->outcome)) {
            m->mistake = m->calls[i]->output;
            wrong++;
        }
    if (m->blank || (m->call_count > 0 && wrong == m->call_count))
        m->run.mistakes++;
    else
        m->run.mistakes = 0;
}

static bool take_said(struct moving *m, const struct run_reply *reply, const struct tokens_taken *taken)
{
    const struct llm_result *result = reply->result;
    const char *text = moving_clean(m, result->text, LIMIT_RUN_REPLY);

    m->run.step++;
    make_calls(m, result);
    put_usage(moving_add(m, RUN_REPLY, text, reply_data(m, reply, taken->estimated)), reply, taken);
    if (result->usage.input == LLM_NOT_REPORTED)
        m->run.context_tokens += said_tokens(result);
    else
        m->run.context_tokens = taken->in + taken->out;
    take_words(m, result, text);
    if (!judge_calls(m, result))
        return false;
    count_mistakes(m);
    return true;
}

static bool take_failure(struct moving *m, const struct run_reply *reply, const struct tokens_taken *taken)
{
    const struct llm_result *result = reply->result;
    const char *words = *result->words ? arena_text(m->tx->arena, result->words) : "The model gave no reply.";

    m->heard = true;
    put_usage(moving_add(m, RUN_ERROR, words,
                         arena_format(m->tx->arena, "{\"kind\":\"%s\",\"status\":%d,\"attempts\":%d}",
                                      llm_kind_name(result->kind), result->status, result->attempts)),
              reply, taken);
    if (m->run.recover)
        return people_advise_model(m, words);
    m->fatal = words;
    return true;
}

static bool take_summary(struct moving *m, const struct run_reply *reply, const struct tokens_taken *taken)
{
    const char *text = moving_clean(m, reply->result->text, LIMIT_RUN_REPLY);

    m->heard = true;
    if (!moving_load_calls(m))
        return false;
    if (str_is_blank(text)) {
        m->run.mistakes++;
        m->mistake = "The summary was empty.";
        put_usage(moving_add(m, RUN_ERROR, m->mistake, "{\"mistake\":true}"), reply, taken);
        return true;
    }
    struct run_entry *entry = moving_add(m, RUN_CONDENSED, text, NULL);

    put_usage(entry, reply, taken);
    return talk_condensed(m, text, entry);
}

static bool is_stored(const struct moving *m, const struct run_reply *reply)
{
    if (str_equal(reply->kind, KIND_SUMMARY))
        return m->run.phase != RUN_CONDENSING;
    return m->run.turns >= reply->turn;
}

/* Who hands a reply in again was not told how its commit went: the calls that were begun with it have not
 * been started, and are to be begun anew. */
static bool follow_stored(struct moving *m, struct run_step *step)
{
    if (!moving_load_calls(m))
        return false;
    for (size_t i = 0; i < m->call_count; i++) {
        struct run_call *call = m->calls[i];

        if (call->state != CALL_RUNNING || call->epoch != m->ref->epoch)
            continue;
        call->state = CALL_QUEUED;
        call->attempt--;
        call->dirty = true;
        m->notes[i].begun = true;
    }
    return move_on(m, step);
}

bool run_take_reply(const struct tx *tx, const struct run_ref *ref, const struct run_reply *reply,
                    struct run_step *step)
{
    struct moving m;
    bool taken;

    if (!moving_enter(tx, ref, &m))
        return false;
    if (is_stored(&m, reply))
        return follow_stored(&m, step);
    if (m.run.phase != RUN_ASKING && m.run.phase != RUN_CONDENSING) {
        err_set(tx->err, ERR_NOT_FOUND, "This run does not ask its model.");
        return holding_gone(tx);
    }
    if (!m.job_is_open)
        return moving_load_calls(&m) && moving_run(&m, step);
    const struct tokens_taken tokens = taken_by(&m, reply->result);

    count_usage(&m, reply, &tokens);
    if (reply->result->kind != LLM_FINE)
        taken = moving_load_calls(&m) && take_failure(&m, reply, &tokens);
    else if (str_equal(reply->kind, KIND_SUMMARY))
        taken = take_summary(&m, reply, &tokens);
    else
        taken = take_said(&m, reply, &tokens);
    return taken && moving_run(&m, step);
}

/* Calls of tools */

bool run_call_begin(const struct tx *tx, const struct run_ref *ref, const char *call_id, bool in_doubt)
{
    size_t changed;

    if (!tx_exec(tx, SQL_RUN_CALL_BEGIN,
                 DB_ARGS(db_text(call_id), db_text(ref->job_id), db_text(ref->node), db_int(ref->epoch),
                         db_int(tx->now_ms), db_int(in_doubt)),
                 &changed))
        return false;
    if (changed > 0)
        return true;
    err_set(tx->err, ERR_NOT_FOUND, "This call is not to be run any more.");
    return holding_gone(tx);
}

/* The call of this claim that runs. */
static bool find_running(struct moving *m, const char *call_id, struct run_call **call)
{
    if (!moving_load_calls(m))
        return false;
    *call = moving_call(m, call_id);
    if (*call && (*call)->state == CALL_RUNNING && (*call)->epoch == m->ref->epoch)
        return true;
    err_set(m->tx->err, ERR_NOT_FOUND, "This call does not run.");
    return holding_gone(m->tx);
}

bool run_call_end(const struct tx *tx, const struct run_ref *ref, const char *call_id,
                  const struct tool_result *result, struct run_step *step)
{
    struct moving m;
    struct run_call *call;

    if (!moving_enter(tx, ref, &m) || !find_running(&m, call_id, &call))
        return false;
    struct ended_facts facts = { .outcome = (enum run_outcome)(result->end + 1),
                                 .idempotent = may_repeat(&m, call),
                                 .recover = m.run.recover };

    /* Of a job that has ended nobody is asked anything. */
    if (m.job_is_open &&
        !follow_end(&m, call, &facts, moving_clean(&m, result->text, LIMIT_RUN_OUTPUT), result->data))
        return false;
    return moving_run(&m, step);
}

bool run_call_progress(const struct tx *tx, const struct run_ref *ref, const char *call_id, double done,
                       double total, const char *words)
{
    struct moving m;
    struct run_call *call;
    struct docket *docket;
    struct job *job;

    if (!moving_enter(tx, ref, &m) || !find_running(&m, call_id, &call) || !moving_docket(&m, &docket, &job))
        return false;
    if (job_is_open(job) &&
        !docket_report(
            docket, job,
            &(struct job_progress){ .has_done = true,
                                    .done = done,
                                    .has_total = total > 0,
                                    .total = total,
                                    .step = words ? moving_clean(&m, words, LIMIT_OPTION) : call->name }))
        return false;
    return moving_flush(&m);
}

bool run_fail(const struct tx *tx, const struct run_ref *ref, const char *reason)
{
    struct moving m;
    struct run_step step;

    if (!moving_enter(tx, ref, &m) || !moving_load_calls(&m))
        return false;
    m.heard = true;
    m.fatal = reason;
    return moving_run(&m, &step);
}

bool run_let_go(const struct tx *tx, const struct run_ref *ref)
{
    return tx_exec(tx, SQL_RUN_LET_GO, DB_ARGS(db_text(ref->job_id), db_text(ref->node), db_int(ref->epoch)),
                   NULL);
}
