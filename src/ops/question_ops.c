#include "base/str.h"
#include "core/identity/workspace.h"
#include "core/questions/job.h"
#include "gen/nouns/question_preference_fields.h"
#include "ops/example.h"
#include "ops/question_fields.h"
#include "ops/tables.h"

enum { SORT_CREATED = 1, SORT_DEADLINE };
static const char *const sorts[] = { "created", "deadline", NULL };

static const struct field preference_fields[] = { QUESTION_PREFERENCE_FIELDS, { 0 } };

#define ASKED_FIELDS \
    { "questionId", T_UUID, REQUIRED, "The question." }, \
        { "timeoutAt", T_TIME, REQUIRED, "The last moment at which it is open; null: no deadline.", \
          .flags = F_NULL }, \
        { "response", \
          T_OBJECT, \
          OPTIONAL, \
          "Non-blocking: what to go on with now, the default.", \
          .fields = response_fields, \
          .flags = F_OPEN }, \
    { \
        "preference", T_OBJECT, OPTIONAL, \
            "Non-blocking: what a person answered the last time to the same words with the same options; of an approval it is null.", \
            .fields = preference_fields, .flags = F_NULL \
    }

static const struct field ask_reply[] = { ASKED_FIELDS, { 0 } };
static const struct field ask_alone_reply[] = {
    ASKED_FIELDS,
    { "jobId", T_UUID, REQUIRED, "The job that was made for it; it ends with the question." },
    { 0 },
};

static const struct field one_reply[] = {
    { "question", T_OBJECT, REQUIRED, "The question.", .fields = question_fields },
    { "taskId", T_UUID, REQUIRED, "The task that whoever asks works on.", .flags = F_NULL },
    { "taskTitle", T_TEXT, REQUIRED, "That task's title.", .flags = F_NULL },
    { 0 },
};

static const struct field job_list_reply[] = {
    { "questions", T_LIST, REQUIRED, "The questions, oldest first.", .items = T_OBJECT,
      .fields = question_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field pending_reply[] = {
    { "questions", T_LIST, REQUIRED, "The open questions.", .items = T_OBJECT, .fields = question_fields },
    { "serverTime", T_TIME, REQUIRED, "Now, to count down to timeoutAt by." },
    PAGE_REPLY,
    { 0 },
};

/* How a question can have ended, by the words of its status. */
static const char *const ends[] = { "answered", "timeout", "cancelled", NULL };

static const struct field answered_count_reply[] = {
    { "count", T_INT, REQUIRED, "How many; 1000 stands for as many or more." },
    { 0 },
};

static const struct field ended_reply[] = {
    { "questions", T_LIST, REQUIRED, "What has ended that way, newest first.", .items = T_OBJECT,
      .fields = question_fields },
    PAGE_REPLY,
    { 0 },
};

static bool run_question_ask(struct call *call)
{
    struct question_wish wish = question_wish_of(call);
    struct question_preference preference;
    struct question question;

    if (!question_ask(&call->tx, arg_text(call, "id"), &wish, &question, &preference))
        return false;
    call->subject = call->question_id = question.id;
    json_map(&call->out, NULL);
    question_write_asked(call, &question, &preference);
    json_map_end(&call->out);
    return true;
}

static bool run_question_create(struct call *call)
{
    struct question_wish wish = question_wish_of(call);
    struct job job = { .agent = arg_text(call, "agent"),
                       .project_id = arg_text(call, "projectId"),
                       .task_id = arg_text(call, "taskId") };
    struct question_preference preference;
    struct question question;

    if (!question_ask_alone(&call->tx, &wish, &job, &question, &preference))
        return false;
    call->subject = call->question_id = question.id;
    json_map(&call->out, NULL);
    question_write_asked(call, &question, &preference);
    json_text(&call->out, "jobId", job.id);
    json_map_end(&call->out);
    return true;
}

static bool run_question_list_job(struct call *call)
{
    struct question_page page;

    if (!question_list_job(&call->tx, arg_text(call, "id"), arg_text(call, "cursor"),
                           (size_t)arg_int(call, "limit"), &page))
        return false;
    json_map(&call->out, NULL);
    if (!question_write_list(&call->tx, page.questions, page.count, &call->out))
        return false;
    json_text(&call->out, "nextCursor", page.next_cursor);
    json_map_end(&call->out);
    return true;
}

/* The workspace is named in the query; it need not be the one that the header or the token chose. `there` is
 * the caller as they are in it. */
static bool find_workspace(struct call *call, struct caller *there)
{
    const char *name = arg_text(call, "workspaceId");
    struct workspace workspace;
    enum role role;

    *there = call->caller;
    if (str_equal(name, call->caller.workspace_id))
        return true;
    if (!workspace_see(&call->tx, name, &workspace, &role))
        return false;
    there->workspace_id = workspace.id;
    there->role = role;
    return ((unsigned)role & ROLES_READ) || err_set(&call->err, ERR_NOT_FOUND, "There is no such workspace.");
}

static bool run_question_pending(struct call *call)
{
    const char *bound = call->caller.project_id;
    struct question_filter filter = {
        .type = arg_word(call, "type", question_types),
        .project_id = arg_given(call, "projectId") ? arg_text(call, "projectId") : bound,
        .by_deadline = arg_word(call, "sort", sorts) == SORT_DEADLINE,
        .cursor = arg_text(call, "cursor"),
        .limit = (size_t)arg_int(call, "limit"),
    };
    struct question_page page;
    struct caller there;
    struct tx tx = call->tx;

    if (!caller_sees_project(&call->caller, filter.project_id))
        return err_set(&call->err, ERR_NOT_FOUND, "There is no such project.");
    if (!find_workspace(call, &there))
        return false;
    filter.workspace_id = there.workspace_id;
    tx.caller = &there;
    if (!question_pending(&call->tx, &filter, &page))
        return false;
    json_map(&call->out, NULL);
    if (!question_write_list(&tx, page.questions, page.count, &call->out))
        return false;
    json_time(&call->out, "serverTime", call->tx.now_ms);
    json_text(&call->out, "nextCursor", page.next_cursor);
    json_map_end(&call->out);
    return true;
}

static bool run_question_ended(struct call *call)
{
    const char *bound = call->caller.project_id;
    struct question_filter filter = {
        .workspace_id = call->caller.workspace_id,
        .status = arg_word(call, "status", question_statuses),
        .type = arg_word(call, "type", question_types),
        .project_id = arg_given(call, "projectId") ? arg_text(call, "projectId") : bound,
        .asked_by = arg_text(call, "agent"),
        .cursor = arg_text(call, "cursor"),
        .limit = (size_t)arg_int(call, "limit"),
    };
    struct question_page page;

    if (!caller_sees_project(&call->caller, filter.project_id))
        return err_set(&call->err, ERR_NOT_FOUND, "There is no such project.");
    if (!question_list_ended(&call->tx, &filter, &page))
        return false;
    json_map(&call->out, NULL);
    if (!question_write_list(&call->tx, page.questions, page.count, &call->out))
        return false;
    json_text(&call->out, "nextCursor", page.next_cursor);
    json_map_end(&call->out);
    return true;
}

static bool run_question_answered_count(struct call *call)
{
    int64_t count;

    if (!question_answered_count(&call->tx, arg_int(call, "since"), &count))
        return false;
    json_map(&call->out, NULL);
    json_int(&call->out, "count", count);
    json_map_end(&call->out);
    return true;
}

static bool run_question_get(struct call *call)
{
    struct question question;
    const char *task_id, *title;

    if (!question_get(&call->tx, arg_text(call, "id"), &question) ||
        !question_task(&call->tx, &question, &task_id, &title))
        return false;
    call->ended = !question_is_open(&question);
    json_map(&call->out, NULL);
    if (!question_write_one(call, &question))
        return false;
    json_text(&call->out, "taskId", task_id);
    json_text(&call->out, "taskTitle", title);
    json_map_end(&call->out);
    return true;
}

const struct op question_ops[] = {
    {
        .name = "question_ask",
        .count_errors = true,
        .http = "POST /api/jobs/{id}/questions",
        .tag = TAG_QUESTIONS,
        .help = "Ask people within a job. "
                "Unless it is non-blocking, the job waits for the answer, for the deadline, or until it is cancelled.",
        .needs = ROLES_WRITE,
        .reaches = REACH_JOB,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_question_ask,
        .example = "{\"question\": \"Which region shall it run in?\", \"type\": \"blocking\", "
                   "\"responseType\": \"choice\", \"options\": [{\"label\": \"Frankfurt\", \"value\": \"eu\"}, "
                   "{\"label\": \"Oregon\", \"value\": \"us\", \"description\": \"Nearer to the customer.\"}], "
                   "\"context\": {\"currentStep\": \"deploy\"}, \"timeoutMinutes\": 30}",
        .reply = ask_reply,
        .params = { { "id", T_UUID, REQUIRED, "The job." }, ASK_PARAMS },
    },
    {
        .name = "question_list_job",
        .http = "GET /api/jobs/{id}/questions",
        .tag = TAG_QUESTIONS,
        .help = "List all questions of a job, oldest first.",
        .needs = ROLES_READ,
        .reaches = REACH_JOB,
        .kind = OP_READ,
        .run = run_question_list_job,
        .reply = job_list_reply,
        .params = { { "id", T_UUID, REQUIRED, "The job." }, PAGE_PARAMS },
    },
    {
        .name = "question_create",
        .count_errors = true,
        .http = "POST /api/questions",
        .tag = TAG_QUESTIONS,
        .help = "Ask people without a job: one is made for the question and ends with it.",
        .needs = ROLES_WRITE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .status = 201,
        .tool = "ask_question",
        .run = run_question_create,
        .example = "{\"question\": \"Which colour for the chart?\", \"type\": \"non_blocking\", "
                   "\"responseType\": \"text\", \"defaultResponse\": {\"type\": \"text\", \"value\": \"blue\"}, "
                   "\"agent\": \"Builder\"}",
        .reply = ask_alone_reply,
        .params = {
            ASK_PARAMS,
            { "agent", T_NAME, OPTIONAL, "Who asks.", .flags = F_SPEAKER },
            { "projectId", T_ID, OPTIONAL, "The project it belongs to." },
            { "taskId", T_ID, OPTIONAL, "The task it belongs to." },
        },
    },
    {
        .name = "question_pending",
        .http = "GET /api/questions/pending",
        .tag = TAG_QUESTIONS,
        .help = "List the open questions of a workspace, oldest first or by deadline.",
        .needs = ROLES_READ,
        .reaches = REACH_QUESTION,
        .kind = OP_READ,
        .run = run_question_pending,
        .example = "{\"workspaceId\": \"" EXAMPLE_WORKSPACE "\", \"sort\": \"deadline\"}",
        .reply = pending_reply,
        .params = {
            { "workspaceId", T_ID, REQUIRED, "The workspace: its id or slug." },
            { "type", T_ENUM, OPTIONAL, "Only questions of this type.", .values = question_types },
            { "projectId", T_ID, OPTIONAL, "Only questions of this project." },
            { "sort", T_ENUM, OPTIONAL, "By age, or the nearest deadline first and those without any last.",
              .values = sorts, .fallback = "created" },
            PAGE_PARAMS,
        },
    },
    {
        .name = "question_ended",
        .http = "GET /api/questions/ended",
        .tag = TAG_QUESTIONS,
        .help = "List the questions that were answered, whose time ran out, or that were cancelled, newest first.",
        .needs = ROLES_READ,
        .reaches = REACH_QUESTION,
        .kind = OP_READ,
        .run = run_question_ended,
        .example = "{\"status\": \"timeout\"}",
        .reply = ended_reply,
        .params = {
            { "status", T_ENUM, REQUIRED, "How they have ended.", .values = ends },
            { "type", T_ENUM, OPTIONAL, "Only questions of this type.", .values = question_types },
            { "projectId", T_ID, OPTIONAL, "Only questions of this project." },
            { "agent", T_NAME, OPTIONAL, "Only what this agent, or whoever it was, has asked." },
            PAGE_PARAMS,
        },
    },
    {
        .name = "question_answered_count",
        .http = "GET /api/questions/answered-count",
        .tag = TAG_QUESTIONS,
        .help = "Count the questions of this workspace that the caller has ended by an answer since a time, such as the beginning of their day. "
                "Answers that came late, and approvals that others had to join, are not counted.",
        .needs = ROLES_READ,
        .reaches = REACH_OWN,
        .kind = OP_READ,
        .run = run_question_answered_count,
        .example = "{\"since\": \"2026-01-31T00:00:00Z\"}",
        .reply = answered_count_reply,
        .params = { { "since", T_TIME, REQUIRED, "Answered at this time or later." } },
    },
    {
        .name = "question_get",
        .http = "GET /api/questions/{id}",
        .tag = TAG_QUESTIONS,
        .help = "Show a question; with wait, hold the reply until it has ended.",
        .needs = ROLES_READ,
        .reaches = REACH_QUESTION,
        .kind = OP_READ,
        .quick = true,
        .waits = true,
        .by_link = true,
        .tool = "wait_for_answer",
        .run = run_question_get,
        .reply = one_reply,
        .params = { QUESTION_PARAM },
    },
    { 0 },
};
