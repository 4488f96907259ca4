/*
 * Switches a project's orchestrator, and shows what it has out.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/client/project_scope.h"
#include "cli/commands/tables.h"
#include "cli/term.h"
#include "core/work/project.h"

#include <string.h>

static const char *const switches[] = { "on", "off", "status", NULL };

/* What was typed is an option, whatever the operation calls it. */
static int fail(const struct cli *cli, struct err *err)
{
    struct err given = *err;

    if (str_starts(given.field, "orchestrator.")) {
        err_field(err, given.field + strlen("orchestrator."), "--%s", given.text + strlen("orchestrator."));
        if (*given.hint)
            err_hint(err, "%s", given.hint);
    }
    return cli_fail(cli, err);
}

static bool read_wish(struct cli *cli, const char *what, json_t *wish, struct err *err)
{
    const char *parallel = cli_get(cli, "parallel"), *coder = cli_get(cli, "coder");
    int64_t count;

    if (strcmp(what, "status") == 0)
        return (!parallel && !coder) ||
               err_field(err, parallel ? "parallel" : "coder",
                         "--%s goes with on or off: status shows, and changes nothing.",
                         parallel ? "parallel" : "coder");
    json_object_set_new(wish, "on", json_boolean(strcmp(what, "on") == 0));
    if (parallel && !str_to_int(parallel, &count))
        return err_field(err, "parallel", "--parallel takes a number.");
    if (parallel)
        json_object_set_new(wish, "parallel", json_integer(count));
    if (coder)
        json_object_set_new(wish, "coder", json_string(coder));
    return true;
}

static bool change(struct cli *cli, const char *id, json_t *wish, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s, s:O}", "id", id, "orchestrator", wish);
    JSON_AUTO *project = NULL;
    struct client_reply reply;

    return invoke_json(cli, op_find("project_update"), params, 0, &reply, &project, err);
}

static int print_state(const struct cli *cli, const json_t *state, int64_t now_ms)
{
    static const struct term_column columns[] = {
        { "taskId", "TASK", false },  { "state", "STATE", false }, { "jobId", "JOB", false },
        { "takenAt", "SINCE", true }, { "title", "TITLE", false },
    };
    const json_t *out = json_object_get(state, "out");
    BUF_AUTO text = { 0 };
    struct term term;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    buf_format(&text, "%s, %lld at a time, coder: %s\n",
               json_is_true(json_object_get(state, "on")) ? "on" : "off",
               (long long)json_integer_value(json_object_get(state, "parallel")),
               term_line(cli->arena, member_text(cli->arena, state, "coder")));
    if (json_array_size(out) > 0)
        term_table(&term, out, columns, sizeof(columns) / sizeof(columns[0]), now_ms);
    return cli_print(text.bytes, text.len);
}

static int run_orchestrate(struct cli *cli)
{
    const char *what = cli_get(cli, "SWITCH");
    JSON_AUTO *wish = json_object();
    JSON_AUTO *params = NULL;
    JSON_AUTO *state = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    const char *id;

    if (!what)
        what = "status";
    if (!read_wish(cli, what, wish, &err) || !scope_named(cli, cli_get(cli, "PROJECT"), &id, &err) ||
        (json_object_size(wish) > 0 && !change(cli, id, wish, &err)))
        return fail(cli, &err);
    params = json_pack("{s:s}", "id", id);
    if (!invoke_json(cli, cli->op, params, 0, &reply, &state, &err))
        return cli_fail(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : print_state(cli, state, reply.date_ms);
}

const struct cli_command orchestrate_commands[] = {
    {
        .name = "orchestrate",
        .op = "orchestrator_get",
        .help = "Have a project take up its ready tasks by itself, or show what it is working on. "
                "Off, it takes no more, and what is being worked on is finished.",
        .examples = "witan orchestrate \"Web shop\" on --parallel 2\n"
                    "witan orchestrate \"Web shop\" on --coder command\n"
                    "witan orchestrate \"Web shop\" status\n"
                    "witan orchestrate \"Web shop\" off",
        .uses = CLI_SERVER | CLI_JSON,
        .args = {
            { "PROJECT", .help = "Its id or name." },
            { "SWITCH", .help = "on, off, or status, which is meant when it is left out.", .flags = CLI_MAY,
              .words = switches },
        },
        .options = {
            { "parallel", "N", .help = "How many tasks at a time." },
            { "coder", "WHO",
              .help = "Who works on them: the agent coder of the runner, or the command of config.yaml.",
              .words = project_coders },
        },
        .run = run_orchestrate,
    },
    { 0 },
};
