/*
 * What could keep a discussion from its end, or a turn from being taken, for ever: a vote that cannot be
 * counted, a pause that outlasts a deadline, words that were cut off as they came.
 */
#include "council.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"

#include <pthread.h>

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static const char *const alike[] = { "Go!", " go", "GO?" };

CONTRACT(choices_that_a_ballot_cannot_tell_apart_are_refused)
{
    make_agent(t, "Ada", "specialist");
    for (size_t i = 0; i < sizeof(alike) / sizeof(*alike); i++) {
        const char *before = fingerprint(t);

        call(t, "discussion_create", "{s:s, s:s, s:[{s:s}], s:{s:{s:[s, s]}}}", "topic", "Which way?", "mode",
             "rounds", "participants", "agentName", "Ada", "options", "vote", "choices", "Go", alike[i]);
        CHECK_STATUS(400);
        CHECK_TEXT("field", "options.vote.choices");
        assert_string_equal(fingerprint(t), before);
    }
}

/* As an earlier version would have taken them. */
CONTRACT(choices_that_are_stored_twice_are_one)
{
    make_agent(t, "Ada", "specialist");
    const char *id =
        make_discussion_with(t, "rounds", "{\"vote\": {\"choices\": [\"left\", \"right\"]}}", NAMES("Ada"));

    outside_sql(
        t,
        "UPDATE discussion_state SET options = '{\"vote\":{\"choices\":[\"left\",\"Left!\",\"right\"]}}'"
        " WHERE discussion_id = '%s'",
        id);
    for (int round = 1; round <= 3; round++)
        PLAY(t, { "Ada", "One.", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
}

CONTRACT(vote_of_which_all_voters_are_gone_has_no_winner)
{
    const char *ada = make_agent(t, "Ada", "specialist");
    const char *id =
        make_discussion_with(t, "rounds", "{\"vote\": {\"choices\": [\"left\", \"right\"]}}", NAMES("Ada"));
    struct stage stage = { .t = t, .most = 1 };

    play(&stage);
    call(t, "agent_delete", "{s:s}", "id", ada);
    CHECK_STATUS(204);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_NULL("result.vote.winner");
    CHECK_FALSE("result.vote.tie");
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_COUNT("differences", 0);
}

CONTRACT(turn_can_be_taken_in_a_pause_however_long_it_is)
{
    make_external_agent(t, "Eve", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Eve"));

    PLAY(t, { "", "", NULL, false });
    call(t, "discussion_pause", "{s:s}", "id", id);
    CHECK_STATUS(200);
    advance(t, settings()->council_turn_deadline_ms + 1000);
    call(t, "turn_take", "{s:s, s:s, s:s}", "id", id, "agent_name", "Eve", "content", "Here I am.");
    CHECK_STATUS(201);
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "paused");
    CHECK_TEXT("entries.0.content", "Here I am.");
    call(t, "discussion_resume", "{s:s}", "id", id);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_COUNT("entries", 1);
}

/* What is kept of it is what would have been said, and no longer than that may be. */
CONTRACT(words_that_were_cut_off_are_cleaned_like_any_others)
{
    static const char half[] = "<think>Nobody may hear this.</think>Ada: Let us go left.\n[Bob]: I agree.";

    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
    for (int way = 0; way < 2; way++) {
        const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));

        stage_half_said(t, half);
        if (way == 0)
            call(t, "discussion_interject", "{s:s, s:s, s:s}", "id", id, "content", "Wait.", "when", "now");
        else
            call(t, "discussion_cancel", "{s:s}", "id", id);
        CHECK_STATUS(200);
        show_discussion(t, id);
        CHECK_TEXT("entries.0.content", "Let us go left.");
        CHECK_TRUE("entries.0.metadata.partial");
        if (way == 0)
            call(t, "discussion_cancel", "{s:s}", "id", id);
    }
}

CONTRACT(thoughts_that_were_cut_off_are_not_words)
{
    const char *ada = make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));

    stage_half_said(t, "<think>Nobody may hear th");
    call(t, "agent_delete", "{s:s}", "id", ada);
    CHECK_STATUS(204);
    show_discussion(t, id);
    CHECK_COUNT("entries", 1);
    CHECK_TRUE("entries.0.metadata.skipped");
    CHECK_TEXT("entries.0.content", "");
    call(t, "discussion_cancel", "{s:s}", "id", id);
}

CONTRACT(words_that_were_cut_off_have_the_length_of_a_message)
{
    char *half = arena_alloc(&t->arena, LIMIT_MESSAGE + 1000, 1);

    memset(half, 'x', LIMIT_MESSAGE + 999);
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));

    stage_half_said(t, half);
    call(t, "discussion_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
    show_discussion(t, id);
    assert_int_equal(strlen(text_at(t, "entries.0.content")), LIMIT_MESSAGE);
}

/* Who had not spoken in the round is asked in it, and nobody twice. */
CONTRACT(fork_in_the_middle_of_a_parallel_round_ends_that_round)
{
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
    make_agent(t, "Cem", "specialist");
    const char *from = make_discussion(t, "parallel", 2, NAMES("Ada", "Bob", "Cem"));

    PLAY(t, { "Ada", "One.", NULL, false });
    call(t, "discussion_fork", "{s:s, s:s}", "id", from, "at", "4");
    CHECK_STATUS(201);
    const char *id = text_at(t, "discussion.id");

    PLAY(t, { "Bob", "Bob again.", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_COUNT("entries", 6);
    assert_int_equal(count_rows(t, "discussion_logs WHERE discussion_id = '%s' AND round_number = 2", id), 3);
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_COUNT("differences", 0);
}

static void *claim_beside(void *user)
{
    ARENA_AUTO arena = { 0 };
    struct db *db = one_more_connection();
    struct err *err = user;
    struct tx tx = tx_of(db, &arena, clock_now_ms(), err);
    struct held_row *list;
    size_t count;

    if (db_begin(db, true, err) && drive_claim(&tx, "quick", 1, &list, &count))
        (void)!db_commit(db, err);
    db_close(db);
    return NULL;
}

/* Nobody would find what it drives if it died now: its row is what others look for. */
CONTRACT(node_that_renews_at_the_last_moment_is_not_buried)
{
    struct err err = { 0 };
    pthread_t other;

    if (t->engine != DB_POSTGRES)
        return;
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));

    stage_claim(t, "late");
    outside_sql(t, "UPDATE council_nodes SET lease_until = 1 WHERE id = 'late'");
    outside_sql(t, "BEGIN");
    outside_sql(t, "UPDATE council_nodes SET lease_until = 9000000000000 WHERE id = 'late'");
    assert_int_equal(pthread_create(&other, NULL, claim_beside, &err), 0);
    until_so_many_wait_for_locks(t, 1);
    outside_sql(t, "COMMIT");
    pthread_join(other, NULL);
    assert_int_equal(err.code, ERR_NONE);
    assert_int_equal(count_rows(t, "council_nodes WHERE id = 'late'"), 1);
    assert_int_equal(
        count_rows(t, "discussion_state WHERE discussion_id = '%s' AND driver = 'late' AND driver_epoch = 1",
                   id),
        1);
    outside_sql(t, "UPDATE council_nodes SET lease_until = 1 WHERE id = 'late'");
    call(t, "discussion_cancel", "{s:s}", "id", id);
}
