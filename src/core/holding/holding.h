/*
 * holding.h - rows that one node at a time works on, and who that is.
 *
 * A node claims rows of a kind that want work and that no living node holds. It is alive while it renews its
 * lease; whoever looks for work buries nodes that have not, and what they held is free. Each claim raises the
 * row's epoch, and everything that a node writes to a row names the node and the epoch of its claim: what
 * comes under an earlier one changes nothing (ERR_CONFLICT, HOLDING_FENCED). So a node that was stopped, or
 * cut off, and comes back can do no harm, whenever that is. The thread that claims, renews and works is
 * engine/holder.h.
 *
 * A noun whose rows are held brings:
 *   - two columns, the node that holds the row or NULL, and its epoch, from 0; a partial index of the rows
 * that want work and are free, in the order in which they are claimed, and one of those that are held;
 *   - a line of HOLDING_KINDS, and the six statements that it names, in src/db/sql/NOUN.sql:
 *       NOUN_WANTING  $1 rows at most: id, epoch, ... of what wants work and is free (FOR NO KEY UPDATE SKIP
 *                     LOCKED on PostgreSQL, so that two nodes that look at once take different ones)
 *       NOUN_TAKE     $1 id, $2 node: sets the node, raises the epoch by one
 *       NOUN_HELD     $1 id: node, epoch
 *       NOUN_OURS     $1 node: id, epoch of all that it holds
 *       NOUN_RELEASE  $1 node: all that it holds is free
 *       NOUN_FREE     all that anybody holds is free
 *   - in each of its writes as a holder: the row locked and held against holding_fence, or the node and the
 *     epoch in its WHERE and what was changed held against holding_wrote.
 * What a row lost with its node (a call that was out, an attempt that may have been heard) the noun counts
 * when it claims. It gives a row up, with a reason, in a write of its own: engine/holder.h says when.
 *
 * What takes no longer than a transaction needs no lease: holding_alone asks for a lock that goes with it.
 * That is how one node at a time folds figures and takes in words, and, inside functions of the database,
 * numbers and seals events (docs/decisions/0039). A session that keeps such a lock and stands still loses it
 * (holding_end_idle).
 *
 * All of it is database work in the caller's transaction. What is returned lives in its arena.
 */
#ifndef CORE_HOLDING_HOLDING_H
#define CORE_HOLDING_HOLDING_H

#include "core/caller/tx.h"
#include "db/locks.h"

/* A node that holds something and has not renewed for so long is taken for dead. */
#define HOLDING_LEASE_MS 5000
#define HOLDING_RENEW_MS 1500
/* The names of the two errors that say a write came too late: another holds the row by now, or nothing is
 * left of what was to be written to. */
#define HOLDING_FENCED "fenced"
#define HOLDING_GONE   "gone"

/* The kind, the beginning of its statements' names, and what is told to whoever came too late. */
#define HOLDING_KINDS(X) \
    X(HOLDING_DISCUSSION, DRIVE, "Another node drives this discussion.") \
    X(HOLDING_RUN, RUN, "Another node moves this run on.") \
    X(HOLDING_TAKE, TAKE, "Another node has this task out.")

enum holding_kind {
#define X(kind, statements, late) kind,
    HOLDING_KINDS(X)
#undef X
};

/* What was claimed. */
struct held_row {
    const char *id;
    int64_t epoch;
};

/* This node is alive until then. */
CHECKED bool holding_node_renew(const struct tx *tx, const char *node, int64_t until_ms);
/* It stops, or has stood still: what it holds, of all kinds, is free at once. */
CHECKED bool holding_node_leave(const struct tx *tx, const char *node);
/* At the start of a store that has one owner: no earlier node is alive. */
CHECKED bool holding_node_clear(const struct tx *tx);

/* Takes up to `limit` rows that want work and that no living node holds. One indexed read of nodes and one of
 * rows when there are none. */
CHECKED bool holding_claim(const struct tx *tx, enum holding_kind kind, const char *node, size_t limit,
                           struct held_row **list, size_t *count);
/* All that this node holds, for who does not know: the commit of a claim may be stored though nobody was
 * told. */
CHECKED bool holding_ours(const struct tx *tx, enum holding_kind kind, const char *node,
                          struct held_row **list, size_t *count);
/* From which epoch on what this node has in hand of a row is still wanted. */
CHECKED bool holding_wanted_from(const struct tx *tx, enum holding_kind kind, const char *node,
                                 const char *id, int64_t *epoch);

/* In whose name something is written. */
struct holding_as {
    const char *node;
    int64_t epoch;
};
/* Whether the row, which says this and is locked, is still held so. */
CHECKED bool holding_fence(const struct tx *tx, enum holding_kind kind, const struct holding_as *row,
                           const struct holding_as *as);
/* The same of a write that named both in its WHERE, by how many rows it changed. */
CHECKED bool holding_wrote(const struct tx *tx, enum holding_kind kind, size_t changed);
/* The row is not there any more: names the error so, and returns false. Only for what is written to itself:
 * anything else that is missing is no reason to drop the work. */
bool holding_gone(const struct tx *tx);

/* Whether a write came too late. By name: a rule of the store that was broken is a conflict, too, but nobody
 * else would move the row on then. */
bool holding_is_late(const struct err *err);
/* Whether an error is about what was to be written, so that the same would be refused the next time, too. */
bool holding_is_hopeless(const struct err *err);

/* Whether this transaction is the only one with this lock, which it then has to its end. */
CHECKED bool holding_alone(const struct tx *tx, enum lock_number lock, bool *alone);
/* PostgreSQL: ends sessions that have one of two locks and for so long have only waited for their client. */
CHECKED bool holding_end_idle(const struct tx *tx, enum lock_number one, enum lock_number other,
                              int64_t idle_ms, size_t *ended);

#endif
