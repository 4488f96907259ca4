/*
 * queue.h - units of work on their way to a store thread, each caller in turn.
 *
 * Units wait behind those of their own caller only: the callers that have something waiting are served one
 * unit each, round and round, so that whoever hands in a thousand does not keep another one from being next.
 * Callers are told apart by a hash (work->caller), and share a place in QUEUE_SHARES when that falls
 * together.
 *
 * A queue has a lane for writes and one for reads, each with its own limit, so that a flood of one kind does
 * not shut out the other. The last eighth of a lane is for callers who have little in it. It links the units
 * themselves and allocates nothing.
 *
 * Thread: any. Callbacks are never called with the lock held.
 */
#ifndef DB_QUEUE_H
#define DB_QUEUE_H

#include "db/store.h"

#include <pthread.h>

#define QUEUE_SHARES 256

enum queue_lane { LANE_WRITE, LANE_READ, LANE_COUNT };

/* What one caller has waiting, in its order. */
struct share {
    struct work *first, **last;
    size_t count;
    struct share *next; /* among those whose turn comes */
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t ready, closing;
    struct share shares[QUEUE_SHARES];
    struct share *turn, **turn_last; /* shares with something in them; the first one's turn is next */
    size_t counts[LANE_COUNT], limit;
    int sleepers;
    bool closed;
};

void queue_init(struct queue *queue, size_t limit);
void queue_done(struct queue *queue);

/* Refuses with ERR_UNAVAILABLE when the lane is full or the queue closed. */
CHECKED bool queue_put(struct queue *queue, enum queue_lane lane, struct work *work, struct err *err);
/* The next unit of the caller whose turn it is; NULL when there is none. */
struct work *queue_poll(struct queue *queue, enum queue_lane *lane);
/* As queue_poll, but waits. NULL after `timeout_ms` (negative: never), or when closed and empty. */
struct work *queue_take(struct queue *queue, int timeout_ms, enum queue_lane *lane);
/* Takes out a unit that was put in before `before_us`, or NULL. */
struct work *queue_take_older(struct queue *queue, int64_t before_us);
/* Sleeps until the queue is closed or the time is over; true when it is closed. */
bool queue_sleep(struct queue *queue, int timeout_ms);
/* Nothing more is accepted; what is queued can still be taken. */
void queue_close(struct queue *queue);
bool queue_is_closed(struct queue *queue);
size_t queue_length(struct queue *queue, enum queue_lane lane);

/* Ends what has waited since before `before_us`: nobody has time for it. */
void queue_expire(struct queue *queue, int64_t before_us);
/*
 * Runs a unit. When it fails, work->err says why; also when there was not enough memory for it, which ends
 * the unit and nothing else.
 */
CHECKED bool work_run(struct db *db, struct work *work);
/* Ends a unit that was not run, with a sentence of ours. */
void work_refuse(struct work *work, enum err_code code, const char *why);
/* Ends a unit whose transaction failed, or could not begin, with what was said about that. */
void work_fail(struct work *work, const struct err *why);

#endif
