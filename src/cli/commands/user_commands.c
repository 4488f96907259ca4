/*
 * These work on the store and not through the API: they are how the first owner is made, and how one gets in
 * again who is locked out.
 */
#include "cli/commands/tables.h"
#include "cli/store/list.h"
#include "cli/store/new_password.h"
#include "core/identity/user.h"
#include "core/upkeep/erase.h"

/* By name, as people know it, or by id. */
static bool find_user(struct local_store *local, struct user *user)
{
    const char *name = cli_get(local->cli, "NAME");
    struct account account;

    if (!user_account_by_name(&local->tx, name, &account))
        return false;
    return user_get(&local->tx, local->workspace_id, account.id ? account.id : name, user);
}

static int run_user_add(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    struct user user = { 0 };
    struct user_wish wish = { .name = cli_get(cli, "NAME") };
    bool good = local_role(cli, ROLE_MEMBER, &wish.role, &err) && local_find(&local, cli, &err) &&
                new_password_hash(cli, false, &wish.password, &err) && local_begin(&local, true, &err);

    wish.workspace_id = local.workspace_id;
    good = good && user_create(&local.tx, &wish, &user) &&
           local_audit(&local, "user_create", user.id, list_detail(cli->arena, "name", user.name)) &&
           local_commit(&local);
    if (good) {
        cli_note(cli, "Added %s as %s.", term_line(cli->arena, user.name), role_name(user.role));
        local_note_solo(&local, user.role);
    }
    return local_end(&local, good, &err);
}

static int run_user_password(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    struct user user = { 0 };
    const char *hash = NULL;
    bool good = local_find(&local, cli, &err) && new_password_hash(cli, true, &hash, &err) &&
                local_begin(&local, true, &err) && find_user(&local, &user) &&
                user_set_password(&local.tx, user.id, hash) &&
                local_audit(&local, "user_password", user.id, NULL) && local_commit(&local);

    if (good)
        cli_note(cli, "Changed. %s must log in again everywhere.", term_line(cli->arena, user.name));
    return local_end(&local, good, &err);
}

static int run_user_disable(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    struct user user = { 0 };
    bool again = cli_has(cli, "undo");
    bool good =
        local_open(&local, cli, true, &err) && find_user(&local, &user) &&
        user_set_disabled(&local.tx, user.id, again ? 0 : local.tx.now_ms) &&
        local_audit(&local, "user_update", user.id, again ? "{\"disabled\":false}" : "{\"disabled\":true}") &&
        local_commit(&local);

    if (good)
        cli_note(cli, again ? "%s may log in again." : "%s can no longer log in.",
                 term_line(cli->arena, user.name));
    return local_end(&local, good, &err);
}

static int run_user_remove(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    struct user user = { 0 };
    bool good = local_open(&local, cli, true, &err) && find_user(&local, &user) &&
                user_remove(&local.tx, local.workspace_id, user.id) &&
                local_audit(&local, "user_delete", user.id, list_detail(cli->arena, "name", user.name)) &&
                local_commit(&local);

    if (good)
        cli_note(cli, "Removed %s.", term_line(cli->arena, user.name));
    return local_end(&local, good, &err);
}

/* Where the store lets go of room it overwrites it, so that what is erased is not left in the file. */
static bool erase(struct local_store *local, bool act, struct person *person, struct erase_report *report,
                  struct err *err)
{
    struct audit_entry by = {
        .workspace_id = local->workspace_id,
        .actor_kind = caller_kind_name(CALLER_LOCAL),
        .actor_id = "local",
        .actor = "local",
        .door = "store",
        .at_ms = local->tx.now_ms,
    };

    if (!erase_find(&local->tx, cli_get(local->cli, "NAME"), person))
        return false;
    db_rollback(local->tx.db);
    if (local->tx.db->engine == DB_SQLITE && !db_script(local->tx.db, "PRAGMA secure_delete=ON", err))
        return false;
    return local_take_time(local) && erase_person(&local->tx, person, &by, act, report);
}

static int say_erased(const struct cli *cli, const struct person *person, const struct erase_report *report,
                      bool done)
{
    const struct {
        const char *key, *what;
        int64_t count;
    } parts[] = {
        { "messages", "messages", report->messages },
        { "prompts", "prompts they asked, replied to or ended", report->prompts },
        { "answers", "questions they asked, answered or approved", report->answers },
        { "sets", "sets of open questions they answered", report->sets },
        { "feedback", "feedback", report->feedback },
        { "documents", "versions of documents, which keep their text", report->documents },
        { "lines", "log lines of jobs", report->lines },
        { "events", "events", report->events },
        { "replies", "replies kept for repeats", report->replies },
        { "audit", "rows of the audit log", report->audit },
        { "unknown", "rows with that name which do not say whose they are: left as they are",
          report->unknown },
    };
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    if (cli->json) {
        json_begin(&out, &text);
        json_map(&out, NULL);
        json_bool(&out, "erased", done);
        json_text(&out, "id", person->id);
        json_bool(&out, "account", report->account);
    } else {
        buf_format(&text, "%s %s (%s)%s:\n", done ? "Erased" : "Would erase",
                   term_line(cli->arena, person->name), person->id,
                   report->account ? " and the account" : "");
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (cli->json)
            json_int(&out, parts[i].key, parts[i].count);
        else if (parts[i].count > 0)
            buf_format(&text, "  %6lld  %s\n", (long long)parts[i].count, parts[i].what);
    }
    if (cli->json) {
        json_map_end(&out);
        buf_char(&text, '\n');
    }
    return cli_print(text.bytes, text.len);
}

/* Without --yes everything is looked at as if it were to be erased, so that what is said is what would
 * happen. */
static int run_user_erase(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    struct person person = { 0 };
    struct erase_report report = { 0 };
    bool act = cli_has(cli, "yes") && !cli_has(cli, "dry-run");
    bool good = local_open(&local, cli, true, &err) && erase(&local, act, &person, &report, &err);
    int code = local_end(&local, good, &err);

    if (code)
        return code;
    code = say_erased(cli, &person, &report, act);
    if (act || cli_has(cli, "dry-run") || code)
        return code;
    err_set(&err, ERR_INVALID, "Nothing was erased yet: what goes cannot be brought back.");
    err_hint(&err, "Add --yes if that is what you want; --dry-run only looks.");
    return cli_fail(cli, &err);
}

static int run_user_list(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "name", "NAME", false },         { "role", "ROLE", false },
        { "disabled", "DISABLED", false }, { "hasPassword", "PASSWORD", false },
        { "createdAt", "ADDED", true },    { "id", "ID", false },
    };

    return list_run(cli, &(struct store_list){ "user_list", "users", columns, 6 });
}

#define PASSWORD_OPTIONS \
    { "password-stdin", .help = "Read the password from standard input." }, \
    { \
        "no-input", .help = "Never ask; fail instead." \
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
            { "role", "ROLE", .help = "What they may do.", .flags = CLI_MUST, .words = role_names },
            LOCAL_WORKSPACE,
            { "no-password", .help = "Add without a password: a user of another workspace, or one who cannot log in yet." },
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
    {
        .name = "user erase",
        .help = "Take a person out of the store: the account, the name wherever it stands, and what they wrote. "
                "Decisions stay, without the name. The audit log verifies by a record of it.",
        .examples = "witan user erase ada --dry-run\nwitan user erase ada --yes",
        .uses = CLI_STORE | CLI_JSON,
        .args = { { "NAME", .help = "The user's name or id; of a removed user the name as it was." } },
        .options = {
            { "dry-run", .help = "Only say what would go." },
            { "yes", .help = "Do it. Without it this only looks, and ends with exit code 2." },
            LOCAL_WORKSPACE,
        },
        .run = run_user_erase,
    },
    { 0 },
};
