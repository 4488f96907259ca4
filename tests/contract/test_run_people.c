/*
 * What a run needs of others, and what it is kept from: categories of the project, tools that have changed
 * since they were approved, tools that ask while they run, budgets of the project, and questions without end.
 */
#include "base/settings.h"
#include "council.h"
#include "questions.h"
#include "runs.h"

#include "toolbox/internal.h"

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

CONTRACT(run_without_a_project_asks_for_approval_of_what_projects_decide)
{
    struct playing p;

    USE(installer);
    play_run(t, &p, NULL);
    model_calls(&p, "install", "{}", NULL);
    assert_int_equal(p.step.phase, RUN_WAITING);
    assert_int_equal(p.step.call_count, 0);
    assert_string_equal(job_column(&p, "status"), "waiting_for_approval");
    answer(t, open_question(&p), "{s:s, s:b}", "type", "approval", "value", 1);
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    tool_runs(&p, "installed");
    assert_string_equal(told(&p, "tool"), "installed");
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

/* Of a name that no other case uses. */
static const char *name_project(struct t *t, const char *id, const char *name)
{
    const char *own = arena_format(&t->arena, "%s of %s", name, t->workspace);

    outside_sql(t, "UPDATE projects SET name = '%s' WHERE id = '%s'", own, id);
    return own;
}

CONTRACT(run_is_kept_from_tools_of_other_projects_and_roles)
{
    static const char *const others[] = { "other", NULL };
    static const char *const admins[] = { "admin", NULL };
    const char *project = make_project(t, "automated");
    const char *const own[] = { name_project(t, project, "demo"), NULL };
    const struct tool kept[] = {
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
          .projects = own },
    };
    struct playing p;

    USE(kept);
    play_run_in(t, &p, NULL, project);
    assert_int_equal(p.step.tool_count, 6);
    model_calls(&p, "elsewhere", "{}", NULL);
    assert_string_equal(call_column(&p, "elsewhere", "outcome"), "forbidden");
    model_calls(&p, "admins", "{}", NULL);
    assert_string_equal(call_column(&p, "admins", "outcome"), "forbidden");
    model_calls(&p, "demo_only", "{}", NULL);
    assert_int_equal(p.step.call_count, 1);
    use_tools(NULL, 0);
}

/* Anybody may call a project of theirs as they like. */
CONTRACT(tool_for_a_project_whose_name_another_takes_is_for_neither)
{
    const char *project = make_project(t, "automated"), *twin = make_project(t, "automated");
    const char *const by_name[] = { name_project(t, project, "shop"), NULL };
    const char *const by_id[] = { project, NULL };
    const struct tool kept[] = {
        { .name = "named",
          .description = "",
          .schema = any_object,
          .kind = TOOL_COMMAND,
          .projects = by_name },
        { .name = "known", .description = "", .schema = any_object, .kind = TOOL_COMMAND, .projects = by_id },
    };
    struct playing p;

    USE(kept);
    name_project(t, twin, "shop");
    play_run_in(t, &p, NULL, twin);
    model_calls(&p, "named", "{}", "known", "{}", NULL);
    assert_string_equal(call_column(&p, "named", "outcome"), "forbidden");
    assert_string_equal(call_column(&p, "known", "outcome"), "forbidden");
    play_run_in(t, &p, NULL, project);
    model_calls(&p, "named", "{}", "known", "{}", NULL);
    assert_string_equal(call_column(&p, "named", "outcome"), "forbidden");
    assert_int_equal(p.step.call_count, 1);
    use_tools(NULL, 0);
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

/* A server that has listed nothing yet. */
static bool await_files(void *user, const char *name, struct tool *tool)
{
    (void)user;
    *tool = (struct tool){ .description = "", .schema = any_object, .kind = TOOL_MCP, .server = "files" };
    return strncmp(name, "files__", 7) == 0;
}

CONTRACT(run_keeps_calls_of_a_server_that_has_not_started_yet)
{
    static const struct tool listed[] = { { .name = "files__write",
                                            .description = "",
                                            .schema = any_object,
                                            .kind = TOOL_MCP,
                                            .server = "files",
                                            .server_tool = "write",
                                            .digest = "aa",
                                            .needs_approval = true } };
    static const struct tool_source starting = { .awaited = await_files };
    static const char *const names[] = { "files__write", NULL };
    const struct run_wish wish = { .tools = names };
    struct playing p;

    tools_use(NULL);
    tools_of_servers(&starting);
    play_run(t, &p, &wish);
    assert_int_equal(p.step.tool_count, 5);
    USE(listed);
    p.ref.tools = p.step.edition;
    model_calls(&p, "report_progress", "{}", NULL);
    assert_true(p.step.afresh);
    assert_int_equal(p.step.tool_count, 6);
    model_calls(&p, "files__write", "{}", NULL);
    answer(t, open_question(&p), "{s:s, s:b}", "type", "approval", "value", 1);
    CHECK_STATUS(200);
    tools_use(NULL);
    assert_true(run_again(&p, "node-b"));
    assert_int_equal(p.step.call_count, 1);
    assert_null(p.step.calls[0].tool->server_tool);
    assert_string_equal(p.step.calls[0].tool->digest, "aa");
    tool_runs(&p, "written");
    model_calls(&p, "files__write", "{}", NULL);
    assert_string_equal(call_column(&p, "files__write", "outcome"), "unavailable");
    check_replay(&p);
    tools_of_servers(NULL);
}

/* A server that lists its tools while a step looks for them: it is waited for so many more times. */
static int still_awaited;
static bool has_listed;

static bool await_listing(void *user, const char *name, struct tool *tool)
{
    if (still_awaited-- > 0)
        return await_files(user, name, tool);
    if (!has_listed)
        tools_have_changed();
    has_listed = true;
    return false;
}

static void list_since(void *user, struct arena *arena, const struct tool **tools, size_t *count)
{
    static const struct tool listed[] = { { .name = "files__write",
                                            .description = "",
                                            .schema = any_object,
                                            .kind = TOOL_MCP,
                                            .server = "files",
                                            .server_tool = "write",
                                            .digest = "bb" } };

    (void)user;
    (void)arena;
    *tools = listed;
    *count = has_listed;
}

CONTRACT(run_keeps_calls_of_a_server_that_lists_its_tools_meanwhile)
{
    static const struct tool first[] = { { .name = "files__write",
                                           .description = "",
                                           .schema = any_object,
                                           .kind = TOOL_MCP,
                                           .server = "files",
                                           .server_tool = "write",
                                           .digest = "aa",
                                           .needs_approval = true } };
    static const struct tool_source listing = { .tools = list_since, .awaited = await_listing };

    for (int times = 0; times < 3; times++) {
        struct playing p;

        USE(first);
        play_run(t, &p, NULL);
        model_calls(&p, "files__write", "{}", NULL);
        answer(t, open_question(&p), "{s:s, s:b}", "type", "approval", "value", 1);
        CHECK_STATUS(200);
        still_awaited = times;
        has_listed = false;
        tools_use(NULL);
        tools_of_servers(&listing);
        assert_true(run_again(&p, "node-b"));
        tools_of_servers(NULL);
        assert_int_equal(p.step.call_count, 1);
        /* What was approved is run, or nothing. */
        assert_null(p.step.calls[0].tool->server_tool);
        assert_string_equal(p.step.calls[0].tool->digest, "aa");
        check_replay(&p);
    }
}

/* The tool of the step's only call asks by a form. */
static void tool_shows_form(struct playing *p, const char *schema)
{
    const struct tool_elicitation asked = { .id = "e1", .message = "Who are you?", .schema = schema };
    const char *id = p->step.calls[0].call_id;

    tool_begins(p, id);
    struct tx tx = stage_begin(p->t, &p->err);

    assert_true(run_call_ask(&tx, &p->ref, id, &asked));
    stage_commit(p->t);
}

static const char *told_to_tool(struct playing *p)
{
    struct tx tx = stage_begin(p->t, &p->err);
    struct run_answered *answers;
    size_t count;

    assert_true(run_call_answers(&tx, &p->ref, &answers, &count));
    stage_commit(p->t);
    assert_int_equal(count, 1);
    assert_int_equal(answers[0].answer, TOOL_ACCEPT);
    return answers[0].content;
}

CONTRACT(run_takes_an_answer_to_what_a_tool_asks_only_if_it_fits_the_form)
{
    static const struct tool asker[] = { { .name = "asker", .description = "", .schema = any_object } };
    static const char zip[] =
        "{\"type\":\"object\",\"properties\":{\"zip\":{\"type\":\"string\",\"maxLength\":6}}}";
    static const char two[] = "{\"type\":\"object\",\"properties\":{\"zip\":{\"type\":\"string\"},"
                              "\"age\":{\"type\":\"integer\"}},\"required\":[\"zip\",\"age\"]}";
    static const struct {
        const char *schema, *bad, *path, *good, *told;
    } cases[] = {
        { zip, "1234567", "/zip", "10115", "{\"zip\":\"10115\"}" },
        { zip, "1234567", "/zip", "true", "{\"zip\":\"true\"}" },
        { zip, "1234567", "/zip", "{\"zip\":\"true\"}", "{\"zip\":\"true\"}" },
        { two, "Berlin", "JSON", "{\"zip\":\"1\",\"age\":7}", "{\"zip\":\"1\",\"age\":7}" },
        { two, "{\"zip\":\"1\",\"age\":\"7\"}", "/age", "{\"zip\":\"1\",\"age\":8}",
          "{\"zip\":\"1\",\"age\":8}" },
        { two, "7", "members", "{\"zip\":\"1\",\"age\":8}", "{\"zip\":\"1\",\"age\":8}" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct playing p;

        USE(asker);
        play_run(t, &p, NULL);
        model_calls(&p, "asker", "{}", NULL);
        tool_shows_form(&p, cases[i].schema);
        answer_text(t, open_question(&p), cases[i].bad);
        CHECK_STATUS(400);
        assert_non_null(strstr(t->text, cases[i].path));
        answer_text(t, open_question(&p), cases[i].good);
        CHECK_STATUS(200);
        assert_string_equal(told_to_tool(&p), cases[i].told);
    }
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
    /* The trace has both, beside the call; the model is told neither. */
    static const char *const said[][2] = { { "asked", "Its tool asks: Who are you?" },
                                           { "answered", "owner has answered: Maya" } };

    for (size_t i = 0; i < 2; i++)
        assert_int_equal(
            count_rows(t,
                       "run_entries e JOIN agent_questions q ON q.job_id = e.job_id WHERE e.job_id = '%s' "
                       "AND e.kind = 'decision' AND e.call_id = '%s' AND e.text = '%s' "
                       "AND e.data LIKE '%%\"verdict\":\"%s\"%%' AND e.data LIKE '%%' || q.id || '%%'",
                       p.job, id, said[i][1], said[i][0]),
            1);
    for (size_t i = 0; i < p.step.message_count; i++)
        assert_null(p.step.messages[i].content ? strstr(p.step.messages[i].content, "Its tool asks") : NULL);
    model_says(&p, "Done.");
    check_replay(&p);
}

/* What a tool of a call asks; gives the call's id. */
static const char *tool_asks(struct playing *p, const char *id)
{
    const struct tool_elicitation asked = { .id = "e1", .message = "Who are you?" };
    struct tx tx = stage_begin(p->t, &p->err);

    assert_true(run_call_ask(&tx, &p->ref, id, &asked));
    stage_commit(p->t);
    return id;
}

CONTRACT(run_has_no_less_time_while_its_tool_waits_for_people)
{
    static const struct tool askers[] = { { .name = "asker", .description = "", .schema = any_object },
                                          { .name = "slow", .description = "", .schema = any_object } };
    const struct run_wish wish = { .ms = 60000 };
    struct run_answered *answers;
    struct playing p;
    size_t count;

    USE(askers);
    play_run(t, &p, &wish);
    model_calls(&p, "asker", "{}", "slow", "{}", NULL);
    const char *id = p.step.calls[0].call_id, *slow = p.step.calls[1].call_id;

    tool_begins(&p, id);
    tool_begins(&p, slow);
    advance(t, 10000);
    tool_asks(&p, id);
    advance(t, 20000); /* it waits, and does something else */
    tool_ends(&p, slow, TOOL_FINE, "");
    assert_int_equal(p.step.due_ms, 0);
    advance(t, 1000000);
    run_moves_on(&p);
    assert_int_equal(p.step.phase, RUN_CALLING);
    answer(t, open_question(&p), "{s:s, s:b}", "type", "boolean", "value", 1);
    CHECK_STATUS(200);
    struct tx tx = stage_begin(t, &p.err);

    assert_true(run_call_answers(&tx, &p.ref, &answers, &count));
    stage_commit(t);
    assert_int_equal(count, 1);
    advance(t, 20000);
    run_moves_on(&p);
    assert_int_equal(p.step.phase, RUN_CALLING);
    assert_true(p.step.due_ms > 0);
    advance(t, 11000);
    run_moves_on(&p);
    assert_non_null(strstr(job_column(&p, "error"), "of 60 seconds"));
    check_replay(&p);
}

CONTRACT(run_takes_back_what_a_tool_has_asked_that_is_gone)
{
    static const struct tool asker[] = { { .name = "asker", .description = "", .schema = any_object } };
    struct playing p;

    USE(asker);
    play_run(t, &p, NULL);
    model_calls(&p, "asker", "{}", NULL);
    tool_begins(&p, p.step.calls[0].call_id);
    tool_asks(&p, p.step.calls[0].call_id);
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s' AND status = 'pending'", p.job), 1);
    outside_sql(t, "UPDATE runs SET node = NULL WHERE job_id = '%s'", p.job);
    assert_true(run_again(&p, "node-b"));
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s' AND status = 'pending'", p.job), 1);
    assert_int_equal(
        count_rows(t, "agent_questions WHERE job_id = '%s' AND status = 'cancelled' AND type = 'blocking'",
                   p.job),
        1);
    answer(t, open_question(&p), "{s:s, s:s}", "type", "choice", "value", "retry");
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    tool_runs(&p, "done");
    check_replay(&p);
}

/* Ten a minute, which is what it may; how often it was told that too many are open. */
static int64_t ask_without_end(struct playing *p, int times)
{
    int64_t waits = 0;

    for (int i = 1; i <= times; i++) {
        model_calls(p, "ask_question",
                    "{\"question\":\"And now?\",\"type\":\"non_blocking\",\"responseType\":\"text\","
                    "\"defaultResponse\":{\"type\":\"text\",\"value\":\"on\"}}",
                    NULL);
        waits += strstr(call_column(p, "ask_question", "output"),
                        "has 50 open questions already: wait for answers first.") != NULL;
        if (i % 10 == 0)
            advance(p->t, MINUTE);
    }
    return waits;
}

CONTRACT(run_that_asks_two_hundred_questions_is_told_to_wait_and_ends_by_its_budget)
{
    struct playing p;

    assert_int_equal(settings()->questions_open, 50);
    assert_int_equal(settings()->questions_rate, 10);
    play_run(t, &p, &(struct run_wish){ .steps = 200 });
    assert_int_equal(ask_without_end(&p, 50), 0);
    assert_int_equal(ask_without_end(&p, 149), 149);
    assert_non_null(strstr(told(&p, "tool"), "wait for answers"));
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s' AND status = 'pending'", p.job), 50);
    assert_int_equal(ask_without_end(&p, 1), 1);
    assert_true(p.step.over);
    assert_string_equal(job_column(&p, "error"), "Its budget is used up: 200 of 200 steps.");
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s'", p.job), 50);
    check_replay(&p);
}

/* Some are asked, some are told to wait, and those above the calls of one reply are told back: nothing fails.
 */
CONTRACT(run_that_asks_many_questions_in_one_reply_is_told_what_becomes_of_each)
{
    struct llm_tool_call calls[100];
    struct playing p;
    int asked = 0, surplus = 0;

    for (int i = 0; i < 100; i++)
        calls[i] = (struct llm_tool_call){
            .id = arena_format(&t->arena, "c%d", i),
            .name = "ask_question",
            .arguments = "{\"question\":\"And now?\",\"type\":\"non_blocking\",\"responseType\":\"text\","
                         "\"defaultResponse\":{\"type\":\"text\",\"value\":\"on\"}}",
            .is_object = true
        };
    play_run(t, &p, NULL);
    assert_true(model_replies(
        &p,
        &(struct llm_result){
            .text = "", .words = "", .usage = { 10, 5 }, .tool_calls = calls, .tool_call_count = 100 },
        NULL, NULL));
    assert_true(p.step.ask);
    assert_int_equal(p.step.message_count, 101);
    for (int i = 1; i <= 100; i++) {
        asked += strstr(p.step.messages[i].content, "questionId") != NULL;
        surplus += strstr(p.step.messages[i].content, "too many calls in one reply") != NULL;
    }
    assert_int_equal(asked, settings()->questions_rate);
    assert_int_equal(surplus, 100 - LIMIT_RUN_CALLS);
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s'", p.job), asked);
    model_says(&p, "Done.");
    check_replay(&p);
}

CONTRACT(run_is_ended_by_the_budget_of_its_project)
{
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    struct playing p;
    const char *project = make_project(t, "automated");

    own->runner_project_tokens = 3000;
    settings_use(own);
    play_run_in(t, &p, NULL, project);
    model_takes(&p, 1000, 500);
    assert_true(p.step.ask);
    model_takes(&p, 1000, 500);
    assert_string_equal(
        job_column(&p, "error"),
        "The budget of its project is used up: it has taken all tokens that it may take in a day.");
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
