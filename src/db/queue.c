/*
 * Two levels of links and no allocation: each share is a list of units, and the shares that hold any are a
 * ring that is served from the front. A share leaves the ring with its last unit and joins at the end, so one
 * round serves everybody once, in constant time. Reads and writes lie in the same ring; the lanes only count.
 */
#include "db/queue.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>

#define KEPT_FOR_OTHERS 8 /* one part in so many of a lane */

void queue_init(struct queue *queue, size_t limit)
{
    pthread_condattr_t attributes;

    *queue = (struct queue){ 0 };
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->ready, &attributes);
    pthread_cond_init(&queue->closing, &attributes);
    pthread_condattr_destroy(&attributes);
    for (size_t i = 0; i < QUEUE_SHARES; i++)
        queue->shares[i].last = &queue->shares[i].first;
    queue->turn_last = &queue->turn;
    queue->limit = limit;
}

void queue_done(struct queue *queue)
{
    pthread_cond_destroy(&queue->closing);
    pthread_cond_destroy(&queue->ready);
    pthread_mutex_destroy(&queue->lock);
}

static bool refuse(struct err *err, const char *why)
{
    err_set(err, ERR_UNAVAILABLE, "%s", why);
    err->retry_after_s = 1;
    return false;
}

/* The server's own work may fill a lane; a caller leaves its last part to those who have little waiting. */
static bool is_full(const struct queue *queue, enum queue_lane lane, const struct work *work,
                    const struct share *share)
{
    size_t kept = queue->limit / KEPT_FOR_OTHERS;
    bool has_little = work->caller == 0 || share->count < kept / 2;

    return queue->counts[lane] >= (has_little ? queue->limit : queue->limit - kept);
}

static void add(struct queue *queue, struct share *share, struct work *work)
{
    if (!share->first) {
        share->next = NULL;
        *queue->turn_last = share;
        queue->turn_last = &share->next;
    }
    *share->last = work;
    share->last = &work->next;
    share->count++;
    queue->counts[work->writes ? LANE_WRITE : LANE_READ]++;
}

bool queue_put(struct queue *queue, enum queue_lane lane, struct work *work, struct err *err)
{
    struct share *share = &queue->shares[work->caller % QUEUE_SHARES];
    bool closed, full, wake = false;

    work->next = NULL;
    work->queued_us = clock_ticks_us();
    work->writes = lane == LANE_WRITE;
    pthread_mutex_lock(&queue->lock);
    closed = queue->closed;
    full = is_full(queue, lane, work, share);
    if (!closed && !full) {
        add(queue, share, work);
        wake = queue->sleepers > 0;
    }
    pthread_mutex_unlock(&queue->lock);
    /* Waking is a system call: a busy consumer finds the unit by itself. */
    if (wake)
        pthread_cond_signal(&queue->ready);
    if (closed)
        return refuse(err, "The server is stopping.");
    if (full)
        return refuse(err, "Too much is waiting for the database; try again shortly.");
    return true;
}

static struct work *take_first(struct queue *queue, struct share *share)
{
    struct work *work = share->first;

    share->first = work->next;
    if (!work->next)
        share->last = &share->first;
    share->count--;
    queue->counts[work->writes ? LANE_WRITE : LANE_READ]--;
    work->next = NULL;
    return work;
}

/* Takes the share that `at` leads to out of the round. */
static void leave_round(struct queue *queue, struct share **at)
{
    struct share *share = *at;

    *at = share->next;
    if (!share->next)
        queue->turn_last = at;
    share->next = NULL;
}

static struct work *take_next(struct queue *queue, enum queue_lane *lane)
{
    struct share *share = queue->turn;

    if (!share)
        return NULL;
    struct work *work = take_first(queue, share);

    leave_round(queue, &queue->turn);
    if (share->first) {
        *queue->turn_last = share;
        queue->turn_last = &share->next;
    }
    *lane = work->writes ? LANE_WRITE : LANE_READ;
    return work;
}

struct work *queue_poll(struct queue *queue, enum queue_lane *lane)
{
    struct work *work;

    pthread_mutex_lock(&queue->lock);
    work = take_next(queue, lane);
    pthread_mutex_unlock(&queue->lock);
    return work;
}

struct work *queue_take(struct queue *queue, int timeout_ms, enum queue_lane *lane)
{
    struct timespec until = clock_moment_after(timeout_ms > 0 ? timeout_ms : 0);
    struct work *work;
    int waited = 0;

    pthread_mutex_lock(&queue->lock);
    while (!(work = take_next(queue, lane)) && !queue->closed && waited != ETIMEDOUT) {
        queue->sleepers++;
        if (timeout_ms < 0)
            pthread_cond_wait(&queue->ready, &queue->lock);
        else
            waited = pthread_cond_timedwait(&queue->ready, &queue->lock, &until);
        queue->sleepers--;
    }
    pthread_mutex_unlock(&queue->lock);
    return work;
}

struct work *queue_take_older(struct queue *queue, int64_t before_us)
{
    struct work *work = NULL;

    pthread_mutex_lock(&queue->lock);
    for (struct share **at = &queue->turn; *at; at = &(*at)->next) {
        struct share *share = *at;

        if (share->first->queued_us >= before_us)
            continue;
        work = take_first(queue, share);
        if (!share->first)
            leave_round(queue, at);
        break;
    }
    pthread_mutex_unlock(&queue->lock);
    return work;
}

void queue_expire(struct queue *queue, int64_t before_us)
{
    struct err err = { 0 };
    struct work *work;

    err_set(&err, ERR_UNAVAILABLE, "The server is too busy; try again shortly.");
    err.retry_after_s = (int)((clock_ticks_us() - before_us) / 1000000);
    while ((work = queue_take_older(queue, before_us)) != NULL)
        work_fail(work, &err);
}

bool queue_sleep(struct queue *queue, int timeout_ms)
{
    struct timespec until = clock_moment_after(timeout_ms);
    int waited = 0;
    bool closed;

    pthread_mutex_lock(&queue->lock);
    while (!queue->closed && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&queue->closing, &queue->lock, &until);
    closed = queue->closed;
    pthread_mutex_unlock(&queue->lock);
    return closed;
}

void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_broadcast(&queue->ready);
    pthread_cond_broadcast(&queue->closing);
}

bool queue_is_closed(struct queue *queue)
{
    bool closed;

    pthread_mutex_lock(&queue->lock);
    closed = queue->closed;
    pthread_mutex_unlock(&queue->lock);
    return closed;
}

size_t queue_length(struct queue *queue, enum queue_lane lane)
{
    size_t count;

    pthread_mutex_lock(&queue->lock);
    count = queue->counts[lane];
    pthread_mutex_unlock(&queue->lock);
    return count;
}

struct attempt {
    struct db *db;
    struct work *work;
    bool ok;
};

static void run_attempt(void *arg)
{
    struct attempt *attempt = arg;

    attempt->ok = attempt->work->run(attempt->db, attempt->work);
}

bool work_run(struct db *db, struct work *work)
{
    struct attempt attempt = { .db = db, .work = work };

    if (!memory_try(run_attempt, &attempt))
        return err_no_memory(&work->err);
    if (!attempt.ok && work->err.code == ERR_NONE)
        err_set(&work->err, ERR_INTERNAL, "The operation failed without a reason.");
    return attempt.ok;
}

void work_refuse(struct work *work, enum err_code code, const char *why)
{
    struct err err = { 0 };

    err_set(&err, code, "%s", why);
    work_fail(work, &err);
}

void work_fail(struct work *work, const struct err *why)
{
    work->err = *why;
    if ((why->code == ERR_UNAVAILABLE || why->code == ERR_OUTCOME_UNKNOWN) && why->retry_after_s == 0)
        work->err.retry_after_s = 1;
    work->done(work);
}
