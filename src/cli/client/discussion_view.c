/*
 * What agents say is shown as text and nothing else (term.h). A turn on the floor is shown piece by piece and
 * compared with the entry that it becomes: the entry counts, and what is missing of it is added, or all of it
 * shown anew.
 */
#include "cli/client/discussion_view.h"

#include "base/buf.h"
#include "base/str.h"
#include "cli/term.h"
#include "core/council/transcript.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static enum term_colour colour_of(const char *role, const char *name)
{
    static const struct {
        const char *role;
        enum term_colour colour;
    } known[] = { { "divergent", TERM_BLUE }, { "convergent", TERM_GREEN }, { "critical", TERM_RED } };
    const char *const words[] = { role, name };

    for (size_t w = 0; w < 2; w++)
        for (size_t i = 0; words[w] && i < sizeof(known) / sizeof(*known); i++)
            if (strcasecmp(words[w], known[i].role) == 0)
                return known[i].colour;
    return TERM_BOLD;
}

void view_speaker(struct buf *into, bool colour, const char *role, const char *name)
{
    ARENA_AUTO arena = { 0 };
    struct term term = { .arena = &arena, .out = into, .colour = colour };

    buf_format(into, "%s ", transcript_icon(role, name));
    term_paint(&term, colour_of(role, name), term_line(&arena, name));
}

void view_open(struct discussion_view *view, const struct cli *cli, FILE *out)
{
    const char *none = getenv("NO_COLOR");

    *view = (struct discussion_view){
        .cli = cli, .out = out, .shown = json_object(), .behind = json_array(), .roles = json_object()
    };
    view->live = isatty(fileno(out));
    view->colour = out == stdout ? cli->colour : view->live && cli->colour && !(none && *none);
    buf_init(&view->said, 0);
}

void view_close(struct discussion_view *view)
{
    json_decref(view->shown);
    json_decref(view->behind);
    json_decref(view->roles);
    buf_done(&view->said);
}

static void show(struct discussion_view *view, const struct buf *text)
{
    if (view->out == stderr && view->cli->quiet)
        return;
    fwrite(text->bytes ? text->bytes : "", 1, text->len, view->out);
    fflush(view->out);
}

static void show_text(struct discussion_view *view, const char *text)
{
    BUF_AUTO whole = { 0 };

    buf_init(&whole, 0);
    buf_text(&whole, text);
    show(view, &whole);
}

static void write_round(struct discussion_view *view, int round, struct buf *into)
{
    ARENA_AUTO arena = { 0 };
    struct term term = { .arena = &arena, .out = into, .colour = view->colour };
    const char *of = view->rounds > 0 ? arena_format(&arena, " of %d", view->rounds) : "";

    if (round <= view->round)
        return;
    view->round = round;
    term_paint(
        &term, TERM_BOLD,
        arena_format(&arena, "--- Round %d%s%s ---", round, of, view->rehearsal ? " (rehearsal)" : ""));
    buf_text(into, "\n\n");
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static bool is_on_floor(const struct discussion_view *view, const char *turn_id)
{
    return *view->floor && strcmp(view->floor, turn_id) == 0;
}

/* "passed: why", "was skipped: why". */
static void write_pass(struct term *term, const json_t *entry, const char *how)
{
    const json_t *metadata = json_object_get(entry, "metadata");
    const char *reason = text_of(metadata, "reason");

    if (!*reason)
        reason = text_of(entry, "content");
    term_paint(
        term, TERM_DIM,
        arena_format(term->arena, " %s%s%s", how, *reason ? ": " : ".", term_line(term->arena, reason)));
    buf_text(term->out, "\n\n");
}

static void write_said(struct term *term, const json_t *entry)
{
    const json_t *metadata = json_object_get(entry, "metadata");

    if (json_is_true(json_object_get(metadata, "rehearsed")))
        term_paint(term, TERM_DIM, " (scripted)");
    if (json_is_string(json_object_get(metadata, "interjection")))
        term_paint(term, TERM_DIM, " cuts in");
    buf_char(term->out, '\n');
    term_block(term, "", text_of(entry, "content"));
    if (json_is_true(json_object_get(metadata, "partial")))
        term_paint(term, TERM_DIM, "(cut off)\n");
    buf_char(term->out, '\n');
}

static void write_entry(struct discussion_view *view, const json_t *entry, struct buf *into)
{
    ARENA_AUTO arena = { 0 };
    struct term term = { .arena = &arena, .out = into, .colour = view->colour };
    const json_t *metadata = json_object_get(entry, "metadata");

    write_round(view, (int)json_integer_value(json_object_get(entry, "roundNumber")), into);
    view_speaker(into, view->colour, text_of(entry, "role"), text_of(entry, "speaker"));
    if (json_is_true(json_object_get(metadata, "skipped")))
        write_pass(&term, entry, "was skipped");
    else if (json_is_true(json_object_get(metadata, "pass")))
        write_pass(&term, entry, "passed");
    else
        write_said(&term, entry);
}

static bool is_new(struct discussion_view *view, const json_t *entry)
{
    const char *id = text_of(entry, "id");

    if (json_object_get(view->shown, id))
        return false;
    json_object_set_new(view->shown, id, json_true());
    return true;
}

static void show_entry(struct discussion_view *view, const json_t *entry)
{
    BUF_AUTO text = { 0 };

    if (!is_new(view, entry))
        return;
    buf_init(&text, 0);
    write_entry(view, entry, &text);
    show(view, &text);
}

/* Nobody is cut off by what somebody else has finished meanwhile. */
void view_entry(struct discussion_view *view, const json_t *entry)
{
    if (!json_is_object(entry))
        return;
    if (*view->floor)
        json_array_append(view->behind, (json_t *)entry);
    else
        show_entry(view, entry);
}

void view_break_off(struct discussion_view *view)
{
    const json_t *entry;
    size_t i;

    if (*view->floor)
        show_text(view, "\n\n");
    view->floor[0] = '\0';
    buf_clear(&view->said);
    view->said_chars = 0;
    json_array_foreach(view->behind, i, entry)
    {
        show_entry(view, entry);
    }
    json_array_clear(view->behind);
}

/* The first words of a turn: its speaker takes the floor. */
static void take_floor(struct discussion_view *view, const json_t *event)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    view_break_off(view);
    snprintf(view->floor, sizeof(view->floor), "%s", text_of(event, "turnId"));
    write_round(view, (int)json_integer_value(json_object_get(event, "round")), &text);
    view_speaker(&text, view->colour, text_of(view->roles, text_of(event, "speaker")),
                 text_of(event, "speaker"));
    buf_char(&text, '\n');
    show(view, &text);
}

/* Pieces of text name their speaker, and not the role. */
static void take_started(struct discussion_view *view, const json_t *event)
{
    json_object_set_new(view->roles, text_of(event, "speaker"), json_string(text_of(event, "role")));
}

static void take_delta(struct discussion_view *view, const json_t *event)
{
    ARENA_AUTO arena = { 0 };
    const char *text = text_of(event, "text"), *turn_id = text_of(event, "turnId");
    size_t offset = (size_t)json_integer_value(json_object_get(event, "offset"));

    if (!view->live)
        return;
    if (!is_on_floor(view, turn_id)) {
        if (*view->floor || offset > 0)
            return;
        take_floor(view, event);
    } else if (offset < view->said_chars) { /* it is asked anew */
        show_text(view, "\n(begins again)\n");
        buf_clear(&view->said);
        view->said_chars = 0;
    }
    if (offset != view->said_chars)
        return;
    buf_text(&view->said, text);
    view->said_chars += str_chars(text);
    show_text(view, str_sanitise(&arena, text));
}

/* The rest of what was being shown, where it goes on from there; otherwise all of it anew. */
static bool finish_floor(struct discussion_view *view, const json_t *entry)
{
    ARENA_AUTO arena = { 0 };
    const char *content = text_of(entry, "content"), *said = view->said.bytes ? view->said.bytes : "";
    size_t len = strlen(said);

    while (len > 0 && strchr(" \t\r\n", said[len - 1]))
        len--;
    if (json_is_true(json_object_get(json_object_get(entry, "metadata"), "pass")) ||
        strncmp(content, said, len) != 0)
        return false;
    if (strlen(content) > view->said.len)
        show_text(view, str_sanitise(&arena, content + view->said.len));
    if (json_is_true(json_object_get(json_object_get(entry, "metadata"), "partial")))
        show_text(view, "\n(cut off)");
    return is_new(view, entry);
}

static void take_finished(struct discussion_view *view, const json_t *event)
{
    const json_t *entry = json_object_get(event, "entry");
    const char *kind = text_of(event, "kind");

    if (*kind && strcmp(kind, "turn") != 0)
        return;
    if (is_on_floor(view, text_of(event, "turnId"))) {
        finish_floor(view, entry);
        view_break_off(view);
    }
    view_entry(view, entry);
}

static void take_vote(struct discussion_view *view, const json_t *event)
{
    const json_t *vote = json_object_get(event, "vote");
    const char *winner = json_string_value(json_object_get(vote, "winner"));
    ARENA_AUTO arena = { 0 };

    view_break_off(view);
    show_text(view, arena_format(&arena, "Vote (%s): %s\n\n", text_of(vote, "rule"),
                                 winner                                       ? term_line(&arena, winner)
                                 : json_is_true(json_object_get(vote, "tie")) ? "a tie, which is not broken"
                                                                              : "nobody has voted"));
}

static void take_waiting(struct discussion_view *view, const json_t *event)
{
    const char *who = text_of(event, "nextSpeaker");

    if (!*who)
        who = text_of(event, "speaker");
    view_break_off(view);
    cli_note(view->cli, *who ? "Waiting for %s." : "Waiting.%s", who);
}

void view_event(struct discussion_view *view, const json_t *event)
{
    static const struct {
        const char *type;
        void (*take)(struct discussion_view *view, const json_t *event);
    } known[] = {
        { "turn.delta", take_delta },     { "turn.finished", take_finished },
        { "vote.counted", take_vote },    { "discussion.waiting", take_waiting },
        { "turn.waiting", take_waiting }, { "turn.started", take_started },
    };
    const char *type = text_of(event, "type");

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(type, known[i].type) == 0)
            known[i].take(view, event);
    if (strcmp(type, "discussion.message") == 0 || strcmp(type, "discussion.interjected") == 0)
        view_entry(view, json_object_get(event, "entry"));
}

bool view_is_rehearsed(const json_t *entries)
{
    const json_t *entry;
    size_t i;

    json_array_foreach(entries, i, entry)
    {
        if (json_is_true(json_object_get(json_object_get(entry, "metadata"), "rehearsed")))
            return true;
    }
    return false;
}

void view_end(struct discussion_view *view, const json_t *state)
{
    const json_t *discussion = json_object_get(state, "discussion"),
                 *result = json_object_get(state, "result");
    const char *reason = text_of(discussion, "endReason");
    int64_t said = json_integer_value(json_object_get(result, "total_contributions"));

    view_break_off(view);
    if (json_is_object(result))
        cli_note(view->cli, "\xE2\x9C\xA8 %s after %lld round(s) with %lld contribution(s)%s%s.",
                 text_of(discussion, "status"), (long long)json_array_size(json_object_get(result, "rounds")),
                 (long long)said, *reason ? ": " : "", reason);
    if (view_is_rehearsed(json_object_get(state, "entries")))
        cli_note(view->cli, REHEARSAL_NOTICE);
}
