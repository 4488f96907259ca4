/*
 * Each maker writes the same members in the same order, and texts go in as hashes, so that two rulings can be
 * compared without the log. A store may lay JSON out differently, so inputs are compared as values and not as
 * text.
 */
#include "core/council/ruling.h"

#include "base/str.h"

#include <string.h>

#define RULING_WHO "who" /* the member that says whose reply it was */

static const char *const kind_names[RULINGS] = {
    [RULING_SPEAK] = "speak", [RULING_SKIP] = "skip", [RULING_REPLY] = "reply",
    [RULING_NEW] = "new",     [RULING_VOTE] = "vote", [RULING_STOP] = "stop",
};

const char *ruling_kind_name(enum ruling_kind kind)
{
    return kind_names[kind];
}

bool ruling_kind_parse(const char *name, enum ruling_kind *kind, struct err *err)
{
    for (size_t i = 0; i < RULINGS; i++)
        if (name && strcmp(name, kind_names[i]) == 0) {
            *kind = (enum ruling_kind)i;
            return true;
        }
    return err_field(err, "kind", "There is no kind of decision \"%.60s\".", name ? name : "");
}

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
        .verdict = order_verdict_name(step->verdict),
        .reason = step->reason,
    };
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
    json_text(&inputs.out, "lack", reply_lack_name(reply->lack));
    json_text(&inputs.out, "stop", reply->stop);
    json_text(&inputs.out, "other", reply->other);
    return (struct ruling){
        .kind = RULING_REPLY,
        .round = place->at.round,
        .turn = place->at.turn,
        .inputs = inputs_end(&inputs, arena),
        .verdict = said ? "said" : arena_format(arena, "pass:%s", pass_kind_name(pass->kind)),
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
    json_text(&inputs.out, "smart", smart_mode_name(facts->smart));
    json_text(&inputs.out, "spent", end_spent(facts));
    if (facts->out > 0)
        json_int(&inputs.out, "out", facts->out);
    if (facts->reserved > 0)
        json_int(&inputs.out, "reserved", facts->reserved);
    json_text(&inputs.out, "would", end_text(verdict->would));
    return (struct ruling){
        .kind = RULING_STOP,
        .round = facts->round,
        .turn = OUT_OF_TURN,
        .inputs = inputs_end(&inputs, arena),
        .verdict = verdict->end == END_NONE ? "go_on" : end_text(verdict->end),
        .reason = verdict->end == END_NONE ? "Nothing ends it yet." : verdict->reason,
    };
}

void ruling_write(const struct ruling *ruling, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_text(out, "kind", ruling_kind_name(ruling->kind));
    json_int(out, "round", ruling->round);
    json_int(out, "turn", ruling->turn);
    json_int(out, "afterSeq", ruling->after_seq);
    json_raw(out, "inputs", ruling->inputs);
    json_text(out, "verdict", ruling->verdict);
    json_text(out, "reason", ruling->reason);
    json_map_end(out);
}

static bool read_int(const json_t *object, const char *name, int64_t most, int64_t *number, struct err *err)
{
    const json_t *value = json_object_get(object, name);

    if (!json_is_integer(value) || json_integer_value(value) < OUT_OF_TURN ||
        json_integer_value(value) > most)
        return err_field(err, name, "A decision's %s is a whole number.", name);
    *number = json_integer_value(value);
    return true;
}

bool ruling_from_json(struct arena *arena, const json_t *object, struct ruling *ruling, struct err *err)
{
    const char *verdict = json_string_value(json_object_get(object, "verdict")),
               *reason = json_string_value(json_object_get(object, "reason"));
    const json_t *inputs = json_object_get(object, "inputs");
    int64_t round, turn, after;
    enum ruling_kind kind;

    if (!ruling_kind_parse(json_string_value(json_object_get(object, "kind")), &kind, err) ||
        !read_int(object, "round", INT32_MAX, &round, err) ||
        !read_int(object, "turn", INT32_MAX, &turn, err) ||
        !read_int(object, "afterSeq", INT64_MAX, &after, err))
        return false;
    if (!verdict || !reason)
        return err_field(err, verdict ? "reason" : "verdict", "A decision has a verdict and a reason.");
    if (!json_is_object(inputs))
        return err_field(err, "inputs", "A decision's inputs are an object.");
    *ruling = (struct ruling){ .kind = kind,
                               .round = (int)round,
                               .turn = (int)turn,
                               .after_seq = after,
                               .inputs = json_dump_text(arena, inputs),
                               .verdict = arena_text(arena, verdict),
                               .reason = arena_text(arena, reason) };
    return true;
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
        arena_format(arena, "Round %d, turn %d, %s", made->round, made->turn, ruling_kind_name(made->kind));

    if (stored->kind != made->kind)
        return arena_format(arena, "%s: a decision of kind %s is stored.", at,
                            ruling_kind_name(stored->kind));
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
