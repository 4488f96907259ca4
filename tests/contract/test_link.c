#include "project_steps.h"
#include "questions.h"

#define DAY ((int64_t)24 * 3600 * 1000)

static const char *make_link(struct t *t, const char *question)
{
    call(t, "question_link", "{s:s}", "id", question);
    CHECK_STATUS(201);
    return text_at(t, "link");
}

/* Exchanges a link for the secret of a cookie; NULL when it is refused. */
static const char *open_link(struct t *t, const char *question, const char *link)
{
    const char *before = t->as;

    t->as = "";
    call(t, "link_open", "{s:s, s:s}", "id", question, "link", link);
    t->as = before;
    return t->status == 204 ? t->cookie : NULL;
}

static const char *ask_approval(struct t *t, int need)
{
    return ask_in(t, make_job(t), "{s:s, s:s, s:s, s:i}", "question", "Deploy?", "type", "approval",
                  "responseType", "approval", "requiredApprovals", need);
}

CONTRACT(link_shows_nothing_of_the_task_behind_its_question)
{
    const char *project = make_project(t), *task = make_task(t, project, "Buy the rival"), *job, *id;

    call(t, "job_create", "{s:s, s:s, s:s}", "kind", "build", "projectId", project, "taskId", task);
    CHECK_STATUS(201);
    job = text_at(t, "id");
    id = ask_text(t, job);
    show(t, id);
    CHECK_TEXT("taskTitle", "Buy the rival");
    t->as = open_link(t, id, make_link(t, id));
    show(t, id);
    CHECK_STATUS(200);
    CHECK_NULL("taskId");
    CHECK_NULL("taskTitle");
}

CONTRACT(link_opens_one_question_and_no_other)
{
    const char *id = ask_text(t, make_job(t)), *other = ask_text(t, make_job(t)), *link, *visit;

    t->as = t->member;
    link = make_link(t, id);
    assert_non_null(strstr(text_at(t, "url"), arena_format(&t->arena, "/q/%s/%s", id, link)));
    assert_int_equal(count_rows(t, "question_links WHERE hash LIKE '%%%.20s%%'", link + 7), 0);
    assert_null(open_link(t, id, "witanl_wrong"));
    CHECK_STATUS(401);
    assert_null(open_link(t, other, link));
    visit = open_link(t, id, link);
    assert_non_null(visit);
    assert_string_not_equal(visit, link);
    t->as = "";
    show(t, id);
    CHECK_STATUS(401);
    t->as = visit;
    show(t, id);
    CHECK_STATUS(200);
    CHECK_TEXT("question.id", id);
    show(t, other);
    CHECK_STATUS(401);
    answer_text(t, other, "x");
    CHECK_STATUS(401);
    call(t, "question_cancel", "{s:s}", "id", id); /* it is for looking and answering */
    CHECK_STATUS(401);
    call(t, "question_pending", "{s:s}", "workspaceId", t->workspace);
    CHECK_STATUS(401);
    answer_text(t, id, "By link");
    CHECK_STATUS(200);
    t->as = t->owner;
    show(t, id);
    CHECK_TEXT("question.outcome.source", "human");
}

CONTRACT(link_of_a_users_token_stands_for_the_user_and_ends_with_the_token)
{
    const char *maya = make_user(t, "Maya", "admin"), *id = ask_approval(t, 2), *token, *secret, *link,
               *unused;

    t->as = session_for(t, maya);
    answer(t, id, "{s:b}", "value", 1);
    CHECK_INT("approvals.have", 1);
    call(t, "token_create", "{s:s, s:s, s:s}", "name", "laptop", "role", "member", "userId", maya);
    CHECK_STATUS(201);
    token = text_at(t, "id");
    secret = text_at(t, "secret");
    t->as = secret;
    link = make_link(t, id);
    unused = make_link(t, id);
    t->as = open_link(t, id, link);
    answer(t, id, "{s:b}", "value", 1);
    CHECK_STATUS(200);
    CHECK_INT("approvals.have", 1);
    t->as = t->owner;
    call(t, "token_revoke", "{s:s}", "id", token);
    CHECK_STATUS(204);
    assert_null(open_link(t, id, unused));
    CHECK_STATUS(401);
}

/* Whoever looks before the person does, uses nothing up. */
CONTRACT(link_is_opened_as_often_as_one_likes_until_it_is_answered)
{
    const char *id = ask_text(t, make_job(t)), *link = make_link(t, id), *visits[3];

    for (int i = 0; i < 3; i++) {
        visits[i] = open_link(t, id, link);
        assert_non_null(visits[i]);
    }
    for (int i = 0; i < 3; i++) {
        t->as = visits[i];
        show(t, id);
        CHECK_STATUS(200);
    }
    answer_text(t, id, "By link");
    CHECK_STATUS(200);
    for (int i = 0; i < 3; i++) {
        t->as = visits[i];
        show(t, id);
        CHECK_STATUS(401);
        CHECK_TEXT("code", "link_ended");
        answer_text(t, id, "Again");
        CHECK_STATUS(401);
    }
    assert_null(open_link(t, id, link));
    CHECK_TEXT("code", "link_ended");
}

CONTRACT(link_answers_once_though_more_are_needed)
{
    const char *id = ask_approval(t, 2), *link, *visit;

    t->as = t->member;
    link = make_link(t, id);
    visit = open_link(t, id, link);
    t->as = visit;
    answer(t, id, "{s:b}", "value", 1);
    CHECK_STATUS(200);
    CHECK_INT("approvals.have", 1);
    answer(t, id, "{s:b}", "value", 1);
    CHECK_STATUS(401);
    assert_null(open_link(t, id, link));
    /* It stands for the one who made it, who therefore has approved. */
    t->as = t->member;
    answer(t, id, "{s:b}", "value", 1);
    CHECK_INT("approvals.have", 1);
    t->as = t->owner;
    answer(t, id, "{s:b}", "value", 1);
    CHECK_TRUE("jobResumed");
    call(t, "question_link", "{s:s}", "id", id);
    CHECK_STATUS(409);
}

/* Who had opened it in time is told what became of their answer, as everybody is; nothing else is shown. */
CONTRACT(link_whose_question_somebody_else_settled_tells_its_answer_who_was_first_and_shows_nothing)
{
    const char *id = ask_approval(t, 1), *link = make_link(t, id), *visit = open_link(t, id, link), *before;

    t->as = session_for(t, make_user(t, "Jonas", "admin"));
    answer(t, id, "{s:b, s:s}", "value", 0, "text", "Not on a Friday");
    CHECK_STATUS(200);
    before = fingerprint(t);
    t->as = visit;
    answer(t, id, "{s:b}", "value", 1);
    CHECK_STATUS(409);
    CHECK_TEXT("code", "conflict");
    CHECK_TEXT("status", "answered");
    assert_true(str_starts(text_at(t, "winner.by"), "Jonas"));
    CHECK_FALSE("winner.response.value");
    CHECK_TEXT("winner.response.text", "Not on a Friday");
    assert_null(at(t, "question"));
    show(t, id);
    CHECK_STATUS(401);
    CHECK_TEXT("code", "link_ended");
    assert_null(at(t, "winner"));
    assert_null(open_link(t, id, link)); /* the secret in the mail is good for nothing any more */
    CHECK_TEXT("code", "link_ended");
    assert_string_equal(fingerprint(t), before);
}

/* Their reply was lost: they send the same once more, under its key. */
CONTRACT(link_that_was_used_says_so_and_tells_its_own_answer_again)
{
    const char *id = ask_text(t, make_job(t)), *link = make_link(t, id);
    const char *mine = open_link(t, id, link), *other = open_link(t, id, link);

    t->as = mine;
    t->idempotency_key = "key-of-mine";
    answer_text(t, id, "By link");
    CHECK_STATUS(200);
    answer_text(t, id, "By link");
    CHECK_STATUS(200);
    assert_true(t->replayed);
    t->idempotency_key = NULL;
    t->as = other;
    answer_text(t, id, "By link, too");
    CHECK_STATUS(401);
    CHECK_TEXT("code", "link_ended");
    CHECK_TEXT("error", "This link has been used: it answers once.");
    assert_null(at(t, "winner"));
}

CONTRACT(link_leaves_nothing_behind_after_the_deadline)
{
    const char *id = ask_text(t, make_job(t)), *visit = open_link(t, id, make_link(t, id));

    advance(t, 61 * MINUTE);
    t->as = visit;
    show(t, id);
    CHECK_STATUS(401);
    answer_text(t, id, "Late");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "conflict");
    CHECK_TEXT("status", "timeout");
    CHECK_TEXT("error", "The time of this question was up before you answered.");
    t->as = t->owner;
    show(t, id);
    CHECK_COUNT("question.lateAnswers", 0);
    answer_text(t, id, "Late, and known");
    CHECK_TEXT("code", "late");
    CHECK_TRUE("kept");
}

CONTRACT(link_lives_as_long_as_its_question)
{
    const char *open = ask_in(t, make_job(t), "{s:s, s:s, s:s, s:{s:b}}", "question", "Logs?", "type",
                              "non_blocking", "responseType", "boolean", "defaultResponse", "value", 0);
    const char *dated = ask_text(t, make_job(t)), *answered = ask_text(t, make_job(t));
    const char *open_one = make_link(t, open), *dated_one, *answered_one, *visit;

    CHECK_NULL("expiresAt");
    dated_one = make_link(t, dated);
    assert_non_null(text_at(t, "expiresAt"));
    answered_one = make_link(t, answered);
    visit = open_link(t, dated, dated_one);
    answer_text(t, answered, "Done");
    assert_null(open_link(t, answered, answered_one));
    CHECK_TEXT("code", "link_ended");
    /* Each of the sweeps in a month leaves the link of an open question alone. */
    for (int day = 0; day < 30; day += 10)
        advance(t, 10 * DAY);
    assert_non_null(open_link(t, open, open_one));
    assert_null(open_link(t, dated, dated_one));
    t->as = visit;
    answer_text(t, dated, "Late");
    CHECK_STATUS(401);
}

CONTRACT(link_dies_with_its_makers_right)
{
    const char *id = ask_text(t, make_job(t)), *link, *visit;

    t->as = token_for(t, "member", NULL);
    link = make_link(t, id);
    visit = open_link(t, id, link);
    assert_non_null(visit);
    outside_sql(t, "UPDATE tokens SET revoked_at = 1 WHERE workspace_id = '%s' AND role = 'member'",
                t->workspace);
    assert_null(open_link(t, id, link));
    t->as = visit;
    show(t, id);
    CHECK_STATUS(401);
    CHECK_TEXT("code", "link_refused");
    t->as = t->owner;
    answer_text(t, id, "Done");
    t->as = visit;
    answer_text(t, id, "By link"); /* nor does it hear what became of the question */
    CHECK_STATUS(401);
    CHECK_TEXT("code", "link_refused");
}

CONTRACT(link_has_so_many_visits_and_the_latest_count)
{
    const char *id = ask_text(t, make_job(t)), *link = make_link(t, id), *first = open_link(t, id, link);

    for (int i = 0; i < LIMIT_VISITS; i++) {
        advance(t, 10);
        assert_non_null(open_link(t, id, link));
    }
    assert_int_equal(
        count_rows(
            t, "link_visits v JOIN question_links l ON l.hash = v.link_hash WHERE l.question_id = '%s'", id),
        LIMIT_VISITS);
    t->as = first;
    show(t, id);
    CHECK_STATUS(401);
}
