/*
 * A pattern is read into a tree, the tree becomes a list of steps, and matching keeps the set of steps that
 * some way through the pattern has reached (Thompson). A set holds each step once, so that a text of n
 * characters takes at most n times as many as there are steps. Greedy or not makes no difference to whether
 * something is found.
 */
#include "base/pattern.h"

#include "base/limits.h"
#include "base/str.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CODE_MOST 0x10ffffu
#define NO_MOST   SIZE_MAX /* a repetition without an end */

struct pattern_range {
    uint32_t from, to;
};

struct pattern_set {
    struct pattern_range *list;
    size_t count, room;
};

enum node_kind {
    NODE_EMPTY,
    NODE_SET,
    NODE_BEGIN,
    NODE_END,
    NODE_WORD_EDGE,
    NODE_NO_WORD_EDGE,
    NODE_ALL, /* one after the other */
    NODE_ONE, /* of several */
    NODE_REPEAT,
};

struct pattern_node {
    enum node_kind kind;
    const struct pattern_set *set;     /* of NODE_SET: sorted by nobody, looked through */
    struct pattern_node *first, *next; /* children, and the next of the same parent */
    size_t least, most;                /* of NODE_REPEAT */
};

enum step_kind {
    STEP_SET,
    STEP_FORK,
    STEP_GO,
    STEP_BEGIN,
    STEP_END,
    STEP_WORD_EDGE,
    STEP_NO_WORD_EDGE,
    STEP_FOUND
};

struct pattern_step {
    enum step_kind kind;
    const struct pattern_set *set;
    size_t to, other; /* of STEP_FORK both, of STEP_GO the first */
};

struct pattern {
    struct pattern_step *steps;
    size_t count;
};

struct pattern_reader {
    struct arena *arena;
    const char *at;
    size_t depth, nodes;
    enum pattern_verdict verdict;
    const char *why;
};

static const struct pattern_range digits[] = { { '0', '9' } };
static const struct pattern_range words[] = { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } };
static const struct pattern_range spaces[] = { { '\t', '\r' },     { ' ', ' ' },       { 0xa0, 0xa0 },
                                               { 0x1680, 0x1680 }, { 0x2000, 0x200a }, { 0x2028, 0x2029 },
                                               { 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 },
                                               { 0xfeff, 0xfeff } };
static const struct pattern_range line_ends[] = { { '\n', '\n' }, { '\r', '\r' }, { 0x2028, 0x2029 } };

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool give_up(struct pattern_reader *reader, enum pattern_verdict verdict, const char *why)
{
    if (reader->verdict == PATTERN_FINE) {
        reader->verdict = verdict;
        reader->why = why;
    }
    return false;
}

static struct pattern_node *new_node(struct pattern_reader *reader, enum node_kind kind)
{
    struct pattern_node *node = arena_new(reader->arena, struct pattern_node);

    node->kind = kind;
    return node;
}

static void add_range(struct pattern_reader *reader, struct pattern_set *set, uint32_t from, uint32_t to)
{
    if (set->count == set->room) {
        size_t room = set->room ? 2 * set->room : 4;
        struct pattern_range *larger = arena_array(reader->arena, struct pattern_range, room);

        if (set->count)
            memcpy(larger, set->list, set->count * sizeof(*larger));
        set->list = larger;
        set->room = room;
    }
    set->list[set->count++] = (struct pattern_range){ from, to };
}

/* Ranges that are in order and do not touch, or all that is between them. */
static void add_ranges(struct pattern_reader *reader, struct pattern_set *set,
                       const struct pattern_range *list, size_t count, bool others)
{
    uint32_t from = 0;

    for (size_t i = 0; i < count; i++) {
        if (!others)
            add_range(reader, set, list[i].from, list[i].to);
        else if (list[i].from > from)
            add_range(reader, set, from, list[i].from - 1);
        from = list[i].to + 1;
    }
    if (others && from <= CODE_MOST)
        add_range(reader, set, from, CODE_MOST);
}

/* \d and its like; false: the letter is none of them. */
static bool add_class(struct pattern_reader *reader, struct pattern_set *set, char letter)
{
    switch (letter) {
    case 'd':
    case 'D': add_ranges(reader, set, digits, COUNT(digits), letter == 'D'); return true;
    case 'w':
    case 'W': add_ranges(reader, set, words, COUNT(words), letter == 'W'); return true;
    case 's':
    case 'S': add_ranges(reader, set, spaces, COUNT(spaces), letter == 'S'); return true;
    default: return false;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_hex(const char *at, size_t count, uint32_t *code)
{
    *code = 0;
    for (size_t i = 0; i < count; i++) {
        int value = hex_value(at[i]);

        if (value < 0)
            return false;
        *code = *code * 16 + (uint32_t)value;
    }
    return true;
}

/* Behind "\u": four digits, two such that make one character, or as many as it takes in braces. */
static bool read_unicode(struct pattern_reader *reader, uint32_t *code)
{
    const char *wrong = "\\u is followed by four hexadecimal digits, or by some in braces";
    uint32_t low;

    if (*reader->at == '{') {
        size_t count = strcspn(++reader->at, "}");

        if (count == 0 || count > 6 || reader->at[count] != '}' || !read_hex(reader->at, count, code) ||
            *code > CODE_MOST)
            return give_up(reader, PATTERN_WRONG, wrong);
        reader->at += count + 1;
        return true;
    }
    if (!read_hex(reader->at, 4, code))
        return give_up(reader, PATTERN_WRONG, wrong);
    reader->at += 4;
    if (*code >= 0xd800 && *code <= 0xdbff && reader->at[0] == '\\' && reader->at[1] == 'u' &&
        read_hex(reader->at + 2, 4, &low) && low >= 0xdc00 && low <= 0xdfff) {
        *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
        reader->at += 6;
    }
    return true;
}

/* What a letter behind a backslash stands for as one character. */
static bool read_escape(struct pattern_reader *reader, uint32_t *code)
{
    static const char letters[] = "nrtvf", meant[] = "\n\r\t\v\f";
    char letter = *reader->at;
    const char *known = letter ? strchr(letters, letter) : NULL;

    if (!letter)
        return give_up(reader, PATTERN_WRONG, "it ends with a backslash");
    if ((unsigned char)letter >= 0x80) {
        size_t len = str_decode(reader->at, strlen(reader->at), code);

        reader->at += len;
        return len > 0 || give_up(reader, PATTERN_WRONG, "it is not UTF-8");
    }
    reader->at++;
    if (known) {
        *code = (unsigned char)meant[known - letters];
        return true;
    }
    if (letter == 'x') {
        if (!read_hex(reader->at, 2, code))
            return give_up(reader, PATTERN_WRONG, "\\x is followed by two hexadecimal digits");
        reader->at += 2;
        return true;
    }
    if (letter == 'u')
        return read_unicode(reader, code);
    if (letter == '0' && !is_digit(*reader->at)) {
        *code = 0;
        return true;
    }
    if (is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'))
        return give_up(reader, PATTERN_BEYOND, "a reference, a property or a letter behind a backslash");
    *code = (unsigned char)letter;
    return true;
}

static bool read_plain(struct pattern_reader *reader, uint32_t *code)
{
    size_t len = str_decode(reader->at, strlen(reader->at), code);

    if (len == 0)
        return give_up(reader, PATTERN_WRONG, "it is not UTF-8");
    reader->at += len;
    return true;
}

/* One member of a bracket: a class, which is added at once (*is_class), or a character. */
static bool read_member(struct pattern_reader *reader, struct pattern_set *set, uint32_t *code,
                        bool *is_class)
{
    *is_class = false;
    if (*reader->at == '\0')
        return give_up(reader, PATTERN_WRONG, "a bracket is not closed");
    if (*reader->at != '\\')
        return read_plain(reader, code);
    reader->at++;
    if (add_class(reader, set, *reader->at)) {
        reader->at++;
        *is_class = true;
        return true;
    }
    if (*reader->at == 'b') {
        reader->at++;
        *code = '\b';
        return true;
    }
    return read_escape(reader, code);
}

static int by_beginning(const void *a, const void *b)
{
    const struct pattern_range *one = a, *other = b;

    return (one->from > other->from) - (one->from < other->from);
}

/* All that is in none of the ranges, which are put in order for it. */
static struct pattern_set *turned(struct pattern_reader *reader, struct pattern_set *set)
{
    struct pattern_set *others = arena_new(reader->arena, struct pattern_set);
    uint32_t from = 0;

    if (set->count)
        qsort(set->list, set->count, sizeof(*set->list), by_beginning);
    for (size_t i = 0; i < set->count; i++) {
        if (set->list[i].from > from)
            add_range(reader, others, from, set->list[i].from - 1);
        if (set->list[i].to >= from)
            from = set->list[i].to + 1;
    }
    if (from <= CODE_MOST)
        add_range(reader, others, from, CODE_MOST);
    return others;
}

static bool read_bracket(struct pattern_reader *reader, struct pattern_node *node)
{
    struct pattern_set *set = arena_new(reader->arena, struct pattern_set);
    bool others = *reader->at == '^';

    reader->at += others;
    while (*reader->at != ']') {
        uint32_t from, to;
        bool is_class;

        if (!read_member(reader, set, &from, &is_class))
            return false;
        if (is_class)
            continue;
        to = from;
        if (reader->at[0] == '-' && reader->at[1] != ']' && reader->at[1] != '\0') {
            reader->at++;
            if (!read_member(reader, set, &to, &is_class))
                return false;
            if (is_class) { /* [a-\d]: the dash is one of the characters */
                add_range(reader, set, '-', '-');
                to = from;
            }
        }
        if (to < from)
            return give_up(reader, PATTERN_WRONG, "a range in brackets ends before it begins");
        add_range(reader, set, from, to);
    }
    reader->at++;
    node->set = others ? turned(reader, set) : set;
    return true;
}

static bool read_choice(struct pattern_reader *reader, struct pattern_node **node);

static bool read_group(struct pattern_reader *reader, struct pattern_node **node)
{
    if (*reader->at == '?') {
        if (reader->at[1] == ':')
            reader->at += 2;
        else if (reader->at[1] == '<' && reader->at[2] != '=' && reader->at[2] != '!' &&
                 strchr(reader->at, '>'))
            reader->at = strchr(reader->at, '>') + 1; /* a name, which changes nothing */
        else if (reader->at[1] == '=' || reader->at[1] == '!' || reader->at[1] == '<')
            return give_up(reader, PATTERN_BEYOND, "it looks ahead or behind");
        else
            return give_up(reader, PATTERN_BEYOND, "a group with a flag");
    }
    if (++reader->depth > LIMIT_PATTERN_DEPTH)
        return give_up(reader, PATTERN_BEYOND, "its groups are nested too deeply");
    if (!read_choice(reader, node))
        return false;
    reader->depth--;
    if (*reader->at != ')')
        return give_up(reader, PATTERN_WRONG, "a group is not closed");
    reader->at++;
    return true;
}

static struct pattern_node *one_character(struct pattern_reader *reader, uint32_t code)
{
    struct pattern_node *node = new_node(reader, NODE_SET);
    struct pattern_set *set = arena_new(reader->arena, struct pattern_set);

    add_range(reader, set, code, code);
    node->set = set;
    return node;
}

static bool read_backslash(struct pattern_reader *reader, struct pattern_node **node)
{
    struct pattern_set *set = arena_new(reader->arena, struct pattern_set);
    uint32_t code;

    if (*reader->at == 'b' || *reader->at == 'B') {
        *node = new_node(reader, *reader->at++ == 'b' ? NODE_WORD_EDGE : NODE_NO_WORD_EDGE);
        return true;
    }
    if (add_class(reader, set, *reader->at)) {
        reader->at++;
        *node = new_node(reader, NODE_SET);
        (*node)->set = set;
        return true;
    }
    if (!read_escape(reader, &code))
        return false;
    *node = one_character(reader, code);
    return true;
}

static bool read_atom(struct pattern_reader *reader, struct pattern_node **node)
{
    struct pattern_set *set;
    uint32_t code;

    switch (*reader->at) {
    case '(': reader->at++; return read_group(reader, node);
    case '[':
        reader->at++;
        *node = new_node(reader, NODE_SET);
        return read_bracket(reader, *node);
    case '\\': reader->at++; return read_backslash(reader, node);
    case '^':
        reader->at++;
        *node = new_node(reader, NODE_BEGIN);
        return true;
    case '$':
        reader->at++;
        *node = new_node(reader, NODE_END);
        return true;
    case '*':
    case '+':
    case '?': return give_up(reader, PATTERN_WRONG, "there is nothing that could be repeated");
    case '.':
        reader->at++;
        set = arena_new(reader->arena, struct pattern_set);
        add_ranges(reader, set, line_ends, COUNT(line_ends), true);
        *node = new_node(reader, NODE_SET);
        (*node)->set = set;
        return true;
    default:
        if (!read_plain(reader, &code))
            return false;
        *node = one_character(reader, code);
        return true;
    }
}

static size_t read_number(const char **at)
{
    size_t number = 0;

    for (; is_digit(**at); ++*at)
        if (number <= LIMIT_PATTERN_REPEAT)
            number = number * 10 + (size_t)(**at - '0');
    return number;
}

/* "{2}", "{2,}", "{2,5}"; anything else is a brace as it stands. */
static bool read_braces(const char **at, size_t *least, size_t *most)
{
    const char *next = *at + 1;

    if (!is_digit(*next))
        return false;
    *least = *most = read_number(&next);
    if (*next == ',') {
        next++;
        *most = is_digit(*next) ? read_number(&next) : NO_MOST;
    }
    if (*next != '}')
        return false;
    *at = next + 1;
    return true;
}

static bool read_repeat(struct pattern_reader *reader, struct pattern_node **node)
{
    size_t least = 0, most = NO_MOST;
    struct pattern_node *child = *node;

    if (*reader->at == '*')
        reader->at++;
    else if (*reader->at == '+')
        reader->at++, least = 1;
    else if (*reader->at == '?')
        reader->at++, most = 1;
    else if (*reader->at != '{' || !read_braces(&reader->at, &least, &most))
        return true;
    if (*reader->at == '?')
        reader->at++;
    if (most < least)
        return give_up(reader, PATTERN_WRONG, "a repetition ends before it begins");
    if (least > LIMIT_PATTERN_REPEAT || (most != NO_MOST && most > LIMIT_PATTERN_REPEAT))
        return give_up(reader, PATTERN_BEYOND, "a repetition counts too far");
    *node = new_node(reader, NODE_REPEAT);
    (*node)->first = child;
    (*node)->least = least;
    (*node)->most = most;
    if (*reader->at == '*' || *reader->at == '+' || *reader->at == '?')
        return give_up(reader, PATTERN_WRONG, "a repetition is repeated");
    return true;
}

static bool read_sequence(struct pattern_reader *reader, struct pattern_node **node)
{
    struct pattern_node **end;

    *node = new_node(reader, NODE_ALL);
    end = &(*node)->first;
    while (*reader->at && *reader->at != '|' && *reader->at != ')') {
        if (++reader->nodes > LIMIT_PATTERN_STEPS)
            return give_up(reader, PATTERN_BEYOND, "it is too long");
        if (!read_atom(reader, end) || !read_repeat(reader, end))
            return false;
        end = &(*end)->next;
    }
    return true;
}

static bool read_choice(struct pattern_reader *reader, struct pattern_node **node)
{
    struct pattern_node **end;

    *node = new_node(reader, NODE_ONE);
    end = &(*node)->first;
    for (;;) {
        if (++reader->nodes > LIMIT_PATTERN_STEPS)
            return give_up(reader, PATTERN_BEYOND, "it is too long");
        if (!read_sequence(reader, end))
            return false;
        if (*reader->at != '|')
            return true;
        reader->at++;
        end = &(*end)->next;
    }
}

struct pattern_writer {
    struct pattern_step *steps;
    size_t count, work; /* work: nodes that were written, those that add nothing among them */
};

static bool add_step(struct pattern_writer *writer, enum step_kind kind, size_t *index)
{
    if (writer->count == LIMIT_PATTERN_STEPS)
        return false;
    *index = writer->count;
    writer->steps[writer->count++].kind = kind;
    return true;
}

static bool write_node(struct pattern_writer *writer, const struct pattern_node *node);

static bool write_one_of(struct pattern_writer *writer, const struct pattern_node *node)
{
    size_t ends = SIZE_MAX, fork, go; /* the steps that go to the end, each with the one before it */

    for (const struct pattern_node *child = node->first; child; child = child->next) {
        if (!child->next) {
            if (!write_node(writer, child))
                return false;
            break;
        }
        if (!add_step(writer, STEP_FORK, &fork))
            return false;
        writer->steps[fork].to = writer->count;
        if (!write_node(writer, child) || !add_step(writer, STEP_GO, &go))
            return false;
        writer->steps[go].to = ends;
        ends = go;
        writer->steps[fork].other = writer->count;
    }
    while (ends != SIZE_MAX) {
        size_t before = writer->steps[ends].to;

        writer->steps[ends].to = writer->count;
        ends = before;
    }
    return true;
}

static bool write_repeat(struct pattern_writer *writer, const struct pattern_node *node)
{
    size_t fork, go;

    for (size_t i = 0; i < node->least; i++)
        if (!write_node(writer, node->first))
            return false;
    if (node->most == NO_MOST) {
        if (!add_step(writer, STEP_FORK, &fork))
            return false;
        writer->steps[fork].to = writer->count;
        if (!write_node(writer, node->first) || !add_step(writer, STEP_GO, &go))
            return false;
        writer->steps[go].to = fork;
        writer->steps[fork].other = writer->count;
        return true;
    }
    for (size_t i = node->least; i < node->most; i++) {
        if (!add_step(writer, STEP_FORK, &fork))
            return false;
        writer->steps[fork].to = writer->count;
        if (!write_node(writer, node->first))
            return false;
        writer->steps[fork].other = writer->count; /* past this one: what follows may be passed as well */
    }
    return true;
}

static bool write_node(struct pattern_writer *writer, const struct pattern_node *node)
{
    size_t index;

    if (++writer->work > 4 * LIMIT_PATTERN_STEPS)
        return false;
    switch (node->kind) {
    case NODE_EMPTY: return true;
    case NODE_SET:
        if (!add_step(writer, STEP_SET, &index))
            return false;
        writer->steps[index].set = node->set;
        return true;
    case NODE_BEGIN: return add_step(writer, STEP_BEGIN, &index);
    case NODE_END: return add_step(writer, STEP_END, &index);
    case NODE_WORD_EDGE: return add_step(writer, STEP_WORD_EDGE, &index);
    case NODE_NO_WORD_EDGE: return add_step(writer, STEP_NO_WORD_EDGE, &index);
    case NODE_ALL:
        for (const struct pattern_node *child = node->first; child; child = child->next)
            if (!write_node(writer, child))
                return false;
        return true;
    case NODE_ONE: return write_one_of(writer, node);
    case NODE_REPEAT: return write_repeat(writer, node);
    }
    return false;
}

enum pattern_verdict pattern_read(struct arena *arena, const char *text, const struct pattern **pattern,
                                  const char **why)
{
    struct pattern_reader reader = { .arena = arena, .at = text };
    struct pattern *made = arena_new(arena, struct pattern);
    struct pattern_writer writer = { 0 };
    struct pattern_node *root;
    size_t last;

    *pattern = NULL;
    *why = "";
    if (read_choice(&reader, &root) && *reader.at)
        give_up(&reader, PATTERN_WRONG, "a parenthesis is closed that was not opened");
    if (reader.verdict != PATTERN_FINE) {
        *why = reader.why;
        return reader.verdict;
    }
    writer.steps = arena_array(arena, struct pattern_step, LIMIT_PATTERN_STEPS);
    if (!write_node(&writer, root) || !add_step(&writer, STEP_FOUND, &last)) {
        *why = "it is too long";
        return PATTERN_BEYOND;
    }
    *made = (struct pattern){ writer.steps, writer.count };
    *pattern = made;
    return PATTERN_FINE;
}

static bool in_set(const struct pattern_set *set, uint32_t code)
{
    for (size_t i = 0; i < set->count; i++)
        if (code >= set->list[i].from && code <= set->list[i].to)
            return true;
    return false;
}

static bool is_word(uint32_t code)
{
    const struct pattern_set set = { (struct pattern_range *)words, COUNT(words), COUNT(words) };

    return in_set(&set, code);
}

/* A moment of matching: which steps have been reached between two characters. */
struct pattern_moment {
    const struct pattern *pattern;
    size_t *list, count;  /* steps that wait for a character */
    size_t *seen, number; /* of each step: the number of the moment in which it was reached last */
    size_t *todo;
    size_t *work;
    bool first, last;
    bool word_before, word_after, found;
};

static bool holds(const struct pattern_moment *now, enum step_kind kind)
{
    switch (kind) {
    case STEP_BEGIN: return now->first;
    case STEP_END: return now->last;
    case STEP_WORD_EDGE: return now->word_before != now->word_after;
    case STEP_NO_WORD_EDGE: return now->word_before == now->word_after;
    case STEP_SET:
    case STEP_FORK:
    case STEP_GO:
    case STEP_FOUND: return true;
    }
    return true;
}

static void mark(struct pattern_moment *now, size_t *count, size_t step)
{
    if (now->seen[step] == now->number)
        return;
    now->seen[step] = now->number;
    now->todo[(*count)++] = step;
}

/* Adds a step, and all that is reached from it without a character. */
static void reach(struct pattern_moment *now, size_t from)
{
    size_t count = 0;

    mark(now, &count, from);
    while (count > 0 && *now->work > 0) {
        size_t index = now->todo[--count];
        const struct pattern_step *step = &now->pattern->steps[index];

        --*now->work;
        if (step->kind == STEP_FOUND)
            now->found = true;
        else if (step->kind == STEP_SET)
            now->list[now->count++] = index;
        else if (step->kind == STEP_FORK)
            mark(now, &count, step->to), mark(now, &count, step->other);
        else if (step->kind == STEP_GO)
            mark(now, &count, step->to);
        else if (holds(now, step->kind))
            mark(now, &count, index + 1);
    }
}

/* What the characters beside the moment are: `came` stands before it. */
static size_t look_around(struct pattern_moment *now, const char *text, size_t len, size_t at, uint32_t came,
                          uint32_t *code)
{
    size_t used;

    now->first = at == 0;
    now->last = at >= len;
    used = now->last ? 0 : str_decode(text + at, len - at, code);
    if (!now->last && used == 0)
        used = 1, *code = 0xfffd;
    now->word_before = !now->first && is_word(came);
    now->word_after = !now->last && is_word(*code);
    return used;
}

/* From all that waited for a character to what follows where it was the right one. */
static void go_on(struct pattern_moment *now, const size_t *waited, size_t count, uint32_t came)
{
    for (size_t i = 0; i<count && * now->work> 0; i++) {
        const struct pattern_step *step = &now->pattern->steps[waited[i]];
        size_t looked = 1 + step->set->count / 4;

        *now->work -= looked < *now->work ? looked : *now->work;
        if (in_set(step->set, came))
            reach(now, waited[i] + 1);
    }
}

/* Every moment is also a beginning, since it may be found anywhere. */
bool pattern_found(struct arena *arena, const struct pattern *pattern, const char *text, size_t len,
                   size_t *work)
{
    struct pattern_moment now = { .pattern = pattern, .work = work };
    size_t *waited = arena_array(arena, size_t, pattern->count), waited_count = 0, at = 0;
    uint32_t came = 0, code = 0;

    now.list = arena_array(arena, size_t, pattern->count);
    now.seen = arena_array(arena, size_t, pattern->count);
    now.todo = arena_array(arena, size_t, pattern->count);
    for (;;) {
        size_t *list = now.list;

        now.number++;
        now.count = 0;
        came = code;
        at += look_around(&now, text, len, at, came, &code);
        go_on(&now, waited, waited_count, came);
        reach(&now, 0);
        if (now.found || now.last || *work == 0)
            return now.found && *work > 0;
        now.list = waited;
        waited = list;
        waited_count = now.count;
    }
}
