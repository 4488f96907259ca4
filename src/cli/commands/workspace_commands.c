#include "cli/commands/tables.h"
#include "cli/store/list.h"
#include "core/identity/workspace.h"

#include <string.h>

static int run_workspace_add(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    struct workspace wish = { .name = cli_get(cli, "NAME"), .slug = cli_get(cli, "slug") };
    struct workspace made = { 0 };
    bool good = local_open(&local, cli, true, &err) && workspace_create(&local.tx, &wish, NULL, &made);

    if (good) {
        local.workspace_id = made.id;
        good = local_audit(&local, "workspace_create", made.id, list_detail(cli->arena, "slug", made.slug)) &&
               local_commit(&local);
    }
    int code = local_end(&local, good, &err);

    if (code)
        return code;
    cli_note(cli, "Added. Its slug is %s.", made.slug);
    return cli_print(arena_format(cli->arena, "%s\n", made.id), strlen(made.id) + 1);
}

static int run_workspace_list(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "id", "ID", false },
        { "slug", "SLUG", false },
        { "name", "NAME", false },
    };

    return list_run(cli, &(struct store_list){ "workspace_list", "workspaces", columns, 3 });
}

/* Everything in it goes too, so the name alone is not enough. */
static int run_workspace_remove(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    struct workspace workspace = { 0 };

    if (!cli_has(cli, "yes")) {
        err_set(&err, ERR_INVALID, "This removes the workspace with everything in it.");
        err_hint(&err, "Add --yes if that is what you want.");
        return cli_fail(cli, &err);
    }
    bool good = local_open(&local, cli, true, &err) &&
                workspace_get(&local.tx, cli_get(cli, "NAME"), &workspace) &&
                workspace_delete(&local.tx, workspace.id) &&
                local_audit(&local, "workspace_delete", workspace.id,
                            list_detail(cli->arena, "slug", workspace.slug)) &&
                local_commit(&local);

    if (good)
        cli_note(cli, "Removed %s.", workspace.slug);
    return local_end(&local, good, &err);
}

const struct cli_command workspace_commands[] = {
    {
        .name = "workspace add",
        .help = "Add a workspace: a tenant of its own, walled off from the others. Prints its id.",
        .examples = "witan workspace add \"Research\"\nwitan workspace add \"Research\" --slug research",
        .uses = CLI_STORE,
        .args = { { "NAME", .help = "Its name." } },
        .options = { { "slug", "SLUG", .help = "Its short name. Default: made from the name." } },
        .run = run_workspace_add,
    },
    {
        .name = "workspace list",
        .help = "List all workspaces of this store.",
        .examples = "witan workspace list",
        .uses = CLI_STORE | CLI_JSON,
        .run = run_workspace_list,
    },
    {
        .name = "workspace remove",
        .help = "Remove a workspace with everything in it.",
        .examples = "witan workspace remove research --yes",
        .uses = CLI_STORE,
        .args = { { "NAME", .help = "Its id or slug." } },
        .options = { { "yes", .help = "Do it." } },
        .run = run_workspace_remove,
    },
    { 0 },
};
