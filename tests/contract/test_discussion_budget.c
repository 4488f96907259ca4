/*
 * Budgets that hold, whatever fails, however many are asked at once and whoever dies; and a replay that sees
 * who spoke.
 */
#include "council.h"

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static void six(struct t *t)
{
    static const char *const names[] = { "Ada", "Bob", "Cid", "Dan", "Eve", "Fay" };

    for (size_t i = 0; i < 6; i++)
        make_agent(t, names[i], "specialist");
}

static void pair(struct t *t)
{
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
}

static void replay_agrees(struct t *t, const char *id)
{
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_STATUS(200);
    if (!json_is_true(at(t, "agrees")))
        fail_msg("%s", t->text);
}

static void replay_differs(struct t *t, const char *id, const char *how)
{
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_FALSE("agrees");
    if (!strstr(t->text, how))
        fail_msg("no \"%s\" in %s", how, t->text);
}

/* Each call takes fifteen tokens, ten of them for what it is told. */
CONTRACT(budget_of_tokens_holds_when_all_are_asked_at_once)
{
    static const struct {
        int tokens, calls;
    } rows[] = { { 30, 2 }, { 44, 2 }, { 45, 3 }, { 29, 1 }, { 16, 1 }, { 1, 1 } };

    six(t);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *options = arena_format(&t->arena, "{\"budget\": {\"tokens\": %d}}", rows[i].tokens);
        const char *id =
            make_discussion_with(t, "parallel", options, NAMES("Ada", "Bob", "Cid", "Dan", "Eve", "Fay"));
        struct stage stage = { .t = t };

        play(&stage);
        if (stage.calls != (size_t)rows[i].calls)
            fail_msg("%d tokens: %zu calls", rows[i].tokens, stage.calls);
        show_discussion(t, id);
        CHECK_TEXT("discussion.endReason", "budget");
        CHECK_COUNT("entries", (size_t)rows[i].calls);
        replay_agrees(t, id);
    }
}

/* With plenty left they are asked at once all the same. */
CONTRACT(budget_of_tokens_that_is_large_holds_nobody_up)
{
    six(t);
    make_discussion_with(t, "parallel", "{\"budget\": {\"tokens\": 100000}}",
                         NAMES("Ada", "Bob", "Cid", "Dan", "Eve", "Fay"));
    struct held_row claimed = stage_claim(t, "node");
    struct drive_step step = stage_advance(t, "node", &claimed);

    assert_int_equal(step.call_count, 6);
    int64_t all = 0;

    for (size_t i = 0; i < 6; i++)
        all += stage_call(t, &step.calls[i].ref).max_tokens;
    assert_in_range(all, 6, 100000);
}

/* What is left limits what a model may answer with. */
CONTRACT(budget_of_tokens_limits_the_reply)
{
    make_agent(t, "Ada", "specialist");
    make_discussion_with(t, "rounds", "{\"budget\": {\"tokens\": 100}}", NAMES("Ada"));
    struct stage stage = { .t = t, .most = 1 };

    play(&stage);
    struct held_row *list;

    (void)stage_claim_later(t, "later", 10000, &list);
    struct drive_step step = stage_advance(t, "later", &list[0]);

    assert_int_equal(stage_call(t, &step.calls[0].ref).max_tokens, 100 - 15 - 10);
}

/* Every attempt counts, also those that break off and are made anew. */
CONTRACT(budget_of_calls_counts_each_attempt)
{
    pair(t);
    const char *id = make_discussion_with(t, "rounds", "{\"budget\": {\"calls\": 4}}", NAMES("Ada", "Bob"));
    struct line lines[] = {
        { "Ada", NULL, "It broke off.", false }, { "Ada", NULL, "It broke off.", false },
        { "Ada", NULL, "It broke off.", false }, { "Bob", NULL, "It broke off.", false },
        { "Bob", NULL, "It broke off.", false },
    };
    struct stage stage = { .t = t, .lines = lines, .line_count = 5 };

    play(&stage);
    assert_int_equal(stage.calls, 4);
    show_discussion(t, id);
    CHECK_INT("discussion.usage.calls", 4);
    CHECK_INT("entries.0.metadata.usage.calls", 3);
    CHECK_INT("entries.1.metadata.usage.calls", 1);
    replay_agrees(t, id);
}

/* Attempts that were made without asking, where no budget is, are counted too. */
CONTRACT(usage_counts_attempts_of_a_call)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));
    struct held_row claimed = stage_claim(t, "node");
    struct drive_step step = stage_advance(t, "node", &claimed);
    struct turn_call made = stage_call(t, &step.calls[0].ref);
    struct turn_reply reply = {
        .text = "At last.", .attempts = 3, .usage_known = true, .tokens_in = 10, .tokens_out = 5
    };
    struct err err;
    struct tx tx = stage_begin(t, &err);

    assert_false(made.once);
    assert_true(drive_finish(&tx, &made.ref, &reply, &step));
    stage_commit(t);
    show_discussion(t, id);
    CHECK_INT("discussion.usage.calls", 3);
    CHECK_INT("discussion.usage.callsNotReported", 2);
    replay_agrees(t, id);
}

/* A call that was out when its node died may have been heard: it is not given back. */
CONTRACT(budget_of_calls_counts_what_a_dead_node_had_out)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion_with(t, "rounds", "{\"budget\": {\"calls\": 2}}", NAMES("Ada"));
    struct held_row *list;

    for (int death = 0; death < 2; death++) {
        assert_int_equal(stage_claim_later(t, death ? "second" : "first", death * 10000, &list), 1);
        struct drive_step step = stage_advance(t, death ? "second" : "first", &list[0]);
        struct turn_call made = stage_call(t, &step.calls[0].ref);

        assert_true(made.once);
        assert_null(made.refused);
    }
    assert_int_equal(stage_claim_later(t, "third", 20000, &list), 1);
    struct drive_step step = stage_advance(t, "third", &list[0]);
    struct turn_call made = stage_call(t, &step.calls[0].ref);

    assert_non_null(made.refused);
    show_discussion(t, id);
    CHECK_INT("discussion.usage.calls", 2);
}

/* Who spoke */

static const char *voted(struct t *t)
{
    pair(t);
    const char *id = make_discussion_with(t, "rounds", "{\"vote\": {\"choices\": [\"left\", \"right\"]}}",
                                          NAMES("Ada", "Bob"));

    PLAY(t, { "", "", NULL, false });
    replay_agrees(t, id);
    return id;
}

CONTRACT(replay_sees_speakers_that_were_swapped)
{
    const char *id = voted(t);

    outside_sql(t,
                "UPDATE discussion_logs SET speaker = CASE speaker WHEN 'Ada' THEN 'Bob' ELSE 'Ada' END "
                "WHERE discussion_id = '%s' AND round_number = 1 AND kind = 'turn'",
                id);
    replay_differs(t, id, "Bob (specialist) is logged, where Ada (specialist) sits");
}

CONTRACT(replay_sees_seats_that_were_swapped)
{
    const char *id = voted(t);

    outside_sql(
        t,
        "UPDATE discussion_participants SET sequence_order = 99 - sequence_order WHERE discussion_id = '%s'",
        id);
    replay_differs(t, id, "Ada (specialist) is logged, where Bob (specialist) sits");
}

CONTRACT(replay_sees_a_role_that_was_changed)
{
    const char *id = voted(t);

    outside_sql(t, "UPDATE discussion_logs SET role = 'chair' WHERE discussion_id = '%s' AND speaker = 'Bob'",
                id);
    replay_differs(t, id, "Bob (chair) is logged, where Bob (specialist) sits");
    /* Also where the seat was made to fit. */
    outside_sql(
        t, "UPDATE discussion_participants SET role = 'chair' WHERE discussion_id = '%s' AND name = 'Bob'",
        id);
    replay_differs(t, id, "inputs");
}

CONTRACT(replay_sees_an_order_that_was_changed)
{
    const char *id = voted(t);

    for (int step = 0; step < 3; step++)
        outside_sql(t, "UPDATE discussion_logs SET seq = %s WHERE discussion_id = '%s' AND seq = %s",
                    step == 0   ? "1000"
                    : step == 1 ? "1"
                                : "2",
                    id,
                    step == 0   ? "1"
                    : step == 1 ? "2"
                                : "1000");
    replay_differs(t, id, "when it was the turn of round 1, turn 0");
}

CONTRACT(replay_tells_of_ballots_that_cannot_be_counted)
{
    const char *id = voted(t);

    outside_sql(
        t, "UPDATE discussion_logs SET speaker = 'Ada' WHERE discussion_id = '%s' AND kind = 'ballot'", id);
    replay_differs(t, id, "cannot be counted");
    call(t, "discussion_votes", "{s:s}", "id", id);
    CHECK_STATUS(409);
}
