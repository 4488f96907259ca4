/*
 * What becomes of each question, task and document of a result, printed or handed in as an object.
 */
#include "output/output.h"

#include "base/json.h"
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

struct row {
    const char *list, *got, *problem; /* problem: NULL for none, or a part of what is said */
};

static const char *questions_of(struct arena *arena, const struct output *out)
{
    const char *line = "";

    for (size_t i = 0; i < out->question_count; i++)
        line = arena_format(arena, "%s%s%s=%s", line, i ? " | " : "", out->questions[i].id,
                            out->questions[i].text);
    return line;
}

static const char *all_problems(struct arena *arena, const struct output *out)
{
    const char *line = "";

    for (size_t i = 0; i < out->problem_count; i++)
        line = arena_format(arena, "%s%s ", line, out->problems[i]);
    return line;
}

static struct output read_text(struct arena *arena, const char *text)
{
    struct output out;
    struct err err = { 0 };

    if (!output_read(arena, text, strlen(text), NULL, &out, &err))
        fail_msg("%s", err.text);
    return out;
}

static struct output read_object(struct arena *arena, const char *text, const struct output_options *options)
{
    JSON_AUTO *object = NULL;
    struct output out = { 0 };
    struct err err = { 0 };

    if (!json_parse(text, strlen(text), &object, &err) ||
        !output_read_object(arena, object, options, &out, &err))
        fail_msg("%s: %s", text, err.text);
    return out;
}

static void check(struct arena *arena, const struct row *row, const struct output *out, const char *how)
{
    const char *got = questions_of(arena, out), *problems = all_problems(arena, out);

    if (strcmp(got, row->got) != 0)
        fail_msg("%s %s\n  got:  %s\n  want: %s\n  problems: %s", how, row->list, got, row->got, problems);
    if (row->problem ? !strstr(problems, row->problem) : out->problem_count > 0)
        fail_msg("%s %s\n  want: %s\n  problems: %s", how, row->list, row->problem, problems);
}

static void questions_are_normalised_from_every_source(void **state)
{
    static const struct row rows[] = {
        { "[]", "", NULL },
        { "null", "", NULL },
        { "false", "", NULL },
        { "[{\"id\":\"a\",\"text\":\"x?\"},{\"id\":\"b\",\"text\":\"y?\"}]", "a=x? | b=y?", NULL },
        { "[{\"text\":\"x?\"},{\"text\":\"y?\"}]", "q1=x? | q2=y?", NULL },
        { "[\"x?\",{\"text\":\"y?\"}]", "q1=x? | q2=y?", NULL },
        { "[{\"id\":\" \",\"text\":\"x?\"},{\"id\":7,\"text\":\"y?\"},{\"id\":null,\"text\":\"z?\"}]",
          "q1=x? | q2=y? | q3=z?", NULL },
        { "[{\"id\":\" a \",\"text\":\"  x?\\n \"}]", "a=x?", NULL },
        { "[{\"text\":\"\"},{\"text\":\"y?\"}]", "q2=y?", "Question 1 has an empty text" },
        { "[{\"text\":\" \\t\"},\" \",{\"text\":\"y?\"}]", "q3=y?", "Question 2 has an empty text" },
        { "[{\"id\":\"a\"},{\"text\":\"y?\"}]", "q2=y?", "Question 1 has no text" },
        { "[{\"id\":\"a\",\"question\":\"x?\"},{\"question\":\"no\",\"text\":\"y?\"}]", "a=x? | q2=y?",
          NULL },
        { "[{\"text\":7},{\"text\":[\"x\"]},{\"text\":\"y?\"}]", "q3=y?",
          "Question 2 has a text that is not a string" },
        { "[7,null,[\"x?\"],{\"text\":\"y?\"}]", "q4=y?", "Question 3 is neither" },
        { "[{\"id\":\"a\",\"text\":\"x?\"},{\"id\":\"a\",\"text\":\"y?\"}]", "a=x? | q2=y?",
          "`a` is there twice" },
        { "[{\"text\":\"x?\"},{\"id\":\"q1\",\"text\":\"y?\"}]", "q1=x? | q2=y?", "question 2 became `q2`" },
        { "[{\"id\":\"q2\",\"text\":\"x?\"},{\"text\":\"y?\"}]", "q2=x? | q3=y?", "became `q3`" },
        { "[{\"id\":\"q2\",\"text\":\"x?\"},{\"text\":\"y?\"},{\"text\":\"z?\"}]", "q2=x? | q4=y? | q3=z?",
          "became `q4`" },
        { "[{\"id\":\"q1\",\"text\":\"x?\"},{\"id\":\"q1\",\"text\":\"y?\"},{\"id\":\"q2\",\"text\":\"z?\"}]",
          "q1=x? | q3=y? | q2=z?", "became `q3`" },
        { "{\"text\":\"x?\"}", "q1=x?", "is an object, not a list" },
        { "{\"a\":\"x?\",\"b\":{\"text\":\"y?\"}}", "a=x? | b=y?", "is an object, not a list" },
        { "{}", "", NULL },
        { "{\"type\":\"array\",\"items\":{\"text\":\"x?\"}}", "", "by a schema" },
        { "\"x?\"", "q1=x?", "is a text, not a list" },
        { "\"\"", "", NULL },
        { "\"None\"", "", NULL },
        { "7", "", "is a number" },
        { "true", "", "is `true`" },
        { "[{\"text\":\"a\\u0007b\\u202ec\"}]", "q1=abc", NULL },
        { "[{\"text\":\"\\u0007\"}]", "", "empty text" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        ARENA_AUTO arena = { 0 };
        const char *text = arena_format(&arena, "{\"open_questions\":%s}", rows[i].list);
        struct output out = read_text(&arena, text);

        check(&arena, &rows[i], &out, "printed");
        out = read_object(&arena, text, NULL);
        check(&arena, &rows[i], &out, "object");
        text = arena_format(&arena, "{\"status\":\"failed\",\"inner\":{\"openQuestions\":%s}}", rows[i].list);
        struct row camel = rows[i];

        out = read_text(&arena, text);
        assert_string_equal(questions_of(&arena, &out), camel.got);
        out = read_object(&arena, text, NULL);
        assert_string_equal(questions_of(&arena, &out), camel.got);
    }
}

static void times_are_kept_when_they_are_times(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct output out = read_text(&arena, "{\"open_questions\":["
                                          "{\"text\":\"a\",\"createdAt\":\"2026-01-02T03:04:05Z\"},"
                                          "{\"text\":\"b\",\"created_at\":\"2026-01-02T03:04:05.5+02:00\"},"
                                          "{\"text\":\"c\",\"createdAt\":\"yesterday\"},"
                                          "{\"text\":\"d\",\"createdAt\":7},{\"text\":\"e\"}]}");

    (void)state;
    assert_int_equal(out.question_count, 5);
    assert_string_equal(out.questions[0].created_at, "2026-01-02T03:04:05Z");
    assert_string_equal(out.questions[1].created_at, "2026-01-02T03:04:05.5+02:00");
    for (size_t i = 2; i < 5; i++)
        assert_null(out.questions[i].created_at);
}

static char *many(struct arena *arena, const char *before, const char *each, size_t count, const char *after)
{
    size_t one = strlen(each), head = strlen(before);
    char *text = arena_alloc(arena, head + one * count + strlen(after) + 1, 1);

    memcpy(text, before, head);
    for (size_t i = 0; i < count; i++)
        memcpy(text + head + i * one, each, one);
    memcpy(text + head + count * one, after, strlen(after));
    return text;
}

static void no_more_questions_than_the_limit(void **state)
{
    ARENA_AUTO arena = { 0 };
    char *text = many(&arena, "{\"open_questions\":[", "{\"text\":\"x?\"},", LIMIT_QUESTIONS + 4, "\"x?\"]}");
    struct output out = read_text(&arena, text);

    (void)state;
    assert_int_equal(out.question_count, LIMIT_QUESTIONS);
    assert_string_equal(out.questions[LIMIT_QUESTIONS - 1].id, "q100");
    assert_string_equal(all_problems(&arena, &out), "5 questions beyond the first 100 were left out. ");
    out = read_object(&arena, text, NULL);
    assert_int_equal(out.question_count, LIMIT_QUESTIONS);

    out = read_text(&arena, many(&arena, "{\"open_questions\":[", "\"x?\",", 100000, "]}"));
    assert_int_equal(out.question_count, LIMIT_QUESTIONS);
    assert_string_equal(all_problems(&arena, &out), "99900 questions beyond the first 100 were left out. ");
}

/* However much else the object holds, its questions are read. */
static void nothing_crowds_the_questions_out(void **state)
{
    ARENA_AUTO arena = { 0 };
    char *text = many(&arena, "{\"data\":[", "{\"a\":[1,2]},", 100000, "],\"open_questions\":[\"x?\"]}");
    struct output out = read_text(&arena, text);

    (void)state;
    assert_string_equal(questions_of(&arena, &out), "q1=x?");
    out = read_text(&arena, many(&arena, "{\"tasks\":[", "\"t\",", 100000, "],\"open_questions\":[\"x?\"]}"));
    assert_string_equal(questions_of(&arena, &out), "q1=x?");
    assert_int_equal(out.task_count, LIMIT_RESULT_TASKS);
    text = many(&arena, "{'data':[", "{'a':[1,2]},", 100000, "],'open_questions':['x?']}");
    out = read_text(&arena, text);
    assert_string_equal(questions_of(&arena, &out), "q1=x?");
}

static void long_texts_are_cut_between_characters(void **state)
{
    ARENA_AUTO arena = { 0 };
    char *text = many(&arena, "{\"open_questions\":[\"x", "\xc3\xa4", LIMIT_MESSAGE, "\"]}");
    struct output out = read_text(&arena, text);

    (void)state;
    assert_int_equal(out.question_count, 1);
    assert_int_equal(strlen(out.questions[0].text), LIMIT_MESSAGE - 1);
    assert_true(str_is_utf8(out.questions[0].text, LIMIT_MESSAGE - 1));
    assert_non_null(strstr(all_problems(&arena, &out), "was cut"));

    out =
        read_text(&arena, many(&arena, "{\"open_questions\":[{\"text\":\"x?\",\"id\":\"", "a", 300, "\"}]}"));
    assert_string_equal(questions_of(&arena, &out), "q1=x?");
    assert_non_null(strstr(all_problems(&arena, &out), "id of question 1"));
}

static void tasks_and_documents_are_read(void **state)
{
    static const char text[] =
        "{\"tasks\":[{\"title\":\" Build "
        "\",\"description\":\"It\",\"priority\":2,\"depends_on\":[\"a\",3,null]},"
        "{\"title\":\"Test\",\"priority\":\"1\",\"dependsOn\":\"b\"},{\"title\":\"\"},\"Ship\","
        "{\"title\":\"Odd\",\"priority\":1.5,\"description\":{}},7],"
        "\"prd\":\"# Goal\\nFast.\",\"plan\":{\"steps\":[1,2]}}";
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (int object = 0; object < 2; object++) {
        struct output out = object ? read_object(&arena, text, NULL) : read_text(&arena, text);
        const char *problems = all_problems(&arena, &out);

        assert_int_equal(out.status, OUTPUT_SUCCESS);
        assert_int_equal(out.task_count, 4);
        assert_string_equal(out.tasks[0].title, "Build");
        assert_string_equal(out.tasks[0].description, "It");
        assert_true(out.tasks[0].has_priority && out.tasks[0].priority == 2);
        assert_int_equal(out.tasks[0].depends_count, 2);
        assert_string_equal(out.tasks[0].depends_on[1], "3");
        assert_true(out.tasks[1].has_priority && out.tasks[1].priority == 1);
        assert_string_equal(out.tasks[1].depends_on[0], "b");
        assert_string_equal(out.tasks[2].title, "Ship");
        assert_string_equal(out.tasks[2].description, "");
        assert_false(out.tasks[3].has_priority);
        assert_string_equal(out.prd, "# Goal\nFast.");
        assert_string_equal(out.plan, "{\"steps\":[1,2]}");
        assert_non_null(strstr(problems, "Task 3 has no title"));
        assert_non_null(strstr(problems, "Task 6 has no title"));
        assert_non_null(strstr(problems, "priority of task 5"));
        assert_non_null(strstr(problems, "description of task 5"));
        assert_non_null(strstr(problems, "1 dependencies of task 1"));
    }
}

/* So many tasks with so many dependencies each, and further members that nobody asks for. */
static char *plan_of(struct arena *arena, char quote, size_t tasks, size_t depends, size_t others)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    buf_format(&text, "{%cstatus%c: %csuccess%c, %ctasks%c: [", quote, quote, quote, quote, quote, quote);
    for (size_t i = 0; i < tasks; i++) {
        buf_format(&text, "%s{%ctitle%c: %ct%zu%c, %cdepends_on%c: [", i ? ", " : "", quote, quote, quote, i,
                   quote, quote, quote);
        for (size_t d = 0; d < depends; d++)
            buf_format(&text, "%s%zu", d ? ", " : "", d);
        buf_text(&text, "]");
        for (size_t o = 0; o < others; o++)
            buf_format(&text, ", %cother%zu%c: 1", quote, o, quote);
        buf_text(&text, "}");
    }
    buf_text(&text, "]}");
    return arena_copy(arena, text.bytes, text.len);
}

static void check_plan(const struct output *out)
{
    assert_null(out->lost);
    if (out->problem_count > 0)
        fail_msg("%s", out->problems[0]);
    assert_string_equal(out->status_text, "success");
    assert_int_equal(out->task_count, LIMIT_RESULT_TASKS);
    for (size_t i = 0; i < LIMIT_RESULT_TASKS; i++) {
        assert_int_equal(out->tasks[i].depends_count, LIMIT_DEPENDS);
        assert_string_equal(out->tasks[i].depends_on[LIMIT_DEPENDS - 1], "99");
    }
}

/* Strict, in need of repair, and handed in as an object. */
static void a_plan_at_all_limits_is_read_whole(void **state)
{
    ARENA_AUTO arena = { 0 };
    char *text = plan_of(&arena, '"', LIMIT_RESULT_TASKS, LIMIT_DEPENDS, 20);
    struct output out = read_text(&arena, text);

    (void)state;
    check_plan(&out);
    out = read_object(&arena, text, NULL);
    check_plan(&out);
    out = read_text(&arena, plan_of(&arena, '\'', LIMIT_RESULT_TASKS, LIMIT_DEPENDS, 20));
    check_plan(&out);
}

/* What is beyond a limit, or cannot be read, is never just left away. */
static void half_a_plan_says_so(void **state)
{
    ARENA_AUTO arena = { 0 };
    const struct {
        const char *text, *why;
    } rows[] = {
        { plan_of(&arena, '"', LIMIT_RESULT_TASKS + 1, 1, 0), "more than 500 tasks" },
        { plan_of(&arena, '"', 3, LIMIT_DEPENDS + 1, 0), "Task 1 has 101 dependencies, more than 100" },
        { plan_of(&arena, '"', LIMIT_RESULT_TASKS, LIMIT_DEPENDS, 40), "more than 64000 values" },
        { plan_of(&arena, '"', 30000, 0, 0), "more than 64000 values" },
        { "{\"tasks\":[{\"title\":\"a\"},{\"title\":\"b\",\"depends_on\":[{\"id\":0}]}]}",
          "A dependency of task 2" },
        { "{\"tasks\":[{\"title\":\"b\",\"depends_on\":true}]}", "A dependency of task 1" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int object = 0; object < 2; object++) {
            struct output out =
                object ? read_object(&arena, rows[i].text, NULL) : read_text(&arena, rows[i].text);

            if (!out.lost || !strstr(out.lost, rows[i].why))
                fail_msg("row %zu, object %d: %s", i, object,
                         out.lost ? out.lost : all_problems(&arena, &out));
        }
    }
    struct output out = read_text(&arena, plan_of(&arena, '\'', LIMIT_RESULT_TASKS, LIMIT_DEPENDS, 40));

    assert_non_null(strstr(out.lost, "more than 64000 values"));
    out = read_object(&arena, "{\"tasks\":{\"a\":{\"title\":\"b\"}}}", NULL);
    assert_non_null(strstr(out.lost, "`tasks` is an object"));
}

static void a_summary_is_made_up_only_for_questions(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct output out = read_text(&arena, "{\"open_questions\":[\"x?\"]}");

    (void)state;
    assert_string_equal(out.summary, "Needs clarification before proceeding.");
    out = read_text(&arena, "{\"open_questions\":[\"x?\"],\"summary\":\"Mine.\"}");
    assert_string_equal(out.summary, "Mine.");
    out = read_text(&arena, "{\"open_questions\":[],\"status\":\"success\"}");
    assert_null(out.summary);
    assert_string_equal(out.status_text, "success");
}

static void objects_are_judged_like_prints(void **state)
{
    const struct output_options coder = { .coder = true };
    ARENA_AUTO arena = { 0 };
    struct output out = read_object(&arena, "{\"status\":\"DONE\",\"summary\":\"x\"}", &coder);
    struct err err = { 0 };

    (void)state;
    assert_true(out.found && out.status == OUTPUT_SUCCESS && out.problem_count == 0);
    out = read_object(&arena, "{\"status\":\"nearly\"}", &coder);
    assert_int_equal(out.status, OUTPUT_FAILED);
    assert_int_equal(out.problem_count, 2);
    out = read_object(&arena, "{}", &coder);
    assert_int_equal(out.status, OUTPUT_FAILED);
    out = read_object(&arena, "{\"status\":{\"a\":1},\"summary\":\"x\"}", &coder);
    assert_string_equal(out.status_text, "{\"a\":1}");

    JSON_AUTO *list = json_array();

    assert_false(output_read_object(&arena, list, NULL, &out, &err));
    assert_string_equal(err.field, "result");
}

static void problems_have_a_limit(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct output out = read_text(&arena, many(&arena, "{\"open_questions\":[", "7,", 90, "\"x?\"]}"));

    (void)state;
    assert_string_equal(questions_of(&arena, &out), "q91=x?");
    assert_int_equal(out.problem_count, LIMIT_PROBLEMS + 1);
    assert_string_equal(out.problems[LIMIT_PROBLEMS], "And 40 more problems.");
}

/* Whoever answers must see what there is to choose, wherever the model has put it. */
static void options_beside_a_question_become_lines_of_it(void **state)
{
    static const struct row rows[] = {
        { "[{\"text\": \"Which?\", \"options\": [{\"label\": \"Redis\", \"pros\": [\"fast\", \"known\"], "
          "\"cons\": \"one more server\"}, \"In memory\"]}]",
          "q1=Which?\nA) Redis Pros: fast; known Cons: one more server\nB) In memory", NULL },
        /* Those that the text names already are not said twice. */
        { "[{\"text\": \"Tea or coffee?\", \"options\": [\"Tea\", \"coffee\", \"Water\", 3, \" \"]}]",
          "q1=Tea or coffee?\nA) Water", NULL },
        { "[{\"text\": \"Which?\", \"options\": \"many\"}]", "q1=Which?", NULL },
        { "[{\"text\": \"Which?\", \"options\": []}]", "q1=Which?", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        ARENA_AUTO arena = { 0 };
        const char *text = arena_format(&arena, "{\"open_questions\": %s}", rows[i].list);
        struct output printed = read_text(&arena, text), given = read_object(&arena, text, NULL);

        assert_string_equal(questions_of(&arena, &printed), rows[i].got);
        assert_string_equal(questions_of(&arena, &given), rows[i].got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_normalised_from_every_source),
        cmocka_unit_test(times_are_kept_when_they_are_times),
        cmocka_unit_test(no_more_questions_than_the_limit),
        cmocka_unit_test(nothing_crowds_the_questions_out),
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(tasks_and_documents_are_read),
        cmocka_unit_test(a_summary_is_made_up_only_for_questions),
        cmocka_unit_test(objects_are_judged_like_prints),
        cmocka_unit_test(problems_have_a_limit),
        cmocka_unit_test(a_plan_at_all_limits_is_read_whole),
        cmocka_unit_test(half_a_plan_says_so),
        cmocka_unit_test(options_beside_a_question_become_lines_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
