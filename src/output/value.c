/*
 * Building the values of an object from a place in a text, repairing what can be repaired.
 *
 * An object that the scan found complete is read exactly. Of any other we guess: where a quote inside a
 * string is one that closes it (what follows decides), where a comma is missing, which bare words are keys or
 * values. Whatever had to be skipped marks the reading as broken, and the end of the text as cut.
 *
 * Guessing looks ahead, and a text of nothing but quotes would have each of them look at the same bytes. So a
 * reading may look ahead at a few times the bytes that it reads, and takes quotes as they come after that.
 */
#include "output/parts.h"

#include "base/limits.h"

#include <string.h>

#define LOOKS ((size_t)4) /* bytes that may be looked ahead at for each that is read */

enum place { IN_KEY, IN_MAP, IN_LIST, ANYWHERE };

static struct value *read_value(struct reading *r, enum place place);

struct value *value_new(struct arena *arena, enum value_type type)
{
    struct value *value = arena_new(arena, struct value);

    value->type = type;
    return value;
}

void value_append(struct value *parent, struct value *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

const struct value *value_member(const struct value *map, const char *key)
{
    if (!map || map->type != VALUE_MAP)
        return NULL;
    for (const struct value *member = map->first; member; member = member->next)
        if (member->key && strcmp(member->key, key) == 0)
            return member;
    return NULL;
}

static bool is_space(char c)
{
    return (unsigned char)c <= ' ';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '-' || (unsigned char)c >= 0x80;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static size_t after_space(const struct reading *r, size_t at)
{
    while (at < r->len && is_space(r->text[at]))
        at++;
    return at;
}

/* '#' alone starts no comment: it may stand for a number. */
static bool comment_starts(const struct reading *r, size_t at)
{
    if (r->len - at < 2)
        return false;
    char first = r->text[at], second = r->text[at + 1];

    return (first == '/' && (second == '*' || second == '/')) ||
           (first == '#' && (second == ' ' || second == '#'));
}

/* Where the comment that starts here ends; the start itself when none does. */
static size_t after_comment(const struct reading *r, size_t at)
{
    size_t left = r->len - at;
    const char *end;

    if (!comment_starts(r, at))
        return at;
    if (r->text[at + 1] == '*') {
        end = memmem(r->text + at + 2, left - 2, "*/", 2);
        return end ? (size_t)(end - r->text) + 2 : r->len;
    }
    end = memchr(r->text + at, '\n', left);
    return end ? (size_t)(end - r->text) : r->len;
}

/* after_space for a look ahead, which ends where the reading may look no further. */
static size_t look_past_space(struct reading *r, size_t at)
{
    while (at < r->len && r->looks > 0 && is_space(r->text[at])) {
        at++;
        r->looks--;
    }
    return at;
}

static void skip_space(struct reading *r)
{
    for (;;) {
        size_t at = after_space(r, r->at), past = r->exact ? at : after_comment(r, at);

        r->at = past;
        if (past == at)
            return;
    }
}

/* Whether a key and its colon stand here, as far as one can see: a key longer than the look is one. */
static bool key_follows(struct reading *r, size_t at)
{
    size_t look = r->looks < OUTPUT_KEY_BYTES ? r->looks : OUTPUT_KEY_BYTES, start = at;
    size_t limit = r->len - at < look ? r->len : at + look;

    if (at == r->len || r->text[at] == '}')
        return true;
    if (is_quote(r->text[at])) {
        char quote = r->text[at++];

        while (at < limit && r->text[at] != quote)
            at += r->text[at] == '\\' ? 2 : 1;
        at++;
    } else if (is_word(r->text[at])) {
        while (at < limit && is_word(r->text[at]))
            at++;
    } else {
        return comment_starts(r, at);
    }
    r->looks -= (at < limit ? at : limit) - start;
    if (at >= limit)
        return true;
    at = look_past_space(r, at);
    return at == r->len || r->text[at] == ':';
}

static bool value_follows(const struct reading *r, size_t at)
{
    char c = at < r->len ? r->text[at] : ']';

    return is_quote(c) || strchr("{[]}-0123456789tfnTFN", c) || comment_starts(r, at);
}

/* Whether a quote that ends before `at` closes its string, judged by what follows. */
static bool closes(struct reading *r, size_t at, enum place place)
{
    size_t next = look_past_space(r, at);
    char c = next < r->len ? r->text[next] : '\0';

    if (next == r->len || r->looks == 0)
        return true;
    if (place == IN_KEY)
        return c == ':';
    if (c == '}' || c == ']' || (c == ':' && place == ANYWHERE))
        return true;
    if (c == ',') {
        next = look_past_space(r, next + 1);
        return place == ANYWHERE || (place == IN_LIST ? value_follows(r, next) : key_follows(r, next));
    }
    if (comment_starts(r, next) && (c != '#' || memchr(r->text + at, '\n', next - at)))
        return true;
    /* A comma is missing when another string, or a key in a new line, stands apart from this one. */
    if (next == at)
        return false;
    if (place == IN_LIST)
        return is_quote(c) || c == '{';
    return place == IN_MAP && (is_quote(c) || memchr(r->text + at, '\n', next - at)) && key_follows(r, next);
}

/* Reads the string whose quote stands here; false when the text ends first. */
static bool read_string(struct reading *r, enum place place, size_t *start, size_t *end)
{
    char quote = r->text[r->at];
    size_t at = *start = r->at + 1;
    size_t limit =
        place == IN_KEY && !r->exact && r->len - at > OUTPUT_KEY_BYTES ? at + OUTPUT_KEY_BYTES : r->len;

    while (at < limit) {
        if (r->text[at] == '\\') {
            at += 2;
        } else if (r->text[at] == quote && (r->exact || closes(r, at + 1, place))) {
            *end = at;
            r->at = at + 1;
            return true;
        } else {
            at++;
        }
    }
    *end = at < r->len ? at : r->len;
    r->at = *end;
    return false;
}

/* A value; NULL when nothing is kept here, or there are too many already. */
static struct value *take(struct reading *r, enum value_type type)
{
    size_t *room = &r->room[r->in_questions ? 0 : 1];

    if (r->skipping)
        return NULL;
    if (*room == 0) {
        r->full |= !r->in_questions;
        return NULL;
    }
    --*room;
    struct value *value = value_new(r->arena, type);

    value->raw = r->text + r->at;
    return value;
}

static struct value *finish(struct reading *r, struct value *value, bool whole)
{
    if (value) {
        value->raw_len = (size_t)(r->text + r->at - value->raw);
        value->whole = whole;
    }
    return value;
}

static struct value *read_text(struct reading *r, enum place place)
{
    struct value *value = take(r, VALUE_TEXT);
    size_t start, end;
    bool whole = read_string(r, place, &start, &end);

    if (!whole)
        r->cut = true;
    if (value)
        value->text = value_decode(r->arena, r->text + start, end - start, true);
    return finish(r, value, whole);
}

static bool is_one_of(const char *text, size_t len, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == len && memcmp(*words, text, len) == 0)
            return true;
    return false;
}

static enum value_type bare_type(const char *text, size_t len)
{
    static const char *const nothing[] = { "null", "None", "undefined", "nil", "NaN", NULL };
    static const char *const truth[] = { "true", "false", "True", "False", NULL };

    if (len == 0 || is_one_of(text, len, nothing))
        return VALUE_NULL;
    if (is_one_of(text, len, truth))
        return VALUE_BOOL;
    for (size_t i = 0; i < len; i++)
        if (!strchr("+-.0123456789eE", text[i]) || text[i] == '\0')
            return VALUE_TEXT;
    return VALUE_NUMBER;
}

/* A number, a literal, or a word that ought to have had quotes. */
static struct value *read_bare(struct reading *r)
{
    struct value *value = take(r, VALUE_NULL);
    size_t start = r->at;

    while (r->at < r->len && !strchr(",}]\n{[\"", r->text[r->at]))
        r->at++;
    size_t end = r->at;

    while (end > start && is_space(r->text[end - 1]))
        end--;
    if (end == start)
        r->broken = true;
    if (r->at == r->len)
        r->cut = true;
    if (value) {
        value->type = bare_type(r->text + start, end - start);
        value->bare = true;
        value->text = value_decode(r->arena, r->text + start, end - start, false);
    }
    return finish(r, value, r->at < r->len);
}

/* Passes over a container that is nested too deep, or that nobody asked for. */
static void pass_over(struct reading *r)
{
    size_t depth = 0, start, end;

    while (r->at < r->len) {
        char c = r->text[r->at];

        if (c == '"') {
            if (!read_string(r, ANYWHERE, &start, &end))
                break;
            continue;
        }
        r->at++;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return;
    }
    r->cut = true;
}

struct key {
    size_t start, end;
    enum known_key known;
};

/* Reads a key with its colon. */
static bool read_key(struct reading *r, struct key *key)
{
    key->start = key->end = r->at;
    if (is_quote(r->text[r->at])) {
        if (!read_string(r, IN_KEY, &key->start, &key->end))
            return false;
    } else {
        while (key->end < r->len && is_word(r->text[key->end]))
            key->end++;
        r->at = key->end;
    }
    skip_space(r);
    if (key->end == key->start || r->at >= r->len || r->text[r->at] != ':')
        return false;
    r->at++;
    key->known = known_key(r->text + key->start, key->end - key->start);
    return true;
}

/* Of the root only some members are kept: a large one that nobody asks for costs no memory. */
static bool is_wanted(const struct reading *r, const struct key *key)
{
    size_t len = key->end - key->start;

    if (r->depth > 1 || r->all)
        return true;
    if (r->only)
        return strlen(r->only) == len && memcmp(r->only, r->text + key->start, len) == 0;
    return key->known != KEY_OTHER;
}

/* Reads one member; false when no key stands here. */
static bool read_member(struct reading *r, struct value *map)
{
    bool root = r->depth == 1, saved = r->in_questions;
    size_t start = r->at;
    struct key key;

    if (!read_key(r, &key))
        return false;
    if (root && (r->inside || (r->target && start == r->target)))
        r->reached = true;
    if (r->target && (r->reached ? r->until_target : r->at > r->target)) {
        r->stopped = true;
        return true;
    }
    bool keep = is_wanted(r, &key);

    if (root)
        r->in_questions = is_questions_key(key.known);
    r->skipping += !keep;
    skip_space(r);
    struct value *value = read_value(r, IN_MAP);

    r->skipping -= !keep;
    r->in_questions = saved;
    if (value && keep && map) {
        value->key = value_decode(r->arena, r->text + key.start, key.end - key.start, true);
        value_append(map, value);
    } else if (keep && map && !r->skipping) {
        map->passed++;
    }
    return true;
}

/* Skips what is no JSON, up to where something may go on. */
static void resync(struct reading *r, size_t start)
{
    r->broken = true;
    if (r->at == start)
        r->at++;
    while (r->at < r->len && !strchr(",{}[]\"\n", r->text[r->at]))
        r->at++;
    /* Nothing before the wished-for key may be guessed, and nothing outside the root is of interest. */
    if (r->depth <= 1 || (r->target && !r->reached))
        r->stopped = true;
}

/* The members of a map up to its closing brace; true when that was there. */
static bool read_members(struct reading *r, struct value *map)
{
    while (!r->stopped) {
        skip_space(r);
        size_t start = r->at;

        if (start >= r->len)
            break;
        char c = r->text[start];

        if (c == '}') {
            r->at++;
            return true;
        }
        if (c == ',') {
            r->at++;
        } else if (c == ']' && r->lists > 0) {
            r->broken = true;
            return true;
        } else if (!read_member(r, map)) {
            resync(r, start);
        }
    }
    r->cut |= r->at >= r->len;
    return false;
}

static bool read_items(struct reading *r, struct value *list)
{
    while (!r->stopped) {
        skip_space(r);
        size_t start = r->at;

        if (start >= r->len)
            break;
        char c = r->text[start];

        if (c == ']') {
            r->at++;
            return true;
        }
        if (c == '}') {
            r->broken = true;
            return true;
        }
        if (c == ',') {
            r->at++;
            continue;
        }
        struct value *item = read_value(r, IN_LIST);

        if (r->at == start)
            resync(r, start);
        else if (item && list)
            value_append(list, item);
        else if (list && !r->skipping)
            list->passed++;
    }
    r->cut |= r->at >= r->len;
    return false;
}

static struct value *read_container(struct reading *r, bool is_map)
{
    struct value *value = take(r, is_map ? VALUE_MAP : VALUE_LIST);
    bool whole;

    if (r->depth == LIMIT_JSON_DEPTH || (r->skipping && r->exact)) {
        r->deep |= !r->skipping;
        pass_over(r);
        if (value)
            value->type = VALUE_NULL;
        return finish(r, value, !r->cut);
    }
    r->at++;
    r->depth++;
    r->lists += !is_map;
    whole = is_map ? read_members(r, value) : read_items(r, value);
    r->lists -= !is_map;
    r->depth--;
    return finish(r, value, whole);
}

static struct value *read_value(struct reading *r, enum place place)
{
    char c = r->at < r->len ? r->text[r->at] : '\0';

    if (r->at >= r->len) {
        r->cut = true;
        return finish(r, take(r, VALUE_NULL), false);
    }
    if (c == '{' || c == '[')
        return read_container(r, c == '{');
    if (c == '"' || (c == '\'' && !r->exact))
        return read_text(r, place);
    return read_bare(r);
}

struct value *value_read(struct reading *r)
{
    struct value *map = value_new(r->arena, VALUE_MAP);
    size_t start = r->at, looks = LOOKS * (r->len - start) + KB;
    bool whole;

    r->room[0] = LIMIT_ASKED_VALUES;
    r->room[1] = LIMIT_RESULT_VALUES;
    r->looks = looks;
    map->raw = r->text + start;
    r->depth = 1;
    r->at += !r->inside;
    whole = read_members(r, map);
    r->steps = r->at - start + looks - r->looks;
    return finish(r, map, whole);
}
