/*
 * What callers keep open is counted for each of three, and whoever is refused by one of them has taken
 * nothing of the others.
 */
#include "edge/holds.h"

#include "base/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define MANY 5

static struct settings set;

static int start(void **state)
{
    set = *settings();
    set.limits_address_streams = set.limits_token_streams = set.limits_workspace_streams = 2;
    settings_use(&set);
    *state = holds_new();
    return 0;
}

static int end(void **state)
{
    holds_free(*state);
    return 0;
}

static struct caller token(const char *id)
{
    return (struct caller){ .kind = CALLER_TOKEN, .role = ROLE_AGENT, .id = id, .workspace_id = "w" };
}

static void expect_taken(struct holds *holds, const struct caller *caller, const char *remote,
                         struct hold *hold)
{
    struct err err = { 0 };

    if (!holds_take(holds, caller, remote, hold, &err))
        fail_msg("%s", err.text);
}

/* Again and again, always by the same limit. */
static void expect_refused(struct holds *holds, const struct caller *caller, const char *remote,
                           const char *limit)
{
    for (int i = 0; i < MANY; i++) {
        struct hold hold = { 0 };
        struct err err = { 0 };

        assert_false(holds_take(holds, caller, remote, &hold, &err));
        assert_int_equal(err.code, ERR_RATE_LIMITED);
        assert_non_null(strstr(err.hint, limit));
        assert_null(hold.holds);
    }
}

static void each_of_the_three_has_its_limit(void **state)
{
    struct caller one = token("1"), two = token("2"), elsewhere = token("3");
    struct hold hold;

    set.limits_workspace_streams = 3;
    elsewhere.workspace_id = "v";
    expect_taken(*state, &one, "192.0.2.1", &hold);
    expect_taken(*state, &one, "192.0.2.2", &hold);
    expect_refused(*state, &one, "192.0.2.3", "limits.token_streams");
    expect_taken(*state, &two, "192.0.2.1", &hold);
    expect_refused(*state, &elsewhere, "192.0.2.1", "limits.address_streams");
    expect_refused(*state, &two, "192.0.2.3", "limits.workspace_streams");
    expect_taken(*state, &elsewhere, "192.0.2.3", &hold);
}

static void who_is_refused_by_the_workspace_has_taken_nothing(void **state)
{
    struct caller one = token("1"), two = token("2");
    struct hold first, second, hold;

    expect_taken(*state, &one, "192.0.2.1", &first);
    expect_taken(*state, &one, "192.0.2.1", &second);
    expect_refused(*state, &two, "192.0.2.2", "limits.workspace_streams");
    hold_give(&first);
    hold_give(&second);
    expect_taken(*state, &two, "192.0.2.2", &hold);
    expect_taken(*state, &two, "192.0.2.2", &hold);
}

static void who_is_refused_as_a_token_has_taken_nothing(void **state)
{
    struct caller one = token("1"), two = token("2");
    struct hold hold;

    set.limits_workspace_streams = 9;
    expect_taken(*state, &one, "192.0.2.1", &hold);
    expect_taken(*state, &one, "192.0.2.1", &hold);
    expect_refused(*state, &one, "192.0.2.2", "limits.token_streams");
    expect_taken(*state, &two, "192.0.2.2", &hold);
    expect_taken(*state, &two, "192.0.2.2", &hold);
}

static void what_was_given_back_is_given_back_once(void **state)
{
    struct caller one = token("1");
    struct hold kept, given;

    expect_taken(*state, &one, "192.0.2.1", &kept);
    expect_taken(*state, &one, "192.0.2.1", &given);
    hold_give(&given);
    hold_give(&given);
    expect_taken(*state, &one, "192.0.2.1", &given);
    expect_refused(*state, &one, "192.0.2.1", "limits.address_streams");
}

static void the_owner_of_this_machine_is_counted_by_the_workspace_alone(void **state)
{
    struct caller local = { .kind = CALLER_LOCAL, .role = ROLE_OWNER, .id = "local", .workspace_id = "w" };
    struct hold hold;

    set.limits_workspace_streams = 2 * MANY;
    for (int i = 0; i < 2 * MANY; i++)
        expect_taken(*state, &local, "127.0.0.1", &hold);
    expect_refused(*state, &local, "127.0.0.1", "limits.workspace_streams");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_of_the_three_has_its_limit),
        CASE(who_is_refused_by_the_workspace_has_taken_nothing),
        CASE(who_is_refused_as_a_token_has_taken_nothing),
        CASE(what_was_given_back_is_given_back_once),
        CASE(the_owner_of_this_machine_is_counted_by_the_workspace_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
