/*
 * One reader of the log: it catches up from the store, follows the ring, is cut off when it is too slow,
 * and ends when its rights do.
 */
#include "edge/stream.h"

#include "base/limits.h"
#include "db/migrate.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define APPEND \
    "INSERT INTO events(workspace_id, type, project_id, data, created_at)" \
    " VALUES('w', CASE WHEN $1 % 10 = 0 THEN 'job.ended' ELSE 'any' END, 'p' || ($1 % 2), '{\"n\":' || $1 || " \
    "'}', 1)"
#define APPEND_MANY \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)" \
    " INSERT INTO events(workspace_id, type, data, created_at) SELECT 'w', 'any', '{}', 1 FROM n"

static const struct caller local = {
    .kind = CALLER_LOCAL, .role = ROLE_OWNER, .workspace_id = "w", .credential = "local"
};

struct fixture {
    char folder[64], url[96];
    struct store *store;
    struct tailer *tailer;
    struct streams *streams;
    sem_t woken;
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

    memset(&f, 0, sizeof(f));
    sem_init(&f.woken, 0, 0);
    units_folder(f.folder, true);
    snprintf(f.url, sizeof(f.url), "sqlite:%s/db", f.folder);

    struct db *db = db_open(f.url, &err);

    assert_non_null(db);
    assert_true(migrate_up(db, &arena, &report, &err));
    db_close(db);
    f.store = store_open(&(struct store_options){ .url = f.url, .committed = on_commit, .user = &f }, &err);
    assert_non_null(f.store);
    assert_int_equal(unit_write(f.store, 1000, APPEND_MANY), ERR_NONE);
    f.tailer = tailer_open(f.store, &err);
    assert_non_null(f.tailer);
    f.streams = streams_new(f.store, f.tailer, NULL);
    *state = &f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    streams_free(f->streams);
    tailer_stop(f->tailer);
    store_close(f->store);
    tailer_close(f->tailer);
    units_remove(f->folder);
    sem_destroy(&f->woken);
    return 0;
}

static void wake(void *target)
{
    sem_post(target);
}

static struct stream *open_stream(struct fixture *f, struct stream_filter wanted)
{
    struct stream_bounds bounds = { 0 };
    int64_t number;

    assert_int_equal(unit_query(f->store, "SELECT min(seq) FROM events", &number), ERR_NONE);
    bounds.first = number;
    assert_int_equal(unit_query(f->store, "SELECT max(seq) FROM events", &number), ERR_NONE);
    bounds.last = number;

    struct stream *stream = stream_new(f->streams, &local, &wanted, &bounds, false, wake);

    stream_aim(stream, &f->woken);
    return stream;
}

/* The next notice, waiting for it as a door would; NULL when the stream has ended or nothing comes. */
static struct notice *next(struct fixture *f, struct stream *stream)
{
    struct timespec until;
    struct notice *notice = NULL;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_MS / 1000;
    for (;;) {
        switch (stream_next(stream, &notice)) {
        case STREAM_NOTICE: return notice;
        case STREAM_ENDED: return NULL;
        case STREAM_NOTHING: break;
        }
        if (sem_timedwait(&f->woken, &until) != 0)
            return NULL;
    }
}

static void expect_seq(struct fixture *f, struct stream *stream, int64_t seq)
{
    struct notice *notice = next(f, stream);

    assert_non_null(notice);
    assert_int_equal(notice->seq, seq);
    notice_drop(notice);
}

static void expect_word(struct fixture *f, struct stream *stream, const char *type)
{
    struct notice *notice = next(f, stream);

    assert_non_null(notice);
    assert_int_equal(notice->seq, 0);
    assert_non_null(strstr(notice->json, type));
    notice_drop(notice);
}

static void expect_nothing(struct stream *stream)
{
    struct notice *notice;

    assert_int_equal(stream_next(stream, &notice), STREAM_NOTHING);
}

/* Either nothing yet, or already the right one: the store may be quick. */
static void expect_nothing_before(struct stream *stream, int64_t seq)
{
    struct notice *notice;

    if (stream_next(stream, &notice) != STREAM_NOTICE)
        return;
    assert_int_equal(notice->seq, seq);
    notice_drop(notice);
}

static void starts_now_without_a_number(void **state)
{
    struct fixture *f = *state;
    struct stream *stream = open_stream(f, (struct stream_filter){ .after = -1 });

    expect_nothing(stream);
    assert_int_equal(unit_write(f->store, 1, APPEND), ERR_NONE);
    expect_seq(f, stream, 1001);
    expect_nothing(stream);
    stream_close(stream);
}

/* Pages from the store, then the ring, while events keep coming: nothing is missed and nothing comes twice.
 */
static void catches_up_and_goes_on(void **state)
{
    struct fixture *f = *state;
    struct stream *stream = open_stream(f, (struct stream_filter){ .after = 0 });

    for (int64_t seq = 1; seq <= 1000; seq++) {
        expect_seq(f, stream, seq);
        if (seq % 50 == 0)
            assert_int_equal(unit_write(f->store, seq, APPEND), ERR_NONE);
    }
    for (int64_t seq = 1001; seq <= 1020; seq++)
        expect_seq(f, stream, seq);
    assert_int_equal(unit_write(f->store, 1, APPEND), ERR_NONE);
    expect_seq(f, stream, 1021);
    stream_close(stream);
}

static void filters_hold_while_catching_up_and_after(void **state)
{
    struct fixture *f = *state;
    struct stream *stream;

    for (int64_t i = 1; i <= 40; i++)
        assert_int_equal(unit_write(f->store, i, APPEND), ERR_NONE);
    stream = open_stream(
        f, (struct stream_filter){ .after = 0, .types = "job.ended,job.log", .project_id = "p0" });
    for (int64_t i = 10; i <= 40; i += 10)
        expect_seq(f, stream, 1000 + i);
    for (int64_t i = 41; i <= 50; i++)
        assert_int_equal(unit_write(f->store, i, APPEND), ERR_NONE);
    expect_seq(f, stream, 1050);
    stream_close(stream);
}

static void a_reader_too_far_behind_is_cut_off(void **state)
{
    struct fixture *f = *state;
    struct stream *slow = open_stream(f, (struct stream_filter){ .after = -1 });
    struct stream *narrow = open_stream(f, (struct stream_filter){ .after = -1, .types = "job.ended" });

    expect_nothing(slow);
    expect_nothing(narrow);
    assert_int_equal(unit_write(f->store, RING_EVENTS + 1, APPEND_MANY), ERR_NONE);
    assert_true(tailer_settle(f->tailer, 1000 + RING_EVENTS + 1, PATIENCE_MS));
    expect_word(f, slow, "stream.cut");
    assert_null(next(f, slow));
    /* One that wanted none of it is not behind. */
    assert_int_equal(unit_write(f->store, 10, APPEND), ERR_NONE);
    expect_seq(f, narrow, 1000 + RING_EVENTS + 2);
    stream_close(slow);
    stream_close(narrow);

    /* Whoever was cut off comes back with its number and gets all of it. */
    slow = open_stream(f, (struct stream_filter){ .after = 1000 });
    for (int64_t seq = 1001; seq <= 1000 + RING_EVENTS + 2; seq++)
        expect_seq(f, slow, seq);
    stream_close(slow);
}

static void a_store_that_fails_is_not_quoted(void **state)
{
    struct fixture *f = *state;
    struct stream *stream = open_stream(f, (struct stream_filter){ .after = 0 });

    assert_int_equal(unit_write(f->store, 1, "DROP TABLE events"), ERR_NONE);

    struct notice *notice = next(f, stream);

    assert_non_null(notice);
    assert_non_null(strstr(notice->json, "stream.cut"));
    assert_null(strstr(notice->json, "events"));
    notice_drop(notice);
    assert_null(next(f, stream));
    stream_close(stream);
}

static void what_is_forgotten_is_said(void **state)
{
    struct fixture *f = *state;
    struct stream *stream;

    assert_int_equal(unit_write(f->store, 500, "DELETE FROM events WHERE seq <= $1"), ERR_NONE);
    stream = open_stream(f, (struct stream_filter){ .after = 400 });
    expect_word(f, stream, "\"type\":\"stream.gap\"");
    expect_seq(f, stream, 501);
    stream_close(stream);
    stream = open_stream(f, (struct stream_filter){ .after = 500 });
    expect_seq(f, stream, 501);
    stream_close(stream);
    stream = open_stream(f, (struct stream_filter){ .after = 5000 });
    expect_word(f, stream, "\"type\":\"stream.gap\"");
    assert_int_equal(unit_write(f->store, 1, APPEND), ERR_NONE);
    expect_seq(f, stream, 1001);
    stream_close(stream);
}

static void a_change_of_place_is_followed(void **state)
{
    struct fixture *f = *state;
    struct stream *stream = open_stream(f, (struct stream_filter){ .after = 100 });

    expect_seq(f, stream, 101);
    stream_change(stream, &(struct stream_filter){ .after = 50 });
    expect_seq(f, stream, 51);
    expect_seq(f, stream, 52);
    /* The page that is on its way from the store was asked for at another place. */
    stream_change(stream, &(struct stream_filter){ .after = 400 });
    expect_nothing_before(stream, 401);
    stream_change(stream, &(struct stream_filter){ .after = 10 });
    expect_seq(f, stream, 11);
    stream_change(stream, &(struct stream_filter){ .after = -1, .types = "job.ended" });
    assert_int_equal(unit_write(f->store, 10, APPEND), ERR_NONE);
    expect_seq(f, stream, 1001);
    stream_close(stream);
}

static void the_first_last_word_counts(void **state)
{
    struct fixture *f = *state;
    struct stream *stream = open_stream(f, (struct stream_filter){ .after = -1 });

    stream_end(stream, EVENT_SERVER_STOPPING, "first");
    stream_end(stream, EVENT_STREAM_ENDED, "second");
    expect_word(f, stream, "\"reason\":\"first\"");
    assert_null(next(f, stream));
    stream_close(stream);
    assert_int_equal(streams_count(f->streams), 0);
}

static void wishes_are_checked(void **state)
{
    struct stream_filter wanted = { 0 };
    struct err err = { 0 };
    char types[512] = "status";

    (void)state;
    assert_true(stream_filter_check(&wanted, NULL, &err));
    assert_int_equal(wanted.after, -1);
    assert_true(stream_filter_check(&wanted, "17", &err));
    assert_int_equal(wanted.after, 17);
    assert_false(stream_filter_check(&wanted, "-2", &err));
    assert_false(stream_filter_check(&wanted, "x", &err));
    assert_string_equal(err.field, "after");
    for (int i = 0; i < LIMIT_TYPES_FILTER; i++)
        strcat(types, ",status");
    wanted.types = types;
    assert_false(stream_filter_check(&wanted, NULL, &err));
    assert_string_equal(err.field, "types");
    wanted.types = "status, prompt.created,";
    assert_true(stream_filter_check(&wanted, NULL, &err));
    wanted.types = "status,prompt.create";
    assert_false(stream_filter_check(&wanted, NULL, &err));
    assert_string_equal(err.field, "types");
    assert_non_null(strstr(err.hint, "prompt.created"));
    wanted.types = "server.stopping";
    assert_false(stream_filter_check(&wanted, NULL, &err));
}

#define ON_A_STORE(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_STORE(starts_now_without_a_number),
        ON_A_STORE(catches_up_and_goes_on),
        ON_A_STORE(filters_hold_while_catching_up_and_after),
        ON_A_STORE(a_reader_too_far_behind_is_cut_off),
        ON_A_STORE(a_store_that_fails_is_not_quoted),
        ON_A_STORE(what_is_forgotten_is_said),
        ON_A_STORE(a_change_of_place_is_followed),
        ON_A_STORE(the_first_last_word_counts),
        cmocka_unit_test(wishes_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
