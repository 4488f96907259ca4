/*
 * Writes of a holder whose commit nobody heard of: the connection was lost in it. They are handed in again
 * under the same claim, and what is stored already is not done a second time.
 */
#include "council.h"
#include "runs.h"

static const struct tool look[] = {
    { .name = "look", .description = "Looks.", .schema = "{\"type\":\"object\"}", .kind = TOOL_COMMAND }
};

/* A reply that makes these calls, pairs of a name and the arguments. */
static struct llm_result calls_of(struct t *t, const char *const names[][2], size_t count)
{
    struct llm_tool_call *calls = arena_array(&t->arena, struct llm_tool_call, count);

    for (size_t i = 0; i < count; i++)
        calls[i] = (struct llm_tool_call){ .id = arena_format(&t->arena, "c%zu", i),
                                           .name = names[i][0],
                                           .arguments = names[i][1],
                                           .is_object = true };
    return (struct llm_result){ .text = "",
                                .words = "",
                                .finish = LLM_FINISH_TOOLS,
                                .usage = { 10, 5 },
                                .tool_calls = calls,
                                .tool_call_count = count };
}

/* The reply to what the step asked, as it was handed in before. */
static void reply_again(struct playing *p, const struct llm_result *result, int64_t turn)
{
    p->step.turn = turn;
    if (!model_replies(p, result, NULL, NULL))
        fail_msg("%s: %s", err_name(&p->err), p->err.text);
}

static bool begin_call(struct playing *p, const char *id, bool in_doubt)
{
    struct tx tx = stage_begin(p->t, &p->err);
    bool begun = run_call_begin(&tx, &p->ref, id, in_doubt);

    if (begun)
        stage_commit(p->t);
    else
        stage_rollback(p->t);
    return begun;
}

CONTRACT(run_takes_a_reply_once_however_often_it_is_handed_in)
{
    const char *const made[][2] = {
        { "report_progress", "{\"done\":1,\"total\":2}" },
        { "ask_question", "{\"question\":\"Tabs?\",\"type\":\"non_blocking\",\"responseType\":\"boolean\","
                          "\"defaultResponse\":{\"type\":\"boolean\",\"value\":true}}" },
    };
    const struct llm_result reply = calls_of(t, made, 2);
    struct playing p;

    play_run(t, &p, NULL);
    for (int i = 0; i < 3; i++) {
        reply_again(&p, &reply, 1);
        assert_true(p.step.ask);
        assert_int_equal(p.step.turn, 2);
        assert_non_null(told(&p, "tool"));
    }
    assert_true(p.step.afresh);
    assert_int_equal(count_rows(t, "run_entries WHERE job_id = '%s' AND kind = 'reply'", p.job), 1);
    assert_int_equal(count_rows(t, "run_calls WHERE job_id = '%s'", p.job), 2);
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s'", p.job), 1);
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND tokens_in = 10 AND step = 1", p.job), 1);
    model_says(&p, "Done.");
    assert_string_equal(job_column(&p, "status"), "completed");
    check_replay(&p);
}

/* They were begun in the commit of the reply, and not started. */
CONTRACT(run_begins_the_calls_of_a_reply_anew_that_is_handed_in_again)
{
    const char *const made[][2] = { { "look", "{}" }, { "look", "{}" }, { "look", "{}" } };
    const struct llm_result reply = calls_of(t, made, 3);
    struct playing p;

    use_tools(look, 1);
    play_run(t, &p, NULL);
    reply_again(&p, &reply, 1);
    assert_int_equal(p.step.call_count, 3);
    tool_begins(&p, p.step.calls[0].call_id);
    tool_begins(&p, p.step.calls[1].call_id);
    reply_again(&p, &reply, 1);
    assert_int_equal(p.step.call_count, 3);
    for (size_t i = 0; i < 3; i++)
        tool_begins(&p, p.step.calls[i].call_id);
    const struct run_todo *calls = p.step.calls;

    for (size_t i = 0; i < 3; i++)
        tool_ends(&p, calls[i].call_id, TOOL_FINE, "Seen.");
    assert_int_equal(count_rows(t, "run_calls WHERE job_id = '%s' AND attempt = 1 AND outcome = 'ok'", p.job),
                     3);
    assert_true(p.step.ask);
    model_says(&p, "Done.");
    check_replay(&p);
}

CONTRACT(run_tells_once_that_a_call_of_a_reply_goes_ahead_that_is_handed_in_again)
{
    static const struct tool told_of[] = { { .name = "install",
                                             .description = "Installs.",
                                             .schema = "{\"type\":\"object\"}",
                                             .kind = TOOL_COMMAND,
                                             .category = "dependencyModifications" } };
    const char *const made[][2] = { { "install", "{}" } };
    const struct llm_result reply = calls_of(t, made, 1);
    struct playing p;

    use_tools(told_of, 1);
    call(t, "project_create", "{s:s, s:{s:s}}", "name", "demo", "hilConfig", "dependencyModifications",
         "notify_and_proceed");
    CHECK_STATUS(201);
    play_run_in(t, &p, NULL, text_at(t, "id"));
    reply_again(&p, &reply, 1);
    tool_begins(&p, p.step.calls[0].call_id);
    reply_again(&p, &reply, 1);
    assert_int_equal(p.step.call_count, 1);
    assert_int_equal(count_rows(t, "notifications WHERE ref_id = '%s' AND kind = 'decision'", p.job), 1);
}

CONTRACT(run_begins_a_call_in_doubt_that_it_has_begun_itself_and_no_other)
{
    struct playing p;

    use_tools(look, 1);
    play_run(t, &p, NULL);
    model_calls(&p, "look", "{}", NULL);
    const char *id = p.step.calls[0].call_id;

    assert_true(begin_call(&p, id, false));
    assert_false(begin_call(&p, id, false));
    assert_string_equal(p.err.name, HOLDING_GONE);
    assert_true(begin_call(&p, id, true));
    assert_int_equal(count_rows(t, "run_calls WHERE id = '%s' AND state = 'running' AND attempt = 1", id), 1);
    tool_ends(&p, id, TOOL_FINE, "Seen.");
    assert_false(begin_call(&p, id, true));
    assert_string_equal(p.err.name, HOLDING_GONE);
}

CONTRACT(tool_that_asks_the_same_in_doubt_asks_one_question)
{
    const struct tool_elicitation asked = { .id = "e1", .message = "Who are you?" },
                                  other = { .id = "e2", .message = "And you?" };
    struct playing p;

    use_tools(look, 1);
    play_run(t, &p, NULL);
    model_calls(&p, "look", "{}", NULL);
    const char *id = p.step.calls[0].call_id;

    tool_begins(&p, id);
    for (int i = 0; i < 2; i++) {
        struct tx tx = stage_begin(t, &p.err);

        assert_true(run_call_ask(&tx, &p.ref, id, &asked));
        stage_commit(t);
    }
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s' AND status = 'pending'", p.job), 1);
    struct tx tx = stage_begin(t, &p.err);

    assert_false(run_call_ask(&tx, &p.ref, id, &other));
    assert_int_equal(p.err.code, ERR_CONFLICT);
    stage_rollback(t);
}
