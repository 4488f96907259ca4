/*
 * What a role may is said in one row. What is worked out of the rows is looked at here by itself: sets, and
 * which of two roles is the lesser.
 */
#include "core/caller/role.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void every_role_has_a_bit_of_its_own_and_a_word(void **state)
{
    unsigned seen = 0;
    enum role role;

    (void)state;
    for (const char *const *name = role_names; *name; name++) {
        assert_true(role_parse(*name, &role));
        assert_string_equal(role_name(role), *name);
        assert_int_equal((unsigned)role & ((unsigned)role - 1), 0);
        assert_int_equal(seen & (unsigned)role, 0);
        seen |= (unsigned)role;
    }
    assert_int_equal(seen, ROLES_READ);
    assert_int_equal(seen & ROLE_ANYONE, 0);
    assert_false(role_parse("nobody", &role));
    assert_string_equal(role_name(0), "nobody");
}

static void sets_hold_those_that_the_rows_say(void **state)
{
    (void)state;
    assert_int_equal(ROLES_MANAGE, ROLE_OWNER | ROLE_ADMIN);
    assert_int_equal(ROLES_PEOPLE, ROLE_OWNER | ROLE_ADMIN | ROLE_MEMBER);
    assert_int_equal(ROLES_WRITE, ROLE_OWNER | ROLE_ADMIN | ROLE_MEMBER | ROLE_AGENT);
    assert_string_equal(ROLES_MANAGE_WORDS, " owner admin ");
    assert_string_equal(ROLES_PEOPLE_WORDS, " owner admin member ");
    assert_string_equal(answering_roles[2], "member");
    assert_null(answering_roles[3]);
}

static void the_lesser_of_two_roles_may_nothing_that_one_of_them_may_not(void **state)
{
    static const enum role falling[] = { ROLE_OWNER, ROLE_ADMIN, ROLE_MEMBER, ROLE_AGENT, ROLE_VIEWER };

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 5; j++)
            assert_int_equal(role_lesser(falling[i], falling[j]), falling[i > j ? i : j]);
        assert_int_equal(role_lesser(falling[i], 0), 0);
        assert_int_equal(role_lesser(0, falling[i]), 0);
    }
}

static void at_least_a_role_are_those_that_may_all_it_may(void **state)
{
    (void)state;
    assert_int_equal(roles_at_least(ROLE_OWNER), ROLE_OWNER);
    assert_int_equal(roles_at_least(ROLE_ADMIN), ROLES_MANAGE);
    assert_int_equal(roles_at_least(ROLE_MEMBER), ROLES_PEOPLE);
    assert_int_equal(roles_at_least(ROLE_VIEWER), ROLES_READ);
    assert_int_equal(roles_at_least(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_role_has_a_bit_of_its_own_and_a_word),
        cmocka_unit_test(sets_hold_those_that_the_rows_say),
        cmocka_unit_test(the_lesser_of_two_roles_may_nothing_that_one_of_them_may_not),
        cmocka_unit_test(at_least_a_role_are_those_that_may_all_it_may),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
