/*
 * figures.h - brings the prepared figures of reports up to date.
 *
 * Triggers note every question and job that comes into a state or leaves it, whoever wrote it, as a row of
 * figure_changes: an insert that nobody waits for. Here those rows are added to the figures, by the hour and
 * by the day, and to the tallies of what is asked again and again. Reports (analytics.h) read the figures and
 * what has not been added yet, so counts are exact at any moment; tallies are as old as the last round.
 */
#ifndef CORE_REPORTS_FIGURES_H
#define CORE_REPORTS_FIGURES_H

#include "core/caller/tx.h"

/* Whether there is anything to add. Reads only. */
CHECKED bool figures_waiting(const struct tx *tx, bool *waiting);
/* Adds up to `limit` changes and says how many; none while another node is at it. */
CHECKED bool figures_fold(const struct tx *tx, size_t limit, size_t *folded);

#endif
