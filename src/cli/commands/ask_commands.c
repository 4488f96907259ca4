/*
 * Asking and waiting are two steps with the question's id between them, so that whatever interrupts the
 * second can be gone on with by `witan wait ID`.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/client/ask_wait.h"
#include "cli/client/interrupt.h"
#include "cli/client/item_ref.h"
#include "cli/client/patience.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"
#include "cli/commands/tables.h"
#include "core/questions/question.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool read_file(struct cli *cli, const char *path, const char **text, struct err *err)
{
    BUF_AUTO all = { 0 };
    char chunk[16 * KB];
    size_t got;
    FILE *file = fopen(path, "r");

    if (!file)
        return err_field(err, "context", "Cannot read %s: %s.", path, strerror(errno));
    buf_init(&all, LIMIT_BODY);
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
        buf_add(&all, chunk, got);
    bool broken = ferror(file) != 0;

    fclose(file);
    if (broken || all.full)
        return err_field(err, "context", "%s cannot be read, or is larger than %d bytes.", path, LIMIT_BODY);
    if (all.len > 0 && !str_is_utf8(all.bytes, all.len))
        return err_field(err, "context", "%s is not UTF-8 text.", path);
    *text = arena_copy(cli->arena, all.bytes ? all.bytes : "", all.len);
    return true;
}

/* k=v, k=@file with text in it, or @file with a JSON object in it. */
static bool add_context(struct cli *cli, json_t *context, const char *word, struct err *err)
{
    const char *equals = strchr(word, '=');
    const char *text;

    if (word[0] == '@') {
        JSON_AUTO *object = NULL;
        struct err why = { 0 };

        if (!read_file(cli, word + 1, &text, err))
            return false;
        if (!json_parse(text, strlen(text), &object, &why) || !json_is_object(object))
            return err_field(err, "context", "%s does not hold a JSON object; for text use KEY=@FILE.",
                             word + 1);
        json_object_update(context, object);
        return true;
    }
    if (!equals || equals == word)
        return err_field(err, "context", "--context takes KEY=VALUE, KEY=@FILE or @FILE, not \"%s\".", word);
    text = equals + 1;
    if (*text == '@' && !read_file(cli, text + 1, &text, err))
        return false;
    if (!str_is_utf8(word, strlen(word)))
        return err_field(err, "context", "--context is not UTF-8 text.");
    json_object_set_new(context, arena_copy(cli->arena, word, (size_t)(equals - word)), json_string(text));
    return true;
}

static void add_choice(json_t *wish, const char *word)
{
    json_t *options = json_object_get(wish, "options");

    if (!options) {
        options = json_array();
        json_object_set_new(wish, "options", options);
    }
    json_array_append_new(options, json_pack("{s:s, s:s}", "label", word, "value", word));
}

/* NULL is for a template to say, and a word that is none for the server to refuse. */
static bool goes_on_at_once(const char *type)
{
    unsigned value = words_find(question_types, type);

    return value != 0 && value != WORD_UNKNOWN && !question_traits(value)->blocks;
}

/* What kind of answer the options ask for. */
static bool choose_kind(struct cli *cli, json_t *wish, struct err *err)
{
    bool choice = cli_has(cli, "choice"), yes_no = cli_has(cli, "yes-no"), approve = cli_has(cli, "approve");
    const char *type = cli_get(cli, "type");
    const char *kind = choice ? "choice" : yes_no ? "boolean" : approve ? "approval" : "text";

    if (choice + yes_no + approve > 1)
        return err_set(err, ERR_INVALID, "--choice, --yes-no and --approve exclude each other.");
    if (!choice && !yes_no && str_equal(type, "approval"))
        kind = "approval";
    if (cli_has(cli, "allow-other") && !choice)
        return err_set(err, ERR_INVALID, "--allow-other needs --choice.");
    if (goes_on_at_once(type) && cli_has(cli, "require-human")) {
        err_set(err, ERR_INVALID, "A non-blocking question goes on with its default at once.");
        return err_hint(err, "Leave out --require-human, or ask a blocking question.");
    }
    /* A template says both, unless the caller does. */
    if (cli_has(cli, "template") && !type && !choice && !yes_no && !approve)
        return !cli_has(cli, "default") ||
               err_set(err, ERR_INVALID,
                       "With --template, --default also needs --type, --yes-no or --approve.");
    json_object_set_new(wish, "type", json_string(type ? type : approve ? "approval" : "blocking"));
    json_object_set_new(wish, "responseType", json_string(kind));
    return true;
}

/* What an approval is for, as a program can read it. */
static bool read_action(struct cli *cli, json_t *wish, struct err *err)
{
    const char *name = cli_get(cli, "action"), *text = cli_get(cli, "args");
    json_t *args = NULL;

    if (!name)
        return !text || err_field(err, "args", "--args needs --action NAME, whose arguments they are.");
    if (text && (!json_parse(text, strlen(text), &args, err) || !json_is_object(args))) {
        json_decref(args);
        return err_field(err, "args", "--args takes a JSON object.");
    }
    json_object_set_new(wish, "action",
                        json_pack("{s:s, s:o}", "name", name, "args", args ? args : json_object()));
    return true;
}

static bool read_wish(struct cli *cli, json_t *wish, struct err *err)
{
    json_t *context = json_object();
    const char *fallback = cli_get(cli, "default");
    json_t *response;

    json_object_set_new(wish, "context", context);
    if (!cli_has(cli, "QUESTION") && !cli_has(cli, "template")) {
        err_set(err, ERR_INVALID, "`witan ask` needs a question, or --template NAME.");
        return err_hint(err, "For instance: witan ask --approve \"Deploy to production?\".");
    }
    for (size_t i = 0; i < cli->value_count; i++) {
        const char *name = cli->values[i].option->name, *text = cli->values[i].text;

        if (!str_is_utf8(text, strlen(text)))
            return err_field(err, name, "%s is not UTF-8 text.", name);
        if (strcmp(name, "choice") == 0)
            add_choice(wish, text);
        else if (strcmp(name, "context") == 0 && !add_context(cli, context, text, err))
            return false;
    }
    if (!choose_kind(cli, wish, err) || !read_action(cli, wish, err))
        return false;
    if (cli_has(cli, "allow-other"))
        json_object_set_new(wish, "allowOther", json_true());
    if (json_object_size(context) == 0)
        json_object_del(wish, "context");
    if (!fallback)
        return true;
    if (!view_response(cli->arena, wish, fallback, &response, err))
        return false;
    json_object_set_new(wish, "defaultResponse", response);
    return true;
}

static bool send_wish(struct cli *cli, json_t *wish, json_t **made, struct err *err)
{
    const char *job = cli_get(cli, "job");
    struct client_reply reply;

    if (job)
        json_object_set_new(wish, "id", json_string(job));
    if (!ask_send(cli, op_find(job ? "question_ask" : "question_create"), wish, &reply, made, err))
        return invoke_unknown(cli, "job", err);
    return (json_is_string(json_object_get(*made, "questionId")) ||
            err_set(err, ERR_INTERNAL, "The reply of %s holds no question; is it witan?", cli->target.url));
}

/* Somebody said yes to something else than was proposed. */
static bool is_changed(const json_t *question)
{
    return json_is_object(json_object_get(question, "approvedArgs"));
}

/* `wait` has --args; `ask` takes the proposed ones by that name. */
static bool wants_args(const struct cli *cli)
{
    return cli_has(cli, "print-args") || (str_equal(cli->command->name, "wait") && cli_has(cli, "args"));
}

static int print_args(const struct cli *cli, const json_t *question)
{
    const json_t *args = is_changed(question) ? json_object_get(question, "approvedArgs")
                                              : json_object_get(json_object_get(question, "action"), "args");
    const char *text = args ? json_dump_text(cli->arena, args) : "{}";

    return cli_print(arena_format(cli->arena, "%s\n", text), strlen(text) + 1);
}

static int print_answer(const struct cli *cli, const json_t *question)
{
    const char *answer = cli->json ? json_dump_text(cli->arena, question)
                                   : view_answer(cli->arena, json_object_get(question, "response"));

    if (!answer)
        return CLI_OK;
    /* Scripts compare it: nothing in it may reach the terminal as a command. */
    answer = cli->json ? answer : str_sanitise(cli->arena, answer);
    return cli_print(arena_format(cli->arena, "%s\n", answer), strlen(answer) + 1);
}

static void note_outcome(const struct cli *cli, const json_t *question)
{
    const json_t *outcome = json_object_get(question, "outcome");
    const json_t *response = json_object_get(question, "response");
    const char *by = term_line(cli->arena, member_text(cli->arena, outcome, "by"));
    const char *status = member_text(cli->arena, question, "status");
    const char *note = member_text(cli->arena, response, "text");
    const json_t *value = json_object_get(response, "value");

    if (str_equal(status, "timeout"))
        cli_note(cli, "Nobody answered in time.");
    else if (str_equal(status, "cancelled"))
        cli_note(cli, "The question was cancelled by %s.", by);
    else if (str_equal(member_text(cli->arena, outcome, "source"), "default"))
        cli_note(cli, "Nobody answered in time: this is the default.");
    else
        cli_note(cli, "Answered by %s.", by);
    if (note && !json_is_null(value) && value)
        cli_note(cli, "%s: %s", by, term_line(cli->arena, note));
}

/* What a question that has ended prints, and how the program ends. */
static int report_end(const struct cli *cli, const json_t *question)
{
    int code = view_exit(question, cli_has(cli, "require-human"));
    bool shows = cli->json || code == CLI_OK || code == CLI_NO;
    int printed;

    note_outcome(cli, question);
    if (code == CLI_ERROR)
        cli_note(cli, "witan: This answer cannot be read by this version.");
    if (code == CLI_TIMED_OUT && str_equal(member_text(cli->arena, question, "status"), "answered"))
        cli_note(cli, "No person has answered, and --require-human was given.");
    if (code == CLI_OK && is_changed(question)) {
        cli_note(
            cli, "Approved with other arguments than those proposed: %s",
            term_line(cli->arena, json_dump_text(cli->arena, json_object_get(question, "approvedArgs"))));
        code = wants_args(cli) || cli->json ? CLI_OK : CLI_CHANGED;
    }
    if (code == CLI_OK && wants_args(cli) && !cli->json)
        printed = print_args(cli, question);
    else
        printed = shows ? print_answer(cli, question) : CLI_OK;
    return printed ? printed : code;
}

static int leave_interrupted(struct cli *cli, const char *id, bool cancels)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", id);
    JSON_AUTO *done = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!cancels || !interrupted_by_person()) {
        ask_left_open(cli, id);
    } else if (invoke_json(cli, op_find("question_cancel"), params, 0, &reply, &done, &err)) {
        cli_note(cli, "The question was cancelled.");
    } else {
        cli_note(cli, "The question was not cancelled: %s", err.text);
        ask_left_open(cli, id);
    }
    return interrupt_exit();
}

static int wait_and_report(struct cli *cli, const char *id, bool cancels)
{
    JSON_AUTO *question = NULL;
    struct err err = { 0 };

    switch (ask_wait(cli, id, &question, &err)) {
    case ASK_ENDED: return report_end(cli, question);
    case ASK_INTERRUPTED: return leave_interrupted(cli, id, cancels);
    case ASK_FAILED: break;
    }
    if (err.code != ERR_NOT_FOUND)
        ask_left_open(cli, id);
    else
        (void)item_ref_other(cli, id, NULL, &err);
    return cli_fail(cli, &err);
}

/* A non-blocking question goes on with its default at once. What was answered the last time is only told. */
static int go_on(struct cli *cli, const json_t *wish, const json_t *made)
{
    json_t *used = json_object_get(made, "response");
    const json_t *before = json_object_get(json_object_get(made, "preference"), "response");
    const char *answer = view_answer(cli->arena, before);
    JSON_AUTO *question =
        json_pack("{s:O, s:s, s:O, s:O, s:s, s:{s:s, s:s}}", "id", json_object_get(made, "questionId"),
                  "status", "answered", "responseType", json_object_get(wish, "responseType"), "response",
                  used ? used : json_object_get(wish, "defaultResponse"), "respondedBy", "system", "outcome",
                  "source", "default", "by", "system");
    int code, printed;

    cli_note(cli, "Going on with the default; the question stays open.");
    if (answer)
        cli_note(cli, "The last time the answer was: %s", term_line(cli->arena, answer));
    code = view_exit(question, false);
    printed = print_answer(cli, question);
    return printed ? printed : code;
}

/* As JSON the question is named as it is when it has ended, too. */
static int print_id(struct cli *cli, json_t *made, const char *id)
{
    json_object_set(made, "id", json_object_get(made, "questionId"));
    const char *line = cli->json ? json_dump_text(cli->arena, made) : id;

    return cli_print(arena_format(cli->arena, "%s\n", line), strlen(line) + 1);
}

static int run_ask(struct cli *cli)
{
    JSON_AUTO *wish = json_object();
    JSON_AUTO *made = NULL;
    struct err err = { 0 };
    const char *id;

    interrupt_catch();
    if (!invoke_collect(cli, wish, &err) || !read_wish(cli, wish, &err))
        return cli_fail(cli, &err);
    if (!send_wish(cli, wish, &made, &err))
        return ask_not_sent(cli, &err);
    id = term_line(cli->arena, member_text(cli->arena, made, "questionId"));
    if (cli_has(cli, "no-wait"))
        return print_id(cli, made, id);
    cli_note(cli, "Asked: %s/q/%s\nAnswer with `witan answer %s%s`; the page says how else.", cli->target.url,
             id, id,
             str_equal(member_text(cli->arena, wish, "responseType"), "approval") ? " --approve" : "");
    if (goes_on_at_once(member_text(cli->arena, wish, "type")))
        return go_on(cli, wish, made);
    if (!isatty(STDERR_FILENO))
        cli_note(cli, "Waiting until %s.",
                 term_time(cli->arena, member_text(cli->arena, made, "timeoutAt"), clock_now_ms(), cli->utc));
    return wait_and_report(cli, id, !cli_has(cli, "keep"));
}

static int run_wait(struct cli *cli)
{
    struct err err = { 0 };
    const char *id;

    interrupt_catch();
    if (!question_ref_id(cli, cli_get(cli, "ID"), &id, &err))
        return ask_not_sent(cli, &err);
    return wait_and_report(cli, id, cli_has(cli, "cancel"));
}

#define REQUIRE_HUMAN \
    { \
        "require-human", .help = "Only a person's answer counts: a default is exit code 5." \
    }
const struct cli_command ask_commands[] = {
    {
        .name = "ask",
        .op = "question_create",
        .help = "Ask a person and wait for the answer, which is all that is printed on stdout. "
                "Exit code: 0 answered, or yes; 3 no; 5 nobody answered in time; 6 cancelled; 8 server away; 130 Ctrl-C, which cancels the question. "
                "SIGTERM (143), SIGHUP and a lost terminal (129) leave it open and print how to go on waiting.",
        .examples = "witan ask \"Which region?\" --choice eu --choice us\n"
                    "witan ask --approve \"Deploy to production?\" && ./deploy\n"
                    "witan ask --approve \"Drop the old tables?\" --approvals 2\n"
                    "witan ask --approve \"Scale up?\" --action scale --args '{\"to\": 5}'\n"
                    "answer=$(witan ask \"What is the ticket's number?\" --timeout 1h)\n"
                    "witan ask \"Retry the upload?\" --type error_recovery --yes-no --default no --context errorDetails=@log.txt\n"
                    "witan ask --approve \"Deploy 1.4?\" --idempotency-key deploy-1.4   # once, however often started\n"
                    "timeout 60 witan ask \"Which region?\" || echo \"still open\"",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "QUESTION", .param = "question", .flags = CLI_STDIN | CLI_MAY } },
        .options = {
            { "template", "NAME", .param = "template" },
            { "type", "TYPE", .help = "How much hangs on it; blocking unless --approve is given.", .words = question_types },
            { "choice", "TEXT", .help = "An option to choose; give several." },
            { "allow-other", .help = "With --choice: an answer in one's own words counts too." },
            { "yes-no", .help = "The answer is yes or no: exit code 0 or 3." },
            { "approve", .help = "The answer is approved or rejected: exit code 0 or 3." },
            { "approvals", "N", .param = "requiredApprovals" },
            { "to", "USER", .param = "assignedTo" },
            { "timeout", "TIME", .param = "timeoutMinutes", .flags = CLI_MINUTES,
              .help = "How long to wait, such as 15m, 1.5h or 5m30s; from 5m to 24h unless the server is set otherwise." },
            { "action", "NAME", .help = "With --approve: what is to be done, by a name that programs know." },
            { "args", "JSON", .help = "With --action: its arguments, an object. Whoever approves may change them." },
            { "print-args", .help = "Print the arguments that were approved instead of the word. "
                                    "Without it, a yes to others than --args ends with 9." },
            { "default", "TEXT", .help = "The answer when nobody answers in time." },
            { "allow-default-approve", .param = "allowDefaultApprove",
              .help = "Let --default approve what nobody has looked at." },
            { "context", "KEY=VALUE", .help = "What helps to answer; also KEY=@FILE, or @FILE with a JSON object." },
            { "project", "PROJECT", .param = "projectId" },
            { "job", "ID", .help = "The job that asks and waits. Without it one is made for the question." },
            { "agent", "NAME", .param = "agent" },
            { "no-wait", .help = "Print the question's id and leave; `witan wait ID` waits for it." },
            { "idempotency-key", "KEY", .help = "Asking again with the same key and the same words waits for the same question; the key is kept as long as it is open." },
            { "keep", .help = "Ctrl-C leaves the question open instead of cancelling it." },
            REQUIRE_HUMAN,
            PATIENCE_OPTION,
        },
        .run = run_ask,
    },
    {
        .name = "wait",
        .op = "question_get",
        .help = "Wait for the answer to a question that was asked before; prints and ends as `witan ask` does. "
                "A signal leaves the question open; Ctrl-C cancels it if --cancel is given.",
        .examples = "witan wait ID\nwitan wait ID --require-human && ./deploy\nwitan wait 2",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .help = "The question: its id, whole or short, or its number in this terminal." } },
        .options = {
            { "cancel", .help = "Ctrl-C cancels the question." },
            { "args", .help = "Print the arguments that were approved, as JSON, instead of the word. "
                              "Without it, a yes to others than were proposed ends with 9." },
            REQUIRE_HUMAN,
            PATIENCE_OPTION,
        },
        .run = run_wait,
    },
    { 0 },
};
