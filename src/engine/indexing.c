/*
 * Taking in the words of a question costs the one writer of SQLite about a fifth of what the question did,
 * and nobody waits for them. Units that share a commit have waited for each other, so while most do, a batch
 * is taken in only every now and then, until too many things wait. PostgreSQL has a connection for it and
 * never shares a commit, so there it goes on at once.
 */
#include "engine/indexing.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/search/search.h"
#include "engine/poke.h"

#include <stdatomic.h>
#include <stdlib.h>

#define LOOK_MS     1000
#define NEXT_MS     5   /* between two batches */
#define GIVE_WAY_MS 250 /* the same while writers wait for each other */
#define SHARED      4   /* units in a commit, from which on they do */

struct indexing {
    struct store *store;
    struct poke poke;
    pthread_t thread;
    struct store_stats seen; /* after the last batch */
    atomic_bool quiet;       /* the last look found nothing */
};

struct indexing_round {
    struct work work; /* first: the store hands it back */
    struct arena arena;
    size_t waiting, taken;
};

static bool run_look(struct db *db, struct work *work)
{
    struct indexing_round *round = (struct indexing_round *)work;
    struct tx tx = tx_of(db, &round->arena, clock_now_ms(), &work->err);

    arena_reset(&round->arena);
    return search_waiting(&tx, &round->waiting);
}

static bool run_take(struct db *db, struct work *work)
{
    struct indexing_round *round = (struct indexing_round *)work;
    struct tx tx = tx_of(db, &round->arena, clock_now_ms(), &work->err);

    arena_reset(&round->arena);
    return search_sweep(&tx, SEARCH_BATCH, &round->taken);
}

static bool look(struct indexing *indexing, struct indexing_round *round)
{
    round->work = (struct work){ .run = run_look };
    return store_read_wait(indexing->store, &round->work);
}

static bool take(struct indexing *indexing, struct indexing_round *round)
{
    round->work = (struct work){ .run = run_take };
    return store_write_wait(indexing->store, &round->work);
}

bool indexing_gives_way(const struct store_stats *before, const struct store_stats *now, size_t waiting)
{
    uint64_t commits = now->batches - before->batches, units = now->batched - before->batched;

    return waiting < SEARCH_BEHIND && units >= SHARED * commits && commits > 0;
}

/* How long until the next batch. One that took in nothing found another node at it. */
static int64_t pause_ms(struct indexing *indexing, const struct indexing_round *round)
{
    struct store_stats now, before = indexing->seen;

    if (round->waiting == 0 || round->taken == 0)
        return LOOK_MS;
    store_stats(indexing->store, &now);
    indexing->seen = now;
    return indexing_gives_way(&before, &now, round->waiting) ? GIVE_WAY_MS : NEXT_MS;
}

static void *run_indexing(void *user)
{
    struct indexing *indexing = user;
    struct indexing_round round = { 0 };
    int64_t sleep_ms = LOOK_MS;
    bool well = true;

    while (poke_wait(&indexing->poke, sleep_ms)) {
        bool was_well = well;

        well = look(indexing, &round) && (round.waiting == 0 || take(indexing, &round));
        atomic_store(&indexing->quiet, well && round.waiting == 0);
        sleep_ms = well ? pause_ms(indexing, &round) : LOOK_MS;
        if (was_well && !well)
            log_line(LOG_WARN, "words cannot be taken into the index", "why", round.work.err.text, NULL);
    }
    arena_done(&round.arena);
    return NULL;
}

struct indexing *indexing_open(struct store *store)
{
    struct indexing *indexing = calloc(1, sizeof(*indexing));

    if (!indexing)
        abort();
    indexing->store = store;
    store_stats(store, &indexing->seen);
    poke_init(&indexing->poke);
    if (pthread_create(&indexing->thread, NULL, run_indexing, indexing) != 0)
        abort();
    return indexing;
}

void indexing_close(struct indexing *indexing)
{
    if (!indexing)
        return;
    poke_stop(&indexing->poke);
    pthread_join(indexing->thread, NULL);
    poke_done(&indexing->poke);
    free(indexing);
}

bool indexing_settle(struct indexing *indexing, int64_t timeout_ms)
{
    int64_t until = clock_ticks_ms() + timeout_ms;

    do {
        int64_t left = until - clock_ticks_ms();

        if (left <= 0 || !poke_round(&indexing->poke, left))
            return false;
    } while (!atomic_load(&indexing->quiet));
    return true;
}
