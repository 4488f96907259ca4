/*
 * A line is looked at as eyes see it: without what is invisible, and past marks and white space at its
 * beginning. What is asked is generous, for a quote too many does no harm: not only what we would write to
 * the letter is found, but what passes for it at a glance.
 */
#include "core/council/rules/said.h"

#include "base/str.h"
#include "core/council/rules/label.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define SET_IN      "  "
#define RULER_LEAST 10 /* signs with which a line begins like a ruler */

/* Lines */

static const char *clean(struct arena *arena, const char *content)
{
    return str_sanitise(arena, str_lines(arena, content));
}

/* The next line of a text without its end, or NULL. */
static const char *next_line(struct arena *arena, const char **at)
{
    const char *line = *at;
    size_t len;

    if (!line)
        return NULL;
    len = strcspn(line, "\n");
    *at = line[len] ? line + len + 1 : NULL;
    return arena_copy(arena, line, len);
}

static void set_in(const char *content, bool first, struct buf *out)
{
    ARENA_AUTO arena = { 0 };
    const char *rest = clean(&arena, content), *line;

    for (bool is_first = true; (line = next_line(&arena, &rest)); is_first = false) {
        if (!is_first)
            buf_char(out, '\n');
        if (*line && (first || !is_first))
            buf_text(out, SET_IN);
        buf_text(out, line);
    }
}

void said_set_in(const char *content, struct buf *out)
{
    set_in(content, false, out);
}

void said_set_in_whole(const char *content, struct buf *out)
{
    set_in(content, true, out);
}

/* What could be taken for ours. */

static bool is_in(uint32_t code, const uint32_t ranges[][2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

#define IS_IN(code, ranges) is_in(code, ranges, sizeof(ranges) / sizeof(*(ranges)))

/* Our shapes, those of the terminal among them, and what passes for them. */
static bool is_shape(uint32_t code)
{
    static const uint32_t shapes[][2] = {
        { 0x25C9, 0x25D3 },   { 0x25E6, 0x25E6 },   { 0x25EF, 0x25EF },   { 0x26AA, 0x26AC },
        { 0x2B24, 0x2B24 },   { 0x2B55, 0x2B58 },   { 0x1F311, 0x1F318 }, { 0x1F518, 0x1F518 },
        { 0x1F534, 0x1F537 }, { 0x1F7E0, 0x1F7EB },
    };

    return IS_IN(code, shapes);
}

/* White space, marks and what only says how the character before is drawn. */
static bool is_before(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        { ' ', ' ' },       { '\t', '\t' },     { 0xA0, 0xA0 },     { 0x2000, 0x200D },
        { 0x202F, 0x202F }, { 0x205F, 0x205F }, { 0x3000, 0x3000 }, { 0xFE00, 0xFE0F },
        { 0x2010, 0x2015 }, { 0x2022, 0x2022 }, { 0x2800, 0x2800 },
    };

    return IS_IN(code, ranges) || (code < 0x80 && strchr("*_#>~`|+-", (int)code));
}

static const char *past_signs(const char *at)
{
    uint32_t code;

    for (size_t step; *at && (step = str_decode(at, strnlen(at, 4), &code)) > 0 && is_before(code);)
        at += step;
    return at;
}

static bool is_ruler(const char *line)
{
    static const uint32_t signs[][2] = {
        { '=', '=' },       { '-', '-' },       { '_', '_' },       { '*', '*' },       { '~', '~' },
        { '#', '#' },       { 0xAF, 0xAF },     { 0x2010, 0x2015 }, { 0x2017, 0x2017 }, { 0x203E, 0x203E },
        { 0x2212, 0x2212 }, { 0x2500, 0x257F }, { 0x2580, 0x259F }, { 0x30FC, 0x30FC }, { 0xA78A, 0xA78A },
        { 0xFF1D, 0xFF1D }, { 0xFF3F, 0xFF3F },
    };
    size_t count = 0, step;
    uint32_t code;

    for (; *line && count < RULER_LEAST; line += step) {
        step = str_decode(line, strnlen(line, 4), &code);
        if (step == 0 || code == '|' || !(IS_IN(code, signs) || is_before(code))) /* the bar is of a table */
            break;
        count += IS_IN(code, signs);
    }
    return count >= RULER_LEAST;
}

static bool ends_in_colon(const char *text)
{
    static const char *const colons[] = { ":", "\xEF\xBC\x9A", "\xEA\x9E\x89", "\xE2\x88\xB6",
                                          "\xEF\xB8\x95" };
    size_t len = strlen(text);

    while (len > 0 && strchr(" *_~`", text[len - 1]))
        len--;
    for (size_t i = 0; i < sizeof(colons) / sizeof(*colons); i++) {
        size_t size = strlen(colons[i]);

        if (len >= size && memcmp(text + len - size, colons[i], size) == 0)
            return true;
    }
    return false;
}

static bool begins_with_name(const char *text, const struct said_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t len;

        if (*names->list[i] && str_begins_with_name(text, names->list[i], &len) == STR_BEGINS_WHOLE &&
            !isalnum((unsigned char)text[len]))
            return true;
    }
    return false;
}

static bool begins_with_label(const char *text, const struct said_names *names)
{
    size_t ignored;

    for (size_t i = 0; i < names->count; i++)
        if (label_match(text, names->list[i], true, &ignored) == LABEL_IS)
            return true;
    return false;
}

/* "Round 2", "Round 2: 3 contribution(s)", "[Round 2] ..." */
static bool begins_with_round(const char *text, const struct said_names *names)
{
    bool bracket = *text == '[';
    const char *at = text + bracket;

    if (strncasecmp(at, "round", 5) != 0)
        return false;
    at = past_signs(at + 5);
    if (!isdigit((unsigned char)*at))
        return false;
    at = past_signs(at + strspn(at, "0123456789"));
    return bracket || names->bare_heads || !*at || *at == ':' || strncasecmp(at, "contribution", 12) == 0;
}

static bool begins_like_ours(const char *text)
{
    static const char *const words[] = { "discussion complete with", "[queenbee", "(cut off)",
                                         "this represents a truly", "my specialist team had" };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strncasecmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Past pictures and shapes; `shape` tells whether one of ours was among them. */
static const char *past_shapes(const char *at, bool *shape)
{
    uint32_t code;

    for (size_t step; *at && (step = str_decode(at, strnlen(at, 4), &code)) > 0; at += step) {
        if (is_shape(code))
            *shape = true;
        else if (!is_before(code) && code < 0x2190)
            break;
        else if (code >= 0x2E80 && code < 0x1F000) /* letters of other scripts */
            break;
    }
    return at;
}

static bool is_like_ours(struct arena *arena, const char *line, const struct said_names *names)
{
    const char *text = past_signs(str_plain_line(arena, line)), *rest;
    bool shape = false;

    if (is_ruler(line) || begins_with_label(text, names) || begins_with_round(text, names) ||
        begins_like_ours(text))
        return true;
    rest = past_shapes(text, &shape);
    if (shape && (names->bare_heads || ends_in_colon(rest) || strcasestr(rest, "passed") ||
                  strcasestr(rest, "skipped")))
        return true;
    return rest != text &&
           (begins_with_name(rest, names) || begins_with_round(rest, names) || begins_like_ours(rest));
}

bool said_begins_like_ours(const struct said_names *names, const char *line)
{
    ARENA_AUTO arena = { 0 };

    return is_like_ours(&arena, line, names);
}

void said_text(const struct said_names *names, const char *content, struct buf *out)
{
    ARENA_AUTO arena = { 0 };
    const char *text = clean(&arena, content), *rest = text, *line;
    bool quoted = false;

    while (!quoted && (line = next_line(&arena, &rest)))
        quoted = is_like_ours(&arena, line, names);
    if (!quoted) {
        buf_text(out, text);
        return;
    }
    rest = text;
    for (const char *end = ""; (line = next_line(&arena, &rest)); end = "\n")
        buf_format(out, "%s>%s%s", end, *line ? " " : "", line);
}

/* Markdown */

/* A fence at the very beginning of a line is our quote's own, and no list's in it. */
static size_t fence_length(const char *line)
{
    size_t len = strspn(line, *line == '~' ? "~" : "`");

    return len >= 3 && (*line == '~' || !strchr(line + len, '`')) ? len : 0;
}

static bool closes_fence(const char *line, char sign, size_t least)
{
    const char *at = line + strspn(line, " ");
    const char signs[] = { sign, '\0' };
    size_t len = strspn(at, signs);

    return at - line <= 3 && len >= least && !at[len + strspn(at + len, " \t")];
}

static bool is_html(const char *behind)
{
    return isalpha((unsigned char)*behind) || (*behind && strchr("/!?", *behind));
}

/* Tags, comments and links of their own, and what defines a link for the whole of the text. */
static void add_escaped(const char *line, struct buf *out)
{
    for (; *line; line++) {
        if (*line == '<' && is_html(line + 1))
            buf_char(out, '\\');
        buf_char(out, *line);
        if (line[0] == ']' && line[1] == ':')
            buf_char(out, '\\');
    }
}

/* Past white space, quotes and the marks of lists. */
static const char *past_list_marks(const char *at)
{
    for (;;) {
        size_t digits;

        at += strspn(at, " \t>");
        digits = strspn(at, "0123456789");
        if (digits > 0 && at[digits] && strchr(".)", at[digits]) && at[digits + 1] == ' ')
            at += digits + 2;
        else if (*at && strchr("-*+", *at) && at[1] == ' ')
            at += 2;
        else
            return at;
    }
}

/* Whether a line makes more than a paragraph, a list or a table. */
static bool has_structure(const char *line)
{
    const char *at = past_list_marks(line);

    if (line[strspn(line, " \t")] == '>' || *at == '#' || (*line && !at[strspn(at, "=-_* \t")]))
        return true;
    for (; *at; at++)
        if ((at[0] == '<' && is_html(at + 1)) || str_starts(at, "]:") || str_starts(at, "```") ||
            str_starts(at, "~~~") || str_starts(at, "$$"))
            return true;
    return false;
}

static void quote_markdown(struct arena *arena, const char *rest, struct buf *out)
{
    const char *line;
    size_t fence = 0;
    char sign = '\0';

    for (const char *end = ""; (line = next_line(arena, &rest)); end = "\n") {
        buf_format(out, "%s>%s", end, *line ? " " : "");
        if (fence > 0 && closes_fence(line, sign, fence)) {
            fence = 0;
        } else if (fence > 0) {
            buf_text(out, line);
            continue;
        } else {
            fence = fence_length(line);
            sign = *line;
        }
        add_escaped(line, out);
    }
}

void said_markdown(const struct said_names *names, const char *content, struct buf *out)
{
    ARENA_AUTO arena = { 0 };
    const char *text = clean(&arena, content), *rest = text, *line;
    bool quoted = false;

    while (!quoted && (line = next_line(&arena, &rest)))
        quoted = is_like_ours(&arena, line, names) || has_structure(line);
    if (quoted)
        quote_markdown(&arena, text, out);
    else
        buf_text(out, text);
}

const char *said_markdown_line(struct arena *arena, const char *content)
{
    const char *line = str_plain_line(arena, content);
    BUF_AUTO out = { 0 };

    buf_init(&out, 0);
    for (; *line; line++) {
        if (strchr("\\`*<[]", *line))
            buf_char(&out, '\\');
        buf_char(&out, *line);
    }
    return arena_copy(arena, out.bytes ? out.bytes : "", out.len);
}
