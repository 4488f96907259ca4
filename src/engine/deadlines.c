/*
 * One thread whose rounds all have the same order: look (a read), end what is due, alerts, refusals, now and
 * then a sweep. The cheap look comes first, so an idle server writes nothing. A part that fails is logged
 * once, when it begins to fail, and must not hold up the parts behind it: nobody's deadline waits for an
 * alert.
 */
#include "engine/deadlines.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/identity/place.h"
#include "core/identity/presence.h"
#include "core/identity/session.h"
#include "core/identity/ticket.h"
#include "core/identity/token.h"
#include "core/questions/link.h"
#include "core/questions/snooze.h"
#include "core/upkeep/deadline.h"
#include "core/upkeep/purge.h"
#include "core/upkeep/timekeeping.h"
#include "db/migrate.h"
#include "engine/alerts.h"
#include "engine/poke.h"
#include "ops/refusals.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOK_MS      1000
#define RETRY_MS     100
#define CLOCK_MS     60000
#define TRY_MS       1000
#define SWEEP_MS     (5 * 60000)
#define RESUME_MS    1000 /* until a sweep goes on that left something */
#define SWEEP_BATCH  PURGE_BATCH
#define SWEEP_ROUNDS 20 /* batches of one sweep; the rest waits for the next */
#define DUE_ROUNDS   50 /* batches of what is due between two looks at the other chores */
#define SIDE_BY_SIDE 3  /* batches of what is due that PostgreSQL ends side by side when there are many */

struct deadlines {
    struct store *store;
    struct alerts *alerts;
    struct poke poke;
    pthread_t thread;
    bool test_clock;
    bool alerts_well, refusals_well;
    bool writes_failed; /* the last time it was looked at */
    int64_t try_at_ms;
    int64_t clock_at_ms, sweep_at_ms;
    int64_t offset_ms; /* of the test clock, when it was last looked at */
    bool clock_is_set;
    enum timekeeping_jump jump; /* one that is not in the audit log yet */
    int64_t jump_ms;
    atomic_bool quiet; /* the last look found nothing due */
    atomic_bool schema_fits;
    _Atomic uint64_t ended, failures, swept;
    _Atomic int64_t overdue_ms;
};

struct chore {
    struct work work;
    struct arena arena;
    struct deadlines *owner;
    bool set_clock;
    int round;       /* of a sweep */
    bool audit_left; /* there is more of the audit log to let go of */
    size_t count;
    int64_t due_ms; /* 0: nothing waits */
    int64_t offset_ms;
    struct timekeeping time;
    int schema;
};

static bool read_offset(struct db *db, struct arena *arena, int64_t *offset_ms, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_FACT_GET, DB_ARGS(db_text("clock_offset_ms")), &rows, err))
        return false;
    *offset_ms = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;
    return true;
}

static bool run_look(struct db *db, struct work *work)
{
    struct chore *chore = (struct chore *)work;
    struct tx tx = tx_of(db, &chore->arena, clock_now_ms(), &work->err);

    arena_reset(&chore->arena);
    if (!deadline_next(&tx, &chore->due_ms))
        return false;
    if (chore->owner->test_clock && !read_offset(db, &chore->arena, &chore->offset_ms, &work->err))
        return false;
    if (!chore->set_clock)
        return true;
    if (!timekeeping_read(&tx, &chore->time))
        return false;
    return migrate_current(db, &chore->arena, &chore->schema, &work->err);
}

static bool run_apply(struct db *db, struct work *work)
{
    struct chore *chore = (struct chore *)work;
    struct tx tx = tx_of(db, &chore->arena, clock_now_ms(), &work->err);

    arena_reset(&chore->arena);
    return deadline_apply(&tx, DEADLINE_BATCH, &chore->count);
}

/* Batches of what the settings let go of; the audit log's is larger, and comes once in a sweep. */
static bool purge(const struct tx *tx, struct chore *chore)
{
    const struct audit_entry by = { .actor_kind = "system", .actor = "system", .at_ms = tx->now_ms };

    for (int i = 0; i < PURGE_KINDS; i++) {
        enum purge_kind kind = (enum purge_kind)i;
        int64_t keep_ms = purge_keep_ms(kind);
        size_t purged = 0;
        bool audit = kind == PURGE_AUDIT;

        if (keep_ms == 0 || (audit && chore->round > 0))
            continue;
        if (!purge_batch(tx, kind, &by, tx->now_ms - keep_ms, audit ? PURGE_AUDIT_BATCH : SWEEP_BATCH,
                         &purged))
            return false;
        if (audit)
            chore->audit_left = purged >= PURGE_AUDIT_BATCH;
        else if (purged >= purge_most(kind, SWEEP_BATCH))
            chore->count = SWEEP_BATCH;
        else if (purged > chore->count)
            chore->count = purged;
    }
    return true;
}

/* One small batch of each kind; count is the largest of them. */
static bool run_sweep(struct db *db, struct work *work)
{
    struct chore *chore = (struct chore *)work;
    struct tx tx = tx_of(db, &chore->arena, clock_now_ms(), &work->err);
    size_t pruned[7] = { 0 };

    arena_reset(&chore->arena);
    chore->count = 0;
    if (!session_prune(&tx, tx.now_ms, SWEEP_BATCH, &pruned[0]) ||
        !ticket_prune(&tx, tx.now_ms, SWEEP_BATCH, &pruned[1]) || !link_prune(&tx, SWEEP_BATCH, &pruned[2]) ||
        !token_prune_secrets(&tx, tx.now_ms, SWEEP_BATCH, &pruned[4]) ||
        !snooze_prune(&tx, SWEEP_BATCH, &pruned[5]) ||
        !place_prune(&tx, tx.now_ms - PLACE_MS, SWEEP_BATCH, &pruned[3]) ||
        !presence_prune(&tx, tx.now_ms - 2 * PRESENCE_MS, SWEEP_BATCH, &pruned[6]) || !purge(&tx, chore))
        return false;
    for (size_t i = 0; i < sizeof(pruned) / sizeof(pruned[0]); i++)
        if (pruned[i] > chore->count)
            chore->count = pruned[i];
    return true;
}

static bool read_now(struct deadlines *deadlines, struct chore *chore)
{
    if (!store_can_read_here(deadlines->store))
        return store_read_wait(deadlines->store, &chore->work);
    store_read_here(deadlines->store, &chore->work);
    return chore->work.err.code == ERR_NONE;
}

/* The log has it at once; the audit row is written as soon as it can be. */
static void set_clock(struct deadlines *deadlines, const struct timekeeping *read)
{
    char by[24];
    int64_t by_ms = 0;
    enum timekeeping_jump jump = timekeeping_apply(read, !deadlines->clock_is_set, &by_ms);

    deadlines->clock_is_set = true;
    if (jump == JUMP_NONE)
        return;
    snprintf(by, sizeof(by), "%lld", (long long)by_ms);
    log_line(LOG_WARN, timekeeping_says(jump), "ms", by, NULL);
    deadlines->jump = jump;
    deadlines->jump_ms = by_ms;
}

static bool run_jump(struct db *db, struct work *work)
{
    struct chore *chore = (struct chore *)work;
    struct tx tx = tx_of(db, &chore->arena, clock_now_ms(), &work->err);

    arena_reset(&chore->arena);
    return timekeeping_audit(&tx, chore->owner->jump, chore->owner->jump_ms);
}

static bool write_jump(struct deadlines *deadlines, struct chore *chore)
{
    if (deadlines->jump == JUMP_NONE)
        return true;
    chore->work = (struct work){ .run = run_jump };
    if (!store_write_wait(deadlines->store, &chore->work))
        return false;
    deadlines->jump = JUMP_NONE;
    return true;
}

/* Another node may have brought the store to a schema that this one does not know: it is then not ready. */
static void note_schema(struct deadlines *deadlines, bool fits)
{
    if (atomic_exchange(&deadlines->schema_fits, fits) && !fits)
        log_line(LOG_ERROR, "a newer witan has changed the store's schema; replace this one by it", NULL);
}

/*
 * Under a test clock what has expired goes when time is moved, and at no other moment: whoever compares two
 * looks at the store must not meet a sweep between them because the machine was slow.
 */
static void follow_test_clock(struct deadlines *deadlines, int64_t offset_ms)
{
    clock_set_offset_ms(offset_ms);
    if (deadlines->offset_ms != offset_ms)
        deadlines->sweep_at_ms = 0;
    deadlines->offset_ms = offset_ms;
}

static bool look(struct deadlines *deadlines, struct chore *chore)
{
    int64_t now = clock_ticks_ms();

    chore->set_clock = now >= deadlines->clock_at_ms;
    chore->work = (struct work){ .run = run_look };
    if (!read_now(deadlines, chore))
        return false;
    if (deadlines->test_clock)
        follow_test_clock(deadlines, chore->offset_ms);
    if (chore->set_clock) {
        set_clock(deadlines, &chore->time);
        note_schema(deadlines, chore->schema <= migrate_newest());
        deadlines->clock_at_ms = now + CLOCK_MS;
    }
    return true;
}

static bool is_due(const struct chore *chore)
{
    return chore->due_ms != 0 && clock_now_ms() > chore->due_ms;
}

/* Several batches at once; their sum and the first error are the task's. */
static bool apply_side_by_side(struct deadlines *deadlines, struct chore *chore)
{
    struct chore chores[SIDE_BY_SIDE] = { 0 };
    struct work *works[SIDE_BY_SIDE];

    for (size_t i = 0; i < SIDE_BY_SIDE; i++) {
        chores[i].work.run = run_apply;
        works[i] = &chores[i].work;
    }
    bool good = store_write_wait_all(deadlines->store, works, SIDE_BY_SIDE);

    chore->count = 0;
    chore->work.err = (struct err){ 0 };
    for (size_t i = 0; i < SIDE_BY_SIDE; i++) {
        chore->count += chores[i].work.err.code == ERR_NONE ? chores[i].count : 0;
        if (chore->work.err.code == ERR_NONE)
            chore->work.err = chores[i].work.err;
        arena_done(&chores[i].arena);
    }
    return good;
}

/* One batch first: mostly there is less to do than that. */
static bool apply(struct deadlines *deadlines, struct chore *chore, size_t ended_before)
{
    if (ended_before >= DEADLINE_BATCH && store_engine(deadlines->store) == DB_POSTGRES)
        return apply_side_by_side(deadlines, chore);
    chore->work = (struct work){ .run = run_apply };
    return store_write_wait(deadlines->store, &chore->work);
}

/* Ends what is due until a look finds nothing more, or the other chores have waited long enough. */
static bool end_due(struct deadlines *deadlines, struct chore *chore)
{
    chore->count = 0;
    for (int round = 0; is_due(chore) && round < DUE_ROUNDS && !poke_stopping(&deadlines->poke); round++) {
        int64_t late_ms = clock_now_ms() - chore->due_ms;

        if (!apply(deadlines, chore, chore->count))
            return false;
        atomic_fetch_add(&deadlines->ended, chore->count);
        atomic_store(&deadlines->overdue_ms, late_ms);
        if (!look(deadlines, chore))
            return false;
        /* Another node holds the rows that are due; it will have ended them in a moment. */
        if (chore->count == 0 && is_due(chore))
            return poke_pause(&deadlines->poke, SEAL_INTERVAL_MS) && look(deadlines, chore);
    }
    return true;
}

static bool sweep(struct deadlines *deadlines, struct chore *chore)
{
    bool left = true;

    deadlines->sweep_at_ms = deadlines->test_clock ? INT64_MAX : clock_ticks_ms() + SWEEP_MS;
    chore->audit_left = false;
    for (int round = 0; left && round < SWEEP_ROUNDS && !poke_stopping(&deadlines->poke); round++) {
        chore->work = (struct work){ .run = run_sweep };
        chore->round = round;
        if (!store_write_wait(deadlines->store, &chore->work))
            return false;
        atomic_fetch_add(&deadlines->swept, chore->count);
        left = chore->count >= SWEEP_BATCH;
    }
    /* However much is written, what is kept for long enough must go faster than it comes. */
    if (left || chore->audit_left)
        deadlines->sweep_at_ms = clock_ticks_ms() + RESUME_MS;
    return true;
}

static int64_t sleep_ms(const struct chore *chore)
{
    int64_t left = chore->due_ms != 0 ? chore->due_ms - clock_now_ms() + 1 : LOOK_MS;

    return left < 1 ? 1 : left < LOOK_MS ? left : LOOK_MS;
}

/* Nobody's deadline waits because the alerts could not be looked at. */
static void look_at_alerts(struct deadlines *deadlines, int64_t now_ms)
{
    struct err err = { 0 };
    bool well = alerts_look(deadlines->alerts, now_ms, &err);

    if (deadlines->alerts_well && !well)
        log_line(LOG_WARN, "alerts cannot be checked", "why", err.text, NULL);
    deadlines->alerts_well = well;
}

/* Nor because the refusals could not be written; they are tried again. */
static void write_refusals(struct deadlines *deadlines)
{
    struct err err = { 0 };
    bool well = refusals_flush(deadlines->store, false, &err);

    if (deadlines->refusals_well && !well)
        log_line(LOG_WARN, "refusals cannot be written down", "why", err.text, NULL);
    deadlines->refusals_well = well;
}

static bool run_try(struct db *db, struct work *work)
{
    ARENA_AUTO arena = { 0 };

    return db_exec(db, &arena, SQL_FACT_SET,
                   DB_ARGS(db_text("write_tried_at"), db_text(clock_text(&arena, clock_now_ms()))), NULL,
                   &work->err);
}

/* While writes fail this node is not ready and gets none: somebody has to find out when they work again. */
static void try_writing(struct deadlines *deadlines)
{
    struct work work = { .run = run_try };
    int64_t now = clock_ticks_ms();
    bool fail = store_writes_fail(deadlines->store);

    if (fail && !deadlines->writes_failed) {
        log_line(LOG_ERROR, "the store cannot be written to; not ready until it can", NULL);
        deadlines->writes_failed = true; /* the first try may already work, and says so */
    }
    if (fail && now >= deadlines->try_at_ms) {
        fail = !store_write_wait(deadlines->store, &work);
        deadlines->try_at_ms = clock_ticks_ms() + TRY_MS;
    }
    if (!fail && deadlines->writes_failed)
        log_line(LOG_INFO, "the store can be written to again", NULL);
    deadlines->writes_failed = fail;
}

static void *run_deadlines(void *user)
{
    struct deadlines *deadlines = user;
    struct chore chore = { .owner = deadlines };
    bool well = true;

    while (poke_wait(&deadlines->poke, well ? sleep_ms(&chore) : RETRY_MS)) {
        bool was_well = well;

        well = look(deadlines, &chore);

        /* Whoever moves the clock from here on is met by the next round, alerts included. */
        int64_t now_ms = clock_now_ms();

        well = well && write_jump(deadlines, &chore) && end_due(deadlines, &chore);
        if (well) {
            look_at_alerts(deadlines, now_ms);
            write_refusals(deadlines);
        }
        try_writing(deadlines);
        atomic_store(&deadlines->quiet, well && !is_due(&chore));
        if (well && clock_ticks_ms() >= deadlines->sweep_at_ms)
            well = sweep(deadlines, &chore);
        if (!well)
            atomic_fetch_add(&deadlines->failures, 1);
        if (was_well && !well)
            log_line(LOG_WARN, "deadlines cannot be applied", "why", chore.work.err.text, NULL);
        else if (well && !was_well)
            log_line(LOG_INFO, "deadlines are applied again", NULL);
    }
    arena_done(&chore.arena);
    return NULL;
}

struct deadlines *deadlines_open(struct store *store, bool test_clock, struct err *err)
{
    struct deadlines *deadlines = calloc(1, sizeof(*deadlines));
    struct chore chore = { .owner = deadlines };

    if (!deadlines)
        abort();
    deadlines->store = store;
    deadlines->test_clock = test_clock;
    deadlines->alerts_well = deadlines->refusals_well = true;
    deadlines->sweep_at_ms = clock_ticks_ms() + LOOK_MS;
    atomic_init(&deadlines->schema_fits, true);

    /* Before anything is served the clock must be the database's. */
    bool looked = look(deadlines, &chore);

    arena_done(&chore.arena);
    if (!looked) {
        *err = chore.work.err;
        free(deadlines);
        return NULL;
    }
    deadlines->alerts = alerts_new(store);
    poke_init(&deadlines->poke);
    if (pthread_create(&deadlines->thread, NULL, run_deadlines, deadlines) != 0)
        abort();
    return deadlines;
}

void deadlines_close(struct deadlines *deadlines)
{
    struct err err = { 0 };

    if (!deadlines)
        return;
    poke_stop(&deadlines->poke);
    pthread_join(deadlines->thread, NULL);
    if (!refusals_flush(deadlines->store, true, &err))
        log_line(LOG_WARN, "refusals were not written down", "why", err.text, NULL);
    poke_done(&deadlines->poke);
    alerts_free(deadlines->alerts);
    free(deadlines);
}

bool deadlines_settle(struct deadlines *deadlines, int timeout_ms)
{
    int64_t until = clock_ticks_ms() + timeout_ms;

    do {
        int64_t left = until - clock_ticks_ms();

        if (left <= 0 || !poke_round(&deadlines->poke, left))
            return false;
    } while (!atomic_load(&deadlines->quiet));
    return true;
}

void deadlines_stats(struct deadlines *deadlines, struct deadlines_stats *stats)
{
    *stats = (struct deadlines_stats){
        .ended = atomic_load(&deadlines->ended),
        .failures = atomic_load(&deadlines->failures),
        .swept = atomic_load(&deadlines->swept),
        .overdue_ms = atomic_load(&deadlines->overdue_ms),
        .schema_fits = atomic_load(&deadlines->schema_fits),
    };
    alerts_stats(deadlines->alerts, &stats->metrics);
}
