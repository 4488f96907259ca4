#include "core/identity/user.h"

#include "base/str.h"
#include "core/caller/secret.h"
#include "core/identity/password.h"
#include "ops/identity.h"
#include "ops/tables.h"

static void write_user(struct json_out *out, const struct user *user)
{
    json_text(out, "id", user->id);
    json_text(out, "name", user->name);
    json_text(out, "role", role_name(user->role));
    json_bool(out, "hasPassword", user->has_password);
    json_bool(out, "disabled", user->disabled_ms != 0);
    json_time(out, "createdAt", user->created_ms);
}

static bool reply_user(struct call *call, const struct user *user, const char *note)
{
    json_map(&call->out, NULL);
    write_user(&call->out, user);
    if (note)
        json_text(&call->out, "note", note);
    json_map_end(&call->out);
    return true;
}

static bool check_password(struct call *call, const char *name)
{
    return !arg_given(call, "password") ||
           password_check(call->tx.arena, "password", arg_text(call, "password"), name, &call->err);
}

static bool fetch_create(struct call *call)
{
    return check_password(call, arg_text(call, "name"));
}

static bool fetch_update(struct call *call)
{
    struct user user;

    return user_get(&call->tx, call->caller.workspace_id, arg_text(call, "id"), &user) &&
           check_password(call, user.name);
}

/* The password's hash is what .before leaves for run. */
static bool before_hash(struct call *call)
{
    char *hash;

    if (!arg_given(call, "password"))
        return true;
    if (!secret_password_hash(call->tx.arena, arg_text(call, "password"), &hash, &call->err))
        return false;
    call->prepared = hash;
    return true;
}

/* The row of the argument is checked against role_names, so it always is a role. */
static enum role arg_role(const struct call *call)
{
    enum role role = 0;

    return role_parse(arg_text(call, "role"), &role) ? role : 0;
}

static bool run_user_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct user *users;
    const char *after;

    if (!identity_page(call, "users", &after) ||
        !user_list(&call->tx, call->caller.workspace_id, after, limit + 1, &users, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "users");
    for (size_t i = 0; i < shown; i++) {
        json_map(&call->out, NULL);
        write_user(&call->out, &users[i]);
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    identity_write_next(call, "users", count > shown, shown ? users[shown - 1].created_ms : 0,
                        shown ? users[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

static bool run_user_create(struct call *call)
{
    struct user_wish wish = {
        .workspace_id = call->caller.workspace_id,
        .name = arg_text(call, "name"),
        .password = call->prepared,
        .role = arg_role(call),
    };
    struct user user;

    if (!caller_may_grant(&call->caller, wish.role, &call->err) || !user_create(&call->tx, &wish, &user))
        return false;
    call->subject = user.id;
    return reply_user(call, &user, identity_solo_note(call, user.role == ROLE_OWNER && user.has_password));
}

static bool run_user_get(struct call *call)
{
    struct user user;

    return user_get(&call->tx, call->caller.workspace_id, arg_text(call, "id"), &user) &&
           reply_user(call, &user, NULL);
}

static bool update_role(struct call *call, const struct user *user)
{
    enum role role = arg_role(call);

    if (!arg_given(call, "role") || role == user->role)
        return true;
    return caller_may_grant(&call->caller, role, &call->err) &&
           user_set_role(&call->tx, call->caller.workspace_id, user->id, role);
}

static bool update_account(struct call *call, const struct user *user)
{
    bool disable = arg_bool(call, "disabled");

    if (!arg_given(call, "password") && !arg_given(call, "disabled"))
        return true;
    if (!user_may_change_account(&call->tx, user))
        return false;
    if (disable && str_equal(user->id, call->caller.id))
        return err_set(&call->err, ERR_CONFLICT, "You cannot disable yourself; ask another owner or admin.");
    if (arg_given(call, "password") && !user_set_password(&call->tx, user->id, call->prepared))
        return false;
    return !arg_given(call, "disabled") ||
           user_set_disabled(&call->tx, user->id, disable ? call->tx.now_ms : 0);
}

static bool run_user_update(struct call *call)
{
    const char *id = arg_text(call, "id"), *workspace_id = call->caller.workspace_id;
    struct user user;

    return user_get(&call->tx, workspace_id, id, &user) &&
           caller_may_grant(&call->caller, user.role, &call->err) && update_role(call, &user) &&
           update_account(call, &user) && user_get(&call->tx, workspace_id, id, &user) &&
           reply_user(call, &user, NULL);
}

static bool run_user_delete(struct call *call)
{
    const char *id = arg_text(call, "id"), *workspace_id = call->caller.workspace_id;
    struct user user;

    if (!user_get(&call->tx, workspace_id, id, &user) ||
        !caller_may_grant(&call->caller, user.role, &call->err))
        return false;
    if (str_equal(id, call->caller.id))
        return err_set(&call->err, ERR_CONFLICT, "You cannot remove yourself; ask another owner or admin.");
    return user_remove(&call->tx, workspace_id, id);
}

#define USER_FIELDS \
    { "id", T_TEXT, REQUIRED, "The user's id." }, { "name", T_TEXT, REQUIRED, "The user's name." }, \
        { "role", T_ENUM, REQUIRED, "The role in this workspace.", .values = role_names }, \
        { "hasPassword", T_BOOL, REQUIRED, "Whether the user can log in." }, \
        { "disabled", T_BOOL, REQUIRED, "Whether the user is kept out of every workspace." }, \
    { \
        "createdAt", T_TIME, REQUIRED, "When the user was made." \
    }

static const struct field user_fields[] = { USER_FIELDS, { 0 } };
static const struct field user_create_reply[] = { USER_FIELDS, SOLO_NOTE_FIELD, { 0 } };
static const struct field user_list_reply[] = {
    { "users", T_LIST, REQUIRED, "Newest first.", .items = T_OBJECT, .fields = user_fields },
    PAGE_REPLY,
    { 0 },
};

#define ID_PARAM \
    { \
        "id", T_UUID, REQUIRED, "The user." \
    }
#define PASSWORD_PARAM(help) \
    { \
        "password", T_TEXT, OPTIONAL, help, .min = PASSWORD_MIN, .max = LIMIT_PASSWORD, \
                                            .flags = F_SECRET | F_NULL \
    }

const struct op user_ops[] = {
    {
        .name = "user_list",
        .http = "GET /api/users",
        .tag = TAG_IDENTITY,
        .help = "List the users of this workspace.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .run = run_user_list,
        .reply = user_list_reply,
        .params = { PAGE_PARAMS },
    },
    {
        .name = "user_create",
        .http = "POST /api/users",
        .tag = TAG_IDENTITY,
        .help = "Add a user to this workspace: a new one or, without a password, one you manage elsewhere.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 201,
        .hashes = true,
        .fetch = fetch_create,
        .before = before_hash,
        .run = run_user_create,
        .example = "{\"name\": \"maya\", \"role\": \"member\", \"password\": \"plenty of good words\"}",
        .reply = user_create_reply,
        .params = {
            { "name", T_NAME, REQUIRED, "The name to log in with; unique in any case." },
            PASSWORD_PARAM("Without one the user cannot log in yet."),
            { "role", T_ENUM, OPTIONAL, ALL_ROLES(ROLE_MEANING) "all of it in this workspace.", .values = role_names,
              .fallback = "member" },
        },
    },
    {
        .name = "user_get",
        .http = "GET /api/users/{id}",
        .tag = TAG_IDENTITY,
        .help = "Show a user of this workspace.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .quick = true,
        .run = run_user_get,
        .reply = user_fields,
        .params = { ID_PARAM },
    },
    {
        .name = "user_update",
        .http = "PATCH /api/users/{id}",
        .tag = TAG_IDENTITY,
        .help = "Change a user's role here, set a new password, or disable the user.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .hashes = true,
        .fetch = fetch_update,
        .before = before_hash,
        .run = run_user_update,
        .example = "{\"role\": \"admin\"}",
        .reply = user_fields,
        .params = {
            ID_PARAM,
            { "role", T_ENUM, OPTIONAL, "The new role in this workspace.", .values = role_names,
              .flags = F_NULL },
            PASSWORD_PARAM("The new password; ends the user's sessions."),
            { "disabled", T_BOOL, OPTIONAL, "Whether to keep the user out, everywhere.", .flags = F_NULL },
        },
    },
    {
        .name = "user_delete",
        .http = "DELETE /api/users/{id}",
        .tag = TAG_IDENTITY,
        .help = "Remove a user from this workspace; one who belongs nowhere else is deleted.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_user_delete,
        .params = { ID_PARAM },
    },
    { 0 },
};
