/*
 * Examples are written for people: on one line if they fit on one, else a line for each member, and so on
 * inside.
 */
#include "ops/example.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 100
#define STEP  2

static void write_value(const json_t *value, size_t indent, struct buf *into);

static void write_key(const char *key, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_text(&out, NULL, key);
    buf_text(into, ": ");
}

static void write_lines(const json_t *value, size_t indent, struct buf *into)
{
    bool map = json_is_object(value);
    const char *comma = "", *key;
    json_t *member;
    size_t i;

    buf_char(into, map ? '{' : '[');
    json_object_foreach((json_t *)value, key, member)
    {
        buf_format(into, "%s\n%*s", comma, (int)(indent + STEP), "");
        write_key(key, into);
        write_value(member, indent + STEP, into);
        comma = ",";
    }
    json_array_foreach(value, i, member)
    {
        buf_format(into, "%s\n%*s", comma, (int)(indent + STEP), "");
        write_value(member, indent + STEP, into);
        comma = ",";
    }
    buf_format(into, "\n%*s%c", (int)indent, "", map ? '}' : ']');
}

static void write_value(const json_t *value, size_t indent, struct buf *into)
{
    char *line = json_dumps(value, JSON_ENCODE_ANY);

    if (line && (strlen(line) + indent <= WIDTH || !(json_is_object(value) || json_is_array(value))))
        buf_text(into, line);
    else
        write_lines(value, indent, into);
    free(line);
}

/* Values in examples are words and numbers: nothing that a query would have to hide. */
static void write_query(const char *key, const json_t *value, bool first, struct buf *into)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY);

    buf_format(into, "%c%s=%s", first ? '?' : '&', key,
               json_is_string(value) ? json_string_value(value)
               : text                ? text
                                     : "");
    free(text);
}

json_t *example_parse(const struct op *op)
{
    json_t *example = NULL;
    struct err err = { 0 };

    if (op->example && !json_parse(op->example, strlen(op->example), &example, &err))
        abort(); /* a row with an example that is no JSON */
    return example ? example : json_object();
}

void example_write(const struct op *op, struct buf *into)
{
    JSON_AUTO *example = example_parse(op);
    JSON_AUTO *body = json_object();
    bool first = true;

    buf_text(into, op->http);
    for (const struct field *field = op->params; field->type; field++) {
        json_t *value = json_object_get(example, field->name);

        if (!value)
            continue;
        if (op_param_place(op, field) == IN_BODY) {
            json_object_set(body, field->name, value);
        } else {
            write_query(field->name, value, first, into);
            first = false;
        }
    }
    buf_char(into, '\n');
    if (json_object_size(body) == 0)
        return;
    write_value(body, 0, into);
    buf_char(into, '\n');
}
