#include "cli/client/invoke.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

static int remove_it(struct cli *cli)
{
    struct client_reply reply;
    JSON_AUTO *params = json_object();
    struct err err = { 0 };

    if (!invoke(cli, op_find("rehearsal_remove"), params, 0, &reply, &err))
        return cli_fail(cli, &err);
    if (reply.status >= 400) {
        client_error(cli, &reply, &err);
        return cli_fail(cli, &err);
    }
    cli_note(cli, "The rehearsal is gone, with everything in it.");
    return CLI_OK;
}

/* Where to look, one line each. */
static void write_places(struct cli *cli, const json_t *made, struct buf *into)
{
    static const struct {
        const char *member, *path, *what;
    } places[] = {
        { "discussionId", "/discussions/", "three agents discuss for three rounds" },
        { "promptId", "/chat", "they ask the squad, and wait for your reply" },
        { "questionId", "/inbox/", "they ask you for an approval" },
    };
    const char *slug = member_text(cli->arena, json_object_get(made, "workspace"), "slug");

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const char *id = places[i].path[1] == 'c' ? "" : member_text(cli->arena, made, places[i].member);

        buf_format(into, "%s%s%s?workspace=%s\n    %s\n", cli->target.url, places[i].path, id ? id : "",
                   slug ? slug : "", places[i].what);
    }
}

static int run_rehearse(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (cli_has(cli, "remove"))
        return remove_it(cli);
    if (!invoke_json(cli, cli->op, params, 0, &reply, &made, &err))
        return cli_fail(cli, &err);
    cli_note(cli, "Rehearsal: scripted lines, no model is called.");
    if (cli->json)
        return invoke_print(cli, &reply, false);
    buf_init(&text, 0);
    write_places(cli, made, &text);
    cli_note(cli, "It has a workspace of its own. Remove it with: witan rehearse --remove");
    return cli_print(text.bytes, text.len);
}

const struct cli_command rehearse_commands[] = {
    {
        .name = "rehearse",
        .op = "rehearsal_begin",
        .uses = CLI_SERVER | CLI_JSON,
        .examples = "witan rehearse\n"
                    "witan rehearse --remove",
        .options = { { "remove", .help = "Remove it, with everything in it." } },
        .run = run_rehearse,
    },
    { 0 },
};
