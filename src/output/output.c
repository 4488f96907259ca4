/*
 * The first pass reads strictly and takes complete objects only; the second, with repairs, runs where that
 * found no questions although a key of a result was named. Candidates are offered one by one and the search
 * keeps the best, so no list of them grows with the input.
 */
#include "output/output.h"

#include "base/limits.h"
#include "base/str.h"
#include "output/parts.h"

#include <string.h>

#define SURELY_A_RESULT 2 /* rank of an object that can be nothing else */

void problems_add(struct problems *problems, const char *fmt, ...)
{
    va_list args;
    char text[512];

    if (problems->count == LIMIT_PROBLEMS) {
        problems->more++;
        return;
    }
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    problems->items[problems->count++] = value_decode(problems->arena, text, strlen(text), false);
}

void problems_hand_over(struct problems *problems, struct output *out)
{
    if (problems->more)
        problems->items[problems->count++] =
            arena_format(problems->arena, "And %zu more problems.", problems->more);
    out->problems = problems->items;
    out->problem_count = problems->count;
}

size_t output_line(const char *text, size_t at)
{
    size_t line = 1;

    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

/* Reads an object that is known to be complete: the known keys, or only one of another name. */
static struct value *read_exactly(struct search *search, const struct pick *pick, size_t start,
                                  const char *only, struct reading *reading)
{
    struct reading own;

    if (!reading)
        reading = &own;
    *reading = (struct reading){ .arena = search->arena,
                                 .text = pick->text,
                                 .len = pick->object.end,
                                 .at = start,
                                 .exact = true,
                                 .only = only };
    struct value *map = value_read(reading);

    search->steps += reading->steps;
    return map;
}

static bool same_text(const struct pick *a, const struct pick *b)
{
    size_t len = a->object.end - a->object.start;

    return len == b->object.end - b->object.start &&
           memcmp(a->text + a->object.start, b->text + b->object.start, len) == 0;
}

/* An example is kept all the same: an object in which nothing better follows means it. */
static bool is_only_shown(struct search *search, const struct pick *pick)
{
    const struct value *holder = read_exactly(search, pick, pick->object.holder, NULL, NULL);
    const struct value *field = value_member(holder, "open_questions");

    if (!field)
        field = value_member(holder, "openQuestions");
    if (output_is_example(field) && !search->example.text)
        search->example = *pick;
    return output_is_example(field) || output_is_schema(field);
}

/* The first object with the field wins; the last of the best that look like a result does without it. */
static void offer(struct search *search, const struct pick *pick)
{
    if (search->repairing)
        return;
    if (!pick->object.field) {
        if (pick->object.rank && (!search->result.text || pick->object.rank >= search->result.object.rank))
            search->result = *pick;
        return;
    }
    if (!search->field.text) {
        if (is_only_shown(search, pick))
            problems_add(search->problems,
                         "`open_questions` is described by a schema or an example; that was passed over.");
        else
            search->field = *pick;
    } else if ((pick->level == 0 && search->field.level == 0) || !same_text(pick, &search->field)) {
        /* A stream says the same thing in its messages and in its last line: that is no second result. */
        if (search->later++ == 0 && pick->level == 0)
            search->later_line = output_line(pick->text, pick->object.start);
    }
}

/* Whether escaped quotes, or what may be repaired, can hold a known key here. */
static bool names_known(const struct search *search, const char *text, size_t len)
{
    static const char *const names[] = { "uestions\\", "status\\", "summary\\", "tasks\\",
                                         "prd\\",      "plan\\",   NULL };

    if (search->repairing &&
        (memmem(text, len, "open_questions", 14) || memmem(text, len, "openQuestions", 13)))
        return true;
    for (size_t i = 0; names[i]; i++)
        if (memmem(text, len, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Lines of a stream that hold what others said to the agent. */
static bool is_input_line(const struct value *map)
{
    const struct value *type = value_member(map, "type");

    return type && type->type == VALUE_TEXT &&
           (strcmp(type->text, "user") == 0 || strcmp(type->text, "system") == 0 ||
            strcmp(type->text, "tool_result") == 0);
}

/* Looks into every string of a complete object that names a known key in escaped quotes. */
static void search_strings(struct search *search, const struct pick *pick)
{
    const char *text = pick->text;
    size_t at = pick->object.start, end = pick->object.end;

    while (at < end) {
        const char *quote = memchr(text + at, '"', end - at);

        if (!quote)
            return;
        size_t start = at = (size_t)(quote - text) + 1;

        while (at < end && text[at] != '"')
            at += text[at] == '\\' ? 2 : 1;
        if (at < end && names_known(search, text + start, at - start)) {
            char *inner = value_decode(search->arena, text + start, at - start, true);

            search_text(search, inner, strlen(inner), pick->level + 1);
        }
        at++;
    }
}

/*
 * A complete object without the field may be a line of a stream, whose strings hold what we look for. One
 * that is a result itself is not: what its summary quotes was never asked.
 */
static void search_line(struct search *search, const struct scan *scan, const struct pick *pick)
{
    size_t len = pick->object.end - pick->object.start;
    const struct value *typed;

    if ((!scan->has_escaped && !search->repairing) || pick->level + 1 >= OUTPUT_LEVELS ||
        !names_known(search, pick->text + pick->object.start, len))
        return;
    typed = read_exactly(search, pick, pick->object.start, "type", NULL);
    if (is_input_line(typed) || (pick->object.rank == SURELY_A_RESULT && !value_member(typed, "type")))
        return;
    search_strings(search, pick);
}

static void report_unread(struct search *search, const struct scan *scan)
{
    for (size_t i = 0; i < scan->field_count; i++)
        if (!scan->fields[i].read && !scan->fields[i].escaped)
            problems_add(search->problems,
                         "Line %zu: `open_questions` also stands here, but could not be read.",
                         output_line(scan->text, scan->fields[i].at));
}

void search_text(struct search *search, const char *text, size_t len, unsigned level)
{
    struct scan scan;
    struct pick pick = { .text = text, .len = len, .level = level };

    if (!search->frames && memchr(text, '{', len))
        search->frames = scan_frames(search->arena);
    scan_open(&scan, search->arena, search->frames, text, len);
    search->named |= scan.has_known;
    while (scan_next(&scan, &pick.object)) {
        offer(search, &pick);
        if (!pick.object.field && pick.object.outermost)
            search_line(search, &scan, &pick);
    }
    search->steps += scan.steps;
    if (search->field.text && level == 0)
        report_unread(search, &scan);
    if (search->repairing && !search->repaired)
        search_repair(search, &scan, level);
}

static void take_pick(struct search *search, const struct pick *pick, const struct output_options *options)
{
    struct output *out = search->out;
    bool inner = pick->object.holder != pick->object.start;
    struct reading of_holder, of_outer = { 0 };
    struct value *holder = read_exactly(search, pick, pick->object.holder, NULL, &of_holder);
    struct value *outer = inner ? read_exactly(search, pick, pick->object.start, NULL, &of_outer) : NULL;

    out->found = true;
    if (of_holder.full || of_outer.full)
        output_too_many_values(search->arena, out);
    if (of_holder.deep)
        problems_add(search->problems, "Values nested deeper than %d in the result were passed over.",
                     LIMIT_JSON_DEPTH);
    if (pick->object.holders > 1)
        problems_add(
            search->problems,
            "The result holds `open_questions` in %zu of its objects; only the first of the outermost was read.",
            pick->object.holders);
    output_questions_read(search->arena, holder, out, search->problems);
    output_fields_read(search->arena, holder, outer, options->coder, out, search->problems);
}

static void take_repaired(struct search *search, const struct output_options *options)
{
    struct output *out = search->out;

    out->found = true;
    if (search->repaired_full)
        output_too_many_values(search->arena, out);
    output_questions_read(search->arena, search->repaired, out, search->problems);
    output_fields_read(search->arena, search->repaired, NULL, options->coder, out, search->problems);
}

/* What the agent says in a line of a stream: the result, or the last text of a message. */
static const char *words_of(const struct value *map)
{
    static const char *const names[] = { "result", "text", "message", "item", "content", NULL };

    for (unsigned depth = 0; map && depth < 5; depth++) {
        const struct value *next = map->type == VALUE_LIST ? map->last : NULL;

        for (size_t i = 0; names[i] && !next; i++)
            next = value_member(map, names[i]);
        if (next && next->type == VALUE_TEXT)
            return next->text;
        map = next;
    }
    return NULL;
}

/* The last thing the agent says in a stream of lines; NULL when the text is no such stream. */
static const char *last_words(struct search *search, const char *text, size_t len)
{
    for (unsigned lines = 0; lines < OUTPUT_STREAM_LINES && len > 0; lines++) {
        while (len > 0 && (unsigned char)text[len - 1] <= ' ')
            len--;
        const char *before = len ? memrchr(text, '\n', len) : NULL;
        size_t start = before ? (size_t)(before - text) + 1 : 0;

        if (len == 0 || text[start] != '{' || text[len - 1] != '}')
            return NULL;
        struct reading reading = {
            .arena = search->arena, .text = text, .len = len, .at = start, .all = true
        };
        const struct value *map = value_read(&reading);
        const struct value *type = value_member(map, "type");

        search->steps += reading.steps;
        const char *words = type && type->type == VALUE_TEXT && !is_input_line(map) ? words_of(map) : NULL;

        if (words || !type)
            return words;
        len = start;
    }
    return NULL;
}

/* A question from prose goes the way of all questions: as a list of one text. False: nothing is asked. */
static bool take_prose(struct search *search, const char *text, size_t len)
{
    const char *words = last_words(search, text, len);
    const char *question = words ? output_prose_question(search->arena, words, strlen(words))
                                 : output_prose_question(search->arena, text, len);
    struct output *out = search->out;

    if (!question)
        return false;
    struct value *map = value_new(search->arena, VALUE_MAP), *list = value_new(search->arena, VALUE_LIST);
    struct value *entry = value_new(search->arena, VALUE_TEXT);

    entry->text = question;
    list->key = "open_questions";
    entry->whole = list->whole = map->whole = true;
    value_append(list, entry);
    value_append(map, list);
    output_questions_read(search->arena, map, out, search->problems);
    out->from_prose = out->question_count > 0;
    if (out->from_prose)
        out->summary = OUTPUT_ASKS;
    return true;
}

/* Where no object was found that means what it says. */
static void take_the_rest(struct search *search, const char *text, size_t len,
                          const struct output_options *options)
{
    if (take_prose(search, text, len))
        return;
    if (search->example.text)
        take_pick(search, &search->example, options);
    else if (!search->unread)
        problems_add(search->problems, len ? "No result was found in the output." : "The output is empty.");
}

static void report_later(struct search *search)
{
    const char *were = search->later == 1 ? " with `open_questions` was" : "s with `open_questions` were";

    if (search->later_line)
        problems_add(search->problems, "%zu further object%s passed over, the first in line %zu.",
                     search->later, were, search->later_line);
    else if (search->later)
        problems_add(search->problems, "%zu further object%s passed over in the stream.", search->later,
                     were);
}

/* The longest beginning that fits and does not split a character. */
static size_t fitting(const char *text, size_t len, size_t max)
{
    if (len <= max)
        return len;
    for (unsigned back = 0; back < 4 && max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80; back++)
        max--;
    return max;
}

static void find_object(struct search *search, const char *text, size_t len)
{
    search_text(search, text, len, 0);
    if (!search->field.text && search->named) {
        search->repairing = true;
        search_text(search, text, len, 0);
    }
    report_later(search);
}

bool output_read(struct arena *arena, const char *text, size_t len, const struct output_options *options,
                 struct output *out, struct err *err)
{
    static const struct output_options defaults;
    struct problems *problems = arena_new(arena, struct problems);
    struct output read = { 0 };

    if (!options)
        options = &defaults;
    size_t max = options->max_bytes ? options->max_bytes : LIMIT_RESULT_BODY;

    if (max > OUTPUT_MAX_BYTES)
        return err_field(err, "max_bytes", "An output is read up to 1 GB.");
    problems->arena = arena;
    read.cut = len > max;
    len = fitting(text, len, max);
    if (read.cut)
        problems_add(problems, "The output is longer than %zu bytes; what follows was not read.", max);
    struct search search = {
        .arena = arena, .problems = problems, .out = &read, .budget = OUTPUT_REPAIR_TIMES * len + KB
    };

    find_object(&search, text, len);
    if (search.field.text)
        take_pick(&search, &search.field, options);
    else if (search.repaired)
        take_repaired(&search, options);
    else if (search.result.text)
        take_pick(&search, &search.result, options);
    else
        take_the_rest(&search, text, len, options);
    if (search.unread)
        read.status = OUTPUT_FAILED;
    problems_hand_over(problems, &read);
    read.steps = search.steps;
    *out = read;
    return true;
}
