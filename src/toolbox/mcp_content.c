/*
 * A result is text for a model: text blocks as they are, one after the other, and of whatever else came what
 * it is and how large, for a model can do nothing with its bytes. A list of tools is taken tool by tool, so
 * that one that is wrong does not take the others with it.
 */
#include "toolbox/mcp_content.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/shape.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CHARS 64 /* that providers take */
#define MARK_CHARS 8  /* of a mark by which names are told apart that had to be cut */

const char *mcp_fit_text(struct arena *arena, const char *text, size_t most)
{
    const char *clean = str_sanitise(arena, text);
    size_t len = strlen(clean);

    return len <= most ? clean : arena_copy(arena, clean, str_fitting(clean, most));
}

/* Tools. */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

const char *mcp_tool_name(struct arena *arena, const char *server, const char *tool)
{
    char *name = arena_format(arena, "%s__%s", server, tool);
    size_t len = strlen(name);

    if (len > NAME_CHARS) {
        char mark[MARK_CHARS + 1];

        snprintf(mark, sizeof(mark), "%08x", (unsigned)(str_hash(name) & 0xffffffffu));
        name = arena_format(arena, "%.*s_%s", NAME_CHARS - MARK_CHARS - 1, name, mark);
    }
    for (char *c = name; *c; c++)
        if (!is_name_char(*c))
            *c = '_';
    return name;
}

static const struct mcp_rule *rule_for(const struct mcp_setup *setup, const char *tool)
{
    for (size_t i = 0; i < setup->rule_count; i++)
        if (str_equal(setup->rules[i].name, tool))
            return &setup->rules[i];
    return &setup->all;
}

/* What config.yaml says of a tool, whatever its server says. */
static struct tool tool_by_rule(const struct mcp_setup *setup, const struct mcp_rule *rule, const char *name)
{
    return (struct tool){ .name = name,
                          .kind = TOOL_MCP,
                          .server = setup->name,
                          .needs_approval = rule->needs_approval,
                          .idempotent = rule->idempotent,
                          .alone = rule->alone,
                          .category = rule->category,
                          .projects = rule->projects,
                          .roles = rule->roles };
}

/* The rule of a tool of which only the name is known by which models call it. NULL: it may be either of two.
 */
static const struct mcp_rule *rule_of_awaited(const struct mcp_setup *setup, const char *name)
{
    ARENA_AUTO arena = { 0 };
    const struct mcp_rule *found = NULL;

    for (size_t i = 0; i < setup->rule_count; i++) {
        if (!str_equal(mcp_tool_name(&arena, setup->name, setup->rules[i].name), name))
            continue;
        if (found)
            return NULL;
        found = &setup->rules[i];
    }
    return found ? found : &setup->all;
}

bool mcp_tool_awaited(const struct mcp_setup *setup, const char *name, struct tool *tool)
{
    size_t len = strlen(setup->name);

    if (strncmp(name, setup->name, len) != 0 || !str_starts(name + len, "__") || !name[len + 2])
        return false;
    const struct mcp_rule *rule = rule_of_awaited(setup, name);

    if (!rule)
        return false;
    *tool = tool_by_rule(setup, rule, name);
    tool->description = "";
    tool->schema = "{\"type\":\"object\"}";
    return !rule->off;
}

bool mcp_listing_same(const struct mcp_listing *one, const struct mcp_listing *other)
{
    bool same = one->count == other->count;

    for (size_t i = 0; same && i < one->count; i++)
        same = strcmp(one->tools[i].name, other->tools[i].name) == 0 &&
               strcmp(one->tools[i].digest, other->tools[i].digest) == 0;
    return same;
}

static bool left_out(struct mcp_listing *listing, const struct mcp_setup *setup, const char *tool,
                     const char *why)
{
    if (listing->left_out++ < 16)
        log_line(LOG_WARN, "a tool of an MCP server is left out", "server", setup->name, "tool", tool, "why",
                 why, NULL);
    return false;
}

static bool is_taken(const struct mcp_listing *listing, const char *name)
{
    for (size_t i = 0; i < listing->count; i++)
        if (strcmp(listing->tools[i].name, name) == 0)
            return true;
    return false;
}

/* The schema as text. Keys are sorted for the digest, so that another order is no change. */
static const char *schema_text(struct arena *arena, const json_t *schema)
{
    char *dumped = json_dumps(schema, JSON_COMPACT | JSON_SORT_KEYS);
    const char *text = dumped ? arena_text(arena, dumped) : NULL;

    free(dumped);
    return text;
}

static bool check_schema(struct mcp_listing *listing, const struct mcp_setup *setup, const char *tool,
                         const json_t *schema, const char **text)
{
    struct err err = { 0 };
    const char *why;

    if (!json_is_object(schema))
        return left_out(listing, setup, tool, "it has no schema of its input");
    if (!shape_check(schema, &err))
        return left_out(listing, setup, tool, err.text);
    if (!str_equal(json_string_value(json_object_get(schema, "type")), "object"))
        return left_out(listing, setup, tool, "the schema of its input is not one of an object");
    if (listing->over_http && !mcp_headers_check(schema, &why))
        return left_out(listing, setup, tool, why);
    *text = schema_text(&listing->arena, schema);
    if (!*text || strlen(*text) > LIMIT_MCP_SCHEMA)
        return left_out(listing, setup, tool, "the schema of its input is too long");
    return true;
}

static bool take_tool(struct mcp_listing *listing, const struct mcp_setup *setup, const json_t *entry)
{
    const char *own = json_string_value(json_object_get(entry, "name")), *schema;
    const char *description = json_string_value(json_object_get(entry, "description"));

    if (!own || !*own || strlen(own) > LIMIT_REF || !str_is_plain_line(own))
        return left_out(listing, setup, NULL, "it has no name that could be shown");
    const struct mcp_rule *rule = rule_for(setup, own);

    if (rule->off)
        return true;
    if (listing->count == LIMIT_MCP_TOOLS)
        return left_out(listing, setup, own, "the server has too many");
    const char *name = mcp_tool_name(&listing->arena, setup->name, own);

    if (is_taken(listing, name))
        return left_out(listing, setup, own, "another one has that name already");
    if (!check_schema(listing, setup, own, json_object_get(entry, "inputSchema"), &schema))
        return false;
    description = mcp_fit_text(&listing->arena, description ? description : "", LIMIT_MCP_DESCRIPTION);
    struct tool *tool = &listing->tools[listing->count++];

    *tool = tool_by_rule(setup, rule, name);
    tool->description = description;
    tool->schema = schema;
    tool->server_tool = arena_text(&listing->arena, own);
    tool->digest = tool_digest(&listing->arena, description, schema);
    return true;
}

void mcp_listing_init(struct mcp_listing *listing)
{
    *listing = (struct mcp_listing){ 0 };
    listing->tools = arena_array(&listing->arena, struct tool, LIMIT_MCP_TOOLS);
}

void mcp_listing_done(struct mcp_listing *listing)
{
    arena_done(&listing->arena);
}

bool mcp_listing_page(struct mcp_listing *listing, const struct mcp_setup *setup, const json_t *result,
                      const char **cursor)
{
    const json_t *tools = json_object_get(result, "tools"), *entry;
    const char *next = json_string_value(json_object_get(result, "nextCursor"));
    size_t i;

    if (!json_is_array(tools))
        return false;
    json_array_foreach(tools, i, entry) if (!take_tool(listing, setup, entry)) continue;
    *cursor = next && *next ? arena_text(&listing->arena, next) : NULL;
    return true;
}

/* Results. */

static size_t bytes_of_base64(const char *text)
{
    size_t len = text ? strlen(text) : 0;

    while (len > 0 && text[len - 1] == '=')
        len--;
    return len / 4 * 3 + (len % 4 * 3) / 4;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void add_resource(struct buf *into, const json_t *resource)
{
    const char *text = json_string_value(json_object_get(resource, "text"));
    const char *type = text_of(resource, "mimeType");

    buf_format(into, "[resource %s%s%s", text_of(resource, "uri"), *type ? ", " : "", type);
    if (text)
        buf_format(into, "]\n%s", text);
    else
        buf_format(into, ", %zu bytes that are not shown]", bytes_of_base64(text_of(resource, "blob")));
}

static void add_block(struct buf *into, const json_t *block)
{
    const char *type = text_of(block, "type"), *name;

    if (into->len > 0)
        buf_char(into, '\n');
    if (strcmp(type, "text") == 0)
        buf_text(into, text_of(block, "text"));
    else if (strcmp(type, "image") == 0 || strcmp(type, "audio") == 0)
        buf_format(into, "[%s, %s, %zu bytes that are not shown]", type, text_of(block, "mimeType"),
                   bytes_of_base64(text_of(block, "data")));
    else if (strcmp(type, "resource") == 0)
        add_resource(into, json_object_get(block, "resource"));
    else if (strcmp(type, "resource_link") == 0) {
        name = text_of(block, "name");
        buf_format(into, "[link %s%s%s]", text_of(block, "uri"), *name ? ": " : "", name);
    } else
        buf_format(into, "[a part of the kind \"%.40s\" that is not shown]", type);
}

/* One block after the other, until there is more than may be. */
static void join_blocks(struct buf *into, const json_t *content)
{
    const json_t *block;
    size_t i;

    json_array_foreach(content, i, block)
    {
        add_block(into, block);
        if (into->full)
            return;
    }
}

void mcp_result_read(struct arena *arena, const json_t *result, size_t most, struct tool_result *into)
{
    const json_t *content = json_object_get(result, "content");
    const json_t *structured = json_object_get(result, "structuredContent");
    BUF_AUTO text = { 0 };

    buf_init(&text, most);
    join_blocks(&text, content);
    into->end = json_is_true(json_object_get(result, "isError")) ? TOOL_ERROR : TOOL_FINE;
    into->data =
        json_is_object(structured) || json_is_array(structured) ? json_dump_text(arena, structured) : NULL;
    if (text.full || (into->data && strlen(into->data) > most)) {
        into->end = TOOL_FLOODED;
        into->data = NULL;
        into->text = arena_format(arena, "The result has more than %zu bytes, and was not taken.", most);
    } else if (text.len == 0 && into->data) {
        into->text = into->data;
    } else if (text.len == 0) {
        into->text = into->end == TOOL_ERROR ? "It failed, and says nothing about why." : "";
    } else {
        into->text = str_sanitise(arena, text.bytes);
    }
    if (!json_is_array(content) && !into->data && into->end != TOOL_FLOODED) {
        into->end = TOOL_ERROR;
        into->text = "The server's answer is not a result.";
    }
}
