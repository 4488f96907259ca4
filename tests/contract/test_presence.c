/*
 * Who is here: what tabs say, for how long it counts, who is told of it, and that nothing of it stays.
 */
#include "questions.h"

#include "base/limits.h"

#define TAB          "01890a5d-ac96-774b-bcce-b302099a80%02d"
#define SECONDS      1000
#define ANY_QUESTION "01890a5d-ac96-774b-bcce-b30209900000"

static const char *tab(struct t *t, int number)
{
    return arena_format(&t->arena, TAB, number);
}

static void say(struct t *t, int number, const char *page, const char *subject, const char *state)
{
    if (subject)
        call(t, "presence_say", "{s:s, s:s, s:s, s:s}", "tab", tab(t, number), "page", page, "subject",
             subject, "state", state);
    else
        call(t, "presence_say", "{s:s, s:s, s:s}", "tab", tab(t, number), "page", page, "state", state);
    CHECK_STATUS(204);
}

static const char *make_person(struct t *t, const char *name, const char *role, const char **session)
{
    const char *id;

    t->as = t->owner;
    call(t, "user_create", "{s:s, s:s}", "name", arena_format(&t->arena, "%s %.13s", name, t->workspace + 20),
         "role", role);
    CHECK_STATUS(201);
    id = text_at(t, "id");
    *session = session_for(t, id);
    return id;
}

static void list(struct t *t)
{
    call(t, "presence_list", "{}");
    CHECK_STATUS(200);
}

CONTRACT(presence_shows_who_has_which_page_open)
{
    const char *ana, *ben, *ana_id = make_person(t, "Ana", "member", &ana),
                           *ben_id = make_person(t, "Ben", "viewer", &ben);

    t->as = ana;
    say(t, 1, "inbox", NULL, "away");
    advance(t, 10);
    say(t, 2, "question", ANY_QUESTION, "here");
    list(t);
    CHECK_COUNT("people", 1);
    CHECK_TEXT("people.0.id", ana_id);
    CHECK_TEXT("people.0.state", "here");
    CHECK_TEXT("people.0.pages.0.page", "question");
    CHECK_TEXT("people.0.pages.0.subject", ANY_QUESTION);
    CHECK_TEXT("people.0.pages.1.page", "inbox");
    CHECK_TEXT("people.0.pages.1.state", "away");
    CHECK_NULL("people.0.pages.1.subject");
    t->as = ben;
    say(t, 1, "chat", NULL, "away"); /* the same id is another tab with somebody else */
    list(t);
    CHECK_COUNT("people", 2);
    call(t, "presence_list", "{s:s}", "page", "chat");
    CHECK_COUNT("people", 1);
    CHECK_TEXT("people.0.id", ben_id);
    CHECK_TEXT("people.0.state", "away");
    call(t, "presence_list", "{s:s, s:s}", "page", "question", "subject", ANY_QUESTION);
    CHECK_COUNT("people", 1);
    CHECK_TEXT("people.0.id", ana_id);
    CHECK_COUNT("people.0.pages", 2); /* all that they have open, not only what was asked for */
    /* Page by page. */
    call(t, "presence_list", "{s:i}", "limit", 1);
    CHECK_COUNT("people", 1);
    const char *first = text_at(t, "people.0.id"), *next = text_at(t, "nextCursor");

    call(t, "presence_list", "{s:i, s:s}", "limit", 1, "cursor", next);
    CHECK_COUNT("people", 1);
    assert_string_not_equal(text_at(t, "people.0.id"), first);
    CHECK_NULL("nextCursor");
}

CONTRACT(presence_counts_for_a_while_and_leaves_nothing)
{
    const char *ana;

    make_person(t, "Ana", "member", &ana);
    t->as = ana;
    say(t, 1, "chat", NULL, "here");
    list(t);
    const char *since = text_at(t, "people.0.pages.0.since");

    advance(t, 60 * SECONDS);
    say(t, 1, "chat", NULL, "here"); /* the same again */
    advance(t, 60 * SECONDS);
    list(t);
    CHECK_COUNT("people", 1);
    CHECK_TEXT("people.0.pages.0.since", since);
    say(t, 1, "inbox", NULL, "here");
    list(t);
    CHECK_COUNT("people.0.pages", 1);
    assert_string_not_equal(text_at(t, "people.0.pages.0.since"), since);
    advance(t, PRESENCE_MS);
    list(t);
    CHECK_COUNT("people", 0);
    /* Whoever comes back after that has just come. */
    say(t, 1, "inbox", NULL, "here");
    list(t);
    assert_true(strcmp(text_at(t, "people.0.pages.0.since"), since) > 0);
    say(t, 1, "inbox", NULL, "gone");
    list(t);
    CHECK_COUNT("people", 0);
    say(t, 7, "inbox", NULL, "gone"); /* of which nobody knew */
    assert_int_equal(count_rows(t, "presence WHERE workspace_id = '%s'", t->workspace), 1);
    /* The sweep takes what has run out. */
    advance(t, 3 * PRESENCE_MS);
    assert_int_equal(count_rows(t, "presence WHERE workspace_id = '%s'", t->workspace), 0);
    assert_int_equal(
        count_rows(t, "events WHERE workspace_id = '%s' AND type LIKE 'presence%%'", t->workspace), 0);
    assert_int_equal(
        count_rows(t, "audit WHERE workspace_id = '%s' AND operation LIKE 'presence%%'", t->workspace), 0);
}

CONTRACT(presence_knows_so_many_tabs_and_no_more)
{
    const char *ana, *ana_id = make_person(t, "Ana", "member", &ana);

    t->as = ana;
    for (int i = 0; i < LIMIT_TABS + 4; i++) {
        say(t, i, "inbox", NULL, "here");
        advance(t, 1);
    }
    list(t);
    CHECK_COUNT("people.0.pages", LIMIT_TABS);
    assert_int_equal(count_rows(t, "presence WHERE person = '%s' AND tab = '%s'", ana_id, tab(t, 3)), 0);
    assert_int_equal(
        count_rows(t, "presence WHERE person = '%s' AND tab = '%s'", ana_id, tab(t, LIMIT_TABS + 3)), 1);
    /* And of a whole workspace. */
    outside_sql(t,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
                " INSERT INTO presence (workspace_id, person, tab, page, state, changed_at, seen_at)"
                " SELECT '%s', 'x' || i, 'y', 'inbox', 'here', 1, 1 FROM n",
                LIMIT_PRESENCE, t->workspace);
    say(t, 50, "inbox", NULL, "here");
    /* Of Ana's the oldest went as well. */
    assert_int_equal(count_rows(t, "presence WHERE workspace_id = '%s'", t->workspace), LIMIT_PRESENCE - 1);
    assert_int_equal(count_rows(t, "presence WHERE person = '%s' AND tab = '%s'", ana_id, tab(t, 50)), 1);
}

CONTRACT(presence_is_for_the_people_of_one_workspace)
{
    const char *ana, *ana_id = make_person(t, "Ana", "member", &ana),
                     *elsewhere = token_elsewhere(t, "owner");

    t->as = ana;
    say(t, 1, "chat", NULL, "here");
    t->as = elsewhere;
    list(t);
    CHECK_COUNT("people", 0);
    t->as = t->agent;
    call(t, "presence_list", "{}");
    CHECK_STATUS(403);
    call(t, "presence_say", "{s:s, s:s}", "tab", tab(t, 1), "page", "chat");
    CHECK_STATUS(403);
    t->as = "";
    call(t, "presence_list", "{}");
    CHECK_STATUS(401);
    /* Whoever is no longer in the workspace is no longer listed, whatever a tab said a moment ago. */
    t->as = t->owner;
    list(t);
    CHECK_COUNT("people", 1);
    call(t, "user_delete", "{s:s}", "id", ana_id);
    CHECK_STATUS(204);
    list(t);
    CHECK_COUNT("people", 0);
}

CONTRACT(presence_refuses_what_makes_no_sense)
{
    call(t, "presence_say", "{s:s, s:s}", "tab", tab(t, 1), "page", "question");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "subject");
    call(t, "presence_say", "{s:s, s:s, s:s}", "tab", tab(t, 1), "page", "chat", "subject", "x");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "subject");
    call(t, "presence_say", "{s:s, s:s}", "tab", "one", "page", "chat");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "tab");
    call(t, "presence_say", "{s:s, s:s}", "tab", tab(t, 1), "page", "cellar");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "page");
    assert_int_equal(count_rows(t, "presence WHERE workspace_id = '%s'", t->workspace), 0);
}

CONTRACT(presence_says_when_agents_with_a_token_were_heard)
{
    const char *builder = token_for(t, "agent", "Builder");

    list(t);
    CHECK_COUNT("agents", 0); /* nothing was heard of it yet */
    t->as = builder;
    call(t, "me_get", "{}");
    CHECK_STATUS(200);
    advance(t, 0);
    t->as = t->owner;
    for (int i = 0; i < 200; i++) {
        list(t);
        if (json_array_size(at(t, "agents")) == 1)
            break;
        advance(t, 0);
    }
    CHECK_TEXT("agents.0.name", "Builder");
}
