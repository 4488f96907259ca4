/*
 * How discussions end, and what becomes of the result: a judge, budgets, added rounds, a person who is passed
 * over, the answer to a question, the task.
 */
#include "council.h"

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static void pair(struct t *t)
{
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
}

CONTRACT(judge_that_sees_no_more_to_come_ends_a_discussion)
{
    pair(t);
    const char *id = make_discussion_with(t, "rounds", "{\"smart_termination\": \"on\", \"judge\": true}",
                                          NAMES("Ada", "Bob"));

    PLAY(t, { "Ada", "The cache goes first.", NULL, false }, { "Bob", "The index goes first.", NULL, false },
         { "judge", "{\"go_on\": false, \"reason\": \"Both are named.\"}", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "nothing_new");
    CHECK_COUNT("entries", 2);
    assert_int_equal(count_rows(t, "discussion_logs WHERE discussion_id = '%s' AND kind = 'judge'", id), 1);
}

CONTRACT(judge_that_cannot_be_understood_ends_nothing)
{
    pair(t);
    const char *id = make_discussion_with(t, "rounds", "{\"smart_termination\": \"on\", \"judge\": true}",
                                          NAMES("Ada", "Bob"));

    PLAY(t, { "Ada", "The cache goes first.", NULL, false }, { "Bob", "The index goes first.", NULL, false },
         { "judge", "Well, who knows.", NULL, false },
         { "Ada", "I measured both of them again.", NULL, false },
         { "Bob", "Then let us take the faster.", NULL, false }, { "judge", "?", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "rounds_used");
}

/* Each call takes fifteen tokens. */
CONTRACT(budget_of_tokens_ends_a_discussion)
{
    pair(t);
    const char *id = make_discussion_with(t, "rounds", "{\"budget\": {\"tokens\": 30}}", NAMES("Ada", "Bob"));

    PLAY(t, { "Ada", "One.", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "budget");
    CHECK_COUNT("entries", 2);
    CHECK_INT("discussion.usage.tokensIn", 20);
}

CONTRACT(vote_is_not_taken_beyond_the_budget)
{
    pair(t);
    const char *id = make_discussion_with(
        t, "rounds", "{\"budget\": {\"calls\": 6}, \"vote\": {\"choices\": [\"left\", \"right\"]}}",
        NAMES("Ada", "Bob"));
    struct stage stage = { .t = t };

    play(&stage);
    assert_int_equal(stage.calls, 6);
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
}

CONTRACT(rounds_are_added_while_a_discussion_goes_on)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));

    call(t, "discussion_rounds", "{s:s, s:i}", "id", id, "add", 1);
    CHECK_STATUS(200);
    PLAY(t, { "Ada", "One.", NULL, false });
    show_discussion(t, id);
    CHECK_COUNT("entries", 4);
    CHECK_TEXT("discussion.status", "completed");
    call(t, "discussion_rounds", "{s:s, s:i}", "id", id, "add", 1);
    CHECK_STATUS(409);
}

CONTRACT(next_passes_over_the_person)
{
    pair(t);
    const char *id = make_discussion(t, "turns", 1, NAMES("user", "Ada"));

    call(t, "discussion_next", "{s:s}", "id", id);
    CHECK_STATUS(200);
    PLAY(t, { "Ada", "Then I begin.", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_TEXT("entries.1.content", "Then I begin.");
}

CONTRACT(council_answers_a_question_as_agents_and_never_as_a_person)
{
    pair(t);
    call(t, "question_create", "{s:s, s:s, s:s}", "question", "Which way?", "type", "blocking",
         "responseType", "text");
    CHECK_STATUS(201);
    const char *question = text_at(t, "questionId");

    call(t, "discussion_create", "{s:s, s:s, s:i, s:[{s:s}], s:{s:s, s:s}}", "topic", "Which way?", "mode",
         "rounds", "rounds", 1, "participants", "agentName", "Ada", "ref", "kind", "question", "id",
         question);
    CHECK_STATUS(201);
    PLAY(t, { "Ada", "Left.", NULL, false }, { "summary", "Left, they say.", NULL, false });
    call(t, "question_get", "{s:s}", "id", question);
    CHECK_TEXT("question.status", "answered");
    CHECK_TEXT("question.outcome.source", "agents");
    CHECK_TEXT("question.outcome.by", "Council");
}

CONTRACT(result_of_a_discussion_stands_on_its_task)
{
    pair(t);
    call(t, "project_create", "{s:s}", "name", "Shop");
    const char *project = text_at(t, "id");

    call(t, "task_create", "{s:s, s:s}", "id", project, "title", "Decide");
    const char *task = text_at(t, "id");

    call(t, "discussion_create", "{s:s, s:s, s:i, s:s, s:s, s:[{s:s}]}", "topic", "Which way?", "mode",
         "rounds", "rounds", 1, "projectId", project, "taskId", task, "participants", "agentName", "Ada");
    CHECK_STATUS(201);
    PLAY(t, { "Ada", "Left.", NULL, false });
    assert_int_equal(count_rows(t, "tasks WHERE id = '%s' AND result LIKE '%%full_discussion%%'", task), 1);
}

CONTRACT(replay_expects_no_decision_of_a_cancel)
{
    pair(t);
    for (int rounds = 1; rounds <= 3; rounds += 2) {
        const char *id = make_discussion(t, "rounds", rounds, NAMES("Ada"));

        stage_half_said(t, "Half a word");
        call(t, "discussion_cancel", "{s:s}", "id", id);
        CHECK_STATUS(200);
        show_discussion(t, id);
        CHECK_COUNT("entries", 1);
        call(t, "discussion_replay", "{s:s}", "id", id);
        CHECK_COUNT("differences", 0);
        CHECK_TRUE("agrees");
    }
}

/* Unlike a cancel, cutting in leaves the round to be judged. */
CONTRACT(replay_judges_a_round_that_was_cut_into_and_went_on)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 3, NAMES("Ada"));

    stage_half_said(t, "Half a word");
    call(t, "discussion_interject", "{s:s, s:s}", "id", id, "content", "Wait.");
    CHECK_STATUS(200);
    stage_half_said(t, "Another half");
    call(t, "discussion_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_COUNT("differences", 0);
    CHECK_INT("decisions", 1);
}

static void check_votes(struct t *t, const char *id, int wanted)
{
    assert_int_equal(count_rows(t, "discussion_decisions WHERE discussion_id = '%s' AND kind = 'vote'", id),
                     wanted);
    assert_int_equal(count_rows(t, "events WHERE discussion_id = '%s' AND type = 'vote.counted'", id),
                     wanted);
}

/* A pause, and a discussion that is split off, between the vote and the answer. */
CONTRACT(vote_is_counted_once_whatever_holds_up_the_end)
{
    pair(t);
    call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message", "Cache or not?",
         "required_responses", 1);
    const char *prompt = text_at(t, "prompt.id");

    call(t, "discussion_create", "{s:s, s:s, s:i, s:{s:s, s:s}, s:[{s:s}, {s:s}], s:{s:{s:[s, s]}}}", "topic",
         "Cache?", "mode", "rounds", "rounds", 1, "ref", "kind", "prompt", "id", prompt, "participants",
         "agentName", "Ada", "agentName", "Bob", "options", "vote", "choices", "yes", "no");
    CHECK_STATUS(201);
    const char *id = text_at(t, "discussion.id");
    struct stage all_but_the_answer = { .t = t, .most = 5 };

    play(&all_but_the_answer);
    show_discussion(t, id);
    CHECK_TEXT("discussion.phase", "answering");
    call(t, "discussion_pause", "{s:s}", "id", id);
    CHECK_STATUS(200);
    call(t, "discussion_create", "{s:s, s:s, s:i, s:s, s:[{s:s}]}", "topic", "A detail", "mode", "rounds",
         "rounds", 1, "parentId", id, "participants", "agentName", "Bob");
    CHECK_STATUS(201);
    call(t, "discussion_resume", "{s:s}", "id", id);
    CHECK_STATUS(200);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    check_votes(t, id, 1);
    call(t, "prompt_get", "{s:s}", "id", prompt);
    CHECK_COUNT("responses", 1);
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_TRUE("agrees");
}

CONTRACT(vote_of_a_round_is_counted_once_though_a_judge_is_heard_after_it)
{
    pair(t);
    const char *id = make_discussion_with(t, "rounds",
                                          "{\"smart_termination\": \"on\", \"judge\": true,"
                                          " \"vote\": {\"choices\": [\"cache\", \"index\"]}}",
                                          NAMES("Ada", "Bob"));

    PLAY(t, { "Ada", "The cache goes first.", NULL, false }, { "Bob", "The index goes first.", NULL, false },
         { "Ada", "{\"choice\": \"cache\"}", NULL, false }, { "Bob", "{\"choice\": \"index\"}", NULL, false },
         { "judge", "{\"go_on\": false, \"reason\": \"Both are named.\"}", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "nothing_new");
    check_votes(t, id, 1);
    assert_int_equal(count_rows(t, "discussion_decisions WHERE discussion_id = '%s' AND kind = 'new'", id),
                     1);
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_TRUE("agrees");
}

/* Another program may have deleted it, or have written the child first. */
CONTRACT(split_off_discussion_ends_though_its_parent_is_not_there)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));

    outside_sql(t,
                "UPDATE discussion_state SET parent_id = '00000000-0000-4000-8000-00000000dead', depth = 1"
                " WHERE discussion_id = '%s'",
                id);
    PLAY(t, { "summary", "All fine.", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
}
