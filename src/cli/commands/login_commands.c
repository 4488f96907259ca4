/* Who the command line speaks as: a person who logs in, or whoever the token is. */
#include "base/str.h"
#include "cli/client/invoke.h"
#include "cli/client/login.h"
#include "cli/commands/tables.h"
#include "cli/store/new_password.h"
#include "cli/term.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool find_name(struct cli *cli, const char **name, struct err *err)
{
    char line[LIMIT_NAME * 4 + 2];

    *name = cli_get(cli, "NAME");
    if (*name)
        return true;
    if (!terminal_can_ask(cli) || !terminal_ask("Name: ", line, sizeof(line)))
        return err_set(err, ERR_INVALID, "`witan login` needs NAME.");
    *name = str_trim(cli->arena, line);
    return true;
}

/* Two credentials at once would leave open whose answer it is. */
static bool check_token(struct cli *cli, struct err *err)
{
    const char *variable = getenv("WITAN_TOKEN");

    if (!cli_has(cli, "token-file") && !(variable && *variable))
        return true;
    err_set(err, ERR_INVALID, "A token is named, which goes before a login.");
    return err_hint(err, "Leave out --token-file and unset WITAN_TOKEN.");
}

static int run_login(struct cli *cli)
{
    const char *name, *password;
    JSON_AUTO *me = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!check_token(cli, &err) || !find_name(cli, &name, &err) || !new_password_typed(cli, &password, &err))
        return cli_fail(cli, &err);
    JSON_AUTO *params = json_pack("{s:s, s:s}", "name", name, "password", password);

    cli->target.token = cli->target.session = NULL;
    if (!params) {
        err_set(&err, ERR_INVALID, "Name and password must be UTF-8 text.");
        return cli_fail(cli, &err);
    }
    if (!invoke_json(cli, op_find("session_login"), params, 0, &reply, &me, &err))
        return cli_fail(cli, &err);
    if (!reply.session)
        err_set(&err, ERR_INTERNAL, "%s gave no login; is it witan?", cli->target.url);
    else if (login_keep(cli->arena, cli->target.url, reply.session, &err))
        cli_note(cli, "Logged in as %s at %s; `witan logout` ends it.",
                 member_text(cli->arena, json_object_get(me, "user"), "name"), cli->target.url);
    return err.code ? cli_fail(cli, &err) : CLI_OK;
}

/* Forgotten here whatever the server says; it may be away. */
static int run_logout(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    struct client_reply reply;
    struct err err = { 0 };
    bool kept = cli->target.session != NULL;

    if (kept && !invoke(cli, op_find("session_logout"), params, 0, &reply, &err))
        cli_note(cli, "%s The login is forgotten here, and ends there by itself.", err.text);
    if (!login_forget(cli->arena, &err))
        return cli_fail(cli, &err);
    cli_note(cli, kept ? "Logged out." : "Nobody was logged in at %s.", cli->target.url);
    return CLI_OK;
}

static int run_whoami(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *me = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_json(cli, cli->op, params, 0, &reply, &me, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    const json_t *caller = json_object_get(me, "caller"), *workspace = json_object_get(me, "workspace");
    const char *agent = member_text(cli->arena, caller, "agentName");
    const char *text =
        arena_format(cli->arena, "%s (%s, %s%s%s) in %s at %s\n",
                     term_line(cli->arena, member_text(cli->arena, caller, "name")),
                     term_line(cli->arena, member_text(cli->arena, caller, "kind")),
                     term_line(cli->arena, member_text(cli->arena, caller, "role")),
                     agent ? ", speaks as " : "", agent ? term_line(cli->arena, agent) : "",
                     term_line(cli->arena, member_text(cli->arena, workspace, "slug")), cli->target.url);

    return cli_print(text, strlen(text));
}

const struct cli_command login_commands[] = {
    {
        .name = "login",
        .help =
            "Log in as a person, so that what you answer is yours. "
            "The login is kept in a file for you alone, for this server; --token-file and WITAN_TOKEN go before it.",
        .examples = "witan login maya\nwitan login maya --password-stdin <password",
        .uses = CLI_SERVER,
        .args = { { "NAME", .help = "The user's name; asked for when left out.", .flags = CLI_MAY } },
        .options = { { "password-stdin", .help = "Read the password from standard input." } },
        .run = run_login,
    },
    {
        .name = "logout",
        .help = "End the login that `witan login` made.",
        .examples = "witan logout",
        .uses = CLI_SERVER,
        .run = run_logout,
    },
    {
        .name = "whoami",
        .op = "me_get",
        .help = "Say who you are to the server, with which role and in which workspace.",
        .examples = "witan whoami\nwitan whoami --json",
        .uses = CLI_SERVER | CLI_JSON,
        .run = run_whoami,
    },
    { 0 },
};
