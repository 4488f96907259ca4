#include "cli/client/chat_project.h"

#include "base/str.h"
#include "cli/client/invoke.h"
#include "llm/model_choice.h"

#define CHAT_PROJECT "Chat"

/* The id of what a reply holds, for longer than the reply; NULL: it holds none. */
static const char *id_of(struct cli *cli, const json_t *object)
{
    const char *id = json_string_value(json_object_get(object, "id"));

    return id ? arena_text(cli->arena, id) : NULL;
}

/* One page of a list, and where it goes on; *cursor NULL: it does not. The caller json_decrefs *page. */
static bool read_page(struct cli *cli, const char *op, const char **cursor, json_t **page, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:i, s:s*}", "limit", LIMIT_PAGE, "cursor", *cursor);
    struct client_reply reply;
    const char *next;

    if (!invoke_json(cli, op_find(op), params, 0, &reply, page, err))
        return false;
    next = json_string_value(json_object_get(*page, "nextCursor"));
    *cursor = next ? arena_text(cli->arena, next) : NULL;
    return true;
}

static const char *project_named(struct cli *cli, const json_t *projects)
{
    const json_t *project;
    size_t i;

    json_array_foreach(projects, i, project)
    {
        if (str_equal(json_string_value(json_object_get(project, "name")), CHAT_PROJECT))
            return id_of(cli, project);
    }
    return NULL;
}

static bool find(struct cli *cli, const char **id, struct err *err)
{
    const char *cursor = NULL;

    *id = NULL;
    do {
        JSON_AUTO *page = NULL;

        if (!read_page(cli, "project_list", &cursor, &page, err))
            return false;
        *id = project_named(cli, json_object_get(page, "projects"));
    } while (!*id && cursor);
    return true;
}

static bool some_agent_has_model(struct cli *cli)
{
    struct err ignored = { 0 };
    const char *cursor = NULL;
    const json_t *agent;
    size_t i;

    do {
        JSON_AUTO *page = NULL;

        if (!read_page(cli, "agent_list", &cursor, &page, &ignored))
            return true;
        json_array_foreach(json_object_get(page, "agents"), i, agent)
        {
            const json_t *config = json_object_get(agent, "ai_model_config");

            if (config && !json_is_null(config))
                return true;
        }
    } while (cursor);
    return false;
}

/* Whether somebody could speak, as far as can be known from here: the server has the last word. */
static bool may_speak(struct cli *cli, struct err *err)
{
    JSON_AUTO *none = json_object();
    JSON_AUTO *list = NULL;
    struct client_reply reply;
    struct err ignored = { 0 };

    if (cli_has(cli, "rehearse") ||
        !invoke_json(cli, op_find("model_list"), none, 0, &reply, &list, &ignored) ||
        !json_is_null(json_object_get(list, "default")) || some_agent_has_model(cli))
        return true;
    return err_set(err, ERR_INVALID, "The agent that would answer cannot speak. " NO_MODEL_WORDS);
}

static bool make(struct cli *cli, const char **id, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s}", "name", CHAT_PROJECT);
    JSON_AUTO *made = NULL;
    struct client_reply reply;

    if (!invoke_json(cli, op_find("project_create"), params, 0, &reply, &made, err))
        return false;
    *id = id_of(cli, made);
    return *id ||
           err_set(err, ERR_INTERNAL, "The reply of %s holds no project; is it witan?", cli->target.url);
}

bool chat_project(struct cli *cli, const char **id, bool *made, struct err *err)
{
    const char *found;

    *made = false;
    if (!find(cli, &found, err))
        return false;
    if (!found) {
        if (!may_speak(cli, err) || !make(cli, &found, err))
            return false;
        *made = true;
    }
    *id = found;
    return true;
}

void chat_project_drop(struct cli *cli, const char *id)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", id);
    struct client_reply reply;
    struct err ignored = { 0 };

    (void)!invoke(cli, op_find("project_delete"), params, 0, &reply, &ignored);
}
