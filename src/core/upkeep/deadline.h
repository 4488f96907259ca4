/*
 * deadline.h - ends what has waited long enough.
 *
 * Every waiting row has a due time in an index. Whoever keeps the time asks for the earliest, sleeps until
 * it has passed, and ends what is due in batches; a read that meets something overdue has this done first.
 * Rows are the truth: nothing is loaded at start, and on PostgreSQL any node may find a row ended by
 * another, which is fine. Due means that now is past the due time; exactly at it is still in time.
 *
 * A new kind of wait adds a row to the table in deadline.c.
 */
#ifndef CORE_UPKEEP_DEADLINE_H
#define CORE_UPKEEP_DEADLINE_H

#include "core/caller/tx.h"

/*
 * Ends up to `limit` rows of all kinds together and says how many; `limit` of them means that there may be
 * more. Rows that another transaction holds are left for the next time.
 */
CHECKED bool deadline_apply(const struct tx *tx, size_t limit, size_t *ended);
/* The earliest due time, 0 when nothing waits. What should happen at once has one long past. */
CHECKED bool deadline_next(const struct tx *tx, int64_t *due_ms);

#endif
