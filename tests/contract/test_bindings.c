/*
 * What tokens reach that are bound to a project, to an agent, or to both, with every role: made from the
 * operation table, so that a new row is tried without anybody thinking of it.
 */
#include "subjects.h"

#include "ops/openapi.h"

#include <stdio.h>

struct binding {
    const char *name;
    bool agent, project;
};

static const struct binding bindings[] = {
    { "to an agent", true, false },
    { "to a project", false, true },
    { "to both", true, true },
};

static const struct {
    const char *name;
    enum role role;
} roles[] = {
    { "owner", ROLE_OWNER }, { "admin", ROLE_ADMIN },   { "member", ROLE_MEMBER },
    { "agent", ROLE_AGENT }, { "viewer", ROLE_VIEWER },
};

#define BINDINGS (sizeof(bindings) / sizeof(bindings[0]))
#define ROLES    (sizeof(roles) / sizeof(roles[0]))

/* The rule in the test's own words: who speaks as an agent is one, whatever was written on the token. */
static bool may_call(const struct op *op, const struct binding *binding, enum role role)
{
    if (op->needs & ROLE_ANYONE)
        return true;
    if (binding->agent && role != ROLE_VIEWER)
        role = ROLE_AGENT;
    return (op->needs & (unsigned)role) && !(binding->project && op->reaches == REACH_WORKSPACE);
}

static void check(struct t *t, const struct op *op, const struct binding *binding, const char *role, int want)
{
    if (t->status != want)
        fail_msg("%s, for a token of the role %s that is bound %s: %d, wanted %d: %s", op->name, role,
                 binding->name, t->status, want, t->text);
}

/*
 * Everything is in one project, the tokens are bound to another. Writes that a path does not aim at somebody
 * else's thing are a bound token's own business and left out.
 */
static int try_row(struct t *t, const struct op *op, const json_t *params, const struct binding *binding,
                   size_t role)
{
    bool named = strchr(op->http, '{') != NULL;

    if (!may_call(op, binding, roles[role].role)) {
        call_json(t, op->name, params);
        check(t, op, binding, roles[role].name, 403);
    } else if (binding->project && named) {
        call_json(t, op->name, params);
        check(t, op, binding, roles[role].name, 404);
    } else {
        return 0;
    }
    return 1;
}

/* What optional parameters may aim at somebody else's things. */
static const char *aimed_at(const struct field *field, const struct subjects *subjects)
{
    const struct {
        const char *name, *value;
    } known[] = {
        { "projectId", subjects->project },
        { "taskId", subjects->task },
        { "task_id", subjects->task },
        { "task_ref", subjects->task },
        { "discussion_prompt_id", subjects->prompt },
        { "parentId", subjects->question },
        { "agent", "Mentioned" },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(field->name, known[i].name) == 0)
            return known[i].value;
    return NULL;
}

static void check_unseen(const struct t *t, const struct op *op, const char *aim)
{
    if (strstr(t->text, MARKER))
        fail_msg("%s%s%s shows another project's texts: %s", op->name, aim ? " with " : "", aim ? aim : "",
                 t->text);
}

/* Lists show nothing of other projects, however they are asked; nothing is written that aims at them. */
static int try_aims(struct t *t, const struct op *op, const json_t *params, const struct subjects *subjects)
{
    int cases = 0;

    if (op->kind == OP_READ) {
        call_json(t, op->name, params);
        if (op->reaches != REACH_OWN) /* a token has no preferences */
            CHECK_STATUS(200);
        check_unseen(t, op, NULL);
        cases++;
    }
    for (const struct field *field = op->params; field->type; field++) {
        const char *aim = aimed_at(field, subjects);
        json_t *aimed = json_deep_copy(params);

        if (aim && !(op->kind == OP_WRITE && strcmp(field->name, "agent") == 0)) {
            json_object_set_new(aimed, field->name, json_string(aim));
            call_json(t, op->name, aimed);
            check_unseen(t, op, field->name);
            if (op->kind == OP_WRITE && t->status < 400)
                fail_msg("%s takes another project's %s: %d %s", op->name, field->name, t->status, t->text);
            cases++;
        }
        json_decref(aimed);
    }
    return cases;
}

/* What a list's own statement is asked in turn: by status, by reader, unread only, by deadline. */
static void try_filters(struct t *t)
{
    static const char *const statuses[] = { "pending", "collecting", "resolved", "timed_out", "cancelled" };

    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        call(t, "prompt_list", "{s:s}", "status", statuses[i]);
        CHECK_COUNT("prompts", 0);
        call(t, "prompt_list", "{s:s, s:s, s:b}", "status", statuses[i], "agent", "Growth",
             "include_answered", 1);
        CHECK_COUNT("prompts", 0);
    }
    call(t, "prompt_list", "{s:s}", "agent", "Mentioned");
    CHECK_COUNT("prompts", 0);
    call(t, "notification_list", "{s:s, s:b}", "agent", "Mentioned", "unread", 1);
    CHECK_COUNT("notifications", 0);
    call(t, "notification_pending_count", "{s:s}", "agent", "Mentioned");
    CHECK_INT("count", 0);
    call(t, "question_pending", "{s:s, s:s}", "workspaceId", t->workspace, "sort", "deadline");
    CHECK_COUNT("questions", 0);
}

CONTRACT(tokens_of_a_project_neither_hear_of_others_nor_write_to_them)
{
    int cases = 0;

    advance(t, (int64_t)25 * 3600 * 1000);

    struct subjects subjects = make_subjects(t);
    const char *before;

    call(t, "prompt_create", "{s:s, s:s, s:s}", "requester_agent", "Dev", "prompt_message", MARKER, "task_id",
         subjects.task);
    call(t, "prompt_close", "{s:s, s:s}", "id", text_at(t, "prompt.id"), "action", "resolve");
    CHECK_STATUS(200);
    call(t, "project_create", "{s:s}", "name", "Another one");
    t->as = token_bound(t, "owner", NULL, text_at(t, "id"));
    before = fingerprint(t);
    for (const struct op *const *op = op_all(); *op; op++) {
        json_t *params = valid_params(*op, &subjects);

        if ((*op)->reaches != REACH_WORKSPACE && !strchr((*op)->http, '{') && !((*op)->needs & ROLE_ANYONE))
            cases += try_aims(t, *op, params, &subjects);
        json_decref(params);
    }
    try_filters(t);
    assert_string_equal(before, fingerprint(t));
    call(t, "question_answer_batch", "{s:[{s:s, s:{s:s}}]}", "answers", "id", subjects.question, "response",
         "value", "Mine");
    CHECK_TEXT("results.0.status", "not_found");
    call(t, "notification_read_all", "{s:s}", "agent", "Mentioned");
    CHECK_INT("count", 0);
    printf("    %d cases in all\n", cases);
    assert_true(cases > 25);
}

/* A delete must not open what was closed: the talk about a task stays its project's. */
CONTRACT(what_was_said_about_a_task_stays_its_projects_when_that_is_deleted)
{
    struct subjects subjects = make_subjects(t);
    const char *bound;

    call(t, "project_create", "{s:s}", "name", "Another one");
    bound = token_bound(t, "member", NULL, text_at(t, "id"));
    call(t, "project_delete", "{s:s}", "id", subjects.project);
    CHECK_STATUS(204);
    /* The prompt is open still, and mentions somebody in a project that is gone. */
    call(t, "prompt_respond", "{s:s, s:s, s:s}", "id", subjects.prompt, "agent_name", "Late", "message",
         MARKER " @Mentioned");
    CHECK_STATUS(201);
    call(t, "chat_list", "{s:s}", "discussion_prompt_id", subjects.prompt);
    CHECK_COUNT("messages", 5); /* asked, answered, said, answered again, and how it ended */
    t->as = bound;
    call(t, "chat_list", "{}");
    CHECK_COUNT("messages", 0);
    call(t, "prompt_list", "{s:s}", "status", "resolved");
    CHECK_COUNT("prompts", 0);
    call(t, "prompt_get", "{s:s}", "id", subjects.prompt);
    CHECK_STATUS(404);
    call(t, "notification_list", "{s:s}", "agent", "Mentioned");
    CHECK_COUNT("notifications", 0);
}

/* A question of a job without a project is the workspace's: its text is not told to a bound token either. */
CONTRACT(what_belongs_to_no_project_is_not_in_the_inbox_of_one)
{
    const char *bound, *asked;

    call(t, "question_create", "{s:s, s:s, s:s}", "question", MARKER, "type", "blocking", "responseType",
         "text");
    CHECK_STATUS(201);
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 1);
    asked = text_at(t, "notifications.0.id");
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Growth", "message", "Over here, @Builder");
    call(t, "project_create", "{s:s}", "name", "One");
    bound = text_at(t, "id");
    t->as = token_bound(t, "owner", NULL, bound);
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 0);
    call(t, "notification_list", "{s:b}", "unread", 1);
    CHECK_COUNT("notifications", 0);
    call(t, "notification_pending_count", "{}");
    CHECK_INT("count", 0);
    call(t, "notification_read", "{s:s}", "id", asked);
    CHECK_STATUS(404);
    call(t, "notification_read_all", "{}");
    CHECK_INT("count", 0);
    t->as = token_bound(t, "agent", "Builder", bound);
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 1); /* called in the chat, which is everybody's */
    call(t, "notification_pending_count", "{}");
    CHECK_INT("count", 1);
    call(t, "notification_read_all", "{}");
    CHECK_INT("count", 1);
}

/* What another program writes stands behind the same wall, and so does what the server says itself. */
CONTRACT(what_other_programs_write_about_a_task_is_heard_in_its_project_only)
{
    const char *project, *task, *other, *prompt;

    call(t, "project_create", "{s:s}", "name", "One");
    project = text_at(t, "id");
    call(t, "task_create", "{s:s, s:s}", "id", project, "title", "Build");
    task = text_at(t, "id");
    call(t, "project_create", "{s:s}", "name", "Another one");
    other = text_at(t, "id");
    call(t, "prompt_create", "{s:s, s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message", "Why?",
         "task_id", task, "required_responses", 1);
    prompt = text_at(t, "prompt.id");
    outside_sql(t,
                "INSERT INTO squad_chat (id, workspace_id, agent_name, message, task_ref) "
                "VALUES ('%.24s0000%s', '%s', 'Shell', 'About it', '%s')",
                task, "00000001", t->workspace, task);
    outside_sql(t,
                "INSERT INTO squad_chat (id, agent_name, message, message_type, discussion_prompt_id) "
                "VALUES ('%.24s0000%s', 'Shell', 'Because', 'discussion_response', '%s')",
                task, "00000002", prompt);
    t->as = token_bound(t, "agent", NULL, project);
    call(t, "chat_list", "{}");
    CHECK_COUNT("messages", 4); /* asked, about it, because, and how it ended */
    t->as = token_bound(t, "agent", NULL, other);
    call(t, "chat_list", "{}");
    CHECK_COUNT("messages", 0);
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Growth", "message", "For everybody");
    CHECK_STATUS(201);
    call(t, "chat_list", "{}");
    CHECK_COUNT("messages", 1);
}

CONTRACT(bound_tokens_reach_nothing_beyond_what_they_are_bound_to)
{
    int cases = 0;

    if (getenv("WITAN_RACES_ONLY"))
        skip();
    advance(t, (int64_t)25 * 3600 * 1000);

    struct subjects subjects = make_subjects(t);
    const char *elsewhere, *before, *tokens[BINDINGS][ROLES];

    call(t, "project_create", "{s:s}", "name", "Another one");
    CHECK_STATUS(201);
    elsewhere = text_at(t, "id");
    for (size_t i = 0; i < BINDINGS; i++)
        for (size_t r = 0; r < ROLES; r++)
            tokens[i][r] = token_bound(t, roles[r].name, bindings[i].agent ? "Builder" : NULL,
                                       bindings[i].project ? elsewhere : NULL);
    before = fingerprint(t);
    for (const struct op *const *op = op_all(); *op; op++) {
        json_t *params = valid_params(*op, &subjects);

        for (size_t i = 0; i < BINDINGS; i++) {
            for (size_t r = 0; r < ROLES; r++) {
                t->as = tokens[i][r];
                cases += try_row(t, *op, params, &bindings[i], r);
            }
        }
        json_decref(params);
        if (strcmp(before, fingerprint(t)) != 0)
            fail_msg("%s changed something although every call was refused", (*op)->name);
    }
    printf("    %d cases in all\n", cases);
    assert_true(cases > 500);
}
