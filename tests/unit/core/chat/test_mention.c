/*
 * What is a mention and what only looks like one.
 */
#include "core/chat/mention.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names found in a text, separated by spaces. */
static const char *found_in(struct arena *arena, const char *text)
{
    struct mention found[LIMIT_MENTIONS];
    size_t count = mention_find(arena, text, found);
    const char *names = "";

    for (size_t i = 0; i < count; i++)
        names = arena_format(arena, "%s%s%s", names, i ? " " : "", found[i].name);
    return names;
}

static void names_are_found_where_people_put_them(void **state)
{
    static const struct {
        const char *text, *names;
    } rows[] = {
        { "@Builder, what do you think?", "Builder" },
        { "ask @Builder and @Growth.", "Builder Growth" },
        { "(@Builder) **@Growth** _@Ops_", "Builder Growth Ops" },
        { "@data-team_2! @x-", "data-team_2 x" },
        { "@J\xc3\xbcrgen \xe2\x80\x9c@\xe6\x9d\x8e\xe2\x80\x9d", "J\xc3\xbcrgen \xe6\x9d\x8e" },
        { "line\n@Builder", "Builder" },
        { "\xe2\x86\x92@Builder", "Builder" },
        { "Thanks.@Builder", "Builder" },
        { "- @a\n- @b", "a b" },
        { "no names here", "" },
        { "@", "" },
        { "@ Builder", "" },
        { "@-x @_y", "" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_string_equal(found_in(&arena, rows[i].text), rows[i].names);
}

static void addresses_are_no_mentions(void **state)
{
    static const char *const texts[] = { "mail bob@example.org", "bob+@x", "b_@x", "J\xc3\xbc@x",
                                         "@alice@example.org",   "a@b@c" };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        assert_string_equal(found_in(&arena, texts[i]), "");
    assert_string_equal(found_in(&arena, "bob@example.org @Builder"), "Builder");
}

static void code_is_quoted_not_said(void **state)
{
    static const struct {
        const char *text, *names;
    } rows[] = {
        { "`@Builder` @Growth", "Growth" },          { "``a ` @Builder`` @Growth", "Growth" },
        { "```\n@Builder\n```\n@Growth", "Growth" }, { "```\n@Builder", "" },
        { "a lone ` and @Builder", "Builder" },      { "`` @Builder ` @Growth", "Builder Growth" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_string_equal(found_in(&arena, rows[i].text), rows[i].names);
}

static void each_name_counts_once_and_not_too_many(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct mention found[LIMIT_MENTIONS];
    const char *many = "";

    (void)state;
    assert_string_equal(found_in(&arena, "@Builder @builder @BUILDER @Ops"), "Builder Ops");
    for (int i = 0; i < LIMIT_MENTIONS + 7; i++)
        many = arena_format(&arena, "%s @agent%d", many, i);
    assert_int_equal(mention_find(&arena, many, found), LIMIT_MENTIONS);
    assert_string_equal(found[LIMIT_MENTIONS - 1].key, "agent49");
}

static void names_have_a_limit(void **state)
{
    ARENA_AUTO arena = { 0 };
    char name[LIMIT_NAME + 3] = "@";

    (void)state;
    memset(name + 1, 'a', LIMIT_NAME);
    assert_string_equal(found_in(&arena, name), name + 1);
    memset(name + 1, 'a', LIMIT_NAME + 1);
    assert_string_equal(found_in(&arena, name), "");
}

/* Runs of many lengths that are never closed are each looked for once: this must not take seconds. */
static void hostile_backticks_cost_little(void **state)
{
    ARENA_AUTO arena = { 0 };
    size_t size = 1024 * 1024, at = 0;
    char *text = arena_alloc(&arena, size + 1, 1);

    (void)state;
    for (size_t run = 1; at + 2 * (run % 90) + 4 < size; run++) {
        memset(text + at, '`', run % 90 + 1);
        at += run % 90 + 1;
        text[at++] = run % 2 ? 'x' : '@';
    }
    memset(text + at, '@', size - at);
    assert_true(mention_find(&arena, text, (struct mention[LIMIT_MENTIONS]){ 0 }) <= LIMIT_MENTIONS);
}

static void broken_text_is_read_without_harm(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(found_in(&arena, "@\xff\xfe @Builder\xc3"), "Builder");
    assert_string_equal(found_in(&arena, "\x80@Ops"), "Ops");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_where_people_put_them),
        cmocka_unit_test(addresses_are_no_mentions),
        cmocka_unit_test(code_is_quoted_not_said),
        cmocka_unit_test(each_name_counts_once_and_not_too_many),
        cmocka_unit_test(names_have_a_limit),
        cmocka_unit_test(hostile_backticks_cost_little),
        cmocka_unit_test(broken_text_is_read_without_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
