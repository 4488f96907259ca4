/*
 * All looking happens on the loop's thread, one look at a time with a timer in between. What was found is the
 * only thing that others read: a name and an address behind a lock, copied out.
 */
#include "llm/scout.h"

#include "base/limits.h"
#include "base/memory.h"
#include "base/str.h"
#include "llm/catalog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEARCH_MS                                                                                            \
    3000               /* while there is nothing: as long as somebody who starts Ollama is willing to wait   \
                        */
#define CHECK_MS 30000 /* whether it is still there */

static pthread_mutex_t found_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char name[LIMIT_REF + 1]; /* "": nothing */
    const char *url;          /* the settings' */
} found;

struct scout {
    struct net *net;
    scout_changed *changed;
    struct catalog_look look;
    struct net_timer timer;
    struct net_task begin, end;
    bool closing;
    pthread_mutex_t lock; /* guards `looked` and `idle` */
    pthread_cond_t news;
    bool looked; /* at least once */
    bool idle;
};

static bool has(const struct catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->count; i++)
        if (strcmp(catalog->names[i], name) == 0)
            return true;
    return false;
}

/* NULL: nothing. Whether that is another than before. */
static bool remember(const char *name, const char *url)
{
    pthread_mutex_lock(&found_lock);
    bool other = strcmp(found.name, name ? name : "") != 0;

    snprintf(found.name, sizeof(found.name), "%s", name ? name : "");
    found.url = url;
    pthread_mutex_unlock(&found_lock);
    return other;
}

static void tell(struct scout *scout, bool looked, bool idle)
{
    pthread_mutex_lock(&scout->lock);
    scout->looked |= looked;
    scout->idle = idle;
    pthread_cond_broadcast(&scout->news);
    pthread_mutex_unlock(&scout->lock);
}

static void look_again(void *user)
{
    struct scout *scout = user;

    tell(scout, false, false);
    catalog_look(&scout->look);
}

static void looked(struct catalog_look *look)
{
    ARENA_AUTO arena = { 0 };
    struct scout *scout = look->user;
    struct catalog catalog = { 0 };
    struct err ignored = { 0 };
    const char *name = catalog_found(look, &arena, &catalog, &ignored) ? catalog.speaker : NULL;

    /* Nobody else writes it, so it can be read without the lock. */
    if (name && *found.name && has(&catalog, found.name))
        name = arena_text(&arena, found.name);
    if (!scout->closing && remember(name, look->base_url))
        scout->changed(name, look->base_url);
    if (!scout->closing)
        net_timer_set(scout->net, &scout->timer, name ? CHECK_MS : SEARCH_MS);
    tell(scout, true, true);
}

struct scout *scout_open(struct net *net, const char *base_url, scout_changed *changed)
{
    struct scout *scout = memory_take(sizeof(*scout));

    *scout = (struct scout){ .net = net, .changed = changed };
    scout->look = (struct catalog_look){ .net = net, .base_url = base_url, .done = looked, .user = scout };
    scout->timer = (struct net_timer){ .run = look_again, .user = scout };
    scout->begin = (struct net_task){ .run = look_again, .user = scout };
    pthread_mutex_init(&scout->lock, NULL);
    pthread_cond_init(&scout->news, NULL);
    net_post(net, &scout->begin);
    pthread_mutex_lock(&scout->lock);
    while (!scout->looked)
        pthread_cond_wait(&scout->news, &scout->lock);
    pthread_mutex_unlock(&scout->lock);
    return scout;
}

static void stop_looking(void *user)
{
    struct scout *scout = user;

    scout->closing = true;
    net_timer_stop(scout->net, &scout->timer);
    if (scout->look.call)
        net_call_cancel(scout->look.call);
}

void scout_close(struct scout *scout)
{
    if (!scout)
        return;
    scout->end = (struct net_task){ .run = stop_looking, .user = scout };
    net_post(scout->net, &scout->end);
    net_wait(scout->net);
    pthread_mutex_lock(&scout->lock);
    while (!scout->idle)
        pthread_cond_wait(&scout->news, &scout->lock);
    pthread_mutex_unlock(&scout->lock);
    net_wait(scout->net); /* whoever has said so is out of here, too */
    remember(NULL, "");
    catalog_look_done(&scout->look);
    pthread_mutex_destroy(&scout->lock);
    pthread_cond_destroy(&scout->news);
    free(scout);
}

void scout_model(struct arena *arena, const char *base_url, const char *name, struct llm_model *model)
{
    model_init(model, "");
    model->provider_name = model_provider_name(LLM_OLLAMA);
    model->provider = LLM_OLLAMA;
    model->base_url = arena_text(arena, base_url);
    model->model = arena_text(arena, name);
    model->spelled_out = true;
}

bool scout_found(struct arena *arena, struct llm_model *model)
{
    char name[sizeof(found.name)];
    const char *url;

    pthread_mutex_lock(&found_lock);
    memcpy(name, found.name, sizeof(name));
    url = found.url;
    pthread_mutex_unlock(&found_lock);
    if (!*name)
        return false;
    scout_model(arena, url, name, model);
    return true;
}
