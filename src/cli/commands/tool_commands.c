/*
 * `witan tool list`: the tools of config.yaml, one line for each; then the MCP servers that are not ready.
 */
#include "base/str.h"
#include "cli/client/invoke.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

#define SHOWN_CHARS 70 /* of a description */

/* Who decides whether a call may be made. */
static const char *approval_of(const json_t *tool)
{
    const char *category = json_string_value(json_object_get(tool, "category"));

    if (json_is_true(json_object_get(tool, "needsApproval")))
        return "each call";
    return category ? category : "-";
}

/* The projects and the roles that it is for, and that it needs a task. */
static const char *whom_of(struct cli *cli, const json_t *tool)
{
    static const char *const lists[] = { "projects", "roles" };
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        const json_t *list = json_object_get(tool, lists[i]), *one;
        size_t j;

        json_array_foreach(list, j, one) buf_format(&text, "%s%s",
                                                    j          ? ", "
                                                    : text.len ? "; "
                                                               : "",
                                                    json_string_value(one));
    }
    if (json_is_true(json_object_get(tool, "inTaskFolder")))
        buf_format(&text, "%sjobs with a task", text.len ? "; " : "");
    return text.len ? str_plain_line(cli->arena, text.bytes) : "all";
}

static json_t *rows_of(struct cli *cli, const json_t *found)
{
    json_t *rows = json_array(), *tool;
    size_t i;

    json_array_foreach(json_object_get(found, "tools"), i, tool)
    {
        json_t *row = json_object();
        const char *server = json_string_value(json_object_get(tool, "server")),
                   *words = json_string_value(json_object_get(tool, "description"));

        json_object_set(row, "name", json_object_get(tool, "name"));
        json_object_set_new(row, "from", json_string(server ? server : "this machine"));
        json_object_set_new(row, "approval", json_string(approval_of(tool)));
        json_object_set_new(row, "whom", json_string(whom_of(cli, tool)));
        json_object_set_new(row, "description",
                            json_string(str_plain_line(
                                cli->arena, str_beginning(cli->arena, words ? words : "", SHOWN_CHARS))));
        json_array_append_new(rows, row);
    }
    return rows;
}

static void note_servers(struct cli *cli, const json_t *found)
{
    const json_t *server;
    size_t i;

    json_array_foreach(json_object_get(found, "servers"), i, server)
    {
        const char *name = json_string_value(json_object_get(server, "name")),
                   *state = json_string_value(json_object_get(server, "state")),
                   *why = json_string_value(json_object_get(server, "why"));

        if (name && state && !str_equal(state, "ready"))
            cli_note(cli, "The server %s is %s%s%s", name, state, why ? ": " : ".", why ? why : "");
    }
}

static void note_surplus(struct cli *cli, const json_t *found)
{
    int64_t total = member_int(found, "total"), offered = member_int(found, "offered");

    if (total > offered)
        cli_note(
            cli,
            "There are %lld tools, and one run is offered at most %lld: the first in config.yaml that are for it. "
            "`witan run --tool` chooses others; enabled: false leaves out tools of a server.",
            (long long)total, (long long)offered);
}

static int run_list(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "name", "NAME", false },
        { "from", "FROM", false },
        { "approval", "APPROVAL", false },
        { "whom", "FOR", false },
        { "description", "WHAT IT DOES", false },
    };
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *found = NULL;
    JSON_AUTO *rows = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    struct term term;

    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &found, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    note_servers(cli, found);
    note_surplus(cli, found);
    rows = rows_of(cli, found);
    if (json_array_size(rows) == 0) {
        cli_note(cli, "There are no tools; config.yaml names them.");
        return CLI_OK;
    }
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    term_table(&term, rows, columns, sizeof(columns) / sizeof(columns[0]), reply.date_ms);
    if (json_is_string(json_object_get(found, "nextCursor")))
        cli_note(cli, "There are more: --limit, or --cursor %s.",
                 json_string_value(json_object_get(found, "nextCursor")));
    return cli_print(text.bytes, text.len);
}

const struct cli_command tool_commands[] = {
    {
        .name = "tool list",
        .op = "tool_list",
        .examples = "witan tool list\nwitan tool list --json",
        .uses = CLI_SERVER | CLI_JSON,
        .options = { { "limit", "N", .param = "limit" }, { "cursor", "TEXT", .param = "cursor" } },
        .run = run_list,
    },
    { 0 },
};
