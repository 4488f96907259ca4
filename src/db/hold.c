#include "db/hold.h"

void hold_init(struct hold *hold)
{
    atomic_init(&hold->held, false);
    atomic_init(&hold->hurry, false);
    pthread_mutex_init(&hold->lock, NULL);
    pthread_cond_init(&hold->over, NULL);
}

void hold_done(struct hold *hold)
{
    pthread_cond_destroy(&hold->over);
    pthread_mutex_destroy(&hold->lock);
}

void hold_begin(struct hold *hold)
{
    atomic_store(&hold->held, true);
}

void hold_hurry(struct hold *hold)
{
    atomic_store(&hold->hurry, true);
}

void hold_end(struct hold *hold)
{
    pthread_mutex_lock(&hold->lock);
    atomic_store(&hold->hurry, false);
    atomic_store(&hold->held, false);
    pthread_cond_broadcast(&hold->over);
    pthread_mutex_unlock(&hold->lock);
}

void hold_wait(struct hold *hold)
{
    if (!atomic_load_explicit(&hold->held, memory_order_relaxed))
        return;
    pthread_mutex_lock(&hold->lock);
    while (atomic_load(&hold->held))
        pthread_cond_wait(&hold->over, &hold->lock);
    pthread_mutex_unlock(&hold->lock);
}
