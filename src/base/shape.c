/*
 * A schema is walked beside the value. Nothing is made of it before: schemas are small, and each is held
 * against one value at a time. Because a reference may lead to a place that shape_check does not look at, a
 * keyword whose value is not what it should be is passed over here.
 *
 * Schemas that only try something (anyOf, not, if) are walked without telling problems.
 */
#include "base/shape_parts.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "base/str.h"
#include "base/uuid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct shape_walk {
    struct arena *arena;
    const json_t *root;
    size_t work, depth;
    size_t silent; /* so many tries are under way: problems are not told */
    bool given_up; /* the work or the depth was too much */
    struct shape_problem *problems;
    size_t count;
};

static bool fits(struct shape_walk *walk, const json_t *schema, const json_t *value,
                 const struct shape_way *way);

/* Always false, so that `return tell(...)` reads as one thought. */
static bool tell(struct shape_walk *walk, const struct shape_way *way, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool tell(struct shape_walk *walk, const struct shape_way *way, const char *fmt, ...)
{
    va_list args;
    char text[1024];

    if (walk->silent || walk->count == SHAPE_PROBLEMS)
        return false;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    walk->problems[walk->count++] =
        (struct shape_problem){ shape_way_text(walk->arena, way),
                                arena_copy(walk->arena, text, str_fitting(text, sizeof(text) - 1)) };
    return false;
}

static bool give_up(struct shape_walk *walk)
{
    walk->given_up = true;
    return false;
}

/* Takes so many steps; false when there are none left. */
static bool spend(struct shape_walk *walk, size_t steps)
{
    if (walk->work < steps)
        return give_up(walk);
    walk->work -= steps;
    return true;
}

static const char *shown_text(struct shape_walk *walk, const char *text)
{
    return str_plain_line(walk->arena, str_beginning(walk->arena, text, LIMIT_SHAPE_WORDS));
}

/* A value as JSON, cut when it is long. */
static const char *shown(struct shape_walk *walk, const json_t *value)
{
    if (walk->silent)
        return "";
    return shown_text(walk, json_dump_text(walk->arena, value));
}

static bool is_number(const json_t *value)
{
    return json_is_number(value);
}

static long double number_of(const json_t *value)
{
    return json_is_integer(value) ? (long double)json_integer_value(value)
                                  : (long double)json_real_value(value);
}

static bool is_whole(const json_t *value)
{
    return json_is_integer(value) ||
           (json_is_real(value) && trunc(json_real_value(value)) == json_real_value(value));
}

/* A count in a schema: whole and not negative. */
static bool count_of(const json_t *value, size_t *count)
{
    if (!value || !is_number(value) || !is_whole(value) || number_of(value) < 0)
        return false;
    *count = number_of(value) > 1e15L ? (size_t)1000000000000000 : (size_t)number_of(value);
    return true;
}

/* Whether two values are the same one: 1 and 1.0 are, and the order of members says nothing. */
static bool same(struct shape_walk *walk, const json_t *a, const json_t *b)
{
    const char *name;
    json_t *member;

    if (!spend(walk, 1))
        return false;
    if (is_number(a) && is_number(b))
        return number_of(a) == number_of(b);
    if (json_typeof(a) != json_typeof(b))
        return false;
    if (json_is_string(a))
        return json_string_length(a) == json_string_length(b) && spend(walk, json_string_length(a) / 64) &&
               memcmp(json_string_value(a), json_string_value(b), json_string_length(a)) == 0;
    if (json_is_array(a)) {
        if (json_array_size(a) != json_array_size(b))
            return false;
        for (size_t i = 0; i < json_array_size(a); i++)
            if (!same(walk, json_array_get(a, i), json_array_get(b, i)))
                return false;
        return true;
    }
    if (!json_is_object(a))
        return true;
    if (json_object_size(a) != json_object_size(b))
        return false;
    json_object_foreach((json_t *)a, name, member)
    {
        const json_t *other = json_object_get(b, name);

        if (!other || !same(walk, member, other))
            return false;
    }
    return true;
}

/* The same number for values that are the same. */
static uint64_t hash_of(struct shape_walk *walk, const json_t *value)
{
    uint64_t hash = (uint64_t)(is_number(value) ? JSON_INTEGER : json_typeof(value)) * 0x9e3779b97f4a7c15u;
    const char *name;
    json_t *member;

    if (!spend(walk, 1))
        return 0;
    if (is_number(value)) {
        double number = (double)number_of(value);
        uint64_t bits;

        number += 0.0; /* minus zero is zero */
        memcpy(&bits, &number, sizeof(bits));
        return hash ^ bits * 0xbf58476d1ce4e5b9u;
    }
    if (json_is_string(value))
        return spend(walk, json_string_length(value) / 16) ? hash ^ str_hash(json_string_value(value)) : 0;
    for (size_t i = 0; i < json_array_size(value); i++)
        hash = hash * 31 + hash_of(walk, json_array_get(value, i));
    if (json_is_object(value))
        json_object_foreach((json_t *)value, name, member) hash +=
            (str_hash(name) | 1) * (hash_of(walk, member) | 1);
    return hash;
}

static const char *type_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "object";
    case JSON_ARRAY: return "array";
    case JSON_STRING: return "string";
    case JSON_INTEGER: return "integer";
    case JSON_REAL: return "number";
    case JSON_TRUE:
    case JSON_FALSE: return "boolean";
    case JSON_NULL: break;
    }
    return "null";
}

static bool is_of_type(const json_t *value, const char *type)
{
    if (!type)
        return false;
    if (strcmp(type, "number") == 0)
        return is_number(value);
    if (strcmp(type, "integer") == 0)
        return is_number(value) && is_whole(value);
    return strcmp(type, type_of(value)) == 0;
}

static bool fits_type(struct shape_walk *walk, const json_t *types, const json_t *value,
                      const struct shape_way *way)
{
    if (json_is_string(types))
        return is_of_type(value, json_string_value(types)) ||
               tell(walk, way, "It must be of the type %s, not %s.", json_string_value(types),
                    type_of(value));
    if (!json_is_array(types))
        return true;
    for (size_t i = 0; i < json_array_size(types); i++)
        if (!spend(walk, 1) || is_of_type(value, json_string_value(json_array_get(types, i))))
            return !walk->given_up;
    return tell(walk, way, "It must be of one of the types %s, not %s.", shown(walk, types), type_of(value));
}

static bool fits_enum(struct shape_walk *walk, const json_t *values, const json_t *value,
                      const struct shape_way *way)
{
    if (!json_is_array(values))
        return true;
    for (size_t i = 0; i < json_array_size(values); i++)
        if (same(walk, json_array_get(values, i), value))
            return true;
    return tell(walk, way, "It must be one of %s.", shown(walk, values));
}

static bool fits_const(struct shape_walk *walk, const json_t *wanted, const json_t *value,
                       const struct shape_way *way)
{
    return same(walk, wanted, value) || tell(walk, way, "It must be %s.", shown(walk, wanted));
}

static bool is_multiple(const json_t *value, const json_t *of)
{
    long double quotient;

    if (json_is_integer(value) && json_is_integer(of))
        return json_integer_value(of) == -1 || json_integer_value(value) % json_integer_value(of) == 0;
    quotient = number_of(value) / number_of(of);
    return isfinite(quotient) && fabsl(quotient - roundl(quotient)) <= 1e-9L * fmaxl(1, fabsl(quotient));
}

static bool fits_number(struct shape_walk *walk, const json_t *schema, const json_t *value,
                        const struct shape_way *way)
{
    const json_t *least = json_object_get(schema, "minimum"), *most = json_object_get(schema, "maximum"),
                 *above = json_object_get(schema, "exclusiveMinimum"),
                 *below = json_object_get(schema, "exclusiveMaximum"),
                 *of = json_object_get(schema, "multipleOf");
    long double number = number_of(value);

    if (is_number(least) && number < number_of(least))
        return tell(walk, way, "It must be at least %s.", shown(walk, least));
    if (is_number(most) && number > number_of(most))
        return tell(walk, way, "It must be at most %s.", shown(walk, most));
    if (is_number(above) && number <= number_of(above))
        return tell(walk, way, "It must be more than %s.", shown(walk, above));
    if (is_number(below) && number >= number_of(below))
        return tell(walk, way, "It must be less than %s.", shown(walk, below));
    if (is_number(of) && number_of(of) > 0 && !is_multiple(value, of))
        return tell(walk, way, "It must be a multiple of %s.", shown(walk, of));
    return true;
}

static bool is_date(const char *text)
{
    char moment[32];
    int64_t ms;

    if (strlen(text) != 10)
        return false;
    snprintf(moment, sizeof(moment), "%sT00:00:00Z", text);
    return clock_parse(moment, &ms);
}

/* Something before an @, and something with a name's letters behind the last one. */
static bool is_email(const char *text)
{
    const char *at = strrchr(text, '@');

    return at && at > text && at[1] && at[1] != '.' && !strpbrk(text, " \t\r\n<>") && !strstr(at, "..") &&
           at[strlen(at) - 1] != '.';
}

static bool is_uri(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");

    if (len == 0 || text[len] != ':' || strchr("0123456789+-.", *text))
        return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f || strchr("<>\"{}|\\^`", *c))
            return false;
    return true;
}

static bool is_moment(const char *text)
{
    int64_t ms;

    return clock_parse(text, &ms);
}

static const struct {
    const char *name;
    bool (*has)(const char *text);
} formats[] = { { "date", is_date },
                { "date-time", is_moment },
                { "email", is_email },
                { "uri", is_uri },
                { "uuid", uuid_valid } };

#define FORMAT_COUNT (sizeof(formats) / sizeof(*formats))

bool shape_knows_format(const char *format)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i].name, format) == 0)
            return true;
    return false;
}

static bool has_format(const char *format, const char *text)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].has(text);
    return true;
}

/* True also for a pattern that is not matched here. */
static bool has_pattern(struct shape_walk *walk, const char *pattern, const char *text, size_t len)
{
    ARENA_AUTO arena = { 0 };
    const struct pattern *made;
    const char *why;
    bool found;

    if (!spend(walk, 64 + strlen(pattern)) || pattern_read(&arena, pattern, &made, &why) != PATTERN_FINE)
        return !walk->given_up;
    found = pattern_found(&arena, made, text, len, &walk->work);
    if (walk->work == 0)
        return give_up(walk);
    return found;
}

static bool fits_text(struct shape_walk *walk, const json_t *schema, const json_t *value,
                      const struct shape_way *way)
{
    const char *text = json_string_value(value),
               *pattern = json_string_value(json_object_get(schema, "pattern")),
               *format = json_string_value(json_object_get(schema, "format"));
    size_t least, most;

    if (!spend(walk, 1 + json_string_length(value) / 64))
        return false;
    if (count_of(json_object_get(schema, "minLength"), &least) && str_chars(text) < least)
        return tell(walk, way, "It must have at least %zu characters.", least);
    if (count_of(json_object_get(schema, "maxLength"), &most) && str_chars(text) > most)
        return tell(walk, way, "It must have at most %zu characters.", most);
    if (pattern && !has_pattern(walk, pattern, text, json_string_length(value)))
        return tell(walk, way, "It must fit the pattern %s.", shown_text(walk, pattern));
    if (format && !has_format(format, text))
        return tell(walk, way, "It must have the format %s.", shown_text(walk, format));
    return true;
}

struct shape_mark {
    uint64_t hash;
    size_t index;
};

static int by_hash(const void *a, const void *b)
{
    const struct shape_mark *one = a, *other = b;

    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

static bool are_unique(struct shape_walk *walk, const json_t *list, const struct shape_way *way)
{
    ARENA_AUTO arena = { 0 };
    size_t count = json_array_size(list);
    struct shape_mark *marks;

    if (!spend(walk, count) || count < 2)
        return !walk->given_up;
    marks = arena_array(&arena, struct shape_mark, count);
    for (size_t i = 0; i < count; i++)
        marks[i] = (struct shape_mark){ hash_of(walk, json_array_get(list, i)), i };
    qsort(marks, count, sizeof(*marks), by_hash);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && marks[j].hash == marks[i].hash && !walk->given_up; j++)
            if (same(walk, json_array_get(list, marks[i].index), json_array_get(list, marks[j].index)))
                return tell(walk, way, "Its entries %zu and %zu are the same; each may stand there once.",
                            marks[i].index, marks[j].index);
    return !walk->given_up;
}

static bool fits_contained(struct shape_walk *walk, const json_t *schema, const json_t *list,
                           const struct shape_way *way)
{
    const json_t *wanted = json_object_get(schema, "contains");
    size_t least = 1, most = SIZE_MAX, found = 0;

    if (!wanted)
        return true;
    count_of(json_object_get(schema, "minContains"), &least);
    count_of(json_object_get(schema, "maxContains"), &most);
    walk->silent++;
    for (size_t i = 0; i < json_array_size(list) && !walk->given_up; i++)
        found += fits(walk, wanted, json_array_get(list, i), way);
    walk->silent--;
    if (walk->given_up)
        return false;
    if (found < least)
        return tell(walk, way, "It must have at least %zu entries of the kind that its schema asks for.",
                    least);
    return found <= most ||
           tell(walk, way, "It must have at most %zu entries of the kind that its schema counts.", most);
}

/* The first entries by their places, the rest by one schema: in words of today and of older schemas. */
static bool fits_entries(struct shape_walk *walk, const json_t *schema, const json_t *list,
                         const struct shape_way *way)
{
    const json_t *places = json_object_get(schema, "prefixItems"), *rest = json_object_get(schema, "items");
    bool good = true;

    if (json_is_array(rest)) {
        places = rest;
        rest = json_object_get(schema, "additionalItems");
    }
    if (!places && !rest)
        return true;
    for (size_t i = 0; i < json_array_size(list) && !walk->given_up; i++) {
        const json_t *place = json_array_get(places, i);
        struct shape_way here = { way, NULL, i };

        if (place || rest)
            good &= fits(walk, place ? place : rest, json_array_get(list, i), &here);
        if (!good && (walk->silent || walk->count == SHAPE_PROBLEMS))
            break;
    }
    return good && !walk->given_up;
}

static bool fits_list(struct shape_walk *walk, const json_t *schema, const json_t *list,
                      const struct shape_way *way)
{
    size_t count = json_array_size(list), least, most;

    if (count_of(json_object_get(schema, "minItems"), &least) && count < least)
        return tell(walk, way, "It must have at least %zu entries.", least);
    if (count_of(json_object_get(schema, "maxItems"), &most) && count > most)
        return tell(walk, way, "It must have at most %zu entries.", most);
    if (json_is_true(json_object_get(schema, "uniqueItems")) && !are_unique(walk, list, way))
        return false;
    return fits_contained(walk, schema, list, way) && fits_entries(walk, schema, list, way);
}

static bool has_required(struct shape_walk *walk, const json_t *names, const json_t *map,
                         const struct shape_way *way)
{
    bool good = true;

    for (size_t i = 0; i < json_array_size(names) && spend(walk, 1); i++) {
        const char *name = json_string_value(json_array_get(names, i));

        if (name && !json_object_get(map, name))
            good = tell(walk, way, "The member \"%s\" is missing.", shown_text(walk, name));
    }
    return good && !walk->given_up;
}

static bool has_dependents(struct shape_walk *walk, const json_t *dependents, const json_t *map,
                           const struct shape_way *way)
{
    const char *name;
    json_t *names;
    bool good = true;

    json_object_foreach((json_t *)dependents, name, names)
    {
        if (json_object_get(map, name))
            good &= has_required(walk, names, map, way);
    }
    return good;
}

static bool tell_unknown(struct shape_walk *walk, const json_t *properties, const char *name,
                         const struct shape_way *way)
{
    const char *known;
    json_t *schema;

    if (walk->silent)
        return false;
    if (strlen(name) <= LIMIT_NAME)
        json_object_foreach(
            (json_t *)properties, known,
            schema) if (strlen(known) <= LIMIT_NAME &&
                        str_is_near(name,
                                    known)) return tell(walk, way,
                                                        "There is no member \"%s\" here; was \"%s\" meant?",
                                                        shown_text(walk, name), shown_text(walk, known));
    return tell(walk, way, "There is no member \"%s\" here.", shown_text(walk, name));
}

/* One member against what stands for its name: by name, by pattern, or as one of the others. */
static bool fits_member(struct shape_walk *walk, const json_t *schema, const char *name, const json_t *value,
                        const struct shape_way *way)
{
    const json_t *properties = json_object_get(schema, "properties"),
                 *patterns = json_object_get(schema, "patternProperties"),
                 *others = json_object_get(schema, "additionalProperties"),
                 *own = json_object_get(properties, name);
    struct shape_way here = { way, name, 0 };
    bool named = own != NULL, good = true;
    const char *pattern;
    json_t *by_pattern;

    if (own)
        good = fits(walk, own, value, &here);
    json_object_foreach((json_t *)patterns, pattern, by_pattern)
    {
        if (!has_pattern(walk, pattern, name, strlen(name)))
            continue;
        named = true;
        good &= fits(walk, by_pattern, value, &here);
    }
    if (named || !others)
        return good;
    if (json_is_false(others))
        return tell_unknown(walk, properties, name, way);
    return fits(walk, others, value, &here);
}

static bool fits_name(struct shape_walk *walk, const json_t *names, const char *name,
                      const struct shape_way *way)
{
    bool good;

    if (!names)
        return true;
    JSON_AUTO *text = json_string(name);

    if (!text)
        return give_up(walk);
    walk->silent++;
    good = fits(walk, names, text, way);
    walk->silent--;
    return good || walk->given_up ||
           tell(walk, way, "A member may not have the name \"%s\" here.", shown_text(walk, name));
}

static bool fits_map(struct shape_walk *walk, const json_t *schema, const json_t *map,
                     const struct shape_way *way)
{
    const json_t *names = json_object_get(schema, "propertyNames");
    size_t count = json_object_size(map), least, most;
    const char *name;
    json_t *value;
    bool good;

    if (count_of(json_object_get(schema, "minProperties"), &least) && count < least)
        return tell(walk, way, "It must have at least %zu members.", least);
    if (count_of(json_object_get(schema, "maxProperties"), &most) && count > most)
        return tell(walk, way, "It must have at most %zu members.", most);
    good = has_required(walk, json_object_get(schema, "required"), map, way);
    good &= has_dependents(walk, json_object_get(schema, "dependentRequired"), map, way);
    json_object_foreach((json_t *)map, name, value)
    {
        if (walk->given_up || (!good && (walk->silent || walk->count == SHAPE_PROBLEMS)))
            break;
        good &= fits_name(walk, names, name, way);
        good &= fits_member(walk, schema, name, value, way);
    }
    return good && !walk->given_up;
}

/* Tries without telling. */
static bool would_fit(struct shape_walk *walk, const json_t *schema, const json_t *value,
                      const struct shape_way *way)
{
    bool good;

    walk->silent++;
    good = fits(walk, schema, value, way);
    walk->silent--;
    return good;
}

static size_t fitting_of(struct shape_walk *walk, const json_t *schemas, const json_t *value,
                         const struct shape_way *way, size_t most)
{
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(schemas) && count < most && !walk->given_up; i++)
        count += would_fit(walk, json_array_get(schemas, i), value, way);
    return count;
}

static bool fits_forms(struct shape_walk *walk, const json_t *schema, const json_t *value,
                       const struct shape_way *way)
{
    const json_t *all = json_object_get(schema, "allOf"), *any = json_object_get(schema, "anyOf"),
                 *one = json_object_get(schema, "oneOf"), *none = json_object_get(schema, "not"),
                 *test = json_object_get(schema, "if"), *then;
    bool good = true;

    for (size_t i = 0; i < json_array_size(all) && !walk->given_up; i++)
        good &= fits(walk, json_array_get(all, i), value, way);
    if (json_array_size(any) == 1)
        good &= fits(walk, json_array_get(any, 0), value, way);
    else if (json_array_size(any) && fitting_of(walk, any, value, way, 1) == 0 && !walk->given_up)
        good = tell(walk, way, "It fits none of the %zu forms that it may have.", json_array_size(any));
    if (json_array_size(one)) {
        size_t count = fitting_of(walk, one, value, way, 2);

        if (count != 1 && !walk->given_up)
            good = tell(walk, way, "It must fit exactly one of %zu forms, and fits %s.", json_array_size(one),
                        count ? "more than one" : "none");
    }
    if (none && would_fit(walk, none, value, way) && !walk->given_up)
        good = tell(walk, way, "It has a form that it may not have.");
    if (test) {
        then = json_object_get(schema, would_fit(walk, test, value, way) ? "then" : "else");
        good &= !then || walk->given_up || fits(walk, then, value, way);
    }
    return good && !walk->given_up;
}

static bool fits_reference(struct shape_walk *walk, const json_t *schema, const json_t *value,
                           const struct shape_way *way)
{
    const char *pointer = json_string_value(json_object_get(schema, "$ref"));
    const json_t *target = NULL;

    if (pointer && shape_is_local(pointer)) {
        ARENA_AUTO arena = { 0 };

        if (!spend(walk, 1 + strlen(pointer)))
            return false;
        target = shape_pointed_at(&arena, walk->root, pointer);
    }
    return !target || fits(walk, target, value, way);
}

static bool fits_by_type(struct shape_walk *walk, const json_t *schema, const json_t *value,
                         const struct shape_way *way)
{
    if (json_is_object(value))
        return fits_map(walk, schema, value, way);
    if (json_is_array(value))
        return fits_list(walk, schema, value, way);
    if (json_is_string(value))
        return fits_text(walk, schema, value, way);
    return !is_number(value) || fits_number(walk, schema, value, way);
}

static bool fits(struct shape_walk *walk, const json_t *schema, const json_t *value,
                 const struct shape_way *way)
{
    const json_t *types, *values, *wanted;
    bool good;

    if (!spend(walk, 1))
        return false;
    if (!json_is_object(schema))
        return !json_is_false(schema) || tell(walk, way, "Nothing may stand here.");
    if (walk->depth == LIMIT_SHAPE_DEPTH)
        return give_up(walk);
    types = json_object_get(schema, "type");
    if (types && !fits_type(walk, types, value, way))
        return false; /* whatever else is wrong follows from that */
    walk->depth++;
    values = json_object_get(schema, "enum");
    wanted = json_object_get(schema, "const");
    good =
        (!values || fits_enum(walk, values, value, way)) && (!wanted || fits_const(walk, wanted, value, way));
    good &= fits_by_type(walk, schema, value, way);
    good &= fits_forms(walk, schema, value, way);
    good &= fits_reference(walk, schema, value, way);
    walk->depth--;
    return good && !walk->given_up;
}

bool shape_fits(struct arena *arena, const json_t *schema, const json_t *value,
                struct shape_problem *problems, size_t *count)
{
    struct shape_walk walk = {
        .arena = arena, .root = schema, .work = LIMIT_SHAPE_WORK, .problems = problems
    };
    bool good = fits(&walk, schema, value, NULL);

    if (walk.given_up) {
        walk.count = 0;
        good = tell(&walk, NULL, "It is too large, or its schema too deep, to be held against it.");
    }
    *count = walk.count;
    return good;
}
