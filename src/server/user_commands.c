#include "core/user.h"
#include "server/lists.h"
#include "server/password.h"

/* By name, as people know it, or by id. */
static bool find_user(struct local *local, struct user *user, struct err *err)
{
    const char *name = cli_get(local->cli, "NAME");
    struct account account;

    if (!user_account_by_name(local->db, local->arena, name, &account, err))
        return false;
    return user_get(local->db, local->arena, local->workspace_id, account.id ? account.id : name, user, err);
}

static int run_user_add(struct cli *cli)
{
    struct err err = { 0 };
    struct local local = { .cli = cli };
    struct user user = { 0 };
    struct user_wish wish = { .name = cli_get(cli, "NAME") };
    bool good = local_role(cli, ROLE_MEMBER, &wish.role, &err) &&
                password_hash(cli, false, &wish.password, &err) && local_open(&local, cli, true, &err);

    wish.workspace_id = local.workspace_id;
    good = good && user_create(local.db, cli->arena, NULL, &wish, local.now_ms, &user, &err) &&
           local_audit(&local, "user_create", user.id, list_detail(cli->arena, "name", user.name), &err) &&
           local_commit(&local, &err);
    if (good) {
        cli_note(cli, "Added %s as %s.", term_line(cli->arena, user.name), role_name(user.role));
        local_note_solo(&local, user.role);
    }
    return local_end(&local, good, &err);
}

static int run_user_password(struct cli *cli)
{
    struct err err = { 0 };
    struct local local = { .cli = cli };
    struct user user = { 0 };
    const char *hash = NULL;
    bool good = password_hash(cli, true, &hash, &err) && local_open(&local, cli, true, &err) &&
                find_user(&local, &user, &err) &&
                user_set_password(local.db, cli->arena, user.id, hash, &err) &&
                local_audit(&local, "user_password", user.id, NULL, &err) && local_commit(&local, &err);

    if (good)
        cli_note(cli, "Changed. %s must log in again everywhere.", term_line(cli->arena, user.name));
    return local_end(&local, good, &err);
}

static int run_user_disable(struct cli *cli)
{
    struct err err = { 0 };
    struct local local = { .cli = cli };
    struct user user = { 0 };
    bool again = cli_has(cli, "undo");
    bool good = local_open(&local, cli, true, &err) && find_user(&local, &user, &err) &&
                user_set_disabled(local.db, cli->arena, user.id, again ? 0 : local.now_ms, &err) &&
                local_audit(&local, "user_update", user.id,
                            again ? "{\"disabled\":false}" : "{\"disabled\":true}", &err) &&
                local_commit(&local, &err);

    if (good)
        cli_note(cli, again ? "%s may log in again." : "%s can no longer log in.",
                 term_line(cli->arena, user.name));
    return local_end(&local, good, &err);
}

static int run_user_remove(struct cli *cli)
{
    struct err err = { 0 };
    struct local local = { .cli = cli };
    struct user user = { 0 };
    bool good =
        local_open(&local, cli, true, &err) && find_user(&local, &user, &err) &&
        user_remove(local.db, cli->arena, local.workspace_id, user.id, &err) &&
        local_audit(&local, "user_delete", user.id, list_detail(cli->arena, "name", user.name), &err) &&
        local_commit(&local, &err);

    if (good)
        cli_note(cli, "Removed %s.", term_line(cli->arena, user.name));
    return local_end(&local, good, &err);
}

static int run_user_list(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "name", "NAME", false },         { "role", "ROLE", false },
        { "disabled", "DISABLED", false }, { "hasPassword", "PASSWORD", false },
        { "createdAt", "ADDED", true },    { "id", "ID", false },
    };

    return list_run(cli, &(struct list){ "user_list", "users", columns, 6 });
}

#define PASSWORD_OPTIONS                                                                                     \
    { "password-stdin", .help = "Read the password from standard input." },                                  \
    {                                                                                                        \
        "no-input", .help = "Never ask; fail instead."                                                       \
    }

const struct cli_command user_commands[] = {
    {
        .name = "user add",
        .help = "Add a user to a workspace. Asks for a password.",
        .examples = "witan user add ada --role owner\n"
                    "printf '%s' \"$PASSWORD\" | witan user add ada --role owner --password-stdin\n"
                    "witan user add ada --role viewer --workspace other --no-password",
        .uses = CLI_STORE,
        .args = { { "NAME", .help = "The user's name." } },
        .options = {
            { "role", "ROLE", .help = "owner, admin, member, agent or viewer.", .flags = CLI_MUST },
            LOCAL_WORKSPACE,
            { "no-password", .help = "Add without a password: a user of another workspace, or one who cannot "
                                     "log in yet." },
            PASSWORD_OPTIONS,
        },
        .run = run_user_add,
    },
    {
        .name = "user list",
        .help = "List the users of a workspace.",
        .examples = "witan user list\nwitan user list --workspace other --json",
        .uses = CLI_STORE | CLI_JSON,
        .options = { LOCAL_WORKSPACE },
        .run = run_user_list,
    },
    {
        .name = "user password",
        .help = "Set a user's password and end their logins.",
        .examples = "witan user password ada",
        .uses = CLI_STORE,
        .args = { { "NAME", .help = "The user's name or id." } },
        .options = { LOCAL_WORKSPACE, PASSWORD_OPTIONS },
        .run = run_user_password,
    },
    {
        .name = "user disable",
        .help = "Keep a user from logging in, or let them in again.",
        .examples = "witan user disable ada\nwitan user disable ada --undo",
        .uses = CLI_STORE,
        .args = { { "NAME", .help = "The user's name or id." } },
        .options = { { "undo", .help = "Let the user in again." }, LOCAL_WORKSPACE },
        .run = run_user_disable,
    },
    {
        .name = "user remove",
        .help = "Remove a user from a workspace.",
        .examples = "witan user remove ada",
        .uses = CLI_STORE,
        .args = { { "NAME", .help = "The user's name or id." } },
        .options = { LOCAL_WORKSPACE },
        .run = run_user_remove,
    },
    { 0 },
};
