#include "base/clock.h"
#include "contract.h"

#include <unistd.h>

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS   (60 * MINUTE_MS)

/* A question in a job; its id. */
static const char *ask(struct t *t, const char *job, const char *text, const char *type)
{
    call(t, "question_ask", "{s:s, s:s, s:s, s:s}", "id", job, "question", text, "type", type, "responseType",
         "text");
    CHECK_STATUS(201);
    return text_at(t, "questionId");
}

static const char *make_job(struct t *t)
{
    call(t, "job_create", "{s:s, s:s}", "agent", "Builder", "status", "running");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

static void answer(struct t *t, const char *id)
{
    call(t, "question_answer", "{s:s, s:{s:s, s:s}}", "id", id, "response", "type", "text", "value", "Yes.");
    CHECK_STATUS(200);
}

static void report(struct t *t)
{
    call(t, "analytics_get", "{}");
    CHECK_STATUS(200);
}

static double real_at(struct t *t, const char *path)
{
    const json_t *value = at(t, path);

    if (!json_is_number(value))
        fail_msg("%s is no number in %s", path, t->text);
    return json_number_value(value);
}

CONTRACT(analytics_of_nothing_are_zeros_and_nulls)
{
    report(t);
    CHECK_INT("questions.asked", 0);
    CHECK_NULL("questions.timeoutRate");
    CHECK_NULL("questions.responseRate");
    CHECK_INT("questions.timeToAnswer.n", 0);
    CHECK_NULL("questions.timeToAnswer.medianMs");
    CHECK_COUNT("byType", 0);
    CHECK_COUNT("commonQuestions", 0);
    CHECK_COUNT("alerts", 0);
    CHECK_INT("jobOutcomes.withQuestions.jobs", 0);
    CHECK_NULL("jobOutcomes.withoutQuestions.completedRate");
    CHECK_FALSE("truncated");
    CHECK_TRUE("exact");
}

CONTRACT(analytics_tell_how_long_people_take)
{
    const char *job = make_job(t);

    /* 1, 2 ... 10 minutes, one after the other: the fifth is the middle, the ninth has nine of ten below it.
     */
    for (int i = 1; i <= 10; i++) {
        const char *id = ask(t, job, "Which branch?", "blocking");

        advance(t, i * MINUTE_MS);
        answer(t, id);
    }
    report(t);
    CHECK_INT("questions.timeToAnswer.n", 10);
    assert_in_range(int_at(t, "questions.timeToAnswer.medianMs"), 5 * MINUTE_MS, 6 * MINUTE_MS - 1);
    assert_in_range(int_at(t, "questions.timeToAnswer.p90Ms"), 9 * MINUTE_MS, 10 * MINUTE_MS - 1);
    CHECK_TEXT("byType.0.type", "blocking");
    CHECK_INT("byType.0.timeToAnswer.n", 10);
    CHECK_INT("questions.answered", 10);
    assert_true(real_at(t, "questions.responseRate") == 1.0);
    assert_true(real_at(t, "questions.timeoutRate") == 0.0);
    CHECK_INT("questionsPerJob.jobs", 1);
    CHECK_INT("questionsPerJob.questions", 10);
    CHECK_INT("questionsPerJob.most", 10);
}

CONTRACT(analytics_count_what_found_no_answer_by_type)
{
    const char *first = make_job(t), *second = make_job(t);
    const char *answered;

    ask(t, first, "Which branch?", "blocking");
    advance(t, 31 * MINUTE_MS);
    answered = ask(t, second, "which  BRANCH", "blocking");
    answer(t, answered);
    call(t, "question_ask", "{s:s, s:s, s:s, s:s, s:{s:s, s:s}}", "id", second, "question", "Retry?", "type",
         "error_recovery", "responseType", "text", "defaultResponse", "type", "text", "value", "retry");
    CHECK_STATUS(201);
    advance(t, 11 * MINUTE_MS);
    ask(t, second, "Anything else?", "blocking");
    report(t);
    CHECK_INT("questions.asked", 4);
    CHECK_INT("questions.answered", 1);
    CHECK_INT("questions.timedOut", 1);
    CHECK_INT("questions.byDefault", 1);
    CHECK_INT("questions.pending", 1);
    CHECK_COUNT("byType", 2);
    CHECK_TEXT("byType.0.type", "blocking");
    assert_true(real_at(t, "byType.0.timeoutRate") == 0.5);
    CHECK_TEXT("byType.1.type", "error_recovery");
    assert_true(real_at(t, "byType.1.timeoutRate") == 1.0);
    CHECK_COUNT("timeoutQuestions", 2);
    /* The same question in other words of the same letters is the same question. */
    CHECK_INT("commonQuestions.0.asked", 2);
    CHECK_INT("commonQuestions.0.answered", 1);
    CHECK_INT("commonQuestions.0.timedOut", 1);
    CHECK_INT("jobOutcomes.withQuestions.jobs", 2);
    CHECK_INT("jobOutcomes.withQuestions.failed", 1);
    CHECK_INT("jobOutcomes.withQuestions.open", 1);
}

CONTRACT(analytics_compare_jobs_that_ask_with_those_that_do_not)
{
    const char *silent = make_job(t), *asking = make_job(t), *open = make_job(t);

    (void)open;
    answer(t, ask(t, asking, "Go on?", "blocking"));
    call(t, "job_update", "{s:s, s:s}", "id", asking, "status", "completed");
    call(t, "job_update", "{s:s, s:s, s:s}", "id", silent, "status", "failed", "error", "Out of luck.");
    /* A job made for one question only says nothing about jobs. */
    call(t, "question_create", "{s:s, s:s, s:s}", "question", "Alone?", "type", "blocking", "responseType",
         "text");
    CHECK_STATUS(201);
    report(t);
    CHECK_INT("jobOutcomes.withQuestions.jobs", 1);
    CHECK_INT("jobOutcomes.withQuestions.completed", 1);
    assert_true(real_at(t, "jobOutcomes.withQuestions.completedRate") == 1.0);
    CHECK_INT("jobOutcomes.withoutQuestions.jobs", 2);
    CHECK_INT("jobOutcomes.withoutQuestions.failed", 1);
    CHECK_INT("jobOutcomes.withoutQuestions.open", 1);
    CHECK_INT("questions.asked", 2);
}

CONTRACT(analytics_keep_to_their_range)
{
    const char *job = make_job(t);
    const char *since;

    answer(t, ask(t, job, "Early?", "blocking"));
    advance(t, 8 * 24 * HOUR_MS);
    report(t);
    CHECK_INT("questions.asked", 0);
    since = clock_text(&t->arena, clock_now_ms() - 9 * 24 * HOUR_MS);
    call(t, "analytics_get", "{s:s}", "since", since);
    CHECK_INT("questions.asked", 1);
    call(t, "analytics_get", "{s:s, s:s}", "since", since, "until",
         clock_text(&t->arena, clock_now_ms() - 24 * HOUR_MS));
    CHECK_INT("questions.asked", 1);
    call(t, "analytics_get", "{s:s, s:s}", "since", clock_text(&t->arena, clock_now_ms()), "until", since);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "since");
    call(t, "analytics_get", "{s:s}", "since", "yesterday");
    CHECK_STATUS(400);
}

static const char *job_of(struct t *t, const char *agent)
{
    call(t, "job_create", "{s:s, s:s}", "agent", agent, "status", "running");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

static void report_of(struct t *t, const char *agent)
{
    call(t, "analytics_get", "{s:s}", "agent", agent);
    CHECK_STATUS(200);
}

CONTRACT(analytics_of_one_agent_leave_the_others_out)
{
    const char *scout = job_of(t, "Scout"), *builder = job_of(t, "Builder");

    (void)job_of(t, "Scout");
    answer(t, ask(t, scout, "Which branch?", "blocking"));
    ask(t, scout, "Which colour?", "approval");
    answer(t, ask(t, builder, "Which branch?", "blocking"));
    advance(t, MINUTE_MS);
    report_of(t, "Scout");
    CHECK_TEXT("agent", "Scout");
    CHECK_TRUE("exact");
    CHECK_FALSE("truncated");
    CHECK_INT("questions.asked", 2);
    CHECK_INT("questions.answered", 1);
    CHECK_INT("questions.timeToAnswer.n", 1);
    CHECK_COUNT("byType", 2);
    CHECK_COUNT("commonQuestions", 2);
    CHECK_INT("commonQuestions.0.asked", 1);
    CHECK_INT("jobOutcomes.withQuestions.jobs", 1);
    CHECK_INT("jobOutcomes.withoutQuestions.jobs", 1);
    CHECK_INT("questionsPerJob.questions", 2);
    report_of(t, "scout"); /* names are as they are written */
    CHECK_INT("questions.asked", 0);
    report(t);
    CHECK_NULL("agent");
    CHECK_INT("questions.asked", 3);
    CHECK_COUNT("agents", 2);
    CHECK_TEXT("agents.0", "Builder");
    CHECK_TEXT("agents.1", "Scout");
    call(t, "analytics_get", "{s:s}", "agent", "");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "agent");
}

CONTRACT(analytics_name_no_agents_to_a_token_of_one_project)
{
    const char *project;

    answer(t, ask(t, job_of(t, "Scout"), "Ours?", "blocking"));
    call(t, "project_create", "{s:s}", "name", "Shop");
    project = text_at(t, "id");
    t->as = token_bound(t, "member", NULL, project);
    report_of(t, "Scout");
    CHECK_INT("questions.asked", 0);
    CHECK_COUNT("agents", 0);
}

CONTRACT(analytics_of_another_workspace_are_another_matter)
{
    answer(t, ask(t, make_job(t), "Ours?", "blocking"));
    t->as = token_elsewhere(t, "owner");
    report(t);
    CHECK_INT("questions.asked", 0);
    CHECK_COUNT("agents", 0);
}

static int64_t alert_events(struct t *t, const char *kind, const char *active)
{
    return count_rows(
        t,
        "events WHERE type = 'alert' AND workspace_id = '%s' AND data LIKE '%%\"kind\":\"%s\"%%' "
        "AND data LIKE '%%\"active\":%s%%'",
        t->workspace, kind, active);
}

CONTRACT(alert_when_a_job_is_held_up_for_an_hour)
{
    const char *id;

    call(t, "question_ask", "{s:s, s:s, s:s, s:s, s:i}", "id", make_job(t), "question", "Anybody?", "type",
         "blocking", "responseType", "text", "timeoutMinutes", 600);
    CHECK_STATUS(201);
    id = text_at(t, "questionId");
    advance(t, 59 * MINUTE_MS);
    report(t);
    CHECK_COUNT("alerts", 0);
    advance(t, 2 * MINUTE_MS);
    report(t);
    CHECK_COUNT("alerts", 1);
    CHECK_TEXT("alerts.0.kind", "unanswered");
    CHECK_TEXT("alerts.0.details.oldestQuestionId", id);
    /* Said once, however often somebody looks. */
    advance(t, 5 * MINUTE_MS);
    advance(t, 5 * MINUTE_MS);
    assert_int_equal(alert_events(t, "unanswered", "true"), 1);
    assert_int_equal(alert_events(t, "unanswered", "false"), 0);
    answer(t, id);
    advance(t, MINUTE_MS);
    report(t);
    CHECK_COUNT("alerts", 0);
    assert_int_equal(alert_events(t, "unanswered", "true"), 1);
    assert_int_equal(alert_events(t, "unanswered", "false"), 1);
}

CONTRACT(alert_when_more_than_a_fifth_times_out)
{
    /* Two of ten are a fifth, which is not more than a fifth; three of eleven are. */
    for (int i = 0; i < 2; i++)
        ask(t, make_job(t), "Missed?", "blocking");
    advance(t, 31 * MINUTE_MS);
    for (int i = 0; i < 8; i++)
        answer(t, ask(t, make_job(t), "Met?", "blocking"));
    advance(t, MINUTE_MS);
    report(t);
    CHECK_COUNT("alerts", 0);
    ask(t, make_job(t), "Missed too?", "blocking");
    advance(t, 31 * MINUTE_MS);
    report(t);
    CHECK_COUNT("alerts", 1);
    CHECK_TEXT("alerts.0.kind", "timeout_rate");
    CHECK_INT("alerts.0.details.questions", 11);
    CHECK_INT("alerts.0.details.timedOut", 3);
    advance(t, 25 * HOUR_MS);
    report(t);
    CHECK_COUNT("alerts", 0);
    assert_int_equal(alert_events(t, "timeout_rate", "true"), 1);
    assert_int_equal(alert_events(t, "timeout_rate", "false"), 1);
}

CONTRACT(alert_when_nine_time_out_says_nothing)
{
    for (int i = 0; i < 9; i++)
        ask(t, make_job(t), "Missed?", "blocking");
    advance(t, 31 * MINUTE_MS);
    report(t);
    CHECK_COUNT("alerts", 0);
}

/* Errors are counted after the caller has its reply; here that must not race with the look for alerts. */
static void wait_for_errors(struct t *t, int refused)
{
    for (int64_t until_ms = clock_ticks_ms() + 60000; clock_ticks_ms() < until_ms;) {
        if (count_rows(t,
                       "(SELECT sum(refused) AS n FROM ask_errors WHERE workspace_id = '%s') s WHERE n = %d",
                       t->workspace, refused) == 1)
            return;
        usleep(10000);
    }
    fail_msg("%d errors on asking were not counted", refused);
}

CONTRACT(alert_when_asking_fails_again_and_again)
{
    const char *job = make_job(t);

    for (int i = 0; i < 4; i++) {
        call(t, "question_ask", "{s:s, s:s}", "id", job, "question", "Which?");
        CHECK_STATUS(400);
    }
    wait_for_errors(t, 4);
    advance(t, MINUTE_MS);
    report(t);
    CHECK_COUNT("alerts", 0);
    call(t, "question_ask", "{s:s, s:s}", "id", job, "question", "Which?");
    CHECK_STATUS(400);
    wait_for_errors(t, 5);
    advance(t, MINUTE_MS);
    report(t);
    CHECK_COUNT("alerts", 1);
    CHECK_TEXT("alerts.0.kind", "ask_errors");
    CHECK_INT("alerts.0.details.refused", 5);
    CHECK_INT("alerts.0.details.failed", 0);
    advance(t, 20 * MINUTE_MS);
    report(t);
    CHECK_COUNT("alerts", 0);
    assert_int_equal(alert_events(t, "ask_errors", "true"), 1);
    assert_int_equal(alert_events(t, "ask_errors", "false"), 1);
}
