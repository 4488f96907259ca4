/*
 * What a run needs of others, and what it is kept from: categories of the project, tools that have changed
 * since they were approved, tools that ask while they run, budgets of the project, questions without end, and
 * conversations that have become too long for their model.
 */
#include "base/settings.h"
#include "council.h"
#include "questions.h"
#include "runs.h"

#include "llm/model.h"

static const char any_object[] = "{\"type\":\"object\"}";
#define USE(tools) use_tools(tools, sizeof(tools) / sizeof(*(tools)))

static const char *make_project(struct t *t, const char *level)
{
    call(t, "project_create", "{s:s, s:{s:s}}", "name", "demo", "hilConfig", "dependencyModifications",
         level);
    CHECK_STATUS(201);
    return text_at(t, "id");
}

static const struct tool installer[] = {
    { .name = "install",
      .description = "Installs.",
      .schema = any_object,
      .kind = TOOL_COMMAND,
      .category = "dependencyModifications" },
};

CONTRACT(run_asks_for_approval_where_the_project_requires_it)
{
    struct playing p;

    USE(installer);
    play_run_in(t, &p, NULL, make_project(t, "requires_approval"));
    model_calls(&p, "install", "{}", NULL);
    assert_int_equal(p.step.phase, RUN_WAITING);
    check_replay(&p);
}

CONTRACT(run_goes_ahead_and_tells_where_the_project_wants_that)
{
    struct playing p;

    USE(installer);
    play_run_in(t, &p, NULL, make_project(t, "notify_and_proceed"));
    model_calls(&p, "install", "{}", NULL);
    assert_int_equal(p.step.call_count, 1);
    assert_int_equal(count_rows(t, "notifications WHERE ref_id = '%s' AND kind = 'decision'", p.job), 1);
    check_replay(&p);
}

CONTRACT(run_goes_ahead_where_the_project_has_automated_it)
{
    struct playing p;

    USE(installer);
    play_run_in(t, &p, NULL, make_project(t, "automated"));
    model_calls(&p, "install", "{}", NULL);
    assert_int_equal(p.step.call_count, 1);
    assert_int_equal(count_rows(t, "notifications WHERE ref_id = '%s'", p.job), 0);
}

CONTRACT(run_is_kept_from_tools_of_other_projects_and_roles)
{
    static const char *const others[] = { "other", NULL };
    static const char *const admins[] = { "admin", NULL };
    static const char *const demo[] = { "demo", NULL };
    static const struct tool kept[] = {
        { .name = "elsewhere",
          .description = "",
          .schema = any_object,
          .kind = TOOL_COMMAND,
          .projects = others },
        { .name = "admins", .description = "", .schema = any_object, .kind = TOOL_COMMAND, .roles = admins },
        { .name = "demo_only",
          .description = "",
          .schema = any_object,
          .kind = TOOL_COMMAND,
          .projects = demo },
    };
    struct playing p;

    USE(kept);
    play_run_in(t, &p, NULL, make_project(t, "automated"));
    assert_int_equal(p.step.tool_count, 6);
    model_calls(&p, "elsewhere", "{}", NULL);
    assert_string_equal(call_column(&p, "elsewhere", "outcome"), "forbidden");
    model_calls(&p, "admins", "{}", NULL);
    assert_string_equal(call_column(&p, "admins", "outcome"), "forbidden");
    model_calls(&p, "demo_only", "{}", NULL);
    assert_int_equal(p.step.call_count, 1);
}

CONTRACT(run_asks_again_about_an_approved_tool_that_has_changed)
{
    static const struct tool first[] = { { .name = "files__write",
                                           .description = "",
                                           .schema = any_object,
                                           .kind = TOOL_MCP,
                                           .server = "files",
                                           .digest = "aa",
                                           .needs_approval = true } };
    static const struct tool same[] = {
        { .name = "files__write", .description = "", .schema = any_object, .kind = TOOL_MCP, .digest = "aa" }
    };
    static const struct tool other[] = {
        { .name = "files__write", .description = "", .schema = any_object, .kind = TOOL_MCP, .digest = "bb" }
    };
    struct playing p;

    USE(first);
    play_run(t, &p, NULL);
    model_calls(&p, "files__write", "{}", NULL);
    answer(t, open_question(&p), "{s:s, s:b}", "type", "approval", "value", 1);
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    tool_runs(&p, "written");
    USE(same);
    model_calls(&p, "files__write", "{}", NULL);
    tool_runs(&p, "written");
    USE(other);
    model_calls(&p, "files__write", "{}", NULL);
    assert_int_equal(p.step.phase, RUN_WAITING);
    check_replay(&p);
}

CONTRACT(run_asks_people_what_a_tool_asks_while_it_runs)
{
    static const struct tool asker[] = { { .name = "asker", .description = "", .schema = any_object } };
    const struct tool_elicitation asked = {
        .id = "e1",
        .message = "Who are you?",
        .schema = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}",
    };
    struct run_answered *answers;
    struct playing p;
    size_t count;

    USE(asker);
    play_run(t, &p, NULL);
    model_calls(&p, "asker", "{}", NULL);
    const char *id = p.step.calls[0].call_id;

    tool_begins(&p, id);
    struct tx tx = stage_begin(t, &p.err);

    assert_true(run_call_ask(&tx, &p.ref, id, &asked));
    stage_commit(t);
    tx = stage_begin(t, &p.err);
    assert_true(run_call_answers(&tx, &p.ref, &answers, &count));
    assert_int_equal(count, 0);
    stage_commit(t);
    answer_text(t, open_question(&p), "Maya");
    CHECK_STATUS(200);
    /* A look at it in between leaves the call alone. */
    run_moves_on(&p);
    assert_int_equal(p.step.phase, RUN_CALLING);
    tx = stage_begin(t, &p.err);
    assert_true(run_call_answers(&tx, &p.ref, &answers, &count));
    stage_commit(t);
    assert_int_equal(count, 1);
    assert_string_equal(answers[0].elicitation, "e1");
    assert_int_equal(answers[0].answer, TOOL_ACCEPT);
    assert_string_equal(answers[0].content, "{\"name\":\"Maya\"}");
    tool_ends(&p, id, TOOL_FINE, "Hello Maya");
    assert_string_equal(told(&p, "tool"), "Hello Maya");
}

CONTRACT(run_that_asks_two_hundred_questions_is_told_to_wait_and_ends_by_its_budget)
{
    struct playing p;
    int asked = 0;

    play_run(t, &p, &(struct run_wish){ .steps = 200 });
    while (!p.step.over && asked++ < 300)
        model_calls(&p, "ask_question",
                    "{\"question\":\"And now?\",\"type\":\"non_blocking\",\"responseType\":\"text\","
                    "\"defaultResponse\":{\"type\":\"text\",\"value\":\"on\"}}",
                    NULL);
    assert_int_equal(asked, 200);
    assert_string_equal(job_column(&p, "status"), "failed");
    assert_true(count_rows(t, "agent_questions WHERE job_id = '%s'", p.job) <= settings()->questions_open);
    check_replay(&p);
}

CONTRACT(run_condenses_a_conversation_that_is_too_long)
{
    struct playing p;
    struct llm_tool_call made = {
        .id = "a", .name = "report_progress", .arguments = "{}", .is_object = true
    };
    char words[2000];

    memset(words, 'w', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    static struct llm_model narrow;
    static const struct llm_models narrow_only = { &narrow, 1 };
    const struct llm_models *before_models = models();

    model_init(&narrow, "narrow");
    narrow.provider = LLM_OLLAMA;
    narrow.provider_name = "ollama";
    narrow.window = 4000;
    models_use(&narrow_only);
    call(t, "agent_create", "{s:s, s:s, s:{s:s}}", "name", "Ada", "role", "specialist", "ai_model_config",
         "provider", "narrow");
    CHECK_STATUS(201);
    play_run(t, &p, NULL);
    for (int i = 0; i < 20 && !p.step.kind; i++)
        assert_true(model_replies(&p,
                                  &(struct llm_result){ .text = words,
                                                        .words = "",
                                                        .usage = { LLM_NOT_REPORTED, LLM_NOT_REPORTED },
                                                        .tool_calls = &made,
                                                        .tool_call_count = 1 },
                                  NULL, NULL));
    assert_int_equal(p.step.phase, RUN_CONDENSING);
    assert_string_equal(p.step.kind, "summary");
    /* A look at it in between asks for the same again. */
    run_moves_on(&p);
    assert_string_equal(p.step.kind, "summary");
    size_t before = (size_t)count_rows(t, "run_entries WHERE job_id = '%s'", p.job);

    model_says(&p, "A lot was said.");
    assert_int_equal(p.step.phase, RUN_ASKING);
    assert_true(p.step.afresh);
    assert_string_equal(p.step.messages[1].content, "Build it.");
    assert_non_null(strstr(p.step.messages[2].content, "A lot was said."));
    assert_string_equal(p.step.messages[3].role, "assistant");
    assert_true(p.step.message_count < before);
    for (size_t i = 3; i < p.step.message_count; i += 2)
        assert_string_equal(p.step.messages[i + 1].role, "tool");
    assert_int_equal(count_rows(t, "run_entries WHERE job_id = '%s' AND kind = 'condensed'", p.job), 1);
    model_says(&p, "Done.");
    assert_string_equal(job_column(&p, "status"), "completed");
    check_replay(&p);
    models_use(before_models);
}

CONTRACT(run_is_ended_by_the_budget_of_its_project)
{
    /* One for each case: the engine's threads may still read what a case before put in force. */
    static struct settings lifted[8];
    static size_t cases;
    const struct settings *before = settings();
    struct playing p;
    const char *project = make_project(t, "automated");

    assert_true(cases < sizeof(lifted) / sizeof(*lifted));
    struct settings *own = &lifted[cases++];

    *own = *before;
    own->runner_project_tokens = 20;
    settings_use(own);
    play_run_in(t, &p, NULL, project);
    model_calls(&p, "report_progress", "{}", NULL);
    assert_true(p.step.ask);
    model_calls(&p, "report_progress", "{}", NULL);
    assert_non_null(strstr(job_column(&p, "error"), "budget of its project"));
    check_replay(&p);
    play_run_in(t, &p, NULL, project);
    assert_true(p.step.over);
    settings_use(before);
}

CONTRACT(run_tells_a_difference_where_the_log_was_changed)
{
    struct run_replay replay;
    struct playing p;

    play_run(t, &p, NULL);
    model_calls(&p, "report_progress", "{}", NULL);
    model_says(&p, "Done.");
    outside_sql(
        t, "UPDATE run_entries SET text = 'Because.' WHERE job_id = '%s' AND kind = 'decision' AND step = 1",
        p.job);
    struct tx tx = stage_begin(t, &p.err);
    struct caller caller = { .kind = CALLER_LOCAL, .role = ROLE_OWNER, .workspace_id = t->workspace };

    tx.caller = &caller;
    assert_true(run_replay(&tx, p.job, &replay));
    stage_rollback(t);
    assert_int_equal(replay.steps, 2);
    assert_int_equal(replay.difference_count, 1);
    assert_non_null(strstr(replay.differences[0].stored, "Because."));
}

CONTRACT(run_starts_again_with_an_answer_that_came_too_late)
{
    struct playing p;

    play_run(t, &p, &(struct run_wish){ .steps = 7 });
    model_calls(&p, "ask_question",
                "{\"question\":\"Which way?\",\"type\":\"blocking\",\"responseType\":\"text\"}", NULL);
    const char *question = open_question(&p);

    advance(t, 31 * MINUTE);
    assert_string_equal(job_column(&p, "status"), "failed");
    answer_text(t, question, "Left");
    CHECK_STATUS(409);
    call(t, "question_restart", "{s:s}", "id", question);
    CHECK_STATUS(201);
    p.job = text_at(t, "jobId");
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.ask);
    assert_string_equal(p.step.messages[1].content, "Build it.");
    assert_non_null(strstr(told(&p, "user"), "Left"));
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND budget_steps = 7", p.job), 1);
}
