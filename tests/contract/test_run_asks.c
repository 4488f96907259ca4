/*
 * What witan itself asks about a run: approvals of calls, and what to do about those that failed. None of
 * that may be left out, and nothing is run that people were not asked about as it is now.
 */
#include "base/limits.h"
#include "base/settings.h"
#include "questions.h"
#include "runs.h"

static const char any_object[] = "{\"type\":\"object\"}";
#define USE(tools) use_tools(tools, sizeof(tools) / sizeof(*(tools)))

static const struct tool pay[] = {
    { .name = "pay", .description = "Pays.", .schema = any_object, .kind = TOOL_COMMAND }
};
static const struct tool pay_if_approved[] = { { .name = "pay",
                                                 .description = "Pays.",
                                                 .schema = any_object,
                                                 .kind = TOOL_COMMAND,
                                                 .needs_approval = true } };

#define PAY  "pay", "{}"
#define PAY5 PAY, PAY, PAY, PAY, PAY

/* As many questions of the agent's own as it may ask in a minute. */
static void ask_what_is_allowed(struct playing *p)
{
    for (int i = 0; i < settings()->questions_rate; i++)
        model_calls(p, "ask_question",
                    "{\"question\":\"And now?\",\"type\":\"non_blocking\",\"responseType\":\"text\","
                    "\"defaultResponse\":{\"type\":\"text\",\"value\":\"on\"}}",
                    NULL);
}

CONTRACT(run_asks_about_every_interrupted_call_however_much_its_agent_has_asked)
{
    struct playing p;

    USE(pay);
    play_run(t, &p, NULL);
    ask_what_is_allowed(&p);
    model_calls(&p, PAY5, PAY5, PAY5, NULL);
    assert_int_equal(p.step.call_count, 15);
    for (size_t i = 0; i < 15; i++)
        tool_begins(&p, p.step.calls[i].call_id);
    outside_sql(t, "UPDATE runs SET node = NULL, wanted = 1 WHERE job_id = '%s'", p.job);
    assert_true(run_again(&p, "node-b"));
    assert_int_equal(p.step.phase, RUN_WAITING);
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s' AND type = 'error_recovery'", p.job),
                     15);
    assert_int_equal(
        count_rows(t, "run_calls WHERE job_id = '%s' AND name = 'pay' AND state = 'waiting'", p.job), 15);
    check_replay(&p);
}

CONTRACT(run_asks_for_every_approval_and_these_are_not_counted_as_its_agents)
{
    struct playing p;

    USE(pay_if_approved);
    play_run(t, &p, NULL);
    ask_what_is_allowed(&p);
    model_calls(&p, PAY5, PAY5, PAY5, PAY5, PAY5, PAY5, PAY5, PAY5, PAY5, PAY5, PAY5, NULL);
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s' AND type = 'approval'", p.job), 55);
    assert_int_equal(count_rows(t, "run_calls WHERE job_id = '%s' AND state = 'approval'", p.job), 55);
    for (int i = 0; i < 55; i++) {
        answer(t, open_question(&p), "{s:s, s:b}", "type", "approval", "value", 0);
        CHECK_STATUS(200);
    }
    advance(t, 2 * MINUTE);
    assert_true(run_again(&p, "node-b"));
    ask_what_is_allowed(&p);
    assert_string_equal(call_column(&p, "ask_question", "outcome"), "ok");
    check_replay(&p);
}

CONTRACT(run_asks_what_to_do_about_an_error_of_any_length)
{
    char *words = arena_array(&t->arena, char, 100001);
    struct playing p;

    memset(words, '"', 100000);
    words[100000] = '\0';
    USE(pay);
    play_run(t, &p, &(struct run_wish){ .recover = true });
    model_calls(&p, PAY, NULL);
    const char *id = p.step.calls[0].call_id;

    tool_begins(&p, id);
    tool_ends(&p, id, TOOL_TIMED_OUT, words);
    assert_int_equal(p.step.phase, RUN_WAITING);
    const char *question = open_question(&p);

    assert_non_null(question);
    answer(t, question, "{s:s, s:s}", "type", "choice", "value", "skip");
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    check_replay(&p);
}

CONTRACT(run_tells_that_arguments_are_too_large_to_be_approved)
{
    char *arguments = arena_array(&t->arena, char, 100020);
    struct playing p;

    memset(arguments, 'x', 100000);
    memcpy(arguments, "{\"a\":\"", 6);
    memcpy(arguments + 100000, "\"}", 3);
    USE(pay_if_approved);
    play_run(t, &p, NULL);
    model_calls(&p, "pay", arguments, NULL);
    assert_non_null(strstr(told(&p, "tool"), "too large to be approved"));
    assert_string_equal(call_column(&p, "pay", "outcome"), "too_large");
    assert_null(open_question(&p));
    check_replay(&p);
}

/* What has changed while people were asked. */

static const char wants_path[] =
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]}";
static const char wants_number[] =
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"number\"}},\"required\":[\"path\"]}";
static const char *const others[] = { "other", NULL };

#define FILES(...) \
    { \
        .name = "files__write", .description = "", .schema = any_object, .kind = TOOL_MCP, __VA_ARGS__ \
    }
static const struct tool files_before[] = { FILES(.digest = "aa", .needs_approval = true) };
static const struct tool files_after[] = { FILES(.digest = "bb", .needs_approval = true) };

static void approve(struct playing *p, const char *node)
{
    struct t *t = p->t;

    answer(t, open_question(p), "{s:s, s:b}", "type", "approval", "value", 1);
    CHECK_STATUS(200);
    assert_true(run_again(p, node));
}

/* The node goes away while the calls of the step run; another takes them over. */
static void dies_while_it_runs(struct playing *p, const char *node)
{
    for (size_t i = 0; i < p->step.call_count; i++)
        tool_begins(p, p->step.calls[i].call_id);
    outside_sql(p->t, "UPDATE runs SET node = NULL, wanted = 1 WHERE job_id = '%s'", p->job);
    assert_true(run_again(p, node));
}

static void retries(struct playing *p, const char *node)
{
    struct t *t = p->t;

    answer(t, open_question(p), "{s:s, s:s}", "type", "choice", "value", "retry");
    CHECK_STATUS(200);
    assert_true(run_again(p, node));
}

CONTRACT(run_asks_again_where_a_tool_has_changed_while_its_approval_was_open)
{
    struct playing p;

    USE(files_before);
    play_run(t, &p, NULL);
    model_calls(&p, "files__write", "{}", NULL);
    USE(files_after);
    approve(&p, "node-b");
    assert_int_equal(p.step.phase, RUN_WAITING);
    assert_int_equal(p.step.call_count, 0);
    assert_int_equal(count_rows(t, "run_approved_tools WHERE workspace_id = '%s'", t->workspace), 0);
    call(t, "question_get", "{s:s}", "id", open_question(&p));
    CHECK_TEXT("question.context.why", "The tool has changed since this call was made.");
    approve(&p, "node-b");
    assert_int_equal(p.step.call_count, 1);
    tool_runs(&p, "written");
    assert_int_equal(
        count_rows(t, "run_approved_tools WHERE workspace_id = '%s' AND digest = 'bb'", t->workspace), 1);
    check_replay(&p);
}

CONTRACT(run_keeps_to_the_rules_of_now_when_an_approval_comes)
{
    static const struct tool elsewhere[] = { { .name = "pay",
                                               .description = "Pays.",
                                               .schema = any_object,
                                               .kind = TOOL_COMMAND,
                                               .needs_approval = true,
                                               .projects = others } };
    struct playing p;

    USE(pay_if_approved);
    play_run(t, &p, NULL);
    model_calls(&p, PAY, NULL);
    USE(elsewhere);
    approve(&p, "node-b");
    assert_string_equal(call_column(&p, "pay", "outcome"), "forbidden");
    check_replay(&p);
    USE(pay_if_approved);
    model_calls(&p, PAY, NULL);
    use_tools(NULL, 0);
    approve(&p, "node-b");
    assert_string_equal(call_column(&p, "pay", "outcome"), "unavailable");
    check_replay(&p);
}

CONTRACT(run_asks_for_an_approval_that_is_needed_by_now_before_it_runs_a_call_again)
{
    struct playing p;

    USE(pay);
    play_run(t, &p, NULL);
    model_calls(&p, PAY, NULL);
    dies_while_it_runs(&p, "node-b");
    USE(pay_if_approved);
    retries(&p, "node-b");
    assert_string_equal(call_column(&p, "pay", "state"), "approval");
    approve(&p, "node-b");
    /* Once approved it is not asked about again, but for what went wrong. */
    dies_while_it_runs(&p, "node-c");
    retries(&p, "node-c");
    tool_runs(&p, "paid");
    check_replay(&p);
}

CONTRACT(run_judges_again_what_was_to_be_run_when_its_node_died)
{
    struct playing p;

    USE(pay);
    play_run(t, &p, NULL);
    model_calls(&p, PAY, NULL);
    outside_sql(t, "UPDATE runs SET node = NULL, wanted = 1 WHERE job_id = '%s'", p.job);
    USE(pay_if_approved);
    assert_true(run_again(&p, "node-b"));
    assert_string_equal(call_column(&p, "pay", "state"), "approval");
    check_replay(&p);
}

CONTRACT(run_asks_again_where_edited_arguments_do_not_fit_any_more)
{
    static const struct tool of_text[] = { { .name = "pay",
                                             .description = "",
                                             .schema = wants_path,
                                             .kind = TOOL_COMMAND,
                                             .needs_approval = true } };
    static const struct tool of_number[] = { { .name = "pay",
                                               .description = "",
                                               .schema = wants_number,
                                               .kind = TOOL_COMMAND,
                                               .needs_approval = true } };
    struct playing p;

    USE(of_text);
    play_run(t, &p, NULL);
    model_calls(&p, "pay", "{\"path\":\"a\"}", NULL);
    answer(t, open_question(&p), "{s:s, s:b, s:{s:s}}", "type", "approval", "value", 1, "args", "path", "b");
    CHECK_STATUS(200);
    USE(of_number);
    assert_true(run_again(&p, "node-b"));
    assert_int_equal(p.step.phase, RUN_WAITING);
    answer(t, open_question(&p), "{s:s, s:b, s:{s:i}}", "type", "approval", "value", 1, "args", "path", 7);
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    assert_string_equal(p.step.calls[0].arguments, "{\"path\":7}");
    tool_runs(&p, "paid 7");
    assert_string_equal(told(&p, "tool"),
                        "Somebody approved this call with other arguments: {\"path\":7}\npaid 7");
    assert_string_equal(call_column(&p, "pay", "output"), "paid 7");
    check_replay(&p);
}

CONTRACT(run_repeats_a_call_a_few_times_and_only_while_its_tool_may_be_repeated)
{
    static const struct tool repeated[] = {
        { .name = "pay", .description = "", .schema = any_object, .kind = TOOL_COMMAND, .idempotent = true }
    };
    struct playing p;

    USE(repeated);
    play_run(t, &p, NULL);
    model_calls(&p, PAY, NULL);
    for (int i = 1; i < RUN_RETRIES_MOST; i++) {
        const char *id = p.step.calls[0].call_id;

        tool_begins(&p, id);
        tool_ends(&p, id, TOOL_BROKE_OFF, "It broke off.");
        assert_int_equal(p.step.call_count, 1);
    }
    dies_while_it_runs(&p, "node-b");
    assert_string_equal(call_column(&p, "pay", "state"), "waiting");
    answer(t, open_question(&p), "{s:s, s:s}", "type", "choice", "value", "skip");
    assert_true(run_again(&p, "node-b"));
    model_calls(&p, PAY, NULL);
    USE(pay);
    dies_while_it_runs(&p, "node-c");
    assert_string_equal(call_column(&p, "pay", "state"), "waiting");
    check_replay(&p);
}
