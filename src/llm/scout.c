/*
 * All looking happens on the loop's thread: a round of looks at every place, or at the one that was found,
 * with a timer in between. What was found is the only thing that others read: a name and an address behind a
 * lock, copied out.
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

/* While there is nothing: as long as somebody who starts a server of models is willing to wait. */
#define SEARCH_MS 3000
/* Whether it is still there. */
#define CHECK_MS 30000
/* Somebody else's program on a port that models usually have is not asked in every round, but this often. */
#define STRANGER_ROUNDS 20

static pthread_mutex_t found_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char name[LIMIT_REF + 1]; /* "": nothing */
    char url[LIMIT_URL + 1];
    enum llm_provider provider;
} found;

struct scout_watch {
    struct scout *scout;
    struct catalog_look look;
    unsigned rounds_off; /* how many are left out */
};

struct scout {
    struct net *net;
    scout_changed *changed;
    struct scout_watch *watches;
    size_t count;
    struct scout_watch *at; /* what was found; NULL: nothing */
    size_t out;             /* looks that are not over */
    struct timer timer;
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
static bool remember(const struct llm_model *model)
{
    const char *name = model ? model->model : "", *url = model ? model->base_url : "";

    pthread_mutex_lock(&found_lock);
    bool other = strcmp(found.name, name) != 0 || strcmp(found.url, url) != 0;

    snprintf(found.name, sizeof(found.name), "%s", name);
    snprintf(found.url, sizeof(found.url), "%s", url);
    found.provider = model ? model->provider : LLM_OLLAMA;
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

/* The model of a place that speaks: the one from before, or the first that can. */
static bool speaker_of(const struct scout_watch *watch, struct arena *arena, struct llm_model *model)
{
    struct catalog catalog;
    struct err ignored = { 0 };

    if (!catalog_found(&watch->look, arena, &catalog, &ignored) || !catalog.speaker)
        return false;
    /* Nobody else writes it, so it can be read without the lock. */
    bool stays = watch == watch->scout->at && has(&catalog, found.name);

    catalog_model(&catalog, arena, stays ? found.name : catalog.speaker, model);
    return true;
}

static void end_round(struct scout *scout)
{
    ARENA_AUTO arena = { 0 };
    struct scout_watch *before = scout->at;
    struct llm_model model;

    if (scout->closing) {
        tell(scout, true, true);
        return;
    }
    scout->at = NULL;
    for (size_t i = 0; i < scout->count && !scout->at; i++) {
        struct scout_watch *watch = &scout->watches[i];

        if ((before && watch != before) || watch->rounds_off > 0)
            continue;
        /* So that what stays is known to be what was there before. */
        scout->at = before;
        scout->at = speaker_of(watch, &arena, &model) ? watch : NULL;
    }
    if (remember(scout->at ? &model : NULL))
        scout->changed(scout->at ? &model : NULL);
    net_timer_set(scout->net, &scout->timer, scout->at ? CHECK_MS : SEARCH_MS);
    tell(scout, true, true);
}

static void looked(struct catalog_look *look)
{
    struct scout_watch *watch = look->user;

    if (look->stranger)
        watch->rounds_off = STRANGER_ROUNDS;
    if (--watch->scout->out == 0)
        end_round(watch->scout);
}

static bool is_due(const struct scout *scout, struct scout_watch *watch)
{
    if (scout->at)
        return watch == scout->at;
    if (watch->rounds_off == 0)
        return true;
    watch->rounds_off--;
    return false;
}

/* One more than there are looks, so that the round does not end before all have begun. */
static void look_again(void *user)
{
    struct scout *scout = user;

    tell(scout, false, false);
    scout->out = 1;
    for (size_t i = 0; i < scout->count; i++) {
        if (!is_due(scout, &scout->watches[i]))
            continue;
        scout->out++;
        catalog_look(&scout->watches[i].look);
    }
    if (--scout->out == 0)
        end_round(scout);
}

struct scout *scout_open(struct net *net, const struct local_place *places, size_t count,
                         scout_changed *changed)
{
    struct scout *scout = memory_take(sizeof(*scout));

    *scout = (struct scout){ .net = net, .changed = changed, .count = count };
    scout->watches = memory_take(count * sizeof(*scout->watches));
    for (size_t i = 0; i < count; i++) {
        scout->watches[i] = (struct scout_watch){ .scout = scout };
        scout->watches[i].look = (struct catalog_look){
            .net = net, .place = places[i], .done = looked, .user = &scout->watches[i]
        };
    }
    scout->timer = (struct timer){ .run = look_again, .user = scout };
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
    for (size_t i = 0; i < scout->count; i++)
        if (scout->watches[i].look.call)
            net_call_cancel(scout->watches[i].look.call);
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
    remember(NULL);
    for (size_t i = 0; i < scout->count; i++)
        catalog_look_done(&scout->watches[i].look);
    pthread_mutex_destroy(&scout->lock);
    pthread_cond_destroy(&scout->news);
    free(scout->watches);
    free(scout);
}

bool scout_found(struct arena *arena, struct llm_model *model)
{
    struct catalog catalog;
    char name[sizeof(found.name)], url[sizeof(found.url)];

    pthread_mutex_lock(&found_lock);
    memcpy(name, found.name, sizeof(name));
    memcpy(url, found.url, sizeof(url));
    catalog = (struct catalog){ .provider = found.provider, .base_url = url };
    pthread_mutex_unlock(&found_lock);
    if (!*name)
        return false;
    catalog_model(&catalog, arena, name, model);
    return true;
}

bool scout_is_at(const char *base_url)
{
    pthread_mutex_lock(&found_lock);
    bool same = model_same_url(base_url, found.url);

    pthread_mutex_unlock(&found_lock);
    return same;
}
