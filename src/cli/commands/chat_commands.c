#include "base/clock.h"
#include "base/str.h"
#include "cli/client/invoke.h"
#include "cli/commands/tables.h"
#include "cli/term.h"
#include "ops/event_type.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECONNECT_S 1

static int run_chat_post(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err))
        return cli_fail(cli, &err);
    /* Somebody who types this without naming an agent is a person. */
    if (!cli_has(cli, "agent")) {
        const char *user = getenv("USER");

        json_object_set_new(params, "agent_name", json_string(user && *user ? user : "me"));
        json_object_set_new(params, "is_human", json_true());
    }
    if (!invoke_json(cli, cli->op, params, 0, &reply, &made, &err))
        return cli_fail(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : CLI_OK;
}

struct chat_watch {
    struct cli *cli;
    char last_id[64];
    int code;
};

/* "12:00:01  prompt.created  Builder  text", with whatever of it the event has. */
static void write_event(struct term *term, const json_t *event, bool utc)
{
    static const char *const who[] = { "agent_name", "agent", "requester_agent", "by", NULL };
    static const char *const what[] = { "message", "prompt_message", "text", "status", "id", NULL };
    const char *at = member_text(term->arena, event, "at");
    const char *found = NULL;

    buf_format(term->out, "%s  ", term_time(term->arena, at, clock_now_ms(), utc));
    term_paint(
        term, TERM_BLUE,
        arena_format(term->arena, "%-18s", term_line(term->arena, member_text(term->arena, event, "type"))));
    for (size_t i = 0; who[i] && !found; i++)
        found = member_text(term->arena, event, who[i]);
    if (found) {
        buf_text(term->out, "  ");
        term_paint(term, TERM_BOLD, term_line(term->arena, found));
    }
    found = NULL;
    for (size_t i = 0; what[i] && !found; i++)
        found = member_text(term->arena, event, what[i]);
    if (found)
        buf_format(term->out, "  %s", term_line(term->arena, found));
    buf_char(term->out, '\n');
}

static const json_t *inner_of(const json_t *event)
{
    static const char *const names[] = { "message", "prompt", "response", NULL };

    for (size_t i = 0; names[i]; i++)
        if (json_is_object(json_object_get(event, names[i])))
            return json_object_get(event, names[i]);
    return NULL;
}

/* As over a WebSocket: with its number in the log first. */
static void write_numbered(struct buf *into, const char *id, const char *data)
{
    int64_t number;

    if (str_to_int(id, &number) && number > 0 && str_starts(data, "{\""))
        buf_format(into, "{\"seq\":%" PRId64 ",%s\n", number, data + 1);
    else
        buf_format(into, "%s\n", data);
}

static bool take_event(void *user, const char *id, const char *data)
{
    struct chat_watch *watch = user;
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    JSON_AUTO *event = NULL;
    struct err ignored = { 0 };
    struct term term;

    /* The server's own words have no number: the last one stands. */
    bool numbered = *id && strcmp(id, watch->last_id) != 0;

    if (numbered)
        snprintf(watch->last_id, sizeof(watch->last_id), "%s", id);
    buf_init(&text, 0);
    if (watch->cli->json) {
        write_numbered(&text, numbered ? id : "", data);
    } else if (json_parse(data, strlen(data), &event, &ignored)) {
        const json_t *inner = inner_of(event);

        if (inner)
            json_object_update_missing(event, (json_t *)inner);
        term_init(&term, &arena, &text, watch->cli->colour);
        write_event(&term, event, watch->cli->utc);
    }
    watch->code = cli_print(text.bytes ? text.bytes : "", text.len);
    return watch->code == CLI_OK;
}

static const char *events_path(struct cli *cli)
{
    static const char *const filters[][2] = {
        { "types", "types" },
        { "project", "projectId" },
        { "job", "jobId" },
        { "discussion", "discussionId" },
    };
    const char *path = "/api/events";
    char mark = '?';

    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
        const char *value = cli_get(cli, filters[i][0]);

        if (!value)
            continue;
        path = arena_format(cli->arena, "%s%c%s=%s", path, mark, filters[i][1],
                            str_url_encode(cli->arena, value));
        mark = '&';
    }
    return path;
}

/* Nothing would ever be heard of what is not there. */
static bool check_subjects(struct cli *cli, struct err *err)
{
    static const char *const subjects[][2] = { { "job", "job_get" }, { "discussion", "discussion_get" } };

    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
        const char *id = cli_get(cli, subjects[i][0]);
        JSON_AUTO *params = json_pack("{s:s*}", "id", id);
        JSON_AUTO *found = NULL;
        struct client_reply reply;

        if (id && !invoke_json(cli, op_find(subjects[i][1]), params, 0, &reply, &found, err))
            return invoke_unknown(cli, subjects[i][0], err);
    }
    return true;
}

/* Follows for ever: when the server comes back, from where it was. */
static int run_events(struct cli *cli)
{
    const char *after = cli_get(cli, "after");
    struct chat_watch watch = { .cli = cli };
    struct err err = { 0 };
    bool ever = false;

    if (!check_subjects(cli, &err))
        return cli_fail(cli, &err);
    snprintf(watch.last_id, sizeof(watch.last_id), "%s", after ? after : "");
    for (;;) {
        struct client_stream stream = {
            .path = events_path(cli),
            .last_id = watch.last_id[0] ? watch.last_id : NULL,
            .take = take_event,
            .user = &watch,
        };
        bool there = client_follow(cli, &stream, &err);

        if (watch.code)
            return watch.code;
        if (there && stream.refusal.status >= 400 && stream.refusal.status != 503) {
            client_error(cli, &stream.refusal, &err);
            return cli_fail(cli, &err);
        }
        ever |= stream.answered;
        if (!ever)
            return cli_fail(cli, &err);
        if (stream.answered)
            cli_note(cli, "The stream ended; connecting again.");
        sleep(RECONNECT_S);
    }
}

/* Those that a stream can be filtered by. */
static const char *type_at(size_t at)
{
    for (enum event_type type = 1; type < EVENT_TYPE_END; type++)
        if (!event_type_spec(type)->word && at-- == 0)
            return event_type_word(type);
    return NULL;
}

const struct cli_command chat_commands[] = {
    {
        .name = "chat-post",
        .op = "chat_post",
        .help = "Say something in the squad chat.",
        .examples = "witan chat-post \"Deploying now.\" --agent Builder\n"
                    "make test 2>&1 | tail -5 | witan chat-post - --agent CI",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "MESSAGE", .param = "message", .flags = CLI_STDIN } },
        .options = {
            { "agent", "NAME", .param = "agent_name",
              .help = "Who says it. Without it: you, as a person, by the name of your login." },
            { "task", "ID", .param = "task_ref" },
            { "idempotency-key", "KEY", .help = "Repeating with the same key posts once." },
        },
        .run = run_chat_post,
    },
    {
        .name = "events",
        .help = "Follow what happens, one line for each event; with --json as JSON lines, each with its number `seq`.",
        .examples = "witan events\nwitan events --types prompt.created,prompt.ended --json\nwitan events --after 0\n"
                    "witan events --json --after \"$(tail -n 1 seen.jsonl | jq .seq)\" >>seen.jsonl",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "types", "LIST", .help = "Only these types, with commas between; `witan docs events` lists them.",
              .flags = CLI_LIST, .word_at = type_at },
            { "after", "N", .help = "Begin after this number of the log; 0 from its start. Default: now." },
            { "project", "PROJECT", .help = "Only of this project: its id or name." },
            { "job", "ID", .help = "Only of this job." },
            { "discussion", "ID", .help = "Only of this discussion." },
        },
        .run = run_events,
    },
    { 0 },
};
