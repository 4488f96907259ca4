/*
 * Units of work: run in a transaction on a store thread, then opened as mail on the holder's. A unit may be
 * run again from scratch, so its run leaves nothing but what is in its own arena.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "engine/holder.h"

#include <stdlib.h>
#include <string.h>

#define AGAIN_MS      200 /* before a write that failed is tried again, for the first time */
#define AGAIN_MOST_MS 10000

static struct holder_unit *unit_of(struct work *work)
{
    return (struct holder_unit *)(void *)((char *)work - offsetof(struct holder_unit, work));
}

static bool run_unit(struct db *db, struct work *work)
{
    struct holder_unit *unit = unit_of(work);

    arena_reset(&unit->arena);
    unit->phases = 0;
    struct tx tx = tx_of(db, &unit->arena, clock_now_ms(), &work->err);

    if (!unit->run(&tx, unit))
        return false;
    crash_before(unit->holder, unit->phases);
    return true;
}

static void open_unit(struct mail *mail)
{
    struct holder_unit *unit = (struct holder_unit *)mail;

    unit->holder->units--;
    unit->after(unit);
}

static void unit_done(struct work *work)
{
    struct holder_unit *unit = unit_of(work);

    if (work->err.code == ERR_NONE)
        crash_after(unit->holder, unit->phases);
    holder_post(unit->holder, &unit->mail, open_unit);
}

void *unit_new(struct holder *holder, size_t size, bool (*run)(const struct tx *tx, struct holder_unit *unit),
               void (*after)(struct holder_unit *unit))
{
    struct holder_unit *unit = memory_take(size);

    memset(unit, 0, size);
    unit->holder = holder;
    unit->run = run;
    unit->after = after;
    return unit;
}

void unit_hand_in(struct holder_unit *unit)
{
    unit->work = (struct work){ .run = run_unit, .done = unit_done };
    unit->holder->units++;
    if (!store_write(unit->holder->store, &unit->work, &unit->work.err))
        unit_done(&unit->work);
}

static void hand_in_again(void *unit)
{
    unit_hand_in(unit);
}

void unit_again(struct holder_unit *unit, int tries)
{
    atomic_fetch_add(&unit->holder->repeated, 1);
    holder_after(unit->holder, &unit->timer, again_ms(tries), hand_in_again, unit);
}

void unit_free(struct holder_unit *unit)
{
    arena_done(&unit->arena);
    free(unit);
}

bool unit_may_work_later(const struct holder_unit *unit)
{
    switch (unit->work.err.code) {
    case ERR_UNAVAILABLE:
    case ERR_OUTCOME_UNKNOWN:
    case ERR_RETRY: return true;
    default: return false;
    }
}

bool unit_was_late(const struct holder_unit *unit)
{
    return holding_is_late(&unit->work.err);
}

bool unit_is_hopeless(const struct holder_unit *unit, int tries)
{
    const struct err *err = &unit->work.err;

    return holding_is_hopeless(err) && tries >= (err->code == ERR_INTERNAL ? HOLDER_TRIES : HOLDER_TRIES_BAD);
}

int64_t again_ms(int tries)
{
    int64_t ms = AGAIN_MS;

    while (tries-- > 1 && ms < AGAIN_MOST_MS)
        ms *= 2;
    return ms < AGAIN_MOST_MS ? ms : AGAIN_MOST_MS;
}
