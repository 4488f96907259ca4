#include "cli/client/outcome_view.h"

#include "base/json.h"

#include <string.h>

static void write_dissent(struct arena *arena, const json_t *dissent, struct buf *into)
{
    const json_t *ballot;
    size_t i;

    json_array_foreach(dissent, i, ballot)
    {
        const json_t *confidence = json_object_get(ballot, "confidence");

        buf_format(into, "  Dissent: %s is for %s",
                   term_line(arena, json_string_value(json_object_get(ballot, "voter"))),
                   term_line(arena, json_string_value(json_object_get(ballot, "choice"))));
        if (json_is_number(confidence))
            buf_format(into, " (confidence %g)", json_number_value(confidence));
        buf_text(into, ".\n");
    }
}

void outcome_vote(const json_t *vote, bool rehearsal, struct buf *into)
{
    ARENA_AUTO arena = { 0 };
    const char *winner = json_string_value(json_object_get(vote, "winner")), *choice;
    json_t *points;

    buf_format(into, "Vote (%s%s): %s\n", term_line(&arena, json_string_value(json_object_get(vote, "rule"))),
               rehearsal ? ", rehearsal" : "",
               winner                                       ? term_line(&arena, winner)
               : json_is_true(json_object_get(vote, "tie")) ? "a tie, which is not broken"
                                                            : "nobody has voted");
    json_object_foreach(json_object_get(vote, "tally"), choice, points)
    {
        buf_format(into, "  %s: %g\n", term_line(&arena, choice), json_number_value(points));
    }
    write_dissent(&arena, json_object_get(vote, "dissent"), into);
    if (winner)
        buf_text(into, json_is_true(json_object_get(vote, "agreed"))
                           ? "  That is agreement.\n"
                           : "  That is less than agreement: --threshold says how many must be for it.\n");
    buf_char(into, '\n');
}

static const char *ranking_of(struct arena *arena, const json_t *ballot)
{
    const char *text = "";
    const json_t *choice;
    size_t i;

    json_array_foreach(json_object_get(ballot, "ranking"), i, choice)
    {
        text = arena_format(arena, "%s%s%s", text, i > 0 ? " > " : "", json_string_value(choice));
    }
    return *text ? term_line(arena, text) : "-";
}

void outcome_ballots(struct term *term, const json_t *ballots)
{
    static const char *const heads[] = { "VOTER", "CHOICE", "SURE", "RANKING" };
    struct arena *arena = term->arena;
    const json_t *ballot;
    struct term_table table;
    size_t i;

    term_table_init(&table, term, 4, heads);
    json_array_foreach(ballots, i, ballot)
    {
        const json_t *sure = json_object_get(ballot, "confidence");

        term_table_row(
            &table,
            (const char *[]){ term_line(arena, json_string_value(json_object_get(ballot, "voter"))),
                              term_line(arena, json_string_value(json_object_get(ballot, "choice"))),
                              json_is_number(sure) ? arena_format(arena, "%g", json_number_value(sure)) : "-",
                              ranking_of(arena, ballot) });
    }
    term_table_end(&table);
    buf_char(term->out, '\n');
}

const char *outcome_reason(const char *end_reason)
{
    static const struct {
        const char *word, *sentence;
    } known[] = {
        { "rounds_used", "the rounds are used up" }, { "all_passed", "everybody passed" },
        { "agreement", "agreement was reached" },    { "nothing_new", "nothing new was said" },
        { "budget", "the budget is used up" },       { "cancelled", "somebody has cancelled it" },
        { "failed", "nobody could speak" },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].word, end_reason) == 0)
            return known[i].sentence;
    return end_reason;
}

const char *outcome_shadow(struct arena *arena, const json_t *shadow)
{
    const char *reason = json_string_value(json_object_get(shadow, "endReason"));

    if (!reason)
        return "";
    return arena_format(
        arena,
        "Smart termination would have ended it after round %lld (%s) and saved %lld round(s) with %lld call(s).",
        (long long)json_integer_value(json_object_get(shadow, "round")), outcome_reason(reason),
        (long long)json_integer_value(json_object_get(shadow, "savedRounds")),
        (long long)json_integer_value(json_object_get(shadow, "savedCalls")));
}
