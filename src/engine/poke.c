/*
 * A condition variable and three flags. `passes` counts finished rounds, which is how somebody can wait for a
 * round that began after they asked: the one under way may have looked too early, so it does not count.
 */
#include "engine/poke.h"

#include "base/clock.h"

void poke_init(struct poke *poke)
{
    pthread_condattr_t attributes;

    *poke = (struct poke){ .poked = false };
    pthread_mutex_init(&poke->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&poke->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void poke_done(struct poke *poke)
{
    pthread_cond_destroy(&poke->changed);
    pthread_mutex_destroy(&poke->lock);
}

void poke_now(struct poke *poke)
{
    pthread_mutex_lock(&poke->lock);
    if (!poke->poked) {
        poke->poked = true;
        pthread_cond_broadcast(&poke->changed);
    }
    pthread_mutex_unlock(&poke->lock);
}

void poke_stop(struct poke *poke)
{
    pthread_mutex_lock(&poke->lock);
    poke->stopping = true;
    pthread_cond_broadcast(&poke->changed);
    pthread_mutex_unlock(&poke->lock);
}

bool poke_stopping(struct poke *poke)
{
    pthread_mutex_lock(&poke->lock);
    bool stopping = poke->stopping;
    pthread_mutex_unlock(&poke->lock);
    return stopping;
}

bool poke_wait(struct poke *poke, int64_t timeout_ms)
{
    struct timespec moment = clock_moment_after(timeout_ms > 0 ? timeout_ms : 0);

    pthread_mutex_lock(&poke->lock);
    if (poke->working) {
        poke->working = false;
        poke->passes++;
        pthread_cond_broadcast(&poke->changed);
    }
    while (!poke->poked && !poke->stopping && timeout_ms > 0)
        if (pthread_cond_timedwait(&poke->changed, &poke->lock, &moment) != 0)
            break;
    poke->poked = false;
    poke->working = !poke->stopping;

    bool go_on = !poke->stopping;

    pthread_mutex_unlock(&poke->lock);
    return go_on;
}

bool poke_pause(struct poke *poke, int64_t timeout_ms)
{
    struct timespec moment = clock_moment_after(timeout_ms);

    pthread_mutex_lock(&poke->lock);
    while (!poke->stopping)
        if (pthread_cond_timedwait(&poke->changed, &poke->lock, &moment) != 0)
            break;

    bool go_on = !poke->stopping;

    pthread_mutex_unlock(&poke->lock);
    return go_on;
}

bool poke_round(struct poke *poke, int64_t timeout_ms)
{
    struct timespec moment = clock_moment_after(timeout_ms);

    pthread_mutex_lock(&poke->lock);

    /* The round that is under way may have looked before what the caller did; the next one has not. */
    uint64_t enough = poke->passes + (poke->working ? 2 : 1);

    poke->poked = true;
    pthread_cond_broadcast(&poke->changed);
    while (poke->passes < enough && !poke->stopping)
        if (pthread_cond_timedwait(&poke->changed, &poke->lock, &moment) != 0)
            break;

    bool ended = poke->passes >= enough;

    pthread_mutex_unlock(&poke->lock);
    return ended;
}
