/*
 * The tailer on a real store: every reader hears everything it wants, once and in order, and no sleep
 * outlasts an event.
 */
#include "engine/tailer.h"

#include "base/clock.h"
#include "base/limits.h"
#include "db/migrate.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define APPEND \
    "INSERT INTO events(workspace_id, type, subject, data, created_at)" \
    " VALUES('w', CASE WHEN $1 % 10 = 0 THEN 'job.ended' ELSE 'any' END, 's' || $1, '{}', 1)"
#define EVENTS 500

struct fixture {
    char folder[64], url[96];
    struct store *store;
    struct tailer *tailer;
};

static void on_commit(void *user)
{
    struct fixture *f = user;

    if (f->tailer)
        tailer_poke(f->tailer);
}

static int start(void **state)
{
    static struct fixture f;
    ARENA_AUTO arena = { 0 };
    struct migrate_report report;
    struct err err = { 0 };

    f = (struct fixture){ 0 };
    units_folder(f.folder, false);
    snprintf(f.url, sizeof(f.url), "sqlite:%s/db", f.folder);

    struct db *db = db_open(f.url, &err);

    assert_non_null(db);
    assert_true(migrate_up(db, &arena, &report, &err));
    db_close(db);
    f.store = store_open(&(struct store_options){ .url = f.url, .committed = on_commit, .user = &f }, &err);
    assert_non_null(f.store);
    assert_int_equal(unit_write(f.store, 1, APPEND), ERR_NONE);
    f.tailer = tailer_open(f.store, &err);
    assert_non_null(f.tailer);
    *state = &f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    tailer_stop(f->tailer);
    store_close(f->store);
    tailer_close(f->tailer);
    units_remove(f->folder);
    return 0;
}

struct reader {
    struct tailer_reader base;
    atomic_int holders;
    sem_t woken;
    struct tailer *tailer;
    atomic_int heard, wakes;
    int64_t last;
    int expected;
};

static void reader_hold(struct tailer_reader *base)
{
    atomic_fetch_add(&((struct reader *)base)->holders, 1);
}

static void reader_drop(struct tailer_reader *base)
{
    atomic_fetch_sub(&((struct reader *)base)->holders, 1);
}

static void reader_wake(struct tailer_reader *base)
{
    struct reader *reader = (struct reader *)base;

    atomic_fetch_add(&reader->wakes, 1);
    sem_post(&reader->woken);
}

static const struct tailer_reader_calls calls = { reader_hold, reader_drop, reader_wake };

static void reader_start(struct reader *reader, struct tailer *tailer, const enum event_type *types,
                         int64_t cursor)
{
    memset(reader, 0, sizeof(*reader));
    reader->base.calls = &calls;
    reader->base.filter = (struct notice_filter){ .workspace_id = "w", .types = types };
    reader->tailer = tailer;
    sem_init(&reader->woken, 0, 0);
    tailer_join(tailer, &reader->base, cursor);
}

static void reader_end(struct reader *reader)
{
    tailer_leave(reader->tailer, &reader->base);
    /* The tailer may be waking it this very moment. */
    for (int i = 0; i < PATIENCE_MS && atomic_load(&reader->holders) > 0; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    assert_int_equal(atomic_load(&reader->holders), 0);
    sem_destroy(&reader->woken);
}

static bool sleep_until_woken(struct reader *reader)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_MS / 1000;
    return sem_timedwait(&reader->woken, &until) == 0;
}

static void *run_reader(void *user)
{
    struct reader *reader = user;

    while (atomic_load(&reader->heard) < reader->expected) {
        struct notice *notice;
        enum ring_found found = tailer_next(reader->tailer, &reader->base, &notice);

        if (found == RING_NOTHING && sleep_until_woken(reader))
            continue;
        if (found != RING_EVENT)
            break;
        if (notice->seq <= reader->last)
            break;
        reader->last = notice->seq;
        notice_drop(notice);
        atomic_fetch_add(&reader->heard, 1);
    }
    return NULL;
}

static void every_reader_hears_everything_once(void **state)
{
    static const enum event_type tenth[] = { EVENT_JOB_ENDED, EVENT_UNKNOWN };
    struct fixture *f = *state;
    struct reader readers[8];
    pthread_t threads[8];

    for (size_t i = 0; i < 8; i++) {
        reader_start(&readers[i], f->tailer, i % 2 ? tenth : NULL, -1);
        readers[i].expected = i % 2 ? EVENTS / 10 : EVENTS;
        assert_int_equal(pthread_create(&threads[i], NULL, run_reader, &readers[i]), 0);
    }
    for (int64_t i = 1; i <= EVENTS; i++)
        assert_int_equal(unit_write(f->store, i, APPEND), ERR_NONE);
    for (size_t i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&readers[i].heard), readers[i].expected);
        reader_end(&readers[i]);
    }
}

static void a_sleeper_is_moved_past_what_it_does_not_want(void **state)
{
    static const enum event_type none[] = { EVENT_ALERT, EVENT_UNKNOWN };
    struct fixture *f = *state;
    struct reader reader;
    struct notice *notice;

    reader_start(&reader, f->tailer, none, -1);
    assert_int_equal(tailer_next(f->tailer, &reader.base, &notice), RING_NOTHING);
    for (int64_t i = 1; i <= 20; i++)
        assert_int_equal(unit_write(f->store, i, APPEND), ERR_NONE);
    assert_true(tailer_settle(f->tailer, 21, PATIENCE_MS));
    assert_int_equal(atomic_load(&reader.wakes), 0);
    assert_int_equal(atomic_load(&reader.base.cursor), 21);
    reader_end(&reader);
}

/* One wake for a batch: a reader that has been woken and has not looked yet is left alone. */
static void a_reader_that_does_not_look_is_woken_once(void **state)
{
    struct fixture *f = *state;
    struct reader reader;
    struct notice *notice;

    reader_start(&reader, f->tailer, NULL, -1);
    assert_int_equal(tailer_next(f->tailer, &reader.base, &notice), RING_NOTHING);
    for (int64_t i = 1; i <= 20; i++)
        assert_int_equal(unit_write(f->store, i, APPEND), ERR_NONE);
    assert_true(tailer_settle(f->tailer, 21, PATIENCE_MS));
    assert_int_equal(atomic_load(&reader.wakes), 1);
    reader_end(&reader);
}

static void a_place_before_the_start_is_lost_here(void **state)
{
    struct fixture *f = *state;
    struct reader reader;
    struct notice *notice;

    reader_start(&reader, f->tailer, NULL, 0);
    assert_int_equal(tailer_next(f->tailer, &reader.base, &notice), RING_LOST);
    reader_end(&reader);
}

struct ear {
    atomic_int heard;
    char last[32];
};

static void listen(void *user, struct notice *const notices[], size_t count)
{
    struct ear *ear = user;

    snprintf(ear->last, sizeof(ear->last), "%s", notices[count - 1]->subject);
    atomic_fetch_add(&ear->heard, (int)count);
}

static void listeners_hear_of_every_subject(void **state)
{
    struct fixture *f = *state;
    struct ear ear = { 0 };

    tailer_subscribe(f->tailer, listen, &ear);
    for (int64_t i = 1; i <= 30; i++)
        assert_int_equal(unit_write(f->store, i, APPEND), ERR_NONE);
    assert_true(tailer_settle(f->tailer, 31, PATIENCE_MS));
    assert_int_equal(atomic_load(&ear.heard), 30);
    assert_string_equal(ear.last, "s30");
    tailer_unsubscribe(f->tailer, &ear);
    assert_int_equal(unit_write(f->store, 31, APPEND), ERR_NONE);
    assert_true(tailer_settle(f->tailer, 32, PATIENCE_MS));
    assert_int_equal(atomic_load(&ear.heard), 30);
}

/* Another program writes with plain SQL: nobody pokes, and it is heard within about a second. */
static void what_others_write_is_noticed(void **state)
{
    struct fixture *f = *state;
    struct reader reader;
    struct notice *notice;

    reader_start(&reader, f->tailer, NULL, -1);
    assert_int_equal(tailer_next(f->tailer, &reader.base, &notice), RING_NOTHING);
    units_script(f->url,
                 "INSERT INTO events(workspace_id, type, data, created_at) VALUES('w', 'sql', '{}', 1)");
    assert_true(sleep_until_woken(&reader));
    assert_int_equal(tailer_next(f->tailer, &reader.base, &notice), RING_EVENT);
    assert_int_equal(notice->type, EVENT_UNKNOWN);
    assert_non_null(strstr(notice->json, "\"type\":\"sql\""));
    notice_drop(notice);
    reader_end(&reader);
}

static void say(struct tailer *tailer, const char *discussion, int number)
{
    char data[32];
    struct event event = {
        .workspace_id = "w", .type = EVENT_DISCUSSION_MESSAGE, .discussion_id = discussion, .data = data
    };

    snprintf(data, sizeof(data), "{\"number\":%d}", number);
    tailer_say(tailer, notice_new(&event));
}

static enum ring_found next_of(struct fixture *f, struct reader *reader, char *frame, size_t size)
{
    struct notice *notice;
    enum ring_found found = tailer_next(f->tailer, &reader->base, &notice);

    frame[0] = '\0';
    if (found == RING_EVENT) {
        snprintf(frame, size, "%s", notice->frame);
        notice_drop(notice);
    }
    return found;
}

static void what_is_said_is_heard_without_a_number_by_those_who_want_it(void **state)
{
    struct fixture *f = *state;
    struct reader reader, other;
    char frame[256];

    reader_start(&reader, f->tailer, NULL, -1);
    reader_start(&other, f->tailer, NULL, -1);
    other.base.filter.discussion_id = "d2";
    assert_int_equal(next_of(f, &reader, frame, sizeof(frame)), RING_NOTHING);
    assert_int_equal(next_of(f, &other, frame, sizeof(frame)), RING_NOTHING);
    say(f->tailer, "d1", 1);
    assert_true(sleep_until_woken(&reader));
    assert_int_equal(next_of(f, &reader, frame, sizeof(frame)), RING_EVENT);
    assert_non_null(strstr(frame, "\"number\":1}"));
    assert_memory_equal(frame, "data: ", 6);
    assert_int_equal(next_of(f, &reader, frame, sizeof(frame)), RING_NOTHING);
    assert_int_equal(next_of(f, &other, frame, sizeof(frame)), RING_NOTHING);
    assert_int_equal(atomic_load(&other.wakes), 0);
    reader_end(&reader);
    reader_end(&other);
}

/* Text comes before the event that ends it, although both wait when the reader looks. */
static void what_was_said_comes_before_what_the_log_holds(void **state)
{
    struct fixture *f = *state;
    struct reader reader;
    char frame[256];

    reader_start(&reader, f->tailer, NULL, -1);
    say(f->tailer, NULL, 1);
    assert_int_equal(unit_write(f->store, 1, APPEND), ERR_NONE);
    assert_true(tailer_settle(f->tailer, 2, PATIENCE_MS));
    assert_int_equal(next_of(f, &reader, frame, sizeof(frame)), RING_EVENT);
    assert_non_null(strstr(frame, "discussion.message"));
    assert_int_equal(next_of(f, &reader, frame, sizeof(frame)), RING_EVENT);
    assert_memory_equal(frame, "id: 2", 5);
    reader_end(&reader);
}

/* It misses what nobody could keep for it, and hears what is said from then on, and all events. */
static void a_slow_reader_misses_words_and_no_events(void **state)
{
    struct fixture *f = *state;
    struct reader reader;
    char frame[256];

    reader_start(&reader, f->tailer, NULL, -1);
    for (int i = 0; i <= SAID_WORDS; i++)
        say(f->tailer, NULL, i);
    assert_int_equal(unit_write(f->store, 1, APPEND), ERR_NONE);
    assert_true(tailer_settle(f->tailer, 2, PATIENCE_MS));
    assert_int_equal(next_of(f, &reader, frame, sizeof(frame)), RING_EVENT);
    assert_memory_equal(frame, "id: 2", 5);
    say(f->tailer, NULL, 7);
    assert_int_equal(next_of(f, &reader, frame, sizeof(frame)), RING_EVENT);
    assert_non_null(strstr(frame, "\"number\":7}"));
    reader_end(&reader);
}

#define ON_A_STORE(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_STORE(every_reader_hears_everything_once),
        ON_A_STORE(a_sleeper_is_moved_past_what_it_does_not_want),
        ON_A_STORE(a_reader_that_does_not_look_is_woken_once),
        ON_A_STORE(a_place_before_the_start_is_lost_here),
        ON_A_STORE(listeners_hear_of_every_subject),
        ON_A_STORE(what_others_write_is_noticed),
        ON_A_STORE(what_is_said_is_heard_without_a_number_by_those_who_want_it),
        ON_A_STORE(what_was_said_comes_before_what_the_log_holds),
        ON_A_STORE(a_slow_reader_misses_words_and_no_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
