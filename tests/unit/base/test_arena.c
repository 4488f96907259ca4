#include "base/arena.h"

#include "base/budget.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#if SANITIZED_ADDRESS
#include <sanitizer/asan_interface.h>
#endif

static bool all_zero(const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i])
            return false;
    return true;
}

static void memory_is_zeroed_also_when_reused(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t size = 1; size < 40000; size = size * 3 + 1) {
            unsigned char *bytes = arena_alloc(&arena, size, 1);

            assert_true(all_zero(bytes, size));
            memset(bytes, 0xFF, size);
        }
        arena_reset(&arena);
    }
}

static void pieces_are_aligned_and_apart(void **state)
{
    ARENA_AUTO arena = { 0 };
    unsigned char *pieces[500];

    (void)state;
    for (size_t i = 0; i < 500; i++) {
        size_t align = (size_t)1 << (i % 8);

        pieces[i] = arena_alloc(&arena, i + 1, align);
        assert_int_equal((uintptr_t)pieces[i] % align, 0);
        memset(pieces[i], (int)(i & 0xFF), i + 1);
    }
    for (size_t i = 0; i < 500; i++)
        for (size_t at = 0; at <= i; at++)
            assert_int_equal(pieces[i][at], i & 0xFF);
}

static void a_large_piece_leaves_the_small_block_in_use(void **state)
{
    ARENA_AUTO arena = { 0 };
    char *before = arena_alloc(&arena, 8, 8);
    char *large = arena_alloc(&arena, 1000000, 16);
    char *after = arena_alloc(&arena, 8, 8);

    (void)state;
    large[999999] = 'x';
    assert_true(after > before && after - before < 64);
    arena_reset(&arena);
    assert_ptr_equal(arena_alloc(&arena, 8, 8), before);
}

static void reset_keeps_one_block_and_done_none(void **state)
{
    struct arena arena = { 0 };
    char *first;

    (void)state;
    for (int i = 0; i < 100; i++)
        arena_alloc(&arena, 1000, 8);
    arena_reset(&arena);
    assert_non_null(arena.newest);
    first = arena_alloc(&arena, 8, 8);
    arena_reset(&arena);
    assert_ptr_equal(arena_alloc(&arena, 8, 8), first);
    arena_done(&arena);
    assert_null(arena.newest);
    arena_reset(&arena);
    assert_null(arena.newest);

    arena_alloc(&arena, 100000, 8);
    arena_reset(&arena);
    assert_null(arena.newest);
}

static void texts_are_copied(void **state)
{
    ARENA_AUTO arena = { 0 };
    char from[] = "council";
    char *copy = arena_copy(&arena, from, 4), *text = arena_text(&arena, from);

    (void)state;
    from[0] = 'X';
    assert_string_equal(copy, "coun");
    assert_string_equal(text, "council");
    assert_null(arena_text(&arena, NULL));
    assert_string_equal(arena_copy(&arena, NULL, 0), "");
    assert_string_equal(arena_format(&arena, "%s-%d", "a", 7), "a-7");
    assert_int_equal(strlen(arena_format(&arena, "%50000d", 1)), 50000);
    assert_non_null(arena_array(&arena, int64_t, 0));
}

struct hunger {
    struct arena *arena;
    size_t bytes;
};

static void eat(void *arg)
{
    struct hunger *hunger = arg;

    arena_alloc(hunger->arena, hunger->bytes, 1);
}

/* Beyond its first block; what is refused ends the work that asked, and leaves everything as it was. */
static void what_it_holds_is_taken_from_its_budget(void **state)
{
    struct budget budget;
    struct arena arena = { .budget = &budget };

    (void)state;
    budget_init(&budget, 1 * MB);
    arena_alloc(&arena, 1000, 8);
    assert_int_equal(budget_used(&budget), 0);
    for (int i = 0; i < 10; i++)
        arena_alloc(&arena, 15000, 8);
    assert_in_range(budget_used(&budget), 9 * 16 * KB - 4 * KB, 9 * 16 * KB + 4 * KB);
    assert_true(arena.held > budget_used(&budget));

    size_t before = budget_used(&budget);

    assert_false(memory_try(eat, &(struct hunger){ &arena, 700 * KB }));
    assert_int_equal(budget_used(&budget), before);
    assert_int_equal(budget_refused(&budget), 1);
    assert_true(memory_try(eat, &(struct hunger){ &arena, 500 * KB }));
    assert_true(budget_used(&budget) > before + 500 * KB);
    /* Where nothing can be ended it is taken all the same. */
    arena_alloc(&arena, 2 * MB, 8);
    assert_true(budget_used(&budget) > 2 * MB);
    assert_true(budget_peak(&budget) >= budget_used(&budget));
    arena_reset(&arena);
    assert_int_equal(budget_used(&budget), 0);
    assert_true(budget_peak(&budget) > 2 * MB);
    arena_alloc(&arena, 3 * MB, 8);
    arena_done(&arena);
    assert_int_equal(budget_used(&budget), 0);
    assert_int_equal(arena.held, 0);
}

#if SANITIZED_ADDRESS
static void memory_outside_of_pieces_is_poisoned(void **state)
{
    ARENA_AUTO arena = { 0 };
    char *bytes = arena_alloc(&arena, 24, 8);

    (void)state;
    assert_false(__asan_address_is_poisoned(bytes + 23));
    assert_true(__asan_address_is_poisoned(bytes + 24));
    arena_alloc(&arena, 8, 8);
    assert_true(__asan_address_is_poisoned(bytes + 24));
    arena_reset(&arena);
    assert_true(__asan_address_is_poisoned(bytes));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_also_when_reused),
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(a_large_piece_leaves_the_small_block_in_use),
        cmocka_unit_test(reset_keeps_one_block_and_done_none),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(what_it_holds_is_taken_from_its_budget),
#if SANITIZED_ADDRESS
        cmocka_unit_test(memory_outside_of_pieces_is_poisoned),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
