/*
 * Written straight to the buffer, without a tree, when the server starts. Paths are collected by walking the
 * table for each new path, which is slow and happens once.
 */
#include "ops/openapi.h"

#include "base/str.h"
#include "ops/example.h"
#include "ops/plain_path.h"
#include "ops/reach.h"
#include "ops/schema.h"

#include <stdio.h>
#include <string.h>

static void write_wait_parameter(struct json_out *out)
{
    static const struct field wait = {
        "wait",   T_INT,
        OPTIONAL, "Hold the reply until it has ended, for at most this many seconds.",
        .min = 0, .max = WAIT_SECONDS_MAX
    };

    json_map(out, NULL);
    json_text(out, "name", wait.name);
    json_text(out, "in", "query");
    json_text(out, "description", wait.help);
    schema_write(out, "schema", &wait, wait.type, SCHEMA_QUERY);
    json_map_end(out);
}

static void write_key_parameter(struct json_out *out)
{
    json_map(out, NULL);
    json_raw(out, "$ref", "\"#/components/parameters/IdempotencyKey\"");
    json_map_end(out);
}

static void write_parameters(struct json_out *out, const struct op *op, const json_t *example)
{
    json_list(out, "parameters");
    for (const struct field *field = op->params; field->type; field++) {
        enum param_place place = op_param_place(op, field);
        struct field plain = *field;

        if (place == IN_BODY)
            continue;
        plain.help = "";
        plain.flags = 0;
        json_map(out, NULL);
        json_text(out, "name", field->name);
        json_text(out, "in", place == IN_PATH ? "path" : "query");
        if (place == IN_PATH || field->need == REQUIRED)
            json_bool(out, "required", true);
        json_text(out, "description", field->help);
        schema_write(out, "schema", &plain, plain.type, SCHEMA_QUERY);
        if (json_object_get(example, field->name))
            json_value(out, "example", json_object_get(example, field->name));
        json_map_end(out);
    }
    if (op->waits || op->holds)
        write_wait_parameter(out);
    if (str_starts(op->http, "POST "))
        write_key_parameter(out);
    json_list_end(out);
}

static void write_body(struct json_out *out, const struct op *op, const json_t *example)
{
    struct field body[LIMIT_PARAMS + 1] = { 0 };
    size_t count = 0;
    bool required = false;

    for (const struct field *field = op->params; field->type; field++) {
        if (op_param_place(op, field) != IN_BODY)
            continue;
        body[count] = *field;
        required |= field->need == REQUIRED;
        count++;
    }
    if (count == 0)
        return;
    json_map(out, "requestBody");
    json_bool(out, "required", required);
    json_map(out, "content");
    json_map(out, "application/json");
    json_map(out, "schema");
    json_text(out, "type", "object");
    schema_write_members(out, body, SCHEMA_BODY);
    json_map_end(out);
    if (op->example)
        json_value(out, "example", example);
    json_map_end(out);
    json_map_end(out);
    json_map_end(out);
}

static void write_documents(struct json_out *out, const struct op *op)
{
    for (const struct reply_document *document = op->documents; document && document->format; document++) {
        char type[64];

        snprintf(type, sizeof(type), "%.*s", (int)strcspn(document->type, ";"), document->type);
        json_raw(out, type, "{\"schema\":{\"type\":\"string\"}}");
    }
}

static void write_reply(struct json_out *out, const struct op *op, int status)
{
    char key[8];

    snprintf(key, sizeof(key), "%d", status);
    json_map(out, key);
    json_text(out, "description", status == 201 ? "Made." : "Done.");
    if (op->reply || op->reply_type) {
        json_map(out, "content");
        json_map(out, op->reply_type ? op->reply_type : "application/json");
        json_map(out, "schema");
        json_text(out, "type", op->reply ? "object" : "string");
        if (op->reply)
            schema_write_members(out, op->reply, SCHEMA_REPLY);
        json_map_end(out);
        json_map_end(out);
        write_documents(out, op);
        json_map_end(out);
    }
    json_map_end(out);
}

static void write_operation(struct json_out *out, const struct op *op, const char *key, bool second)
{
    JSON_AUTO *example = example_parse(op);

    json_map(out, key);
    if (second) {
        BUF_AUTO id = { 0 };

        buf_init(&id, 0);
        buf_format(&id, "%s_also", op->name);
        json_text(out, "operationId", id.bytes);
    } else {
        json_text(out, "operationId", op->name);
    }
    json_list(out, "tags");
    json_text(out, NULL, op->tag);
    json_list_end(out);
    json_text(out, "summary", op->help);
    json_text(out, "x-reaches", reach_name(op->reaches));
    if (op->needs & ROLE_ANYONE) {
        json_list(out, "security");
        json_list_end(out);
    }
    write_parameters(out, op, example);
    write_body(out, op, example);
    json_map(out, "responses");
    write_reply(out, op, op->status ? op->status : 200);
    if (op->status_made)
        write_reply(out, op, op->status_made);
    json_raw(out, "4XX", "{\"$ref\":\"#/components/responses/Error\"}");
    json_raw(out, "5XX", "{\"$ref\":\"#/components/responses/Error\"}");
    json_map_end(out);
    json_map_end(out);
}

static const char *http_path_of(const char *http)
{
    return strchr(http, ' ') + 1;
}

static bool seen_before(const struct op *const *ops, const struct op *const *until, const char *path)
{
    for (; ops != until; ops++)
        if (strcmp(op_path(*ops), path) == 0)
            return true;
    return false;
}

static void write_path(struct json_out *out, const struct op *const *from, const char *path)
{
    json_map(out, path);
    for (const struct op *const *op = from; *op; op++) {
        char method[8] = "";

        if (strcmp(op_path(*op), path) != 0)
            continue;
        for (size_t i = 0; i + 1 < sizeof(method) && (*op)->http[i] != ' '; i++)
            method[i] = (char)((*op)->http[i] | 0x20);
        write_operation(out, *op, method, false);
    }
    json_map_end(out);
}

static void write_second_paths(struct json_out *out, const struct op *const *ops)
{
    for (; *ops; ops++) {
        char method[8] = "";

        if (!(*ops)->http_also)
            continue;
        for (size_t i = 0; i + 1 < sizeof(method) && (*ops)->http_also[i] != ' '; i++)
            method[i] = (char)((*ops)->http_also[i] | 0x20);
        json_map(out, http_path_of((*ops)->http_also));
        write_operation(out, *ops, method, true);
        json_map_end(out);
    }
}

static void write_plain_parameters(struct json_out *out, const struct plain_path *plain)
{
    json_list(out, "parameters");
    for (const struct field *field = plain->params; field->type; field++) {
        json_map(out, NULL);
        json_text(out, "name", field->name);
        json_text(out, "in", field->need == REQUIRED ? "path" : "query");
        if (field->need == REQUIRED)
            json_bool(out, "required", true);
        schema_write(out, "schema", field, field->type, SCHEMA_QUERY);
        json_map_end(out);
    }
    json_list_end(out);
}

static void write_plain_path(struct json_out *out, const struct plain_path *plain)
{
    char status[8];

    snprintf(status, sizeof(status), "%d", plain->status ? plain->status : 200);
    json_map(out, plain->path);
    json_map(out, "get");
    json_text(out, "operationId", plain->name);
    json_list(out, "tags");
    json_text(out, NULL, plain->tag);
    json_list_end(out);
    json_text(out, "summary", plain->help);
    if (plain->open) {
        json_list(out, "security");
        json_list_end(out);
    }
    write_plain_parameters(out, plain);
    json_map(out, "responses");
    json_map(out, status);
    json_text(out, "description", plain->reply_help);
    if (plain->reply_type) {
        json_map(out, "content");
        json_raw(out, plain->reply_type, "{\"schema\":{}}");
        json_map_end(out);
    }
    json_map_end(out);
    json_raw(out, "4XX", "{\"$ref\":\"#/components/responses/Error\"}");
    json_raw(out, "5XX", "{\"$ref\":\"#/components/responses/Error\"}");
    json_map_end(out);
    json_map_end(out);
    json_map_end(out);
}

/* What each heading is about. One that is missing here fails the lint of the description. */
static const char *tag_help(const char *tag)
{
    static const struct {
        const char *tag, *help;
    } known[] = {
        { "Jobs", "Runs of agents that report, wait and go on." },
        { "Questions to people", "Agents ask people, and wait for the answer." },
        { "Discussion prompts", "Agents ask the other agents before they act." },
        { "Agents", "Who can take part in discussions, and which model speaks for them." },
        { "Discussions", "Agents and people speak in turn, vote, and come to a result." },
        { "Wordings", "What models are told in discussions, and in whose words." },
        { "Search", "Finding things by the words in them." },
        { "Squad chat", "What agents and people say to each other." },
        { "Projects and tasks", "Work, what it depends on, and who does it." },
        { "Feedback, PRD and plans", "The texts that agents work from." },
        { "Results", "What agents hand in." },
        { "Open questions", "Questions found in what agents printed." },
        { "Decisions", "What agents may decide alone, and what needs a person." },
        { "Notifications", "The inboxes of people and agents." },
        { "People, tokens and workspaces", "Who may call, and where." },
        { "Rehearsal", "A show with scripted agents, in a workspace of its own." },
        { "Audit", "Who did what, when and from where." },
        { "Analytics", "How questions are answered." },
        { "Streams", "Hearing of it as it happens." },
        { "Health", "Whether it runs, and how." },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].tag, tag) == 0)
            return known[i].help;
    return NULL;
}

static void write_tag(struct json_out *out, const char *tag, const char **last)
{
    if (strcmp(tag, *last) == 0)
        return;
    *last = tag;
    json_map(out, NULL);
    json_text(out, "name", tag);
    if (tag_help(tag))
        json_text(out, "description", tag_help(tag));
    json_map_end(out);
}

static void write_tags(struct json_out *out, const struct op *const *ops)
{
    const char *last = "";

    json_list(out, "tags");
    for (; *ops; ops++)
        write_tag(out, (*ops)->tag, &last);
    for (const struct plain_path *plain = plain_path_all(); plain->path; plain++)
        write_tag(out, plain->tag, &last);
    json_list_end(out);
}

static const char components[] =
    "{\"securitySchemes\":{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
    "\"session\":{\"type\":\"apiKey\",\"in\":\"cookie\",\"name\":\"witan_session\"}},"
    "\"parameters\":{\"IdempotencyKey\":{\"name\":\"Idempotency-Key\",\"in\":\"header\","
    "\"description\":\"A repeat with the same key and body gets the first reply again.\","
    "\"schema\":{\"type\":\"string\",\"maxLength\":255}}},"
    "\"responses\":{\"Error\":{\"description\":\"What went wrong, for people and for machines.\","
    "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/Error\"}}}}},"
    "\"schemas\":{\"Error\":{\"type\":\"object\",\"required\":[\"error\",\"code\"],\"properties\":{"
    "\"error\":{\"type\":\"string\",\"description\":\"One sentence for people.\"},"
    "\"code\":{\"type\":\"string\",\"description\":\"One word for machines.\"},"
    "\"field\":{\"type\":\"string\",\"description\":\"The field that was wrong.\"},"
    "\"hint\":{\"type\":\"string\",\"description\":\"What to do about it.\"}}}}}";

void openapi_write(const struct op *const *ops, const char *version, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "openapi", "3.1.0");
    json_map(&out, "info");
    json_text(&out, "title", "witan");
    json_text(&out, "version", version);
    json_text(&out, "description", "Agents confer with each other and with people.");
    json_raw(&out, "license", "{\"name\":\"MIT\",\"identifier\":\"MIT\"}");
    json_map_end(&out);
    json_raw(&out, "servers", "[{\"url\":\"/\"}]");
    /* Three ways to call: a token, a login, or neither in solo mode. */
    json_raw(&out, "security", "[{\"token\":[]},{\"session\":[]},{}]");
    write_tags(&out, ops);
    json_map(&out, "paths");
    for (const struct op *const *op = ops; *op; op++)
        if (!seen_before(ops, op, op_path(*op)))
            write_path(&out, op, op_path(*op));
    write_second_paths(&out, ops);
    for (const struct plain_path *plain = plain_path_all(); plain->path; plain++)
        write_plain_path(&out, plain);
    json_map_end(&out);
    json_raw(&out, "components", components);
    json_map_end(&out);
}
