/*
 * The loop of a run, on rows: what the model says becomes calls, calls become results, and every end is one
 * that its job says in words. Models and tools are played by hand (runs.h).
 */
#include "base/limits.h"
#include "base/settings.h"
#include "council.h"
#include "questions.h"
#include "runs.h"

static const char any_object[] = "{\"type\":\"object\"}";
static const char wants_path[] =
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]}";

static const struct tool plain_tools[] = {
    { .name = "look",
      .description = "Looks.",
      .schema = any_object,
      .kind = TOOL_COMMAND,
      .idempotent = true },
    { .name = "write", .description = "Writes.", .schema = wants_path, .kind = TOOL_COMMAND },
    { .name = "lone", .description = "Alone.", .schema = any_object, .kind = TOOL_COMMAND, .alone = true },
};

static const struct tool guarded_tools[] = {
    { .name = "deploy",
      .description = "Deploys.",
      .schema = wants_path,
      .kind = TOOL_COMMAND,
      .needs_approval = true },
};

#define USE(tools) use_tools(tools, sizeof(tools) / sizeof(*(tools)))

CONTRACT(run_asks_its_model_calls_tools_and_finishes)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    assert_int_equal(p.step.phase, RUN_ASKING);
    assert_true(p.step.ask && p.step.afresh);
    assert_string_equal(told(&p, "user"), "Build it.");
    assert_true(p.step.tool_count == 8);
    assert_string_equal(job_column(&p, "status"), "running");
    model_calls(&p, "look", "{}", NULL);
    assert_int_equal(p.step.phase, RUN_CALLING);
    tool_runs(&p, "three files");
    assert_true(p.step.ask && !p.step.afresh);
    assert_int_equal(p.step.message_count, 2);
    assert_string_equal(told(&p, "tool"), "three files");
    model_calls(&p, "report_progress", "{\"done\":1,\"total\":2,\"step\":\"Half\"}", NULL);
    assert_true(p.step.ask);
    assert_string_equal(told(&p, "tool"), "ok");
    model_calls(&p, "finish", "{\"result\":\"It is built.\"}", NULL);
    assert_true(p.step.over);
    assert_int_equal(p.step.phase, RUN_ENDED);
    assert_string_equal(job_column(&p, "status"), "completed");
    assert_string_equal(job_column(&p, "result"), "{\"result\":\"It is built.\"}");
    assert_false(run_wants(&p));
    assert_int_equal(count_events(t, p.job, "job.progress"), 1);
    assert_int_equal(count_events(t, p.job, "run.moved"), 5);
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_takes_a_reply_without_calls_for_its_result)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    model_says(&p, "Nothing to do.");
    assert_string_equal(job_column(&p, "status"), "completed");
    assert_string_equal(job_column(&p, "result"), "{\"result\":\"Nothing to do.\"}");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_runs_other_calls_before_it_finishes)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "finish", "{\"result\":\"Done.\"}", "look", "{}", NULL);
    assert_int_equal(p.step.phase, RUN_CALLING);
    tool_runs(&p, "seen");
    assert_string_equal(job_column(&p, "status"), "completed");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_goes_on_where_another_call_beside_finish_did_not_end_well)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "finish", "{\"result\":\"Done.\"}", "look", "{}", NULL);
    tool_begins(&p, p.step.calls[0].call_id);
    tool_ends(&p, p.step.calls[0].call_id, TOOL_ERROR, "It failed.");
    assert_true(p.step.ask);
    assert_string_equal(p.step.messages[2].content, "It failed.");
    assert_non_null(strstr(p.step.messages[1].content, "call finish again"));
    model_calls(&p, "nothing", "{}", "finish", "{\"result\":\"Done.\"}", NULL);
    assert_non_null(strstr(told(&p, "tool"), "did not end well"));
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND mistakes = 0", p.job), 1);
    model_calls(&p, "ask_question",
                "{\"question\":\"Which way?\",\"type\":\"blocking\",\"responseType\":\"text\"}", "finish",
                "{\"result\":\"Done.\"}", NULL);
    assert_int_equal(p.step.phase, RUN_WAITING);
    answer_text(t, open_question(&p), "Left");
    assert_true(run_again(&p, "node-b"));
    assert_non_null(strstr(told(&p, "tool"), "Look at the answer"));
    model_calls(&p, "finish", "{\"result\":\"One.\"}", "finish", "{\"result\":\"Two.\"}", NULL);
    assert_string_equal(job_column(&p, "result"), "{\"result\":\"One.\"}");
    assert_string_equal(call_column(&p, "finish", "outcome"), "error");
    assert_non_null(strstr(call_column(&p, "finish", "output"), "Only the first"));
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_goes_on_where_a_call_beside_finish_was_rejected)
{
    struct playing p;

    USE(guarded_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "deploy", "{\"path\":\"/\"}", "finish", "{\"result\":\"Deployed.\"}", NULL);
    assert_int_equal(p.step.phase, RUN_WAITING);
    answer(t, open_question(&p), "{s:s, s:b}", "type", "approval", "value", 0);
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.ask);
    model_says(&p, "It was not deployed.");
    assert_string_equal(job_column(&p, "status"), "completed");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_tells_the_model_what_is_wrong_with_a_call)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "nothing", "{}", NULL);
    assert_non_null(strstr(told(&p, "tool"), "There is no tool named nothing."));
    model_calls(&p, "write", "{\"path\":7}", NULL);
    assert_non_null(strstr(told(&p, "tool"), "/path"));
    model_calls(&p, "write", "[", NULL);
    assert_non_null(strstr(told(&p, "tool"), "not a JSON object"));
    model_calls(&p, "write", "{\"path\":\"a\",\"path\":\"b\"}", NULL);
    assert_non_null(strstr(told(&p, "tool"), "The JSON text is wrong"));
    assert_string_equal(call_column(&p, "write", "outcome"), "invalid");
    model_calls(&p, "write", "{\"path\":\"a\"}", NULL);
    tool_runs(&p, "written");
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND mistakes = 0", p.job), 1);
    assert_true(check_replay(&p) > 0);
}

/* Calls a tool of the run's own with a text of one member, and returns what the model is told. */
static const char *told_of(struct playing *p, const char *tool, const char *member, const char *text)
{
    model_calls(p, tool, arena_format(&p->t->arena, "{\"%s\":\"%s\"}", member, text), NULL);
    return told(p, "tool");
}

static const char *long_text(struct t *t, size_t len)
{
    char *text = arena_array(&t->arena, char, len + 1);

    memset(text, 'x', len);
    text[len] = '\0';
    return text;
}

CONTRACT(run_refuses_texts_of_its_own_tools_as_the_other_doors_do)
{
    struct playing p;
    size_t most = (size_t)settings()->limits_message;

    USE(plain_tools);
    play_run(t, &p, NULL);
    assert_non_null(strstr(told_of(&p, "report_progress", "step", long_text(t, LIMIT_TITLE + 1)), "/step"));
    assert_non_null(strstr(told_of(&p, "start_discussion", "topic", " "), "topic must not be empty."));
    assert_non_null(
        strstr(told_of(&p, "start_discussion", "topic", long_text(t, most + 1)), "topic is too long"));
    assert_int_equal(count_rows(t, "discussion_state"), 0);
    assert_string_equal(told_of(&p, "report_progress", "step", long_text(t, LIMIT_TITLE)), "ok");
}

CONTRACT(run_fails_after_too_many_mistakes_in_a_row)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    for (int i = 0; i < 4; i++)
        model_calls(&p, "nothing", "{}", NULL);
    assert_true(p.step.ask);
    model_says(&p, "");
    assert_string_equal(job_column(&p, "status"), "failed");
    assert_string_equal(job_column(&p, "error"),
                        "The agent has made too many mistakes in a row, the last: The reply was empty.");
    assert_true(check_replay(&p) > 0);
    play_run(t, &p, NULL);
    for (int i = 0; i < 5; i++)
        model_calls(&p, "nothing", "{}", NULL);
    assert_non_null(strstr(job_column(&p, "error"), "the last: There is no tool named nothing."));
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_that_never_ends_is_ended_by_its_budget)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, &(struct run_wish){ .steps = 3 });
    for (int i = 0; i < 3; i++) {
        assert_true(p.step.ask);
        model_calls(&p, "report_progress", "{}", NULL);
    }
    assert_true(p.step.over);
    assert_string_equal(job_column(&p, "error"), "Its budget is used up: 3 of 3 steps.");
    play_run(t, &p, &(struct run_wish){ .tokens = 4000 });
    model_takes(&p, 1000, 985);
    assert_int_equal(p.step.max_tokens, 2015);
    model_takes(&p, 2000, 15);
    assert_string_equal(job_column(&p, "error"), "Its budget is used up: 4000 of 4000 tokens.");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_whose_time_is_up_ends_with_what_is_out)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, &(struct run_wish){ .ms = 60000 });
    model_calls(&p, "look", "{}", NULL);
    tool_begins(&p, p.step.calls[0].call_id);
    assert_true(p.step.due_ms > 0);
    advance(t, 61000);
    run_moves_on(&p);
    assert_true(p.step.over);
    assert_int_equal(p.step.unwanted_count, 1);
    assert_string_equal(job_column(&p, "status"), "failed");
    assert_string_equal(
        job_column(&p, "error"),
        "Its budget is used up: 61 of 60 seconds, the last: look had been running for 61 seconds.");
    assert_string_equal(call_column(&p, "look", "outcome"), "cancelled");
    assert_true(check_replay(&p) > 0);
    play_run(t, &p, &(struct run_wish){ .ms = 60000 });
    model_calls(&p, "report_progress", "{}", NULL);
    advance(t, 61000);
    run_moves_on(&p);
    assert_string_equal(
        job_column(&p, "error"),
        "Its budget is used up: 61 of 60 seconds, the last: its model had not come to the end of its answer in 61 seconds.");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_whose_time_is_up_takes_a_reply_that_is_its_result)
{
    static const char *const replies[] = { "Nothing to do.", NULL };

    for (int i = 0; i < 2; i++) {
        struct playing p;

        play_run(t, &p, &(struct run_wish){ .ms = 60000 });
        advance(t, 61000);
        if (replies[i])
            model_says(&p, replies[i]);
        else
            model_calls(&p, "finish", "{\"result\":\"It is built.\"}", NULL);
        assert_string_equal(job_column(&p, "status"), "completed");
        assert_true(check_replay(&p) > 0);
    }
}

CONTRACT(run_counts_money_where_prices_are_known)
{
    struct llm_model priced = { .price_in = 2.5, .price_out = 10 };
    struct llm_tool_call made = {
        .id = "a", .name = "report_progress", .arguments = "{}", .is_object = true
    };
    struct llm_result result = {
        .text = "", .words = "", .usage = { 100, 20 }, .tool_calls = &made, .tool_call_count = 1
    };
    struct playing p;

    play_run(t, &p, &(struct run_wish){ .money = 900 });
    assert_true(model_replies(&p, &result, NULL, &priced));
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND money = 450", p.job), 1);
    assert_true(p.step.ask);
    assert_true(model_replies(&p, &result, NULL, &priced));
    assert_non_null(strstr(job_column(&p, "error"), "0.0009 of 0.0009 in money"));
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_waits_for_an_answer_and_goes_on_with_the_call_that_asked)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "look", "{}", "ask_question",
                "{\"question\":\"Which way?\",\"type\":\"blocking\",\"responseType\":\"text\"}", NULL);
    assert_int_equal(p.step.phase, RUN_CALLING);
    tool_runs(&p, "seen");
    assert_true(p.step.over);
    assert_int_equal(p.step.phase, RUN_WAITING);
    assert_false(run_wants(&p));
    assert_false(run_again(&p, "node-b"));
    assert_string_equal(job_column(&p, "status"), "waiting_for_input");
    answer_text(t, open_question(&p), "Left");
    CHECK_STATUS(200);
    assert_true(run_wants(&p));
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.ask && p.step.afresh);
    assert_non_null(strstr(told(&p, "tool"), "Left"));
    /* In the order of the calls, whichever came first. */
    assert_string_equal(p.step.messages[3].content, "seen");
    assert_int_equal(p.step.message_count, 5);
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_goes_on_with_a_default_and_hears_of_a_later_answer)
{
    struct playing p;

    play_run(t, &p, NULL);
    model_calls(&p, "ask_question",
                "{\"question\":\"Tabs?\",\"type\":\"non_blocking\",\"responseType\":\"boolean\","
                "\"defaultResponse\":{\"type\":\"boolean\",\"value\":false}}",
                NULL);
    assert_true(p.step.ask);
    assert_non_null(strstr(told(&p, "tool"), "default"));
    answer(t, open_question(&p), "{s:s, s:b}", "type", "boolean", "value", 1);
    CHECK_STATUS(200);
    run_moves_on(&p);
    model_calls(&p, "report_progress", "{}", NULL);
    assert_non_null(strstr(told(&p, "user"), "Tabs?"));
    model_calls(&p, "report_progress", "{}", NULL);
    assert_int_equal(p.step.message_count, 2);
    assert_true(check_replay(&p) > 0);
}

/* One run asks this and is told yes, another asks the same; what that one is told. */
static const char *told_after_a_yes(struct t *t, struct playing *p, const char *response_type,
                                    const char *arguments)
{
    play_run(t, p, NULL);
    model_calls(p, "ask_question", arguments, NULL);
    answer(t, open_question(p), "{s:s, s:b}", "type", response_type, "value", 1);
    CHECK_STATUS(200);
    play_run(t, p, NULL);
    model_calls(p, "ask_question", arguments, NULL);
    return told(p, "tool");
}

/* What somebody said to the same words another time was said then. */
CONTRACT(run_goes_on_with_the_default_whatever_was_answered_before)
{
    static const char tabs[] =
        "{\"question\":\"Tabs?\",\"type\":\"non_blocking\",\"responseType\":\"boolean\","
        "\"defaultResponse\":{\"type\":\"boolean\",\"value\":false}}";
    static const char choice[] =
        "{\"question\":\"Tabs?\",\"type\":\"non_blocking\",\"responseType\":\"choice\","
        "\"options\":[{\"label\":\"yes\"},{\"label\":\"no\"}],"
        "\"defaultResponse\":{\"type\":\"choice\",\"value\":\"no\"}}";
    struct playing p;
    const char *said = told_after_a_yes(t, &p, "boolean", tabs);

    assert_non_null(strstr(said, "\"value\":false"));
    assert_non_null(strstr(said, "\"source\":\"default\""));
    assert_non_null(strstr(strstr(said, "\"preference\":"), "true"));
    model_calls(&p, "ask_question", choice, NULL);
    assert_non_null(strstr(told(&p, "tool"), "\"source\":\"default\""));
    assert_null(strstr(told(&p, "tool"), "preference"));
}

CONTRACT(run_is_told_of_no_yes_that_was_given_to_something_else)
{
    static const char push[] =
        "{\"question\":\"May I push?\",\"type\":\"non_blocking\",\"responseType\":\"approval\","
        "\"defaultResponse\":{\"type\":\"approval\",\"value\":false}}";
    struct playing p;
    const char *said = told_after_a_yes(t, &p, "approval", push);

    assert_non_null(strstr(said, "\"value\":false"));
    assert_null(strstr(said, "\"value\":true"));
    assert_null(strstr(said, "preference"));
}

CONTRACT(run_asks_for_approval_and_runs_what_was_approved)
{
    struct playing p;

    USE(guarded_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "deploy", "{\"path\":\"/srv\"}", NULL);
    assert_int_equal(p.step.phase, RUN_WAITING);
    assert_string_equal(job_column(&p, "status"), "waiting_for_approval");
    answer(t, open_question(&p), "{s:s, s:b, s:{s:s}}", "type", "approval", "value", 1, "args", "path",
           "/tmp");
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    assert_int_equal(p.step.call_count, 1);
    assert_non_null(strstr(p.step.calls[0].arguments, "/tmp"));
    tool_runs(&p, "deployed");
    assert_non_null(strstr(told(&p, "tool"), "with other arguments: {\"path\":\"/tmp\"}\ndeployed"));
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_holds_edited_arguments_against_the_schema_again)
{
    struct playing p;

    USE(guarded_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "deploy", "{\"path\":\"/srv\"}", NULL);
    answer(t, open_question(&p), "{s:s, s:b, s:{s:i}}", "type", "approval", "value", 1, "args", "path", 7);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "response");
    assert_non_null(strstr(t->text, "at /path: "));
    answer(t, open_question(&p), "{s:s, s:b, s:{s:s}}", "type", "approval", "value", 1, "args", "path", "b");
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    tool_runs(&p, "deployed");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_tells_the_model_that_a_call_was_rejected)
{
    struct playing p;

    USE(guarded_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "deploy", "{\"path\":\"/srv\"}", NULL);
    answer(t, open_question(&p), "{s:s, s:b, s:s}", "type", "approval", "value", 0, "text", "not today");
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    assert_non_null(strstr(told(&p, "tool"), "not today"));
    assert_non_null(strstr(told(&p, "tool"), "Do not try it again."));
    assert_string_equal(call_column(&p, "deploy", "outcome"), "rejected");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_takes_no_answer_to_an_approval_for_a_no)
{
    struct playing p;

    USE(guarded_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "deploy", "{\"path\":\"/srv\"}", NULL);
    /* Days are no reason, however short questions of agents may be. */
    advance(t, 6LL * 24 * 60 * MINUTE);
    assert_false(run_wants(&p));
    call(t, "question_extend", "{s:s, s:i}", "id", open_question(&p), "minutes", 1);
    CHECK_STATUS(400);
    advance(t, 25LL * 60 * MINUTE);
    assert_true(run_again(&p, "node-b"));
    assert_non_null(strstr(told(&p, "tool"), "Nobody has approved"));
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_asks_people_about_a_tool_that_was_interrupted)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "write", "{\"path\":\"a\"}", "look", "{}", NULL);
    assert_int_equal(p.step.call_count, 2);
    tool_begins(&p, p.step.calls[0].call_id);
    tool_begins(&p, p.step.calls[1].call_id);
    outside_sql(t, "UPDATE runs SET node = NULL WHERE job_id = '%s'", p.job);
    assert_true(run_again(&p, "node-b"));
    /* The idempotent one is run again, the other is asked about. */
    assert_int_equal(p.step.call_count, 1);
    assert_string_equal(p.step.calls[0].tool->name, "look");
    assert_string_equal(call_column(&p, "write", "state"), "waiting");
    tool_runs(&p, "seen again");
    assert_true(p.step.over);
    answer(t, open_question(&p), "{s:s, s:s}", "type", "choice", "value", "retry");
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    assert_int_equal(p.step.call_count, 1);
    tool_runs(&p, "written");
    assert_true(p.step.ask);
    assert_string_equal(call_column(&p, "write", "attempt"), "2");
    assert_true(check_replay(&p) > 0);
}

/* What is done with the answer is done to the world: agents do not press "retry" for people. */
CONTRACT(what_the_runner_asks_people_is_left_to_no_council)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "write", "{\"path\":\"a\"}", NULL);
    tool_begins(&p, p.step.calls[0].call_id);
    outside_sql(t, "UPDATE runs SET node = NULL WHERE job_id = '%s'", p.job);
    assert_true(run_again(&p, "node-b"));
    call(t, "discussion_create", "{s:s, s:s, s:i, s:[{s:s}], s:{s:s, s:s}}", "topic", "Retry?", "mode",
         "rounds", "rounds", 1, "participants", "agentName", "Ada", "ref", "kind", "question", "id",
         open_question(&p));
    CHECK_STATUS(400);
    CHECK_TEXT("error", "Only people can answer this question: no council decides it.");
}

CONTRACT(run_takes_advice_on_what_was_interrupted)
{
    static const char *const advice[] = { "skip", "abort", NULL };

    for (int i = 0; i < 3; i++) {
        struct playing p;

        USE(plain_tools);
        play_run(t, &p, NULL);
        model_calls(&p, "write", "{\"path\":\"a\"}", NULL);
        tool_begins(&p, p.step.calls[0].call_id);
        outside_sql(t, "UPDATE runs SET node = NULL WHERE job_id = '%s'", p.job);
        assert_true(run_again(&p, "node-b"));
        assert_true(p.step.over);
        if (advice[i])
            answer(t, open_question(&p), "{s:s, s:s}", "type", "choice", "value", advice[i]);
        else
            answer(t, open_question(&p), "{s:s, s:s}", "type", "choice", "text", "I have done it by hand.");
        CHECK_STATUS(200);
        assert_true(run_again(&p, "node-b"));
        if (i == 0) {
            assert_string_equal(call_column(&p, "write", "outcome"), "skipped");
            assert_non_null(strstr(told(&p, "tool"), "may have done some of its work"));
        } else if (i == 1)
            assert_string_equal(job_column(&p, "status"), "failed");
        else
            assert_true(strstr(told(&p, "tool"), "It was interrupted, and may have done some of its work.") &&
                        strstr(told(&p, "tool"), " says: I have done it by hand."));
        check_replay(&p);
    }
}

/* The question is taken back: nobody says what to do, and the model must not take it for undone. */
CONTRACT(run_tells_of_what_was_interrupted_though_nobody_says_what_to_do)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, &(struct run_wish){ .recover = true });
    model_calls(&p, "write", "{\"path\":\"a\"}", NULL);
    tool_begins(&p, p.step.calls[0].call_id);
    outside_sql(t, "UPDATE runs SET node = NULL WHERE job_id = '%s'", p.job);
    assert_true(run_again(&p, "node-b"));
    call(t, "question_cancel", "{s:s}", "id", open_question(&p));
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-c"));
    assert_string_equal(
        told(&p, "tool"),
        "It was interrupted, and may have done some of its work. Nobody has said what to do about it.");
    assert_string_equal(call_column(&p, "write", "outcome"), "interrupted");
    /* One that could not be reached has done nothing. */
    model_calls(&p, "write", "{\"path\":\"a\"}", NULL);
    tool_begins(&p, p.step.calls[0].call_id);
    tool_ends(&p, p.step.calls[0].call_id, TOOL_NOT_THERE, "Nobody is there.");
    call(t, "question_cancel", "{s:s}", "id", open_question(&p));
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    assert_string_equal(told(&p, "tool"), "It failed. Nobody has said what to do about it.");
    check_replay(&p);
}

CONTRACT(run_fails_with_the_error_of_its_model_unless_it_asks_people)
{
    struct playing p;

    play_run(t, &p, NULL);
    model_fails(&p, "The provider is busy.");
    assert_string_equal(job_column(&p, "status"), "failed");
    assert_string_equal(job_column(&p, "error"), "The provider is busy.");
    play_run(t, &p, &(struct run_wish){ .recover = true });
    model_fails(&p, "The provider is busy.");
    assert_true(p.step.over);
    assert_string_equal(job_column(&p, "status"), "waiting_for_input");
    answer(t, open_question(&p), "{s:s, s:s}", "type", "choice", "value", "retry");
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.ask);
    assert_int_equal(p.step.turn, 2);
    model_says(&p, "Fine now.");
    assert_string_equal(job_column(&p, "status"), "completed");
    assert_true(check_replay(&p) > 0);
}

/* A run whose model could not be asked, and that waits for what people say to that. */
static void play_failed_model(struct t *t, struct playing *p)
{
    play_run(t, p, &(struct run_wish){ .recover = true });
    model_fails(p, "The provider is busy.");
    assert_string_equal(job_column(p, "status"), "waiting_for_input");
}

CONTRACT(run_ends_with_the_error_of_its_model_where_people_want_that)
{
    struct playing p;

    play_failed_model(t, &p);
    answer(t, open_question(&p), "{s:s, s:s}", "type", "choice", "value", "abort");
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.over);
    assert_string_equal(job_column(&p, "status"), "failed");
    assert_string_equal(
        job_column(&p, "error"),
        "It was ended by whoever was asked about the error of its model: The provider is busy.");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_tells_its_model_what_people_say_to_its_error)
{
    struct playing p;

    play_failed_model(t, &p);
    answer(t, open_question(&p), "{s:s, s:s}", "type", "choice", "text", "Be brief from now on.");
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.ask);
    assert_string_equal(told(&p, "user"), "Be brief from now on.");
    model_says(&p, "Fine now.");
    assert_string_equal(job_column(&p, "status"), "completed");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_ends_with_the_error_of_its_model_where_nobody_says_what_to_do)
{
    struct playing p;

    for (int other = 0; other < 2; other++) {
        play_failed_model(t, &p);
        const char *id = open_question(&p);

        if (other) { /* another program, which leaves the job open */
            outside_sql(t, "UPDATE agent_questions SET status = 'timeout' WHERE id = '%s'", id);
        } else {
            call(t, "question_cancel", "{s:s}", "id", id);
            CHECK_STATUS(200);
        }
        assert_true(run_again(&p, "node-b"));
        assert_true(p.step.over);
        assert_string_equal(job_column(&p, "status"), "failed");
        assert_string_equal(job_column(&p, "error"),
                            "Nobody has said what to do about the error of its model: The provider is busy.");
        assert_true(check_replay(&p) > 0);
    }
}

CONTRACT(run_whose_question_about_the_error_of_its_model_is_out_of_time_ends_with_its_job)
{
    struct playing p;

    play_failed_model(t, &p);
    advance(t, 8LL * 24 * 60 * MINUTE);
    assert_string_equal(job_column(&p, "status"), "failed");
    assert_true(run_again(&p, "node-b"));
    assert_int_equal(p.step.phase, RUN_ENDED);
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_that_was_cancelled_lets_go_of_everything)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "look", "{}", "ask_squad", "{\"message\":\"Who knows?\"}", NULL);
    tool_begins(&p, p.step.calls[0].call_id);
    const char *late = p.step.calls[0].call_id;
    struct run_ref before = p.ref;

    call(t, "job_cancel", "{s:s}", "id", p.job);
    CHECK_STATUS(200);
    struct tx tx = stage_begin(t, &p.err);

    assert_false(run_call_end(&tx, &before, late, &(struct tool_result){ .text = "late" }, &p.step));
    assert_true(holding_is_late(&p.err));
    assert_non_null(strstr(p.err.text, "job has ended"));
    stage_rollback(t);
    assert_true(run_again(&p, "node-b"));
    assert_int_equal(p.step.phase, RUN_ENDED);
    assert_int_equal(p.step.unwanted_count, 1);
    assert_false(run_wants(&p));
    assert_int_equal(count_rows(t, "discussion_prompts WHERE id = '%s' AND status = 'cancelled'",
                                call_column(&p, "ask_squad", "prompt_id")),
                     1);
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_waits_for_the_squad)
{
    struct playing p;

    play_run(t, &p, NULL);
    model_calls(&p, "ask_squad", "{\"message\":\"Who knows?\"}", NULL);
    assert_true(p.step.over);
    call(t, "prompt_respond", "{s:s, s:s, s:s}", "id", call_column(&p, "ask_squad", "prompt_id"),
         "agent_name", "Bob", "message", "I do.");
    assert_true(run_again(&p, "node-b"));
    assert_non_null(strstr(told(&p, "tool"), "I do."));
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_waits_for_a_discussion)
{
    struct playing p;

    play_run(t, &p, NULL);
    make_agent(t, "Bob", "specialist");
    model_calls(&p, "start_discussion", "{\"topic\":\"Which way?\",\"agents\":[\"Bob\"],\"rounds\":1}", NULL);
    assert_true(p.step.over);
    PLAY(t, { "Bob", "Go left, I say." });
    assert_true(run_again(&p, "node-b"));
    assert_non_null(strstr(told(&p, "tool"), "Go left"));
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_runs_one_call_after_the_other_where_a_tool_wants_to_be_alone)
{
    struct playing p;

    USE(plain_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "lone", "{}", "look", "{}", NULL);
    assert_int_equal(p.step.call_count, 1);
    assert_string_equal(p.step.calls[0].tool->name, "lone");
    tool_runs(&p, "one");
    assert_int_equal(p.step.call_count, 1);
    tool_runs(&p, "two");
    assert_true(p.step.ask);
    assert_int_equal(p.step.message_count, 3);
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_is_moved_by_nobody_else)
{
    struct playing p;

    play_run(t, &p, NULL);
    call(t, "job_update", "{s:s, s:s}", "id", p.job, "status", "completed");
    CHECK_STATUS(409);
    call(t, "job_progress", "{s:s, s:i}", "id", p.job, "done", 1);
    CHECK_STATUS(409);
    assert_string_equal(job_column(&p, "status"), "running");
    assert_true(check_replay(&p) > 0);
}

CONTRACT(run_needs_an_agent_a_budget_and_tools_that_are_there)
{
    struct err err = { 0 };

    assert_null(run_made(t, NULL, NULL, &err));
    assert_string_equal(err.field, "agent");
    make_external_agent(t, "Ada", "specialist");
    assert_null(run_made(t, NULL, NULL, &err));
    assert_string_equal(err.field, "agent");
    call(t, "agent_create", "{s:s, s:s, s:{s:s, s:s}}", "name", "Eve", "role", "specialist",
         "ai_model_config", "provider", "ollama", "model", "played");
    outside_sql(t, "UPDATE agent_templates SET deleted_at = 1 WHERE name = 'Ada' AND workspace_id = '%s'",
                t->workspace);
    make_agent(t, "Ada", "specialist");
    assert_null(
        run_made(t, &(struct run_wish){ .tools = (const char *const[]){ "nope", NULL } }, NULL, &err));
    assert_string_equal(err.field, "tools");
    assert_non_null(run_made(t, NULL, NULL, &err));
}
