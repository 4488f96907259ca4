/*
 * Looking is a read and costs the writer nothing while there is nothing new. A batch that was full means that
 * there may be more, so the loop goes on without a pause, one transaction for each.
 */
#include "engine/folding.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/reports/figures.h"
#include "engine/poke.h"

#include <stdlib.h>

struct folding {
    struct store *store;
    struct poke poke;
    pthread_t thread;
};

struct folding_round {
    struct work work; /* first: the store hands it back */
    struct arena arena;
    bool waiting;
    size_t folded;
};

static bool run_look(struct db *db, struct work *work)
{
    struct folding_round *round = (struct folding_round *)work;
    struct tx tx = tx_of(db, &round->arena, clock_now_ms(), &work->err);

    arena_reset(&round->arena);
    return figures_waiting(&tx, &round->waiting);
}

static bool run_fold(struct db *db, struct work *work)
{
    struct folding_round *round = (struct folding_round *)work;
    struct tx tx = tx_of(db, &round->arena, clock_now_ms(), &work->err);

    arena_reset(&round->arena);
    return figures_fold(&tx, FOLD_BATCH, &round->folded);
}

static bool look(struct folding *folding, struct folding_round *round)
{
    round->work = (struct work){ .run = run_look };
    return store_read_wait(folding->store, &round->work);
}

static bool fold_all(struct folding *folding, struct folding_round *round)
{
    do {
        round->work = (struct work){ .run = run_fold };
        if (!store_write_wait(folding->store, &round->work))
            return false;
    } while (round->folded == FOLD_BATCH && !poke_stopping(&folding->poke));
    return true;
}

static void *run_folding(void *user)
{
    struct folding *folding = user;
    struct folding_round round = { 0 };
    bool well = true;

    while (poke_wait(&folding->poke, FOLD_INTERVAL_MS)) {
        bool was_well = well;

        well = look(folding, &round) && (!round.waiting || fold_all(folding, &round));
        if (was_well && !well)
            log_line(LOG_WARN, "the figures of reports cannot be brought up to date", "why",
                     round.work.err.text, NULL);
    }
    arena_done(&round.arena);
    return NULL;
}

struct folding *folding_open(struct store *store)
{
    struct folding *folding = calloc(1, sizeof(*folding));

    if (!folding)
        abort();
    folding->store = store;
    poke_init(&folding->poke);
    if (pthread_create(&folding->thread, NULL, run_folding, folding) != 0)
        abort();
    return folding;
}

void folding_close(struct folding *folding)
{
    if (!folding)
        return;
    poke_stop(&folding->poke);
    pthread_join(folding->thread, NULL);
    poke_done(&folding->poke);
    free(folding);
}
