/*
 * `witan run`: an agent of the runner from its task to its result; and the trace of one, and its replay.
 *
 * The result alone goes to stdout; what the agent does meanwhile, and what it asks, to the terminal. A run is
 * a job of the server's: whatever happens to this command, it goes on by itself, unless somebody says
 * otherwise.
 */
#include "base/str.h"
#include "cli/client/ask_wait.h"
#include "cli/client/council_call.h"
#include "cli/client/interrupt.h"
#include "cli/client/patience.h"
#include "cli/client/replay_view.h"
#include "cli/client/resume.h"
#include "cli/client/run_follow.h"
#include "cli/commands/tables.h"
#include "cli/term.h"
#include "core/runs/run_agents.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGENTS_NAMED 20 /* of those that there are, where one is not */

/* run */

/* --steps and the like, which are members of the job's budget. */
static bool take_budget(struct cli *cli, json_t *wish, struct err *err)
{
    static const char *const whole[] = { "steps", "tokens", "seconds" };
    json_t *budget = json_object();
    const char *money = cli_get(cli, "money");
    char *end = NULL;

    json_object_set_new(wish, "budget", budget);
    for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
        const char *text = cli_get(cli, whole[i]);
        int64_t number;

        if (!text)
            continue;
        if (!str_to_int(text, &number))
            return err_field(err, whole[i], "--%s takes a whole number, not \"%s\".", whole[i], text);
        json_object_set_new(budget, whole[i], json_integer(number));
    }
    if (money) {
        double amount = strtod(money, &end);

        if (end == money || *end || !(amount > 0 && amount < 1e9))
            return err_field(err, "money", "--money takes an amount such as 0.50, not \"%s\".", money);
        json_object_set_new(budget, "money", json_real(amount));
    }
    if (json_object_size(budget) == 0)
        json_object_del(wish, "budget");
    return true;
}

/* What one of the four works on in a project, and what the input of a job calls that. */
static const struct {
    enum result_agent agent;
    const char *option, *member;
} subjects[] = { { AGENT_ANALYST, "feedback", "feedbackId" },
                 { AGENT_DREAMER, "section", "sectionKey" },
                 { AGENT_PLANNER, "plan", "planId" } };

/* A coder is told its task; what others are to do with one, they are told by whoever starts them. */
static bool is_coders(struct cli *cli)
{
    return cli_get(cli, "task") && run_agent_known(cli->arena, cli_get(cli, "AGENT")) == AGENT_CODER;
}

/* The task alone, or what is to be worked on with the task beside it. */
static bool take_input(struct cli *cli, json_t *wish, struct err *err)
{
    const char *task = cli_get(cli, "TASK"), *subject;
    json_t *input = NULL;

    if (task && !str_is_utf8(task, strlen(task)))
        return err_field(err, "TASK", "TASK is not UTF-8 text.");
    for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++) {
        if (!(subject = cli_get(cli, subjects[i].option)))
            continue;
        if (!str_is_utf8(subject, strlen(subject)))
            return err_field(err, subjects[i].option, "--%s is not UTF-8 text.", subjects[i].option);
        if (run_agent_known(cli->arena, cli_get(cli, "AGENT")) != subjects[i].agent)
            return err_field(err, subjects[i].option, "--%s is for the %s alone.", subjects[i].option,
                             result_agent_word(subjects[i].agent));
        if (!input)
            json_object_set_new(wish, "input", input = json_object());
        json_object_set_new(input, subjects[i].member, json_string(subject));
    }
    if (input && task && !str_is_blank(task))
        json_object_set_new(input, "task", json_string(task));
    if (!input && (task ? str_is_blank(task) : !is_coders(cli)))
        return err_field(err, "TASK", "TASK is empty: say what is to be done.");
    return true;
}

static bool read_wish(struct cli *cli, json_t *wish, struct err *err)
{
    const char *task = cli_get(cli, "TASK");
    json_t *tools = NULL;

    if (!take_input(cli, wish, err) || !invoke_collect(cli, wish, err) || !take_budget(cli, wish, err))
        return false;
    json_object_set_new(wish, "kind", json_string("agent"));
    if (task && !json_object_get(wish, "input"))
        json_object_set_new(wish, "input", json_string(task));
    for (size_t i = 0; i < cli->value_count; i++) {
        if (strcmp(cli->values[i].option->name, "tool") != 0)
            continue;
        if (!str_is_utf8(cli->values[i].text, strlen(cli->values[i].text)))
            return err_field(err, "tool", "--tool is not UTF-8 text.");
        if (!tools)
            json_object_set_new(wish, "tools", tools = json_array());
        json_array_append_new(tools, json_string(cli->values[i].text));
    }
    return true;
}

/* Who there is instead, those that need not be made first, and how to make one. */
static void name_agents(struct cli *cli, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:i}", "limit", AGENTS_NAMED);
    JSON_AUTO *page = NULL;
    struct client_reply reply;
    struct err ignored = { 0 };
    const char *names = "", *own = "";
    const json_t *agent;
    size_t i;

    for (const char *const *name = result_agents; *name; name++)
        if (run_agent_known(cli->arena, *name))
            own = arena_format(cli->arena, "%s%s%s", own, *own ? ", " : "", *name);
    if (!invoke_json(cli, op_find("agent_list"), params, 0, &reply, &page, &ignored))
        return;
    json_array_foreach(json_object_get(page, "agents"), i, agent)
    {
        const char *name = member_text(cli->arena, agent, "name");

        if (name && !run_agent_known(cli->arena, name))
            names = arena_format(cli->arena, "%s, %s", names, term_line(cli->arena, name));
    }
    err_hint(err, "There are %s%s%s. `witan agent add NAME` makes another.", own, names,
             member_text(cli->arena, page, "nextCursor") ? " and others" : "");
}

/* What was typed is an option, whatever the operation calls it. */
static void speak_of_options(struct err *err)
{
    static const struct {
        const char *member, *option;
    } known[] = {
        { "budget.steps", "--steps" }, { "budget.tokens", "--tokens" }, { "budget.seconds", "--seconds" },
        { "budget.money", "--money" }, { "taskId", "--task" },          { "projectId", "--project" },
        { "tools", "--tool" },         { "feedbackId", "--feedback" },  { "sectionKey", "--section" },
        { "planId", "--plan" },
    };
    struct err before = *err;

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        size_t len = strlen(known[i].member);

        if (strncmp(before.text, known[i].member, len) == 0)
            snprintf(err->text, sizeof(err->text), "%s%s", known[i].option, before.text + len);
    }
}

static int refused(struct cli *cli, struct err *err)
{
    if (interrupted())
        return interrupt_exit();
    if (str_equal(err->field, "agent") && council_lacks_model(err))
        return council_refused(cli, err);
    if (str_equal(err->field, "agent")) {
        name_agents(cli, err);
        err->field[0] = '\0'; /* the sentence speaks of agents, not of the argument */
        cli_fail(cli, err);
        return CLI_ERROR; /* what was typed is well-formed, and names nobody who can work */
    }
    speak_of_options(err);
    return cli_fail(cli, err);
}

static bool start(struct cli *cli, json_t **job, struct err *err)
{
    JSON_AUTO *wish = json_object();
    struct client_reply reply;

    return read_wish(cli, wish, err) && ask_send(cli, op_find("job_create"), wish, &reply, job, err) &&
           (json_is_string(json_object_get(*job, "id")) ||
            err_set(err, ERR_INTERNAL, "The reply of %s holds no job; is it witan?", cli->target.url));
}

static int print_json(const struct cli *cli, const json_t *value)
{
    const char *line = arena_format(cli->arena, "%s\n", json_dump_text(cli->arena, value));

    return cli_print(line, strlen(line));
}

static void say_left(struct cli *cli, const char *id)
{
    cli_note(cli, "It goes on; follow it with:\n  %s",
             resume_command(cli, arena_format(cli->arena, "job trace %s --follow", id)));
}

/* A person at the keyboard cancels it, unless told otherwise; a machine that tidies up leaves it going. */
static int leave(struct cli *cli, const char *id)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", id);
    JSON_AUTO *job = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    int code = interrupt_exit();

    if (!interrupted_by_person() || cli_has(cli, "keep")) {
        say_left(cli, id);
        return code;
    }
    cli->pulse = NULL; /* the signal has been heard */
    if (invoke_json(cli, op_find("job_cancel"), params, 0, &reply, &job, &err)) {
        cli_note(cli, "The run was cancelled.");
    } else {
        cli_note(cli, "The run was not cancelled: %s", err.text);
        if (err.code != ERR_CONFLICT) /* it had ended */
            say_left(cli, id);
    }
    return code;
}

/* On a terminal that shows both, the agent's last words need not be read twice. */
static bool stands_there(const struct run_view *view, const char *result)
{
    return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) && !view->cli->quiet && view->said &&
           str_equal(view->said, result);
}

static int report(struct cli *cli, const struct run_view *view, const json_t *job)
{
    const char *result = run_view_result(cli->arena, job), *error = member_text(cli->arena, job, "error");
    const char *status = member_text(cli->arena, job, "status");
    int printed = CLI_OK, code = run_exit(job);

    if (str_equal(status, "failed") && str_equal(error, view->error)) /* which stands right above */
        cli_note(cli, "The run failed.");
    else if (str_equal(status, "failed"))
        cli_note(cli, "The run failed: %s", term_line(cli->arena, error));
    else if (str_equal(status, "cancelled"))
        cli_note(cli, "The run was cancelled%s%s", error ? ": " : ".",
                 error ? term_line(cli->arena, error) : "");
    if (cli->json)
        printed = print_json(cli, job);
    else if (result && code == CLI_OK && !stands_there(view, result))
        printed = cli_print_text(cli, arena_format(cli->arena, "%s\n", result));
    return printed == CLI_OK ? code : printed;
}

static int follow(struct cli *cli, const char *id)
{
    JSON_AUTO *job = NULL;
    struct run_view view;
    struct err err = { 0 };

    run_view_open(&view, cli, stderr);
    switch (run_follow(cli, id, &view, true, &job, &err)) {
    case RUN_FOLLOWED: return report(cli, &view, job);
    case RUN_LEFT: return leave(cli, id);
    case RUN_LOST: break;
    }
    int code = cli_fail(cli, &err);

    say_left(cli, id);
    return code;
}

static int run_run(struct cli *cli)
{
    JSON_AUTO *job = NULL;
    struct err err = { 0 };
    const char *id;

    interrupt_catch();
    if (!start(cli, &job, &err))
        return refused(cli, &err);
    id = term_line(cli->arena, member_text(cli->arena, job, "id"));
    if (cli_has(cli, "detach"))
        return cli->json ? print_json(cli, job) : cli_print_line(cli, id);
    cli_note(cli, "Job %s\nCtrl-C %s.", id,
             cli_has(cli, "keep") ? "leaves it going" : "cancels it; with --keep it would go on");
    return follow(cli, id);
}

/* job trace */

static int trace_as_json(struct cli *cli, const char *id)
{
    JSON_AUTO *params = json_pack("{s:s, s:i}", "id", id, "limit", LIMIT_LOG_PAGE);
    JSON_AUTO *whole = NULL;
    struct err err = { 0 };

    for (;;) {
        JSON_AUTO *page = NULL;
        struct client_reply reply;

        if (!invoke_json(cli, op_find("run_trace"), params, 0, &reply, &page, &err))
            return cli_fail(cli, &err);
        if (!whole)
            whole = json_incref(page);
        else
            json_array_extend(json_object_get(whole, "entries"), json_object_get(page, "entries"));
        const json_t *cursor = json_object_get(page, "nextCursor");

        if (!json_is_string(cursor)) {
            json_object_del(whole, "nextCursor");
            return print_json(cli, whole);
        }
        json_object_set(params, "cursor", (json_t *)(uintptr_t)cursor);
    }
}

static int trace_follow(struct cli *cli, const char *id, struct run_view *view)
{
    JSON_AUTO *job = NULL;
    struct err err = { 0 };

    interrupt_catch();
    switch (run_follow(cli, id, view, false, &job, &err)) {
    case RUN_FOLLOWED: break;
    case RUN_LEFT: say_left(cli, id); return interrupt_exit();
    case RUN_LOST: return cli_fail(cli, &err);
    }
    if (view->code != CLI_OK)
        return view->code;
    cli_note(cli, "The run %s%s.",
             str_equal(member_text(cli->arena, job, "status"), "cancelled") ? "was " : "",
             term_line(cli->arena, member_text(cli->arena, job, "status")));
    return run_exit(job);
}

static int run_trace(struct cli *cli)
{
    const char *id = cli_get(cli, "ID");
    JSON_AUTO *first = NULL;
    JSON_AUTO *job = NULL;
    JSON_AUTO *run = NULL;
    JSON_AUTO *params = json_pack("{s:s, s:i}", "id", id, "limit", 1);
    JSON_AUTO *named = json_pack("{s:s}", "id", id);
    struct client_reply reply;
    struct run_view view;
    struct err err = { 0 };
    int64_t after = 0;

    if (!params)
        return cli_fail(cli, (err_field(&err, "ID", "ID is not UTF-8 text."), &err));
    if (cli->json && !cli_has(cli, "follow"))
        return trace_as_json(cli, id);
    run_view_open(&view, cli, stdout);
    view.trace = true;
    view.full = cli_has(cli, "full");
    view.json = cli->json;
    if (!view.json) {
        if (!invoke_json(cli, op_find("run_trace"), params, 0, &reply, &first, &err) ||
            !invoke_json(cli, op_find("job_get"), named, 0, &reply, &job, &err))
            return cli_fail(cli, &err);
        run_view_head(&view, json_object_get(first, "run"), job);
    }
    if (cli_has(cli, "follow"))
        return trace_follow(cli, id, &view);
    if (!run_entries_show(cli, id, &view, &after, &run, &err))
        return cli_fail(cli, &err);
    return view.code;
}

/* job replay */

static const char *difference_line(struct arena *arena, const json_t *difference)
{
    return arena_format(arena, "%lld: stored %s, comes out as %s", (long long)member_int(difference, "seq"),
                        term_line(arena, member_text(arena, difference, "stored")),
                        term_line(arena, member_text(arena, difference, "recomputed")));
}

static int run_replay(struct cli *cli)
{
    static const struct replay_view view = { "same", "no model and no tool was called", difference_line };

    return replay_show(cli, &view);
}

const struct cli_command run_commands[] = {
    {
        .name = "run",
        .op = "job_create",
        .help = "Have an agent work on a task, with tools, and print what comes out. "
                "What it does is shown as it does it, and what it asks is asked here; others can answer as well. "
                "Ctrl-C cancels the run unless --keep is given; another signal leaves it going. "
                "Exit code: 0 completed, 3 failed, 6 cancelled.",
        .examples = "witan run coder \"Add a search page.\" --project shop\n"
                    "witan run analyst \"What is missing in the requirements?\" --steps 20 --tokens 50000\n"
                    "witan run analyst --project shop --feedback ID\n"
                    "git diff | witan run reviewer - >review.md\n"
                    "witan run coder \"Raise the limits.\" --tool read_file --tool write_file --recover\n"
                    "job=$(witan run planner \"Plan the release.\" --detach)",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "AGENT", .param = "agent", .help = "Who works on it, by name; `witan agent list` names them." },
                  { "TASK", .help = "What is to be done, or \"-\" for standard input; not needed beside what is worked on.", .flags = CLI_STDIN | CLI_MAY } },
        .options = {
            { "project", "PROJECT", .param = "projectId" },
            { "task", "ID", .param = "taskId" },
            { "feedback", "ID", .help = "The feedback that the analyst works on." },
            { "section", "KEY", .help = "The section that the dreamer writes." },
            { "plan", "ID", .help = "The plan that the planner writes." },
            { "steps", "N", .help = "Ask the model so often at most." },
            { "tokens", "N", .help = "Use so many tokens at most." },
            { "seconds", "N", .help = "Work so many seconds at most; waiting for others does not count." },
            { "money", "AMOUNT", .help = "Spend so much at most, in the currency of the models' prices." },
            { "recover", .param = "recover" },
            { "tool", "NAME", .help = "Offer this tool beside the built-in ones; give several. Without it, all that it may use." },
            { "detach", .help = "Print the job's id and leave it to itself." },
            { "keep", .help = "Ctrl-C leaves the run going instead of cancelling it." },
            { "no-input", .help = "Never ask on the terminal: say what is asked, and wait." },
            { "idempotency-key", "KEY", .help = "Repeating with the same key follows the same run." },
            PATIENCE_OPTION,
        },
        .run = run_run,
    },
    {
        .name = "job trace",
        .op = "run_trace",
        .help = "Show what an agent of the runner did: each model call, tool call with arguments and output, question and decision, with times and tokens. "
                "With --follow the exit code is 0 completed, 3 failed, 6 cancelled; a signal ends the following, not the run.",
        .examples = "witan job trace ID\nwitan job trace ID --full | less\nwitan job trace ID --follow\n"
                    "witan job trace ID --json | jq '.entries[] | select(.kind == \"call\")'",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .param = "id" } },
        .options = {
            { "follow", .help = "Go on with what it does from now on, until it ends." },
            { "full", .help = "Whole texts, and what the model was told first." },
            PATIENCE_OPTION,
        },
        .run = run_trace,
    },
    {
        .name = "job replay",
        .op = "run_replay",
        .help = "Make every decision of a run again, from its log alone, and compare. "
                "No model and no tool is called. Exit code 3 when something differs.",
        .examples = "witan job replay ID",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .param = "id" } },
        .run = run_replay,
    },
    { 0 },
};
