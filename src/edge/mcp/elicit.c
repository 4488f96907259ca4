#include "edge/mcp/elicit.h"

#include "base/str.h"

#include <string.h>

static const char *text_of(const json_t *args, const char *name)
{
    return json_string_value(json_object_get(args, name));
}

bool elicit_fits(const struct mcp_call *call, const json_t *question)
{
    const char *type = text_of(question, "type"), *wanted = text_of(question, "responseType");

    return (call->client.can & CAN_ELICIT) && caller_is_person(&call->request.call.caller) &&
           text_of(question, "question") && type && wanted && strcmp(type, "approval") != 0 &&
           strcmp(wanted, "approval") != 0;
}

static void write_choices(struct json_out *out, const json_t *options)
{
    json_list(out, "oneOf");
    for (size_t i = 0; i < json_array_size(options); i++) {
        const json_t *option = json_array_get(options, i);
        const char *label = text_of(option, "label"), *value = text_of(option, "value");
        const char *id = text_of(option, "id");

        json_map(out, NULL);
        json_text(out, "const", value ? value : id ? id : label);
        json_text(out, "title", label ? label : value);
        json_map_end(out);
    }
    json_list_end(out);
}

void elicit_write(const json_t *question, struct buf *into)
{
    const json_t *options = json_object_get(question, "options");
    const char *wanted = text_of(question, "responseType");
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "message", text_of(question, "question"));
    json_map(&out, "requestedSchema");
    json_text(&out, "type", "object");
    json_map(&out, "properties");
    json_map(&out, ELICIT_KEY);
    json_text(&out, "type", str_equal(wanted, "boolean") ? "boolean" : "string");
    json_text(&out, "title", "Your answer");
    if (str_equal(wanted, "choice") && json_array_size(options) > 0)
        write_choices(&out, options);
    json_map_end(&out);
    json_map_end(&out);
    json_raw(&out, "required", "[\"" ELICIT_KEY "\"]");
    json_map_end(&out);
    json_map_end(&out);
}

void elicit_ask(const struct mcp_call *call, void (*told)(struct outlet *outlet, const json_t *result))
{
    BUF_AUTO params = { 0 };

    elicit_write(call->args, &params);
    outlet_ask(call->outlet, "elicitation/create", params.bytes, told);
}

json_t *elicit_answer(const json_t *result, const char *question_id, const char *response_type)
{
    json_t *answer = json_object_get(json_object_get(result, "content"), ELICIT_KEY);

    if (!str_equal(text_of(result, "action"), "accept") || !answer)
        return NULL;
    return json_pack("{s:s, s:{s:s, s:O}}", "id", question_id, "response", "type", response_type, "value",
                     answer);
}
