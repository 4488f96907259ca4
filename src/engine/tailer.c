/*
 * The order is what makes it safe: into the ring first, then the subscribers, then the readers that sleep. A
 * reader declares itself asleep before its last look, so an event either is seen by that look or sees the
 * reader asleep. Those to be woken are collected under the lock and woken without it.
 */
#include "engine/tailer.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "engine/poke.h"

#include <stdlib.h>
#include <string.h>

#define TAIL_BATCH  256  /* events read from the log at once */
#define LOOK_EVERY  1000 /* milliseconds: how late a change by another program may be noticed */
#define RETRY_MS    100
#define SUBSCRIBERS 8
#define SAY_BATCH   256

struct tailer {
    struct store *store;
    struct ring *ring, *said;
    struct poke poke;
    pthread_t thread;
    pthread_mutex_t lock;             /* guards the list of readers */
    pthread_mutex_t subscribers_lock; /* guards the subscribers, and is held while they are told */
    pthread_mutex_t say_lock;         /* gives out the places of what is said */
    struct tailer_reader *readers;
    struct {
        tailer_subscriber *call;
        void *user;
    } subscribers[SUBSCRIBERS];
    size_t subscriber_count;
    struct tailer_reader **to_wake; /* the tailer's */
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

static bool tail_read(struct tailer *tailer, struct tail_work *tail)
{
    tail->work = (struct work){ .run = run_tail };
    if (!store_can_read_here(tailer->store))
        return store_read_wait(tailer->store, &tail->work);
    store_read_here(tailer->store, &tail->work);
    return tail->work.err.code == ERR_NONE;
}

static _Atomic int64_t *place_of(struct tailer_reader *reader, bool said)
{
    return said ? &reader->heard : &reader->cursor;
}

static void tell_subscribers(struct tailer *tailer, struct notice *const notices[], size_t count)
{
    pthread_mutex_lock(&tailer->subscribers_lock);
    for (size_t i = 0; i < tailer->subscriber_count; i++)
        tailer->subscribers[i].call(tailer->subscribers[i].user, notices, count);
    pthread_mutex_unlock(&tailer->subscribers_lock);
}

static bool wants_one(const struct tailer_reader *reader, int64_t cursor, struct notice *const notices[],
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (notices[i]->place > cursor && notice_matches(notices[i], &reader->filter))
            return true;
    return false;
}

static void remember_to_wake(struct tailer *tailer, struct tailer_reader *reader, size_t count)
{
    if (count == tailer->to_wake_room) {
        tailer->to_wake_room = tailer->to_wake_room ? tailer->to_wake_room * 2 : 256;
        tailer->to_wake = realloc(tailer->to_wake, tailer->to_wake_room * sizeof(struct tailer_reader *));
        if (!tailer->to_wake)
            abort();
    }
    reader->calls->hold(reader);
    tailer->to_wake[count] = reader;
}

/*
 * A reader that wakes by itself meanwhile may move its cursor too. It only ever passes over events that
 * it has seen, so whoever comes second simply leaves the cursor alone.
 */
static void wake_readers(struct tailer *tailer, struct notice *const notices[], size_t count, bool said)
{
    int64_t last = notices[count - 1]->place;
    size_t waking = 0;

    pthread_mutex_lock(&tailer->lock);
    for (struct tailer_reader *reader = tailer->readers; reader; reader = reader->next) {
        if (!atomic_load(&reader->asleep))
            continue;
        int64_t cursor = atomic_load(place_of(reader, said));

        if (wants_one(reader, cursor, notices, count)) {
            if (atomic_exchange(&reader->asleep, false))
                remember_to_wake(tailer, reader, waking++);
        } else if (cursor < last) {
            atomic_compare_exchange_strong(place_of(reader, said), &cursor, last);
        }
    }
    pthread_mutex_unlock(&tailer->lock);
    for (size_t i = 0; i < waking; i++) {
        tailer->to_wake[i]->calls->wake(tailer->to_wake[i]);
        tailer->to_wake[i]->calls->drop(tailer->to_wake[i]);
    }
}

static void hand_on(struct tailer *tailer, struct tail_work *tail)
{
    struct notice **notices = arena_array(&tail->arena, struct notice *, tail->count);

    /* The ring may let go of a notice before the subscribers have seen it: each has a second holder. */
    for (size_t i = 0; i < tail->count; i++)
        notices[i] = notice_hold(notice_new(&tail->events[i]));
    ring_append(tailer->ring, notices, tail->count);
    tell_subscribers(tailer, notices, tail->count);
    wake_readers(tailer, notices, tail->count, false);
    atomic_fetch_add(&tailer->events, tail->count);
    atomic_fetch_add(&tailer->batches, 1);
    atomic_store(&tailer->handed_on, notices[tail->count - 1]->seq);
    for (size_t i = 0; i < tail->count; i++)
        notice_drop(notices[i]);
}

/* Reads until there is nothing more. False: the store did not answer. */
static bool tail_all(struct tailer *tailer, struct tail_work *tail)
{
    do {
        tail->after = ring_last(tailer->ring);
        if (!tail_read(tailer, tail)) {
            atomic_fetch_add(&tailer->failures, 1);
            return false;
        }
        atomic_store(&tailer->read_at_ms, clock_ticks_ms());
        if (tail->count > 0)
            hand_on(tailer, tail);
    } while (tail->count == TAIL_BATCH && !poke_stopping(&tailer->poke));
    return true;
}

static void tell_words(struct tailer *tailer)
{
    struct notice *notices[SAY_BATCH];
    size_t count;

    while ((count = ring_take(tailer->said, &tailer->told, notices, SAY_BATCH)) > 0) {
        wake_readers(tailer, notices, count, true);
        for (size_t i = 0; i < count; i++)
            notice_drop(notices[i]);
    }
}

/* Whether the log is to be read: somebody said so, or nobody has for a while. */
static bool log_is_due(struct tailer *tailer, bool well)
{
    return atomic_exchange(&tailer->log_poked, false) ||
           clock_ticks_ms() - atomic_load(&tailer->looked_ms) >= (well ? LOOK_EVERY : RETRY_MS);
}

static void *run(void *user)
{
    struct tailer *tailer = user;
    struct tail_work tail = { 0 };
    bool well = true;

    while (poke_wait(&tailer->poke, well ? LOOK_EVERY : RETRY_MS)) {
        bool was_well = well;

        tell_words(tailer);
        if (!log_is_due(tailer, well))
            continue;
        atomic_store(&tailer->looked_ms, clock_ticks_ms());
        well = tail_all(tailer, &tail);
        if (was_well && !well)
            log_line(LOG_WARN, "the event log cannot be read", "why", tail.work.err.text, NULL);
        else if (well && !was_well)
            log_line(LOG_INFO, "the event log can be read again", NULL);
    }
    arena_done(&tail.arena);
    return NULL;
}

struct tailer *tailer_open(struct store *store, struct err *err)
{
    struct tailer *tailer = calloc(1, sizeof(*tailer));
    struct tail_work tail = { .only_last = true };

    if (!tailer)
        abort();
    tailer->store = store;
    if (!tail_read(tailer, &tail)) {
        *err = tail.work.err;
        arena_done(&tail.arena);
        free(tailer);
        return NULL;
    }
    arena_done(&tail.arena);
    tailer->ring = ring_new(tail.after, 0, 0);
    tailer->said = ring_new(0, SAID_WORDS, SAID_BYTES);
    atomic_init(&tailer->handed_on, tail.after);
    atomic_init(&tailer->read_at_ms, clock_ticks_ms());
    pthread_mutex_init(&tailer->lock, NULL);
    pthread_mutex_init(&tailer->subscribers_lock, NULL);
    pthread_mutex_init(&tailer->say_lock, NULL);
    poke_init(&tailer->poke);
    if (pthread_create(&tailer->thread, NULL, run, tailer) != 0)
        abort();
    return tailer;
}

void tailer_stop(struct tailer *tailer)
{
    if (poke_stopping(&tailer->poke))
        return;
    poke_stop(&tailer->poke);
    pthread_join(tailer->thread, NULL);
}

void tailer_close(struct tailer *tailer)
{
    if (!tailer)
        return;
    tailer_stop(tailer);
    poke_done(&tailer->poke);
    pthread_mutex_destroy(&tailer->say_lock);
    pthread_mutex_destroy(&tailer->subscribers_lock);
    pthread_mutex_destroy(&tailer->lock);
    ring_free(tailer->ring);
    ring_free(tailer->said);
    free(tailer->to_wake);
    free(tailer);
}

void tailer_poke(struct tailer *tailer)
{
    atomic_store(&tailer->log_poked, true);
    poke_now(&tailer->poke);
}

void tailer_say(struct tailer *tailer, struct notice *notice)
{
    pthread_mutex_lock(&tailer->say_lock);
    notice->place = ring_last(tailer->said) + 1;
    ring_append(tailer->said, &notice, 1);
    pthread_mutex_unlock(&tailer->say_lock);
    atomic_fetch_add(&tailer->words, 1);
    poke_now(&tailer->poke);
}

bool tailer_heard(struct tailer *tailer)
{
    return atomic_load(&tailer->reader_count) > 0;
}

int64_t tailer_last(struct tailer *tailer)
{
    return ring_last(tailer->ring);
}

bool tailer_settle(struct tailer *tailer, int64_t seq, int timeout_ms)
{
    int64_t until = clock_ticks_ms() + timeout_ms;

    while (atomic_load(&tailer->handed_on) < seq) {
        int64_t left = until - clock_ticks_ms();

        atomic_store(&tailer->log_poked, true);
        if (left <= 0 || !poke_round(&tailer->poke, left))
            return atomic_load(&tailer->handed_on) >= seq;
    }
    return true;
}

void tailer_join(struct tailer *tailer, struct tailer_reader *reader, int64_t cursor)
{
    atomic_store(&reader->asleep, false);
    reader->calls->hold(reader);
    pthread_mutex_lock(&tailer->lock);
    reader->prev = NULL;
    reader->next = tailer->readers;
    if (tailer->readers)
        tailer->readers->prev = reader;
    tailer->readers = reader;
    atomic_store(&reader->cursor, cursor < 0 ? ring_last(tailer->ring) : cursor);
    atomic_store(&reader->heard, ring_last(tailer->said));
    pthread_mutex_unlock(&tailer->lock);
    atomic_fetch_add(&tailer->reader_count, 1);
}

void tailer_leave(struct tailer *tailer, struct tailer_reader *reader)
{
    pthread_mutex_lock(&tailer->lock);
    if (reader->prev)
        reader->prev->next = reader->next;
    else
        tailer->readers = reader->next;
    if (reader->next)
        reader->next->prev = reader->prev;
    pthread_mutex_unlock(&tailer->lock);
    atomic_fetch_sub(&tailer->reader_count, 1);
    reader->calls->drop(reader);
}

/* What was said comes before what the log holds: the text of a turn before its end. */
static enum ring_found next_word(struct tailer *tailer, struct tailer_reader *reader, struct notice **notice)
{
    int64_t seen = atomic_load(&reader->heard), heard = seen;
    enum ring_found found = ring_next(tailer->said, &reader->filter, &heard, notice);

    if (found == RING_LOST) {
        /* Too slow for these: the newest will do. */
        heard = ring_last(tailer->said);
        found = RING_NOTHING;
    }
    if (found == RING_EVENT)
        atomic_store(&reader->heard, heard);
    else
        atomic_compare_exchange_strong(&reader->heard, &seen, heard);
    return found;
}

static enum ring_found next_event(struct tailer *tailer, struct tailer_reader *reader, struct notice **notice)
{
    int64_t seen = atomic_load(&reader->cursor), cursor = seen;
    enum ring_found found = ring_next(tailer->ring, &reader->filter, &cursor, notice);

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
enum ring_found tailer_next(struct tailer *tailer, struct tailer_reader *reader, struct notice **notice)
{
    for (int look = 0;; look++) {
        enum ring_found found = next_word(tailer, reader, notice);

        if (found == RING_NOTHING)
            found = next_event(tailer, reader, notice);
        if (found != RING_NOTHING || look > 0) {
            if (found != RING_NOTHING)
                atomic_store(&reader->asleep, false);
            return found;
        }
        atomic_store(&reader->asleep, true);
    }
}

void tailer_refilter(struct tailer *tailer, struct tailer_reader *reader, const struct notice_filter *filter,
                     int64_t cursor)
{
    pthread_mutex_lock(&tailer->lock);
    atomic_store(&reader->asleep, false);
    reader->filter = *filter;
    if (cursor >= 0)
        atomic_store(&reader->cursor, cursor);
    pthread_mutex_unlock(&tailer->lock);
}

void tailer_subscribe(struct tailer *tailer, tailer_subscriber *subscriber, void *user)
{
    pthread_mutex_lock(&tailer->subscribers_lock);
    if (tailer->subscriber_count == SUBSCRIBERS)
        abort();
    tailer->subscribers[tailer->subscriber_count].call = subscriber;
    tailer->subscribers[tailer->subscriber_count].user = user;
    tailer->subscriber_count++;
    pthread_mutex_unlock(&tailer->subscribers_lock);
}

void tailer_unsubscribe(struct tailer *tailer, void *user)
{
    size_t kept = 0;

    pthread_mutex_lock(&tailer->subscribers_lock);
    for (size_t i = 0; i < tailer->subscriber_count; i++)
        if (tailer->subscribers[i].user != user)
            tailer->subscribers[kept++] = tailer->subscribers[i];
    tailer->subscriber_count = kept;
    pthread_mutex_unlock(&tailer->subscribers_lock);
}

void tailer_stats(struct tailer *tailer, struct tailer_stats *stats)
{
    *stats = (struct tailer_stats){
        .events = atomic_load(&tailer->events),
        .batches = atomic_load(&tailer->batches),
        .failures = atomic_load(&tailer->failures),
        .said = atomic_load(&tailer->words),
        .readers = atomic_load(&tailer->reader_count),
        .last = ring_last(tailer->ring),
        .idle_ms = clock_ticks_ms() - atomic_load(&tailer->read_at_ms),
    };
}
