/*
 * The prompts, and how they are filled in.
 */
#include "core/council/rules/wording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static const struct wording_value values[] = {
    { "topic", "Why {{name}}?" },
    { "name", "Ann" },
    { "history", "" },
    { "role", NULL },
};

static void placeholders_are_filled_in_once(void **state)
{
    static const struct {
        const char *words, *text;
    } rows[] = {
        { "", "" },
        { "plain", "plain" },
        { "{{name}}", "Ann" },
        { "{{ name }}, {{name}}!", "Ann, Ann!" },
        { "{{topic}} {{name}}", "Why {{name}}? Ann" },
        { "[{{history}}{{role}}]", "[]" },
        { "{{{name}}}", "{Ann}" },
        { "{{}} {{ }} {{a b}} {{name", "{{}} {{ }} {{a b}} {{name" },
        { "{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": 1}}" },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct err err = { 0 };
        char *text;

        assert_true(wording_fill(&arena, rows[i].words, values, LEN(values), &text, &err));
        assert_string_equal(text, rows[i].text);
    }
}

static void what_cannot_be_filled_in_is_named(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    char *text = NULL;

    (void)state;
    assert_false(wording_fill(&arena, "a {{choices}}", values, LEN(values), &text, &err));
    assert_string_equal(err.field, "choices");
    assert_null(text);
    assert_false(wording_check(PROMPT_TEXT_VOTE, "{{topic}} {{ secret }}", "prompts.vote", &err));
    assert_string_equal(err.field, "prompts.vote");
    assert_non_null(strstr(err.text, "{{secret}}"));
    assert_false(wording_check(PROMPT_TEXT_VOTE, "{{Topic}}", "x", &err));
    assert_true(wording_check(PROMPT_TEXT_VOTE, "{{topic}} {{}} {{no name}}", "x", &err));
    /* An agent of the runner is told other things than one in a discussion. */
    assert_false(wording_check(PROMPT_TEXT_VOTE, "{{autonomy}}", "x", &err));
    assert_true(wording_check(PROMPT_TEXT_AGENT_CODER, "{{name}} {{project}} {{autonomy}}", "x", &err));
    assert_false(wording_check(PROMPT_TEXT_AGENT_CODER, "{{history}}", "x", &err));
    assert_non_null(strstr(err.hint, "autonomy"));
}

static void every_prompt_of_ours_has_known_placeholders(void **state)
{
    enum prompt_text found;
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < PROMPT_TEXTS; i++) {
        bool agents = wording_is_agents((enum prompt_text)i);

        assert_true(wording_check((enum prompt_text)i, prompt_texts[i].text, "ours", &err));
        assert_non_null(strstr(prompt_texts[i].text, agents ? "{{autonomy}}" : "{{topic}}"));
        assert_non_null(strstr(prompt_texts[i].text, agents ? "open_questions" : "{{history}}"));
        assert_true(wording_find(prompt_texts[i].name, &found, &err));
        assert_int_equal(found, i);
        /* Whoever speaks again may pass. */
        assert_int_equal(strstr(prompt_texts[i].name, "_later") != NULL,
                         strstr(prompt_texts[i].text, "[PASS]") != NULL);
    }
    assert_false(wording_find("none", &found, &err));
    assert_false(wording_find(NULL, &found, &err));
}

static void roles_have_their_prompts(void **state)
{
    (void)state;
    assert_int_equal(wording_for("Divergent", "x", true), PROMPT_TEXT_DIVERGENT_FIRST);
    assert_int_equal(wording_for("specialist", "critical", false), PROMPT_TEXT_CRITICAL_LATER);
    assert_int_equal(wording_for("moderator", "Anna", true), PROMPT_TEXT_MODERATOR);
    assert_int_equal(wording_for("economist", "Eve", true), PROMPT_TEXT_ROLE_FIRST);
    assert_int_equal(wording_for(NULL, NULL, false), PROMPT_TEXT_ROLE_LATER);
}

static void choices_stand_one_to_a_line(void **state)
{
    static const char *const choices[] = { "SQLite", "PostgreSQL" };
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(wording_choices(&arena, choices, 2), "- SQLite\n- PostgreSQL");
    assert_string_equal(wording_choices(&arena, choices, 0), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placeholders_are_filled_in_once),
        cmocka_unit_test(what_cannot_be_filled_in_is_named),
        cmocka_unit_test(every_prompt_of_ours_has_known_placeholders),
        cmocka_unit_test(roles_have_their_prompts),
        cmocka_unit_test(choices_stand_one_to_a_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
