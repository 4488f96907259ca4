/*
 * holder.h - one thread that claims rows, holds them under a lease, and works on them.
 *
 * What is generic in driving discussions, running agents or delivering mail: the node's name and its lease
 * (core/holding/holding.h), looking for rows that want work, mail from other threads, timers, units of work
 * for the store that come back as mail, trying again, and giving up. The noun's own part is what it does with
 * a row. Nothing here is the truth: a node that dies loses what it has in hand, and whoever claims its rows
 * begins them anew.
 *
 * One thread owns all of it. What happens elsewhere (a commit, a model's last word, an event of the log)
 * comes to it as mail; what it wants from the store or the network is handed in and never waited for. So
 * thousands of rows need no thread each, and their writes commit in groups. A round sees to the lease, opens
 * mail, runs timers, renews, claims, and does the noun's own work. Stopping is only: start nothing more, and
 * go on until the last unit and the last thing in hand are back.
 *
 * **The lease.** On PostgreSQL it is renewed while something is in hand. One that has not been for its whole
 * time has lapsed, whatever is still on its way to the store: before anything else of that round `drop` is
 * called, nothing new may be begun (holder_holds), and all that the node held is let go of before it renews,
 * so that it is claimed anew, under a new epoch. On SQLite nobody else can have the store open: the lease is
 * for ever, and an idle server writes nothing.
 *
 * **Giving up.** A write that is refused for what is stored would be refused again: unit_is_hopeless says so
 * after a few tries. The noun then writes something smaller in its place (a pass, an end as failed, a dead
 * letter) with the reason, that again as a unit. One that came too late (unit_was_late) is dropped.
 *
 * **Budgets.** How many rows may be claimed now is `room`'s answer; how many calls may be out at once is said
 * by the lanes before models (llm/lanes.h).
 *
 * A holder is the first member of its owner, and each unit has a struct holder_unit first: callbacks cast.
 *
 * Thread: holder_post from any; holder_open and holder_close from the one that starts and stops; the rest is
 * the holder's own.
 */
#ifndef ENGINE_HOLDER_H
#define ENGINE_HOLDER_H

#include "base/timers.h"
#include "base/uuid.h"
#include "core/holding/holding.h"
#include "db/store.h"

#include <pthread.h>
#include <stdatomic.h>

struct holder;
struct holder_unit;

/* Something for the holder's thread. It is the sender's own, and the holder's until it is opened. */
struct mail {
    struct mail *next;
    void (*open)(struct mail *mail);
};

/* What a noun does. All but `claim` run on the holder's thread. */
struct holder_calls {
    const char *rows;  /* what its rows are, for the log: "discussions" */
    const char *lapse; /* the line for the log: its lease ran out, and what becomes of its work */
    /* How many rows may be claimed now; 0: none. */
    size_t (*room)(struct holder *holder);
    /* In the store: holding_claim, and what else a claim means to the noun. */
    bool (*claim)(const struct tx *tx, struct holder_unit *unit, size_t limit, struct held_row **list,
                  size_t *count);
    /* Of what may have been claimed in a commit of which nobody heard: all that the node holds. */
    bool (*ours)(const struct tx *tx, const char *node, struct held_row **list, size_t *count);
    /* Perhaps of one that is in hand under this very epoch: then it is left alone. */
    void (*claimed)(struct holder *holder, const struct held_row *row);
    /* How much there is that needs the lease and that stopping waits for. */
    size_t (*in_hand)(const struct holder *holder);
    /* Ends what is in hand, as soon as nobody else holds it: the lease has lapsed, or the server stops. */
    void (*drop)(struct holder *holder);
    /* The rest of a round. */
    void (*work)(struct holder *holder);
    /* When that has to be done next, by clock_ticks_ms; mail and timers come by themselves. */
    int64_t (*next_ms)(const struct holder *holder);
    const char *const *phases; /* words (base/words.h) of what its commits enter: tests crash there */
};

/* Where tests end the process: holder_crash.c. */
struct crash_point {
    unsigned phases; /* as a set; 0: nowhere */
    bool before;
    _Atomic int left; /* how many more of such commits there are until then */
};

struct holder {
    const struct holder_calls *calls;
    struct store *store;
    char node[UUID_SIZE];
    bool alone; /* nobody else can have the store open: no lease to keep alive */

    pthread_t thread;
    pthread_mutex_t lock; /* guards mail and stop_wanted */
    pthread_cond_t mail_came;
    struct mail *first, **last;
    bool stop_wanted;

    /* The thread's own; times are by clock_ticks_ms. */
    bool stopping, look, claiming, renewing;
    bool lapsed; /* what was in hand is dropped, and not let go of in the store yet */
    int64_t look_at_ms, renew_at_ms;
    /* Nobody knows how the commit of a claim went, and it may still be on its way: rows may be ours that are
     * not in hand. When to look for them next, after longer and longer pauses, or 0. */
    int64_t doubt_at_ms, doubt_pause_ms;
    int64_t renewed_ms; /* 0: it has no lease */
    struct timers timers;
    size_t units; /* under way */

    struct crash_point crash; /* set before any unit runs */
    _Atomic uint64_t claimed, repeated;
};

/* When a server starts, before its first holder: where nobody else can have the store open, no earlier node
 * is alive, and what such a one held is free. */
CHECKED bool holders_begin(struct store *store, struct err *err);

/* False: the store does not take the node. Then begins: from here on `calls` are made. */
CHECKED bool holder_open(struct holder *holder, struct store *store, const struct holder_calls *calls,
                         struct err *err);
/* Drops what is in hand, waits for the last of it, and lets go of all that the node holds. */
void holder_close(struct holder *holder);
/* After a holder_open that failed, or before one: gives back what the struct has. */
void holder_done(struct holder *holder);
void holder_init(struct holder *holder);

void holder_post(struct holder *holder, struct mail *mail, void (*open)(struct mail *mail));
/* Runs once. */
void holder_after(struct holder *holder, struct timer *timer, int64_t after_ms, void (*run)(void *user),
                  void *user);
/* Something may want to be claimed. */
void holder_look(struct holder *holder);
/* Whether the lease holds, so that something may be begun or gone on with. */
bool holder_holds(const struct holder *holder);

/*
 * Work for the store: `run` in a transaction on one of its threads, perhaps more than once, so that it leaves
 * nothing but what is in the unit's arena; then `after` on the holder's, which frees it or hands it in again.
 */
struct holder_unit {
    struct mail mail; /* first */
    struct work work;
    struct holder *holder;
    struct timer timer; /* when to try again */
    struct arena arena;
    bool (*run)(const struct tx *tx, struct holder_unit *unit);
    void (*after)(struct holder_unit *unit);
    unsigned phases; /* set of phases, as 1 << value, that its commit enters: set by run */
};

void *unit_new(struct holder *holder, size_t size, bool (*run)(const struct tx *tx, struct holder_unit *unit),
               void (*after)(struct holder_unit *unit));
void unit_hand_in(struct holder_unit *unit);
/* The same once more, after a pause that grows with the tries. */
void unit_again(struct holder_unit *unit, int tries);
int64_t again_ms(int tries);
void unit_free(struct holder_unit *unit);
/* Whether the same write may well work later: the store is away, or its outcome is not known. */
bool unit_may_work_later(const struct holder_unit *unit);
/* Whether it came too late: another holds the row, or it is not there any more. */
bool unit_was_late(const struct holder_unit *unit);
/* Whether it was refused for good: for what is stored, and so often. */
bool unit_is_hopeless(const struct holder_unit *unit, int tries);

/*
 * holder_crash.c: for tests. With WITAN_TEST=1, WITAN_TEST_CRASH_AT=PHASE[:before|:after[:N]] kills the
 * process right before or after (the default) the commit that enters the phase, or the Nth that does; the
 * phase "any" is each of them. Every holder has its own phases, and a word that two have holds for both.
 */
void crash_setup(struct holder *holder);
void crash_before(struct holder *holder, unsigned phases);
void crash_after(struct holder *holder, unsigned phases);

#endif
