/*
 * The line is read from left to right by what a label is made of. Where the text ends within it, more of it
 * might still make one.
 */
#include "core/council/rules/label.h"

#include "base/str.h"

#include <string.h>

#define MARKS_MAX 4 /* asterisks or underscores around a label */

static const char *skip_any(const char *at, const char *set, size_t most)
{
    while (*at && most-- > 0 && strchr(set, *at))
        at++;
    return at;
}

/* Whether the text goes on with this name, however it is written, and past it; it may also end within it. */
static enum label_match skip_name(const char **at, const char *name)
{
    size_t len = 0;

    switch (str_begins_with_name(*at, name, &len)) {
    case STR_BEGINS_OTHER: return LABEL_NOT;
    case STR_BEGINS_PART: return LABEL_MAYBE;
    case STR_BEGINS_WHOLE: *at += len; return LABEL_IS;
    }
    return LABEL_NOT;
}

/* Past "[Round 12] ", or where it was. */
static enum label_match skip_round(const char **at)
{
    const char *digits = *at, *end;
    enum label_match begins = skip_name(&digits, "[round ");

    if (begins != LABEL_IS)
        return begins;
    end = skip_any(digits, "0123456789", 9);
    if (!*end)
        return LABEL_MAYBE;
    if (end == digits || *end != ']')
        return LABEL_NOT;
    *at = skip_any(end + 1, " \t", 8);
    return LABEL_IS;
}

/* What may stand behind a name: its bracket, marks, white space and the colon. */
static enum label_match behind_name(const char **at, bool bracket)
{
    if (!**at)
        return LABEL_MAYBE;
    if (bracket && *(*at)++ != ']')
        return LABEL_NOT;
    *at = skip_any(skip_any(*at, "*_", MARKS_MAX), " \t", 8);
    if (**at == ':') {
        *at = skip_any(*at + 1, "*_", MARKS_MAX);
        return LABEL_IS;
    }
    return bracket ? LABEL_IS : **at ? LABEL_NOT : LABEL_MAYBE;
}

enum label_match label_match(const char *line, const char *name, bool bare, size_t *len)
{
    const char *at = skip_any(skip_any(line, " \t", 64), "*_", MARKS_MAX);
    enum label_match round = skip_round(&at), found;

    if (!*name)
        return LABEL_NOT;
    if (round == LABEL_MAYBE)
        return LABEL_MAYBE;
    at = skip_any(at, "*_", MARKS_MAX);
    bool bracket = *at == '[';

    if (!bare && !bracket && round != LABEL_IS)
        return *at ? LABEL_NOT : LABEL_MAYBE;
    at += bracket;
    found = skip_name(&at, name);
    if (found != LABEL_IS)
        return found;
    found = behind_name(&at, bracket);
    if (found == LABEL_IS)
        *len = (size_t)(at - line);
    return found;
}

size_t label_bracketed(const char *text)
{
    const char *at = skip_any(text, "*_", MARKS_MAX);
    size_t inside = *at == '[' ? strcspn(at + 1, "[]\n") : 0;

    if (inside == 0 || inside > LABEL_MOST || at[1 + inside] != ']')
        return 0;
    at += inside + 2;
    at = skip_any(skip_any(at, "*_", MARKS_MAX), " \t", 8);
    if (*at == ':')
        at = skip_any(at + 1, "*_", MARKS_MAX);
    return (size_t)(at - text);
}
