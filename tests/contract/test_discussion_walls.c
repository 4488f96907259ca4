/*
 * Who may speak for whom, what may be put together, and that nothing of it can hold a discussion up for good.
 */
#include "council.h"

#include "base/clock.h"

#include "questions.h"
#include <pthread.h>

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static const char *make_project(struct t *t, const char *name)
{
    call(t, "project_create", "{s:s}", "name", name);
    CHECK_STATUS(201);
    return text_at(t, "id");
}

CONTRACT(turn_of_somebody_who_is_no_user_here_waits_and_can_be_taken)
{
    make_agent(t, "Ada", "specialist");
    call(t, "discussion_create", "{s:s, s:s, s:i, s:[{s:s}, {s:s, s:s}]}", "topic", "Which way?", "mode",
         "rounds", "rounds", 1, "participants", "agentName", "Ada", "role", "user", "userId", "paula");
    CHECK_STATUS(201);
    const char *id = text_at(t, "discussion.id");

    PLAY(t, { "", "", NULL, false });
    call(t, "turn_list", "{}");
    CHECK_COUNT("turns", 1);
    CHECK_TEXT("turns.0.userId", "paula");
    call(t, "turn_take", "{s:s, s:s, s:s}", "id", id, "userId", "paula", "content", "This way.");
    CHECK_STATUS(201);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_COUNT("entries", 2);
}

CONTRACT(cast_speaks_when_nobody_is_named_and_is_made_once)
{
    call(t, "discussion_create", "{s:s}", "topic", "Which way?");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "participants");
    call(t, "discussion_create", "{s:s, s:[]}", "topic", "Which way?", "participants");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "participants");
    call(t, "discussion_create", "{s:s, s:s}", "topic", "Which way?", "cast", "choir");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "cast");
    assert_int_equal(count_rows(t, "agent_templates WHERE workspace_id = '%s'", t->workspace), 0);

    call(t, "discussion_create", "{s:s, s:s}", "topic", "Which way?", "cast", "specialists");
    CHECK_STATUS(201);
    CHECK_COUNT("agentsMade", 3);
    show_discussion(t, text_at(t, "discussion.id"));
    CHECK_TEXT("speakerOrder.0", "Divergent");
    CHECK_TEXT("speakerOrder.2", "Critical");
    call(t, "discussion_create", "{s:s, s:s}", "topic", "And now?", "cast", "specialists");
    CHECK_COUNT("agentsMade", 0);
    call(t, "discussion_create", "{s:s, s:s}", "topic", "In short?", "cast", "moderator");
    CHECK_TEXT("agentsMade.0", "Moderator");
    assert_int_equal(count_rows(t, "agent_templates WHERE workspace_id = '%s'", t->workspace), 4);

    /* Who is named speaks, whatever the cast would be. */
    call(t, "discussion_create", "{s:s, s:s, s:[{s:s}]}", "topic", "Alone?", "cast", "specialists",
         "participants", "agentName", "Critical");
    CHECK_STATUS(201);
    show_discussion(t, text_at(t, "discussion.id"));
    CHECK_COUNT("speakerOrder", 1);
}

CONTRACT(discussion_is_not_put_between_two_projects)
{
    make_agent(t, "Ada", "specialist");
    const char *one = make_project(t, "One"), *other = make_project(t, "Other");

    call(t, "discussion_create", "{s:s, s:s, s:s, s:[{s:s}]}", "topic", "Above", "mode", "turns", "projectId",
         other, "participants", "agentName", "Ada");
    const char *parent = text_at(t, "discussion.id");

    call(t, "discussion_create", "{s:s, s:s, s:s, s:[{s:s}]}", "topic", "Below", "projectId", one, "parentId",
         parent, "participants", "agentName", "Ada");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "projectId");
    call(t, "question_create", "{s:s, s:s, s:s, s:s}", "question", "Cache or not?", "type", "blocking",
         "responseType", "text", "projectId", other);
    CHECK_STATUS(201);
    const char *question = text_at(t, "questionId");

    call(t, "discussion_create", "{s:s, s:s, s:{s:s, s:s}, s:[{s:s}]}", "topic", "Cache?", "projectId", one,
         "ref", "kind", "question", "id", question, "participants", "agentName", "Ada");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "ref");
    assert_int_equal(count_rows(t, "discussion_state WHERE workspace_id = '%s'", t->workspace), 1);
}

CONTRACT(discussion_for_a_prompt_of_no_project_stays_in_its_own)
{
    make_agent(t, "Ada", "specialist");
    const char *project = make_project(t, "One");

    call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message", "Cache or not?",
         "required_responses", 1);
    const char *prompt = text_at(t, "prompt.id");

    t->as = token_bound(t, "agent", NULL, project);
    call(t, "discussion_create", "{s:s, s:i, s:{s:s, s:s}, s:[{s:s}]}", "topic", "Cache?", "rounds", 1, "ref",
         "kind", "prompt", "id", prompt, "participants", "agentName", "Ada");
    CHECK_STATUS(201);
    CHECK_TEXT("discussion.projectId", project);
    show_discussion(t, text_at(t, "discussion.id"));
    CHECK_STATUS(200);
    PLAY(t, { "summary", "Cache it.", NULL, false });
    t->as = t->owner;
    call(t, "prompt_get", "{s:s}", "id", prompt);
    CHECK_TEXT("status", "resolved");
    CHECK_TEXT("responses.0.message", "[Council] Cache it.");
}

CONTRACT(discussion_ends_although_its_task_is_not_in_its_project)
{
    make_agent(t, "Ada", "specialist");
    const char *one = make_project(t, "One"), *other = make_project(t, "Other");

    call(t, "task_create", "{s:s, s:s}", "id", one, "title", "Build");
    CHECK_STATUS(201);
    const char *task = text_at(t, "id");

    call(t, "discussion_create", "{s:s, s:i, s:s, s:s, s:[{s:s}]}", "topic", "Build?", "rounds", 1,
         "projectId", one, "taskId", task, "participants", "agentName", "Ada");
    CHECK_STATUS(201);
    const char *id = text_at(t, "discussion.id");

    outside_sql(t, "UPDATE discussion_state SET project_id = '%s' WHERE discussion_id = '%s'", other, id);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
}

CONTRACT(person_who_is_logged_in_speaks_for_nobody_else)
{
    make_agent(t, "Ada", "specialist");
    const char *bob = make_user(t, "Bob", "member"), *alice = make_user(t, "Alice", "member");

    call(t, "discussion_create", "{s:s, s:s, s:[{s:s}, {s:s, s:s}]}", "topic", "Which way?", "mode", "rounds",
         "participants", "agentName", "Ada", "role", "user", "userId", bob);
    CHECK_STATUS(201);
    const char *id = text_at(t, "discussion.id");

    PLAY(t, { "", "", NULL, false });
    t->as = session_for(t, alice);
    call(t, "turn_take", "{s:s, s:s, s:s}", "id", id, "userId", bob, "content", "Bob says this.");
    CHECK_STATUS(403);
    call(t, "discussion_message", "{s:s, s:s, s:s}", "id", id, "message", "Bob says this.", "userId", bob);
    CHECK_STATUS(403);
    t->as = token_for(t, "member", "Ada");
    call(t, "discussion_message", "{s:s, s:s, s:s}", "id", id, "message", "Bob says this.", "userId", bob);
    CHECK_STATUS(403);
    assert_int_equal(count_rows(t, "discussion_logs WHERE discussion_id = '%s'", id), 1);
    t->as = session_for(t, bob);
    call(t, "turn_take", "{s:s, s:s, s:s}", "id", id, "userId", bob, "content", "I say this.");
    CHECK_STATUS(201);
}

/* A token that is nobody's names another program's people; who has an account here speaks by it. */
CONTRACT(token_speaks_for_no_user_of_the_workspace)
{
    const char *tokens[] = { t->member, t->admin, t->owner };
    const char *bob = make_user(t, "Bob", "member");

    make_agent(t, "Ada", "specialist");

    call(t, "discussion_create", "{s:s, s:s, s:[{s:s}, {s:s, s:s, s:s}, {s:s, s:s}]}", "topic", "Which way?",
         "mode", "rounds", "participants", "agentName", "Ada", "role", "user", "userId", bob, "name", "Bob",
         "role", "user", "userId", "paula");
    CHECK_STATUS(201);
    const char *id = text_at(t, "discussion.id");

    PLAY(t, { "", "", NULL, false });
    for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++) {
        t->as = tokens[i];
        call(t, "turn_take", "{s:s, s:s, s:s}", "id", id, "userId", bob, "content", "Bob says this.");
        CHECK_STATUS(403);
        call(t, "turn_take", "{s:s, s:s, s:b}", "id", id, "userId", bob, "pass", 1);
        CHECK_STATUS(403);
        call(t, "discussion_message", "{s:s, s:s, s:s}", "id", id, "message", "So says Bob.", "userId", bob);
        CHECK_STATUS(403);
        call(t, "turn_take", "{s:s, s:s}", "id", id, "content", "Somebody says this.");
        CHECK_STATUS(409);
    }
    assert_int_equal(count_rows(t, "discussion_logs WHERE discussion_id = '%s'", id), 1);
    t->as = session_for(t, bob);
    call(t, "turn_take", "{s:s, s:s}", "id", id, "content", "I say this.");
    CHECK_STATUS(201);
    PLAY(t, { "", "", NULL, false });
    t->as = t->member;
    call(t, "turn_take", "{s:s, s:s, s:s}", "id", id, "userId", "paula", "content", "So do I.");
    CHECK_STATUS(201);
}

CONTRACT(budget_counts_models_only_and_a_parents_holds_below_it)
{
    make_agent(t, "Ada", "specialist");
    make_external_agent(t, "Zoe", "specialist");
    make_external_agent(t, "Yan", "specialist");
    const char *id =
        make_discussion_with(t, "parallel", "{\"budget\": {\"calls\": 2}}", NAMES("Zoe", "Yan", "Ada"));

    call(t, "discussion_create", "{s:s, s:s, s:s, s:{s:{s:i, s:i}}, s:[{s:s}]}", "topic", "Below", "mode",
         "turns", "parentId", id, "options", "budget", "calls", 900, "seconds", 60, "participants",
         "agentName", "Ada");
    CHECK_STATUS(201);
    CHECK_INT("discussion.options.budget.calls", 2);
    CHECK_INT("discussion.options.budget.seconds", 60);
    call(t, "discussion_cancel", "{s:s}", "id", text_at(t, "discussion.id"));
    CHECK_STATUS(200);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_INT("discussion.usage.calls", 1);
}

/* What advances beside another transaction: a discussion that a node has claimed. */
struct beside {
    struct held_row claimed;
    struct err err;
};

static void *advance_beside(void *user)
{
    struct beside *beside = user;
    ARENA_AUTO arena = { 0 };
    struct db *db = one_more_connection();
    struct tx tx = tx_of(db, &arena, clock_now_ms(), &beside->err);
    struct drive_step step;

    if (db_begin(db, true, &beside->err) &&
        drive_advance(&tx, "node", beside->claimed.epoch, beside->claimed.id, &step))
        (void)!db_commit(db, &beside->err);
    db_close(db);
    return NULL;
}

static void split_off_two(struct t *t, const char *parent)
{
    for (int i = 0; i < 2; i++) {
        call(t, "discussion_create", "{s:s, s:s, s:i, s:s, s:[{s:s}]}", "topic", "Below", "mode", "rounds",
             "rounds", 1, "parentId", parent, "participants", "agentName", "Ada");
        CHECK_STATUS(201);
    }
}

/* One call is left for two who ask at the same moment: on PostgreSQL the second waits for the first. */
CONTRACT(shared_budget_is_not_overdrawn_by_those_who_ask_at_once)
{
    struct held_row *list;
    struct drive_step step;
    struct beside beside;
    pthread_t other;
    struct err err;

    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion_with(t, "turns", "{\"budget\": {\"calls\": 1}}", NAMES("user", "Ada"));

    split_off_two(t, id);
    assert_int_equal(stage_claim_later(t, "node", 0, &list), 2);
    struct tx tx = stage_begin(t, &err);

    assert_true(drive_advance(&tx, "node", list[0].epoch, list[0].id, &step));
    beside = (struct beside){ .claimed = list[1] };
    if (t->engine == DB_SQLITE)
        stage_commit(t);
    assert_int_equal(pthread_create(&other, NULL, advance_beside, &beside), 0);
    if (t->engine == DB_POSTGRES) {
        until_so_many_wait_for_locks(t, 1);
        stage_commit(t);
    }
    pthread_join(other, NULL);
    assert_int_equal(beside.err.code, ERR_NONE);
    assert_int_equal(count_rows(t, "discussion_turns WHERE workspace_id = '%s'", t->workspace), 1);
    show_discussion(t, list[1].id);
    CHECK_TEXT("discussion.endReason", "budget");
    call(t, "discussion_replay", "{s:s}", "id", list[1].id);
    CHECK_COUNT("differences", 0);
    call(t, "discussion_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
}

/* Of a round in which all are asked at once only as many speak as there are calls. */
CONTRACT(budget_that_ends_within_a_parallel_round_is_replayed)
{
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
    const char *id = make_discussion_with(t, "parallel", "{\"budget\": {\"calls\": 1}}", NAMES("Ada", "Bob"));

    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "budget");
    CHECK_INT("discussion.usage.calls", 1);
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_COUNT("differences", 0);
}

/* A reply that is nothing but a stop sequence is worth another call, when there is one. */
CONTRACT(budget_is_not_overdrawn_by_asking_once_more)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion_with(t, "turns", "{\"budget\": {\"calls\": 1}}", NAMES("user", "Ada"));

    say(t, id, "Begin.");
    PLAY(t, { "Ada", "[Bob]: I say it for him.", NULL, false });
    show_discussion(t, id);
    CHECK_INT("discussion.usage.calls", 1);
}

CONTRACT(call_that_is_cut_off_is_counted)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));
    struct held_row claimed = stage_claim(t, "node");
    struct drive_step step = stage_advance(t, "node", &claimed);

    stage_call(t, &step.calls[0].ref);
    call(t, "discussion_interject", "{s:s, s:s}", "id", id, "content", "Wait.");
    CHECK_STATUS(200);
    CHECK_INT("discussion.usage.calls", 1);
    CHECK_INT("discussion.usage.callsNotReported", 1);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_INT("discussion.usage.calls", 2);
    CHECK_INT("entries.1.metadata.attempts", 2);
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_TRUE("agrees");
}
