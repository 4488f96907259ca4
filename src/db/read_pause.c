/*
 * A flag that readers look at without a lock, since it is almost always down; only those who find it up go to
 * the mutex. The flag falls under that mutex, so that no reader goes to sleep after the last wake-up.
 */
#include "db/read_pause.h"

void read_pause_init(struct read_pause *pause)
{
    atomic_init(&pause->held, false);
    atomic_init(&pause->hurry, false);
    pthread_mutex_init(&pause->lock, NULL);
    pthread_cond_init(&pause->over, NULL);
}

void read_pause_done(struct read_pause *pause)
{
    pthread_cond_destroy(&pause->over);
    pthread_mutex_destroy(&pause->lock);
}

void read_pause_begin(struct read_pause *pause)
{
    atomic_store(&pause->held, true);
}

void read_pause_hurry(struct read_pause *pause)
{
    atomic_store(&pause->hurry, true);
}

void read_pause_end(struct read_pause *pause)
{
    pthread_mutex_lock(&pause->lock);
    atomic_store(&pause->hurry, false);
    atomic_store(&pause->held, false);
    pthread_cond_broadcast(&pause->over);
    pthread_mutex_unlock(&pause->lock);
}

void read_pause_wait(struct read_pause *pause)
{
    if (!atomic_load_explicit(&pause->held, memory_order_relaxed))
        return;
    pthread_mutex_lock(&pause->lock);
    while (atomic_load(&pause->held))
        pthread_cond_wait(&pause->over, &pause->lock);
    pthread_mutex_unlock(&pause->lock);
}
