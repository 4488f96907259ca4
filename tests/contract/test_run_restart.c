/*
 * Runs that people start again with an answer that came too late: they are begun as any run is, with the
 * rules and words of now, and nobody gains by it what they may not have.
 */
#include "core/runs/orchestrate.h"
#include "council.h"
#include "project_steps.h"
#include "questions.h"
#include "runs.h"

/* Its model asks something that is answered too late; the question. */
static const char *asks_in_vain(struct playing *p)
{
    model_calls(p, "ask_question",
                "{\"question\":\"Which way?\",\"type\":\"blocking\",\"responseType\":\"text\"}", NULL);
    const char *question = open_question(p);
    struct t *t = p->t;

    advance(t, 31 * MINUTE);
    assert_string_equal(job_column(p, "status"), "failed");
    answer_text(t, question, "Left");
    CHECK_STATUS(409);
    return question;
}

static void restart(struct t *t, const char *question)
{
    call(t, "question_restart", "{s:s}", "id", question);
}

/* One of the four in a project, claimed and advanced once. */
static void play_known(struct t *t, struct playing *p, const char *agent, const char *project,
                       const char *member, const char *id)
{
    *p = (struct playing){ .t = t };
    call(t, "job_create", "{s:s, s:s, s:s, s:{s:s}}", "kind", "agent", "agent", agent, "projectId", project,
         "input", member, id);
    CHECK_STATUS(201);
    p->job = text_at(t, "id");
    assert_true(run_again(p, "node-a"));
}

static const char *role_of(struct playing *p)
{
    struct db_rows rows;
    struct err err;

    if (!db_query_text(
            p->t->db, &p->t->arena,
            arena_format(&p->t->arena, "SELECT requester_role FROM runs WHERE job_id = '%s'", p->job),
            DB_NO_ARGS, &rows, &err))
        fail_msg("%s", err.text);
    return db_cell(&rows, 0, 0);
}

CONTRACT(run_starts_again_with_an_answer_that_came_too_late)
{
    struct playing p;

    play_run(t, &p, &(struct run_wish){ .steps = 7 });
    restart(t, asks_in_vain(&p));
    CHECK_STATUS(201);
    p.job = text_at(t, "jobId");
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.ask);
    assert_string_equal(p.step.messages[1].content, "Build it.");
    assert_non_null(strstr(told(&p, "user"), "Left"));
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND budget_steps = 7", p.job), 1);
}

/* By whoever presses: an owner lends no member's words the tools of owners, and the other way round. */
CONTRACT(run_that_starts_again_may_what_both_may)
{
    struct playing p;

    play_run(t, &p, NULL);
    assert_string_equal(role_of(&p), "owner");
    outside_sql(t, "UPDATE runs SET requester_role = 'member' WHERE job_id = '%s'", p.job);
    restart(t, asks_in_vain(&p));
    CHECK_STATUS(201);
    p.job = text_at(t, "jobId");
    assert_string_equal(role_of(&p), "member");

    play_run(t, &p, NULL);
    const char *question = asks_in_vain(&p);

    t->as = t->member;
    restart(t, question);
    CHECK_STATUS(201);
    p.job = text_at(t, "jobId");
    assert_string_equal(role_of(&p), "member");
}

CONTRACT(run_that_starts_again_is_told_the_words_of_now)
{
    struct playing p;

    play_run(t, &p, NULL);
    const char *question = asks_in_vain(&p);

    outside_sql(t,
                "UPDATE agent_templates SET system_prompt = 'You are careful now.' WHERE workspace_id = '%s'",
                t->workspace);
    restart(t, question);
    CHECK_STATUS(201);
    p.job = text_at(t, "jobId");
    assert_true(run_again(&p, "node-b"));
    assert_non_null(strstr(p.step.messages[0].content, "You are careful now."));
}

CONTRACT(run_whose_agent_is_gone_is_not_started_again)
{
    struct playing p;

    play_run(t, &p, NULL);
    const char *question = asks_in_vain(&p);

    outside_sql(t, "UPDATE agent_templates SET name = 'Eve' WHERE workspace_id = '%s'", t->workspace);
    restart(t, question);
    CHECK_STATUS(409);
    assert_int_equal(count_rows(t, "jobs WHERE restart_of = '%s'", p.job), 0);
}

static const char *make_feedback(struct t *t, const char *project)
{
    call(t, "feedback_create", "{s:s, s:s}", "id", project, "text", "It is too slow.");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

#define ONE_TASK "{\"result\":{\"status\":\"success\",\"tasks\":[{\"title\":\"Cache it\",\"priority\":0}]}}"

CONTRACT(run_on_feedback_whose_tasks_were_made_meanwhile_makes_none)
{
    const char *project = make_project(t), *about = make_feedback(t, project);
    struct playing first, second;

    play_known(t, &first, "analyst", project, "feedbackId", about);
    play_known(t, &second, "analyst", project, "feedbackId", about);
    model_calls(&first, "finish", ONE_TASK, NULL);
    assert_string_equal(job_column(&first, "status"), "completed");
    model_calls(&second, "finish", ONE_TASK, NULL);
    assert_string_equal(job_column(&second, "status"), "cancelled");
    assert_non_null(strstr(job_column(&second, "error"), "have been made while"));
    assert_int_equal(count_rows(t, "tasks WHERE project_id = '%s'", project), 1);
}

CONTRACT(run_on_what_is_done_by_now_is_not_started_again)
{
    const char *project = make_project(t), *about = make_feedback(t, project), *question;
    struct playing p, other;

    play_known(t, &p, "analyst", project, "feedbackId", about);
    question = asks_in_vain(&p);
    play_known(t, &other, "analyst", project, "feedbackId", about);
    model_calls(&other, "finish", ONE_TASK, NULL);
    restart(t, question);
    CHECK_STATUS(409);
    assert_null(text_at(t, "field"));
    assert_int_equal(count_rows(t, "jobs WHERE restart_of = '%s'", p.job), 0);
}

/* It asks about the task what its coder failed of; two coders would write to one folder. */
CONTRACT(coder_of_an_orchestrated_project_is_not_started_again_by_hand)
{
    const char *project = make_project(t), *task = make_task(t, project, "Cache it");
    struct held_row *list;
    size_t count;
    struct playing p;
    struct err err;

    play_known(t, &p, "coder", project, "taskId", task);
    const char *question = asks_in_vain(&p);

    outside_sql(t,
                "UPDATE projects SET orchestrator_on = 1, orchestrator_parallel = 1, "
                "orchestrator_coder = 'command' WHERE id = '%s'",
                project);
    restart(t, question);
    CHECK_STATUS(409);
    CHECK_TEXT("error", "The orchestrator has this project's tasks done.");
    struct tx tx = stage_begin(t, &err);

    assert_true(orchestrate_claim(&tx, "node-a", 100, &list, &count));
    stage_commit(t);
    assert_int_equal(count_rows(t, "coder_takes WHERE task_id = '%s'", task), 1);
    call(t, "job_create", "{s:s, s:s, s:s, s:{s:s}}", "kind", "agent", "agent", "coder", "projectId", project,
         "input", "taskId", task);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "taskId");
    outside_sql(t, "UPDATE projects SET orchestrator_on = 0 WHERE id = '%s'", project);
    restart(t, question);
    CHECK_STATUS(409);
    assert_non_null(strstr(text_at(t, "error"), "works on this task now"));
}
