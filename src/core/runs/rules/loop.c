/*
 * The order of the questions in loop_next is the order in which they settle a run: an end that came from
 * outside, then a result, then its time, then what is still out, and only then what it may still cost. So a
 * run whose last reply was its result is completed however much of its budget is used, and one whose time is
 * up does not wait for what is out.
 */
#include "core/runs/rules/loop.h"

#include <string.h>

const char *const run_phases[] = { "opening", "asking", "calling", "waiting", "condensing", "ended", NULL };
WORDS_FIT(run_phases, RUN_PHASE_END);
const char *const run_entry_kinds[] = { "instructions", "input",     "reply",    "call",  "result",
                                        "note",         "condensed", "decision", "error", NULL };
WORDS_FIT(run_entry_kinds, RUN_ENTRY_KIND_END);
const char *const run_call_states[] = {
    "proposed", "approval", "queued", "running", "waiting", "done", NULL
};
WORDS_FIT(run_call_states, CALL_STATE_END);
const char *const run_outcomes[] = { "ok",        "error",       "unavailable", "timeout", "too_large",
                                     "cancelled", "interrupted", "rejected",    "invalid", "unknown",
                                     "forbidden", "skipped",     NULL };
WORDS_FIT(run_outcomes, OUT_END);
const char *const run_limits[] = { "steps",         "tokens",         "time",
                                   "money",         "project_tokens", "project_money",
                                   "project_steps", "project_time",   NULL };
WORDS_FIT(run_limits, RUN_LIMIT_END);
const char *const call_verdicts[] = { "run",     "run_and_tell", "ask_approval",
                                      "invalid", "unknown",      "forbidden",
                                      NULL };
WORDS_FIT(call_verdicts, CALL_VERDICT_END);
const char *const loop_verdicts[] = { "ask", "call", "wait", "condense", "complete", "fail", "stop", NULL };
WORDS_FIT(loop_verdicts, LOOP_VERDICT_END);
const char *const ended_verdicts[] = { "result", "again", "ask_advice", NULL };
WORDS_FIT(ended_verdicts, ENDED_VERDICT_END);

#define MS       1000
#define MILLIONS 1000000
#define OPENING  2 /* the instructions and the task come first, and are never condensed */

bool outcome_is_mistake(enum run_outcome outcome)
{
    return outcome == OUT_INVALID || outcome == OUT_UNKNOWN || outcome == OUT_FORBIDDEN;
}

static bool is_reached(int64_t most, int64_t used)
{
    return most > 0 && used >= most;
}

enum run_limit loop_limit(const struct run_budget *budget, const struct run_budget *used)
{
    if (is_reached(budget->steps, used->steps))
        return RUN_LIMIT_STEPS;
    if (is_reached(budget->tokens, used->tokens))
        return RUN_LIMIT_TOKENS;
    if (is_reached(budget->ms, used->ms))
        return RUN_LIMIT_TIME;
    return is_reached(budget->money, used->money) ? RUN_LIMIT_MONEY : RUN_LIMIT_NONE;
}

const char *loop_limit_words(struct arena *arena, enum run_limit limit, const struct run_budget *budget,
                             const struct run_budget *used)
{
    switch (limit) {
    case RUN_LIMIT_STEPS:
        return arena_format(arena, "Its budget is used up: %lld of %lld steps.", (long long)used->steps,
                            (long long)budget->steps);
    case RUN_LIMIT_TOKENS:
        return arena_format(arena, "Its budget is used up: %lld of %lld tokens.", (long long)used->tokens,
                            (long long)budget->tokens);
    case RUN_LIMIT_TIME:
        return arena_format(arena, "Its budget is used up: %lld of %lld seconds.", (long long)used->ms / MS,
                            (long long)budget->ms / MS);
    case RUN_LIMIT_MONEY:
        return arena_format(arena, "Its budget is used up: %.6g of %.6g in money.",
                            (double)used->money / MILLIONS, (double)budget->money / MILLIONS);
    case RUN_LIMIT_PROJECT_TOKENS:
        return "The budget of its project is used up: it has taken all tokens that it may take in a day.";
    case RUN_LIMIT_PROJECT_MONEY:
        return "The budget of its project is used up: it has cost what it may cost in a day.";
    case RUN_LIMIT_PROJECT_STEPS:
        return "The budget of its project is used up: it has taken all steps that it may take in a day.";
    case RUN_LIMIT_PROJECT_TIME:
        return "The budget of its project is used up: it has taken all the time that it may take in a day.";
    case RUN_LIMIT_END:
    case RUN_LIMIT_NONE: break;
    }
    return "Its budget is not used up.";
}

enum run_limit loop_limit_ahead(const struct run_budget *budget, const struct run_budget *used, int64_t next)
{
    return next > 0 && is_reached(budget->tokens, used->tokens + next) ? RUN_LIMIT_TOKENS : RUN_LIMIT_NONE;
}

const char *loop_ahead_words(struct arena *arena, enum run_limit limit, int64_t next, int64_t left,
                             int64_t most)
{
    return arena_format(
        arena, "%s: what its model would be told next takes about %lld tokens, and %lld of %lld%s are left.",
        limit == RUN_LIMIT_TOKENS ? "Its budget is used up" : "The budget of its project is used up",
        (long long)next, (long long)left, (long long)most, limit == RUN_LIMIT_TOKENS ? "" : " a day");
}

enum call_verdict loop_judge(const struct call_facts *facts, const char **reason)
{
    if (!facts->known) {
        *reason = "There is no such tool.";
        return CALL_IS_UNKNOWN;
    }
    if (!facts->here) {
        *reason = "The operator does not allow this tool here.";
        return CALL_IS_FORBIDDEN;
    }
    if (facts->placeless) {
        *reason = "This tool works in the folder of a task, and this job has none.";
        return CALL_IS_FORBIDDEN;
    }
    if (!facts->object || facts->misfit) {
        *reason = facts->misfit ? facts->misfit : "The arguments are not a JSON object.";
        return CALL_IS_INVALID;
    }
    if (facts->built_in) {
        *reason = "It is one of the run's own tools.";
        return CALL_RUNS;
    }
    if (facts->replaced) {
        *reason = "The tool has changed since this call was made.";
        return CALL_ASKS;
    }
    if (facts->approved) {
        *reason = "People have approved this call.";
        return CALL_RUNS;
    }
    if (facts->needs_approval) {
        *reason = "The operator wants each call of this tool to be approved.";
        return CALL_ASKS;
    }
    if (facts->level == CATEGORY_APPROVAL) {
        *reason = "What this tool does requires approval here.";
        return CALL_ASKS;
    }
    if (facts->changed) {
        *reason = "The tool has changed since it was last approved.";
        return CALL_ASKS;
    }
    if (facts->level == CATEGORY_NOTIFY) {
        *reason = "The project wants to be told of what this tool does.";
        return CALL_RUNS_TOLD;
    }
    *reason = "It needs nobody's approval.";
    return CALL_RUNS;
}

bool loop_finishes(const struct finish_facts *facts, const char **words)
{
    if (facts->second)
        *words = "Only the first call of finish in a reply is taken.";
    else if (facts->failed > 0)
        *words = "Not handed in: another call of this reply did not end well. "
                 "Look at what came of it, and call finish again when the work is done.";
    else if (facts->asked > 0)
        *words = "Not handed in: another call of this reply asked somebody. "
                 "Look at the answer, and call finish again when the work is done.";
    else
        *words = "Handed in.";
    return !facts->second && facts->failed == 0 && facts->asked == 0;
}

/* What follows from calls that are not done; 0: they all are. */
static enum loop_verdict of_open_calls(const struct loop_facts *facts, const char **reason)
{
    if (facts->open > 0) {
        *reason = "Tools are to be run.";
        return LOOP_CALL;
    }
    if (facts->waiting > 0 || facts->advice) {
        *reason = facts->waiting > 0 ? "It waits for others."
                                     : "People are asked what to do about the model's error.";
        return LOOP_WAIT;
    }
    return 0;
}

/* What follows from a reply all of whose calls are done; 0: the model is to be asked again. */
static enum loop_verdict of_reply(const struct loop_facts *facts, const char **reason)
{
    if (facts->finish) {
        *reason = "The agent has finished.";
        return LOOP_COMPLETE;
    }
    if (facts->begun && !facts->heard && facts->calls == 0 && !facts->blank) {
        *reason = "The agent has answered without calling a tool: that is its result.";
        return LOOP_COMPLETE;
    }
    return 0;
}

/* What keeps it from going on; 0: nothing. */
static enum loop_verdict of_limits(const struct loop_facts *facts, int64_t most, const char **reason)
{
    if (facts->mistakes >= most) {
        *reason = "The agent has made too many mistakes in a row.";
        return LOOP_FAIL;
    }
    if (facts->limit != RUN_LIMIT_NONE) {
        *reason = "Its budget is used up.";
        return LOOP_FAIL;
    }
    return 0;
}

enum loop_verdict loop_next(const struct loop_facts *facts, int64_t most, const char **reason)
{
    enum loop_verdict verdict;

    if (facts->job_ended) {
        *reason = "The job has ended.";
        return LOOP_STOP;
    }
    if (facts->fatal) {
        *reason = facts->fatal;
        return LOOP_FAIL;
    }
    if ((verdict = of_reply(facts, reason)))
        return verdict;
    if (facts->limit == RUN_LIMIT_TIME) {
        *reason = "Its time is up.";
        return LOOP_FAIL;
    }
    if ((verdict = of_open_calls(facts, reason)) || (verdict = of_limits(facts, most, reason)))
        return verdict;
    if (facts->too_long) {
        *reason = "The conversation has become too long for the model.";
        return LOOP_CONDENSE;
    }
    *reason = facts->begun ? "The model is told what came of its calls." : "It begins.";
    return LOOP_ASK;
}

enum ended_verdict loop_ended(const struct ended_facts *facts, const char **reason)
{
    bool broke = facts->outcome == OUT_INTERRUPTED || facts->died;
    bool failed = facts->outcome == OUT_UNAVAILABLE || facts->outcome == OUT_TIMEOUT;

    if (broke && facts->idempotent) {
        *reason = "It was interrupted, and may be run again.";
        return ENDED_AGAIN;
    }
    if (broke) {
        *reason = "It was interrupted: nobody knows how far it came.";
        return ENDED_ADVICE;
    }
    if (failed && facts->recover) {
        *reason = "The tool failed, and the job asks people about errors.";
        return ENDED_ADVICE;
    }
    *reason = "The agent is told what came of it.";
    return ENDED_RESULT;
}

/* Most texts have about four bytes in a token; code and other languages have fewer. */
#define BYTES_OF_TOKEN 3
#define BYTES_LIKELY   4

int64_t loop_tokens(size_t bytes)
{
    return (int64_t)((bytes + BYTES_OF_TOKEN - 1) / BYTES_OF_TOKEN);
}

int64_t loop_tokens_likely(int64_t most)
{
    return most * BYTES_OF_TOKEN / BYTES_LIKELY;
}

size_t loop_bytes(int64_t tokens)
{
    return (size_t)tokens * BYTES_OF_TOKEN;
}

/* Each round sets those aside that are not longer than the share, which makes it larger for the others. */
size_t loop_share(const size_t lens[], size_t count, size_t most)
{
    size_t share = 0;

    for (;;) {
        size_t left = most, longer = 0;

        for (size_t i = 0; i < count; i++)
            if (lens[i] <= share)
                left -= lens[i];
            else
                longer++;
        if (longer == 0)
            return SIZE_MAX;
        if (left / longer <= share)
            return share;
        share = left / longer;
    }
}

bool loop_said_by(int64_t seq, enum run_entry_kind kind, const char *text, const char *data,
                  struct loop_said *said)
{
    size_t bytes = (text ? strlen(text) : 0) + (data && kind == RUN_REPLY ? strlen(data) : 0);

    if (kind != RUN_REPLY && kind != RUN_RESULT && kind != RUN_NOTE)
        return false;
    *said = (struct loop_said){ seq, loop_tokens(bytes), kind };
    return true;
}

int64_t loop_condense_to(const struct loop_said said[], size_t count, int64_t keep)
{
    int64_t kept = 0;

    /* A cut is possible before a reply only: what follows it, up to the next one, belongs to it. */
    for (size_t i = count; i-- > 1;) {
        kept += said[i].tokens;
        if (said[i].kind == RUN_REPLY && kept >= keep)
            return said[i - 1].seq;
    }
    return 0;
}

int64_t loop_condense_from(int64_t condensed)
{
    return (condensed > OPENING ? condensed : OPENING) + 1;
}

const char *loop_condense_words(struct arena *arena, int64_t from, int64_t to)
{
    return arena_format(arena, "Entries %lld to %lld are to be condensed.", (long long)from, (long long)to);
}
