/*
 * Cursors come back as the place they were made for, or not at all.
 */
#include "core/log/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define AT "2026-01-31T12:00:00.123Z"
#define ID "01a1de78-0d62-7b06-82ed-eeddd02bd275"

static void a_cursor_comes_back_as_its_place(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    struct cursor cursor;
    const char *text = cursor_after(&arena, "chat", 1, AT, ID);

    (void)state;
    assert_non_null(text);
    assert_true(cursor_read("chat", text, &cursor, &err));
    assert_int_equal(cursor.group, 1);
    assert_string_equal(cursor.created_at, AT);
    assert_string_equal(cursor.id, ID);
}

static void no_cursor_is_before_everything(void **state)
{
    struct err err = { 0 };
    struct cursor cursor;

    (void)state;
    assert_true(cursor_read("chat", NULL, &cursor, &err));
    assert_int_equal(cursor.group, 0);
    assert_true(strcmp(cursor.created_at, AT) > 0);
    assert_true(strcmp(cursor.id, ID) > 0);
}

static void a_changed_cursor_is_refused(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    struct cursor cursor;
    const char *text = cursor_after(&arena, "chat", 0, AT, ID);

    (void)state;
    for (size_t i = 0; text[i]; i++) {
        char *changed = arena_text(&arena, text);

        changed[i] = changed[i] == '0' ? '1' : '0';
        assert_false(cursor_read("chat", changed, &cursor, &err));
        assert_int_equal(err.code, ERR_INVALID);
        assert_string_equal(err.field, "cursor");
    }
    assert_false(cursor_read("prompts", text, &cursor, &err));
    assert_false(cursor_read("chat", "", &cursor, &err));
    assert_false(cursor_read("chat", arena_format(&arena, "%s0", text), &cursor, &err));
    assert_false(cursor_read("chat", arena_copy(&arena, text, strlen(text) - 1), &cursor, &err));
}

static void only_places_of_ours_have_a_cursor(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_null(cursor_after(&arena, "chat", 0, "yesterday", ID));
    assert_null(cursor_after(&arena, "chat", 0, AT, "c1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cursor_comes_back_as_its_place),
        cmocka_unit_test(no_cursor_is_before_everything),
        cmocka_unit_test(a_changed_cursor_is_refused),
        cmocka_unit_test(only_places_of_ours_have_a_cursor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
