#include "tests/conformance/mcp.h"

#include "base/str.h"
#include "edge/mcp/subscriptions.h"

#include <string.h>

#define NO_ARGS "{\"type\":\"object\",\"properties\":{}}"
#define PIXEL \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
#define SILENCE  "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
#define TEXT     "{\"type\":\"text\",\"text\":\"This is a simple text response for testing.\"}"
#define IMAGE    "{\"type\":\"image\",\"data\":\"" PIXEL "\",\"mimeType\":\"image/png\"}"
#define AUDIO    "{\"type\":\"audio\",\"data\":\"" SILENCE "\",\"mimeType\":\"audio/wav\"}"
#define TEMPLATE "test://template/"

static bool run_fixture(struct call *call)
{
    json_map(&call->out, NULL);
    json_map_end(&call->out);
    return true;
}

static const struct field no_reply[] = { { 0 } };

static const struct op row = {
    .name = "test_fixture",
    .http = "POST /mcp",
    .tag = "Tests",
    .help = "A tool of the conformance suite.",
    .needs = ROLES_READ,
    .reaches = REACH_OWN,
    .kind = OP_READ,
    .run = run_fixture,
    .reply = no_reply,
};

static const struct {
    const char *tool, *content;
    bool failed;
} fixed[] = {
    { "test_simple_text", "[" TEXT "]", false },
    { "test_image_content", "[" IMAGE "]", false },
    { "test_audio_content", "[" AUDIO "]", false },
    { "test_embedded_resource",
      "[{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/"
      "plain\","
      "\"text\":\"This is an embedded resource content.\"}}]",
      false },
    { "test_multiple_content_types",
      "[{\"type\":\"text\",\"text\":\"Multiple content types test:\"}," IMAGE
      ",{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-resource\",\"mimeType\":"
      "\"application/json\",\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}]",
      false },
    { "test_error_handling",
      "[{\"type\":\"text\",\"text\":\"This tool intentionally returns an error for testing\"}]", true },
    { "test_logging_tool", "[" TEXT "]", false },
};

static void answer_fixed(struct mcp_call *call)
{
    struct json_out out;
    struct buf result;

    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if (strcmp(fixed[i].tool, call->tool->name) != 0)
            continue;
        call_begin(call, &out, &result);
        json_raw(&out, "content", fixed[i].content);
        json_bool(&out, "isError", fixed[i].failed);
        call_result(call, &out, &result);
        return;
    }
}

void fixture_write_text(const char *id, enum mcp_era era, const char *text, struct buf *into)
{
    struct json_out out;

    rpc_begin(&out, into, id);
    json_map(&out, "result");
    if (era == MCP_STATELESS)
        json_text(&out, "resultType", "complete");
    json_list(&out, "content");
    json_map(&out, NULL);
    json_text(&out, "type", "text");
    json_text(&out, "text", text);
    json_map_end(&out);
    json_list_end(&out);
    json_map_end(&out);
    json_map_end(&out);
}

void fixture_answer_text(struct mcp_call *call, const char *text)
{
    BUF_AUTO message = { 0 };

    fixture_write_text(call->outlet->id, call->client.era, text, &message);
    outlet_answer(call->outlet, 200, NULL, &message);
    call_free(call);
}

static void needs_sampling(struct mcp_call *call)
{
    if (call->client.can & CAN_SAMPLE) {
        fixture_answer_text(call, "The client can sample.");
        return;
    }
    rpc_fail(&call->error, MCP_MISSING_CAPABILITY, 400, "This needs the capability sampling.");
    call->error.data = "{\"requiredCapabilities\":{\"sampling\":{}}}";
    call_fail(call);
}

static void change_tools(struct mcp_call *call)
{
    subscriptions_list_changed(call->mcp, LIST_TOOLS);
    fixture_answer_text(call, "The tools have changed.");
}

static void change_prompts(struct mcp_call *call)
{
    subscriptions_list_changed(call->mcp, LIST_PROMPTS);
    fixture_answer_text(call, "The prompts have changed.");
}

#define FIXTURE(tool, run) \
    { \
        .name = (tool), .help = "For the conformance suite.", .input = NO_ARGS, .done = (run) \
    }

static const struct mcp_tool tools[] = {
    FIXTURE("test_simple_text", answer_fixed),
    FIXTURE("test_image_content", answer_fixed),
    FIXTURE("test_audio_content", answer_fixed),
    FIXTURE("test_embedded_resource", answer_fixed),
    FIXTURE("test_multiple_content_types", answer_fixed),
    FIXTURE("test_error_handling", answer_fixed),
    FIXTURE("test_logging_tool", answer_fixed),
    FIXTURE("test_tool_with_progress", fixture_progress),
    FIXTURE("test_tool_with_logging", fixture_logging),
    FIXTURE("test_sampling", fixture_sampling),
    FIXTURE("test_elicitation", fixture_elicitation),
    FIXTURE("test_elicitation_sep1034_defaults", fixture_elicitation),
    FIXTURE("test_elicitation_sep1330_enums", fixture_elicitation),
    FIXTURE("test_missing_capability", needs_sampling),
    FIXTURE("test_trigger_tool_change", change_tools),
    FIXTURE("test_trigger_prompt_change", change_prompts),
    FIXTURE("test_streaming_elicitation", fixture_input),
    FIXTURE("test_input_required_result_elicitation", fixture_input),
    FIXTURE("test_input_required_result_sampling", fixture_input),
    FIXTURE("test_input_required_result_list_roots", fixture_input),
    FIXTURE("test_input_required_result_request_state", fixture_input),
    FIXTURE("test_input_required_result_multiple_inputs", fixture_input),
    FIXTURE("test_input_required_result_multi_round", fixture_input),
    FIXTURE("test_input_required_result_tampered_state", fixture_input),
    FIXTURE("test_input_required_result_capabilities", fixture_input),
    { 0 },
};

static void write_embedded(struct json_out *out, const json_t *args)
{
    json_map(out, NULL);
    json_text(out, "role", "user");
    json_map(out, "content");
    json_text(out, "type", "resource");
    json_map(out, "resource");
    json_text(out, "uri", json_string_value(json_object_get(args, "resourceUri")));
    json_text(out, "mimeType", "text/plain");
    json_text(out, "text", "Embedded resource content for testing.");
    json_map_end(out);
    json_map_end(out);
    json_map_end(out);
}

static void write_image(struct json_out *out, const json_t *args)
{
    (void)args;
    json_raw(out, NULL, "{\"role\":\"user\",\"content\":" IMAGE "}");
}

static bool ask_for_prompt(struct mcp_call *call)
{
    return fixture_has_input(call, "test_input_required_result_prompt");
}

static const struct mcp_prompt prompts[] = {
    { .name = "test_simple_prompt",
      .title = "Simple",
      .help = "A simple prompt.",
      .text = "This is a simple prompt for testing." },
    { .name = "test_prompt_with_arguments",
      .title = "Arguments",
      .help = "A prompt with arguments.",
      .args = { { "arg1", "First test argument", true }, { "arg2", "Second test argument", true } },
      .text = "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'" },
    { .name = "test_prompt_with_embedded_resource",
      .title = "Resource",
      .help = "With a resource.",
      .args = { { "resourceUri", "URI of the resource to embed", true } },
      .write = write_embedded,
      .text = "Please process the embedded resource above." },
    { .name = "test_prompt_with_image",
      .title = "Image",
      .help = "With an image.",
      .write = write_image,
      .text = "Please analyze the image above." },
    { .name = "test_input_required_result_prompt",
      .title = "Input",
      .help = "Needs input.",
      .text = "The input has come.",
      .asks = ask_for_prompt },
    { 0 },
};

static const struct {
    const char *uri, *type, *member, *content;
} test_resources[] = {
    { "test://static-text", "text/plain", "text", "This is the content of the static text resource." },
    { "test://static-binary", "image/png", "blob", PIXEL },
    { "test://watched-resource", "text/plain", "text", "Watched." },
};

#define RESOURCES (sizeof(test_resources) / sizeof(test_resources[0]))

static bool has_resource(const char *uri)
{
    for (size_t i = 0; i < RESOURCES; i++)
        if (strcmp(test_resources[i].uri, uri) == 0)
            return true;
    return str_starts(uri, TEMPLATE);
}

static void write_resources(struct json_out *out, bool templates)
{
    if (templates)
        json_raw(out, NULL,
                 "{\"uriTemplate\":\"" TEMPLATE "{id}/data\",\"name\":\"template\",\"mimeType\":"
                 "\"application/json\"}");
    for (size_t i = 0; !templates && i < RESOURCES; i++) {
        json_map(out, NULL);
        json_text(out, "uri", test_resources[i].uri);
        json_text(out, "name", test_resources[i].uri + strlen("test://"));
        json_text(out, "mimeType", test_resources[i].type);
        json_map_end(out);
    }
}

static void write_templated(struct mcp_call *call, struct json_out *out, const char *uri)
{
    const char *id = uri + strlen(TEMPLATE);
    const char *text =
        arena_format(&call->arena, "{\"id\":\"%.*s\",\"templateTest\":true,\"data\":\"Data for ID: %.*s\"}",
                     (int)strcspn(id, "/\"\\"), id, (int)strcspn(id, "/\"\\"), id);

    json_map(out, NULL);
    json_text(out, "uri", uri);
    json_text(out, "mimeType", "application/json");
    json_text(out, "text", text);
    json_map_end(out);
}

static void answer_read(struct mcp_call *call)
{
    const char *uri = call_text_param(call, "uri");
    const struct err *err = &call->request.call.err;
    struct json_out out;
    struct buf result;

    if (err->code != ERR_NONE) {
        call_fail_with(call, err);
        return;
    }
    call_begin(call, &out, &result);
    call_write_ttl(call, &out, 0, false);
    json_list(&out, "contents");
    if (str_starts(uri, TEMPLATE))
        write_templated(call, &out, uri);
    for (size_t i = 0; i < RESOURCES; i++) {
        if (strcmp(test_resources[i].uri, uri) != 0)
            continue;
        json_map(&out, NULL);
        json_text(&out, "uri", uri);
        json_text(&out, "mimeType", test_resources[i].type);
        json_text(&out, test_resources[i].member, test_resources[i].content);
        json_map_end(&out);
    }
    json_list_end(&out);
    call_result(call, &out, &result);
}

const struct mcp_further mcp_fixtures = {
    .row = &row,
    .tools = tools,
    .prompts = prompts,
    .has_resource = has_resource,
    .write_resources = write_resources,
    .read = answer_read,
};
