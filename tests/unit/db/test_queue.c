#include "db/queue.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

static void the_oldest_comes_first_whatever_its_lane(void **state)
{
    struct queue queue;
    struct work works[4] = { 0 };
    enum queue_lane lanes[4] = { LANE_READ, LANE_WRITE, LANE_WRITE, LANE_READ }, lane;
    struct err err = { 0 };

    (void)state;
    queue_init(&queue, 10);
    for (int i = 0; i < 4; i++) {
        assert_true(queue_put(&queue, lanes[i], &works[i], &err));
        usleep(10);
    }
    assert_int_equal(queue_length(&queue, LANE_READ), 2);
    for (int i = 0; i < 4; i++) {
        assert_ptr_equal(queue_poll(&queue, &lane), &works[i]);
        assert_int_equal(lane, lanes[i]);
    }
    assert_null(queue_poll(&queue, &lane));
    queue_done(&queue);
}

static void lanes_have_limits_of_their_own(void **state)
{
    struct queue queue;
    struct work works[5] = { 0 };
    struct err err = { 0 };

    (void)state;
    queue_init(&queue, 2);
    assert_true(queue_put(&queue, LANE_WRITE, &works[0], &err));
    assert_true(queue_put(&queue, LANE_WRITE, &works[1], &err));
    assert_false(queue_put(&queue, LANE_WRITE, &works[2], &err));
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    assert_int_equal(err.retry_after_s, 1);
    assert_true(queue_put(&queue, LANE_READ, &works[3], &err));
    queue_done(&queue);
}

static void waiting_ends_in_time_and_at_the_close(void **state)
{
    struct queue queue;
    struct work work = { 0 };
    enum queue_lane lane;
    struct err err = { 0 };
    int64_t start_ms = clock_ticks_ms();

    (void)state;
    queue_init(&queue, 2);
    assert_null(queue_take(&queue, 30, &lane));
    assert_true(clock_ticks_ms() - start_ms >= 29);
    assert_false(queue_sleep(&queue, 5));
    assert_true(queue_put(&queue, LANE_READ, &work, &err));
    queue_close(&queue);
    assert_true(queue_sleep(&queue, 60000));
    assert_true(queue_is_closed(&queue));
    assert_ptr_equal(queue_take(&queue, -1, &lane), &work);
    assert_null(queue_take(&queue, -1, &lane));
    assert_false(queue_put(&queue, LANE_READ, &work, &err));
    queue_done(&queue);
}

static void only_the_old_are_taken_out(void **state)
{
    struct queue queue;
    struct work old = { 0 }, young = { 0 };
    struct err err = { 0 };

    (void)state;
    queue_init(&queue, 2);
    assert_true(queue_put(&queue, LANE_READ, &old, &err));
    usleep(2000);
    int64_t between_us = clock_ticks_us();

    usleep(2000);
    assert_true(queue_put(&queue, LANE_WRITE, &young, &err));
    assert_ptr_equal(queue_take_older(&queue, between_us), &old);
    assert_null(queue_take_older(&queue, between_us));
    assert_int_equal(queue_length(&queue, LANE_WRITE), 1);
    queue_done(&queue);
}

/* One caller has handed in much; others come later, with one unit each. */
static void callers_are_served_in_turn(void **state)
{
    struct queue queue;
    struct work works[8] = { 0 };
    const uint64_t callers[8] = { 1, 1, 1, 1, 2, 3, 2, 0 };
    const int order[8] = { 0, 4, 5, 7, 1, 6, 2, 3 };
    enum queue_lane lane;
    struct err err = { 0 };

    (void)state;
    queue_init(&queue, 1000);
    for (int i = 0; i < 8; i++) {
        works[i].caller = callers[i];
        assert_true(queue_put(&queue, i % 2 ? LANE_READ : LANE_WRITE, &works[i], &err));
    }
    for (int i = 0; i < 8; i++) {
        assert_ptr_equal(queue_poll(&queue, &lane), &works[order[i]]);
        assert_int_equal(lane, order[i] % 2 ? LANE_READ : LANE_WRITE);
    }
    assert_null(queue_poll(&queue, &lane));
    assert_true(queue_put(&queue, LANE_READ, &works[0], &err));
    assert_ptr_equal(queue_poll(&queue, &lane), &works[0]);
    queue_done(&queue);
}

static void one_caller_does_not_fill_a_lane(void **state)
{
    static struct work works[200];
    struct queue queue;
    struct err err = { 0 };
    int taken = 0;

    (void)state;
    queue_init(&queue, 80);
    for (; taken < 200; taken++) {
        works[taken].caller = 1;
        if (!queue_put(&queue, LANE_READ, &works[taken], &err))
            break;
    }
    assert_int_equal(taken, 70);
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    works[100].caller = 2;
    assert_true(queue_put(&queue, LANE_READ, &works[100], &err));
    assert_true(queue_put(&queue, LANE_READ, &works[101], &err)); /* the server's own */
    works[102].caller = 1;
    assert_false(queue_put(&queue, LANE_READ, &works[102], &err));
    assert_true(queue_put(&queue, LANE_WRITE, &works[103], &err));
    queue_done(&queue);
}

static void count_refused(struct work *work)
{
    assert_int_equal(work->err.code, ERR_UNAVAILABLE);
    assert_in_range(work->err.retry_after_s, 1, 60);
    work->caller = 0;
}

static void what_has_waited_too_long_is_answered_whoever_waits(void **state)
{
    struct queue queue;
    struct work works[6] = { 0 };
    enum queue_lane lane;
    struct err err = { 0 };

    (void)state;
    queue_init(&queue, 100);
    for (int i = 0; i < 6; i++) {
        works[i].caller = (uint64_t)i % 3 + 1;
        works[i].done = count_refused;
        assert_true(queue_put(&queue, LANE_READ, &works[i], &err));
        if (i == 3)
            usleep(2000);
    }
    queue_expire(&queue, works[4].queued_us - 1000);
    for (int i = 0; i < 6; i++)
        assert_int_equal(works[i].caller, i < 4 ? 0 : i % 3 + 1);
    assert_ptr_equal(queue_poll(&queue, &lane), &works[4]);
    assert_ptr_equal(queue_poll(&queue, &lane), &works[5]);
    assert_null(queue_poll(&queue, &lane));
    works[0].caller = 1;
    assert_true(queue_put(&queue, LANE_READ, &works[0], &err));
    assert_ptr_equal(queue_poll(&queue, &lane), &works[0]);
    queue_done(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_comes_first_whatever_its_lane),
        cmocka_unit_test(lanes_have_limits_of_their_own),
        cmocka_unit_test(waiting_ends_in_time_and_at_the_close),
        cmocka_unit_test(only_the_old_are_taken_out),
        cmocka_unit_test(callers_are_served_in_turn),
        cmocka_unit_test(one_caller_does_not_fill_a_lane),
        cmocka_unit_test(what_has_waited_too_long_is_answered_whoever_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
