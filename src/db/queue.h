/*
 * queue.h - units of work on their way to a store thread.
 *
 * A queue has a lane for writes and one for reads, each with its own limit, so that a flood of one
 * kind does not shut out the other. It links the units themselves and allocates nothing.
 *
 * Thread: any. Callbacks are never called with the lock held.
 */
#ifndef DB_QUEUE_H
#define DB_QUEUE_H

#include "db/store.h"

#include <pthread.h>

enum queue_lane { LANE_WRITE, LANE_READ, LANE_COUNT };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t ready, closing;
    struct {
        struct work *first, **last;
        size_t count, limit;
    } lanes[LANE_COUNT];
    int sleepers;
    bool closed;
};

void queue_init(struct queue *queue, size_t limit);
void queue_done(struct queue *queue);

/* Refuses with ERR_UNAVAILABLE when the lane is full or the queue closed. */
CHECKED bool queue_put(struct queue *queue, enum queue_lane lane, struct work *work, struct err *err);
/* The unit that has waited longest, of any lane; NULL when there is none. */
struct work *queue_poll(struct queue *queue, enum queue_lane *lane);
/* As queue_poll, but waits. NULL after `timeout_ms` (negative: never), or when closed and empty. */
struct work *queue_take(struct queue *queue, int timeout_ms, enum queue_lane *lane);
/* Takes out the next unit that was put in before `before_us`, or NULL. */
struct work *queue_take_older(struct queue *queue, int64_t before_us);
/* Sleeps until the queue is closed or the time is over; true when it is closed. */
bool queue_sleep(struct queue *queue, int timeout_ms);
/* Nothing more is accepted; what is queued can still be taken. */
void queue_close(struct queue *queue);
bool queue_is_closed(struct queue *queue);
size_t queue_length(struct queue *queue, enum queue_lane lane);

/* Ends a unit that was not run, with a sentence of ours. */
void work_refuse(struct work *work, enum err_code code, const char *why);
/* Ends a unit whose transaction failed, or could not begin, with what was said about that. */
void work_fail(struct work *work, const struct err *why);

#endif
