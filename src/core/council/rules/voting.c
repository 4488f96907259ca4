#include "core/council/rules/voting.h"

#include "core/council/rules/ballot.h"

static bool may_vote(const struct seating *seating, size_t seat)
{
    return !seating->seats[seat].gone && seating->seats[seat].kind != SEAT_PERSON;
}

static bool has_voted(const struct logs *ballots, size_t seat)
{
    for (size_t i = 0; i < ballots->count; i++)
        if (ballots->rows[i].turn_index == (int)seat)
            return true;
    return false;
}

bool voting_lacks(const struct seating *seating, const struct logs *ballots, size_t seat)
{
    return may_vote(seating, seat) && !has_voted(ballots, seat);
}

bool voting_is_complete(const struct seating *seating, const struct logs *ballots)
{
    for (size_t seat = 0; seat < seating->count; seat++)
        if (voting_lacks(seating, ballots, seat))
            return false;
    return true;
}

bool voting_count(struct arena *arena, const struct seating *seating, const struct council_options *options,
                  const struct logs *ballots, struct vote_result *result, struct err *err)
{
    struct ballot *read = arena_array(arena, struct ballot, ballots->count);
    size_t voters = 0;

    for (size_t seat = 0; seat < seating->count; seat++)
        voters += may_vote(seating, seat) || has_voted(ballots, seat);
    for (size_t i = 0; i < ballots->count; i++)
        read[i] = ballot_read(arena, options->choices, options->choice_count, ballots->rows[i].speaker,
                              ballots->rows[i].manner == ENTRY_SAID ? ballots->rows[i].content : "");
    struct vote vote = { .rule = options->rule,
                         .choices = options->choices,
                         .choice_count = options->choice_count,
                         .voters = voters > 0 ? voters : 1, /* all gone: as if nobody had voted */
                         .ballots = read,
                         .ballot_count = ballots->count,
                         .threshold = options->threshold };

    return vote_count(arena, &vote, result, err);
}
