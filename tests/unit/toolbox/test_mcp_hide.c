/*
 * What a server was given is in none of its words that are read, and names that it must hear again are whole.
 */
#include "toolbox/mcp_hide.h"

#include <setjmp.h> /* cmocka.h wants these four before it */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "toolbox/secrets.h"

static const char *const secrets[] = { "postgres", "key: one\r\nkey: \"two\"\n", NULL };

static void becomes(const char *came, const char *shown)
{
    ARENA_AUTO arena = { 0 };
    JSON_AUTO *tree = json_loads(came, 0, NULL);
    JSON_AUTO *wanted = json_loads(shown, 0, NULL);

    assert_non_null(tree);
    assert_non_null(wanted);
    mcp_hide(tree, secrets_known(&arena, secrets));
    if (!json_equal(tree, wanted))
        fail_msg("%s", json_dump_text(&arena, tree));
}

static void names_of_tools_and_of_their_arguments_stay(void **state)
{
    (void)state;
    becomes("{\"id\":\"postgres-1\",\"result\":{\"nextCursor\":\"postgres:2\",\"tools\":["
            "{\"name\":\"a\",\"inputSchema\":{}},"
            "{\"name\":\"postgres_query\",\"title\":\"Ask postgres\",\"description\":\"As postgres.\","
            "\"inputSchema\":{\"description\":\"Of postgres.\",\"required\":[\"postgres\"],\"properties\":"
            "{\"postgres\":{\"enum\":[\"postgres\"],\"default\":\"postgres\",\"title\":\"postgres?\"},"
            "\"title\":{\"description\":\"postgres\",\"const\":\"postgres\"}}}}]}}",
            "{\"id\":\"postgres-1\",\"result\":{\"nextCursor\":\"postgres:2\",\"tools\":["
            "{\"name\":\"a\",\"inputSchema\":{}},"
            "{\"name\":\"postgres_query\",\"title\":\"Ask ***\",\"description\":\"As ***.\","
            "\"inputSchema\":{\"description\":\"Of ***.\",\"required\":[\"postgres\"],\"properties\":"
            "{\"postgres\":{\"enum\":[\"postgres\"],\"default\":\"***\",\"title\":\"***?\"},"
            "\"title\":{\"description\":\"***\",\"const\":\"postgres\"}}}}]}}");
}

static void results_and_errors_have_none(void **state)
{
    (void)state;
    becomes(
        "[{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"postgres\",\"name\":\"postgres\"}],"
        "\"structuredContent\":{\"postgres\":{\"id\":\"postgres\"}}}},"
        "{\"id\":2,\"error\":{\"message\":\"postgres is wrong\"}}]",
        "[{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"***\",\"name\":\"***\"}],"
        "\"structuredContent\":{\"***\":{\"id\":\"***\"}}}},"
        "{\"id\":2,\"error\":{\"message\":\"*** is wrong\"}}]");
}

static void what_it_asks_for_keeps_its_names(void **state)
{
    (void)state;
    becomes(
        "{\"id\":\"postgres\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who is postgres?\","
        "\"requestedSchema\":{\"properties\":{\"postgres\":{\"description\":\"postgres\"}}}}}",
        "{\"id\":\"postgres\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who is ***?\","
        "\"requestedSchema\":{\"properties\":{\"postgres\":{\"description\":\"***\"}}}}}");
    becomes("{\"id\":1,\"result\":{\"requestState\":\"postgres\",\"inputRequests\":{\"postgres\":{\"method\":"
            "\"elicitation/create\",\"params\":{\"message\":\"postgres\",\"requestedSchema\":{\"properties\":"
            "{\"postgres\":{}}}}},\"other\":1}}}",
            "{\"id\":1,\"result\":{\"requestState\":\"postgres\",\"inputRequests\":{\"postgres\":{\"method\":"
            "\"elicitation/create\",\"params\":{\"message\":\"***\",\"requestedSchema\":{\"properties\":"
            "{\"postgres\":{}}}}},\"other\":1}}}");
}

/* As it was given, a line of it, and quoted once more in a text that is JSON itself. */
static void lines_and_quotes_hide_nothing(void **state)
{
    (void)state;
    becomes("{\"result\":{\"content\":[{\"text\":\"I have key: one\\r\\nkey: \\\"two\\\"\\n.\"},"
            "{\"text\":\"key: one\\nkey: \\\"two\\\"\"},{\"text\":\"- key: \\\"two\\\"\"},"
            "{\"text\":\"{\\\"is\\\":\\\"key: one\\\\nkey: \\\\\\\"two\\\\\\\"\\\"}\"}]}}",
            "{\"result\":{\"content\":[{\"text\":\"I have ***\\n.\"},{\"text\":\"***\"},{\"text\":\"- ***\"},"
            "{\"text\":\"{\\\"is\\\":\\\"***\\\"}\"}]}}");
}

/* Whatever shape a server gives to what should be an object or a list. */
static void what_is_no_message_is_only_hidden(void **state)
{
    (void)state;
    becomes("[\"postgres\",[\"postgres\"],{\"result\":\"postgres\",\"params\":[\"postgres\"]},"
            "{\"result\":{\"tools\":\"postgres\",\"inputRequests\":[\"postgres\"]}},"
            "{\"result\":{\"tools\":[\"postgres\",{\"inputSchema\":\"postgres\"}]}}]",
            "[\"***\",[\"***\"],{\"result\":\"***\",\"params\":[\"***\"]},"
            "{\"result\":{\"tools\":\"***\",\"inputRequests\":[\"***\"]}},"
            "{\"result\":{\"tools\":[\"***\",{\"inputSchema\":\"postgres\"}]}}]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_tools_and_of_their_arguments_stay),
        cmocka_unit_test(results_and_errors_have_none),
        cmocka_unit_test(what_it_asks_for_keeps_its_names),
        cmocka_unit_test(lines_and_quotes_hide_nothing),
        cmocka_unit_test(what_is_no_message_is_only_hidden),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
