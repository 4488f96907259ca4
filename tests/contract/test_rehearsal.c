/* A rehearsal is made of real rows, in a workspace of its own, calls no model, and goes as a whole. */
#include "base/limits.h"
#include "base/uuid.h"
#include "council.h"
#include "questions.h"

/* Somebody who is logged in here as an owner: tokens have no part in another workspace. */
static void log_in(struct t *t)
{
    t->as = session_for(t, make_user(t, "Maya", "owner"));
}

static int64_t rows_in(struct t *t, const char *table, const char *workspace)
{
    return count_rows(t, "%s WHERE workspace_id = '%s'", table, workspace);
}

CONTRACT(rehearsal_discusses_asks_the_squad_and_asks_for_an_approval)
{
    const char *workspace;

    log_in(t);
    call(t, "rehearsal_begin", "{}");
    CHECK_STATUS(201);
    CHECK_TEXT("workspace.name", "Rehearsal");
    workspace = text_at(t, "workspace.id");
    assert_int_equal(rows_in(t, "agent_templates", workspace), 3);
    assert_int_equal(
        count_rows(t, "discussion_state WHERE workspace_id = '%s' AND status = 'active'", workspace), 1);
    assert_int_equal(
        count_rows(t, "discussion_prompts WHERE workspace_id = '%s' AND status = 'collecting'", workspace),
        1);
    assert_int_equal(
        count_rows(t, "squad_chat WHERE workspace_id = '%s' AND message_type = 'discussion_response'",
                   workspace),
        2);
    assert_int_equal(
        count_rows(t, "agent_questions WHERE workspace_id = '%s' AND status = 'pending'", workspace), 1);
    /* Nothing of it stands here. */
    assert_int_equal(rows_in(t, "agent_questions", t->workspace), 0);
    assert_int_equal(rows_in(t, "discussion_state", t->workspace), 0);
    call(t, "me_get", "{}");
    CHECK_FALSE("rehearsal");
    CHECK_COUNT("workspaces", 2);
}

CONTRACT(rehearsal_is_there_once_and_goes_as_a_whole)
{
    const char *first, *second;

    log_in(t);
    call(t, "rehearsal_remove", "{}");
    CHECK_STATUS(404);
    call(t, "rehearsal_begin", "{}");
    first = text_at(t, "workspace.id");
    call(t, "rehearsal_begin", "{}");
    CHECK_STATUS(201);
    second = text_at(t, "workspace.id");
    assert_int_equal(count_rows(t, "workspaces WHERE id = '%s'", first), 0);
    call(t, "rehearsal_remove", "{}");
    CHECK_STATUS(204);
    assert_int_equal(count_rows(t, "workspaces WHERE id = '%s'", second), 0);
    assert_int_equal(rows_in(t, "squad_chat", second), 0);
    assert_int_equal(rows_in(t, "jobs", second), 0);
    call(t, "me_get", "{}");
    CHECK_STATUS(200);
    CHECK_COUNT("workspaces", 1);
}

/* However many workspaces its owner has. */
CONTRACT(rehearsal_goes_from_behind_a_page_of_workspaces)
{
    const char *maya = make_user(t, "Maya", "owner"), *behind, *mark = uuid_new(&t->arena);

    t->as = session_for(t, maya);
    call(t, "rehearsal_begin", "{}");
    behind = text_at(t, "workspace.id");
    outside_sql(t,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
                "INSERT INTO workspaces (id, slug, name, created_at) "
                "SELECT 'ffff-%s-' || i, 'page-%s-' || i, 'Page', 1 FROM n",
                LIMIT_PAGE, mark, mark);
    outside_sql(t,
                "INSERT INTO members (workspace_id, user_id, role, created_at) "
                "SELECT id, '%s', 'owner', 1 FROM workspaces WHERE slug LIKE 'page-%s-%%'",
                maya, mark);
    call(t, "rehearsal_remove", "{}");
    CHECK_STATUS(204);
    assert_int_equal(count_rows(t, "workspaces WHERE id = '%s'", behind), 0);
    assert_int_equal(count_rows(t, "workspaces WHERE slug LIKE 'page-%s-%%'", mark), LIMIT_PAGE);
    outside_sql(t, "DELETE FROM workspaces WHERE slug LIKE 'page-%s-%%'", mark);
}

CONTRACT(rehearsal_removes_no_workspace_of_work_and_nobody_elses)
{
    const char *maya, *theirs, *research;

    log_in(t);
    maya = t->as;
    call(t, "workspace_create", "{s:s, s:s}", "name", "Research", "slug",
         arena_format(&t->arena, "research-%.8s-%d", t->workspace + 28, (int)t->door));
    CHECK_STATUS(201);
    research = text_at(t, "id");
    call(t, "rehearsal_begin", "{}");
    CHECK_STATUS(201);
    theirs = text_at(t, "workspace.id");
    t->as = t->owner;
    t->as = session_for(t, make_user(t, "Noor", "owner"));
    call(t, "rehearsal_remove", "{}");
    CHECK_STATUS(404);
    call(t, "rehearsal_begin", "{}");
    CHECK_STATUS(201);
    assert_int_equal(count_rows(t, "workspaces WHERE id = '%s'", theirs), 1);
    call(t, "rehearsal_remove", "{}");
    CHECK_STATUS(204);
    t->as = maya;
    call(t, "rehearsal_remove", "{}");
    CHECK_STATUS(204);
    assert_int_equal(count_rows(t, "workspaces WHERE id = '%s'", theirs), 0);
    call(t, "workspace_delete", "{s:s}", "id", research);
    CHECK_STATUS(204);
}

/* Or an admin could have the owner remove a workspace of work with the next rehearsal. */
CONTRACT(rehearsal_is_no_setting)
{
    const char *workspace;

    log_in(t);
    call(t, "workspace_update", "{s:s, s:{s:b}}", "id", t->workspace, "settings", "rehearsal", 1);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "settings");
    call(t, "workspace_create", "{s:s, s:{s:b}}", "name", "Research", "settings", "rehearsal", 1);
    CHECK_STATUS(400);
    call(t, "rehearsal_remove", "{}");
    CHECK_STATUS(404);
    call(t, "rehearsal_begin", "{}");
    workspace = text_at(t, "workspace.id");
    call(t, "workspace_update", "{s:s, s:{}}", "id", workspace, "settings");
    CHECK_STATUS(400);
    call(t, "workspace_update", "{s:s, s:{s:b, s:s}}", "id", workspace, "settings", "rehearsal", 1, "colour",
         "red");
    CHECK_STATUS(200);
    call(t, "rehearsal_remove", "{}");
    CHECK_STATUS(204);
}

CONTRACT(rehearsal_is_not_for_tokens)
{
    call(t, "rehearsal_begin", "{}");
    CHECK_STATUS(403);
    assert_non_null(strstr(t->text, "witan login"));
    call(t, "rehearsal_remove", "{}");
    CHECK_STATUS(403);
}
