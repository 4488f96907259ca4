/*
 * A place for each kind of refusal with a count, and a pause that doubles with every row it has caused.
 * Taking from a place and writing are two steps, since requests go on being refused while the store is busy;
 * counts that could not be written are put back. The last place is for all that find none.
 */
#include "ops/refusals.h"

#include "base/clock.h"
#include "base/str.h"
#include "core/log/audit.h"
#include "ops/identity.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define HOUR_MS (3600 * 1000LL)

/* Refusals of one kind that are gathered. */
struct refusal_kind {
    bool used;
    const char *operation, *actor_kind, *why; /* static texts */
    char workspace_id[64], actor_id[64], actor[LIMIT_NAME * 4 + 1], subject[LIMIT_REF + 1], remote[64],
        request_id[64];
    int64_t count; /* not written yet */
    int64_t first_ms, last_ms;
    int64_t due_ms, pause_ms; /* when the next row may be written, and how long after that the one after */
};

static struct refusal_kind places[REFUSAL_PLACES + 1]; /* the last one is for those who have none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t hour, hour_rows; /* which hour it is, and the rows written in it */
static _Atomic uint64_t seen, written;

/* A change of who may do what, or a proof of identity. */
static bool is_worth_a_row(const struct request *request)
{
    const struct err *err = &request->call.err;

    if (request->op->limit_logins)
        return err->code == ERR_UNAUTHORIZED || err->code == ERR_RATE_LIMITED ||
               strcmp(err->field, "oldPassword") == 0;
    return err->code == ERR_FORBIDDEN && request->op->kind == OP_WRITE &&
           str_equal(request->op->tag, TAG_IDENTITY);
}

/* Cut between characters: half of one is no text to a database. */
static void copy(char *into, size_t size, const char *text)
{
    if (!text)
        text = "";
    snprintf(into, size, "%.*s", (int)str_fitting(text, size - 1), text);
}

static const char *error_name(enum err_code code)
{
    return err_name(&(struct err){ .code = code });
}

static void describe(const struct request *request, struct refusal_kind *place)
{
    const struct call *call = &request->call;
    const struct caller *caller = &call->caller;

    *place = (struct refusal_kind){
        .used = true,
        .operation = request->op->name,
        .actor_kind = caller_kind_name(caller->kind),
        .why = error_name(call->err.code),
    };
    copy(place->workspace_id, sizeof(place->workspace_id),
         caller->workspace_id ? caller->workspace_id : DEFAULT_WORKSPACE_ID);
    copy(place->actor_id, sizeof(place->actor_id), caller->id);
    copy(place->actor, sizeof(place->actor), caller->name ? caller->name : "nobody");
    copy(place->subject, sizeof(place->subject), call->subject);
    copy(place->remote, sizeof(place->remote), call->remote);
    copy(place->request_id, sizeof(place->request_id), call->request_id);
}

static bool is_same(const struct refusal_kind *a, const struct refusal_kind *b)
{
    return a->used && a->operation == b->operation && a->why == b->why && strcmp(a->remote, b->remote) == 0 &&
           strcmp(a->subject, b->subject) == 0 && strcmp(a->actor_id, b->actor_id) == 0 &&
           strcmp(a->workspace_id, b->workspace_id) == 0;
}

static struct refusal_kind *rest(void)
{
    struct refusal_kind *place = &places[REFUSAL_PLACES];

    if (!place->used) {
        *place = (struct refusal_kind){
            .used = true, .operation = "refused", .actor_kind = "nobody", .why = "several"
        };
        copy(place->workspace_id, sizeof(place->workspace_id), DEFAULT_WORKSPACE_ID);
        copy(place->actor, sizeof(place->actor), "several");
    }
    return place;
}

/* The place of this kind, or a new one, or the one for the rest. */
static struct refusal_kind *place_of(const struct refusal_kind *kind)
{
    struct refusal_kind *free_one = NULL;

    for (size_t i = 0; i < REFUSAL_PLACES; i++) {
        if (is_same(&places[i], kind))
            return &places[i];
        if (!free_one && !places[i].used)
            free_one = &places[i];
    }
    if (!free_one)
        return rest();
    *free_one = *kind;
    return free_one;
}

static void count_in(struct refusal_kind *place, int64_t count, int64_t first_ms, int64_t last_ms)
{
    if (place->count == 0)
        place->first_ms = first_ms;
    place->count += count;
    place->last_ms = last_ms;
}

void refusals_note(const struct request *request)
{
    struct refusal_kind kind;
    int64_t now_ms;

    if (!is_worth_a_row(request))
        return;
    atomic_fetch_add(&seen, 1);
    now_ms = clock_now_ms();
    describe(request, &kind);
    pthread_mutex_lock(&lock);
    count_in(place_of(&kind), 1, now_ms, now_ms);
    pthread_mutex_unlock(&lock);
}

/* Written in one go. These are copies, since requests go on being refused meanwhile. */
struct refusal_batch {
    struct work work; /* first: the store hands it back */
    size_t count;
    struct refusal_kind places[REFUSAL_ROWS];
    struct refusal_kind *from[REFUSAL_ROWS];
};

static const char *detail(struct arena *arena, const struct refusal_kind *place)
{
    return arena_format(arena, "{\"refused\":\"%s\",\"times\":%lld,\"first\":\"%s\",\"last\":\"%s\"}",
                        place->why, (long long)place->count, clock_text(arena, place->first_ms),
                        clock_text(arena, place->last_ms));
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static bool run_batch(struct db *db, struct work *work)
{
    ARENA_AUTO arena = { 0 };
    struct refusal_batch *batch = (struct refusal_batch *)work;
    struct tx tx = tx_of(db, &arena, clock_now_ms(), &work->err);

    for (size_t i = 0; i < batch->count; i++) {
        const struct refusal_kind *place = &batch->places[i];
        struct audit_entry entry = {
            .workspace_id = place->workspace_id,
            .actor_kind = place->actor_kind,
            .actor_id = or_null(place->actor_id),
            .actor = place->actor,
            .operation = place->operation,
            .subject = or_null(place->subject),
            .remote = or_null(place->remote),
            .request_id = or_null(place->request_id),
            .detail = detail(&arena, place),
            .at_ms = place->last_ms,
        };

        if (!audit_append(&tx, &entry))
            return false;
    }
    return true;
}

/* A kind that has been quiet for as long as its pause is forgotten: its next refusal is a first one again. */
static void forget_quiet(struct refusal_kind *place, int64_t now_ms)
{
    if (place->used && place->count == 0 && now_ms >= place->due_ms)
        place->used = false;
}

/* Takes a place into the batch, or into the rest when the hour has had its rows. */
static void take(struct refusal_batch *batch, struct refusal_kind *place, int64_t now_ms)
{
    if (hour_rows >= REFUSAL_ROWS_HOUR && place != rest()) {
        count_in(rest(), place->count, place->first_ms, place->last_ms);
        place->used = false;
        return;
    }
    if (batch->count == REFUSAL_ROWS)
        return;
    batch->places[batch->count] = *place;
    batch->from[batch->count++] = place;
    hour_rows++;
    place->count = 0;
    place->pause_ms = place->pause_ms == 0 ? REFUSAL_PAUSE_MS : place->pause_ms * 2;
    if (place->pause_ms > HOUR_MS || place == rest())
        place->pause_ms = place == rest() ? REFUSAL_REST_MS : HOUR_MS;
    place->due_ms = now_ms + place->pause_ms;
}

static void gather(struct refusal_batch *batch, bool all)
{
    int64_t now_ms = clock_now_ms();

    pthread_mutex_lock(&lock);
    if (now_ms / HOUR_MS != hour) {
        hour = now_ms / HOUR_MS;
        hour_rows = 0;
    }
    for (size_t i = 0; i <= REFUSAL_PLACES; i++) {
        forget_quiet(&places[i], now_ms);
        if (places[i].used && places[i].count > 0 && (all || now_ms >= places[i].due_ms))
            take(batch, &places[i], now_ms);
    }
    pthread_mutex_unlock(&lock);
}

/* The store did not take them: they are counted again, and come with the next row. */
static void put_back(const struct refusal_batch *batch)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < batch->count; i++) {
        struct refusal_kind *place = batch->from[i];
        bool gone = !is_same(place, &batch->places[i]);

        if (gone)
            place = rest();
        place->first_ms = batch->places[i].first_ms;
        if (place->count == 0)
            place->last_ms = batch->places[i].last_ms;
        place->count += batch->places[i].count;
    }
    hour_rows -= (int64_t)batch->count;
    pthread_mutex_unlock(&lock);
}

bool refusals_flush(struct store *store, bool all, struct err *err)
{
    static struct refusal_batch batch; /* large, and only one thread flushes */

    do {
        batch = (struct refusal_batch){ .work = { .run = run_batch } };
        gather(&batch, all);
        if (batch.count == 0)
            return true;
        if (!store_write_wait(store, &batch.work)) {
            put_back(&batch);
            *err = batch.work.err;
            return false;
        }
        atomic_fetch_add(&written, batch.count);
    } while (batch.count == REFUSAL_ROWS);
    return true;
}

void refusals_stats(struct refusals_stats *stats)
{
    *stats = (struct refusals_stats){ .seen = atomic_load(&seen), .rows = atomic_load(&written) };
}
