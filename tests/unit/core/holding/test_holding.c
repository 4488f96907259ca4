/*
 * One node at a time holds a row: who claims, who is taken for dead, and whose writes still count.
 */
#include "core/holding/holding.h"

#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define NOW   INT64_C(1000000)
#define AT(e) TX_WITH(e, .now_ms = NOW)

static struct engine *engine_of(void **state)
{
    struct engine *e = *state;

    if (!e->db)
        skip();
    return e;
}

static void need(struct engine *e, bool fine)
{
    if (!fine)
        fail_msg("%s", e->err.text);
}

/* Rows of a kind that wants work: what a discussion is made of beside that does not matter here. */
static void add(struct engine *e, const char *id, int wanted)
{
    engine_sql(
        e, arena_format(&e->arena,
                        "INSERT INTO discussion_state (discussion_id, workspace_id, topic, mode, wants_drive)"
                        " VALUES ('%s', 'w', 'Which way?', 'rounds', %d)",
                        id, wanted));
}

static struct engine *engine_with_rows(void **state)
{
    struct engine *e = engine_of(state);

    engine_sql(e, "INSERT INTO workspaces (id, slug, name, created_at) VALUES ('w', 'w', 'W', 1)");
    add(e, "a", 1);
    add(e, "b", 1);
    add(e, "c", 1);
    add(e, "idle", 0);
    return e;
}

static size_t claim_at(struct engine *e, const char *node, int64_t now_ms, size_t limit,
                       struct held_row **list)
{
    const struct tx *tx = TX_WITH(e, .now_ms = now_ms);
    size_t count;

    need(e, holding_node_renew(tx, node, now_ms + HOLDING_LEASE_MS));
    need(e, holding_claim(tx, HOLDING_DISCUSSION, node, limit, list, &count));
    return count;
}

static size_t held_by(struct engine *e, const char *node)
{
    return (size_t)atoi(engine_sql(
        e, arena_format(&e->arena, "SELECT COUNT(*) FROM discussion_state WHERE driver = '%s'", node)));
}

static void a_claim_takes_what_wants_work_and_is_free(void **state)
{
    struct engine *e = engine_with_rows(state);
    struct held_row *list;

    assert_int_equal(claim_at(e, "one", NOW, 2, &list), 2);
    assert_int_equal(list[0].epoch, 1);
    assert_int_equal(claim_at(e, "two", NOW, 9, &list), 1);
    assert_int_equal(claim_at(e, "two", NOW, 9, &list), 0);
    assert_int_equal(held_by(e, "one"), 2);
    assert_int_equal(held_by(e, "two"), 1);
}

/* A lease that ends at this very moment holds; a moment later it does not, and the epoch rises. */
static void what_a_dead_node_held_is_claimed_under_a_new_epoch(void **state)
{
    struct engine *e = engine_with_rows(state);
    struct held_row *list;

    assert_int_equal(claim_at(e, "one", NOW, 9, &list), 3);
    assert_int_equal(claim_at(e, "two", NOW + HOLDING_LEASE_MS, 9, &list), 0);
    assert_int_equal(claim_at(e, "two", NOW + HOLDING_LEASE_MS + 1, 9, &list), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(list[i].epoch, 2);
    assert_int_equal(held_by(e, "one"), 0);
    assert_string_equal(engine_sql(e, "SELECT COUNT(*) FROM council_nodes WHERE id = 'one'"), "0");
}

static void a_node_that_renews_keeps_what_it_holds(void **state)
{
    struct engine *e = engine_with_rows(state);
    struct held_row *list;

    assert_int_equal(claim_at(e, "one", NOW, 9, &list), 3);
    need(e, holding_node_renew(AT(e), "one", NOW + 3 * HOLDING_LEASE_MS));
    assert_int_equal(claim_at(e, "two", NOW + 2 * HOLDING_LEASE_MS, 9, &list), 0);
}

static void a_node_that_leaves_lets_go_of_its_own_only(void **state)
{
    struct engine *e = engine_with_rows(state);
    struct held_row *list;

    assert_int_equal(claim_at(e, "one", NOW, 2, &list), 2);
    assert_int_equal(claim_at(e, "two", NOW, 9, &list), 1);
    need(e, holding_node_leave(AT(e), "one"));
    assert_int_equal(held_by(e, "one"), 0);
    assert_int_equal(held_by(e, "two"), 1);
    need(e, holding_node_clear(AT(e)));
    assert_int_equal(held_by(e, "two"), 0);
    assert_string_equal(engine_sql(e, "SELECT COUNT(*) FROM council_nodes"), "0");
    assert_int_equal(claim_at(e, "two", NOW, 9, &list), 3);
}

static void what_is_in_hand_is_wanted_from_the_last_claim_on(void **state)
{
    struct engine *e = engine_with_rows(state);
    struct held_row *list;
    int64_t epoch;

    assert_int_equal(claim_at(e, "one", NOW, 1, &list), 1);
    need(e, holding_wanted_from(AT(e), HOLDING_DISCUSSION, "one", list[0].id, &epoch));
    assert_int_equal(epoch, 1);
    need(e, holding_wanted_from(AT(e), HOLDING_DISCUSSION, "two", list[0].id, &epoch));
    assert_int_equal(epoch, 2);
    need(e, holding_node_leave(AT(e), "one"));
    need(e, holding_wanted_from(AT(e), HOLDING_DISCUSSION, "one", list[0].id, &epoch));
    assert_int_equal(epoch, 2);
    need(e, holding_wanted_from(AT(e), HOLDING_DISCUSSION, "one", "none", &epoch));
    assert_true(epoch == INT64_MAX);
}

static bool passes(struct engine *e, struct holding_as row, struct holding_as as)
{
    e->err = (struct err){ 0 };
    if (holding_fence(AT(e), HOLDING_DISCUSSION, &row, &as))
        return true;
    assert_int_equal(e->err.code, ERR_CONFLICT);
    assert_true(holding_is_late(&e->err));
    return false;
}

static void a_write_counts_under_the_node_and_the_epoch_of_the_claim(void **state)
{
    struct engine *e = engine_of(state);

    assert_true(passes(e, (struct holding_as){ "one", 3 }, (struct holding_as){ "one", 3 }));
    assert_false(passes(e, (struct holding_as){ "one", 4 }, (struct holding_as){ "one", 3 }));
    assert_false(passes(e, (struct holding_as){ "one", 3 }, (struct holding_as){ "one", 4 }));
    assert_false(passes(e, (struct holding_as){ "two", 3 }, (struct holding_as){ "one", 3 }));
    assert_false(passes(e, (struct holding_as){ NULL, 3 }, (struct holding_as){ "one", 3 }));
    assert_true(holding_wrote(AT(e), HOLDING_DISCUSSION, 1));
    assert_false(holding_wrote(AT(e), HOLDING_DISCUSSION, 0));
    assert_string_equal(e->err.name, HOLDING_FENCED);
}

static void what_is_gone_is_late_and_what_else_failed_is_not(void **state)
{
    struct engine *e = engine_of(state);
    struct err broken = { .code = ERR_CONFLICT, .name = "conflict" }, away = { .code = ERR_UNAVAILABLE };

    e->err = (struct err){ .code = ERR_NOT_FOUND };
    assert_false(holding_gone(AT(e)));
    assert_true(holding_is_late(&e->err));
    e->err = (struct err){ .code = ERR_UNAVAILABLE };
    assert_false(holding_gone(AT(e)));
    assert_false(holding_is_late(&e->err));
    assert_false(holding_is_late(&broken));
    assert_true(holding_is_hopeless(&broken));
    assert_false(holding_is_hopeless(&away));
    e->err = (struct err){ 0 };
}

/* SQLite has one writer: whoever is in a transaction that writes is alone. */
static void one_transaction_at_a_time_is_alone(void **state)
{
    struct engine *e = engine_of(state);
    struct db *other = engine_open_another(e);
    struct tx tx = tx_of(other, &e->arena, NOW, &e->err);
    bool alone = false;

    need(e, holding_alone(AT(e), LOCK_SEARCH, &alone));
    assert_true(alone);
    if (e->db->engine == DB_POSTGRES) {
        need(e, holding_alone(&tx, LOCK_SEARCH, &alone));
        assert_false(alone);
        need(e, holding_alone(&tx, LOCK_FIGURES, &alone));
        assert_true(alone);
        engine_commit(e);
        need(e, holding_alone(&tx, LOCK_SEARCH, &alone));
        assert_true(alone);
    }
    db_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(a_claim_takes_what_wants_work_and_is_free),
        ON_BOTH(what_a_dead_node_held_is_claimed_under_a_new_epoch),
        ON_BOTH(a_node_that_renews_keeps_what_it_holds),
        ON_BOTH(a_node_that_leaves_lets_go_of_its_own_only),
        ON_BOTH(what_is_in_hand_is_wanted_from_the_last_claim_on),
        ON_BOTH(a_write_counts_under_the_node_and_the_epoch_of_the_claim),
        ON_BOTH(what_is_gone_is_late_and_what_else_failed_is_not),
        ON_BOTH(one_transaction_at_a_time_is_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
