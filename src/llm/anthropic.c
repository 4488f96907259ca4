/*
 * Anthropic: POST /v1/messages, server-sent events of many types. What the system says stands apart from the
 * messages, and tools' results are a user's.
 */
#include "llm/provider.h"
#include "llm/wire.h"

#include "base/limits.h"
#include "base/str.h"

#include <string.h>

static bool is_role(const struct llm_message *message, const char *role)
{
    return strcmp(message->role, role) == 0;
}

static void write_system(struct json_out *out, const struct llm_request *request)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    for (size_t i = 0; i < request->message_count; i++) {
        const struct llm_message *message = &request->messages[i];

        if (!is_role(message, "system") || !message->content)
            continue;
        if (text.len > 0)
            buf_text(&text, "\n\n");
        buf_text(&text, message->content);
    }
    if (text.len > 0)
        json_text_len(out, "system", text.bytes, text.len);
}

static void write_result(struct json_out *out, const struct llm_message *message)
{
    json_map(out, NULL);
    json_text(out, "type", "tool_result");
    json_text(out, "tool_use_id", message->tool_call_id);
    json_text(out, "content", message->content ? message->content : "");
    json_map_end(out);
}

/* A block of text must not be empty. */
static void write_blocks(struct json_out *out, const struct llm_message *message)
{
    json_list(out, "content");
    if (is_role(message, "tool"))
        write_result(out, message);
    else if (message->content && !str_is_blank(message->content)) {
        json_map(out, NULL);
        json_text(out, "type", "text");
        json_text(out, "text", message->content);
        json_map_end(out);
    }
    for (size_t i = 0; i < message->tool_call_count; i++) {
        const struct llm_tool_call *call = &message->tool_calls[i];

        json_map(out, NULL);
        json_text(out, "type", "tool_use");
        json_text(out, "id", call->id);
        json_text(out, "name", call->name);
        json_raw(out, "input", wire_arguments(call));
        json_map_end(out);
    }
    json_list_end(out);
}

static void write_messages(struct json_out *out, const struct llm_request *request)
{
    json_list(out, "messages");
    for (size_t i = 0; i < request->message_count; i++) {
        const struct llm_message *message = &request->messages[i];
        bool says_nothing = !message->content || str_is_blank(message->content);

        if (is_role(message, "system") ||
            (says_nothing && message->tool_call_count == 0 && !is_role(message, "tool")))
            continue;
        json_map(out, NULL);
        json_text(out, "role", is_role(message, "assistant") ? "assistant" : "user");
        write_blocks(out, message);
        json_map_end(out);
    }
    json_list_end(out);
}

static void write_tools(struct json_out *out, const struct llm_request *request)
{
    if (request->tool_count == 0)
        return;
    json_list(out, "tools");
    for (size_t i = 0; i < request->tool_count; i++) {
        json_map(out, NULL);
        json_text(out, "name", request->tools[i].name);
        json_text(out, "description", request->tools[i].description ? request->tools[i].description : "");
        json_raw(out, "input_schema",
                 request->tools[i].schema ? request->tools[i].schema : "{\"type\":\"object\"}");
        json_map_end(out);
    }
    json_list_end(out);
}

static void write_request(const struct llm_request *request, struct json_out *out)
{
    const struct llm_model *model = request->model;

    json_map(out, NULL);
    json_text(out, "model", model->model);
    json_bool(out, "stream", true);
    json_int(out, "max_tokens",
             model->max_tokens >= 0 ? model->max_tokens : MODEL_TOKENS_USUAL); /* it must be there */
    write_system(out, request);
    write_messages(out, request);
    write_tools(out, request);
    wire_real(out, "temperature", model->temperature > 1 ? 1 : model->temperature);
    wire_real(out, "top_p", model->top_p);
    wire_stops(out, "stop_sequences", request, SIZE_MAX, false);
    json_map_end(out);
}

/* Newer models take one of the two only. */
static bool adapt(const char *complaint, json_t *body)
{
    return strstr(complaint, "top_p") && json_object_get(body, "temperature") &&
           json_object_del(body, "top_p") == 0;
}

static const struct wire_reason reasons[] = {
    { "end_turn", LLM_FINISH_STOP },     { "stop_sequence", LLM_FINISH_CUT },
    { "max_tokens", LLM_FINISH_LENGTH }, { "tool_use", LLM_FINISH_TOOLS },
    { "refusal", LLM_FINISH_FILTER },    { NULL, LLM_FINISH_OTHER }
};

static void take_usage(struct draft *draft, const json_t *usage)
{
    draft_usage(draft, json_object_get(usage, "input_tokens"), json_object_get(usage, "output_tokens"));
}

/* Blocks are numbered through, text and tools alike; ours counts tools only. */
static bool take_block(struct draft *draft, const json_t *block)
{
    ARENA_AUTO arena = { 0 };
    const char *type = wire_text(block, "type");
    const json_t *text = json_object_get(block, "text"), *input = json_object_get(block, "input");

    if (!type)
        return true;
    if (strcmp(type, "text") == 0)
        return json_string_length(text) == 0 ||
               draft_text(draft, json_string_value(text), json_string_length(text));
    if (strcmp(type, "tool_use") != 0)
        return true;
    return draft_tool(draft, draft->tool_count, wire_text(block, "id"), wire_text(block, "name"),
                      json_object_size(input) > 0 ? json_dump_text(&arena, input) : NULL);
}

static bool take_delta(struct draft *draft, const json_t *delta)
{
    const char *type = wire_text(delta, "type");
    const json_t *text = json_object_get(delta, "text");

    if (type && strcmp(type, "text_delta") == 0)
        return json_string_length(text) == 0 ||
               draft_text(draft, json_string_value(text), json_string_length(text));
    if (type && strcmp(type, "input_json_delta") == 0 && draft->tool_count > 0)
        return draft_tool(draft, draft->tool_count - 1, NULL, NULL, wire_text(delta, "partial_json"));
    return true;
}

static void take_end(struct draft *draft, const json_t *holder)
{
    const char *reason = wire_text(holder, "stop_reason");

    if (reason)
        draft_finish(draft, wire_finish(reasons, reason));
}

/* A whole reply, from a server that does not stream. */
static bool take_whole(struct draft *draft, const json_t *message)
{
    const json_t *content = json_object_get(message, "content");

    for (size_t i = 0; i < json_array_size(content); i++)
        if (!take_block(draft, json_array_get(content, i)))
            return false;
    take_usage(draft, json_object_get(message, "usage"));
    take_end(draft, message);
    draft->ended = draft->over = true;
    return true;
}

static enum llm_kind kind_of(const json_t *error)
{
    const char *type = wire_text(json_object_get(error, "error"), "type");

    if (!type)
        return LLM_FINE;
    if (strcmp(type, "authentication_error") == 0 || strcmp(type, "permission_error") == 0)
        return LLM_WRONG_KEY;
    if (strcmp(type, "invalid_request_error") == 0)
        return LLM_REFUSED;
    if (strcmp(type, "overloaded_error") == 0 || strcmp(type, "rate_limit_error") == 0 ||
        strcmp(type, "api_error") == 0)
        return LLM_BUSY;
    return LLM_FINE;
}

static bool take_error(struct draft *draft, const json_t *event)
{
    enum llm_kind kind = kind_of(event);
    const char *words = wire_complaint(event);

    return draft_fail(draft, kind == LLM_FINE ? LLM_BUSY : kind, "The provider gave up: %s",
                      words ? words : "it does not say why");
}

static bool take_event(struct draft *draft, const json_t *event)
{
    const char *type = wire_text(event, "type");

    if (!type)
        return true;
    if (strcmp(type, "content_block_delta") == 0)
        return take_delta(draft, json_object_get(event, "delta"));
    if (strcmp(type, "content_block_start") == 0)
        return take_block(draft, json_object_get(event, "content_block"));
    if (strcmp(type, "message") == 0)
        return take_whole(draft, event);
    if (strcmp(type, "error") == 0)
        return take_error(draft, event);
    if (strcmp(type, "message_start") == 0)
        take_usage(draft, json_object_get(json_object_get(event, "message"), "usage"));
    if (strcmp(type, "message_delta") == 0) {
        take_usage(draft, json_object_get(event, "usage"));
        take_end(draft, json_object_get(event, "delta"));
    }
    if (strcmp(type, "message_stop") == 0)
        draft->ended = draft->over = true;
    return true;
}

static const char *const headers[] = { "anthropic-version: 2023-06-01", NULL };

const struct provider provider_anthropic = {
    .name = "anthropic",
    .url = "https://api.anthropic.com",
    .path = "/v1/messages",
    .key_env = "ANTHROPIC_API_KEY",
    .key_header = "x-api-key: %s",
    .headers = headers,
    .accept = "Accept: text/event-stream",
    .events = true,
    .tells_stops = true,
    .write = write_request,
    .take = take_event,
    .kind_of = kind_of,
    .adapt = adapt,
};
