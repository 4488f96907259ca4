#include "base/json.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/client/question_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static json_t *parse(const char *text)
{
    struct err err = { 0 };
    json_t *value = NULL;

    if (!json_parse(text, strlen(text), &value, &err))
        fail_msg("%s: %s", text, err.text);
    return value;
}

/* Every end of a question, and what a script makes of it. Only a yes in so many words is 0. */
static void only_a_yes_is_a_yes(void **state)
{
    static const struct {
        const char *question;
        int code, code_of_human;
    } rows[] = {
        { "{\"status\":\"answered\",\"responseType\":\"approval\",\"response\":{\"type\":\"approval\","
          "\"value\":true},"
          "\"outcome\":{\"source\":\"human\"}}",
          CLI_OK, CLI_OK },
        { "{\"status\":\"answered\",\"responseType\":\"approval\",\"response\":{\"type\":\"approval\","
          "\"value\":false},"
          "\"outcome\":{\"source\":\"human\"}}",
          CLI_NO, CLI_NO },
        { "{\"status\":\"answered\",\"responseType\":\"boolean\",\"response\":{\"type\":\"boolean\","
          "\"value\":true},"
          "\"outcome\":{\"source\":\"default\"}}",
          CLI_OK, CLI_TIMED_OUT },
        { "{\"status\":\"answered\",\"responseType\":\"boolean\",\"response\":{\"type\":\"boolean\","
          "\"value\":true}}",
          CLI_OK, CLI_TIMED_OUT },
        { "{\"status\":\"answered\",\"responseType\":\"text\",\"response\":{\"type\":\"text\",\"value\":"
          "\"eu\"},"
          "\"outcome\":{\"source\":\"human\"}}",
          CLI_OK, CLI_OK },
        { "{\"status\":\"answered\",\"responseType\":\"choice\",\"response\":{\"type\":\"choice\",\"value\":"
          "null,"
          "\"text\":\"own words\"},\"outcome\":{\"source\":\"human\"}}",
          CLI_OK, CLI_OK },
        { "{\"status\":\"timeout\",\"responseType\":\"approval\",\"response\":null}", CLI_TIMED_OUT,
          CLI_TIMED_OUT },
        { "{\"status\":\"cancelled\",\"responseType\":\"approval\",\"response\":null}", CLI_CANCELLED,
          CLI_CANCELLED },
        /* What no server should say is an error, never a yes. */
        { "{\"status\":\"answered\",\"responseType\":\"approval\",\"response\":{\"value\":\"true\"}}",
          CLI_ERROR, CLI_TIMED_OUT },
        { "{\"status\":\"answered\",\"responseType\":\"approval\",\"response\":{\"value\":1}}", CLI_ERROR,
          CLI_TIMED_OUT },
        { "{\"status\":\"answered\",\"responseType\":\"approval\",\"response\":null}", CLI_ERROR, CLI_ERROR },
        { "{\"status\":\"answered\",\"responseType\":\"new\",\"response\":{\"value\":true},"
          "\"outcome\":{\"source\":\"human\"}}",
          CLI_ERROR, CLI_ERROR },
        { "{\"status\":\"answered\",\"response\":{\"value\":true}}", CLI_ERROR, CLI_ERROR },
        { "{\"status\":\"pending\",\"responseType\":\"approval\",\"response\":{\"value\":true}}", CLI_ERROR,
          CLI_ERROR },
        { "{\"status\":\"approved\",\"responseType\":\"approval\",\"response\":{\"value\":true}}", CLI_ERROR,
          CLI_ERROR },
        { "{}", CLI_ERROR, CLI_ERROR },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        JSON_AUTO *question = parse(rows[i].question);

        if (view_exit(question, false) != rows[i].code || view_exit(question, true) != rows[i].code_of_human)
            fail_msg("%s: %d and %d", rows[i].question, view_exit(question, false),
                     view_exit(question, true));
    }
}

/* What is typed behind a prompt decides by nothing but what the prompt names. */
static void typed_lines_decide_by_what_was_shown(void **state)
{
    static const char approval[] = "{\"responseType\":\"approval\"}";
    static const char choice[] =
        "{\"responseType\":\"choice\",\"options\":[{\"label\":\"Europe\",\"value\":\"eu\"},"
        "{\"label\":\"America\",\"value\":\"us\"}]}";
    static const char other[] = "{\"responseType\":\"choice\",\"allowOther\":true,\"options\":["
                                "{\"label\":\"Retry\",\"value\":\"retry\"}]}";
    static const char counts[] =
        "{\"responseType\":\"choice\",\"allowOther\":true,\"options\":[{\"label\":\"Two\",\"value\":\"2\"},"
        "{\"label\":\"One\",\"value\":\"1\"}]}";
    static const struct {
        const char *question, *line, *response; /* NULL: nothing is decided */
    } rows[] = {
        { approval, " Approve ", "{\"type\":\"approval\",\"value\":true}" },
        { approval, "reject", "{\"type\":\"approval\",\"value\":false}" },
        { approval, "reject: not on Friday",
          "{\"type\":\"approval\",\"value\":false,\"text\":\"not on Friday\"}" },
        { approval, "approve not yet", NULL },
        { approval, "n", NULL },
        { approval, "no", NULL },
        { approval, "y", NULL },
        { approval, "yes", NULL },
        { approval, "", NULL },
        { approval, "rejected", NULL },
        { approval, "\xff", NULL },
        { "{\"responseType\":\"boolean\"}", "n", "{\"type\":\"boolean\",\"value\":false}" },
        { choice, "2", "{\"type\":\"choice\",\"value\":\"us\"}" },
        { choice, "europe", "{\"type\":\"choice\",\"value\":\"eu\"}" },
        { choice, "3", NULL },
        { choice, "0", NULL },
        { choice, "", NULL },
        { other, "1", "{\"type\":\"choice\",\"value\":\"retry\"}" },
        { other, "2", NULL },
        { other, "99999999999999999999", NULL },
        { other, "", NULL },
        { other, "wait 2 days", "{\"type\":\"choice\",\"text\":\"wait 2 days\"}" },
        { counts, "1", "{\"type\":\"choice\",\"value\":\"1\"}" },
        { counts, "3", "{\"type\":\"choice\",\"text\":\"3\"}" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ARENA_AUTO arena = { 0 };
        JSON_AUTO *question = parse(rows[i].question);
        JSON_AUTO *response = NULL;
        struct err err = { 0 };
        bool good = view_typed(&arena, question, rows[i].line, &response, &err);

        if (good != (rows[i].response != NULL))
            fail_msg("%s to %s: %s", rows[i].line, rows[i].question, err.text);
        if (good)
            assert_string_equal(json_dump_text(&arena, response), rows[i].response);
    }
}

static void options_have_numbers_where_those_are_taken(void **state)
{
    ARENA_AUTO arena = { 0 };
    JSON_AUTO *choice = parse("{\"type\":\"blocking\",\"responseType\":\"choice\",\"question\":\"?\","
                              "\"options\":[{\"label\":\"Europe\",\"value\":\"eu\"},{\"value\":\"us\"}]}");
    JSON_AUTO *counts = parse("{\"type\":\"blocking\",\"responseType\":\"choice\",\"question\":\"?\","
                              "\"options\":[{\"value\":\"two\",\"label\":\"2\"},{\"value\":\"1st\"}]}");
    JSON_AUTO *none = NULL;
    BUF_AUTO text = { 0 };
    struct err err = { 0 };
    struct term term;

    (void)state;
    buf_init(&text, 0);
    term_init(&term, &arena, &text, false);
    view_write_asked(&term, choice, 0);
    assert_non_null(strstr(text.bytes, "  1  eu  Europe\n  2  us\n"));
    view_write_asked(&term, counts, 0);
    assert_non_null(strstr(text.bytes, "  - two  2\n  - 1st\n"));
    view_write(&term, choice, 0);
    assert_non_null(strstr(text.bytes, "  - eu  Europe\n"));
    assert_false(view_typed(&arena, choice, "mars", &none, &err));
    assert_string_equal(err.hint, "Choose one of: 1 eu (Europe), 2 us.");
    assert_string_equal(view_wanted(choice), "one of the options> ");
    json_object_set_new(choice, "allowOther", json_true());
    assert_string_equal(view_wanted(choice), "one of the options, or your own words> ");
}

static void words_become_responses(void **state)
{
    static const char choice[] =
        "{\"responseType\":\"choice\",\"options\":[{\"id\":\"o1\",\"label\":\"Europe\",\"value\":\"eu\"},"
        "{\"id\":\"o2\",\"label\":\"eu\",\"value\":\"us\"},{\"id\":\"o3\",\"label\":\"On\",\"value\":true}]}";
    static const struct {
        const char *question, *word, *response; /* NULL: refused */
    } rows[] = {
        { "{\"responseType\":\"text\"}", "two words", "{\"type\":\"text\",\"value\":\"two words\"}" },
        { "{\"responseType\":\"text\"}", "  ", NULL },
        { "{\"responseType\":\"boolean\"}", "Yes", "{\"type\":\"boolean\",\"value\":true}" },
        { "{\"responseType\":\"boolean\"}", "n", "{\"type\":\"boolean\",\"value\":false}" },
        { "{\"responseType\":\"boolean\"}", "perhaps", NULL },
        { "{\"responseType\":\"boolean\"}", "", NULL },
        { "{\"responseType\":\"approval\"}", "approve", "{\"type\":\"approval\",\"value\":true}" },
        { "{\"responseType\":\"approval\"}", "reject", "{\"type\":\"approval\",\"value\":false}" },
        { "{\"responseType\":\"approval\"}", "yes please", NULL },
        { choice, "eu", "{\"type\":\"choice\",\"value\":\"eu\"}" },
        { choice, "o2", "{\"type\":\"choice\",\"value\":\"us\"}" },
        { choice, "europe", "{\"type\":\"choice\",\"value\":\"eu\"}" },
        { choice, "on", "{\"type\":\"choice\",\"value\":true}" },
        { choice, "mars", NULL },
        { "{\"responseType\":\"choice\",\"allowOther\":true,\"options\":[]}", "mars",
          "{\"type\":\"choice\",\"text\":\"mars\"}" },
        { "{\"responseType\":\"picture\"}", "x", NULL },
        { "{\"responseType\":\"text\"}", "\xff", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ARENA_AUTO arena = { 0 };
        JSON_AUTO *question = parse(rows[i].question);
        JSON_AUTO *response = NULL;
        struct err err = { 0 };
        bool good = view_response(&arena, question, rows[i].word, &response, &err);

        assert_int_equal(good, rows[i].response != NULL);
        if (!good) {
            assert_true(err.text[0] != '\0');
            continue;
        }
        JSON_AUTO *wanted = parse(rows[i].response);

        if (!json_equal(response, wanted))
            fail_msg("%s became %s", rows[i].word, json_dump_text(&arena, response));
    }
}

static void answers_are_shown_in_one_word(void **state)
{
    static const char *const rows[][2] = {
        { "{\"type\":\"approval\",\"value\":true}", "approved" },
        { "{\"type\":\"approval\",\"value\":false}", "rejected" },
        { "{\"type\":\"boolean\",\"value\":true}", "yes" },
        { "{\"type\":\"choice\",\"value\":\"eu\"}", "eu" },
        { "{\"type\":\"choice\",\"value\":null,\"text\":\"own\"}", "own" },
        { "{\"type\":\"text\",\"value\":\"a\\nb\"}", "a\nb" },
        { "null", NULL },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        JSON_AUTO *response = json_loads(rows[i][0], JSON_DECODE_ANY, NULL);

        if (!str_equal(view_answer(&arena, response), rows[i][1]))
            fail_msg("%s is shown as %s", rows[i][0], view_answer(&arena, response));
    }
}

static void time_left_counts_down(void **state)
{
    static const struct {
        int64_t before_ms;
        const char *text;
    } rows[] = { { 0, "0:00" },        { -5000, "0:00" },      { 1, "0:01" },           { 61000, "1:01" },
                 { 3599000, "59:59" }, { 3600000, "1:00:00" }, { 90061000, "25:01:01" } };
    ARENA_AUTO arena = { 0 };
    JSON_AUTO *question = parse("{\"timeoutAt\":\"2026-01-01T00:00:00.000Z\"}");
    JSON_AUTO *none = parse("{\"timeoutAt\":null}");
    int64_t due_ms = INT64_C(1767225600000);

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(view_left(&arena, question, due_ms - rows[i].before_ms), rows[i].text);
    assert_string_equal(view_left(&arena, none, 0), "-");
}

static void what_is_approved_is_shown_whole_and_marked(void **state)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out = { 0 };
    struct term term = { .arena = &arena, .out = &out };
    JSON_AUTO *question =
        json_loads("{\"type\":\"approval\",\"id\":\"1\",\"askedBy\":\"Scout\","
                   "\"question\":\"Open photo\\u202egnp.exe?\",\"action\":{\"name\":\"b\\u0430sh\","
                   "\"args\":{\"command\":\"ls         ; rm\",\"n\":3,\"s\":\"3\","
                   "\"script\":\"one\\n  two \",\"in\":{\"list\":[1,2]}}}}",
                   0, NULL);

    (void)state;
    assert_non_null(question);
    buf_init(&out, 0);
    view_write(&term, question, 0);
    assert_string_equal(out.bytes, "approval  asked by Scout  1\n"
                                   "  Open photo<U+202E>gnp.exe?\n"
                                   "action:\n"
                                   "  name: bа<U+0430>sh\n"
                                   "  args:\n"
                                   "    command: ls<9 blanks>; rm\n"
                                   "    n: 3\n"
                                   "    s: \"3\"\n"
                                   "    script:\n"
                                   "      one\n"
                                   "        two<1 blank>\n"
                                   "    in:\n"
                                   "      list: [1,2]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_approved_is_shown_whole_and_marked),
        cmocka_unit_test(only_a_yes_is_a_yes),
        cmocka_unit_test(words_become_responses),
        cmocka_unit_test(typed_lines_decide_by_what_was_shown),
        cmocka_unit_test(options_have_numbers_where_those_are_taken),
        cmocka_unit_test(answers_are_shown_in_one_word),
        cmocka_unit_test(time_left_counts_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
