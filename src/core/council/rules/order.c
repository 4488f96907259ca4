/*
 * The whole of turn taking as functions of a place, an order and a mode, without a store. A place that the
 * order does not have, after a log was altered, is skipped and never read.
 */
#include "core/council/rules/order.h"

#include <string.h>

const char *const order_verdicts[] = { "speak", "ask_all", "wait_person", "wait_outside",
                                       "skip",  "rest",    "end",         NULL };
WORDS_FIT(order_verdicts, ORDER_VERDICT_END);

bool role_is_person(const char *role)
{
    return strcmp(role, ROLE_OF_PEOPLE) == 0;
}

struct slot order_first(void)
{
    return (struct slot){ .round = 1, .turn = 0 };
}

bool order_has_ended(const struct seating *seating, struct slot at)
{
    return seating->count == 0 || at.round > seating->rounds;
}

bool order_is_last_of_round(const struct seating *seating, struct slot at)
{
    return seating->mode == MODE_PARALLEL || (size_t)at.turn + 1 >= seating->count;
}

struct slot order_after(const struct seating *seating, struct slot at)
{
    if (order_is_last_of_round(seating, at))
        return (struct slot){ .round = at.round + 1, .turn = 0 };
    return (struct slot){ .round = at.round, .turn = at.turn + 1 };
}

/* A log that was altered may name a place that the order does not have. */
static const struct seat *seat_at(const struct seating *seating, struct slot at)
{
    bool there = !order_has_ended(seating, at) && at.turn >= 0 && (size_t)at.turn < seating->count;

    return there ? &seating->seats[at.turn] : NULL;
}

static struct order_step step(enum order_verdict verdict, struct slot at, const struct seat *seat,
                              const char *reason)
{
    return (struct order_step){ .verdict = verdict, .at = at, .seat = seat, .reason = reason };
}

struct order_step order_next(const struct seating *seating, struct slot at, int steps)
{
    const struct seat *seat = seat_at(seating, at);

    if (order_has_ended(seating, at))
        return step(ORDER_END, at, NULL, "All rounds are used up.");
    if (seating->mode == MODE_TURNS && steps >= TURN_ITERATIONS && !order_takes_turn(seating, at))
        return step(ORDER_REST, at, NULL, "One message has set as many turns going as it may.");
    if (seating->mode == MODE_PARALLEL)
        return step(ORDER_ASK_ALL, at, NULL, "All agents of the round are asked at once.");
    if (!seat)
        return step(ORDER_SKIP, at, NULL, "The order has no such place.");
    if (seat->gone)
        return step(ORDER_SKIP, at, seat, "The agent is gone.");
    if (seat->kind == SEAT_PERSON)
        return step(ORDER_WAIT_PERSON, at, seat, "It is a person's turn.");
    if (seat->kind == SEAT_OUTSIDE)
        return step(ORDER_WAIT_OUTSIDE, at, seat, "The turn waits for an agent that comes by the API.");
    return step(ORDER_SPEAK, at, seat, "It is the agent's turn.");
}

bool order_takes_turn(const struct seating *seating, struct slot at)
{
    const struct seat *seat = seat_at(seating, at);

    return seat && seating->mode != MODE_PARALLEL && seat->kind == SEAT_PERSON && !seat->gone;
}

const char *order_next_speaker(const struct seating *seating, struct slot at)
{
    /* Once around is enough: who is gone stays gone. */
    for (size_t i = 0; i <= seating->count && !order_has_ended(seating, at); i++) {
        const struct seat *seat = seat_at(seating, at);

        if (seat && !seat->gone)
            return seat->name;
        at = (size_t)at.turn + 1 < seating->count ? (struct slot){ at.round, at.turn + 1 }
                                                  : (struct slot){ at.round + 1, 0 };
    }
    return NULL;
}

const char **order_others(struct arena *arena, const struct seating *seating, const char *speaker,
                          size_t *count)
{
    const char **names = arena_array(arena, const char *, seating->count);

    *count = 0;
    for (size_t i = 0; i < seating->count; i++)
        if (strcmp(seating->seats[i].name, speaker) != 0)
            names[(*count)++] = seating->seats[i].name;
    return names;
}

size_t order_pending(const struct seating *seating, const bool had[], size_t turns[])
{
    size_t count = 0;

    for (size_t i = 0; i < seating->count; i++)
        if (!had[i] && !seating->seats[i].gone)
            turns[count++] = i;
    return count;
}

static struct speaker_count *place_of(struct speaker_count *counts, size_t *used, const char *name)
{
    for (size_t i = 0; i < *used; i++)
        if (strcmp(counts[i].name, name) == 0)
            return &counts[i];
    counts[*used].name = name;
    return &counts[(*used)++];
}

struct speaker_count *order_counts(struct arena *arena, const struct seating *seating,
                                   const struct speaker_count *heard, size_t heard_count, size_t *count)
{
    struct speaker_count *counts = arena_array(arena, struct speaker_count, seating->count + heard_count + 1);

    *count = seating->count;
    for (size_t i = 0; i < seating->count; i++)
        counts[i].name = seating->seats[i].name;
    for (size_t i = 0; i < heard_count; i++)
        place_of(counts, count, heard[i].name)->count += heard[i].count;
    return counts;
}
