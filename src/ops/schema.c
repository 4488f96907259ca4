/*
 * One recursion writes all types. What may come in is described more closely than what goes out: patterns and
 * bytes are limits on callers, and a reader of replies must not break when one of ours is raised.
 */
#include "ops/schema.h"

#include "base/str.h"
#include "ops/bind.h"

#include <string.h>

static const char *schema_type(enum type type)
{
    switch (type) {
    case T_INT: return "integer";
    case T_REAL: return "number";
    case T_BOOL: return "boolean";
    case T_OBJECT: return "object";
    case T_LIST: return "array";
    default: return "string";
    }
}

/* A parameter or member that may be left out may also be null, which says the same. */
static bool may_be_null(const struct field *field, enum schema_of of)
{
    return (field->flags & F_NULL) || (of == SCHEMA_BODY && field->need == OPTIONAL);
}

/* OpenAPI 3.1 says "or null" with a list of types. Any JSON that is required is anything but null. */
static void write_type(struct json_out *out, const struct field *field, enum type type, enum schema_of of)
{
    bool null = may_be_null(field, of);

    if (type == T_JSON && (null || of == SCHEMA_REPLY))
        return;
    if (type == T_JSON) {
        json_raw(out, "type", "[\"object\",\"array\",\"string\",\"number\",\"boolean\"]");
        return;
    }
    if (!null) {
        json_text(out, "type", schema_type(type));
        return;
    }
    json_list(out, "type");
    json_text(out, NULL, schema_type(type));
    json_text(out, NULL, "null");
    json_list_end(out);
}

/* What str_is_plain_line refuses, but for a few beyond 16 bits that not every reader of patterns can write.
 */
#define HIDDEN \
    "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb"
/* Joiners between letters of scripts that have them, and nowhere else. */
#define NO_LOOSE_JOINER \
    "(?!(.*[\\u0000-\\u007f])?[\\u200c\\u200d\\ufe00-\\ufe0f])(?!.*[\\u200c\\u200d]([\\u0000-\\u007f]|$))"
/* One line with something on it; what stands around it is trimmed. */
#define NAME_SHAPE "^\\s*" NO_LOOSE_JOINER "[^\\s" HIDDEN "][^" HIDDEN "]*$"
#define ID_SHAPE   "^" NO_LOOSE_JOINER "[^ " HIDDEN "]+$"
#define NOT_BLANK  "[^\\s\\u0085]"
#define UUID_SHAPE "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
#define TIME_SHAPE "^\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d:\\d\\d([.]\\d{1,9})?([Zz]|[+-]\\d\\d:\\d\\d)$"

/* Texts are counted in bytes of UTF-8. maxLength counts characters, so more are never right; the bytes
 * decide. */
static void write_bytes(struct json_out *out, int64_t most)
{
    json_int(out, "maxLength", most);
    json_int(out, "x-max-bytes", most);
}

static void write_text_input(struct json_out *out, const struct field *field)
{
    write_bytes(out, bind_text_max(field));
    if (field->min > 0)
        json_int(out, "minLength", field->min);
    if (field->need == REQUIRED && field->min == 0 && !field->form)
        json_text(out, "pattern", NOT_BLANK);
}

/* The same rules as in bind.c. */
static void write_input_limits(struct json_out *out, const struct field *field, enum type type)
{
    switch (type) {
    case T_TEXT: write_text_input(out, field); break;
    case T_NAME:
        json_int(out, "minLength", 1);
        json_int(out, "maxLength", field->max ? field->max : LIMIT_NAME);
        json_text(out, "pattern", NAME_SHAPE);
        break;
    case T_ID:
        json_int(out, "minLength", 1);
        write_bytes(out, LIMIT_REF);
        json_text(out, "pattern", ID_SHAPE);
        break;
    case T_CURSOR:
        json_int(out, "maxLength", LIMIT_CURSOR);
        json_text(out, "pattern", "^[A-Za-z0-9_.-]+$");
        break;
    case T_UUID:
        json_text(out, "format", "uuid");
        json_text(out, "pattern", UUID_SHAPE);
        break;
    case T_TIME:
        json_text(out, "format", "date-time");
        json_text(out, "pattern", TIME_SHAPE);
        break;
    case T_LIST:
        if (field->min > 0)
            json_int(out, "minItems", field->min);
        json_int(out, "maxItems", field->max ? field->max : LIMIT_LIST);
        break;
    case T_OBJECT:
    case T_JSON:
        if (field->max)
            json_int(out, "x-max-bytes", field->max);
        break;
    default: break;
    }
}

static void write_output_limits(struct json_out *out, const struct field *field, enum type type)
{
    switch (type) {
    case T_UUID: json_text(out, "format", "uuid"); break;
    case T_TIME: json_text(out, "format", "date-time"); break;
    case T_NAME: json_int(out, "maxLength", field->max ? field->max : LIMIT_NAME); break;
    case T_TEXT:
        if (field->max)
            json_int(out, "maxLength", field->max);
        break;
    case T_LIST:
        if (field->max)
            json_int(out, "maxItems", field->max);
        break;
    default: break;
    }
}

static void write_limits(struct json_out *out, const struct field *field, enum type type, enum schema_of of)
{
    if (of == SCHEMA_BODY || of == SCHEMA_QUERY)
        write_input_limits(out, field, type);
    else if (of == SCHEMA_REPLY)
        write_output_limits(out, field, type);
    if (type != T_INT && type != T_REAL)
        return;
    if (field->min || field->max) {
        json_int(out, "minimum", field->min);
        json_int(out, "maximum", field->max);
    } else if (type == T_INT && of != SCHEMA_TOOL) {
        json_text(out, "format", "int64");
    }
}

static void write_values(struct json_out *out, const struct field *field, enum schema_of of)
{
    json_list(out, "enum");
    for (const char *const *value = field->values; *value; value++)
        json_text(out, NULL, *value);
    if (may_be_null(field, of))
        json_none(out, NULL);
    json_list_end(out);
}

static void write_default(struct json_out *out, const struct field *field)
{
    int64_t number;

    if (field->type == T_BOOL)
        json_bool(out, "default", strcmp(field->fallback, "true") == 0);
    else if (field->type == T_INT && str_to_int(field->fallback, &number))
        json_int(out, "default", number);
    else
        json_text(out, "default", field->fallback);
}

/* Members of a schema that the row spells out itself. */
static void write_form(struct json_out *out, const char *members)
{
    if (out->comma)
        buf_char(out->buf, ',');
    buf_text(out->buf, members);
    out->comma = true;
}

void schema_write(struct json_out *out, const char *key, const struct field *field, enum type type,
                  enum schema_of of)
{
    json_map(out, key);
    write_type(out, field, type, of);
    write_limits(out, field, type, of);
    if (field->form && type != T_LIST && of != SCHEMA_REPLY && of != SCHEMA_TOOL)
        write_form(out, field->form);
    if (type == T_ENUM)
        write_values(out, field, of);
    if (type == T_OBJECT && field->fields)
        schema_write_members(out, field->fields, of);
    if (type == T_LIST) {
        struct field item = *field;

        item.flags = 0;
        item.need = REQUIRED;
        item.min = item.max = 0;
        item.help = "";
        item.fallback = NULL;
        schema_write(out, "items", &item, field->items, of);
    }
    if (field->fallback && type == field->type)
        write_default(out, field);
    if (field->help[0])
        json_text(out, "description", field->help);
    json_map_end(out);
}

void schema_write_members(struct json_out *out, const struct field *fields, enum schema_of of)
{
    bool any = false;

    json_map(out, "properties");
    for (const struct field *field = fields; field->type; field++)
        schema_write(out, field->name, field, field->type, of);
    json_map_end(out);
    for (const struct field *field = fields; field->type; field++)
        any |= field->need == REQUIRED;
    if (!any)
        return;
    json_list(out, "required");
    for (const struct field *field = fields; field->type; field++)
        if (field->need == REQUIRED)
            json_text(out, NULL, field->name);
    json_list_end(out);
}
