/*
 * Text is held back only as far as it may still become a stop, the label or the secret. At the end of the
 * stream what was held turns out to be text, and a shorter candidate inside it is looked for again.
 */
#include "llm/stops.h"

#include "base/limits.h"
#include "base/str.h"

#include <string.h>

static void add(struct stops *stops, const char *text, bool is_secret)
{
    if (*text)
        stops->list[stops->count++] = (struct stop){ text, strlen(text), is_secret };
}

void stops_init(struct stops *stops, struct arena *arena, const char *const *list, size_t count,
                const char *speaker)
{
    *stops = (struct stops){ .list = arena_array(arena, struct stop, count + 1) };
    for (size_t i = 0; i < count; i++)
        add(stops, str_is_blank(list[i]) ? arena_text(arena, list[i]) : str_trim(arena, list[i]), false);
    if (speaker && *speaker) {
        stops->labels[0] = arena_format(arena, "[%s]:", speaker);
        stops->labels[1] = arena_format(arena, "%s:", speaker);
    }
    buf_init(&stops->held, 0);
}

void stops_hide(struct stops *stops, struct arena *arena, const char *secret)
{
    if (secret)
        add(stops, arena_text(arena, secret), true);
}

void stops_done(struct stops *stops)
{
    buf_done(&stops->held);
}

void stops_reset(struct stops *stops)
{
    buf_clear(&stops->held);
    stops->state = STOPS_BEFORE_LABEL;
    stops->emitted = false;
}

static void emit(struct stops *stops, const char *text, size_t len)
{
    if (len == 0)
        return;
    stops->emitted = true;
    stops->emit(stops->user, text, len);
}

static void drop(struct stops *stops, size_t len)
{
    memmove(stops->held.bytes, stops->held.bytes + len, stops->held.len - len);
    stops->held.len -= len;
    stops->held.bytes[stops->held.len] = '\0';
}

static void drop_space(struct stops *stops)
{
    size_t space = strspn(stops->held.bytes, " \t\r\n\v\f");

    if (space > 0)
        drop(stops, space);
}

/* Whether what is held begins with a label, or may once more has come. */
static bool match_label(struct stops *stops, const char *label, bool *undecided)
{
    size_t len;
    enum str_beginning found =
        label && *label ? str_begins_with_name(stops->held.bytes, label, &len) : STR_BEGINS_OTHER;

    *undecided |= found == STR_BEGINS_PART;
    if (found == STR_BEGINS_WHOLE)
        drop(stops, len);
    return found == STR_BEGINS_WHOLE;
}

/* Past the white space and the label at the beginning; false: that cannot be said yet. */
static bool begin(struct stops *stops, bool at_end)
{
    bool undecided = false;

    if (stops->held.len == 0)
        return false;
    drop_space(stops);
    if (stops->state == STOPS_BEFORE_LABEL && stops->held.len > 0) {
        if (match_label(stops, stops->labels[0], &undecided) ||
            match_label(stops, stops->labels[1], &undecided)) {
            drop_space(stops);
            undecided = false;
        }
        if (undecided && !at_end)
            return false;
        stops->state = STOPS_AFTER_LABEL;
    }
    if (stops->held.len == 0)
        return false;
    stops->state = STOPS_INSIDE;
    return true;
}

/* The first place at or after `from` where a stop begins, whole or as far as the text goes. */
static const struct stop *find(const struct stops *stops, size_t from, size_t *at, bool *whole)
{
    const char *text = stops->held.bytes;

    for (*at = from; *at < stops->held.len; ++*at) {
        const struct stop *part = NULL;

        for (size_t i = 0; i < stops->count; i++) {
            const struct stop *stop = &stops->list[i];
            size_t left = stops->held.len - *at;

            if (stop->text[0] != text[*at] ||
                memcmp(stop->text, text + *at, stop->len < left ? stop->len : left) != 0)
                continue;
            if (stop->len <= left) {
                *whole = true;
                return stop;
            }
            part = stop;
        }
        if (part) {
            *whole = false;
            return part;
        }
    }
    return NULL;
}

/* Lets out what is known to be text. */
static bool release(struct stops *stops, bool at_end)
{
    size_t at, from = 0, done = 0;
    bool whole;

    for (;;) {
        const struct stop *stop = find(stops, from, &at, &whole);

        if (!stop || (!whole && at_end)) {
            if (stop) { /* what only may have become one is text; the next place may still be one */
                from = at + 1;
                continue;
            }
            emit(stops, stops->held.bytes + done, stops->held.len - done);
            buf_clear(&stops->held);
            return true;
        }
        emit(stops, stops->held.bytes + done, at - done);
        if (!whole) {
            drop(stops, at);
            return true;
        }
        if (!stop->is_secret) {
            stops->state = STOPS_HIT;
            buf_clear(&stops->held);
            return false;
        }
        emit(stops, "***", 3);
        done = from = at + stop->len;
    }
}

bool stops_feed(struct stops *stops, const char *text, size_t len)
{
    if (stops->state == STOPS_HIT)
        return false;
    if (stops->count == 0 && stops->state == STOPS_INSIDE) {
        emit(stops, text, len);
        return true;
    }
    buf_add(&stops->held, text, len);
    if (stops->state != STOPS_INSIDE && !begin(stops, false))
        return true;
    return release(stops, false);
}

void stops_flush(struct stops *stops)
{
    if (stops->state == STOPS_HIT || (stops->state != STOPS_INSIDE && !begin(stops, true)))
        return;
    (void)release(stops, true);
}
