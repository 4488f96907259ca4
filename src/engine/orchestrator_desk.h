/*
 * orchestrator_desk.h - a thread for what makes the orchestrator wait: files, and long outputs. Internal to
 * orchestrator*.c.
 *
 * Thread: desk_put from the holder's; an item's `run` on the desk's own, one after the other.
 */
#ifndef ENGINE_ORCHESTRATOR_DESK_H
#define ENGINE_ORCHESTRATOR_DESK_H

#include <pthread.h>
#include <stdbool.h>

struct desk_item {
    struct desk_item *next;
    void (*run)(struct desk_item *item); /* it may be put down again, or freed, from there on */
};

struct desk {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t came;
    struct desk_item *first, **last;
    bool stop;
};

void desk_open(struct desk *desk);
/* Does what was put there, and ends. */
void desk_close(struct desk *desk);
void desk_put(struct desk *desk, struct desk_item *item, void (*run)(struct desk_item *item));

#endif
