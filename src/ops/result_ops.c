#include "core/work/result.h"
#include "ops/fields.h"
#include "ops/project.h"
#include "ops/tables.h"

#include "base/str.h"

#include <string.h>

static const struct field question_fields[] = {
    { "id", T_TEXT, REQUIRED, "Its id within the set." },
    { "text", T_TEXT, REQUIRED, "What is asked." },
    { "createdAt", T_TIME, REQUIRED, "When it was asked." },
    { 0 },
};

static const struct field reply_fields[] = {
    { "accepted", T_BOOL, REQUIRED, "Whether it was understood and taken; if not, problems say why." },
    { "questions", T_LIST, REQUIRED, "The open questions found in it.", .items = T_OBJECT,
      .fields = question_fields },
    { "notificationId", T_UUID, REQUIRED, "The set in which they are asked.", .flags = F_NULL },
    { "task", T_OBJECT, REQUIRED, "The task it is about, as it stands now.", .fields = task_fields,
      .flags = F_NULL },
    { "tasks", T_LIST, REQUIRED, "The tasks made from it.", .items = T_OBJECT, .fields = task_fields },
    { "problems", T_LIST, REQUIRED, "What was passed over, and why.", .items = T_TEXT },
    { 0 },
};

static enum result_agent agent_of(const struct call *call)
{
    return arg_word(call, "agent", result_agents);
}

static bool check_source(struct call *call)
{
    enum work_source source = arg_word(call, "source", work_sources), own = result_source_of(agent_of(call));

    if (!source || source == own)
        return true;
    return err_field(&call->err, "source", "The %s works on %s, not on %s.", arg_text(call, "agent"),
                     work_source_word(own), work_source_word(source));
}

/* Nothing is read for a project that the caller does not see. */
static bool fetch_result_submit(struct call *call)
{
    struct project project;

    return project_of(call, &project);
}

/* Megabytes may have to be read here, so it is done before the transaction, once. */
static bool before_result_submit(struct call *call)
{
    struct output *output = arena_new(call->tx.arena, struct output);
    struct output_options options = {
        .coder = result_source_of(agent_of(call)) == SOURCE_EXECUTE,
    };
    const char *text = arg_text(call, "output");

    if (arg_given(call, "output") == arg_given(call, "result"))
        return err_field(&call->err, "output", "Give either output or result.");
    if (!check_source(call))
        return false;
    if (text ? !output_read(call->tx.arena, text, strlen(text), &options, output, &call->err)
             : !output_read_object(call->tx.arena, arg_json(call, "result"), &options, output, &call->err))
        return false;
    call->prepared = output;
    return true;
}

static void write_questions(struct call *call, const struct result *result)
{
    json_list(&call->out, "questions");
    for (size_t i = 0; i < result->question_count; i++) {
        const struct output_question *question = &result->questions[i];

        json_map(&call->out, NULL);
        json_text(&call->out, "id", question->id);
        json_text(&call->out, "text", question->text);
        if (question->created_at)
            json_text(&call->out, "createdAt", question->created_at);
        else
            json_time(&call->out, "createdAt", call->tx.now_ms);
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
}

static void reply_result(struct call *call, const struct result *result)
{
    json_map(&call->out, NULL);
    json_bool(&call->out, "accepted", result->accepted);
    write_questions(call, result);
    json_text(&call->out, "notificationId", result->notification_id);
    if (result->has_task)
        task_write(&result->task, "task", &call->out);
    else
        json_none(&call->out, "task");
    json_list(&call->out, "tasks");
    for (size_t i = 0; i < result->task_count; i++)
        task_write(&result->tasks[i], NULL, &call->out);
    json_list_end(&call->out);
    json_list(&call->out, "problems");
    for (size_t i = 0; i < result->problem_count; i++)
        json_text(&call->out, NULL, result->problems[i]);
    json_list_end(&call->out);
    json_map_end(&call->out);
}

/* The whole output would make the audit row as large as the request. */
static const char *audit_detail(const struct call *call, const struct result *result)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "agent", result_agent_word(result->agent));
    json_text(&out, "source", work_source_word(result->source));
    json_text(&out, "sourceId", result->source_id);
    json_bool(&out, "accepted", result->accepted);
    json_text(&out, "notificationId", result->notification_id);
    json_map_end(&out);
    return arena_copy(call->tx.arena, text.bytes, text.len);
}

static bool run_result_submit(struct call *call)
{
    struct result result = {
        .agent = agent_of(call),
        .source = result_source_of(agent_of(call)),
        .source_id = arg_text(call, "sourceId"),
        .author = call->caller.agent_name ? call->caller.agent_name : arg_text(call, "agent"),
        .handed_in_by = call->caller.id,
        .output = call->prepared,
    };
    struct project project;

    if (!project_of(call, &project) || !result_hand_in(&call->tx, &project, &result))
        return false;
    call->subject = result.source_id;
    call->audit_detail = audit_detail(call, &result);
    reply_result(call, &result);
    return true;
}

const struct op result_ops[] = {
    {
        .name = "result_submit",
        .http = "POST /api/projects/{id}/results",
        .tag = "Results",
        .help = "Hand in what an agent produced. "
                "Open questions in it are put to people and nothing else of it counts until they are answered; a task that failed for them is blocked. "
                "Otherwise its tasks are made and its texts written. "
                "Tasks may depend on each other by title or by place in the list, from 0, and on tasks of the project by id. "
                "All of it is applied or nothing: at most 500 tasks, each with at most 100 dependencies.",
        .needs = ROLES_WRITE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .status = 201,
        .body_max = LIMIT_RESULT_BODY,
        .fetch = fetch_result_submit,
        .before = before_result_submit,
        .tool = "hand_in_result",
        .run = run_result_submit,
        .example = "{\"agent\": \"planner\", \"sourceId\": \"Plausible1\", "
                   "\"result\": {\"tasks\": [{\"title\": \"Add the cart\"}, {\"title\": \"Add the total\", "
                   "\"depends_on\": [\"Add the cart\"]}], \"open_questions\": [\"Which currencies?\"]}}",
        .reply = reply_fields,
        .params = {
            PROJECT_PARAM,
            { "agent", T_ENUM, REQUIRED, "Which agent.", .values = result_agents },
            { "source", T_ENUM, OPTIONAL,
              "What it worked on: eval (analyst), prd (dreamer), plan (planner), execute (coder, reviewer).",
              .values = work_sources },
            { "sourceId", T_ID, REQUIRED, "Which one: feedbackId, sectionKey, planId or taskId." },
            { "output", T_TEXT, OPTIONAL, "The output as the model printed it.",
              .max = LIMIT_RESULT_OUTPUT },
            { "result", T_OBJECT, OPTIONAL, "The result as an object, in place of output.", .flags = F_OPEN },
        },
    },
    { 0 },
};
