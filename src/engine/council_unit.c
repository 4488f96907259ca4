/*
 * Units of work: run in a transaction on a store thread, then opened as mail on the driver's. A unit may be
 * run again from scratch, so its run leaves nothing but what is in its own arena.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "base/str.h"
#include "engine/council_internal.h"

#include <stdlib.h>
#include <string.h>

#define AGAIN_MS      200 /* before a write that failed is tried again, for the first time */
#define AGAIN_MOST_MS 10000

static struct unit *unit_of(struct work *work)
{
    return (struct unit *)(void *)((char *)work - offsetof(struct unit, work));
}

static bool run_unit(struct db *db, struct work *work)
{
    struct unit *unit = unit_of(work);

    arena_reset(&unit->arena);
    unit->phases = 0;
    struct tx tx = tx_of(db, &unit->arena, clock_now_ms(), &work->err);

    if (!unit->run(&tx, unit))
        return false;
    crash_before(unit->phases);
    return true;
}

static void open_unit(struct mail *mail)
{
    struct unit *unit = (struct unit *)mail;

    unit->council->units--;
    unit->after(unit);
}

static void unit_done(struct work *work)
{
    struct unit *unit = unit_of(work);

    if (work->err.code == ERR_NONE)
        crash_after(unit->phases);
    council_post(unit->council, &unit->mail, open_unit);
}

void *unit_new(struct council *council, size_t size, bool (*run)(const struct tx *tx, struct unit *unit),
               void (*after)(struct unit *unit))
{
    struct unit *unit = memory_take(size);

    memset(unit, 0, size);
    unit->council = council;
    unit->run = run;
    unit->after = after;
    return unit;
}

void unit_hand_in(struct unit *unit)
{
    unit->work = (struct work){ .run = run_unit, .done = unit_done };
    unit->council->units++;
    if (!store_write(unit->council->store, &unit->work, &unit->work.err))
        unit_done(&unit->work);
}

void unit_free(struct unit *unit)
{
    arena_done(&unit->arena);
    free(unit);
}

bool unit_may_work_later(const struct unit *unit)
{
    switch (unit->work.err.code) {
    case ERR_UNAVAILABLE:
    case ERR_OUTCOME_UNKNOWN:
    case ERR_RETRY: return true;
    default: return false;
    }
}

/* By name: a rule of the store that was broken is a conflict, too, but nobody else would move the turn on
 * then.
 */
bool err_is_late(const struct err *err)
{
    return str_equal(err->name, DRIVE_FENCED) || str_equal(err->name, DRIVE_GONE);
}

bool unit_was_late(const struct unit *unit)
{
    return err_is_late(&unit->work.err);
}

int64_t again_ms(int tries)
{
    int64_t ms = AGAIN_MS;

    while (tries-- > 1 && ms < AGAIN_MOST_MS)
        ms *= 2;
    return ms < AGAIN_MOST_MS ? ms : AGAIN_MOST_MS;
}
