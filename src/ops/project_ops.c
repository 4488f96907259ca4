#include "ops/project.h"

#include "base/settings.h"
#include "core/questions/question.h"
#include "core/runs/orchestrate.h"
#include "core/work/question_set.h"
#include "ops/identity.h"
#include "ops/spelling.h"
#include "ops/tables.h"
#include "toolbox/setup.h"

static const char *const level_names[] = { "automated", "notify_and_proceed", "requires_approval", NULL };
const char *const autonomy_words[] = { "confirm_all", "major_only", "full", "custom", NULL };

const struct field autonomy_fields[] = {
    { "scopeChanges", T_ENUM, REQUIRED, "Changes of what is to be built.", .values = level_names },
    { "architectureDecisions", T_ENUM, REQUIRED, "Decisions about how it is built.", .values = level_names },
    { "dependencyModifications", T_ENUM, REQUIRED, "What it is built on.", .values = level_names },
    { 0 },
};

static const struct field orchestrator_fields[] = {
    { "on", T_BOOL, REQUIRED, "Whether it takes ready tasks by itself." },
    { "parallel", T_INT, REQUIRED, "How many at a time." },
    { "coder", T_ENUM, REQUIRED,
      "Who works on them: the agent coder of the runner, or the command of config.yaml.",
      .values = project_coders },
    { 0 },
};

static const struct field project_fields[] = {
    { "id", T_UUID, REQUIRED, "The project." },
    { "name", T_TEXT, REQUIRED, "Its name." },
    { "description", T_TEXT, REQUIRED, "What it is about." },
    { "hilConfig", T_OBJECT, REQUIRED, "How much agents may decide by themselves.",
      .fields = autonomy_fields },
    { "autonomyLevel", T_ENUM, REQUIRED, "The same in one word.", .values = autonomy_words },
    { "autonomyDescription", T_TEXT, REQUIRED, "What agents are told about it." },
    { "settings", T_OBJECT, REQUIRED, "Whatever its users keep there; answerers names who may answer.",
      .flags = F_OPEN },
    { "orchestrator", T_OBJECT, REQUIRED, "Whether tasks are taken up by themselves.",
      .fields = orchestrator_fields },
    { "createdAt", T_TIME, REQUIRED, "When it was made." },
    { 0 },
};

static const struct field list_reply[] = {
    { "projects", T_LIST, REQUIRED, "Newest first.", .items = T_OBJECT, .fields = project_fields },
    PAGE_REPLY,
    { 0 },
};

bool project_of(struct call *call, struct project *project)
{
    return project_see(&call->tx, arg_text(call, "id"), project);
}

bool project_of_thing(struct call *call, const char *name, struct project *project, const char **id)
{
    *id = call->subject = arg_text(call, name);
    return project_of(call, project);
}

const char *author_of(const struct call *call)
{
    return actor_of(&call->caller).name;
}

static bool reply_project(struct call *call, const struct project *project)
{
    call->subject = project->id;
    project_write(call->tx.arena, project, NULL, &call->out);
    return true;
}

/* What could only ask people about every task is not switched on. A server that leaves the running to another
 * does not know what that one has. */
static bool check_coder(struct call *call, const struct orchestrator_switch *orchestrator)
{
    if (!orchestrator->on || orchestrator->coder != CODER_COMMAND || toolbox_has_coder() ||
        !settings()->runner_drive)
        return true;
    err_field(&call->err, "orchestrator.coder", "orchestrator.coder: this server has no command for coders.");
    return err_hint(&call->err, "config.yaml names it under `coder`, and then takes a restart.");
}

static void take_orchestrator(struct call *call, struct orchestrator_switch *orchestrator)
{
    const json_t *given = arg_given(call, "orchestrator") ? arg_json(call, "orchestrator") : NULL;
    const json_t *on = json_object_get(given, "on"), *parallel = json_object_get(given, "parallel");
    const char *coder = json_string_value(json_object_get(given, "coder"));

    if (json_is_boolean(on))
        orchestrator->on = json_is_true(on);
    if (json_is_integer(parallel))
        orchestrator->parallel = json_integer_value(parallel);
    if (coder)
        orchestrator->coder = words_find(project_coders, coder);
}

/* What the call gives replaces what the project has. */
static bool take_fields(struct call *call, struct project *project)
{
    if (arg_given(call, "name"))
        project->name = arg_text(call, "name");
    if (arg_given(call, "description"))
        project->description = arg_text(call, "description");
    if (arg_given(call, "settings"))
        project->settings = json_dump_text(call->tx.arena, arg_json(call, "settings"));
    const json_t *autonomy = arg_json(call, "hilConfig");

    return !autonomy || (spelling_of_slips("hilConfig", autonomy_fields, autonomy, &call->err) &&
                         autonomy_take(autonomy, &project->autonomy, &call->err));
}

static bool run_project_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct project *projects;
    const char *after;

    if (!identity_page(call, "projects", &after) ||
        !project_list(&call->tx, after, limit + 1, &projects, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "projects");
    for (size_t i = 0; i < shown; i++)
        project_write(call->tx.arena, &projects[i], NULL, &call->out);
    json_list_end(&call->out);
    identity_write_next(call, "projects", count > shown, shown ? projects[shown - 1].created_ms : 0,
                        shown ? projects[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

static bool run_project_create(struct call *call)
{
    struct project project = { .description = "", .settings = "{}" };

    return take_fields(call, &project) && project_create(&call->tx, &project) &&
           reply_project(call, &project);
}

static bool run_project_get(struct call *call)
{
    struct project project;

    return project_of(call, &project) && reply_project(call, &project);
}

/* Locked before it is read, so that of two changes at once neither undoes the other. */
static bool run_project_update(struct call *call)
{
    struct project project;

    if (!project_of(call, &project) || !project_lock(&call->tx, &project) || !project_of(call, &project) ||
        !take_fields(call, &project))
        return false;
    take_orchestrator(call, &project.orchestrator);
    return (!arg_given(call, "orchestrator") || check_coder(call, &project.orchestrator)) &&
           project_save(&call->tx, &project) && reply_project(call, &project);
}

static bool run_project_delete(struct call *call)
{
    struct project project;

    return project_of(call, &project) && orchestrate_let_go(&call->tx, &project, NULL) &&
           project_lock_whole(&call->tx, &project) && question_set_drop(&call->tx, &project, 0, NULL) &&
           question_drop_project(&call->tx, project.id) && project_delete(&call->tx, &project);
}

#define DESCRIPTION_PARAM \
    { \
        "description", T_TEXT, OPTIONAL, "What it is about." \
    }
#define AUTONOMY_WEIGHT "{\"enum\":[\"automated\",\"notify_and_proceed\",\"requires_approval\",null]}"
#define AUTONOMY_FORM \
    "\"anyOf\":[{\"enum\":[\"confirm_all\",\"major_only\",\"full\",null]},{\"type\":\"object\"," \
    "\"properties\":{" \
    "\"scopeChanges\":" AUTONOMY_WEIGHT ",\"architectureDecisions\":" AUTONOMY_WEIGHT \
    ",\"dependencyModifications\":" AUTONOMY_WEIGHT "}}]"
#define AUTONOMY_PARAM \
    { \
        "hilConfig", T_JSON, OPTIONAL, \
            "How much agents may decide: confirm_all, major_only, full, or an object of scopeChanges, architectureDecisions and dependencyModifications, each automated, notify_and_proceed or requires_approval. " \
            "What is not named requires approval, or stays as it is.", \
            .form = AUTONOMY_FORM \
    }
static const struct field settings_fields[] = {
    { "answerers", T_LIST, OPTIONAL, "Who alone may answer for the project, by name or id.", .items = T_TEXT,
      .max = LIMIT_ANSWERERS },
    { 0 },
};

static const struct field orchestrator_params[] = {
    { "on", T_BOOL, OPTIONAL, "Whether it takes ready tasks by itself." },
    { "parallel", T_INT, OPTIONAL, "How many at a time.", .min = 1, .max = LIMIT_PARALLEL },
    { "coder", T_ENUM, OPTIONAL, "Who works on them.", .values = project_coders },
    { 0 },
};

#define SETTINGS_PARAM \
    { \
        "settings", T_OBJECT, OPTIONAL, "answerers[], and whatever else you want to keep there.", \
            .fields = settings_fields, .max = LIMIT_SETTINGS, .flags = F_OPEN \
    }

const struct op project_ops[] = {
    {
        .name = "project_list",
        .http = "GET /api/projects",
        .tag = TAG_PROJECTS,
        .help = "List the projects of this workspace, newest first.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_project_list,
        .reply = list_reply,
        .params = { PAGE_PARAMS },
    },
    {
        .name = "project_create",
        .http = "POST /api/projects",
        .tag = TAG_PROJECTS,
        .help = "Make a project. Agents in it confirm every decision unless hilConfig says otherwise.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_project_create,
        .example = "{\"name\": \"Shop\", \"description\": \"The web shop.\", "
                   "\"hilConfig\": {\"scopeChanges\": \"requires_approval\", "
                   "\"dependencyModifications\": \"notify_and_proceed\"}, "
                   "\"settings\": {\"answerers\": [\"maya\"]}}",
        .reply = project_fields,
        .params = {
            { "name", T_NAME, REQUIRED, "Its name." },
            DESCRIPTION_PARAM,
            AUTONOMY_PARAM,
            SETTINGS_PARAM,
        },
    },
    {
        .name = "project_get",
        .http = "GET /api/projects/{id}",
        .tag = TAG_PROJECTS,
        .help = "Show a project.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .quick = true,
        .run = run_project_get,
        .reply = project_fields,
        .params = { PROJECT_PARAM },
    },
    {
        .name = "project_update",
        .http = "PATCH /api/projects/{id}",
        .tag = TAG_PROJECTS,
        .help = "Change a project. A new hilConfig holds for decisions made from now on.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .run = run_project_update,
        .example = "{\"hilConfig\": \"major_only\"}",
        .reply = project_fields,
        .params = {
            PROJECT_PARAM,
            { "name", T_NAME, OPTIONAL, "The new name." },
            DESCRIPTION_PARAM,
            AUTONOMY_PARAM,
            SETTINGS_PARAM,
            { "orchestrator", T_OBJECT, OPTIONAL,
              "Whether tasks are taken up by themselves; what is left out stays as it is. "
              "Switched off, it takes no more, and what is being worked on is finished.",
              .fields = orchestrator_params },
        },
    },
    {
        .name = "project_delete",
        .http = "DELETE /api/projects/{id}",
        .tag = TAG_PROJECTS,
        .help = "Delete a project with everything in it.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_project_delete,
        .params = { PROJECT_PARAM },
    },
    { 0 },
};
