#include "cli/screen/keys.h"

#include "cli/screen/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct deed pressed(enum screen_mode mode, uint32_t code)
{
    return keys_mean(mode, (struct press){ .name = KEYNAME_CHARACTER, .code = code });
}

static enum act named(enum screen_mode mode, enum key_name name)
{
    return keys_mean(mode, (struct press){ .name = name }).act;
}

static void letters_are_commands_where_nothing_is_typed(void **state)
{
    (void)state;
    assert_int_equal(pressed(SCREEN_LIST, 'j').act, ACT_DOWN);
    assert_int_equal(pressed(SCREEN_LIST, 'k').act, ACT_UP);
    assert_int_equal(pressed(SCREEN_LIST, 'a').act, ACT_YES);
    assert_int_equal(pressed(SCREEN_SHOW, 'r').act, ACT_NO);
    assert_int_equal(pressed(SCREEN_LIST, '/').act, ACT_FILTER);
    assert_int_equal(pressed(SCREEN_SHOW, '/').act, ACT_NONE);
    assert_int_equal(pressed(SCREEN_LIST, 'q').act, ACT_QUIT);
    assert_int_equal(pressed(SCREEN_CONFIRM, 'q').act, ACT_BACK);
    assert_int_equal(pressed(SCREEN_LIST, '7').act, ACT_CHOOSE);
    assert_int_equal(pressed(SCREEN_LIST, '7').code, 7);
    assert_int_equal(pressed(SCREEN_LIST, '0').act, ACT_NONE);
    assert_int_equal(pressed(SCREEN_LIST, 0).act, ACT_NONE);
}

static void letters_are_text_where_something_is_typed(void **state)
{
    (void)state;
    for (uint32_t code = ' '; code < 0x7f; code++) {
        assert_int_equal(pressed(SCREEN_ANSWER, code).act, ACT_TYPE);
        assert_int_equal(pressed(SCREEN_FILTER, code).code, code);
    }
    assert_int_equal(pressed(SCREEN_ANSWER, 0x65e5).act, ACT_TYPE);
    assert_int_equal(pressed(SCREEN_ANSWER, 0x1b).act, ACT_NONE);
    assert_int_equal(pressed(SCREEN_ANSWER, 0x9b).act, ACT_NONE);
    assert_int_equal(pressed(SCREEN_ANSWER, 'u' & 0x1f).act, ACT_CLEAR);
    assert_int_equal(named(SCREEN_ANSWER, KEYNAME_UP), ACT_NONE);
    assert_int_equal(named(SCREEN_ANSWER, KEYNAME_BACKSPACE), ACT_RUB_OUT);
}

static void enter_sends_only_what_was_chosen_or_typed(void **state)
{
    (void)state;
    assert_int_equal(named(SCREEN_LIST, KEYNAME_ENTER), ACT_SHOW);
    assert_int_equal(named(SCREEN_SHOW, KEYNAME_ENTER), ACT_NONE);
    assert_int_equal(named(SCREEN_CONFIRM, KEYNAME_ENTER), ACT_SEND);
    assert_int_equal(named(SCREEN_ANSWER, KEYNAME_ENTER), ACT_SEND);
    for (enum screen_mode mode = SCREEN_LIST; mode <= SCREEN_FILTER; mode++) {
        assert_int_equal(named(mode, KEYNAME_ESCAPE), ACT_BACK);
        assert_true(keys_help(mode)[0]);
    }
}

static void a_line_is_typed_and_rubbed_out_by_characters(void **state)
{
    struct screen_line line = { 0 };

    (void)state;
    line_add(&line, 'a');
    line_add(&line, 0xe9);
    line_add(&line, 0x65e5);
    line_add(&line, 0x1f600);
    line_add(&line, 0xd800); /* half of a character */
    line_add(&line, 0x110000);
    assert_string_equal(line.text, "aé日😀");
    line_rub_out(&line);
    line_rub_out(&line);
    assert_string_equal(line.text, "aé");
    line_rub_out(&line);
    line_rub_out(&line);
    line_rub_out(&line);
    assert_string_equal(line.text, "");
    for (size_t i = 0; i < 2 * LINE_SIZE; i++)
        line_add(&line, 0x65e5);
    assert_true(line.len < LINE_SIZE);
    assert_int_equal(line.len % 3, 0);
    line_set(&line, "begin again");
    assert_string_equal(line.text, "begin again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_are_commands_where_nothing_is_typed),
        cmocka_unit_test(letters_are_text_where_something_is_typed),
        cmocka_unit_test(enter_sends_only_what_was_chosen_or_typed),
        cmocka_unit_test(a_line_is_typed_and_rubbed_out_by_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
