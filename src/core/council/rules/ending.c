/*
 * Pure functions of the facts they are given: no store, no clock. So the driver and a replay, years later,
 * come to the same verdict from the same log.
 */
#include "core/council/rules/ending.h"

#include <string.h>

const char *const smart_modes[] = { "off", "on", "shadow", NULL };
WORDS_FIT(smart_modes, SMART_END);

static bool is_spent(int64_t allowed, int64_t used)
{
    return allowed > 0 && used >= allowed;
}

const char *allowance_spent(const struct allowance *allowed, const struct allowance *used)
{
    if (is_spent(allowed->calls, used->calls))
        return "calls";
    if (is_spent(allowed->tokens, used->tokens))
        return "tokens";
    return is_spent(allowed->seconds, used->seconds) ? "seconds" : NULL;
}

const char *end_spent(const struct end_facts *facts)
{
    struct allowance used = facts->used;

    const char *spent;

    used.calls += facts->out;
    spent = allowance_spent(&facts->allowed, &used);
    if (!spent && facts->reserved > 0 && used.tokens + facts->reserved > facts->allowed.tokens)
        spent = "tokens";
    return spent;
}

void end_count_turns(const struct logged *rows, size_t count, struct end_facts *facts)
{
    for (size_t i = 0; i < count; i++) {
        facts->contributions += rows[i].manner == ENTRY_SAID;
        facts->passes += rows[i].manner != ENTRY_SAID;
        facts->failures += rows[i].manner == ENTRY_PASSED && logged_entry(&rows[i]).failed;
    }
}

static struct end_verdict ends(enum council_end end, const char *reason)
{
    return (struct end_verdict){ .end = end, .reason = reason };
}

/* Nobody can pass in mode turns and end it by that: a person may still want to hear them. */
static bool all_passed(const struct end_facts *facts)
{
    return facts->mode != MODE_TURNS && facts->round_over && facts->contributions == 0 && facts->passes > 0;
}

static enum council_end smart_end(const struct end_facts *facts)
{
    if (facts->smart == SMART_OFF || !facts->round_over)
        return END_NONE;
    if (facts->agreed)
        return END_AGREEMENT;
    return facts->nothing_new ? END_NOTHING_NEW : END_NONE;
}

static struct end_verdict judge_round(struct arena *arena, const struct end_facts *facts)
{
    enum council_end smart = smart_end(facts);

    if (smart != END_NONE && facts->smart == SMART_ON)
        return ends(smart, arena_format(arena,
                                        smart == END_AGREEMENT ? "Enough agreed in round %d."
                                                               : "Round %d said nothing new.",
                                        facts->round));
    struct end_verdict verdict = { .would = smart, .reason = "" };

    if (facts->round_over && facts->round >= facts->rounds) {
        verdict.end = END_ROUNDS;
        verdict.reason = arena_format(arena, "All %d rounds are used up.", facts->rounds);
    }
    return verdict;
}

struct end_verdict end_judge(struct arena *arena, const struct end_facts *facts)
{
    const char *spent = end_spent(facts);

    if (facts->cancelled)
        return ends(END_CANCELLED, "It was cancelled.");
    if (facts->failure)
        return ends(END_FAILED, facts->failure);
    if (all_passed(facts) && facts->failures == facts->passes)
        return ends(END_FAILED, arena_format(arena, "Every call of round %d failed.", facts->round));
    if (all_passed(facts))
        return ends(END_ALL_PASSED, arena_format(arena, "Everybody passed in round %d.", facts->round));
    struct end_verdict verdict = judge_round(arena, facts);

    if (verdict.end == END_NONE && spent) {
        verdict.end = END_BUDGET;
        verdict.reason = arena_format(arena, "The budget of %s is spent.", spent);
    }
    return verdict;
}

/* A turn of a model was one call at least, whatever came of it. */
struct end_saving end_saved(const struct council_entry *entries, size_t count, int round)
{
    struct end_saving sum = { 0 };
    int last = round;

    for (size_t i = 0; i < count; i++) {
        if (entries[i].round <= round)
            continue;
        last = entries[i].round > last ? entries[i].round : last;
        sum.contributions += entries[i].kind == ENTRY_SAID;
        sum.calls += entries[i].kind != ENTRY_SKIPPED && !entries[i].person;
    }
    sum.rounds = last - round;
    return sum;
}
