/*
 * This file chooses which part runs a unit and knows in which order the parts end. A caller that waits hands
 * in a stand-in on its own stack whose callback wakes it; the unit itself never knows that somebody waits.
 */
#include "db/store.h"

#include "base/limits.h"
#include "db/compute.h"
#include "db/hashing.h"
#include "db/pool.h"
#include "db/readers.h"
#include "db/threads.h"
#include "db/writer.h"

#include <stdlib.h>

struct store {
    struct store_options options;
    enum db_engine engine;
    struct counters counters;
    struct read_pause pause;
    struct compute compute;
    struct hashing hashing;
    struct writer *writer; /* SQLite only, as are the readers */
    struct readers *readers;
    struct pool *pool; /* PostgreSQL only */
};

/* The writer is first, since it creates the files that readers only open. */
static bool open_parts(struct store *store, const char *path, struct err *err)
{
    if (store->engine == DB_POSTGRES) {
        store->pool = pool_open(path, &store->options, &store->counters, err);
        return store->pool != NULL;
    }
    store->writer = writer_open(path, &store->options, &store->counters, &store->pause, err);
    if (!store->writer)
        return false;
    store->readers = readers_open(path, &store->options, &store->pause, err);
    return store->readers != NULL;
}

struct store *store_open(const struct store_options *options, struct err *err)
{
    enum db_engine engine;
    const char *path;

    if (!db_url_engine(options->url, &engine, &path, err))
        return NULL;
    struct store *store = calloc(1, sizeof(*store));

    if (!store)
        abort();
    store->options = *options;
    store->engine = engine;
    read_pause_init(&store->pause);
    compute_init(&store->compute, options->wait_ms ? options->wait_ms : STORE_WAIT_MS);
    hashing_init(&store->hashing);
    if (!open_parts(store, path, err)) {
        store_close(store);
        return NULL;
    }
    store->options.url = store->options.vfs = NULL; /* the caller's; the parts have copies */
    return store;
}

/*
 * What computes may hand in a write when it is done, so it ends first; the writer ends last, since the
 * last connection to close moves the WAL into the database. Readers hand in what is to be computed, so what
 * takes that is there until they are gone, if only to refuse it.
 */
void store_close(struct store *store)
{
    if (!store)
        return;
    compute_stop(&store->compute);
    hashing_stop(&store->hashing);
    pool_close(store->pool);
    readers_close(store->readers);
    writer_close(store->writer);
    compute_done(&store->compute);
    hashing_done(&store->hashing);
    read_pause_done(&store->pause);
    free(store);
}

enum db_engine store_engine(const struct store *store)
{
    return store->engine;
}

static bool counted(struct store *store, bool accepted)
{
    if (!accepted)
        atomic_fetch_add_explicit(&store->counters.refused, 1, memory_order_relaxed);
    return accepted;
}

bool store_write(struct store *store, struct work *work, struct err *err)
{
    return counted(store, store->pool ? pool_put(store->pool, LANE_WRITE, work, err)
                                      : writer_put(store->writer, work, err));
}

bool store_read(struct store *store, struct work *work, struct err *err)
{
    return counted(store, store->pool ? pool_put(store->pool, LANE_READ, work, err)
                                      : readers_put(store->readers, work, err));
}

bool store_compute(struct store *store, struct work *work, struct err *err)
{
    return counted(store, compute_put(&store->compute, work, err));
}

bool store_hash(struct store *store, struct work *work, uint64_t who, struct err *err)
{
    return counted(store, hashing_put(&store->hashing, work, who, err));
}

bool store_can_read_here(const struct store *store)
{
    return store->readers != NULL;
}

void store_read_here(struct store *store, struct work *work)
{
    atomic_fetch_add_explicit(&store->counters.reads_here, 1, memory_order_relaxed);
    readers_run_here(store->readers, work);
}

/* Stands in the queue for a unit whose caller waits. */
struct store_waiting {
    struct work proxy;
    struct work *inner;
    pthread_mutex_t lock;
    pthread_cond_t over;
    bool finished;
};

static bool waiting_run(struct db *db, struct work *proxy)
{
    struct store_waiting *waiting = (struct store_waiting *)proxy;

    waiting->inner->err = (struct err){ 0 };
    bool ok = waiting->inner->run(db, waiting->inner);

    proxy->err = waiting->inner->err;
    return ok;
}

static void waiting_done(struct work *proxy)
{
    struct store_waiting *waiting = (struct store_waiting *)proxy;

    pthread_mutex_lock(&waiting->lock);
    waiting->inner->err = proxy->err;
    waiting->finished = true;
    pthread_cond_signal(&waiting->over);
    pthread_mutex_unlock(&waiting->lock);
}

typedef bool hand_in_fn(struct store *store, struct work *work, struct err *err);

static void hand_in(struct store *store, struct store_waiting *waiting, struct work *work, hand_in_fn *take)
{
    *waiting = (struct store_waiting){
        .proxy = { .run = waiting_run, .done = waiting_done, .caller = work->caller, .heavy = work->heavy },
        .inner = work,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .over = PTHREAD_COND_INITIALIZER
    };
    work->err = (struct err){ 0 };
    if (!take(store, &waiting->proxy, &work->err))
        waiting->finished = true;
}

static bool wait_for(struct store_waiting *waiting)
{
    pthread_mutex_lock(&waiting->lock);
    while (!waiting->finished)
        pthread_cond_wait(&waiting->over, &waiting->lock);
    pthread_mutex_unlock(&waiting->lock);
    pthread_cond_destroy(&waiting->over);
    pthread_mutex_destroy(&waiting->lock);
    return waiting->inner->err.code == ERR_NONE;
}

static bool hand_in_and_wait(struct store *store, struct work *work, hand_in_fn *take)
{
    struct store_waiting waiting;

    hand_in(store, &waiting, work, take);
    return wait_for(&waiting);
}

bool store_write_wait(struct store *store, struct work *work)
{
    return hand_in_and_wait(store, work, store_write);
}

bool store_write_wait_all(struct store *store, struct work *const works[], size_t count)
{
    struct store_waiting waiting[STORE_WAIT_MOST];
    bool all = true;

    if (count > STORE_WAIT_MOST)
        abort();
    for (size_t i = 0; i < count; i++)
        hand_in(store, &waiting[i], works[i], store_write);
    for (size_t i = 0; i < count; i++)
        all = wait_for(&waiting[i]) && all;
    return all;
}

bool store_read_wait(struct store *store, struct work *work)
{
    return hand_in_and_wait(store, work, store_read);
}

void store_stats(const struct store *store, struct store_stats *stats)
{
    *stats = (struct store_stats){ 0 };
    counters_read(&store->counters, stats);
    stats->write_queue = store->pool ? pool_queued(store->pool, LANE_WRITE) : writer_queued(store->writer);
    stats->read_queue = store->pool ? pool_queued(store->pool, LANE_READ) : readers_queued(store->readers);
}

bool store_healthy(const struct store *store)
{
    return store->pool ? pool_is_healthy(store->pool) : writer_is_healthy(store->writer);
}

bool store_writes_fail(const struct store *store)
{
    return atomic_load(&store->counters.writes_fail);
}
