/*
 * Looks overlap by a moment, since a row may be committed a little after the time that it bears: what is told
 * twice is the same both times.
 */
#include "engine/comings.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "core/identity/presence.h"
#include "engine/poke.h"
#include "ops/presence.h"

#include <stdlib.h>

#define OVERLAP_MS 500

struct comings {
    struct store *store;
    struct tailer *tailer;
    struct poke poke;
    pthread_t thread;
};

struct comings_look {
    struct work work; /* first: the store hands it back */
    struct arena arena;
    int64_t since_ms, now_ms;
    struct presence_person *people;
    size_t count;
    bool whole;
};

static bool run_look(struct db *db, struct work *work)
{
    struct comings_look *look = (struct comings_look *)work;
    struct tx tx = tx_of(db, &look->arena, look->now_ms, &work->err);

    arena_reset(&look->arena);
    return presence_changed(&tx, look->since_ms, &look->people, &look->count, &look->whole);
}

/* Those from `at` on who are in one workspace; how many they are. */
static size_t tell_workspace(struct comings *comings, const struct comings_look *look, size_t at)
{
    const char *workspace_id = look->people[at].workspace_id;
    BUF_AUTO data = { 0 };
    struct json_out out;
    size_t count = 0;

    buf_init(&data, 0);
    json_begin(&out, &data);
    json_map(&out, NULL);
    json_list(&out, "people");
    for (; at + count < look->count && str_equal(look->people[at + count].workspace_id, workspace_id);
         count++)
        if (count < PRESENCE_TOLD)
            presence_write(&look->people[at + count], &out);
    json_list_end(&out);
    json_bool(&out, "whole", count <= PRESENCE_TOLD && (look->whole || at + count < look->count));
    json_map_end(&out);
    tailer_say(comings->tailer, notice_new(&(struct event){ .workspace_id = workspace_id,
                                                            .type = EVENT_PRESENCE_CHANGED,
                                                            .data = data.bytes,
                                                            .at_ms = look->now_ms }));
    return count;
}

static bool look_once(struct comings *comings, struct comings_look *look)
{
    look->now_ms = clock_now_ms();
    if (!tailer_heard(comings->tailer)) {
        look->since_ms = look->now_ms;
        return true;
    }
    look->work = (struct work){ .run = run_look };
    if (!store_read_wait(comings->store, &look->work))
        return false;
    for (size_t at = 0; at < look->count;)
        at += tell_workspace(comings, look, at);
    look->since_ms = look->now_ms - OVERLAP_MS;
    return true;
}

static void *run_comings(void *user)
{
    struct comings *comings = user;
    struct comings_look look = { .since_ms = clock_now_ms() };
    bool well = true;

    while (poke_wait(&comings->poke, PRESENCE_LOOK_MS)) {
        bool was_well = well;

        well = look_once(comings, &look);
        if (was_well && !well)
            log_line(LOG_WARN, "who is here cannot be read", "why", look.work.err.text, NULL);
    }
    arena_done(&look.arena);
    return NULL;
}

struct comings *comings_open(struct store *store, struct tailer *tailer)
{
    struct comings *comings = calloc(1, sizeof(*comings));

    if (!comings)
        abort();
    comings->store = store;
    comings->tailer = tailer;
    poke_init(&comings->poke);
    if (pthread_create(&comings->thread, NULL, run_comings, comings) != 0)
        abort();
    return comings;
}

void comings_close(struct comings *comings)
{
    if (!comings)
        return;
    poke_stop(&comings->poke);
    pthread_join(comings->thread, NULL);
    poke_done(&comings->poke);
    free(comings);
}
