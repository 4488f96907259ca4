/*
 * Whoever has no code costs one look-up: the password is hashed only after .fetch has found the code good.
 */
#include "core/identity/setup.h"

#include "core/caller/secret.h"
#include "core/identity/password.h"
#include "ops/identity.h"
#include "ops/tables.h"

static bool run_setup_get(struct call *call)
{
    bool open;

    if (!setup_is_open(&call->tx, &open))
        return false;
    json_map(&call->out, NULL);
    json_bool(&call->out, "open", open);
    json_map_end(&call->out);
    return true;
}

static bool fetch_setup(struct call *call)
{
    return setup_check_code(&call->tx, arg_text(call, "code")) &&
           password_check(call->tx.arena, "password", arg_text(call, "password"), arg_text(call, "name"),
                          &call->err);
}

static bool before_setup(struct call *call)
{
    char *hash;

    if (!secret_password_hash(call->tx.arena, arg_text(call, "password"), &hash, &call->err))
        return false;
    call->prepared = hash;
    return true;
}

static bool run_setup_owner(struct call *call)
{
    struct user user;

    if (!setup_make_owner(&call->tx, arg_text(call, "code"), arg_text(call, "name"), call->prepared, &user))
        return false;
    call->subject = user.id;
    json_map(&call->out, NULL);
    json_text(&call->out, "id", user.id);
    json_text(&call->out, "name", user.name);
    json_map_end(&call->out);
    return true;
}

static const struct field setup_reply[] = {
    { "open", T_BOOL, REQUIRED, "Whether nobody can log in yet and a code that was printed is still good." },
    { 0 },
};

static const struct field owner_reply[] = {
    { "id", T_TEXT, REQUIRED, "The owner's id." },
    { "name", T_TEXT, REQUIRED, "The name to log in with." },
    { 0 },
};

const struct op setup_ops[] = {
    {
        .name = "setup_get",
        .http = "GET /api/setup",
        .tag = TAG_IDENTITY,
        .help = "Say whether this server waits for its first owner.",
        .needs = ROLE_ANYONE,
        .reaches = REACH_OWN,
        .kind = OP_READ,
        .run = run_setup_get,
        .reply = setup_reply,
    },
    {
        .name = "setup_owner",
        .http = "POST /api/setup",
        .tag = TAG_IDENTITY,
        .help = "Make the account of the first owner, with the code that the server has printed at its start.",
        .needs = ROLE_ANYONE,
        .reaches = REACH_OWN,
        .kind = OP_WRITE,
        .status = 201,
        .hashes = true,
        .secret_reply = true,
        .fetch = fetch_setup,
        .before = before_setup,
        .run = run_setup_owner,
        .example = "{\"code\": \"witano_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789\", \"name\": \"maya\", "
                   "\"password\": \"plenty of good words\"}",
        .reply = owner_reply,
        .params = {
            { "code", T_TEXT, REQUIRED, "The code of `witan serve --setup`; good once.", .max = LIMIT_NAME, .flags = F_SECRET },
            { "name", T_NAME, REQUIRED, "The name to log in with." },
            { "password", T_TEXT, REQUIRED, "The password.", .min = PASSWORD_MIN, .max = LIMIT_PASSWORD, .flags = F_SECRET },
        },
    },
    { 0 },
};
