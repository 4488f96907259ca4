/*
 * What runs take, and of whom: their projects by the day, discussions that they begin, models that do not
 * say.
 */
#include "base/clock.h"
#include "base/settings.h"
#include "council.h"
#include "llm/model.h"
#include "questions.h"
#include "runs.h"

#define HOUR (60LL * MINUTE)

static const char *make_project(struct t *t)
{
    call(t, "project_create", "{s:s}", "name", "demo");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

CONTRACT(run_counts_to_its_project_when_it_takes_something)
{
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    const char *project = make_project(t);
    struct playing old, young;

    own->runner_project_tokens = 5000;
    settings_use(own);
    play_run_in(t, &old, &(struct run_wish){ .ms = 30LL * 24 * HOUR }, project);
    model_takes(&old, 1000, 500);
    model_takes(&old, 1000, 500);
    assert_true(old.step.ask);
    /* What it took itself a day ago does not count any more... */
    advance(t, 26LL * HOUR);
    model_takes(&old, 1000, 500);
    assert_true(old.step.ask);
    model_takes(&old, 1000, 500);
    assert_true(old.step.ask);
    /* ...and what it has taken since does, though it is older than a day. */
    play_run_in(t, &young, NULL, project);
    assert_true(young.step.ask);
    model_takes(&young, 1000, 500);
    assert_non_null(strstr(job_column(&young, "error"), "budget of its project"));
    assert_int_equal(count_rows(t, "project_spending WHERE project_id = '%s'", project), 2);
    check_replay(&old);
    check_replay(&young);
    settings_use(before);
}

/* Each reply costs 0.00045. */
CONTRACT(run_is_ended_by_the_money_of_its_project)
{
    const struct llm_model priced = { .price_in = 2.5, .price_out = 10 };
    struct llm_tool_call made = {
        .id = "a", .name = "report_progress", .arguments = "{}", .is_object = true
    };
    const struct llm_result result = {
        .text = "", .words = "", .usage = { 100, 20 }, .tool_calls = &made, .tool_call_count = 1
    };
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    const char *project = make_project(t);
    struct playing one, other, loose;

    own->runner_project_money_millionths = 900;
    settings_use(own);
    play_run_in(t, &one, NULL, project);
    assert_true(model_replies(&one, &result, NULL, &priced));
    assert_true(one.step.ask);
    play_run_in(t, &other, NULL, project);
    assert_true(other.step.ask);
    assert_true(model_replies(&other, &result, NULL, &priced));
    assert_true(other.step.over);
    assert_string_equal(job_column(&other, "error"),
                        "The budget of its project is used up: it has cost what it may cost in a day.");
    assert_int_equal(count_rows(t, "project_spending WHERE project_id = '%s' AND money > 0", project), 1);
    /* Of those without a project nobody counts, and a day later it may cost as much again. */
    play_run(t, &loose, NULL);
    assert_true(model_replies(&loose, &result, NULL, &priced));
    assert_true(model_replies(&loose, &result, NULL, &priced));
    assert_true(loose.step.ask);
    play_run_in(t, &other, NULL, project);
    assert_true(other.step.over);
    advance(t, 26LL * HOUR);
    play_run_in(t, &other, NULL, project);
    assert_true(model_replies(&other, &result, NULL, &priced));
    assert_true(other.step.ask);
    check_replay(&one);
    check_replay(&other);
    settings_use(before);
}

CONTRACT(run_is_ended_by_the_steps_of_its_project)
{
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    const char *project = make_project(t);
    struct playing one, other;

    own->runner_project_steps = 3;
    settings_use(own);
    play_run_in(t, &one, NULL, project);
    model_calls(&one, "report_progress", "{}", NULL);
    model_calls(&one, "report_progress", "{}", NULL);
    assert_true(one.step.ask);
    play_run_in(t, &other, NULL, project);
    model_calls(&other, "report_progress", "{}", NULL);
    assert_true(other.step.over);
    assert_string_equal(
        job_column(&other, "error"),
        "The budget of its project is used up: it has taken all steps that it may take in a day.");
    advance(t, 26LL * HOUR);
    play_run_in(t, &other, NULL, project);
    assert_true(other.step.ask);
    check_replay(&other);
    settings_use(before);
}

/* Without the time in which it waits for people. */
CONTRACT(run_is_ended_by_the_time_of_its_project)
{
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    const char *project = make_project(t);
    struct playing one, other;

    own->runner_project_seconds = 60;
    settings_use(own);
    play_run_in(t, &one, NULL, project);
    advance(t, 40000);
    model_calls(&one, "ask_question",
                "{\"question\":\"Which way?\",\"type\":\"blocking\",\"responseType\":\"text\"}", NULL);
    advance(t, 10 * MINUTE);
    answer_text(t, open_question(&one), "Left");
    assert_true(run_again(&one, "node-b"));
    assert_true(one.step.ask);
    play_run_in(t, &other, NULL, project);
    advance(t, 30000);
    model_calls(&other, "report_progress", "{}", NULL);
    assert_true(other.step.over);
    assert_string_equal(
        job_column(&other, "error"),
        "The budget of its project is used up: it has taken all the time that it may take in a day.");
    check_replay(&one);
    check_replay(&other);
    settings_use(before);
}

static void model_with(struct llm_model *model, const char *name, double in, double out)
{
    model_init(model, name);
    model->provider = LLM_OLLAMA;
    model->provider_name = "ollama";
    model->price_in = in;
    model->price_out = out;
}

/* What is refused of a run of this agent that may cost so much; it has no input, so that none is made. */
static const char *refused_for(struct t *t, const char *agent)
{
    call(t, "job_create", "{s:s, s:s, s:{s:f}}", "kind", "agent", "agent", agent, "budget", "money", 0.25);
    CHECK_STATUS(400);
    return text_at(t, "field");
}

CONTRACT(run_is_bounded_by_money_only_where_its_model_has_prices)
{
    static struct llm_model list[5];
    static const struct llm_models all = { list, 5 };
    static const char *const configs[] = { "half", "other", "priced", "free" };
    const struct settings *before = settings();
    const struct llm_models *before_models = models();
    struct settings *own = settings_to_change();

    model_with(&list[0], "bare", MODEL_UNSET, MODEL_UNSET);
    model_with(&list[1], "half", 1, MODEL_UNSET);
    model_with(&list[2], "other", MODEL_UNSET, 1);
    model_with(&list[3], "priced", 1, 5);
    model_with(&list[4], "free", 0, 0);
    models_use(&all);
    own->runner_drive = true;
    settings_use(own);
    for (size_t i = 0; i < sizeof(configs) / sizeof(*configs); i++) {
        call(t, "agent_create", "{s:s, s:s, s:{s:s}}", "name", configs[i], "role", "specialist",
             "ai_model_config", "provider", configs[i]);
        CHECK_STATUS(201);
        assert_string_equal(refused_for(t, configs[i]), i < 2 ? "budget.money" : "input");
    }
    /* The model that speaks where none is named, and one that an agent spells out. */
    call(t, "agent_create", "{s:s, s:s}", "name", "Ada", "role", "specialist");
    CHECK_STATUS(201);
    assert_string_equal(refused_for(t, "Ada"), "budget.money");
    assert_string_equal(text_at(t, "error"),
                        "budget.money would not bound this run: what its model bare costs is not known.");
    assert_non_null(strstr(text_at(t, "hint"), "price_in and price_out under models in config.yaml, or"));
    call(t, "agent_create", "{s:s, s:s, s:s}", "name", "Bob", "role", "specialist", "ai_model_config",
         "ollama:llama3.2");
    CHECK_STATUS(201);
    assert_string_equal(refused_for(t, "Bob"), "budget.money");
    assert_non_null(strstr(text_at(t, "error"), "its model llama3.2 costs"));
    assert_non_null(strstr(text_at(t, "hint"), "let the agent name it"));
    /* One that names no amount is not asked for prices. */
    call(t, "job_create", "{s:s, s:s, s:{s:i}}", "kind", "agent", "agent", "Ada", "budget", "tokens", 25);
    CHECK_TEXT("field", "input");
    settings_use(before);
    models_use(before_models);
    assert_int_equal(count_rows(t, "runs WHERE workspace_id = '%s'", t->workspace), 0);
}

CONTRACT(run_uses_the_hours_of_its_project_again)
{
    const char *project = make_project(t);
    struct playing p;

    play_run_in(t, &p, &(struct run_wish){ .ms = 30LL * 24 * HOUR }, project);
    for (int i = 0; i < 30; i++) {
        model_calls(&p, "report_progress", "{}", NULL);
        advance(t, HOUR);
    }
    assert_int_equal(count_rows(t, "project_spending WHERE project_id = '%s' AND tokens = 15", project), 25);
    outside_sql(t, "DELETE FROM projects WHERE id = '%s'", project);
    assert_int_equal(count_rows(t, "project_spending WHERE project_id = '%s'", project), 0);
}

CONTRACT(run_takes_what_its_discussion_takes)
{
    struct playing p;

    play_run(t, &p, &(struct run_wish){ .tokens = 1000 });
    make_agent(t, "Bob", "specialist");
    model_calls(&p, "start_discussion", "{\"topic\":\"Which way?\",\"agents\":[\"Bob\"],\"rounds\":1}", NULL);
    assert_true(p.step.over);
    const char *id = call_column(&p, "start_discussion", "discussion_id");

    assert_int_equal(
        count_rows(t, "discussion_state WHERE discussion_id = '%s' AND options LIKE '%%985%%'", id), 1);
    PLAY(t, { "Bob", "Go left, I say." });
    outside_sql(t, "UPDATE discussion_state SET tokens_in = 300, tokens_out = 700 WHERE discussion_id = '%s'",
                id);
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.over);
    assert_string_equal(job_column(&p, "error"), "Its budget is used up: 1015 of 1000 tokens.");
    assert_true(check_replay(&p) > 0);
}

/* They run side by side, so that each has its share; and whatever was split off from one counts. */
CONTRACT(run_shares_what_is_left_among_its_discussions)
{
    static const char wish[] = "{\"topic\":\"Which way?\",\"agents\":[\"Bob\"],\"rounds\":1}";
    struct llm_tool_call made[] = {
        { .id = "a", .name = "start_discussion", .arguments = wish, .is_object = true },
        { .id = "b",
          .name = "start_discussion",
          .arguments = "{\"topic\":\"Who?\",\"agents\":[\"Nobody\"]}",
          .is_object = true },
        { .id = "c", .name = "start_discussion", .arguments = wish, .is_object = true },
    };
    const struct llm_result result = {
        .text = "", .words = "", .usage = { 10, 5 }, .tool_calls = made, .tool_call_count = 3
    };
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    struct playing p;

    own->runner_project_tokens = 915;
    settings_use(own);
    play_run_in(t, &p, &(struct run_wish){ .tokens = 100000 }, make_project(t));
    make_agent(t, "Bob", "specialist");
    assert_true(model_replies(&p, &result, NULL, NULL));
    const char *started = arena_format(
        &t->arena, "discussion_id IN (SELECT discussion_id FROM run_calls WHERE job_id = '%s')", p.job);

    assert_int_equal(count_rows(t, "discussion_state WHERE %s", started), 2);
    assert_int_equal(count_rows(t, "discussion_state WHERE %s AND options LIKE '%%300%%'", started), 1);
    assert_int_equal(count_rows(t, "discussion_state WHERE %s AND options LIKE '%%450%%'", started), 1);
    outside_sql(t, "UPDATE discussion_state SET tokens_in = 200, tokens_out = 100 WHERE %s", started);
    call(t, "job_cancel", "{s:s}", "id", p.job);
    CHECK_STATUS(200);
    assert_false(run_again(&p, "node-b") && !p.step.over);
    assert_int_equal(
        count_rows(t, "runs WHERE job_id = '%s' AND tokens_in = 410 AND tokens_out = 205", p.job), 1);
    settings_use(before);
}

CONTRACT(run_is_ended_by_its_tokens_where_its_model_does_not_say_them)
{
    struct llm_tool_call made = {
        .id = "a", .name = "report_progress", .arguments = "{}", .is_object = true
    };
    struct llm_result result = { .text = "Half of it is done.",
                                 .words = "",
                                 .usage = { LLM_NOT_REPORTED, LLM_NOT_REPORTED },
                                 .tool_calls = &made,
                                 .tool_call_count = 1 };
    struct playing p;
    int replies = 0;

    play_run(t, &p, &(struct run_wish){ .tokens = 20000 });
    while (p.step.ask && replies++ < 45)
        assert_true(model_replies(&p, &result, NULL, NULL));
    assert_in_range(replies, 2, 40);
    assert_non_null(strstr(job_column(&p, "error"), " of 20000 are left."));
    assert_true(
        count_rows(t,
                   "run_entries WHERE job_id = '%s' AND tokens_in > 0 AND data LIKE '%%\"estimated\":true%%'",
                   p.job) > 0);
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND usage_missing = step", p.job), 1);
    assert_true(check_replay(&p) > 0);
    /* Lines of a script are nobody's tokens, and a server that was not there took none. */
    play_run(t, &p, NULL);
    result.scripted = true;
    assert_true(model_replies(&p, &result, NULL, NULL));
    model_fails(&p, "Nobody is there.");
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND tokens_in = 0 AND tokens_out = 0", p.job),
                     1);
}

CONTRACT(run_counts_what_a_failed_call_of_its_model_took)
{
    struct playing p;

    play_run(t, &p, &(struct run_wish){ .recover = true });
    assert_true(model_replies(
        &p,
        &(struct llm_result){
            .kind = LLM_BROKE_OFF, .text = "", .words = "It broke off.", .usage = { 7, LLM_NOT_REPORTED } },
        NULL, NULL));
    assert_true(p.step.over);
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND tokens_in = 7 AND step = 0", p.job), 1);
    assert_true(check_replay(&p) > 0);
}

/* By its words, and that nothing was taken for it. */
static void check_held_back(struct playing *p, const char *words)
{
    assert_true(p->step.over && !p->step.ask);
    assert_int_equal(p->step.message_count, 0);
    assert_string_equal(job_column(p, "status"), "failed");
    assert_string_equal(job_column(p, "error"), words);
    assert_true(check_replay(p) > 0);
}

CONTRACT(run_does_not_ask_for_what_takes_all_that_is_left)
{
    const struct llm_result long_result = {
        .text = "Done.", .words = "", .finish = LLM_FINISH_STOP, .usage = { 3000, 500 }
    };
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    struct playing p;
    long long takes;

    /* Not the first time either. */
    play_run(t, &p, &(struct run_wish){ .tokens = 300 });
    assert_true(p.step.over);
    assert_int_equal(
        sscanf(job_column(&p, "error"),
               "Its budget is used up: what its model would be told next takes about %lld tokens, "
               "and 300 of 300 are left.",
               &takes),
        1);
    assert_in_range(takes, 500, 1500);
    check_held_back(&p, job_column(&p, "error"));
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND tokens_in + tokens_out + step = 0", p.job),
                     1);
    play_run(t, &p, &(struct run_wish){ .tokens = 5000 });
    model_takes(&p, 2000, 700);
    assert_true(p.step.ask);
    model_takes(&p, 1200, 203);
    check_held_back(&p,
                    "Its budget is used up: what its model would be told next takes about 1053 tokens, and "
                    "897 of 5000 are left.");
    /* What is handed in is a result, whatever it took. */
    play_run(t, &p, &(struct run_wish){ .tokens = 4000 });
    assert_true(model_replies(&p, &long_result, NULL, NULL));
    assert_string_equal(job_column(&p, "status"), "completed");
    assert_true(check_replay(&p) > 0);
    own->runner_project_tokens = 3000;
    settings_use(own);
    play_run_in(t, &p, NULL, make_project(t));
    model_takes(&p, 1500, 214);
    check_held_back(&p, "The budget of its project is used up: what its model would be told next takes about "
                        "1286 tokens, and 1286 of 3000 a day are left.");
    settings_use(before);
}

/* The reply may be its result, and what it takes is taken already. */
CONTRACT(run_that_asks_is_not_ended_by_what_others_of_its_project_take)
{
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    const char *project = make_project(t);
    struct playing p, other;

    own->runner_project_tokens = 3000;
    settings_use(own);
    play_run_in(t, &p, NULL, project);
    play_run_in(t, &other, &(struct run_wish){ .tokens = 2800 }, project);
    model_takes(&other, 2000, 700);
    check_held_back(&other,
                    "Its budget is used up: what its model would be told next takes about 2025 tokens, "
                    "and 100 of 2800 are left.");
    run_moves_on(&p);
    assert_true(p.step.ask);
    model_says(&p, "Done.");
    assert_string_equal(job_column(&p, "status"), "completed");
    check_replay(&p);
    settings_use(before);
}

/* Of a summary what it is made from counts. */
CONTRACT(run_does_not_condense_for_more_than_is_left)
{
    struct llm_tool_call made = {
        .id = "a", .name = "report_progress", .arguments = "{}", .is_object = true
    };
    char words[20000];
    struct llm_result result = { .text = words,
                                 .words = "",
                                 .finish = LLM_FINISH_TOOLS,
                                 .usage = { 10, 5 },
                                 .tool_calls = &made,
                                 .tool_call_count = 1 };

    memset(words, 'w', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    for (int64_t left = 1000; left <= 30000; left += 29000) {
        struct playing p;

        play_run(t, &p, &(struct run_wish){ .tokens = 40000 + left });
        for (int i = 0; i < 4; i++) {
            result.usage = i == 3 ? (struct llm_usage){ 39945, 10 } : (struct llm_usage){ 10, 5 };
            assert_true(model_replies(&p, &result, NULL, NULL));
        }
        assert_int_equal(count_rows(t, "run_entries WHERE job_id = '%s' AND data LIKE '%%\"cut\"%%'", p.job),
                         1);
        if (left == 30000) {
            assert_string_equal(p.step.kind, "summary");
            continue;
        }
        assert_non_null(strstr(job_column(&p, "error"), "tokens, and 1000 of 41000 are left."));
        check_held_back(&p, job_column(&p, "error"));
    }
}

/* Lines of a script take no tokens, however much they are told. */
CONTRACT(run_of_a_script_is_bounded_by_no_tokens)
{
    struct playing p;

    call(t, "agent_create", "{s:s, s:s, s:{s:s}}", "name", "Ada", "role", "specialist", "ai_model_config",
         "provider", "scripted");
    CHECK_STATUS(201);
    play_run(t, &p, &(struct run_wish){ .tokens = 25 });
    assert_true(p.step.ask);
}

/* The node has stopped, died, or was the only one when its machine went down: two hours later another goes
 * on. */
enum stop { LEFT, DIED, CLEARED, STOPS };

static void stops_for_hours(struct playing *p, enum stop how)
{
    struct tx tx = stage_begin(p->t, &p->err);

    if (how == LEFT)
        assert_true(holding_node_leave(&tx, p->ref.node));
    else if (how == CLEARED)
        assert_true(holding_node_clear(&tx));
    stage_commit(p->t);
    if (how == DIED)
        outside_sql(p->t, "UPDATE council_nodes SET lease_until = 1 WHERE id = '%s'", p->ref.node);
    advance(p->t, 2 * HOUR);
    assert_true(run_again(p, str_equal(p->ref.node, "node-b") ? "node-c" : "node-b"));
}

/* At least so many seconds, and what the test itself took. */
static void check_used(struct playing *p, int64_t seconds, bool counts)
{
    assert_int_equal(
        count_rows(p->t, "runs WHERE job_id = '%s' AND used_ms BETWEEN %lld AND %lld AND began_at IS %s",
                   p->job, (long long)seconds * 1000, (long long)(seconds + 15) * 1000,
                   counts ? "NOT NULL" : "NULL"),
        1);
}

static void check_told(struct playing *p)
{
    long long used, asked;

    assert_int_equal(sscanf(job_column(p, "error"),
                            "Its budget is used up: %lld of 100 seconds, the last: its model had not come to "
                            "the end of its answer in %lld seconds.",
                            &used, &asked),
                     2);
    assert_in_range(used, 110, 125);
    assert_in_range(asked, 30, used);
}

CONTRACT(run_has_no_less_time_after_hours_without_a_server)
{
    static const struct tool tools[] = {
        { .name = "look", .description = "", .schema = "{\"type\":\"object\"}", .idempotent = true }
    };

    use_tools(tools, 1);
    for (enum stop how = LEFT; how < STOPS; how++) {
        struct playing p;

        /* While its model is asked... */
        play_run(t, &p, &(struct run_wish){ .ms = 100000 });
        advance(t, 10000);
        model_calls(&p, "report_progress", "{}", NULL);
        check_used(&p, 10, true);
        stops_for_hours(&p, how);
        assert_true(p.step.ask);
        assert_in_range(p.step.due_ms, clock_now_ms() + 75000, clock_now_ms() + 90000);
        /* ...and while a tool runs. */
        advance(t, 10000);
        model_calls(&p, "look", "{}", NULL);
        tool_begins(&p, p.step.calls[0].call_id);
        stops_for_hours(&p, how);
        check_used(&p, 20, true);
        tool_runs(&p, "seen");
        advance(t, 60000);
        run_moves_on(&p);
        stops_for_hours(&p, how);
        assert_true(p.step.ask);
        advance(t, 30000);
        run_moves_on(&p);
        assert_true(p.step.over);
        check_used(&p, 110, false);
        check_told(&p);
        check_replay(&p);
    }
}
