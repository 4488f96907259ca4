#include "core/work/decision.h"
#include "gen/nouns/decision_fields.h"
#include "ops/fields.h"
#include "ops/identity.h"
#include "ops/project.h"
#include "ops/tables.h"

#define TAG_DECISIONS "Decisions"

static const char *const levels[] = { "automated", "notify_and_proceed", "requires_approval", NULL };

static const struct field decision_fields[] = { DECISION_FIELDS, { 0 } };

static const struct field list_reply[] = {
    { "decisions", T_LIST, REQUIRED, "Newest first.", .items = T_OBJECT, .fields = decision_fields },
    PAGE_REPLY,
    { 0 },
};

static bool run_decision_create(struct call *call)
{
    struct decision decision = {
        .category = arg_text(call, "category"),
        .description = arg_text(call, "description"),
        .agent = arg_given(call, "agent") ? arg_text(call, "agent") : call->caller.agent_name,
    };
    struct project project;

    if (arg_given(call, "details"))
        decision.details = json_dump_text(call->tx.arena, arg_json(call, "details"));
    if (!project_of(call, &project) || !decision_make(&call->tx, &project, &decision))
        return false;
    call->subject = decision.id;
    call->question_id = decision.question_id;
    decision_write(&decision, NULL, &call->out);
    return true;
}

static bool run_decision_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct decision *decisions;
    struct project project;
    const char *after;

    if (!project_of(call, &project) || !identity_page(call, "decisions", &after) ||
        !decision_list(&call->tx, &project,
                       &(struct decision_filter){
                           .pending = arg_bool(call, "pending"), .cursor = after, .limit = limit + 1 },
                       &decisions, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "decisions");
    for (size_t i = 0; i < shown; i++)
        decision_write(&decisions[i], NULL, &call->out);
    json_list_end(&call->out);
    identity_write_next(call, "decisions", count > shown, shown ? decisions[shown - 1].created_ms : 0,
                        shown ? decisions[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

static bool run_decision_get(struct call *call)
{
    struct decision decision;
    struct project project;
    const char *id;

    if (!project_of_thing(call, "did", &project, &id) || !decision_get(&call->tx, &project, id, &decision))
        return false;
    call->ended = !decision_is_pending(&decision);
    decision_write(&decision, NULL, &call->out);
    return true;
}

const struct op decision_ops[] = {
    {
        .name = "decision_create",
        .http = "POST /api/projects/{id}/decisions",
        .tag = TAG_DECISIONS,
        .help = "Ask whether something may be done. "
                "The project's hilConfig approves it at once, approves it and tells people, or puts it to them; what it does not name is put to them.",
        .needs = ROLES_WRITE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .status = 201,
        .tool = "request_decision",
        .run = run_decision_create,
        .example = "{\"category\": \"dependencyModifications\", \"description\": \"Add libvips for thumbnails\", "
                   "\"details\": {\"size\": \"3 MB\"}, \"agent\": \"Builder\"}",
        .reply = decision_fields,
        .params = {
            PROJECT_PARAM,
            { "category", T_NAME, REQUIRED,
              "scopeChanges, architectureDecisions, dependencyModifications, or one of your own." },
            { "description", T_TEXT, REQUIRED, "What is to be done." },
            { "details", T_JSON, OPTIONAL, "What helps to decide.", .max = LIMIT_MESSAGE, .flags = F_NULL },
            { "agent", T_NAME, OPTIONAL, "Who wants to do it.", .flags = F_SPEAKER },
        },
    },
    {
        .name = "decision_list",
        .http = "GET /api/projects/{id}/decisions",
        .tag = TAG_DECISIONS,
        .help = "List the decisions of a project, newest first.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_decision_list,
        .example = "{\"pending\": true}",
        .reply = list_reply,
        .params = {
            PROJECT_PARAM,
            { "pending", T_BOOL, OPTIONAL, "Only those that wait for people.", .fallback = "false" },
            PAGE_PARAMS,
        },
    },
    {
        .name = "decision_get",
        .http = "GET /api/projects/{id}/decisions/{did}",
        .tag = TAG_DECISIONS,
        .help = "Show a decision and how it was settled.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .quick = true,
        .waits = true,
        .run = run_decision_get,
        .reply = decision_fields,
        .params = { PROJECT_PARAM, { "did", T_UUID, REQUIRED, "The decision." } },
    },
    { 0 },
};
