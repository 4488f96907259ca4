/*
 * Ollama: POST /api/chat, JSON lines. Arguments of tool calls come as objects, and calls have no ids.
 */
#include "llm/provider.h"
#include "llm/wire.h"

#include <string.h>

static void write_calls(struct json_out *out, const struct llm_message *message)
{
    if (message->tool_call_count == 0)
        return;
    json_list(out, "tool_calls");
    for (size_t i = 0; i < message->tool_call_count; i++) {
        json_map(out, NULL);
        json_map(out, "function");
        json_text(out, "name", message->tool_calls[i].name);
        json_raw(out, "arguments", wire_arguments(&message->tool_calls[i]));
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

        json_map(out, NULL);
        json_text(out, "role", message->role);
        json_text(out, "content", message->content ? message->content : "");
        write_calls(out, message);
        if (strcmp(message->role, "tool") == 0 && message->name)
            json_text(out, "tool_name", message->name);
        json_map_end(out);
    }
    json_list_end(out);
}

static void write_request(const struct llm_request *request, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "model", request->model->model);
    json_bool(out, "stream", true);
    write_messages(out, request);
    wire_tools(out, request);
    json_map(out, "options");
    wire_real(out, "temperature", request->model->temperature);
    wire_real(out, "top_p", request->model->top_p);
    wire_int(out, "num_predict", request->model->max_tokens);
    wire_stops(out, "stop", request, SIZE_MAX, true);
    json_map_end(out);
    json_map_end(out);
}

static bool take_calls(struct draft *draft, const json_t *calls)
{
    ARENA_AUTO arena = { 0 };

    for (size_t i = 0; i < json_array_size(calls); i++) {
        const json_t *function = json_object_get(json_array_get(calls, i), "function");
        const json_t *arguments = json_object_get(function, "arguments");
        const char *text = json_is_string(arguments) ? json_string_value(arguments)
                           : arguments               ? json_dump_text(&arena, arguments)
                                                     : NULL;

        if (!draft_tool(draft, draft->tool_count, wire_text(json_array_get(calls, i), "id"),
                        wire_text(function, "name"), text))
            return false;
    }
    return true;
}

static enum llm_finish finish_of(const struct draft *draft, const char *reason)
{
    if (draft->tool_count > 0)
        return LLM_FINISH_TOOLS;
    if (!reason || strcmp(reason, "stop") == 0)
        return LLM_FINISH_STOP;
    return strcmp(reason, "length") == 0 ? LLM_FINISH_LENGTH : LLM_FINISH_OTHER;
}

static bool take_event(struct draft *draft, const json_t *event)
{
    const json_t *message = json_object_get(event, "message");
    const json_t *content = json_object_get(message, "content");

    if (json_object_get(event, "error")) {
        const char *words = wire_complaint(event);

        return draft_fail(draft, LLM_BUSY, "The provider gave up: %s", words ? words : "it does not say why");
    }
    if (json_is_string(content) && json_string_length(content) > 0 &&
        !draft_text(draft, json_string_value(content), json_string_length(content)))
        return false;
    if (!take_calls(draft, json_object_get(message, "tool_calls")))
        return false;
    if (json_is_true(json_object_get(event, "done"))) {
        draft_usage(draft, json_object_get(event, "prompt_eval_count"), json_object_get(event, "eval_count"));
        draft_finish(draft, finish_of(draft, wire_text(event, "done_reason")));
        draft->ended = draft->over = true;
    }
    return true;
}

const struct provider provider_ollama = {
    .name = "ollama",
    .url = "http://127.0.0.1:11434",
    .path = "/api/chat",
    .key_header = "Authorization: Bearer %s",
    .accept = "Accept: application/x-ndjson",
    .write = write_request,
    .take = take_event,
};
