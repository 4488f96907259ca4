/*
 * A call on the loop of calls for somebody who waits on another thread: the command line, or the start of a
 * server. It gives up within seconds, since a server of Ollama is on the same machine or next to it.
 */
#include "llm/catalog.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "llm/wire.h"

#include <pthread.h>

/* A server that is there answers at once. */
#define CATALOG_CONNECT_MS 1000
#define CATALOG_WHOLE_MS   3000

struct look {
    struct net *net;
    struct net_task task;
    const char *url;
    struct buf body;
    bool good;
    struct err *err;
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_done;
};

static void end_look(struct look *look)
{
    pthread_mutex_lock(&look->lock);
    look->is_done = true;
    pthread_cond_signal(&look->done);
    pthread_mutex_unlock(&look->lock);
}

static bool take_chunk(void *user, struct net_call *call, const char *bytes, size_t len)
{
    struct look *look = user;

    (void)call;
    buf_add(&look->body, bytes, len);
    return !look->body.full;
}

static void call_done(void *user, struct net_call *call, enum net_end end, const char *why)
{
    struct look *look = user;

    look->good = end == NET_WHOLE && net_call_status(call) == 200;
    if (!look->good)
        err_set(look->err, ERR_UNAVAILABLE, "Nobody answers at %s%s%s.", look->url, *why ? ": " : "", why);
    end_look(look);
}

static void begin(void *user)
{
    struct look *look = user;
    struct net_call *call;
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

    if (!net_call_start(look->net, &request, &call, look->err))
        end_look(look);
}

static bool read_names(const struct buf *body, struct arena *arena, struct catalog *catalog, struct err *err)
{
    JSON_AUTO *reply = NULL;
    struct err ignored = { 0 };
    const json_t *models;

    if (!json_parse(body->bytes, body->len, &reply, &ignored) ||
        !json_is_array(models = json_object_get(reply, "models")))
        return err_set(err, ERR_UNAVAILABLE, "What answers there is not Ollama.");
    catalog->count = 0;
    catalog->names = arena_array(arena, const char *, json_array_size(models) + 1);
    for (size_t i = 0; i < json_array_size(models); i++) {
        const char *name = wire_text(json_array_get(models, i), "name");

        if (name && str_is_plain_line(name))
            catalog->names[catalog->count++] = arena_text(arena, name);
    }
    return true;
}

bool catalog_read(struct net *net, const char *base_url, struct arena *arena, struct catalog *catalog,
                  struct err *err)
{
    struct look look = { .net = net, .url = arena_format(arena, "%s/api/tags", base_url), .err = err };

    buf_init(&look.body, LIMIT_MODEL_LINE);
    pthread_mutex_init(&look.lock, NULL);
    pthread_cond_init(&look.done, NULL);
    look.task = (struct net_task){ .run = begin, .user = &look };
    net_post(net, &look.task);
    pthread_mutex_lock(&look.lock);
    while (!look.is_done)
        pthread_cond_wait(&look.done, &look.lock);
    pthread_mutex_unlock(&look.lock);
    pthread_mutex_destroy(&look.lock);
    pthread_cond_destroy(&look.done);
    bool good = look.good && read_names(&look.body, arena, catalog, err);

    buf_done(&look.body);
    return good;
}
