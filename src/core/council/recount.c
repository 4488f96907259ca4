#include "core/council/recount.h"

#include "core/council/machine.h"
#include "core/council/rules/ballot.h"
#include "core/council/rules/voting.h"

/* The round whose ballots were cast last; 0: none. */
static bool last_vote(const struct tx *tx, const char *id, int *round)
{
    struct logged *rows;
    size_t count;

    *round = 0;
    if (!logged_all(tx, id, 0, &rows, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (rows[i].kind == ROW_BALLOT && rows[i].round > *round)
            *round = rows[i].round;
    return true;
}

static void write_ballot(const struct machine *m, const struct logged *row, struct json_out *out)
{
    const struct council_options *o = &m->options;
    struct ballot ballot = ballot_read(m->tx->arena, o->choices, o->choice_count, row->speaker,
                                       row->manner == ENTRY_SAID ? row->content : "");

    json_map(out, NULL);
    json_text(out, "voter", ballot.voter);
    json_text(out, "choice", ballot.choice == NO_CHOICE ? NULL : o->choices[ballot.choice]);
    if (ballot.confidence >= 0)
        json_double(out, "confidence", ballot.confidence);
    else
        json_none(out, "confidence");
    json_list(out, "ranking");
    for (size_t i = 0; i < ballot.ranked; i++)
        json_text(out, NULL, o->choices[ballot.ranking[i]]);
    json_list_end(out);
    json_text(out, "problem", ballot.problem);
    json_map_end(out);
}

static bool write_counts(struct machine *m, const struct logs *ballots, struct json_out *out)
{
    struct seating seating = participant_seating(m->d, &m->seats);

    for (enum vote_rule rule = VOTE_MAJORITY; rule < VOTE_END; rule++) {
        struct vote_result result;

        m->options.rule = rule;
        if (!voting_count(m->tx->arena, &seating, &m->options, ballots, &result, m->tx->err))
            return err_set(m->tx->err, ERR_CONFLICT, "The ballots of the log cannot be counted: %s",
                           arena_text(m->tx->arena, m->tx->err->text));
        vote_write(&result, NULL, out);
    }
    return true;
}

bool recount_write(const struct tx *tx, struct discussion *d, struct json_out *out)
{
    struct machine m;
    struct logs ballots = { 0 };
    int round;

    if (!machine_begin(tx, d, &m) || !last_vote(tx, d->id, &round) ||
        (round > 0 && !logged_round(tx, d->id, ROW_BALLOT, round, &ballots.rows, &ballots.count)))
        return false;
    json_map(out, NULL);
    if (round > 0)
        json_int(out, "round", round);
    else
        json_none(out, "round");
    json_list(out, "ballots");
    for (size_t i = 0; i < ballots.count; i++)
        write_ballot(&m, &ballots.rows[i], out);
    json_list_end(out);
    json_list(out, "counts");
    if (ballots.count > 0 && !write_counts(&m, &ballots, out))
        return false;
    json_list_end(out);
    json_map_end(out);
    return true;
}
