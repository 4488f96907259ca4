#include "council.h"

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static void make_four(struct t *t)
{
    make_agent(t, "Manager", "manager");
    make_agent(t, "S1", "specialist");
    make_agent(t, "S2", "specialist");
    make_agent(t, "S3", "specialist");
}

static void three(struct t *t)
{
    make_agent(t, "Divergent", "divergent");
    make_agent(t, "Convergent", "convergent");
    make_agent(t, "Critical", "critical");
}

CONTRACT(discussion_in_turns_comes_back_to_the_person_and_completes_after_three_rounds)
{
    make_four(t);
    const char *id = make_discussion(t, "turns", 3, NAMES("user", "Manager", "S1", "S2"));

    /* It rests until somebody says something: that is a message, and no turn. */
    call(t, "turn_take", "{s:s, s:s}", "id", id, "content", "Go on.");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "not_your_turn");
    CHECK_TEXT("error", "It waits for a person's message; there is no turn to take.");
    for (int post = 1; post <= 3; post++) {
        say(t, id, "Go on.");
        CHECK_STATUS(202);
        PLAY(t, { "Manager", "First things first.", NULL, false });
        show_discussion(t, id);
        CHECK_COUNT("entries", (size_t)post * 4);
        CHECK_TEXT("discussion.status", post == 3 ? "completed" : "active");
    }
    CHECK_TEXT("discussion.endReason", "rounds_used");
    CHECK_TEXT("status", "success");
    CHECK_TEXT("entries.0.speaker", "User");
    CHECK_INT("entries.0.turnIndex", 0);
    CHECK_TEXT("entries.1.speaker", "Manager");
    CHECK_TEXT("entries.1.content", "First things first.");
    CHECK_TEXT("entries.2.speaker", "S1");
    CHECK_INT("entries.11.roundNumber", 3);
    CHECK_INT("counts.Manager", 3);
    CHECK_TEXT("speakerOrder.1", "Manager");
    CHECK_NULL("nextSpeaker");
    say(t, id, "More?");
    CHECK_STATUS(409);
    CHECK_TEXT("error", "Discussion is already completed.");
    CHECK_TEXT("field", "id");
    assert_int_equal(count_rows(t, "discussion_logs WHERE discussion_id = '%s'", id), 12);
}

CONTRACT(discussion_whose_person_comes_last_takes_four_messages)
{
    make_four(t);
    const char *id = make_discussion(t, "turns", 3, NAMES("Manager", "S1", "S2", "S3", "user"));

    for (int post = 1; post <= 4; post++) {
        say(t, id, "Go on.");
        assert_true(t->status == 200 || t->status == 202);
        PLAY(t, { "", "", NULL, false });
    }
    show_discussion(t, id);
    CHECK_COUNT("entries", 16);
    CHECK_INT("entries.0.turnIndex", -1);
    CHECK_INT("entries.5.turnIndex", 4);
    CHECK_TEXT("discussion.status", "completed");
}

CONTRACT(discussion_without_a_person_runs_its_rounds_for_one_message)
{
    make_four(t);
    const char *id = make_discussion(t, "turns", 3, NAMES("Manager", "S1"));

    show_discussion(t, id);
    CHECK_COUNT("entries", 0);
    CHECK_TEXT("nextSpeaker", "Manager");
    say(t, id, "Go.");
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_COUNT("entries", 7);
    CHECK_TEXT("discussion.status", "completed");
}

CONTRACT(discussion_made_with_plain_sql_works)
{
    make_four(t);
    call(t, "agent_list", "{}");
    const char *s1 = text_at(t, "agents.2.id"), *manager = text_at(t, "agents.3.id");

    call(t, "project_create", "{s:s}", "name", "Seeded");
    const char *project = text_at(t, "id");

    outside_sql(t,
                "INSERT INTO discussion_participants (project_id, agent_id, role, sequence_order) VALUES "
                "('%s', NULL, 'user', 0), ('%s', '%s', 'manager', 1), ('%s', '%s', 'specialist', 2)",
                project, project, manager, project, s1);
    outside_sql(t,
                "INSERT INTO discussion_state (project_id, current_turn_index, current_round, status) "
                "VALUES ('%s', 0, 1, 'active')",
                project);
    for (int post = 1; post <= 3; post++) {
        say(t, project, "What now?");
        assert_true(t->status == 202);
        PLAY(t, { "", "", NULL, false });
    }
    show_discussion(t, project);
    CHECK_COUNT("entries", 9);
    CHECK_TEXT("entries.1.speaker", "Manager");
    CHECK_TEXT("entries.2.role", "specialist");
    CHECK_TEXT("discussion.status", "completed");
    CHECK_TEXT("project.name", "Seeded");
    assert_int_equal(count_rows(t, "discussion_logs WHERE project_id = '%s'", project), 9);
}

CONTRACT(discussion_takes_one_message_at_a_time)
{
    make_four(t);
    const char *id = make_discussion(t, "turns", 3, NAMES("Manager", "user"));

    say(t, id, "One.");
    CHECK_STATUS(202);
    say(t, id, "Two.");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "busy");
    assert_int_equal(count_rows(t, "discussion_logs WHERE discussion_id = '%s'", id), 1);
    PLAY(t, { "", "", NULL, false });
    say(t, id, "Two.");
    CHECK_STATUS(202);
}

static const char transcript[] =
    "\xF0\x9F\x90\x9D [QueenBee Collaborative Discussion]\n\nMy specialist team had a 3-round discussion "
    "about:\n"
    "'Which way?'\n\n============================================================\nRound 1: 3 "
    "contribution(s)\n"
    "============================================================\n\n\xF0\x9F\x94\xB5 Divergent:\nA.\n\n"
    "\xF0\x9F\x9F\xA2 Convergent:\nB.\n\n\xF0\x9F\x94\xB4 Critical:\nC.\n\n";

CONTRACT(discussion_in_rounds_runs_by_itself_with_seven_contributions)
{
    three(t);
    const char *id = make_discussion(t, "rounds", 3, NAMES("Divergent", "Convergent", "Critical"));
    struct line lines[] = { { "Divergent", "A.", NULL, false },
                            { "Convergent", "B.", NULL, false },
                            { "Critical", "C.", NULL, false },
                            { "Divergent", "D.", NULL, false },
                            { "Convergent", "E.", NULL, false },
                            { "Critical", "F.", NULL, false },
                            { "Divergent", "[PASS]", NULL, false },
                            { "Convergent", "[PASS] - Clear.", NULL, false },
                            { "Critical", "One final safeguard. Otherwise, [PASS].", NULL, false } };
    struct stage stage = { .t = t, .lines = lines, .line_count = 9 };

    play(&stage);
    assert_int_equal(stage.calls, 9);
    assert_non_null(strstr(stage.asked, "[Round 2] Convergent: E."));
    const char *log = arena_format(&t->arena,
                                   "[Worker] Round 1/3\n[Worker] Divergent contributed in round 1\n"
                                   "[Worker] Convergent contributed in round 1\n"
                                   "[Worker] Critical contributed in round 1\n[Worker] Round 2/3\n"
                                   "[Worker] Divergent contributed in round 2\n"
                                   "[Worker] Convergent contributed in round 2\n"
                                   "[Worker] Critical contributed in round 2\n[Worker] Round 3/3\n"
                                   "[Worker] Critical contributed in round 3\n"
                                   "[Worker] Task %s completed successfully after 3 rounds\n",
                                   id);

    assert_string_equal(stage.log, log);
    show_discussion(t, id);
    CHECK_COUNT("entries", 9);
    CHECK_TEXT("discussion.endReason", "rounds_used");
    CHECK_INT("result.total_contributions", 7);
    CHECK_COUNT("result.rounds", 3);
    CHECK_COUNT("result.full_discussion", 7);
    CHECK_INT("discussion.usage.calls", 9);
    CHECK_INT("discussion.usage.tokensOut", 45);
    call(t, "discussion_transcript", "{s:s}", "id", id);
    CHECK_STATUS(200);
    const char *text = t->text;

    assert_true(str_starts(text, transcript));
    assert_non_null(strstr(text, "Discussion complete with 7 total contributions\n"));
    call(t, "discussion_decisions", "{s:s}", "id", id);
    CHECK_STATUS(200);
}
