/*
 * Only what came in the body is changed: a member that is null and one that is missing mean different things
 * here, and arg_given and arg_null tell them apart.
 */
#include "base/str.h"
#include "core/chat/chat.h"
#include "core/runs/orchestrate.h"
#include "core/work/brief.h"
#include "core/work/question_set.h"
#include "core/work/task.h"
#include "gen/nouns/task_fields.h"
#include "ops/example.h"
#include "ops/fields.h"
#include "ops/identity.h"
#include "ops/project.h"
#include "ops/tables.h"

const struct field task_fields[] = { TASK_FIELDS, { 0 } };

static const struct field list_reply[] = {
    { "tasks", T_LIST, REQUIRED, "The tasks.", .items = T_OBJECT, .fields = task_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field chat_list_reply[] = {
    { "messages", T_LIST, REQUIRED, "The messages, newest first.", .items = T_OBJECT, .fields = chat_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field chat_reply[] = {
    { "message", T_OBJECT, REQUIRED, "The message.", .fields = chat_fields },
    { 0 },
};

static const struct field answer_fields[] = {
    { "notificationId", T_UUID, REQUIRED, "The set the question was in." },
    { "questionId", T_TEXT, REQUIRED, "The question's id in it." },
    { "question", T_TEXT, REQUIRED, "What was asked." },
    { "answer", T_TEXT, REQUIRED, "What was answered; null when nothing was.", .flags = F_NULL },
    { "approved", T_BOOL, REQUIRED, "Whether it was approved; null when nothing was said about that.",
      .flags = F_NULL },
    { "source", T_TEXT, REQUIRED, "human, or cancelled when it was dismissed, which counts as not approved.",
      .flags = F_NULL },
    { "by", T_TEXT, REQUIRED, "Who settled it.", .flags = F_NULL },
    { "at", T_TIME, REQUIRED, "When." },
    { 0 },
};

const struct field brief_fields[] = {
    { "projectId", T_UUID, REQUIRED, "The project." },
    { "source", T_TEXT, REQUIRED, "What kind of thing: execute, eval, prd, plan." },
    { "sourceId", T_TEXT, REQUIRED, "Which one." },
    { "title", T_TEXT, REQUIRED, "Its name in one line." },
    { "description", T_TEXT, REQUIRED, "What it says." },
    { "answers", T_LIST, REQUIRED, "What people answered, oldest first.", .items = T_OBJECT,
      .fields = answer_fields },
    { "chat", T_LIST, REQUIRED, "The last messages about it, oldest first.", .items = T_OBJECT,
      .fields = chat_fields },
    { "hilConfig", T_OBJECT, REQUIRED, "How much the agent may decide by itself.",
      .fields = autonomy_fields },
    { "autonomyLevel", T_ENUM, REQUIRED, "The same in one word.", .values = autonomy_words },
    { "autonomy", T_TEXT, REQUIRED, "The same in sentences, a line for each category." },
    { "prompt", T_TEXT, REQUIRED, "All of it as one text for a prompt." },
    { 0 },
};

static const struct field config_reply[] = {
    { "taskId", T_UUID, REQUIRED, "The task." },
    { "projectId", T_UUID, REQUIRED, "Its project." },
    { "hilConfig", T_OBJECT, REQUIRED, "How much the agent may decide by itself.",
      .fields = autonomy_fields },
    { "autonomyLevel", T_ENUM, REQUIRED, "The same in one word.", .values = autonomy_words },
    { "autonomyDescription", T_TEXT, REQUIRED, "The sentences of the levels in use." },
    { 0 },
};

static bool reply_task(struct call *call, const struct task *task)
{
    call->subject = task->id;
    task_write(task, NULL, &call->out);
    return true;
}

static bool reply_list(struct call *call, const char *list, const struct task *tasks, size_t count)
{
    size_t limit = (size_t)arg_int(call, "limit"), shown = count > limit ? limit : count;

    json_map(&call->out, NULL);
    json_list(&call->out, "tasks");
    for (size_t i = 0; i < shown; i++)
        task_write(&tasks[i], NULL, &call->out);
    json_list_end(&call->out);
    identity_write_next(call, list, count > shown, shown ? tasks[shown - 1].created_ms : 0,
                        shown ? tasks[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

static bool run_task_list(struct call *call)
{
    struct task_filter filter = {
        .status = arg_word(call, "status", task_statuses),
        .assignee = arg_text(call, "assignee"),
        .session_id = arg_text(call, "session_id"),
        .limit = (size_t)arg_int(call, "limit") + 1,
    };
    struct project project;
    struct task *tasks;
    size_t count;

    return project_of(call, &project) && identity_page(call, "tasks", &filter.cursor) &&
           task_list(&call->tx, &project, &filter, &tasks, &count) && reply_list(call, "tasks", tasks, count);
}

static bool run_task_ready(struct call *call)
{
    struct project project;
    struct task *tasks;
    const char *after;
    size_t count;

    return project_of(call, &project) && identity_page(call, "ready", &after) &&
           task_ready(&call->tx, &project, after, (size_t)arg_int(call, "limit") + 1, &tasks, &count) &&
           reply_list(call, "ready", tasks, count);
}

/* The list has been checked: every entry is a text. */
static const char *const *ids_of(struct call *call, const char *name, size_t *count)
{
    const json_t *list = arg_json(call, name);
    const char **ids;

    *count = json_array_size(list);
    ids = arena_array(call->tx.arena, const char *, *count);
    for (size_t i = 0; i < *count; i++)
        ids[i] = str_lower(call->tx.arena, json_string_value(json_array_get(list, i)));
    return ids;
}

static bool run_task_create(struct call *call)
{
    struct task task = {
        .title = arg_text(call, "title"),
        .description = arg_given(call, "description") ? arg_text(call, "description") : "",
        .status = TASK_OPEN,
        .priority = arg_int(call, "priority"),
        .session_id = arg_text(call, "session_id"),
    };
    struct project project;
    size_t count;
    const char *const *deps = ids_of(call, "depends_on", &count);

    return project_of(call, &project) && task_create(&call->tx, &project, deps, count, &task) &&
           reply_task(call, &task);
}

static bool run_task_get(struct call *call)
{
    struct project project;
    struct task task;
    const char *id;

    return project_of_thing(call, "tid", &project, &id) && task_get(&call->tx, &project, id, &task) &&
           reply_task(call, &task);
}

/* Where a null is a wish (nobody's any more), it was given as much as a text. */
static bool was_sent(const struct call *call, const char *name)
{
    return arg_given(call, name) || arg_null(call, name);
}

static bool run_task_update(struct call *call)
{
    struct task_change change = {
        .title = arg_text(call, "title"),
        .description = arg_text(call, "description"),
        .status = arg_word(call, "status", task_statuses),
        .has_priority = arg_given(call, "priority"),
        .priority = arg_int(call, "priority"),
        .has_assignee = was_sent(call, "assignee"),
        .assignee = arg_text(call, "assignee"),
        .has_block_reason = was_sent(call, "block_reason"),
        .block_reason = arg_text(call, "block_reason"),
        .has_session = was_sent(call, "session_id"),
        .session_id = arg_text(call, "session_id"),
        .has_result = was_sent(call, "result"),
        .has_deps = was_sent(call, "depends_on"),
    };
    struct project project;
    struct task task;
    const char *id;

    change.deps = ids_of(call, "depends_on", &change.dep_count);
    if (arg_given(call, "result"))
        change.result = json_dump_text(call->tx.arena, arg_json(call, "result"));
    return project_of_thing(call, "tid", &project, &id) &&
           task_update(&call->tx, &project, id, &change, &task) && reply_task(call, &task);
}

static bool run_task_claim(struct call *call)
{
    struct project project;
    struct task task;
    const char *id;

    return project_of_thing(call, "tid", &project, &id) &&
           task_claim(&call->tx, &project, id, arg_text(call, "agent"), &task) && reply_task(call, &task);
}

static bool run_task_delete(struct call *call)
{
    struct project project;
    const char *id;

    return project_of_thing(call, "tid", &project, &id) && orchestrate_let_go(&call->tx, &project, id) &&
           question_set_drop(&call->tx, &project, SOURCE_EXECUTE, id) && task_delete(&call->tx, &project, id);
}

/* The task that the path names; everything about a task begins with it. */
static bool task_of(struct call *call, struct project *project, struct task *task)
{
    const char *id;

    return project_of_thing(call, "tid", project, &id) && task_get(&call->tx, project, id, task);
}

static bool run_task_chat_list(struct call *call)
{
    struct chat_filter filter = {
        .cursor = arg_text(call, "cursor"),
        .limit = (size_t)arg_int(call, "limit"),
    };
    struct project project;
    struct chat_page page;
    struct task task;

    if (!task_of(call, &project, &task))
        return false;
    filter.task_ref = task.id;
    if (!chat_list(&call->tx, &filter, &page))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "messages");
    for (size_t i = 0; i < page.count; i++)
        chat_write(&page.messages[i], NULL, &call->out);
    json_list_end(&call->out);
    json_text(&call->out, "nextCursor", page.next_cursor);
    json_map_end(&call->out);
    return true;
}

/* A caller who names no author speaks for themselves, and is a person if they are one. */
static bool run_task_chat_post(struct call *call)
{
    bool named = arg_given(call, "agent_name");
    struct chat chat = {
        .agent_name = named ? arg_text(call, "agent_name") : author_of(call),
        .message = arg_text(call, "message"),
        .is_human = arg_given(call, "is_human") || named ? arg_bool(call, "is_human")
                                                         : caller_is_person(&call->caller),
    };
    struct project project;
    struct task task;

    if (!task_of(call, &project, &task))
        return false;
    chat.task_ref = task.id;
    if (!chat_post(&call->tx, &chat))
        return false;
    json_map(&call->out, NULL);
    chat_write(&chat, "message", &call->out);
    json_map_end(&call->out);
    return true;
}

static bool run_task_context(struct call *call)
{
    struct project project;
    struct task task;

    if (!task_of(call, &project, &task))
        return false;
    struct brief_subject subject = brief_of_task(&task);

    return brief_write(&call->tx, &project, &subject, &call->out);
}

static bool run_task_config(struct call *call)
{
    struct project project;
    struct task task;

    if (!task_of(call, &project, &task))
        return false;
    brief_write_config(call->tx.arena, &project, task.id, &call->out);
    return true;
}

#define TASK_PARAM \
    { \
        "tid", T_UUID, REQUIRED, "The task." \
    }
#define DEPENDS_PARAM \
    { \
        "depends_on", T_LIST, OPTIONAL, \
            "Tasks of the project that must be closed first; never in a circle.", .items = T_UUID, \
                                                                                  .max = LIMIT_DEPENDS \
    }

const struct op task_ops[] = {
    {
        .name = "task_list",
        .http = "GET /api/projects/{id}/tasks",
        .tag = TAG_PROJECTS,
        .help = "List the tasks of a project, newest first.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_task_list,
        .example = "{\"status\": \"open\", \"limit\": 20}",
        .reply = list_reply,
        .params = {
            PROJECT_PARAM,
            { "status", T_ENUM, OPTIONAL, "Only tasks with this status.", .values = task_statuses },
            { "assignee", T_NAME, OPTIONAL, "Only what this agent has claimed." },
            { "session_id", T_TEXT, OPTIONAL, "Only tasks of this session.", .max = LIMIT_REF },
            PAGE_PARAMS,
        },
    },
    {
        .name = "task_create",
        .http = "POST /api/projects/{id}/tasks",
        .tag = TAG_PROJECTS,
        .help = "Add a task to a project.",
        .needs = ROLES_WRITE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_task_create,
        .example = "{\"title\": \"Add the cart\", \"description\": \"With a total.\", \"priority\": 1, "
                   "\"depends_on\": [\"" EXAMPLE_TASK "\"]}",
        .reply = task_fields,
        .params = {
            PROJECT_PARAM,
            { "title", T_NAME, REQUIRED, "One line.", .max = LIMIT_TITLE },
            { "description", T_TEXT, OPTIONAL, "What is to be done." },
            { "priority", T_INT, OPTIONAL, "0 comes first.", .min = 0, .max = TASK_PRIORITY_MAX,
              .fallback = TASK_PRIORITY_DEFAULT },
            DEPENDS_PARAM,
            { "session_id", T_TEXT, OPTIONAL, "The session it belongs to.", .max = LIMIT_REF },
        },
    },
    {
        .name = "task_ready",
        .http = "GET /api/projects/{id}/tasks/ready",
        .tag = TAG_PROJECTS,
        .help = "List what can be worked on: open tasks whose dependencies are all closed, by priority, then age.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_task_ready,
        .reply = list_reply,
        .params = { PROJECT_PARAM, PAGE_PARAMS },
    },
    {
        .name = "task_get",
        .http = "GET /api/projects/{id}/tasks/{tid}",
        .tag = TAG_PROJECTS,
        .help = "Show a task.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .quick = true,
        .run = run_task_get,
        .reply = task_fields,
        .params = { PROJECT_PARAM, TASK_PARAM },
    },
    {
        .name = OP_TASK_UPDATE,
        .http = "PATCH /api/projects/{id}/tasks/{tid}",
        .tag = TAG_PROJECTS,
        .help = "Change a task. "
                "Status closed finishes it, which an agent cannot do while questions about it are open; when somebody else does, these are dismissed. "
                "Status open, or an assignee of null, gives it back.",
        .needs = ROLES_WRITE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .run = run_task_update,
        .example = "{\"status\": \"closed\", \"result\": {\"files\": [\"cart.c\"]}}",
        .reply = task_fields,
        .params = {
            PROJECT_PARAM,
            TASK_PARAM,
            { "title", T_NAME, OPTIONAL, "The new title.", .max = LIMIT_TITLE },
            { "description", T_TEXT, OPTIONAL, "The new description." },
            { "status", T_ENUM, OPTIONAL, "The new status.", .values = task_statuses },
            { "priority", T_INT, OPTIONAL, "0 comes first.", .min = 0, .max = TASK_PRIORITY_MAX },
            { "assignee", T_NAME, OPTIONAL, "Whose it is; null gives it back.", .flags = F_NULL },
            { "block_reason", T_TEXT, OPTIONAL, "Why it is blocked.", .max = LIMIT_TITLE, .flags = F_NULL },
            DEPENDS_PARAM,
            { "session_id", T_TEXT, OPTIONAL, "The session it belongs to.", .max = LIMIT_REF,
              .flags = F_NULL },
            { "result", T_JSON, OPTIONAL, "What came of it.", .flags = F_NULL },
        },
    },
    {
        .name = "task_delete",
        .http = "DELETE /api/projects/{id}/tasks/{tid}",
        .tag = TAG_PROJECTS,
        .help = "Delete a task. What depended on it depends on it no more.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_task_delete,
        .params = { PROJECT_PARAM, TASK_PARAM },
    },
    {
        .name = OP_TASK_CLAIM,
        .http = "POST /api/projects/{id}/tasks/{tid}/claim",
        .tag = TAG_PROJECTS,
        .help = "Take an open task for an agent. Of two that try, one gets it; the other is told who has it.",
        .needs = ROLES_WRITE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .run = run_task_claim,
        .example = "{\"agent\": \"Builder\"}",
        .reply = task_fields,
        .params = {
            PROJECT_PARAM,
            TASK_PARAM,
            { "agent", T_NAME, REQUIRED, "Who takes it." },
        },
    },
    {
        .name = "task_chat_list",
        .http = "GET /api/projects/{id}/tasks/{tid}/chat",
        .tag = TAG_PROJECTS,
        .help = "Read what was said about a task, newest first.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_task_chat_list,
        .reply = chat_list_reply,
        .params = { PROJECT_PARAM, TASK_PARAM, PAGE_PARAMS },
    },
    {
        .name = "task_chat_post",
        .http = "POST /api/projects/{id}/tasks/{tid}/chat",
        .tag = TAG_PROJECTS,
        .help = "Say something about a task. It is a message of the squad chat that refers to the task.",
        .needs = ROLES_WRITE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_task_chat_post,
        .example = "{\"agent_name\": \"Builder\", \"message\": \"Half of it is done.\"}",
        .reply = chat_reply,
        .params = {
            PROJECT_PARAM,
            TASK_PARAM,
            { "message", T_TEXT, REQUIRED, "What to say; 64 KB at most unless limits.message says otherwise.",
              .max = LIMIT_MESSAGE_CEILING },
            { "agent_name", T_NAME, OPTIONAL, "Who says it; you, when left out." },
            { "is_human", T_BOOL, OPTIONAL, "Whether a person says it." },
        },
    },
    {
        .name = "task_context",
        .http = "GET /api/projects/{id}/tasks/{tid}/context",
        .tag = TAG_PROJECTS,
        .help = "What the agent's next prompt must hold: the task, people's answers, its chat, its autonomy.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_task_context,
        .reply = brief_fields,
        .params = { PROJECT_PARAM, TASK_PARAM },
    },
    {
        .name = "task_config",
        .http = "GET /api/projects/{id}/tasks/{tid}/config.json",
        .tag = TAG_PROJECTS,
        .help = "The config.json for the task's folder: how much the agent may decide by itself.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .quick = true,
        .run = run_task_config,
        .reply = config_reply,
        .params = { PROJECT_PARAM, TASK_PARAM },
    },
    { 0 },
};
