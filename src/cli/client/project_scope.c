/*
 * Names are found by listing the projects that the caller sees, so that a name means the same here as in
 * `witan project list`. What is looked for by an id alone is asked for in each of them in turn.
 */
#include "cli/client/project_scope.h"

#include "base/str.h"
#include "base/uuid.h"

#include <stdlib.h>
#include <string.h>

/* All pages, or the first one only; *list is the last page with the rows of all. */
static bool read_pages(struct cli *cli, const struct op *op, json_t *params, const char *member, bool all,
                       json_t **list, struct err *err)
{
    JSON_AUTO *rows = json_array();
    struct client_reply reply;

    for (;;) {
        JSON_AUTO *page = NULL;

        if (!invoke_json(cli, op, params, 0, &reply, &page, err))
            return false;
        json_array_extend(rows, json_object_get(page, member));
        json_t *cursor = json_object_get(page, "nextCursor");

        if (!all || !json_is_string(cursor)) {
            json_object_set(page, member, rows);
            *list = json_incref(page);
            return true;
        }
        json_object_set(params, "cursor", cursor);
    }
}

bool scope_list(struct cli *cli, const struct op *op, json_t *params, const char *member, json_t **list,
                struct err *err)
{
    return read_pages(cli, op, params, member, cli_has(cli, "all"), list, err);
}

int scope_print(struct cli *cli, const json_t *value)
{
    const char *text = json_dump_text(cli->arena, value);

    return cli_print(arena_format(cli->arena, "%s\n", text), strlen(text) + 1);
}

/* Every project that the caller sees. */
static bool read_projects(struct cli *cli, json_t **projects, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:i}", "limit", LIMIT_PAGE);
    JSON_AUTO *list = NULL;

    if (!read_pages(cli, op_find("project_list"), params, "projects", true, &list, err))
        return false;
    *projects = json_incref(json_object_get(list, "projects"));
    return true;
}

static const char *id_of(struct cli *cli, const json_t *project)
{
    const char *id = json_string_value(json_object_get(project, "id"));

    return arena_text(cli->arena, id ? id : "");
}

bool scope_named(struct cli *cli, const char *word, const char **id, struct err *err)
{
    JSON_AUTO *projects = NULL;
    const json_t *project, *found = NULL;
    size_t index;

    if (uuid_valid(word)) {
        *id = word;
        return true;
    }
    if (!read_projects(cli, &projects, err))
        return false;
    json_array_foreach(projects, index, project)
    {
        const char *name = json_string_value(json_object_get(project, "name"));

        if (!str_equal(name, word))
            continue;
        if (found) {
            err_field(err, "project", "Several projects are called \"%s\".", word);
            return err_hint(err, "Name one by its id; `witan project list` shows them.");
        }
        found = project;
    }
    if (!found) {
        err_set(err, ERR_NOT_FOUND, "There is no project \"%s\".", word);
        return err_hint(err, "`witan project list` shows those that you see.");
    }
    *id = id_of(cli, found);
    return true;
}

static bool names_project(const struct cli *cli, const struct cli_option *option)
{
    if (strcmp(option->name, "project") == 0 || str_equal(option->param, "projectId"))
        return true;
    return cli->op && str_equal(option->param, "id") && strstr(cli->op->http, " /api/projects/{id}");
}

bool scope_resolve(struct cli *cli, struct err *err)
{
    for (size_t i = 0; i < cli->value_count; i++)
        if (names_project(cli, cli->values[i].option) &&
            !scope_named(cli, cli->values[i].text, &cli->values[i].text, err))
            return false;
    return true;
}

static const char *named_project(const struct cli *cli)
{
    const char *word = cli_get(cli, "project");
    const char *variable = getenv("WITAN_PROJECT");

    return word ? word : variable && *variable ? variable : NULL;
}

bool scope_project(struct cli *cli, const char **id, struct err *err)
{
    JSON_AUTO *projects = NULL;
    const char *word = named_project(cli);

    if (word)
        return scope_named(cli, word, id, err);
    if (!read_projects(cli, &projects, err))
        return false;
    if (json_array_size(projects) == 0) {
        err_set(err, ERR_NOT_FOUND, "There is no project yet.");
        return err_hint(err, "`witan project add NAME` makes one.");
    }
    if (json_array_size(projects) > 1) {
        const char *name = json_string_value(json_object_get(json_array_get(projects, 0), "name"));

        err_field(err, "project", "There are several projects: say which with --project or WITAN_PROJECT.");
        return err_hint(err, "For instance --project \"%.80s\"; `witan project list` shows them all.",
                        name ? name : "");
    }
    *id = id_of(cli, json_array_get(projects, 0));
    return true;
}

bool scope_each(struct cli *cli, json_t **projects, struct err *err)
{
    const char *word = named_project(cli), *id;

    if (!word)
        return read_projects(cli, projects, err);
    if (!scope_named(cli, word, &id, err))
        return false;
    *projects = json_pack("[{s:s}]", "id", id);
    return true;
}

bool scope_into(struct cli *cli, json_t *params, struct err *err)
{
    const char *project;

    if (!scope_project(cli, &project, err))
        return false;
    json_object_set_new(params, "id", json_string(project));
    return true;
}

bool scope_find(struct cli *cli, const char *noun, const char *what, scope_holds *holds, const char **id,
                struct err *err)
{
    JSON_AUTO *projects = NULL;
    const char *word = named_project(cli);
    const json_t *project;
    size_t index;

    if (word)
        return scope_named(cli, word, id, err);
    if (!read_projects(cli, &projects, err))
        return false;
    json_array_foreach(projects, index, project)
    {
        const char *candidate = id_of(cli, project);
        struct err why = { 0 };

        if (holds(cli, candidate, what, &why)) {
            *id = candidate;
            return true;
        }
        if (why.code != ERR_NOT_FOUND) {
            *err = why;
            return false;
        }
    }
    return err_set(err, ERR_NOT_FOUND, "No project that you see has %s %s.", noun, what);
}

static bool holds_task(struct cli *cli, const char *project_id, const char *task_id, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s, s:s}", "id", project_id, "tid", task_id);
    JSON_AUTO *task = NULL;
    struct client_reply reply;

    return invoke_json(cli, op_find("task_get"), params, 0, &reply, &task, err);
}

bool scope_task(struct cli *cli, const char *task_id, const char **id, struct err *err)
{
    return scope_find(cli, "a task", task_id, holds_task, id, err);
}
