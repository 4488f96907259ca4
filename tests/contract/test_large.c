/*
 * What a reply may take: of every list that the table has, with one entry that is far larger than a page, and
 * of lists in which all are large. The memory that the operation takes is counted, not looked at from
 * outside, so these hold on any machine.
 */
#include "council.h"
#include "questions.h"
#include "subjects.h"

#include "base/limits.h"

#include <stdio.h>

#define HUGE_TEXT  (LIMIT_PAGE_BYTES + 64 * KB)
#define LIST_STEPS 400

/* Where a list finds its largest text; JSON columns are given a JSON text. */
static const struct {
    const char *table, *column;
    bool json;
} large_columns[] = {
    { "jobs", "result", true },
    { "tasks", "description", false },
    { "squad_chat", "message", false },
    { "feedback", "text", false },
    { "decisions", "description", false },
    { "notifications", "body", false },
    { "projects", "description", false },
    { "agent_questions", "question", false },
    { "agent_templates", "system_prompt", false },
    { "discussion_prompts", "prompt_message", false },
    { "discussion_logs", "content", false },
    { "discussion_turns", "partial", false },
    { "discussion_state", "topic", false },
};

/* Nothing in these can be large: names, words and times, excerpts of a fixed length, what config.yaml says.
 */
static const char *const small_lists[] = { "workspace_list", "user_list",  "presence_list", "token_list",
                                           "search",         "audit_list", "tool_list",     NULL };

static const char *filler(struct t *t, size_t len)
{
    char *text = arena_alloc(&t->arena, len + 1, 1);

    memset(text, 'x', len);
    return text;
}

/* All rows of these columns get this text; they are given their words back in the end. */
static void fill_columns(struct t *t, const char *text)
{
    for (size_t i = 0; i < sizeof(large_columns) / sizeof(large_columns[0]); i++)
        outside_sql(t, "UPDATE %s SET %s = '%s%s%s' WHERE workspace_id = '%s'", large_columns[i].table,
                    large_columns[i].column, large_columns[i].json ? "\"" : "", text,
                    large_columns[i].json ? "\"" : "", t->workspace);
    outside_sql(
        t,
        "UPDATE job_logs SET message = '%s' WHERE job_id IN (SELECT id FROM jobs WHERE workspace_id = '%s')",
        text, t->workspace);
    outside_sql(t,
                "UPDATE open_questions SET questions = "
                "'[{\"id\":\"q1\",\"text\":\"%s\",\"createdAt\":\"2026-01-31T12:00:00Z\"}]'"
                " WHERE workspace_id = '%s'",
                text, t->workspace);
    outside_sql(
        t, "UPDATE question_templates SET definition = '{\"question\":\"%s\"}' WHERE workspace_id = '%s'",
        text, t->workspace);
}

static const struct field *field_of(const struct op *op, const char *name)
{
    for (const struct field *field = op->params; field->type; field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

static bool is_list(const struct op *op)
{
    return op->kind == OP_READ && field_of(op, "limit") && field_of(op, "cursor");
}

static bool is_small(const struct op *op)
{
    for (size_t i = 0; small_lists[i]; i++)
        if (strcmp(op->name, small_lists[i]) == 0)
            return true;
    return false;
}

/* Pages from the first to the last; the most bytes of one. No page takes more than a few times its size. */
static size_t walk(struct t *t, const struct op *op, json_t *params)
{
    const char *cursor = NULL;
    size_t largest = 0;

    json_object_set_new(params, "limit", json_integer(field_of(op, "limit")->max));
    for (int steps = 0; steps == 0 || cursor; steps++) {
        size_t size;

        assert_true(steps < LIST_STEPS);
        if (cursor)
            json_object_set_new(params, "cursor", json_string(cursor));
        /* A sanitised program on a busy machine may need longer than a read may take. */
        for (int tries = 0; tries == 0 || (t->status == 503 && tries < 10); tries++)
            call_json(t, op->name, params);
        CHECK_STATUS(200);
        size = strlen(t->text);
        largest = size > largest ? size : largest;
        if (t->memory > 4 * (size + LIMIT_PAGE_BYTES))
            fail_msg("%s takes %zu bytes for a reply of %zu", op->name, t->memory, size);
        cursor = text_at(t, "nextCursor");
    }
    return largest;
}

/* The job is one that witan runs itself, with a log whose entries and calls are large. */
static void make_run(struct t *t, const char *job, const char *text)
{
    outside_sql(
        t,
        "INSERT INTO runs (job_id, workspace_id, agent, instructions, phase, budget_steps, budget_tokens, "
        "budget_ms, budget_money, created_at) VALUES ('%s', '%s', 'Ada', 'Work.', 'ended', 1, 1, 1, 0, 1)",
        job, t->workspace);
    for (int i = 1; i <= 4; i++) {
        outside_sql(
            t,
            "INSERT INTO run_calls (id, job_id, step, position, provider_id, name, arguments, state, output, "
            "created_at) VALUES ('%s-%d', '%s', %d, 0, 'a', 'look', '{}', 'done', '%s', 1)",
            job, i, job, i, text);
        outside_sql(t,
                    "INSERT INTO run_entries (job_id, seq, step, kind, text, call_id, created_at) "
                    "VALUES ('%s', %d, %d, 'result', '%s', '%s-%d', 1)",
                    job, i, i, text, job, i);
    }
}

/* Something in every list of the table, and each text of it larger than a page may be. */
CONTRACT(no_list_takes_much_more_than_it_says)
{
    if (t->door != DOOR_TABLE)
        return;
    if (getenv("WITAN_RACES_ONLY"))
        skip(); /* one call after the other, and each a large one: nothing that could race */

    struct subjects subjects = make_subjects(t);
    int lists = 0;

    answer_text(t, subjects.question, "Yes.");
    CHECK_STATUS(200);
    call(t, "question_ask", "{s:s, s:s, s:s, s:s}", "id", subjects.job, "question", MARKER, "type",
         "blocking", "responseType", "text");
    CHECK_STATUS(201);
    call(t, "job_log", "{s:s, s:s}", "id", subjects.job, "message", MARKER);
    CHECK_STATUS(201);
    make_agent(t, "Ada", "critic");
    make_external_agent(t, "Eve", "critic");
    subjects.discussion = make_discussion(t, "rounds", 1, (const char *[]){ "Ada", "Eve" }, 2);
    PLAY(t, { "", "", NULL, false });
    fill_columns(t, filler(t, HUGE_TEXT));
    make_run(t, subjects.job, filler(t, HUGE_TEXT));
    for (const struct op *const *op = op_all(); *op; op++) {
        json_t *params = is_list(*op) ? valid_params(*op, &subjects) : NULL;

        if (!params)
            continue;
        size_t largest = walk(t, *op, params);

        if (largest < HUGE_TEXT && !is_small(*op))
            fail_msg("%s: make something large in it, or say why nothing can be: %zu", (*op)->name, largest);
        lists++;
        json_decref(params);
    }
    assert_true(lists > 20);
    fill_columns(t, MARKER);
}

/* Twelve times the page, of which each is large: what is read at once is bounded, and none is lost. */
CONTRACT(a_list_of_nothing_but_large_entries_is_read_by_and_by)
{
    const char *result = filler(t, LIMIT_PAGE_BYTES / 2), *cursor = NULL;
    size_t seen = 0, pages = 0;

    for (int i = 0; i < 24; i++) {
        call(t, "job_create", "{s:s}", "status", "running");
        call(t, "job_update", "{s:s, s:s}", "id", text_at(t, "id"), "result", result);
        CHECK_STATUS(200);
    }
    do {
        call(t, "job_list", cursor ? "{s:i, s:s}" : "{s:i}", "limit", LIMIT_PAGE, "cursor", cursor);
        CHECK_STATUS(200);
        seen += json_array_size(at(t, "jobs"));
        assert_true(t->memory <= LIMIT_PAGE_READ + 2 * LIMIT_PAGE_BYTES);
        assert_true(strlen(t->text) < 2 * LIMIT_PAGE_BYTES);
        cursor = text_at(t, "nextCursor");
        pages++;
    } while (cursor);
    assert_int_equal(seen, 24);
    assert_true(pages <= 24);
    outside_sql(t, "UPDATE jobs SET result = NULL WHERE workspace_id = '%s'", t->workspace);
}

/* A call that would take more than there is for all of them is refused, whatever it does. */
CONTRACT(a_call_takes_no_more_than_all_may)
{
    const char *job;

    if (t->door != DOOR_TABLE)
        return;
    call(t, "job_create", "{s:s}", "status", "running");
    job = text_at(t, "id");
    call(t, "job_update", "{s:s, s:s}", "id", job, "result", filler(t, 3 * MB));
    CHECK_STATUS(200);
    t->memory_limit = 2 * MB;
    call(t, "job_get", "{s:s}", "id", job);
    CHECK_STATUS(503);
    call(t, "job_list", "{}");
    CHECK_STATUS(503);
    call(t, "job_cancel", "{s:s}", "id", job);
    CHECK_STATUS(503);
    t->memory_limit = 0;
    call(t, "job_get", "{s:s}", "id", job);
    CHECK_STATUS(200);
    CHECK_TEXT("status", "running");
    outside_sql(t, "UPDATE jobs SET result = NULL WHERE workspace_id = '%s'", t->workspace);
}

/* The audit log names what is too large for it; the thing itself has it whole. */
CONTRACT(an_audit_row_holds_no_megabytes)
{
    const char *job;

    call(t, "job_create", "{s:s}", "status", "running");
    job = text_at(t, "id");
    call(t, "job_update", "{s:s, s:s}", "id", job, "result", filler(t, MB));
    CHECK_STATUS(200);
    advance(t, 0); /* on PostgreSQL rows are numbered a moment after their commit */
    call(t, "audit_list", "{s:s, s:s}", "subject", job, "operation", "job_update");
    CHECK_COUNT("entries", 1);
    CHECK_TEXT("entries.0.detail.result", "1048578 bytes of JSON, left out here");
    outside_sql(t, "UPDATE jobs SET result = NULL WHERE workspace_id = '%s'", t->workspace);
}

/* A model that breaks off after a megabyte has said nothing; its beginning shows what went wrong. */
CONTRACT(a_call_that_failed_leaves_only_its_beginning)
{
    const char *id, *long_text = filler(t, MB - 1);

    make_agent(t, "Ada", "critic");
    make_agent(t, "Bo", "critic");
    id = make_discussion(t, "rounds", 1, (const char *[]){ "Ada", "Bo" }, 2);
    PLAY(t, { "Ada", long_text, "It broke off.", false }, { "Ada", long_text, "It broke off.", false },
         { "Ada", long_text, "It broke off.", false });
    show_discussion(t, id);
    CHECK_TRUE("entries.0.metadata.failed");
    assert_int_equal(strlen(text_at(t, "entries.0.metadata.raw")), LIMIT_FAILED_TEXT);
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_TRUE("agrees");
}
