/* Rows of lists say what they are about, by the name that it has now. */
#include "council.h"
#include "project_steps.h"
#include "questions.h"

/* The newest row of an operation; on PostgreSQL rows are numbered a moment after their commit. */
static void newest(struct t *t, const char *operation)
{
    advance(t, 0);
    call(t, "audit_list", "{s:s, s:i}", "operation", operation, "limit", 1);
    CHECK_STATUS(200);
    CHECK_COUNT("entries", 1);
}

static void check_about(struct t *t, const char *operation, const char *kind, const char *id,
                        const char *name)
{
    newest(t, operation);
    CHECK_TEXT("entries.0.about.kind", kind);
    CHECK_TEXT("entries.0.about.id", id);
    CHECK_TEXT("entries.0.about.name", name);
}

CONTRACT(audit_rows_name_what_was_acted_on)
{
    const char *question, *alone, *job, *project = make_project(t), *task, *token, *discussion;

    call(t, "job_create", "{s:s, s:s, s:{s:s}}", "agent", "Builder", "kind", "release", "input", "title",
         "Release 2.4");
    job = text_at(t, "id");
    check_about(t, "job_create", "job", job, "Release 2.4");
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "running");
    check_about(t, "job_update", "job", job, "Release 2.4");
    call(t, "question_ask", "{s:s, s:s, s:s, s:s}", "id", job, "question", "Deploy it?", "type", "approval",
         "responseType", "approval");
    question = text_at(t, "questionId");
    check_about(t, "question_ask", "question", question, "Deploy it?");
    call(t, "question_create", "{s:s, s:s, s:s}", "question", "Which way?", "type", "blocking",
         "responseType", "text");
    call(t, "question_get", "{s:s}", "id", text_at(t, "questionId"));
    alone = text_at(t, "question.jobId");
    call(t, "job_cancel", "{s:s}", "id", alone);
    check_about(t, "job_cancel", "job", alone, "Which way?");
    task = make_task(t, project, "Write it");
    check_about(t, "task_create", "task", task, "Write it");
    CHECK_TEXT("entries.0.about.projectId", project);
    call(t, "token_create", "{s:s, s:s}", "name", "nightly", "role", "agent");
    token = text_at(t, "id");
    call(t, "token_revoke", "{s:s}", "id", token);
    check_about(t, "token_revoke", "token", token, "nightly");
    make_external_agent(t, "Eve", "critic");
    call(t, "discussion_create", "{s:s, s:s, s:i, s:[{s:s}]}", "topic", "Which colour?", "mode", "rounds",
         "rounds", 1, "participants", "agentName", "Eve");
    discussion = text_at(t, "discussion.id");
    check_about(t, "discussion_create", "discussion", discussion, "Which colour?");
    call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Dev", "prompt_message", "Cache or not?");
    check_about(t, "prompt_create", "prompt", text_at(t, "prompt.id"), "Cache or not?");
}

CONTRACT(audit_rows_name_what_is_gone_as_its_maker_did)
{
    const char *project;

    call(t, "project_create", "{s:s}", "name", "Checkout");
    project = text_at(t, "id");
    check_about(t, "project_create", "project", project, "Checkout");
    call(t, "project_update", "{s:s, s:s}", "id", project, "name", "Till");
    check_about(t, "project_create", "project", project, "Till");
    call(t, "project_delete", "{s:s}", "id", project);
    CHECK_STATUS(204);
    newest(t, "project_create");
    CHECK_NULL("entries.0.about.kind");
    CHECK_NULL("entries.0.about.id");
    CHECK_TEXT("entries.0.about.name", "Checkout");
    newest(t, "project_delete");
    CHECK_TEXT("entries.0.subject", project);
    CHECK_NULL("entries.0.about");
}

/* An id that somebody guesses is not named to them. */
CONTRACT(audit_rows_name_nothing_of_other_workspaces)
{
    const char *token;

    t->as = token_elsewhere(t, "owner");
    call(t, "token_create", "{s:s, s:s}", "name", "theirs", "role", "agent");
    CHECK_STATUS(201);
    token = text_at(t, "id");
    t->as = t->owner;
    call(t, "token_revoke", "{s:s}", "id", token);
    CHECK_STATUS(404);
    advance(t, 0);
    call(t, "audit_list", "{s:s}", "subject", token);
    for (size_t i = 0; i < json_array_size(at(t, "entries")); i++)
        assert_true(json_is_null(json_object_get(json_array_get(at(t, "entries"), i), "about")));
}

CONTRACT(notifications_name_what_they_are_about)
{
    const char *maya = make_user(t, "Maya", "member"), *session = session_for(t, maya), *job, *discussion;

    t->as = session;
    call(t, "job_create", "{s:s, s:s, s:s, s:{s:s}}", "agent", "Builder", "kind", "release", "status",
         "running", "input", "title", "Release 2.4");
    job = text_at(t, "id");
    t->as = t->owner;
    call(t, "question_ask", "{s:s, s:s, s:s, s:s, s:s}", "id", job, "question", "Deploy it?", "type",
         "approval", "responseType", "approval", "assignedTo", maya);
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "completed");
    CHECK_STATUS(200);
    make_external_agent(t, "Eve", "critic");
    call(t, "discussion_create", "{s:s, s:s, s:i, s:[{s:s, s:s}, {s:s}]}", "topic", "Which colour?", "mode",
         "rounds", "rounds", 1, "participants", "role", "user", "userId", maya, "agentName", "Eve");
    CHECK_STATUS(201);
    discussion = text_at(t, "discussion.id");
    PLAY(t, { "", "", NULL, false });
    t->as = session;
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 3);
    CHECK_TEXT("notifications.0.kind", "turn");
    CHECK_TEXT("notifications.0.about.kind", "discussion");
    CHECK_TEXT("notifications.0.about.id", discussion);
    CHECK_TEXT("notifications.0.about.name", "Which colour?");
    CHECK_TEXT("notifications.1.kind", "completed");
    CHECK_TEXT("notifications.1.about.kind", "job");
    CHECK_TEXT("notifications.1.about.name", "Release 2.4");
    CHECK_TEXT("notifications.2.about.kind", "question");
    CHECK_TEXT("notifications.2.about.name", "Deploy it?");
    /* The turn is gone when it has been taken; what it was about is not. */
    call(t, "turn_take", "{s:s, s:s, s:s}", "id", discussion, "userId", maya, "content", "Blue.");
    CHECK_STATUS(201);
    call(t, "notification_list", "{}");
    CHECK_TRUE("notifications.0.resolved");
    CHECK_TEXT("notifications.0.about.name", "Which colour?");
    call(t, "notification_read", "{s:s}", "id", text_at(t, "notifications.0.id"));
    CHECK_TEXT("notification.about.name", "Which colour?");
}
