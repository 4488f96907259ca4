/*
 * A mutex, a condition and the waiting room of turns.c. The room evicts: a newcomer may push out a unit that
 * was accepted before, which is then refused from here, outside the lock.
 */
#include "db/hashing.h"

#include "db/queue.h"
#include "db/threads.h"

#include <sys/resource.h>
#include <unistd.h>

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

static void *hashing_main(void *user)
{
    struct hashing *hashing = user;
    struct work *work;

    /* On Linux this is the thread's own. Where it is not allowed, the work is as good, only less polite. */
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), HASH_NICE);
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
