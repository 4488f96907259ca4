/*
 * Reading on the caller's thread needs a connection per thread and per store, and either may end first. So
 * each such connection hangs in two lists, its thread's and its readers', and has a lock of its own: closing
 * takes it out of one list and leaves an empty shell for the other to find.
 */
#include "db/readers.h"

#include "base/limits.h"
#include "db/expiry.h"
#include "db/sqlite.h"
#include "db/threads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define READERS_DEFAULT 2
struct local_reader {
    pthread_mutex_t lock;    /* held while in use, so that closing waits for it */
    struct readers *readers; /* NULL: closed */
    struct db *db;
    struct local_reader *next_of_thread, *next_of_readers;
};

struct reader {
    struct readers *readers;
    struct queue *queue; /* one of the readers' */
    struct db *db;
    pthread_t thread;
};

struct readers {
    char *path, *vfs;
    struct read_pause *pause;
    struct queue queue, heavy;
    struct expiry expiry;
    int count;
    struct reader all[READERS_MAX + HEAVY_READERS];
    struct local_reader *locals;
};

/* Guards the lists of locals of all readers. Taken when a thread first reads or ends, and at close. */
static pthread_mutex_t locals_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t locals_key;
static pthread_once_t locals_once = PTHREAD_ONCE_INIT;

static struct db *open_one(const struct readers *readers, struct err *err)
{
    struct sqlite_options how = {
        .path = readers->path,
        .vfs = readers->vfs,
        .readonly = true,
        .busy_ms = SQLITE_BUSY_MS,
        .hurry = &readers->pause->hurry,
    };

    return sqlite_open(&how, err);
}

static void run(const struct readers *readers, struct db *db, struct work *work)
{
    work->err = (struct err){ 0 };
    read_pause_wait(readers->pause);
    if (!db_begin(db, false, &work->err))
        return;
    bool ok = work_run(db, work);

    if (ok) {
        work->err = (struct err){ 0 };
        ok = db_commit(db, &work->err);
    } else
        db_rollback(db);
    assert(sqlite_is_idle(db));
}

static void *reader_main(void *user)
{
    struct reader *self = user;
    enum queue_lane lane;
    struct work *work;

    while ((work = queue_take(self->queue, -1, &lane)) != NULL) {
        run(self->readers, self->db, work);
        work->done(work);
    }
    return NULL;
}

/* Reading on the caller's thread */

static void local_close(struct local_reader *local)
{
    pthread_mutex_lock(&local->lock);
    db_close(local->db);
    local->db = NULL;
    local->readers = NULL;
    pthread_mutex_unlock(&local->lock);
}

static void local_free(struct local_reader *local)
{
    pthread_mutex_destroy(&local->lock);
    free(local);
}

static void thread_ends(void *user)
{
    pthread_mutex_lock(&locals_lock);
    for (struct local_reader *local = user, *next; local; local = next) {
        next = local->next_of_thread;
        if (local->readers) {
            struct local_reader **at = &local->readers->locals;

            while (*at != local)
                at = &(*at)->next_of_readers;
            *at = local->next_of_readers;
            local_close(local);
        }
        local_free(local);
    }
    pthread_mutex_unlock(&locals_lock);
}

static void make_key(void)
{
    if (pthread_key_create(&locals_key, thread_ends) != 0)
        abort();
}

/* Opens this thread's connection, and forgets those of readers that have been closed since. */
static struct local_reader *local_open(struct readers *readers, struct err *err)
{
    struct local_reader *local = calloc(1, sizeof(*local)), *head = pthread_getspecific(locals_key);

    if (!local) {
        err_no_memory(err);
        return NULL;
    }
    local->db = open_one(readers, err);
    if (!local->db) {
        free(local);
        return NULL;
    }
    pthread_mutex_init(&local->lock, NULL);
    local->readers = readers;
    pthread_mutex_lock(&locals_lock);
    for (struct local_reader **at = &head; *at;) {
        struct local_reader *old = *at;

        if (old->readers) {
            at = &old->next_of_thread;
            continue;
        }
        *at = old->next_of_thread;
        local_free(old);
    }
    local->next_of_thread = head;
    local->next_of_readers = readers->locals;
    readers->locals = local;
    pthread_mutex_unlock(&locals_lock);
    pthread_setspecific(locals_key, local);
    return local;
}

/* Returns it locked, or NULL. */
static struct local_reader *local_find(const struct readers *readers)
{
    for (struct local_reader *local = pthread_getspecific(locals_key); local; local = local->next_of_thread) {
        pthread_mutex_lock(&local->lock);
        if (local->readers == readers)
            return local;
        pthread_mutex_unlock(&local->lock);
    }
    return NULL;
}

void readers_run_here(struct readers *readers, struct work *work)
{
    struct local_reader *local = local_find(readers);

    work->err = (struct err){ 0 };
    if (!local) {
        local = local_open(readers, &work->err);
        if (!local)
            return;
        pthread_mutex_lock(&local->lock);
    }
    run(readers, local->db, work);
    pthread_mutex_unlock(&local->lock);
}

/* Opening and closing */

static void readers_free(struct readers *readers)
{
    for (int i = 0; i < readers->count; i++)
        db_close(readers->all[i].db);
    queue_done(&readers->queue);
    queue_done(&readers->heavy);
    free(readers->path);
    free(readers->vfs);
    free(readers);
}

/* Each takes from one queue, and the last ones from that of the heavy units. */
static bool open_all(struct readers *readers, int wanted, struct err *err)
{
    int light = wanted < READERS_MAX ? wanted : READERS_MAX;

    for (; readers->count < light + HEAVY_READERS; readers->count++) {
        struct reader *reader = &readers->all[readers->count];

        reader->readers = readers;
        reader->queue = readers->count < light ? &readers->queue : &readers->heavy;
        reader->db = open_one(readers, err);
        if (!reader->db)
            return false;
    }
    return true;
}

struct readers *readers_open(const char *path, const struct store_options *options, struct read_pause *pause,
                             struct err *err)
{
    struct readers *readers = calloc(1, sizeof(*readers));
    int wanted = options->readers > 0 ? options->readers : READERS_DEFAULT;

    if (!readers)
        abort();
    pthread_once(&locals_once, make_key);
    readers->pause = pause;
    queue_init(&readers->queue, options->queue ? options->queue : READ_QUEUE);
    queue_init(&readers->heavy, options->queue ? options->queue : READ_QUEUE);
    readers->path = strdup(path);
    readers->vfs = options->vfs ? strdup(options->vfs) : NULL;
    if (!open_all(readers, wanted, err)) {
        readers_free(readers);
        return NULL;
    }
    for (int i = 0; i < readers->count; i++)
        thread_start(&readers->all[i].thread, "witan-reader", reader_main, &readers->all[i]);
    readers->expiry = (struct expiry){ .queues = { &readers->queue, &readers->heavy },
                                       .wait_ms = options->wait_ms ? options->wait_ms : STORE_WAIT_MS };
    expiry_begin(&readers->expiry);
    return readers;
}

void readers_close(struct readers *readers)
{
    if (!readers)
        return;
    queue_close(&readers->queue);
    queue_close(&readers->heavy);
    expiry_end(&readers->expiry);
    for (int i = 0; i < readers->count; i++)
        pthread_join(readers->all[i].thread, NULL);
    pthread_mutex_lock(&locals_lock);
    for (struct local_reader *local = readers->locals, *next; local; local = next) {
        next = local->next_of_readers;
        local_close(local);
    }
    pthread_mutex_unlock(&locals_lock);
    readers_free(readers);
}

bool readers_put(struct readers *readers, struct work *work, struct err *err)
{
    return queue_put(work->heavy ? &readers->heavy : &readers->queue, LANE_READ, work, err);
}

size_t readers_queued(struct readers *readers)
{
    return queue_length(&readers->queue, LANE_READ) + queue_length(&readers->heavy, LANE_READ);
}
