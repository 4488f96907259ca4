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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_comes_first_whatever_its_lane),
        cmocka_unit_test(lanes_have_limits_of_their_own),
        cmocka_unit_test(waiting_ends_in_time_and_at_the_close),
        cmocka_unit_test(only_the_old_are_taken_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
