#include "engine/hub.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "engine/poke.h"

#include <stdlib.h>
#include <string.h>

#define TAIL_BATCH 256  /* events read from the log at once */
#define LOOK_EVERY 1000 /* milliseconds: how late a change by another program may be noticed */
#define RETRY_MS   100
#define LISTENERS  8
#define SAY_BATCH  256

struct hub {
    struct store *store;
    struct ring *ring, *said;
    struct poke poke;
    pthread_t tailer;
    pthread_mutex_t lock;        /* guards the list of readers */
    pthread_mutex_t listen_lock; /* guards the listeners, and is held while they are told */
    pthread_mutex_t say_lock;    /* gives out the places of what is said */
    struct hub_reader *readers;
    struct {
        hub_listener *call;
        void *user;
    } listeners[LISTENERS];
    size_t listener_count;
    struct hub_reader **to_wake; /* the tailer's */
    size_t to_wake_room;
    _Atomic int64_t handed_on; /* everything up to this number has reached its readers */
    _Atomic int64_t read_at_ms, looked_ms;
    atomic_bool log_poked; /* the log may have grown; pokes without it are for what was said */
    int64_t told;          /* the tailer's place in what is said */
    _Atomic uint64_t events, batches, failures, words;
    atomic_uint reader_count;
};

struct tail_work {
    struct work work;
    struct arena arena;
    int64_t after;
    bool only_last;
    struct event *events;
    size_t count;
};

static bool run_tail(struct db *db, struct work *work)
{
    struct tail_work *tail = (struct tail_work *)work;
    struct tx tx = tx_of(db, &tail->arena, clock_now_ms(), &work->err);

    arena_reset(&tail->arena);
    tail->count = 0;
    if (tail->only_last)
        return event_last(&tx, &tail->after);
    return event_read(&tx, tail->after, TAIL_BATCH, &tail->events, &tail->count);
}

static bool tail_read(struct hub *hub, struct tail_work *tail)
{
    tail->work = (struct work){ .run = run_tail };
    if (!store_can_read_here(hub->store))
        return store_read_wait(hub->store, &tail->work);
    store_read_here(hub->store, &tail->work);
    return tail->work.err.code == ERR_NONE;
}

static _Atomic int64_t *place_of(struct hub_reader *reader, bool said)
{
    return said ? &reader->heard : &reader->cursor;
}

static void tell_listeners(struct hub *hub, struct notice *const notices[], size_t count)
{
    pthread_mutex_lock(&hub->listen_lock);
    for (size_t i = 0; i < hub->listener_count; i++)
        hub->listeners[i].call(hub->listeners[i].user, notices, count);
    pthread_mutex_unlock(&hub->listen_lock);
}

static bool wants_one(const struct hub_reader *reader, int64_t cursor, struct notice *const notices[],
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (notices[i]->place > cursor && notice_matches(notices[i], &reader->filter))
            return true;
    return false;
}

static void remember_to_wake(struct hub *hub, struct hub_reader *reader, size_t count)
{
    if (count == hub->to_wake_room) {
        hub->to_wake_room = hub->to_wake_room ? hub->to_wake_room * 2 : 256;
        hub->to_wake = realloc(hub->to_wake, hub->to_wake_room * sizeof(struct hub_reader *));
        if (!hub->to_wake)
            abort();
    }
    reader->calls->hold(reader);
    hub->to_wake[count] = reader;
}

/*
 * A reader that wakes by itself meanwhile may move its cursor too. It only ever passes over events that
 * it has seen, so whoever comes second simply leaves the cursor alone.
 */
static void wake_readers(struct hub *hub, struct notice *const notices[], size_t count, bool said)
{
    int64_t last = notices[count - 1]->place;
    size_t waking = 0;

    pthread_mutex_lock(&hub->lock);
    for (struct hub_reader *reader = hub->readers; reader; reader = reader->next) {
        if (!atomic_load(&reader->asleep))
            continue;
        int64_t cursor = atomic_load(place_of(reader, said));

        if (wants_one(reader, cursor, notices, count)) {
            if (atomic_exchange(&reader->asleep, false))
                remember_to_wake(hub, reader, waking++);
        } else if (cursor < last) {
            atomic_compare_exchange_strong(place_of(reader, said), &cursor, last);
        }
    }
    pthread_mutex_unlock(&hub->lock);
    for (size_t i = 0; i < waking; i++) {
        hub->to_wake[i]->calls->wake(hub->to_wake[i]);
        hub->to_wake[i]->calls->drop(hub->to_wake[i]);
    }
}

static void hand_on(struct hub *hub, struct tail_work *tail)
{
    struct notice **notices = arena_array(&tail->arena, struct notice *, tail->count);

    /* The ring may let go of a notice before the listeners have seen it: each has a second holder. */
    for (size_t i = 0; i < tail->count; i++)
        notices[i] = notice_hold(notice_new(&tail->events[i]));
    ring_append(hub->ring, notices, tail->count);
    tell_listeners(hub, notices, tail->count);
    wake_readers(hub, notices, tail->count, false);
    atomic_fetch_add(&hub->events, tail->count);
    atomic_fetch_add(&hub->batches, 1);
    atomic_store(&hub->handed_on, notices[tail->count - 1]->seq);
    for (size_t i = 0; i < tail->count; i++)
        notice_drop(notices[i]);
}

/* Reads until there is nothing more. False: the store did not answer. */
static bool tail_all(struct hub *hub, struct tail_work *tail)
{
    do {
        tail->after = ring_last(hub->ring);
        if (!tail_read(hub, tail)) {
            atomic_fetch_add(&hub->failures, 1);
            return false;
        }
        atomic_store(&hub->read_at_ms, clock_ticks_ms());
        if (tail->count > 0)
            hand_on(hub, tail);
    } while (tail->count == TAIL_BATCH && !poke_stopping(&hub->poke));
    return true;
}

static void tell_words(struct hub *hub)
{
    struct notice *notices[SAY_BATCH];
    size_t count;

    while ((count = ring_take(hub->said, &hub->told, notices, SAY_BATCH)) > 0) {
        wake_readers(hub, notices, count, true);
        for (size_t i = 0; i < count; i++)
            notice_drop(notices[i]);
    }
}

/* Whether the log is to be read: somebody said so, or nobody has for a while. */
static bool log_is_due(struct hub *hub, bool well)
{
    return atomic_exchange(&hub->log_poked, false) ||
           clock_ticks_ms() - atomic_load(&hub->looked_ms) >= (well ? LOOK_EVERY : RETRY_MS);
}

static void *run_tailer(void *user)
{
    struct hub *hub = user;
    struct tail_work tail = { 0 };
    bool well = true;

    while (poke_wait(&hub->poke, well ? LOOK_EVERY : RETRY_MS)) {
        bool was_well = well;

        tell_words(hub);
        if (!log_is_due(hub, well))
            continue;
        atomic_store(&hub->looked_ms, clock_ticks_ms());
        well = tail_all(hub, &tail);
        if (was_well && !well)
            log_line(LOG_WARN, "the event log cannot be read", "why", tail.work.err.text, NULL);
        else if (well && !was_well)
            log_line(LOG_INFO, "the event log can be read again", NULL);
    }
    arena_done(&tail.arena);
    return NULL;
}

struct hub *hub_open(struct store *store, struct err *err)
{
    struct hub *hub = calloc(1, sizeof(*hub));
    struct tail_work tail = { .only_last = true };

    if (!hub)
        abort();
    hub->store = store;
    if (!tail_read(hub, &tail)) {
        *err = tail.work.err;
        arena_done(&tail.arena);
        free(hub);
        return NULL;
    }
    arena_done(&tail.arena);
    hub->ring = ring_new(tail.after, 0, 0);
    hub->said = ring_new(0, SAID_WORDS, SAID_BYTES);
    atomic_init(&hub->handed_on, tail.after);
    atomic_init(&hub->read_at_ms, clock_ticks_ms());
    pthread_mutex_init(&hub->lock, NULL);
    pthread_mutex_init(&hub->listen_lock, NULL);
    pthread_mutex_init(&hub->say_lock, NULL);
    poke_init(&hub->poke);
    if (pthread_create(&hub->tailer, NULL, run_tailer, hub) != 0)
        abort();
    return hub;
}

void hub_stop(struct hub *hub)
{
    if (poke_stopping(&hub->poke))
        return;
    poke_stop(&hub->poke);
    pthread_join(hub->tailer, NULL);
}

void hub_close(struct hub *hub)
{
    if (!hub)
        return;
    hub_stop(hub);
    poke_done(&hub->poke);
    pthread_mutex_destroy(&hub->say_lock);
    pthread_mutex_destroy(&hub->listen_lock);
    pthread_mutex_destroy(&hub->lock);
    ring_free(hub->ring);
    ring_free(hub->said);
    free(hub->to_wake);
    free(hub);
}

void hub_poke(struct hub *hub)
{
    atomic_store(&hub->log_poked, true);
    poke_now(&hub->poke);
}

void hub_say(struct hub *hub, struct notice *notice)
{
    pthread_mutex_lock(&hub->say_lock);
    notice->place = ring_last(hub->said) + 1;
    ring_append(hub->said, &notice, 1);
    pthread_mutex_unlock(&hub->say_lock);
    atomic_fetch_add(&hub->words, 1);
    poke_now(&hub->poke);
}

bool hub_heard(struct hub *hub)
{
    return atomic_load(&hub->reader_count) > 0;
}

int64_t hub_last(struct hub *hub)
{
    return ring_last(hub->ring);
}

bool hub_settle(struct hub *hub, int64_t seq, int timeout_ms)
{
    int64_t until = clock_ticks_ms() + timeout_ms;

    while (atomic_load(&hub->handed_on) < seq) {
        int64_t left = until - clock_ticks_ms();

        atomic_store(&hub->log_poked, true);
        if (left <= 0 || !poke_round(&hub->poke, left))
            return atomic_load(&hub->handed_on) >= seq;
    }
    return true;
}

void hub_join(struct hub *hub, struct hub_reader *reader, int64_t cursor)
{
    atomic_store(&reader->asleep, false);
    reader->calls->hold(reader);
    pthread_mutex_lock(&hub->lock);
    reader->prev = NULL;
    reader->next = hub->readers;
    if (hub->readers)
        hub->readers->prev = reader;
    hub->readers = reader;
    atomic_store(&reader->cursor, cursor < 0 ? ring_last(hub->ring) : cursor);
    atomic_store(&reader->heard, ring_last(hub->said));
    pthread_mutex_unlock(&hub->lock);
    atomic_fetch_add(&hub->reader_count, 1);
}

void hub_leave(struct hub *hub, struct hub_reader *reader)
{
    pthread_mutex_lock(&hub->lock);
    if (reader->prev)
        reader->prev->next = reader->next;
    else
        hub->readers = reader->next;
    if (reader->next)
        reader->next->prev = reader->prev;
    pthread_mutex_unlock(&hub->lock);
    atomic_fetch_sub(&hub->reader_count, 1);
    reader->calls->drop(reader);
}

/* What was said comes before what the log holds: the text of a turn before its end. */
static enum ring_found next_word(struct hub *hub, struct hub_reader *reader, struct notice **notice)
{
    int64_t seen = atomic_load(&reader->heard), heard = seen;
    enum ring_found found = ring_next(hub->said, &reader->filter, &heard, notice);

    if (found == RING_LOST) {
        /* Too slow for these: the newest will do. */
        heard = ring_last(hub->said);
        found = RING_NOTHING;
    }
    if (found == RING_EVENT)
        atomic_store(&reader->heard, heard);
    else
        atomic_compare_exchange_strong(&reader->heard, &seen, heard);
    return found;
}

static enum ring_found next_event(struct hub *hub, struct hub_reader *reader, struct notice **notice)
{
    int64_t seen = atomic_load(&reader->cursor), cursor = seen;
    enum ring_found found = ring_next(hub->ring, &reader->filter, &cursor, notice);

    if (found == RING_EVENT)
        atomic_store(&reader->cursor, cursor);
    else if (found == RING_NOTHING)
        atomic_compare_exchange_strong(&reader->cursor, &seen, cursor);
    return found;
}

/*
 * The reader says that it sleeps before it looks for the last time: an event that arrives after that
 * look finds it asleep and wakes it, one that arrived before is found by the look.
 */
enum ring_found hub_next(struct hub *hub, struct hub_reader *reader, struct notice **notice)
{
    for (int look = 0;; look++) {
        enum ring_found found = next_word(hub, reader, notice);

        if (found == RING_NOTHING)
            found = next_event(hub, reader, notice);
        if (found != RING_NOTHING || look > 0) {
            if (found != RING_NOTHING)
                atomic_store(&reader->asleep, false);
            return found;
        }
        atomic_store(&reader->asleep, true);
    }
}

void hub_refilter(struct hub *hub, struct hub_reader *reader, const struct notice_filter *filter,
                  int64_t cursor)
{
    pthread_mutex_lock(&hub->lock);
    atomic_store(&reader->asleep, false);
    reader->filter = *filter;
    if (cursor >= 0)
        atomic_store(&reader->cursor, cursor);
    pthread_mutex_unlock(&hub->lock);
}

void hub_listen(struct hub *hub, hub_listener *listener, void *user)
{
    pthread_mutex_lock(&hub->listen_lock);
    if (hub->listener_count == LISTENERS)
        abort();
    hub->listeners[hub->listener_count].call = listener;
    hub->listeners[hub->listener_count].user = user;
    hub->listener_count++;
    pthread_mutex_unlock(&hub->listen_lock);
}

void hub_unlisten(struct hub *hub, void *user)
{
    size_t kept = 0;

    pthread_mutex_lock(&hub->listen_lock);
    for (size_t i = 0; i < hub->listener_count; i++)
        if (hub->listeners[i].user != user)
            hub->listeners[kept++] = hub->listeners[i];
    hub->listener_count = kept;
    pthread_mutex_unlock(&hub->listen_lock);
}

void hub_stats(struct hub *hub, struct hub_stats *stats)
{
    *stats = (struct hub_stats){
        .events = atomic_load(&hub->events),
        .batches = atomic_load(&hub->batches),
        .failures = atomic_load(&hub->failures),
        .said = atomic_load(&hub->words),
        .readers = atomic_load(&hub->reader_count),
        .last = ring_last(hub->ring),
        .idle_ms = clock_ticks_ms() - atomic_load(&hub->read_at_ms),
    };
}
