/*
 * `witan discuss`: a discussion from its topic to its end, and what can be done to one meanwhile.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/client/council_call.h"
#include "cli/client/discussion_follow.h"
#include "cli/client/discussion_pages.h"
#include "cli/client/discussion_wish.h"
#include "cli/client/interrupt.h"
#include "cli/client/outcome_view.h"
#include "cli/client/patience.h"
#include "cli/client/project_scope.h"
#include "cli/client/rehearsal.h"
#include "cli/client/replay_view.h"
#include "cli/client/resume.h"
#include "cli/client/usage_view.h"
#include "cli/commands/tables.h"
#include "cli/term.h"
#include "core/council/rules/ending.h"
#include "core/council/rules/vote.h"

#include <stdio.h>
#include <string.h>

/* discuss */

static int print_text(const char *text)
{
    return cli_print(text, strlen(text));
}

/* What was asked for beside the turns themselves. */
static int print_document(struct cli *cli, const char *id, const json_t *state)
{
    const char *format = cli_get(cli, "format"), *text;
    struct err err = { 0 };

    if (cli->json)
        return print_text(arena_format(cli->arena, "%s\n", json_dump_text(cli->arena, state)));
    if (!format)
        return CLI_OK;
    if (!council_transcript(cli, id, format, &text, &err))
        return cli_fail(cli, &err);
    return str_equal(format, "json") ? print_text(text) : cli_print_text(cli, text);
}

/* A person's turn: how to take it, and how to leave it out. */
static void say_your_turn(struct cli *cli, const char *id)
{
    const char *speaker = NULL, *person;
    struct err ignored = { 0 };

    if (!council_speaker(cli, &speaker, &ignored))
        speaker = NULL;
    person = speaker ? arena_format(cli->arena, " userId=%s", speaker) : "";
    cli_note(cli, "  %s",
             resume_command(
                 cli, arena_format(cli->arena, "call discussion_message id=%s%s message='...'", id, person)));
    cli_note(cli, "Or leave the turn out:");
}

static int say_resting(struct cli *cli, const char *id, const json_t *state)
{
    const char *who = json_string_value(json_object_get(state, "nextSpeaker"));
    const char *status = json_string_value(json_object_get(json_object_get(state, "discussion"), "status"));
    bool paused = status && strcmp(status, "paused") == 0;

    if (paused)
        cli_note(cli, "It is paused; go on with:");
    else
        cli_note(cli, "It rests%s%s; go on with:", who ? ", and it is the turn of " : "",
                 who ? term_line(cli->arena, who) : "");
    if (!paused && who)
        say_your_turn(cli, id);
    cli_note(cli, "  %s",
             resume_command(cli, arena_format(cli->arena, "discuss %s %s", paused ? "resume" : "next", id)));
    return CLI_OK;
}

/* A council that was asked for an answer may come to none. */
static void say_answered(struct cli *cli, const json_t *state)
{
    const json_t *answered = json_object_get(json_object_get(state, "result"), "answered");
    const char *kind = json_string_value(json_object_get(answered, "kind"));

    if (!kind)
        return;
    if (json_is_true(json_object_get(answered, "posted")))
        cli_note(cli, "The %s has the council's answer.", kind);
    else
        cli_note(cli,
                 "The %s was not answered: it has ended, or the council came to nothing that answers it.",
                 kind);
}

/* A person at the keyboard stops it; a machine that tidies up leaves it going. */
static int leave(struct cli *cli, const char *id)
{
    int code = interrupt_exit();

    if (interrupted_by_person())
        council_stop(cli, id);
    else
        cli_note(cli, "It goes on; see it with:\n  %s",
                 resume_command(cli, arena_format(cli->arena, "discuss show %s --follow", id)));
    return code;
}

static int watch(struct cli *cli, const char *id, bool ours)
{
    struct discussion_view view;
    JSON_AUTO *state = NULL;
    struct err err = { 0 };
    int code;

    interrupt_catch();
    view_open(&view, cli, cli_has(cli, "format") || cli->json ? stderr : stdout);
    if (ours && cli_has(cli, "rehearse"))
        cli_note(cli, REHEARSAL_NOTICE);
    switch (discussion_follow(cli, id, &view, &state, &err)) {
    case FOLLOW_ENDED: code = discussion_exit(state); break;
    case FOLLOW_RESTS: code = say_resting(cli, id, state); break;
    case FOLLOW_INTERRUPTED: code = ours ? leave(cli, id) : interrupt_exit(); break;
    default: code = cli_fail(cli, &err); break;
    }
    view_close(&view);
    if (interrupted() || err.code != ERR_NONE)
        return code;
    say_answered(cli, state);
    council_say_no_model(cli, state);
    int printed = print_document(cli, id, state);

    return printed == CLI_OK ? code : printed;
}

/* Of one that is left to itself; --json has it where it also stands in the whole. */
static int print_id(const struct cli *cli, const char *id)
{
    return print_text(
        arena_format(cli->arena, cli->json ? "{\"discussion\":{\"id\":\"%s\"}}\n" : "%s\n", id));
}

static int discuss(struct cli *cli)
{
    JSON_AUTO *wish = json_object();
    struct err err = { 0 };
    const char *id;

    if (!discussion_wish(cli, wish, &err) || !council_start(cli, wish, &id, &err))
        return interrupted() ? interrupt_exit() : council_refused(cli, &err);
    if (cli_has(cli, "no-wait") && cli_has(cli, "rehearse"))
        cli_note(cli, REHEARSAL_NOTICE);
    if (cli_has(cli, "no-wait"))
        return print_id(cli, id);
    cli_note(cli, "Discussion %s", id);
    return watch(cli, id, true);
}

static int run_discuss(struct cli *cli)
{
    struct cli_rehearsal rehearsal = { 0 };
    struct err err = { 0 };
    int code;

    /* A rehearsal needs nothing, not even a server. */
    if (cli_has(cli, "rehearse") && !rehearsal_open(cli, &rehearsal, &err))
        return cli_fail(cli, &err);
    if (rehearsal.pid > 0 && cli_has(cli, "no-wait")) {
        err_field(&err, "no-wait", "--no-wait needs a server that goes on: no server runs at the moment.");
        err_hint(&err, "Start one with `witan serve`, or leave --no-wait out.");
        code = cli_fail(cli, &err);
    } else {
        code = discuss(cli);
    }
    rehearsal_close(cli, &rehearsal);
    return code;
}

/* discuss list, show */

static int run_list(struct cli *cli)
{
    static const char *const heads[] = { "ID", "STATUS", "MODE", "ROUND", "AGE", "TOPIC" };
    JSON_AUTO *params = json_object();
    JSON_AUTO *list = NULL;
    BUF_AUTO text = { 0 };
    struct err err = { 0 };
    struct term_table table;
    struct term term;
    const json_t *one;
    size_t i;

    if (!invoke_collect(cli, params, &err) || !scope_list(cli, cli->op, params, "discussions", &list, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return scope_print(cli, list);
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    term_table_init(&table, &term, 6, heads);
    json_array_foreach(json_object_get(list, "discussions"), i, one)
    {
        const char *topic = member_text(cli->arena, one, "topic");
        bool rehearsed = json_is_true(json_object_get(json_object_get(one, "options"), "rehearse"));

        term_table_row(&table,
                       (const char *[]){
                           member_text(cli->arena, one, "id"), member_text(cli->arena, one, "status"),
                           member_text(cli->arena, one, "mode"),
                           arena_format(cli->arena, "%lld/%lld", (long long)member_int(one, "round"),
                                        (long long)member_int(one, "rounds")),
                           term_when(cli->arena, member_text(cli->arena, one, "createdAt"), clock_now_ms()),
                           rehearsed ? arena_format(cli->arena, "%s (rehearsal)", topic) : topic });
    }
    term_table_end(&table);
    if (json_array_size(json_object_get(list, "discussions")) == 0) {
        cli_note(cli, "There are no such discussions.");
        return CLI_OK;
    }
    return cli_print(text.bytes, text.len);
}

static int run_show(struct cli *cli)
{
    const char *id = cli_get(cli, "ID");
    JSON_AUTO *params = json_pack("{s:s}", "id", id);
    JSON_AUTO *state = NULL;
    struct discussion_view view;
    struct client_reply reply;
    struct err err = { 0 };
    const json_t *entry;
    size_t i;

    if (cli_has(cli, "follow"))
        return watch(cli, id, false);
    if (!invoke_json(cli, op_find("discussion_get"), params, 0, &reply, &state, &err) ||
        !discussion_pages(cli, id, state, &err))
        return cli_fail(cli, &err);
    if (cli->json || cli_has(cli, "format")) {
        if (view_is_rehearsed(json_object_get(state, "entries")))
            cli_note(cli, REHEARSAL_NOTICE);
        return print_document(cli, id, state);
    }
    view_open(&view, cli, stdout);
    view_about(&view, state);
    cli_note(cli, "%s",
             term_line(cli->arena, member_text(cli->arena, json_object_get(state, "discussion"), "topic")));
    json_array_foreach(json_object_get(state, "entries"), i, entry) view_entry(&view, entry);
    view_end(&view, state);
    view_close(&view);
    usage_show(cli, id);
    return CLI_OK;
}

/* discuss pause, resume, cancel, next, interject */

static int run_deed(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *state = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &state, &err))
        return cli_fail(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : CLI_OK;
}

/* discuss fork, replay */

static int run_fork(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    const char *id;

    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &made, &err))
        return council_refused(cli, &err);
    id = member_text(cli->arena, json_object_get(made, "discussion"), "id");
    if (cli_has(cli, "no-wait"))
        return print_id(cli, id);
    cli_note(cli, "Discussion %s", id);
    return watch(cli, id, true);
}

static const char *difference_line(struct arena *arena, const json_t *difference)
{
    return term_line(arena, json_string_value(difference));
}

static int run_replay(struct cli *cli)
{
    static const struct replay_view view = { "agrees", "no model was called", difference_line };

    return replay_show(cli, &view);
}

/* discuss votes */

static int run_votes(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *votes = NULL;
    BUF_AUTO text = { 0 };
    struct client_reply reply;
    struct err err = { 0 };
    struct term term;
    const json_t *count;
    size_t i;

    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &votes, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    if (json_array_size(json_object_get(votes, "ballots")) == 0) {
        cli_note(cli, "It has not voted.");
        return CLI_NO;
    }
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    outcome_ballots(&term, json_object_get(votes, "ballots"));
    json_array_foreach(json_object_get(votes, "counts"), i, count)
    {
        outcome_vote(count, false, &text);
    }
    return cli_print(text.bytes, text.len);
}

static const char *const thresholds[] = { "all", "majority", "0.75", NULL };

#define DISCUSSION_ARG \
    { \
        "ID", .param = "id" \
    }
#define FORMAT_OPTION \
    { \
        "format", "FORMAT", \
            .help = "The whole of it on stdout at the end, and the turns on stderr meanwhile.", \
            .word_at = council_format_at \
    }

const struct cli_command discuss_commands[] = {
    {
        .name = "discuss",
        .op = "discussion_create",
        .help = "Have agents discuss a topic, and show what they say as they say it. "
                "Without --agents these are Divergent, Convergent and Critical, who are made if they do not exist. "
                "Ctrl-C stops the discussion.",
        .examples = "witan discuss --rehearse \"Microservices or a monolith?\"\n"
                    "witan discuss \"Microservices or a monolith?\" --rounds 2\n"
                    "witan discuss \"Which database?\" --agents Builder,Reviewer --vote sqlite,postgres\n"
                    "witan discuss \"Which database?\" --agents user,Builder,Reviewer\n"
                    "witan discuss \"What can go wrong?\" --mode parallel --budget calls=12,seconds=120 --format md >talk.md\n"
                    "witan discuss \"Shall we?\" --for 01890a5d-ac96-774b-bcce-b302099a8057",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "TOPIC", .param = "topic", .flags = CLI_STDIN } },
        .options = {
            { "rounds", "N", .param = "rounds" },
            { "mode", "MODE", .param = "mode" },
            { "agents", "A,B,C", .help = "Who speaks, in this order, by name; user, or user:NAME, is a person." },
            { "vote", "CHOICE,...", .help = "Let them vote on these in the end." },
            { "rule", "RULE", .help = "How votes are counted.", .words = vote_rules },
            { "threshold", "SHARE", .help = "When a vote counts as agreement.", .flags = CLI_OTHER, .words = thresholds },
            { "smart", "WHEN", .help = "Stop early when they agree or nothing new is said.", .words = smart_modes },
            { "budget", "LIMITS", .help = "At most so much: calls=N,tokens=N,seconds=N." },
            { "for", "ID", .help = "A prompt or question that the result answers, as the council's reply." },
            { "project", "PROJECT", .help = "The project it belongs to: its id or name." },
            { "rehearse", .help = "With scripted lines instead of models; without a server, on a store that is thrown away." },
            FORMAT_OPTION,
            { "no-wait", .help = "Print the id and leave it to itself." },
            PATIENCE_OPTION,
        },
        .run = run_discuss,
    },
    {
        .name = "discuss list",
        .op = "discussion_list",
        .examples = "witan discuss list\nwitan discuss list --status active",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "status", "STATUS", .param = "status" },
            { "mode", "MODE", .param = "mode" },
            { "project", "PROJECT", .param = "projectId" },
            { "session", "ID", .param = "sessionId" },
            { "limit", "N", .param = "limit" },
            { "all", .help = "All pages." },
        },
        .run = run_list,
    },
    {
        .name = "discuss show",
        .op = "discussion_get",
        .help = "Show what was said in a discussion.",
        .examples = "witan discuss show 01890a5d-ac96-774b-bcce-b302099a8057\n"
                    "witan discuss show 01890a5d-ac96-774b-bcce-b302099a8057 --format transcript\n"
                    "witan discuss show 01890a5d-ac96-774b-bcce-b302099a8057 --follow",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { DISCUSSION_ARG },
        .options = {
            FORMAT_OPTION,
            { "follow", .help = "Go on with what is said from now on, until it ends." },
            PATIENCE_OPTION,
        },
        .run = run_show,
    },
    {
        .name = "discuss pause",
        .op = "discussion_pause",
        .examples = "witan discuss pause 01890a5d-ac96-774b-bcce-b302099a8057",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { DISCUSSION_ARG },
        .run = run_deed,
    },
    {
        .name = "discuss resume",
        .op = "discussion_resume",
        .examples = "witan discuss resume 01890a5d-ac96-774b-bcce-b302099a8057",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { DISCUSSION_ARG },
        .run = run_deed,
    },
    {
        .name = "discuss cancel",
        .op = "discussion_cancel",
        .examples = "witan discuss cancel 01890a5d-ac96-774b-bcce-b302099a8057",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { DISCUSSION_ARG },
        .run = run_deed,
    },
    {
        .name = "discuss next",
        .op = "discussion_next",
        .examples = "witan discuss next 01890a5d-ac96-774b-bcce-b302099a8057",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { DISCUSSION_ARG },
        .run = run_deed,
    },
    {
        .name = "discuss interject",
        .op = "discussion_interject",
        .examples = "witan discuss interject 01890a5d-ac96-774b-bcce-b302099a8057 \"The budget is fixed.\"\n"
                    "witan discuss interject 01890a5d-ac96-774b-bcce-b302099a8057 \"Stop there.\" --when now --by Builder",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { DISCUSSION_ARG, { "TEXT", .param = "content", .flags = CLI_STDIN } },
        .options = {
            { "by", "AGENT", .param = "by" },
            { "when", "WHEN", .param = "when" },
        },
        .run = run_deed,
    },
    {
        .name = "discuss fork",
        .op = "discussion_fork",
        .examples = "witan discuss fork 01890a5d-ac96-774b-bcce-b302099a8057 --at 4",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { DISCUSSION_ARG },
        .options = {
            { "at", "TURN", .param = "at", .flags = CLI_MUST },
            FORMAT_OPTION,
            { "no-wait", .help = "Print the id and leave it to itself." },
            PATIENCE_OPTION,
        },
        .run = run_fork,
    },
    {
        .name = "discuss replay",
        .op = "discussion_replay",
        .help = "Make every decision of a discussion again, from its log alone, and compare. "
                "No model is called. Exit code 3 when something differs.",
        .examples = "witan discuss replay 01890a5d-ac96-774b-bcce-b302099a8057",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { DISCUSSION_ARG },
        .run = run_replay,
    },
    {
        .name = "discuss votes",
        .op = "discussion_votes",
        .help = "Show the ballots of a discussion's last vote, and how they come out under every rule. "
                "Exit code 3 when it has not voted.",
        .examples = "witan discuss votes 01890a5d-ac96-774b-bcce-b302099a8057",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { DISCUSSION_ARG },
        .run = run_votes,
    },
    { 0 },
};
