#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool near(int64_t a, int64_t b, int64_t within)
{
    return llabs(a - b) <= within;
}

/* How far the clock is ahead of the ticks, exact however busy the machine is. */
static int64_t lead(int64_t *ticks)
{
    int64_t now;

    do {
        *ticks = clock_ticks_ms();
        now = clock_now_ms();
    } while (clock_ticks_ms() != *ticks);
    return now - *ticks;
}

/* Anchors so far from now, exactly: again if this thread was held up between looking and setting. */
static void anchor(int64_t difference_ms)
{
    int64_t began;

    do {
        began = clock_ticks_ms();
        clock_follow(clock_now_ms() + difference_ms);
    } while (clock_ticks_ms() != began);
}

/* Anchors so far from now and returns how much the clock then moves against the ticks in a while. */
static int64_t moved_by(int64_t difference_ms, useconds_t wait_us, int64_t *passed_ms)
{
    int64_t start, end;

    anchor(difference_ms);

    int64_t before = lead(&start);

    usleep(wait_us);

    int64_t after = lead(&end);

    *passed_ms = end - start;
    return after - before;
}

static int64_t monotonic_ms(const struct timespec *moment)
{
    return (int64_t)moment->tv_sec * 1000 + moment->tv_nsec / 1000000;
}

static void a_moment_lies_so_far_from_now(void **state)
{
    struct timespec before, after;

    (void)state;
    for (int64_t ms = 0; ms < 3000; ms += 250) {
        clock_gettime(CLOCK_MONOTONIC, &before);

        struct timespec moment = clock_moment_after(ms);

        clock_gettime(CLOCK_MONOTONIC, &after);
        assert_in_range(moment.tv_nsec, 0, 999999999);
        assert_true(monotonic_ms(&moment) >= monotonic_ms(&before) + ms);
        assert_true(monotonic_ms(&moment) <= monotonic_ms(&after) + ms);
    }
}

/* The clock is one per process and the first anchor is special, so one test walks through its life. */
static void the_clock_follows_the_database(void **state)
{
    int64_t passed, moved;

    (void)state;
    assert_true(near(clock_now_ms(), wall_ms(), 60000));
    clock_follow(1000000000000);
    assert_true(near(clock_now_ms(), 1000000000000, 60000));

    moved = moved_by(1500, 200000, &passed);
    assert_true(moved >= 9 && moved <= passed / 20 + 1);
    moved = moved_by(-1500, 200000, &passed);
    assert_true(moved <= -9 && moved >= -passed / 20 - 1);
    moved = moved_by(-60000, 200000, &passed);
    assert_true(moved <= -9 && moved >= -passed / 20 - 1);

    /* Far ahead it jumps at once: less far by what passed on the way there, when the clock was slow besides.
     */
    int64_t start, end, before = lead(&start);

    clock_follow(clock_now_ms() + 60000);
    moved = lead(&end) - before;
    passed = end - start;
    assert_true(moved <= 60000 && moved >= 60000 - passed - passed / 20 - 2);

    /* A difference that has been worked off stays so. */
    moved = moved_by(4, 400000, &passed);
    assert_true(moved >= 0 && moved <= 4);
}

static void the_offset_moves_the_clock(void **state)
{
    int64_t ticks;

    (void)state;
    clock_follow(clock_now_ms() + 10000);

    int64_t before = lead(&ticks);

    clock_set_offset_ms(3600000);
    assert_int_equal(clock_offset_ms(), 3600000);
    assert_int_equal(lead(&ticks) - before, 3600000);
    clock_set_offset_ms(-3600000);
    assert_true(lead(&ticks) - before == -3600000);
    clock_set_offset_ms(0);
    assert_int_equal(lead(&ticks), before);
}

static atomic_bool stop;

static void *watch(void *went_back)
{
    int64_t last = 0;

    while (!atomic_load(&stop)) {
        int64_t now = clock_now_ms();

        if (now < last)
            *(bool *)went_back = true;
        last = now;
    }
    return NULL;
}

static void time_never_runs_backwards(void **state)
{
    bool went_back[2] = { false, false };
    pthread_t threads[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, watch, &went_back[i]), 0);
    for (int i = 0; i < 20000; i++)
        clock_follow(clock_now_ms() + i % 5000 - 2500);
    /* Here a reader that mixes values from before and after an anchor is off by some milliseconds. */
    for (int i = 0; i < 30; i++) {
        usleep(50000);
        clock_follow(clock_now_ms() + 1900);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_false(went_back[i]);
    }
}

static void ticks_count_real_time(void **state)
{
    int64_t us = clock_ticks_us(), ms = clock_ticks_ms();

    (void)state;
    usleep(20000);
    assert_in_range(clock_ticks_us() - us, 20000, 600000000);
    assert_in_range(clock_ticks_ms() - ms, 19, 600000);
}

static void times_are_written(void **state)
{
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { -1, "1969-12-31T23:59:59.999Z" },
        { 951782399999, "2000-02-28T23:59:59.999Z" },
        { 951782400000, "2000-02-29T00:00:00.000Z" },
        { 1769860800000, "2026-01-31T12:00:00.000Z" },
        { -62135596800000, "0001-01-01T00:00:00.000Z" },
        { INT64_MIN, "0001-01-01T00:00:00.000Z" },
        { INT64_MAX, "9999-12-31T23:59:59.999Z" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(clock_text(&arena, cases[i].ms), cases[i].text);
}

/* Against libc, every 19 hours and a bit through all years, and back again by our own reading. */
static void times_agree_with_libc(void **state)
{
    (void)state;
    for (int64_t ms = -62135596800000; ms < 253402300800000; ms += 68400123 * 7) {
        char ours[CLOCK_TEXT_SIZE], theirs[64];
        int64_t rest = (ms % 1000 + 1000) % 1000, back;
        time_t seconds = (time_t)((ms - rest) / 1000);
        struct tm tm;

        gmtime_r(&seconds, &tm);
        snprintf(theirs, sizeof(theirs), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900,
                 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)rest);
        clock_format(ms, ours);
        assert_string_equal(ours, theirs);
        assert_true(clock_parse(ours, &back));
        assert_true(back == ms);
    }
}

static void times_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        { "2026-01-31T12:00:00Z", 1769860800000 },
        { "2026-01-31t12:00:00z", 1769860800000 },
        { "2026-01-31 14:00:00.5+02:00", 1769860800500 },
        { "2026-01-31T06:30:00.123456789-05:30", 1769860800123 },
        { "2024-02-29T00:00:00Z", 1709164800000 },
        { "2016-12-31T23:59:60Z", 1483228799999 },
        { "2016-12-31T23:59:60.5Z", 1483228799999 },
        { "1969-12-31T23:59:59.999Z", -1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int64_t ms = 1;

        assert_true(clock_parse(cases[i].text, &ms));
        assert_true(ms == cases[i].ms);
    }
}

static void other_texts_are_no_times(void **state)
{
    static const char *const bad[] = {
        "",
        "2026-01-31",
        "2026-01-31T12:00Z",
        "2026-01-31T12:00:00",
        "2026-1-31T12:00:00Z",
        "2026-13-01T12:00:00Z",
        "2026-00-01T12:00:00Z",
        "2026-02-29T12:00:00Z",
        "1900-02-29T12:00:00Z",
        "2026-04-31T12:00:00Z",
        "2026-01-00T12:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:61Z",
        "2026-01-31T12:00:00.Z",
        "2026-01-31T12:00:00.1234567890Z",
        "2026-01-31T12:00:00+2:00",
        "2026-01-31T12:00:00+24:00",
        "2026-01-31T12:00:00+02:60",
        "2026-01-31T12:00:00+0200",
        "2026-01-31T12:00:00Z ",
        " 2026-01-31T12:00:00Z",
        "2026-01-31_12:00:00Z",
        "2026-01-31T12:00:00ZZ",
        "+026-01-31T12:00:00Z",
        "1769860800000",
        "0000-12-31T23:59:59Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
    };
    int64_t ms = 77;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        if (clock_parse(bad[i], &ms))
            fail_msg("'%s' was read as a time", bad[i]);
    assert_false(clock_parse(NULL, &ms));
    assert_int_equal(ms, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moment_lies_so_far_from_now), cmocka_unit_test(the_clock_follows_the_database),
        cmocka_unit_test(the_offset_moves_the_clock),    cmocka_unit_test(time_never_runs_backwards),
        cmocka_unit_test(ticks_count_real_time),         cmocka_unit_test(times_are_written),
        cmocka_unit_test(times_agree_with_libc),         cmocka_unit_test(times_are_read),
        cmocka_unit_test(other_texts_are_no_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
