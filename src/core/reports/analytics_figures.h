/*
 * analytics_figures.h - a report from prepared figures, for ranges with much in them. Internal to
 * analytics*.c.
 *
 * The range is taken to whole hours, and to whole days for what is asked again and again. Times that people
 * took are known in two digits, so medians are within five in a hundred.
 */
#ifndef CORE_REPORTS_ANALYTICS_FIGURES_H
#define CORE_REPORTS_ANALYTICS_FIGURES_H

#include "core/caller/tx.h"
#include "core/questions/job.h"
#include "core/reports/analytics.h"

/* Fills in everything but the range, which becomes the one that was counted. */
CHECKED bool analytics_from_figures(const struct tx *tx, struct analytics *report);

/* analytics.c */
void analytics_add_jobs(struct analytics_jobs *jobs, enum job_status status, int64_t count);
CHECKED bool analytics_read_questions(const struct tx *tx, enum sql_id sql, size_t argc,
                                      const struct db_arg argv[], struct analytics_question **questions,
                                      size_t *count);

#endif
