/*
 * alerts.h - looks now and then at what somebody should know: alerts, and the figures of the metrics.
 *
 * Looking is a read; only when a condition has begun or ended is there something to write, and the row
 * decides which of several nodes says so. The clock of tests counts as time passing.
 *
 * Thread: alerts_look belongs to the engine's; alerts_stats may be called from any.
 */
#ifndef ENGINE_ALERTS_H
#define ENGINE_ALERTS_H

#include "core/reports/analytics.h"
#include "db/store.h"

struct alerts;

struct alerts *alerts_new(struct store *store);
void alerts_free(struct alerts *alerts); /* accepts NULL */

/* Does what is due at now_ms. False: the store did not answer; err says why. */
CHECKED bool alerts_look(struct alerts *alerts, int64_t now_ms, struct err *err);
/* The figures as of the last look. */
void alerts_stats(struct alerts *alerts, struct analytics_metrics *metrics);

#endif
