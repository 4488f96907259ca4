/*
 * logged_rows.h - the log of a discussion: what was said, for good.
 *
 * Rows are numbered within their discussion. A turn is logged once: the store has one place for each kind,
 * round and seat.
 */
#ifndef CORE_COUNCIL_LOGGED_ROWS_H
#define CORE_COUNCIL_LOGGED_ROWS_H

#include "core/council/discussion.h"
#include "core/council/rules/logged.h"

/* Fills in id, seq and created_ms. */
CHECKED bool logged_add(const struct tx *tx, const struct discussion *discussion, struct logged *logged);
/* All rows after `after`, oldest first. */
CHECKED bool logged_all(const struct tx *tx, const char *discussion_id, int64_t after, struct logged **rows,
                        size_t *count);
/* Some that readers see, after the one with this id (NULL: from the first), oldest first. */
CHECKED bool logged_shown(const struct tx *tx, const char *discussion_id, const char *after_id, size_t most,
                          struct logged **rows, size_t *count);
/* How often each has spoken, in the order of their first words. */
CHECKED bool logged_counts(const struct tx *tx, const char *discussion_id, struct speaker_count **counts,
                           size_t *count);
/* The last ones that readers see, oldest first. */
CHECKED bool logged_last(const struct tx *tx, const char *discussion_id, size_t most, struct logged **rows,
                         size_t *count);
/* Those of one kind and round that were asked for, by seat. */
CHECKED bool logged_round(const struct tx *tx, const char *discussion_id, enum row_kind kind, int round,
                          struct logged **rows, size_t *count);
CHECKED bool logged_last_seq(const struct tx *tx, const char *discussion_id, int64_t *seq);

#endif
