/*
 * Markdown from the same rows as OpenAPI, in the order of the table. It is checked in, so that a change of a
 * row shows in a review as a change of what users read.
 */
#include "base/str.h"
#include "ops/event_type.h"
#include "ops/example.h"
#include "ops/openapi.h"
#include "ops/plain_path.h"
#include "ops/reach.h"

#include <string.h>

static const char *type_word(const struct field *field, enum type type)
{
    switch (type) {
    case T_TEXT:
    case T_CURSOR: return "text";
    case T_NAME: return "name";
    case T_ID: return "id";
    case T_UUID: return "uuid";
    case T_INT: return "integer";
    case T_REAL: return "number";
    case T_BOOL: return "boolean";
    case T_TIME: return "time";
    case T_ENUM: return "one of";
    case T_OBJECT: return "object";
    case T_LIST: return field->items == T_OBJECT ? "list of objects" : "list";
    case T_JSON: return "any JSON";
    case T_END: break;
    }
    return "";
}

/* In a table cell a bar would end the cell. */
static void write_cell(struct buf *into, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            buf_char(into, '\\');
        buf_char(into, *text);
    }
}

static void write_kind(const struct field *field, struct buf *into)
{
    buf_text(into, type_word(field, field->type));
    for (const char *const *value = field->values; value && *value; value++)
        buf_format(into, "%s `%s`", value == field->values ? "" : ",", *value);
    if (field->type == T_INT && (field->min || field->max))
        buf_format(into, " %lld..%lld", (long long)field->min, (long long)field->max);
    if (field->fallback)
        buf_format(into, " (default %s)", field->fallback);
    if (field->flags & F_NULL)
        buf_text(into, " or null");
}

static void write_row(const char *name, const struct field *field, const char *place, struct buf *into)
{
    buf_format(into, "| `%s`%s | %s | ", name, field->need == REQUIRED ? " *" : "", place);
    write_kind(field, into);
    buf_text(into, " | ");
    write_cell(into, field->help);
    buf_text(into, " |\n");
}

/* What is inside an object, or in each entry of a list: participants[].agentId, options.vote.rule. */
static void write_inner(const char *name, const struct field *outer, const char *place, struct buf *into)
{
    for (const struct field *field = outer->fields; field && field->type; field++) {
        ARENA_AUTO arena = { 0 };
        const char *path =
            arena_format(&arena, "%s%s.%s", name, outer->type == T_LIST ? "[]" : "", field->name);

        write_row(path, field, place, into);
        write_inner(path, field, place, into);
    }
}

static void write_params(const struct op *op, struct buf *into)
{
    static const char *const places[] = { [IN_PATH] = "path", [IN_QUERY] = "query", [IN_BODY] = "body" };

    if (!op->params[0].type && !op->waits && !op->holds)
        return;
    buf_text(into, "| parameter | in | type | |\n|---|---|---|---|\n");
    for (const struct field *field = op->params; field->type; field++) {
        const char *place = places[op_param_place(op, field)];

        write_row(field->name, field, place, into);
        write_inner(field->name, field, place, into);
    }
    if (op->waits)
        buf_format(
            into,
            "| `wait` | query | integer 0..%d | Hold the reply until it has ended, for at most this many seconds. "
            "|\n",
            WAIT_SECONDS_MAX);
    if (op->holds)
        buf_format(
            into,
            "| `wait` | query | integer 0..%d | For how many seconds the reply is held at most; %d when left out. "
            "|\n",
            WAIT_SECONDS_MAX, WAIT_SECONDS_MAX);
    buf_char(into, '\n');
}

static void write_reply(const struct field *fields, int depth, struct buf *into)
{
    for (const struct field *field = fields; field->type; field++) {
        buf_format(into, "%*s- `%s`: ", depth * 2, "", field->name);
        write_kind(field, into);
        buf_format(into, ". %s\n", field->help);
        if (field->fields && depth < 2)
            write_reply(field->fields, depth + 1, into);
    }
}

static void write_roles(unsigned needs, struct buf *into)
{
    const char *comma = "";

    if (needs & ROLE_ANYONE) {
        buf_text(into, "anyone");
        return;
    }
    for (const char *const *name = role_names; *name; name++) {
        enum role role;

        if (!role_parse(*name, &role) || !(needs & role))
            continue;
        buf_format(into, "%s%s", comma, *name);
        comma = ", ";
    }
}

static void write_operation(const struct op *op, struct buf *into)
{
    buf_format(into, "### %s\n\n`%s`", op->name, op->http);
    if (op->http_also)
        buf_format(into, " (also `%s`)", op->http_also);
    buf_format(into, "\n\n%s\n\nMay call it: ", op->help);
    write_roles(op->needs, into);
    buf_text(into, ".");
    if (*reach_sentence(op->reaches))
        buf_format(into, " %s", reach_sentence(op->reaches));
    if (op->cli)
        buf_format(into, " On the command line: `witan %s`.", op->cli);
    buf_text(into, "\n\n");
    write_params(op, into);
    buf_text(into, "```http\n");
    example_write(op, into);
    buf_text(into, "```\n\n");
    if (op->reply) {
        buf_format(into, "Answers %d", op->status ? op->status : 200);
        if (op->status_made)
            buf_format(into, " (%d when this made it)", op->status_made);
        for (const struct reply_document *document = op->documents; document && document->format; document++)
            buf_format(into, " with `%s` when format is %s,", document->type, document->format);
        buf_text(into, op->documents ? " and else with:\n\n" : " with:\n\n");
        write_reply(op->reply, 0, into);
        buf_char(into, '\n');
    }
}

static void write_plain(const struct plain_path *plain, struct buf *into)
{
    buf_format(into, "### %s\n\n`GET %s`\n\n%s%s\n\n", plain->name, plain->path, plain->help,
               plain->open ? " Needs no token." : "");
    if (plain->params[0].type)
        write_reply(plain->params, 0, into);
    buf_format(into, "%sAnswers %d", plain->params[0].type ? "\n" : "", plain->status ? plain->status : 200);
    if (plain->reply_type)
        buf_format(into, " with `%s`", plain->reply_type);
    buf_format(into, ": %s\n\n", plain->reply_help);
}

void apidoc_write(const struct op *const *ops, struct buf *into)
{
    const char *tag = "";

    buf_text(
        into,
        "# REST reference\n\n"
        "Made from the operation table by `make docs`; do not edit by hand. "
        "The same table is served as OpenAPI 3.1 at `/api/openapi.json`, and `witan call NAME key=value ...` reaches every operation.\n\n"
        "Parameters marked * are required; `a.b` is the member `b` of an object `a`, `a[].b` that of every entry of a list. "
        "Each operation shows a request: put what the path names in place of `{id}`. Errors are "
        "`{\"error\": \"a sentence\", \"code\": \"a_word\", \"field\"?, \"hint\"?}`. "
        "Every POST takes an `Idempotency-Key` header. Lists take `limit` and `cursor`. "
        "A token bound to an agent may call what the role agent may, whatever its own role.\n\n");
    for (; *ops; ops++) {
        if (strcmp((*ops)->tag, tag) != 0) {
            tag = (*ops)->tag;
            buf_format(into, "## %s\n\n", tag);
        }
        write_operation(*ops, into);
    }
    for (const struct plain_path *plain = plain_path_all(); plain->path; plain++) {
        if (strcmp(plain->tag, tag) != 0) {
            tag = plain->tag;
            buf_format(into, "## %s\n\n", tag);
        }
        write_plain(plain, into);
    }
}

static void write_event(enum event_type type, const struct event_spec *spec, struct buf *into)
{
    buf_format(into, "### %s\n\n%s Heard by: ", event_type_word(type), spec->help);
    write_roles(spec->hears, into);
    buf_text(into, spec->word   ? ". Not in the log: it has no number and no `workspaceId`.\n\n"
                   : spec->live ? ". Not in the log: it has no number and does not come again.\n\n"
                                : ".\n\n");
    write_reply(spec->fields, 0, into);
    buf_char(into, '\n');
}

void eventdoc_write(struct buf *into)
{
    const char *tag = "";

    buf_text(
        into,
        "# Events\n\n"
        "Made from the table of events by `make docs`; do not edit by hand. "
        "The same table is served as AsyncAPI 3 at `/api/asyncapi.json`.\n\n"
        "They come over `GET /api/events`, `GET /api/jobs/{id}/stream` and `GET /api/discussions/{id}/stream` (server-sent events; `id:` is the number in the log) and over `/ws` (one text message each, with the number as `seq`). "
        "Come back with the last number you saw, as `Last-Event-ID` or `?after=`, and you miss nothing and see nothing twice. "
        "`types=a,b` hears these types only; `projectId`, `jobId` and `discussionId` narrow it further.\n\n"
        "A stream hears of what its caller could list, and of nothing else. "
        "What stands in an inbox is heard by those who can read that inbox. "
        "A token that is bound to a project hears what is about it, and of what is about none the squad's talk.\n\n"
        "Beside its own members, every event has:\n\n");
    write_reply(event_fields, 0, into);
    buf_char(into, '\n');
    for (enum event_type type = 1; type < EVENT_TYPE_END; type++) {
        const struct event_spec *spec = event_type_spec(type);

        if (strcmp(spec->tag, tag) != 0) {
            tag = spec->tag;
            buf_format(into, "## %s\n\n", tag);
        }
        write_event(type, spec, into);
    }
}
