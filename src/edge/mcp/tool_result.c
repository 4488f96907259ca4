/*
 * What fails in the operation is a result with isError, so that the model reads it and can do better; its
 * text is the error as REST would send it.
 */
#include "edge/mcp/tool_result.h"

#include "base/str.h"

#include <string.h>

#define POLL_AFTER_MS 1000

static void write_content(struct json_out *out, const char *text, size_t len)
{
    json_list(out, "content");
    json_map(out, NULL);
    json_text(out, "type", "text");
    json_text_len(out, "text", text, len);
    json_map_end(out);
    json_list_end(out);
}

/* Who is not known, or comes too often, is told so by the protocol: no model can do anything about it. */
void tool_answer_error(struct mcp_call *call, const struct err *err)
{
    BUF_AUTO text = { 0 };
    struct json_out out;
    struct buf result;

    if (err->code == ERR_UNAUTHORIZED || err->code == ERR_RATE_LIMITED) {
        call_fail_with(call, err);
        return;
    }
    dispatch_write_error(err, &text);
    call_begin(call, &out, &result);
    write_content(&out, text.bytes, text.len);
    json_bool(&out, "isError", true);
    call_result(call, &out, &result);
}

/* The reply's members between what was made before and whether it is pending. */
static void write_structured(struct mcp_call *call, const char *made, bool pending, struct buf *into)
{
    const struct mcp_tool *tool = call->tool;
    const struct buf *reply = &call->request.reply;
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    if (made && tool->unless)
        json_text(&out, tool->made, made);
    if (reply->len > 2) {
        if (out.comma)
            buf_char(into, ',');
        buf_add(into, reply->bytes + 1, reply->len - 2);
        out.comma = true;
    }
    if (tool_waits(tool))
        json_bool(&out, "pending", pending);
    if (pending) {
        const char *id = made ? made : json_string_value(json_object_get(call->args, "id"));

        json_int(&out, "poll_after_ms", POLL_AFTER_MS);
        json_text(
            &out, "next",
            tool->go_on || !made
                ? arena_format(&call->arena,
                               "Nobody has answered yet. Call %s with {\"id\": \"%s\"} to go on waiting.",
                               tool->go_on ? tool->go_on : tool->name, id)
                : "It has not been decided yet. Do not go on with it; ask again later.");
    }
    json_map_end(&out);
}

/* A structured result is an object: the document stands in it beside its format. */
void tool_shape_document(struct mcp_call *call, bool pending, struct buf *into)
{
    const struct buf *reply = &call->request.reply;
    struct json_out out;

    (void)pending;
    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "format", arg_text(&call->request.call, "format"));
    if (op_document(&call->request.call))
        json_text_len(&out, "transcript", reply->bytes, reply->len);
    else
        json_raw(&out, "transcript", reply->bytes);
    json_map_end(&out);
}

/* What came of a task says of which. */
static void write_related(const struct mcp_call *call, struct json_out *out)
{
    if (!call->task_id || call->client.era == MCP_STATELESS)
        return;
    json_map(out, "_meta");
    json_map(out, "io.modelcontextprotocol/related-task");
    json_text(out, "taskId", call->task_id);
    json_map_end(out);
    json_map_end(out);
}

void tool_write_result(struct mcp_call *call, const char *made, bool pending, struct json_out *out)
{
    BUF_AUTO structured = { 0 };

    if (call->tool->shape)
        call->tool->shape(call, pending, &structured);
    else
        write_structured(call, made, pending, &structured);
    write_content(out, structured.bytes, structured.len);
    if (!call->tool->shape || call->tool->output)
        json_raw(out, "structuredContent", structured.bytes);
    write_related(call, out);
}

void tool_answer(struct mcp_call *call, const char *made, bool pending)
{
    struct json_out out;
    struct buf result;

    call_begin(call, &out, &result);
    tool_write_result(call, made, pending, &out);
    call_result(call, &out, &result);
}
