/*
 * turns.h - a short waiting room in which everybody gets their turn.
 *
 * Units wait by whom they are for (`who`, any number). The next one taken is the one whose owner has had the
 * fewest turns since it came, so that someone with one unit waits for one unit of each of the others,
 * however many those have. When the room is full, whoever has most in it gives way: the newest unit of that
 * one has to leave, or the newcomer if it is theirs.
 *
 * Thread: the caller locks.
 */
#ifndef DB_TURNS_H
#define DB_TURNS_H

#include "base/limits.h"

#include <stddef.h>
#include <stdint.h>

struct work;

struct turns {
    struct waiting_unit {
        struct work *work;
        uint64_t who;
        uint64_t round;    /* in which round of turns it is taken */
    } waiting[HASH_QUEUE]; /* in the order in which they came */
    size_t count;
    uint64_t round; /* of the unit taken last */
};

/* Returns the unit for which there is no room: NULL mostly; else `work` itself or one that waited. */
struct work *turns_put(struct turns *turns, struct work *work, uint64_t who);
struct work *turns_take(struct turns *turns); /* NULL when nobody waits */

#endif
