/*
 * One function for each type, all with the same shape, so that a list or an object is checked by calling the
 * same ones on its members. A value from a path or query is text and one from a body is JSON; what follows
 * does not know which. The limits here and those in schema.c are the same by a test.
 */
#include "ops/bind.h"

#include "base/clock.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "ops/spelling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a door brought for one parameter: text from the path or query, or JSON from the body. */
struct raw {
    const char *text;
    const json_t *json;
    bool in_path;
    bool null; /* the body says null, which counts as nothing */
};

static const char *raw_find(const struct raw_value *values, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (spelling_same(values[i].name, name))
            return values[i].text;
    return NULL;
}

/* null says that there is nothing, as leaving it out does. */
static void raw_from_body(struct raw *raw, const struct field *field, const struct raw_input *input)
{
    raw->json = json_object_get(input->body, field->name);
    if (json_is_null(raw->json)) {
        raw->json = NULL;
        raw->null = true;
    }
}

static struct raw raw_for(const struct field *field, enum param_place place, const struct raw_input *input)
{
    struct raw raw = { .text = raw_find(input->path, input->path_count, field->name) };

    raw.in_path = raw.text || place == IN_PATH;
    if (input->by_name || (!raw.text && place == IN_BODY))
        raw_from_body(&raw, field, input);
    else if (!raw.text)
        raw.text = raw_find(input->query, input->query_count, field->name);
    return raw;
}

static bool wrong_type(const struct field *field, const char *want, struct err *err)
{
    return err_field(err, field->name, "%s must be %s.", field->name, want);
}

/* A malformed id in a path names nothing: the caller asked for a thing that is not there. */
static bool bad_id(const struct field *field, const struct raw *raw, struct err *err)
{
    if (raw->in_path)
        return err_set(err, ERR_NOT_FOUND, "There is nothing with that %s.", field->name);
    return wrong_type(field, field->type == T_UUID ? "a UUID" : "an id without spaces", err);
}

static bool raw_text(const struct field *field, const struct raw *raw, const char **text, struct err *err)
{
    if (raw->text) {
        if (!str_is_utf8(raw->text, strlen(raw->text)))
            return wrong_type(field, "valid UTF-8", err);
        *text = raw->text;
        return true;
    }
    if (!json_is_string(raw->json))
        return wrong_type(field, "a string", err);
    *text = json_string_value(raw->json);
    return true;
}

int64_t bind_text_max(const struct field *field)
{
    if (field->max == LIMIT_MESSAGE_CEILING)
        return settings()->limits_message;
    return field->max ? field->max : LIMIT_MESSAGE;
}

static bool bind_text(const struct field *field, struct arena *arena, const struct raw *raw, struct arg *arg,
                      struct err *err)
{
    const char *text;
    int64_t most = bind_text_max(field);

    if (!raw_text(field, raw, &text, err))
        return false;

    if ((int64_t)strlen(text) > most)
        return err_field(err, field->name, "%s is too long: at most %lld bytes.", field->name,
                         (long long)most);
    if (field->min > 1 && (int64_t)str_chars(text) < field->min)
        return err_field(err, field->name, "%s is too short: at least %lld characters.", field->name,
                         (long long)field->min);
    if (field->min ? !*text : field->need == REQUIRED && str_is_blank(text))
        return err_field(err, field->name, "%s must not be empty.", field->name);
    arg->text = arena_text(arena, text);
    return true;
}

static bool bind_name(const struct field *field, struct arena *arena, const struct raw *raw, struct arg *arg,
                      struct err *err)
{
    const char *text;
    size_t most = field->max ? (size_t)field->max : LIMIT_NAME;

    if (!raw_text(field, raw, &text, err))
        return false;
    char *name = str_trim(arena, text);

    if (!*name)
        return err_field(err, field->name, "%s must not be empty.", field->name);
    if (str_chars(name) > most)
        return err_field(err, field->name, "%s is too long: at most %zu characters.", field->name, most);
    if (!str_is_plain_line(name)) {
        err_field(err, field->name, "%s must be one line without control or invisible characters.",
                  field->name);
        return err_hint(err,
                        "Characters that turn the reading direction are not allowed either; type it anew.");
    }
    arg->text = name;
    return true;
}

static bool bind_id(const struct field *field, struct arena *arena, const struct raw *raw, struct arg *arg,
                    struct err *err)
{
    const char *text;

    if (!raw_text(field, raw, &text, err))
        return false;
    size_t len = strlen(text);

    if (len == 0 || len > LIMIT_REF)
        return bad_id(field, raw, err);
    if (strchr(text, ' ') || !str_is_plain_line(text))
        return bad_id(field, raw, err);
    char *id = arena_copy(arena, text, len);

    if (uuid_valid(id))
        uuid_lower(id);
    else if (field->type == T_UUID)
        return bad_id(field, raw, err);
    arg->text = id;
    return true;
}

/* What a cursor means is its list's business; that it can be one of ours is checked here. */
static bool bind_cursor(const struct field *field, struct arena *arena, const struct raw *raw,
                        struct arg *arg, struct err *err)
{
    const char *text;

    if (!raw_text(field, raw, &text, err))
        return false;
    if (!*text || strlen(text) > LIMIT_CURSOR ||
        text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")])
        return wrong_type(field, "the nextCursor of an earlier page", err);
    arg->text = arena_text(arena, text);
    return true;
}

static bool out_of_range(const struct field *field, struct err *err)
{
    return err_field(err, field->name, "%s must be from %lld to %lld.", field->name, (long long)field->min,
                     (long long)field->max);
}

static bool bind_int(const struct field *field, const struct raw *raw, struct arg *arg, struct err *err)
{
    const char *text = raw->text;

    if (text) {
        if (!str_to_int(text, &arg->number))
            return wrong_type(field, "a whole number", err);
    } else if (json_is_integer(raw->json)) {
        arg->number = json_integer_value(raw->json);
    } else if (json_is_real(raw->json) && json_real_value(raw->json) == floor(json_real_value(raw->json)) &&
               fabs(json_real_value(raw->json)) < 9e15) {
        arg->number = (int64_t)json_real_value(raw->json);
    } else {
        return wrong_type(field, "a whole number", err);
    }
    if ((field->min || field->max) && (arg->number < field->min || arg->number > field->max))
        return out_of_range(field, err);
    return true;
}

static bool bind_real(const struct field *field, const struct raw *raw, struct arg *arg, struct err *err)
{
    const char *text = raw->text;
    char *end;

    if (text) {
        arg->real = strtod(text, &end);
        if (end == text || *end || !isfinite(arg->real))
            return wrong_type(field, "a number", err);
    } else if (json_is_number(raw->json)) {
        arg->real = json_number_value(raw->json);
    } else {
        return wrong_type(field, "a number", err);
    }
    if ((field->min || field->max) && (arg->real < (double)field->min || arg->real > (double)field->max))
        return out_of_range(field, err);
    return true;
}

static bool bind_bool(const struct field *field, const struct raw *raw, struct arg *arg, struct err *err)
{
    const char *text = raw->text;

    if (text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0))
        arg->number = 1;
    else if (text && (strcmp(text, "false") == 0 || strcmp(text, "0") == 0))
        arg->number = 0;
    else if (!text && json_is_boolean(raw->json))
        arg->number = json_is_true(raw->json);
    else
        return wrong_type(field, "true or false", err);
    return true;
}

static bool bind_time(const struct field *field, const struct raw *raw, struct arg *arg, struct err *err)
{
    const char *text;

    if (!raw_text(field, raw, &text, err))
        return false;
    if (!clock_parse(text, &arg->number))
        return wrong_type(field, "a time such as 2026-01-31T12:00:00Z", err);
    return true;
}

static bool bind_enum(const struct field *field, const struct raw *raw, struct arg *arg, struct err *err)
{
    const char *text;
    char choices[160] = "";
    unsigned value;

    if (!raw_text(field, raw, &text, err))
        return false;
    value = words_find(field->values, text);
    if (value != WORD_UNKNOWN) {
        arg->text = words_at(field->values, value);
        return true;
    }
    for (const char *const *known = field->values; *known; known++) {
        size_t used = strlen(choices);

        snprintf(choices + used, sizeof(choices) - used, "%s%s", used ? ", " : "", *known);
    }
    return err_field(err, field->name, "%s must be one of: %s.", field->name, choices);
}

static bool check_json(const struct field *field, struct arena *arena, const json_t *value, struct err *err);

/* A member is called by its place: options.vote, participants[0].agentId. */
static struct field member_of(const struct field *object, struct arena *arena, const struct field *member)
{
    struct field named = *member;

    named.name = arena_format(arena, "%s.%s", object->name, member->name);
    return named;
}

/* Members of an object that the row spells out. Others are only in open ones (ops/spelling.h). */
static bool check_members(const struct field *of, struct arena *arena, const json_t *object, struct err *err)
{
    for (const struct field *field = of->fields; field && field->type; field++) {
        const json_t *member = json_object_get(object, field->name);
        struct field named = member_of(of, arena, field);

        if (!member || (json_is_null(member) && (field->need == OPTIONAL || (field->flags & F_NULL)))) {
            if (field->need == REQUIRED && !member)
                return err_field(err, named.name, "%s is required.", named.name);
            continue;
        }
        if (!check_json(&named, arena, member, err))
            return false;
    }
    return true;
}

static bool check_list(const struct field *field, struct arena *arena, const json_t *list, struct err *err)
{
    struct field item = *field;
    size_t count = json_array_size(list);
    size_t most = field->max ? (size_t)field->max : LIMIT_LIST;

    if (count > most)
        return err_field(err, field->name, "%s has too many entries: at most %zu.", field->name, most);
    if ((int64_t)count < field->min)
        return err_field(err, field->name, "%s has too few entries: at least %lld.", field->name,
                         (long long)field->min);
    item.type = field->items;
    item.need = REQUIRED;
    item.min = item.max = 0;
    for (size_t i = 0; i < count; i++) {
        item.name = arena_format(arena, "%s[%zu]", field->name, i);
        if (!check_json(&item, arena, json_array_get(list, i), err))
            return false;
    }
    return true;
}

static bool bind_one(const struct field *field, struct arena *arena, const struct raw *raw, struct arg *arg,
                     struct err *err);

static bool check_json(const struct field *field, struct arena *arena, const json_t *value, struct err *err)
{
    struct arg ignored = { 0 };

    return bind_one(field, arena, &(struct raw){ .json = value }, &ignored, err);
}

static bool bind_json(const struct field *field, struct arena *arena, const struct raw *raw, struct arg *arg,
                      struct err *err)
{
    if (raw->text)
        return wrong_type(field, "in the body, as JSON", err);
    if (field->type == T_OBJECT && !json_is_object(raw->json))
        return wrong_type(field, "an object", err);
    if (field->type == T_LIST && !json_is_array(raw->json))
        return wrong_type(field, "a list", err);
    if (field->type == T_OBJECT && !check_members(field, arena, raw->json, err))
        return false;
    if (field->type == T_LIST && !check_list(field, arena, raw->json, err))
        return false;
    if (field->type != T_LIST && field->max &&
        json_dumpb(raw->json, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY) > (size_t)field->max)
        return err_field(err, field->name, "%s is too large: at most %lld bytes.", field->name,
                         (long long)field->max);
    arg->json = raw->json;
    return true;
}

static bool bind_one(const struct field *field, struct arena *arena, const struct raw *raw, struct arg *arg,
                     struct err *err)
{
    switch (field->type) {
    case T_TEXT: return bind_text(field, arena, raw, arg, err);
    case T_NAME: return bind_name(field, arena, raw, arg, err);
    case T_ID:
    case T_UUID: return bind_id(field, arena, raw, arg, err);
    case T_CURSOR: return bind_cursor(field, arena, raw, arg, err);
    case T_INT: return bind_int(field, raw, arg, err);
    case T_REAL: return bind_real(field, raw, arg, err);
    case T_BOOL: return bind_bool(field, raw, arg, err);
    case T_TIME: return bind_time(field, raw, arg, err);
    case T_ENUM: return bind_enum(field, raw, arg, err);
    case T_OBJECT:
    case T_LIST:
    case T_JSON: return bind_json(field, arena, raw, arg, err);
    case T_END: break;
    }
    return err_set(err, ERR_INTERNAL, "%s has no type", field->name);
}

static bool bind_fallback(const struct field *field, struct arena *arena, struct arg *arg, struct err *err)
{
    if (!field->fallback)
        return true;
    return bind_one(field, arena, &(struct raw){ .text = field->fallback }, arg, err);
}

/* An operation may have its own sentence for what is missing; it then names every required field at once. */
static bool missing(const struct op *op, const struct field *field, struct err *err)
{
    if (op->missing)
        return err_field(err, field->name, "%s", op->missing);
    return err_field(err, field->name, "%s is required.", field->name);
}

static bool is_missing(const struct op *op, const struct field *field, const struct raw *raw)
{
    if (!raw->text && !raw->json)
        return true;
    return op->missing && json_is_string(raw->json) && str_is_blank(json_string_value(raw->json)) &&
           field->need == REQUIRED;
}

bool bind_args(const struct op *op, struct arena *arena, const struct raw_input *input,
               struct arg args[static LIMIT_PARAMS], struct err *err)
{
    const struct op_facts *facts = op_facts(op);

    if (!spelling_of_query(op, input, err) || !spelling_of_body(op, input, err))
        return false;
    for (size_t i = 0; op->params[i].type; i++) {
        const struct field *field = &op->params[i];
        struct raw raw = raw_for(field, facts->places[i], input);

        args[i] = (struct arg){ .null = raw.null };
        if (is_missing(op, field, &raw)) {
            if (field->need == REQUIRED && !(input->speaks && (field->flags & F_SPEAKER)))
                return missing(op, field, err);
            if (!bind_fallback(field, arena, &args[i], err))
                return false;
            continue;
        }
        if (!bind_one(field, arena, &raw, &args[i], err))
            return false;
        args[i].given = true;
    }
    return true;
}
