/*
 * The whole engine: settling, the test clock, and on PostgreSQL two nodes that number and hear as one.
 */
#include "engine/engine.h"

#include "base/clock.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* As old as they are: the engine's first sweep, a second after its start, lets go of what is older than a
 * month. */
#define APPEND "INSERT INTO events(workspace_id, type, data, created_at) VALUES('w', 'any', '{}', $1)"
#define AUDIT \
    "INSERT INTO audit(workspace_id, actor_kind, actor, operation, created_at)" \
    " VALUES('w', 'system', 'system', 'any', $1)"
#define EVENTS 300

struct node {
    struct store *store;
    struct engine *engine;
    atomic_int heard;
    atomic_bool disorder;
    int64_t last;
};

static void listen(void *user, struct notice *const notices[], size_t count)
{
    struct node *node = user;

    for (size_t i = 0; i < count; i++) {
        if (notices[i]->seq != node->last + 1)
            atomic_store(&node->disorder, true);
        node->last = notices[i]->seq;
    }
    atomic_fetch_add(&node->heard, (int)count);
}

static void node_start(struct node *node, const char *url)
{
    struct err err = { 0 };

    *node = (struct node){ .engine = engine_new() };
    node->store = store_open(
        &(struct store_options){ .url = url, .committed = engine_poke, .user = node->engine, .workers = 4 },
        &err);
    if (!node->store || !engine_start(node->engine, node->store, url, true, &err))
        fail_msg("%s", err.text);
    tailer_subscribe(engine_tailer(node->engine), listen, node);
}

static void node_stop(struct node *node)
{
    engine_stop(node->engine);
    store_close(node->store);
    engine_free(node->engine);
}

static void append(struct node *node)
{
    assert_int_equal(unit_write(node->store, clock_now_ms(), APPEND), ERR_NONE);
}

/* As another program does; `more` stands behind it. */
static void append_outside(const char *url, const char *more)
{
    char script[256];

    snprintf(script, sizeof(script),
             "INSERT INTO events(workspace_id, type, data, created_at) VALUES('w', 'any', '{}', %lld); %s",
             (long long)clock_now_ms(), more);
    units_script(url, script);
}

static void *append_many(void *user)
{
    struct node *node = user;

    for (int i = 0; i < EVENTS; i++)
        append(node);
    return NULL;
}

static bool hears(struct node *node, int count)
{
    for (int64_t until_ms = clock_ticks_ms() + PATIENCE_MS;
         atomic_load(&node->heard) < count && clock_ticks_ms() < until_ms;)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return atomic_load(&node->heard) == count;
}

static void check_clock(struct node *node)
{
    struct err err = { 0 };
    int64_t offset_ms, before = clock_now_ms();

    assert_true(engine_move_clock(node->engine, 3600000, &offset_ms, &err));
    assert_int_equal(offset_ms, 3600000);
    assert_true(clock_now_ms() - before >= 3600000);
    assert_true(engine_move_clock(node->engine, -3600001, &offset_ms, &err));
    assert_int_equal(offset_ms, -1);
    assert_true(clock_now_ms() - before < 3600000);
    assert_false(engine_move_clock(node->engine, INT64_C(1) << 60, &offset_ms, &err));
    assert_string_equal(err.field, "advance_ms");
    assert_true(engine_move_clock(node->engine, 1, &offset_ms, &err));
    assert_int_equal(offset_ms, 0);
}

static void settles_on_sqlite(void **state)
{
    char folder[64], url[96];
    struct node node;

    (void)state;
    units_folder(folder, true);
    snprintf(url, sizeof(url), "sqlite:%s/db", folder);
    units_migrate(url);
    node_start(&node, url);
    append_many(&node);
    assert_true(engine_settle(node.engine, PATIENCE_MS));
    assert_int_equal(atomic_load(&node.heard), EVENTS);
    assert_false(atomic_load(&node.disorder));
    check_clock(&node);
    node_stop(&node);
    units_remove(folder);
}

static void two_nodes_hear_the_same_on_postgres(void **state)
{
    char url[256];
    struct node one, two;
    pthread_t threads[2];
    struct engine_stats stats[2];

    (void)state;
    if (!units_postgres("engine_two_nodes", url))
        skip();
    units_migrate(url);
    node_start(&one, url);
    node_start(&two, url);
    assert_int_equal(pthread_create(&threads[0], NULL, append_many, &one), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, append_many, &two), 0);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert_true(engine_settle(one.engine, PATIENCE_MS));
    assert_int_equal(atomic_load(&one.heard), 2 * EVENTS);
    assert_true(hears(&two, 2 * EVENTS));
    assert_false(atomic_load(&one.disorder) || atomic_load(&two.disorder));
    engine_stats(one.engine, &stats[0]);
    engine_stats(two.engine, &stats[1]);
    assert_int_equal(stats[0].sequencer.numbered + stats[1].sequencer.numbered, 2 * EVENTS);

    /* Another program writes, and says so as the triggers do. */
    append_outside(url, "NOTIFY witan_events");
    assert_true(hears(&one, 2 * EVENTS + 1) && hears(&two, 2 * EVENTS + 1));
    /* The clock is the process's: a second node that looked just before would put it back. */
    node_stop(&two);
    check_clock(&one);
    node_stop(&one);
}

/* The server drops every connection: the engine's come back, and what was written meanwhile is heard. */
static void lost_connections_come_back_on_postgres(void **state)
{
    char url[256];
    struct node node;

    (void)state;
    if (!units_postgres("engine_lost", url))
        skip();
    units_migrate(url);
    node_start(&node, url);
    append(&node);
    assert_true(hears(&node, 1));
    for (int round = 1; round <= 3; round++) {
        units_script(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                          " WHERE datname = current_database() AND pid <> pg_backend_pid()");
        append_outside(url, "");
        assert_true(hears(&node, 1 + round));
    }
    assert_true(engine_settle(node.engine, PATIENCE_MS));
    node_stop(&node);
}

/*
 * A session that took the lock and then hears no more of its client, as a node of an older version does that
 * was stopped in the middle: it is ended, and the events go on long before its own time-outs would.
 */
static void a_session_that_stands_still_loses_the_lock_on_postgres(void **state)
{
    static const char *const takes[] = { "SELECT pg_advisory_xact_lock(7117, 2)",
                                         "SELECT pg_advisory_xact_lock(7117, 3)" };
    char url[256];
    struct node node;

    (void)state;
    if (!units_postgres("engine_lease", url))
        skip();
    units_migrate(url);
    node_start(&node, url);
    for (size_t i = 0; i < 2; i++) {
        ARENA_AUTO arena = { 0 };
        struct err err = { 0 };
        struct db_rows rows;
        struct db *holder = db_open(url, &err);

        assert_non_null(holder);
        assert_true(db_script(holder, "SET idle_in_transaction_session_timeout = '60s'", &err));
        assert_true(db_begin(holder, true, &err));
        assert_true(db_query_text(holder, &arena, takes[i], DB_NO_ARGS, &rows, &err));
        append(&node);
        assert_int_equal(unit_write(node.store, clock_now_ms(), AUDIT), ERR_NONE);
        assert_true(engine_settle(node.engine, PATIENCE_MS));
        assert_int_equal(atomic_load(&node.heard), (int)i + 1);
        assert_false(db_commit(holder, &err));
        db_close(holder);
    }
    node_stop(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settles_on_sqlite),
        cmocka_unit_test(two_nodes_hear_the_same_on_postgres),
        cmocka_unit_test(lost_connections_come_back_on_postgres),
        cmocka_unit_test(a_session_that_stands_still_loses_the_lock_on_postgres),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
