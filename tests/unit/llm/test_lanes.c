/*
 * Turns are called in the order in which they came, within every limit, and none is forgotten.
 */
#include "llm/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 300

static struct lane_place turns[MANY];
static struct lane_client client;
static char names[MANY][24];

static int start(void **state)
{
    memset(turns, 0, sizeof(turns));
    *state = lanes_new(6, 2);
    return 0;
}

static int stop(void **state)
{
    for (size_t i = 0; i < MANY; i++)
        lanes_leave(*state, &turns[i]);
    assert_int_equal(lanes_out(*state), 0);
    assert_int_equal(lanes_waiting(*state), 0);
    lanes_free(*state);
    return 0;
}

static void join(struct lanes *lanes, size_t turn, const char *lane, const char *discussion)
{
    lanes_join(lanes, &client, &turns[turn], &(struct lane_key){ lane, lane, discussion, 3 });
}

static void taken(struct lanes *lanes, int turn)
{
    struct lane_place *next = lanes_take(lanes, &client);

    assert_int_equal(next ? next - turns : -1, turn);
}

static void a_lane_is_served_in_order_up_to_its_limit(void **state)
{
    for (size_t i = 0; i < 5; i++) {
        snprintf(names[i], sizeof(names[i]), "d%zu", i);
        join(*state, i, "a", names[i]);
    }
    taken(*state, 0);
    taken(*state, 1);
    taken(*state, 2);
    taken(*state, -1);
    assert_int_equal(lanes_waiting(*state), 2);
    assert_true(lanes_awaited(*state, &turns[0]));
    lanes_leave(*state, &turns[1]);
    taken(*state, 3);
    taken(*state, -1);
    lanes_leave(*state, &turns[4]);
    assert_false(lanes_awaited(*state, &turns[0]));
}

static void lanes_take_turns_and_share_one_limit(void **state)
{
    static const char *const of[] = { "a", "a", "a", "b", "b", "c", "c", "c" };

    for (size_t i = 0; i < 8; i++) {
        snprintf(names[i], sizeof(names[i]), "d%zu", i);
        join(*state, i, of[i], names[i]);
    }
    taken(*state, 0);
    taken(*state, 3);
    taken(*state, 5);
    taken(*state, 1);
    taken(*state, 4);
    taken(*state, 6);
    taken(*state, -1);
    lanes_leave(*state, &turns[3]);
    taken(*state, 2);
    taken(*state, -1);
}

/* What is over a discussion's limit steps aside for others and comes back when one of its own has. */
static void one_discussion_does_not_take_everything(void **state)
{
    join(*state, 0, "a", "d");
    join(*state, 1, "a", "d");
    join(*state, 2, "a", "d");
    join(*state, 3, "a", "other");
    taken(*state, 0);
    taken(*state, 1);
    taken(*state, 3);
    taken(*state, -1);
    lanes_leave(*state, &turns[3]);
    taken(*state, -1);
    lanes_leave(*state, &turns[0]);
    taken(*state, 2);
    taken(*state, -1);
}

static void the_next_may_take_over_the_place_of_one_that_ended(void **state)
{
    join(*state, 0, "a", "d");
    taken(*state, 0);
    for (size_t i = 2; i < 7; i++)
        join(*state, i, "a", "d");
    taken(*state, 2);
    lanes_hand_over(*state, &turns[0], &turns[1]);
    lanes_leave(*state, &turns[0]); /* which has nothing any more */
    assert_int_equal(lanes_out(*state), 2);
    taken(*state, -1);
    lanes_leave(*state, &turns[1]);
    taken(*state, 3);
    taken(*state, -1);
}

/* Models that are on one server have no more calls at once than the one that may have most. */
static void the_lanes_of_a_server_share_its_limit(void **state)
{
    static const struct lane_key small = { "small", "server", NULL, 2 },
                                 large = { "large", "server", NULL, 3 };

    for (size_t i = 0; i < 4; i++) {
        lanes_join(*state, &client, &turns[i], &small);
        lanes_join(*state, &client, &turns[4 + i], &large);
    }
    join(*state, 8, "elsewhere", "d");
    taken(*state, 0);
    taken(*state, 4);
    taken(*state, 8);
    taken(*state, 1);
    taken(*state, -1);
    lanes_leave(*state, &turns[0]);
    taken(*state, 5); /* the others' turn, and nobody is kept out */
    taken(*state, -1);
    lanes_leave(*state, &turns[5]);
    taken(*state, 2);
    lanes_leave(*state, &turns[6]);
    lanes_leave(*state, &turns[7]);
    assert_true(lanes_awaited(*state, &turns[4])); /* by one of the other lane */
    lanes_join(*state, &client, &turns[6], &large);
    lanes_join(*state, &client, &turns[7], &large);
    lanes_leave(*state, &turns[2]);
    lanes_leave(*state, &turns[1]);
    lanes_leave(*state, &turns[4]);
    taken(*state, 6);
    taken(*state, 3);
    taken(*state, 7);
    taken(*state, -1);
}

static unsigned woken;

static void wake(void *user)
{
    assert_null(user);
    woken++;
}

/* Whoever makes room finds what is another's, which is told once and fetches all. */
static void clients_share_the_limits_and_wake_each_other(void **state)
{
    struct lane_client other = { .wake = wake };
    const struct lane_key key = { "a", "a", NULL, 3 };

    for (size_t i = 0; i < 3; i++)
        lanes_join(*state, &client, &turns[i], &key);
    for (int i = 0; i < 3; i++)
        taken(*state, i);
    for (size_t i = 3; i < 6; i++)
        lanes_join(*state, &other, &turns[i], &key);
    assert_null(lanes_take(*state, &other));
    assert_int_equal(woken, 0);
    for (size_t i = 0; i < 3; i++)
        lanes_leave(*state, &turns[i]);
    taken(*state, -1);
    assert_int_equal(woken, 1);
    assert_int_equal(lanes_out(*state), 3);
    lanes_leave(*state, &turns[4]); /* not wanted any more, before it was fetched */
    assert_ptr_equal(lanes_take(*state, &other), &turns[3]);
    assert_ptr_equal(lanes_take(*state, &other), &turns[5]);
    assert_null(lanes_take(*state, &other));
    assert_int_equal(lanes_out(*state), 2);
    for (size_t i = 3; i < 6; i++)
        lanes_leave(*state, &turns[i]);
}

/* Who keeps handing on its place to its own next turn would keep others out for ever. */
static void a_lane_gives_way_to_another_when_all_places_are_taken(void **state)
{
    static const char *const of[] = { "a", "a", "a", "b", "b", "b" };

    for (size_t i = 0; i < 6; i++) {
        snprintf(names[i], sizeof(names[i]), "d%zu", i);
        join(*state, i, of[i], names[i]);
    }
    for (int i = 0; i < 6; i++)
        assert_non_null(lanes_take(*state, &client));
    assert_false(lanes_awaited(*state, &turns[0]));
    join(*state, 6, "c", "other");
    assert_true(lanes_awaited(*state, &turns[0]));
    lanes_leave(*state, &turns[5]);
    assert_false(lanes_awaited(*state, &turns[0]));
    taken(*state, 6);
}

static void all_turns_of_a_discussion_are_found(void **state)
{
    size_t found = 0;

    for (size_t i = 0; i < 4; i++)
        join(*state, i, i % 2 ? "a" : "b", "d");
    join(*state, 4, "a", "other");
    taken(*state, 0);
    for (struct lane_place *turn = lanes_of_group(*state, "d"); turn; turn = turn->next_of_own)
        found |= (size_t)1 << (turn - turns);
    assert_int_equal(found, 15);
    assert_null(lanes_of_group(*state, "none"));
}

/* Whatever the order of joining, taking and leaving, the limits hold and everybody is called once. */
static void limits_hold_under_any_order(void **state)
{
    static const char *const of[] = { "a", "b", "c", "d" }, *const discussions[] = { "v", "w", "x", "y",
                                                                                     "z" };
    unsigned seed = 7;
    size_t joined = 0, called = 0, out = 0;
    struct lane_place *calls[MANY];

    while (called < MANY) {
        unsigned by_lane[4] = { 0 }, by_discussion[5] = { 0 };
        int choice = rand_r(&seed) % 3;
        struct lane_place *next;

        if (choice == 0 && joined < MANY) {
            join(*state, joined, of[joined % 4], discussions[joined % 5]);
            joined++;
        } else if (choice == 1 && (next = lanes_take(*state, &client))) {
            calls[out++] = next;
            called++;
        } else if (out > 0) {
            size_t which = (size_t)rand_r(&seed) % out;

            lanes_leave(*state, calls[which]);
            calls[which] = calls[--out];
        }
        assert_int_equal(lanes_out(*state), out);
        assert_true(out <= 6);
        for (size_t i = 0; i < out; i++) {
            assert_true(++by_lane[(calls[i] - turns) % 4] <= 3);
            assert_true(++by_discussion[(calls[i] - turns) % 5] <= 2);
        }
    }
    assert_int_equal(lanes_waiting(*state), 0);
}

#define IN_LANES(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_LANES(a_lane_is_served_in_order_up_to_its_limit),
        IN_LANES(lanes_take_turns_and_share_one_limit),
        IN_LANES(one_discussion_does_not_take_everything),
        IN_LANES(the_next_may_take_over_the_place_of_one_that_ended),
        IN_LANES(the_lanes_of_a_server_share_its_limit),
        IN_LANES(clients_share_the_limits_and_wake_each_other),
        IN_LANES(a_lane_gives_way_to_another_when_all_places_are_taken),
        IN_LANES(all_turns_of_a_discussion_are_found),
        IN_LANES(limits_hold_under_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
