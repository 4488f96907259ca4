#include "db/queue.h"

#include "base/clock.h"

#include <errno.h>

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
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        queue->lanes[lane].last = &queue->lanes[lane].first;
        queue->lanes[lane].limit = limit;
    }
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

bool queue_put(struct queue *queue, enum queue_lane lane, struct work *work, struct err *err)
{
    bool closed, full, wake = false;

    work->next = NULL;
    work->queued_us = clock_ticks_us();
    pthread_mutex_lock(&queue->lock);
    closed = queue->closed;
    full = queue->lanes[lane].count >= queue->lanes[lane].limit;
    if (!closed && !full) {
        *queue->lanes[lane].last = work;
        queue->lanes[lane].last = &work->next;
        queue->lanes[lane].count++;
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

static struct work *take_first(struct queue *queue, enum queue_lane lane)
{
    struct work *work = queue->lanes[lane].first;

    queue->lanes[lane].first = work->next;
    if (!work->next)
        queue->lanes[lane].last = &queue->lanes[lane].first;
    queue->lanes[lane].count--;
    work->next = NULL;
    return work;
}

static struct work *take_oldest(struct queue *queue, enum queue_lane *lane)
{
    struct work *write = queue->lanes[LANE_WRITE].first, *read = queue->lanes[LANE_READ].first;

    if (!write && !read)
        return NULL;
    *lane = !read || (write && write->queued_us <= read->queued_us) ? LANE_WRITE : LANE_READ;
    return take_first(queue, *lane);
}

struct work *queue_poll(struct queue *queue, enum queue_lane *lane)
{
    struct work *work;

    pthread_mutex_lock(&queue->lock);
    work = take_oldest(queue, lane);
    pthread_mutex_unlock(&queue->lock);
    return work;
}

struct work *queue_take(struct queue *queue, int timeout_ms, enum queue_lane *lane)
{
    struct timespec until = clock_moment_after(timeout_ms > 0 ? timeout_ms : 0);
    struct work *work;
    int waited = 0;

    pthread_mutex_lock(&queue->lock);
    while (!(work = take_oldest(queue, lane)) && !queue->closed && waited != ETIMEDOUT) {
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
    for (int lane = 0; lane < LANE_COUNT && !work; lane++) {
        if (queue->lanes[lane].first && queue->lanes[lane].first->queued_us < before_us)
            work = take_first(queue, (enum queue_lane)lane);
    }
    pthread_mutex_unlock(&queue->lock);
    return work;
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
    count = queue->lanes[lane].count;
    pthread_mutex_unlock(&queue->lock);
    return count;
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
    if (why->code == ERR_UNAVAILABLE || why->code == ERR_OUTCOME_UNKNOWN)
        work->err.retry_after_s = 1;
    work->done(work);
}
