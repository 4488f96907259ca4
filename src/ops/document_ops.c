/*
 * Sections of the PRD and plans are one thing under two names: the handlers are written once and told which
 * (struct kind).
 */
#include "core/work/brief.h"
#include "core/work/document.h"
#include "gen/nouns/feedback_fields.h"
#include "ops/fields.h"
#include "ops/identity.h"
#include "ops/project.h"
#include "ops/tables.h"

#include <string.h>

#define TAG_SOURCES "Feedback, PRD and plans"

static const char *const feedback_statuses[] = { "new", "waiting", "handled", NULL };

const struct field feedback_fields[] = { FEEDBACK_FIELDS, { 0 } };

static const struct field feedback_list_reply[] = {
    { "feedback", T_LIST, REQUIRED, "Newest first.", .items = T_OBJECT, .fields = feedback_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field version_fields[] = {
    { "version", T_INT, REQUIRED, "1, 2, 3 ..." },
    { "author", T_TEXT, REQUIRED, "Who wrote it." },
    { "createdAt", T_TIME, REQUIRED, "When." },
    { 0 },
};

#define DOCUMENT_FIELDS(key) \
    { key, T_ID, REQUIRED, "Its id." }, { "projectId", T_UUID, REQUIRED, "Its project." }, \
        { "version", T_INT, REQUIRED, "The version shown." }, \
        { "author", T_TEXT, REQUIRED, "Who wrote this version." }, \
    { \
        "createdAt", T_TIME, REQUIRED, "When this version was written." \
    }
#define WHOLE_FIELDS \
    { "text", T_TEXT, REQUIRED, "The text of this version." }, \
    { \
        "history", T_LIST, REQUIRED, "The last versions, newest first.", .items = T_OBJECT, \
                                                                         .fields = version_fields \
    }

static const struct field section_fields[] = { DOCUMENT_FIELDS("sectionKey"), { 0 } };
static const struct field section_reply[] = { DOCUMENT_FIELDS("sectionKey"), WHOLE_FIELDS, { 0 } };
static const struct field plan_fields[] = { DOCUMENT_FIELDS("planId"), { 0 } };
static const struct field plan_reply[] = { DOCUMENT_FIELDS("planId"), WHOLE_FIELDS, { 0 } };

static const struct field section_list_reply[] = {
    { "sections", T_LIST, REQUIRED, "By key, without their texts.", .items = T_OBJECT,
      .fields = section_fields },
    { "nextCursor", T_TEXT, REQUIRED, "Always null: all of them are here.", .flags = F_NULL },
    { 0 },
};

static const struct field plan_list_reply[] = {
    { "plans", T_LIST, REQUIRED, "By id, without their texts.", .items = T_OBJECT, .fields = plan_fields },
    { "nextCursor", T_TEXT, REQUIRED, "Always null: all of them are here.", .flags = F_NULL },
    { 0 },
};

static bool run_feedback_create(struct call *call)
{
    struct feedback feedback = { .text = arg_text(call, "text") };
    struct project project;

    if (!project_of(call, &project) || !feedback_create(&call->tx, &project, author_of(call), &feedback))
        return false;
    call->subject = feedback.id;
    feedback_write(&feedback, NULL, &call->out);
    return true;
}

static bool run_feedback_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct feedback *feedback;
    struct project project;
    const char *after;

    if (!project_of(call, &project) || !identity_page(call, "feedback", &after) ||
        !feedback_list(&call->tx, &project, after, limit + 1, &feedback, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "feedback");
    for (size_t i = 0; i < shown; i++)
        feedback_write(&feedback[i], NULL, &call->out);
    json_list_end(&call->out);
    identity_write_next(call, "feedback", count > shown, shown ? feedback[shown - 1].created_ms : 0,
                        shown ? feedback[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

static bool feedback_of(struct call *call, struct project *project, struct feedback *feedback)
{
    const char *id;

    return project_of_thing(call, "fid", project, &id) && feedback_get(&call->tx, project, id, feedback);
}

static bool run_feedback_get(struct call *call)
{
    struct project project;
    struct feedback feedback;

    if (!feedback_of(call, &project, &feedback))
        return false;
    feedback_write(&feedback, NULL, &call->out);
    return true;
}

static bool run_feedback_context(struct call *call)
{
    struct project project;
    struct feedback feedback;

    return feedback_of(call, &project, &feedback) &&
           brief_write(&call->tx, &project,
                       &(struct brief_subject){
                           .source = SOURCE_EVAL,
                           .source_id = feedback.id,
                           .title = arena_format(call->tx.arena, "Feedback of %s", feedback.author),
                           .text = feedback.text },
                       &call->out);
}

/* Sections and plans are the same thing under two names. */
struct kind {
    enum work_source source;
    const char *key, *plural;
};

static const struct kind prd = { SOURCE_PRD, "sectionKey", "sections" };
static const struct kind plan = { SOURCE_PLAN, "planId", "plans" };

static void write_document(struct call *call, const struct kind *kind, const struct project *project,
                           const struct document *document)
{
    json_text(&call->out, kind->key, document->source_id);
    json_text(&call->out, "projectId", project->id);
    json_int(&call->out, "version", document->version);
    json_text(&call->out, "author", document->author);
    json_time(&call->out, "createdAt", document->created_ms);
}

static bool reply_document(struct call *call, const struct kind *kind, const struct project *project,
                           const struct document *document)
{
    struct document *versions;
    size_t count;

    if (!document_history(&call->tx, project, kind->source, document->source_id, &versions, &count))
        return false;
    json_map(&call->out, NULL);
    write_document(call, kind, project, document);
    json_text(&call->out, "text", document->text);
    json_list(&call->out, "history");
    for (size_t i = 0; i < count; i++) {
        json_map(&call->out, NULL);
        json_int(&call->out, "version", versions[i].version);
        json_text(&call->out, "author", versions[i].author);
        json_time(&call->out, "createdAt", versions[i].created_ms);
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    json_map_end(&call->out);
    return true;
}

static bool get_document(struct call *call, const struct kind *kind)
{
    struct project project;
    struct document document;
    const char *id;

    return project_of_thing(call, kind->key, &project, &id) &&
           document_get(&call->tx, &project, kind->source, id, arg_int(call, "version"), &document) &&
           reply_document(call, kind, &project, &document);
}

static bool put_document(struct call *call, const struct kind *kind)
{
    struct document document = { .source = kind->source,
                                 .author = author_of(call),
                                 .text = arg_text(call, "text") };
    struct project project;
    bool is_first;

    if (!project_of_thing(call, kind->key, &project, &document.source_id) ||
        !project_lock(&call->tx, &project) || !document_put(&call->tx, &project, &document, &is_first))
        return false;
    call->status = is_first ? call->op->status_made : 200;
    return reply_document(call, kind, &project, &document);
}

static bool list_documents(struct call *call, const struct kind *kind)
{
    struct project project;
    struct document *documents;
    size_t count;

    if (!project_of(call, &project) || !document_list(&call->tx, &project, kind->source, &documents, &count))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, kind->plural);
    for (size_t i = 0; i < count; i++) {
        json_map(&call->out, NULL);
        write_document(call, kind, &project, &documents[i]);
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    json_none(&call->out, "nextCursor");
    json_map_end(&call->out);
    return true;
}

/* A section or plan that has no text yet may have questions already. */
static bool document_context(struct call *call, const struct kind *kind, const char *title)
{
    struct project project;
    struct document document = { .text = "" };
    struct err missing = { 0 };
    struct tx looking = tx_with_err(&call->tx, &missing);
    const char *id;

    if (!project_of_thing(call, kind->key, &project, &id))
        return false;
    if (!document_get(&looking, &project, kind->source, id, 0, &document) && missing.code != ERR_NOT_FOUND) {
        call->err = missing;
        return false;
    }
    return brief_write(&call->tx, &project,
                       &(struct brief_subject){ .source = kind->source,
                                                .source_id = id,
                                                .title = arena_format(call->tx.arena, "%s %s", title, id),
                                                .text = document.text },
                       &call->out);
}

static bool run_prd_list(struct call *call)
{
    return list_documents(call, &prd);
}

static bool run_prd_get(struct call *call)
{
    return get_document(call, &prd);
}

static bool run_prd_put(struct call *call)
{
    return put_document(call, &prd);
}

static bool run_prd_context(struct call *call)
{
    return document_context(call, &prd, "PRD section");
}

static bool run_plan_list(struct call *call)
{
    return list_documents(call, &plan);
}

static bool run_plan_get(struct call *call)
{
    return get_document(call, &plan);
}

static bool run_plan_put(struct call *call)
{
    return put_document(call, &plan);
}

static bool run_plan_context(struct call *call)
{
    return document_context(call, &plan, "Plan");
}

#define FEEDBACK_PARAM \
    { \
        "fid", T_UUID, REQUIRED, "The feedback." \
    }
#define SECTION_PARAM \
    { \
        "sectionKey", T_ID, REQUIRED, "The section, under whatever key you have for it." \
    }
#define PLAN_PARAM \
    { \
        "planId", T_ID, REQUIRED, "The plan, under whatever id you have for it." \
    }
#define VERSION_PARAM \
    { \
        "version", T_INT, OPTIONAL, "An earlier version; the newest when left out.", .min = 1, \
                                                                                     .max = 1000000 \
    }
#define TEXT_PARAM \
    { \
        "text", T_TEXT, REQUIRED, "The whole new text.", .max = LIMIT_DOCUMENT \
    }

const struct op document_ops[] = {
    {
        .name = "feedback_create",
        .http = "POST /api/projects/{id}/feedback",
        .tag = TAG_SOURCES,
        .help = "Say something about the product. The analyst turns it into tasks, or asks first.",
        .needs = ROLES_WRITE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .status = 201,
        .cli = "feedback add",
        .run = run_feedback_create,
        .example = "{\"text\": \"The pages are slow on my phone.\"}",
        .reply = feedback_fields,
        .params = { PROJECT_PARAM, { "text", T_TEXT, REQUIRED, "What there is to say." } },
    },
    {
        .name = "feedback_list",
        .http = "GET /api/projects/{id}/feedback",
        .tag = TAG_SOURCES,
        .help = "List the feedback of a project, newest first.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .cli = "feedback list",
        .run = run_feedback_list,
        .reply = feedback_list_reply,
        .params = { PROJECT_PARAM, PAGE_PARAMS },
    },
    {
        .name = "feedback_get",
        .http = "GET /api/projects/{id}/feedback/{fid}",
        .tag = TAG_SOURCES,
        .help = "Show feedback.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_feedback_get,
        .reply = feedback_fields,
        .params = { PROJECT_PARAM, FEEDBACK_PARAM },
    },
    {
        .name = "feedback_context",
        .http = "GET /api/projects/{id}/feedback/{fid}/context",
        .tag = TAG_SOURCES,
        .help = "What the analyst's next prompt must hold: the feedback, people's answers, its autonomy.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_feedback_context,
        .reply = brief_fields,
        .params = { PROJECT_PARAM, FEEDBACK_PARAM },
    },
    {
        .name = "prd_list",
        .http = "GET /api/projects/{id}/prd",
        .tag = TAG_SOURCES,
        .help = "List the sections of the PRD.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_prd_list,
        .reply = section_list_reply,
        .params = { PROJECT_PARAM },
    },
    {
        .name = "prd_get",
        .http = "GET /api/projects/{id}/prd/{sectionKey}",
        .tag = TAG_SOURCES,
        .help = "Show a section of the PRD with its history.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_prd_get,
        .reply = section_reply,
        .params = { PROJECT_PARAM, SECTION_PARAM, VERSION_PARAM },
    },
    {
        .name = "prd_put",
        .http = "PUT /api/projects/{id}/prd/{sectionKey}",
        .tag = TAG_SOURCES,
        .help = "Write a section of the PRD. Earlier versions stay; the same text again changes nothing.",
        .needs = ROLES_WRITE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .status_made = 201,
        .run = run_prd_put,
        .example = "{\"text\": \"# Checkout\\n\\nA cart, a total, one button.\"}",
        .reply = section_reply,
        .params = { PROJECT_PARAM, SECTION_PARAM, TEXT_PARAM },
    },
    {
        .name = "prd_context",
        .http = "GET /api/projects/{id}/prd/{sectionKey}/context",
        .tag = TAG_SOURCES,
        .help = "What the dreamer's next prompt must hold: the section, people's answers, its autonomy.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_prd_context,
        .reply = brief_fields,
        .params = { PROJECT_PARAM, SECTION_PARAM },
    },
    {
        .name = "plan_list",
        .http = "GET /api/projects/{id}/plans",
        .tag = TAG_SOURCES,
        .help = "List the plans of a project.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_plan_list,
        .reply = plan_list_reply,
        .params = { PROJECT_PARAM },
    },
    {
        .name = "plan_get",
        .http = "GET /api/projects/{id}/plans/{planId}",
        .tag = TAG_SOURCES,
        .help = "Show a plan with its history.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_plan_get,
        .reply = plan_reply,
        .params = { PROJECT_PARAM, PLAN_PARAM, VERSION_PARAM },
    },
    {
        .name = "plan_put",
        .http = "PUT /api/projects/{id}/plans/{planId}",
        .tag = TAG_SOURCES,
        .help = "Write a plan. Earlier versions stay; the same text again changes nothing.",
        .needs = ROLES_WRITE,
        .reaches = REACH_PROJECT,
        .kind = OP_WRITE,
        .status_made = 201,
        .run = run_plan_put,
        .example = "{\"text\": \"1. The cart. 2. The total. 3. The button.\"}",
        .reply = plan_reply,
        .params = { PROJECT_PARAM, PLAN_PARAM, TEXT_PARAM },
    },
    {
        .name = "plan_context",
        .http = "GET /api/projects/{id}/plans/{planId}/context",
        .tag = TAG_SOURCES,
        .help = "What the planner's next prompt must hold: the plan, people's answers, its autonomy.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .run = run_plan_context,
        .reply = brief_fields,
        .params = { PROJECT_PARAM, PLAN_PARAM },
    },
    { 0 },
};
