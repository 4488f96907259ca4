#include "engine/orchestrator_desk.h"

#include <stdlib.h>

static struct desk_item *next_item(struct desk *desk)
{
    struct desk_item *item;

    pthread_mutex_lock(&desk->lock);
    while (!desk->first && !desk->stop)
        pthread_cond_wait(&desk->came, &desk->lock);
    item = desk->first;
    if (item) {
        desk->first = item->next;
        if (!desk->first)
            desk->last = &desk->first;
    }
    pthread_mutex_unlock(&desk->lock);
    return item;
}

static void *run_desk(void *user)
{
    struct desk *desk = user;
    struct desk_item *item;

    while ((item = next_item(desk)))
        item->run(item);
    return NULL;
}

void desk_open(struct desk *desk)
{
    *desk = (struct desk){ 0 };
    desk->last = &desk->first;
    pthread_mutex_init(&desk->lock, NULL);
    pthread_cond_init(&desk->came, NULL);
    if (pthread_create(&desk->thread, NULL, run_desk, desk) != 0)
        abort();
}

void desk_close(struct desk *desk)
{
    pthread_mutex_lock(&desk->lock);
    desk->stop = true;
    pthread_cond_signal(&desk->came);
    pthread_mutex_unlock(&desk->lock);
    pthread_join(desk->thread, NULL);
    pthread_cond_destroy(&desk->came);
    pthread_mutex_destroy(&desk->lock);
}

void desk_put(struct desk *desk, struct desk_item *item, void (*run)(struct desk_item *item))
{
    item->next = NULL;
    item->run = run;
    pthread_mutex_lock(&desk->lock);
    *desk->last = item;
    desk->last = &item->next;
    pthread_cond_signal(&desk->came);
    pthread_mutex_unlock(&desk->lock);
}
