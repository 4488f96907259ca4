/*
 * What looks like a result but is no complete object of strict JSON.
 *
 * A place that names a key of a result is taken, and the braces before it are tried as the start of its
 * object, read with repairs. The work is bounded: few places, few braces, and a budget of bytes for all.
 */
#include "output/parts.h"

#include "base/limits.h"

#include <string.h>

/*
 * Reads with repairs from one place; the map, or NULL when the key is not a member of that object. Whether it
 * is one is found out by reading without keeping anything.
 */
static struct value *repair_from(struct search *search, const struct scan *scan, size_t start, size_t key,
                                 struct reading *reading)
{
    struct reading wish = { .arena = search->arena,
                            .text = scan->text,
                            .len = scan->len,
                            .at = start,
                            .inside = start == key,
                            .target = key };

    for (unsigned pass = 0; pass < 2; pass++) {
        if (search->budget < scan->len - start)
            return NULL;
        *reading = wish;
        reading->skipping = pass == 0;
        reading->until_target = pass == 0;
        struct value *map = value_read(reading);

        search->steps += reading->steps;
        search->budget -= reading->steps < search->budget ? reading->steps : search->budget;
        if (!reading->reached)
            return NULL;
        if (pass == 1)
            return map;
    }
    return NULL;
}

/* The object around a key: the nearest braces before it are tried, and last the key itself. */
static struct value *repair_around(struct search *search, const struct scan *scan, size_t key,
                                   struct reading *reading)
{
    size_t end = key;

    for (unsigned tries = 0; tries < OUTPUT_BRACE_TRIES && end > 0; tries++) {
        const char *brace = memrchr(scan->text, '{', end);

        if (!brace)
            break;
        end = (size_t)(brace - scan->text);
        struct value *map = repair_from(search, scan, end, key, reading);

        if (map)
            return map;
    }
    return repair_from(search, scan, key, key, reading);
}

static void report_repair(struct search *search, const struct scan *scan, size_t at, const struct value *map,
                          const struct reading *reading, unsigned level)
{
    size_t line = level == 0 ? output_line(scan->text, at) : 0;
    const char *what = reading->deep     ? "is nested too deep in places, which were passed over"
                       : reading->cut    ? "is cut off; what stands before its end was read"
                       : !map->whole     ? "is not closed; what could be read of it was read"
                       : reading->broken ? "holds something that is not JSON; that was passed over"
                                         : NULL;

    if (!map->whole || reading->cut)
        search->unread = true;
    if (!what)
        return;
    if (line)
        problems_add(search->problems, "Line %zu: the result %s.", line, what);
    else
        problems_add(search->problems, "The result in the stream %s.", what);
}

/* A stream's line that is cut off, or an object whose quotes are all escaped: read once more without. */
static bool repair_escaped(struct search *search, const struct scan *scan, size_t at, unsigned level)
{
    const char *before = memrchr(scan->text, '\n', at);
    size_t start = before ? (size_t)(before - scan->text) + 1 : 0;
    const char *after = memchr(scan->text + at, '\n', scan->len - at);
    size_t end = after ? (size_t)(after - scan->text) : scan->len;

    if (level + 1 >= OUTPUT_LEVELS || search->budget < end - start)
        return false;
    search->budget -= end - start;
    search->steps += end - start;
    char *inner = value_decode(search->arena, scan->text + start, end - start, true);
    size_t inner_len = strlen(inner);

    search->repairing = false;
    search_text(search, inner, inner_len, level + 1);
    search->repairing = true;
    if (!search->field.text)
        search_text(search, inner, inner_len, level + 1);
    return search->field.text || search->repaired;
}

static void report_unreadable(struct search *search, const struct scan *scan, size_t at, unsigned level)
{
    if (level == 0)
        problems_add(search->problems, "Line %zu: `open_questions` stands here, but could not be read.",
                     output_line(scan->text, at));
    else
        problems_add(search->problems, "`open_questions` stands in the stream, but could not be read.");
}

/* Nobody's object holds the field, yet something names it: repair the first that gives questions. */
static void repair_fields(struct search *search, const struct scan *scan, unsigned level)
{
    for (size_t i = 0; i < scan->field_count && !search->repaired && !search->field.text; i++) {
        const struct scan_mark *mark = &scan->fields[i];
        struct reading reading;
        struct value *map = NULL;

        if (mark->read)
            continue;
        if (search->repairs++ < OUTPUT_REPAIR_KEYS) {
            if (mark->escaped && repair_escaped(search, scan, mark->at, level))
                continue;
            map = mark->escaped ? NULL : repair_around(search, scan, mark->at, &reading);
        }
        if (map && (output_questions_there(search->arena, map) || (reading.cut && !reading.inside))) {
            report_repair(search, scan, mark->at, map, &reading, level);
            search->repaired = map;
            search->repaired_full = reading.full;
            continue;
        }
        report_unreadable(search, scan, mark->at, level);
        /* A complete result that follows takes its place; otherwise nothing here is a success. */
        if (!search->result.text || (level == 0 && mark->at > search->result.object.end))
            search->unread = true;
    }
}

/* What names another key of a result after the last complete one: a result that needs repair. */
static void repair_result(struct search *search, const struct scan *scan, unsigned level)
{
    struct reading reading;

    if (!scan->has_result || scan->result.read || search->repairs++ >= OUTPUT_REPAIR_KEYS ||
        (search->result.text && (level > 0 || scan->result.at < search->result.object.end)))
        return;
    if (scan->result.escaped) {
        repair_escaped(search, scan, scan->result.at, level);
        return;
    }
    struct value *map = repair_around(search, scan, scan->result.at, &reading);

    /* A lone key in code or prose is no result: at least an opening brace has to belong to it. */
    if (map && !reading.inside && (map->whole || reading.cut)) {
        report_repair(search, scan, scan->result.at, map, &reading, level);
        search->repaired = map;
        search->repaired_full = reading.full;
    }
}

void search_repair(struct search *search, const struct scan *scan, unsigned level)
{
    repair_fields(search, scan, level);
    if (!search->field.text && !search->repaired && scan->field_count == 0)
        repair_result(search, scan, level);
}
