/*
 * Running out of memory ends the work that needed it and nothing else. The limit is the kernel's own, for
 * this process; sanitizers end the program themselves when memory is refused, so there only the leaving is
 * tested.
 */
#include "base/memory.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITED 0
#else
#define LIMITED 1
#endif

static int given_back;

static void count(int *thing)
{
    given_back += *thing;
}

static void leave(int depth)
{
    __attribute__((cleanup(count))) int held = 1;
    BUF_AUTO text = { 0 };

    buf_text(&text, "held");
    if (depth > 0)
        leave(depth - 1);
    else if (depth == 0)
        memory_gone(1);
    held += depth;
}

static void run_leave(void *arg)
{
    leave(*(int *)arg);
}

static void leaving_gives_back_what_each_frame_holds(void **state)
{
    int depth = 9;

    (void)state;
    given_back = 0;
    for (int i = 1; i <= 3; i++) {
        assert_false(memory_try(run_leave, &depth));
        assert_int_equal(given_back, i * 10);
    }
}

static void run_fine(void *arg)
{
    *(int *)arg = 7;
}

static void run_inner(void *arg)
{
    int depth = 2;

    assert_false(memory_try(run_leave, &depth));
    assert_true(memory_try(run_fine, arg));
}

static void one_inside_another(void **state)
{
    int done = 0;

    (void)state;
    assert_true(memory_try(run_inner, &done));
    assert_int_equal(done, 7);
}

static void limit_memory(size_t more, struct rlimit *before)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[128];
    unsigned long kb = 0;

    assert_non_null(status);
    while (fgets(line, sizeof(line), status) && sscanf(line, "VmData: %lu", &kb) != 1)
        continue;
    fclose(status);
    assert_true(kb > 0);
    assert_int_equal(getrlimit(RLIMIT_DATA, before), 0);
    assert_int_equal(setrlimit(RLIMIT_DATA, &(struct rlimit){ kb * 1024 + more, before->rlim_max }), 0);
}

static void fill_arena(void *arg)
{
    for (;;)
        memset(arena_alloc(arg, 100 * KB, 8), 1, 100 * KB);
}

static void fill_buffer(void *arg)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, (size_t)1 << 40);
    for (;;)
        buf_text(&text, arg);
}

static void fill_tree(void *arg)
{
    JSON_AUTO *list = json_array();

    for (;;)
        json_array_append_new(list, json_string(arg));
}

static void everything_that_grows_can_be_ended(void **state)
{
    struct arena arena = { 0 };
    struct rlimit before;

    (void)state;
    if (!LIMITED)
        skip();
    limit_memory(64 * MB, &before);
    for (int i = 0; i < 3; i++) {
        assert_false(memory_try(fill_arena, &arena));
        arena_done(&arena);
        assert_false(memory_try(fill_buffer, "some text that is put in again and again"));
        assert_false(memory_try(fill_tree, "a text"));
    }
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
}

static void a_text_that_is_too_large_to_parse_is_refused(void **state)
{
    struct rlimit before;
    struct err err = { 0 };
    json_t *value = NULL;
    BUF_AUTO text = { 0 };

    (void)state;
    if (!LIMITED)
        skip();
    buf_text(&text, "[");
    for (int i = 0; i < 50000; i++)
        buf_text(&text, "{\"a\":{}},");
    buf_text(&text, "1]");
    limit_memory(4 * MB, &before);
    assert_false(json_parse(text.bytes, text.len, &value, &err));
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    assert_true(json_parse(text.bytes, text.len, &value, &err));
    json_decref(value);
}

/* Where nothing can be ended the reserve helps, and is there again with the next work, however that ends. */
static void the_reserve_is_for_the_rest(void **state)
{
    const size_t large =
        48 * MB; /* goes back to the system when it is freed, and more than was left before */
    struct rlimit before;
    int depth = 1;
    char *block;

    (void)state;
    if (!LIMITED)
        skip();
    memory_reserve(64 * MB);
    for (int i = 0; i < 4; i++) {
        limit_memory(1 * MB, &before);
        assert_null(malloc(large));
        block = memory_take(large);
        assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
        memset(block, 1, large);
        free(block);
        assert_true(memory_try(i % 2 ? run_leave : run_fine, &depth) == (i % 2 == 0));
    }
}

int main(void)
{
    /* The first two are first, since what others have given back is not taken from the system again. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_that_is_too_large_to_parse_is_refused),
        cmocka_unit_test(the_reserve_is_for_the_rest),
        cmocka_unit_test(leaving_gives_back_what_each_frame_holds),
        cmocka_unit_test(one_inside_another),
        cmocka_unit_test(everything_that_grows_can_be_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
