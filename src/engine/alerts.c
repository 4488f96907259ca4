/*
 * Two looks with a rhythm of their own: alerts by the clock that tests move, the figures by ticks as well, so
 * that a test which stands still in time still sees fresh ones. An alert is looked for with a read; only a
 * change is worth a write, which looks again, since another node may have been first.
 */
#include "engine/alerts.h"

#include "base/clock.h"
#include "base/limits.h"
#include "core/inbox/alert.h"
#include "core/questions/question_type.h"

#include <pthread.h>
#include <stdlib.h>

struct alerts {
    struct store *store;
    int64_t checked_ms; /* by the clock, which tests move */
    int64_t watched_ms; /* by ticks */
    int64_t watched_clock_ms;
    pthread_mutex_t lock;
    struct analytics_metrics metrics;
};

struct alert_look {
    struct work work; /* first: the store hands it back */
    struct arena arena;
    bool apply;
    size_t changes;
    struct analytics_metrics metrics;
};

static bool run_check(struct db *db, struct work *work)
{
    struct alert_look *look = (struct alert_look *)work;
    struct tx tx = tx_of(db, &look->arena, clock_now_ms(), &work->err);

    arena_reset(&look->arena);
    return alert_check(&tx, question_types_that_block(&look->arena), look->apply, &look->changes);
}

static bool run_metrics(struct db *db, struct work *work)
{
    struct alert_look *look = (struct alert_look *)work;
    struct tx tx = tx_of(db, &look->arena, clock_now_ms(), &work->err);

    arena_reset(&look->arena);
    return analytics_metrics(&tx, &look->metrics);
}

struct alerts *alerts_new(struct store *store)
{
    struct alerts *alerts = calloc(1, sizeof(*alerts));

    if (!alerts)
        abort();
    alerts->store = store;
    pthread_mutex_init(&alerts->lock, NULL);
    return alerts;
}

void alerts_free(struct alerts *alerts)
{
    if (!alerts)
        return;
    pthread_mutex_destroy(&alerts->lock);
    free(alerts);
}

static bool far(int64_t from_ms, int64_t to_ms, int64_t ms)
{
    return from_ms > to_ms ? from_ms - to_ms >= ms : to_ms - from_ms >= ms;
}

static bool check(struct alerts *alerts, struct alert_look *look)
{
    look->work = (struct work){ .run = run_check };
    look->apply = false;
    if (!store_read_wait(alerts->store, &look->work))
        return false;
    if (look->changes == 0)
        return true;
    look->work = (struct work){ .run = run_check };
    look->apply = true;
    return store_write_wait(alerts->store, &look->work);
}

static bool metrics(struct alerts *alerts, struct alert_look *look)
{
    look->work = (struct work){ .run = run_metrics };
    if (!store_read_wait(alerts->store, &look->work))
        return false;
    pthread_mutex_lock(&alerts->lock);
    alerts->metrics = look->metrics;
    pthread_mutex_unlock(&alerts->lock);
    return true;
}

bool alerts_look(struct alerts *alerts, int64_t now_ms, struct err *err)
{
    struct alert_look look = { 0 };
    int64_t ticks_ms = clock_ticks_ms();
    bool good = true;

    if (far(alerts->checked_ms, now_ms, ALERT_INTERVAL_MS)) {
        /* One that fails is not tried again at once: it was too much for the store, or the store is away. */
        good = check(alerts, &look);
        alerts->checked_ms = now_ms;
    }
    if (good && (ticks_ms - alerts->watched_ms >= WATCH_INTERVAL_MS ||
                 far(alerts->watched_clock_ms, now_ms, ALERT_INTERVAL_MS))) {
        good = metrics(alerts, &look);
        alerts->watched_ms = ticks_ms;
        alerts->watched_clock_ms = now_ms;
    }
    if (!good)
        *err = look.work.err;
    arena_done(&look.arena);
    return good;
}

void alerts_stats(struct alerts *alerts, struct analytics_metrics *into)
{
    pthread_mutex_lock(&alerts->lock);
    *into = alerts->metrics;
    pthread_mutex_unlock(&alerts->lock);
}
