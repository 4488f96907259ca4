/*
 * deadlines.h - wakes what has waited long enough, and sweeps up.
 *
 * Every waiting row has a due time. One thread sleeps until the earliest of them, at most a second, and
 * then ends all that are due, in batches. Rows are the truth: the next due time comes from their index,
 * nothing is loaded at start, and on PostgreSQL a row may be found ended by another node, which is fine.
 *
 * The same thread looks for alerts (alerts.h), keeps the clock on the database's time and forgets what has
 * expired (replies kept for repeats, logins, tickets, links, old events), a little at a time.
 */
#ifndef ENGINE_DEADLINES_H
#define ENGINE_DEADLINES_H

#include "core/reports/analytics.h"
#include "db/store.h"

struct deadlines;

/* With `test_clock` the shared offset is read again every second, so that all nodes follow it. */
struct deadlines *deadlines_open(struct store *store, bool test_clock, struct err *err);
void deadlines_close(struct deadlines *deadlines); /* accepts NULL */
/* Waits until a look that began after the call has found nothing due, or the time is up. */
bool deadlines_settle(struct deadlines *deadlines, int timeout_ms);

struct deadlines_stats {
    uint64_t ended, failures, swept;
    int64_t overdue_ms; /* how late the last one was ended */
    bool schema_fits;   /* the database has not become newer than this program */
    struct analytics_metrics metrics;
};
void deadlines_stats(struct deadlines *deadlines, struct deadlines_stats *stats);

#endif
