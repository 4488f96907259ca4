/*
 * A value that nobody has set is left out of the request altogether: providers have defaults of their own,
 * and some refuse what they do not know.
 */
#include "llm/wire.h"

#include <string.h>

#include "base/str.h"

void wire_real(struct json_out *out, const char *key, double number)
{
    if (number >= 0)
        json_double(out, key, number);
}

void wire_int(struct json_out *out, const char *key, int64_t number)
{
    if (number >= 0)
        json_int(out, key, number);
}

void wire_tools(struct json_out *out, const struct llm_request *request)
{
    if (request->tool_count == 0)
        return;
    json_list(out, "tools");
    for (size_t i = 0; i < request->tool_count; i++) {
        json_map(out, NULL);
        json_text(out, "type", "function");
        json_map(out, "function");
        json_text(out, "name", request->tools[i].name);
        json_text(out, "description", request->tools[i].description ? request->tools[i].description : "");
        json_raw(out, "parameters",
                 request->tools[i].schema ? request->tools[i].schema : "{\"type\":\"object\"}");
        json_map_end(out);
        json_map_end(out);
    }
    json_list_end(out);
}

const char *wire_arguments(const struct llm_tool_call *call)
{
    JSON_AUTO *value = NULL;
    struct err ignored = { 0 };
    bool parsed = call->arguments && json_parse(call->arguments, strlen(call->arguments), &value, &ignored);

    return parsed && json_is_object(value) ? call->arguments : "{}";
}

void wire_stops(struct json_out *out, const char *key, const struct llm_request *request, size_t most,
                bool blank)
{
    ARENA_AUTO arena = { 0 };
    size_t sent = 0;

    if (request->keep_stops)
        return;
    for (size_t i = 0; i < request->stop_count && sent < most; i++) {
        const char *stop = request->stops[i];
        bool is_blank = str_is_blank(stop);

        if (!*stop || (is_blank && !blank))
            continue;
        if (sent++ == 0)
            json_list(out, key);
        json_text(out, NULL, is_blank ? stop : str_trim(&arena, stop));
    }
    if (sent > 0)
        json_list_end(out);
}

const char *wire_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

const char *wire_complaint(const json_t *reply)
{
    const json_t *error = json_object_get(reply, "error");
    const char *words = json_is_object(error) ? wire_text(error, "message") : json_string_value(error);

    return words ? words : wire_text(reply, "message");
}

enum llm_finish wire_finish(const struct wire_reason reasons[], const char *word)
{
    while (reasons->word && strcmp(word, reasons->word) != 0)
        reasons++;
    return reasons->finish;
}
