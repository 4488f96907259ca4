/*
 * A queue of its own with the same expiry as the store's, so that work which waits too long for a processor
 * is answered 503 like work which waits for the database. The threads start late: most servers never need
 * them.
 */
#include "db/compute.h"

#include "db/threads.h"

static void *compute_main(void *user)
{
    struct compute *compute = user;
    enum queue_lane lane;
    struct work *work;

    while ((work = queue_take(&compute->queue, -1, &lane)) != NULL) {
        work->err = (struct err){ 0 };
        (void)!work_run(NULL, work);
        work->done(work);
    }
    return NULL;
}

void compute_init(struct compute *compute, int64_t wait_ms)
{
    *compute = (struct compute){ .expiry = { .queues = { &compute->queue }, .wait_ms = wait_ms } };
    queue_init(&compute->queue, COMPUTE_QUEUE);
    pthread_mutex_init(&compute->lock, NULL);
}

bool compute_put(struct compute *compute, struct work *work, struct err *err)
{
    pthread_mutex_lock(&compute->lock);
    bool closed = queue_is_closed(&compute->queue);

    for (int i = 0; i < COMPUTE_THREADS && !compute->started && !closed; i++)
        thread_start(&compute->threads[i], "witan-compute", compute_main, compute);
    if (!compute->started && !closed)
        expiry_begin(&compute->expiry);
    compute->started |= !closed;
    pthread_mutex_unlock(&compute->lock);
    return queue_put(&compute->queue, LANE_READ, work, err);
}

void compute_stop(struct compute *compute)
{
    pthread_mutex_lock(&compute->lock);
    queue_close(&compute->queue);
    bool started = compute->started;

    pthread_mutex_unlock(&compute->lock);
    if (started)
        expiry_end(&compute->expiry);
    for (int i = 0; i < COMPUTE_THREADS && started; i++)
        pthread_join(compute->threads[i], NULL);
}

void compute_done(struct compute *compute)
{
    queue_done(&compute->queue);
    pthread_mutex_destroy(&compute->lock);
}
