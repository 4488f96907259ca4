/*
 * States are found by their words and written as them; no word is no state.
 */
#include "base/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum lamp { LAMP_ON = 1, LAMP_OFF, LAMP_END };
WORDS_OF(lamp, lamps);
const char *const lamps[] = { "on", "off", NULL };
WORDS_FIT(lamps, LAMP_END);

static void every_value_has_its_word_and_is_found_by_it(void **state)
{
    (void)state;
    for (enum lamp lamp = LAMP_ON; lamp < LAMP_END; lamp++)
        assert_int_equal(words_find(lamps, lamp_word(lamp)), lamp);
    assert_string_equal(lamp_word(LAMP_OFF), "off");
}

static void nothing_is_no_state_and_has_no_word(void **state)
{
    (void)state;
    assert_int_equal(words_find(lamps, NULL), 0);
    assert_null(lamp_word(0));
}

static void another_word_is_none_of_them(void **state)
{
    (void)state;
    assert_int_equal(words_find(lamps, "of"), WORD_UNKNOWN);
    assert_int_equal(words_find(lamps, "On"), WORD_UNKNOWN);
    assert_int_equal(words_find(lamps, ""), WORD_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_has_its_word_and_is_found_by_it),
        cmocka_unit_test(nothing_is_no_state_and_has_no_word),
        cmocka_unit_test(another_word_is_none_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
