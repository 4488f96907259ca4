/*
 * Who is here, one line for each page that somebody has open; then the agents that were heard from.
 */
#include "cli/client/invoke.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

static void add_row(json_t *rows, const json_t *of, const json_t *name, const char *state, const char *since)
{
    json_t *row = json_object();

    json_object_set(row, "name", (json_t *)name);
    json_object_set_new(row, "state", state ? json_string(state) : json_incref(json_object_get(of, "state")));
    json_object_set(row, "page", json_object_get(of, "page"));
    json_object_set(row, "subject", json_object_get(of, "subject"));
    json_object_set(row, "since", json_object_get(of, since));
    json_array_append_new(rows, row);
}

static json_t *rows_of(const json_t *found)
{
    json_t *rows = json_array(), *one, *page;
    size_t i, k;

    json_array_foreach(json_object_get(found, "people"), i, one)
    {
        json_array_foreach(json_object_get(one, "pages"), k, page)
        {
            add_row(rows, page, json_object_get(one, "name"), NULL, "since");
        }
    }
    json_array_foreach(json_object_get(found, "agents"), i, one)
    {
        add_row(rows, one, json_object_get(one, "name"), "agent", "heardAt");
    }
    return rows;
}

static int run_who(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "name", "NAME", false },  { "state", "STATE", false }, { "page", "PAGE", false },
        { "subject", "ID", false }, { "since", "SINCE", true },
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
    rows = rows_of(found);
    if (json_array_size(rows) == 0) {
        cli_note(cli, "Nobody has a page open.");
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

const struct cli_command who_commands[] = {
    {
        .name = "who",
        .op = "presence_list",
        .uses = CLI_SERVER | CLI_JSON,
        .examples = "witan who\n"
                    "witan who --page chat\n"
                    "witan who --json | jq -r '.people[].name'",
        .options = {
            { "page", "WORD", "page", NULL, 0 },
            { "subject", "TEXT", "subject", NULL, 0 },
            { "limit", "N", "limit", NULL, 0 },
            { "cursor", "TEXT", "cursor", NULL, 0 },
        },
        .run = run_who,
    },
    { 0 },
};
