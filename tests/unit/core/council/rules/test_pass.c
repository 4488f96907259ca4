/*
 * What is a pass, and what only sounds like one.
 */
#include "core/council/rules/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static void passes_are_known_with_their_reasons(void **state)
{
    static const struct {
        const char *text;
        enum pass_kind kind;
        const char *reason; /* NULL: the text itself */
    } rows[] = {
        { "[PASS]", PASS_MARK, "" },
        { "[pass]", PASS_MARK, "" },
        { "[Pass].", PASS_MARK, "" },
        { "[ PASS ]", PASS_MARK, "" },
        { "**[PASS]**", PASS_MARK, "" },
        { "[NO RESPONSE]", PASS_MARK, "" },
        { "[no_response]", PASS_MARK, "" },
        { "[PASS] - The recommendation is clear and validated.", PASS_MARK,
          "The recommendation is clear and validated." },
        { "[PASS] \xE2\x80\x94 all is said", PASS_MARK, "all is said" },
        { "[PASS]\n> (All major perspectives covered)", PASS_MARK, "All major perspectives covered" },
        { "[PASS]: (a) and (b)", PASS_MARK, "(a) and (b)" },
        { "[PASS]\n\nFirst.\n\nSecond.", PASS_MARK, "First.\n\nSecond." },
        { "pass", PASS_WORD, "" },
        { "PASS.", PASS_WORD, "" },
        { "\"Pass!\"", PASS_WORD, "" },
        { "(pass)", PASS_WORD, "" },
        { "**PASS**", PASS_WORD, "" },
        { "I have nothing to add", PASS_SENTENCE, NULL },
        { "I have nothing to add.", PASS_SENTENCE, NULL },
        { "I HAVE NOTHING FURTHER TO ADD!", PASS_SENTENCE, NULL },
        { "I have nothing new to add at this point.", PASS_SENTENCE, NULL },
        { "I have nothing else to add to this discussion for now.", PASS_SENTENCE, NULL },
        { "I've nothing more to say.", PASS_SENTENCE, NULL },
        { "I\xE2\x80\x99ve got nothing to add here.", PASS_SENTENCE, NULL },
        { "I don't have anything to add.", PASS_SENTENCE, NULL },
        { "I don\xE2\x80\x99t have anything else to contribute.", PASS_SENTENCE, NULL },
        { "I do not have anything further to add at this time.", PASS_SENTENCE, NULL },
        { "Nothing to add.", PASS_SENTENCE, NULL },
        { "nothing more to add", PASS_SENTENCE, NULL },
        { "Nothing from my side.", PASS_SENTENCE, NULL },
        { "Nothing further from me.", PASS_SENTENCE, NULL },
        { "There is nothing more to add.", PASS_SENTENCE, NULL },
        { "There's nothing left for me to add.", PASS_SENTENCE, NULL },
        { "I have no further comments.", PASS_SENTENCE, NULL },
        { "No further comments from me.", PASS_SENTENCE, NULL },
        { "At this point, I have nothing to add.", PASS_SENTENCE, NULL },
        { "No, I have nothing to add, thanks.", PASS_SENTENCE, NULL },
        { "I have nothing to add. Thank you!", PASS_SENTENCE, NULL },
        { "I'll pass.", PASS_SENTENCE, NULL },
        { "I pass for this round.", PASS_SENTENCE, NULL },
        { "Pass for now.", PASS_SENTENCE, NULL },
        { "I choose to pass this round.", PASS_SENTENCE, NULL },
        { "PASS - nothing to add", PASS_SENTENCE, NULL },
        { "Pass. I have nothing to add.", PASS_SENTENCE, NULL },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct pass pass = pass_of_text(&arena, rows[i].text);

        if (pass.kind != rows[i].kind)
            fail_msg("\"%s\" is %s", rows[i].text, pass_kind_word(pass.kind));
        if (pass.kind != PASS_NOT)
            assert_string_equal(pass.reason, rows[i].reason ? rows[i].reason : rows[i].text);
    }
}

static void whoever_says_something_contributes(void **state)
{
    static const char *const rows[] = {
        ("One final safeguard: Schedule architectural reviews every 3 months to reassess if extraction is "
         "needed. Otherwise, [PASS]."),
        "I agree. I have nothing to add.",
        "I have nothing to add except that the cache must be bounded.",
        "I have nothing to add to Critical's list of risks.",
        "I have nothing to add. But watch the cache.",
        "I have nothing to hide.",
        "Nothing to add until we know the budget.",
        "Pass the request through the proxy.",
        "Pass. The recommendation is clear.",
        "The tests pass.",
        "[PASSIVE] replication is enough.",
        "[PASS the salt",
        "PASS]",
        "We should pass on microservices.",
        "I would pass the token in a header.",
        "There is nothing wrong with a monolith.",
        "Thank you.",
        "No.",
        "No comments in the code, please.",
        "I have no further comments on the design, except one.",
        "nothing to add = true",
        "We have nothing to add 42 to.",
        "\xF0\x9F\x94\xB5",
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct pass pass = pass_of_text(&arena, rows[i]);

        if (pass.kind != PASS_NOT)
            fail_msg("\"%s\" is taken for a pass: %s", rows[i], pass_kind_word(pass.kind));
    }
}

static struct pass pass_of_raw(struct arena *arena, enum council_mode mode, const char *raw)
{
    const struct reply_rules rules = { .mode = mode, .speaker = "Critical" };
    struct reply reply = reply_cut(arena, &rules, raw, strlen(raw));

    return pass_of_reply(arena, &reply);
}

static void a_mark_counts_where_stops_have_cut_it_off(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct pass pass = pass_of_raw(&arena, MODE_TURNS, "[Critical]: [PASS] all covered\n\n[Manager]: no!");

    (void)state;
    assert_int_equal(pass.kind, PASS_MARK);
    assert_string_equal(pass.reason, "all covered");
    pass = pass_of_raw(&arena, MODE_TURNS, "I have nothing to add.\n\n[Manager]: then I shall speak.");
    assert_int_equal(pass.kind, PASS_SENTENCE);
    pass = pass_of_raw(&arena, MODE_ROUNDS, "<think>hm</think>[Round 2] Critical: [PASS]<|im_end|>");
    assert_int_equal(pass.kind, PASS_MARK);
    assert_string_equal(pass.reason, "");
}

static void a_reply_without_a_text_is_a_pass_that_says_why(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct pass pass = pass_of_raw(&arena, MODE_TURNS, "[Manager]: I speak for myself.");

    (void)state;
    assert_int_equal(pass.kind, PASS_EMPTY);
    assert_string_equal(pass.reason, "The model began with a stop sequence.");
    pass = pass_of_raw(&arena, MODE_ROUNDS, " \n ");
    assert_int_equal(pass.kind, PASS_EMPTY);
    assert_string_equal(pass.reason, "The model sent nothing.");
}

static void endless_replies_are_no_passes(void **state)
{
    static char text[200000];
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i + 5 < sizeof(text); i += 5)
        memcpy(text + i, "pass ", 5);
    assert_int_equal(pass_of_text(&arena, text).kind, PASS_NOT);
    memset(text, '(', sizeof(text) - 1);
    assert_int_equal(pass_of_text(&arena, text).kind, PASS_NOT);
    memcpy(text, "[PASS]", 6);
    assert_int_equal(pass_of_text(&arena, text).kind, PASS_MARK);
    assert_int_equal(pass_of_text(&arena, "").kind, PASS_NOT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_known_with_their_reasons),
        cmocka_unit_test(whoever_says_something_contributes),
        cmocka_unit_test(a_mark_counts_where_stops_have_cut_it_off),
        cmocka_unit_test(a_reply_without_a_text_is_a_pass_that_says_why),
        cmocka_unit_test(endless_replies_are_no_passes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
