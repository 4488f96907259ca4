/*
 * Requests' values: JSON bodies, path and query values, bound to the parameters of every row of the table.
 *
 * The first byte chooses the row. Then follow a line of path values (separated by '/'), a line of query
 * values (separated by '&'), and the body. Path and query values fill the row's parameters in order, and so
 * do the entries of a body that is a list: the names need not be guessed.
 */
#include "base/clock.h"
#include "base/str.h"
#include "base/uuid.h"
#include "ops/bind.h"
#include "ops/dispatch.h"
#include "tests/fuzz/fuzz.h"

struct values {
    struct raw_value items[LIMIT_PARAMS];
    size_t count;
};

static bool in_path(const struct op *op, const char *name)
{
    size_t len = strlen(name);

    for (const char *open = strchr(op->http, '{'); open; open = strchr(open + 1, '{'))
        if (strncmp(open + 1, name, len) == 0 && open[len + 1] == '}')
            return true;
    return false;
}

/* The next parameter that stands in the path, or that does not; NULL after the last. */
static const struct field *next_field(const struct op *op, const struct field *field, bool path)
{
    while (field->type && in_path(op, field->name) != path)
        field++;
    return field->type ? field : NULL;
}

static void split(const struct op *op, char *line, const char *mark, bool path, struct values *values)
{
    const struct field *field = next_field(op, op->params, path);
    char *rest = line;

    for (char *text = strsep(&rest, mark); text && field; text = strsep(&rest, mark)) {
        values->items[values->count++] = (struct raw_value){ .name = field->name, .text = text };
        field = next_field(op, field + 1, path);
    }
}

/* A list's entries as members, in the order of the row. */
static json_t *members(const struct op *op, const json_t *list)
{
    json_t *object = json_object();
    const struct field *field = next_field(op, op->params, false);

    for (size_t i = 0; i < json_array_size(list) && field; i++) {
        json_object_set(object, field->name, json_array_get(list, i));
        field = next_field(op, field + 1, false);
    }
    return object;
}

static json_t *read_body(const struct op *op, const uint8_t *bytes, size_t len)
{
    json_t *body = NULL;
    struct err err = { 0 };

    if (!json_parse((const char *)bytes, len, &body, &err)) {
        DEMAND(err.code == ERR_INVALID && err.text[0]);
        return NULL;
    }
    if (json_is_array(body)) {
        json_t *object = members(op, body);

        json_decref(body);
        return object;
    }
    if (json_is_object(body))
        return body;
    json_decref(body);
    return NULL;
}

/* A value that was let in can be written down and read again. */
static void check_json(struct arena *arena, const json_t *value)
{
    char *text = json_dump_text(arena, value);
    json_t *again = NULL;
    struct err err = { 0 };

    DEMAND(json_parse(text, strlen(text), &again, &err));
    DEMAND(json_equal(again, value));
    json_decref(again);
}

static bool is_choice(const struct field *field, const char *text)
{
    for (const char *const *value = field->values; *value; value++)
        if (strcmp(*value, text) == 0)
            return true;
    return false;
}

static void check_text(const struct field *field, const char *text)
{
    DEMAND(text && str_is_utf8(text, strlen(text)));
    switch (field->type) {
    case T_TEXT: DEMAND(strlen(text) <= (size_t)(field->max ? field->max : LIMIT_MESSAGE)); break;
    case T_NAME:
        DEMAND(!str_is_blank(text) && !strchr(text, '\n'));
        DEMAND(str_chars(text) <= (size_t)(field->max ? field->max : LIMIT_NAME));
        plant(strlen(text), 25);
        break;
    case T_ID: DEMAND(*text && strlen(text) <= LIMIT_REF && !strchr(text, ' ')); break;
    case T_UUID: DEMAND(uuid_valid(text) && !strpbrk(text, "ABCDEF")); break;
    case T_ENUM: DEMAND(is_choice(field, text)); break;
    default: break;
    }
}

static void check_arg(struct arena *arena, const struct field *field, const struct arg *arg)
{
    bool ranged = field->min || field->max;
    char stamp[CLOCK_TEXT_SIZE];

    switch (field->type) {
    case T_INT: DEMAND(!ranged || (arg->number >= field->min && arg->number <= field->max)); break;
    case T_REAL: DEMAND(arg->real - arg->real == 0); break;
    case T_BOOL: DEMAND(arg->number == 0 || arg->number == 1); break;
    case T_TIME: clock_format(arg->number, stamp); break;
    case T_OBJECT:
    case T_LIST:
    case T_JSON:
        DEMAND(arg->json);
        check_json(arena, arg->json);
        break;
    default: check_text(field, arg->text);
    }
}

static void check_args(struct arena *arena, const struct op *op, const struct arg *args)
{
    for (size_t i = 0; op->params[i].type; i++) {
        DEMAND(args[i].given || op->params[i].need == OPTIONAL);
        if (args[i].given)
            check_arg(arena, &op->params[i], &args[i]);
    }
}

/* What the caller is told about a refusal is a JSON object with a sentence in it. */
static void check_refusal(const struct err *err)
{
    struct buf text = { 0 };
    json_t *told = NULL;
    struct err wrong = { 0 };

    DEMAND(err->code == ERR_INVALID || err->code == ERR_NOT_FOUND);
    buf_init(&text, 64 * KB);
    dispatch_write_error(err, &text);
    DEMAND(json_parse(text.bytes, text.len, &told, &wrong));
    DEMAND(json_string_length(json_object_get(told, "error")) > 0);
    json_decref(told);
    buf_done(&text);
}

static void bind(const struct op *op, char *path, char *query, json_t *body)
{
    ARENA_AUTO arena = { 0 };
    struct values in_the_path = { 0 }, in_the_query = { 0 };
    struct arg args[LIMIT_PARAMS];
    struct err err = { 0 };

    split(op, path, "/", true, &in_the_path);
    split(op, query, "&", false, &in_the_query);
    struct raw_input input = { .path = in_the_path.items,
                               .path_count = in_the_path.count,
                               .query = in_the_query.items,
                               .query_count = in_the_query.count,
                               .body = body };

    if (bind_args(op, &arena, &input, args, &err))
        check_args(&arena, op, args);
    else
        check_refusal(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    size_t count = 0;

    if (len == 0)
        return 0;
    while (op_all()[count])
        count++;
    const struct op *op = op_all()[bytes[0] % count];

    bytes++;
    len--;
    char *path = fuzz_line(&bytes, &len);
    char *query = fuzz_line(&bytes, &len);
    json_t *body = read_body(op, bytes, len);

    bind(op, path, query, body);
    json_decref(body);
    free(path);
    free(query);
    return 0;
}
