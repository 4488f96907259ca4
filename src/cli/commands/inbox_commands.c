/*
 * With --watch the stream is opened first and the list read then, so that nothing falls between the two; what
 * the stream repeats is known by its id.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/client/pending.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"
#include "cli/commands/tables.h"
#include "cli/screen/inbox_screen.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RECONNECT_S 1

static const enum event_type heard[] = { EVENT_QUESTION_ASKED,       EVENT_QUESTION_ANSWERED,
                                         EVENT_QUESTION_TIMEOUT,     EVENT_QUESTION_CANCELLED,
                                         EVENT_QUESTION_LATE_ANSWER, EVENT_UNKNOWN };

/* The list being shown, and under which numbers. */
struct shown_inbox {
    struct cli *cli;
    struct pending_filter filter;
    const char *ids[INBOX_SHOWN_MAX];
    size_t numbers[INBOX_SHOWN_MAX]; /* 0: it goes by its id, as everything does where no terminal shows it */
    size_t count;
    bool numbered;    /* some have a number */
    int64_t ahead_ms; /* what the server's clock shows more than this machine's ticks */
    char last_id[64];
    int code;
};

static const char *in_line(struct arena *arena, const json_t *question, const char *name)
{
    return term_line(arena, member_text(arena, question, name));
}

static const char *deadline_of(struct arena *arena, const json_t *item)
{
    static const struct {
        const char *type, *what;
    } ends[] = { { "approval", "not approved" }, { "prompt", "ends" }, { "turn", "is passed" } };
    const char *answer = view_answer(arena, json_object_get(item, "defaultResponse"));
    const char *type = member_text(arena, item, "type");

    if (answer)
        return arena_format(arena, "takes \"%.*s\"", 24, answer);
    if (!json_is_string(json_object_get(item, "timeoutAt")))
        return "-";
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (str_equal(type, ends[i].type))
            return ends[i].what;
    return "no answer";
}

static const char *number_text(struct arena *arena, size_t number)
{
    return number > 0 ? arena_format(arena, "%zu", number) : "-";
}

static const char *text_of_item(struct arena *arena, const json_t *item)
{
    int64_t questions = member_int(item, "questions");
    const char *text = view_text(arena, item);

    return questions > 1 ? arena_format(arena, "%s (and %lld more)", text, (long long)questions - 1) : text;
}

/* NULL: there is none. */
static const char *name_in(struct arena *arena, const json_t *item, const char *member)
{
    const char *name = member_text(arena, item, member);

    return name ? term_shown(arena, name, VISIBLE_PROSE) : NULL;
}

enum column { C_NUMBER, C_ID, C_TYPE, C_LEFT, C_DEADLINE, C_AGENT, C_PROJECT, C_ASSIGNEE, C_TEXT, COLUMNS };

static const char *const heads[] = { "#",    "ID",      "TYPE", "LEFT", "AT THE DEADLINE",
                                     "FROM", "PROJECT", "FOR",  "WHAT" };

static void cells_of(const struct shown_inbox *inbox, const json_t *item, size_t index, int64_t now_ms,
                     const char *cells[COLUMNS])
{
    struct arena *arena = inbox->cli->arena;

    cells[C_NUMBER] = number_text(arena, inbox->numbers[index]);
    cells[C_ID] = question_ref_short(arena, inbox->ids[index]);
    cells[C_TYPE] = member_text(arena, item, "type");
    cells[C_LEFT] = view_left(arena, item, now_ms);
    cells[C_DEADLINE] = deadline_of(arena, item);
    cells[C_AGENT] = name_in(arena, item, "agent");
    cells[C_PROJECT] = name_in(arena, item, "project");
    cells[C_ASSIGNEE] = view_for(arena, item);
    cells[C_TEXT] = text_of_item(arena, item);
}

/* Without a terminal that keeps its numbers, the ids alone; nor is a column shown that nothing stands in. */
static size_t choose_columns(const struct shown_inbox *inbox, const json_t *items,
                             enum column chosen[COLUMNS])
{
    size_t count = 0;

    for (enum column column = 0; column < COLUMNS; column++) {
        bool may_miss = column == C_AGENT || column == C_PROJECT || column == C_ASSIGNEE;
        bool filled = column == C_NUMBER ? inbox->numbered : !may_miss;

        for (size_t i = 0; may_miss && !filled && i < json_array_size(items); i++) {
            const char *cells[COLUMNS];

            cells_of(inbox, json_array_get(items, i), i, 0, cells);
            filled = cells[column] != NULL;
        }
        if (filled)
            chosen[count++] = column;
    }
    return count;
}

static void write_table(struct shown_inbox *inbox, const struct pending_items *pending, struct buf *into)
{
    enum column chosen[COLUMNS];
    size_t columns = choose_columns(inbox, pending->items, chosen), index;
    const char *row[COLUMNS], *cells[COLUMNS];
    struct term term;
    struct term_table table;
    const json_t *item;

    term_init(&term, inbox->cli->arena, into, inbox->cli->colour);
    for (size_t i = 0; i < columns; i++)
        row[i] = heads[chosen[i]];
    term_table_init(&table, &term, columns, row);
    json_array_foreach(pending->items, index, item)
    {
        cells_of(inbox, item, index, pending->now_ms, cells);
        for (size_t i = 0; i < columns; i++)
            row[i] = cells[chosen[i]];
        term_table_row(&table, row);
    }
    term_table_end(&table);
}

/* For scripts: no heading, a tab between the columns. */
static void write_plain(struct shown_inbox *inbox, const struct pending_items *pending, struct buf *into)
{
    struct arena *arena = inbox->cli->arena;
    const json_t *item;
    size_t index;

    json_array_foreach(pending->items, index, item)
        buf_format(into, "%s\t%s\t%s\t%s\n", in_line(arena, item, "id"), in_line(arena, item, "type"),
                   in_line(arena, item, "timeoutAt"), in_line(arena, item, "text"));
}

static void write_json(const struct pending_items *pending, const struct pending *whole, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_value(&out, "items", pending->items);
    json_value(&out, "questions", whole->questions);
    json_time(&out, "serverTime", pending->now_ms);
    json_bool(&out, "more", pending->more);
    json_int(&out, "needYou", pending->need_you);
    json_map_end(&out);
    buf_char(into, '\n');
}

static bool is_question(const char *type)
{
    return !str_equal(type, "open_questions") && !str_equal(type, "prompt") && !str_equal(type, "turn");
}

static void write_json_line(const char *type, const char *key, const json_t *value, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "type", type);
    json_value(&out, key, value);
    json_map_end(&out);
    buf_char(into, '\n');
}

/* One line for each, as the events after them are lines. */
static void write_json_lines(const struct pending_items *pending, const struct pending *whole,
                             struct buf *into)
{
    const json_t *entry;
    size_t index;

    json_array_foreach(whole->questions, index, entry)
        write_json_line("question_pending", "question", entry, into);
    json_array_foreach(pending->items, index, entry)
    {
        if (!is_question(json_string_value(json_object_get(entry, "type"))))
            write_json_line("inbox_item", "item", entry, into);
    }
}

/* Whether the list is a table for people, which is the only kind that has numbers. */
static bool shows_table(const struct cli *cli)
{
    return !cli->json && !cli_has(cli, "plain");
}

/* Gives numbers to those that are about to be shown. */
static void number(struct shown_inbox *inbox, size_t from)
{
    size_t count = inbox->count - from;

    if (shows_table(inbox->cli))
        question_ref_number(inbox->cli, inbox->ids + from, count, inbox->numbers + from);
    for (size_t i = from; i < inbox->count; i++)
        inbox->numbered |= inbox->numbers[i] > 0;
}

static void remember(struct shown_inbox *inbox, const struct pending_items *pending)
{
    const json_t *item;
    size_t index;

    inbox->count = 0;
    inbox->ahead_ms = pending->now_ms - clock_ticks_ms();
    json_array_foreach(pending->items, index, item)
    {
        const char *id = member_text(inbox->cli->arena, item, "id");

        if (inbox->count < INBOX_SHOWN_MAX)
            inbox->ids[inbox->count++] = arena_text(inbox->cli->arena, id ? id : "?");
    }
    number(inbox, 0);
}

/* For programs, questions are also given whole: they are what can be answered at once. */
static bool list_as_json(struct shown_inbox *inbox, const struct pending_items *pending, struct buf *into,
                         struct err *err)
{
    const char *type = inbox->filter.type;
    struct pending whole = { 0 };

    if (!is_question(type))
        whole.questions = json_array();
    else if (!pending_read(inbox->cli, &inbox->filter, &whole, err))
        return false;
    if (cli_has(inbox->cli, "watch"))
        write_json_lines(pending, &whole, into);
    else
        write_json(pending, &whole, into);
    json_decref(whole.questions);
    return true;
}

static bool write_listing(struct shown_inbox *inbox, const struct pending_items *pending, struct buf *into,
                          struct err *err)
{
    struct cli *cli = inbox->cli;

    if (cli->json)
        return list_as_json(inbox, pending, into, err);
    if (cli_has(cli, "plain"))
        write_plain(inbox, pending, into);
    else if (json_array_size(pending->items) > 0)
        write_table(inbox, pending, into);
    else
        cli_note(cli, "Nothing waits for an answer.");
    return true;
}

static bool show_list(struct shown_inbox *inbox, struct err *err)
{
    BUF_AUTO text = { 0 };
    struct pending_items pending;
    bool done;

    if (!pending_items_read(inbox->cli, &inbox->filter, &pending, err))
        return false;
    remember(inbox, &pending);
    buf_init(&text, 0);
    done = write_listing(inbox, &pending, &text, err);
    json_decref(pending.items);
    if (!done)
        return false;
    inbox->code = text.len > 0 ? cli_print(text.bytes, text.len) : CLI_OK;
    if (inbox->count > 0 && shows_table(inbox->cli))
        cli_note(inbox->cli, "%s", pending_need_you(inbox->cli->arena, pending.need_you));
    if (inbox->numbered && inbox->count > 0)
        cli_note(
            inbox->cli,
            "`witan answer N` answers one, whatever it is; `witan show N` shows it whole, and what to type.");
    if (pending.more)
        cli_note(inbox->cli, "There are more; --limit shows them.");
    return true;
}

/* Where it stands in the list, from 1; 0: it was not shown. */
static size_t place_of(const struct shown_inbox *inbox, const char *id)
{
    for (size_t i = 0; i < inbox->count; i++)
        if (str_equal(inbox->ids[i], id))
            return i + 1;
    return 0;
}

/* What a line about it begins with: the number, and the id that means the same elsewhere. */
static const char *label(const struct shown_inbox *inbox, struct arena *arena, size_t place)
{
    const char *id = question_ref_short(arena, inbox->ids[place - 1]);

    if (!inbox->numbered)
        return id;
    return arena_format(arena, "%s  %s", number_text(arena, inbox->numbers[place - 1]), id);
}

/* The oldest is forgotten; its number stays what it is. */
static void make_room(struct shown_inbox *inbox)
{
    if (inbox->count < INBOX_SHOWN_MAX)
        return;
    inbox->count--;
    memmove(inbox->ids, inbox->ids + 1, inbox->count * sizeof(*inbox->ids));
    memmove(inbox->numbers, inbox->numbers + 1, inbox->count * sizeof(*inbox->numbers));
}

static void write_asked(struct shown_inbox *inbox, struct term *term, const json_t *event)
{
    const json_t *question = json_object_get(event, "question");
    int64_t now_ms = clock_ticks_ms() + inbox->ahead_ms;

    make_room(inbox);
    inbox->ids[inbox->count++] = arena_text(inbox->cli->arena, in_line(term->arena, event, "questionId"));
    number(inbox, inbox->count - 1);
    term_paint(term, TERM_BOLD, label(inbox, term->arena, inbox->count));
    buf_format(term->out, "  %s  %s left  %s\n", in_line(term->arena, question, "type"),
               view_left(term->arena, question, now_ms),
               term_shown(term->arena, member_text(term->arena, question, "question"), VISIBLE_PROSE));
}

static void write_ended(struct shown_inbox *inbox, struct term *term, const json_t *event, const char *type)
{
    const char *answer = view_answer(term->arena, json_object_get(event, "response"));
    size_t place = place_of(inbox, member_text(term->arena, event, "questionId"));

    /* A question that a filter kept out of the list is of no interest now either. */
    if (place == 0)
        return;
    term_paint(term, TERM_DIM,
               arena_format(term->arena, "%s  %s%s%s\n", label(inbox, term->arena, place),
                            type + strlen("question_"), answer ? ": " : "",
                            answer ? term_line(term->arena, answer) : ""));
}

static bool passes(const struct shown_inbox *inbox, struct arena *arena, const json_t *event)
{
    const json_t *question = json_object_get(event, "question");
    const char *type = member_text(arena, question, "type");
    const char *project = member_text(arena, event, "projectId");

    return (!inbox->filter.type || str_equal(inbox->filter.type, type)) &&
           (!inbox->filter.project || str_equal(inbox->filter.project, project));
}

static bool take_event(void *user, const char *id, const char *data)
{
    struct shown_inbox *inbox = user;
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
    bool asked = event_type_of(type) == EVENT_QUESTION_ASKED;

    /* What was asked while the list was being read stands in both. */
    if (asked && (!passes(inbox, &arena, event) || place_of(inbox, member_text(&arena, event, "questionId"))))
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
    struct shown_inbox *inbox = user;
    struct err err = { 0 };

    if (inbox->last_id[0] || show_list(inbox, &err))
        return inbox->code == CLI_OK;
    inbox->code = cli_fail(inbox->cli, &err);
    return false;
}

/* Follows for ever: when the server comes back, from where it was. */
static int watch(struct shown_inbox *inbox)
{
    struct cli *cli = inbox->cli;
    bool ever = false;

    for (;;) {
        struct err err = { 0 };
        struct client_stream stream = {
            .path = "/api/events",
            .types = heard,
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
    struct shown_inbox *inbox = arena_new(cli->arena, struct shown_inbox);
    const char *limit = cli_get(cli, "limit");
    int64_t most = INBOX_SHOWN;
    struct err err = { 0 };

    if (limit && (!str_to_int(limit, &most) || most < 1 || most > INBOX_SHOWN_MAX)) {
        err_field(&err, "limit", "--limit takes a number from 1 to %d.", INBOX_SHOWN_MAX);
        return cli_fail(cli, &err);
    }
    *inbox = (struct shown_inbox){
        .cli = cli,
        .filter = { .type = cli_get(cli, "type"),
                    .project = cli_get(cli, "project"),
                    .sort = cli_get(cli, "sort"),
                    .limit = (size_t)most },
    };
    if (cli_has(cli, "watch") && shows_table(cli) && inbox_screen_possible())
        return inbox_screen_run(cli, &inbox->filter);
    if (cli_has(cli, "watch"))
        return watch(inbox);
    return show_list(inbox, &err) ? inbox->code : cli_fail(cli, &err);
}

const struct cli_command inbox_commands[] = {
    {
        .name = "inbox",
        .op = "inbox_list",
        .help = "List what waits for people, of all projects, the most urgent first: questions, approvals, decisions, sets of open questions, prompts that mention you, and turns that people owe discussions. "
                "On a terminal each has a number for `witan show N` and `witan answer N`, which stays its number in that terminal; the short id means the same everywhere.",
        .examples = "witan inbox\nwitan inbox --watch\nwitan inbox | grep -i deploy\nwitan inbox --type approval --sort deadline\n"
                    "witan inbox --watch --json | while read -r line; do ...; done",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "watch", .help = "Go on with what is asked and answered from now on: on a terminal as a list to move in and answer from (arrows or j/k, Enter, a, r, 1-9, /, q), else as lines, with --json of JSON." },
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
