/*
 * Nobody starves in the store: heavy reads have threads of their own, callers are served in turn, what has
 * waited too long is told so, and readers that are always busy do not let SQLite's log grow without end.
 */
#include "db/store.h"

#include "base/clock.h"
#include "base/limits.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    char folder[64], url[256];
    struct store_options options;
    struct store *store;
    sem_t gate, reached;
    atomic_int order;
};

static struct fixture f;

static void open_store(void)
{
    struct err err = { 0 };

    f.options.url = f.url;
    f.store = store_open(&f.options, &err);
    if (!f.store)
        fail_msg("%s", err.text);
    sem_init(&f.gate, 0, 0);
    sem_init(&f.reached, 0, 0);
}

static int start_sqlite(void **state)
{
    (void)state;
    f = (struct fixture){ .options = { .readers = 2 } };
    units_folder(f.folder, false);
    snprintf(f.url, sizeof(f.url), "sqlite:%s/db", f.folder);
    units_script(f.url, "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)");
    return 0;
}

static int start_postgres(void **state)
{
    (void)state;
    f = (struct fixture){ .options = { .workers = 2 } };
    if (units_postgres("fairness", f.url))
        units_script(f.url, "CREATE TABLE t(id BIGINT PRIMARY KEY, body TEXT)");
    return 0;
}

static int end(void **state)
{
    (void)state;
    if (f.store) {
        store_close(f.store);
        sem_destroy(&f.gate);
        sem_destroy(&f.reached);
    }
    if (f.folder[0])
        units_remove(f.folder);
    return 0;
}

#define ON_BOTH(test) \
    { #test " on SQLite", test, start_sqlite, end, NULL }, \
    { \
#test " on PostgreSQL", test, start_postgres, end, NULL \
    }

static bool stay(struct db *db, struct unit *unit)
{
    (void)db;
    (void)unit;
    sem_post(&f.reached);
    while (sem_wait(&f.gate) != 0)
        continue;
    return true;
}

/* Says as which one it was run. */
static bool take_number(struct db *db, struct unit *unit)
{
    (void)db;
    unit->number = atomic_fetch_add(&f.order, 1);
    return true;
}

enum way { LIGHT_READ, HEAVY_READ, WRITE, COMPUTE };

static void hand_in(struct unit *unit, uint64_t caller, bool (*body)(struct db *, struct unit *),
                    enum way way)
{
    bool (*put)(struct store *, struct work *, struct err *) = way == WRITE     ? store_write
                                                               : way == COMPUTE ? store_compute
                                                                                : store_read;
    struct err err = { 0 };

    unit_init(unit, 0, NULL);
    unit->body = body;
    unit->work.caller = caller;
    unit->work.heavy = way == HEAVY_READ;
    if (!put(f.store, &unit->work, &err))
        fail_msg("%s", err.text);
}

/* The same until it stays: where nothing waits for long, it may be told off before a thread has come to it.
 */
static void hold(struct unit *unit, enum way way)
{
    for (hand_in(unit, 1, stay, way); sem_trywait(&f.reached) != 0; usleep(1000)) {
        if (sem_trywait(&unit->finished) != 0)
            continue;
        assert_int_equal(unit->work.err.code, ERR_UNAVAILABLE);
        unit_done(unit);
        hand_in(unit, 1, stay, way);
    }
}

static enum err_code outcome(struct unit *unit)
{
    unit_wait(unit);
    unit_done(unit);
    return unit->work.err.code;
}

#define MANY 50

static void a_light_read_does_not_wait_behind_heavy_ones(void **state)
{
    static struct unit heavy[MANY];
    struct unit light;

    (void)state;
    if (!f.url[0])
        skip();
    f.options.wait_ms = 60000;
    open_store();
    for (int i = 0; i < MANY; i++)
        hand_in(&heavy[i], 1, stay, HEAVY_READ);
    while (sem_wait(&f.reached) != 0)
        continue;
    hand_in(&light, 1, take_number, LIGHT_READ);
    assert_int_equal(outcome(&light), ERR_NONE); /* while all heavy ones still wait or stay */
    for (int i = 0; i < MANY; i++)
        sem_post(&f.gate);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(outcome(&heavy[i]), ERR_NONE);
}

#define CROWD 400

/* Everything that could serve is busy; behind it one caller has much waiting, another one unit. */
static void check_turns(enum way way)
{
    static struct unit busy[2], mine[CROWD];
    struct unit other;
    int threads = way == WRITE && f.folder[0] ? 1 : 2;

    f.options.wait_ms = 60000;
    open_store();
    for (int i = 0; i < threads; i++)
        hand_in(&busy[i], 0, stay, way);
    for (int i = 0; i < threads; i++)
        while (sem_wait(&f.reached) != 0)
            continue;
    for (int i = 0; i < CROWD; i++)
        hand_in(&mine[i], 7, take_number, way);
    hand_in(&other, 8, take_number, way);
    for (int i = 0; i < threads; i++)
        sem_post(&f.gate);
    assert_int_equal(outcome(&other), ERR_NONE);
    /* Served in the order of arrival it would be the last. A thread that has taken it may be held up before
     * it runs it, while the other one goes on. */
    assert_in_range(other.number, 0, CROWD / 2);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(outcome(&mine[i]), ERR_NONE);
    for (int i = 0; i < threads; i++)
        assert_int_equal(outcome(&busy[i]), ERR_NONE);
}

static void reads_of_different_callers_take_turns(void **state)
{
    (void)state;
    if (!f.url[0])
        skip();
    check_turns(LIGHT_READ);
}

static void writes_of_different_callers_take_turns(void **state)
{
    (void)state;
    if (!f.url[0])
        skip();
    check_turns(WRITE);
}

static void check_patience(enum way way)
{
    static struct unit busy[COMPUTE_THREADS > 2 ? COMPUTE_THREADS : 2];
    struct unit late;
    int threads = way == COMPUTE                                       ? COMPUTE_THREADS
                  : way == HEAVY_READ || (way == WRITE && f.folder[0]) ? 1
                                                                       : 2;

    f.options.wait_ms = 800;
    open_store();
    for (int i = 0; i < threads; i++)
        hold(&busy[i], way);
    hand_in(&late, 2, take_number, way);
    assert_int_equal(outcome(&late), ERR_UNAVAILABLE); /* although nothing became free */
    assert_in_range(late.work.err.retry_after_s, 1, 60);
    assert_int_equal(late.runs, 0);
    for (int i = 0; i < threads; i++)
        sem_post(&f.gate);
    for (int i = 0; i < threads; i++)
        assert_int_equal(outcome(&busy[i]), ERR_NONE);
}

static void a_read_that_waited_too_long_is_told_so(void **state)
{
    (void)state;
    if (!f.url[0])
        skip();
    check_patience(LIGHT_READ);
}

static void a_heavy_read_that_waited_too_long_is_told_so(void **state)
{
    (void)state;
    if (!f.url[0])
        skip();
    check_patience(HEAVY_READ);
}

static void a_write_that_waited_too_long_is_told_so(void **state)
{
    (void)state;
    if (!f.url[0])
        skip();
    check_patience(WRITE);
}

static void computing_that_waited_too_long_is_told_so(void **state)
{
    (void)state;
    check_patience(COMPUTE);
}

/* SQLite's log beside readers that are always busy. */

#define CEILING    (24 * MB)
#define LEFT_ALONE (5 * CEILING) /* what is written, and would all stand in the log */

static off_t wal_size(void)
{
    char path[96];
    struct stat file;

    snprintf(path, sizeof(path), "%s/db-wal", f.folder);
    return stat(path, &file) == 0 ? file.st_size : 0;
}

struct reading {
    pthread_t thread;
    const char *sql;
    atomic_bool *stop;
    int64_t good, ended;
};

static void *read_on(void *user)
{
    struct reading *reading = user;
    int64_t number;

    while (!atomic_load(reading->stop)) {
        enum err_code code = unit_query(f.store, reading->sql, &number);

        if (code == ERR_NONE)
            reading->good++;
        else if (code == ERR_UNAVAILABLE)
            reading->ended++;
        else
            break;
    }
    return NULL;
}

/* Writes `bytes` in large rows, beside the readings; returns the largest size that the log had. */
static off_t write_beside(struct reading *readings, int count, int64_t bytes)
{
    const char *row = "INSERT INTO t VALUES($1, hex(zeroblob(400000)))"; /* 800 KB */
    atomic_bool stop = false;
    off_t most = 0;

    for (int i = 0; i < count; i++) {
        readings[i].stop = &stop;
        assert_int_equal(pthread_create(&readings[i].thread, NULL, read_on, &readings[i]), 0);
    }
    for (int64_t id = 1; id <= bytes / 800000; id++) {
        assert_int_equal(unit_write(f.store, id, row), ERR_NONE);
        if (wal_size() > most)
            most = wal_size();
    }
    atomic_store(&stop, true);
    for (int i = 0; i < count; i++)
        pthread_join(readings[i].thread, NULL);
    return most;
}

#define COUNT_TO "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "

static void the_log_is_emptied_beside_readers_that_overlap(void **state)
{
    struct reading readings[4];

    (void)state;
    /* Each holds on to the log for some milliseconds, and four on two threads leave no gap. */
    for (int i = 0; i < 4; i++)
        readings[i] =
            (struct reading){ .sql = COUNT_TO "20000) SELECT COUNT(*) FROM n, (SELECT COUNT(*) FROM t)" };
    f.options.wal_bytes = CEILING;
    open_store();
    off_t most = write_beside(readings, 4, LEFT_ALONE);

    if (most > LEFT_ALONE - CEILING)
        fail_msg("the log grew to %ld MB", (long)(most / MB));
    for (int i = 0; i < 4; i++)
        assert_true(readings[i].good > 0);
    assert_int_equal(unit_query(f.store, "SELECT COUNT(*) FROM t", &readings[0].good), ERR_NONE);
    assert_int_equal(readings[0].good, LEFT_ALONE / 800000);
}

static void reads_that_take_too_long_for_that_are_ended(void **state)
{
    struct reading readings[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        readings[i] = (struct reading){ .sql = COUNT_TO
                                        "2000000000) SELECT COUNT(*) FROM n, (SELECT COUNT(*) FROM t)" };
    f.options.wal_bytes = CEILING;
    open_store();
    int64_t began_ms = clock_ticks_ms();
    off_t most = write_beside(readings, 2, LEFT_ALONE);
    int64_t took_ms = clock_ticks_ms() - began_ms;

    if (most > LEFT_ALONE - CEILING)
        fail_msg("the log grew to %ld MB", (long)(most / MB));
    /* Either they were ended for it, or the machine is so slow that they came to their own end. */
    assert_true(readings[0].ended + readings[1].ended > 0 || took_ms > READ_LIMIT_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(a_light_read_does_not_wait_behind_heavy_ones),
        ON_BOTH(reads_of_different_callers_take_turns),
        ON_BOTH(writes_of_different_callers_take_turns),
        ON_BOTH(a_read_that_waited_too_long_is_told_so),
        ON_BOTH(a_heavy_read_that_waited_too_long_is_told_so),
        ON_BOTH(a_write_that_waited_too_long_is_told_so),
        cmocka_unit_test_setup_teardown(computing_that_waited_too_long_is_told_so, start_sqlite, end),
        cmocka_unit_test_setup_teardown(the_log_is_emptied_beside_readers_that_overlap, start_sqlite, end),
        cmocka_unit_test_setup_teardown(reads_that_take_too_long_for_that_are_ended, start_sqlite, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
