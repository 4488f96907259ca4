/*
 * What of a reply may be shown while it is still coming in. Nothing is held back that can only be text, so
 * that the first words reach readers at once.
 */
#include "core/council/rules/label.h"
#include "core/council/rules/reply_cut.h"

#include <string.h>
#include <strings.h>

#define TOKEN_MAX 64 /* bytes of the longest token that is cut */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Where the text ends in the beginning of a stop sequence; its length when it does not. */
static size_t before_stop(const char *text, size_t len, const char *stop)
{
    for (size_t part = least(strlen(stop), len + 1) - 1; part > 0; part--)
        if (memcmp(text + len - part, stop, part) == 0)
            return len - part;
    return len;
}

/* Where a token may have begun that is not closed yet. */
static size_t before_token(const char *text, size_t len)
{
    for (size_t at = len; at > 0 && len - at < TOKEN_MAX; at--) {
        if (strchr(" \n>]", text[at - 1]))
            return len;
        if ((text[at - 1] == '<' && (at < 2 || text[at - 2] != '<')) || text[at - 1] == '[')
            return at - 1;
    }
    return len;
}

/* Whether more text could make a label of this name out of the line. */
static bool may_become_label(const char *line, const char *name, bool bare)
{
    size_t ignored;

    return label_match(line, name, bare, &ignored) != LABEL_NOT;
}

static size_t before_label(const struct reply_rules *rules, const char *text, size_t len)
{
    const char *line = memrchr(text, '\n', len);
    bool first = !line;

    line = line ? line + 1 : text;
    if (strlen(line) > LABEL_MOST)
        return len;
    bool open = line[strspn(line, " \t*_")] == '[';

    if (first && rules->speaker)
        open = open || may_become_label(line, rules->speaker, true);
    for (size_t i = 0; !open && i < rules->other_count; i++)
        open = may_become_label(line, rules->others[i], rules->mode == MODE_TURNS);
    return open ? (size_t)(line - text) : len;
}

size_t reply_showable(struct arena *arena, const struct reply_rules *rules, const struct reply *reply)
{
    const char *text = reply->text, *stops[LIMIT_STOPS];
    size_t whole = strlen(text), len = whole;

    if (reply->stop || reply->other || reply->too_long)
        return whole;
    size_t count = reply_stops(arena, rules, stops);

    for (size_t i = 0; i < count; i++)
        len = least(len, before_stop(text, whole, stops[i]));
    len = least(len, before_token(text, whole));
    len = least(len, before_label(rules, text, whole));
    /* Nor is the white space before what may go. */
    while (len > 0 && strchr(" \t\n", text[len - 1]))
        len--;
    return len;
}

/* Not while the beginning may still turn out to be the speaker's own label, behind which all of it is text,
 * nor while there is nothing before the cut: a pass, or whose label it begins with, is told by what follows.
 */
bool reply_is_over(const struct reply_rules *rules, const struct reply *reply)
{
    size_t ignored;

    if (!*reply->text || !(reply->stop || reply->other || reply->too_long))
        return false;
    return !rules->speaker || label_match(reply->whole, rules->speaker, true, &ignored) != LABEL_MAYBE;
}
