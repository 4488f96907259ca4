/*
 * Agents' output: whatever it holds, what comes out is whole, within its limits and the same each time; and
 * of an input that is a result in strict JSON no question is lost.
 */
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "output/output.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *text)
{
    DEMAND(text && str_is_utf8(text, strlen(text)));
}

static void check_question(const struct output *out, size_t i)
{
    const struct output_question *question = &out->questions[i];
    int64_t ms;

    check_text(question->text);
    DEMAND(!str_is_blank(question->text) && strlen(question->text) <= LIMIT_MESSAGE);
    check_text(question->id);
    DEMAND(!str_is_blank(question->id) && strlen(question->id) <= LIMIT_REF);
    DEMAND(!question->created_at || clock_parse(question->created_at, &ms));
    for (size_t k = 0; k < i; k++)
        DEMAND(strcmp(out->questions[k].id, question->id) != 0);
    plant(strlen(question->text), 26);
}

static void check_tasks(const struct output *out)
{
    DEMAND(out->task_count <= LIMIT_RESULT_TASKS);
    for (size_t i = 0; i < out->task_count; i++) {
        const struct output_task *task = &out->tasks[i];

        check_text(task->title);
        check_text(task->description);
        DEMAND(!str_is_blank(task->title) && str_chars(task->title) <= LIMIT_TITLE);
        DEMAND(task->depends_count <= LIMIT_DEPENDS);
        for (size_t k = 0; k < task->depends_count; k++)
            check_text(task->depends_on[k]);
    }
}

static void check_output(const struct output *out)
{
    DEMAND(out->question_count <= LIMIT_QUESTIONS);
    for (size_t i = 0; i < out->question_count; i++)
        check_question(out, i);
    check_tasks(out);
    DEMAND(out->problem_count <= LIMIT_PROBLEMS + 1);
    for (size_t i = 0; i < out->problem_count; i++) {
        check_text(out->problems[i]);
        DEMAND(out->problems[i][0]);
    }
    if (out->question_count > 0)
        DEMAND(out->summary && out->summary[0]);
    if (out->from_prose)
        DEMAND(!out->found && out->question_count == 1 && out->status == OUTPUT_FAILED);
    if (out->status == OUTPUT_SUCCESS)
        DEMAND(out->found);
    else if (!out->found && !out->from_prose)
        DEMAND(out->problem_count > 0);
    if (out->status_text)
        check_text(out->status_text);
    if (out->summary)
        check_text(out->summary);
    if (out->prd)
        check_text(out->prd);
    if (out->plan)
        check_text(out->plan);
    if (out->lost)
        check_text(out->lost);
}

static void check_same(const struct output *a, const struct output *b)
{
    DEMAND(a->question_count == b->question_count);
    for (size_t i = 0; i < a->question_count; i++) {
        DEMAND(strcmp(a->questions[i].text, b->questions[i].text) == 0);
        DEMAND(strcmp(a->questions[i].id, b->questions[i].id) == 0);
    }
}

/* Reads a copy of exactly these bytes, which is gone before anything is looked at. */
static struct output read_copy(struct arena *arena, const uint8_t *bytes, size_t len,
                               const struct output_options *options)
{
    struct output out = { 0 };
    struct err err = { 0 };
    char *copy = malloc(len ? len : 1);

    DEMAND(copy);
    if (len)
        memcpy(copy, bytes, len);
    DEMAND(output_read(arena, copy, len, options, &out, &err));
    free(copy);
    DEMAND(out.steps <= OUTPUT_STEPS * len + 64 * KB);
    check_output(&out);
    return out;
}

/* An escaped spelling of the field's own name is not looked for, hence no escapes of that kind. */
static void check_strict(struct arena *arena, const uint8_t *bytes, size_t len, const struct output *out)
{
    json_t *object = NULL;
    struct output whole = { 0 };
    struct err err = { 0 };

    if (memmem(bytes, len, "\\u", 2) || !json_parse((const char *)bytes, len, &object, &err))
        return;
    const json_t *field = json_object_get(object, "open_questions");

    if (json_is_array(field ? field : json_object_get(object, "openQuestions"))) {
        DEMAND(output_read_object(arena, object, NULL, &whole, &err));
        check_output(&whole);
        DEMAND(out->found && out->status == whole.status);
        check_same(out, &whole);
    }
    json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct output_options coder = { .coder = true }, half = { .max_bytes = len / 2 + 1 };
    ARENA_AUTO arena = { 0 };
    struct output out = read_copy(&arena, bytes, len, NULL);
    struct output again = read_copy(&arena, bytes, len, &coder);

    check_same(&out, &again);
    DEMAND(out.problem_count <= again.problem_count);
    again = read_copy(&arena, bytes, len, NULL);
    check_same(&out, &again);
    DEMAND(out.problem_count == again.problem_count && out.status == again.status);
    if (len > 0)
        check_strict(&arena, bytes, len, &out);
    read_copy(&arena, bytes, len, &half);
    return 0;
}
