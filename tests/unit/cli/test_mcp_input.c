#include "cli/client/mcp_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void add(struct mcp_input *input, const char *text)
{
    mcp_input_add(input, text, strlen(text));
}

static void assert_next(struct mcp_input *input, const char *wanted)
{
    struct mcp_line line;

    assert_true(mcp_input_next(input, &line));
    assert_non_null(line.text);
    assert_int_equal(line.len, strlen(wanted));
    assert_memory_equal(line.text, wanted, line.len);
}

static void assert_none(struct mcp_input *input)
{
    struct mcp_line line;

    assert_false(mcp_input_next(input, &line));
}

static void lines_are_taken_as_they_come(void **state)
{
    struct mcp_input input;

    (void)state;
    mcp_input_init(&input);
    assert_none(&input);
    add(&input, "one\n\n\ntw");
    assert_false(mcp_input_wants(&input)); /* a line waits to be taken */
    assert_next(&input, "one");
    assert_none(&input);
    assert_true(mcp_input_wants(&input));
    add(&input, "o\nthree\nfou");
    assert_next(&input, "two");
    assert_next(&input, "three");
    assert_none(&input);
    mcp_input_add(&input, "", 0);
    assert_false(mcp_input_wants(&input));
    assert_next(&input, "fou");
    assert_none(&input);
    mcp_input_done(&input);
}

/* A line that has `head` and `tail` around very much text, the tail in pieces of `piece` bytes. */
static void add_long(struct mcp_input *input, const char *head, const char *tail, size_t piece)
{
    static char much[65536];

    memset(much, 'x', sizeof(much));
    add(input, head);
    for (size_t sent = 0; sent <= MCP_LINE_MOST; sent += sizeof(much))
        mcp_input_add(input, much, sizeof(much));
    for (size_t len = strlen(tail), at = 0; at < len; at += piece)
        mcp_input_add(input, tail + at, len - at < piece ? len - at : piece);
}

static void what_is_too_long_is_named_and_passed_over(void **state)
{
    static const struct {
        const char *head, *tail, *id;
    } cases[] = {
        { "{\"id\":7,\"a\":\"", "\"}\n", "7" },
        { "{\"a\":\"", "\",\"id\":\"last\"}\n", "\"last\"" },
        { "{\"a\":\"", "\", \"id\" : \"a \\\"b\\\\\" }\n", " \"a \\\"b\\\\\" " },
        { "{\"params\":{\"id\":1,\"a\":\"", "\"},\"b\":[{\"id\":2}],\"id\":3}\n", "3" },
        { "{\"params\":{\"a\":\"", "\"},\"b\":\"id\",\"c\":\"id\"}\n", "null" },
        { "{\"a\":\"", "\\\",\\\"id\\\":5\"}\n", "null" },
        { "{\"a\":\"", "\",\"idx\":5,\"xid\":6,\"i\":7}\n", "null" },
        { "{\"id\":{\"id\":1},\"a\":\"", "\"}\n", "null" },
        { "{\"id\":[1],\"a\":\"", "\"}\n", "null" },
        { "{\"id\":null,\"a\":\"", "\"}\n", "null" },
        { "[{\"id\":1,\"a\":\"", "\"}]\n", "null" },
        { "", "\n", "null" },
        { "}}}]]{\"id\":", "}\n", "null" },
    };
    struct mcp_input input;
    struct mcp_line line;

    (void)state;
    mcp_input_init(&input);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        add_long(&input, cases[i].head, cases[i].tail, i % 2 ? 1 : 1000);
        assert_true(mcp_input_next(&input, &line));
        assert_null(line.text);
        assert_string_equal(line.id, cases[i].id);
        assert_none(&input);
        add(&input, "next\n");
        assert_next(&input, "next");
    }
    mcp_input_done(&input);
}

static void the_end_ends_what_is_too_long(void **state)
{
    struct mcp_input input;
    struct mcp_line line;

    (void)state;
    mcp_input_init(&input);
    add_long(&input, "{\"id\":1,\"a\":\"", "", 1);
    assert_none(&input);
    assert_true(mcp_input_wants(&input));
    mcp_input_add(&input, "", 0);
    assert_true(mcp_input_next(&input, &line));
    assert_null(line.text);
    assert_string_equal(line.id, "1");
    assert_none(&input);
    mcp_input_done(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_taken_as_they_come),
        cmocka_unit_test(what_is_too_long_is_named_and_passed_over),
        cmocka_unit_test(the_end_ends_what_is_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
