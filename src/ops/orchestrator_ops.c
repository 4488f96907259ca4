/*
 * What a project's orchestrator has out. It is switched on and off by project_update.
 */
#include "core/runs/orchestrate.h"
#include "gen/nouns/coder_take_fields.h"
#include "ops/project.h"
#include "ops/tables.h"

static const struct field take_fields[] = {
    CODER_TAKE_FIELDS,
    { "title", T_TEXT, REQUIRED, "The task's title." },
    { 0 },
};

static const struct field state_reply[] = {
    { "on", T_BOOL, REQUIRED, "Whether it takes ready tasks by itself." },
    { "parallel", T_INT, REQUIRED, "How many at a time." },
    { "coder", T_ENUM, REQUIRED, "Who works on them.", .values = project_coders },
    { "out", T_LIST, REQUIRED, "The tasks that are being worked on, the oldest first.", .items = T_OBJECT,
      .fields = take_fields },
    { 0 },
};

static bool write_take(struct call *call, const struct project *project, const struct coder_take *take)
{
    struct task task;

    if (!task_get(&call->tx, project, take->task_id, &task))
        return false;
    json_map(&call->out, NULL);
    coder_take_write_members(take, &call->out);
    json_text(&call->out, "title", task.title);
    json_map_end(&call->out);
    return true;
}

static bool run_orchestrator_get(struct call *call)
{
    struct project project;
    struct coder_take *takes;
    size_t count;

    if (!project_of(call, &project) || !orchestrate_list(&call->tx, &project, &takes, &count))
        return false;
    json_map(&call->out, NULL);
    json_bool(&call->out, "on", project.orchestrator.on);
    json_int(&call->out, "parallel", project.orchestrator.parallel);
    json_text(&call->out, "coder", project_coder_word(project.orchestrator.coder));
    json_list(&call->out, "out");
    for (size_t i = 0; i < count; i++)
        if (!write_take(call, &project, &takes[i]))
            return false;
    json_list_end(&call->out);
    json_map_end(&call->out);
    return true;
}

const struct op orchestrator_ops[] = {
    {
        .name = "orchestrator_get",
        .http = "GET /api/projects/{id}/orchestrator",
        .tag = TAG_PROJECTS,
        .help = "Show whether a project takes up its tasks by itself, and which of them are being worked on.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_orchestrator_get,
        .reply = state_reply,
        .params = { PROJECT_PARAM },
    },
    { 0 },
};
