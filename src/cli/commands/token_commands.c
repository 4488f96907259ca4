#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/client/target.h"
#include "cli/commands/tables.h"
#include "cli/store/list.h"
#include "core/identity/token.h"
#include "core/identity/user.h"
#include "server/files.h"

#include <string.h>
#include <unistd.h>

/* Where --save puts the secret; NULL without it. That it cannot go there is said before anything is made. */
static bool find_save_file(struct cli *cli, const char **file, struct err *err)
{
    *file = cli_has(cli, "save") ? target_token_file(cli->arena) : NULL;
    if (!cli_has(cli, "save"))
        return true;
    if (!*file) {
        err_set(err, ERR_INVALID, "HOME is not set, so there is no usual place for a token.");
        return err_hint(err, "Set HOME or XDG_CONFIG_HOME.");
    }
    if (files_size(*file) < 0)
        return files_make_folders(*file, err);
    err_set(err, ERR_CONFLICT, "There is a token in %s already.", *file);
    return err_hint(err, "Remove it first, or leave out --save and keep the new one elsewhere.");
}

/* The file is the caller's, whosever the store is. */
static bool save_secret(struct local_store *local, const char *file, const char *secret, struct err *err)
{
    const char *line = arena_format(local->tx.arena, "%s\n", secret);

    return !file ||
           (local_as_caller(local) && files_write(file, line, strlen(line), err) && local_as_owner(local));
}

static int say_token(struct cli *cli, const struct token *token, const char *secret, const char *file)
{
    if (file) {
        cli_note(cli, "Token %s (%s) is in %s, where every command looks for it.", token->id,
                 role_name(token->role), file);
        return CLI_OK;
    }
    cli_note(cli, "Token %s (%s). It is shown this once:", token->id, role_name(token->role));
    return cli_print(arena_format(cli->arena, "%s\n", secret), strlen(secret) + 1);
}

/* Whose it is, by name or id; what it may do by itself is what that user may. */
static bool find_owner(struct local_store *local, struct token *token, struct err *err)
{
    const char *name = cli_get(local->cli, "user");
    struct account account;
    struct user user;

    if (!name)
        return true;
    if (!user_account_by_name(&local->tx, name, &account))
        return false;
    if (!user_get(&local->tx, local->workspace_id, account.id ? account.id : name, &user)) {
        err_set(err, ERR_NOT_FOUND, "There is no user %s in this workspace.",
                term_line(local->cli->arena, name));
        return err_hint(err, "`witan user list` shows who is there, and `witan user add` adds one.");
    }
    token->user_id = user.id;
    if (!cli_has(local->cli, "role"))
        token->role = user.role;
    if (!cli_has(local->cli, "name"))
        token->name = user.name;
    return true;
}

/* The secret alone goes to stdout, so that TOKEN=$(witan token create ...) works. */
static int run_token_create(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    const char *expires = cli_get(cli, "expires"), *secret = NULL, *file = NULL;
    struct token token = {
        .name = cli_get(cli, "name"),
        .agent_name = cli_get(cli, "agent"),
        .project_id = cli_get(cli, "project"),
        .created_by = "local",
    };
    bool good = local_role(cli, ROLE_AGENT, &token.role, &err) && find_save_file(cli, &file, &err) &&
                local_open(&local, cli, true, &err);

    token.workspace_id = local.workspace_id;
    if (!token.name)
        token.name = token.agent_name ? token.agent_name : "token";
    if (good && expires && !clock_parse(expires, &token.expires_ms))
        good = err_field(&err, "expires", "--expires takes a duration such as 90d.");
    good = good && find_owner(&local, &token, &err) && token_create(&local.tx, &token, &secret) &&
           local_audit(&local, "token_create", token.id, list_detail(cli->arena, "name", token.name)) &&
           save_secret(&local, file, secret, &err);
    if (good && !local_commit(&local)) {
        good = false;
        if (file && local_as_caller(&local))
            unlink(file);
    }
    int code = local_end(&local, good, &err);

    if (code)
        return code;
    local_note_solo(&local, token.role);
    return say_token(cli, &token, secret, file);
}

/* A secret that has been replaced and is still good has a line of its own, under that of its token. */
static json_t *token_lines(const json_t *rows)
{
    json_t *lines = json_array();
    const json_t *row, *old;
    size_t at, i;

    json_array_foreach(rows, at, row)
    {
        json_array_append(lines, (json_t *)(uintptr_t)row);
        json_array_foreach(json_object_get(row, "oldSecrets"), i, old)
        {
            json_array_append_new(
                lines,
                json_pack(
                    "{s:O, s:O, s:O, s:O, s:O, s:O, s:o}", "id", json_object_get(row, "id"), "role",
                    json_object_get(row, "role"), "expiresAt", json_object_get(old, "goodUntil"),
                    "lastUsedAt", json_object_get(old, "lastUsedAt"), "agentName",
                    json_object_get(row, "agentName"), "user", json_object_get(row, "user"), "name",
                    json_sprintf("%s (secret before)", json_string_value(json_object_get(row, "name")))));
        }
    }
    return lines;
}

static int run_token_list(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "id", "ID", false },
        { "role", "ROLE", false },
        { "expiresAt", "EXPIRES", true },
        { "revokedAt", "REVOKED", true },
        { "lastUsedAt", "USED", true },
        { "agentName", "AGENT", false },
        { "user", "USER", false },
        { "name", "NAME", false },
    };

    return list_run(cli, &(struct store_list){ "token_list", "tokens", columns, 8, token_lines });
}

static int run_token_rotate(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    const char *id = cli_get(cli, "ID"), *overlap = cli_get(cli, "overlap"), *secret = NULL;
    const char *expires = cli_get(cli, "expires");
    int64_t minutes = TOKEN_OVERLAP_USUAL;
    struct token_rotation rotation = { 0 };
    struct token token = { 0 };
    bool good = local_open(&local, cli, true, &err);

    if (good && overlap && (!str_to_int(overlap, &minutes) || minutes > TOKEN_OVERLAP_MAX))
        good = err_field(&err, "overlap", "--overlap takes a duration of up to 30d.");
    if (good && expires && !clock_parse(expires, &rotation.expires_ms))
        good = err_field(&err, "expires", "--expires takes a duration such as 90d.");
    if (cli_has(cli, "at-once"))
        minutes = 0;
    rotation.overlap_ms = minutes * 60000;
    good = good && token_rotate(&local.tx, local.workspace_id, id, &rotation, &token, &secret) &&
           local_audit(&local, "token_rotate", id, list_detail(cli->arena, "name", token.name)) &&
           local_commit(&local);
    int code = local_end(&local, good, &err);

    if (code)
        return code;
    if (token.old_count > 0)
        cli_note(
            cli, "The previous secret stays good until %s.",
            term_time(cli->arena, clock_text(cli->arena, token.old[0].until_ms), clock_now_ms(), cli->utc));
    else
        cli_note(cli, "The previous secret no longer works.");
    cli_note(cli, "Token %s (%s). Its new secret is shown this once:", token.id, role_name(token.role));
    return cli_print(arena_format(cli->arena, "%s\n", secret), strlen(secret) + 1);
}

static int run_token_revoke(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    const char *id = cli_get(cli, "ID");
    bool good = local_open(&local, cli, true, &err) && token_revoke(&local.tx, local.workspace_id, id) &&
                local_audit(&local, "token_revoke", id, NULL) && local_commit(&local);

    if (good)
        cli_note(cli, "Revoked.");
    return local_end(&local, good, &err);
}

const struct cli_command token_commands[] = {
    {
        .name = "token create",
        .help = "Make a token for an agent, a script or a user, and print its secret once.",
        .examples = "TOKEN=$(witan token create --agent Builder)\n"
                    "witan token create --name me --role owner --save\n"
                    "witan token create --user ada --expires 90d\n"
                    "witan token create --name ci --role member --expires 90d",
        .uses = CLI_STORE | CLI_OWN,
        .options = {
            { "name", "NAME", .help = "What it is for. Default: the agent's or the user's name." },
            { "role", "ROLE", .help = "What it may do. Default: agent; with --user that user's.", .words = role_names },
            { "agent", "NAME", .help = "Bind it to an agent: it speaks as that one, and may do what agents may, whatever its role." },
            { "user", "NAME", .help = "Let it belong to a user: it is that user, answers what is theirs to answer, may never do more than they may, and ends with their membership." },
            { "project", "ID", .help = "Bind it to a project: it reaches nothing beyond." },
            { "expires", "TIME", .help = "How long it is good, such as 90d. Default: until revoked.",
              .flags = CLI_EXPIRES },
            { "save", .help = "Keep the secret in the file `token` beside config.yaml, for its owner alone, instead of printing it." },
            LOCAL_WORKSPACE,
        },
        .run = run_token_create,
    },
    {
        .name = "token list",
        .help = "List the tokens of a workspace.",
        .examples = "witan token list",
        .uses = CLI_STORE | CLI_JSON,
        .options = { LOCAL_WORKSPACE },
        .run = run_token_list,
    },
    {
        .name = "token rotate",
        .help = "Give a token a new secret, print it once, and keep the previous one good for a while.",
        .examples = "TOKEN=$(witan token rotate ID)\n"
                    "witan token rotate ID --overlap 7d --expires 90d\n"
                    "witan token rotate ID --at-once          # the secret has leaked",
        .uses = CLI_STORE,
        .args = { { "ID", .help = "The token's id, as `witan token list` shows it." } },
        .options = {
            { "overlap", "TIME", .help = "How long the previous secret stays good, such as 2h. Default: 24h.",
              .flags = CLI_MINUTES },
            { "at-once", .help = "No previous secret works from now on, earlier ones included." },
            { "expires", "TIME", .help = "How long the token is good from now on, such as 90d. "
                                         "Default: as long again as it was given before.",
              .flags = CLI_EXPIRES },
            LOCAL_WORKSPACE,
        },
        .run = run_token_rotate,
    },
    {
        .name = "token revoke",
        .help = "Revoke a token: it stops working at once.",
        .examples = "witan token revoke ID",
        .uses = CLI_STORE,
        .args = { { "ID", .help = "The token's id, as `witan token list` shows it." } },
        .options = { LOCAL_WORKSPACE },
        .run = run_token_revoke,
    },
    { 0 },
};
