/*
 * A table of addresses with the row that each reads. Reading is running that operation, with its rights, and
 * putting its reply into the answer as text.
 */
#include "edge/mcp/resources.h"

#include "base/limits.h"
#include "base/str.h"
#include "edge/mcp/further.h"
#include "edge/mcp/methods.h"

#include <string.h>

static const struct resource resources[] = {
    { "witan://inbox", "inbox", "Your inbox", "Mentions and notices for you, newest first.",
      "notification_list", true, REACH_INBOX },
    { "witan://questions/{id}", "question", "A question to people",
      "What was asked, its state, and the answer.", "question_get", false, 0 },
    { "witan://prompts/{id}", "prompt", "A prompt to the squad",
      "What was asked of the agents, with replies.", "prompt_get", false, 0 },
    { "witan://discussions/{id}/transcript", "transcript", "A discussion's transcript",
      "What was said, as people read it.", "discussion_transcript", false, 0 },
    { "witan://jobs/{id}/log", "job-log", "A job's log", "Its lines, progress, questions and answers.",
      "job_logs", true, 0 },
    { 0 },
};

static bool is_template(const struct resource *resource)
{
    return strchr(resource->uri, '{') != NULL;
}

/* The id ends where what follows it in the template begins. */
static bool matches(struct arena *arena, const char *template, const char *uri, const char **id)
{
    const char *hole = strchr(template, '{'), *rest = hole ? strchr(hole, '}') + 1 : NULL;
    size_t before = hole ? (size_t)(hole - template) : 0, len = strlen(uri);

    *id = NULL;
    if (!hole)
        return strcmp(template, uri) == 0;
    if (strncmp(template, uri, before) != 0 || len <= before + strlen(rest) ||
        strcmp(uri + len - strlen(rest), rest) != 0)
        return false;
    *id = arena_copy(arena, uri + before, len - before - strlen(rest));
    return !strchr(*id, '/');
}

const struct resource *resources_all(void)
{
    return resources;
}

const struct resource *resource_find(struct arena *arena, const char *uri, const char **id)
{
    for (const struct resource *resource = resources; resource->uri; resource++)
        if (matches(arena, resource->uri, uri, id))
            return resource;
    return NULL;
}

/* Without the charset: text is always UTF-8 here. */
static void write_type(struct json_out *out, const struct reply_document *document)
{
    const char *type = document ? document->type : "application/json";

    json_text_len(out, "mimeType", type, strcspn(type, ";"));
}

static void write_resource(struct json_out *out, const struct resource *resource)
{
    json_map(out, NULL);
    json_text(out, is_template(resource) ? "uriTemplate" : "uri", resource->uri);
    json_text(out, "name", resource->name);
    json_text(out, "title", resource->title);
    json_text(out, "description", resource->help);
    write_type(out, op_find(resource->row)->documents);
    json_map_end(out);
}

static void list(struct mcp_call *call, const char *member, bool templates)
{
    struct json_out out;
    struct buf result;

    call_begin(call, &out, &result);
    call_write_ttl(call, &out, 60000, true);
    json_list(&out, member);
    if (mcp_further())
        mcp_further()->write_resources(&out, templates);
    for (const struct resource *resource = resources; resource->uri; resource++)
        if (is_template(resource) == templates)
            write_resource(&out, resource);
    json_list_end(&out);
    call_result(call, &out, &result);
}

void resources_list(struct mcp_call *call)
{
    list(call, "resources", false);
}

void resources_templates(struct mcp_call *call)
{
    list(call, "resourceTemplates", true);
}

void resource_missing(struct mcp_call *call, const char *uri)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "uri", uri);
    json_map_end(&out);
    rpc_fail(&call->error, call->client.era == MCP_STATELESS ? RPC_INVALID_PARAMS : MCP_RESOURCE_NOT_FOUND,
             400, "There is no resource at this address.");
    call->error.data = arena_copy(&call->arena, data.bytes, data.len);
    call_fail(call);
}

static void answer_read(struct mcp_call *call)
{
    const struct err *err = &call->request.call.err;
    const char *uri = call_text_param(call, "uri");
    struct json_out out;
    struct buf result;

    if (err->code == ERR_NOT_FOUND) {
        resource_missing(call, uri);
        return;
    }
    if (err->code != ERR_NONE) {
        call_fail_with(call, err);
        return;
    }
    call_begin(call, &out, &result);
    call_write_ttl(call, &out, 0, false);
    json_list(&out, "contents");
    json_map(&out, NULL);
    json_text(&out, "uri", uri);
    write_type(&out, op_document(&call->request.call));
    json_text_len(&out, "text", call->request.reply.bytes, call->request.reply.len);
    json_map_end(&out);
    json_list_end(&out);
    call_result(call, &out, &result);
}

void resource_run(struct mcp_call *call, const struct resource *resource, const char *id,
                  void (*then)(struct mcp_call *call))
{
    call->own_args = json_object();
    if (id)
        json_object_set_new(call->own_args, "id", json_string(id));
    if (resource->pages)
        json_object_set_new(call->own_args, "limit", json_integer(LIMIT_PAGE));
    call_run(call, op_find(resource->row), call->own_args, then);
}

void resources_read(struct mcp_call *call)
{
    const char *uri = call_text_param(call, "uri"), *id;
    const struct resource *resource = uri ? resource_find(&call->arena, uri, &id) : NULL;

    if (!uri)
        call_fail(call);
    else if (resource)
        resource_run(call, resource, id, answer_read);
    else if (mcp_further_resource(uri))
        call_run(call, mcp_further_resource(uri), NULL, mcp_further()->read);
    else
        resource_missing(call, uri);
}
