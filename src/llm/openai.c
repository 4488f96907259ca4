/*
 * OpenAI and the many servers that speak as it does: POST /chat/completions under a base_url that ends in
 * /v1, server-sent events that end with "[DONE]".
 */
#include "llm/provider.h"
#include "llm/wire.h"

#include <ctype.h>
#include <string.h>

#define STOPS_MOST 4 /* more are refused; we enforce all of them anyway */

/* What may stand in "name" is narrow; a name that does not fit is left out. */
static bool is_wire_name(const char *name)
{
    if (!name || !*name || strlen(name) > 64)
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            return false;
    return true;
}

static void write_calls(struct json_out *out, const struct llm_message *message)
{
    if (message->tool_call_count == 0)
        return;
    json_list(out, "tool_calls");
    for (size_t i = 0; i < message->tool_call_count; i++) {
        json_map(out, NULL);
        json_text(out, "id", message->tool_calls[i].id);
        json_text(out, "type", "function");
        json_map(out, "function");
        json_text(out, "name", message->tool_calls[i].name);
        json_text(out, "arguments", wire_arguments(&message->tool_calls[i]));
        json_map_end(out);
        json_map_end(out);
    }
    json_list_end(out);
}

static void write_messages(struct json_out *out, const struct llm_request *request)
{
    json_list(out, "messages");
    for (size_t i = 0; i < request->message_count; i++) {
        const struct llm_message *message = &request->messages[i];
        bool is_tool = strcmp(message->role, "tool") == 0;

        json_map(out, NULL);
        json_text(out, "role", message->role);
        json_text(out, "content", message->content ? message->content : "");
        if (!is_tool && is_wire_name(message->name))
            json_text(out, "name", message->name);
        if (is_tool)
            json_text(out, "tool_call_id", message->tool_call_id);
        write_calls(out, message);
        json_map_end(out);
    }
    json_list_end(out);
}

static void write_request(const struct llm_request *request, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "model", request->model->model);
    json_bool(out, "stream", true);
    json_map(out, "stream_options");
    json_bool(out, "include_usage", true);
    json_map_end(out);
    write_messages(out, request);
    wire_tools(out, request);
    wire_real(out, "temperature", request->model->temperature);
    wire_real(out, "top_p", request->model->top_p);
    wire_int(out, "max_tokens", request->model->max_tokens);
    wire_stops(out, "stop", request, STOPS_MOST, true);
    json_map_end(out);
}

/* Servers differ in three things that only their complaint tells: they are then asked in their own way. */
static bool adapt(const char *complaint, json_t *body)
{
    json_t *max_tokens = json_object_get(body, "max_tokens");

    if (strstr(complaint, "stream_options") && json_object_del(body, "stream_options") == 0)
        return true;
    if (strstr(complaint, "max_completion_tokens") && max_tokens)
        return json_object_set(body, "max_completion_tokens", max_tokens) == 0 &&
               json_object_del(body, "max_tokens") == 0;
    return strstr(complaint, "stop") && strstr(complaint, "nsupported") && json_object_del(body, "stop") == 0;
}

static const struct wire_reason reasons[] = { { "stop", LLM_FINISH_STOP },
                                              { "length", LLM_FINISH_LENGTH },
                                              { "tool_calls", LLM_FINISH_TOOLS },
                                              { "function_call", LLM_FINISH_TOOLS },
                                              { "content_filter", LLM_FINISH_FILTER },
                                              { NULL, LLM_FINISH_OTHER } };

static bool take_calls(struct draft *draft, const json_t *calls)
{
    for (size_t i = 0; i < json_array_size(calls); i++) {
        const json_t *call = json_array_get(calls, i), *index = json_object_get(call, "index");
        const json_t *function = json_object_get(call, "function");
        bool counted = json_is_integer(index) && json_integer_value(index) >= 0;

        if (!draft_tool(draft, counted ? (size_t)json_integer_value(index) : i, wire_text(call, "id"),
                        wire_text(function, "name"), wire_text(function, "arguments")))
            return false;
    }
    return true;
}

/* Some servers send the whole reply at once although a stream was asked for: "message" then stands for
 * "delta". */
static bool take_choice(struct draft *draft, const json_t *choice)
{
    const json_t *delta = json_object_get(choice, "delta");
    const char *reason = wire_text(choice, "finish_reason");

    if (!delta)
        delta = json_object_get(choice, "message");
    const json_t *content = json_object_get(delta, "content");

    if (!json_is_string(content))
        content = json_object_get(delta, "refusal");
    if (json_is_string(content) && json_string_length(content) > 0 &&
        !draft_text(draft, json_string_value(content), json_string_length(content)))
        return false;
    if (!take_calls(draft, json_object_get(delta, "tool_calls")))
        return false;
    if (reason) {
        draft_finish(draft, draft->tool_count > 0 ? LLM_FINISH_TOOLS : wire_finish(reasons, reason));
        draft->ended = true;
    }
    return true;
}

static bool take_event(struct draft *draft, const json_t *event)
{
    const json_t *usage = json_object_get(event, "usage");
    const json_t *choice = json_array_get(json_object_get(event, "choices"), 0);

    if (json_object_get(event, "error") && !json_is_null(json_object_get(event, "error"))) {
        const char *words = wire_complaint(event);

        return draft_fail(draft, LLM_BUSY, "The provider gave up: %s", words ? words : "it does not say why");
    }
    draft_usage(draft, json_object_get(usage, "prompt_tokens"), json_object_get(usage, "completion_tokens"));
    return !choice || take_choice(draft, choice);
}

const struct provider provider_openai = {
    .name = "openai",
    .url = "https://api.openai.com/v1",
    .path = "/chat/completions",
    .key_env = "OPENAI_API_KEY",
    .key_header = "Authorization: Bearer %s",
    .accept = "Accept: text/event-stream",
    .events = true,
    .write = write_request,
    .take = take_event,
    .adapt = adapt,
};
