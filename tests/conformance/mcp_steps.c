/*
 * mcp_steps.c - tools that send notifications, or requests of their own, before they answer.
 */
#include "base/clock.h"
#include "tests/conformance/mcp.h"

#include <string.h>

#define STEP_MS 50

static void end_with(struct outlet *outlet, const char *text)
{
    BUF_AUTO message = { 0 };

    fixture_write_text(outlet->id, outlet->era, text, &message);
    outlet_put(outlet, message.bytes, message.len);
    outlet_end_locked(outlet);
}

static void begin(struct mcp_call *call, void (*tick)(struct outlet *outlet))
{
    call->outlet->tick = tick;
    call_stream(call, 0);
    call_free(call);
}

static void progress_step(struct outlet *outlet)
{
    if (outlet->step == 3) {
        end_with(outlet, "Progress was reported.");
        return;
    }
    outlet_progress(outlet, 50.0 * outlet->step++, 100, NULL);
    outlet->due_ms = clock_ticks_ms() + STEP_MS;
}

void fixture_progress(struct mcp_call *call)
{
    begin(call, progress_step);
}

static void logging_step(struct outlet *outlet)
{
    static const char *const texts[] = { "Tool execution started", "Tool processing data",
                                         "Tool execution completed" };
    BUF_AUTO message = { 0 };

    if (outlet->step == 3) {
        end_with(outlet, "Messages were logged.");
        return;
    }
    buf_format(&message,
               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\","
               "\"data\":\"%s\"}}",
               texts[outlet->step++]);
    outlet_put(outlet, message.bytes, message.len);
    outlet->due_ms = clock_ticks_ms() + STEP_MS;
}

void fixture_logging(struct mcp_call *call)
{
    if (call->client.era == MCP_STATELESS && !call->client.wants_log)
        fixture_answer_text(call, "No level was asked for.");
    else
        begin(call, logging_step);
}

static void answered(struct outlet *outlet, const json_t *result)
{
    ARENA_AUTO arena = { 0 };

    end_with(outlet, result ? arena_format(&arena, "The client answered: %s", json_dump_text(&arena, result))
                            : "The client refused.");
}

static void refuse(struct mcp_call *call, const char *capability)
{
    rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "This needs a client with the capability %s.",
             capability);
    call_fail(call);
}

/* What it asks is in the outlet before the stream begins. */
static void ask(struct mcp_call *call, const char *method, const char *params)
{
    outlet_ask(call->outlet, method, params, answered);
    call_stream(call, 0);
    call_free(call);
}

static const char *argument(const struct mcp_call *call, const char *name)
{
    const char *text = json_string_value(json_object_get(call->own_args, name));

    return text ? text : "";
}

void fixture_sampling(struct mcp_call *call)
{
    BUF_AUTO params = { 0 };
    struct json_out out;

    if (!(call->client.can & CAN_SAMPLE) || call->client.era == MCP_STATELESS) {
        refuse(call, "sampling");
        return;
    }
    json_begin(&out, &params);
    json_map(&out, NULL);
    json_list(&out, "messages");
    json_map(&out, NULL);
    json_text(&out, "role", "user");
    json_map(&out, "content");
    json_text(&out, "type", "text");
    json_text(&out, "text", argument(call, "prompt"));
    json_map_end(&out);
    json_map_end(&out);
    json_list_end(&out);
    json_int(&out, "maxTokens", 100);
    json_map_end(&out);
    ask(call, "sampling/createMessage", params.bytes);
}

static const char user_form[] =
    "{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\",\"description\":\"User's "
    "response\"},"
    "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},\"required\":[\"username\","
    "\"email\"]}";
static const char defaults_form[] =
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
    "\"age\":{\"type\":\"integer\",\"default\":30},\"score\":{\"type\":\"number\",\"default\":95.5},"
    "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"
    "\"verified\":{\"type\":\"boolean\",\"default\":true}},\"required\":[]}";
static const char enums_form[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
    "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"value1\",\"title\":\"First Option\"},"
    "{\"const\":\"value2\",\"title\":\"Second Option\"},{\"const\":\"value3\",\"title\":\"Third Option\"}]},"
    "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],\"enumNames\":[\"Option One\","
    "\"Option Two\",\"Option Three\"]},"
    "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\","
    "\"option3\"]}},"
    "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"value1\",\"title\":\"First "
    "Choice\"},"
    "{\"const\":\"value2\",\"title\":\"Second Choice\"},{\"const\":\"value3\",\"title\":\"Third "
    "Choice\"}]}}},"
    "\"required\":[]}";

void fixture_elicitation(struct mcp_call *call)
{
    BUF_AUTO params = { 0 };
    struct json_out out;
    const char *name = call->tool->name;
    const char *form = strstr(name, "defaults") ? defaults_form
                       : strstr(name, "enums")  ? enums_form
                                                : user_form;
    const char *message = argument(call, "message");

    if (!(call->client.can & CAN_ELICIT) || call->client.era == MCP_STATELESS) {
        refuse(call, "elicitation");
        return;
    }
    json_begin(&out, &params);
    json_map(&out, NULL);
    json_text(&out, "message", *message ? message : "Please fill in.");
    json_raw(&out, "requestedSchema", form);
    json_map_end(&out);
    ask(call, "elicitation/create", params.bytes);
}
