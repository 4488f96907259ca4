/*
 * `witan agent`: those who can take part in discussions. An agent is named by its name everywhere.
 */
#include "base/clock.h"
#include "base/str.h"
#include "base/uuid.h"
#include "cli/client/agent_ref.h"
#include "cli/client/project_scope.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

#include <string.h>

/* A name of config.yaml as it is, or an object. */
static bool take_model(struct cli *cli, json_t *params, struct err *err)
{
    const char *model = cli_get(cli, "model");
    json_t *value = NULL;

    if (!model)
        return true;
    if (*model == '{') {
        if (!json_parse(model, strlen(model), &value, err))
            return err_field(err, "model", "--model takes the name of a model, or a JSON object.");
    } else {
        value = strcmp(model, "default") == 0 ? json_null() : json_string(model);
    }
    json_object_set_new(params, "ai_model_config", value);
    return true;
}

/* Fills in the id of the agent that the argument names. */
static bool take_agent(struct cli *cli, json_t *params, struct err *err)
{
    const char *id;

    if (!agent_ref_id(cli, cli_get(cli, "AGENT"), &id, err))
        return false;
    json_object_set_new(params, "id", json_string(id));
    return true;
}

static const char *model_of(struct arena *arena, const json_t *agent)
{
    const json_t *config = json_object_get(agent, "ai_model_config");
    const char *provider = json_string_value(json_object_get(config, "provider"));
    const char *model = json_string_value(json_object_get(config, "model"));

    if (!json_is_object(config))
        return json_is_string(config) ? json_string_value(config) : "default";
    return provider && model ? arena_format(arena, "%s:%s", provider, model)
           : provider        ? provider
           : model           ? model
                             : "default";
}

static int print_id(struct cli *cli, const json_t *agent)
{
    const char *text = arena_format(cli->arena, "%s\n", member_text(cli->arena, agent, "id"));

    return cli_print(text, strlen(text));
}

static int run_add(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !take_model(cli, params, &err) ||
        !invoke_json(cli, cli->op, params, 0, &reply, &made, &err))
        return cli_fail(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : print_id(cli, made);
}

static int run_set(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *changed = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !take_model(cli, params, &err) ||
        !take_agent(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &changed, &err))
        return cli_fail(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : CLI_OK;
}

static int run_delete(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    struct client_reply reply;
    struct err err = { 0 };

    if (!take_agent(cli, params, &err) || !invoke(cli, cli->op, params, 0, &reply, &err))
        return cli_fail(cli, &err);
    if (reply.status < 400)
        return CLI_OK;
    client_error(cli, &reply, &err);
    return cli_fail(cli, &err);
}

/* Those that nobody has made: they have no id, and can be given work as any other. */
static void write_built_in(struct term *term, const json_t *names)
{
    const char *all = "";
    const json_t *name;
    size_t i;

    json_array_foreach(names, i, name) all =
        arena_format(term->arena, "%s%s%s", all, i > 0 ? ", " : "", json_string_value(name));
    if (*all)
        buf_format(term->out, "Built in: %s.\n", term_line(term->arena, all));
}

static int run_list(struct cli *cli)
{
    static const char *const heads[] = { "ID", "NAME", "ROLE", "MODEL", "AGE" };
    JSON_AUTO *params = json_object();
    JSON_AUTO *list = NULL;
    BUF_AUTO text = { 0 };
    struct err err = { 0 };
    struct term_table table;
    struct term term;
    const json_t *agent;
    size_t i;

    if (!invoke_collect(cli, params, &err) || !scope_list(cli, cli->op, params, "agents", &list, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return scope_print(cli, list);
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    if (json_array_size(json_object_get(list, "agents")) == 0)
        cli_note(cli, "Nobody has made an agent; `witan agent add NAME` makes one.");
    else
        term_table_init(&table, &term, 5, heads);
    json_array_foreach(json_object_get(list, "agents"), i, agent)
    {
        term_table_row(&table,
                       (const char *[]){ member_text(cli->arena, agent, "id"),
                                         member_text(cli->arena, agent, "name"),
                                         member_text(cli->arena, agent, "role"), model_of(cli->arena, agent),
                                         term_when(cli->arena, member_text(cli->arena, agent, "created_at"),
                                                   clock_now_ms()) });
    }
    if (i > 0)
        term_table_end(&table);
    write_built_in(&term, json_object_get(list, "builtIn"));
    return text.len > 0 ? cli_print(text.bytes, text.len) : CLI_OK;
}

static int run_show(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *agent = NULL;
    BUF_AUTO text = { 0 };
    struct client_reply reply;
    struct err err = { 0 };
    struct term term;
    const char *words;

    if (!take_agent(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &agent, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    term_paint(&term, TERM_BOLD, term_line(cli->arena, member_text(cli->arena, agent, "name")));
    buf_format(&text, "\n  id     %s\n  role   %s\n  model  %s\n", member_text(cli->arena, agent, "id"),
               term_line(cli->arena, member_text(cli->arena, agent, "role")),
               term_line(cli->arena, model_of(cli->arena, agent)));
    words = member_text(cli->arena, agent, "system_prompt");
    if (words && *words)
        term_block(&term, "  ", words);
    return cli_print(text.bytes, text.len);
}

#define AGENT_ARG \
    { \
        "AGENT", .help = "The agent: its name, or its id." \
    }
#define MODEL_OPTION \
    { \
        "model", "MODEL", \
            .help = \
                "Which model speaks for it: one of config.yaml by its name, `default`, PROVIDER:MODEL, `external` for an agent " \
                "that takes its turns by itself, or an object such as {\"provider\": \"ollama\", " \
                "\"model\": " \
                "\"llama3.2\"}." \
    }

const struct cli_command agent_commands[] = {
    {
        .name = "agent add",
        .op = "agent_create",
        .help = "Make an agent that can take part in discussions, and print its id.",
        .examples = "witan agent add Economist --role economist --prompt \"You think in costs.\"\n"
                    "witan agent add Reviewer --model ollama:llama3.2\n"
                    "witan agent add Builder --model external",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "NAME", .param = "name" } },
        .options = {
            { "role", "ROLE", .param = "role" },
            { "prompt", "TEXT", .param = "system_prompt", .flags = CLI_STDIN },
            MODEL_OPTION,
        },
        .run = run_add,
    },
    {
        .name = "agent list",
        .op = "agent_list",
        .help = "List the agents of the workspace, and those that are built in.",
        .examples = "witan agent list\nwitan agent list --json",
        .uses = CLI_SERVER | CLI_JSON,
        .options = { { "limit", "N", .param = "limit" }, { "all", .help = "All pages." } },
        .run = run_list,
    },
    {
        .name = "agent show",
        .op = "agent_get",
        .examples = "witan agent show Critical",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { AGENT_ARG },
        .run = run_show,
    },
    {
        .name = "agent set",
        .op = "agent_update",
        .examples = "witan agent set Critical --model local\nwitan agent set Economist --prompt -",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { AGENT_ARG },
        .options = {
            { "name", "NAME", .param = "name" },
            { "role", "ROLE", .param = "role" },
            { "prompt", "TEXT", .param = "system_prompt", .flags = CLI_STDIN },
            MODEL_OPTION,
        },
        .run = run_set,
    },
    {
        .name = "agent delete",
        .op = "agent_delete",
        .examples = "witan agent delete Economist",
        .uses = CLI_SERVER,
        .args = { AGENT_ARG },
        .run = run_delete,
    },
    { 0 },
};
