/*
 * What agents say is shown as text and nothing else (term.h). A turn on the floor is shown piece by piece and
 * compared with the entry that it becomes: the entry counts, and what is missing of it is added, or all of it
 * shown anew.
 */
#include "cli/client/discussion_view.h"

#include "base/buf.h"
#include "base/str.h"
#include "cli/client/outcome_view.h"
#include "cli/client/speaker_mark.h"
#include "cli/term.h"
#include "core/council/rules/said.h"
#include "core/log/event_type.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Their place in the order; who is heard of for the first time comes behind all others. */
static int place_of(struct discussion_view *view, const char *name)
{
    const json_t *place = json_object_get(view->places, name);

    if (!place) {
        json_object_set_new(view->places, name, json_integer((json_int_t)json_object_size(view->places)));
        place = json_object_get(view->places, name);
    }
    return (int)json_integer_value(place);
}

/* "blue circle Name" in the speaker's colour. */
static void write_speaker(struct discussion_view *view, const char *role, const char *name, struct buf *into)
{
    ARENA_AUTO arena = { 0 };
    struct term term = { .arena = &arena, .out = into, .colour = view->colour };
    struct speaker_mark mark = speaker_mark(role, name, place_of(view, name));

    buf_format(into, "%s ", mark.shape);
    term_paint(&term, mark.colour, term_line(&arena, name));
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

void view_open(struct discussion_view *view, const struct cli *cli, FILE *out)
{
    *view = (struct discussion_view){ .cli = cli,
                                      .out = out,
                                      .shown = json_object(),
                                      .behind = json_array(),
                                      .roles = json_object(),
                                      .begun = json_object(),
                                      .places = json_object() };
    view->live = isatty(fileno(out));
    view->colour = cli->colour && (out == stdout || view->live);
    buf_init(&view->said, 0);
    buf_init(&view->heard, 0);
}

void view_close(struct discussion_view *view)
{
    json_decref(view->shown);
    json_decref(view->behind);
    json_decref(view->roles);
    json_decref(view->begun);
    json_decref(view->places);
    json_decref(view->vote);
    buf_done(&view->said);
    buf_done(&view->heard);
}

static void show(struct discussion_view *view, const struct buf *text)
{
    if (view->out == stderr && view->cli->quiet)
        return;
    cli_print_to(view->out, text->bytes, text->len);
}

static void show_text(struct discussion_view *view, const char *text)
{
    BUF_AUTO whole = { 0 };

    buf_init(&whole, 0);
    buf_text(&whole, text);
    show(view, &whole);
}

void view_about(struct discussion_view *view, const json_t *state)
{
    const json_t *discussion = json_object_get(state, "discussion"), *name;
    size_t i;

    view->rounds = (int)json_integer_value(json_object_get(discussion, "rounds"));
    view->rehearsal = json_is_true(json_object_get(json_object_get(discussion, "options"), "rehearse"));
    snprintf(view->next, sizeof(view->next), "%s", text_of(state, "nextSpeaker"));
    json_array_foreach(json_object_get(state, "speakerOrder"), i, name)
    {
        place_of(view, json_string_value(name));
    }
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

static struct said_names names_of(struct arena *arena, const struct discussion_view *view)
{
    const char **list = arena_array(arena, const char *, json_object_size(view->places));
    size_t count = 0;
    const char *name;
    json_t *place;

    json_object_foreach(view->places, name, place)
    {
        list[count++] = name;
    }
    return (struct said_names){ list, count, .bare_heads = true };
}

/* Words as they come in. Behind a line's end they are set in, since nobody knows yet what the line will be.
 */
static void show_words(struct discussion_view *view, bool first, const char *words)
{
    ARENA_AUTO arena = { 0 };
    struct said_names names = names_of(&arena, view);
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    if (first && said_begins_like_ours(&names, words))
        buf_text(&text, "  ");
    for (const char *at = str_sanitise(&arena, str_lines(&arena, words)); *at; at++) {
        buf_char(&text, *at);
        if (*at == '\n' && at[1] != '\n')
            buf_text(&text, "  ");
    }
    show(view, &text);
}

static void write_said(struct discussion_view *view, struct term *term, const json_t *entry)
{
    const json_t *metadata = json_object_get(entry, "metadata");
    struct said_names names = names_of(term->arena, view);
    BUF_AUTO content = { 0 };

    if (json_is_true(json_object_get(metadata, "rehearsed")))
        term_paint(term, TERM_DIM, " (scripted)");
    if (json_is_string(json_object_get(metadata, "interjection")))
        term_paint(term, TERM_DIM, " cuts in");
    buf_char(term->out, '\n');
    buf_init(&content, 0);
    said_text(&names, text_of(entry, "content"), &content);
    term_block(term, "", content.bytes ? content.bytes : "");
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
    write_speaker(view, text_of(entry, "role"), text_of(entry, "speaker"), into);
    if (json_is_true(json_object_get(metadata, "skipped")))
        write_pass(&term, entry, "was skipped");
    else if (json_is_true(json_object_get(metadata, "pass")))
        write_pass(&term, entry, "passed");
    else
        write_said(view, &term, entry);
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

void view_pause(struct discussion_view *view)
{
    if (view->said.len > 0 && view->said.bytes[view->said.len - 1] != '\n')
        show_text(view, "\n");
}

/* Whether it is what the turn on the floor has become, heard of from the log and not from the stream. */
static bool is_of_floor(const struct discussion_view *view, const json_t *entry)
{
    return *view->floor && strcmp(view->floor_speaker, text_of(entry, "speaker")) == 0 &&
           json_integer_value(json_object_get(entry, "roundNumber")) == view->floor_round &&
           json_integer_value(json_object_get(entry, "turnIndex")) >= 0;
}

void view_break_off(struct discussion_view *view)
{
    const json_t *entry;
    size_t i;

    if (view->said.len > 0)
        show_text(view, "\n\n");
    view->floor[0] = '\0';
    buf_clear(&view->said);
    buf_clear(&view->heard);
    json_array_foreach(view->behind, i, entry)
    {
        show_entry(view, entry);
    }
    json_array_clear(view->behind);
}

/* The first words of a turn: its speaker takes the floor. */
static void take_floor(struct discussion_view *view, const json_t *event)
{
    view_break_off(view);
    snprintf(view->floor, sizeof(view->floor), "%s", text_of(event, "turnId"));
    snprintf(view->floor_speaker, sizeof(view->floor_speaker), "%s", text_of(event, "speaker"));
    view->floor_round = (int)json_integer_value(json_object_get(event, "round"));
}

static void show_heading(struct discussion_view *view)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    struct term term = { .arena = &arena, .out = &text, .colour = view->colour };

    buf_init(&text, 0);
    write_round(view, view->floor_round, &text);
    write_speaker(view, text_of(view->roles, view->floor_speaker), view->floor_speaker, &text);
    if (view->rehearsal)
        term_paint(&term, TERM_DIM, " (scripted)");
    buf_char(&text, '\n');
    show(view, &text);
}

/* Pieces of text name their speaker, and not the role. */
static void take_started(struct discussion_view *view, const json_t *event)
{
    json_object_set_new(view->roles, text_of(event, "speaker"), json_string(text_of(event, "role")));
    json_object_set_new(view->begun, text_of(event, "turnId"), json_true());
}

/*
 * Pieces overtake what the log tells: those of a turn may come before the end of the one before it, which
 * would then stand behind it. So they count from when the log has told that the turn began, or that it is its
 * turn.
 */
static bool may_speak(const struct discussion_view *view, const json_t *event)
{
    return json_object_get(view->begun, text_of(event, "turnId")) ||
           strcmp(text_of(event, "speaker"), view->next) == 0;
}

/* How many bytes the first characters of a valid text have. */
static size_t bytes_of(const char *text, size_t chars)
{
    const char *at = text;

    for (; *at && (chars > 0 || ((unsigned char)*at & 0xC0) == 0x80); at++)
        chars -= ((unsigned char)*at & 0xC0) != 0x80;
    return (size_t)(at - text);
}

/* Puts a piece where it belongs; false: there is a gap before it, and the whole will come. */
static bool hear(struct discussion_view *view, size_t offset, const char *text)
{
    const char *heard = view->heard.bytes ? view->heard.bytes : "";

    if (offset > str_chars(heard) || !*text)
        return false;
    view->heard.len = bytes_of(heard, offset);
    buf_text(&view->heard, text);
    return true;
}

/* A pass is shown as one, when it is known to be one: what begins like its mark waits until then. */
static bool may_be_pass(const char *heard)
{
    static const char *const marks[] = { "[PASS]", "[NO RESPONSE]" };

    heard += strspn(heard, " \t\r\n*");
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        size_t len = strlen(heard), mark = strlen(marks[i]);

        if (strncasecmp(heard, marks[i], len < mark ? len : mark) == 0)
            return true;
    }
    return false;
}

/* Brings the screen to where the speaker is. Words that are there already are not shown again. */
static void catch_up(struct discussion_view *view)
{
    const char *heard = view->heard.bytes ? view->heard.bytes : "";
    size_t same = view->said.len;

    if (same == 0 && may_be_pass(heard))
        return;
    if (same == 0)
        show_heading(view);
    if (view->heard.len <= same &&
        memcmp(heard, view->said.len ? view->said.bytes : "", view->heard.len) == 0)
        return;
    if (view->heard.len < same || (same > 0 && memcmp(heard, view->said.bytes, same) != 0)) {
        show_text(view, "\n(begins again)\n");
        same = 0;
    }
    show_words(view, same == 0, heard + same);
    buf_clear(&view->said);
    buf_add(&view->said, heard, view->heard.len);
}

static void take_delta(struct discussion_view *view, const json_t *event)
{
    const char *turn_id = text_of(event, "turnId");
    size_t offset = (size_t)json_integer_value(json_object_get(event, "offset"));

    if (!view->live)
        return;
    if (!is_on_floor(view, turn_id)) {
        if (*view->floor || offset > 0 || !may_speak(view, event))
            return;
        take_floor(view, event);
    }
    if (hear(view, offset, text_of(event, "text")))
        catch_up(view);
}

/* The rest of what was being shown, where it goes on from there; otherwise all of it anew. */
static void finish_floor(struct discussion_view *view, const json_t *entry)
{
    const json_t *metadata = json_object_get(entry, "metadata");
    const char *content = text_of(entry, "content"), *said = view->said.bytes ? view->said.bytes : "";
    size_t len = view->said.len;

    while (len > 0 && strchr(" \t\r\n", said[len - 1]))
        len--;
    if (len > 0 && !json_is_true(json_object_get(metadata, "pass")) && strncmp(content, said, len) == 0 &&
        is_new(view, entry)) {
        if (strlen(content) > view->said.len)
            show_words(view, false, content + view->said.len);
        if (json_is_true(json_object_get(metadata, "partial")))
            show_text(view, "\n(cut off)");
    }
    view_break_off(view);
    show_entry(view, entry);
}

/* Nobody is cut off by what somebody else has finished meanwhile. */
void view_entry(struct discussion_view *view, const json_t *entry)
{
    if (!json_is_object(entry))
        return;
    if (is_of_floor(view, entry))
        finish_floor(view, entry);
    else if (*view->floor)
        json_array_append(view->behind, (json_t *)entry);
    else
        show_entry(view, entry);
}

static void take_finished(struct discussion_view *view, const json_t *event)
{
    const char *kind = text_of(event, "kind");

    if (!*kind || strcmp(kind, "turn") == 0)
        view_entry(view, json_object_get(event, "entry"));
}

/* The last vote comes with an event and, when it is over, with the result. */
static void show_vote(struct discussion_view *view, const json_t *vote)
{
    BUF_AUTO text = { 0 };

    if (!json_is_object(vote) || json_equal(vote, view->vote))
        return;
    json_decref(view->vote);
    view->vote = json_deep_copy(vote);
    view_break_off(view);
    buf_init(&text, 0);
    outcome_vote(vote, view->rehearsal, &text);
    show(view, &text);
}

static void take_vote(struct discussion_view *view, const json_t *event)
{
    show_vote(view, json_object_get(event, "vote"));
}

static void take_waiting(struct discussion_view *view, const json_t *event)
{
    const char *who = text_of(event, "nextSpeaker");

    if (!*who)
        who = text_of(event, "speaker");
    view_break_off(view);
    cli_note(view->cli, *who ? "Waiting for %s." : "Waiting.%s", who);
}

static void take_said(struct discussion_view *view, const json_t *event)
{
    view_entry(view, json_object_get(event, "entry"));
}

void view_event(struct discussion_view *view, const json_t *event)
{
    static void (*const known[EVENT_TYPE_END])(struct discussion_view *, const json_t *) = {
        [EVENT_TURN_DELTA] = take_delta,        [EVENT_TURN_FINISHED] = take_finished,
        [EVENT_TURN_STARTED] = take_started,    [EVENT_TURN_WAITING] = take_waiting,
        [EVENT_VOTE_COUNTED] = take_vote,       [EVENT_DISCUSSION_WAITING] = take_waiting,
        [EVENT_DISCUSSION_MESSAGE] = take_said, [EVENT_DISCUSSION_INTERJECTED] = take_said,
    };
    enum event_type type = event_type_of(text_of(event, "type"));

    if (known[type])
        known[type](view, event);
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
    ARENA_AUTO arena = { 0 };
    const json_t *discussion = json_object_get(state, "discussion"),
                 *result = json_object_get(state, "result");
    const char *reason = text_of(discussion, "endReason");
    const char *shadow = outcome_shadow(&arena, json_object_get(result, "shadow"));
    int64_t said = json_integer_value(json_object_get(result, "total_contributions"));

    view_break_off(view);
    show_vote(view, json_object_get(result, "vote"));
    if (json_is_object(result))
        cli_note(view->cli, "\xE2\x9C\xA8 %s after %lld round(s) with %lld contribution(s)%s%s.",
                 text_of(discussion, "status"), (long long)json_array_size(json_object_get(result, "rounds")),
                 (long long)said, *reason ? ": " : "", outcome_reason(reason));
    if (*shadow)
        cli_note(view->cli, "%s", shadow);
    if (view_is_rehearsed(json_object_get(state, "entries")))
        cli_note(view->cli, REHEARSAL_NOTICE);
}
