/*
 * Finding complete objects in a text that is mostly something else, in linear time.
 *
 * One pass looks for the keys that matter: a text without them holds nothing to parse, however many braces
 * it has. Then every opening brace is tried as the start of an object of strict JSON (raw control characters
 * in strings and trailing commas are let through). An attempt that fails has shown all objects that it had
 * open to be no objects, so none of their braces is tried again; only braces inside its strings are. Such a
 * second attempt sees strings where the first saw none and the other way round, and a backslash outside
 * strings ends an attempt: so the two never fall in step, every brace is outside the strings of one of them,
 * and no byte is part of a third.
 */
#include "output/parts.h"

#include "base/limits.h"

#include <string.h>

#define HAS_STATUS  1u
#define HAS_SUMMARY 2u
#define HAS_WORK    4u

#define NO_HOLDER UINT32_MAX

/* An open container of an attempt. Offsets fit 32 bits, since no text is longer than OUTPUT_MAX_BYTES. */
struct skim_frame {
    uint32_t start, holder, holders;
    uint32_t member; /* a member object that looks like a result */
    uint16_t holder_depth;
    uint8_t has, member_rank;
    bool is_map, field;
};

struct skim {
    struct scan *scan;
    const char *text;
    size_t at, len;
    unsigned depth;
    bool marking;            /* note which braces were tried */
    size_t quoted;           /* the first brace inside a string, or SIZE_MAX */
    struct scan_object best; /* the last nested object that looks like a result */
};

static const struct {
    const char *name;
    size_t len;
} known_names[KEY_COUNT] = {
    [KEY_QUESTIONS] = { "open_questions", 14 },
    [KEY_QUESTIONS_CAMEL] = { "openQuestions", 13 },
    [KEY_STATUS] = { "status", 6 },
    [KEY_SUMMARY] = { "summary", 7 },
    [KEY_TASKS] = { "tasks", 5 },
    [KEY_PRD] = { "prd", 3 },
    [KEY_PLAN] = { "plan", 4 },
};

enum known_key known_key(const char *name, size_t len)
{
    if (len < 3 || len > 14)
        return KEY_OTHER;
    for (enum known_key key = KEY_OTHER + 1; key < KEY_COUNT; key++)
        if (known_names[key].len == len && memcmp(known_names[key].name, name, len) == 0)
            return key;
    return KEY_OTHER;
}

const char *known_key_name(enum known_key key)
{
    return known_names[key].name;
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

/* An unquoted key counts where one may stand: after a brace or comma, or first in its line. */
static bool may_stand_bare(const struct scan *scan, size_t start, bool at_line)
{
    while (start > 0 && is_space(scan->text[start - 1])) {
        if (at_line && scan->text[start - 1] == '\n')
            return true;
        start--;
    }
    return start == 0 ? at_line : scan->text[start - 1] == '{' || scan->text[start - 1] == ',';
}

static void note_mark(struct scan *scan, enum known_key key, size_t start, char quote, bool escaped)
{
    struct scan_mark mark = { .at = start, .escaped = escaped };

    scan->has_known = true;
    scan->last_known = start;
    scan->has_escaped |= escaped;
    if (!quote && !may_stand_bare(scan, start, is_questions_key(key)))
        return;
    if (!is_questions_key(key)) {
        scan->result = mark;
        scan->has_result = true;
    } else if (scan->field_count < SCAN_MARKS) {
        scan->fields[scan->field_count++] = mark;
    }
}

/* Looks back from a colon for a known key. Nothing before `floor`, the colon before, belongs to it. */
static void look_back(struct scan *scan, size_t floor, size_t colon)
{
    const char *text = scan->text;
    size_t end = colon;
    char quote = 0;
    bool escaped = false;

    while (end > floor && is_space(text[end - 1]))
        end--;
    if (end > floor && (text[end - 1] == '"' || text[end - 1] == '\''))
        quote = text[--end];
    while (quote && end > floor && text[end - 1] == '\\') {
        escaped = true;
        end--;
    }
    if (end - floor < 3)
        return;
    char last = text[end - 1];

    if (last != 's' && last != 'y' && last != 'd' && last != 'n')
        return;
    size_t start = end;

    while (start > floor && end - start < 16 && is_word(text[start - 1]))
        start--;
    enum known_key key = known_key(text + start, end - start);

    if (key == KEY_OTHER || (quote && (start == floor || text[start - 1] != quote)))
        return;
    start -= quote != 0;
    while (escaped && start > floor && text[start - 1] == '\\')
        start--;
    note_mark(scan, key, start, quote, escaped);
}

/* Whether a known key can end before this colon: a quick look that most colons do not pass. */
static inline bool may_end_key(const char *text, size_t colon)
{
    char last = text[colon - 1];

    if (last == '"' && colon > 1)
        last = text[colon - 2];
    return last == 's' || last == 'y' || last == 'd' || last == 'n' || last == '\\' || last == '\'' ||
           is_space(last);
}

struct skim_frame *scan_frames(struct arena *arena)
{
    return arena_array(arena, struct skim_frame, OUTPUT_DEPTH);
}

void scan_open(struct scan *scan, struct arena *arena, struct skim_frame *frames, const char *text,
               size_t len)
{
    size_t floor = 0;

    *scan = (struct scan){ .arena = arena, .frames = frames, .text = text, .len = len, .steps = len };
    for (size_t at = 0; at < len; at++) {
        if (text[at] != ':')
            continue;
        if (at > floor && may_end_key(text, at))
            look_back(scan, floor, at);
        floor = at + 1;
    }
}

static void mark_tried(struct scan *scan, size_t at)
{
    if (!scan->tried)
        scan->tried = arena_array(scan->arena, unsigned char, scan->len / 8 + 1);
    scan->tried[at / 8] |= (unsigned char)(1u << at % 8);
}

static bool was_tried(const struct scan *scan, size_t at)
{
    return scan->tried && (scan->tried[at / 8] >> at % 8 & 1);
}

static bool skim_open(struct skim *skim, bool is_map)
{
    if (skim->depth == OUTPUT_DEPTH)
        return false;
    if (is_map && skim->marking)
        mark_tried(skim->scan, skim->at);
    skim->scan->frames[skim->depth++] = (struct skim_frame){
        .start = (uint32_t)skim->at++, .holder = NO_HOLDER, .member = NO_HOLDER, .is_map = is_map
    };
    return true;
}

static unsigned rank_of(unsigned has)
{
    if (has & HAS_WORK || has == (HAS_STATUS | HAS_SUMMARY))
        return 2;
    return has ? 1 : 0;
}

/* A complete object with the field takes the place of those that were found inside it. */
static void keep_field(struct scan *scan, const struct scan_object *object)
{
    while (scan->queued > 0 && scan->queue[scan->queued - 1].start > object->start)
        scan->queued--;
    if (scan->queued < SCAN_QUEUE)
        scan->queue[scan->queued++] = *object;
}

/* What a closed frame means for the one around it. */
static void tell_parent(struct skim *skim, const struct skim_frame *frame, unsigned rank)
{
    struct skim_frame *parent = &skim->scan->frames[skim->depth - 1];

    parent->holders += frame->holders;
    if (frame->holder != NO_HOLDER &&
        (parent->holder == NO_HOLDER || frame->holder_depth < parent->holder_depth)) {
        parent->holder = frame->holder;
        parent->holder_depth = frame->holder_depth;
    }
    if (frame->is_map && parent->is_map && rank > parent->member_rank) {
        parent->member = frame->start;
        parent->member_rank = (uint8_t)rank;
    }
}

static bool skim_close(struct skim *skim, bool is_map)
{
    struct skim_frame *frame = &skim->scan->frames[--skim->depth];
    unsigned rank = rank_of(frame->has);
    struct scan_object object = { .start = frame->start, .end = ++skim->at, .rank = rank };

    if (frame->is_map != is_map)
        return false;
    if (frame->field) {
        frame->holders++;
        frame->holder = frame->start;
        frame->holder_depth = (uint16_t)skim->depth;
    }
    object.field = frame->holder != NO_HOLDER;
    object.holders = frame->holders;
    object.holder = object.field ? frame->holder : rank ? frame->start : frame->member;
    if (!rank)
        object.rank = frame->member_rank;
    if (is_map && object.field)
        keep_field(skim->scan, &object);
    if (is_map && object.rank && object.rank >= skim->best.rank)
        skim->best = object;
    if (skim->depth > 0) {
        tell_parent(skim, frame, rank);
        return true;
    }
    object.outermost = true;
    skim->best = object;
    return true;
}

static bool skim_string(struct skim *skim)
{
    const char *text = skim->text;
    size_t at = skim->at + 1, len = skim->len;

    while (at < len && text[at] != '"') {
        if (text[at] == '{' && at < skim->quoted)
            skim->quoted = at;
        at += text[at] == '\\' ? 2 : 1;
    }
    skim->at = at + 1;
    return at < len;
}

/* Notes what the member says about its object, as far as key and first byte of the value tell. */
static void note_member(struct skim_frame *frame, enum known_key key, char first)
{
    bool container = first == '{' || first == '[';

    switch (key) {
    case KEY_QUESTIONS:
    case KEY_QUESTIONS_CAMEL: frame->field = true; break;
    case KEY_STATUS: frame->has |= first == '"' ? HAS_STATUS : 0; break;
    case KEY_SUMMARY: frame->has |= first == '"' ? HAS_SUMMARY : 0; break;
    case KEY_TASKS: frame->has |= first == '[' ? HAS_WORK : 0; break;
    case KEY_PRD:
    case KEY_PLAN: frame->has |= first == '"' || container ? HAS_WORK : 0; break;
    default: break;
    }
}

static void skim_space(struct skim *skim)
{
    while (skim->at < skim->len && is_space(skim->text[skim->at]))
        skim->at++;
}

static bool skim_key(struct skim *skim)
{
    size_t start = skim->at + 1;

    if (skim->text[skim->at] != '"' || !skim_string(skim))
        return false;
    size_t end = skim->at - 1;

    skim_space(skim);
    if (skim->at >= skim->len || skim->text[skim->at] != ':')
        return false;
    skim->at++;
    skim_space(skim);
    if (skim->at >= skim->len)
        return false;
    note_member(&skim->scan->frames[skim->depth - 1], known_key(skim->text + start, end - start),
                skim->text[skim->at]);
    return true;
}

static bool skim_word(struct skim *skim, const char *word, size_t len)
{
    if (skim->len - skim->at < len || memcmp(skim->text + skim->at, word, len) != 0)
        return false;
    skim->at += len;
    return true;
}

/* Without a digit it is no number: who writes [...] shows a shape and gives no values. */
static bool skim_number(struct skim *skim)
{
    bool digits = false;

    while (skim->at < skim->len && strchr("+-.0123456789Ee", skim->text[skim->at]) && skim->text[skim->at]) {
        digits |= skim->text[skim->at] >= '0' && skim->text[skim->at] <= '9';
        skim->at++;
    }
    return digits;
}

static bool skim_scalar(struct skim *skim)
{
    switch (skim->text[skim->at]) {
    case '"': return skim_string(skim);
    case 't': return skim_word(skim, "true", 4);
    case 'f': return skim_word(skim, "false", 5);
    case 'n': return skim_word(skim, "null", 4);
    default: return skim_number(skim);
    }
}

/* One attempt: a complete object from here, or false with `at` wherever it failed. */
static bool skim_object(struct skim *skim)
{
    bool after_value = false;

    if (!skim_open(skim, true))
        return false;
    while (skim->depth > 0) {
        skim_space(skim);
        if (skim->at >= skim->len)
            return false;
        char c = skim->text[skim->at];

        if (c == '}' || c == ']') {
            if (!skim_close(skim, c == '}'))
                return false;
            after_value = true;
            continue;
        }
        if (after_value) {
            if (c != ',')
                return false;
            skim->at++;
            after_value = false;
            continue;
        }
        if (skim->scan->frames[skim->depth - 1].is_map && !skim_key(skim))
            return false;
        c = skim->text[skim->at];
        after_value = c != '{' && c != '[';
        if (!(after_value ? skim_scalar(skim) : skim_open(skim, c == '{')))
            return false;
    }
    return true;
}

/* Whether what follows an opening brace can be a key at all: most braces in code fail here. */
static inline bool may_open(const struct scan *scan, size_t at)
{
    do
        at++;
    while (at < scan->len && is_space(scan->text[at]));
    return at < scan->len && scan->text[at] == '"';
}

/* Goes on to the next brace that is worth an attempt; false when there is none. */
static bool find_brace(struct scan *scan)
{
    const char *text = scan->text;
    size_t last = scan->has_known ? scan->last_known : 0, at = scan->at;

    while (at < last && (text[at] != '{' || was_tried(scan, at) || !may_open(scan, at)))
        at++;
    scan->at = at;
    return at < last;
}

static bool attempt(struct scan *scan, struct skim *skim, bool marking)
{
    *skim = (struct skim){ .scan = scan,
                           .text = scan->text,
                           .len = scan->len,
                           .at = scan->at,
                           .marking = marking,
                           .quoted = SIZE_MAX };
    scan->queued = scan->taken = 0;
    bool whole = skim_object(skim);

    scan->steps += skim->at - scan->at;
    return whole;
}

/*
 * Tries the object at scan->at and queues what is complete in it. After a failure the search goes on where it
 * failed, unless there were braces inside strings: then from the first of those, and since others that were
 * tried lie between, the attempt is made once more to mark them.
 */
static void try_object(struct scan *scan)
{
    struct skim skim;

    if (attempt(scan, &skim, false)) {
        scan->queue[0] = skim.best;
        scan->queued = 1;
        scan->at = skim.at;
        return;
    }
    if (skim.quoted < skim.at)
        attempt(scan, &skim, true);
    if (skim.best.rank && !skim.best.field)
        scan->queue[scan->queued++] = skim.best;
    scan->at = skim.quoted < skim.at ? skim.quoted : skim.at;
}

static void mark_read(struct scan *scan, const struct scan_object *object)
{
    for (size_t i = 0; i < scan->field_count; i++)
        if (scan->fields[i].at >= object->start && scan->fields[i].at < object->end)
            scan->fields[i].read = true;
    if (scan->result.at >= object->start && scan->result.at < object->end)
        scan->result.read = true;
}

bool scan_next(struct scan *scan, struct scan_object *object)
{
    while (scan->taken == scan->queued) {
        if (!find_brace(scan))
            return false;
        try_object(scan);
    }
    *object = scan->queue[scan->taken++];
    mark_read(scan, object);
    return true;
}
