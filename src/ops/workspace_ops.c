#include "core/identity/workspace.h"

#include "ops/identity.h"
#include "ops/tables.h"

#include <string.h>

/* Integrations hold secrets of other services: those who manage the workspace see them, nobody else. */
static bool write_settings(struct json_out *out, const char *settings, enum role role, struct err *err)
{
    JSON_AUTO *value = NULL;

    if ((unsigned)role & ROLES_MANAGE) {
        json_raw(out, "settings", settings);
        return true;
    }
    if (!json_parse(settings, strlen(settings), &value, err))
        return false;
    json_object_del(value, "integrations");
    json_value(out, "settings", value);
    return true;
}

static bool reply_workspace(struct call *call, const struct workspace *workspace, enum role role)
{
    struct json_out *out = &call->out;

    json_map(out, NULL);
    json_text(out, "id", workspace->id);
    json_text(out, "slug", workspace->slug);
    json_text(out, "name", workspace->name);
    json_text(out, "role", role_name(role));
    if (!write_settings(out, workspace->settings, role, &call->err))
        return false;
    json_time(out, "createdAt", workspace->created_ms);
    json_map_end(out);
    return true;
}

static bool run_workspace_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct workspace *workspaces;
    const char *after;

    if (!identity_page(call, "workspaces", &after) ||
        !workspace_list(&call->tx, after, limit + 1, &workspaces, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "workspaces");
    for (size_t i = 0; i < shown; i++)
        identity_write_workspace(&call->out, NULL, &workspaces[i]);
    json_list_end(&call->out);
    identity_write_next(call, "workspaces", count > shown, shown ? workspaces[shown - 1].created_ms : 0,
                        shown ? workspaces[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

static struct workspace wish_of(const struct call *call)
{
    return (struct workspace){
        .slug = arg_text(call, "slug"),
        .name = arg_text(call, "name"),
        .settings =
            arg_given(call, "settings") ? json_dump_text(call->tx.arena, arg_json(call, "settings")) : NULL,
    };
}

/* The audit row says what was changed; the settings' values may hold secrets. */
static const char *audit_detail(const struct call *call, const struct workspace *workspace)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "slug", workspace->slug);
    json_text(&out, "name", workspace->name);
    json_bool(&out, "settingsChanged", arg_given(call, "settings"));
    json_map_end(&out);
    return arena_copy(call->tx.arena, text.bytes, text.len);
}

static bool run_workspace_create(struct call *call)
{
    const struct caller *caller = &call->caller;
    struct workspace wish = wish_of(call), workspace;

    if (caller->kind == CALLER_TOKEN || caller->token_id) {
        err_set(&call->err, ERR_FORBIDDEN, "A token belongs to one workspace and would not see the new one.");
        return err_hint(&call->err, "Log in as a user, or use `witan workspace add` on the server.");
    }
    if (!workspace_check_mark(&wish, false, &call->err) ||
        !workspace_create(&call->tx, &wish, caller->kind == CALLER_USER ? caller->id : NULL, &workspace))
        return false;
    call->subject = workspace.id;
    call->audit_detail = audit_detail(call, &workspace);
    return reply_workspace(call, &workspace, ROLE_OWNER);
}

static bool run_workspace_get(struct call *call)
{
    struct workspace workspace;
    enum role role;

    return workspace_see(&call->tx, arg_text(call, "id"), &workspace, &role) &&
           reply_workspace(call, &workspace, role);
}

/* The row's roles are about the workspace of the call; here they must hold in the one that is named. */
static bool see_as(struct call *call, unsigned needs, struct workspace *workspace, enum role *role)
{
    if (!workspace_see(&call->tx, arg_text(call, "id"), workspace, role))
        return false;
    call->subject = workspace->id;
    return ((unsigned)*role & needs) ||
           err_set(&call->err, ERR_FORBIDDEN, "The role %s may not do this there.", role_name(*role));
}

static bool run_workspace_update(struct call *call)
{
    struct workspace wish = wish_of(call), workspace;
    enum role role;

    if (!see_as(call, ROLES_MANAGE, &workspace, &role) ||
        !workspace_update(&call->tx, workspace.id, &wish, &workspace))
        return false;
    call->audit_detail = audit_detail(call, &workspace);
    return reply_workspace(call, &workspace, role);
}

static bool run_workspace_delete(struct call *call)
{
    struct workspace workspace;
    enum role role;

    return see_as(call, ROLE_OWNER, &workspace, &role) && workspace_delete(&call->tx, workspace.id);
}

static const struct field workspace_fields[] = {
    { "id", T_TEXT, REQUIRED, "Its id." },
    { "slug", T_TEXT, REQUIRED, "Its short name, good wherever the id is." },
    { "name", T_TEXT, REQUIRED, "Its name." },
    { "role", T_ENUM, REQUIRED, "The caller's role in it.", .values = role_names },
    { "settings", T_OBJECT, REQUIRED, "personas, routing, limits and, for owners and admins, integrations.",
      .flags = F_OPEN },
    { "createdAt", T_TIME, REQUIRED, "When it was made." },
    { 0 },
};

static const struct field workspace_list_reply[] = {
    { "workspaces", T_LIST, REQUIRED, "Newest first.", .items = T_OBJECT,
      .fields = identity_workspace_fields },
    PAGE_REPLY,
    { 0 },
};

#define ID_PARAM \
    { \
        "id", T_ID, REQUIRED, "The workspace: its id or slug." \
    }
#define SLUG_PARAM \
    { \
        "slug", T_TEXT, OPTIONAL, "Lower-case letters, digits and hyphens.", .min = 1, .max = LIMIT_SLUG, \
                                                                             .flags = F_NULL \
    }
#define SETTINGS_PARAM \
    { \
        "settings", T_OBJECT, OPTIONAL, "personas[], integrations[], routing, limits, and what you like.", \
            .max = LIMIT_SETTINGS, .flags = F_OPEN | F_NULL \
    }

const struct op workspace_ops[] = {
    {
        .name = "workspace_list",
        .http = "GET /api/workspaces",
        .tag = TAG_IDENTITY,
        .help = "List the workspaces the caller has a part in.",
        .needs = ROLES_READ,
        .reaches = REACH_OWN,
        .kind = OP_READ,
        .run = run_workspace_list,
        .reply = workspace_list_reply,
        .params = { PAGE_PARAMS },
    },
    {
        .name = "workspace_create",
        .http = "POST /api/workspaces",
        .tag = TAG_IDENTITY,
        .help = "Make a workspace; whoever makes it is its owner.",
        .needs = ROLE_OWNER,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_workspace_create,
        .example = "{\"name\": \"Research\", \"slug\": \"research\"}",
        .reply = workspace_fields,
        .params = {
            { "name", T_NAME, REQUIRED, "Its name." },
            SLUG_PARAM,
            SETTINGS_PARAM,
        },
    },
    {
        .name = "workspace_get",
        .http = "GET /api/workspaces/{id}",
        .tag = TAG_IDENTITY,
        .help = "Show a workspace and its settings.",
        .needs = ROLES_READ,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .quick = true,
        .run = run_workspace_get,
        .reply = workspace_fields,
        .params = { ID_PARAM },
    },
    {
        .name = "workspace_update",
        .http = "PATCH /api/workspaces/{id}",
        .tag = TAG_IDENTITY,
        .help = "Rename a workspace or replace its settings.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .run = run_workspace_update,
        .example = "{\"name\": \"Research and more\"}",
        .reply = workspace_fields,
        .params = {
            ID_PARAM,
            { "name", T_NAME, OPTIONAL, "The new name.", .flags = F_NULL },
            SLUG_PARAM,
            SETTINGS_PARAM,
        },
    },
    {
        .name = "workspace_delete",
        .http = "DELETE /api/workspaces/{id}",
        .tag = TAG_IDENTITY,
        .help = "Delete a workspace with everything in it.",
        .needs = ROLE_OWNER,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_workspace_delete,
        .params = { ID_PARAM },
    },
    { 0 },
};
