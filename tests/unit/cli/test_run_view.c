#include "cli/client/run_view.h"

#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static struct arena arena;
static struct cli cli = { .arena = &arena, .utc = true };
static struct run_view view;
static char *shown;
static size_t shown_len;

static int open_view(void **state)
{
    FILE *out = open_memstream(&shown, &shown_len);

    (void)state;
    assert_non_null(out);
    unsetenv("COLUMNS"); /* which would say how long lines may be */
    run_view_open(&view, &cli, out);
    view.name = "Coder";
    return 0;
}

static int close_view(void **state)
{
    (void)state;
    fclose(view.out);
    free(shown);
    shown = NULL;
    arena_done(&arena);
    arena = (struct arena){ 0 };
    return 0;
}

static void see(const char *text)
{
    struct err err = { 0 };
    JSON_AUTO *entry = NULL;

    assert_true(json_parse(text, strlen(text), &entry, &err));
    run_view_entry(&view, entry);
}

static void assert_shown(const char *wanted)
{
    fflush(view.out);
    assert_string_equal(shown, wanted);
}

#define CALL(name, arguments) \
    "{\"seq\":3,\"step\":1,\"kind\":\"call\",\"at\":\"2026-01-02T03:04:05Z\",\"text\":null,\"call\":{" \
    "\"name\":\"" name "\",\"arguments\":\"" arguments "\",\"approvedArguments\":null,\"outcome\":null}}"
#define RESULT(name, outcome, output) \
    "{\"seq\":4,\"step\":1,\"kind\":\"result\",\"at\":\"2026-01-02T03:04:05Z\",\"tookMs\":12,\"text\":\"" output \
    "\",\"call\":{\"name\":\"" name "\",\"arguments\":\"{}\",\"outcome\":\"" outcome "\"}}"

static void follows_what_is_said_and_called(void **state)
{
    (void)state;
    see("{\"seq\":1,\"kind\":\"instructions\",\"text\":\"You build.\"}");
    see("{\"seq\":2,\"kind\":\"decision\",\"text\":\"The model is asked.\"}");
    see("{\"seq\":2,\"kind\":\"reply\",\"text\":\"I count\\nthem.\"}");
    see(CALL("word_count", "{\\\"text\\\": \\\"a b\\\"}"));
    see(RESULT("word_count", "ok", "2"));
    assert_shown(
        "Coder:\n  I count\n  them.\ncalls word_count {\"text\": \"a b\"}\n  word_count ok (12ms): 2\n");
    assert_string_equal(view.said, "I count\nthem.");
}

static void progress_is_a_line_and_the_end_none(void **state)
{
    (void)state;
    see(CALL("report_progress", "{\\\"done\\\": 3, \\\"total\\\": 10, \\\"step\\\": \\\"tables\\\"}"));
    see(RESULT("report_progress", "ok", "Noted."));
    see(CALL("report_progress", "no JSON"));
    see(CALL("finish", "{\\\"result\\\": \\\"done\\\"}"));
    see(RESULT("finish", "ok", "done"));
    see(RESULT("finish", "invalid", "result is missing"));
    assert_shown("... 3 of 10: tables\n  finish invalid (12ms): result is missing\n");
}

/* What was proposed stays what the agent has called; what was approved instead stands where that was decided.
 */
static void edited_arguments_stand_where_they_were_approved(void **state)
{
    static const char call[] = "\"call\":{\"id\":\"c1\",\"name\":\"scale\",\"arguments\":\"{\\\"to\\\":5}\","
                               "\"approvedArguments\":\"{\\\"to\\\":3}\"}";
    const char *called = arena_format(&arena, "{\"kind\":\"call\",\"text\":null,%s}", call);
    const char *approved = arena_format(
        &arena,
        "{\"kind\":\"decision\",\"step\":1,\"at\":\"2026-01-02T03:04:05Z\",\"data\":{\"rule\":\"people\","
        "\"verdict\":\"approved\"},\"text\":\"Ada has approved the call with other arguments.\",%s}",
        call);

    (void)state;
    see(called);
    see(approved);
    see("{\"kind\":\"decision\",\"text\":\"The model is asked.\",\"call\":null}");
    view.trace = true;
    see(approved);
    assert_shown(
        "calls scale {\"to\":5}\n"
        "  scale: Ada has approved the call with other arguments: {\"to\":3}\n"
        "2026-01-02T03:04:05Z    1  decision   scale: Ada has approved the call with other arguments: "
        "{\"to\":3}\n");
}

static void a_summary_says_what_it_stands_for(void **state)
{
    static const char condensed[] =
        "{\"seq\":18,\"step\":4,\"kind\":\"condensed\",\"at\":\"2026-01-02T03:04:05Z\","
        "\"data\":{\"from\":3,\"to\":17},\"text\":\"Much was\\nprinted.\"}";

    (void)state;
    see(condensed);
    view.trace = true;
    see(condensed);
    view.full = true;
    see(condensed);
    assert_shown("condensed: entries 3 to 17: Much was printed.\n"
                 "2026-01-02T03:04:05Z    4  condensed  entries 3 to 17: Much was printed.\n"
                 "2026-01-02T03:04:05Z    4  condensed\n"
                 "    entries 3 to 17: Much was\n    printed.\n");
}

#define OF(kind, id, name, outcome) \
    "{\"kind\":\"" kind "\",\"text\":\"" id "\",\"call\":{\"id\":\"" id "\",\"name\":\"" name \
    "\",\"arguments\":\"{}\",\"outcome\":" outcome "}}"

/* Of calls in one reply the results may come in any order. */
static void each_result_says_whose_it_is(void **state)
{
    (void)state;
    see("{\"kind\":\"reply\",\"text\":\"\",\"data\":{\"calls\":[{\"call\":\"a\",\"name\":\"note\"},"
        "{\"call\":\"b\",\"name\":\"look\"},{\"call\":\"c\",\"name\":\"note\"}]}}");
    see(OF("call", "a", "note", "null"));
    see(OF("call", "b", "look", "null"));
    see(OF("call", "c", "note", "null"));
    see(OF("result", "c", "note", "\"ok\""));
    see(OF("result", "b", "look", "\"ok\""));
    see(OF("result", "a", "note", "\"rejected\""));
    see("{\"kind\":\"reply\",\"text\":\"\",\"data\":{\"calls\":[{\"call\":\"d\",\"name\":\"note\"}]}}");
    see(OF("result", "d", "note", "\"ok\""));
    assert_shown("calls note #1 {}\ncalls look {}\ncalls note #2 {}\n  note #2 ok: c\n  look ok: b\n"
                 "  note #1 rejected: a\n  note ok: d\n");
}

static void answers_are_told_in_words(void **state)
{
    (void)state;
    see(RESULT("ask_question", "ok",
               "{\\\"questionId\\\":\\\"q\\\",\\\"response\\\":{\\\"type\\\":\\\"text\\\",\\\"value\\\":"
               "\\\"Wren\\\"},\\\"by\\\":\\\"Ada\\\"}"));
    see(RESULT("ask_question", "ok",
               "{\\\"response\\\":{\\\"type\\\":\\\"boolean\\\",\\\"value\\\":true},\\\"source\\\":"
               "\\\"default\\\"}"));
    assert_shown("  ask_question ok (12ms): Wren, by Ada\n"
                 "  ask_question ok (12ms): goes on with \"yes\", the default\n");
}

/* What a tool returns cannot look like our own words, nor steer the terminal. */
static void words_of_others_stay_in_their_line(void **state)
{
    (void)state;
    see(CALL("a\\nCoder:", "x\\ncalls rm {}"));
    see(RESULT("a", "ok", "1\\nThe run failed\\u001b[2J"));
    fflush(view.out);
    assert_null(strstr(shown, "\ncalls rm"));
    assert_null(strstr(shown, "\nThe run"));
    assert_null(strstr(shown, "\nCoder:"));
    assert_null(strchr(shown, '\x1b'));
}

static void long_lines_are_cut_unless_all_is_wanted(void **state)
{
    char text[400];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    const char *entry = arena_format(&arena, RESULT("a", "ok", "%s"), text);

    see(entry);
    fflush(view.out);
    assert_true(strlen(shown) < 200);
    assert_non_null(strstr(shown, "...\n"));
    view.full = true;
    see(entry);
    fflush(view.out);
    assert_non_null(strstr(shown, text));
}

static void trace_has_every_entry_with_time_and_cost(void **state)
{
    (void)state;
    view.trace = true;
    see("{\"seq\":1,\"step\":0,\"kind\":\"instructions\",\"at\":\"2026-01-02T03:04:05Z\",\"text\":\"You.\"}");
    see("{\"seq\":2,\"step\":1,\"kind\":\"decision\",\"at\":\"2026-01-02T03:04:05Z\",\"text\":\"It is asked.\"}");
    see("{\"seq\":3,\"step\":1,\"kind\":\"reply\",\"at\":\"2026-01-02T03:04:05Z\",\"text\":\"Yes.\","
        "\"tookMs\":1200,\"tokensIn\":30,\"tokensOut\":4}");
    see("{\"seq\":4,\"step\":1,\"kind\":\"note\",\"at\":\"2026-01-02T03:04:05Z\",\"text\":null,\"data\":{\"a\":1}}");
    see("{\"seq\":5,\"step\":1,\"kind\":\"reply\",\"at\":\"2026-01-02T03:04:05Z\",\"text\":null,"
        "\"data\":{\"calls\":[{},{}]}}");
    see(RESULT("word_count", "ok", "2"));
    assert_shown("2026-01-02T03:04:05Z    1  decision   It is asked.\n"
                 "2026-01-02T03:04:05Z    1  reply      Yes. (1.2s, 30 + 4 tokens)\n"
                 "2026-01-02T03:04:05Z    1  note       {\"a\":1}\n"
                 "2026-01-02T03:04:05Z    1  reply      calls 2 tools\n"
                 "2026-01-02T03:04:05Z    1  result     word_count ok: 2 (12ms)\n");
}

static void result_is_its_text_where_it_is_nothing_else(void **state)
{
    static const struct {
        const char *job, *wanted;
    } rows[] = {
        { "{\"result\":\"done\"}", "done" },
        { "{\"result\":{\"result\":\"done\"}}", "done" },
        { "{\"result\":{\"result\":\"done\",\"files\":2}}", "{\"result\":\"done\",\"files\":2}" },
        { "{\"result\":{\"result\":{\"files\":2}}}", "{\"files\":2}" },
        { "{\"result\":{\"result\":null}}", NULL },
        { "{\"result\":null}", NULL },
        { "{}", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct err err = { 0 };
        JSON_AUTO *job = NULL;

        assert_true(json_parse(rows[i].job, strlen(rows[i].job), &job, &err));
        const char *text = run_view_result(&arena, job);

        if (rows[i].wanted)
            assert_string_equal(text, rows[i].wanted);
        else
            assert_null(text);
    }
}

#define VIEW_TEST(name) cmocka_unit_test_setup_teardown(name, open_view, close_view)

int main(void)
{
    const struct CMUnitTest tests[] = {
        VIEW_TEST(follows_what_is_said_and_called),
        VIEW_TEST(progress_is_a_line_and_the_end_none),
        VIEW_TEST(edited_arguments_stand_where_they_were_approved),
        VIEW_TEST(a_summary_says_what_it_stands_for),
        VIEW_TEST(each_result_says_whose_it_is),
        VIEW_TEST(answers_are_told_in_words),
        VIEW_TEST(words_of_others_stay_in_their_line),
        VIEW_TEST(long_lines_are_cut_unless_all_is_wanted),
        VIEW_TEST(trace_has_every_entry_with_time_and_cost),
        VIEW_TEST(result_is_its_text_where_it_is_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
