/*
 * What discussions took: summed for each agent, with all attempts and with calls that nobody heard the end
 * of, and held against a budget that several share.
 */
#include "council.h"

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static void show_usage(struct t *t, const char *id)
{
    call(t, "discussion_usage", "{s:s}", "id", id);
    CHECK_STATUS(200);
}

static void replay_agrees(struct t *t, const char *id)
{
    call(t, "discussion_replay", "{s:s}", "id", id);
    if (!json_is_true(at(t, "agrees")))
        fail_msg("%s", t->text);
}

CONTRACT(usage_is_summed_for_each_agent)
{
    const char *ada = make_agent(t, "Ada", "specialist");

    make_agent(t, "Bob", "specialist");
    const char *id = make_discussion(t, "rounds", 2, NAMES("Ada", "Bob"));

    show_usage(t, id);
    CHECK_COUNT("agents", 0);
    CHECK_INT("total.calls", 0);
    CHECK_INT("total.tokensIn", 0);
    PLAY(t, { "Bob", "[PASS] (Nothing to add.)", NULL, false });
    show_usage(t, id);
    CHECK_COUNT("agents", 2);
    CHECK_TEXT("agents.0.speaker", "Ada");
    CHECK_TEXT("agents.0.agentId", ada);
    CHECK_INT("agents.0.turns", 2);
    CHECK_INT("agents.0.passes", 0);
    CHECK_INT("agents.0.calls", 2);
    CHECK_INT("agents.0.tokensIn", 20);
    CHECK_INT("agents.0.tokensOut", 10);
    CHECK_INT("agents.0.callsNotReported", 0);
    CHECK_TEXT("agents.1.speaker", "Bob");
    CHECK_INT("agents.1.turns", 1);
    CHECK_INT("agents.1.passes", 1);
    CHECK_INT("total.turns", 3);
    CHECK_INT("total.passes", 1);
    CHECK_INT("total.calls", 4);
    CHECK_INT("total.tokensIn", 40);
    CHECK_INT("total.tokensOut", 20);
}

CONTRACT(usage_of_a_turn_is_that_of_all_its_attempts)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));

    PLAY(t, { "Ada", "Half of", "The model is away.", false });
    show_discussion(t, id);
    CHECK_INT("entries.0.metadata.attempts", 2);
    CHECK_INT("entries.0.metadata.usage.calls", 2);
    CHECK_INT("entries.0.metadata.usage.tokensIn", 20);
    show_usage(t, id);
    CHECK_INT("agents.0.calls", 2);
    CHECK_INT("agents.0.tokensOut", 10);
    CHECK_INT("agents.0.turns", 1);
    replay_agrees(t, id);
}

CONTRACT(usage_of_those_who_sum_up_and_vote_is_shown_as_theirs)
{
    make_agent(t, "Ada", "specialist");
    const char *id =
        make_discussion_with(t, "rounds", "{\"vote\": {\"choices\": [\"left\", \"right\"]}}", NAMES("Ada"));

    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    int64_t calls = int_at(t, "discussion.usage.calls");

    show_usage(t, id);
    CHECK_COUNT("agents", 1); /* a ballot is its agent's */
    CHECK_INT("agents.0.calls", calls);
}

CONTRACT(call_that_a_pause_cuts_off_is_counted)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion_with(t, "rounds", "{\"budget\": {\"calls\": 3}}", NAMES("Ada"));

    for (int64_t calls = 1; calls <= 2; calls++) {
        stage_half_said(t, "I was about to");
        call(t, "discussion_pause", "{s:s}", "id", id);
        CHECK_STATUS(200);
        CHECK_INT("discussion.usage.calls", calls);
        CHECK_INT("discussion.usage.callsNotReported", calls);
        CHECK_NULL("discussion.usage.tokensIn");
        show_usage(t, id);
        CHECK_INT("agents.0.calls", calls);
        call(t, "discussion_resume", "{s:s}", "id", id);
        CHECK_STATUS(200);
    }
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "budget");
    CHECK_INT("discussion.usage.calls", 3);
    CHECK_INT("entries.0.metadata.usage.calls", 3);
    CHECK_COUNT("entries", 1);
    replay_agrees(t, id);
}

CONTRACT(cancelled_pause_keeps_what_was_said_and_counts_its_call_once)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));

    stage_half_said(t, "I was about to");
    call(t, "discussion_pause", "{s:s}", "id", id);
    call(t, "discussion_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
    show_discussion(t, id);
    CHECK_TEXT("entries.0.content", "I was about to");
    CHECK_INT("entries.0.metadata.attempts", 1);
    CHECK_INT("discussion.usage.calls", 1);
    replay_agrees(t, id);
}

CONTRACT(replay_of_discussions_that_share_a_budget_agrees)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion_with(t, "turns", "{\"budget\": {\"calls\": 3}}", NAMES("user", "Ada"));

    say(t, id, "Begin.");
    PLAY(t, { "", "", NULL, false });
    call(t, "discussion_create", "{s:s, s:s, s:i, s:s, s:[{s:s}]}", "topic", "Below", "mode", "rounds",
         "rounds", 5, "parentId", id, "participants", "agentName", "Ada");
    CHECK_STATUS(201);
    const char *child = text_at(t, "discussion.id");

    PLAY(t, { "Ada", "One thing is certain.", NULL, false }, { "Ada", "Another is a guess.", NULL, false });
    show_discussion(t, child);
    CHECK_TEXT("discussion.endReason", "budget");
    CHECK_INT("discussion.usage.calls", 2);
    replay_agrees(t, child);
    say(t, id, "Go on.");
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "budget");
    CHECK_INT("discussion.usage.calls", 1);
    replay_agrees(t, id);
}
