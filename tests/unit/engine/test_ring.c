/*
 * The newest events in memory: found by number, filtered, forgotten in order.
 */
#include "engine/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const struct notice_filter everything = { .workspace_id = "w" };

static struct notice *make(int64_t seq, enum event_type type)
{
    struct event event = { .seq = seq, .workspace_id = "w", .type = type, .data = "{\"a\":1}", .at_ms = 1 };

    return notice_new(&event);
}

static void append(struct ring *ring, int64_t seq, enum event_type type)
{
    ring_append(ring, (struct notice *[]){ make(seq, type) }, 1);
}

static void expect(struct ring *ring, const struct notice_filter *filter, int64_t *cursor, int64_t seq)
{
    struct notice *notice = NULL;

    assert_int_equal(ring_next(ring, filter, cursor, &notice), RING_EVENT);
    assert_int_equal(notice->seq, seq);
    assert_int_equal(*cursor, seq);
    notice_drop(notice);
}

static void a_frame_is_ready_to_send(void **state)
{
    struct event event = {
        .seq = 7, .workspace_id = "w", .type = EVENT_JOB_LOG, .data = "{\"a\":\n  \"b\"\r\n}", .at_ms = 0
    };
    struct notice *notice = notice_new(&event);

    (void)state;
    assert_memory_equal(notice->frame, "id: 7\ndata: {", 13);
    assert_string_equal(notice->frame + notice->frame_len - 3, "}\n\n");
    assert_null(memchr(notice->json, '\n', notice->json_len));
    assert_null(memchr(notice->json, '\r', notice->json_len));
    assert_int_equal(notice->json[notice->json_len - 1], '}');
    notice_drop(notice);
}

static void reads_in_order_across_gaps_in_the_numbers(void **state)
{
    struct ring *ring = ring_new(10, 0, 0);
    struct notice *notice;
    int64_t cursor = 10;

    (void)state;
    assert_int_equal(ring_next(ring, &everything, &cursor, &notice), RING_NOTHING);
    append(ring, 11, EVENT_JOB_LOG);
    append(ring, 15, EVENT_JOB_ENDED);
    append(ring, 16, EVENT_JOB_LOG);
    expect(ring, &everything, &cursor, 11);
    expect(ring, &everything, &cursor, 15);
    expect(ring, &everything, &cursor, 16);
    assert_int_equal(ring_next(ring, &everything, &cursor, &notice), RING_NOTHING);
    cursor = 12;
    expect(ring, &everything, &cursor, 15);
    cursor = 9;
    assert_int_equal(ring_next(ring, &everything, &cursor, &notice), RING_LOST);
    assert_int_equal(cursor, 9);
    ring_free(ring);
}

static void a_filter_moves_past_what_it_does_not_want(void **state)
{
    static const enum event_type types[] = { EVENT_JOB_ENDED, EVENT_UNKNOWN };
    struct notice_filter only_ended = { .workspace_id = "w", .types = types };
    struct notice_filter elsewhere = { .workspace_id = "v" };
    struct ring *ring = ring_new(0, 0, 0);
    struct notice *notice;
    int64_t cursor = 0, other = 0;

    (void)state;
    for (int64_t seq = 1; seq <= 5000; seq++)
        append(ring, seq, seq == 4000 ? EVENT_JOB_ENDED : EVENT_JOB_LOG);
    expect(ring, &only_ended, &cursor, 4000);
    assert_int_equal(ring_next(ring, &only_ended, &cursor, &notice), RING_NOTHING);
    assert_int_equal(cursor, 5000);
    assert_int_equal(ring_next(ring, &elsewhere, &other, &notice), RING_NOTHING);
    assert_int_equal(other, 5000);
    ring_free(ring);
}

static void old_events_make_room(void **state)
{
    struct ring *ring = ring_new(0, 4, 0);
    struct notice *notice, *held = NULL;
    int64_t cursor = 0;

    (void)state;
    append(ring, 1, EVENT_JOB_LOG);
    assert_int_equal(ring_next(ring, &everything, &cursor, &held), RING_EVENT);
    for (int64_t seq = 2; seq <= 10; seq++)
        append(ring, seq, EVENT_JOB_LOG);
    assert_int_equal(ring_last(ring), 10);
    cursor = 5;
    assert_int_equal(ring_next(ring, &everything, &cursor, &notice), RING_LOST);
    cursor = 6;
    expect(ring, &everything, &cursor, 7);
    /* One that is being sent outlives its place in the ring. */
    assert_int_equal(held->seq, 1);
    notice_drop(held);
    ring_free(ring);
}

static void bytes_are_bounded_too(void **state)
{
    struct ring *ring = ring_new(0, 1000, 2000);
    struct notice *notice;
    int64_t cursor = 80;

    (void)state;
    for (int64_t seq = 1; seq <= 100; seq++)
        append(ring, seq, EVENT_JOB_LOG);
    assert_int_equal(ring_next(ring, &everything, &cursor, &notice), RING_LOST);
    cursor = 99;
    expect(ring, &everything, &cursor, 100);
    ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_ready_to_send),
        cmocka_unit_test(reads_in_order_across_gaps_in_the_numbers),
        cmocka_unit_test(a_filter_moves_past_what_it_does_not_want),
        cmocka_unit_test(old_events_make_room),
        cmocka_unit_test(bytes_are_bounded_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
