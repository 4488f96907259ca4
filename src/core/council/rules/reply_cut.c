/*
 * The order of the steps matters: the speaker's own label is taken off first, or a stop sequence such as "["
 * would cut the whole reply at its beginning. Of stops and other speakers' labels the earliest cut wins, and
 * what was cut by is kept for the ruling.
 */
#include "core/council/rules/reply_cut.h"

#include "base/str.h"
#include "core/council/rules/label.h"
#include "core/council/rules/pass.h"
#include "core/council/rules/reply_clean.h"

#include <string.h>

#define OPENINGS_MOST 8 /* that are passed over */

static const char *const turn_stops[] = { "[", "\n\n", "Speaker:" };

const char *const reply_lacks[] = { "nothing", "unreadable", "tokens", "thought",
                                    "label",   "stop",       "other",  NULL };
WORDS_FIT(reply_lacks, LACK_END);

struct reply_rules reply_rules_of(struct arena *arena, const struct seating *seating, enum turn_kind kind,
                                  const char *speaker)
{
    struct reply_rules rules = { .mode = MODE_ROUNDS, .speaker = speaker };

    if (kind != TURN_TURN)
        return rules;
    rules.mode = seating->mode;
    rules.others = order_others(arena, seating, speaker, &rules.other_count);
    return rules;
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

static size_t label_length(const char *line, const char *name, bool bare)
{
    size_t len = 0;

    return label_match(line, name, bare, &len) == LABEL_IS ? len : 0;
}

/* As often as it stands there. */
static const char *past_own_label(const char *text, const char *speaker)
{
    size_t len;

    text = str_past_space(text);
    while (speaker && (len = label_length(text, speaker, true)) > 0)
        text = str_past_space(text + len);
    return text;
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
        bool own = rules->speaker && str_same_name(rules->others[i], rules->speaker);

        if (!own && label_length(line, rules->others[i], rules->mode == MODE_TURNS) > 0)
            return rules->others[i];
    }
    return NULL;
}

/* What the speaker says under its own label, in a text that begins with another's; NULL: nothing. */
static const char *own_part(const struct reply_rules *rules, const char *text)
{
    for (const char *end = strchr(text, '\n'); end && rules->speaker; end = strchr(end + 1, '\n'))
        if (label_length(end + 1, rules->speaker, true) > 0)
            return past_own_label(end + 1, rules->speaker);
    return NULL;
}

/* A bracket that is still open on its first line may become a label. */
static bool may_become_bracketed(const char *text)
{
    return *text == '[' && strcspn(text, "]\n") == strlen(text) && strlen(text) <= LABEL_MOST;
}

/* Bytes of the stop sequence at the start of a text that says more than a pass, with the label that it
 * begins. */
static size_t opening_length(const char *text, const char *const stops[], size_t count)
{
    const char *unmarked = text + strspn(text, "*_");
    size_t label = label_bracketed(text);

    if (pass_is_marked(text) || may_become_bracketed(text))
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (label > 0 && str_starts(unmarked, stops[i]))
            return label;
        if (str_starts(text, stops[i]))
            return strlen(stops[i]);
    }
    return 0;
}

/* The second time, past what would else end the reply at its beginning. */
static const char *past_opening(struct arena *arena, const struct reply_rules *rules, const char *text)
{
    const char *stops[LIMIT_STOPS];
    size_t count = reply_stops(arena, rules, stops), len;

    if (!rules->again)
        return text;
    for (int i = 0; i < OPENINGS_MOST; i++) {
        const char *own = other_at(rules, text) ? own_part(rules, text) : NULL;

        if (own)
            text = own;
        if (other_at(rules, text) || (len = opening_length(text, stops, count)) == 0)
            break;
        text = past_own_label(text + len, rules->speaker);
    }
    return text;
}

static size_t find_other(const struct reply_rules *rules, struct reply *reply, size_t end)
{
    for (const char *line = reply->text; line == reply->text || line < reply->text + end;) {
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

    const char *text = past_own_label(clean.text, rules->speaker);

    /* Copied once, since a reply may be nothing but labels. */
    reply.whole = reply.text = str_trim(arena, past_opening(arena, rules, text));
    if (!*reply.text) {
        reply.lack = *text ? LACK_STOP : rules->stopped ? LACK_STOP : early_lack(&clean, raw, len);
        return reply;
    }
    size_t end = find_stop(arena, rules, &reply);

    end = find_other(rules, &reply, end);
    if (end > LIMIT_MESSAGE) {
        end = str_fitting(reply.text, LIMIT_MESSAGE);
        reply.too_long = true;
    }
    reply.text = str_trim(arena, arena_copy(arena, reply.text, end));
    /* What is left of a label in bold is no text. */
    if ((reply.stop || reply.other || rules->stopped) && !reply.text[strspn(reply.text, "*_ \t")])
        reply.text = "";
    if (!*reply.text)
        reply.lack = reply.other ? LACK_OTHER : LACK_STOP;
    return reply;
}
