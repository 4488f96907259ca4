#include "base/clock.h"
#include "base/uuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define EACH    20000

static void ids_are_version_7(void **state)
{
    ARENA_AUTO arena = { 0 };
    int64_t now = clock_now_ms();
    char *id = uuid_new(&arena), *end;
    uint64_t ms;

    (void)state;
    assert_int_equal(strlen(id), UUID_SIZE - 1);
    assert_true(uuid_valid(id));
    assert_int_equal(id[14], '7');
    assert_non_null(strchr("89ab", id[19]));
    ms = strtoull(id, &end, 16) << 16;
    assert_int_equal(*end, '-');
    ms |= strtoull(end + 1, &end, 16);
    assert_in_range(ms - (uint64_t)now, 0, 5000);
}

struct batch {
    char ids[EACH][UUID_SIZE];
};

static void *make_many(void *into)
{
    struct batch *batch = into;

    for (size_t i = 0; i < EACH; i++)
        uuid_make(batch->ids[i]);
    return NULL;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void ids_increase_in_each_thread_and_differ_in_all(void **state)
{
    struct batch *batches = calloc(THREADS, sizeof(*batches));
    char(*all)[UUID_SIZE] = (void *)batches;
    pthread_t threads[THREADS];

    (void)state;
    assert_non_null(batches);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_many, &batches[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++)
        for (size_t at = 1; at < EACH; at++)
            assert_true(strcmp(batches[i].ids[at - 1], batches[i].ids[at]) < 0);
    qsort(all, (size_t)THREADS * EACH, UUID_SIZE, compare_ids);
    for (size_t at = 1; at < (size_t)THREADS * EACH; at++)
        assert_true(strcmp(all[at - 1], all[at]) < 0);
    free(batches);
}

static void ids_increase_when_the_clock_goes_back(void **state)
{
    char before[UUID_SIZE], after[UUID_SIZE], later[UUID_SIZE];

    (void)state;
    uuid_make(before);
    clock_set_offset_ms(-3600000);
    uuid_make(after);
    clock_set_offset_ms(3600000);
    uuid_make(later);
    clock_set_offset_ms(0);
    assert_true(strcmp(before, after) < 0);
    assert_true(strcmp(after, later) < 0);
}

/* A clock that stands an hour behind leaves all ids to one counter, until it runs out. */
static void ids_increase_when_the_counter_runs_out(void **state)
{
    char last[UUID_SIZE], next[UUID_SIZE];

    (void)state;
    uuid_make(last);
    clock_set_offset_ms(-3600000);
    for (int i = 0; i < (1 << 20) + 1; i++) {
        uuid_make(next);
        if (strcmp(last, next) >= 0)
            fail_msg("%s does not come after %s", next, last);
        memcpy(last, next, UUID_SIZE);
    }
    clock_set_offset_ms(0);
}

static void the_tails_are_random(void **state)
{
    char a[UUID_SIZE], b[UUID_SIZE];

    (void)state;
    uuid_make(a);
    uuid_make(b);
    assert_string_not_equal(a + 24, b + 24);
}

static void other_texts_are_no_ids(void **state)
{
    static const char *const bad[] = {
        "",
        "0190a1b2-c3d4-7000-8000-00000000000",
        "0190a1b2-c3d4-7000-8000-0000000000000",
        "0190a1b2-c3d4-7000-8000-00000000000g",
        "0190a1b2c3d4-7000-8000-0000-00000000",
        "0190a1b2-c3d4-7000-80000-00000000000",
        "{0190a1b2-c3d4-7000-8000-0000000000}",
    };
    char mixed[] = "0190A1B2-C3D4-4000-8000-00000000ABCd";

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(uuid_valid(bad[i]));
    assert_false(uuid_valid(NULL));
    assert_true(uuid_valid(mixed));
    uuid_lower(mixed);
    assert_string_equal(mixed, "0190a1b2-c3d4-4000-8000-00000000abcd");
}

static void random_bytes_fill_all_they_should(void **state)
{
    unsigned char bytes[4096] = { 0 };
    size_t zeros = 0;

    (void)state;
    random_bytes(bytes, sizeof(bytes) - 1);
    for (size_t i = 0; i < sizeof(bytes); i++)
        zeros += bytes[i] == 0;
    assert_int_equal(bytes[sizeof(bytes) - 1], 0);
    assert_in_range(zeros, 1, 60);
    random_bytes(bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_version_7),
        cmocka_unit_test(ids_increase_in_each_thread_and_differ_in_all),
        cmocka_unit_test(ids_increase_when_the_clock_goes_back),
        cmocka_unit_test(ids_increase_when_the_counter_runs_out),
        cmocka_unit_test(the_tails_are_random),
        cmocka_unit_test(other_texts_are_no_ids),
        cmocka_unit_test(random_bytes_fill_all_they_should),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
