#include "core/questions/response.h"
#include "core/questions/template.h"
#include "gen/nouns/template_fields.h"
#include "ops/identity.h"
#include "ops/question_fields.h"
#include "ops/tables.h"

#include <string.h>

#define LIST_NAME "templates"

static const char *const sources[] = { "personas", "integrations", NULL };

/* The members of a definition, in the order in which they are shown. */
#define DEFINITION \
    { "question", T_TEXT, OPTIONAL, "What is asked.", .min = 1, .max = LIMIT_MESSAGE }, \
        { "type", T_ENUM, OPTIONAL, "How it weighs on its job.", .values = question_types }, \
        { "responseType", T_ENUM, OPTIONAL, "What an answer looks like.", .values = response_types }, \
        { "options", \
          T_LIST, \
          OPTIONAL, \
          "What to choose from.", \
          .items = T_OBJECT, \
          .fields = option_fields, \
          .form = OPTION_FORM, \
          .max = LIMIT_OPTIONS }, \
        { "optionsFrom", T_ENUM, OPTIONAL, "Take the options from the workspace's settings when asked.", \
          .values = sources }, \
        { "context",      T_OBJECT, OPTIONAL, "What there is to know about it.", .max = LIMIT_CONTEXT, \
          .flags = F_OPEN }, \
        { "timeoutMinutes", T_REAL, OPTIONAL, "Minutes until the deadline." }, \
        { "defaultResponse",         T_OBJECT,       OPTIONAL, "The answer when nobody gives one in time.", \
          .fields = response_fields, .flags = F_OPEN }, \
        { "allowOther", T_BOOL, OPTIONAL, "A choice may be answered in one's own words." }, \
        { "requiredRole", T_ENUM, OPTIONAL, "The least role that may answer.", .values = answering_roles }, \
    { \
        "requiredApprovals", T_INT, OPTIONAL, "How many different people must approve.", \
            .min = 1, .max = QUESTION_APPROVALS_MAX \
    }

static const struct field definition_fields[] = { DEFINITION, { 0 } };

static const struct field template_fields[] = { TEMPLATE_FIELDS, DEFINITION, { 0 } };

static const struct field list_reply[] = {
    { "templates", T_LIST, REQUIRED, "The built-in ones first, then the workspace's own, newest first.",
      .items = T_OBJECT, .fields = template_fields },
    PAGE_REPLY,
    { 0 },
};

static bool write_template(struct call *call, const struct template *template)
{
    struct json_out *out = &call->out;
    JSON_AUTO *definition = NULL;
    const char *key;
    json_t *value;

    if (!json_parse(template->definition, strlen(template->definition), &definition, &call->err))
        return false;
    json_map(out, NULL);
    template_write_members(template, out);
    json_object_foreach(definition, key, value)
    {
        json_value(out, key, value);
    }
    json_map_end(out);
    return true;
}

static void write_member(const struct call *call, const struct field *field, struct json_out *out)
{
    const struct arg *given = arg(call, field->name);

    switch (field->type) {
    case T_INT: json_int(out, field->name, given->number); break;
    case T_REAL: json_double(out, field->name, given->real); break;
    case T_BOOL: json_bool(out, field->name, given->number != 0); break;
    case T_OBJECT:
    case T_LIST: json_raw(out, field->name, response_clean(call->tx.arena, given->json)); break;
    default: json_text(out, field->name, given->text); break;
    }
}

/* What was given, over what was there before. */
static bool definition_of(struct call *call, const char *before, const char **definition)
{
    BUF_AUTO text = { 0 };
    struct json_out out;
    JSON_AUTO *old = NULL;
    const char *key, *checked;
    json_t *value;

    if (!json_parse(before, strlen(before), &old, &call->err) ||
        !response_options(call->tx.arena, arg_json(call, "options"), "options", &checked, &call->err))
        return false;
    json_begin(&out, &text);
    json_map(&out, NULL);
    for (const struct field *field = definition_fields; field->type; field++) {
        if (!arg_given(call, field->name))
            continue;
        write_member(call, field, &out);
        json_object_del(old, field->name);
    }
    json_object_foreach(old, key, value)
    {
        json_value(&out, key, value);
    }
    json_map_end(&out);
    if (text.len > LIMIT_TEMPLATE)
        return err_set(&call->err, ERR_INVALID, "The template is too large: at most %d bytes.",
                       LIMIT_TEMPLATE);
    *definition = arena_copy(call->tx.arena, text.bytes, text.len);
    return true;
}

static bool run_template_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, own, shown;
    struct template *templates;
    const char *after;

    if (!identity_page(call, LIST_NAME, &after) ||
        !template_list(&call->tx, call->caller.workspace_id, after, limit + 1, &templates, &count))
        return false;
    own = 0;
    for (shown = 0; shown < count && own < limit + 1; shown++)
        own += !templates[shown].built_in;
    if (own > limit)
        shown--;
    json_map(&call->out, NULL);
    json_list(&call->out, "templates");
    for (size_t i = 0; i < shown; i++)
        if (!write_template(call, &templates[i]))
            return false;
    json_list_end(&call->out);
    identity_write_next(call, LIST_NAME, own > limit, shown ? templates[shown - 1].created_ms : 0,
                        shown ? templates[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

static bool run_template_create(struct call *call)
{
    struct template template = { .workspace_id = call->caller.workspace_id, .name = arg_text(call, "name") };

    if (!definition_of(call, "{}", &template.definition) || !template_create(&call->tx, &template))
        return false;
    call->subject = template.id;
    return write_template(call, &template);
}

static bool run_template_get(struct call *call)
{
    struct template template;

    return template_get(&call->tx, call->caller.workspace_id, arg_text(call, "id"), &template) &&
           write_template(call, &template);
}

static bool run_template_update(struct call *call)
{
    const char *workspace_id = call->caller.workspace_id, *id = arg_text(call, "id"), *definition;
    struct template template;

    return template_get(&call->tx, workspace_id, id, &template) &&
           definition_of(call, template.definition, &definition) &&
           template_update(&call->tx, workspace_id, id, arg_text(call, "name"), definition, &template) &&
           write_template(call, &template);
}

static bool run_template_delete(struct call *call)
{
    return template_delete(&call->tx, call->caller.workspace_id, arg_text(call, "id"));
}

#define ID_PARAM \
    { \
        "id", T_ID, REQUIRED, "The template: its id or name." \
    }

const struct op template_ops[] = {
    {
        .name = "template_list",
        .cli = "template list",
        .http = "GET /api/templates",
        .tag = TAG_QUESTIONS,
        .help = "List the question templates: the built-in ones and the workspace's own.",
        .needs = ROLES_READ,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .run = run_template_list,
        .reply = list_reply,
        .params = { PAGE_PARAMS },
    },
    {
        .name = "template_create",
        .cli = "template add",
        .http = "POST /api/templates",
        .tag = TAG_QUESTIONS,
        .help = "Make a question template. One with the name of a built-in one takes its place.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_template_create,
        .example = "{\"name\": \"release\", \"question\": \"Release this version?\", \"type\": \"approval\", "
                   "\"responseType\": \"approval\", \"timeoutMinutes\": 60, \"requiredApprovals\": 2}",
        .reply = template_fields,
        .params = { { "name", T_NAME, REQUIRED, "The name by which to ask with it." }, DEFINITION },
    },
    {
        .name = "template_get",
        .cli = "template show",
        .http = "GET /api/templates/{id}",
        .tag = TAG_QUESTIONS,
        .help = "Show a question template.",
        .needs = ROLES_READ,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .quick = true,
        .run = run_template_get,
        .reply = template_fields,
        .params = { ID_PARAM },
    },
    {
        .name = "template_update",
        .cli = "template set",
        .http = "PATCH /api/templates/{id}",
        .tag = TAG_QUESTIONS,
        .help = "Change a question template of the workspace. What is not given stays.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .run = run_template_update,
        .example = "{\"options\": [{\"label\": \"Frankfurt\", \"value\": \"eu\"}, {\"label\": \"Oregon\", "
                   "\"value\": \"us\"}], \"responseType\": \"choice\"}",
        .reply = template_fields,
        .params = { ID_PARAM, { "name", T_NAME, OPTIONAL, "Its new name." }, DEFINITION },
    },
    {
        .name = "template_delete",
        .cli = "template remove",
        .http = "DELETE /api/templates/{id}",
        .tag = TAG_QUESTIONS,
        .help = "Delete a question template of the workspace.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_template_delete,
        .params = { ID_PARAM },
    },
    { 0 },
};
