/*
 * A mutex, a condition and the waiting room of turns.c. The room evicts: a newcomer may push out a unit that
 * was accepted before, which is then refused from here, outside the lock.
 */
#include "db/hashing.h"

#include "db/queue.h"
#include "db/threads.h"

#include <sched.h>

#define TOO_MANY "Too many are logging in right now; try again shortly."

static struct work *take(struct hashing *hashing)
{
    struct work *work;

    pthread_mutex_lock(&hashing->lock);
    while (!(work = turns_take(&hashing->turns)) && !hashing->closed)
        pthread_cond_wait(&hashing->ready, &hashing->lock);
    pthread_mutex_unlock(&hashing->lock);
    return work;
}

/*
 * Of a processor that is scarce these take their share, as any program on the machine does: with less of it a
 * login stands still beside others that are busy. But they are no match for a thread that was asleep and has
 * a moment's work, which is what all our others are, and run on only when those are done. Where that cannot
 * be had, the work is as good, only less polite.
 */
static void give_way_to_the_quick(void)
{
    (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &(struct sched_param){ 0 });
}

static void *hashing_main(void *user)
{
    struct hashing *hashing = user;
    struct work *work;

    give_way_to_the_quick();
    while ((work = take(hashing)) != NULL) {
        work->err = (struct err){ 0 };
        (void)!work_run(NULL, work);
        work->done(work);
    }
    return NULL;
}

void hashing_init(struct hashing *hashing)
{
    *hashing = (struct hashing){ 0 };
    pthread_mutex_init(&hashing->lock, NULL);
    pthread_cond_init(&hashing->ready, NULL);
}

static bool refuse(struct err *err, const char *why)
{
    err_set(err, ERR_UNAVAILABLE, "%s", why);
    err->retry_after_s = 1;
    return false;
}

bool hashing_put(struct hashing *hashing, struct work *work, uint64_t who, struct err *err)
{
    struct work *gone = NULL;

    pthread_mutex_lock(&hashing->lock);
    bool closed = hashing->closed;

    for (int i = 0; i < HASH_THREADS && !hashing->started && !closed; i++)
        thread_start(&hashing->threads[i], "witan-hashing", hashing_main, hashing);
    if (!closed) {
        hashing->started = true;
        gone = turns_put(&hashing->turns, work, who);
        pthread_cond_signal(&hashing->ready);
    }
    pthread_mutex_unlock(&hashing->lock);
    if (closed)
        return refuse(err, "The server is stopping.");
    if (gone == work)
        return refuse(err, TOO_MANY);
    if (gone)
        work_refuse(gone, ERR_UNAVAILABLE, TOO_MANY);
    return true;
}

void hashing_stop(struct hashing *hashing)
{
    pthread_mutex_lock(&hashing->lock);
    hashing->closed = true;
    bool started = hashing->started;

    pthread_cond_broadcast(&hashing->ready);
    pthread_mutex_unlock(&hashing->lock);
    for (int i = 0; i < HASH_THREADS && started; i++)
        pthread_join(hashing->threads[i], NULL);
}

void hashing_done(struct hashing *hashing)
{
    pthread_cond_destroy(&hashing->ready);
    pthread_mutex_destroy(&hashing->lock);
}
