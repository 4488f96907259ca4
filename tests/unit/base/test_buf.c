#include "base/buf.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void bytes_are_kept_in_order(void **state)
{
    BUF_AUTO buf = { 0 };

    (void)state;
    buf_text(&buf, "one ");
    buf_add(&buf, "two three", 4);
    buf_char(&buf, '3');
    buf_format(&buf, "%s%d", " + ", 4);
    buf_add(&buf, NULL, 0);
    assert_string_equal(buf.bytes, "one two 3 + 4");
    assert_int_equal(buf.len, strlen(buf.bytes));
    assert_false(buf.full);
}

static void an_empty_buffer_is_a_text(void **state)
{
    BUF_AUTO buf;
    size_t len = 9;

    (void)state;
    buf_init(&buf, 10);
    assert_string_equal(buf.bytes, "");
    buf_clear(&buf);

    char *taken = buf_take(&buf, &len);

    assert_string_equal(taken, "");
    assert_int_equal(len, 0);
    free(taken);
}

static void room_doubles_from_512(void **state)
{
    BUF_AUTO buf = { 0 };
    size_t changes = 0, room = 0;

    (void)state;
    buf_char(&buf, 'x');
    assert_int_equal(buf.room, 512);
    for (int i = 0; i < 1000000; i++) {
        buf_char(&buf, (char)('a' + i % 26));
        changes += buf.room != room;
        room = buf.room;
    }
    assert_int_equal(buf.len, 1000001);
    assert_true(changes < 15);
    for (size_t i = 1; i < buf.len; i++)
        assert_int_equal(buf.bytes[i], 'a' + (int)((i - 1) % 26));
    assert_int_equal(buf.bytes[buf.len], 0);
}

static void a_full_buffer_stays_as_it_was(void **state)
{
    BUF_AUTO buf;

    (void)state;
    buf_init(&buf, 10);
    buf_text(&buf, "0123456");
    buf_text(&buf, "7890");
    assert_true(buf.full);
    assert_string_equal(buf.bytes, "0123456");
    buf_char(&buf, '7');
    buf_format(&buf, "8");
    assert_string_equal(buf.bytes, "0123456");

    buf_clear(&buf);
    assert_false(buf.full);
    assert_string_equal(buf.bytes, "");
    buf_text(&buf, "0123456789");
    assert_false(buf.full);
    assert_string_equal(buf.bytes, "0123456789");
    buf_char(&buf, 'x');
    assert_true(buf.full);
}

static void formats_that_do_not_fit_leave_nothing(void **state)
{
    BUF_AUTO buf;

    (void)state;
    buf_init(&buf, 600);
    buf_text(&buf, "head");
    buf_format(&buf, "%700d", 1);
    assert_true(buf.full);
    assert_string_equal(buf.bytes, "head");
    buf_clear(&buf);
    buf_format(&buf, "%599d%d", 1, 2);
    assert_false(buf.full);
    assert_int_equal(buf.len, 600);
    assert_string_equal(buf.bytes + 598, "12");
}

static void no_limit_means_the_limit_of_a_reply(void **state)
{
    BUF_AUTO buf = { 0 };
    char *chunk = calloc(1, 1 * MB);

    (void)state;
    assert_non_null(chunk);
    for (size_t i = 0; i < LIMIT_REPLY / (1 * MB); i++)
        buf_add(&buf, chunk, 1 * MB);
    assert_false(buf.full);
    buf_char(&buf, 'x');
    assert_true(buf.full);
    assert_int_equal(buf.len, LIMIT_REPLY);
    free(chunk);
}

static void taken_bytes_belong_to_the_caller(void **state)
{
    BUF_AUTO buf = { 0 };
    size_t len;

    (void)state;
    buf_text(&buf, "mine");

    char *taken = buf_take(&buf, &len);

    buf_text(&buf, "other");
    assert_string_equal(taken, "mine");
    assert_int_equal(len, 4);
    assert_string_equal(buf.bytes, "other");
    free(taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_kept_in_order),
        cmocka_unit_test(an_empty_buffer_is_a_text),
        cmocka_unit_test(room_doubles_from_512),
        cmocka_unit_test(a_full_buffer_stays_as_it_was),
        cmocka_unit_test(formats_that_do_not_fit_leave_nothing),
        cmocka_unit_test(no_limit_means_the_limit_of_a_reply),
        cmocka_unit_test(taken_bytes_belong_to_the_caller),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
