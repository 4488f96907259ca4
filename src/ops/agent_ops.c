#include "base/str.h"
#include "core/council/agent.h"
#include "core/council/model_config.h"
#include "core/runs/run_agents.h"
#include "gen/nouns/agent_fields.h"
#include "ops/identity.h"
#include "ops/tables.h"

#define TAG_AGENTS "Agents"

#define CONFIG_HELP \
    "Which model speaks for it: the name of a model in config.yaml, PROVIDER:MODEL such as ollama:llama3.2, PROVIDER@PORT:MODEL for a server on this machine such as openai@1234:qwen, or {provider, base_url, model, temperature, max_tokens, top_p, stop}; the provider external is an agent that takes its turns by itself. " \
    "Null: the default model."
#define CONFIG_FORM "\"type\":[\"object\",\"string\",\"null\"]"

static const struct field agent_fields[] = { AGENT_FIELDS, { 0 } };

static const struct field list_reply[] = {
    { "agents", T_LIST, REQUIRED, "The agents, newest first.", .items = T_OBJECT, .fields = agent_fields },
    { "builtIn", T_LIST, REQUIRED,
      "Those that can work on tasks without having been made; one that was made under such a name takes its place.",
      .items = T_TEXT },
    PAGE_REPLY,
    { 0 },
};

static bool reply_agent(struct call *call, const struct agent *agent)
{
    call->subject = agent->id;
    agent_write(agent, NULL, &call->out);
    return true;
}

static bool take_config(struct call *call, struct agent *agent)
{
    if (arg_null(call, "ai_model_config"))
        agent->ai_model_config = NULL;
    return !arg_given(call, "ai_model_config") ||
           model_config_check(&call->tx, arg_json(call, "ai_model_config"), &agent->ai_model_config);
}

static bool run_agent_create(struct call *call)
{
    struct agent agent = {
        .name = arg_text(call, "name"),
        .role = arg_text(call, "role"),
        .system_prompt = arg_text(call, "system_prompt"),
    };

    return take_config(call, &agent) && agent_create(&call->tx, &agent) && reply_agent(call, &agent);
}

static bool run_agent_get(struct call *call)
{
    struct agent agent;

    return agent_get(&call->tx, arg_text(call, "id"), &agent) && reply_agent(call, &agent);
}

static bool run_agent_update(struct call *call)
{
    struct agent agent;

    if (!agent_get(&call->tx, arg_text(call, "id"), &agent) || !take_config(call, &agent))
        return false;
    if (arg_given(call, "name"))
        agent.name = arg_text(call, "name");
    if (arg_given(call, "role"))
        agent.role = arg_text(call, "role");
    if (arg_given(call, "system_prompt"))
        agent.system_prompt = arg_text(call, "system_prompt");
    return agent_save(&call->tx, &agent) && reply_agent(call, &agent);
}

static bool run_agent_delete(struct call *call)
{
    return agent_delete(&call->tx, arg_text(call, "id"));
}

static bool run_agent_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    const char *const *built_in;
    struct agent *agents;
    const char *after;

    if (!identity_page(call, "agents", &after) || !agent_list(&call->tx, after, limit + 1, &agents, &count) ||
        !run_agents_built_in(&call->tx, &built_in))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "agents");
    for (size_t i = 0; i < shown; i++)
        agent_write(&agents[i], NULL, &call->out);
    json_list_end(&call->out);
    json_list(&call->out, "builtIn");
    for (; *built_in; built_in++)
        json_text(&call->out, NULL, *built_in);
    json_list_end(&call->out);
    identity_write_next(call, "agents", count > shown, shown ? agents[shown - 1].created_ms : 0,
                        shown ? agents[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

const struct op agent_ops[] = {
    {
        .name = "agent_create",
        .http = "POST /api/agents",
        .tag = TAG_AGENTS,
        .help = "Make an agent that can take part in discussions.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_agent_create,
        .example = "{\"name\": \"Security\", \"role\": \"critical\", "
                   "\"system_prompt\": \"Look for what an attacker could do.\", "
                   "\"ai_model_config\": {\"provider\": \"ollama\", \"model\": \"llama3.2\", "
                   "\"temperature\": 0.3}}",
        .reply = agent_fields,
        .params = {
            { "name", T_NAME, REQUIRED, "Its name." },
            { "role", T_NAME, OPTIONAL, "What it is in a discussion; divergent, convergent and critical have words of their own.", .fallback = "specialist" },
            { "system_prompt", T_TEXT, OPTIONAL, "What its model is told first.", .max = LIMIT_MESSAGE_CEILING,
              .fallback = "" },
            { "ai_model_config", T_JSON, OPTIONAL, CONFIG_HELP, .max = LIMIT_CONTEXT, .form = CONFIG_FORM, .flags = F_NULL },
        },
    },
    {
        .name = "agent_list",
        .http = "GET /api/agents",
        .tag = TAG_AGENTS,
        .help = "List the agents of the workspace.",
        .needs = ROLES_READ,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .tool = "list_agents",
        .run = run_agent_list,
        .reply = list_reply,
        .params = { PAGE_PARAMS },
    },
    {
        .name = "agent_get",
        .http = "GET /api/agents/{id}",
        .tag = TAG_AGENTS,
        .help = "Show an agent.",
        .needs = ROLES_READ,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .quick = true,
        .run = run_agent_get,
        .reply = agent_fields,
        .params = { { "id", T_UUID, REQUIRED, "The agent." } },
    },
    {
        .name = "agent_update",
        .http = "PATCH /api/agents/{id}",
        .tag = TAG_AGENTS,
        .help = "Change an agent. It holds from its next turn on.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .run = run_agent_update,
        .example = "{\"ai_model_config\": \"ollama:llama3.2\"}",
        .reply = agent_fields,
        .params = {
            { "id", T_UUID, REQUIRED, "The agent." },
            { "name", T_NAME, OPTIONAL, "Its name." },
            { "role", T_NAME, OPTIONAL, "What it is in a discussion." },
            { "system_prompt", T_TEXT, OPTIONAL, "What its model is told first.", .max = LIMIT_MESSAGE_CEILING },
            { "ai_model_config", T_JSON, OPTIONAL, CONFIG_HELP, .max = LIMIT_CONTEXT, .form = CONFIG_FORM, .flags = F_NULL },
        },
    },
    {
        .name = "agent_delete",
        .http = "DELETE /api/agents/{id}",
        .tag = TAG_AGENTS,
        .help = "Delete an agent. It stays in what it has said; where its turn would be it is skipped.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_agent_delete,
        .params = { { "id", T_UUID, REQUIRED, "The agent." } },
    },
    { 0 },
};
