/*
 * The lease is counted from before its renewal was written, not from when that was heard of: what was slow on
 * its way is no longer time. All state here belongs to the holder's thread and needs no lock but the
 * mailbox's.
 */
#include "engine/holder.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"

#include <stdlib.h>

#define FOREVER_MS (INT64_C(100) * 366 * 86400000)
#define RETRY_MS   500   /* after a claim or a renewal that the store did not take */
#define DOUBT_MS   60000 /* for how long a commit of which nobody heard may still be on its way */

/* Mail and timers. */

void holder_post(struct holder *holder, struct mail *mail, void (*open)(struct mail *mail))
{
    mail->next = NULL;
    mail->open = open;
    /* Signalled under the lock: once the last mail is opened the holder may be gone. */
    pthread_mutex_lock(&holder->lock);
    if (!holder->first)
        pthread_cond_signal(&holder->mail_came);
    *holder->last = mail;
    holder->last = &mail->next;
    pthread_mutex_unlock(&holder->lock);
}

void holder_after(struct holder *holder, struct timer *timer, int64_t after_ms, void (*run)(void *user),
                  void *user)
{
    timer->run = run;
    timer->user = user;
    timers_set(&holder->timers, timer, clock_ticks_ms() + after_ms);
}

static void open_mail(struct holder *holder)
{
    pthread_mutex_lock(&holder->lock);
    struct mail *mail = holder->first;

    holder->first = NULL;
    holder->last = &holder->first;
    holder->stopping = holder->stop_wanted;
    pthread_mutex_unlock(&holder->lock);
    while (mail) {
        struct mail *next = mail->next;

        mail->open(mail);
        mail = next;
    }
}

/* The lease, where others may take over. Whoever has nothing in hand needs none. */

struct lease_unit {
    struct holder_unit unit; /* first */
    int64_t began_ms;
    bool anew; /* all that was held is let go of first: it was dropped, and nobody would take it up again */
    bool in_doubt; /* `list` is all that the node holds */
    size_t limit;
    struct held_row *list;
    size_t count, claimed; /* rows of `list`; those of them that were free before */
};

bool holder_holds(const struct holder *holder)
{
    return holder->alone ||
           (holder->renewed_ms > 0 && clock_ticks_ms() - holder->renewed_ms < HOLDING_LEASE_MS);
}

/* From when on, as the store has heard. */
static void lease_holds(struct holder *holder, int64_t from_ms)
{
    holder->renewed_ms = from_ms;
    holder->renew_at_ms = from_ms + HOLDING_RENEW_MS;
    holder->lapsed = false;
}

static void lease_ends(struct holder *holder)
{
    holder->renewed_ms = 0;
    holder->lapsed = false;
}

/*
 * Before mail: what comes back for something that has lapsed finds it dropped. With nothing in hand that is
 * no more than the end of the lease.
 */
static void mind_the_lease(struct holder *holder)
{
    bool was_lapsed = holder->lapsed;

    if (holder->renewed_ms == 0 || holder_holds(holder))
        return;
    holder->lapsed = true;
    if (holder->calls->in_hand(holder) == 0)
        return;
    if (!was_lapsed)
        log_line(LOG_WARN, holder->calls->lapse, NULL);
    holder->calls->drop(holder);
}

static bool renew_lease(const struct tx *tx, struct lease_unit *lease)
{
    return lease->unit.holder->alone ||
           holding_node_renew(tx, lease->unit.holder->node, tx->now_ms + HOLDING_LEASE_MS);
}

static bool begin_lease(const struct tx *tx, struct lease_unit *lease)
{
    lease->began_ms = clock_ticks_ms();
    return !lease->anew || holding_node_leave(tx, lease->unit.holder->node);
}

static struct lease_unit *lease_unit(struct holder *holder,
                                     bool (*run)(const struct tx *tx, struct holder_unit *unit),
                                     void (*after)(struct holder_unit *unit))
{
    struct lease_unit *lease = unit_new(holder, sizeof(*lease), run, after);

    lease->anew = holder->lapsed;
    return lease;
}

/* The lease has lapsed meanwhile, and work was dropped: only what lets go of that first counts. */
static bool is_overtaken(const struct lease_unit *lease)
{
    return lease->unit.holder->lapsed && !lease->anew;
}

static bool run_renew(const struct tx *tx, struct holder_unit *unit)
{
    struct lease_unit *lease = (struct lease_unit *)unit;

    return begin_lease(tx, lease) && renew_lease(tx, lease);
}

static void after_renew(struct holder_unit *unit)
{
    struct lease_unit *lease = (struct lease_unit *)unit;
    struct holder *holder = unit->holder;

    holder->renewing = false;
    if (unit->work.err.code != ERR_NONE) {
        holder->renew_at_ms = clock_ticks_ms() + RETRY_MS;
    } else if (is_overtaken(lease)) {
        holder->renew_at_ms = clock_ticks_ms();
    } else {
        lease_holds(holder, lease->began_ms);
        holder->look |= lease->anew;
    }
    unit_free(unit);
}

static void renew(struct holder *holder)
{
    if (holder->alone || holder->renewing || (holder->lapsed && holder->claiming) ||
        holder->calls->in_hand(holder) == 0 || clock_ticks_ms() < holder->renew_at_ms)
        return;
    holder->renewing = true;
    unit_hand_in(&lease_unit(holder, run_renew, after_renew)->unit);
}

/* Claiming. */

static bool run_claim(const struct tx *tx, struct holder_unit *unit)
{
    struct lease_unit *lease = (struct lease_unit *)unit;

    lease->count = lease->claimed = 0;
    if (!begin_lease(tx, lease) ||
        !unit->holder->calls->claim(tx, unit, lease->limit, &lease->list, &lease->claimed))
        return false;
    lease->count = lease->claimed;
    if (lease->in_doubt && !unit->holder->calls->ours(tx, unit->holder->node, &lease->list, &lease->count))
        return false;
    return lease->count == 0 || renew_lease(tx, lease);
}

static void begin_to_doubt(struct holder *holder)
{
    holder->doubt_at_ms = clock_ticks_ms();
    holder->doubt_pause_ms = HOLDER_LOOK_MS;
}

static bool is_in_doubt(struct holder *holder, int64_t now)
{
    if (holder->doubt_at_ms == 0 || now < holder->doubt_at_ms)
        return false;
    holder->doubt_at_ms = holder->doubt_pause_ms <= DOUBT_MS ? now + holder->doubt_pause_ms : 0;
    holder->doubt_pause_ms *= 2;
    return true;
}

static void after_claim(struct holder_unit *unit)
{
    struct lease_unit *claim = (struct lease_unit *)unit;
    struct holder *holder = unit->holder;

    holder->claiming = false;
    if (unit->work.err.code != ERR_NONE) {
        if (claim->in_doubt || unit->work.err.code == ERR_OUTCOME_UNKNOWN)
            begin_to_doubt(holder);
        if (!unit_may_work_later(unit))
            log_line(LOG_WARN, "rows cannot be claimed", "why", unit->work.err.text, NULL);
        holder->look_at_ms = clock_ticks_ms() + RETRY_MS;
        unit_free(unit);
        return;
    }
    if (is_overtaken(claim)) {
        holder->look = true; /* and all that the node holds is let go of then */
        unit_free(unit);
        return;
    }
    if (claim->count > 0)
        lease_holds(holder, claim->began_ms);
    else if (claim->anew && holder->calls->in_hand(holder) == 0)
        lease_ends(holder);
    holder->look |= claim->claimed == claim->limit;
    atomic_fetch_add(&holder->claimed, claim->claimed);
    for (size_t i = 0; i < claim->count && !holder->stopping; i++)
        holder->calls->claimed(holder, &claim->list[i]);
    unit_free(unit);
}

void holder_look(struct holder *holder)
{
    holder->look = true;
}

/*
 * Looks when something was heard of, and once a second: another program may have written, a node may have
 * died. Without room the rest waits as rows, for this node or another.
 */
static void claim(struct holder *holder)
{
    int64_t now = clock_ticks_ms();
    size_t limit;

    if (holder->claiming || (holder->lapsed && holder->renewing) ||
        (!holder->look && now < holder->look_at_ms))
        return;
    holder->look = false;
    holder->look_at_ms = now + HOLDER_LOOK_MS;
    if ((limit = holder->calls->room(holder)) == 0)
        return;
    struct lease_unit *lease = lease_unit(holder, run_claim, after_claim);

    lease->limit = limit;
    lease->in_doubt = is_in_doubt(holder, now);
    holder->claiming = true;
    unit_hand_in(&lease->unit);
}

/* The thread. */

static void sooner(int64_t *at, int64_t than)
{
    if (than < *at)
        *at = than;
}

/* Work that is under way already comes back as mail. */
static int64_t next_moment(const struct holder *holder)
{
    int64_t now = clock_ticks_ms(), at = now + HOLDER_LOOK_MS;

    if (!holder->claiming && !(holder->lapsed && holder->renewing))
        sooner(&at, holder->look ? now : holder->look_at_ms);
    if (holder->timers.first)
        sooner(&at, holder->timers.first->at_ms);
    if (!holder->alone && holder->calls->in_hand(holder) > 0) {
        if (!holder->renewing && !(holder->lapsed && holder->claiming))
            sooner(&at, holder->renew_at_ms);
        if (!holder->lapsed)
            sooner(&at, holder->renewed_ms + HOLDING_LEASE_MS);
    }
    sooner(&at, holder->calls->next_ms(holder));
    return at;
}

static void wait_for_mail(struct holder *holder)
{
    int64_t left = next_moment(holder) - clock_ticks_ms();
    struct timespec moment = clock_moment_after(left > 1 ? left : 1);

    pthread_mutex_lock(&holder->lock);
    while (!holder->first && (holder->stopping || !holder->stop_wanted) && left > 0)
        if (pthread_cond_timedwait(&holder->mail_came, &holder->lock, &moment) != 0)
            break;
    pthread_mutex_unlock(&holder->lock);
}

static void round_of_work(struct holder *holder)
{
    mind_the_lease(holder);
    open_mail(holder);
    /* When the server stops nothing is waited for any more. */
    timers_run(&holder->timers, holder->stopping ? INT64_MAX : clock_ticks_ms());
    if (holder->stopping) {
        holder->calls->drop(holder);
        return;
    }
    renew(holder);
    claim(holder);
    holder->calls->work(holder);
}

static void *run_holder(void *user)
{
    struct holder *holder = user;

    while (!holder->stopping || holder->units > 0 || holder->calls->in_hand(holder) > 0) {
        wait_for_mail(holder);
        round_of_work(holder);
    }
    open_mail(holder);
    return NULL;
}

/* Starting and stopping. */

struct node_work {
    struct work work; /* first: the store hands it back */
    struct arena arena;
    struct holder *holder;
    bool leaves;
};

static bool run_node(struct db *db, struct work *work)
{
    struct node_work *of = (struct node_work *)work;
    struct tx tx = tx_of(db, &of->arena, clock_now_ms(), &work->err);

    arena_reset(&of->arena);
    if (of->leaves)
        return holding_node_leave(&tx, of->holder->node);
    return holding_node_renew(&tx, of->holder->node, tx.now_ms + FOREVER_MS);
}

static bool write_node(struct holder *holder, bool leaves, struct err *err)
{
    struct node_work of = { .work = { .run = run_node }, .holder = holder, .leaves = leaves };
    bool done = store_write_wait(holder->store, &of.work);

    arena_done(&of.arena);
    if (!done)
        *err = of.work.err;
    return done;
}

struct clear_work {
    struct work work; /* first: the store hands it back */
    struct arena arena;
};

static bool run_clear(struct db *db, struct work *work)
{
    struct clear_work *clear = (struct clear_work *)work;
    struct tx tx = tx_of(db, &clear->arena, clock_now_ms(), &work->err);

    arena_reset(&clear->arena);
    return holding_node_clear(&tx);
}

bool holders_begin(struct store *store, struct err *err)
{
    struct clear_work clear = { .work = { .run = run_clear } };
    bool done = store_engine(store) != DB_SQLITE || store_write_wait(store, &clear.work);

    arena_done(&clear.arena);
    if (!done)
        *err = clear.work.err;
    return done;
}

void holder_init(struct holder *holder)
{
    pthread_condattr_t attributes;

    holder->last = &holder->first;
    pthread_mutex_init(&holder->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&holder->mail_came, &attributes);
    pthread_condattr_destroy(&attributes);
}

void holder_done(struct holder *holder)
{
    pthread_cond_destroy(&holder->mail_came);
    pthread_mutex_destroy(&holder->lock);
}

bool holder_open(struct holder *holder, struct store *store, const struct holder_calls *calls,
                 struct err *err)
{
    holder->calls = calls;
    holder->store = store;
    holder->alone = store_engine(store) == DB_SQLITE;
    holder->look = true;
    uuid_make(holder->node);
    crash_setup(holder);
    if (holder->alone && !write_node(holder, false, err))
        return false;
    if (pthread_create(&holder->thread, NULL, run_holder, holder) != 0)
        abort();
    return true;
}

void holder_close(struct holder *holder)
{
    struct err err = { 0 };

    pthread_mutex_lock(&holder->lock);
    holder->stop_wanted = true;
    pthread_cond_signal(&holder->mail_came);
    pthread_mutex_unlock(&holder->lock);
    pthread_join(holder->thread, NULL);
    if (!write_node(holder, true, &err))
        log_line(LOG_WARN, "what this node holds could not be let go of", "why", err.text, NULL);
}
