#include "core/identity/token.h"

#include "base/str.h"
#include "ops/example.h"
#include "ops/identity.h"
#include "ops/tables.h"

static void write_time(struct json_out *out, const char *key, int64_t ms)
{
    if (ms)
        json_time(out, key, ms);
    else
        json_none(out, key);
}

static void write_token(struct json_out *out, const struct token *token)
{
    json_text(out, "id", token->id);
    json_text(out, "name", token->name);
    json_text(out, "role", role_name(token->role));
    json_text(out, "projectId", token->project_id);
    json_text(out, "agentName", token->agent_name);
    json_text(out, "userId", token->user_id);
    json_text(out, "user", token->user_name);
    json_text(out, "createdBy", token->created_by);
    json_time(out, "createdAt", token->created_ms);
    write_time(out, "expiresAt", token->expires_ms);
    write_time(out, "lastUsedAt", token->last_used_ms);
    write_time(out, "revokedAt", token->revoked_ms);
    write_time(out, "rotatedAt", token->rotated_ms);
    json_list(out, "oldSecrets");
    for (size_t i = 0; i < token->old_count; i++) {
        json_map(out, NULL);
        json_time(out, "replacedAt", token->old[i].replaced_ms);
        json_time(out, "goodUntil", token->old[i].until_ms);
        write_time(out, "lastUsedAt", token->old[i].last_used_ms);
        json_map_end(out);
    }
    json_list_end(out);
}

static bool run_token_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct token *tokens;
    const char *after;

    if (!identity_page(call, "tokens", &after) ||
        !token_list(&call->tx, call->caller.workspace_id, after, limit + 1, &tokens, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "tokens");
    for (size_t i = 0; i < shown; i++) {
        json_map(&call->out, NULL);
        write_token(&call->out, &tokens[i]);
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    identity_write_next(call, "tokens", count > shown, shown ? tokens[shown - 1].created_ms : 0,
                        shown ? tokens[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

/* Who manages others does not become them: what two people must approve would be approved by one. */
static bool is_for_oneself(const struct call *call, const char *user_id, struct err *err)
{
    if (!user_id || (call->caller.kind == CALLER_USER && str_equal(call->caller.id, user_id)))
        return true;
    err_set(err, ERR_FORBIDDEN, "A token that belongs to a user is made and rotated by that user.");
    return err_hint(err, "Whoever has the store makes it with `witan token create --user NAME`.");
}

static bool run_token_create(struct call *call)
{
    struct token token = {
        .workspace_id = call->caller.workspace_id,
        .name = arg_text(call, "name"),
        .project_id = arg_text(call, "projectId"),
        .agent_name = arg_text(call, "agentName"),
        .user_id = arg_text(call, "userId"),
        .created_by = call->caller.id,
        .expires_ms = arg_given(call, "expiresAt") ? arg_int(call, "expiresAt") : 0,
    };
    const char *secret, *note;

    if (!role_parse(arg_text(call, "role"), &token.role))
        return err_field(&call->err, "role", "There is no such role.");
    if (!caller_may_grant(&call->caller, token.role, &call->err) ||
        !is_for_oneself(call, token.user_id, &call->err) || !token_create(&call->tx, &token, &secret))
        return false;
    call->subject = token.id;
    note = identity_solo_note(call, token.role == ROLE_OWNER && !token.project_id && !token.agent_name);
    json_map(&call->out, NULL);
    write_token(&call->out, &token);
    json_text(&call->out, "secret", secret);
    if (note)
        json_text(&call->out, "note", note);
    json_map_end(&call->out);
    return true;
}

static bool run_token_get(struct call *call)
{
    struct token token;

    if (!token_get(&call->tx, call->caller.workspace_id, arg_text(call, "id"), &token))
        return false;
    json_map(&call->out, NULL);
    write_token(&call->out, &token);
    json_map_end(&call->out);
    return true;
}

static bool run_token_revoke(struct call *call)
{
    const char *id = arg_text(call, "id"), *workspace_id = call->caller.workspace_id;
    struct token token;

    return token_get(&call->tx, workspace_id, id, &token) &&
           caller_may_grant(&call->caller, token.role, &call->err) &&
           token_revoke(&call->tx, workspace_id, id);
}

static bool run_token_rotate(struct call *call)
{
    const char *id = arg_text(call, "id"), *workspace_id = call->caller.workspace_id, *secret;
    const struct token_rotation rotation = {
        .overlap_ms = arg_int(call, "overlapMinutes") * 60000,
        .expires_ms = arg_given(call, "expiresAt") ? arg_int(call, "expiresAt") : 0,
    };
    struct token token;

    if (!token_get(&call->tx, workspace_id, id, &token) ||
        !caller_may_grant(&call->caller, token.role, &call->err) ||
        !is_for_oneself(call, token.user_id, &call->err) ||
        !token_rotate(&call->tx, workspace_id, id, &rotation, &token, &secret))
        return false;
    json_map(&call->out, NULL);
    write_token(&call->out, &token);
    json_text(&call->out, "secret", secret);
    json_map_end(&call->out);
    return true;
}

static const struct field old_secret_fields[] = {
    { "replacedAt", T_TIME, REQUIRED, "When another one took its place." },
    { "goodUntil", T_TIME, REQUIRED, "Until when it still works." },
    { "lastUsedAt", T_TIME, REQUIRED, "When it was last used, to about a minute.", .flags = F_NULL },
    { 0 },
};

#define TOKEN_FIELDS \
    { "id", T_TEXT, REQUIRED, "The token's id; not its secret." }, \
        { "name", T_TEXT, REQUIRED, "What it is for." }, \
        { "role", T_ENUM, REQUIRED, "What it may do in this workspace.", .values = role_names }, \
        { "projectId", T_TEXT, REQUIRED, "The project it is bound to.", .flags = F_NULL }, \
        { "agentName", T_TEXT, REQUIRED, "The agent it speaks as.", .flags = F_NULL }, \
        { "userId", T_TEXT, REQUIRED, "The user it belongs to: it is that user.", .flags = F_NULL }, \
        { "user", T_TEXT, REQUIRED, "That user's name.", .flags = F_NULL }, \
        { "createdBy", T_TEXT, REQUIRED, "The user or token that made it.", .flags = F_NULL }, \
        { "createdAt", T_TIME, REQUIRED, "When it was made." }, \
        { "expiresAt", T_TIME, REQUIRED, "Until when it is good.", .flags = F_NULL }, \
        { "lastUsedAt", T_TIME, REQUIRED, "When its secret was last used, to about a minute.", \
          .flags = F_NULL }, \
        { "revokedAt", T_TIME, REQUIRED, "When it was revoked.", .flags = F_NULL }, \
        { "rotatedAt", T_TIME, REQUIRED, "When it was given the secret that it has now.", .flags = F_NULL }, \
    { \
        "oldSecrets", T_LIST, REQUIRED, "Secrets from before that are still good, newest first.", \
            .items = T_OBJECT, .fields = old_secret_fields \
    }

static const struct field token_fields[] = { TOKEN_FIELDS, { 0 } };
static const struct field token_create_reply[] = {
    TOKEN_FIELDS,
    { "secret", T_TEXT, REQUIRED, "What goes after \"Authorization: Bearer\". Shown this once." },
    SOLO_NOTE_FIELD,
    { 0 },
};
static const struct field token_rotate_reply[] = {
    TOKEN_FIELDS,
    { "secret", T_TEXT, REQUIRED, "What goes after \"Authorization: Bearer\" from now on. Shown this once." },
    { 0 },
};
static const struct field token_list_reply[] = {
    { "tokens", T_LIST, REQUIRED, "Newest first, revoked ones too.", .items = T_OBJECT,
      .fields = token_fields },
    PAGE_REPLY,
    { 0 },
};

#define ID_PARAM \
    { \
        "id", T_UUID, REQUIRED, "The token." \
    }

const struct op token_ops[] = {
    {
        .name = "token_list",
        .http = "GET /api/tokens",
        .tag = TAG_IDENTITY,
        .help = "List the tokens of this workspace, without their secrets.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .run = run_token_list,
        .reply = token_list_reply,
        .params = { PAGE_PARAMS },
    },
    {
        .name = "token_create",
        .http = "POST /api/tokens",
        .tag = TAG_IDENTITY,
        .help = "Make a token for an agent or a script; its secret is shown this once.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 201,
        .secret_reply = true,
        .run = run_token_create,
        .example = "{\"name\": \"ci\", \"role\": \"agent\", \"agentName\": \"Builder\", "
                   "\"projectId\": \"" EXAMPLE_PROJECT "\"}",
        .reply = token_create_reply,
        .params = {
            { "name", T_NAME, REQUIRED, "What it is for." },
            { "role", T_ENUM, OPTIONAL, ALL_ROLES(ROLE_MEANING) "all of it in this workspace.", .values = role_names, .fallback = "agent" },
            { "projectId", T_ID, OPTIONAL, "Bind it to this project: it reaches nothing beyond.", .flags = F_NULL },
            { "agentName", T_NAME, OPTIONAL, "Let it speak as this agent only, and do what agents may, whatever its role.", .flags = F_NULL },
            { "userId", T_ID, OPTIONAL, "Your own id: the token is then you, with your role or its own, whichever allows less.", .flags = F_NULL },
            { "expiresAt", T_TIME, OPTIONAL, "Until when it is good.", .flags = F_NULL },
        },
    },
    {
        .name = "token_get",
        .http = "GET /api/tokens/{id}",
        .tag = TAG_IDENTITY,
        .help = "Show a token, without its secret.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .quick = true,
        .run = run_token_get,
        .reply = token_fields,
        .params = { ID_PARAM },
    },
    {
        .name = "token_rotate",
        .http = "POST /api/tokens/{id}/rotate",
        .tag = TAG_IDENTITY,
        .help = "Give a token a new secret, shown this once. The previous one stays good for a while.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .secret_reply = true,
        .run = run_token_rotate,
        .example = "{\"overlapMinutes\": 60}",
        .reply = token_rotate_reply,
        .params = {
            ID_PARAM,
            { "overlapMinutes", T_INT, OPTIONAL, "How long the previous secret stays good; 0: not at all.",
              .min = 0, .max = TOKEN_OVERLAP_MAX, .fallback = "1440" },
            { "expiresAt", T_TIME, OPTIONAL,
              "Until when the token is good from now on; as long again as it was given before when left out.",
              .flags = F_NULL },
        },
    },
    {
        .name = "token_revoke",
        .http = "DELETE /api/tokens/{id}",
        .tag = TAG_IDENTITY,
        .help = "Revoke a token: from now on it is refused.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_token_revoke,
        .params = { ID_PARAM },
    },
    { 0 },
};
