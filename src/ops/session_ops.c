/*
 * A login is three steps of one row: .fetch looks up the account and the place, .before computes the slow
 * hash on a worker, .run writes, in a transaction that checks that the hash is still the one that was read.
 */
#include "core/identity/session.h"

#include "base/program.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/caller/secret.h"
#include "core/identity/cookie.h"
#include "core/identity/password.h"
#include "core/identity/place.h"
#include "core/identity/ticket.h"
#include "core/identity/user.h"
#include "core/log/event.h"
#include "ops/identity.h"
#include "ops/tables.h"

#include <string.h>

static const char *session_cookie(struct arena *arena, const char *secret, int64_t lifetime_ms)
{
    return cookie_set(
        arena, &(struct cookie){ .name = COOKIE_SESSION, .value = secret, .lifetime_ms = lifetime_ms });
}

static bool write_workspaces(struct call *call)
{
    struct workspace *workspaces;
    size_t count;

    if (!workspace_list(&call->tx, NULL, LIMIT_PAGE, &workspaces, &count))
        return false;
    json_list(&call->out, "workspaces");
    for (size_t i = 0; i < count; i++)
        identity_write_workspace(&call->out, NULL, &workspaces[i]);
    json_list_end(&call->out);
    return true;
}

/* Between the steps of checking a password. */
struct password_check {
    struct account account;
    struct place place;
    bool matches;
    char *new_hash;
};

static bool fetch_login(struct call *call)
{
    struct password_check *check = arena_new(call->tx.arena, struct password_check);

    call->prepared = check;
    check->place = (struct place){ .remote = call->remote, .device = call->device };
    if (!user_account_by_name(&call->tx, arg_text(call, "name"), &check->account) ||
        !place_look(&call->tx, check->account.id, &check->place))
        return false;
    call->tried = (struct login_try){
        .account = str_fold(call->tx.arena, arg_text(call, "name")),
        .own = check->place.known_device ? secret_hash(call->tx.arena, call->device) : NULL,
        .known_address = check->place.known_address,
    };
    return true;
}

/* A name that nobody has, one without a password and a disabled one cost as much as a wrong password. */
static bool before_login(struct call *call)
{
    struct password_check *check = call->prepared;
    bool may = check->account.id && !check->account.disabled;

    call->subject = check->account.id; /* for the audit row of a refusal */
    check->matches =
        secret_password_matches(may ? check->account.password : NULL, arg_text(call, "password"));
    return check->matches || session_refuse(&call->err);
}

/*
 * Next time this browser and this network are known. A browser keeps the cookie that it has, whoever logs in
 * there, but only one that we gave it: a stranger must not choose what it is known by.
 */
static bool remember_place(struct call *call, const struct password_check *check)
{
    struct place place = check->place;

    if (!place.ours)
        place.device = secret_make(call->tx.arena, SECRET_DEVICE);
    call->cookies[1] = cookie_set(call->tx.arena, &(struct cookie){ .name = COOKIE_DEVICE,
                                                                    .value = place.device,
                                                                    .lifetime_ms = PLACE_MS,
                                                                    .strict = true });
    return place_remember(&call->tx, check->account.id, &place);
}

static bool run_login(struct call *call)
{
    const struct password_check *check = call->prepared;
    struct credentials credentials = { 0 };
    struct session session;

    if (!check || !check->matches)
        return session_refuse(&call->err);
    if (!session_create(&call->tx, check->account.id, check->account.password, &session))
        return false;
    /* From here on the caller is the user, so that the audit row names who came in. */
    credentials.session = session.secret;
    if (!caller_identify(&call->tx, &credentials, &call->caller))
        return false;
    call->subject = call->caller.id;
    call->cookies[0] = session_cookie(call->tx.arena, session.secret, session.expires_ms - call->tx.now_ms);
    if (!remember_place(call, check))
        return false;
    json_map(&call->out, NULL);
    json_map(&call->out, "user");
    json_text(&call->out, "id", call->caller.id);
    json_text(&call->out, "name", call->caller.name);
    json_map_end(&call->out);
    if (!write_workspaces(call))
        return false;
    json_map_end(&call->out);
    return true;
}

static const char *session_of(const struct caller *caller)
{
    bool is_session = caller->credential && str_starts(caller->credential, "session:");

    return is_session ? caller->credential + strlen("session:") : NULL;
}

static bool run_logout(struct call *call)
{
    const char *hash = session_of(&call->caller);

    call->cookies[0] = session_cookie(call->tx.arena, "", 0);
    return !hash || session_end(&call->tx, hash);
}

static bool run_me(struct call *call)
{
    const struct caller *caller = &call->caller;
    struct workspace workspace;
    int64_t last;

    if (!workspace_get(&call->tx, caller->workspace_id, &workspace) || !event_last(&call->tx, &last))
        return false;
    json_map(&call->out, NULL);
    json_map(&call->out, "caller");
    json_text(&call->out, "kind", caller_kind_name(caller->kind));
    json_text(&call->out, "id", caller->id);
    json_text(&call->out, "name", caller->name);
    json_text(&call->out, "role", role_name(caller->role));
    json_bool(&call->out, "answers", ((unsigned)caller->role & ROLES_PEOPLE) != 0);
    json_bool(&call->out, "manages", ((unsigned)caller->role & ROLES_MANAGE) != 0);
    json_text(&call->out, "agentName", caller->agent_name);
    json_text(&call->out, "projectId", caller->project_id);
    json_map_end(&call->out);
    identity_write_workspace(&call->out, "workspace", &workspace);
    if (!write_workspaces(call))
        return false;
    json_bool(&call->out, "solo", caller->kind == CALLER_LOCAL);
    json_bool(&call->out, "rehearsal", workspace_is_rehearsal(&workspace));
    json_text(&call->out, "program", program_name());
    json_int(&call->out, "lastEvent", last);
    json_map_end(&call->out);
    return true;
}

static bool only_users(const struct caller *caller, struct err *err)
{
    return caller_is_login(caller) ||
           err_set(err, ERR_FORBIDDEN, "Only a user who is logged in has a password.");
}

static bool fetch_password(struct call *call)
{
    struct password_check *check = arena_new(call->tx.arena, struct password_check);

    call->prepared = check;
    if (!only_users(&call->caller, &call->err) || !user_account(&call->tx, call->caller.id, &check->account))
        return false;
    /* Nobody else can use these tries up: they need the login. */
    call->tried.own = arena_format(call->tx.arena, "password:%s", call->caller.id);
    return true;
}

static bool before_password(struct call *call)
{
    struct password_check *check = call->prepared;

    check->matches = secret_password_matches(check->account.password, arg_text(call, "oldPassword"));
    if (!check->matches)
        return err_field(&call->err, "oldPassword", "The old password is wrong.");
    if (!password_check(call->tx.arena, "newPassword", arg_text(call, "newPassword"), check->account.name,
                        &call->err))
        return false;
    return secret_password_hash(call->tx.arena, arg_text(call, "newPassword"), &check->new_hash, &call->err);
}

static bool run_password(struct call *call)
{
    const struct password_check *check = call->prepared;

    if (!only_users(&call->caller, &call->err))
        return false;
    if (!check || !check->matches)
        return err_field(&call->err, "oldPassword", "The old password is wrong.");
    call->subject = call->caller.id;
    return user_change_password(&call->tx, call->caller.id, check->account.password, check->new_hash,
                                session_of(&call->caller));
}

static bool reply_preferences(struct call *call, const char *preferences)
{
    json_map(&call->out, NULL);
    json_raw(&call->out, "preferences", preferences);
    json_map_end(&call->out);
    return true;
}

static bool run_preferences_get(struct call *call)
{
    const char *preferences;

    return user_preferences(&call->tx, &preferences) && reply_preferences(call, preferences);
}

static bool run_preferences_put(struct call *call)
{
    const char *preferences = json_dump_text(call->tx.arena, arg_json(call, "preferences"));

    return user_set_preferences(&call->tx, preferences) && reply_preferences(call, preferences);
}

static bool run_ticket_create(struct call *call)
{
    struct ticket ticket;

    if (!ticket_create(&call->tx, &ticket))
        return false;
    json_map(&call->out, NULL);
    json_text(&call->out, "ticket", ticket.secret);
    json_time(&call->out, "expiresAt", ticket.expires_ms);
    json_map_end(&call->out);
    return true;
}

static const struct field login_user_fields[] = {
    { "id", T_TEXT, REQUIRED, "The user's id." },
    { "name", T_TEXT, REQUIRED, "The user's name." },
    { 0 },
};

static const struct field login_reply[] = {
    { "user", T_OBJECT, REQUIRED, "Who logged in.", .fields = login_user_fields },
    { "workspaces", T_LIST, REQUIRED, "Where this user is a member.", .items = T_OBJECT,
      .fields = identity_workspace_fields },
    { 0 },
};

static const char *const login_kinds[] = { "local", "user", "token", "system", NULL };

static const struct field caller_fields[] = {
    { "kind", T_ENUM, REQUIRED, "local is the owner of a server in solo mode.", .values = login_kinds },
    { "id", T_TEXT, REQUIRED, "The user's or token's id." },
    { "name", T_TEXT, REQUIRED, "The user's or token's name." },
    { "role", T_ENUM, REQUIRED, "The role in this workspace; agent for a token that speaks as one.",
      .values = role_names },
    { "answers", T_BOOL, REQUIRED, "Whether that role answers what agents ask people." },
    { "manages", T_BOOL, REQUIRED, "Whether that role manages people, tokens and settings." },
    { "agentName", T_TEXT, REQUIRED, "The agent a token speaks as.", .flags = F_NULL },
    { "projectId", T_TEXT, REQUIRED, "The project a token is bound to.", .flags = F_NULL },
    { 0 },
};

static const struct field me_reply[] = {
    { "caller", T_OBJECT, REQUIRED, "Who calls.", .fields = caller_fields },
    { "workspace", T_OBJECT, REQUIRED, "The workspace of this request.",
      .fields = identity_workspace_fields },
    { "workspaces", T_LIST, REQUIRED, "Those the caller has a part in.", .items = T_OBJECT,
      .fields = identity_workspace_fields },
    { "solo", T_BOOL, REQUIRED, "Whether the server is in solo mode." },
    { "rehearsal", T_BOOL, REQUIRED,
      "Whether the workspace is a rehearsal: what is said there is scripted, and no model is called." },
    { "program", T_TEXT, REQUIRED,
      "What people type for the command line where the server was started: witan, or a path such as build/witan." },
    { "lastEvent", T_INT, REQUIRED,
      "The number of the newest event. "
      "Open a stream with it as Last-Event-ID: what is listed after this call and what the stream tells then leave nothing out, and nothing has to be listed twice." },
    { 0 },
};

static const struct field preferences_reply[] = {
    { "preferences", T_OBJECT, REQUIRED, "Whatever was stored.", .flags = F_OPEN },
    { 0 },
};

static const struct field ticket_reply[] = {
    { "ticket", T_TEXT, REQUIRED, "Give it as ?ticket= when opening a stream." },
    { "expiresAt", T_TIME, REQUIRED, "Until when a stream can be opened with it." },
    { 0 },
};

const struct op session_ops[] = {
    {
        .name = "session_login",
        .limit_logins = true,
        .hashes = true,
        .http = "POST /api/login",
        .tag = TAG_IDENTITY,
        .help = "Log in with name and password; the reply sets the session cookie.",
        .needs = ROLE_ANYONE,
        .reaches = REACH_OWN,
        .kind = OP_WRITE,
        .secret_reply = true,
        .fetch = fetch_login,
        .before = before_login,
        .run = run_login,
        .example = "{\"name\": \"maya\", \"password\": \"plenty of good words\"}",
        .reply = login_reply,
        .params = {
            { "name", T_NAME, REQUIRED, "The user's name, in any case." },
            { "password", T_TEXT, REQUIRED, "The password.", .max = LIMIT_PASSWORD, .flags = F_SECRET },
        },
    },
    {
        .name = "session_logout",
        .http = "POST /api/logout",
        .tag = TAG_IDENTITY,
        .help = "End the session and clear its cookie.",
        .needs = ROLE_ANYONE,
        .reaches = REACH_OWN,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_logout,
    },
    {
        .name = "me_get",
        .http = "GET /api/me",
        .tag = TAG_IDENTITY,
        .help = "Say who calls, in which workspace, and where else they may go.",
        .needs = ROLES_READ,
        .reaches = REACH_OWN,
        .kind = OP_READ,
        .run = run_me,
        .reply = me_reply,
    },
    {
        .name = "password_change",
        .limit_logins = true,
        .hashes = true,
        .http = "PUT /api/me/password",
        .tag = TAG_IDENTITY,
        .help = "Change your own password. This ends your other sessions.",
        .needs = ROLES_READ,
        .reaches = REACH_OWN,
        .kind = OP_WRITE,
        .status = 204,
        .fetch = fetch_password,
        .before = before_password,
        .run = run_password,
        .example = "{\"oldPassword\": \"plenty of good words\", \"newPassword\": \"even better words than that\"}",
        .params = {
            { "oldPassword", T_TEXT, REQUIRED, "The current password.", .max = LIMIT_PASSWORD,
              .flags = F_SECRET },
            { "newPassword", T_TEXT, REQUIRED, "The new password.", .min = PASSWORD_MIN,
              .max = LIMIT_PASSWORD, .flags = F_SECRET },
        },
    },
    {
        .name = "preferences_get",
        .http = "GET /api/me/preferences",
        .tag = TAG_IDENTITY,
        .help = "Show the caller's own preferences.",
        .needs = ROLES_READ,
        .reaches = REACH_OWN,
        .kind = OP_READ,
        .run = run_preferences_get,
        .reply = preferences_reply,
    },
    {
        .name = "preferences_put",
        .http = "PUT /api/me/preferences",
        .tag = TAG_IDENTITY,
        .help = "Replace the caller's own preferences. "
                "Whoever reads may do this, viewers too: it changes what they are shown and nothing of anybody else's. "
                "A token that belongs to a user has that user's.",
        .needs = ROLES_READ,
        .reaches = REACH_OWN,
        .kind = OP_WRITE,
        .no_audit = true,
        .run = run_preferences_put,
        .example = "{\"preferences\": {\"theme\": \"dark\"}}",
        .reply = preferences_reply,
        .params = {
            { "preferences", T_OBJECT, REQUIRED, "Any JSON object.", .max = LIMIT_PREFERENCES,
              .flags = F_OPEN },
        },
    },
    {
        .name = "ticket_create",
        .http = "POST /api/tickets",
        .tag = TAG_IDENTITY,
        .help = "Get a short-lived ticket for streams that cannot send a token or a cookie.",
        .needs = ROLES_READ,
        .reaches = REACH_OWN,
        .kind = OP_WRITE,
        .no_audit = true,
        .secret_reply = true,
        .status = 201,
        .run = run_ticket_create,
        .reply = ticket_reply,
    },
    { 0 },
};
