/*
 * Which object is found in an agent's output, how it is repaired, and what is said of what was passed over.
 */
#include "output/output.h"

#include "base/limits.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define Q1  "{\"open_questions\":[{\"id\":\"q1\",\"text\":\"Which db?\"}]}"
#define GOT "failed: q1=Which db?"

struct row {
    const char *text, *got, *problem; /* problem: NULL for none, or a part of what is said */
};

/* "failed: q1=Which db? | q2=Why?", with "(prose)" or "(nothing)" in front when it was so. */
static const char *describe(struct arena *arena, const struct output *out)
{
    const char *line = arena_format(arena, "%s%s:",
                                    out->from_prose ? "(prose) "
                                    : out->found    ? ""
                                                    : "(nothing) ",
                                    out->status == OUTPUT_SUCCESS ? "success" : "failed");

    for (size_t i = 0; i < out->question_count; i++)
        line = arena_format(arena, "%s%s %s=%s", line, i ? " |" : "", out->questions[i].id,
                            out->questions[i].text);
    return line;
}

static const char *all_problems(struct arena *arena, const struct output *out)
{
    const char *line = "";

    for (size_t i = 0; i < out->problem_count; i++)
        line = arena_format(arena, "%s%s%s", line, i ? " " : "", out->problems[i]);
    return line;
}

/* Reads a copy that ends where the text ends, so that a sanitizer sees every byte read beyond it. */
static struct output read_as(struct arena *arena, const char *text, size_t len,
                             const struct output_options *options)
{
    char *copy = malloc(len ? len : 1);
    struct output out;
    struct err err = { 0 };

    assert_non_null(copy);
    memcpy(copy, text, len);
    if (!output_read(arena, copy, len, options, &out, &err))
        fail_msg("%s", err.text);
    free(copy);
    return out;
}

static void check_rows(const struct row *rows, size_t count, bool coder)
{
    const struct output_options options = { .coder = coder };

    for (size_t i = 0; i < count; i++) {
        ARENA_AUTO arena = { 0 };
        struct output out = read_as(&arena, rows[i].text, strlen(rows[i].text), &options);
        const char *got = describe(&arena, &out), *problems = all_problems(&arena, &out);

        if (strcmp(got, rows[i].got) != 0)
            fail_msg("row %zu: %s\n  got:  %s\n  want: %s\n  problems: %s", i, rows[i].text, got, rows[i].got,
                     problems);
        if (!rows[i].problem && out.problem_count > 0)
            fail_msg("row %zu: %s\n  unexpected: %s", i, rows[i].text, problems);
        if (rows[i].problem && !strstr(problems, rows[i].problem))
            fail_msg("row %zu: %s\n  not said: %s\n  but: %s", i, rows[i].text, rows[i].problem, problems);
    }
}

#define CHECK(rows)       check_rows(rows, sizeof(rows) / sizeof(*(rows)), false)
#define CHECK_CODER(rows) check_rows(rows, sizeof(rows) / sizeof(*(rows)), true)

static void the_object_is_found_wherever_it_stands(void **state)
{
    static const struct row rows[] = {
        { Q1, GOT, NULL },
        { "{\"openQuestions\":[{\"id\":\"q1\",\"text\":\"Which db?\"}]}", GOT, NULL },
        { "  \n\t" Q1 "\n", GOT, NULL },
        { "\xef\xbb\xbf" Q1, GOT, NULL },
        { "I looked at it. " Q1 " That is all.", GOT, NULL },
        { "```json\n" Q1 "\n```\nDone.", GOT, NULL },
        { "```\n" Q1 "\n```", GOT, NULL },
        { "```json " Q1 "```", GOT, NULL },
        { "~~~\n" Q1 "\n~~~", GOT, NULL },
        { "{\"a\":1} {\"b\":{\"c\":[1,2,{}]}} " Q1, GOT, NULL },
        { "{\"status\":\"success\",\"summary\":\"log\"}\n" Q1, GOT, NULL },
        { "if (x) { y(); } else { z } " Q1, GOT, NULL },
        { "A brace { left open. " Q1, GOT, NULL },
        { "{{{{ [[[ (( " Q1, GOT, NULL },
        { "}}}] " Q1, GOT, NULL },
        { "A stray \" quote. " Q1, GOT, NULL },
        { "A stray ' and ` and \\ too: " Q1, GOT, NULL },
        { "{\"note: " Q1, GOT, NULL },
        { "{\"note\": \"never closed " Q1, GOT, NULL },
        { "{\"status\":\"failed\", " Q1, GOT, NULL },
        { "{\"a\":{\"b\":[{\"c\":" Q1, GOT, NULL },
        { "{\"a\":\"{\",\"b\":" Q1 "}", GOT, NULL },
        { "the set {'a', 'b'} isn't it " Q1, GOT, NULL },
        { "{/* {/* {/* " Q1, GOT, NULL },
        { "{// {// {// " Q1, GOT, NULL },
        { "[" Q1 "]", GOT, NULL },
        { "{\"result\":" Q1 "}", GOT, NULL },
        { "{\"status\":\"success\",\"data\":" Q1 "}", "success: q1=Which db?", NULL },
        { "{\"data\":{\"status\":\"success\",\"open_questions\":[\"a?\"]}}", "success: q1=a?", NULL },
        { "{\"a\":{\"b\":{\"c\":[" Q1 "]}}}", GOT, NULL },
        { "{\"open_questions\":[{\"text\":\"Which\ndb?\"}]}", "failed: q1=Which\ndb?", NULL },
        { "{\"open_questions\":[{\"text\":\"a\tb\x01 c\r\nd\"}]}", "failed: q1=a\tb c\nd", NULL },
        { "{\"open_questions\":[{\"text\":\"a?\",},],}", "failed: q1=a?", NULL },
        { "{ \"open_questions\" :\n [ { \"text\" : \"a?\" } ] }", "failed: q1=a?", NULL },
        { "{\"open_questions\":[{\"text\":\"caf\\u00e9 \\ud83d\\ude00 \\\"x\\\" \\\\ \\/\"}]}",
          "failed: q1=caf\xc3\xa9 \xf0\x9f\x98\x80 \"x\" \\ /", NULL },
        { "{\"open_questions\":[{\"text\":\"lone \\ud800, nul\\u0000, \\d+\"}]}",
          "failed: q1=lone \xef\xbf\xbd, nul, \\d+", NULL },
        { "{\"open_questions\":[{\"text\":\"bad \xff byte\"}]}", "failed: q1=bad \xef\xbf\xbd byte", NULL },
        { "{\"open_questions\":[{\"text\":\"use {\\\"open_questions\\\": []} ?\"}]}",
          "failed: q1=use {\"open_questions\": []} ?", NULL },
        { "\\\"" Q1 "\\\"", GOT, NULL },
    };

    (void)state;
    CHECK(rows);
}

static void the_first_complete_object_wins(void **state)
{
    static const struct row rows[] = {
        { Q1 "\n{\"open_questions\":[\"b?\"]}", GOT,
          "1 further object with `open_questions` was passed over, the first in line 2" },
        { Q1 Q1, GOT, "1 further object with" },
        { Q1 "\n\n{\"openQuestions\":[]} {\"open_questions\":[]}", GOT, "2 further objects with" },
        { "{\"open_questions\":[{\"text\":\"cut " Q1, GOT, "Line 1: `open_questions` also stands here" },
        { "{'open_questions':['x?']}\n" Q1, GOT, "Line 1: `open_questions` also" },
        { Q1 "\n{\"open_questions\":[{\"te", GOT, "Line 2: `open_questions` also" },
        { "{\"properties\":{\"open_questions\":{\"type\":\"array\",\"items\":{}}}}\n" Q1, GOT,
          "by a schema" },
        { "I must answer with {\"open_questions\": [...]}. Here it is:\n" Q1, GOT,
          "Line 1: `open_questions` also stands here" },
        { "{\"open_questions\": [{...}, ...]}\n" Q1, GOT, "Line 1: `open_questions` also stands here" },
        { "{\"open_questions\": [{\"id\": \"q1\", \"text\": \"...\"}]}\n" Q1, GOT, "or an example" },
        { "{\"open_questions\": [{\"text\": \"<your question>\"}, \"\xe2\x80\xa6\"]}\n" Q1, GOT,
          "or an example" },
        { "{\"open_questions\": [\"string\"]} {\"status\":\"success\",\"summary\":\"x\"}",
          "success:", "or an example" },
        { "{\"open_questions\": [\"...\"]}\nShould I use Redis?", "(prose) failed: q1=Should I use Redis?",
          "or an example" },
        { "{\"open_questions\": [\"...\"]}", "failed: q1=...", "or an example" },
        { "{\"open_questions\":{\"type\":\"array\"}} {\"status\":\"success\",\"summary\":\"x\"}",
          "success:", "by a schema" },
        { "{\"open_questions\":[]}" Q1, "success:", "1 further object with" },
        { "{\"status\":\"success\",\"summary\":\"It prints {\\\"open_questions\\\":[\\\"a?\\\"]} now.\"}",
          "success:", NULL },
        { "{\"openQuestions\":[\"b?\"],\"open_questions\":[\"a?\"]}", "failed: q1=a?",
          "`openQuestions` differs" },
        { "{\"openQuestions\":[{\"text\":\"a?\"}],\"open_questions\":[\"a?\"]}", "failed: q1=a?", NULL },
        { "{\"openQuestions\":[\"b?\"],\"open_questions\":[]}", "success:", "`openQuestions` differs" },
        { "{\"open_questions\":[\"a?\"],\"open_questions\":[\"b?\"]}", "failed: q1=a? | q2=b?",
          "more than once" },
        { "{\"x\":{\"open_questions\":[\"b?\"]},\"open_questions\":[\"a?\"]}", "failed: q1=a?",
          "in 2 of its objects" },
        { "{\"x\":{\"open_questions\":[\"a?\"]},\"y\":{\"open_questions\":[\"b?\"]}}", "failed: q1=a?",
          "in 2 of" },
    };

    (void)state;
    CHECK(rows);
}

#define TEXT_LINE(escaped) \
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"" escaped "\"}]}}\n"
#define RESULT_LINE(escaped) "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"" escaped "\"}\n"
#define ESCAPED              "{\\\"open_questions\\\":[{\\\"id\\\":\\\"q1\\\",\\\"text\\\":\\\"Which db?\\\"}]}"

static void streams_of_lines_are_read(void **state)
{
    static const struct row rows[] = {
        { TEXT_LINE("Hm.\\n```json\\n" ESCAPED "\\n```"), GOT, NULL },
        { "{\"type\":\"system\",\"subtype\":\"init\"}\n" RESULT_LINE("All: " ESCAPED " end"), GOT, NULL },
        { TEXT_LINE(ESCAPED) RESULT_LINE(ESCAPED), GOT, NULL },
        { TEXT_LINE(ESCAPED) RESULT_LINE("{\\\"open_questions\\\":[\\\"b?\\\"]}"), GOT,
          "1 further object with" },
        { "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":\"" ESCAPED
          "\"}]}}\n" RESULT_LINE("{\\\"status\\\":\\\"success\\\",\\\"summary\\\":\\\"ok\\\"}"),
          "success:", NULL },
        { TEXT_LINE("I see") "{\"type\":\"result\",\"result\":" Q1 "}\n", GOT, NULL },
        { RESULT_LINE("{\\\"result\\\":\\\"{\\\\\\\"open_questions\\\\\\\":[\\\\\\\"a?\\\\\\\"]}\\\"}"),
          "failed: q1=a?", NULL },
        { TEXT_LINE("use \\\"open_questions\\\": later") RESULT_LINE(ESCAPED), GOT, NULL },
        { TEXT_LINE("broken {'open_questions': ['x?']}") RESULT_LINE(ESCAPED), GOT, NULL },
        { RESULT_LINE("{'open_questions': ['x?']}"), "failed: q1=x?", NULL },
        { "{\"type\":\"result\",\"result\":\"cut here " ESCAPED, GOT, NULL },
        { "{\"type\":\"result\",\"result\":\"{\\\"open_questions\\\":[{\\\"text\\\":\\\"a?\\\"},{"
          "\\\"text\\\":\\\"b",
          "failed: q1=a?", "cut off" },
        { "\"" ESCAPED "\"", GOT, NULL },
        { RESULT_LINE("{\\\"status\\\":\\\"done\\\",\\\"summary\\\":\\\"ok\\\"}"), "success:", NULL },
        { RESULT_LINE("I looked at both.\\n\\nShould I go on?"), "(prose) failed: q1=Should I go on?", NULL },
        { TEXT_LINE("Which option do you prefer?") "{\"type\":\"turn.completed\",\"usage\":{}}\n",
          "(prose) failed: q1=Which option do you prefer?", NULL },
        { "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Should I go "
          "on?\"}}\n",
          "(prose) failed: q1=Should I go on?", NULL },
        { "{\"type\":\"user\",\"message\":{\"content\":\"Should I go on?\"}}\n",
          "(nothing) failed:", "No result" },
    };

    (void)state;
    CHECK(rows);
}

static void what_is_not_quite_json_is_repaired(void **state)
{
    static const struct row rows[] = {
        { "{'open_questions': [{'id': 'q1', 'text': 'Which db?'}]}", GOT, NULL },
        { "{'open_questions': [{'text': 'Don't you think?'}]}", "failed: q1=Don't you think?", NULL },
        { "{open_questions: [{id: \"q1\", text: \"Which db?\"}]}", GOT, NULL },
        { "{\"open_questions\": [ // the list\n {\"text\": \"a?\"} /* one */ ]}", "failed: q1=a?", NULL },
        { "{\"open_questions\": [\n # one\n {\"text\": \"a?\"}]}", "failed: q1=a?", NULL },
        { "{\"ok\": True, \"x\": None, \"open_questions\": [\"a?\"]}", "failed: q1=a?", NULL },
        { "{\"open_questions\": [{\"text\": \"a?\"} {\"text\": \"b?\"}]}", "failed: q1=a? | q2=b?", NULL },
        { "{\"open_questions\": [\"a?\" \"b?\"]}", "failed: q1=a? | q2=b?", NULL },
        { "{\"status\": \"failed\"\n \"open_questions\": [\"a?\"]}", "failed: q1=a?", NULL },
        { "{\"open_questions\": [{\"id\": \"x\"\n \"text\": \"a?\"}]}", "failed: x=a?", NULL },
        { "{\"open_questions\": [{\"text\": \"Use \"foo\" or \"bar\"?\"}]}",
          "failed: q1=Use \"foo\" or \"bar\"?", NULL },
        { "{\"open_questions\": [{\"text\": \"Use \"foo\", or not?\"}]}", "failed: q1=Use \"foo\", or not?",
          NULL },
        { "{\"status\": success, \"open_questions\": [\"a?\"]}", "success: q1=a?", NULL },
        { "{\"open_questions\": [{\"text\": \"a?\"}, ...]}", "failed: q1=a?", "left out" },
        { "{\"open_questions\": [{\"text\": \"a?\"}}", "failed: q1=a?", "is not JSON" },
        { "\"status\": \"failed\",\n\"open_questions\": [\"a?\"]\n", "failed: q1=a?", "cut off" },
        { "{\"meta\": {\"x\": 1}, 'open_questions': ['a?']}", "failed: q1=a?", NULL },
        { "{'status': 'success', 'summary': 'It\\'s done.'}", "success:", NULL },
        { "{status: 'failed', summary: 'no'}", "failed:", NULL },
    };

    (void)state;
    CHECK(rows);
}

static void what_is_cut_off_gives_what_is_whole(void **state)
{
    static const struct row rows[] = {
        { "{\"open_questions\":[{\"text\":\"a?\"},{\"text\":\"b", "failed: q1=a?", "Question 2 is cut off" },
        { "{\"open_questions\":[{\"text\":\"a?\"},{\"text\":\"b?\"", "failed: q1=a? | q2=b?", "cut off" },
        { "{\"open_questions\":[{\"text\":\"a?\"},{\"id\":\"x\",", "failed: q1=a?", "Question 2 is cut off" },
        { "{\"status\":\"success\",\"summary\":\"x\",\"open_questions\":[", "failed:", "cut off" },
        { "{\"status\":\"success\",\"summary\":\"x\",\"open_questions\":", "failed:", "cut off" },
        { "{\"status\":\"success\",\"summary\":\"All is do", "failed:", "cut off" },
        { "{\"status\":\"success\",\"open_questions\":[\"a?\"", "failed: q1=a?", "cut off" },
        { "```json\n{\"open_questions\":[{\"text\":\"a?\"}]\n```\nBye.", "failed: q1=a?",
          "Line 2: the result" },
        { "{\"status\":\"success\",\"summary\":\"x\"}\n{\"status\":\"succ",
          "failed:", "Line 2: the result is cut off" },
    };

    (void)state;
    CHECK(rows);
}

static void what_cannot_be_read_is_no_success(void **state)
{
    static const struct row rows[] = {
        { "open_questions:\n  - text: a?\n", "(prose) failed: q1=open_questions:\n  - text: a?",
          "Line 1: `open_questions` stands here" },
        { "{\"open_questions\": questions}", "(nothing) failed:", "could not be read" },
        { "{\"open_questions\": [q for q in qs]}\n{\"status\":\"success\",\"summary\":\"x\"}",
          "success:", "Line 1: `open_questions` stands here" },
        { "{\"status\":\"success\",\"summary\":\"x\"}\n{\"open_questions\": qs}",
          "failed:", "Line 2: `open_questions`" },
        { "", "(nothing) failed:", "empty" },
        { "Done, all tests pass.", "(nothing) failed:", "No result" },
        { "{\"name\":\"x\"}", "(nothing) failed:", "No result" },
    };

    (void)state;
    CHECK(rows);
}

static void without_the_field_the_last_result_counts(void **state)
{
    static const struct row rows[] = {
        { "{\"status\":\"success\",\"summary\":\"Done.\"}", "success:", NULL },
        { "{\"status\":\"failed\",\"summary\":\"a\"} {\"status\":\"success\",\"summary\":\"b\"}",
          "success:", NULL },
        { "{\"status\":\"success\",\"summary\":\"b\"} log: {\"status\":\"ok\"}", "success:", NULL },
        { "{\"status\":200} {\"status\":\"Done\",\"summary\":\"b\"} {\"x\":{\"y\":[{\"status\":\"no\"}]}}",
          "success:", NULL },
        { "{\"result\":{\"status\":\"PASSED\",\"summary\":\"b\"}}", "success:", NULL },
        { "{\"status\":\"Completed\",\"summary\":\"b\",\"open_questions\":[]}", "success:", NULL },
        { "{\"status\":\"complete\",\"summary\":\"b\",\"open_questions\":null}", "success:", NULL },
        { "{\"status\":\"partial\",\"summary\":\"b\"}", "failed:", "`partial` is neither" },
        { "{\"status\":true,\"summary\":\"b\"}", "failed:", "`true` is neither" },
        { "{\"summary\":\"b\"}", "failed:", "no status" },
        { "{\"status\":\"success\"}", "success:", "no summary" },
        { "{\"status\":\"success\",\"summary\":\" \"}", "success:", "no summary" },
        { "{\"status\":\"success\",\"summary\":7}", "success:", "summary is not a text" },
        { "{\"open_questions\":[\"a?\"]}", "failed: q1=a?", NULL },
        { "{\"status\":\"blocked\",\"open_questions\":[\"a?\"]}", "failed: q1=a?", "`blocked` is neither" },
        { "{\"status\":\"success\",\"summary\":\"x\",\"open_questions\":[\"a?\"]}", "success: q1=a?", NULL },
        { "Reply {\"message\":\"Should I go on?\"}", "(nothing) failed:", "No result" },
    };

    (void)state;
    CHECK_CODER(rows);
}

static void the_text_is_cut_at_the_limit(void **state)
{
    ARENA_AUTO arena = { 0 };
    const struct output_options options = { .max_bytes = strlen(Q1) + 1 };
    struct output out = read_as(&arena, Q1 " \xc3\xa4 and more", strlen(Q1) + 12, &options);

    (void)state;
    assert_true(out.cut);
    assert_string_equal(describe(&arena, &out), GOT);
    assert_non_null(strstr(out.problems[0], "longer than"));

    const struct output_options short_one = { .max_bytes = 20 };
    out = read_as(&arena, Q1, strlen(Q1), &short_one);
    assert_true(out.cut && out.status == OUTPUT_FAILED && out.question_count == 0);

    const struct output_options exact = { .max_bytes = strlen(Q1) };
    out = read_as(&arena, Q1, strlen(Q1), &exact);
    assert_false(out.cut);
}

static void limits_beyond_reason_are_refused(void **state)
{
    ARENA_AUTO arena = { 0 };
    const struct output_options options = { .max_bytes = SIZE_MAX };
    struct output out;
    struct err err = { 0 };

    (void)state;
    assert_false(output_read(&arena, "", 0, &options, &out, &err));
    assert_int_equal(err.code, ERR_INVALID);
}

/* Every beginning of an output gives no question that the whole does not have, and never a success. */
static void no_beginning_is_taken_for_success(void **state)
{
    static const char text[] =
        "Hm.\n```json\n{\"status\": \"success\", \"summary\": \"s\", \"open_questions\": "
        "[{\"id\": \"a\", \"text\": \"One?\"}, {\"id\": \"b\", \"text\": \"Two?\"}]}\n```\n";
    const char *end = strrchr(text, '}');

    (void)state;
    for (size_t len = 0; len < sizeof(text); len++) {
        ARENA_AUTO arena = { 0 };
        struct output out = read_as(&arena, text, len, NULL);

        assert_int_equal(out.status, len > (size_t)(end - text) ? OUTPUT_SUCCESS : OUTPUT_FAILED);
        for (size_t i = 0; i < out.question_count; i++)
            assert_string_equal(out.questions[i].text, i ? "Two?" : "One?");
        assert_true(out.status == OUTPUT_SUCCESS || out.problem_count > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_object_is_found_wherever_it_stands),
        cmocka_unit_test(the_first_complete_object_wins),
        cmocka_unit_test(streams_of_lines_are_read),
        cmocka_unit_test(what_is_not_quite_json_is_repaired),
        cmocka_unit_test(what_is_cut_off_gives_what_is_whole),
        cmocka_unit_test(what_cannot_be_read_is_no_success),
        cmocka_unit_test(without_the_field_the_last_result_counts),
        cmocka_unit_test(the_text_is_cut_at_the_limit),
        cmocka_unit_test(limits_beyond_reason_are_refused),
        cmocka_unit_test(no_beginning_is_taken_for_success),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
