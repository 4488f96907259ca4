/*
 * Checking is for tests alone and therefore strict where the API is lenient: a member too many is an error,
 * because nobody has documented it.
 */
#include "ops/event_type.h"

#include "base/clock.h"
#include "base/str.h"

#include <string.h>

bool event_type_check_table(struct err *err)
{
    for (enum event_type type = 1; type < EVENT_TYPE_END; type++) {
        const struct event_spec *spec = event_type_spec(type);

        if (!spec->tag || !spec->help || !spec->hears || !spec->reaches || !spec->fields)
            return err_set(err, ERR_INTERNAL, "%s: the table of events has no row of it, or half a one",
                           event_type_word(type));
    }
    return true;
}

const char *event_type_nearest(const char *name)
{
    const char *nearest = NULL;
    size_t least = SIZE_MAX;

    for (enum event_type type = 1; type < EVENT_TYPE_END; type++) {
        const char *word = event_type_word(type);
        size_t distance =
            event_type_spec(type)->word || !str_is_near(name, word) ? SIZE_MAX : str_distance(name, word);

        if (distance < least) {
            least = distance;
            nearest = word;
        }
    }
    return nearest;
}

/* Checking what was appended. */

static bool is_value(const json_t *value, const char *const *values)
{
    for (; *values; values++)
        if (strcmp(json_string_value(value), *values) == 0)
            return true;
    return false;
}

static bool is_of_type(const json_t *value, const struct field *field, enum type type)
{
    int64_t ms;

    switch (type) {
    case T_TEXT:
    case T_NAME:
    case T_ID:
    case T_UUID:
    case T_CURSOR: return json_is_string(value);
    case T_INT: return json_is_integer(value);
    case T_REAL: return json_is_number(value);
    case T_BOOL: return json_is_boolean(value);
    case T_TIME: return json_is_string(value) && clock_parse(json_string_value(value), &ms);
    case T_ENUM: return json_is_string(value) && is_value(value, field->values);
    case T_OBJECT: return json_is_object(value);
    case T_LIST: return json_is_array(value);
    case T_JSON: return true;
    case T_END: break;
    }
    return false;
}

static bool check_members(const json_t *members, const struct field *fields, const char *of, struct err *err);

static bool check_value(const json_t *value, const struct field *field, enum type type, const char *of,
                        struct err *err)
{
    if (json_is_null(value) && (field->flags & F_NULL))
        return true;
    if (!is_of_type(value, field, type))
        return err_field(err, field->name, "%s: the member %s is not of the type that is declared.", of,
                         field->name);
    if (type == T_OBJECT && field->fields)
        return check_members(value, field->fields, of, err);
    for (size_t i = 0; type == T_LIST && i < json_array_size(value); i++)
        if (!check_value(json_array_get(value, i), field, field->items, of, err))
            return false;
    return true;
}

static bool check_members(const json_t *members, const struct field *fields, const char *of, struct err *err)
{
    size_t known = 0;

    for (const struct field *field = fields; field->type; field++) {
        const json_t *value = json_object_get(members, field->name);

        known += value != NULL;
        if (!value && field->need == REQUIRED)
            return err_field(err, field->name, "%s: the member %s is missing.", of, field->name);
        if (value && !check_value(value, field, field->type, of, err))
            return false;
    }
    if (known < json_object_size(members))
        return err_set(err, ERR_INVALID, "%s: %zu members are not declared.", of,
                       json_object_size(members) - known);
    return true;
}

bool event_type_check(const char *name, const json_t *members, struct err *err)
{
    const struct event_spec *spec = event_type_spec(event_type_of(name));

    if (!spec)
        return err_set(err, ERR_INVALID, "%s is not in the table of events.", name);
    return check_members(members, spec->fields, name, err);
}
