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

static void call_done(void *user, struct net_call *call, enum net_end end, const char *why)
{
    struct catalog_look *look = user;

    if (end != NET_WHOLE || net_call_status(call) != 200)
        err_set(&look->err, ERR_UNAVAILABLE, "Nobody answers at %s%s%s.", look->url, *why ? ": " : "", why);
    look->call = NULL;
    look->done(look);
}

static char *tags_url(const char *base_url)
{
    static const char path[] = "/api/tags";
    size_t len = strlen(base_url);

    while (len > 0 && base_url[len - 1] == '/')
        len--;
    char *url = memory_take(len + sizeof(path));

    memcpy(url, base_url, len);
    memcpy(url + len, path, sizeof(path));
    return url;
}

void catalog_look(struct catalog_look *look)
{
    catalog_look_done(look);
    look->err = (struct err){ 0 };
    look->url = tags_url(look->base_url);
    buf_init(&look->body, LIMIT_MODEL_LINE);
    const struct net_request request = {
        .url = look->url,
        .policy = { .reach = NET_REACH_OWN,
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

void catalog_look_done(struct catalog_look *look)
{
    free(look->url);
    look->url = NULL;
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
    JSON_AUTO *reply = NULL;
    struct err ignored = { 0 };
    const json_t *models;

    if (look->err.code != ERR_NONE) {
        *err = look->err;
        return false;
    }
    if (!json_parse(look->body.bytes ? look->body.bytes : "", look->body.len, &reply, &ignored) ||
        !json_is_array(models = json_object_get(reply, "models")))
        return err_set(err, ERR_UNAVAILABLE, "What answers there is not Ollama.");
    *catalog = (struct catalog){ .names = arena_array(arena, const char *, json_array_size(models) + 1) };
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *model = json_array_get(models, i);
        const char *name = wire_text(model, "name");

        if (!name || !*name || strlen(name) > LIMIT_REF || !str_is_plain_line(name))
            continue;
        catalog->names[catalog->count++] = arena_text(arena, name);
        if (!catalog->speaker && can_speak(model, name))
            catalog->speaker = catalog->names[catalog->count - 1];
    }
    return true;
}

struct waiter {
    struct catalog_look look;
    struct net_task task;
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_done;
};

static void begin(void *user)
{
    struct waiter *waiter = user;

    catalog_look(&waiter->look);
}

static void wake(struct catalog_look *look)
{
    struct waiter *waiter = look->user;

    pthread_mutex_lock(&waiter->lock);
    waiter->is_done = true;
    pthread_cond_signal(&waiter->done);
    pthread_mutex_unlock(&waiter->lock);
}

bool catalog_read(struct net *net, const char *base_url, struct arena *arena, struct catalog *catalog,
                  struct err *err)
{
    struct waiter waiter = { .look = { .net = net, .base_url = base_url, .done = wake, .user = &waiter },
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
