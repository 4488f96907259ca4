/*
 * Ways around the person: whoever acts as an agent, whatever the token's role, neither loosens autonomy nor
 * settles or ends what waits for a person; and a member's token does not say yes to what it asked itself.
 */
#include "project_steps.h"
#include "questions.h"

/* A result that asks: stuck is a task's that waits, unsure one's that goes on. */
#define STUCK  "{\"status\": \"failed\", \"open_questions\": [\"Which database?\"]}"
#define UNSURE "{\"status\": \"success\", \"summary\": \"Done.\", \"open_questions\": [\"Which colour?\"]}"

/* Everything that decides in a person's place. A row that is added here, or to the table, is judged anew. */
static const char *const for_people[] = {
    "project_create",        "project_update",      "project_delete",   "task_delete",
    "open_question_resolve", "open_question_clear", "question_answer",  "question_answer_batch",
    "open_question_dismiss", "question_draft",      "question_link",    "question_restart",
    "template_create",       "template_update",     "template_delete",  "workspace_update",
    "token_create",          "user_create",         "workspace_delete", "question_assign",
    "question_unassign",     "question_snooze",     "question_wake",    NULL,
};

/* What agents write: work, talk, and what they asked themselves. Each is looked at by a case of its own. */
static const char *const for_agents[] = {
    "job_create",
    "job_update",
    "job_cancel",
    "job_log",
    "job_progress",
    "question_ask",
    "question_create",
    "question_cancel",
    "question_extend",
    "prompt_create",
    "prompt_respond",
    "prompt_close",
    "discussion_create",
    "discussion_fork",
    "discussion_interject",
    "turn_take",
    "chat_post",
    "task_create",
    "task_update",
    "task_claim",
    "task_chat_post",
    "feedback_create",
    "prd_put",
    "plan_put",
    "result_submit",
    "decision_create",
    "notification_read",
    "notification_read_all",
    "preferences_put",
    "password_change",
    "ticket_create",
    NULL,
};

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

CONTRACT(every_write_that_agents_may_call_has_been_thought_about)
{
    (void)t;
    for (const char *const *name = for_people; *name; name++)
        if (op_find(*name)->needs & (ROLE_AGENT | ROLE_ANYONE))
            fail_msg("%s decides in a person's place, and agents may call it", *name);
    for (const struct op *const *op = op_all(); *op; op++)
        if ((*op)->kind == OP_WRITE && ((*op)->needs & ROLE_AGENT) && !is_among((*op)->name, for_agents))
            fail_msg("%s: agents may call it; say in test_people.c why that ends nothing of a person's",
                     (*op)->name);
}

CONTRACT(no_agent_loosens_autonomy)
{
    const char *project = make_project(t);
    static const char *const roles[] = { "owner", "admin", "member", "agent" };

    for (size_t i = 0; i < 4; i++) {
        for (int bound = 0; bound < 2; bound++) {
            t->as = token_bound(t, roles[i], "Builder", bound ? project : NULL);
            call(t, "project_update", "{s:s, s:s}", "id", project, "hilConfig", "full");
            CHECK_STATUS(403);
            call(t, "project_update", "{s:s, s:{s:[s]}}", "id", project, "settings", "answerers", "Builder");
            CHECK_STATUS(403);
            call(t, "project_create", "{s:s, s:s}", "name", "Loose", "hilConfig", "full");
            CHECK_STATUS(403);
            call(t, "decision_create", "{s:s, s:s, s:s}", "id", project, "category", "scopeChanges",
                 "description", "More of it");
            CHECK_STATUS(201);
            CHECK_TEXT("status", "pending");
        }
    }
    /* A person's token that is bound to the project, and no agent, may. */
    t->as = token_bound(t, "member", NULL, project);
    call(t, "project_update", "{s:s, s:s}", "id", project, "hilConfig", "full");
    CHECK_STATUS(200);
}

CONTRACT(no_agent_closes_a_task_whose_questions_wait_for_people)
{
    const char *project = make_project(t), *stuck = make_task(t, project, "Stuck");
    const char *unsure = make_task(t, project, "Unsure");
    const char *agents[] = { t->agent, token_for(t, "agent", "Builder"), token_for(t, "admin", "Builder") };

    hand_in(t, project, "coder", stuck, STUCK);
    hand_in(t, project, "coder", unsure, UNSURE);
    for (size_t i = 0; i < 3; i++) {
        t->as = agents[i];
        for (int which = 0; which < 2; which++) {
            set_status(t, project, which ? unsure : stuck, "closed");
            CHECK_STATUS(409);
            CHECK_TEXT("code", "open_questions");
        }
    }
    t->as = t->member;
    set_status(t, project, stuck, "closed");
    CHECK_STATUS(200);
    /* A person's closing has ended those of the one. */
    call(t, "open_question_clear", "{s:s}", "id", project);
    CHECK_INT("deletedCount", 1);
    t->as = t->agent;
    set_status(t, project, unsure, "closed");
    CHECK_STATUS(200);
}

static void check_ends_nothing(struct t *t, const char *job, const char *id)
{
    call(t, "question_cancel", "{s:s}", "id", id);
    CHECK_STATUS(403);
    call(t, "question_extend", "{s:s, s:i}", "id", id, "minutes", 5);
    CHECK_STATUS(403);
    call(t, "job_cancel", "{s:s}", "id", job);
    CHECK_STATUS(403);
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "completed");
    CHECK_STATUS(403);
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "failed");
    CHECK_STATUS(403);
    show(t, id);
    CHECK_TEXT("question.status", "pending");
    check_job(t, job, "waiting_for_input");
}

CONTRACT(an_agent_ends_no_question_that_others_asked)
{
    const char *first = token_for(t, "agent", NULL), *job, *id;

    t->as = first;
    job = make_job(t);
    id = ask_text(t, job);
    t->as = t->agent; /* another token for agents, which is bound to no name either */
    check_ends_nothing(t, job, id);
    t->as = token_for(t, "member", "Growth");
    check_ends_nothing(t, job, id);
    t->as = first;
    call(t, "question_extend", "{s:s, s:i}", "id", id, "minutes", 5);
    CHECK_STATUS(200);
    call(t, "question_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);

    id = ask_text(t, job);
    t->as = token_for(t, "agent", "builder"); /* the job's agent, by another token */
    call(t, "question_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
    id = ask_text(t, job);
    t->as = first;
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "completed");
    CHECK_STATUS(403);
    t->as = t->member;
    call(t, "question_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
    t->as = first;
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "completed");
    CHECK_STATUS(200);
}

/* A person asks in a job that is nobody's: an agent that may drive it does not end what the person asked. */
CONTRACT(an_agent_ends_no_question_of_a_person_in_a_job_without_an_agent)
{
    const char *job, *id;

    call(t, "job_create", "{s:s}", "status", "running");
    job = text_at(t, "id");
    id = ask_text(t, job);
    t->as = token_for(t, "agent", "Builder");
    check_ends_nothing(t, job, id);
}

static int yes(struct t *t, const char *id, const char *as)
{
    t->as = as;
    return answer(t, id, "{s:b}", "value", 1);
}

CONTRACT(a_members_token_does_not_approve_what_it_asked)
{
    const char *asker = token_for(t, "member", NULL), *link, *id, *job;

    t->as = asker;
    job = make_job(t);
    id = ask_in(t, job, "{s:s, s:s, s:s, s:i}", "question", "Deploy?", "type", "approval", "responseType",
                "approval", "requiredApprovals", 2);
    yes(t, id, asker);
    CHECK_STATUS(403);
    call(t, "question_answer_batch", "{s:[{s:s, s:{s:b}}]}", "answers", "id", id, "response", "value", 1);
    CHECK_TEXT("results.0.status", "forbidden");
    call(t, "question_link", "{s:s}", "id", id);
    link = text_at(t, "link");
    t->as = "";
    call(t, "link_open", "{s:s, s:s}", "id", id, "link", link);
    CHECK_STATUS(204);
    yes(t, id, t->cookie);
    CHECK_STATUS(403);
    yes(t, id, t->member);
    CHECK_INT("approvals.have", 1);
    yes(t, id, t->owner);
    CHECK_TRUE("jobResumed");

    /* A no is everybody's to say, and what asks for no yes everybody's to answer. */
    t->as = asker;
    id = ask_in(t, job, "{s:s, s:s, s:s}", "question", "Deploy?", "type", "approval", "responseType",
                "boolean");
    yes(t, id, asker);
    CHECK_STATUS(403);
    answer(t, id, "{s:b}", "value", 0);
    CHECK_STATUS(200);
    id = ask_text(t, job);
    answer_text(t, id, "As I thought");
    CHECK_STATUS(200);

    /* Nor does it count for being late. */
    id = ask_in(t, job, "{s:s, s:s, s:s}", "question", "Deploy?", "type", "approval", "responseType",
                "approval");
    advance(t, 16 * MINUTE);
    yes(t, id, asker);
    CHECK_STATUS(403);
    call(t, "question_restart", "{s:s}", "id", id);
    CHECK_STATUS(409);
}

CONTRACT(a_members_token_approves_neither_its_decision_nor_its_result)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build"), *set;
    const char *asker = token_for(t, "member", NULL);

    t->as = asker;
    call(t, "decision_create", "{s:s, s:s, s:s}", "id", project, "category", "scopeChanges", "description",
         "More of it");
    CHECK_STATUS(201);
    set = text_at(t, "id");
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", set, "approved", 1);
    CHECK_STATUS(403);
    t->as = t->member;
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", set, "approved", 1);
    CHECK_STATUS(200);
    CHECK_TRUE("approved");

    t->as = asker;
    hand_in(t, project, "coder", task, STUCK);
    set = text_at(t, "notificationId");
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", set, "approved", 1);
    CHECK_STATUS(403);
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
    answer_one(t, project, set, "q1", "SQLite"); /* the words of a person; no yes is asked for */
    CHECK_STATUS(200);
}

/* Who could make another token is not held to it, nor is a user who has logged in to anything new. */
CONTRACT(people_are_as_free_as_before)
{
    const char *job, *id, *session;

    t->as = t->owner;
    job = make_job(t);
    id = ask_in(t, job, "{s:s, s:s, s:s}", "question", "Deploy?", "type", "approval", "responseType",
                "approval");
    yes(t, id, t->owner);
    CHECK_STATUS(200);
    CHECK_TRUE("jobResumed");
    t->as = t->agent;
    id = ask_in(t, make_job(t), "{s:s, s:s, s:s}", "question", "Deploy?", "type", "approval", "responseType",
                "approval");
    session = session_for(t, make_user(t, "maya", "member"));
    yes(t, id, session);
    CHECK_STATUS(200);
    CHECK_TRUE("jobResumed");
}
