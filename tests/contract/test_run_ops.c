/*
 * Runs at their doors: how one is asked for and read, by whom, and what is refused. Nobody moves them on
 * here.
 */
#include "council.h"
#include "project_steps.h"
#include "questions.h"

static const char *make_run(struct t *t, const char *agent)
{
    call(t, "job_create", "{s:s, s:s, s:s}", "kind", "agent", "agent", agent, "input", "Count to three.");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

static int trace(struct t *t, const char *id)
{
    return call(t, "run_trace", "{s:s}", "id", id);
}

/* Entries as the machine would append them. */
static void add_entries(struct t *t, const char *id, int first, int last)
{
    for (int seq = first; seq <= last; seq++)
        outside_sql(t,
                    "INSERT INTO run_entries (job_id, seq, step, kind, text, created_at) "
                    "VALUES ('%s', %d, 1, 'reply', 'Number %d', %lld)",
                    id, seq, seq, (long long)clock_now_ms());
}

CONTRACT(run_begins_with_its_job)
{
    const char *id;

    make_agent(t, "Builder", "builder");
    call(t, "job_create", "{s:s, s:s, s:{s:s}, s:{s:i, s:i, s:i, s:f}, s:b}", "kind", "agent", "agent",
         "builder", "input", "goal", "Ship it", "budget", "steps", 7, "tokens", 900, "seconds", 60, "money",
         0.25, "recover", 1);
    CHECK_STATUS(201);
    CHECK_TEXT("kind", "agent");
    CHECK_TEXT("agent", "Builder");
    CHECK_TEXT("status", "pending");
    CHECK_TEXT("input.goal", "Ship it");
    id = text_at(t, "id");
    assert_int_equal(count_events(t, id, "job.created"), 1);
    trace(t, id);
    CHECK_STATUS(200);
    CHECK_TEXT("run.jobId", id);
    CHECK_TEXT("run.agent", "Builder");
    CHECK_TEXT("run.phase", "opening");
    CHECK_TRUE("run.recover");
    CHECK_INT("run.budget.steps", 7);
    CHECK_INT("run.budget.tokens", 900);
    CHECK_INT("run.budget.seconds", 60);
    assert_true(json_real_value(at(t, "run.budget.money")) == 0.25);
    CHECK_INT("run.spent.steps", 0);
    CHECK_COUNT("run.waitsFor", 0);
    CHECK_COUNT("entries", 2);
    CHECK_TEXT("entries.0.kind", "instructions");
    CHECK_TEXT("entries.1.kind", "input");
    assert_non_null(strstr(text_at(t, "entries.1.text"), "Ship it"));
    CHECK_NULL("entries.1.call");
    CHECK_NULL("nextCursor");
}

CONTRACT(run_without_a_budget_has_that_of_the_settings)
{
    make_agent(t, "Builder", "builder");
    trace(t, make_run(t, "Builder"));
    CHECK_INT("run.budget.steps", 50);
    CHECK_INT("run.budget.tokens", 200000);
    CHECK_INT("run.budget.seconds", 3600);
    CHECK_NULL("run.budget.money");
    CHECK_FALSE("run.recover");
}

CONTRACT(run_is_offered_a_tool_once)
{
    make_agent(t, "Builder", "builder");
    call(t, "job_create", "{s:s, s:s, s:{s:s}, s:[s, s, s]}", "kind", "agent", "agent", "Builder", "input",
         "goal", "Ship it", "tools", "finish", "ask_squad", "finish");
    CHECK_STATUS(201);
    trace(t, text_at(t, "id"));
    CHECK_COUNT("run.tools", 2);
}

/* Those that nobody has made can be given work, until somebody makes one of that name. */
CONTRACT(agents_that_are_built_in_are_listed_beside_those_that_were_made)
{
    call(t, "agent_list", "{}");
    CHECK_COUNT("agents", 0);
    CHECK_COUNT("builtIn", 4);
    CHECK_TEXT("builtIn.0", "analyst");
    make_agent(t, "Analyst", "analyst");
    make_agent(t, "Builder", "builder");
    call(t, "agent_list", "{s:i}", "limit", 1);
    CHECK_COUNT("agents", 1);
    CHECK_COUNT("builtIn", 3);
    CHECK_TEXT("builtIn.0", "dreamer");
}

/* Each names its field, and makes nothing. */
CONTRACT(run_refuses_what_cannot_be_run)
{
    static const struct {
        const char *wish, *field;
    } rows[] = {
        { "{'kind': 'agent', 'input': 'x'}", "agent" },
        { "{'kind': 'agent', 'agent': 'Nobody', 'input': 'x'}", "agent" },
        { "{'kind': 'agent', 'agent': 'Guest', 'input': 'x'}", "agent" },
        { "{'kind': 'agent', 'agent': 'Builder'}", "input" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': ''}", "input" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': ' \\n'}", "input" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 5}", "input" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': ['x']}", "input" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': true}", "input" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'status': 'running'}", "status" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'budget': {'steps': 0}}", "budget.steps" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'budget': {'tokens': 0}}", "budget.tokens" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'budget': {'seconds': 0}}", "budget.seconds" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'budget': {'money': 0}}", "budget.money" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'budget': {'money': 0.0000001}}",
          "budget.money" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'budget': {'money': -1}}", "budget.money" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'budget': {'steps': 'many'}}",
          "budget.steps" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'budget': {'calls': 3}}", "budget.calls" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'budget': 3}", "budget" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'recover': 'maybe'}", "recover" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': {}}", "input" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'tools': ['no_such_tool']}", "tools" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'tools': [3]}", "tools[0]" },
        { "{'kind': 'agent', 'agent': 'Builder', 'input': 'x', 'projectId': 'nowhere'}", "projectId" },
        /* What is a run's alone, for a job that is none. */
        { "{'kind': 'build', 'budget': {'steps': 3}}", "budget" },
        { "{'kind': 'build', 'recover': true}", "recover" },
        { "{'kind': 'build', 'recover': false}", "recover" },
        { "{'tools': ['word_count']}", "tools" },
    };

    make_agent(t, "Builder", "builder");
    make_external_agent(t, "Guest", "guest");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text = arena_text(&t->arena, rows[i].wish);

        for (char *c = text; *c; c++)
            if (*c == '\'')
                *c = '"';
        JSON_AUTO *wish = json_loads(text, 0, NULL);

        assert_non_null(wish);
        call_json(t, "job_create", wish);
        if (t->status != 400 || !str_equal(text_at(t, "field"), rows[i].field))
            fail_msg("%s gets %d: %s", rows[i].wish, t->status, t->text);
    }
    call(t, "job_list", "{}");
    CHECK_COUNT("jobs", 0);
    assert_int_equal(count_rows(t, "runs WHERE workspace_id = '%s'", t->workspace), 0);
}

CONTRACT(run_is_read_in_pages_both_ways_and_from_where_one_was)
{
    const char *id, *cursor;

    make_agent(t, "Builder", "builder");
    id = make_run(t, "Builder");
    add_entries(t, id, 3, 6);
    call(t, "run_trace", "{s:s, s:i}", "id", id, "limit", 4);
    CHECK_COUNT("entries", 4);
    CHECK_INT("entries.3.seq", 4);
    cursor = text_at(t, "nextCursor");
    call(t, "run_trace", "{s:s, s:i, s:s}", "id", id, "limit", 4, "cursor", cursor);
    CHECK_COUNT("entries", 2);
    CHECK_TEXT("entries.0.text", "Number 5");
    CHECK_TEXT("entries.1.kind", "reply");
    CHECK_NULL("nextCursor");
    call(t, "run_trace", "{s:s, s:i, s:s}", "id", id, "limit", 4, "order", "newest");
    CHECK_INT("entries.0.seq", 6);
    CHECK_INT("entries.3.seq", 3);
    cursor = text_at(t, "nextCursor");
    call(t, "run_trace", "{s:s, s:i, s:s, s:s}", "id", id, "limit", 4, "order", "newest", "cursor", cursor);
    CHECK_COUNT("entries", 2);
    CHECK_INT("entries.1.seq", 1);
    CHECK_NULL("nextCursor");
    /* Who follows it gives the last one seen, also when there is nothing behind it yet. */
    call(t, "run_trace", "{s:s, s:i}", "id", id, "after", 5);
    CHECK_COUNT("entries", 1);
    CHECK_INT("entries.0.seq", 6);
    call(t, "run_trace", "{s:s, s:i}", "id", id, "after", 6);
    CHECK_STATUS(200);
    CHECK_COUNT("entries", 0);
    CHECK_NULL("nextCursor");
    call(t, "run_trace", "{s:s, s:i, s:s}", "id", id, "after", 5, "order", "newest");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "after");
    call(t, "run_trace", "{s:s, s:i}", "id", id, "after", -1);
    CHECK_STATUS(400);
    call(t, "run_trace", "{s:s, s:s}", "id", id, "cursor", "abc");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "cursor");
    call(t, "run_trace", "{s:s, s:s}", "id", id, "cursor", "0");
    CHECK_STATUS(400);
}

CONTRACT(run_is_driven_by_nobody_else_and_cancelled_by_those_who_may)
{
    const char *id, *other = make_job(t);

    make_agent(t, "Builder", "builder");
    id = make_run(t, "Builder");
    call(t, "job_update", "{s:s, s:s}", "id", id, "status", "completed");
    CHECK_STATUS(409);
    call(t, "job_update", "{s:s, s:s}", "id", id, "status", "running");
    CHECK_STATUS(409);
    call(t, "job_progress", "{s:s, s:i}", "id", id, "done", 1);
    CHECK_STATUS(409);
    check_job(t, id, "pending");
    t->as = token_for(t, "agent", "Builder");
    call(t, "job_update", "{s:s, s:s}", "id", id, "status", "failed");
    CHECK_STATUS(409);
    t->as = t->owner;
    call(t, "job_cancel", "{s:s, s:s}", "id", id, "reason", "Not today.");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "cancelled");
    CHECK_TEXT("error", "Not today.");
    call(t, "job_cancel", "{s:s}", "id", id);
    CHECK_STATUS(409);
    /* One that somebody else drives is as it was. */
    call(t, "job_update", "{s:s, s:s}", "id", other, "status", "completed");
    CHECK_STATUS(200);
    trace(t, other);
    CHECK_STATUS(404);
    call(t, "run_replay", "{s:s}", "id", other);
    CHECK_STATUS(404);
}

CONTRACT(run_that_nobody_has_moved_has_nothing_to_decide_again)
{
    const char *id;

    make_agent(t, "Builder", "builder");
    id = make_run(t, "Builder");
    call(t, "run_replay", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_TRUE("same");
    CHECK_INT("steps", 0);
    CHECK_INT("decisions", 0);
    CHECK_COUNT("differences", 0);
    t->as = token_elsewhere(t, "owner");
    call(t, "run_replay", "{s:s}", "id", id);
    CHECK_STATUS(404);
}

/* An agent may have another one work, and does not become that one by it. */
CONTRACT(run_is_its_requesters_to_cancel)
{
    const char *planner, *stranger, *id, *question;

    make_agent(t, "Builder", "builder");
    planner = token_for(t, "agent", "Planner");
    stranger = token_for(t, "agent", "Stranger");
    t->as = planner;
    id = make_run(t, "Builder");
    CHECK_TEXT("agent", "Builder");
    CHECK_TEXT("requestedBy", "Planner");
    trace(t, id);
    CHECK_STATUS(200);
    t->as = stranger;
    call(t, "job_cancel", "{s:s}", "id", id);
    CHECK_STATUS(403);
    call(t, "job_create", "{s:s, s:s}", "kind", "build", "agent", "Builder");
    CHECK_STATUS(403);
    t->as = planner;
    call(t, "job_log", "{s:s, s:s}", "id", id, "message", "Thanks.");
    CHECK_STATUS(201);
    /* Also while it waits for people: that nothing is done any more is theirs to say, what is done is not. */
    t->as = token_for(t, "agent", "Builder");
    call(t, "question_ask", "{s:s, s:s, s:s, s:s}", "id", id, "question", "Drop it?", "type", "approval",
         "responseType", "approval");
    CHECK_STATUS(201);
    question = text_at(t, "questionId");
    t->as = stranger;
    call(t, "job_cancel", "{s:s}", "id", id);
    CHECK_STATUS(403);
    t->as = planner;
    call(t, "question_cancel", "{s:s}", "id", question);
    CHECK_STATUS(403);
    call(t, "job_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
    call(t, "question_get", "{s:s}", "id", question);
    CHECK_TEXT("question.status", "cancelled");
}

CONTRACT(run_stays_within_its_walls)
{
    const char *shop, *other, *id, *own;

    make_agent(t, "Builder", "builder");
    shop = make_project(t);
    other = make_project(t);
    call(t, "job_create", "{s:s, s:s, s:s, s:s}", "kind", "agent", "agent", "Builder", "input", "x",
         "projectId", shop);
    CHECK_STATUS(201);
    CHECK_TEXT("projectId", shop);
    id = text_at(t, "id");
    t->as = t->viewer;
    trace(t, id);
    CHECK_STATUS(200);
    call(t, "job_create", "{s:s, s:s, s:s}", "kind", "agent", "agent", "Builder", "input", "x");
    CHECK_STATUS(403);
    t->as = token_elsewhere(t, "owner");
    trace(t, id);
    CHECK_STATUS(404);
    call(t, "job_create", "{s:s, s:s, s:s}", "kind", "agent", "agent", "Builder", "input", "x");
    CHECK_STATUS(400); /* that agent is not one of theirs */
    t->as = token_bound(t, "member", NULL, other);
    trace(t, id);
    CHECK_STATUS(404);
    call(t, "job_update", "{s:s, s:s}", "id", id, "status", "running");
    CHECK_STATUS(404); /* and not that witan runs it */
    call(t, "job_create", "{s:s, s:s, s:s, s:s}", "kind", "agent", "agent", "Builder", "input", "x",
         "projectId", shop);
    CHECK_STATUS(400);
    own = make_run(t, "Builder");
    CHECK_TEXT("projectId", other);
    trace(t, own);
    CHECK_STATUS(200);
}
