#include "base/clock.h"
#include "base/str.h"
#include "cli/client/project_scope.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Fills in the project and the task that the argument names. */
static bool find_task(struct cli *cli, json_t *params, struct err *err)
{
    const char *id = cli_get(cli, "ID");
    const char *project;

    if (!scope_task(cli, id, &project, err))
        return false;
    json_object_set_new(params, "id", json_string(project));
    json_object_set_new(params, "tid", json_string(id));
    return true;
}

static int run_add(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !scope_into(cli, params, &err) ||
        !invoke_json(cli, cli->op, params, 0, &reply, &made, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    return cli_print_line(cli, member_text(cli->arena, made, "id"));
}

static void write_tasks(const struct cli *cli, const json_t *tasks, struct buf *into)
{
    struct term term;
    struct term_table table;
    const json_t *task;
    size_t index;

    term_init(&term, cli->arena, into, cli->colour);
    term_table_init(&table, &term, 6, (const char *[]){ "ID", "STATUS", "PRIO", "WHO", "AGE", "TITLE" });
    json_array_foreach(tasks, index, task)
    {
        const char *reason = member_text(cli->arena, task, "block_reason");
        const char *title = member_text(cli->arena, task, "title");

        term_table_row(
            &table, (const char *[]){
                        member_text(cli->arena, task, "id"), member_text(cli->arena, task, "status"),
                        member_text(cli->arena, task, "priority"), member_text(cli->arena, task, "assignee"),
                        term_when(cli->arena, member_text(cli->arena, task, "created_at"), clock_now_ms()),
                        reason ? arena_format(cli->arena, "%s (%s)", title ? title : "", reason) : title });
    }
    term_table_end(&table);
}

static int list_tasks(struct cli *cli, const char *nothing)
{
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *list = NULL;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !scope_into(cli, params, &err) ||
        !scope_list(cli, cli->op, params, "tasks", &list, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return scope_print(cli, list);
    if (json_array_size(json_object_get(list, "tasks")) == 0) {
        cli_note(cli, "%s", nothing);
        return CLI_OK;
    }
    buf_init(&text, 0);
    write_tasks(cli, json_object_get(list, "tasks"), &text);
    return cli_print(text.bytes, text.len);
}

static int run_list(struct cli *cli)
{
    return list_tasks(cli, "There are no such tasks.");
}

static int run_ready(struct cli *cli)
{
    return list_tasks(cli, "Nothing is ready to be worked on.");
}

static void write_task(struct term *term, const json_t *task)
{
    static const char *const members[][2] = { { "block_reason", "blocked by" },
                                              { "assignee", "assignee" },
                                              { "session_id", "session" } };
    const char *status = term_line(term->arena, member_text(term->arena, task, "status"));
    const char *description = member_text(term->arena, task, "description");
    const json_t *entry;
    size_t index;

    term_paint(term, TERM_BOLD, term_line(term->arena, member_text(term->arena, task, "title")));
    buf_text(term->out, "\n");
    term_paint(term, term_status(status), status);
    buf_format(term->out, "  priority %" PRId64 "  %s\n", member_int(task, "priority"),
               term_line(term->arena, member_text(term->arena, task, "id")));
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        const char *value = member_text(term->arena, task, members[i][0]);

        if (value)
            buf_format(term->out, "%s: %s\n", members[i][1], term_line(term->arena, value));
    }
    json_array_foreach(json_object_get(task, "depends_on"), index, entry)
    {
        buf_format(term->out, "depends on: %s\n", term_line(term->arena, json_string_value(entry)));
    }
    json_array_foreach(json_object_get(task, "problems"), index, entry)
    {
        buf_format(term->out, "problem: %s\n", term_line(term->arena, json_string_value(entry)));
    }
    if (description && *description)
        term_block(term, "  ", description);
    if (json_is_object(json_object_get(task, "result")))
        buf_format(term->out, "result: %s\n",
                   term_line(term->arena, json_dump_text(term->arena, json_object_get(task, "result"))));
}

static int print_task(const struct cli *cli, const json_t *task)
{
    BUF_AUTO text = { 0 };
    struct term term;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    write_task(&term, task);
    return cli_print(text.bytes, text.len);
}

/* One operation on a task, with what `params` already holds; the task as it is then, or a remark. */
static int on_task(struct cli *cli, json_t *params, const char *remark)
{
    JSON_AUTO *task = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !find_task(cli, params, &err) ||
        !invoke_json(cli, cli->op, params, 0, &reply, &task, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    if (!remark)
        return print_task(cli, task);
    cli_note(cli, "%s", remark);
    return CLI_OK;
}

static int run_show(struct cli *cli)
{
    JSON_AUTO *params = json_object();

    return on_task(cli, params, NULL);
}

static int run_close(struct cli *cli)
{
    JSON_AUTO *params = json_pack("{s:s}", "status", "closed");

    return on_task(cli, params, "Closed.");
}

static int run_block(struct cli *cli)
{
    JSON_AUTO *params = json_pack("{s:s}", "status", "blocked");

    return on_task(cli, params, "Blocked.");
}

static int run_open(struct cli *cli)
{
    JSON_AUTO *params = json_pack("{s:s}", "status", "open");

    return on_task(cli, params, "Open.");
}

/* Takes the first ready task that nobody else takes first. */
static int claim_next(struct cli *cli, json_t *params)
{
    JSON_AUTO *wish = json_object();
    JSON_AUTO *list = NULL;
    struct err err = { 0 };
    const json_t *task;
    size_t index;

    if (!scope_into(cli, params, &err))
        return cli_fail(cli, &err);
    json_object_set(wish, "id", json_object_get(params, "id"));
    if (!scope_list(cli, op_find("task_ready"), wish, "tasks", &list, &err))
        return cli_fail(cli, &err);
    json_array_foreach(json_object_get(list, "tasks"), index, task)
    {
        JSON_AUTO *claimed = NULL;
        struct client_reply reply;

        err = (struct err){ 0 };
        json_object_set(params, "tid", json_object_get(task, "id"));
        if (invoke_json(cli, cli->op, params, 0, &reply, &claimed, &err))
            return cli->json ? invoke_print(cli, &reply, false)
                             : cli_print_line(cli, member_text(cli->arena, task, "id"));
        if (err.code != ERR_CONFLICT && err.code != ERR_NOT_FOUND)
            return cli_fail(cli, &err);
    }
    cli_note(cli, "Nothing is ready to be worked on.");
    return CLI_NO;
}

static int run_claim(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    struct err err = { 0 };

    if (cli_has(cli, "ID"))
        return on_task(cli, params, "Claimed.");
    if (!invoke_collect(cli, params, &err))
        return cli_fail(cli, &err);
    return claim_next(cli, params);
}

static int say(struct cli *cli, json_t *params)
{
    const char *agent = cli_get(cli, "agent"), *user = getenv("USER");
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    /* Somebody who types this without naming an agent is a person. */
    json_object_set_new(params, "agent_name", json_string(agent ? agent : user && *user ? user : "me"));
    json_object_set_new(params, "is_human", json_boolean(!agent));
    if (!invoke_json(cli, op_find("task_chat_post"), params, 0, &reply, &made, &err))
        return cli_fail(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : CLI_OK;
}

/* Lists begin with the newest; a conversation is read from its start. */
static int print_chat(const struct cli *cli, const json_t *messages)
{
    BUF_AUTO text = { 0 };
    struct term term;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    for (size_t left = json_array_size(messages); left > 0; left--) {
        const json_t *message = json_array_get(messages, left - 1);

        term_paint(&term, TERM_BOLD, term_line(cli->arena, member_text(cli->arena, message, "agent_name")));
        if (json_is_true(json_object_get(message, "is_human")))
            term_paint(&term, TERM_DIM, " (a person)");
        buf_text(&text, ":\n");
        term_block(&term, "  ", member_text(cli->arena, message, "message"));
    }
    return cli_print(text.bytes ? text.bytes : "", text.len);
}

static int run_chat(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *list = NULL;
    struct err err = { 0 };

    if (!find_task(cli, params, &err))
        return cli_fail(cli, &err);
    if (cli_has(cli, "MESSAGE")) {
        if (!invoke_set(op_find("task_chat_post"), params, "message", cli_get(cli, "MESSAGE"), &err))
            return cli_fail(cli, &err);
        return say(cli, params);
    }
    if (!scope_list(cli, cli->op, params, "messages", &list, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return scope_print(cli, list);
    return print_chat(cli, json_object_get(list, "messages"));
}

static bool read_sent(struct cli *cli, struct client_reply *reply, json_t **sent, struct err *err)
{
    JSON_AUTO *params = json_object();

    return invoke_collect(cli, params, err) && find_task(cli, params, err) &&
           invoke_json(cli, cli->op, params, 0, reply, sent, err);
}

/* As one text, ready to be given to the agent. */
static int run_context(struct cli *cli)
{
    JSON_AUTO *sent = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    const char *prompt;

    if (!read_sent(cli, &reply, &sent, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    prompt = member_text(cli->arena, sent, "prompt");
    prompt = str_sanitise(cli->arena, prompt ? prompt : "");
    return cli_print(arena_format(cli->arena, "%s\n", prompt), strlen(prompt) + 1);
}

/* What the server sent, as it is: this goes into a file. */
static int run_config(struct cli *cli)
{
    JSON_AUTO *sent = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!read_sent(cli, &reply, &sent, &err))
        return cli_fail(cli, &err);
    return invoke_print(cli, &reply, true);
}

#define TASK_ID \
    { \
        "ID", .help = "The task." \
    }

const struct cli_command task_commands[] = {
    {
        .name = "task add",
        .op = "task_create",
        .help = "Add a task to a project. Prints its id.",
        .examples = "witan task add \"Cache the price list\" --project \"Web shop\"\n"
                    "witan task add \"Ship it\" --depends-on ID,ID --priority 0\n"
                    "witan task add \"Fix the login\" --description - <issue.txt",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "TITLE", .param = "title" } },
        .options = {
            SCOPE_PROJECT,
            { "description", "TEXT", .param = "description", .flags = CLI_STDIN },
            { "priority", "N", .param = "priority" },
            { "depends-on", "IDS", .param = "depends_on" },
            { "session", "ID", .param = "session_id" },
            { "idempotency-key", "KEY", .help = "Repeating with the same key adds one task." },
        },
        .run = run_add,
    },
    {
        .name = "task list",
        .op = "task_list",
        .examples = "witan task list --project \"Web shop\"\nwitan task list --status blocked --all --json",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            SCOPE_PROJECT,
            { "status", "STATUS", .param = "status" },
            { "assignee", "NAME", .param = "assignee" },
            { "session", "ID", .param = "session_id" },
            { "limit", "N", .param = "limit" },
            { "all", .help = "All pages, not only the first." },
        },
        .run = run_list,
    },
    {
        .name = "task ready",
        .op = "task_ready",
        .examples = "witan task ready --project \"Web shop\"\nwitan task ready --limit 1 --json",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            SCOPE_PROJECT,
            { "limit", "N", .param = "limit" },
            { "all", .help = "All pages, not only the first." },
        },
        .run = run_ready,
    },
    {
        .name = "task show",
        .op = "task_get",
        .examples = "witan task show ID",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { TASK_ID },
        .options = { SCOPE_FOUND },
        .run = run_show,
    },
    {
        .name = "task claim",
        .op = "task_claim",
        .help = "Take a task for an agent. "
                "Of two that try, one gets it; the other ends with 7. Without an ID the first ready one is taken and its id printed; 3 when nothing is ready.",
        .examples = "witan task claim ID --agent coder\n"
                    "task=$(witan task claim --project \"Web shop\" --agent coder)",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .help = "The task.", .flags = CLI_MAY } },
        .options = {
            { "agent", "NAME", .param = "agent", .flags = CLI_MUST },
            { "project", "PROJECT", .help = "Id or name. Else WITAN_PROJECT, else the one that has the task, or the only one." },
        },
        .run = run_claim,
    },
    {
        .name = "task close",
        .op = "task_update",
        .help = "Close a task: what depends on it may go on, and open questions about it are dismissed.",
        .examples = "witan task close ID",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { TASK_ID },
        .options = { SCOPE_FOUND },
        .run = run_close,
    },
    {
        .name = "task block",
        .op = "task_update",
        .help = "Keep a task from being worked on until `witan task open`.",
        .examples = "witan task block ID --reason \"Waits for the supplier\"",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { TASK_ID },
        .options = {
            { "reason", "TEXT", .param = "block_reason", .flags = CLI_MUST },
            SCOPE_FOUND,
        },
        .run = run_block,
    },
    {
        .name = "task open",
        .op = "task_update",
        .help = "Give a task back: nobody has it, and it can be claimed again.",
        .examples = "witan task open ID",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { TASK_ID },
        .options = { SCOPE_FOUND },
        .run = run_open,
    },
    {
        .name = "task chat",
        .op = "task_chat_list",
        .help = "Read what was said about a task, or say something.",
        .examples = "witan task chat ID\nwitan task chat ID \"Use the staging server.\"\n"
                    "witan task chat ID - --agent coder <note.txt",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { TASK_ID, { "MESSAGE", .help = "What to say.", .flags = CLI_MAY | CLI_STDIN } },
        .options = {
            { "agent", "NAME", .help = "Who says it. Without it: you, as a person, by the name of your login." },
            { "all", .help = "All pages, not only the first." },
            SCOPE_FOUND,
        },
        .run = run_chat,
    },
    {
        .name = "task context",
        .op = "task_context",
        .help = "Print what the agent's next prompt must hold: the task, people's answers, its chat, how much it may decide.",
        .examples = "my-agent \"$(witan task context ID)\"\nwitan task context ID --json | jq .answers",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { TASK_ID },
        .options = { SCOPE_FOUND },
        .run = run_context,
    },
    {
        .name = "task config",
        .op = "task_config",
        .help = "Print the config.json of a task: how much its agent may decide by itself.",
        .examples = "witan task config ID > config.json",
        .uses = CLI_SERVER,
        .args = { TASK_ID },
        .options = { SCOPE_FOUND },
        .run = run_config,
    },
    { 0 },
};
