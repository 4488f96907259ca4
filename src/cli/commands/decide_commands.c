#include "base/str.h"
#include "cli/client/ask_wait.h"
#include "cli/client/interrupt.h"
#include "cli/client/patience.h"
#include "cli/client/project_scope.h"
#include "cli/client/question_view.h"
#include "cli/commands/tables.h"
#include "cli/term.h"
#include "core/work/autonomy.h"

#include <string.h>

/* Details are any JSON; what is none is a text. */
static bool read_details(struct cli *cli, json_t *params, struct err *err)
{
    const char *text = cli_get(cli, "details");
    struct err ignored = { 0 };
    json_t *value;

    if (!text)
        return true;
    if (!str_is_utf8(text, strlen(text)))
        return err_field(err, "details", "--details is not UTF-8 text.");
    if (!json_parse(text, strlen(text), &value, &ignored))
        value = json_string(text);
    json_object_set_new(params, "details", value);
    return true;
}

/* One word for scripts, or the whole decision; the exit code is the decision. */
static int report(struct cli *cli, const json_t *decision, const char *status, int code)
{
    int printed = cli->json ? scope_print(cli, decision)
                            : cli_print(arena_format(cli->arena, "%s\n", status), strlen(status) + 1);

    return printed ? printed : code;
}

static const char *word_of(int code)
{
    switch (code) {
    case CLI_OK: return "approved";
    case CLI_TIMED_OUT: return "timed out";
    case CLI_CANCELLED: return "cancelled";
    default: return "rejected";
    }
}

/* How it ended stands in the question that people were asked; the decision is read again only to be shown. */
static int report_end(struct cli *cli, const json_t *pending, const json_t *question)
{
    const json_t *response = json_object_get(question, "response");
    const char *note = member_text(cli->arena, response, "text");
    int code = view_exit(question, false);
    JSON_AUTO *params = json_object();
    JSON_AUTO *decision = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    json_object_set(params, "id", json_object_get(pending, "projectId"));
    json_object_set(params, "did", json_object_get(pending, "id"));
    if (cli->json && !invoke_json(cli, op_find("decision_get"), params, 0, &reply, &decision, &err))
        return cli_fail(cli, &err);
    if (code == CLI_TIMED_OUT)
        cli_note(cli, "Nobody answered in time, which is a no.");
    if (note)
        cli_note(cli, "%s: %s", term_line(cli->arena, member_text(cli->arena, question, "respondedBy")),
                 term_line(cli->arena, note));
    return report(cli, decision, word_of(code), code);
}

static int wait_for_people(struct cli *cli, const json_t *decision)
{
    const char *id = term_line(cli->arena, member_text(cli->arena, decision, "questionId"));
    JSON_AUTO *question = NULL;
    struct err err = { 0 };

    cli_note(
        cli,
        "A person has to approve this: %s/q/%s\nAnswer with `witan answer %s --approve`; the page says how else.",
        cli->target.url, id, id);
    switch (ask_wait(cli, id, &question, &err)) {
    case ASK_ENDED: return report_end(cli, decision, question);
    case ASK_INTERRUPTED: ask_left_open(cli, id); return interrupt_exit();
    case ASK_FAILED: break;
    }
    if (err.code != ERR_NOT_FOUND)
        ask_left_open(cli, id);
    return cli_fail(cli, &err);
}

static int run_decide(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    const char *project, *status;

    interrupt_catch();
    if (!invoke_collect(cli, params, &err) || !read_details(cli, params, &err) ||
        !scope_project(cli, &project, &err))
        return ask_not_sent(cli, &err);
    json_object_set_new(params, "id", json_string(project));
    if (!ask_send(cli, cli->op, params, &reply, &made, &err))
        return ask_not_sent(cli, &err);
    status = term_line(cli->arena, member_text(cli->arena, made, "status"));
    if (str_equal(status, "approved"))
        return report(cli, made, status, CLI_OK);
    if (!str_equal(status, "pending"))
        return report(cli, made, status, CLI_NO);
    if (cli_has(cli, "wait"))
        return wait_for_people(cli, made);
    cli_note(cli, "A person has to approve this; `witan wait %s` waits for it.",
             term_line(cli->arena, member_text(cli->arena, made, "questionId")));
    return report(cli, made, status, CLI_NO);
}

const struct cli_command decide_commands[] = {
    {
        .name = "decide",
        .op = "decision_create",
        .help = "Ask whether an agent may do something that the project's level of autonomy governs. "
                "Exit code: 0 approved; 3 rejected, or, without --wait, not approved yet; 5 nobody answered in time; 6 cancelled; 8 server away; 129, 130 or 143 ended by a signal, which leaves it open.",
        .examples = "witan decide --category scopeChanges \"Add an export to PDF\" --wait && ./add-export\n"
                    "witan decide --category dependencyModifications \"Upgrade libfoo to 2.0\" "
                    "--details '{\"from\": \"1.4\", \"to\": \"2.0\"}'",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "DESCRIPTION", .param = "description", .flags = CLI_STDIN } },
        .options = {
            SCOPE_PROJECT,
            { "category", "NAME", .param = "category", .help = "What kind of decision it is; also one of your own.",
              .flags = CLI_MUST | CLI_OTHER, .word_at = autonomy_category_at },
            { "details", "JSON", .help = "What helps to decide: any JSON, or a text.", .flags = CLI_STDIN },
            { "agent", "NAME", .param = "agent" },
            { "wait", .help = "Wait until a person has decided." },
            { "idempotency-key", "KEY", .help = "Asking again with the same key waits for the same decision." },
            PATIENCE_OPTION,
        },
        .run = run_decide,
    },
    { 0 },
};
