#include "base/clock.h"
#include "base/str.h"
#include "cli/client/invoke.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

/* The words as one text: nobody should have to quote them. */
static void join_words(const struct cli *cli, json_t *params)
{
    const char *text = "";

    for (size_t i = 0; i < cli->rest_count; i++)
        text = arena_format(cli->arena, "%s%s%s", text, i ? " " : "", cli->rest[i]);
    json_object_set_new(params, "q", json_string(text));
}

static void write_results(const struct cli *cli, const json_t *results, struct buf *into)
{
    static const struct term_column columns[] = {
        { "kind", "KIND", false },    { "id", "ID", false },      { "status", "STATUS", false },
        { "createdAt", "AGE", true }, { "agent", "FROM", false }, { "project", "PROJECT", false },
        { "title", "WHAT", false },
    };
    struct term term;

    term_init(&term, cli->arena, into, cli->colour);
    term_table(&term, results, columns, sizeof(columns) / sizeof(columns[0]), clock_now_ms());
}

static int run_search(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *found = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (cli->rest_count == 0) {
        err_set(&err, ERR_INVALID, "`witan search` needs a word to look for.");
        return cli_fail(cli, &err);
    }
    join_words(cli, params);
    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &found, &err))
        return cli_fail(cli, &err);
    bool nothing = json_array_size(json_object_get(found, "results")) == 0;

    if (cli->json) {
        int printed = invoke_print(cli, &reply, false);

        return printed == CLI_OK && nothing ? CLI_NO : printed;
    }
    if (json_is_false(json_object_get(found, "complete")))
        cli_note(cli, "Much was written lately and is not in the index yet: there may be more.");
    if (nothing) {
        cli_note(cli, "Nothing was found.");
        return CLI_NO;
    }
    buf_init(&text, 0);
    write_results(cli, json_object_get(found, "results"), &text);
    if (json_is_string(json_object_get(found, "nextCursor")))
        cli_note(cli, "There is more: add a word, or --limit.");
    return cli_print(text.bytes, text.len);
}

const struct cli_command search_commands[] = {
    {
        .name = "search",
        .op = "search",
        .uses = CLI_SERVER | CLI_JSON,
        .examples = "witan search deploy prod\n"
                    "witan search --kind discussion database\n"
                    "witan search --json zurich | jq -r '.results[].id'",
        .args = { { "WORD", .help = "What to look for; the last may be the beginning of a word.", .flags = CLI_MANY } },
        .options = {
            { "kind", "KIND", "kind", NULL, 0 },
            { "project", "PROJECT", "projectId", "Only of this project: its id or name.", 0 },
            { "limit", "N", "limit", NULL, 0 },
            { "cursor", "TEXT", "cursor", NULL, 0 },
        },
        .run = run_search,
    },
    { 0 },
};
