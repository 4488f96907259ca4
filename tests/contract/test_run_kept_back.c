/*
 * Calls that cannot begin yet, because another wants to be alone: what they were judged by may be something
 * else by then, and their waiting is no work.
 */
#include "council.h"
#include "questions.h"
#include "runs.h"

#include "toolbox/internal.h"

static const char any_object[] = "{\"type\":\"object\"}";
#define USE(tools) use_tools(tools, sizeof(tools) / sizeof(*(tools)))

/* clang-format off */
#define LONE { .name = "lone", .description = "", .schema = any_object, .kind = TOOL_COMMAND, .alone = true }
#define FILES(...) \
    { .name = "files__write", .description = "", .schema = any_object, .kind = TOOL_MCP, .server = "files", \
      .server_tool = "write", __VA_ARGS__ }
/* clang-format on */

static void approve(struct playing *p)
{
    answer(p->t, open_question(p), "{s:s, s:b}", "type", "approval", "value", 1);
    if (p->t->status != 200)
        fail_msg("%s", p->t->text);
}

CONTRACT(run_asks_again_about_a_tool_that_changed_while_its_approved_call_was_kept_back)
{
    static const struct tool before[] = { LONE, FILES(.digest = "aa", .needs_approval = true) };
    static const struct tool after[] = { LONE, FILES(.digest = "bb", .needs_approval = true) };
    struct playing p;

    USE(before);
    play_run(t, &p, NULL);
    model_calls(&p, "lone", "{}", "files__write", "{}", NULL);
    const char *lone = p.step.calls[0].call_id;

    tool_begins(&p, lone);
    approve(&p);
    run_moves_on(&p);
    assert_string_equal(call_column(&p, "files__write", "state"), "queued");
    assert_int_equal(p.step.call_count, 0);
    USE(after);
    tool_ends(&p, lone, TOOL_FINE, "one");
    assert_int_equal(p.step.call_count, 0);
    assert_int_equal(p.step.phase, RUN_WAITING);
    approve(&p);
    assert_true(run_again(&p, "node-b"));
    assert_string_equal(p.step.calls[0].tool->digest, "bb");
    check_replay(&p);
}

static void approve_otherwise(struct playing *p)
{
    answer(p->t, open_question(p), "{s:s, s:b, s:{s:i}}", "type", "approval", "value", 1, "args", "n", 2);
    if (p->t->status != 200)
        fail_msg("%s", p->t->text);
}

static const char *told_of_rejection(struct playing *p)
{
    answer(p->t, open_question(p), "{s:s, s:b}", "type", "approval", "value", 0);
    assert_int_equal(p->t->status, 200);
    assert_true(run_again(p, "node-c"));
    assert_string_equal(call_column(p, "files__write", "outcome"), "rejected");
    return told(p, "tool");
}

/* What was approved with other arguments and is not the same tool by then never began, or did. */
CONTRACT(run_says_of_a_call_that_was_not_approved_again_whether_it_was_begun)
{
    static const struct tool before[] = { FILES(.digest = "aa", .needs_approval = true, .idempotent = true) };
    static const struct tool after[] = { FILES(.digest = "bb", .needs_approval = true, .idempotent = true) };

    for (int begun = 0; begun < 2; begun++) {
        struct playing p;

        USE(before);
        play_run(t, &p, NULL);
        model_calls(&p, "files__write", "{\"n\":1}", NULL);
        approve_otherwise(&p);
        if (begun) {
            assert_true(run_again(&p, "node-a"));
            tool_begins(&p, p.step.calls[0].call_id);
            outside_sql(t, "UPDATE runs SET node = NULL, wanted = 1 WHERE job_id = '%s'", p.job);
        }
        USE(after);
        assert_true(run_again(&p, "node-b"));
        assert_int_equal(p.step.call_count, 0);
        call(t, "question_get", "{s:s}", "id", open_question(&p));
        assert_int_equal(strstr(t->text, "begun before") != NULL, begun);
        const char *words = told_of_rejection(&p);

        assert_int_equal(strstr(words, "It was begun before, and may have done some of its work.") != NULL,
                         begun);
        assert_int_equal(strstr(words, "Somebody approved this call with other arguments") != NULL, begun);
        check_replay(&p);
    }
}

CONTRACT(run_asks_about_a_tool_that_changed_while_its_call_was_kept_back)
{
    static const struct tool before[] = { LONE, FILES(.digest = "aa") };
    static const struct tool after[] = { LONE, FILES(.digest = "bb") };
    struct playing p;

    USE(before);
    play_run(t, &p, NULL);
    model_calls(&p, "lone", "{}", "files__write", "{}", NULL);
    USE(after);
    tool_runs(&p, "one");
    assert_int_equal(p.step.phase, RUN_WAITING);
    assert_non_null(open_question(&p));
    check_replay(&p);
}

/* Looked for so many more times its server is still waited for; then it has listed nothing that is called. */
static int still_awaited;
static bool has_listed;

static bool await_then_list(void *user, const char *name, struct tool *tool)
{
    (void)user;
    *tool = (struct tool){ .description = "", .schema = any_object, .kind = TOOL_MCP, .server = "files" };
    if (strncmp(name, "files__", 7) == 0 && still_awaited-- > 0)
        return true;
    if (!has_listed)
        tools_have_changed();
    has_listed = true;
    return false;
}

static void list_others(void *user, struct arena *arena, const struct tool **tools, size_t *count)
{
    (void)user;
    (void)arena;
    *tools = NULL;
    *count = 0;
}

CONTRACT(run_knows_a_tool_or_does_not_for_a_whole_step)
{
    static const struct tool first[] = { FILES(.digest = "aa", .needs_approval = true) };
    static const struct tool_source listing = { .tools = list_others, .awaited = await_then_list };

    for (int times = 0; times < 4; times++) {
        struct playing p;

        USE(first);
        play_run(t, &p, NULL);
        model_calls(&p, "files__write", "{}", NULL);
        approve(&p);
        still_awaited = times;
        has_listed = false;
        tools_use(NULL);
        tools_of_servers(&listing);
        assert_true(run_again(&p, "node-b"));
        tools_of_servers(NULL);
        assert_int_equal(p.step.call_count, times > 0);
        if (times == 0)
            assert_string_equal(call_column(&p, "files__write", "outcome"), "unavailable");
        check_replay(&p);
    }
}

/* The step's first call begins and asks somebody; the other is kept back. */
static void ask_for_days(struct playing *p, const char *first, const char *second)
{
    const struct tool_elicitation asked = { .id = "e1", .message = "Who are you?" };

    model_calls(p, first, "{}", second, "{}", NULL);
    assert_int_equal(p->step.call_count, 1);
    const char *id = p->step.calls[0].call_id;

    tool_begins(p, id);
    struct tx tx = stage_begin(p->t, &p->err);

    assert_true(run_call_ask(&tx, &p->ref, id, &asked));
    stage_commit(p->t);
    advance(p->t, 1000000);
    run_moves_on(p);
    assert_int_equal(p->step.due_ms, 0);
    assert_int_equal(p->step.phase, RUN_CALLING);
    tool_ends(p, id, TOOL_FINE, "");
    assert_int_equal(p->step.call_count, 1);
    assert_true(p->step.due_ms > 0);
    tool_runs(p, "");
    check_replay(p);
}

CONTRACT(run_has_no_less_time_while_a_call_is_kept_back_by_one_that_waits_for_people)
{
    static const struct tool tools[] = {
        LONE, { .name = "look", .description = "", .schema = any_object, .kind = TOOL_COMMAND }
    };
    const struct run_wish wish = { .ms = 60000 };
    struct playing p;

    USE(tools);
    play_run(t, &p, &wish);
    ask_for_days(&p, "look", "lone");
    ask_for_days(&p, "lone", "look");
}
