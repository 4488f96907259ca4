/*
 * Ballots in what models send: whatever it is, what comes out names choices that there are, each of a ranking
 * once, and a confidence from 0 to 1; and counting it breaks nothing, under no rule.
 */
#include "base/str.h"
#include "core/council/rules/ballot.h"
#include "tests/fuzz/fuzz.h"

static const char *const choices[] = { "Yes", "Yes, with tests", "No", "2" };

#define COUNT (sizeof(choices) / sizeof(*choices))

static void check_ballot(const struct ballot *ballot)
{
    bool seen[COUNT] = { false };

    DEMAND(ballot->choice >= NO_CHOICE && ballot->choice < (int)COUNT);
    DEMAND(ballot->confidence == NO_CONFIDENCE || (ballot->confidence >= 0 && ballot->confidence <= 1));
    DEMAND(ballot->ranked <= COUNT);
    for (size_t i = 0; i < ballot->ranked; i++) {
        DEMAND(ballot->ranking[i] >= 0 && ballot->ranking[i] < (int)COUNT && !seen[ballot->ranking[i]]);
        seen[ballot->ranking[i]] = true;
    }
    DEMAND(ballot->choice != NO_CHOICE || (ballot->problem && ballot->ranked == 0));
    plant(ballot->ranked, 3);
}

static void check_count(struct arena *arena, const struct ballot *ballot)
{
    for (enum vote_rule rule = VOTE_MAJORITY; rule <= VOTE_WEIGHTED; rule++) {
        const struct vote vote = { rule, choices, COUNT, 1, ballot, 1, { THRESHOLD_ALL, 0 } };
        struct vote_result result;
        struct err err = { 0 };

        DEMAND(vote_count(arena, &vote, &result, &err));
        DEMAND((result.winner == NO_CHOICE) == (ballot->choice == NO_CHOICE));
        DEMAND(!result.tie && result.dissent_count == 0 && result.spoilt == (ballot->choice == NO_CHOICE));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    ARENA_AUTO arena = { 0 };
    char *text = malloc(len + 1);

    DEMAND(text);
    if (len)
        memcpy(text, bytes, len);
    text[len] = '\0';
    struct ballot ballot = ballot_read(&arena, choices, COUNT, "Ann", text);

    free(text);
    check_ballot(&ballot);
    check_count(&arena, &ballot);
    return 0;
}
