/*
 * Each maker writes the same members in the same order, and texts go in as hashes, so that two rulings can be
 * compared without the log. A store may lay JSON out differently, so inputs are compared as values and not as
 * text.
 */
#include "core/council/rules/ruling.h"

#include "base/str.h"

#include <string.h>

#define RULING_WHO "who" /* the member that says whose reply it was */

const char *const ruling_kinds[] = { "speak", "skip", "reply", "new", "vote", "stop", NULL };
WORDS_FIT(ruling_kinds, RULING_END);

/* Inputs while they are written. */
struct inputs {
    struct buf text;
    struct json_out out;
};

static void inputs_done(struct inputs *inputs)
{
    buf_done(&inputs->text);
}

#define INPUTS_AUTO __attribute__((cleanup(inputs_done))) struct inputs

static void inputs_begin(struct inputs *inputs)
{
    buf_init(&inputs->text, 0);
    json_begin(&inputs->out, &inputs->text);
    json_map(&inputs->out, NULL);
}

static const char *inputs_end(struct inputs *inputs, struct arena *arena)
{
    json_map_end(&inputs->out);
    return arena_copy(arena, inputs->text.bytes, inputs->text.len);
}

struct ruling ruling_of_step(struct arena *arena, const struct order_step *step)
{
    INPUTS_AUTO inputs;

    inputs_begin(&inputs);
    json_text(&inputs.out, "speaker", step->seat ? step->seat->name : NULL);
    json_bool(&inputs.out, "gone", step->seat && step->seat->gone);
    return (struct ruling){
        .kind = step->verdict == ORDER_SKIP ? RULING_SKIP : RULING_SPEAK,
        .round = step->at.round,
        .turn = step->at.turn,
        .inputs = inputs_end(&inputs, arena),
        .verdict = order_verdict_word(step->verdict),
        .reason = step->reason,
    };
}

struct ruling ruling_of_skip(struct arena *arena, const struct logged *logged)
{
    struct seat seat = { .name = logged->speaker, .role = logged->role, .gone = true };
    struct order_step step = { .verdict = ORDER_SKIP,
                               .at = { .round = logged->round, .turn = logged->turn_index },
                               .seat = &seat,
                               .reason = "The agent is gone." };

    return ruling_of_step(arena, &step);
}

static const char *hash_of(struct arena *arena, const char *text)
{
    return arena_format(arena, "%016llx", (unsigned long long)str_hash(text));
}

/* The text itself and its speaker stand in the log; their hashes say that it was these. */
struct ruling ruling_of_reply(struct arena *arena, const struct ruling_place *place,
                              const struct reply *reply, const struct pass *pass)
{
    INPUTS_AUTO inputs;
    bool said = pass->kind == PASS_NOT;

    inputs_begin(&inputs);
    json_text(&inputs.out, "text", hash_of(arena, reply->text));
    json_text(&inputs.out, RULING_WHO,
              hash_of(arena, arena_format(arena, "%s\n%s", place->speaker, place->role)));
    json_text(&inputs.out, "lack", reply->lack == LACK_NONE ? "none" : reply_lack_word(reply->lack));
    json_text(&inputs.out, "stop", reply->stop);
    json_text(&inputs.out, "other", reply->other);
    return (struct ruling){
        .kind = RULING_REPLY,
        .round = place->at.round,
        .turn = place->at.turn,
        .inputs = inputs_end(&inputs, arena),
        .verdict = said ? "said" : arena_format(arena, "pass:%s", pass_kind_word(pass->kind)),
        .reason = said            ? "It says something."
                  : *pass->reason ? pass->reason
                                  : "It is a pass.",
    };
}

struct ruling ruling_of_novelty(struct arena *arena, int round, const struct novelty_round *novelty)
{
    INPUTS_AUTO inputs;

    inputs_begin(&inputs);
    json_int(&inputs.out, "contributions", (int64_t)novelty->contributions);
    json_int(&inputs.out, "old", (int64_t)novelty->old);
    return (struct ruling){
        .kind = RULING_NEW,
        .round = round,
        .turn = OUT_OF_TURN,
        .inputs = inputs_end(&inputs, arena),
        .verdict = novelty->nothing_new ? "nothing_new" : "new",
        .reason = arena_format(arena, "%zu of %zu contributions repeat what was said before.", novelty->old,
                               novelty->contributions),
    };
}

static const char *vote_reason(struct arena *arena, const struct vote_result *result)
{
    if (result->tie)
        return "Several choices have the most, and a tie is not broken.";
    if (result->winner == NO_CHOICE)
        return "Nobody has voted for any choice.";
    return arena_format(arena, "It has more than any other choice; %zu disagree.", result->dissent_count);
}

struct ruling ruling_of_vote(struct arena *arena, int round, const struct vote_result *result)
{
    INPUTS_AUTO inputs;

    inputs_begin(&inputs);
    vote_write(result, "vote", &inputs.out);
    return (struct ruling){
        .kind = RULING_VOTE,
        .round = round,
        .turn = OUT_OF_TURN,
        .inputs = inputs_end(&inputs, arena),
        .verdict = result->winner != NO_CHOICE ? result->choices[result->winner]
                   : result->tie               ? "tie"
                                               : "none",
        .reason = vote_reason(arena, result),
    };
}

struct ruling ruling_of_end(struct arena *arena, const struct end_facts *facts,
                            const struct end_verdict *verdict)
{
    INPUTS_AUTO inputs;

    inputs_begin(&inputs);
    json_int(&inputs.out, "rounds", facts->rounds);
    json_bool(&inputs.out, "roundOver", facts->round_over);
    json_int(&inputs.out, "contributions", (int64_t)facts->contributions);
    json_int(&inputs.out, "passes", (int64_t)facts->passes);
    json_int(&inputs.out, "failures", (int64_t)facts->failures);
    json_bool(&inputs.out, "agreed", facts->agreed);
    json_bool(&inputs.out, "nothingNew", facts->nothing_new);
    json_text(&inputs.out, "smart", smart_mode_word(facts->smart));
    json_text(&inputs.out, "spent", end_spent(facts));
    if (facts->out > 0)
        json_int(&inputs.out, "out", facts->out);
    if (facts->reserved > 0)
        json_int(&inputs.out, "reserved", facts->reserved);
    json_text(&inputs.out, "would", council_end_word(verdict->would));
    return (struct ruling){
        .kind = RULING_STOP,
        .round = facts->round,
        .turn = OUT_OF_TURN,
        .inputs = inputs_end(&inputs, arena),
        .verdict = verdict->end == END_NONE ? "go_on" : council_end_word(verdict->end),
        .reason = verdict->end == END_NONE ? "Nothing ends it yet." : verdict->reason,
    };
}

/* A store may keep JSON with other spaces, or with its members in another order. */
static bool same_json(const char *a, const char *b)
{
    JSON_AUTO *left = NULL;
    JSON_AUTO *right = NULL;
    struct err err = { 0 };

    if (strcmp(a, b) == 0)
        return true;
    if (!json_parse(a, strlen(a), &left, &err) || !json_parse(b, strlen(b), &right, &err))
        return false;
    /* Decisions of earlier versions do not say who. */
    if (!json_object_get(left, RULING_WHO))
        json_object_del(right, RULING_WHO);
    return json_equal(left, right);
}

const char *ruling_difference(struct arena *arena, const struct ruling *stored, const struct ruling *made)
{
    const char *at =
        arena_format(arena, "Round %d, turn %d, %s", made->round, made->turn, ruling_kind_word(made->kind));

    if (stored->kind != made->kind)
        return arena_format(arena, "%s: a decision of kind %s is stored.", at,
                            ruling_kind_word(stored->kind));
    if (stored->round != made->round || stored->turn != made->turn)
        return arena_format(arena, "%s: stored for round %d, turn %d.", at, stored->round, stored->turn);
    if (strcmp(stored->verdict, made->verdict) != 0)
        return arena_format(arena, "%s: \"%s\" is stored, \"%s\" comes out.", at, stored->verdict,
                            made->verdict);
    if (!same_json(stored->inputs, made->inputs))
        return arena_format(arena, "%s: %s is stored as its inputs, %s comes out.", at, stored->inputs,
                            made->inputs);
    return NULL;
}
