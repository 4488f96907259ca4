#include "base/clock.h"
#include "base/str.h"
#include "cli/client/project_scope.h"
#include "cli/commands/tables.h"
#include "cli/term.h"
#include "core/work/autonomy.h"

#include <string.h>

static bool is_category(const char *name)
{
    for (size_t i = 0; autonomy_category_at(i); i++)
        if (strcmp(autonomy_category_at(i), name) == 0)
            return true;
    return false;
}

/*
 * --autonomy is one word for all categories, or CATEGORY=LEVEL, which may be given several times. The server
 * ignores categories that it does not know; a slip of the finger must not pass for a setting.
 */
static bool read_autonomy(struct cli *cli, json_t *params, struct err *err)
{
    JSON_AUTO *levels = json_object();
    const char *word = NULL;

    for (size_t i = 0; i < cli->value_count; i++) {
        const char *text = cli->values[i].text, *equals = strchr(text, '=');

        if (strcmp(cli->values[i].option->name, "autonomy") != 0)
            continue;
        if (!str_is_utf8(text, strlen(text)))
            return err_field(err, "autonomy", "--autonomy is not UTF-8 text.");
        if (!equals) {
            word = text;
            continue;
        }
        const char *category = arena_copy(cli->arena, text, (size_t)(equals - text));

        if (!is_category(category)) {
            err_field(err, "autonomy", "There is no category \"%s\".", category);
            return err_hint(err, "They are scopeChanges, architectureDecisions, dependencyModifications.");
        }
        json_object_set_new(levels, category, json_string(equals + 1));
    }
    if (word && json_object_size(levels) > 0)
        return err_field(err, "autonomy", "--autonomy takes one word or CATEGORY=LEVEL, not both at once.");
    if (word)
        json_object_set_new(params, "hilConfig", json_string(word));
    else if (json_object_size(levels) > 0)
        json_object_set(params, "hilConfig", levels);
    return true;
}

/* What was typed is an option, whatever the operation calls it. */
static int fail(const struct cli *cli, struct err *err)
{
    if (str_starts(err->field, "hilConfig")) {
        err_field(err, "autonomy", "--autonomy must be confirm_all, major_only or full, or CATEGORY=LEVEL.");
        err_hint(err, "`witan %s --help` lists categories and levels.", cli->command->name);
    }
    return cli_fail(cli, err);
}

static int run_add(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !read_autonomy(cli, params, &err) ||
        !invoke_json(cli, cli->op, params, 0, &reply, &made, &err))
        return fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    return cli_print_line(cli, member_text(cli->arena, made, "id"));
}

static int run_list(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "id", "ID", false },
        { "autonomyLevel", "AUTONOMY", false },
        { "createdAt", "MADE", true },
        { "name", "NAME", false },
    };
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *list = NULL;
    struct err err = { 0 };
    struct term term;
    const json_t *projects;

    if (!invoke_collect(cli, params, &err) || !scope_list(cli, cli->op, params, "projects", &list, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return scope_print(cli, list);
    projects = json_object_get(list, "projects");
    if (json_array_size(projects) == 0) {
        cli_note(cli, "There are no projects yet; `witan project add NAME` makes one.");
        return CLI_OK;
    }
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    term_table(&term, projects, columns, sizeof(columns) / sizeof(columns[0]), clock_now_ms());
    return cli_print(text.bytes, text.len);
}

static void write_project(struct term *term, const json_t *project)
{
    const json_t *levels = json_object_get(project, "hilConfig");
    const char *description = member_text(term->arena, project, "description");

    term_paint(term, TERM_BOLD, term_line(term->arena, member_text(term->arena, project, "name")));
    buf_format(term->out, "  %s\n", term_line(term->arena, member_text(term->arena, project, "id")));
    if (description && *description)
        term_block(term, "  ", description);
    buf_format(term->out, "autonomy: %s\n",
               term_line(term->arena, member_text(term->arena, project, "autonomyLevel")));
    for (size_t i = 0; autonomy_category_at(i); i++)
        buf_format(term->out, "  %-24s %s\n", autonomy_category_at(i),
                   term_line(term->arena, member_text(term->arena, levels, autonomy_category_at(i))));
}

static int print_project(const struct cli *cli, const json_t *project)
{
    BUF_AUTO text = { 0 };
    struct term term;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    write_project(&term, project);
    return cli_print(text.bytes, text.len);
}

/* Shows, changes: one operation on the project that the argument names, and the project as it is then. */
static int run_one(struct cli *cli, bool changes)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *project = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    const char *id;

    if (!invoke_collect(cli, params, &err) || !read_autonomy(cli, params, &err))
        return cli_fail(cli, &err);
    if (changes && json_object_size(params) == 0) {
        err_set(&err, ERR_INVALID, "`witan project set` needs something to set.");
        err_hint(&err, "For instance --autonomy major_only.");
        return cli_fail(cli, &err);
    }
    if (!scope_named(cli, cli_get(cli, "PROJECT"), &id, &err))
        return cli_fail(cli, &err);
    json_object_set_new(params, "id", json_string(id));
    if (!invoke_json(cli, cli->op, params, 0, &reply, &project, &err))
        return fail(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : print_project(cli, project);
}

static int run_show(struct cli *cli)
{
    return run_one(cli, false);
}

static int run_set(struct cli *cli)
{
    return run_one(cli, true);
}

/* Everything in it goes too, so the name alone is not enough. */
static int run_remove(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    struct client_reply reply;
    struct err err = { 0 };
    const char *id;

    if (!cli_has(cli, "yes")) {
        err_set(&err, ERR_INVALID, "This removes the project with its tasks, documents and questions.");
        err_hint(&err, "Add --yes if that is what you want.");
        return cli_fail(cli, &err);
    }
    if (!scope_named(cli, cli_get(cli, "PROJECT"), &id, &err))
        return cli_fail(cli, &err);
    json_object_set_new(params, "id", json_string(id));
    if (!invoke(cli, cli->op, params, 0, &reply, &err))
        return cli_fail(cli, &err);
    if (reply.status >= 400) {
        client_error(cli, &reply, &err);
        return cli_fail(cli, &err);
    }
    cli_note(cli, "Removed.");
    return cli->json ? invoke_print(cli, &reply, false) : CLI_OK;
}

#define PROJECT_ARGUMENT \
    { \
        "PROJECT", .help = "Its id or name." \
    }
#define AUTONOMY \
    { \
        "autonomy", "LEVEL", \
            .help = \
                "What its agents may decide; or CATEGORY=LEVEL, several times: scopeChanges, architectureDecisions, dependencyModifications; automated, notify_and_proceed, requires_approval.", \
            .flags = CLI_OTHER, .word_at = autonomy_word_at \
    }

const struct cli_command project_commands[] = {
    {
        .name = "project add",
        .op = "project_create",
        .help = "Make a project. Prints its id. Without --autonomy everything requires approval.",
        .examples = "witan project add \"Web shop\"\n"
                    "witan project add \"Web shop\" --autonomy major_only",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "NAME", .param = "name" } },
        .options = {
            { "description", "TEXT", .param = "description", .flags = CLI_STDIN },
            AUTONOMY,
            { "idempotency-key", "KEY", .help = "Repeating with the same key makes one project." },
        },
        .run = run_add,
    },
    {
        .name = "project list",
        .op = "project_list",
        .examples = "witan project list\nwitan project list --all --json",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "limit", "N", .param = "limit" },
            { "all", .help = "All pages, not only the first." },
        },
        .run = run_list,
    },
    {
        .name = "project show",
        .op = "project_get",
        .examples = "witan project show \"Web shop\"",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { PROJECT_ARGUMENT },
        .run = run_show,
    },
    {
        .name = "project set",
        .op = "project_update",
        .help = "Change a project: how much its agents may decide by themselves, its name, its description.",
        .examples = "witan project set \"Web shop\" --autonomy full\n"
                    "witan project set \"Web shop\" --autonomy dependencyModifications=notify_and_proceed",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { PROJECT_ARGUMENT },
        .options = {
            AUTONOMY,
            { "name", "TEXT", .param = "name" },
            { "description", "TEXT", .param = "description", .flags = CLI_STDIN },
        },
        .run = run_set,
    },
    {
        .name = "project remove",
        .op = "project_delete",
        .help = "Remove a project with everything in it. Open questions are dismissed first.",
        .examples = "witan project remove \"Web shop\" --yes",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { PROJECT_ARGUMENT },
        .options = { { "yes", .help = "Do it." } },
        .run = run_remove,
    },
    { 0 },
};
