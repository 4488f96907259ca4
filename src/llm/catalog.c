/*
 * The look itself is made of callbacks on the loop's thread; catalog_read is the same for somebody who has a
 * thread to wait on: the command line.
 */
#include "llm/catalog.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/str.h"
#include "llm/wire.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A server that is there answers at once. */
#define CATALOG_CONNECT_MS 1000
#define CATALOG_WHOLE_MS   3000

static bool take_chunk(void *user, struct net_call *call, const char *bytes, size_t len)
{
    struct catalog_look *look = user;

    (void)call;
    buf_add(&look->body, bytes, len);
    return !look->body.full;
}

/* Where the list stands in the reply of each, or NULL. */
static json_t *listed(const struct catalog_look *look)
{
    JSON_AUTO *reply = NULL;
    struct err ignored = { 0 };
    json_t *models;

    if (!json_parse(look->body.bytes ? look->body.bytes : "", look->body.len, &reply, &ignored))
        return NULL;
    models = json_object_get(reply, look->asked == LLM_OLLAMA ? "models" : "data");
    return json_is_array(models) ? json_incref(models) : NULL;
}

static void ask(struct catalog_look *look, enum llm_provider provider);

static void call_done(void *user, struct net_call *call, enum net_end end, const char *why)
{
    struct catalog_look *look = user;
    int status = net_call_status(call);

    look->call = NULL;
    if (end == NET_WHOLE && status == 200)
        look->models = listed(look);
    /* Who says 500 and more may be about to load a model. */
    look->stranger = !look->models && status > 0 && status < 500 && !look->place.ollama;
    if (look->stranger && look->asked == LLM_OPENAI && end != NET_CANCELLED) {
        ask(look, LLM_OLLAMA);
        return;
    }
    if (end != NET_WHOLE || status != 200)
        err_set(&look->err, ERR_UNAVAILABLE, "Nobody answers at %s%s%s.", look->url, *why ? ": " : "", why);
    else if (!look->models)
        err_set(&look->err, ERR_UNAVAILABLE, "What answers there is %s.",
                look->place.ollama ? "not Ollama" : "no server of models");
    look->done(look);
}

static char *list_url(const char *base_url, enum llm_provider provider)
{
    const char *path = provider == LLM_OLLAMA ? "/api/tags" : "/v1/models";
    size_t len = strlen(base_url);

    while (len > 0 && base_url[len - 1] == '/')
        len--;
    char *url = memory_take(len + strlen(path) + 1);

    memcpy(url, base_url, len);
    memcpy(url + len, path, strlen(path) + 1);
    return url;
}

static void ask(struct catalog_look *look, enum llm_provider provider)
{
    catalog_look_done(look);
    look->err = (struct err){ 0 };
    look->asked = provider;
    look->url = list_url(look->place.url, provider);
    buf_init(&look->body, LIMIT_MODEL_LINE);
    const struct net_request request = {
        .url = look->url,
        .policy = { .reach = look->place.ollama ? NET_REACH_OWN : NET_REACH_HERE,
                    .connect_ms = CATALOG_CONNECT_MS,
                    .first_ms = CATALOG_WHOLE_MS,
                    .idle_ms = CATALOG_WHOLE_MS,
                    .whole_ms = CATALOG_WHOLE_MS,
                    .body_most = LIMIT_MODEL_LINE },
        .chunk = take_chunk,
        .done = call_done,
        .user = look,
    };

    if (net_call_start(look->net, &request, &look->call, &look->err))
        return;
    look->call = NULL;
    look->done(look);
}

/* Ollama speaks as OpenAI does as well, and is served by that; LM Studio writes an error into its log for
 * each question that only Ollama understands, so that one comes second. */
void catalog_look(struct catalog_look *look)
{
    look->stranger = false;
    ask(look, look->place.ollama ? LLM_OLLAMA : LLM_OPENAI);
}

void catalog_look_done(struct catalog_look *look)
{
    free(look->url);
    look->url = NULL;
    json_decref(look->models);
    look->models = NULL;
    buf_done(&look->body);
}

/* A model that turns text into numbers is listed like all others, and says nothing. */
static bool can_speak(const json_t *model, const char *name)
{
    const char *family = wire_text(json_object_get(model, "details"), "family");

    return !strstr(name, "embed") && !(family && strstr(family, "bert"));
}

bool catalog_found(const struct catalog_look *look, struct arena *arena, struct catalog *catalog,
                   struct err *err)
{
    const json_t *model;
    size_t i;

    if (look->err.code != ERR_NONE) {
        *err = look->err;
        return false;
    }
    *catalog = (struct catalog){
        .provider = look->asked,
        .base_url = look->asked == LLM_OPENAI ? arena_format(arena, "%s/v1", look->place.url)
                                              : arena_text(arena, look->place.url),
        .names = arena_array(arena, const char *, json_array_size(look->models) + 1),
    };
    json_array_foreach(look->models, i, model)
    {
        const char *name = wire_text(model, look->asked == LLM_OLLAMA ? "name" : "id");

        if (!name || !*name || strlen(name) > LIMIT_REF || !str_is_plain_line(name))
            continue;
        catalog->names[catalog->count++] = arena_text(arena, name);
        if (!catalog->speaker && can_speak(model, name))
            catalog->speaker = catalog->names[catalog->count - 1];
    }
    return true;
}

void catalog_model(const struct catalog *catalog, struct arena *arena, const char *name,
                   struct llm_model *model)
{
    model_init(model, "");
    model->provider_name = model_provider_name(catalog->provider);
    model->provider = catalog->provider;
    model->base_url = arena_text(arena, catalog->base_url);
    model->model = arena_text(arena, name);
    model->spelled_out = true;
}

struct catalog_waiter {
    struct catalog_look look;
    struct net_task task;
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_done;
};

static void begin(void *user)
{
    struct catalog_waiter *waiter = user;

    catalog_look(&waiter->look);
}

static void wake(struct catalog_look *look)
{
    struct catalog_waiter *waiter = look->user;

    pthread_mutex_lock(&waiter->lock);
    waiter->is_done = true;
    pthread_cond_signal(&waiter->done);
    pthread_mutex_unlock(&waiter->lock);
}

bool catalog_read(struct net *net, const struct local_place *place, struct arena *arena,
                  struct catalog *catalog, struct err *err)
{
    struct catalog_waiter waiter = { .look = { .net = net, .place = *place, .done = wake, .user = &waiter },
                                     .task = { .run = begin, .user = &waiter } };

    pthread_mutex_init(&waiter.lock, NULL);
    pthread_cond_init(&waiter.done, NULL);
    net_post(net, &waiter.task);
    pthread_mutex_lock(&waiter.lock);
    while (!waiter.is_done)
        pthread_cond_wait(&waiter.done, &waiter.lock);
    pthread_mutex_unlock(&waiter.lock);
    pthread_mutex_destroy(&waiter.lock);
    pthread_cond_destroy(&waiter.done);
    bool good = catalog_found(&waiter.look, arena, catalog, err);

    catalog_look_done(&waiter.look);
    return good;
}
