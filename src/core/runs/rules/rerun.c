/*
 * Only the calls of the last reply matter to what follows, and how long the entries are that no summary
 * stands for, so no more than those are kept, however long the log is.
 */
#include "core/runs/rules/rerun.h"

#include "base/json.h"
#include "base/str.h"

#include <string.h>

#define FINISH "finish" /* the run's own tool that ends it */

#define ERASED     "[erased]" /* as upkeep/erase_parts.h puts it for what somebody has said */
#define UNKNOWN    (-1)       /* how long a text was that has been erased since */
#define SAID_FIRST 64

/* Where a call stands: it runs or is to run, it waits for others, or it is done. */
enum standing { STANDS_OPEN = 1, STANDS_WAITING, STANDS_DONE };

struct rerun_call {
    const char *id, *name;
    enum standing standing;
    enum run_outcome outcome;
};

struct rerun {
    struct arena *arena;
    struct rerun_setup setup;
    struct run_budget used; /* steps and tokens */
    struct rerun_call *calls;
    size_t call_count;
    bool blank, heard;
    bool counted; /* the mistakes of the last reply */
    int64_t mistakes;
    struct loop_said *said; /* since the last summary */
    size_t said_count, said_room;
    int64_t condensed;  /* up to here the last summary stands for what was said; 0: there is none */
    int64_t condensing; /* where the next one ends; 0: the log does not tell */
    int64_t decisions;
    struct rerun_difference *differences;
    size_t difference_count;
};

struct rerun *rerun_begin(struct arena *arena, const struct rerun_setup *setup)
{
    struct rerun *replay = arena_new(arena, struct rerun);

    *replay = (struct rerun){ .arena = arena,
                              .setup = *setup,
                              .counted = true,
                              .differences = arena_array(arena, struct rerun_difference, RERUN_DIFFERENCES) };
    return replay;
}

static const char *word_at(const json_t *data, const char *name)
{
    return json_string_value(json_object_get(data, name));
}

static bool is_true(const json_t *data, const char *name)
{
    return json_is_true(json_object_get(data, name));
}

static unsigned word_of(const char *const words[], const json_t *data, const char *name)
{
    unsigned found = words_find(words, word_at(data, name));

    return found == WORD_UNKNOWN ? 0 : found;
}

static void differ(struct rerun *replay, int64_t seq, const char *stored, const char *recomputed)
{
    if (replay->difference_count < RERUN_DIFFERENCES)
        replay->differences[replay->difference_count++] =
            (struct rerun_difference){ .seq = seq, .stored = stored, .recomputed = recomputed };
}

static void compare(struct rerun *replay, const struct rerun_entry *entry, const char *stored,
                    const char *verdict, const char *reason)
{
    replay->decisions++;
    if (!str_equal(stored, verdict) || !str_equal(entry->text, reason))
        differ(replay, entry->seq,
               arena_format(replay->arena, "%s: %s", stored ? stored : "nothing",
                            entry->text ? entry->text : ""),
               arena_format(replay->arena, "%s: %s", verdict ? verdict : "nothing", reason));
}

static struct rerun_call *find_call(struct rerun *replay, const char *id)
{
    for (size_t i = 0; i < replay->call_count; i++)
        if (str_equal(replay->calls[i].id, id))
            return &replay->calls[i];
    return NULL;
}

static void set_standing(struct rerun *replay, const char *id, enum standing standing,
                         enum run_outcome outcome)
{
    struct rerun_call *call = find_call(replay, id);

    if (call) {
        call->standing = standing;
        call->outcome = outcome;
    }
}

static void take_reply(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    const json_t *calls = json_object_get(data, "calls");

    replay->used.steps++;
    replay->call_count = json_array_size(calls);
    replay->calls = arena_array(replay->arena, struct rerun_call, replay->call_count + 1);
    for (size_t i = 0; i < replay->call_count; i++) {
        const json_t *call = json_array_get(calls, i);

        replay->calls[i] = (struct rerun_call){ .id = arena_text(replay->arena, word_at(call, "call")),
                                                .name = arena_text(replay->arena, word_at(call, "name")),
                                                .standing = STANDS_WAITING };
    }
    replay->blank = replay->call_count == 0 && (!entry->text || str_is_blank(entry->text) ||
                                                str_equal(word_at(data, "finish"), "length"));
    replay->heard = false;
    replay->counted = false;
}

static void take_call(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    struct call_facts facts = {
        .built_in = is_true(data, "builtIn"),
        .known = is_true(data, "known"),
        .here = is_true(data, "here"),
        .placeless = is_true(data, "placeless"),
        .object = is_true(data, "object"),
        .misfit = word_at(data, "misfit"),
        .needs_approval = is_true(data, "needsApproval"),
        .level = (int)json_integer_value(json_object_get(data, "level")),
        .changed = is_true(data, "changed"),
        .replaced = is_true(data, "replaced"),
        .approved = is_true(data, "approved"),
    };
    const char *reason;
    enum call_verdict verdict = loop_judge(&facts, &reason);

    compare(replay, entry, word_at(data, "verdict"), call_verdict_word(verdict), reason);
    if ((verdict == CALL_RUNS && !facts.built_in) || verdict == CALL_RUNS_TOLD)
        set_standing(replay, entry->call_id, STANDS_OPEN, 0);
}

/* What became of a call whose tool has ended, or whose node has died. */
static void take_ended(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    struct ended_facts facts = { .outcome = (enum run_outcome)word_of(run_outcomes, data, "outcome"),
                                 .idempotent = is_true(data, "idempotent"),
                                 .died = is_true(data, "died"),
                                 .recover = replay->setup.recover };
    const char *reason;
    enum ended_verdict verdict = loop_ended(&facts, &reason);
    /* A result's text is what the model is told: the reason for it stands in the rule alone. */
    struct rerun_entry judged = *entry;

    judged.text = reason;
    compare(replay, &judged, word_at(data, "verdict"), ended_verdict_word(verdict), reason);
    if (entry->kind != RUN_DECISION)
        return;
    set_standing(replay, entry->call_id, verdict == ENDED_AGAIN ? STANDS_OPEN : STANDS_WAITING, 0);
}

/* The names of the run's own tools that bring an answer of somebody. */
static bool brings_answer(const char *name)
{
    return str_equal(name, "ask_question") || str_equal(name, "ask_squad") ||
           str_equal(name, "start_discussion");
}

static void take_finish(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    struct finish_facts facts = { 0 };
    const char *words;
    bool before = true;

    for (size_t i = 0; i < replay->call_count; i++) {
        const struct rerun_call *call = &replay->calls[i];
        bool own = str_equal(call->id, entry->call_id);

        before &= !own;
        /* One that was wrong in itself counts as any other call. */
        if (str_equal(call->name, FINISH) && call->outcome != OUT_INVALID) {
            facts.second |= before;
        } else if (!own) {
            facts.failed += call->outcome != OUT_OK;
            facts.asked += brings_answer(call->name);
        }
    }
    bool finishes = loop_finishes(&facts, &words);

    compare(replay, entry, word_at(data, "outcome"), run_outcome_word(finishes ? OUT_OK : OUT_ERROR), words);
}

static void take_result(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    if (str_equal(word_at(data, "rule"), FINISH))
        take_finish(replay, entry, data);
    else if (word_at(data, "verdict"))
        take_ended(replay, entry, data);
    set_standing(replay, entry->call_id, STANDS_DONE,
                 (enum run_outcome)word_of(run_outcomes, data, "outcome"));
}

/* Once for each reply, when all that could be judged of it at once was. */
static void count_mistakes(struct rerun *replay)
{
    size_t wrong = 0;

    if (replay->counted)
        return;
    replay->counted = true;
    for (size_t i = 0; i < replay->call_count; i++)
        wrong += replay->calls[i].standing == STANDS_DONE && outcome_is_mistake(replay->calls[i].outcome);
    if (replay->blank || (replay->call_count > 0 && wrong == replay->call_count))
        replay->mistakes++;
    else
        replay->mistakes = 0;
}

static enum run_limit limit_of(const struct rerun *replay, const json_t *data)
{
    struct run_budget used = replay->used;
    enum run_limit limit;

    used.ms = json_integer_value(json_object_get(data, "usedMs"));
    used.money = json_integer_value(json_object_get(data, "money"));
    limit = loop_limit(&replay->setup.budget, &used);
    if (limit == RUN_LIMIT_NONE)
        limit =
            loop_limit_ahead(&replay->setup.budget, &used, json_integer_value(json_object_get(data, "next")));
    return limit != RUN_LIMIT_NONE ? limit : (enum run_limit)word_of(run_limits, data, "limit");
}

static void take_next(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    struct loop_facts facts = { .job_ended = is_true(data, "jobEnded"),
                                .fatal = word_at(data, "fatal"),
                                .advice = is_true(data, "advice"),
                                .begun = replay->used.steps > 0,
                                .calls = replay->call_count,
                                .blank = replay->blank,
                                .heard = replay->heard,
                                .limit = limit_of(replay, data),
                                .too_long = is_true(data, "tooLong") };
    const char *reason;

    count_mistakes(replay);
    facts.mistakes = replay->mistakes;
    for (size_t i = 0; i < replay->call_count; i++) {
        const struct rerun_call *call = &replay->calls[i];

        facts.open += call->standing == STANDS_OPEN;
        facts.waiting += call->standing == STANDS_WAITING;
        facts.finish |=
            call->standing == STANDS_DONE && call->outcome == OUT_OK && str_equal(call->name, FINISH);
    }
    enum loop_verdict verdict = loop_next(&facts, replay->setup.mistakes_most, &reason);

    compare(replay, entry, word_at(data, "verdict"), loop_verdict_word(verdict), reason);
    replay->heard |= verdict == LOOP_ASK || verdict == LOOP_CONDENSE;
}

/* A call that had waited, and was not to be run as it was. */
static void take_judged_again(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    set_standing(replay, entry->call_id, STANDS_WAITING, 0);
    take_call(replay, entry, data);
}

/* What a cut is made from. */
static void note_said(struct rerun *replay, const struct rerun_entry *entry)
{
    struct loop_said said;

    if (!loop_said_by(entry->seq, entry->kind, entry->text, entry->data, &said))
        return;
    if (str_equal(entry->text, ERASED))
        said.tokens = UNKNOWN;
    if (replay->said_count == replay->said_room) {
        size_t room = replay->said_room ? replay->said_room * 2 : SAID_FIRST;
        struct loop_said *more = arena_array(replay->arena, struct loop_said, room);

        if (replay->said_count > 0)
            memcpy(more, replay->said, replay->said_count * sizeof(*more));
        replay->said = more;
        replay->said_room = room;
    }
    replay->said[replay->said_count++] = said;
}

static void take_cut(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    int64_t keep = json_integer_value(json_object_get(data, "keep"));

    for (size_t i = 0; i < replay->said_count; i++)
        if (replay->said[i].tokens == UNKNOWN)
            return;
    replay->condensing = loop_condense_to(replay->said, replay->said_count, keep);
    compare(replay, entry, "cut", "cut",
            loop_condense_words(replay->arena, loop_condense_from(replay->condensed), replay->condensing));
}

/* A summary: what it stands for, as was decided. */
static void take_condensed(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    int64_t from = json_integer_value(json_object_get(data, "from")),
            to = json_integer_value(json_object_get(data, "to")),
            begins = loop_condense_from(replay->condensed), ends = replay->condensing;
    size_t left = 0;

    if (ends == 0)
        ends = to;
    if (from != begins || to != ends)
        differ(replay, entry->seq, loop_condense_words(replay->arena, from, to),
               loop_condense_words(replay->arena, begins, ends));
    for (size_t i = 0; i < replay->said_count; i++)
        if (replay->said[i].seq > ends)
            replay->said[left++] = replay->said[i];
    replay->said_count = left;
    replay->condensed = ends;
    replay->condensing = 0;
    replay->heard = true;
}

static void take_decision(struct rerun *replay, const struct rerun_entry *entry, const json_t *data)
{
    const char *rule = word_at(data, "rule");

    if (!rule)
        take_next(replay, entry, data);
    else if (strcmp(rule, "ended") == 0)
        take_ended(replay, entry, data);
    else if (strcmp(rule, "call") == 0)
        take_judged_again(replay, entry, data);
    else if (strcmp(rule, "cut") == 0)
        take_cut(replay, entry, data);
    else /* people have said that it may run */
        set_standing(replay, entry->call_id, STANDS_OPEN, 0);
}

void rerun_take(struct rerun *replay, const struct rerun_entry *entry)
{
    struct err ignored = { 0 };
    JSON_AUTO *data = NULL;

    if (entry->data && !json_parse(entry->data, strlen(entry->data), &data, &ignored))
        data = NULL;
    replay->used.tokens += entry->tokens;
    note_said(replay, entry);
    switch (entry->kind) {
    case RUN_REPLY: take_reply(replay, entry, data); break;
    case RUN_CALL: take_call(replay, entry, data); break;
    case RUN_RESULT: take_result(replay, entry, data); break;
    case RUN_DECISION: take_decision(replay, entry, data); break;
    case RUN_ERROR:
        replay->heard = true;
        replay->mistakes += is_true(data, "mistake");
        break;
    case RUN_CONDENSED: take_condensed(replay, entry, data); break;
    case RUN_INSTRUCTIONS:
    case RUN_INPUT:
    case RUN_NOTE:
    case RUN_ENTRY_KIND_END: break;
    }
}

struct rerun_result rerun_end(const struct rerun *replay)
{
    return (struct rerun_result){ .steps = replay->used.steps,
                                  .decisions = replay->decisions,
                                  .differences = replay->differences,
                                  .count = replay->difference_count };
}
