/* For whom a question is: said to whoever looks, kept by the rules, and changed by those who may. */
#include "project_steps.h"
#include "questions.h"

#include "base/limits.h"

static const char *ask_approval_as(struct t *t, const char *as)
{
    const char *id, *before = t->as;

    t->as = as;
    call(t, "question_create", "{s:s, s:s, s:s, s:i}", "question", "Ship it?", "type", "approval",
         "responseType", "approval", "timeoutMinutes", 60);
    CHECK_STATUS(201);
    id = text_at(t, "questionId");
    t->as = before;
    return id;
}

static const char *ask(struct t *t, const char *question, const char *member, const char *value)
{
    call(t, "question_create", "{s:s, s:s, s:s, s:i, s:s*}", "question", question, "type", "blocking",
         "responseType", "text", "timeoutMinutes", 60, member, value);
    CHECK_STATUS(201);
    return text_at(t, "questionId");
}

static int assign(struct t *t, const char *id, const char *to)
{
    return call(t, "question_assign", "{s:s, s:s}", "id", id, "to", to);
}

static void check_bar(struct t *t, const char *id, const char *bar, bool answers)
{
    show(t, id);
    CHECK_STATUS(200);
    if (bar)
        CHECK_TEXT("question.you.bar", bar);
    else
        CHECK_NULL("question.you.bar");
    assert_true(json_is_string(at(t, "question.you.reason")) == (bar != NULL));
    assert_true(json_is_true(at(t, "question.you.mayAnswer")) == answers);
    assert_true(json_is_true(at(t, "question.you.needed")) == !bar);
}

static int64_t need(struct t *t, int limit)
{
    call(t, "inbox_list", "{s:i}", "limit", limit);
    CHECK_STATUS(200);
    return int_at(t, "needYou");
}

CONTRACT(a_question_says_to_whoever_looks_whether_it_is_theirs)
{
    const char *ana = make_user(t, "Ana", "member"), *bo = make_user(t, "Bo", "member");
    const char *mine = session_for(t, ana), *other = session_for(t, bo);
    const char *for_ana = ask(t, "For Ana?", "assignedTo", ana);
    const char *for_admins = ask(t, "For admins?", "requiredRole", "admin");
    const char *for_all = ask(t, "For all?", "agent", "Builder"), *own = ask_approval_as(t, mine);

    t->as = mine;
    check_bar(t, for_ana, NULL, true);
    CHECK_TEXT("question.assignedTo", ana);
    assert_true(str_starts(text_at(t, "question.assignee"), "Ana-"));
    check_bar(t, for_admins, "role", false);
    check_bar(t, for_all, NULL, true);
    check_bar(t, own, "requester", true);
    CHECK_FALSE("question.you.yesCounts");
    assert_true(str_starts(text_at(t, "question.requester"), "Ana-"));
    assert_int_equal(need(t, 200), 2);
    t->as = other;
    check_bar(t, for_ana, "assigned", false);
    assert_non_null(strstr(text_at(t, "question.you.reason"), "Ana-"));
    check_bar(t, own, NULL, true);
    assert_int_equal(need(t, 200), 2);
    t->as = t->admin;
    check_bar(t, for_ana, "assigned", false);
    CHECK_TRUE("question.you.mayAssign");
    check_bar(t, for_admins, NULL, true);
    assert_int_equal(need(t, 200), 3);
    t->as = t->agent;
    check_bar(t, for_all, "agent", false);
    CHECK_FALSE("question.you.mayAssign");
    assert_int_equal(need(t, 200), 0);
    t->as = t->viewer;
    check_bar(t, for_all, "role", false);
    CHECK_FALSE("question.you.mayAssign");
}

/* What is said to somebody is what becomes of their answer, for every bar there is. */
CONTRACT(what_a_question_says_is_what_becomes_of_an_answer)
{
    const char *ana = make_user(t, "Ana", "member"), *session = session_for(t, ana);
    const char *project, *ids[6];
    size_t count = 0;

    ids[count++] = ask(t, "One?", "assignedTo", make_user(t, "Bo", "admin"));
    ids[count++] = ask(t, "Two?", "requiredRole", "owner");
    ids[count++] = ask(t, "Three?", "assignedTo", ana);
    call(t, "project_create", "{s:s, s:{s:[s]}}", "name", "Shop", "settings", "answerers", "owner");
    CHECK_STATUS(201);
    project = text_at(t, "id");
    ids[count++] = ask(t, "Four?", "projectId", project);
    ids[count++] = ask(t, "Five?", "agent", "Builder");
    for (size_t i = 0; i < count; i++) {
        bool may;

        t->as = session;
        show(t, ids[i]);
        may = json_is_true(at(t, "question.you.mayAnswer"));
        const char *reason = may ? NULL : text_at(t, "question.you.reason");

        answer_text(t, ids[i], "Yes");
        CHECK_STATUS(may ? 200 : 403);
        if (!may)
            CHECK_TEXT("error", reason);
    }
}

CONTRACT(two_approvals_need_two_people_and_the_first_no_more)
{
    const char *ana = session_for(t, make_user(t, "Ana", "member")), *id;

    call(t, "question_create", "{s:s, s:s, s:s, s:i}", "question", "Ship it?", "type", "approval",
         "responseType", "approval", "requiredApprovals", 2);
    id = text_at(t, "questionId");
    t->as = ana;
    check_bar(t, id, NULL, true);
    answer(t, id, "{s:b}", "value", 1);
    CHECK_STATUS(200);
    check_bar(t, id, "approved", true);
    assert_int_equal(need(t, 200), 0);
    assert_int_equal(need(t, 1), 0);
    t->as = t->member;
    check_bar(t, id, NULL, true);
}

CONTRACT(a_token_that_asked_is_told_that_it_cannot_consent)
{
    const char *id = ask_approval_as(t, t->member);

    t->as = t->member;
    check_bar(t, id, "token", true);
    answer(t, id, "{s:b}", "value", 1);
    CHECK_STATUS(403);
    CHECK_TEXT("error", "This token asked for the approval and cannot give it itself.");
}

CONTRACT(a_question_is_handed_over_and_given_back)
{
    const char *ana = make_user(t, "Ana", "member"), *bo = make_user(t, "Bo", "member");
    const char *anas = session_for(t, ana), *bos = session_for(t, bo), *job = make_job(t),
               *id = ask_text(t, job);

    t->as = bos; /* any member who may answer it */
    call(t, "question_assign", "{s:s, s:s, s:s}", "id", id, "to", ana, "note", "You know them.");
    CHECK_STATUS(200);
    CHECK_TEXT("question.assignedTo", ana);
    CHECK_TEXT("question.handover.note", "You know them.");
    CHECK_TEXT("question.handover.id", bo);
    CHECK_TEXT("question.you.bar", "assigned");
    CHECK_FALSE("question.you.mayAssign");
    assert_int_equal(count_events(t, job, "question_assigned"), 1);
    answer_text(t, id, "Mine");
    CHECK_STATUS(403);
    assign(t, id, bo); /* not to be taken away */
    CHECK_STATUS(403);
    call(t, "question_unassign", "{s:s}", "id", id);
    CHECK_STATUS(403);
    t->as = anas;
    call(t, "notification_list", "{s:b}", "unread", 1);
    CHECK_COUNT("notifications", 1);
    assign(t, id, bo);
    CHECK_STATUS(200);
    CHECK_NULL("question.handover.note");
    call(t, "notification_list", "{s:b}", "unread", 1);
    CHECK_COUNT("notifications", 0);
    assign(t, id, ana);
    CHECK_STATUS(403);
    t->as = t->admin;
    call(t, "question_unassign", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_NULL("question.assignedTo");
    CHECK_NULL("question.assignee");
    t->as = anas;
    call(t, "notification_list", "{s:b}", "unread", 1);
    CHECK_COUNT("notifications", 1);
    assert_int_equal(count_events(t, job, "question_assigned"), 3);
    call(t, "question_unassign", "{s:s}", "id", id); /* once more is no news */
    CHECK_STATUS(200);
    assert_int_equal(count_events(t, job, "question_assigned"), 3);
    answer_text(t, id, "Mine after all");
    CHECK_STATUS(200);
    assign(t, id, bo);
    CHECK_STATUS(409);
    assert_int_equal(count_rows(t, "job_logs WHERE job_id = '%s' AND kind = 'assigned'", job), 3);
    assert_int_equal(count_rows(t, "audit WHERE subject = '%s' AND operation LIKE 'question_%%assign'", id),
                     4);
}

CONTRACT(a_question_is_given_only_to_who_can_answer_it)
{
    const char *ana = make_user(t, "Ana", "member"), *viewer = make_user(t, "Vi", "viewer"),
               *gone = make_user(t, "Gone", "member");
    const char *for_admins = ask(t, "For admins?", "requiredRole", "admin"),
               *id = ask(t, "Any?", "agent", "B");
    const char *own = ask_approval_as(t, session_for(t, ana)), *two, *project, *theirs;

    assign(t, for_admins, ana);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "to");
    assign(t, id, viewer);
    CHECK_STATUS(400);
    assign(t, id, "Nobody of that name");
    CHECK_STATUS(400);
    call(t, "user_update", "{s:s, s:b}", "id", gone, "disabled", 1);
    CHECK_STATUS(200);
    assign(t, id, gone);
    CHECK_STATUS(400);
    assign(t, own, ana);
    CHECK_STATUS(400);
    call(t, "question_create", "{s:s, s:s, s:s, s:i}", "question", "Ship it?", "type", "approval",
         "responseType", "approval", "requiredApprovals", 2);
    two = text_at(t, "questionId");
    assign(t, two, ana);
    CHECK_STATUS(400);
    call(t, "project_create", "{s:s, s:{s:[s]}}", "name", "Shop", "settings", "answerers", "owner");
    project = text_at(t, "id");
    theirs = ask(t, "In the shop?", "projectId", project);
    assign(t, theirs, ana);
    CHECK_STATUS(400);
    show(t, id);
    CHECK_NULL("question.assignedTo");
    /* And nobody is offered who would be refused. */
    call(t, "question_people", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_COUNT("people", 1);
    CHECK_TEXT("people.0.id", ana);
    call(t, "question_people", "{s:s, s:s}", "id", id, "name", "Zebra");
    CHECK_COUNT("people", 0);
    call(t, "question_people", "{s:s}", "id", for_admins);
    CHECK_COUNT("people", 0);
    call(t, "question_people", "{s:s}", "id", theirs);
    CHECK_COUNT("people", 0);
    call(t, "question_people", "{s:s}", "id", two);
    CHECK_COUNT("people", 0);
    /* Who belongs to a workspace is nothing for a token that is bound to a project. */
    t->as = token_bound(t, "owner", NULL, project);
    call(t, "question_people", "{s:s}", "id", theirs);
    CHECK_STATUS(403);
    t->as = t->owner;
    /* Nor can it be asked like that from the start. */
    call(t, "question_create", "{s:s, s:s, s:s, s:s, s:s}", "question", "Q", "type", "blocking",
         "responseType", "text", "assignedTo", ana, "requiredRole", "admin");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "assignedTo");
    call(t, "question_create", "{s:s, s:s, s:s, s:s, s:i}", "question", "Q", "type", "approval",
         "responseType", "approval", "assignedTo", ana, "requiredApprovals", 2);
    CHECK_STATUS(400);
    call(t, "question_create", "{s:s, s:s, s:s, s:s, s:s}", "question", "Q", "type", "approval",
         "responseType", "approval", "assignedTo", ana, "requestedBy", ana);
    CHECK_STATUS(400);
}

CONTRACT(a_link_ends_with_the_right_of_who_made_it)
{
    const char *ana = make_user(t, "Ana", "member"), *bo = make_user(t, "Bo", "member");
    const char *id = ask(t, "Whose?", "assignedTo", ana);

    t->as = session_for(t, ana);
    call(t, "question_link", "{s:s}", "id", id);
    if (t->door == DOOR_TABLE)
        return; /* which has no address to lead to */
    CHECK_STATUS(201);
    const char *secret = text_at(t, "link");

    assign(t, id, bo);
    CHECK_STATUS(200);
    t->as = "";
    call(t, "link_open", "{s:s, s:s}", "id", id, "link", secret);
    CHECK_STATUS(204);
    t->as = t->cookie;
    answer_text(t, id, "By the link");
    CHECK_STATUS(403);
}

/* Snoozing */

static int snooze(struct t *t, const char *id, double minutes)
{
    return call(t, "question_snooze", "{s:s, s:f}", "id", id, "minutes", minutes);
}

CONTRACT(a_snooze_is_ones_own_and_ends_by_itself)
{
    const char *ana = session_for(t, make_user(t, "Ana", "member")), *id = ask(t, "Later?", "agent", "B");

    t->as = ana;
    assert_int_equal(need(t, 200), 1);
    snooze(t, id, 10);
    CHECK_STATUS(200);
    show(t, id);
    CHECK_FALSE("question.you.needed");
    CHECK_TRUE("question.you.yesCounts");
    assert_true(json_is_string(at(t, "question.you.snoozedUntil")));
    assert_int_equal(need(t, 200), 0);
    CHECK_COUNT("items", 1);
    assert_true(json_is_string(at(t, "items.0.you.snoozedUntil")));
    t->as = t->member; /* to whom it is as it was */
    assert_int_equal(need(t, 200), 1);
    t->as = ana;
    advance(t, 10 * MINUTE + 1);
    assert_int_equal(need(t, 200), 1);
    show(t, id);
    CHECK_NULL("question.you.snoozedUntil");
    snooze(t, id, 10);
    call(t, "question_wake", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_NULL("snoozedUntil");
    assert_int_equal(need(t, 200), 1);
    answer_text(t, id, "Now");
    CHECK_STATUS(200);
    snooze(t, id, 10);
    CHECK_STATUS(409);
}

CONTRACT(a_deadline_that_is_near_wakes)
{
    const char *id = ask(t, "Soon?", "agent", "B"), *until; /* in an hour */

    show(t, id);
    until = text_at(t, "question.timeoutAt");
    snooze(t, id, 24 * 60);
    CHECK_STATUS(200);
    assert_true(strcmp(text_at(t, "snoozedUntil"), until) < 0);
    advance(t, 54 * MINUTE);
    assert_int_equal(need(t, 200), 0);
    assert_int_equal(need(t, 1), 0);
    advance(t, MINUTE + 1);
    assert_int_equal(need(t, 200), 1);
    snooze(t, id, 1);
    CHECK_STATUS(409);
    call(t, "question_extend", "{s:s, s:i}", "id", id, "minutes", 30);
    CHECK_STATUS(200);
    assert_int_equal(need(t, 200), 0); /* it may sleep on: there is time again */
}

/* Whoever has snoozed this one has snoozed as many as they may. */
static void snooze_many_like(struct t *t, const char *id, const char *status)
{
    outside_sql(
        t,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " INSERT INTO agent_questions (id, job_id, workspace_id, type, question, response_type, status,"
        " created_at, question_key, asked_by)"
        " SELECT '%s' || n.i || q.id, q.job_id, q.workspace_id, q.type, q.question, q.response_type,"
        " '%s', q.created_at, q.question_key, q.asked_by FROM agent_questions q, n WHERE q.id = '%s'",
        LIMIT_SNOOZES, status, status, id);
    outside_sql(t,
                "INSERT INTO question_snoozes (person, question_id, until_ms)"
                " SELECT s.person, q.id, s.until_ms FROM agent_questions q, question_snoozes s"
                " WHERE s.question_id = '%s' AND q.id LIKE '%s%%%s'",
                id, status, id);
}

CONTRACT(a_snooze_has_its_bounds)
{
    const char *id = ask(t, "Later?", "agent", "B");

    snooze(t, id, 0);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "minutes");
    snooze(t, id, -5);
    CHECK_STATUS(400);
    snooze(t, id, 31.0 * 24 * 60);
    CHECK_STATUS(400);
    assert_int_equal(count_rows(t, "question_snoozes WHERE question_id = '%s'", id), 0);
    /* So many at once, of those that are open. */
    snooze(t, id, 60);
    CHECK_STATUS(200);
    snooze_many_like(t, id, "cancelled");
    snooze(t, ask(t, "And this?", "agent", "B"), 60);
    CHECK_STATUS(200);
    snooze_many_like(t, id, "pending");
    snooze(t, ask(t, "And that?", "agent", "B"), 60);
    CHECK_STATUS(409);
    t->as = t->agent;
    snooze(t, id, 5);
    CHECK_STATUS(403);
}

CONTRACT(what_is_assigned_is_awake)
{
    const char *ana = make_user(t, "Ana", "member"), *id = ask(t, "Later?", "agent", "B");

    t->as = session_for(t, ana);
    snooze(t, id, 20);
    CHECK_STATUS(200);
    assert_int_equal(need(t, 200), 0);
    const char *as = t->as;

    t->as = t->owner;
    assign(t, id, ana);
    CHECK_STATUS(200);
    t->as = as;
    assert_int_equal(need(t, 200), 1);
}

/* The number does not depend on how much of the list is shown. */
CONTRACT(what_needs_somebody_is_counted_alike_in_a_page_and_beyond_it)
{
    const char *project = make_project(t), *task = make_task(t, project, "Write it");
    const char *ana = make_user(t, "Ana", "member"), *session = session_for(t, ana), *snoozed;

    hand_in(t, project, "coder", task, "{\"open_questions\": [{\"text\": \"Which page?\"}]}");
    CHECK_STATUS(201);
    ask(t, "For Ana?", "assignedTo", ana);
    ask(t, "For admins?", "requiredRole", "admin");
    for (int i = 0; i < 3; i++)
        ask(t, "For all?", "agent", "Builder");
    snoozed = ask(t, "Later?", "agent", "Builder");
    ask_approval_as(t, session);
    call(t, "question_create", "{s:s, s:s, s:s, s:{s:s}}", "question", "Whenever?", "type", "non_blocking",
         "responseType", "text", "defaultResponse", "value", "Now."); /* which nobody waits for */
    CHECK_STATUS(201);
    call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Dev", "prompt_message",
         arena_format(&t->arena, "Ask @Ana-%.12s, please.", t->workspace + 24));
    CHECK_STATUS(201);
    const char *callers[] = { session, t->owner, t->admin, t->member, t->agent, t->viewer };
    const int64_t wanted[] = { 6, 7, 7, 6, 0, 0 };

    t->as = session;
    snooze(t, snoozed, 20);
    for (size_t i = 0; i < sizeof(callers) / sizeof(callers[0]); i++) {
        t->as = callers[i];
        assert_int_equal(need(t, 200), wanted[i]);
        assert_int_equal(need(t, 1), wanted[i]);
        call(t, "inbox_list", "{s:s, s:i}", "type", "blocking", "limit", 200);
        int64_t whole = int_at(t, "needYou");

        call(t, "inbox_list", "{s:s, s:i}", "type", "blocking", "limit", 1);
        assert_int_equal(int_at(t, "needYou"), whole);
    }
}
