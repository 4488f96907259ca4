#include "core/work/project_inbox.h"
#include "core/work/task.h"
#include "gen/nouns/question_set_fields.h"
#include "ops/fields.h"
#include "ops/identity.h"
#include "ops/project.h"
#include "ops/tables.h"

#define TAG_OPEN_QUESTIONS "Open questions"

const struct field set_question_fields[] = {
    { "id", T_TEXT, REQUIRED, "Its id within the set." },
    { "text", T_TEXT, REQUIRED, "What is asked." },
    { "createdAt", T_TIME, REQUIRED, "When it was asked." },
    { 0 },
};

static const struct field response_fields[] = {
    { "questionId", T_TEXT, REQUIRED, "Which question of the set." },
    { "answer", T_TEXT, REQUIRED, "The answer.", .max = LIMIT_MESSAGE_CEILING },
    { 0 },
};

const struct field set_answer_fields[] = {
    { "questionId", T_TEXT, REQUIRED, "Which question of the set." },
    { "answer", T_TEXT, REQUIRED, "The answer." },
    { "by", T_TEXT, OPTIONAL, "Who gave it, when the set stayed open then; else the outcome says it." },
    { "at", T_TIME, OPTIONAL, "When it was given, in the same case." },
    { 0 },
};

static const struct field set_task_fields[] = {
    { "id", T_UUID, REQUIRED, "The task." },
    { "title", T_TEXT, REQUIRED, "Its title." },
    { "status", T_ENUM, REQUIRED, "Where it stands now.", .values = task_statuses },
    { "blockReason", T_TEXT, REQUIRED, "Why it is blocked.", .flags = F_NULL },
    { 0 },
};

static const struct field notification_fields[] = {
    QUESTION_SET_FIELDS,
    { "task", T_OBJECT, REQUIRED,
      "The task that it is about, as it is now; null: it is about something else, or the task is gone.",
      .flags = F_NULL, .fields = set_task_fields },
    { 0 },
};

static const struct field list_reply[] = {
    { "notifications", T_LIST, REQUIRED, "The open ones, newest first.", .items = T_OBJECT,
      .fields = notification_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field count_reply[] = {
    { "deletedCount", T_INT, REQUIRED, "How many were dismissed." },
    { 0 },
};

static void write_notice(const struct question_set *set, struct json_out *out)
{
    json_map(out, NULL);
    question_set_write_members(set, out);
    if (set->task) {
        json_map(out, "task");
        json_text(out, "id", set->task->id);
        json_text(out, "title", set->task->title);
        json_text(out, "status", task_status_word(set->task->status));
        json_text(out, "blockReason", set->task->block_reason);
        json_map_end(out);
    } else {
        json_none(out, "task");
    }
    json_map_end(out);
}

static bool run_open_question_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct question_set *sets;
    struct project project;
    const char *after;

    if (!project_of(call, &project) || !identity_page(call, "open_questions", &after) ||
        !project_inbox_list(&call->tx, &project, after, limit + 1, &sets, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "notifications");
    for (size_t i = 0; i < shown; i++)
        write_notice(&sets[i], &call->out);
    json_list_end(&call->out);
    identity_write_next(call, "open_questions", count > shown, shown ? sets[shown - 1].created_ms : 0,
                        shown ? sets[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

static bool run_open_question_get(struct call *call)
{
    struct question_set set;
    struct project project;
    const char *id;

    if (!project_of_thing(call, "nid", &project, &id) || !project_inbox_get(&call->tx, &project, id, &set))
        return false;
    call->ended = !question_set_is_open(&set);
    write_notice(&set, &call->out);
    return true;
}

static bool run_open_question_resolve(struct call *call)
{
    struct question_set_reply reply = {
        .responses = arg_json(call, "responses"),
        .has_approved = arg_given(call, "approved"),
        .approved = arg_bool(call, "approved"),
        .keep_open = arg_bool(call, "keepOpen"),
    };
    struct question_set set;
    struct project project;
    const char *id;

    if (!project_of_thing(call, "nid", &project, &id) ||
        !project_inbox_resolve(&call->tx, &project, id, &reply, &set))
        return false;
    write_notice(&set, &call->out);
    return true;
}

static void reply_count(struct call *call, size_t count)
{
    json_map(&call->out, NULL);
    json_int(&call->out, "deletedCount", (int64_t)count);
    json_map_end(&call->out);
}

static bool run_open_question_dismiss(struct call *call)
{
    struct question_set_reply nothing = { 0 };
    struct question_set set;
    struct project project;
    const char *id;
    bool was_open;

    if (!project_of_thing(call, "nid", &project, &id) || !project_inbox_get(&call->tx, &project, id, &set))
        return false;
    was_open = question_set_is_open(&set);
    if (!project_inbox_resolve(&call->tx, &project, id, &nothing, &set))
        return false;
    reply_count(call, was_open ? 1 : 0);
    return true;
}

static bool run_open_question_clear(struct call *call)
{
    struct project project;
    size_t count;

    if (!project_of(call, &project) || !project_inbox_clear(&call->tx, &project, &count))
        return false;
    reply_count(call, count);
    return true;
}

#define SET_PARAM \
    { \
        "nid", T_UUID, REQUIRED, "The notification; an approval also goes by its id in an inbox." \
    }

const struct op question_set_ops[] = {
    {
        .name = "open_question_list",
        .http = "GET /api/projects/{id}/notifications",
        .tag = TAG_OPEN_QUESTIONS,
        .help = "List what agents of the project are waiting to hear: open questions and approvals, newest first.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_open_question_list,
        .reply = list_reply,
        .params = { PROJECT_PARAM, PAGE_PARAMS },
    },
    {
        .name = "open_question_get",
        .http = "GET /api/projects/{id}/notifications/{nid}",
        .tag = TAG_OPEN_QUESTIONS,
        .help = "Show a set of open questions and how it was settled.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .quick = true,
        .waits = true,
        .run = run_open_question_get,
        .reply = notification_fields,
        .params = { PROJECT_PARAM, SET_PARAM },
    },
    {
        .name = "open_question_resolve",
        .http = "PATCH /api/projects/{id}/notifications/{nid}",
        .http_also = "PATCH /projects/{id}/notifications/{nid}",
        .tag = TAG_OPEN_QUESTIONS,
        .help = "Answer open questions, or approve; without a body, dismiss them. "
                "Answers go to the task's chat and into the agent's next prompt, and a task that waited for the last of them goes on. "
                "Answers to some settle the whole set, unless keepOpen is true. "
                "A dismissal is no go-ahead, nor is a no without an answer: where the project's orchestrator is on, a task that nobody has stays blocked until somebody opens it. "
                "Settling it a second time changes nothing; while it is kept open, another answer to an answered question is a conflict that shows what is stored.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .run = run_open_question_resolve,
        .example = "{\"responses\": [{\"questionId\": \"q1\", \"answer\": \"Euro and dollar.\"}], "
                   "\"approved\": true}",
        .reply = notification_fields,
        .params = {
            PROJECT_PARAM,
            SET_PARAM,
            { "responses", T_LIST, OPTIONAL, "The answers.", .items = T_OBJECT, .fields = response_fields,
              .max = LIMIT_QUESTIONS },
            { "approved", T_BOOL, OPTIONAL, "Whether to go ahead." },
            { "keepOpen", T_BOOL, OPTIONAL, "Keep the set open, and its task waiting, until every question has an answer. "
                                            "Needs responses or approved.",
              .fallback = "false" },
        },
    },
    {
        .name = "open_question_dismiss",
        .http = "DELETE /api/projects/{id}/notifications/{nid}",
        .tag = TAG_OPEN_QUESTIONS,
        .help = "Dismiss a set of open questions without an answer. "
                "Its task goes on; where the project's orchestrator is on, one that nobody has stays blocked until somebody opens it.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .run = run_open_question_dismiss,
        .reply = count_reply,
        .params = { PROJECT_PARAM, SET_PARAM },
    },
    {
        .name = "open_question_clear",
        .http = "DELETE /api/projects/{id}/notifications",
        .tag = TAG_OPEN_QUESTIONS,
        .help = "Dismiss all open questions of a project without an answer. "
                "Their tasks go on; where the project's orchestrator is on, those that nobody has stay blocked until somebody opens them.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .run = run_open_question_clear,
        .reply = count_reply,
        .params = { PROJECT_PARAM },
    },
    { 0 },
};
