/*
 * The store on PostgreSQL: units run again when the server asks for it, connections come back by
 * themselves, and what is not known to have happened is not called a success or a failure. Needs
 * WITAN_TEST_PG (see tests/pg).
 */
#include "db/store.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SCHEMA \
    "CREATE TABLE t(id BIGINT PRIMARY KEY, n BIGINT NOT NULL DEFAULT 0 CHECK (n >= 0));" \
    "INSERT INTO t VALUES(1), (2);" \
    "CREATE TABLE deadly(id BIGINT PRIMARY KEY);" \
    "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN" \
    " PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;" \
    "CREATE CONSTRAINT TRIGGER die AFTER INSERT ON deadly DEFERRABLE INITIALLY DEFERRED" \
    " FOR EACH ROW EXECUTE FUNCTION die();"

#define INSERT "INSERT INTO t VALUES($1)"
#define COUNT  "SELECT count(*) FROM t"

struct fixture {
    char url[256];
    struct store_options options;
    struct store *store;
    atomic_int commits;
};

static void on_commit(void *user)
{
    atomic_fetch_add(&((struct fixture *)user)->commits, 1);
}

static struct fixture *fixture_with(int workers, int64_t wait_ms)
{
    static struct fixture f;
    struct err err = { 0 };

    f = (struct fixture){ 0 };
    if (!units_postgres("witan_pool", f.url))
        skip();
    units_script(f.url, SCHEMA);
    f.options = (struct store_options){
        .url = f.url, .workers = workers, .committed = on_commit, .user = &f, .wait_ms = wait_ms
    };
    f.store = store_open(&f.options, &err);
    if (!f.store)
        fail_msg("%s", err.text);
    return &f;
}

static struct fixture *fixture_new(int workers)
{
    return fixture_with(workers, PATIENCE_MS);
}

static void fixture_free(struct fixture *f)
{
    store_close(f->store);
}

static void run(struct fixture *f, struct unit *unit, bool (*body)(struct db *, struct unit *))
{
    unit_init(unit, 0, NULL);
    unit->body = body;
    unit->user = f;
    store_write_wait(f->store, &unit->work);
    unit_done(unit);
}

static bool text(struct db *db, struct unit *unit, const char *sql)
{
    struct db_rows rows;

    return db_query_text(db, &unit->arena, sql, DB_NO_ARGS, &rows, &unit->work.err);
}

static void test_sleep(long ms)
{
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

static void several_run_side_by_side(void **state)
{
    struct fixture *f = fixture_new(4);
    struct unit units[4];
    struct work *works[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        unit_init(&units[i], 10 + i, INSERT);
        works[i] = &units[i].work;
    }
    assert_true(store_write_wait_all(f->store, works, 4));
    assert_int_equal(units_number(f->url, COUNT), 6);
    units[1].id = 20;
    assert_false(store_write_wait_all(f->store, works, 2));
    assert_int_equal(units[0].work.err.code, ERR_CONFLICT);
    assert_int_equal(units[1].work.err.code, ERR_NONE);
    assert_int_equal(units_number(f->url, COUNT), 7);
    for (int i = 0; i < 4; i++)
        unit_done(&units[i]);
    fixture_free(f);
}

static void units_commit_or_are_undone(void **state)
{
    struct fixture *f = fixture_new(4);
    struct unit unit;
    int64_t count;

    (void)state;
    assert_int_equal(store_engine(f->store), DB_POSTGRES);
    assert_false(store_can_read_here(f->store));
    assert_int_equal(unit_write(f->store, 10, INSERT), ERR_NONE);
    assert_int_equal(atomic_load(&f->commits), 1);
    assert_int_equal(unit_write(f->store, 10, INSERT), ERR_CONFLICT);
    unit_init(&unit, 11, INSERT);
    unit.sql[1] = "UPDATE t SET n = -1 WHERE id = $1";
    store_write_wait(f->store, &unit.work);
    unit_done(&unit);
    assert_int_equal(unit.work.err.code, ERR_INVALID);
    assert_int_equal(atomic_load(&f->commits), 1);
    assert_int_equal(unit_query(f->store, COUNT, &count), ERR_NONE);
    assert_int_equal(count, 3);
    assert_int_equal(unit_query(f->store, "INSERT INTO t VALUES(12) RETURNING id", &count), ERR_INTERNAL);
    assert_int_equal(units_number(f->url, COUNT), 3);
    fixture_free(f);
}

/* It hides the error, as careless code would. */
static bool fail_three_times(struct db *db, struct unit *unit)
{
    if (!text(db, unit, "INSERT INTO t VALUES(20)"))
        return false;
    if (unit->runs <= 3)
        (void)!text(db, unit, "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
    return true;
}

static bool fail_always(struct db *db, struct unit *unit)
{
    return text(db, unit, "INSERT INTO t VALUES(21)") &&
           text(db, unit, "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
}

static void serialisation_failures_run_again(void **state)
{
    struct fixture *f = fixture_new(2);
    struct unit unit;

    (void)state;
    run(f, &unit, fail_three_times);
    assert_int_equal(unit.work.err.code, ERR_NONE);
    assert_int_equal(unit.runs, 4);
    run(f, &unit, fail_always);
    assert_int_equal(unit.work.err.code, ERR_UNAVAILABLE);
    assert_int_equal(unit.runs, 1 + POOL_RETRIES);
    assert_int_equal(units_number(f->url, "SELECT count(*) FROM t WHERE id = 20"), 1);
    assert_int_equal(units_number(f->url, "SELECT count(*) FROM t WHERE id = 21"), 0);
    fixture_free(f);
}

struct crossing {
    struct unit unit;
    struct fixture *f;
    pthread_barrier_t *both;
};

/* Two of these lock the same rows in opposite order; the barrier makes sure that they meet. */
static bool cross(struct db *db, struct unit *unit)
{
    struct crossing *crossing = (struct crossing *)unit;
    const char *first =
        unit->id == 1 ? "UPDATE t SET n = n + 1 WHERE id = 1" : "UPDATE t SET n = n + 1 WHERE id = 2";
    const char *then =
        unit->id == 1 ? "UPDATE t SET n = n + 1 WHERE id = 2" : "UPDATE t SET n = n + 1 WHERE id = 1";

    if (!text(db, unit, first))
        return false;
    if (unit->runs == 1)
        pthread_barrier_wait(crossing->both);
    return text(db, unit, then);
}

static void a_deadlock_costs_time_and_nothing_else(void **state)
{
    struct fixture *f = fixture_new(4);
    struct crossing crossings[2];
    pthread_barrier_t both;
    struct err err = { 0 };

    (void)state;
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++) {
        unit_init(&crossings[i].unit, i + 1, NULL);
        crossings[i].unit.body = cross;
        crossings[i].both = &both;
        assert_true(store_write(f->store, &crossings[i].unit.work, &err));
    }
    for (int i = 0; i < 2; i++) {
        unit_wait(&crossings[i].unit);
        assert_int_equal(crossings[i].unit.work.err.code, ERR_NONE);
        unit_done(&crossings[i].unit);
    }
    assert_true(crossings[0].unit.runs + crossings[1].unit.runs >= 3);
    assert_int_equal(units_number(f->url, "SELECT sum(n) FROM t"), 4);
    pthread_barrier_destroy(&both);
    fixture_free(f);
}

static void lost_connections_come_back(void **state)
{
    struct fixture *f = fixture_new(4);
    struct store_stats stats;

    (void)state;
    for (int round = 0; round < 3; round++) {
        /* It waits until they are gone: one that dies during a commit leaves the outcome unknown. */
        assert_true(units_number(f->url,
                                 "SELECT count(pg_terminate_backend(pid, 20000)) FROM pg_stat_activity"
                                 " WHERE datname = current_database() AND pid <> pg_backend_pid()") > 0);
        for (int i = 0; i < 20; i++)
            assert_int_equal(unit_write(f->store, 100 + round * 20 + i, INSERT), ERR_NONE);
    }
    assert_int_equal(units_number(f->url, "SELECT count(*) FROM t WHERE id >= 100"), 60);
    store_stats(f->store, &stats);
    assert_true(stats.reconnects >= 3);
    fixture_free(f);
}

static bool die_once(struct db *db, struct unit *unit)
{
    if (!text(db, unit, "INSERT INTO t VALUES(30)"))
        return false;
    return unit->runs > 1 || text(db, unit, "SELECT pg_terminate_backend(pg_backend_pid())");
}

static void a_unit_whose_connection_was_lost_runs_once_more(void **state)
{
    struct fixture *f = fixture_new(1);
    struct unit unit;

    (void)state;
    run(f, &unit, die_once);
    assert_int_equal(unit.work.err.code, ERR_NONE);
    assert_int_equal(unit.runs, 2);
    assert_int_equal(units_number(f->url, "SELECT count(*) FROM t WHERE id = 30"), 1);
    fixture_free(f);
}

static void a_connection_lost_during_commit_leaves_the_outcome_unknown(void **state)
{
    struct fixture *f = fixture_new(1);
    struct unit unit;

    (void)state;
    unit_init(&unit, 1, "INSERT INTO deadly VALUES($1)");
    store_write_wait(f->store, &unit.work);
    unit_done(&unit);
    assert_int_equal(unit.work.err.code, ERR_OUTCOME_UNKNOWN);
    assert_int_equal(unit.runs, 1);
    assert_int_equal(atomic_load(&f->commits), 0);
    assert_int_equal(unit_write(f->store, 40, INSERT), ERR_NONE);
    fixture_free(f);
}

struct gate {
    sem_t reached, open;
};

static bool wait_at_gate(struct db *db, struct unit *unit)
{
    struct gate *gate = unit->user;

    sem_post(&gate->reached);
    while (sem_trywait(&gate->open) != 0)
        if (!text(db, unit, "SELECT pg_sleep(0.05)"))
            return false;
    return true;
}

static void a_unit_does_not_wait_for_ever(void **state)
{
    struct fixture *f = fixture_with(1, STORE_WAIT_MS);
    struct unit slow, behind;
    struct gate gate;
    struct err err = { 0 };
    int64_t start_ms;

    (void)state;
    sem_init(&gate.reached, 0, 0);
    sem_init(&gate.open, 0, 0);
    unit_init(&slow, 0, NULL);
    slow.body = wait_at_gate;
    slow.user = &gate;
    unit_init(&behind, 50, INSERT);
    assert_true(store_write(f->store, &slow.work, &err));
    while (sem_wait(&gate.reached) != 0)
        continue;
    start_ms = clock_ticks_ms();
    assert_true(store_write(f->store, &behind.work, &err));
    unit_wait(&behind);
    assert_int_equal(behind.work.err.code, ERR_UNAVAILABLE);
    assert_true(clock_ticks_ms() - start_ms >= STORE_WAIT_MS);
    sem_post(&gate.open);
    unit_wait(&slow);
    assert_int_equal(slow.work.err.code, ERR_NONE);
    unit_done(&slow);
    unit_done(&behind);
    fixture_free(f);
}

/* Stands still between two statements for longer than its locks may be kept; then it is run once more. */
static bool sleep_too_long(struct db *db, struct unit *unit)
{
    if (!text(db, unit, "UPDATE t SET n = n + 1 WHERE id = 1"))
        return false;
    if (unit->runs == 1)
        test_sleep(TRANSACTION_IDLE_MS + 1500);
    return true;
}

static void a_unit_that_stands_still_gives_its_locks_back(void **state)
{
    struct fixture *f = fixture_new(2);
    struct unit unit;

    (void)state;
    unit_init(&unit, 0, NULL);
    unit.body = sleep_too_long;
    assert_true(store_write_wait(f->store, &unit.work));
    assert_int_equal(unit.runs, 2);
    assert_int_equal(units_number(f->url, "SELECT n FROM t WHERE id = 1"), 1);
    unit_done(&unit);
    fixture_free(f);
}

#define LIMIT_MS   10000
#define ASLEEP_FOR "8" /* seconds: long enough to be seen, and less than the limit */

/* Stops the session's own process on the server, as soon as it sleeps in what comes next. */
struct freeze {
    pthread_t thread;
    pid_t pid;
    const char *url;
};

static void *stop_asleep(void *user)
{
    struct freeze *freeze = user;
    char asleep[128];

    snprintf(asleep, sizeof(asleep),
             "SELECT count(*) FROM pg_stat_activity WHERE pid = %d AND wait_event = 'PgSleep'",
             (int)freeze->pid);
    while (units_number(freeze->url, asleep) == 0)
        test_sleep(5);
    kill(freeze->pid, SIGSTOP);
    return NULL;
}

static bool begin_freeze(struct db *db, struct unit *unit)
{
    struct freeze *freeze = unit->user;
    struct db_rows rows;

    if (!db_query_text(db, &unit->arena, "SELECT pg_backend_pid()", DB_NO_ARGS, &rows, &unit->work.err))
        return false;
    freeze->pid = (pid_t)db_cell_int(&rows, 0, 0);
    return pthread_create(&freeze->thread, NULL, stop_asleep, freeze) == 0;
}

static bool stop_in_statement(struct db *db, struct unit *unit)
{
    return text(db, unit, "INSERT INTO t VALUES(70)") && begin_freeze(db, unit) &&
           text(db, unit, "SELECT pg_sleep(" ASLEEP_FOR ")");
}

static bool stop_in_commit(struct db *db, struct unit *unit)
{
    return text(db, unit, "INSERT INTO slow VALUES(71)") && begin_freeze(db, unit);
}

static void shorten_the_limit(void)
{
    static struct settings changed;

    changed = *settings();
    changed.store_timeout_ms = LIMIT_MS;
    settings_use(&changed);
}

static struct err run_frozen(struct fixture *f, bool (*body)(struct db *, struct unit *))
{
    struct freeze freeze = { .url = f->url };
    struct unit unit;
    int64_t start_ms = clock_ticks_ms();

    unit_init(&unit, 0, NULL);
    unit.body = body;
    unit.user = &freeze;
    assert_false(store_write_wait(f->store, &unit.work));
    assert_true(clock_ticks_ms() - start_ms >= LIMIT_MS);
    assert_int_equal(unit.runs, 1);
    pthread_join(freeze.thread, NULL);
    assert_int_equal(unit_write(f->store, 72, "SELECT $1"), ERR_NONE);
    kill(freeze.pid, SIGCONT);
    unit_done(&unit);
    return unit.work.err;
}

static bool becomes(struct fixture *f, const char *sql, int64_t number)
{
    for (int i = 0; i < PATIENCE_MS / 50 && units_number(f->url, sql) != number; i++)
        test_sleep(50);
    return units_number(f->url, sql) == number;
}

/* The server does not answer, and its connection looks well: whoever waits is told, and what is known of it.
 */
static void a_server_that_stands_still_is_not_waited_for(void **state)
{
    struct fixture *f;
    struct err err;

    (void)state;
    shorten_the_limit();
    f = fixture_new(2);
    units_script(f->url, "CREATE TABLE slow(id BIGINT);"
                         "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                         " PERFORM pg_sleep(" ASLEEP_FOR "); RETURN NULL; END $$;"
                         "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED"
                         " FOR EACH ROW EXECUTE FUNCTION slow()");
    err = run_frozen(f, stop_in_statement);
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    assert_int_equal(err.retry_after_s, 1);
    err = run_frozen(f, stop_in_commit);
    assert_int_equal(err.code, ERR_OUTCOME_UNKNOWN);
    assert_true(becomes(f, "SELECT count(*) FROM slow WHERE id = 71", 1));
    assert_int_equal(units_number(f->url, "SELECT count(*) FROM t WHERE id = 70"), 0);
    fixture_free(f);
    settings_use(NULL);
}

static void closing_runs_what_is_queued(void **state)
{
    struct fixture *f = fixture_new(2);
    struct unit units[100];
    struct err err = { 0 };

    (void)state;
    for (int i = 0; i < 100; i++) {
        unit_init(&units[i], 1000 + i, INSERT);
        assert_true(store_write(f->store, &units[i].work, &err));
    }
    store_close(f->store);
    for (int i = 0; i < 100; i++) {
        unit_wait(&units[i]);
        assert_int_equal(units[i].work.err.code, ERR_NONE);
        unit_done(&units[i]);
    }
    assert_int_equal(units_number(f->url, "SELECT count(*) FROM t WHERE id >= 1000"), 100);
}

static void server(const char *what, const char *mode)
{
    char command[256];

    snprintf(command, sizeof(command), "tests/pg %s %s %s >/dev/null", what, getenv("WITAN_TEST_PG_DIR"),
             mode);
    if (system(command) != 0)
        fail_msg("%s failed", command);
}

static void a_lost_server_is_refused_at_once_and_found_again(void **state)
{
    if (!getenv("WITAN_TEST_PG_DIR") || access("tests/pg", X_OK) != 0) {
        print_message("skipped: needs WITAN_TEST_PG_DIR and tests/pg\n");
        skip();
    }
    struct fixture *f = fixture_with(4, STORE_WAIT_MS);
    int64_t start_ms, shortest_ms = INT64_MAX;
    int acknowledged = 0, tries;

    (void)state;
    assert_int_equal(unit_write(f->store, 60, INSERT), ERR_NONE);
    server("stop", "immediate");
    for (int i = 0; i < 30; i++) {
        start_ms = clock_ticks_ms();
        assert_int_equal(unit_write(f->store, 61 + i, INSERT), ERR_UNAVAILABLE);
        if (clock_ticks_ms() - start_ms < shortest_ms)
            shortest_ms = clock_ticks_ms() - start_ms;
        usleep(50 * 1000);
    }
    /* On a busy machine one of them may take long, but not all. */
    assert_true(shortest_ms < STORE_WAIT_MS);
    assert_false(store_healthy(f->store));
    server("start", "");
    for (tries = 0; tries < PATIENCE_MS / 100 && !store_healthy(f->store); tries++)
        usleep(100 * 1000);
    assert_true(store_healthy(f->store));
    for (int i = 0; i < 20; i++)
        acknowledged += unit_write(f->store, 200 + i, INSERT) == ERR_NONE;
    assert_int_equal(acknowledged, 20);
    assert_int_equal(units_number(f->url, "SELECT count(*) FROM t WHERE id BETWEEN 61 AND 199"), 0);
    assert_int_equal(units_number(f->url, "SELECT count(*) FROM t WHERE id >= 200 OR id = 60"), 21);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_commit_or_are_undone),
        cmocka_unit_test(several_run_side_by_side),
        cmocka_unit_test(serialisation_failures_run_again),
        cmocka_unit_test(a_deadlock_costs_time_and_nothing_else),
        cmocka_unit_test(lost_connections_come_back),
        cmocka_unit_test(a_unit_whose_connection_was_lost_runs_once_more),
        cmocka_unit_test(a_connection_lost_during_commit_leaves_the_outcome_unknown),
        cmocka_unit_test(a_unit_does_not_wait_for_ever),
        cmocka_unit_test(a_unit_that_stands_still_gives_its_locks_back),
        cmocka_unit_test(a_server_that_stands_still_is_not_waited_for),
        cmocka_unit_test(closing_runs_what_is_queued),
        cmocka_unit_test(a_lost_server_is_refused_at_once_and_found_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
