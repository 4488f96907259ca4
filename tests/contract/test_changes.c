/*
 * Who comes in, what may speak and what is asked by name: each change tells its id and no more, so that
 * whoever shows it looks again.
 */
#include "contract.h"
#include "questions.h"

/* Events of a type in this workspace whose data is exactly {"member":"id"}. */
static int64_t told(struct t *t, const char *type, const char *member, const char *id)
{
    return count_rows(t, "events WHERE type = '%s' AND workspace_id = '%s' AND data = '{\"%s\":\"%s\"}'",
                      type, t->workspace, member, id);
}

/* In one workspace, to one person alone. */
static int64_t told_to(struct t *t, const char *workspace_id, const char *user_id)
{
    return count_rows(
        t,
        "events WHERE type = 'workspace.changed' AND workspace_id = '%s' AND audience = 'user:%s' AND data = "
        "'{}'",
        workspace_id, user_id);
}

CONTRACT(user_changes_are_told_without_what_they_are)
{
    const char *id = make_user(t, "Maya", "member");

    assert_int_equal(told(t, "user.changed", "userId", id), 1);
    call(t, "user_update", "{s:s, s:s}", "id", id, "role", "viewer");
    CHECK_STATUS(200);
    assert_int_equal(told(t, "user.changed", "userId", id), 2);
    assert_int_equal(told_to(t, t->workspace, id), 1); /* what she may do is another matter now */
    call(t, "user_update", "{s:s, s:b}", "id", id, "disabled", 1);
    CHECK_STATUS(200);
    assert_int_equal(told(t, "user.changed", "userId", id), 3);
    call(t, "user_update", "{s:s, s:s}", "id", id, "password", "another long password");
    CHECK_STATUS(200);
    assert_int_equal(told(t, "user.changed", "userId", id), 4);
    call(t, "user_update", "{s:s, s:s}", "id", id, "role", "emperor");
    CHECK_STATUS(400);
    call(t, "user_delete", "{s:s}", "id", id);
    CHECK_STATUS(204);
    assert_int_equal(told(t, "user.changed", "userId", id), 5);
    assert_int_equal(
        count_rows(t, "events WHERE type = 'user.changed' AND workspace_id = '%s'", t->workspace), 5);
}

CONTRACT(token_changes_are_told_without_the_secret)
{
    call(t, "token_create", "{s:s, s:s}", "name", "ci", "role", "agent");
    CHECK_STATUS(201);
    const char *id = text_at(t, "id");

    assert_int_equal(told(t, "token.changed", "tokenId", id), 1);
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(200);
    assert_int_equal(told(t, "token.changed", "tokenId", id), 2);
    call(t, "token_revoke", "{s:s}", "id", id);
    CHECK_STATUS(204);
    assert_int_equal(told(t, "token.changed", "tokenId", id), 3);
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(409);
    assert_int_equal(told(t, "token.changed", "tokenId", id), 3);
}

CONTRACT(agent_and_template_changes_are_told)
{
    call(t, "agent_create", "{s:s}", "name", "Scribe");
    CHECK_STATUS(201);
    const char *agent = text_at(t, "id");

    call(t, "agent_update", "{s:s, s:s}", "id", agent, "name", "Clerk");
    CHECK_STATUS(200);
    call(t, "agent_create", "{s:s}", "name", "clerk");
    CHECK_STATUS(409);
    assert_int_equal(told(t, "agent.changed", "agentId", agent), 2);
    call(t, "agent_delete", "{s:s}", "id", agent);
    assert_int_equal(told(t, "agent.changed", "agentId", agent), 3);

    call(t, "template_create", "{s:s, s:s}", "name", "deploy", "question", "Deploy?");
    CHECK_STATUS(201);
    const char *template = text_at(t, "id");

    call(t, "template_update", "{s:s, s:s}", "id", template, "question", "Deploy now?");
    CHECK_STATUS(200);
    call(t, "template_delete", "{s:s}", "id", template);
    assert_int_equal(told(t, "template.changed", "templateId", template), 3);
}

CONTRACT(workspace_changes_are_told_there_and_to_those_whose_list_they_change)
{
    const char *maya = make_user(t, "Maya", "owner"), *made;

    t->as = session_for(t, maya);
    call(t, "workspace_update", "{s:s, s:s}", "id", t->workspace, "name", "Another name");
    CHECK_STATUS(200);
    assert_int_equal(count_rows(t,
                                "events WHERE type = 'workspace.changed' AND workspace_id = '%s' AND data = "
                                "'{}' AND audience IS NULL",
                                t->workspace),
                     1);
    call(t, "workspace_create", "{s:s}", "name", "Side room");
    CHECK_STATUS(201);
    made = text_at(t, "id");
    assert_int_equal(told_to(t, t->workspace, maya), 1);
    assert_int_equal(told_to(t, made, maya), 1);
    call(t, "workspace_delete", "{s:s}", "id", made);
    CHECK_STATUS(204);
    assert_int_equal(told_to(t, t->workspace, maya), 2);
}

CONTRACT(viewer_sets_their_own_preferences_and_nobody_elses)
{
    const char *maya = make_user(t, "Maya", "owner"), *vera = make_user(t, "Vera", "viewer");

    t->as = session_for(t, maya);
    call(t, "preferences_put", "{s:{s:s}}", "preferences", "theme", "light");
    CHECK_STATUS(200);
    call(t, "token_create", "{s:s, s:s, s:s}", "name", "screen", "role", "viewer", "userId", maya);
    CHECK_STATUS(201);
    const char *screen = text_at(t, "secret");

    t->as = session_for(t, vera);
    call(t, "preferences_put", "{s:{s:s}}", "preferences", "theme", "dark");
    CHECK_STATUS(200);
    t->as = session_for(t, maya);
    call(t, "preferences_get", "{}");
    CHECK_TEXT("preferences.theme", "light");
    /* A token of hers is her, however little it may do. */
    t->as = screen;
    call(t, "preferences_put", "{s:{s:s}}", "preferences", "theme", "contrast");
    CHECK_STATUS(200);
    call(t, "agent_create", "{s:s}", "name", "Scribe");
    CHECK_STATUS(403);
    t->as = session_for(t, vera);
    call(t, "preferences_get", "{}");
    CHECK_TEXT("preferences.theme", "dark");
    /* One that is nobody's has none. */
    t->as = token_for(t, "viewer", NULL);
    call(t, "preferences_put", "{s:{s:s}}", "preferences", "theme", "dark");
    CHECK_STATUS(403);
}
