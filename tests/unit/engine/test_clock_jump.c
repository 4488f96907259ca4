/*
 * The database's clock is set while nobody looks, on both engines. SQLite has its time from a VFS of the
 * test's, and PostgreSQL finds a clock_timestamp() of the test's before its own. Each life of a server is a
 * process, since the clock is the process's.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "db/migrate.h"
#include "engine/engine.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOUR_MS INT64_C(3600000)
#define ROW \
    "INSERT INTO audit(workspace_id, actor_kind, actor, operation, created_at)" \
    " VALUES('w', 'system', 'system', 'any', $1)"
#define FAKE \
    "CREATE SCHEMA fake; CREATE TABLE fake.shift(ms BIGINT); INSERT INTO fake.shift VALUES(0);" \
    "CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$" \
    " SELECT pg_catalog.clock_timestamp() + (SELECT ms FROM fake.shift) * interval '1 millisecond' $$;"

struct place {
    char url[256], folder[64];
    enum db_engine engine;
};

static sqlite3_vfs shifted;
static sqlite3_vfs *real;
static int64_t shift_ms;

static int shifted_time(sqlite3_vfs *vfs, sqlite3_int64 *ms)
{
    int code = real->xCurrentTimeInt64(real, ms);

    (void)vfs;
    *ms += shift_ms;
    return code;
}

static void set_shift(const struct place *place, int64_t ms)
{
    char script[80];

    shift_ms = ms;
    if (place->engine != DB_POSTGRES)
        return;
    snprintf(script, sizeof(script), "UPDATE fake.shift SET ms = %lld", (long long)ms);
    units_script(place->url, script);
}

struct server {
    struct store *store;
    struct engine *engine;
};

static void server_start(struct server *server, const struct place *place)
{
    struct err err = { 0 };

    server->engine = engine_new();
    server->store = store_open(
        &(struct store_options){
            .url = place->url, .committed = engine_poke, .user = server->engine, .workers = 2 },
        &err);
    if (!server->store || !engine_start(server->engine, server->store, place->url, false, &err)) {
        fprintf(stderr, "%s\n", err.text);
        _exit(99);
    }
}

/* A row with the time that it is, once everything that was to be told has been. */
static int64_t server_stop(struct server *server)
{
    int64_t now_ms = clock_now_ms();

    if (!engine_settle(server->engine, PATIENCE_MS) || unit_write(server->store, now_ms, ROW) != ERR_NONE)
        _exit(98);
    engine_stop(server->engine);
    store_close(server->store);
    engine_free(server->engine);
    return now_ms;
}

static int64_t one_life(const struct place *place, int64_t shift)
{
    struct server server;

    set_shift(place, shift);
    server_start(&server, place);
    return server_stop(&server);
}

/* In a process of its own; 0 when it ended badly. */
static int64_t live(const struct place *place, int64_t shift, int64_t (*life)(const struct place *, int64_t))
{
    int64_t told = 0;
    int ends[2], status;

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        told = life(place, shift);
        _exit(write(ends[1], &told, sizeof(told)) == sizeof(told) ? 0 : 97);
    }
    close(ends[1]);
    if (read(ends[0], &told, sizeof(told)) != sizeof(told))
        told = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return told;
}

static int64_t jumps(const struct place *place, const char *direction)
{
    char sql[160];

    snprintf(sql, sizeof(sql),
             "SELECT COUNT(*) FROM audit WHERE operation = 'clock_jump' AND detail LIKE '%%%s%%'", direction);
    return units_number(place->url, sql);
}

static void a_start_is_never_before_the_newest_row(void **state)
{
    const struct place *place = *state;
    int64_t first = live(place, 0, one_life), second, third;

    assert_int_equal(jumps(place, "direction"), 0);
    second = live(place, -HOUR_MS, one_life);
    assert_true(second >= first && second - first < HOUR_MS / 2);
    assert_int_equal(jumps(place, "behind"), 1);
    third = live(place, -HOUR_MS, one_life);
    assert_true(third >= second && third - second < HOUR_MS / 2);
    assert_int_equal(jumps(place, "behind"), 2);
    assert_true(live(place, 0, one_life) >= third);
    assert_int_equal(jumps(place, "direction"), 2);
}

/* The engine is started anew in the same process, which sets the clock by the database again, as each minute
 * does. */
static int64_t moved_twice(const struct place *place, int64_t shift)
{
    struct server server;
    int64_t first = one_life(place, 0), second, third;

    set_shift(place, shift);
    server_start(&server, place);
    second = server_stop(&server);
    third = one_life(place, 0);
    return second - first >= HOUR_MS && third >= second ? third - second + 1 : 0;
}

static void a_clock_that_is_set_while_running_is_told(void **state)
{
    const struct place *place = *state;
    int64_t passed = live(place, HOUR_MS, moved_twice);

    assert_true(passed > 0 && passed < HOUR_MS / 2);
    assert_int_equal(jumps(place, "forward"), 1);
    assert_int_equal(jumps(place, "back"), 1);
    assert_int_equal(jumps(place, "direction"), 2);
}

static void migrate(const struct place *place)
{
    ARENA_AUTO arena = { 0 };
    struct migrate_report report;
    struct err err = { 0 };
    struct db *db = db_open(place->url, &err);

    if (!db || !migrate_up(db, &arena, &report, &err))
        fail_msg("%s", err.text);
    db_close(db);
}

static int set_up_sqlite(void **state)
{
    static struct place place;

    place = (struct place){ .engine = DB_SQLITE };
    units_folder(place.folder, true);
    snprintf(place.url, sizeof(place.url), "sqlite:%s/db", place.folder);
    if (!real) {
        real = sqlite3_vfs_find(NULL);
        shifted = *real;
        shifted.zName = "shifted";
        shifted.xCurrentTimeInt64 = shifted_time;
        sqlite3_vfs_register(&shifted, 1);
    }
    migrate(&place);
    *state = &place;
    return 0;
}

static int tear_down_sqlite(void **state)
{
    units_remove(((struct place *)*state)->folder);
    return 0;
}

static int set_up_postgres(void **state)
{
    static struct place place;

    place = (struct place){ .engine = DB_POSTGRES };
    *state = NULL;
    if (!units_postgres("clock_jump", place.url))
        return 0;
    migrate(&place);
    units_script(place.url, FAKE "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() ||"
                                 " ' SET search_path = fake, pg_catalog, public'; END $$");
    *state = &place;
    return 0;
}

static void start_on_postgres(void **state)
{
    if (!*state)
        skip();
    a_start_is_never_before_the_newest_row(state);
}

static void running_on_postgres(void **state)
{
    if (!*state)
        skip();
    a_clock_that_is_set_while_running_is_told(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_start_is_never_before_the_newest_row, set_up_sqlite,
                                        tear_down_sqlite),
        cmocka_unit_test_setup_teardown(a_clock_that_is_set_while_running_is_told, set_up_sqlite,
                                        tear_down_sqlite),
        cmocka_unit_test_setup(start_on_postgres, set_up_postgres),
        cmocka_unit_test_setup(running_on_postgres, set_up_postgres),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
