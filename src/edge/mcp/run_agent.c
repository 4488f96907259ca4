/*
 * With a job's id the row that starts one is left out, and the look that every wait begins with is made at
 * once.
 */
#include "edge/mcp/run_agent.h"

#include "base/str.h"
#include "edge/mcp/tool_result.h"
#include "edge/mcp/tools.h"

#include <string.h>

#define POLL_AFTER_MS 2000

json_t *run_agent_prepare(struct mcp_call *call, const json_t *given)
{
    static const char *const same[] = { "agent",  "budget",  "tools",       "projectId",
                                        "taskId", "recover", "wait_seconds" };
    json_t *job = json_object_get(given, "jobId"), *args = json_object();

    (void)call;
    if (job) {
        json_object_set(args, "id", job);
        json_object_set(args, "wait_seconds", json_object_get(given, "wait_seconds"));
        return args;
    }
    json_object_set_new(args, "kind", json_string("agent"));
    json_object_set(args, "input", json_object_get(given, "task"));
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
        json_object_set(args, same[i], json_object_get(given, same[i]));
    return args;
}

static void refuse(struct mcp_call *call)
{
    struct err err = { 0 };

    if (call->request.call.err.code != ERR_NONE) {
        tool_answer_error(call, &call->request.call.err);
        return;
    }
    err_field(&err, "task", "run_agent needs agent and task, both texts; or jobId, of a run to wait for.");
    tool_answer_error(call, &err);
}

/* A task of a project may say it all. */
static bool says_what(const json_t *args)
{
    const json_t *input = json_object_get(args, "input");

    return json_is_string(input) ? !str_is_blank(json_string_value(input))
                                 : !input && json_object_get(args, "taskId");
}

/* A model that left something out is told by a result, which it reads. */
void run_agent_begin(struct mcp_call *call)
{
    json_t *args = call->own_args;
    const json_t *id = json_object_get(args, "id");

    if (id) {
        call->made = arena_text(&call->arena, json_is_string(id) ? json_string_value(id) : "");
        call_run(call, op_find("job_get"), args, tool_looked);
    } else if (!json_is_string(json_object_get(args, "agent")) || !says_what(args)) {
        call_know(call, refuse);
    } else {
        call_run(call, op_find("job_create"), args, tool_ran);
    }
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* A model takes silence for failure, and starts the same thing again; so it is told that all is well. */
static const char *next_of(struct arena *arena, const json_t *job)
{
    const char *id = text_of(job, "id"), *status = text_of(job, "status");
    bool approval = str_equal(status, "waiting_for_approval");

    if (approval || str_equal(status, "waiting_for_input"))
        return arena_format(
            arena,
            "The run waits for people: they %s, and answer in their own time, which may be long. "
            "Nothing is wrong, and the run goes on by itself when they have. Do not start it again. "
            "Call run_agent with {\"jobId\": \"%s\"} to go on waiting.",
            approval ? "are asked to approve something" : "have been asked a question", id ? id : "");
    return arena_format(arena,
                        "The agent is still at work. Do not start it again. "
                        "Call run_agent with {\"jobId\": \"%s\"} to go on waiting.",
                        id ? id : "");
}

void run_agent_shape(struct mcp_call *call, bool pending, struct buf *into)
{
    static const char *const same[] = { "agent", "status", "progress", "result", "error" };
    struct err ignored = { 0 };
    JSON_AUTO *job = NULL;
    struct json_out out;

    if (!json_parse(call->request.reply.bytes, call->request.reply.len, &job, &ignored))
        job = json_object();
    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "jobId", text_of(job, "id"));
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
        json_value(&out, same[i], json_object_get(job, same[i]));
    json_bool(&out, "pending", pending);
    if (pending) {
        json_int(&out, "poll_after_ms", POLL_AFTER_MS);
        json_text(&out, "next", next_of(&call->arena, job));
    }
    json_map_end(&out);
}
