#include "questions.h"

static const char *ask_approval(struct t *t, const char *job, int need)
{
    const char *id = ask_in(t, job, "{s:s, s:s, s:s, s:i, s:{s:s, s:{s:i}}}", "question", "Create tickets?",
                            "type", "approval", "responseType", "approval", "requiredApprovals", need,
                            "action", "name", "create_tickets", "args", "count", 5);

    CHECK_STATUS(201);
    return id;
}

static int approve(struct t *t, const char *id, const char *as)
{
    t->as = as;
    return answer(t, id, "{s:s, s:b}", "type", "approval", "value", 1);
}

CONTRACT(question_is_answered_by_people_only)
{
    const char *id = ask_text(t, make_job(t));

    t->as = t->agent;
    answer_text(t, id, "I am one");
    CHECK_STATUS(403);
    t->as = token_for(t, "member", "Builder"); /* a member's token that speaks as an agent */
    answer_text(t, id, "I am one");
    CHECK_STATUS(403);
    call(t, "question_answer_batch", "{s:[{s:s, s:{s:s}}]}", "answers", "id", id, "response", "value", "Me");
    CHECK_STATUS(403);
    call(t, "question_link", "{s:s}", "id", id);
    CHECK_STATUS(403);
    call(t, "question_draft", "{s:s}", "id", id);
    CHECK_STATUS(403);
    t->as = t->viewer;
    answer_text(t, id, "Just looking");
    CHECK_STATUS(403);
    t->as = t->member;
    answer_text(t, id, "A person");
    CHECK_STATUS(200);
}

CONTRACT(question_agents_drive_their_own_jobs)
{
    const char *job = make_job(t);

    t->as = token_for(t, "agent", "Growth");
    ask_in(t, job, "{s:s, s:s, s:s}", "question", "Q", "type", "blocking", "responseType", "text");
    CHECK_STATUS(403);
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "completed");
    CHECK_STATUS(403);
    t->as = token_for(t, "agent", "builder");
    ask_text(t, job);
}

CONTRACT(approval_needs_several_different_people)
{
    const char *job = make_job(t), *id = ask_approval(t, job, 2);

    approve(t, id, t->owner);
    CHECK_STATUS(200);
    CHECK_FALSE("jobResumed");
    CHECK_INT("approvals.have", 1);
    CHECK_INT("approvals.need", 2);
    CHECK_TRUE("approvals.counted");
    assert_null(text_at(t, "approvals.why"));
    approve(t, id, t->owner);
    CHECK_STATUS(200);
    CHECK_FALSE("jobResumed");
    CHECK_INT("approvals.have", 1);
    CHECK_FALSE("approvals.counted");
    assert_non_null(strstr(text_at(t, "approvals.why"), "before"));
    check_job(t, job, "waiting_for_approval");
    approve(t, id, t->admin);
    CHECK_TRUE("jobResumed");
    CHECK_INT("approvals.have", 2);
    CHECK_TRUE("approvals.counted");
    check_job(t, job, "running");
    show(t, id);
    CHECK_TRUE("question.response.value");
    CHECK_COUNT("question.approvals.by", 2);
    CHECK_TEXT("question.approvals.by.0.by", "owner");
    CHECK_TEXT("question.outcome.by", "admin");
}

CONTRACT(approval_ends_with_one_rejection)
{
    const char *job = make_job(t), *id = ask_approval(t, job, 3);

    approve(t, id, t->owner);
    t->as = t->member;
    answer(t, id, "{s:b, s:s}", "value", 0, "text", "Too many");
    CHECK_STATUS(200);
    CHECK_TRUE("jobResumed");
    show(t, id);
    CHECK_FALSE("question.response.value");
    CHECK_TEXT("question.response.text", "Too many");
    check_job(t, job, "running");
}

CONTRACT(approval_keeps_proposed_and_edited_args)
{
    const char *id = ask_approval(t, make_job(t), 1);

    answer(t, id, "{s:b, s:{s:i}}", "value", 0, "args", "count", 3);
    CHECK_STATUS(400);
    /* A slip of the pen must not approve what was proposed. */
    answer(t, id, "{s:b, s:{s:i}}", "value", 1, "arg", "count", 3);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "response.arg");
    answer(t, id, "{s:b, s:{s:i}}", "value", 1, "args", "count", 3);
    CHECK_STATUS(200);
    show(t, id);
    CHECK_INT("question.action.args.count", 5);
    CHECK_INT("question.response.args.count", 3);
    CHECK_INT("question.approvedArgs.count", 3);
}

CONTRACT(approval_takes_only_args_that_its_action_takes)
{
    const char *schema = "{\"question\":\"Make them?\",\"type\":\"approval\",\"responseType\":\"approval\","
                         "\"action\":{\"name\":\"make\",\"args\":{\"count\":5},\"inputSchema\":%s}}";
    JSON_AUTO *good = json_loads(
        arena_format(&t->arena, schema,
                     "{\"properties\":{\"count\":{\"type\":\"integer\"}},\"additionalProperties\":false}"),
        0, NULL);
    JSON_AUTO *bad = json_loads(arena_format(&t->arena, schema, "{\"type\":7}"), 0, NULL);
    JSON_AUTO *none = json_loads(arena_format(&t->arena, schema, "true"), 0, NULL);

    call(t, "question_create", "O", bad);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "action");
    call(t, "question_create", "O", none);
    CHECK_STATUS(400);
    call(t, "question_create", "O", good);
    CHECK_STATUS(201);
    const char *id = text_at(t, "questionId");

    answer(t, id, "{s:b, s:{s:s}}", "value", 1, "args", "count", "3");
    CHECK_STATUS(400);
    assert_non_null(strstr(t->text, "at /count: "));
    answer(t, id, "{s:b, s:{s:i, s:i}}", "value", 1, "args", "count", 3, "more", 1);
    CHECK_STATUS(400);
    assert_non_null(strstr(t->text, "more"));
    show(t, id);
    CHECK_TEXT("question.status", "pending");
    answer(t, id, "{s:b, s:{s:i}}", "value", 1, "args", "count", 3);
    CHECK_STATUS(200);
}

CONTRACT(approval_of_other_args_starts_the_count_again)
{
    const char *id = ask_approval(t, make_job(t), 2);

    approve(t, id, t->owner);
    t->as = t->admin;
    answer(t, id, "{s:b, s:{s:i}}", "value", 1, "args", "count", 3);
    CHECK_STATUS(200);
    CHECK_FALSE("jobResumed");
    CHECK_INT("approvals.have", 1);
    /* Without args it may be the old ones that somebody means. */
    approve(t, id, t->owner);
    CHECK_STATUS(409);
    CHECK_TEXT("code", "args_changed");
    CHECK_INT("approvedArgs.count", 3);
    t->as = t->owner;
    answer(t, id, "{s:b, s:{s:i}}", "value", 1, "args", "count", 3);
    CHECK_TRUE("jobResumed");
    show(t, id);
    CHECK_INT("question.response.args.count", 3);
}

CONTRACT(approval_of_the_requester_does_not_count)
{
    const char *maya = make_user(t, "Maya", "member"), *session = session_for(t, maya), *id;
    const char *job = make_job(t);

    t->as = session;
    id = ask_approval(t, job, 1);
    show(t, id);
    CHECK_TEXT("question.requestedBy", maya);
    approve(t, id, session);
    CHECK_STATUS(200);
    CHECK_FALSE("jobResumed");
    CHECK_INT("approvals.have", 0);
    CHECK_FALSE("approvals.counted");
    assert_non_null(strstr(text_at(t, "approvals.why"), "You asked for this yourself"));
    answer(t, id, "{s:b, s:{s:i}}", "value", 1, "args", "count", 99);
    CHECK_STATUS(200);
    CHECK_INT("approvals.have", 0);
    CHECK_FALSE("approvals.counted");
    call(t, "question_answer_batch", "{s:[{s:s, s:{s:b}}]}", "answers", "id", id, "response", "value", 1);
    CHECK_STATUS(200);
    CHECK_TEXT("results.0.status", "pending");
    assert_non_null(strstr(text_at(t, "results.0.error"), "You asked for this yourself"));
    approve(t, id, t->owner);
    CHECK_TRUE("jobResumed");
    show(t, id);
    CHECK_NULL("question.approvedArgs");
}

/* A yes that would not have been enough in time is not enough by being late. */
CONTRACT(question_late_yes_of_one_does_not_stand_for_several)
{
    const char *id = ask_approval(t, make_job(t), 2);

    advance(t, 16 * MINUTE);
    approve(t, id, t->admin);
    CHECK_STATUS(409);
    assert_null(text_at(t, "hint"));
    t->as = t->owner;
    call(t, "question_restart", "{s:s}", "id", id);
    CHECK_STATUS(409);
    t->as = t->member;
    answer(t, id, "{s:b, s:s}", "value", 0, "text", "Never");
    t->as = t->owner;
    call(t, "question_restart", "{s:s}", "id", id);
    CHECK_STATUS(201);
    check_job(t, text_at(t, "jobId"), "pending");
    CHECK_FALSE("answer.response.value");
    /* Nor where it is asked as something else that several have to approve. */
    call(t, "question_create", "{s:s, s:s, s:s, s:i}", "question", "Try again?", "type", "error_recovery",
         "responseType", "approval", "requiredApprovals", 2);
    CHECK_STATUS(201);
    id = text_at(t, "questionId");
    advance(t, 24 * 60 * MINUTE);
    approve(t, id, t->admin);
    CHECK_STATUS(409);
    assert_null(text_at(t, "hint"));
    t->as = t->owner;
    call(t, "question_restart", "{s:s}", "id", id);
    CHECK_STATUS(409);
}

CONTRACT(question_may_be_assigned_or_need_a_role)
{
    const char *maya = make_user(t, "Maya", "member"), *session = session_for(t, maya), *id;

    id = ask_in(t, make_job(t), "{s:s, s:s, s:s, s:s}", "question", "Q", "type", "blocking", "responseType",
                "text", "assignedTo", maya);
    CHECK_STATUS(201);
    answer_text(t, id, "As owner");
    CHECK_STATUS(403);
    t->as = session;
    answer_text(t, id, "As Maya");
    CHECK_STATUS(200);
    show(t, id);
    CHECK_TEXT("question.assignedTo", maya);
    CHECK_TEXT("question.respondedBy", maya);

    t->as = t->owner;
    id = ask_in(t, make_job(t), "{s:s, s:s, s:s, s:s}", "question", "Q", "type", "blocking", "responseType",
                "text", "requiredRole", "admin");
    t->as = t->member;
    answer_text(t, id, "As member");
    CHECK_STATUS(403);
    t->as = t->admin;
    answer_text(t, id, "As admin");
    CHECK_STATUS(200);
}

static const char *make_project(struct t *t, const char *settings)
{
    const char *id = arena_format(&t->arena, "01890000-0000-7000-8000-%.12s", t->workspace + 24);

    outside_sql(t,
                "INSERT INTO projects (id, workspace_id, name, settings, created_at) "
                "VALUES ('%s', '%s', 'P', '%s', 1)",
                id, t->workspace, settings);
    return id;
}

CONTRACT(question_of_a_project_is_answered_by_those_it_names)
{
    const char *maya = make_user(t, "Maya", "member"), *session = session_for(t, maya), *project, *job, *id;

    project = make_project(t, arena_format(&t->arena, "{\"answerers\":[\"%s\"]}", maya));
    call(t, "job_create", "{s:s, s:s}", "projectId", project, "status", "running");
    CHECK_STATUS(201);
    job = text_at(t, "id");
    id = ask_text(t, job);
    answer_text(t, id, "As owner");
    CHECK_STATUS(403);
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 0);
    t->as = session;
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 1);
    call(t, "question_pending", "{s:s, s:s}", "workspaceId", t->workspace, "projectId", project);
    CHECK_COUNT("questions", 1);
    answer_text(t, id, "As Maya");
    CHECK_STATUS(200);
}

CONTRACT(question_stands_in_the_inbox_until_it_ends)
{
    const char *maya = session_for(t, make_user(t, "Maya", "member")), *job = make_job(t),
               *id = ask_text(t, job);
    const char *notification;

    ask_in(t, job, "{s:s, s:s, s:s, s:{s:b}}", "question", "Logs?", "type", "non_blocking", "responseType",
           "boolean", "defaultResponse", "value", 0);
    t->as = maya;
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 2);
    CHECK_TEXT("notifications.0.priority", "low");
    CHECK_TEXT("notifications.1.priority", "high");
    CHECK_TEXT("notifications.1.ref.type", "question");
    CHECK_TEXT("notifications.1.ref.id", id);
    CHECK_FALSE("notifications.1.read");
    notification = text_at(t, "notifications.1.id");
    call(t, "notification_pending_count", "{}");
    CHECK_INT("count", 2);
    call(t, "notification_read", "{s:s}", "id", notification);
    CHECK_STATUS(200);
    CHECK_TRUE("notification.read");
    call(t, "notification_pending_count", "{}"); /* read, but not answered: it waits */
    CHECK_INT("count", 2);
    call(t, "notification_list", "{s:b}", "unread", 1);
    CHECK_COUNT("notifications", 1);
    t->as = t->admin; /* another person has not read it */
    call(t, "notification_list", "{s:b}", "unread", 1);
    CHECK_COUNT("notifications", 2);
    call(t, "notification_read_all", "{}");
    CHECK_INT("count", 2);
    call(t, "notification_pending_count", "{}");
    CHECK_INT("count", 2);
    t->as = t->viewer; /* cannot answer, so is not asked */
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 0);
    call(t, "notification_read", "{s:s}", "id", notification);
    CHECK_STATUS(404);
    t->as = t->owner;
    answer_text(t, id, "Done");
    t->as = maya;
    call(t, "notification_list", "{}");
    CHECK_TRUE("notifications.1.resolved");
    assert_int_equal(
        count_rows(t, "events WHERE subject = '%s' AND type = 'notification.resolved'", notification), 1);
}

CONTRACT(template_asks_what_it_says)
{
    const char *job = make_job(t), *id, *own;

    call(t, "template_list", "{}");
    CHECK_COUNT("templates", 3);
    CHECK_TRUE("templates.0.builtIn");
    ask_in(t, job, "{s:s}", "template", "persona");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "template");
    call(t, "workspace_update", "{s:s, s:{s:[s, {s:s, s:s}], s:[{s:s, s:s, s:s}]}}", "id", t->workspace,
         "settings", "personas", "Admins", "name", "Buyers", "id", "buyers", "integrations", "id", "linear",
         "name", "Linear", "apiKey", "secret");
    CHECK_STATUS(200);
    id = ask_in(t, job, "{s:s}", "template", "Persona");
    CHECK_STATUS(201);
    show(t, id);
    CHECK_TEXT("question.type", "blocking");
    CHECK_COUNT("question.options", 2);
    CHECK_TEXT("question.options.1.label", "Buyers");
    CHECK_TEXT("question.options.1.value", "buyers");
    id = ask_in(t, job, "{s:s}", "template", "integration");
    show(t, id);
    CHECK_TEXT("question.options.0.value", "linear");
    assert_null(strstr(t->text, "secret"));
    id = ask_in(t, job, "{s:s, s:{s:s}}", "template", "tickets", "context", "preview", "Five tickets");
    show(t, id);
    CHECK_TEXT("question.type", "approval");
    CHECK_TEXT("question.responseType", "boolean");
    CHECK_TEXT("question.context.preview", "Five tickets");

    call(t, "template_create", "{s:s, s:s, s:s, s:s}", "name", "Persona", "question", "For whom?", "type",
         "blocking", "responseType", "text");
    CHECK_STATUS(201);
    own = text_at(t, "id");
    call(t, "template_create", "{s:s}", "name", "persona");
    CHECK_STATUS(409);
    call(t, "template_update", "{s:s, s:s}", "id", own, "question", "For whom, please?");
    CHECK_STATUS(200);
    CHECK_TEXT("responseType", "text");
    id = ask_in(t, job, "{s:s}", "template", "persona");
    show(t, id);
    CHECK_TEXT("question.question", "For whom, please?");
    CHECK_TEXT("question.template", "persona");
    call(t, "template_delete", "{s:s}", "id", own);
    CHECK_STATUS(204);
    call(t, "template_get", "{s:s}", "id", own);
    CHECK_STATUS(404);
    call(t, "template_delete", "{s:s}", "id", "persona");
    CHECK_STATUS(409);
}
