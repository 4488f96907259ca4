/*
 * Numbers are given after the commit and by one session at a time (an advisory lock in the statement), so a
 * number that can be read has no smaller one still in flight behind it. The others find the lock taken
 * and try again; a session that holds it and sleeps is ended after its lease.
 */
#include "engine/sequencer.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/settings.h"
#include "core/holding/holding.h"
#include "core/log/audit.h"
#include "core/log/event.h"
#include "db/postgres.h"
#include "engine/poke.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define IDLE_MOST_MS 200

struct sequencer {
    char *url;
    struct db *db; /* NULL while there is no connection */
    struct arena arena;
    struct poke poke;
    pthread_t thread;
    void (*numbered_call)(void *user);
    void *user;
    int reconnect_ms;
    bool saw_unsealed;        /* the round before left rows without their seal */
    int64_t held_up_since_ms; /* 0: it is not */
    atomic_bool clean;        /* the last round saw that nothing lacked a number */
    _Atomic uint64_t numbered, sealed, failures, reconnects;
};

struct sequencer_round {
    size_t numbered, sealed;
    bool waiting; /* something may lack its number or its seal */
};

/*
 * The node that numbered seals as well. The others were told of the numbers at that moment: they leave it a
 * round, so that not every node reads and hashes the same rows.
 */
static bool seal(const struct tx *tx, struct sequencer *sequencer, struct sequencer_round *round)
{
    bool unsealed;

    if (!audit_waiting(tx, &unsealed))
        return false;
    bool mine = unsealed && (round->numbered > 0 || sequencer->saw_unsealed);

    sequencer->saw_unsealed = unsealed;
    round->waiting |= unsealed;
    return !mine || audit_seal(tx, &round->sealed);
}

/*
 * Nothing moves although there is work: another session holds the lock. One that does so while it waits for
 * its client gets NUMBERING_LEASE_MS; then it loses its connection, and with it whatever it had not
 * committed.
 */
static void mind_the_lease(struct sequencer *sequencer, const struct sequencer_round *round)
{
    int64_t now_ms = clock_ticks_ms();
    struct err err = { 0 };
    struct tx tx = tx_of(sequencer->db, &sequencer->arena, clock_now_ms(), &err);
    size_t ended;

    if (!round->waiting || round->numbered > 0 || round->sealed > 0) {
        sequencer->held_up_since_ms = 0;
        return;
    }
    if (sequencer->held_up_since_ms == 0)
        sequencer->held_up_since_ms = now_ms;
    if (now_ms - sequencer->held_up_since_ms < NUMBERING_LEASE_MS)
        return;
    sequencer->held_up_since_ms = 0;
    if (!holding_end_idle(&tx, LOCK_EVENTS, LOCK_AUDIT, NUMBERING_LEASE_MS, &ended))
        log_line(LOG_WARN, "the numbering of events is held up by a session that cannot be ended", "why",
                 err.text, NULL);
    else if (ended > 0)
        log_line(LOG_WARN, "a session that held up the numbering of events was ended", NULL);
}

/*
 * Numbers, and seals. Each statement is a transaction by itself, so that there is none in the middle of which
 * this node could be stopped.
 */
static bool run_round(struct sequencer *sequencer, struct sequencer_round *round, struct err *err)
{
    struct tx tx = tx_of(sequencer->db, &sequencer->arena, clock_now_ms(), err);
    bool busy;

    arena_reset(&sequencer->arena);
    if (!event_number(&tx, &round->numbered, &busy))
        return false;
    round->waiting = busy || round->numbered > 0;
    if (!seal(&tx, sequencer, round))
        return false;
    mind_the_lease(sequencer, round);
    return true;
}

static void lose_connection(struct sequencer *sequencer, const struct err *err)
{
    /* The first failure of an outage is worth a line, the retries are not. */
    if (sequencer->reconnect_ms == 0)
        log_line(LOG_WARN, "events cannot be numbered", "why", err->text, NULL);
    atomic_fetch_add(&sequencer->failures, 1);
    db_close(sequencer->db);
    sequencer->db = NULL;
    sequencer->reconnect_ms = sequencer->reconnect_ms ? sequencer->reconnect_ms * 2 : RECONNECT_MIN_MS;
    if (sequencer->reconnect_ms > RECONNECT_MAX_MS)
        sequencer->reconnect_ms = RECONNECT_MAX_MS;
}

static bool work_once(struct sequencer *sequencer, struct sequencer_round *round)
{
    struct err err = { 0 };

    if (!sequencer->db) {
        sequencer->db = db_open(sequencer->url, &err);
        if (!sequencer->db || !postgres_limit(sequencer->db, settings()->store_timeout_ms, &err)) {
            lose_connection(sequencer, &err);
            return false;
        }
    }
    if (run_round(sequencer, round, &err)) {
        if (sequencer->reconnect_ms > 0) {
            atomic_fetch_add(&sequencer->reconnects, 1);
            log_line(LOG_INFO, "events are numbered again", NULL);
        }
        sequencer->reconnect_ms = 0;
        return true;
    }
    if (err.code == ERR_RETRY)
        round->waiting = true;
    else
        lose_connection(sequencer, &err);
    return err.code == ERR_RETRY;
}

static void *run_sequencer(void *user)
{
    struct sequencer *sequencer = user;
    int64_t idle_ms = SEAL_INTERVAL_MS;

    while (poke_wait(&sequencer->poke, sequencer->reconnect_ms ? sequencer->reconnect_ms : idle_ms)) {
        struct sequencer_round round = { 0 };
        int64_t began_ms = clock_ticks_ms();
        bool done = work_once(sequencer, &round);

        atomic_store(&sequencer->clean, done && !round.waiting);
        atomic_fetch_add(&sequencer->numbered, round.numbered);
        atomic_fetch_add(&sequencer->sealed, round.sealed);
        if (done && round.numbered > 0)
            sequencer->numbered_call(sequencer->user);
        if (round.numbered > 0 || round.sealed > 0 || round.waiting)
            idle_ms = SEAL_INTERVAL_MS;
        else
            idle_ms = idle_ms * 2 > IDLE_MOST_MS ? IDLE_MOST_MS : idle_ms * 2;

        /* Pokes that come sooner are gathered: one round numbers what many operations appended. */
        int64_t rest_ms = SEAL_INTERVAL_MS - (clock_ticks_ms() - began_ms);

        if (!done)
            rest_ms = sequencer->reconnect_ms;
        if (rest_ms > 0 && !poke_pause(&sequencer->poke, rest_ms))
            break;
    }
    return NULL;
}

struct sequencer *sequencer_open(const char *url, void (*numbered)(void *user), void *user)
{
    struct sequencer *sequencer = calloc(1, sizeof(*sequencer));

    if (!sequencer || !(sequencer->url = strdup(url)))
        abort();
    sequencer->numbered_call = numbered;
    sequencer->user = user;
    poke_init(&sequencer->poke);
    if (pthread_create(&sequencer->thread, NULL, run_sequencer, sequencer) != 0)
        abort();
    return sequencer;
}

void sequencer_close(struct sequencer *sequencer)
{
    if (!sequencer)
        return;
    poke_stop(&sequencer->poke);
    pthread_join(sequencer->thread, NULL);
    poke_done(&sequencer->poke);
    db_close(sequencer->db);
    arena_done(&sequencer->arena);
    free(sequencer->url);
    free(sequencer);
}

void sequencer_poke(struct sequencer *sequencer)
{
    poke_now(&sequencer->poke);
}

bool sequencer_settle(struct sequencer *sequencer, int timeout_ms)
{
    int64_t until = clock_ticks_ms() + timeout_ms;

    do {
        int64_t left = until - clock_ticks_ms();

        if (left <= 0 || !poke_round(&sequencer->poke, left))
            return false;
    } while (!atomic_load(&sequencer->clean));
    return true;
}

void sequencer_stats(struct sequencer *sequencer, struct sequencer_stats *stats)
{
    *stats = (struct sequencer_stats){
        .numbered = atomic_load(&sequencer->numbered),
        .sealed = atomic_load(&sequencer->sealed),
        .failures = atomic_load(&sequencer->failures),
        .reconnects = atomic_load(&sequencer->reconnects),
    };
}
