/*
 * The order of the steps matters: the speaker's own label is taken off first, or a stop sequence such as "["
 * would cut the whole reply at its beginning. Of stops and other speakers' labels the earliest cut wins, and
 * what was cut by is kept for the ruling.
 */
#include "core/council/reply_cut.h"

#include "base/str.h"
#include "core/council/reply_clean.h"

#include <string.h>
#include <strings.h>

#define MARKS_MAX 4 /* asterisks or underscores around a label */

static const char *const turn_stops[] = { "[", "\n\n", "Speaker:" };

const char *reply_lack_name(enum reply_lack lack)
{
    static const char *const names[] = {
        [LACK_NONE] = "none",     [LACK_NOTHING] = "nothing", [LACK_UNREADABLE] = "unreadable",
        [LACK_TOKENS] = "tokens", [LACK_THOUGHT] = "thought", [LACK_LABEL] = "label",
        [LACK_STOP] = "stop",     [LACK_OTHER] = "other",
    };

    return names[lack];
}

const char *reply_lack_sentence(enum reply_lack lack)
{
    static const char *const sentences[] = {
        [LACK_NONE] = "",
        [LACK_NOTHING] = "The model sent nothing.",
        [LACK_UNREADABLE] = "The model sent nothing that can be read.",
        [LACK_TOKENS] = "The model sent nothing but control tokens.",
        [LACK_THOUGHT] = "The model thought about it, and said nothing.",
        [LACK_LABEL] = "The model sent nothing but its own name.",
        [LACK_STOP] = "The model began with a stop sequence.",
        [LACK_OTHER] = "The model began to speak for somebody else.",
    };

    return sentences[lack];
}

size_t reply_stops(struct arena *arena, const struct reply_rules *rules, const char *stops[LIMIT_STOPS])
{
    size_t count = 0;

    for (size_t i = 0; i < rules->stop_count && count < LIMIT_STOPS; i++) {
        const char *stop = rules->stops[i];

        if (*stop && str_is_utf8(stop, strlen(stop)))
            stops[count++] = str_is_blank(stop) ? stop : str_trim(arena, stop);
    }
    if (count > 0 || rules->mode != MODE_TURNS)
        return count;
    memcpy(stops, turn_stops, sizeof(turn_stops));
    return sizeof(turn_stops) / sizeof(*turn_stops);
}

static const char *skip_any(const char *at, const char *set, size_t most)
{
    while (*at && most-- > 0 && strchr(set, *at))
        at++;
    return at;
}

/* Past "[Round 12] ", or where it was. */
static const char *skip_round(const char *at)
{
    if (strncasecmp(at, "[round ", 7) != 0)
        return at;
    const char *end = skip_any(at + 7, "0123456789", 9);

    return end > at + 7 && *end == ']' ? skip_any(end + 1, " \t", 8) : at;
}

/* Bytes of the label of this name at the start of a line; 0 when there is none. */
static size_t label_length(const char *line, const char *name, bool bare)
{
    const char *at = skip_any(skip_any(line, " \t", 64), "*_", MARKS_MAX);
    const char *start = skip_round(at);
    bool marked = start > at;
    size_t len = strlen(name);

    at = skip_any(start, "*_", MARKS_MAX);
    bool bracket = *at == '[';

    at += bracket;
    if (len == 0 || strncasecmp(at, name, len) != 0)
        return 0;
    at += len;
    if (bracket && *at++ != ']')
        return 0;
    at = skip_any(skip_any(at, "*_", MARKS_MAX), " \t", 8);
    if (*at == ':')
        at = skip_any(at + 1, "*_", MARKS_MAX);
    else if (!bracket)
        return 0;
    return bare || bracket || marked ? (size_t)(at - line) : 0;
}

/* As often as it stands there; copied once, since a reply may be nothing else. */
static const char *cut_own_label(struct arena *arena, const char *text, const char *speaker)
{
    size_t len;

    text = str_past_space(text);
    while (speaker && (len = label_length(text, speaker, true)) > 0)
        text = str_past_space(text + len);
    return str_trim(arena, text);
}

static size_t find_stop(struct arena *arena, const struct reply_rules *rules, struct reply *reply)
{
    const char *stops[LIMIT_STOPS];
    size_t count = reply_stops(arena, rules, stops), end = strlen(reply->text);

    for (size_t i = 0; i < count; i++) {
        const char *found = memmem(reply->text, end, stops[i], strlen(stops[i]));

        if (found) {
            end = (size_t)(found - reply->text);
            reply->stop = stops[i];
        }
    }
    return end;
}

static const char *other_at(const struct reply_rules *rules, const char *line)
{
    for (size_t i = 0; i < rules->other_count; i++) {
        bool own = rules->speaker && strcasecmp(rules->others[i], rules->speaker) == 0;

        if (!own && label_length(line, rules->others[i], rules->mode == MODE_TURNS) > 0)
            return rules->others[i];
    }
    return NULL;
}

static size_t find_other(const struct reply_rules *rules, struct reply *reply, size_t end)
{
    for (const char *line = reply->text; line < reply->text + end;) {
        const char *other = other_at(rules, line), *next = strchr(line, '\n');

        if (other) {
            reply->other = other;
            reply->stop = NULL;
            return (size_t)(line - reply->text);
        }
        if (!next)
            break;
        line = next + 1;
    }
    return end;
}

/* Why nothing is left before stops and others are looked for. */
static enum reply_lack early_lack(const struct reply_clean *clean, const char *raw, size_t len)
{
    if (!str_is_blank(clean->text))
        return LACK_LABEL;
    if (clean->thought)
        return LACK_THOUGHT;
    if (clean->tokens > 0)
        return LACK_TOKENS;
    for (size_t i = 0; i < len; i++)
        if (!strchr(" \t\r\n", raw[i]))
            return LACK_UNREADABLE;
    return LACK_NOTHING;
}

struct reply reply_cut(struct arena *arena, const struct reply_rules *rules, const char *raw, size_t len)
{
    struct reply_clean clean = reply_clean(arena, raw, len);
    struct reply reply = { .thought = clean.thought, .mended = clean.mended };

    reply.whole = reply.text = cut_own_label(arena, clean.text, rules->speaker);
    if (!*reply.text) {
        reply.lack = early_lack(&clean, raw, len);
        return reply;
    }
    size_t end = find_stop(arena, rules, &reply);

    end = find_other(rules, &reply, end);
    if (end > LIMIT_MESSAGE) {
        end = str_fitting(reply.text, LIMIT_MESSAGE);
        reply.too_long = true;
    }
    reply.text = str_trim(arena, arena_copy(arena, reply.text, end));
    if (!*reply.text)
        reply.lack = reply.other ? LACK_OTHER : LACK_STOP;
    return reply;
}
