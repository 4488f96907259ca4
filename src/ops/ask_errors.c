/*
 * A place for each workspace with counts, and at most one unit of work on its way for each: what comes
 * meanwhile is added to the counts and goes with the next. Places are few and fixed; when all are taken, an
 * error is counted in the total only.
 */
#include "ops/ask_errors.h"

#include "base/clock.h"
#include "core/inbox/alert.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 64 /* workspaces with errors at once; further ones are counted when a place is free */

struct failing_workspace {
    char workspace_id[64];
    int64_t refused, failed; /* not written yet */
    bool busy;               /* a unit is on its way */
};

struct note {
    struct work work; /* first: the store hands it back */
    struct store *store;
    struct failing_workspace *place;
    int64_t refused, failed, now_ms;
};

static struct failing_workspace places[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t all_refused, all_failed;

static bool run_note(struct db *db, struct work *work)
{
    ARENA_AUTO arena = { 0 };
    struct note *note = (struct note *)work;
    struct tx tx = tx_of(db, &arena, note->now_ms, &work->err);

    return alert_count_errors(&tx, note->place->workspace_id, note->refused, note->failed);
}

static void note_done(struct work *work);

/* Hands the counts of a place to the store. The place is busy until note_done. */
static void send(struct store *store, struct failing_workspace *place)
{
    struct note *note = calloc(1, sizeof(*note));
    struct err ignored;

    if (!note)
        abort();
    pthread_mutex_lock(&lock);
    *note = (struct note){
        .work = { .run = run_note, .done = note_done },
        .store = store,
        .place = place,
        .refused = place->refused,
        .failed = place->failed,
        .now_ms = clock_now_ms(),
    };
    pthread_mutex_unlock(&lock);
    if (store_write(store, &note->work, &ignored))
        return;
    pthread_mutex_lock(&lock);
    place->busy = false;
    pthread_mutex_unlock(&lock);
    free(note);
}

/* What the store has not taken stays until the next error. */
static void note_done(struct work *work)
{
    struct note *note = (struct note *)work;
    struct failing_workspace *place = note->place;
    bool more = false;

    pthread_mutex_lock(&lock);
    if (work->err.code == ERR_NONE) {
        place->refused -= note->refused;
        place->failed -= note->failed;
        more = place->refused > 0 || place->failed > 0;
    }
    place->busy = more;
    pthread_mutex_unlock(&lock);
    if (more)
        send(note->store, place);
    free(note);
}

/* The workspace's place, or one that nobody needs; NULL when all are taken. */
static struct failing_workspace *place_of(const char *workspace_id)
{
    struct failing_workspace *empty = NULL;

    if (strlen(workspace_id) >= sizeof(empty->workspace_id))
        return NULL;
    for (size_t i = 0; i < PLACES; i++) {
        if (strcmp(places[i].workspace_id, workspace_id) == 0)
            return &places[i];
        if (!empty && !places[i].busy && places[i].refused == 0 && places[i].failed == 0)
            empty = &places[i];
    }
    if (empty)
        memcpy(empty->workspace_id, workspace_id, strlen(workspace_id) + 1);
    return empty;
}

static bool counts(const struct request *request)
{
    enum err_code code = request->call.err.code;

    return code != ERR_NONE && request->op->count_errors && request->call.caller.workspace_id &&
           code != ERR_UNAUTHORIZED && code != ERR_FORBIDDEN && code != ERR_NOT_FOUND;
}

void ask_errors_note(const struct request *request)
{
    struct failing_workspace *place;
    bool failed, idle = false;

    if (!counts(request))
        return;
    failed = err_http(request->call.err.code) >= 500;
    atomic_fetch_add(failed ? &all_failed : &all_refused, 1);
    pthread_mutex_lock(&lock);
    place = place_of(request->call.caller.workspace_id);
    if (place) {
        place->refused += !failed;
        place->failed += failed;
        idle = !place->busy;
        place->busy = true;
    }
    pthread_mutex_unlock(&lock);
    if (place && idle)
        send(request->store, place);
}

void ask_errors_stats(struct ask_errors_stats *stats)
{
    *stats =
        (struct ask_errors_stats){ .refused = atomic_load(&all_refused), .failed = atomic_load(&all_failed) };
}
