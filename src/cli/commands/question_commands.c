/* What can be done to one question besides answering it. */
#include "base/str.h"
#include "cli/client/item_ref.h"
#include "cli/client/question_ref.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

#include <string.h>

/* Sends the command's operation for the question that ID names; the caller json_decrefs *done. */
static bool send(struct cli *cli, struct client_reply *reply, json_t **done, struct err *err)
{
    JSON_AUTO *params = json_object();
    const char *id;

    if (!question_ref_id(cli, cli_get(cli, "ID"), &id, err) || !invoke_collect(cli, params, err))
        return false;
    json_object_set_new(params, "id", json_string(id));
    return invoke_json(cli, cli->op, params, 0, reply, done, err) || item_ref_other(cli, id, NULL, err);
}

static int run(struct cli *cli, int (*tell)(struct cli *cli, const json_t *done))
{
    JSON_AUTO *done = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!send(cli, &reply, &done, &err))
        return cli_fail(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : tell(cli, done);
}

static int tell_cancelled(struct cli *cli, const json_t *done)
{
    cli_note(cli, "Cancelled.%s",
             json_is_true(json_object_get(done, "jobResumed")) ? " Whoever asked goes on without an answer."
                                                               : "");
    return CLI_OK;
}

static int tell_extended(struct cli *cli, const json_t *done)
{
    cli_note(cli, "The deadline is now:");
    return cli_print_line(cli, member_text(cli->arena, done, "timeoutAt"));
}

static int tell_link(struct cli *cli, const json_t *done)
{
    cli_note(cli,
             "Whoever holds this link may answer the question once, in your place. It is shown this once:");
    return cli_print_line(cli, member_text(cli->arena, done, "url"));
}

static int tell_restarted(struct cli *cli, const json_t *done)
{
    cli_note(cli, "A new job goes on with the answer:");
    return cli_print_line(cli, member_text(cli->arena, done, "jobId"));
}

static int tell_assigned(struct cli *cli, const json_t *done)
{
    const json_t *question = json_object_get(done, "question");
    const char *assignee = member_text(cli->arena, question, "assignee");

    if (!assignee)
        assignee = member_text(cli->arena, question, "assignedTo");
    if (assignee)
        cli_note(cli, "It is for %s now.", term_line(cli->arena, assignee));
    else
        cli_note(cli, "It is for whoever may answer it now.");
    return CLI_OK;
}

static int tell_snoozed(struct cli *cli, const json_t *done)
{
    cli_note(cli, "It needs you again at the latest at:");
    return cli_print_line(cli, member_text(cli->arena, done, "snoozedUntil"));
}

static int tell_awake(struct cli *cli, const json_t *done)
{
    (void)done;
    cli_note(cli, "It is awake.");
    return CLI_OK;
}

static int run_assign(struct cli *cli)
{
    return run(cli, tell_assigned);
}

static int run_snooze(struct cli *cli)
{
    return run(cli, tell_snoozed);
}

static int run_wake(struct cli *cli)
{
    return run(cli, tell_awake);
}

static int run_cancel(struct cli *cli)
{
    return run(cli, tell_cancelled);
}

static int run_extend(struct cli *cli)
{
    return run(cli, tell_extended);
}

static int run_link(struct cli *cli)
{
    return run(cli, tell_link);
}

static int run_restart(struct cli *cli)
{
    return run(cli, tell_restarted);
}

static int run_notifications(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "kind", "KIND", false },  { "priority", "PRIORITY", false }, { "createdAt", "CAME", true },
        { "title", "WHAT", false }, { "about.name", "ABOUT", false },
    };
    JSON_AUTO *params = json_object();
    JSON_AUTO *page = NULL;
    BUF_AUTO text = { 0 };
    struct client_reply reply;
    struct term term;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &page, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    const json_t *rows = json_object_get(page, "notifications");

    if (json_array_size(rows) == 0) {
        cli_note(cli, "There are no notifications.");
        return CLI_OK;
    }
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    term_table(&term, rows, columns, sizeof(columns) / sizeof(*columns), reply.date_ms);
    return cli_print(text.bytes, text.len);
}

#define QUESTION_ARG \
    { \
        { \
            "ID", .help = "The question: its id, whole or short, or its number in this terminal." \
        } \
    }

const struct cli_command question_commands[] = {
    {
        .name = "cancel",
        .op = "question_cancel",
        .help = "Take a question back: nobody needs to answer it any more.",
        .examples = "witan cancel 2\nwitan cancel ID --reason \"not needed any more\"",
        .uses = CLI_SERVER | CLI_JSON,
        .args = QUESTION_ARG,
        .options = { { "reason", "TEXT", .param = "reason" } },
        .run = run_cancel,
    },
    {
        .name = "extend",
        .op = "question_extend",
        .help = "Move a question's deadline back, and print the new one.",
        .examples = "witan extend 2 --by 30m\nwitan extend ID --by 1.5h",
        .uses = CLI_SERVER | CLI_JSON,
        .args = QUESTION_ARG,
        .options = { { "by", "TIME", .param = "minutes", .help = "By how much, such as 30m or 1.5h.",
                       .flags = CLI_MINUTES | CLI_MUST } },
        .run = run_extend,
    },
    {
        .name = "link",
        .op = "question_link",
        .help = "Make a one-time link to a question, for somebody who has no login: it shows that question and takes one answer.",
        .examples = "witan link 2\nwitan link ID | mail -s \"Please decide\" maya",
        .uses = CLI_SERVER | CLI_JSON,
        .args = QUESTION_ARG,
        .run = run_link,
    },
    {
        .name = "restart",
        .op = "question_restart",
        .help = "Start a new job with an answer that came too late, and print its id.",
        .examples = "witan restart ID",
        .uses = CLI_SERVER | CLI_JSON,
        .args = QUESTION_ARG,
        .run = run_restart,
    },
    {
        .name = "assign",
        .op = "question_assign",
        .help = "Give a question to one person, who alone may answer it from then on. "
                "Anyone who may answer it can do this, and so can owners and admins.",
        .examples = "witan assign 2 Maya\nwitan assign ID Maya --note \"you know that customer\"",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .help = "The question: its id, whole or short, or its number in this terminal." },
                  { "PERSON", .param = "to" } },
        .options = { { "note", "TEXT", .param = "note" } },
        .run = run_assign,
    },
    {
        .name = "unassign",
        .op = "question_unassign",
        .help = "Give a question that is one person's back to all who may answer it.",
        .examples = "witan unassign 2 --note \"I am away until Monday\"",
        .uses = CLI_SERVER | CLI_JSON,
        .args = QUESTION_ARG,
        .options = { { "note", "TEXT", .param = "note" } },
        .run = run_assign,
    },
    {
        .name = "snooze",
        .op = "question_snooze",
        .help = "Do not be reminded of a question for a while: it is not counted among what needs you. "
                "Its deadline runs on, and five minutes before that it needs you again.",
        .examples = "witan snooze 2 1h\nwitan snooze ID 20m",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .help = "The question: its id, whole or short, or its number in this terminal." },
                  { "TIME", .param = "minutes", .help = "For how long, such as 20m, 1h or 2d.", .flags = CLI_MINUTES } },
        .run = run_snooze,
    },
    {
        .name = "wake",
        .op = "question_wake",
        .help = "End a snooze of yours: the question needs you again.",
        .examples = "witan wake 2",
        .uses = CLI_SERVER | CLI_JSON,
        .args = QUESTION_ARG,
        .run = run_wake,
    },
    {
        .name = "notifications",
        .op = "notification_list",
        .help = "List what you were told, newest first. What waits for an answer is in `witan inbox`.",
        .examples = "witan notifications --unread\nwitan notifications --agent Builder --json",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "agent", "NAME", .param = "agent" },
            { "unread", .param = "unread" },
            { "limit", "N", .param = "limit" },
            { "cursor", "TEXT", .param = "cursor" },
        },
        .run = run_notifications,
    },
    { 0 },
};
