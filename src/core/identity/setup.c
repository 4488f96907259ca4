/*
 * The code is taken by a statement that deletes it, so that of two who come with the same one only one finds
 * it; whether there is an account already is looked at after that, in the same transaction.
 */
#include "core/identity/setup.h"

#include "base/limits.h"
#include "core/caller/secret.h"

static bool refuse(struct err *err)
{
    err_set(err, ERR_FORBIDDEN, "This code is not good, or not any more.");
    return err_hint(
        err,
        "Start the server anew with --setup: it prints another one, unless there is an account already.");
}

bool setup_make_code(const struct tx *tx, const char **code)
{
    const char *made = secret_make(tx->arena, SECRET_SETUP);

    if (!tx_exec(tx, SQL_SETUP_PRUNE, DB_ARGS(db_int(tx->now_ms)), NULL) ||
        !tx_exec(tx, SQL_SETUP_INSERT,
                 DB_ARGS(db_text(secret_hash(tx->arena, made)), db_int(tx->now_ms + SETUP_CODE_MS)), NULL))
        return false;
    *code = made;
    return true;
}

/* With a hash of NULL: whether any code is good. */
static bool find(const struct tx *tx, const char *hash, bool *found)
{
    struct db_rows rows;
    bool fresh;

    if (!caller_solo_allowed(tx, &fresh) ||
        !tx_query(tx, SQL_SETUP_FIND, DB_ARGS(db_text(hash), db_int(tx->now_ms)), &rows))
        return false;
    *found = fresh && db_cell_int(&rows, 0, 0) > 0;
    return true;
}

bool setup_is_open(const struct tx *tx, bool *open)
{
    return find(tx, NULL, open);
}

bool setup_check_code(const struct tx *tx, const char *code)
{
    bool good;

    return find(tx, secret_hash(tx->arena, code), &good) && (good || refuse(tx->err));
}

bool setup_make_owner(const struct tx *tx, const char *code, const char *name, const char *password,
                      struct user *user)
{
    struct user_wish wish = {
        .workspace_id = DEFAULT_WORKSPACE_ID, .name = name, .password = password, .role = ROLE_OWNER
    };
    size_t taken;
    bool fresh;

    if (!tx_exec(tx, SQL_SETUP_TAKE, DB_ARGS(db_text(secret_hash(tx->arena, code)), db_int(tx->now_ms)),
                 &taken) ||
        !caller_solo_allowed(tx, &fresh))
        return false;
    if (taken == 0 || !fresh)
        return refuse(tx->err);
    return tx_exec(tx, SQL_SETUP_CLEAR, DB_NO_ARGS, NULL) && user_create(tx, &wish, user);
}
