/*
 * Waiting for a prompt survives a restart of the server: the prompt is a row, so the same look is repeated
 * until it has ended.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/client/ask_wait.h"
#include "cli/client/interrupt.h"
#include "cli/client/invoke.h"
#include "cli/client/item_ref.h"
#include "cli/client/patience.h"
#include "cli/client/resume.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

#include <inttypes.h>
#include <string.h>

#define PAUSE_MS 1000

static int exit_of_status(const char *status)
{
    if (str_equal(status, "timed_out"))
        return CLI_TIMED_OUT;
    if (str_equal(status, "cancelled"))
        return CLI_CANCELLED;
    return CLI_OK;
}

static int print_term(struct buf *text)
{
    return cli_print(text->bytes ? text->bytes : "", text->len);
}

/* Who said what, oldest first. */
static void write_replies(struct term *term, const json_t *replies)
{
    const json_t *reply;
    size_t index;

    json_array_foreach(replies, index, reply)
    {
        const char *agent = term_line(term->arena, member_text(term->arena, reply, "agent"));

        term_paint(term, TERM_BOLD, agent);
        if (json_is_true(json_object_get(reply, "is_human")))
            term_paint(term, TERM_DIM, " (a person)");
        buf_text(term->out, ":\n");
        term_block(term, "  ", member_text(term->arena, reply, "message"));
    }
}

static int print_replies(const struct cli *cli, const json_t *state)
{
    BUF_AUTO text = { 0 };
    struct term term;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    write_replies(&term, json_object_get(state, "collectedContext"));
    return print_term(&text);
}

/*
 * Asks again until the prompt has ended, or a signal comes. A server that restarts meanwhile is waited for:
 * the prompt is a row, and still there when it is back.
 */
static bool wait_for_end(struct cli *cli, const char *id, struct client_reply *reply, json_t **state,
                         struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", id);
    bool ended = false;

    cli->pulse = interrupt_pulse;
    while (!ended && !interrupted()) {
        int64_t began_ms = clock_ticks_ms();

        json_decref(*state);
        *state = NULL;
        if (!invoke_json(cli, op_find("prompt_get"), params, WAIT_SECONDS_MAX, reply, state, err))
            break;
        ended = json_is_true(json_object_get(*state, "terminal"));
        /* A server that is about to stop does not hold waits; it is not asked without a pause. */
        if (!ended && clock_ticks_ms() - began_ms < PAUSE_MS)
            interrupt_pause(PAUSE_MS);
    }
    cli->pulse = NULL;
    return ended;
}

/* A prompt belongs to all who were asked: a signal ends the waiting, never the prompt. */
static int left_open(struct cli *cli, const char *id, const struct err *err)
{
    if (interrupted() || err->code != ERR_NOT_FOUND)
        cli_note(cli, "The prompt stays open; wait for it again with:\n  %s\nor end it with:\n  %s",
                 resume_command(cli, arena_format(cli->arena, "prompt show %s --wait", id)),
                 resume_command(cli, arena_format(cli->arena, "prompt cancel %s", id)));
    return interrupted() ? interrupt_exit() : cli_fail(cli, err);
}

static int wait_and_print(struct cli *cli, const char *id, int (*print)(const struct cli *, const json_t *))
{
    JSON_AUTO *state = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    const char *status;
    int code;

    if (!wait_for_end(cli, id, &reply, &state, &err))
        return left_open(cli, id, &err);
    status = json_string_value(json_object_get(state, "status"));
    code = cli->json ? invoke_print(cli, &reply, false) : print(cli, state);
    if (code == CLI_OK && exit_of_status(status) != CLI_OK)
        cli_note(cli, "The prompt %s.", str_equal(status, "cancelled") ? "was cancelled" : "timed out");
    return code ? code : exit_of_status(status);
}

static int run_ask(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    const json_t *prompt;
    const char *id;

    if (!invoke_collect(cli, params, &err))
        return cli_fail(cli, &err);
    if (cli_has(cli, "wait"))
        interrupt_catch();
    if (!ask_send(cli, cli->op, params, &reply, &made, &err))
        return ask_not_sent(cli, &err);
    prompt = json_object_get(made, "prompt");
    id = term_line(cli->arena, member_text(cli->arena, prompt, "id"));
    cli_note(cli, "Asked. Ends with %" PRId64 " %s or after %" PRId64 " minutes.%s",
             member_int(prompt, "required_responses"),
             member_int(prompt, "required_responses") == 1 ? "reply" : "replies",
             member_int(prompt, "timeout_minutes"), cli_has(cli, "wait") ? " Waiting." : "");
    if (cli_has(cli, "wait")) {
        cli_note(cli, "Prompt %s", id);
        return wait_and_print(cli, id, print_replies);
    }
    if (cli->json)
        return invoke_print(cli, &reply, false);
    return cli_print_line(cli, id);
}

/* All pages with --all, else the first. */
static bool read_list(struct cli *cli, json_t *params, json_t *prompts, struct client_reply *reply,
                      struct err *err)
{
    const json_t *cursor;

    do {
        JSON_AUTO *page = NULL;

        if (!invoke_json(cli, cli->op, params, 0, reply, &page, err))
            return false;
        json_array_extend(prompts, json_object_get(page, "prompts"));
        cursor = json_object_get(page, "nextCursor");
        if (!json_is_string(cursor))
            break;
        json_object_set_new(params, "cursor", json_string(json_string_value(cursor)));
    } while (cli_has(cli, "all"));
    return true;
}

static void write_list(const struct cli *cli, const json_t *prompts, struct buf *into)
{
    struct term term;
    struct term_table table;
    const json_t *prompt;
    size_t index;

    term_init(&term, cli->arena, into, cli->colour);
    term_table_init(&table, &term, 6, (const char *[]){ "ID", "STATUS", "REPLIES", "ASKED", "BY", "PROMPT" });
    json_array_foreach(prompts, index, prompt)
    {
        const char *count = member_text(cli->arena, prompt, "response_count");

        term_table_row(
            &table, (const char *[]){
                        member_text(cli->arena, prompt, "id"), member_text(cli->arena, prompt, "status"),
                        arena_format(cli->arena, "%s/%" PRId64, count ? count : "?",
                                     member_int(prompt, "required_responses")),
                        term_when(cli->arena, member_text(cli->arena, prompt, "created_at"), clock_now_ms()),
                        member_text(cli->arena, prompt, "requester_agent"),
                        member_text(cli->arena, prompt, "prompt_message") });
    }
    term_table_end(&table);
}

static int print_all_json(const json_t *prompts)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_value(&out, "prompts", prompts);
    json_none(&out, "nextCursor");
    json_map_end(&out);
    buf_char(&text, '\n');
    return print_term(&text);
}

static int run_list(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *prompts = json_array();
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !read_list(cli, params, prompts, &reply, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return cli_has(cli, "all") ? print_all_json(prompts) : invoke_print(cli, &reply, false);
    if (json_array_size(prompts) == 0) {
        cli_note(cli, "There are no such prompts.");
        return CLI_OK;
    }
    buf_init(&text, 0);
    write_list(cli, prompts, &text);
    return print_term(&text);
}

static void write_outcome(struct term *term, const json_t *state)
{
    const json_t *outcome = json_object_get(state, "outcome");
    const char *by = member_text(term->arena, outcome, "by");

    if (!json_is_object(outcome))
        return;
    buf_format(term->out, "  ended by %s",
               term_line(term->arena, member_text(term->arena, outcome, "source")));
    if (by)
        buf_format(term->out, " (%s)", term_line(term->arena, by));
}

static int print_state(const struct cli *cli, const json_t *state)
{
    BUF_AUTO text = { 0 };
    const json_t *prompt = json_object_get(state, "prompt");
    const char *status = term_line(cli->arena, member_text(cli->arena, state, "status"));
    struct term term;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    term_paint(&term, term_status(status), status);
    buf_format(&text, "  %" PRId64 " of %" PRId64 " replies", member_int(state, "responseCount"),
               member_int(state, "requiredResponses"));
    if (!json_is_true(json_object_get(state, "terminal")))
        buf_format(&text, "  ends %s",
                   term_when(cli->arena, member_text(cli->arena, state, "timeoutAt"), clock_now_ms()));
    write_outcome(&term, state);
    buf_text(&text, "\n");
    term_paint(&term, TERM_BOLD, term_line(cli->arena, member_text(cli->arena, prompt, "requester_agent")));
    buf_text(&text, " asks:\n");
    term_block(&term, "  ", member_text(cli->arena, prompt, "prompt_message"));
    write_replies(&term, json_object_get(state, "collectedContext"));
    return print_term(&text);
}

/* An id of something else than a prompt says so. */
static int no_prompt(struct cli *cli, struct err *err)
{
    (void)item_ref_other(cli, cli_get(cli, "ID"), "prompt", err);
    return cli_fail(cli, err);
}

static int run_show(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *state = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!item_ref_argument(cli, "ID", &err))
        return cli_fail(cli, &err);
    if (cli_has(cli, "wait")) {
        interrupt_catch();
        return wait_and_print(cli, term_line(cli->arena, cli_get(cli, "ID")), print_state);
    }
    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &state, &err))
        return no_prompt(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : print_state(cli, state);
}

/* An answer to something that has ended came too late, which scripts want to tell from a wrong call. */
static bool has_ended(struct cli *cli, const json_t *params)
{
    JSON_AUTO *state = NULL;
    struct client_reply reply;
    struct err ignored = { 0 };

    return invoke_json(cli, op_find("prompt_get"), params, 0, &reply, &state, &ignored) &&
           json_is_true(json_object_get(state, "terminal"));
}

static int run_answer(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    const json_t *prompt;

    if (!item_ref_argument(cli, "ID", &err) || !invoke_collect(cli, params, &err))
        return cli_fail(cli, &err);
    if (!invoke_json(cli, cli->op, params, 0, &reply, &made, &err)) {
        int code = no_prompt(cli, &err);

        return err.code == ERR_INVALID && has_ended(cli, params) ? CLI_CONFLICT : code;
    }
    if (cli->json)
        return invoke_print(cli, &reply, false);
    prompt = json_object_get(made, "prompt");
    cli_note(cli, "Answered. The prompt is %s.",
             term_line(cli->arena, member_text(cli->arena, prompt, "status")));
    return CLI_OK;
}

/* `prompt resolve` and `prompt cancel` are one operation with an action. */
static int end_prompt(struct cli *cli, const char *action)
{
    JSON_AUTO *params = json_pack("{s:s}", "action", action);
    JSON_AUTO *ended = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!item_ref_argument(cli, "ID", &err) || !invoke_collect(cli, params, &err))
        return cli_fail(cli, &err);
    if (!invoke_json(cli, cli->op, params, 0, &reply, &ended, &err))
        return no_prompt(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    return print_replies(cli, ended);
}

static int run_resolve(struct cli *cli)
{
    return end_prompt(cli, "resolve");
}

static int run_cancel(struct cli *cli)
{
    return end_prompt(cli, "cancel");
}

#define PROMPT_ID \
    { \
        "ID", .param = "id", .help = "The prompt: its id, whole or short, or its number in this terminal." \
    }

const struct cli_command prompt_commands[] = {
    {
        .name = "prompt ask",
        .op = "prompt_create",
        .help = "Ask the other agents. Prints the prompt's id or, with --wait, the replies.",
        .examples = "witan prompt ask \"Cache or index first?\" --agent Planner\n"
                    "witan prompt ask \"Cache or index first?\" --agent Planner --responses 3 --timeout 10m --wait\n"
                    "git diff | witan prompt ask - --agent Builder --wait --json",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "TEXT", .param = "prompt_message", .flags = CLI_STDIN } },
        .options = {
            { "agent", "NAME", .param = "requester_agent", .flags = CLI_MUST },
            { "responses", "N", .param = "required_responses" },
            { "timeout", "TIME", .param = "timeout_minutes", .help = "How long to collect, such as 30m or 2h.",
              .flags = CLI_MINUTES },
            { "task", "ID", .param = "task_id" },
            { "count-all", .param = "count_all" },
            { "wait", .help = "Wait until it has ended: exit code 0 resolved, 5 timed out, 6 cancelled; a signal leaves it open and prints how to go on waiting." },
            PATIENCE_OPTION,
            { "idempotency-key", "KEY", .help = "Asking again with the same key waits for the same prompt." },
        },
        .run = run_ask,
    },
    {
        .name = "prompt list",
        .op = "prompt_list",
        .examples = "witan prompt list --agent Builder\nwitan prompt list --status resolved --all --json",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "agent", "NAME", .param = "agent" },
            { "status", "STATUS", .param = "status" },
            { "task", "ID", .param = "task_id" },
            { "include-answered", .param = "include_answered" },
            { "limit", "N", .param = "limit" },
            { "all", .help = "All pages, not only the first." },
        },
        .run = run_list,
    },
    {
        .name = "prompt show",
        .op = "prompt_get",
        .examples = "witan prompt show ID\nwitan prompt show ID --wait",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { PROMPT_ID },
        .options = {
            { "wait", .help = "Wait until it has ended: exit code 0 resolved, 5 timed out, 6 cancelled; a signal leaves it open and prints how to go on waiting." },
            PATIENCE_OPTION,
        },
        .run = run_show,
    },
    {
        .name = "prompt answer",
        .op = "prompt_respond",
        .examples = "witan prompt answer ID \"Mind the cache.\" --agent Builder\n"
                    "witan prompt answer ID - --agent Ada --human <answer.txt",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { PROMPT_ID, { "TEXT", .param = "message", .flags = CLI_STDIN } },
        .options = {
            { "agent", "NAME", .param = "agent_name", .flags = CLI_MUST },
            { "human", .param = "is_human" },
            { "idempotency-key", "KEY", .help = "Repeating with the same key answers once." },
        },
        .run = run_answer,
    },
    {
        .name = "prompt resolve",
        .op = "prompt_close",
        .help = "End a prompt with the replies it has.",
        .examples = "witan prompt resolve ID",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { PROMPT_ID },
        .run = run_resolve,
    },
    {
        .name = "prompt cancel",
        .op = "prompt_close",
        .help = "End a prompt because nobody needs it any more.",
        .examples = "witan prompt cancel ID",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { PROMPT_ID },
        .run = run_cancel,
    },
    { 0 },
};
