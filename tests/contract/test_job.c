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

CONTRACT(job_log_keeps_colours_and_no_other_escapes)
{
    const char *job = make_job(t);

    call(t, "job_log", "{s:s, s:s}", "id", job, "message",
         "\033[32mok\033[0m\033[2K \033]0;title\a10 %\r20 %\a");
    CHECK_TEXT("message", "\033[32mok\033[0m 10 %\r20 %");
    call(t, "job_logs", "{s:s}", "id", job);
    CHECK_TEXT("logs.0.message", "\033[32mok\033[0m 10 %\r20 %");
}

/* A log is read from its end, without all that came before: its last lines, those before them, or those of
 * one kind. */
CONTRACT(job_logs_page_newest_first)
{
    const char *job = make_job(t), *cursor;

    for (int i = 0; i < 4; i++)
        call(t, "job_log", "{s:s, s:s}", "id", job, "message", arena_format(&t->arena, "Line %d", i));
    call(t, "job_progress", "{s:s, s:s}", "id", job, "step", "Reading");
    call(t, "job_log", "{s:s, s:s}", "id", job, "message", "Line 4");
    call(t, "job_logs", "{s:s, s:s, s:i}", "id", job, "order", "newest", "limit", 3);
    CHECK_COUNT("logs", 3);
    CHECK_TEXT("logs.0.message", "Line 4");
    CHECK_INT("logs.0.seq", 6);
    CHECK_TEXT("logs.2.message", "Line 3");
    cursor = text_at(t, "nextCursor");
    call(t, "job_logs", "{s:s, s:s, s:i, s:s}", "id", job, "order", "newest", "limit", 3, "cursor", cursor);
    CHECK_COUNT("logs", 3);
    CHECK_TEXT("logs.0.message", "Line 2");
    CHECK_TEXT("logs.2.message", "Line 0");
    CHECK_NULL("nextCursor");
    call(t, "job_logs", "{s:s, s:s, s:s}", "id", job, "order", "newest", "kind", "progress");
    CHECK_COUNT("logs", 1);
    CHECK_TEXT("logs.0.message", "Reading");
    call(t, "job_logs", "{s:s, s:s, s:i}", "id", job, "kind", "log", "limit", 4);
    CHECK_COUNT("logs", 4);
    cursor = text_at(t, "nextCursor");
    call(t, "job_logs", "{s:s, s:s, s:s}", "id", job, "kind", "log", "cursor", cursor);
    CHECK_COUNT("logs", 1);
    CHECK_TEXT("logs.0.message", "Line 4");
    call(t, "job_logs", "{s:s, s:i}", "id", job, "limit", LIMIT_LOG_PAGE);
    CHECK_COUNT("logs", 6);
    call(t, "job_logs", "{s:s, s:i}", "id", job, "limit", LIMIT_LOG_PAGE + 1);
    CHECK_STATUS(400);
    call(t, "job_logs", "{s:s, s:s}", "id", job, "order", "sideways");
    CHECK_STATUS(400);
    call(t, "job_logs", "{s:s, s:s}", "id", job, "kind", "gossip");
    CHECK_STATUS(400);
    call(t, "job_logs", "{s:s, s:s, s:s}", "id", job, "order", "newest", "cursor", "0");
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

/* Questions that were asked alone have jobs, which nobody looks for among the jobs. */
CONTRACT(job_lists_leave_out_what_was_made_for_a_single_question)
{
    const char *job = make_job(t), *cursor;

    for (int i = 0; i < 2; i++) {
        call(t, "question_create", "{s:s, s:s, s:s, s:s}", "question", "Which Zürich office?", "type",
             "blocking", "responseType", "text", "agent", "Growth");
        CHECK_STATUS(201);
    }
    call(t, "job_create", "{s:s, s:s}", "agent", "Growth", "kind", "question");
    call(t, "job_list", "{}");
    CHECK_COUNT("jobs", 2);
    CHECK_TEXT("jobs.1.id", job);
    call(t, "job_list", "{s:s}", "status", "waiting_for_input");
    CHECK_COUNT("jobs", 0);
    call(t, "job_list", "{s:s}", "agent", "Growth");
    CHECK_COUNT("jobs", 1);
    /* All of them, in one order, page by page. */
    call(t, "job_list", "{s:b, s:i}", "all", true, "limit", 3);
    CHECK_COUNT("jobs", 3);
    CHECK_TEXT("jobs.0.status", "pending");
    CHECK_TEXT("jobs.1.status", "waiting_for_input");
    CHECK_TRUE("jobs.1.single");
    assert_true(json_is_false(at(t, "jobs.0.single")));
    cursor = text_at(t, "nextCursor");
    call(t, "job_list", "{s:b, s:i, s:s}", "all", true, "limit", 3, "cursor", cursor);
    CHECK_COUNT("jobs", 1);
    CHECK_TEXT("jobs.0.id", job);
    CHECK_NULL("nextCursor");
    call(t, "job_list", "{s:b, s:s}", "all", true, "status", "waiting_for_input");
    CHECK_COUNT("jobs", 2);
    call(t, "job_list", "{s:b, s:s}", "all", true, "sort", "oldest");
    CHECK_COUNT("jobs", 4);
    CHECK_TEXT("jobs.0.id", job);
    CHECK_TEXT("jobs.3.status", "pending");
    call(t, "job_list", "{s:b, s:s}", "all", true, "text", "zurich");
    CHECK_COUNT("jobs", 2);
    call(t, "job_list", "{s:s}", "text", "zurich");
    CHECK_COUNT("jobs", 0);
    /* Who names their kind asks for them. */
    call(t, "job_list", "{s:s}", "kind", "question");
    CHECK_COUNT("jobs", 3);
    call(t, "job_list", "{s:b, s:s}", "all", true, "kind", "external");
    CHECK_COUNT("jobs", 1);
}

CONTRACT(job_lists_are_narrowed_by_words_and_sorted)
{
    const char *first, *second, *cursor;

    call(t, "job_create", "{s:s, s:s, s:{s:s}}", "agent", "Builder", "kind", "release", "input", "title",
         "Release 2.4 of the Checkout");
    first = text_at(t, "id");
    call(t, "job_create", "{s:s, s:s, s:{s:s}}", "agent", "Scout", "kind", "import", "input", "title",
         "Prices for the checkout");
    second = text_at(t, "id");
    call(t, "job_create", "{s:s, s:s}", "agent", "Scout", "kind", "report");
    call(t, "job_list", "{s:s}", "text", "CHECK");
    CHECK_COUNT("jobs", 2);
    CHECK_TEXT("jobs.0.id", second);
    CHECK_TEXT("jobs.1.id", first);
    call(t, "job_list", "{s:s, s:s}", "text", "check", "sort", "oldest");
    CHECK_TEXT("jobs.0.id", first);
    call(t, "job_list", "{s:s}", "text", "checkout release");
    CHECK_COUNT("jobs", 1);
    CHECK_TEXT("jobs.0.id", first);
    call(t, "job_list", "{s:s, s:s}", "text", "checkout", "agent", "Scout");
    CHECK_COUNT("jobs", 1);
    CHECK_TEXT("jobs.0.id", second);
    call(t, "job_list", "{s:s}", "text", "checkout nowhere");
    CHECK_COUNT("jobs", 0);
    call(t, "job_list", "{s:s}", "text", "...");
    CHECK_COUNT("jobs", 0);
    call(t, "job_list", "{s:s}", "text", "");
    CHECK_STATUS(400);
    /* Page by page, and a place in one order is none in the other. */
    call(t, "job_list", "{s:s, s:i}", "text", "checkout", "limit", 1);
    cursor = text_at(t, "nextCursor");
    call(t, "job_list", "{s:s, s:i, s:s}", "text", "checkout", "limit", 1, "cursor", cursor);
    CHECK_COUNT("jobs", 1);
    CHECK_TEXT("jobs.0.id", first);
    CHECK_NULL("nextCursor");
    call(t, "job_list", "{s:s, s:s}", "sort", "oldest", "cursor", cursor);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "cursor");
    call(t, "job_list", "{s:s, s:i}", "sort", "oldest", "limit", 2);
    CHECK_COUNT("jobs", 2);
    CHECK_TEXT("jobs.0.id", first);
    cursor = text_at(t, "nextCursor");
    call(t, "job_list", "{s:s, s:i, s:s}", "sort", "oldest", "limit", 2, "cursor", cursor);
    CHECK_COUNT("jobs", 1);
    CHECK_TEXT("jobs.0.kind", "report");
    CHECK_NULL("nextCursor");
    call(t, "job_list", "{s:s}", "sort", "biggest");
    CHECK_STATUS(400);
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
