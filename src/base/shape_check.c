/*
 * One table says what the value of each keyword must be. A keyword that is not in it is not held against
 * values; nor is a pattern, a format or a reference that is beyond us.
 */
#include "base/shape_parts.h"

#include "base/limits.h"
#include "base/pattern.h"
#include "base/str.h"

#include <string.h>

static void write_way(struct buf *into, const struct shape_way *way)
{
    if (!way)
        return;
    write_way(into, way->before);
    if (!way->name) {
        buf_format(into, "/%zu", way->index);
        return;
    }
    buf_char(into, '/');
    for (const char *c = way->name; *c; c++) {
        if (*c == '~' || *c == '/')
            buf_text(into, *c == '~' ? "~0" : "~1");
        else
            buf_char(into, *c);
    }
}

const char *shape_way_text(struct arena *arena, const struct shape_way *way)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, LIMIT_SHAPE_PATH);
    write_way(&text, way);
    if (text.len == 0)
        return "";
    if (!text.full)
        return arena_copy(arena, text.bytes, text.len);
    return arena_format(arena, "%.*s...", (int)str_fitting(text.bytes, text.len), text.bytes);
}

/* The part of a pointer up to its next slash, decoded; "%41" is as good as "A". */
static char *pointer_part(struct arena *arena, const char **at)
{
    size_t len = strcspn(*at, "/"), to = 0;
    char *part = arena_copy(arena, *at, len);

    *at += len;
    if (!str_url_decode(part, false))
        return NULL;
    for (const char *c = part; *c; c++, to++) {
        part[to] = *c;
        if (*c == '~' && (c[1] == '0' || c[1] == '1'))
            part[to] = *++c == '0' ? '~' : '/';
    }
    part[to] = '\0';
    return part;
}

const json_t *shape_pointed_at(struct arena *arena, const json_t *root, const char *pointer)
{
    const json_t *place = root;
    const char *at = pointer + 1;

    while (place && *at == '/') {
        int64_t index;
        char *part;

        at++;
        part = pointer_part(arena, &at);
        if (!part)
            return NULL;
        if (json_is_array(place))
            place = str_to_int(part, &index) && index >= 0 ? json_array_get(place, (size_t)index) : NULL;
        else
            place = json_object_get(place, part);
    }
    return *at ? NULL : place;
}

bool shape_is_local(const char *pointer)
{
    return pointer[0] == '#' && (pointer[1] == '\0' || pointer[1] == '/');
}

enum rule {
    RULE_ANY, /* whatever it is, it says nothing about values, or is one */
    RULE_TYPE,
    RULE_SCHEMA,
    RULE_SCHEMAS,
    RULE_SCHEMA_MAP,
    RULE_PATTERN_MAP,
    RULE_ITEMS, /* a schema, or a list of them as older schemas have it */
    RULE_COUNT,
    RULE_NUMBER,
    RULE_BOUND, /* a number; older schemas have true or false, which is not held */
    RULE_STEP,  /* a number above zero */
    RULE_BOOL,
    RULE_LIST,
    RULE_TEXT,
    RULE_TEXTS,
    RULE_TEXTS_MAP,
    RULE_PATTERN,
    RULE_FORMAT,
    RULE_REFERENCE,
};

static const struct {
    const char *name;
    enum rule rule;
} keywords[] = {
    { "type", RULE_TYPE },
    { "properties", RULE_SCHEMA_MAP },
    { "required", RULE_TEXTS },
    { "additionalProperties", RULE_SCHEMA },
    { "patternProperties", RULE_PATTERN_MAP },
    { "propertyNames", RULE_SCHEMA },
    { "dependentRequired", RULE_TEXTS_MAP },
    { "minProperties", RULE_COUNT },
    { "maxProperties", RULE_COUNT },
    { "items", RULE_ITEMS },
    { "prefixItems", RULE_SCHEMAS },
    { "additionalItems", RULE_SCHEMA },
    { "contains", RULE_SCHEMA },
    { "minContains", RULE_COUNT },
    { "maxContains", RULE_COUNT },
    { "minItems", RULE_COUNT },
    { "maxItems", RULE_COUNT },
    { "uniqueItems", RULE_BOOL },
    { "enum", RULE_LIST },
    { "const", RULE_ANY },
    { "minimum", RULE_NUMBER },
    { "maximum", RULE_NUMBER },
    { "exclusiveMinimum", RULE_BOUND },
    { "exclusiveMaximum", RULE_BOUND },
    { "multipleOf", RULE_STEP },
    { "minLength", RULE_COUNT },
    { "maxLength", RULE_COUNT },
    { "pattern", RULE_PATTERN },
    { "format", RULE_FORMAT },
    { "allOf", RULE_SCHEMAS },
    { "anyOf", RULE_SCHEMAS },
    { "oneOf", RULE_SCHEMAS },
    { "not", RULE_SCHEMA },
    { "if", RULE_SCHEMA },
    { "then", RULE_SCHEMA },
    { "else", RULE_SCHEMA },
    { "$ref", RULE_REFERENCE },
    { "$defs", RULE_SCHEMA_MAP },
    { "definitions", RULE_SCHEMA_MAP },
    { "$schema", RULE_TEXT },
    { "$id", RULE_TEXT },
    { "$comment", RULE_TEXT },
    { "title", RULE_TEXT },
    { "description", RULE_TEXT },
    { "default", RULE_ANY },
    { "examples", RULE_ANY },
    { "deprecated", RULE_ANY },
    { "readOnly", RULE_ANY },
    { "writeOnly", RULE_ANY },
};

#define KEYWORD_COUNT (sizeof(keywords) / sizeof(*keywords))

static const char *const type_names[] = {
    "null", "boolean", "object", "array", "number", "integer", "string"
};

#define TYPE_COUNT (sizeof(type_names) / sizeof(*type_names))

struct shape_look {
    struct arena *arena;
    const json_t *root;
    size_t depth;
    struct err *err;
    const char *unknown; /* the path of the first keyword that is not held */
};

static bool look_at(struct shape_look *look, const json_t *schema, const struct shape_way *way);

static bool refuse(struct shape_look *look, const struct shape_way *way, const char *what)
{
    const char *path = shape_way_text(look->arena, way);

    return err_field(look->err, path, "%s %s.", *path ? path : "The schema", what);
}

static void note_unknown(struct shape_look *look, const struct shape_way *way)
{
    if (!look->unknown)
        look->unknown = shape_way_text(look->arena, way);
}

static bool is_type(const json_t *value)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (str_equal(json_string_value(value), type_names[i]))
            return true;
    return false;
}

static bool look_at_type(struct shape_look *look, const json_t *value, const struct shape_way *way)
{
    bool good = is_type(value) || json_array_size(value) > 0;

    for (size_t i = 0; i < json_array_size(value); i++)
        good = good && is_type(json_array_get(value, i));
    return good ||
           refuse(look, way,
                  "must be one of null, boolean, object, array, number, integer and string, or a list "
                  "of them");
}

static bool look_at_list(struct shape_look *look, const json_t *value, const struct shape_way *way)
{
    if (json_array_size(value) == 0)
        return refuse(look, way, "must be a list of schemas, with at least one");
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct shape_way here = { way, NULL, i };

        if (!look_at(look, json_array_get(value, i), &here))
            return false;
    }
    return true;
}

static bool look_at_pattern(struct shape_look *look, const char *pattern, const struct shape_way *way)
{
    ARENA_AUTO arena = { 0 };
    const struct pattern *made;
    const char *why;

    switch (pattern_read(&arena, pattern, &made, &why)) {
    case PATTERN_FINE: return true;
    case PATTERN_BEYOND: note_unknown(look, way); return true;
    case PATTERN_WRONG: break;
    }
    return refuse(look, way, arena_format(look->arena, "is no regular expression: %s", why));
}

static bool look_at_map(struct shape_look *look, const json_t *value, bool patterns,
                        const struct shape_way *way)
{
    const char *name;
    json_t *schema;

    if (!json_is_object(value))
        return refuse(look, way, "must be an object with a schema for each member");
    json_object_foreach((json_t *)value, name, schema)
    {
        struct shape_way here = { way, name, 0 };

        if ((patterns && !look_at_pattern(look, name, &here)) || !look_at(look, schema, &here))
            return false;
    }
    return true;
}

static bool is_texts(const json_t *value)
{
    if (!json_is_array(value))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!json_is_string(json_array_get(value, i)))
            return false;
    return true;
}

static bool is_texts_map(const json_t *value)
{
    const char *name;
    json_t *texts;

    if (!json_is_object(value))
        return false;
    json_object_foreach((json_t *)value, name, texts)
    {
        if (!is_texts(texts))
            return false;
    }
    return true;
}

/* A reference that leads to a reference, and so on back to the first, says nothing at all. */
static bool leads_on(struct shape_look *look, const json_t *target)
{
    ARENA_AUTO arena = { 0 };

    for (size_t i = 0; i < LIMIT_SHAPE_DEPTH; i++) {
        const char *next = json_string_value(json_object_get(target, "$ref"));

        if (!next || !shape_is_local(next))
            return false;
        target = shape_pointed_at(&arena, look->root, next);
    }
    return true;
}

static bool look_at_reference(struct shape_look *look, const json_t *value, const struct shape_way *way)
{
    ARENA_AUTO arena = { 0 };
    const char *pointer = json_string_value(value);
    const json_t *target;

    if (!pointer)
        return refuse(look, way, "must be a text such as #/$defs/name");
    if (!shape_is_local(pointer)) {
        note_unknown(look, way);
        return true;
    }
    target = shape_pointed_at(&arena, look->root, pointer);
    if (!json_is_object(target) && !json_is_boolean(target))
        return refuse(look, way, "leads to no schema");
    return !leads_on(look, target) || refuse(look, way, "leads from reference to reference without an end");
}

static bool is_count(const json_t *value)
{
    return (json_is_integer(value) && json_integer_value(value) >= 0) ||
           (json_is_real(value) && json_real_value(value) >= 0 && json_real_value(value) < 1e15 &&
            (double)(int64_t)json_real_value(value) == json_real_value(value));
}

static bool look_at_format(struct shape_look *look, const json_t *value, const struct shape_way *way)
{
    if (!json_is_string(value))
        return refuse(look, way, "must be a text");
    if (!shape_knows_format(json_string_value(value)))
        note_unknown(look, way);
    return true;
}

static bool look_at_bound(struct shape_look *look, const json_t *value, const struct shape_way *way)
{
    if (json_is_boolean(value))
        note_unknown(look, way);
    return json_is_number(value) || json_is_boolean(value) || refuse(look, way, "must be a number");
}

static bool look_at_keyword(struct shape_look *look, enum rule rule, const json_t *value,
                            const struct shape_way *way)
{
    switch (rule) {
    case RULE_ANY: return true;
    case RULE_TYPE: return look_at_type(look, value, way);
    case RULE_SCHEMA: return look_at(look, value, way);
    case RULE_SCHEMAS: return look_at_list(look, value, way);
    case RULE_SCHEMA_MAP: return look_at_map(look, value, false, way);
    case RULE_PATTERN_MAP: return look_at_map(look, value, true, way);
    case RULE_ITEMS: return json_is_array(value) ? look_at_list(look, value, way) : look_at(look, value, way);
    case RULE_COUNT: return is_count(value) || refuse(look, way, "must be a whole number, 0 or more");
    case RULE_NUMBER: return json_is_number(value) || refuse(look, way, "must be a number");
    case RULE_BOUND: return look_at_bound(look, value, way);
    case RULE_STEP:
        return (json_is_number(value) && json_number_value(value) > 0) ||
               refuse(look, way, "must be a number above 0");
    case RULE_BOOL: return json_is_boolean(value) || refuse(look, way, "must be true or false");
    case RULE_LIST: return json_is_array(value) || refuse(look, way, "must be a list of values");
    case RULE_TEXT: return json_is_string(value) || refuse(look, way, "must be a text");
    case RULE_TEXTS: return is_texts(value) || refuse(look, way, "must be a list of names");
    case RULE_TEXTS_MAP:
        return is_texts_map(value) ||
               refuse(look, way, "must be an object with a list of names for each member");
    case RULE_PATTERN:
        return json_is_string(value) ? look_at_pattern(look, json_string_value(value), way)
                                     : refuse(look, way, "must be a text");
    case RULE_FORMAT: return look_at_format(look, value, way);
    case RULE_REFERENCE: return look_at_reference(look, value, way);
    }
    return true;
}

static bool look_at(struct shape_look *look, const json_t *schema, const struct shape_way *way)
{
    const char *name;
    json_t *value;
    bool good = true;

    if (json_is_boolean(schema))
        return true;
    if (!json_is_object(schema))
        return refuse(look, way, "must be a schema: an object, or true or false");
    if (look->depth == LIMIT_SHAPE_DEPTH)
        return refuse(look, way, "is nested too deeply");
    look->depth++;
    json_object_foreach((json_t *)schema, name, value)
    {
        struct shape_way here = { way, name, 0 };
        size_t i = 0;

        while (i < KEYWORD_COUNT && strcmp(keywords[i].name, name) != 0)
            i++;
        if (i == KEYWORD_COUNT)
            note_unknown(look, &here);
        else
            good = look_at_keyword(look, keywords[i].rule, value, &here);
        if (!good)
            break;
    }
    look->depth--;
    return good;
}

bool shape_check(const json_t *schema, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct shape_look look = { .arena = &arena, .root = schema, .err = err };

    return look_at(&look, schema, NULL);
}

const char *shape_unknown(struct arena *arena, const json_t *schema)
{
    struct err err = { 0 };
    struct shape_look look = { .arena = arena, .root = schema, .err = &err };

    return look_at(&look, schema, NULL) ? look.unknown : NULL;
}
