/*
 * The end of a round: did everybody pass, do enough agree, was anything new said, does a judge see more to
 * come? What needs ballots or a judge opens these turns first and is looked at again once they are in the
 * log.
 */
#include "base/settings.h"
#include "base/str.h"
#include "core/council/machine.h"
#include "core/council/result.h"
#include "core/council/rules/judgement.h"
#include "core/council/rules/novelty.h"
#include "core/council/tell.h"

static bool nothing_new(struct machine *m, int round, bool *old)
{
    size_t count, entry_count;
    struct logged *rows;
    bool ruled;

    if (!logged_all(m->tx, m->d->id, 0, &rows, &count) || !machine_has_ruled(m, RULING_NEW, round, &ruled))
        return false;
    const struct council_entry *entries = logged_entries(m->tx->arena, rows, count, &entry_count);

    struct novelty_round novelty = novelty_of_round(m->tx->arena, entries, entry_count, round);

    *old = novelty.nothing_new;
    return ruled || machine_rule(m, ruling_of_novelty(m->tx->arena, round, &novelty));
}

/* What smart termination looks at; `asked`: a ballot or the judge has to come in first. */
static bool look(struct machine *m, int round, bool *asked, struct end_facts *facts)
{
    struct vote_result result;
    const struct logged *judge;

    if (round >= m->d->rounds)
        return true;
    if (m->options.choice_count > 0 && round <= settings()->consensus_max_rounds) {
        if (!machine_ask_ballots(m, round, asked))
            return false;
        if (*asked)
            return true;
        if (!machine_count(m, round, &result))
            return false;
        facts->agreed = result.agreed;
    }
    if (!nothing_new(m, round, &facts->nothing_new))
        return false;
    if (!m->options.judge || facts->agreed || facts->nothing_new)
        return true;
    if (!machine_ask_once(m, TURN_JUDGE, round, asked, &judge))
        return false;
    facts->nothing_new = !*asked && !judgement_read(m->tx->arena, judge ? judge->content : "").go_on;
    return true;
}

/* In shadow it goes on; the first time is remembered, and what it would have saved is told at the end. */
static void remember_shadow(struct machine *m, int round, const struct end_verdict *verdict)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (verdict->would == END_NONE || result_recall(m->tx, m->d, "shadow"))
        return;
    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_int(&out, "round", round);
    json_text(&out, "endReason", council_end_word(verdict->would));
    json_map_end(&out);
    result_remember(m->tx, m->d, "shadow", arena_copy(m->tx->arena, text.bytes, text.len));
}

bool machine_settle(struct machine *m, bool *asked)
{
    int round = m->d->round - 1;
    struct end_facts facts = { .mode = m->d->mode,
                               .smart = m->options.smart,
                               .round = round,
                               .rounds = m->d->rounds,
                               .round_over = true,
                               .allowed = m->options.budget };
    struct end_verdict verdict;
    struct logged *rows;
    size_t count;

    if (!logged_round(m->tx, m->d->id, ROW_TURN, round, &rows, &count))
        return false;
    end_count_turns(rows, count, &facts);
    if (facts.contributions > 0 && m->options.smart != SMART_OFF && !look(m, round, asked, &facts))
        return false;
    if (*asked)
        return true;
    if (!machine_used(m, &facts.used))
        return false;
    verdict = end_judge(m->tx->arena, &facts);
    m->d->settled_round = round;
    remember_shadow(m, round, &verdict);
    if (verdict.end != END_NONE)
        machine_head_for(m, verdict.end);
    return machine_rule(m, ruling_of_end(m->tx->arena, &facts, &verdict));
}
