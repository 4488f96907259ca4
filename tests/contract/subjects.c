#include "subjects.h"

#include "ops/bind.h"
#include "ops/openapi.h"

static void make_project_subjects(struct t *t, struct subjects *subjects)
{
    call(t, "project_create", "{s:s}", "name", MARKER);
    CHECK_STATUS(201);
    subjects->project = text_at(t, "id");
    call(t, "task_create", "{s:s, s:s}", "id", subjects->project, "title", MARKER);
    CHECK_STATUS(201);
    subjects->task = text_at(t, "id");
    call(t, "feedback_create", "{s:s, s:s}", "id", subjects->project, "text", MARKER);
    CHECK_STATUS(201);
    subjects->feedback = text_at(t, "id");
    call(t, "prd_put", "{s:s, s:s, s:s}", "id", subjects->project, "sectionKey", "Plausible1", "text",
         MARKER);
    CHECK_STATUS(201);
    call(t, "plan_put", "{s:s, s:s, s:s}", "id", subjects->project, "planId", "Plausible1", "text", MARKER);
    CHECK_STATUS(201);
    call(t, "result_submit", "{s:s, s:s, s:s, s:{s:[s]}}", "id", subjects->project, "agent", "analyst",
         "sourceId", subjects->feedback, "result", "open_questions", MARKER);
    CHECK_STATUS(201);
    subjects->questions = text_at(t, "notificationId");
    call(t, "decision_create", "{s:s, s:s, s:s}", "id", subjects->project, "category", "scopeChanges",
         "description", MARKER);
    CHECK_STATUS(201);
    subjects->decision = text_at(t, "id");
}

static void make_question_subjects(struct t *t, struct subjects *subjects, const char *name)
{
    call(t, "job_create", "{s:s, s:s}", "agent", MARKER, "projectId", subjects->project);
    CHECK_STATUS(201);
    subjects->job = text_at(t, "id");
    call(t, "question_ask", "{s:s, s:s, s:s, s:s}", "id", subjects->job, "question", MARKER, "type",
         "blocking", "responseType", "text");
    CHECK_STATUS(201);
    subjects->question = text_at(t, "questionId");
    call(t, "template_create", "{s:s, s:s}", "name", name, "question", MARKER);
    CHECK_STATUS(201);
    subjects->template = text_at(t, "id");
}

/* About the project's task, each in another way: by its name, as an answer, as a word in the thread. */
static void make_talk(struct t *t, struct subjects *subjects)
{
    call(t, "prompt_create", "{s:s, s:s, s:s}", "requester_agent", "Dev", "prompt_message",
         MARKER " @Mentioned", "task_id", subjects->task);
    CHECK_STATUS(201);
    subjects->prompt = text_at(t, "prompt.id");
    call(t, "prompt_respond", "{s:s, s:s, s:s}", "id", subjects->prompt, "agent_name", "Growth", "message",
         MARKER " @Mentioned");
    CHECK_STATUS(201);
    call(t, "chat_post", "{s:s, s:s, s:s}", "agent_name", "Growth", "message", MARKER " @Mentioned",
         "discussion_prompt_id", subjects->prompt);
    CHECK_STATUS(201);
    call(t, "chat_post", "{s:s, s:s, s:s}", "agent_name", "Growth", "message", MARKER " @Mentioned",
         "task_ref", subjects->task);
    CHECK_STATUS(201);
    call(t, "notification_list", "{s:s}", "agent", "Mentioned");
    CHECK_COUNT("notifications", 4);
    subjects->notification = text_at(t, "notifications.0.id");
}

/* An agent that takes its turns by itself, so that one of them waits. */
static void make_council(struct t *t, struct subjects *subjects, const char *name)
{
    call(t, "agent_create", "{s:s, s:s, s:{s:s}}", "name", name, "system_prompt", MARKER, "ai_model_config",
         "provider", "external");
    CHECK_STATUS(201);
    subjects->agent = text_at(t, "id");
    call(t, "discussion_create", "{s:s, s:s, s:s, s:[{s:s}]}", "topic", MARKER, "mode", "turns", "projectId",
         subjects->project, "participants", "agentId", subjects->agent);
    CHECK_STATUS(201);
    subjects->discussion = text_at(t, "discussion.id");
}

static void make_people(struct t *t, struct subjects *subjects, const char *name)
{
    call(t, "user_create", "{s:s, s:s}", "name", name, "role", "member");
    CHECK_STATUS(201);
    subjects->user = text_at(t, "id");
    call(t, "token_create", "{s:s, s:s}", "name", MARKER, "role", "viewer");
    CHECK_STATUS(201);
    subjects->token = text_at(t, "id");
}

struct subjects make_subjects(struct t *t)
{
    struct subjects subjects = { .workspace = t->workspace };

    make_people(t, &subjects, arena_format(&t->arena, "Maya %.13s", t->workspace + 20));
    make_project_subjects(t, &subjects);
    make_question_subjects(t, &subjects, MARKER);
    make_talk(t, &subjects);
    make_council(t, &subjects, MARKER);
    return subjects;
}

void renew_subjects(struct t *t, struct subjects *subjects)
{
    const char *name;

    make_project_subjects(t, subjects);
    name = arena_format(&t->arena, "%s %.36s", MARKER, subjects->project);
    make_people(t, subjects, name);
    make_question_subjects(t, subjects, name);
    make_council(t, subjects, name);
    call(t, "discussion_interject", "{s:s, s:s}", "id", subjects->discussion, "content", MARKER);
    CHECK_STATUS(200);
    call(t, "prompt_create", "{s:s, s:s, s:s}", "requester_agent", "Dev", "prompt_message", MARKER, "task_id",
         subjects->task);
    CHECK_STATUS(201);
    subjects->prompt = text_at(t, "prompt.id");
}

/* What a parameter inside a project's path names. */
static const char *subject_in_project(const struct field *field, const struct subjects *subjects)
{
    const struct raw_value known[] = {
        { "id", subjects->project },   { "tid", subjects->task },      { "fid", subjects->feedback },
        { "did", subjects->decision }, { "nid", subjects->questions }, { "sectionKey", "Plausible1" },
        { "planId", "Plausible1" },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(field->name, known[i].name) == 0)
            return known[i].text;
    return NULL;
}

static const char *subject_for(const struct op *op, const struct field *field,
                               const struct subjects *subjects)
{
    static const struct {
        const char *prefix;
        size_t offset;
    } known[] = {
        { "/api/discussion/", offsetof(struct subjects, prompt) },
        { "/api/notifications/", offsetof(struct subjects, notification) },
        { "/api/users/", offsetof(struct subjects, user) },
        { "/api/tokens/", offsetof(struct subjects, token) },
        { "/api/workspaces/", offsetof(struct subjects, workspace) },
        { "/api/jobs/", offsetof(struct subjects, job) },
        { "/api/questions/", offsetof(struct subjects, question) },
        { "/api/templates/", offsetof(struct subjects, template) },
        { "/api/agents/", offsetof(struct subjects, agent) },
        { "/api/discussions/", offsetof(struct subjects, discussion) },
    };

    if (str_starts(op_path(op), "/api/projects/") && subject_in_project(field, subjects))
        return subject_in_project(field, subjects);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (str_starts(op_path(op), known[i].prefix))
            return *(const char *const *)((const char *)subjects + known[i].offset);
    fail_msg("%s: tell make_subjects how to make what its path names", op->name);
    return NULL;
}

/* Texts that a handler knows more about than the row says. */
static const char *special_text(const struct field *field)
{
    static const struct raw_value known[] = {
        { "action", "resolve" },
        { "password", "a long enough password" },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(field->name, known[i].name) == 0)
            return known[i].text;
    return "Plausible1";
}

static json_t *plausible(const struct field *field);

/* As few entries as it may have. */
static json_t *plausible_list(const struct field *field)
{
    json_t *list = json_array();
    struct field item = *field;

    item.type = field->items;
    item.min = 0;
    for (int64_t i = 0; i < field->min; i++)
        json_array_append_new(list, plausible(&item));
    return list;
}

static json_t *plausible(const struct field *field)
{
    switch (field->type) {
    case T_INT: return json_integer(field->min ? field->min : 1);
    case T_REAL: return json_real(field->min ? (double)field->min : 1.0);
    case T_BOOL: return json_false();
    case T_TIME: return json_string("2026-01-31T12:00:00Z");
    case T_ENUM: return json_string(field->values[0]);
    case T_UUID: return json_string("01890000-0000-7000-8000-00000000abcd");
    case T_OBJECT:
    case T_JSON: return json_object();
    case T_LIST: return plausible_list(field);
    default: return json_string(special_text(field));
    }
}

json_t *valid_params(const struct op *op, const struct subjects *subjects)
{
    json_t *params = json_object();

    for (const struct field *field = op->params; field->type; field++) {
        if (op_param_place(op, field) == IN_PATH)
            json_object_set_new(params, field->name, json_string(subject_for(op, field, subjects)));
        else if (strcmp(field->name, "workspaceId") == 0)
            json_object_set_new(params, field->name, json_string(subjects->workspace));
        else if (field->need == REQUIRED)
            json_object_set_new(params, field->name, plausible(field));
    }
    return params;
}
