/*
 * One loop: take a unit, begin, run it and all that have come meanwhile, commit, answer, move the log on. An
 * answer is never given before its commit. After a commit whose outcome is unknown, or a checkpoint whose
 * fsync failed, nothing is tried again: the writer ends, the process restarts, and recovery says what
 * happened.
 */
#include "db/writer.h"

#include "base/clock.h"
#include "base/limits.h"
#include "db/expiry.h"
#include "db/sqlite.h"
#include "db/standing_read.h"

#include <stdlib.h>

/*
 * A reader that is still on the WAL keeps it from starting over, and then every batch would find it
 * above the limit: the next attempt waits for this many more pages.
 */
#define CHECKPOINT_STEP (WAL_CHECKPOINT_PAGES / 4)
#define CAREFUL_BATCHES 16

struct writer {
    const struct store_options *options;
    struct counters *counters;
    struct db *db;
    struct standing_read *standing;
    struct read_pause *pause;
    struct queue queue;
    struct expiry expiry;
    pthread_t thread;
    atomic_bool broken;
    int checkpoint_at; /* pages in the WAL that call for a checkpoint */
    int ceiling;       /* pages above which reads are held back so that it can start over */
    int room_at;       /* pages that call for that; above the ceiling after it did not come about */
    int careful;       /* batches that still get savepoints, since one of late had to be run again */
};

/*
 * A savepoint makes SQLite copy every page that a unit touches, which is a fifth of its cost, and hardly any
 * unit fails after it has changed something. So units run without; when one has to be undone, the whole batch
 * is undone and its units run again, each with a savepoint, and so do those of the next few batches.
 */
struct write_batch {
    struct work *first, **last;
    size_t count, kept;
    bool marked;    /* each unit has a savepoint */
    bool run_again; /* a unit without one has to be undone */
    struct err err; /* set: none of the units happened */
};

/* The units' own errors are dropped too: they may rest on what a neighbour did, which is undone. */
static void answer_failed(struct write_batch *batch)
{
    for (struct work *work = batch->first, *next; work; work = next) {
        next = work->next;
        work_fail(work, &batch->err);
    }
}

static void answer(struct write_batch *batch)
{
    for (struct work *work = batch->first, *next; work; work = next) {
        next = work->next;
        work->done(work);
    }
}

/* Some errors end the whole transaction: then no further unit runs. */
static bool still_open(struct writer *writer, struct write_batch *batch)
{
    return sqlite_in_transaction(writer->db) ||
           err_set(&batch->err, ERR_UNAVAILABLE,
                   "The transaction was lost to an earlier error; nothing was changed.");
}

static bool undo_unit(struct writer *writer, struct write_batch *batch, int64_t changes_before)
{
    if (batch->marked)
        return sqlite_undo(writer->db, &batch->err);
    if (!still_open(writer, batch))
        return false;
    batch->run_again = sqlite_changes(writer->db) != changes_before;
    return !batch->run_again;
}

static bool run_unit(struct writer *writer, struct write_batch *batch, struct work *work)
{
    if (batch->marked && !sqlite_mark(writer->db, &batch->err))
        return false;

    int64_t changes_before = sqlite_changes(writer->db);

    work->err = (struct err){ 0 };
    bool ok = work_run(writer->db, work);

    /* A full disk may show in a statement already; what is not in the database's words is the unit's own no.
     */
    if (!ok && work->err.code == ERR_UNAVAILABLE && work->err.raw)
        atomic_store(&writer->counters->writes_fail, true);
    if (!ok)
        return undo_unit(writer, batch, changes_before);
    work->err = (struct err){ 0 };
    batch->kept++;
    return batch->marked ? sqlite_keep(writer->db, &batch->err) : still_open(writer, batch);
}

static bool run_units(struct writer *writer, struct write_batch *batch, struct work *work)
{
    int64_t batch_ms = writer->options->batch_ms ? writer->options->batch_ms : WRITE_BATCH_MS;
    int64_t end_us = clock_ticks_us() + batch_ms * 1000;
    enum queue_lane lane;

    do {
        *batch->last = work;
        batch->last = &work->next;
        batch->count++;
        if (!run_unit(writer, batch, work))
            return false;
    } while (batch->count < WRITE_BATCH && clock_ticks_us() < end_us &&
             (work = queue_poll(&writer->queue, &lane)) != NULL);
    return true;
}

static bool run_again(struct writer *writer, struct write_batch *batch)
{
    writer->careful = CAREFUL_BATCHES;
    batch->marked = true;
    batch->kept = 0;
    db_rollback(writer->db);
    if (!db_begin(writer->db, true, &batch->err))
        return false;
    for (struct work *work = batch->first; work; work = work->next)
        if (!run_unit(writer, batch, work))
            return false;
    return true;
}

static bool commit(struct writer *writer, struct write_batch *batch)
{
    struct err cause = { 0 };

    if (writer->options->seal && !writer->options->seal(writer->db, &cause)) {
        err_set(&batch->err, ERR_UNAVAILABLE, "The log could not be written: %s", cause.text);
        batch->err.raw = cause.raw;
        return false;
    }

    int64_t start_us = clock_ticks_us();

    if (!db_commit(writer->db, &batch->err))
        return false;
    counters_commit(writer->counters, batch->count, clock_ticks_us() - start_us);
    return true;
}

static bool run_transaction(struct writer *writer, struct write_batch *batch, struct work *first)
{
    batch->marked = writer->careful > 0 && writer->careful-- > 0;
    if (!run_units(writer, batch, first) && !(batch->run_again && run_again(writer, batch)))
        return false;
    if (batch->kept > 0)
        return commit(writer, batch);
    db_rollback(writer->db);
    return true;
}

/* Another program holds the lock: what has waited as long as this batch would only wait again. */
static void refuse_all(struct writer *writer, struct work *first, const struct err *why)
{
    struct work *work = first;
    struct err err = *why;
    int64_t now_us = clock_ticks_us();

    atomic_store(&writer->counters->writes_fail, true);
    err.code = ERR_UNAVAILABLE;
    do
        work_fail(work, &err);
    while ((work = queue_take_older(&writer->queue, now_us)) != NULL);
}

static void end_for_good(struct writer *writer, const char *why)
{
    atomic_store(&writer->broken, true);
    sqlite_abandon(writer->db);
    if (writer->options->fatal)
        writer->options->fatal(writer->options->user, why);
}

static void fail_batch(struct writer *writer, struct write_batch *batch)
{
    bool unknown = batch->err.code == ERR_OUTCOME_UNKNOWN;
    struct err why = batch->err;

    db_rollback(writer->db);
    atomic_fetch_add(&writer->counters->failed_commits, 1);
    atomic_store(&writer->counters->writes_fail, true);
    if (unknown) {
        /* Before the answers go out: whoever repeats at once must not reach this connection. */
        atomic_store(&writer->broken, true);
        err_set(&batch->err, ERR_OUTCOME_UNKNOWN, "The disk failed during the commit; it may have happened.");
    } else {
        err_set(&batch->err, ERR_UNAVAILABLE, "The change was not made: %.200s", why.text);
        batch->err.raw = why.raw;
    }
    answer_failed(batch);
    if (unknown)
        end_for_good(writer, why.text);
}

/*
 * Readers that overlap without end keep the WAL from ever starting over. Above the ceiling new reads are held
 * back for a moment; those that still run above twice the ceiling are ended. A reader in another program can
 * only be waited for: then the next attempt comes when the WAL has grown by another quarter.
 */
static bool make_room(struct writer *writer, int pages, struct err *err)
{
    bool emptied = false;

    read_pause_begin(writer->pause);
    bool ok = sqlite_restart_wal(writer->db, WAL_ROOM_MS, &emptied, err);

    if (ok && !emptied && pages >= 2 * writer->ceiling) {
        read_pause_hurry(writer->pause);
        ok = sqlite_restart_wal(writer->db, WAL_ROOM_MS, &emptied, err);
    }
    read_pause_end(writer->pause);
    writer->room_at = emptied ? writer->ceiling : pages + writer->ceiling / 4;
    return ok;
}

static void checkpoint_when_due(struct writer *writer)
{
    int pages = sqlite_wal_pages(writer->db);
    struct err err = { 0 };

    if (pages < writer->checkpoint_at) {
        if (pages < WAL_CHECKPOINT_PAGES)
            writer->checkpoint_at = WAL_CHECKPOINT_PAGES;
        return;
    }
    writer->checkpoint_at = pages + CHECKPOINT_STEP;
    standing_read_drop(writer->standing);
    /* After a failed fsync nobody knows what is on the disk. It is not tried again; recovery decides. */
    if (!sqlite_checkpoint(writer->db, &err) || (pages >= writer->room_at && !make_room(writer, pages, &err)))
        end_for_good(writer, err.text);
}

static void move_standing(struct writer *writer)
{
    standing_read_move(writer->standing,
                       atomic_load_explicit(&writer->counters->reads_here, memory_order_relaxed));
}

static void run_batch(struct writer *writer, struct work *first)
{
    struct write_batch batch = { .last = &batch.first };
    struct err err = { 0 };

    if (atomic_load(&writer->broken)) {
        work_refuse(first, ERR_UNAVAILABLE, "The database failed; the server is about to restart.");
        return;
    }
    if (!db_begin(writer->db, true, &err)) {
        refuse_all(writer, first, &err);
        return;
    }
    if (!run_transaction(writer, &batch, first)) {
        fail_batch(writer, &batch);
        return;
    }
    if (batch.kept > 0 && writer->options->committed)
        writer->options->committed(writer->options->user);
    answer(&batch);
    checkpoint_when_due(writer);
    if (batch.kept > 0)
        move_standing(writer);
}

static void *writer_main(void *user)
{
    struct writer *writer = user;
    enum queue_lane lane;
    struct work *work;

    do {
        while ((work = queue_take(&writer->queue, STANDING_READ_MS, &lane)) != NULL)
            run_batch(writer, work);
        move_standing(writer);
    } while (!queue_is_closed(&writer->queue) || queue_length(&writer->queue, LANE_WRITE) > 0);
    return NULL;
}

struct writer *writer_open(const char *path, const struct store_options *options, struct counters *counters,
                           struct read_pause *pause, struct err *err)
{
    int64_t wal_bytes = options->wal_bytes ? options->wal_bytes : STORE_WAL_BYTES;
    struct sqlite_options how = { .path = path, .vfs = options->vfs, .busy_ms = SQLITE_BUSY_MS };
    struct db *db = sqlite_open(&how, err);
    struct standing_read *standing = db ? standing_read_open(path, options->vfs, err) : NULL;

    if (!standing) {
        db_close(db);
        return NULL;
    }
    struct writer *writer = calloc(1, sizeof(*writer));

    if (!writer)
        abort();
    writer->options = options;
    writer->counters = counters;
    writer->db = db;
    writer->standing = standing;
    writer->pause = pause;
    writer->ceiling = writer->room_at = (int)(wal_bytes / STORE_PAGE);
    writer->checkpoint_at = WAL_CHECKPOINT_PAGES;
    queue_init(&writer->queue, options->queue ? options->queue : WRITE_QUEUE);
    writer->expiry = (struct expiry){ .queues = { &writer->queue },
                                      .wait_ms = options->wait_ms ? options->wait_ms : STORE_WAIT_MS };
    expiry_begin(&writer->expiry);
    thread_start(&writer->thread, "witan-writer", writer_main, writer);
    return writer;
}

void writer_close(struct writer *writer)
{
    if (!writer)
        return;
    queue_close(&writer->queue);
    expiry_end(&writer->expiry);
    pthread_join(writer->thread, NULL);
    standing_read_close(writer->standing);
    db_close(writer->db);
    queue_done(&writer->queue);
    free(writer);
}

bool writer_put(struct writer *writer, struct work *work, struct err *err)
{
    if (!writer_is_healthy(writer)) {
        err_set(err, ERR_UNAVAILABLE, "The database failed; the server is about to restart.");
        err->retry_after_s = 1;
        return false;
    }
    return queue_put(&writer->queue, LANE_WRITE, work, err);
}

size_t writer_queued(struct writer *writer)
{
    return queue_length(&writer->queue, LANE_WRITE);
}

bool writer_is_healthy(const struct writer *writer)
{
    return !atomic_load(&writer->broken);
}
