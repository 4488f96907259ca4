/*
 * Messages are told apart by what they have, not by what came before: an answer has no method, what is told
 * has no id. A message with a method and an id that cannot be one could not be answered, and is nothing.
 */
#include "toolbox/mcp_wire.h"

#include "base/limits.h"
#include "base/str.h"
#include "gen/version.h"

#include <sodium.h>
#include <string.h>

#define META "io.modelcontextprotocol/"

static bool read_answer(const json_t *tree, struct mcp_message *message)
{
    const json_t *id = json_object_get(tree, "id"), *error = json_object_get(tree, "error");

    message->kind = MCP_ANSWERS;
    message->request = json_is_integer(id) && json_integer_value(id) >= 0 ? json_integer_value(id) : -1;
    message->result = json_object_get(tree, "result");
    if (json_is_object(message->result) && !error)
        return true;
    const json_t *code = json_object_get(error, "code");
    const char *words = json_string_value(json_object_get(error, "message"));

    message->result = NULL;
    message->code = (int)json_integer_value(code);
    message->words = words ? words : "";
    message->data = json_object_get(error, "data");
    return json_is_object(error);
}

bool mcp_read(const json_t *tree, struct mcp_message *message)
{
    const json_t *method = json_object_get(tree, "method"), *id = json_object_get(tree, "id");
    const json_t *params = json_object_get(tree, "params");

    *message = (struct mcp_message){ .request = -1 };
    if (!json_is_object(tree) || !str_equal(json_string_value(json_object_get(tree, "jsonrpc")), "2.0"))
        return false;
    if (!method)
        return read_answer(tree, message);
    if (!json_is_string(method) || (params && !json_is_object(params)) ||
        (id && !json_is_string(id) && !json_is_integer(id)))
        return false;
    message->kind = id ? MCP_ASKS : MCP_TELLS;
    message->id = id;
    message->method = json_string_value(method);
    message->params = params;
    return true;
}

const char *mcp_handshake_version(const char *version)
{
    static const char *const known[] = { MCP_HANDSHAKE_VERSION, "2025-06-18", "2025-03-26", "2024-11-05" };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (str_equal(version, known[i]))
            return known[i];
    return NULL;
}

void mcp_begin(struct json_out *out, struct buf *into, int64_t id, const char *method)
{
    json_begin(out, into);
    json_map(out, NULL);
    json_text(out, "jsonrpc", "2.0");
    if (id >= 0)
        json_int(out, "id", id);
    json_text(out, "method", method);
    json_map(out, "params");
}

void mcp_end(struct json_out *out)
{
    json_map_end(out);
    json_map_end(out);
}

void mcp_client_info(struct json_out *out, const char *key)
{
    json_map(out, key);
    json_text(out, "name", "witan");
    json_text(out, "version", WITAN_VERSION);
    json_map_end(out);
}

void mcp_client_capabilities(struct json_out *out, const char *key)
{
    json_map(out, key);
    json_map(out, "elicitation");
    json_map(out, "form");
    json_map_end(out);
    json_map(out, "url");
    json_map_end(out);
    json_map_end(out);
    json_map_end(out);
}

void mcp_meta(struct json_out *out, int64_t id, bool stateless, bool progress)
{
    if (!stateless && !progress)
        return;
    json_map(out, "_meta");
    if (progress)
        json_int(out, "progressToken", id);
    if (stateless) {
        json_text(out, META "protocolVersion", MCP_STATELESS_VERSION);
        mcp_client_info(out, META "clientInfo");
        mcp_client_capabilities(out, META "clientCapabilities");
    }
    json_map_end(out);
}

static void begin_answer(struct json_out *out, struct buf *into, const json_t *id)
{
    json_begin(out, into);
    json_map(out, NULL);
    json_text(out, "jsonrpc", "2.0");
    json_value(out, "id", id);
}

void mcp_write_result(struct buf *into, const json_t *id, const char *result)
{
    struct json_out out;

    begin_answer(&out, into, id);
    json_raw(&out, "result", result);
    json_map_end(&out);
}

void mcp_write_error(struct buf *into, const json_t *id, int code, const char *words)
{
    struct json_out out;

    begin_answer(&out, into, id);
    json_map(&out, "error");
    json_int(&out, "code", code);
    json_text(&out, "message", words);
    json_map_end(&out);
    json_map_end(&out);
}

static bool is_plain_value(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7f || (unsigned char)text[i] >= 0x80)
            return false;
    if (len > 0 && (strchr(" \t", text[0]) || strchr(" \t", text[len - 1])))
        return false;
    return !(len >= 11 && str_starts(text, "=?base64?") && strcmp(text + len - 2, "?=") == 0);
}

const char *mcp_header_value(struct arena *arena, const char *text)
{
    size_t len = strlen(text);

    if (is_plain_value(text, len))
        return text;
    size_t room = sodium_base64_ENCODED_LEN(len, sodium_base64_VARIANT_ORIGINAL);
    char *code = arena_alloc(arena, room, 1);

    sodium_bin2base64(code, room, (const unsigned char *)text, len, sodium_base64_VARIANT_ORIGINAL);
    return arena_format(arena, "=?base64?%s?=", code);
}
