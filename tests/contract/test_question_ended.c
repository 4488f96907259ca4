/* What has ended is found again, by how it ended, for those who could see it while it was open. */
#include "questions.h"

static int list(struct t *t, const char *status)
{
    return call(t, "question_ended", "{s:s}", "status", status);
}

CONTRACT(question_ended_lists_what_was_answered_timed_out_or_cancelled)
{
    const char *job = make_job(t), *answered = ask_text(t, job), *open, *cancelled, *late;

    open = ask_in(t, job, "{s:s, s:s, s:s, s:{s:b}}", "question", "Logs?", "type", "non_blocking",
                  "responseType", "boolean", "defaultResponse", "value", 0);
    cancelled = ask_text(t, make_job(t));
    late = ask_in(t, make_job(t), "{s:s, s:s, s:s, s:i}", "question", "Now?", "type", "blocking",
                  "responseType", "text", "timeoutMinutes", 5);
    answer_text(t, answered, "Because.");
    CHECK_STATUS(200);
    call(t, "question_cancel", "{s:s}", "id", cancelled);
    CHECK_STATUS(200);
    advance(t, 6 * MINUTE);
    list(t, "answered");
    CHECK_STATUS(200);
    CHECK_COUNT("questions", 1);
    CHECK_TEXT("questions.0.id", answered);
    CHECK_TEXT("questions.0.response.value", "Because.");
    CHECK_NULL("nextCursor");
    list(t, "cancelled");
    CHECK_COUNT("questions", 1);
    CHECK_TEXT("questions.0.id", cancelled);
    list(t, "timeout");
    CHECK_COUNT("questions", 1);
    CHECK_TEXT("questions.0.id", late);
    show(t, open);
    CHECK_TEXT("question.status", "pending");
}

CONTRACT(question_ended_refuses_what_is_no_end)
{
    call(t, "question_ended", "{}");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "status");
    list(t, "pending");
    CHECK_STATUS(400);
    call(t, "question_ended", "{s:s, s:s}", "status", "answered", "cursor", "garbage!");
    CHECK_STATUS(400);
}

CONTRACT(question_ended_is_narrowed_by_type_and_agent_and_stays_in_its_workspace)
{
    const char *first = ask_text(t, make_job(t)), *approval;

    call(t, "question_create", "{s:s, s:s, s:s, s:s}", "question", "Go?", "type", "approval", "responseType",
         "approval", "agent", "Scout");
    CHECK_STATUS(201);
    approval = text_at(t, "questionId");
    answer_text(t, first, "Yes.");
    answer(t, approval, "{s:b}", "value", 1);
    CHECK_STATUS(200);
    list(t, "answered");
    CHECK_COUNT("questions", 2);
    CHECK_TEXT("questions.0.id", approval); /* the newest first */
    call(t, "question_ended", "{s:s, s:s}", "status", "answered", "type", "approval");
    CHECK_COUNT("questions", 1);
    CHECK_TEXT("questions.0.id", approval);
    call(t, "question_ended", "{s:s, s:s}", "status", "answered", "agent", "Builder");
    CHECK_COUNT("questions", 1);
    CHECK_TEXT("questions.0.id", first);
    t->as = token_elsewhere(t, "owner");
    list(t, "answered");
    CHECK_COUNT("questions", 0);
}

CONTRACT(question_ended_pages_through_everything_once)
{
    enum { MANY = 7 };
    const char *cursor = NULL, *last = "g"; /* above every id */
    int seen = 0;

    for (int i = 0; i < MANY; i++)
        answer_text(t, ask_text(t, make_job(t)), "Yes.");
    do {
        if (cursor)
            call(t, "question_ended", "{s:s, s:i, s:s}", "status", "answered", "limit", 3, "cursor", cursor);
        else
            call(t, "question_ended", "{s:s, s:i}", "status", "answered", "limit", 3);
        CHECK_STATUS(200);
        for (size_t i = 0; i < json_array_size(at(t, "questions")); i++, seen++) {
            const char *id = text_at(t, arena_format(&t->arena, "questions.%zu.id", i));

            assert_true(strcmp(id, last) < 0);
            last = id;
        }
        cursor = text_at(t, "nextCursor");
    } while (cursor && seen <= MANY);
    assert_int_equal(seen, MANY);
}

static int64_t answered_since(struct t *t, int64_t ms)
{
    call(t, "question_answered_count", "{s:s}", "since", clock_text(&t->arena, ms));
    CHECK_STATUS(200);
    return int_at(t, "count");
}

CONTRACT(question_answered_count_is_of_the_caller_and_since_a_time)
{
    int64_t before = clock_now_ms(), between;
    const char *late, *somebody;

    assert_int_equal(answered_since(t, before), 0);
    answer_text(t, ask_text(t, make_job(t)), "Yes.");
    answer_text(t, ask_text(t, make_job(t)), "No.");
    late = ask_in(t, make_job(t), "{s:s, s:s, s:s, s:i}", "question", "Now?", "type", "blocking",
                  "responseType", "text", "timeoutMinutes", 5);
    somebody = ask_text(t, make_job(t));
    assert_int_equal(answered_since(t, before), 2);
    advance(t, 6 * MINUTE);
    show(t, late);
    CHECK_TEXT("question.status", "timeout");
    assert_int_equal(answered_since(t, before), 2); /* that nobody answered counts for nobody */
    between = clock_now_ms();
    answer_text(t, ask_text(t, make_job(t)), "Perhaps.");
    assert_int_equal(answered_since(t, between), 1);
    assert_int_equal(answered_since(t, before), 3);
    t->as = token_for(t, "member", NULL);
    assert_int_equal(answered_since(t, before), 0);
    answer_text(t, somebody, "Me.");
    CHECK_STATUS(200);
    assert_int_equal(answered_since(t, before), 1);
    t->as = token_elsewhere(t, "owner");
    assert_int_equal(answered_since(t, before), 0);
    call(t, "question_answered_count", "{}");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "since");
}
