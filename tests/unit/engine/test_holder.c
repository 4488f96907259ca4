/*
 * A holder with a noun of the test's own: it claims what there is room for, keeps its lease while it has
 * something in hand, and drops all of it at the moment at which another node may take it.
 */
#include "engine/holder.h"

#include "base/clock.h"
#include "base/limits.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <time.h>

#define ROOM 3

/* Rows that want to be held, and a pile of those in hand, which goes when it is told to. */
struct pile {
    struct holder holder; /* first */
    struct mail done;     /* one of those in hand is done */
    _Atomic size_t wanting, height, highest;
    atomic_int claims, drops, claimed_without_lease;
    atomic_bool renewal_was_stuck, is_posted;
    atomic_bool loses_claim; /* of the next one nobody hears that it is stored */
    atomic_int late;         /* and it is stored only after so many looks for it */
    _Atomic size_t lost;     /* held by the node, and in nobody's hand */
};

static struct pile pile;

static size_t room(struct holder *holder)
{
    (void)holder;
    return ROOM - atomic_load(&pile.height);
}

static bool claim(const struct tx *tx, struct holder_unit *unit, size_t limit, struct held_row **list,
                  size_t *count)
{
    size_t wanting = atomic_load(&pile.wanting);

    (void)unit;
    *count = wanting < limit ? wanting : limit;
    *list = arena_array(tx->arena, struct held_row, *count);
    for (size_t i = 0; i < *count; i++)
        (*list)[i] = (struct held_row){ "row", atomic_fetch_add(&pile.claims, 1) + 1 };
    atomic_fetch_sub(&pile.wanting, *count);
    if (*count == 0 || !atomic_exchange(&pile.loses_claim, false))
        return true;
    atomic_store(&pile.lost, *count);
    return err_set(tx->err, ERR_OUTCOME_UNKNOWN, "Played: the connection was lost.");
}

static bool ours(const struct tx *tx, const char *node, struct held_row **list, size_t *count)
{
    assert_string_equal(node, pile.holder.node);
    bool is_stored = atomic_fetch_sub(&pile.late, 1) <= 0;

    *count = is_stored ? atomic_exchange(&pile.lost, 0) : 0;
    *list = arena_array(tx->arena, struct held_row, *count);
    for (size_t i = 0; i < *count; i++)
        (*list)[i] = (struct held_row){ "row", 1 };
    return true;
}

static void claimed(struct holder *holder, const struct held_row *row)
{
    size_t height = atomic_fetch_add(&pile.height, 1) + 1;

    assert_true(row->epoch > 0);
    if (!holder_holds(holder))
        atomic_fetch_add(&pile.claimed_without_lease, 1);
    if (height > atomic_load(&pile.highest))
        atomic_store(&pile.highest, height);
}

static size_t in_hand(const struct holder *holder)
{
    (void)holder;
    return atomic_load(&pile.height);
}

static void drop(struct holder *holder)
{
    if (!holder->stopping) {
        atomic_store(&pile.renewal_was_stuck, holder->renewing && !holder_holds(holder));
        atomic_fetch_add(&pile.wanting, atomic_load(&pile.height));
        atomic_fetch_add(&pile.drops, 1);
    }
    atomic_store(&pile.height, 0);
}

static void work(struct holder *holder)
{
    (void)holder;
}

static int64_t next_ms(const struct holder *holder)
{
    (void)holder;
    return INT64_MAX;
}

static const char *const phases[] = { "only", NULL };
static const struct holder_calls calls = {
    .rows = "pile",
    .lapse = "the lease on the pile ran out",
    .room = room,
    .claim = claim,
    .ours = ours,
    .claimed = claimed,
    .in_hand = in_hand,
    .drop = drop,
    .work = work,
    .next_ms = next_ms,
    .phases = phases,
};

static void take_one_off(struct mail *mail)
{
    (void)mail;
    atomic_fetch_sub(&pile.height, 1);
    holder_look(&pile.holder);
    atomic_store(&pile.is_posted, false);
}

struct fixture {
    char folder[64], url[256];
    struct store *store;
};

static struct fixture fixture;

static int start_on(void **state)
{
    struct err err = { 0 };

    pile = (struct pile){ 0 };
    *state = &fixture;
    if (!*fixture.url)
        return 0;
    units_migrate(fixture.url);
    fixture.store = store_open(&(struct store_options){ .url = fixture.url }, &err);
    assert_non_null(fixture.store);
    return 0;
}

static int start(void **state)
{
    fixture = (struct fixture){ 0 };
    units_folder(fixture.folder, false);
    snprintf(fixture.url, sizeof(fixture.url), "sqlite:%s/db", fixture.folder);
    return start_on(state);
}

static int start_on_postgres(void **state)
{
    fixture = (struct fixture){ 0 };
    if (!units_postgres("witan_holder", fixture.url))
        *fixture.url = '\0';
    return start_on(state);
}

static void close_holder(void)
{
    holder_close(&pile.holder);
    holder_done(&pile.holder);
    pile.holder.calls = NULL;
}

static int stop(void **state)
{
    (void)state;
    if (pile.holder.calls)
        close_holder();
    if (fixture.store)
        store_close(fixture.store);
    if (*fixture.folder)
        units_remove(fixture.folder);
    return 0;
}

static void begin(size_t wanting)
{
    struct err err = { 0 };

    if (!fixture.store)
        skip();
    atomic_store(&pile.wanting, wanting);
    holder_init(&pile.holder);
    assert_true(holder_open(&pile.holder, fixture.store, &calls, &err));
}

static void end(void)
{
    close_holder();
    assert_int_equal(units_number(fixture.url, "SELECT COUNT(*) FROM council_nodes"), 0);
}

static bool comes_true(bool (*holds)(void))
{
    int64_t until = clock_ticks_ms() + PATIENCE_MS;

    while (!holds()) {
        if (clock_ticks_ms() > until)
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
    return true;
}

static bool is_full(void)
{
    return atomic_load(&pile.height) == ROOM;
}

static bool is_opened(void)
{
    return !atomic_load(&pile.is_posted);
}

static bool all_are_claimed(void)
{
    return atomic_load(&pile.wanting) == 0;
}

static void no_more_is_claimed_than_there_is_room_for(void **state)
{
    (void)state;
    begin(10);
    for (int i = 0; i < 7; i++) {
        assert_true(comes_true(is_full));
        atomic_store(&pile.is_posted, true);
        holder_post(&pile.holder, &pile.done, take_one_off);
        assert_true(comes_true(is_opened));
    }
    assert_true(comes_true(all_are_claimed));
    end();
    assert_int_equal(pile.claims, 10);
    assert_int_equal(pile.highest, ROOM);
    assert_int_equal(pile.drops, 0);
    assert_int_equal(pile.claimed_without_lease, 0);
}

static bool is_claimed_again(void)
{
    return atomic_load(&pile.height) > 0;
}

/* The commit of a claim is stored, and its connection was lost: what it took is nobody else's. */
static void rows_of_a_claim_that_nobody_heard_of_are_taken_up(void **state)
{
    (void)state;
    atomic_store(&pile.loses_claim, true);
    begin(2);
    assert_true(comes_true(is_claimed_again));
    assert_int_equal(pile.height, 2);
    assert_int_equal(pile.claimed_without_lease, 0);
    end();
    assert_int_equal(pile.claims, 2);
}

/* The same, and the database is still at that commit when it is looked for. */
static void rows_of_a_claim_that_is_stored_later_are_taken_up(void **state)
{
    (void)state;
    atomic_store(&pile.loses_claim, true);
    atomic_store(&pile.late, 2);
    begin(2);
    assert_true(comes_true(is_claimed_again));
    assert_int_equal(pile.height, 2);
    assert_int_equal(pile.claimed_without_lease, 0);
    end();
    assert_int_equal(pile.claims, 2);
}

static bool is_dropped(void)
{
    return atomic_load(&pile.drops) > 0;
}

/* A row that the node holds in the store, too. */
static void hold_a_row(void)
{
    char script[512];

    snprintf(script, sizeof(script),
             "INSERT INTO workspaces (id, slug, name, created_at) VALUES ('w', 'w', 'W', 1);"
             "INSERT INTO discussion_state (discussion_id, workspace_id, topic, mode, driver)"
             " VALUES ('d', 'w', 'Which way?', 'rounds', '%s');",
             pile.holder.node);
    units_script(fixture.url, script);
}

/* The store need not say no: a renewal that is still on its way when the time is up is none. What was held is
 * let go of before anything is claimed again, or nobody would take it up. */
static void a_lease_lapses_while_its_renewal_is_stuck(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    struct db_rows rows;

    (void)state;
    begin(1);
    assert_true(comes_true(all_are_claimed));
    hold_a_row();
    struct db *other = units_open(fixture.url);

    assert_true(db_begin(other, true, &err));
    do
        assert_true(
            db_query_text(other, &arena, "SELECT id FROM council_nodes FOR UPDATE", DB_NO_ARGS, &rows, &err));
    while (rows.count == 0);
    assert_true(comes_true(is_dropped));
    assert_true(pile.renewal_was_stuck);
    db_rollback(other);
    db_close(other);
    assert_true(comes_true(is_claimed_again));
    assert_int_equal(pile.claims, 2);
    assert_int_equal(units_number(fixture.url, "SELECT COUNT(*) FROM discussion_state WHERE driver IS NULL"),
                     1);
    assert_int_equal(pile.claimed_without_lease, 0);
    end();
}

static bool is_renewed(void)
{
    return units_number(fixture.url,
                        "SELECT COUNT(*) FROM council_nodes WHERE lease_until - started_at > 7000") > 0;
}

static void a_lease_is_renewed_while_something_is_in_hand(void **state)
{
    (void)state;
    begin(1);
    assert_true(comes_true(is_renewed));
    assert_int_equal(pile.drops, 0);
    end();
}

static bool has_no_lease(void)
{
    return units_number(fixture.url, "SELECT COUNT(*) FROM council_nodes") == 0;
}

/* What it held and has nothing in hand of any more must not stay held for as long as it renews for others. */
static void a_node_with_nothing_in_hand_lets_its_lease_go(void **state)
{
    (void)state;
    begin(1);
    assert_true(comes_true(all_are_claimed));
    atomic_store(&pile.is_posted, true);
    holder_post(&pile.holder, &pile.done, take_one_off);
    assert_true(comes_true(is_opened));
    assert_true(comes_true(has_no_lease));
    assert_int_equal(pile.drops, 0);
    end();
}

static bool is_given_up(enum err_code code, int tries)
{
    struct holder_unit unit = { .work = { .err = { .code = code } } };

    return unit_is_hopeless(&unit, tries);
}

static void a_write_is_given_up_after_as_many_tries_as_its_error_is_worth(void **state)
{
    (void)state;
    assert_false(is_given_up(ERR_INVALID, HOLDER_TRIES_BAD - 1));
    assert_true(is_given_up(ERR_INVALID, HOLDER_TRIES_BAD));
    assert_false(is_given_up(ERR_INTERNAL, HOLDER_TRIES - 1));
    assert_true(is_given_up(ERR_INTERNAL, HOLDER_TRIES));
    assert_false(is_given_up(ERR_UNAVAILABLE, 1000));
    assert_true(again_ms(1) < again_ms(2) && again_ms(2) < again_ms(3));
    assert_int_equal(again_ms(30), again_ms(31));
}

#define WITH_A_STORE(test)  cmocka_unit_test_setup_teardown(test, start, stop)
#define WITH_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start_on_postgres, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_A_STORE(no_more_is_claimed_than_there_is_room_for),
        WITH_A_STORE(rows_of_a_claim_that_nobody_heard_of_are_taken_up),
        WITH_A_SERVER(rows_of_a_claim_that_nobody_heard_of_are_taken_up),
        WITH_A_SERVER(rows_of_a_claim_that_is_stored_later_are_taken_up),
        WITH_A_SERVER(no_more_is_claimed_than_there_is_room_for),
        WITH_A_SERVER(a_lease_lapses_while_its_renewal_is_stuck),
        WITH_A_SERVER(a_lease_is_renewed_while_something_is_in_hand),
        WITH_A_SERVER(a_node_with_nothing_in_hand_lets_its_lease_go),
        cmocka_unit_test(a_write_is_given_up_after_as_many_tries_as_its_error_is_worth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
