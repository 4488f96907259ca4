#include "base/clock.h"
#include "core/log/idempotency.h"
#include "questions.h"

#include <string.h>

static int post(struct t *t, const char *message)
{
    return call(t, "chat_post", "{s:s, s:s}", "agent_name", "Dev", "message", message);
}

CONTRACT(idempotency_gives_the_first_reply_again)
{
    t->idempotency_key = "once";
    post(t, "Hello");
    CHECK_STATUS(201);
    const char *id = text_at(t, "message.id");

    assert_false(t->replayed);
    post(t, "Hello");
    CHECK_STATUS(201);
    CHECK_TEXT("message.id", id);
    assert_true(t->replayed);
    post(t, "Something else");
    CHECK_STATUS(409);
    t->as = t->member;
    post(t, "Hello");
    CHECK_STATUS(201);
    assert_string_not_equal(text_at(t, "message.id"), id);
    assert_int_equal(count_rows(t, "squad_chat WHERE workspace_id = '%s'", t->workspace), 2);
}

CONTRACT(idempotency_forgets_after_a_day_and_keeps_no_failure)
{
    t->idempotency_key = "once";
    post(t, "  ");
    CHECK_STATUS(400);
    post(t, "Hello");
    CHECK_STATUS(201);
    advance(t, (int64_t)25 * 3600 * 1000);
    post(t, "Hello");
    assert_false(t->replayed);
    assert_int_equal(count_rows(t, "squad_chat WHERE workspace_id = '%s'", t->workspace), 2);
}

/* What the sweep does, as often as there is something to look at. */
static void sweep(struct t *t)
{
    struct err err = { 0 };
    size_t seen;

    do {
        if (!idempotency_prune(
                &(struct tx){ .db = t->db, .arena = &t->arena, .now_ms = clock_now_ms(), .err = &err }, 10,
                &seen))
            fail_msg("%s", err.text);
    } while (seen > 0);
}

/* A question without a deadline, as a job that goes on with a default asks it. */
static const char *ask_again(struct t *t)
{
    call(t, "question_create", "{s:s, s:s, s:s, s:{s:s, s:s}}", "question", "Which port?", "type",
         "non_blocking", "responseType", "text", "defaultResponse", "type", "text", "value", "80");
    CHECK_STATUS(201);
    return text_at(t, "questionId");
}

CONTRACT(idempotency_keeps_a_key_as_long_as_its_question_is_open)
{
    const int64_t day = 24 * 60 * MINUTE;
    const char *asked;

    t->idempotency_key = "deploy-7";
    asked = ask_again(t);
    for (int days = 1; days <= 4; days++) {
        advance(t, day + MINUTE);
        /* Whether the sweep has come by or not. */
        if (days > 1)
            sweep(t);
        assert_string_equal(ask_again(t), asked);
        assert_true(t->replayed);
    }
    t->idempotency_key = NULL;
    answer_text(t, asked, "443");
    CHECK_STATUS(200);

    /* Whoever was away finds the answer, and a day or two later may ask the same again. */
    t->idempotency_key = "deploy-7";
    advance(t, day - MINUTE);
    sweep(t);
    assert_string_equal(ask_again(t), asked);
    advance(t, 2 * day);
    sweep(t);
    assert_int_equal(count_rows(t, "idempotency WHERE workspace_id = '%s'", t->workspace), 0);
    assert_string_not_equal(ask_again(t), asked);
    assert_int_equal(count_rows(t, "agent_questions WHERE workspace_id = '%s'", t->workspace), 2);
}

CONTRACT(idempotency_keeps_a_key_as_long_as_its_prompt_is_open)
{
    const char *prompt;

    t->idempotency_key = "squad-7";
    call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message", "Why?",
         "timeout_minutes", 1440);
    CHECK_STATUS(201);
    prompt = text_at(t, "prompt.id");
    assert_int_equal(count_rows(t, "idempotency WHERE prompt_id = '%s'", prompt), 1);
    advance(t, 25 * 60 * MINUTE);
    sweep(t);
    call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message", "Why?",
         "timeout_minutes", 1440);
    CHECK_TEXT("prompt.id", prompt);
    assert_true(t->replayed);
}

CONTRACT(idempotency_keeps_a_key_as_long_as_its_decision_is_open)
{
    const char *project;

    call(t, "project_create", "{s:s, s:s}", "name", "Shop", "hilConfig", "confirm_all");
    project = text_at(t, "id");
    t->idempotency_key = "decide-7";
    call(t, "decision_create", "{s:s, s:s, s:s}", "id", project, "category", "scopeChanges", "description",
         "An export");
    CHECK_STATUS(201);
    assert_int_equal(count_rows(t, "idempotency WHERE question_id = '%s'", text_at(t, "questionId")), 1);
}

CONTRACT(idempotency_does_not_keep_secrets)
{
    t->idempotency_key = "secret";
    call(t, "token_create", "{s:s, s:s}", "name", "ci", "role", "agent");
    CHECK_STATUS(201);
    call(t, "token_create", "{s:s, s:s}", "name", "ci", "role", "agent");
    CHECK_STATUS(409);
    assert_int_equal(count_rows(t, "tokens WHERE workspace_id = '%s' AND name = 'ci'", t->workspace), 1);
    assert_int_equal(count_rows(t, "idempotency WHERE reply LIKE '%%witan_%%'"), 0);
}

CONTRACT(every_write_leaves_an_audit_row_and_no_read_does)
{
    int64_t before = count_rows(t, "audit WHERE workspace_id = '%s'", t->workspace);

    post(t, "Hello");
    assert_int_equal(count_rows(t, "audit WHERE workspace_id = '%s'", t->workspace), before + 1);
    call(t, "chat_list", "{}");
    post(t, " ");
    assert_int_equal(count_rows(t, "audit WHERE workspace_id = '%s'", t->workspace), before + 1);
    advance(t, 0); /* on PostgreSQL rows are numbered a moment after their commit */
    call(t, "audit_list", "{}");
    CHECK_STATUS(200);
    CHECK_TEXT("entries.0.operation", "chat_post");
}

CONTRACT(idempotency_keys_are_text)
{
    const char *before = fingerprint(t);

    t->idempotency_key = "\xff\xfe";
    post(t, "Hello");
    CHECK_STATUS(400);
    CHECK_TEXT("error", "Idempotency-Key must be valid UTF-8.");
    t->idempotency_key = NULL;
    assert_string_equal(fingerprint(t), before);
}

/* Two names that look alike are alike, and none steers a terminal. */
CONTRACT(names_show_all_that_they_hold)
{
    static const char *const hidden[] = { "Build\xC2\x9B"
                                          "er",
                                          "Build\xE2\x80\xAE"
                                          "er",
                                          "Build\xE2\x80\x8B"
                                          "er" };

    for (size_t i = 0; i < 3; i++) {
        call(t, "chat_post", "{s:s, s:s}", "agent_name", hidden[i], "message", "Hello");
        CHECK_STATUS(400);
        CHECK_TEXT("field", "agent_name");
        call(t, "project_create", "{s:s}", "name", hidden[i]);
        CHECK_STATUS(400);
        call(t, "analytics_get", "{s:s}", "projectId", hidden[i]);
        CHECK_STATUS(400);
    }
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Zo\xC3\xAB", "message", "Hello");
    CHECK_STATUS(201);
}

CONTRACT(a_parameter_goes_by_both_spellings)
{
    call(t, "question_create", "{s:s, s:s, s:s, s:i}", "question", "Which port?", "type", "blocking",
         "response_type", "text", "timeout_minutes", 5);
    CHECK_STATUS(201);
    const char *id = text_at(t, "questionId");

    call(t, "question_get", "{s:s}", "id", id);
    CHECK_TEXT("question.responseType", "text");
    CHECK_STATUS(200);
    call(t, "prompt_create", "{s:s, s:s, s:i}", "requesterAgent", "Dev", "promptMessage", "Cache or index?",
         "requiredResponses", 3);
    CHECK_STATUS(201);
    CHECK_INT("prompt.required_responses", 3);
    call(t, "question_create", "{s:s, s:s, s:i, s:i}", "question", "Which port?", "type", "blocking",
         "timeout_minutes", 5, "timeoutMinutes", 6);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "timeoutMinutes");
}

CONTRACT(an_unknown_parameter_is_refused_with_the_nearest_and_nothing_is_stored)
{
    call(t, "question_create", "{s:s, s:s, s:s, s:i}", "question", "Which port?", "type", "blocking",
         "responseType", "text", "timeoutMins", 5);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "timeoutMins");
    assert_non_null(strstr(text_at(t, "hint"), "timeoutMinutes"));
    assert_int_equal(count_rows(t, "agent_questions WHERE workspace_id = '%s'", t->workspace), 0);
}
