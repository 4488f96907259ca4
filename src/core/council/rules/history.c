/*
 * The text is made anew for each turn. Where it no longer fits, half a window is given up at once rather than
 * one entry, so that a summary is not needed with every turn. Only we write at the start of a line: the
 * others of what was said are set in.
 */
#include "core/council/rules/history.h"

#include "base/buf.h"
#include "core/council/rules/said.h"

#include <string.h>

#define LABEL_ROOM 16 /* bytes of a label beside the name, about */

static bool is_shown(const struct history *history, const struct council_entry *entry)
{
    return entry->kind == ENTRY_SAID && (history->before_round == 0 || entry->round < history->before_round);
}

/* Of mode turns only the last ten. */
static size_t first_shown(const struct history *history)
{
    size_t first = history->count, shown = 0;

    if (history->mode != MODE_TURNS)
        return history->first;
    while (first > history->first && shown < HISTORY_ENTRIES) {
        first--;
        shown += is_shown(history, &history->entries[first]);
    }
    return first;
}

static void add_entry(struct buf *out, enum council_mode mode, const struct council_entry *entry)
{
    if (mode == MODE_TURNS)
        buf_format(out, "[%s]: ", entry->speaker);
    else
        buf_format(out, "[Round %d] %s: ", entry->round, entry->speaker);
    said_set_in(entry->content, out);
    buf_char(out, '\n');
}

char *history_summary(struct arena *arena, const char *summary)
{
    BUF_AUTO out;

    buf_init(&out, 0);
    said_set_in_whole(summary, &out);
    return arena_copy(arena, out.bytes ? out.bytes : "", out.len);
}

char *history_text(struct arena *arena, const struct history *history)
{
    BUF_AUTO out;
    int round = 0;

    buf_init(&out, 0);
    for (size_t i = first_shown(history); i < history->count; i++) {
        const struct council_entry *entry = &history->entries[i];

        if (!is_shown(history, entry))
            continue;
        if (round != 0 && entry->round != round && history->mode != MODE_TURNS)
            buf_char(&out, '\n');
        round = entry->round;
        add_entry(&out, history->mode, entry);
    }
    while (out.len > 0 && out.bytes[out.len - 1] == '\n')
        out.len--;
    char *said = arena_copy(arena, out.bytes ? out.bytes : "", out.len);

    if (history->summary && *history->summary)
        return arena_format(arena, "%s\n%s%s%s%s%s", HISTORY_SUMMARY,
                            history_summary(arena, history->summary), *said ? "\n\n" : "",
                            *said && history->mode != MODE_TURNS ? HISTORY_HEADING : "",
                            *said && history->mode != MODE_TURNS ? "\n\n" : "", said);
    if (!*said)
        return arena_text(arena, HISTORY_NOTHING);
    return history->mode == MODE_TURNS ? said : arena_format(arena, "%s\n\n%s", HISTORY_HEADING, said);
}

static size_t entry_bytes(const struct history *history, size_t index)
{
    const struct council_entry *entry = &history->entries[index];

    return is_shown(history, entry) ? strlen(entry->content) + strlen(entry->speaker) + LABEL_ROOM : 0;
}

/* The first entry from which on all fit into so many bytes; the newest is always among them. */
static size_t first_fitting(const struct history *history, size_t from, size_t bytes)
{
    size_t first = history->count, taken = 0;

    while (first > from) {
        size_t more = entry_bytes(history, first - 1);

        if (taken + more > bytes && taken > 0)
            break;
        taken += more;
        first--;
    }
    return first;
}

struct history_plan history_plan(const struct history *history, size_t summarised, size_t bytes)
{
    size_t from = summarised < history->count ? summarised : history->count;

    if (first_fitting(history, from, bytes) == from)
        return (struct history_plan){ .first = from };
    return (struct history_plan){ .first = first_fitting(history, from, bytes / 2),
                                  .summarise = true,
                                  .from = from };
}
