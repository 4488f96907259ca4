#include "base/clock.h"
#include "cli/client/project_scope.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

#include <string.h>

/* The id goes to stdout, since it is what a result is handed in about. */
static int run_add(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !scope_into(cli, params, &err) ||
        !invoke_json(cli, cli->op, params, 0, &reply, &made, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    cli_note(cli,
             "Noted; `witan result --agent analyst --source-id ID` hands in what becomes of it. Its id:");
    return cli_print_line(cli, member_text(cli->arena, made, "id"));
}

static int run_list(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "id", "ID", false },       { "status", "STATUS", false }, { "createdAt", "CAME", true },
        { "author", "FROM", false }, { "text", "WHAT", false },
    };
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *list = NULL;
    struct err err = { 0 };
    struct term term;

    if (!invoke_collect(cli, params, &err) || !scope_into(cli, params, &err) ||
        !scope_list(cli, cli->op, params, "feedback", &list, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return scope_print(cli, list);
    if (json_array_size(json_object_get(list, "feedback")) == 0) {
        cli_note(cli, "There is no feedback yet; `witan feedback add TEXT` gives some.");
        return CLI_OK;
    }
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    term_table(&term, json_object_get(list, "feedback"), columns, sizeof(columns) / sizeof(columns[0]),
               clock_now_ms());
    return cli_print(text.bytes, text.len);
}

const struct cli_command feedback_commands[] = {
    {
        .name = "feedback add",
        .op = "feedback_create",
        .examples =
            "witan feedback add \"The search is slow.\" --project \"Web shop\"\nwitan feedback add - <mail.txt",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "TEXT", .param = "text", .flags = CLI_STDIN } },
        .options = { SCOPE_PROJECT },
        .run = run_add,
    },
    {
        .name = "feedback list",
        .op = "feedback_list",
        .examples = "witan feedback list --project \"Web shop\"\nwitan feedback list --all --json",
        .uses = CLI_SERVER | CLI_JSON,
        .options = { SCOPE_PROJECT,
                     { "limit", "N", .param = "limit" },
                     { "all", .help = "All pages, not only the first." } },
        .run = run_list,
    },
    { 0 },
};
