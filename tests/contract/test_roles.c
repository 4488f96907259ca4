/*
 * Who may call what, said a second time: a row whose roles are widened by a slip of the hand looks like any
 * other, and whoever widens one on purpose says so here.
 */
#include "contract.h"

struct permission {
    unsigned needs;
    const char *const *names;
};

/* What only an owner does: it takes from all, or gives all away. */
static const char *const owners[] = { "rehearsal_begin", "rehearsal_remove", "workspace_create",
                                      "workspace_delete", NULL };

/* Who is here, and what they may do. */
static const char *const managers[] = {
    "audit_export", "audit_list",     "project_delete", "token_create",     "token_get", "token_list",
    "token_revoke", "token_rotate",   "user_create",    "user_delete",      "user_get",  "user_list",
    "user_update",  "wording_delete", "wording_put",    "workspace_update", NULL
};

/* What decides in a person's place. */
static const char *const people[] = { "agent_create",
                                      "agent_delete",
                                      "agent_update",
                                      "discussion_cancel",
                                      "discussion_message",
                                      "discussion_next",
                                      "discussion_pause",
                                      "discussion_resume",
                                      "discussion_rounds",
                                      "open_question_clear",
                                      "open_question_dismiss",
                                      "open_question_resolve",
                                      "project_create",
                                      "project_update",
                                      "question_answer",
                                      "question_answer_batch",
                                      "question_assign",
                                      "question_draft",
                                      "question_link",
                                      "question_people",
                                      "question_restart",
                                      "question_snooze",
                                      "question_unassign",
                                      "question_wake",
                                      "task_delete",
                                      "template_create",
                                      "template_delete",
                                      "template_update",
                                      NULL };

/* Work and talk. */
static const char *const workers[] = { "chat_post",
                                       "decision_create",
                                       "discussion_create",
                                       "discussion_fork",
                                       "discussion_interject",
                                       "feedback_create",
                                       "job_cancel",
                                       "job_create",
                                       "job_log",
                                       "job_progress",
                                       "job_update",
                                       "plan_put",
                                       "prd_put",
                                       "prompt_close",
                                       "prompt_create",
                                       "prompt_respond",
                                       "question_ask",
                                       "question_cancel",
                                       "question_create",
                                       "question_extend",
                                       "result_submit",
                                       "task_chat_post",
                                       "task_claim",
                                       "task_create",
                                       "task_update",
                                       "turn_take",
                                       "vote_tally",
                                       NULL };

/* Looking, and what changes nothing but one's own. */
static const char *const readers[] = { "agent_get",
                                       "agent_list",
                                       "analytics_get",
                                       "chat_list",
                                       "decision_get",
                                       "decision_list",
                                       "discussion_decisions",
                                       "discussion_get",
                                       "discussion_list",
                                       "discussion_replay",
                                       "discussion_transcript",
                                       "discussion_usage",
                                       "discussion_votes",
                                       "feedback_context",
                                       "feedback_get",
                                       "feedback_list",
                                       "inbox_list",
                                       "job_get",
                                       "job_list",
                                       "job_logs",
                                       "me_get",
                                       "model_list",
                                       "notification_list",
                                       "notification_pending_count",
                                       "notification_read",
                                       "notification_read_all",
                                       "open_question_get",
                                       "open_question_list",
                                       "password_change",
                                       "plan_context",
                                       "plan_get",
                                       "plan_list",
                                       "prd_context",
                                       "prd_get",
                                       "prd_list",
                                       "preferences_get",
                                       "preferences_put",
                                       "orchestrator_get",
                                       "project_get",
                                       "project_list",
                                       "prompt_get",
                                       "prompt_list",
                                       "question_answered_count",
                                       "question_ended",
                                       "question_get",
                                       "question_list_job",
                                       "question_pending",
                                       "question_similar",
                                       "question_suggestion",
                                       "run_replay",
                                       "run_trace",
                                       "search",
                                       "task_chat_list",
                                       "task_config",
                                       "task_context",
                                       "task_get",
                                       "task_list",
                                       "task_ready",
                                       "template_get",
                                       "template_list",
                                       "ticket_create",
                                       "tool_list",
                                       "turn_list",
                                       "wording_list",
                                       "workspace_get",
                                       "workspace_list",
                                       NULL };

/* Who looks at the pages. */
static const char *const watchers[] = { "presence_list", "presence_say", NULL };

/* What comes before anybody is known. */
static const char *const anyone[] = { "link_open", "session_login", "session_logout",
                                      "setup_get", "setup_owner",   NULL };

static const struct permission permissions[] = {
    { ROLE_OWNER, owners },   { ROLES_MANAGE, managers }, { ROLES_PEOPLE, people },
    { ROLES_WRITE, workers }, { ROLES_READ, readers },    { ROLES_READ & ~ROLE_AGENT, watchers },
    { ROLE_ANYONE, anyone },
};

static unsigned permitted(const char *name)
{
    for (size_t i = 0; i < sizeof(permissions) / sizeof(*permissions); i++)
        for (const char *const *listed = permissions[i].names; *listed; listed++)
            if (strcmp(*listed, name) == 0)
                return permissions[i].needs;
    return 0;
}

CONTRACT(every_operation_is_for_those_it_is_meant_for)
{
    size_t listed = 0, there = 0;

    (void)t;
    for (const struct op *const *op = op_all(); *op; op++, there++) {
        if (permitted((*op)->name) != (*op)->needs)
            fail_msg("%s may be called by %u, and is listed in test_roles.c for %u", (*op)->name,
                     (*op)->needs, permitted((*op)->name));
    }
    for (size_t i = 0; i < sizeof(permissions) / sizeof(*permissions); i++)
        for (const char *const *name = permissions[i].names; *name; name++)
            listed++;
    assert_int_equal(listed, there);
}
