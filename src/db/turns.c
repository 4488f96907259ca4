/*
 * Each unit is given the number of a round when it comes: one after its owner's last, or after the one being
 * served. Taking the lowest number is then fair without any memory of owners that have nothing waiting. The
 * room has a few dozen places, so every search goes through all of it.
 */
#include "db/turns.h"

#include <string.h>

static size_t count_of(const struct turns *turns, uint64_t who)
{
    size_t count = 0;

    for (size_t i = 0; i < turns->count; i++)
        count += turns->waiting[i].who == who;
    return count;
}

/* One round after the last of the same owner that waits, or after the one that is being served. */
static uint64_t round_for(const struct turns *turns, uint64_t who)
{
    uint64_t last = turns->round;

    for (size_t i = 0; i < turns->count; i++)
        if (turns->waiting[i].who == who && turns->waiting[i].round > last)
            last = turns->waiting[i].round;
    return last + 1;
}

static struct work *remove_at(struct turns *turns, size_t at)
{
    struct work *work = turns->waiting[at].work;

    turns->count--;
    memmove(&turns->waiting[at], &turns->waiting[at + 1], (turns->count - at) * sizeof(turns->waiting[0]));
    return work;
}

/* The newest unit of whoever has most; of equals, of the one that came last. */
static size_t heaviest(const struct turns *turns)
{
    size_t at = turns->count - 1, most = 0;

    for (size_t i = turns->count; i-- > 0;) {
        size_t count = count_of(turns, turns->waiting[i].who);

        if (count > most) {
            most = count;
            at = i;
        }
    }
    return at;
}

struct work *turns_put(struct turns *turns, struct work *work, uint64_t who)
{
    struct work *gone = NULL;

    if (turns->count == HASH_QUEUE) {
        size_t at = heaviest(turns);

        if (count_of(turns, who) + 1 >= count_of(turns, turns->waiting[at].who))
            return work;
        gone = remove_at(turns, at);
    }
    uint64_t round = round_for(turns, who);

    turns->waiting[turns->count++] = (struct waiting_unit){ .work = work, .who = who, .round = round };
    return gone;
}

struct work *turns_take(struct turns *turns)
{
    size_t first = 0;

    if (turns->count == 0)
        return NULL;
    for (size_t i = 1; i < turns->count; i++)
        if (turns->waiting[i].round < turns->waiting[first].round)
            first = i;
    turns->round = turns->waiting[first].round;
    return remove_at(turns, first);
}
