/*
 * Passwords that everybody would guess are refused; good ones are not bothered.
 */
#include "core/identity/password.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static bool is_good(const char *password, const char *name)
{
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    bool good = password_check(&arena, "password", password, name, &err);

    assert_true(good || (err.code == ERR_INVALID && err.text[0] && err.hint[0]));
    return good;
}

static void what_everybody_tries_first_is_refused(void **state)
{
    static const char *const weak[] = {
        "",
        "a",
        "sh0rt&sw3",
        "123456789",
        "1234567890",
        "0987654321",
        "qwertyuiop",
        "QwertyUiop",
        "password12",
        "Password123",
        "PASSWORD2024!",
        "p@ssw0rd123",
        "P@$$w0rd!!",
        "1q2w3e4r5t",
        "iloveyou12",
        "!!letmein!!",
        "administrator",
        "welcome2026",
        "aaaaaaaaaa",
        "1212121212",
        "passwordpassword",
        "abcdefghij",
        "zyxwvutsrqp",
        "changeme123",
        "1qaz2wsx3edc",
        "111222333444",
        "qwerty12345",
        "football99",
        "witan-1234",
        "letmeinletmein",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(weak) / sizeof(weak[0]); i++)
        if (is_good(weak[i], "maya"))
            fail_msg("%s was taken", weak[i]);
}

static void the_own_name_is_not_a_password(void **state)
{
    (void)state;
    assert_false(is_good("maya.hill1", "Maya.Hill"));
    assert_false(is_good("MayaHillMayaHill", "mayahill"));
    assert_false(is_good("2026 mayahill!", "mayahill"));
    assert_true(is_good("mayahill rows upstream", "mayahill"));
    assert_true(is_good("an albatross", "a"));
    assert_true(is_good("an albatross", NULL));
    assert_true(is_good("an albatross", ""));
}

static void good_ones_are_taken(void **state)
{
    static const char *const good[] = {
        "correct horse", "a long enough password", "battery staple",   "third password",
        "Tr0ub4dor&3x",  "kXw8-qPz2-Lm",           "übergrößenträger", "пароль из трёх слов",
        "long enough",   "secretary bird",         "hello helloworld", "9f3c1e77a0b2",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        if (!is_good(good[i], "maya"))
            fail_msg("%s was refused", good[i]);
}

/* Characters count, not bytes. */
static void length_counts_characters(void **state)
{
    (void)state;
    assert_false(is_good("größeträn", "maya"));
    assert_true(is_good("größeträne", "maya"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_everybody_tries_first_is_refused),
        cmocka_unit_test(the_own_name_is_not_a_password),
        cmocka_unit_test(good_ones_are_taken),
        cmocka_unit_test(length_counts_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
