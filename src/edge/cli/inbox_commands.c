#include "base/clock.h"
#include "base/str.h"
#include "edge/cli/client_commands.h"
#include "edge/cli/listed.h"
#include "edge/cli/pending.h"
#include "edge/cli/question_view.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_DEFAULT 200
#define SHOWN_MAX     2000
#define RECONNECT_S   1

static const char events_path[] =
    "/api/events?types=question_asked,question_answered,question_timeout,question_cancelled,"
    "question_late_answer";

/* The list being shown, and what its numbers stand for. */
struct inbox {
    struct cli *cli;
    struct pending_filter filter;
    const char *ids[SHOWN_MAX];
    size_t count;
    int64_t ahead_ms; /* what the server's clock shows more than this machine's ticks */
    char last_id[64];
    int code;
};

static const char *in_line(struct arena *arena, const json_t *question, const char *name)
{
    return term_line(arena, member_text(arena, question, name));
}

static const char *deadline_of(struct arena *arena, const json_t *question)
{
    const char *answer = view_answer(arena, json_object_get(question, "defaultResponse"));

    if (answer)
        return arena_format(arena, "takes \"%.*s\"", 24, answer);
    if (!json_is_string(json_object_get(question, "timeoutAt")))
        return "-";
    return strcmp(member_text(arena, question, "type"), "approval") == 0 ? "not approved" : "job fails";
}

static void write_table(struct inbox *inbox, const struct pending *pending, struct buf *into)
{
    struct cli *cli = inbox->cli;
    struct term term;
    struct table table;
    const json_t *question;
    size_t index;

    term_init(&term, cli->arena, into, cli->colour);
    table_init(&table, &term, 6,
               (const char *[]){ "#", "TYPE", "LEFT", "AT THE DEADLINE", "ASKED", "QUESTION" });
    json_array_foreach(pending->questions, index, question)
    {
        table_row(&table,
                  (const char *[]){
                      arena_format(cli->arena, "%zu", index + 1), member_text(cli->arena, question, "type"),
                      view_left(cli->arena, question, pending->now_ms), deadline_of(cli->arena, question),
                      term_when(cli->arena, member_text(cli->arena, question, "createdAt"), pending->now_ms),
                      member_text(cli->arena, question, "question") });
    }
    table_end(&table);
}

/* For scripts: no heading, a tab between the columns. */
static void write_plain(struct inbox *inbox, const struct pending *pending, struct buf *into)
{
    struct arena *arena = inbox->cli->arena;
    const json_t *question;
    size_t index;

    json_array_foreach(pending->questions, index, question)
        buf_format(into, "%s\t%s\t%s\t%s\n", in_line(arena, question, "id"), in_line(arena, question, "type"),
                   in_line(arena, question, "timeoutAt"), in_line(arena, question, "question"));
}

static void write_json(const struct pending *pending, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_value(&out, "questions", pending->questions);
    json_time(&out, "serverTime", pending->now_ms);
    json_bool(&out, "more", pending->more);
    json_map_end(&out);
    buf_char(into, '\n');
}

/* One line for each question, as the events after them are lines. */
static void write_json_lines(const struct pending *pending, struct buf *into)
{
    const json_t *question;
    size_t index;

    json_array_foreach(pending->questions, index, question)
    {
        struct json_out out;

        json_begin(&out, into);
        json_map(&out, NULL);
        json_text(&out, "type", "question_pending");
        json_value(&out, "question", question);
        json_map_end(&out);
        buf_char(into, '\n');
    }
}

static void remember(struct inbox *inbox, const struct pending *pending)
{
    const json_t *question;
    size_t index;

    inbox->count = 0;
    inbox->ahead_ms = pending->now_ms - clock_ticks_ms();
    json_array_foreach(pending->questions, index, question)
    {
        const char *id = member_text(inbox->cli->arena, question, "id");

        if (id && inbox->count < SHOWN_MAX)
            inbox->ids[inbox->count++] = arena_text(inbox->cli->arena, id);
    }
    listed_keep(inbox->cli, inbox->ids, inbox->count);
}

static bool show_list(struct inbox *inbox, struct err *err)
{
    struct cli *cli = inbox->cli;
    BUF_AUTO text = { 0 };
    struct pending pending;

    if (!pending_read(cli, &inbox->filter, &pending, err))
        return false;
    remember(inbox, &pending);
    buf_init(&text, 0);
    if (cli->json && cli_has(cli, "watch"))
        write_json_lines(&pending, &text);
    else if (cli->json)
        write_json(&pending, &text);
    else if (cli_has(cli, "plain"))
        write_plain(inbox, &pending, &text);
    else if (json_array_size(pending.questions) > 0)
        write_table(inbox, &pending, &text);
    else
        cli_note(cli, "Nothing waits for an answer.");
    if (pending.more)
        cli_note(cli, "There are more; --limit shows them.");
    json_decref(pending.questions);
    inbox->code = text.len > 0 ? cli_print(text.bytes, text.len) : CLI_OK;
    return true;
}

static size_t number_of(const struct inbox *inbox, const char *id)
{
    for (size_t i = 0; i < inbox->count; i++)
        if (str_equal(inbox->ids[i], id))
            return i + 1;
    return 0;
}

static void write_asked(struct inbox *inbox, struct term *term, const json_t *event)
{
    const json_t *question = json_object_get(event, "question");
    int64_t now_ms = clock_ticks_ms() + inbox->ahead_ms;

    if (inbox->count < SHOWN_MAX)
        inbox->ids[inbox->count++] = arena_text(inbox->cli->arena, in_line(term->arena, event, "questionId"));
    listed_keep(inbox->cli, inbox->ids, inbox->count);
    term_paint(term, TERM_BOLD, arena_format(term->arena, "%zu", inbox->count));
    buf_format(term->out, "  %s  %s left  %s\n", in_line(term->arena, question, "type"),
               view_left(term->arena, question, now_ms), in_line(term->arena, question, "question"));
}

static void write_ended(struct inbox *inbox, struct term *term, const json_t *event, const char *type)
{
    const char *answer = view_answer(term->arena, json_object_get(event, "response"));
    size_t number = number_of(inbox, member_text(term->arena, event, "questionId"));

    /* A question that a filter kept out of the list is of no interest now either. */
    if (number == 0)
        return;
    term_paint(term, TERM_DIM,
               arena_format(term->arena, "%zu  %s%s%s\n", number, type + strlen("question_"),
                            answer ? ": " : "", answer ? term_line(term->arena, answer) : ""));
}

static bool passes(const struct inbox *inbox, struct arena *arena, const json_t *event)
{
    const json_t *question = json_object_get(event, "question");
    const char *type = member_text(arena, question, "type");
    const char *project = member_text(arena, event, "projectId");

    return (!inbox->filter.type || str_equal(inbox->filter.type, type)) &&
           (!inbox->filter.project || str_equal(inbox->filter.project, project));
}

static bool take_event(void *user, const char *id, const char *data)
{
    struct inbox *inbox = user;
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    JSON_AUTO *event = NULL;
    struct err ignored = { 0 };
    struct term term;
    const char *type;

    snprintf(inbox->last_id, sizeof(inbox->last_id), "%s", id);
    if (!json_parse(data, strlen(data), &event, &ignored) || !(type = member_text(&arena, event, "type")) ||
        !str_starts(type, "question_"))
        return true;
    buf_init(&text, 0);
    term_init(&term, &arena, &text, inbox->cli->colour);
    bool asked = strcmp(type, "question_asked") == 0;

    /* What was asked while the list was being read stands in both. */
    if (asked &&
        (!passes(inbox, &arena, event) || number_of(inbox, member_text(&arena, event, "questionId"))))
        return true;
    if (inbox->cli->json)
        buf_format(&text, "%s\n", data);
    else if (asked)
        write_asked(inbox, &term, event);
    else
        write_ended(inbox, &term, event, type);
    inbox->code = text.len > 0 ? cli_print(text.bytes, text.len) : CLI_OK;
    return inbox->code == CLI_OK;
}

/* The list is read once the stream is open, so that nothing falls between the two. */
static bool take_opening(void *user)
{
    struct inbox *inbox = user;
    struct err err = { 0 };

    if (inbox->last_id[0] || show_list(inbox, &err))
        return inbox->code == CLI_OK;
    inbox->code = cli_fail(inbox->cli, &err);
    return false;
}

/* Follows for ever: when the server comes back, from where it was. */
static int watch(struct inbox *inbox)
{
    struct cli *cli = inbox->cli;
    bool ever = false;

    for (;;) {
        struct err err = { 0 };
        struct client_stream stream = {
            .path = events_path,
            .last_id = inbox->last_id[0] ? inbox->last_id : NULL,
            .take = take_event,
            .opened = take_opening,
            .user = inbox,
        };
        bool there = client_follow(cli, &stream, &err);

        if (inbox->code)
            return inbox->code;
        if (there && stream.refusal.status >= 400 && stream.refusal.status < 500) {
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

static int run_inbox(struct cli *cli)
{
    struct inbox *inbox = arena_new(cli->arena, struct inbox);
    const char *limit = cli_get(cli, "limit");
    int64_t number = SHOWN_DEFAULT;
    struct err err = { 0 };

    if (limit && (!str_to_int(limit, &number) || number < 1 || number > SHOWN_MAX)) {
        err_field(&err, "limit", "--limit takes a number from 1 to %d.", SHOWN_MAX);
        return cli_fail(cli, &err);
    }
    *inbox = (struct inbox){
        .cli = cli,
        .filter = { .type = cli_get(cli, "type"),
                    .project = cli_get(cli, "project"),
                    .sort = cli_get(cli, "sort"),
                    .limit = (size_t)number },
    };
    if (cli_has(cli, "watch"))
        return watch(inbox);
    return show_list(inbox, &err) ? inbox->code : cli_fail(cli, &err);
}

const struct cli_command inbox_commands[] = {
    {
        .name = "inbox",
        .op = "question_pending",
        .help = "List what waits for an answer, numbered for `witan answer N`.",
        .examples = "witan inbox\nwitan inbox --watch\nwitan inbox --type approval --sort deadline\n"
                    "witan inbox --watch --json | while read -r line; do ...; done",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "watch", .help = "Go on with what is asked and answered from now on; with --json as JSON lines." },
            { "type", "TYPE", .param = "type" },
            { "project", "PROJECT", .param = "projectId" },
            { "sort", "ORDER", .param = "sort" },
            { "limit", "N", .help = "How many at most. Default: 200." },
            { "plain", .help = "Id, type, deadline and question with tabs between, without heading." },
        },
        .run = run_inbox,
    },
    { 0 },
};
