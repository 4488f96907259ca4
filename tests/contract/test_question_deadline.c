#include "questions.h"

#include <stdio.h>

CONTRACT(question_without_default_times_out_and_fails_its_job)
{
    static const struct {
        const char *type;
        int64_t minutes;
    } rows[] = { { "blocking", 30 }, { "approval", 15 }, { "error_recovery", 10 } };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *job = make_job(t);
        const char *id = ask_in(t, job, "{s:s, s:s, s:s}", "question", "Q", "type", rows[i].type,
                                "responseType", "boolean");

        advance(t, (rows[i].minutes - 1) * MINUTE);
        show(t, id);
        CHECK_TEXT("question.status", "pending");
        advance(t, 2 * MINUTE);
        show(t, id);
        CHECK_TEXT("question.status", "timeout");
        CHECK_TEXT("question.outcome.source", "timeout");
        CHECK_TEXT("question.outcome.by", "system");
        CHECK_NULL("question.response");
        CHECK_NULL("question.respondedBy");
        check_job(t, job, "failed");
        CHECK_TEXT("error", "Question timed out without response");
        CHECK_TEXT("outcome.source", "timeout");
        assert_int_equal(count_events(t, job, "question_timeout"), 1);
        assert_int_equal(count_events(t, job, "job.ended"), 1);
        assert_int_equal(count_rows(t, "audit WHERE subject = '%s' AND operation = 'question_end'", id), 1);
    }
}

CONTRACT(question_default_holds_when_nobody_answers)
{
    static const struct {
        const char *type, *response_type, *given;
        bool consent;
    } rows[] = {
        { "blocking", "text", "{\"value\":\"Admins\"}", false },
        { "blocking", "boolean", "{\"value\":true}", false },
        { "error_recovery", "choice", "{\"value\":\"skip\"}", false },
        { "approval", "approval", "{\"value\":false}", false },
        { "approval", "approval", "{\"value\":true}", true },
        { "non_blocking", "boolean", "{\"value\":true}", false },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *job = make_job(t);
        const char *id =
            ask_in(t, job, "{s:s, s:s, s:s, s:i, s:o, s:b, s:[{s:s}, {s:s}]}", "question", "Q", "type",
                   rows[i].type, "responseType", rows[i].response_type, "timeoutMinutes", 5,
                   "defaultResponse", json_loads(rows[i].given, 0, NULL), "allowDefaultApprove",
                   rows[i].consent, "options", "label", "retry", "label", "skip");

        CHECK_STATUS(201);
        advance(t, 5 * MINUTE + 1000);
        show(t, id);
        CHECK_TEXT("question.status", "answered");
        CHECK_TEXT("question.outcome.source", "default");
        CHECK_TEXT("question.outcome.by", "system");
        CHECK_TEXT("question.respondedBy", "system");
        assert_non_null(text_at(t, "question.respondedAt"));
        CHECK_TEXT("question.response.type", rows[i].response_type);
        check_job(t, job, "running");
        assert_int_equal(count_events(t, job, "question_answered"), 1);
        assert_int_equal(count_events(t, job, "question_timeout"), 0);
    }
}

CONTRACT(question_late_answer_is_refused_kept_and_starts_a_job_once)
{
    const char *job = make_job(t), *id = ask_text(t, job), *again;

    call(t, "question_restart", "{s:s}", "id", id);
    CHECK_STATUS(409);
    advance(t, 31 * MINUTE);
    t->as = t->member;
    answer_text(t, id, "Sorry, I was out");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "late");
    CHECK_TRUE("kept");
    CHECK_TEXT("status", "timeout");
    t->as = t->owner;
    show(t, id);
    CHECK_TEXT("question.status", "timeout");
    CHECK_COUNT("question.lateAnswers", 1);
    CHECK_TEXT("question.lateAnswers.0.response.value", "Sorry, I was out");
    CHECK_TEXT("question.lateAnswers.0.by", "member");
    assert_int_equal(count_events(t, job, "question_late_answer"), 1);
    answer_text(t, id, "Me too");
    CHECK_STATUS(409);
    call(t, "question_restart", "{s:s}", "id", id);
    CHECK_STATUS(201);
    CHECK_TEXT("restartOf", job);
    again = text_at(t, "jobId");
    check_job(t, again, "pending");
    CHECK_TEXT("restartOf", job);
    CHECK_TEXT("agent", "Builder");
    CHECK_TEXT("answer.response.value", "Sorry, I was out");
    CHECK_TEXT("answer.questionId", id);
    call(t, "question_restart", "{s:s}", "id", id);
    CHECK_STATUS(409);
    CHECK_TEXT("jobId", again);
}

CONTRACT(question_answer_after_its_default_is_late_too)
{
    const char *job = make_job(t);
    const char *id = ask_in(t, job, "{s:s, s:s, s:s, s:{s:s}}", "question", "Q", "type", "blocking",
                            "responseType", "text", "defaultResponse", "value", "Admins");

    advance(t, 31 * MINUTE);
    call(t, "question_answer_batch", "{s:[{s:s, s:{s:s}}]}", "answers", "id", id, "response", "value",
         "Buyers");
    CHECK_STATUS(200);
    CHECK_TEXT("results.0.status", "late");
    show(t, id);
    CHECK_TEXT("question.response.value", "Admins");
    CHECK_COUNT("question.lateAnswers", 1);
}

CONTRACT(question_deadline_moves_while_somebody_types)
{
    const char *id = ask_in(t, make_job(t), "{s:s, s:s, s:s, s:i}", "question", "Q", "type", "blocking",
                            "responseType", "text", "timeoutMinutes", 5);
    const char *due = text_at(t, "timeoutAt"), *moved;

    call(t, "question_draft", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_TEXT("timeoutAt", due); /* there is time enough */
    show(t, id);
    CHECK_TEXT("question.draft.by", "owner");
    advance(t, 4 * MINUTE);
    for (int i = 0; i < 3; i++) {
        call(t, "question_draft", "{s:s}", "id", id);
        moved = text_at(t, "timeoutAt");
        assert_true(strcmp(moved, due) > 0);
        due = moved;
        advance(t, 90 * 1000);
    }
    call(t, "question_draft", "{s:s}", "id", id);
    CHECK_TEXT("timeoutAt", due); /* not a fourth time */
    advance(t, MINUTE);
    show(t, id);
    CHECK_TEXT("question.status", "timeout");
    CHECK_NULL("question.draft");
    call(t, "question_draft", "{s:s}", "id", id);
    CHECK_STATUS(409);
}

CONTRACT(question_deadline_can_be_extended_to_a_day_in_all)
{
    const char *id = ask_text(t, make_job(t)), *undated;

    call(t, "question_extend", "{s:s, s:i}", "id", id, "minutes", 0);
    CHECK_STATUS(400);
    call(t, "question_extend", "{s:s, s:i}", "id", id, "minutes", 1411);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "minutes");
    call(t, "question_extend", "{s:s, s:i}", "id", id, "minutes", 1410);
    CHECK_STATUS(200);
    advance(t, (24 * 60 - 1) * MINUTE);
    show(t, id);
    CHECK_TEXT("question.status", "pending");
    advance(t, 2 * MINUTE);
    show(t, id);
    CHECK_TEXT("question.status", "timeout");
    call(t, "question_extend", "{s:s, s:i}", "id", id, "minutes", 5);
    CHECK_STATUS(409);
    undated = ask_in(t, make_job(t), "{s:s, s:s, s:s, s:{s:b}}", "question", "Logs?", "type", "non_blocking",
                     "responseType", "boolean", "defaultResponse", "value", 0);
    call(t, "question_extend", "{s:s, s:i}", "id", undated, "minutes", 5);
    CHECK_STATUS(409);
}

CONTRACT(question_one_timeout_ends_the_job_and_cancels_its_others)
{
    const char *job = make_job(t), *slow = ask_text(t, job), *loose, *quick;

    quick = ask_in(t, job, "{s:s, s:s, s:s, s:i}", "question", "Q", "type", "blocking", "responseType",
                   "text", "timeoutMinutes", 5);
    loose = ask_in(t, job, "{s:s, s:s, s:s, s:{s:b}}", "question", "Logs?", "type", "non_blocking",
                   "responseType", "boolean", "defaultResponse", "value", 0);
    advance(t, 6 * MINUTE);
    show(t, quick);
    CHECK_TEXT("question.status", "timeout");
    show(t, slow);
    CHECK_TEXT("question.status", "cancelled");
    CHECK_TEXT("question.outcome.by", "system");
    show(t, loose);
    CHECK_TEXT("question.status", "pending");
    check_job(t, job, "failed");
}

CONTRACT(question_just_before_its_deadline_is_still_open)
{
    const char *job = make_job(t), *id = ask_text(t, job);
    int64_t due;

    show(t, id);
    assert_true(clock_parse(text_at(t, "question.timeoutAt"), &due));
    advance(t, due - clock_now_ms() - MINUTE);
    answer_text(t, id, "In time");
    CHECK_STATUS(200);
    check_job(t, job, "running");
}

CONTRACT(question_deadlines_hold_when_the_clock_is_set_back_and_forward)
{
    const char *job = make_job(t), *id = ask_text(t, job);

    advance(t, -60 * MINUTE);
    show(t, id);
    CHECK_TEXT("question.status", "pending");
    ask_text(t, make_job(t)); /* a later question with an earlier time */
    advance(t, 60 * MINUTE + 29 * MINUTE);
    show(t, id);
    CHECK_TEXT("question.status", "pending");
    check_job(t, job, "waiting_for_input");
    advance(t, 2 * MINUTE);
    show(t, id);
    CHECK_TEXT("question.status", "timeout");
}

CONTRACT(question_deadline_is_applied_before_the_log_is_read)
{
    const char *job = make_job(t);
    int64_t offset = clock_offset_ms(), later = offset + 31 * MINUTE;

    ask_text(t, job);
    /*
     * The timer runs at the end of the call that moves the clock, so the time is moved behind its back. It
     * takes the stored offset whenever it looks: a call that it looked into is made again.
     */
    do {
        clock_set_offset_ms(later);
        call(t, "job_logs", "{s:s}", "id", job);
    } while (clock_offset_ms() != later);
    clock_set_offset_ms(offset);
    CHECK_STATUS(200);
    assert_non_null(strstr(t->text, "in time"));
}

CONTRACT(question_many_deadlines_end_once_each)
{
    enum { MANY = 600 };
    int64_t before, took;

    if (t->door != DOOR_TABLE)
        return;
    for (int i = 0; i < MANY; i++)
        call(t, "question_create", "{s:s, s:s, s:s, s:i}", "question", "Q", "type", "blocking",
             "responseType", "text", "timeoutMinutes", 5);
    before = clock_ticks_ms();
    advance(t, 6 * MINUTE);
    took = clock_ticks_ms() - before;
    assert_int_equal(
        count_rows(t, "agent_questions WHERE workspace_id = '%s' AND status = 'timeout'", t->workspace),
        MANY);
    assert_int_equal(
        count_rows(t, "events WHERE workspace_id = '%s' AND type = 'question_timeout'", t->workspace), MANY);
    assert_int_equal(count_rows(t, "events WHERE workspace_id = '%s' AND type = 'job.ended'", t->workspace),
                     MANY);
    printf("    %d deadlines ended in %lld ms\n", MANY, (long long)took);
}

/* The questions of a job end together, so a batch may end more than its limit: it was a full one all the
 * same. */
CONTRACT(question_read_that_meets_many_overdue_ones_waits_for_all_of_them_once)
{
    if (t->door != DOOR_TABLE)
        return;
    outside_sql(t,
                "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 499) "
                "INSERT INTO jobs (id, workspace_id, kind, status, created_at) "
                "SELECT 'dead-' || i, '%s', 'test', 'waiting_for_input', 1 FROM n",
                t->workspace);
    outside_sql(
        t,
        "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 499), "
        "k(j) AS (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) "
        "INSERT INTO agent_questions (id, job_id, workspace_id, type, question, response_type, timeout_at, "
        "created_at, question_key, asked_by) "
        "SELECT 'dead-' || i || '-' || j, 'dead-' || i, '%s', 'blocking', '?', 'text', "
        "%s, %s, 1, 'Dev' FROM n, k",
        t->workspace,
        t->engine == DB_POSTGRES ? "CAST('2020-01-01T00:00:00.' || i || 'Z' AS TIMESTAMPTZ)"
                                 : "'2020-01-01T00:00:00.' || i || 'Z'",
        t->engine == DB_POSTGRES ? "CAST('2020-01-01T00:00:00Z' AS TIMESTAMPTZ)"
                                 : "'2020-01-01T00:00:00.000Z'");
    call(t, "job_list", "{s:i}", "limit", 1);
    CHECK_STATUS(200);
    CHECK_TEXT("jobs.0.id", "dead-499");
    /* On PostgreSQL the timer may have some of the rows in its hands, which is another reason to look again.
     */
    assert_true(t->engine == DB_POSTGRES || t->due_rounds <= 1);
    advance(t, 0);
}
