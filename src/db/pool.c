/*
 * A unit's outcome is one of three. FINISHED: done, or refused for good. AGAIN: the rows were contested, so
 * it runs again after a random pause. LOST: the connection went before COMMIT was sent, so nothing happened
 * and it runs once more on a new one. A connection that goes during COMMIT is none of these: the outcome is
 * unknown, and running again could do it twice.
 */
#include "db/pool.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "db/expiry.h"
#include "db/postgres.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORKERS_DEFAULT 16
#define IDLE_LOOK_MS    1000 /* how often an idle worker looks whether its connection is still there */

struct worker {
    struct pool *pool;
    struct queue *queue; /* one of the pool's */
    struct db *db;       /* NULL while there is no connection */
    pthread_t thread;
    bool had_connection;
    bool unreachable; /* its last attempt to connect failed */
    int pause_ms;
};

struct pool {
    const struct store_options *options;
    struct counters *counters;
    char *url;
    struct queue queue, heavy;
    struct expiry expiry;
    atomic_int connected, unreachable; /* workers */
    int count;
    struct worker workers[WORKERS_MAX + WORKERS_MAX / HEAVY_WORKERS_PART];
};

static const char lost[] = "The database cannot be reached right now; try again shortly.";

/* Connections */

static void drop(struct worker *worker)
{
    db_close(worker->db);
    worker->db = NULL;
    atomic_fetch_sub(&worker->pool->connected, 1);
}

/*
 * Every statement of the domain has its index. A plan that was made while a table was small, and is kept,
 * must not read the table from end to end when it has grown. Compiling plans pays for long reports only; a
 * small table that is read whole all the same would be taken for one.
 */
static struct db *connect_worker(const char *url, struct err *err)
{
    struct db *db = postgres_open(url, err);

    if (!db)
        return NULL;
    if (postgres_limit(db, settings()->store_timeout_ms, err) &&
        db_script(db, "SET enable_seqscan = off; SET jit = off", err))
        return db;
    db_close(db);
    return NULL;
}

static bool reconnect(struct worker *worker)
{
    struct pool *pool = worker->pool;
    struct err ignored = { 0 };

    worker->db = connect_worker(pool->url, &ignored);
    if (worker->db) {
        atomic_fetch_add(&pool->connected, 1);
        atomic_fetch_add(&pool->counters->reconnects, worker->had_connection ? 1 : 0);
        worker->had_connection = true;
        worker->pause_ms = RECONNECT_MIN_MS;
    }
    if (worker->unreachable != !worker->db)
        atomic_fetch_add(&pool->unreachable, worker->db ? -1 : 1);
    worker->unreachable = !worker->db;
    return worker->db != NULL;
}

/* Connections that were just lost say little: the server counts as lost when a new one failed, too. */
bool pool_is_healthy(const struct pool *pool)
{
    return atomic_load(&pool->connected) > 0 || atomic_load(&pool->unreachable) == 0;
}

/* The server is lost: what is queued would only wait, so it is answered now. */
static void refuse_queued(struct pool *pool)
{
    enum queue_lane lane;
    struct work *work;

    while (!pool_is_healthy(pool) && ((work = queue_poll(&pool->queue, &lane)) != NULL ||
                                      (work = queue_poll(&pool->heavy, &lane)) != NULL))
        work_refuse(work, ERR_UNAVAILABLE, lost);
}

/* Units */

static void back_off(int attempt)
{
    long us = 1000 + random() % (2000L << attempt);

    nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

enum outcome { FINISHED, AGAIN, LOST };

static void set_unavailable(struct work *work, const char *why)
{
    work->err = (struct err){ 0 };
    err_set(&work->err, ERR_UNAVAILABLE, "%s", why);
    work->err.retry_after_s = 1;
}

/* A caller who has waited for as long as the setting says is not made to wait once more. */
static enum outcome gone(const struct db *db, struct work *work)
{
    if (!db->late)
        return LOST;
    set_unavailable(work, "The database does not answer; try again shortly.");
    return FINISHED;
}

/*
 * One attempt. Serialisation failures call for another; a connection that was lost before COMMIT was
 * sent has changed nothing, so the unit may run once more on a new one.
 */
static enum outcome attempt(struct worker *worker, enum queue_lane lane, struct work *work)
{
    struct db *db = worker->db;

    work->err = (struct err){ 0 };
    if (!db_begin(db, lane == LANE_WRITE, &work->err))
        return db->driver->alive(db) ? FINISHED : gone(db, work);
    bool ok = work_run(db, work);

    if (!db->driver->alive(db))
        return gone(db, work);
    if (!ok || postgres_must_retry(db)) {
        db_rollback(db);
        return postgres_must_retry(db) || work->err.code == ERR_RETRY ? AGAIN : FINISHED;
    }
    int64_t start_us = clock_ticks_us();

    work->err = (struct err){ 0 };
    if (db_commit(db, &work->err)) {
        if (lane == LANE_WRITE)
            counters_commit(worker->pool->counters, 1, clock_ticks_us() - start_us);
        return FINISHED;
    }
    if (lane == LANE_WRITE)
        atomic_fetch_add(&worker->pool->counters->failed_commits, 1);
    if (work->err.code == ERR_OUTCOME_UNKNOWN)
        return FINISHED;
    if (!db->driver->alive(db))
        return gone(db, work);
    return postgres_must_retry(db) ? AGAIN : FINISHED;
}

static void run_attempts(struct worker *worker, enum queue_lane lane, struct work *work)
{
    bool fresh = false;

    for (int runs = 1;; runs++) {
        switch (attempt(worker, lane, work)) {
        case FINISHED: return;
        case AGAIN:
            if (runs > POOL_RETRIES) {
                set_unavailable(work, "Others kept changing the same rows; try again shortly.");
                return;
            }
            back_off(runs);
            break;
        case LOST:
            drop(worker);
            if (fresh || !reconnect(worker)) {
                set_unavailable(work, lost);
                return;
            }
            fresh = true;
        }
    }
}

static void run_unit(struct worker *worker, enum queue_lane lane, struct work *work)
{
    const struct store_options *options = worker->pool->options;

    run_attempts(worker, lane, work);
    if (lane == LANE_WRITE && work->err.code == ERR_NONE && options->committed)
        options->committed(options->user);
    bool refused = lane == LANE_WRITE && worker->db && postgres_cannot_write(worker->db);

    if (refused)
        atomic_store(&worker->pool->counters->writes_fail, true);
    work->done(work);
    if (worker->db && (refused || !worker->db->driver->alive(worker->db)))
        drop(worker);
}

/* False when the pool is closing and this worker can do no more for it. */
static bool wait_and_reconnect(struct worker *worker)
{
    struct pool *pool = worker->pool;

    if (reconnect(worker))
        return true;
    refuse_queued(pool);
    if (queue_sleep(&pool->queue, worker->pause_ms))
        return false;
    worker->pause_ms = worker->pause_ms * 2 < RECONNECT_MAX_MS ? worker->pause_ms * 2 : RECONNECT_MAX_MS;
    return true;
}

static void *worker_main(void *user)
{
    struct worker *worker = user;
    struct pool *pool = worker->pool;
    enum queue_lane lane;

    for (;;) {
        if (!worker->db) {
            if (!wait_and_reconnect(worker))
                break;
            continue;
        }
        struct work *work = queue_take(worker->queue, IDLE_LOOK_MS, &lane);

        if (work)
            run_unit(worker, lane, work);
        else if (queue_is_closed(&pool->queue))
            break;
        else if (!postgres_probe(worker->db))
            drop(worker);
    }
    if (worker->db)
        drop(worker);
    refuse_queued(pool);
    return NULL;
}

/* Opening and closing */

static void start_workers(struct pool *pool, int wanted)
{
    int light = wanted < WORKERS_MAX ? wanted : WORKERS_MAX;
    int heavy = light < HEAVY_WORKERS_PART ? 1 : light / HEAVY_WORKERS_PART;

    pool->count = light + heavy;
    for (int i = 0; i < pool->count; i++) {
        pool->workers[i].pool = pool;
        pool->workers[i].queue = i < light ? &pool->queue : &pool->heavy;
        pool->workers[i].pause_ms = RECONNECT_MIN_MS;
        thread_start(&pool->workers[i].thread, "witan-pg", worker_main, &pool->workers[i]);
    }
}

struct pool *pool_open(const char *url, const struct store_options *options, struct counters *counters,
                       struct err *err)
{
    struct db *first = connect_worker(url, err);

    if (!first)
        return NULL;
    struct pool *pool = calloc(1, sizeof(*pool));

    if (!pool)
        abort();
    pool->options = options;
    pool->counters = counters;
    pool->url = strdup(url);
    queue_init(&pool->queue, options->queue ? options->queue : WRITE_QUEUE);
    queue_init(&pool->heavy, options->queue ? options->queue : READ_QUEUE);
    atomic_store(&pool->connected, 1);
    pool->workers[0].db = first;
    pool->workers[0].had_connection = true;
    start_workers(pool, options->workers > 0 ? options->workers : WORKERS_DEFAULT);
    pool->expiry = (struct expiry){ .queues = { &pool->queue, &pool->heavy },
                                    .wait_ms = options->wait_ms ? options->wait_ms : STORE_WAIT_MS };
    expiry_begin(&pool->expiry);
    return pool;
}

void pool_close(struct pool *pool)
{
    if (!pool)
        return;
    queue_close(&pool->queue);
    queue_close(&pool->heavy);
    expiry_end(&pool->expiry);
    for (int i = 0; i < pool->count; i++)
        pthread_join(pool->workers[i].thread, NULL);
    queue_done(&pool->queue);
    queue_done(&pool->heavy);
    free(pool->url);
    free(pool);
}

bool pool_put(struct pool *pool, enum queue_lane lane, struct work *work, struct err *err)
{
    if (!pool_is_healthy(pool)) {
        err_set(err, ERR_UNAVAILABLE, "%s", lost);
        err->retry_after_s = 1;
        return false;
    }
    return queue_put(work->heavy ? &pool->heavy : &pool->queue, lane, work, err);
}

size_t pool_queued(struct pool *pool, enum queue_lane lane)
{
    return queue_length(&pool->queue, lane) + queue_length(&pool->heavy, lane);
}
