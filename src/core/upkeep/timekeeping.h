/*
 * timekeeping.h - keeps the one clock (base/clock.h) on the database's time, and tells when that jumps.
 *
 * What holds: the clock of a process never goes back, and none starts earlier than the newest row that
 * another one has written. A database whose time was set back is thus not followed: the clock runs a
 * twentieth slower until the other has caught up. One that was set forward is followed at once, since a
 * machine that was paused or woke with a wrong clock must get right again. Either way, a jump of
 * CLOCK_JUMP_MS or more is told, and audited.
 *
 * Thread: the one that keeps the clock; the audit row is written in a transaction of the caller's.
 */
#ifndef CORE_UPKEEP_TIMEKEEPING_H
#define CORE_UPKEEP_TIMEKEEPING_H

#include "core/caller/tx.h"

struct timekeeping {
    int64_t db_now_ms;
    int64_t newest_ms;           /* of the rows that witan wrote; 0: there are none */
    int64_t read_at_ms, took_ms; /* by elapsed time */
};

/* What the database says, and how long it took to say so. */
CHECKED bool timekeeping_read(const struct tx *tx, struct timekeeping *read);

enum timekeeping_jump { JUMP_NONE, JUMP_FORWARD, JUMP_BACK, JUMP_BEHIND };

/*
 * Sets the clock by what was read; with `first`, not earlier than the newest row. Says whether the database's
 * time has jumped since the time before, or, the first time, lies behind the newest row, and by how much.
 * What took too long to read says nothing exact and is passed over, unless it is the first.
 */
enum timekeeping_jump timekeeping_apply(const struct timekeeping *read, bool first, int64_t *by_ms);
/* For people: one sentence. */
const char *timekeeping_says(enum timekeeping_jump jump);
CHECKED bool timekeeping_audit(const struct tx *tx, enum timekeeping_jump jump, int64_t by_ms);

#endif
