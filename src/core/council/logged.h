/*
 * logged.h - the log of a discussion: what was said, for good.
 *
 * Rows are numbered within their discussion. Messages and turns are what readers see; ballots, a judge's
 * words and summaries are kept beside them, so that every decision can be made again from the log alone. A
 * turn is logged once: the store has one place for each kind, round and seat.
 */
#ifndef CORE_COUNCIL_LOGGED_H
#define CORE_COUNCIL_LOGGED_H

#include "core/council/discussion.h"
#include "core/council/order.h"

struct logged {
    const char *id;
    int64_t seq;
    enum row_kind kind;
    enum entry_kind manner;         /* said, passed, skipped */
    const char *agent_id, *user_id; /* or NULL */
    const char *speaker, *role, *content;
    int turn_index, round; /* turn_index OUT_OF_TURN: outside of the order */
    const char *metadata;  /* a JSON object's text */
    int64_t created_ms;
    struct spent spent; /* by the models that were asked for it, in all attempts */
};

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

/* Where the order stands after these rows, which are the first of a log. */
struct slot logged_place(const struct seating *seating, const struct logged *rows, size_t count);
bool logged_is_shown(const struct logged *logged); /* a message or a turn */
/* As the rules see it. */
struct entry logged_entry(const struct logged *logged);
/* Those that are shown, as the rules see them. */
struct entry *logged_entries(struct arena *arena, const struct logged *rows, size_t count,
                             size_t *entry_count);
/* {id, speaker, agentId, role, content, turnIndex, roundNumber, metadata, createdAt}; key NULL: inside a
 * list. */
void logged_write(const struct logged *logged, const char *key, struct json_out *out);

#endif
