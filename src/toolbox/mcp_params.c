/*
 * x-mcp-header: a schema may ask that an argument be repeated in a header, for those who route requests
 * without reading them. Only whole numbers, texts and truth values can be, and only where the way to them is
 * one of `properties` alone; a schema that asks for anything else is refused as a whole, as the protocol
 * wants it.
 */
#include "base/limits.h"
#include "base/str.h"
#include "toolbox/mcp_content.h"
#include "toolbox/mcp_wire.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define HEADERS_MOST 32 /* of one tool */
#define HEADER_CHARS 64
#define INTEGER_MOST ((INT64_C(1) << 53) - 1)

struct header_names {
    const char *names[HEADERS_MOST];
    size_t count;
    const char *why;
};

static bool is_token(const char *name)
{
    size_t len = strlen(name);

    return len > 0 && len <= HEADER_CHARS &&
           strspn(name, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
               len;
}

static bool is_repeatable(const json_t *property)
{
    const char *type = json_string_value(json_object_get(property, "type"));

    return str_equal(type, "string") || str_equal(type, "integer") || str_equal(type, "boolean");
}

static bool wrong(struct header_names *seen, const char *why)
{
    seen->why = why;
    return false;
}

static bool take_name(struct header_names *seen, const json_t *property, const json_t *mark)
{
    const char *name = json_string_value(mark);

    if (!name || !is_token(name))
        return wrong(seen, "x-mcp-header of its schema is not the name of a header");
    if (!is_repeatable(property))
        return wrong(seen, "x-mcp-header of its schema is at an argument that no header can repeat");
    for (size_t i = 0; i < seen->count; i++)
        if (strcasecmp(seen->names[i], name) == 0)
            return wrong(seen, "x-mcp-header of its schema names one header twice");
    if (seen->count == HEADERS_MOST)
        return wrong(seen, "its schema names too many headers");
    seen->names[seen->count++] = name;
    return true;
}

/* `direct`: reached by `properties` alone. The depth is that of a message, which is bounded. */
static bool look(struct header_names *seen, const json_t *schema, bool direct);

static bool look_at_properties(struct header_names *seen, const json_t *properties, bool direct)
{
    const json_t *property;
    const char *key;

    json_object_foreach((json_t *)properties, key, property)
    {
        const json_t *mark = json_object_get(property, "x-mcp-header");

        if (mark && (!direct || !take_name(seen, property, mark)))
            return seen->why ? false : wrong(seen, "x-mcp-header of its schema is where none may be");
        if (!look(seen, property, direct))
            return false;
    }
    return true;
}

static bool look(struct header_names *seen, const json_t *schema, bool direct)
{
    const json_t *part;
    const char *key;
    size_t i;

    if (json_is_array(schema)) {
        json_array_foreach(schema, i, part) if (json_object_get(part, "x-mcp-header") ||
                                                !look(seen, part, false)) return seen->why
            ? false
            : wrong(seen, "x-mcp-header of its schema is where none may be");
        return true;
    }
    json_object_foreach((json_t *)schema, key, part)
    {
        if (strcmp(key, "properties") == 0) {
            if (!look_at_properties(seen, part, direct))
                return false;
        } else if (strcmp(key, "enum") != 0 && strcmp(key, "const") != 0 && strcmp(key, "default") != 0 &&
                   strcmp(key, "examples") != 0) {
            if (json_object_get(part, "x-mcp-header") || !look(seen, part, false))
                return seen->why ? false : wrong(seen, "x-mcp-header of its schema is where none may be");
        }
    }
    return true;
}

bool mcp_headers_check(const json_t *schema, const char **why)
{
    struct header_names seen = { 0 };

    if (!json_object_get(schema, "x-mcp-header") && look(&seen, schema, true))
        return true;
    *why = seen.why ? seen.why : "x-mcp-header of its schema is where none may be";
    return false;
}

struct header_list {
    struct arena *arena;
    const char **headers;
    size_t count;
};

static const char *value_text(struct arena *arena, const json_t *value)
{
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (json_is_string(value))
        return json_string_value(value);
    if (!json_is_integer(value) || json_integer_value(value) > INTEGER_MOST ||
        json_integer_value(value) < -INTEGER_MOST)
        return NULL;
    return arena_format(arena, "%" PRId64, (int64_t)json_integer_value(value));
}

static void collect(struct header_list *list, const json_t *schema, const json_t *value)
{
    const json_t *property;
    const char *key;

    json_object_foreach((json_t *)json_object_get(schema, "properties"), key, property)
    {
        const json_t *part = json_object_get(value, key);
        const char *name = json_string_value(json_object_get(property, "x-mcp-header"));
        const char *text = name && part ? value_text(list->arena, part) : NULL;

        if (text && list->count < HEADERS_MOST && strlen(text) <= LIMIT_URL)
            list->headers[list->count++] =
                arena_format(list->arena, "Mcp-Param-%s: %s", name, mcp_header_value(list->arena, text));
        if (json_is_object(part))
            collect(list, property, part);
    }
}

const char *const *mcp_headers_of(struct arena *arena, const json_t *schema, const json_t *arguments)
{
    struct header_list list = { arena, arena_array(arena, const char *, HEADERS_MOST + 1), 0 };

    collect(&list, schema, arguments);
    return list.count > 0 ? list.headers : NULL;
}
