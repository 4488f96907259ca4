/*
 * Which prose ends in asking a person, and which only looks like it.
 */
#include "output/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct output read_text(struct arena *arena, const char *text)
{
    struct output out;
    struct err err = { 0 };

    if (!output_read(arena, text, strlen(text), NULL, &out, &err))
        fail_msg("%s", err.text);
    return out;
}

static void asking_becomes_one_question(void **state)
{
    static const struct {
        const char *text, *question; /* NULL: the text itself */
    } rows[] = {
        { "Should I proceed?", NULL },
        { "Do you want me to delete it?", NULL },
        { "How do you want me to proceed?", NULL },
        { "Which option do you prefer?", NULL },
        { "Would you like me to add tests?", NULL },
        { "Can you clarify the limit?", NULL },
        { "Could you please clarify what \"fast\" means?", NULL },
        { "SHOULD I PROCEED?", NULL },
        { "**Should I proceed?**", NULL },
        { "Shall I go on with that?", NULL },
        { "How would you like me to handle this?", NULL },
        { "What should I do about the cache?", NULL },
        { "Which database should we use: PostgreSQL or SQLite?", NULL },
        { "Is it okay to drop the table?", NULL },
        { "Are you sure you want this?", NULL },
        { "Should I use A? Or B?", NULL },
        { "Should I proceed? (y/n)", NULL },
        { "It\xe2\x80\x99s unclear. Would you like me to guess?", NULL },
        { "I read it.\n\nThe limit is unclear. Should I use 10?", "The limit is unclear. Should I use 10?" },
        { "I read it.\n\nShould I use 10? Let me know!", "Should I use 10? Let me know!" },
        { "I read it.\n\nShould I use 10?\n\nThanks!", "Should I use 10?" },
        { "Should I use 10?\n\nLet me know how you'd like to proceed.\n", "Should I use 10?" },
        { "Please let me know which one you prefer.", NULL },
        { "Intro.\n\nWhich do you prefer?\n- A: fast\n- B: small\n",
          "Which do you prefer?\n- A: fast\n- B: small" },
        { "Which do you prefer?\n\n1. A\n\n2. B\n\nThank you.", "Which do you prefer?\n\n1. A\n\n2. B" },
        { "There are two ways.\n\n1. A\n2. B\n\nWhich option do you prefer?",
          "1. A\n2. B\n\nWhich option do you prefer?" },
        { "- A\n- B\nWhich one should I take?", NULL },
        { "I need some clarification:\n1. Which database should I use?\n2. Should it page?", NULL },
        { "I have two questions:\n\n- The database?\n- The port, 80 or 8080\n",
          "I have two questions:\n\n- The database?\n- The port, 80 or 8080" },
        { "Option A: fast\nOption B: small\n\nWhich option do you prefer?", NULL },
        { "Should I apply this?\n\n```diff\n-a\n+b\n```\n", "Should I apply this?" },
        { "Here is the file:\n```json\n{\"name\":\"x\"}\n```\nShould I write it?", "Should I write it?" },
        { "See https://x.test/?a=b for it. Do you want me to go on?", NULL },
        { "Why is it slow? Nobody knows.\n\nShould I measure it?", "Should I measure it?" },
        { "line one\r\n\r\nShould I go on?\r\n", "Should I go on?" },
        { "**Should I go with the first one?** \xf0\x9f\x99\x8f", NULL },
        { "Should I go with the first one?\xf0\x9f\x99\x8f\xf0\x9f\x8f\xbd", NULL },
        { "Should I go on? \xe2\x9c\x85 \xe2\x98\xba\xef\xb8\x8f", NULL },
        { "Should I go on? :)", NULL },
        { "Should I go on?:-)", NULL },
        { "Should I go on? ;-) ^^ <3", NULL },
        { "Should I go on? :folded_hands:", NULL },
        { "Should I go on? Thanks! :D", NULL },
        { "Should I go on?\n\n\xf0\x9f\x99\x8f", "Should I go on?" },
        { "Should I go on?\n\n\xf0\x9f\x99\x8f Thanks!", "Should I go on?" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct output out = read_text(&arena, rows[i].text);

        if (out.question_count != 1)
            fail_msg("not asked: %s", rows[i].text);
        assert_string_equal(out.questions[0].text, rows[i].question ? rows[i].question : rows[i].text);
        assert_string_equal(out.questions[0].id, "q1");
        assert_int_equal(out.status, OUTPUT_FAILED);
        assert_string_equal(out.summary, "Needs clarification before proceeding.");
        assert_true(out.from_prose && !out.found);
        assert_int_equal(out.problem_count, 0);
    }
}

static void nothing_is_invented(void **state)
{
    static const char *const texts[] = {
        "All done.",
        "Should I use X? I decided to use X.",
        "Should I use X? That was the question.\n\nI used X and it works.",
        "Why is it slow?",
        "What could go wrong?",
        "What is a monad?",
        "Done. Is there anything else you want me to do?",
        "Can I help you with anything else?",
        "Let me know if you have questions.",
        "Thanks!",
        "```\nShould I proceed?\n```",
        "```\nShould I proceed?",
        "~~~text\nShould I proceed?\n~~~\n",
        "Output:\n\n    Should I proceed?\n",
        "> Should I proceed?",
        "The log:\n[12:00:01] Do you want to continue?",
        "2026-01-01 12:00:00 INFO should I retry?",
        "12:00:01 Do you want me to continue?",
        "Do you want to continue? [Y/n]",
        "$ Do you want to continue?",
        "It prints \"Do you want me to continue?\"",
        "It prints `Should I proceed?`",
        "It prints \xe2\x80\x9cShould I proceed?\xe2\x80\x9d",
        "{\"message\":\"Should I proceed?\"}",
        "{\"message\":\"Should I proceed?",
        "[\"Should I proceed?\"]",
        "{\"a\":1,\n\"b\":\"Should I proceed?\"\n}",
        "{\"status\":\"success\",\"summary\":\"x\"}\nShould I proceed?",
        "{\"open_questions\":[]}\nShould I proceed?",
        "I answered: should I, could I, would you.",
        "- Should I? Yes.\n- Would you? No.",
        "Should I use X? Yes \xf0\x9f\x91\x8d",
        "Should I use X? I did :)",
        "\xf0\x9f\x91\x8d",
        ":)",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        ARENA_AUTO arena = { 0 };
        struct output out = read_text(&arena, texts[i]);

        if (out.question_count != 0)
            fail_msg("invented from: %s", texts[i]);
        assert_false(out.from_prose);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asking_becomes_one_question),
        cmocka_unit_test(nothing_is_invented),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
