#include "questions.h"

CONTRACT(job_is_driven_by_its_agent)
{
    const char *job;

    call(t, "job_create", "{s:s, s:{s:s}}", "agent", "Builder", "input", "goal", "Ship it");
    CHECK_STATUS(201);
    CHECK_TEXT("status", "pending");
    CHECK_TEXT("kind", "external");
    CHECK_NULL("outcome");
    job = text_at(t, "id");
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "running");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "running");
    call(t, "job_progress", "{s:s, s:i, s:i, s:s}", "id", job, "done", 3, "total", 10, "step", "Reading");
    CHECK_STATUS(200);
    CHECK_INT("progress.done", 3);
    CHECK_TEXT("progress.step", "Reading");
    call(t, "job_log", "{s:s, s:s, s:s}", "id", job, "message", "Hello\x1b", "level", "warn");
    CHECK_STATUS(201);
    CHECK_INT("seq", 2);
    CHECK_TEXT("message", "Hello");
    call(t, "job_update", "{s:s, s:s, s:{s:i}}", "id", job, "status", "completed", "result", "files", 4);
    CHECK_STATUS(200);
    CHECK_TEXT("status", "completed");
    CHECK_INT("result.files", 4);
    CHECK_TEXT("input.goal", "Ship it");
    CHECK_TEXT("outcome.source", "human");
    assert_non_null(text_at(t, "endedAt"));
    call(t, "job_logs", "{s:s}", "id", job);
    CHECK_COUNT("logs", 3);
    CHECK_TEXT("logs.0.kind", "progress");
    CHECK_TEXT("logs.0.message", "Reading (3/10)");
    CHECK_TEXT("logs.2.kind", "status");
    assert_int_equal(count_events(t, job, "job.created"), 1);
    assert_int_equal(count_events(t, job, "job.progress"), 1);
    assert_int_equal(count_events(t, job, "job.log"), 1);
    assert_int_equal(count_events(t, job, "job.ended"), 1);
    assert_int_equal(count_events(t, job, "status"), 2);
}

CONTRACT(job_takes_allowed_steps_only)
{
    static const struct {
        const char *from, *to;
        int status;
    } rows[] = {
        { "pending", "running", 200 },   { "pending", "completed", 200 },   { "pending", "failed", 200 },
        { "running", "running", 200 },   { "running", "completed", 200 },   { "running", "failed", 200 },
        { "waiting", "running", 409 },   { "waiting", "completed", 200 },   { "waiting", "failed", 200 },
        { "completed", "running", 409 }, { "completed", "failed", 409 },    { "completed", "completed", 409 },
        { "cancelled", "running", 409 }, { "cancelled", "completed", 409 }, { "running", "cancelled", 400 },
        { "running", "pending", 400 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *job;

        call(t, "job_create", "{s:s}", "status",
             strcmp(rows[i].from, "pending") == 0 ? "pending" : "running");
        job = text_at(t, "id");
        if (strcmp(rows[i].from, "waiting") == 0)
            ask_text(t, job);
        else if (strcmp(rows[i].from, "completed") == 0)
            call(t, "job_update", "{s:s, s:s}", "id", job, "status", "completed");
        else if (strcmp(rows[i].from, "cancelled") == 0)
            call(t, "job_cancel", "{s:s}", "id", job);
        call(t, "job_update", "{s:s, s:s}", "id", job, "status", rows[i].to);
        CHECK_STATUS(rows[i].status);
        if (rows[i].status == 409)
            assert_non_null(text_at(t, "status"));
    }
}

CONTRACT(job_end_cancels_its_questions_except_non_blocking_ones)
{
    const char *job = make_job(t), *blocking = ask_text(t, job), *loose;

    loose = ask_in(t, job, "{s:s, s:s, s:s, s:{s:b}}", "question", "Logs?", "type", "non_blocking",
                   "responseType", "boolean", "defaultResponse", "value", 0);
    call(t, "job_update", "{s:s, s:s, s:s}", "id", job, "status", "failed", "error", "Out of disk");
    CHECK_STATUS(200);
    CHECK_TEXT("error", "Out of disk");
    show(t, blocking);
    CHECK_TEXT("question.status", "cancelled");
    CHECK_TEXT("question.outcome.source", "cancelled");
    show(t, loose);
    CHECK_TEXT("question.status", "pending");
    ask_in(t, job, "{s:s, s:s, s:s}", "question", "Q", "type", "blocking", "responseType", "text");
    CHECK_STATUS(409);
    call(t, "job_progress", "{s:s, s:i}", "id", job, "done", 1);
    CHECK_STATUS(409);
    call(t, "job_log", "{s:s, s:s}", "id", job, "message", "Last words");
    CHECK_STATUS(201);
    call(t, "job_update", "{s:s, s:s, s:s}", "id", make_job(t), "status", "completed", "error", "Odd");
    CHECK_STATUS(400);
}

CONTRACT(job_cancelled_cancels_its_questions)
{
    const char *job = make_job(t), *id = ask_text(t, job);

    call(t, "job_cancel", "{s:s, s:s}", "id", job, "reason", "Not needed");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "cancelled");
    CHECK_TEXT("outcome.source", "cancelled");
    show(t, id);
    CHECK_TEXT("question.status", "cancelled");
    call(t, "job_cancel", "{s:s}", "id", job);
    CHECK_STATUS(409);
}

CONTRACT(job_log_tells_the_story_of_its_questions)
{
    const char *job = make_job(t), *id = ask_text(t, job);

    answer_text(t, id, "Admins");
    call(t, "job_logs", "{s:s}", "id", job);
    CHECK_COUNT("logs", 2);
    CHECK_TEXT("logs.0.kind", "question");
    CHECK_TEXT("logs.0.message", "Which persona?");
    CHECK_TEXT("logs.0.data.questionId", id);
    CHECK_TEXT("logs.1.kind", "answer");
    CHECK_TEXT("logs.1.message", "owner answered: Admins");
    CHECK_TEXT("logs.1.data.outcome.source", "human");
}

CONTRACT(job_logs_page_oldest_first)
{
    const char *job = make_job(t), *cursor;

    for (int i = 0; i < 5; i++)
        call(t, "job_log", "{s:s, s:s}", "id", job, "message", arena_format(&t->arena, "Line %d", i));
    call(t, "job_logs", "{s:s, s:i}", "id", job, "limit", 3);
    CHECK_COUNT("logs", 3);
    CHECK_TEXT("logs.0.message", "Line 0");
    cursor = text_at(t, "nextCursor");
    call(t, "job_logs", "{s:s, s:i, s:s}", "id", job, "limit", 3, "cursor", cursor);
    CHECK_COUNT("logs", 2);
    CHECK_TEXT("logs.1.message", "Line 4");
    CHECK_NULL("nextCursor");
    call(t, "job_logs", "{s:s, s:s}", "id", job, "cursor", "abc");
    CHECK_STATUS(400);
}

CONTRACT(job_lists_filter_and_page)
{
    const char *waiting = make_job(t), *cursor;

    ask_text(t, waiting);
    for (int i = 0; i < 4; i++)
        call(t, "job_create", "{s:s, s:s}", "agent", "Growth", "kind", "report");
    call(t, "job_list", "{}");
    CHECK_COUNT("jobs", 5);
    CHECK_TEXT("jobs.4.id", waiting);
    call(t, "job_list", "{s:s}", "status", "waiting_for_input");
    CHECK_COUNT("jobs", 1);
    call(t, "job_list", "{s:s}", "status", "completed");
    CHECK_COUNT("jobs", 0);
    call(t, "job_list", "{s:s}", "agent", "Growth");
    CHECK_COUNT("jobs", 4);
    call(t, "job_list", "{s:s}", "kind", "external");
    CHECK_COUNT("jobs", 1);
    call(t, "job_list", "{s:s}", "projectId", "nowhere");
    CHECK_COUNT("jobs", 0);
    call(t, "job_list", "{s:i}", "limit", 3);
    CHECK_COUNT("jobs", 3);
    cursor = text_at(t, "nextCursor");
    call(t, "job_list", "{s:i, s:s}", "limit", 3, "cursor", cursor);
    CHECK_COUNT("jobs", 2);
    CHECK_NULL("nextCursor");
    call(t, "job_create", "{s:s}", "projectId", "nowhere");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "projectId");
    call(t, "job_create", "{s:s}", "taskId", "nowhere");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "taskId");
}

CONTRACT(job_completion_is_told_to_whoever_asked_for_it)
{
    const char *maya = session_for(t, make_user(t, "Maya", "member")), *job;

    t->as = maya;
    job = make_job(t);
    t->as = t->agent;
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "completed");
    CHECK_STATUS(200);
    CHECK_TEXT("outcome.source", "agents");
    t->as = maya;
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 1);
    CHECK_TEXT("notifications.0.kind", "completed");
    CHECK_TEXT("notifications.0.priority", "normal");
    CHECK_TEXT("notifications.0.ref.id", job);
    t->as = t->owner;
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 0);
}

CONTRACT(job_takes_large_results)
{
    const char *job = make_job(t);
    size_t size = (size_t)3 * 1024 * 1024;
    char *large = malloc(size + 1);

    memset(large, 'x', size);
    large[size] = '\0';
    call(t, "job_update", "{s:s, s:s, s:s}", "id", job, "status", "completed", "result", large);
    CHECK_STATUS(200);
    assert_int_equal(json_string_length(at(t, "result")), size);
    free(large);
}
