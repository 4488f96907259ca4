/* Names are one however they are written, wherever they are compared; and each is shown as it was written. */
#include "base/clock.h"
#include "core/upkeep/refold.h"
#include "council.h"

#define LEN(list) (sizeof(list) / sizeof(*(list)))

/* Pairs that are one name, and one that is two. */
static const struct spelling {
    const char *one, *other;
    bool differ;
} spellings[] = {
    { "\u00C4gnes", "\u00E4GNES", false },
    { "Zo\u00E9", "Zoe\u0301", false },
    { "Stra\u00DFe", "STRASSE", false },
    { "\u03A3\u03AF\u03C3\u03C5\u03C6\u03BF\u03C2", "\u03A3\u038A\u03A3\u03A5\u03A6\u039F\u03A3", false },
    { "\uFF22\uFF35\uFF22", "bub", false },
    { "\u0130rem", "i\u0307REM", false },
    { "Irem", "\u0131rem", true },
    { "Zo\u00E9", "Zoe", true },
};

/* So that cases of one store do not meet each other's people, who are in all workspaces. */
static const char *unique(struct t *t, const char *name)
{
    return arena_format(&t->arena, "%s %.13s", name, t->workspace + 20);
}

static const char *prompt(struct t *t, const char *requester, int required)
{
    call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", requester, "prompt_message", "Which one?",
         "required_responses", required);
    CHECK_STATUS(201);
    return text_at(t, "prompt.id");
}

static int reply(struct t *t, const char *id, const char *agent)
{
    return call(t, "prompt_respond", "{s:s, s:s, s:s}", "id", id, "agent_name", agent, "message",
                "This one.");
}

static void check_count(struct t *t, const char *id, int64_t count)
{
    call(t, "prompt_get", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_INT("responseCount", count);
}

/* As another program does it, which knows nothing of keys. */
static void answer_by_sql(struct t *t, const char *id, int number, const char *agent)
{
    outside_sql(t,
                "INSERT INTO squad_chat (id, agent_name, message, message_type, discussion_prompt_id) "
                "VALUES ('01890000-0000-7000-8000-0000%c%.7s', '%s', 'By SQL', 'discussion_response', '%s')",
                'a' + number, id + 29, agent, id);
}

CONTRACT(names_two_spellings_are_one_voice)
{
    for (size_t i = 0; i < LEN(spellings); i++) {
        const char *id = prompt(t, "Dev", 3);

        reply(t, id, spellings[i].one);
        CHECK_STATUS(201);
        reply(t, id, spellings[i].other);
        CHECK_STATUS(201);
        check_count(t, id, spellings[i].differ ? 2 : 1);
        CHECK_TEXT("collectedContext.0.agent", spellings[i].one);
        CHECK_TEXT("collectedContext.1.agent", spellings[i].other);
    }
}

CONTRACT(names_a_requester_in_another_spelling_is_not_counted)
{
    for (size_t i = 0; i < LEN(spellings); i++) {
        const char *id = prompt(t, spellings[i].one, 3);

        /* Nor is it asked to answer. */
        call(t, "prompt_list", "{s:s}", "agent", spellings[i].other);
        CHECK_COUNT("prompts", spellings[i].differ);
        reply(t, id, spellings[i].other);
        check_count(t, id, spellings[i].differ);
        call(t, "prompt_close", "{s:s, s:s}", "id", id, "action", "cancel");
    }
}

CONTRACT(names_written_by_plain_sql_are_folded_a_moment_later)
{
    for (size_t i = 0; i < LEN(spellings); i++) {
        const char *id = prompt(t, "Dev", 5);

        answer_by_sql(t, id, 0, spellings[i].one);
        answer_by_sql(t, id, 1, spellings[i].other);
        advance(t, 0);
        check_count(t, id, spellings[i].differ ? 2 : 1);
        CHECK_COUNT("collectedContext", 2);
        reply(t, id, spellings[i].one);
        reply(t, id, "Builder");
        check_count(t, id, spellings[i].differ ? 3 : 2);
    }
    assert_int_equal(count_rows(t, "mention_queue"), 0);
}

/* The sweep may not have come by yet: the next call looks for itself. */
CONTRACT(names_written_by_plain_sql_are_folded_before_the_next_reply_counts)
{
    for (size_t i = 0; i < LEN(spellings); i++) {
        const char *id = prompt(t, "Dev", 2);

        answer_by_sql(t, id, 0, spellings[i].one);
        reply(t, id, spellings[i].other);
        CHECK_TEXT("prompt.status", spellings[i].differ ? "resolved" : "collecting");
        CHECK_INT("prompt.response_count", spellings[i].differ ? 2 : 1);
    }
}

CONTRACT(names_of_prompts_written_by_plain_sql_are_folded)
{
    const char *id = arena_format(&t->arena, "01890000-0000-7000-8000-0000f%.7s", t->workspace + 29);

    outside_sql(
        t,
        "INSERT INTO discussion_prompts (id, workspace_id, requester_agent, prompt_message, created_at) "
        "VALUES ('%s', '%s', '\u00C4gnes', '@ZO\u00C9, which one?', '%s')",
        id, t->workspace, clock_text(&t->arena, clock_now_ms()));
    advance(t, 0);
    reply(t, id, "\u00E4gnes");
    check_count(t, id, 0);
    call(t, "notification_list", "{s:s}", "agent", "Zoe\u0301");
    CHECK_COUNT("notifications", 1);
    call(t, "prompt_list", "{s:s}", "agent", "zo\u00E9");
    CHECK_COUNT("prompts", 1);
}

CONTRACT(names_in_mentions_are_one_however_they_are_written)
{
    for (size_t i = 0; i < LEN(spellings); i++) {
        call(t, "chat_post", "{s:s, s:s}", "agent_name", "Dev", "message",
             arena_format(&t->arena, "@%s-%zu, please look", spellings[i].one, i));
        CHECK_STATUS(201);
        call(t, "notification_list", "{s:s}", "agent",
             arena_format(&t->arena, "%s-%zu", spellings[i].other, i));
        CHECK_COUNT("notifications", spellings[i].differ ? 0 : 1);
        /* Nobody is called by themselves. */
        call(t, "chat_post", "{s:s, s:s}", "agent_name", spellings[i].other, "message",
             arena_format(&t->arena, "I am @%s", spellings[i].one));
        call(t, "notification_list", "{s:s}", "agent", spellings[i].one);
        CHECK_COUNT("notifications", spellings[i].differ);
    }
}

CONTRACT(names_of_tokens_are_one_however_they_are_written)
{
    for (size_t i = 0; i < LEN(spellings); i++) {
        t->as = token_for(t, "agent", spellings[i].one);
        call(t, "chat_post", "{s:s, s:s}", "agent_name", spellings[i].other, "message", "Hello");
        CHECK_STATUS(spellings[i].differ ? 403 : 201);
        t->as = t->owner;
    }
}

CONTRACT(names_log_in_however_they_are_written)
{
    if (t->door == DOOR_REST)
        return; /* where only so many may log in from one address */
    for (size_t i = 0; i < LEN(spellings); i++) {
        const char *one = unique(t, spellings[i].one), *other = unique(t, spellings[i].other), *id;

        t->as = t->owner;
        call(t, "user_create", "{s:s, s:s}", "name", one, "password", "three odd otters");
        CHECK_STATUS(i == 7 ? 409 : 201); /* the second Zoe of these */
        if (i == 7)
            break;
        CHECK_TEXT("name", one);
        id = text_at(t, "id");
        call(t, "user_create", "{s:s, s:s}", "name", other, "password", "four even ermines");
        CHECK_STATUS(spellings[i].differ ? 201 : 409);
        t->as = "";
        call(t, "session_login", "{s:s, s:s}", "name", other, "password", "three odd otters");
        CHECK_STATUS(spellings[i].differ ? 401 : 200);
        call(t, "session_login", "{s:s, s:s}", "name", one, "password", "three odd otters");
        CHECK_STATUS(200);
        CHECK_TEXT("user.id", id);
    }
}

CONTRACT(names_of_agents_are_one_however_they_are_written)
{
    for (size_t i = 0; i < LEN(spellings) - 1; i++) {
        const char *id = make_external_agent(t, spellings[i].one, "critic");

        call(t, "agent_create", "{s:s}", "name", spellings[i].other);
        CHECK_STATUS(spellings[i].differ ? 201 : 409);
        /* It may be spelt anew, and is found by all spellings. */
        call(t, "agent_update", "{s:s, s:s}", "id", id, "name",
             spellings[i].differ ? "Irma" : spellings[i].other);
        CHECK_STATUS(200);
        call(t, "agent_create", "{s:s}", "name", spellings[i].one);
        CHECK_STATUS(spellings[i].differ ? 201 : 409);
    }
}

CONTRACT(names_of_agents_written_by_plain_sql_are_folded_a_moment_later)
{
    make_external_agent(t, "Zo\u00E9", "critic");
    for (int i = 0; i < 2; i++)
        outside_sql(t, "INSERT INTO agent_templates (id, workspace_id, name) VALUES ('%.35s%c', '%s', '%s')",
                    t->workspace, 'a' + i, t->workspace, i == 0 ? "\u00C4gnes" : "ZO\u00C9");
    advance(t, 0);
    call(t, "agent_create", "{s:s}", "name", "\u00E4gnes");
    CHECK_STATUS(409);
    /* Whose name was another's is found by its own spelling, and the other by all others. */
    assert_int_equal(
        count_rows(t, "agent_templates WHERE workspace_id = '%s' AND name_fold IS NULL", t->workspace), 0);
    outside_sql(t, "UPDATE agent_templates SET name = 'Maya' WHERE id = '%.35sa'", t->workspace);
    advance(t, 0);
    call(t, "agent_create", "{s:s}", "name", "\u00E4gnes");
    CHECK_STATUS(201);
    call(t, "agent_create", "{s:s}", "name", "MAYA");
    CHECK_STATUS(409);
}

CONTRACT(names_of_seats_and_their_labels_are_one_however_they_are_written)
{
    static const char *const seats[] = { "Zo\u00E9", "\u00C4gnes" };
    const char *id;

    make_agent(t, "Zo\u00E9", "critic");
    make_agent(t, "\u00C4gnes", "critic");
    call(t, "discussion_create", "{s:s, s:s, s:[{s:s}, {s:s}]}", "topic", "Which?", "mode", "turns",
         "participants", "agentName", "ZO\u00C9", "agentName", "Zoe\u0301");
    CHECK_STATUS(400);
    id = make_discussion(t, "turns", 1, seats, LEN(seats));
    say(t, id, "Begin.");
    PLAY(t, { "Zo\u00E9", "[ZOE\u0301]: The first.\n\u00E4gnes: No, the second.", NULL, false },
         { "\u00C4gnes", "\u00E4GNES: The second.", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("entries.1.content", "The first.");
    CHECK_TEXT("entries.2.content", "The second.");
}

CONTRACT(names_are_searched_for_without_their_accents_too)
{
    static const char *const asked[] = { "\u00E4GNES", "agnes", "A\u0308gnes", "\uFF21gnes" };

    make_external_agent(t, "\u00C4gnes", "critic");
    for (size_t i = 0; i < LEN(asked); i++) {
        call(t, "search", "{s:s}", "q", asked[i]);
        CHECK_STATUS(200);
        CHECK_COUNT("results", 1);
        CHECK_TEXT("results.0.title", "\u00C4gnes");
    }
}

CONTRACT(names_of_assignees_are_one_however_they_are_written)
{
    const char *name = unique(t, "Zo\u00E9"), *id;

    call(t, "user_create", "{s:s, s:s}", "name", name, "password", "three odd otters");
    CHECK_STATUS(201);
    id = text_at(t, "id");
    call(t, "question_create", "{s:s, s:s, s:s, s:s, s:s}", "question", "Which?", "type", "blocking",
         "responseType", "text", "agent", "Builder", "assignedTo", unique(t, "ZOE\u0301"));
    CHECK_STATUS(201);
    call(t, "question_get", "{s:s}", "id", text_at(t, "questionId"));
    CHECK_TEXT("question.assignedTo", id);
}

static void refold(struct t *t, const char **apart)
{
    struct err err = { 0 };
    struct tx tx = tx_of(t->db, &t->arena, clock_now_ms(), &err);
    size_t changed;

    assert_true(refold_store(t->db, &t->arena, &changed, &err));
    assert_true(refold_apart(&tx, apart));
}

/* What a store from before looks like: keys in which ASCII alone was lowered. */
static const char *user_from_before(struct t *t, const char *name, const char *like)
{
    const char *id;

    t->as = t->owner;
    call(t, "user_create", "{s:s, s:s}", "name", unique(t, like), "password", like);
    CHECK_STATUS(201);
    id = text_at(t, "id");
    outside_sql(t, "UPDATE users SET name = '%s', name_key = '%s' WHERE id = '%s'", unique(t, name),
                str_lower(&t->arena, unique(t, name)), id);
    return id;
}

static void check_login(struct t *t, const char *name, const char *password, const char *id)
{
    t->as = "";
    call(t, "session_login", "{s:s, s:s}", "name", unique(t, name), "password", password);
    CHECK_STATUS(200);
    CHECK_TEXT("user.id", id);
    t->as = t->owner;
}

CONTRACT(names_of_an_earlier_store_that_come_to_be_one_are_told_apart_as_before)
{
    const char *large = user_from_before(t, "\u00C4gnes", "three odd otters"),
               *small = user_from_before(t, "\u00E4gnes", "four even ermines"),
               *lone = user_from_before(t, "\u00D6rjan", "five calm cranes"), *apart;

    if (t->door == DOOR_REST)
        return; /* where only so many may log in from one address */
    outside_sql(t, "DELETE FROM facts WHERE name = 'names_folded_by'");
    refold(t, &apart);
    assert_non_null(strstr(apart, arena_format(&t->arena, "user %s", unique(t, "\u00C4gnes"))));
    assert_null(strstr(apart, unique(t, "\u00D6rjan")));
    check_login(t, "\u00C4gnes", "three odd otters", large);
    check_login(t, "\u00C4GNES", "three odd otters", large);
    check_login(t, "\u00E4gnes", "four even ermines", small);
    check_login(t, "\u00E4GNES", "four even ermines", small);
    check_login(t, "A\u0308gnes", "four even ermines", small);
    check_login(t, "\u00F6rjan", "five calm cranes", lone);
    /* Nobody else can take either of them. */
    call(t, "user_create", "{s:s, s:s}", "name", unique(t, "\u00C4gnes"), "password", "six wry wrens!");
    CHECK_STATUS(409);
    call(t, "user_delete", "{s:s}", "id", small);
    CHECK_STATUS(204);
    call(t, "user_create", "{s:s, s:s}", "name", unique(t, "\u00C4gnes"), "password", "six wry wrens!");
    CHECK_STATUS(409);
    /* The name is free again, so the next start gives it to her. */
    refold(t, &apart);
    assert_true(!apart || !strstr(apart, unique(t, "\u00C4gnes")));
    check_login(t, "\u00E4gnes", "three odd otters", large);
}

CONTRACT(names_of_an_earlier_store_are_folded_wherever_they_stand)
{
    const char *id = prompt(t, "Dev", 3), *closed = prompt(t, "Dev", 3), *large, *apart;

    reply(t, id, "\u00C4gnes");
    reply(t, closed, "\u00C4gnes");
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Dev", "message", "@\u00C4gnes and @ZO\u00C9");
    call(t, "prompt_close", "{s:s, s:s}", "id", closed, "action", "cancel");
    large = make_external_agent(t, "\u00C4gnes", "critic");
    make_external_agent(t, "Zo\u00E9", "critic");
    outside_sql(t,
                "UPDATE discussion_prompts SET response_count = 2, voices = '\n\u00C4gnes\n\u00E4gnes\n' "
                "WHERE id IN ('%s', '%s')",
                id, closed);
    outside_sql(
        t,
        "UPDATE notifications SET agent_key = '\u00C4gnes' WHERE workspace_id = '%s' AND agent_key = '\u00E4gnes'",
        t->workspace);
    outside_sql(t, "UPDATE agent_templates SET name_fold = NULL WHERE workspace_id = '%s'", t->workspace);
    outside_sql(t,
                "INSERT INTO agent_templates (id, workspace_id, name) VALUES ('%.35sx', '%s', '\u00E4gnes')",
                t->workspace, t->workspace);
    outside_sql(t,
                "INSERT INTO prompt_mentions (prompt_id, agent_key, workspace_id, created_at) "
                "SELECT id, '\u00C4gnes', workspace_id, created_at FROM discussion_prompts WHERE id = '%s'",
                id);
    outside_sql(t, "DELETE FROM search_words WHERE ref_id = '%s'", large);
    outside_sql(t, "DELETE FROM facts WHERE name = 'names_folded_by'");
    refold(t, &apart);
    check_count(t, id, 1);
    check_count(t, closed, 2); /* what was told of it when it ended stays */
    call(t, "notification_list", "{s:s}", "agent", "\u00E4gnes");
    CHECK_COUNT("notifications", 1);
    assert_int_equal(count_rows(t, "prompt_mentions WHERE prompt_id = '%s' AND agent_key = '\u00E4gnes'", id),
                     1);
    assert_int_equal(count_rows(t, "prompt_mentions WHERE prompt_id = '%s'", id), 1);
    call(t, "search", "{s:s, s:s}", "q", "agnes", "kind", "agent");
    CHECK_COUNT("results", 2);
    /* Of the agents one had the key; both are found by their own spelling. */
    assert_non_null(strstr(apart, "agent \u00C4gnes"));
    call(t, "agent_update", "{s:s, s:s}", "id", large, "role", "poet");
    CHECK_STATUS(200);
    call(t, "agent_create", "{s:s}", "name", "\u00C4gnes");
    CHECK_STATUS(409);
    /* Under another name it is nobody's namesake any more. */
    call(t, "agent_update", "{s:s, s:s}", "id", large, "name", "\u00C4gnes the elder");
    CHECK_STATUS(200);
    refold(t, &apart);
    assert_true(!apart || !strstr(apart, "agent \u00C4gnes"));
}
