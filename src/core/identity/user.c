/*
 * Inserts come first and questions later: the unique index decides who has a name, and a change that would
 * take a workspace's last owner away is found under a lock on the owners' rows, so that two who leave at once
 * cannot both be told yes.
 */
#include "core/identity/user.h"

#include "base/str.h"
#include "base/uuid.h"
#include "core/identity/session.h"
#include "core/identity/token.h"
#include "core/identity/workspace.h"
#include "core/log/event.h"

#include <stdio.h>

#define PLACES_TOLD 100 /* workspaces of one user that are told of a change */

static bool tell(const struct tx *tx, const char *workspace_id, const char *id)
{
    return event_changed(
        tx, &(struct event){ .workspace_id = workspace_id, .type = EVENT_USER_CHANGED, .subject = id },
        "userId");
}

/* An account is one for all workspaces. */
static bool tell_everywhere(const struct tx *tx, const char *id)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_WORKSPACE_LIST_OF_USER,
                  DB_ARGS(db_text(ID_ABOVE_ALL), db_int(PLACES_TOLD), db_text(id)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!tell(tx, db_cell(&rows, i, COL_WORKSPACE_ID), id))
            return false;
    return true;
}

static void user_read(const struct db_rows *rows, size_t row, struct user *user)
{
    *user = (struct user){
        .id = db_cell(rows, row, COL_USER_ID),
        .name = db_cell(rows, row, COL_USER_NAME),
        .has_password = db_cell_bool(rows, row, COL_USER_HAS_PASSWORD),
        .disabled_ms = db_cell_int(rows, row, COL_USER_DISABLED_AT),
        .created_ms = db_cell_int(rows, row, COL_USER_CREATED_AT),
    };
    if (!role_parse(db_cell(rows, row, COL_USER_ROLE), &user->role))
        user->role = 0;
}

static void account_read(const struct db_rows *rows, struct account *account)
{
    *account = (struct account){ 0 };
    if (rows->count > 0)
        *account = (struct account){
            .id = db_cell(rows, 0, COL_ACCOUNT_ID),
            .name = db_cell(rows, 0, COL_ACCOUNT_NAME),
            .password = db_cell(rows, 0, COL_ACCOUNT_PASSWORD),
            .disabled = db_cell(rows, 0, COL_ACCOUNT_DISABLED_AT) != NULL,
        };
}

bool user_account_by_name(const struct tx *tx, const char *name, struct account *account)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_USER_BY_NAME,
                  DB_ARGS(db_text(str_fold(tx->arena, name)), db_text(str_fold_apart(tx->arena, name))),
                  &rows))
        return false;
    account_read(&rows, account);
    return true;
}

bool user_account(const struct tx *tx, const char *id, struct account *account)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_USER_ACCOUNT, DB_ARGS(db_text(id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no such user.");
    account_read(&rows, account);
    return true;
}

bool user_get(const struct tx *tx, const char *workspace_id, const char *id, struct user *user)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_USER_GET, DB_ARGS(db_text(workspace_id), db_text(id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no such user.");
    user_read(&rows, 0, user);
    return true;
}

bool user_list(const struct tx *tx, const char *workspace_id, const char *cursor, size_t limit,
               struct user **users, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(
            tx, SQL_USER_LIST,
            DB_ARGS(db_text(workspace_id), db_text(cursor ? cursor : ID_ABOVE_ALL), db_int((int64_t)limit)),
            &rows))
        return false;
    *users = arena_array(tx->arena, struct user, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        user_read(&rows, row, &(*users)[row]);
    return true;
}

static bool name_taken(const char *name, struct err *err)
{
    err_set(err, ERR_CONFLICT, "There is a user named %s already.", name);
    snprintf(err->field, sizeof(err->field), "name");
    return false;
}

static bool is_managed_by(const struct tx *tx, const char *id, bool *managed)
{
    struct db_rows rows;

    *managed = !tx->caller || tx->caller->kind == CALLER_LOCAL;
    if (*managed || !caller_is_login(tx->caller))
        return true;
    if (!tx_query(tx, SQL_MEMBER_MANAGED,
                  DB_ARGS(db_text(id), db_text(tx->caller->id), db_text(ROLES_MANAGE_WORDS)), &rows))
        return false;
    *managed = db_cell_int(&rows, 0, 0) > 0;
    return true;
}

/* The name exists: which user is meant, if the caller may mean them at all. */
static bool find_existing(const struct tx *tx, const struct user_wish *wish, const char **id)
{
    struct account account;
    bool managed = false;

    if (!user_account_by_name(tx, wish->name, &account))
        return false;
    if (account.id && !is_managed_by(tx, account.id, &managed))
        return false;
    if (!managed)
        return name_taken(wish->name, tx->err);
    if (wish->password) {
        (void)name_taken(wish->name, tx->err);
        return err_hint(tx->err, "Leave out the password to add that user to this workspace.");
    }
    *id = account.id;
    return true;
}

bool user_create(const struct tx *tx, const struct user_wish *wish, struct user *user)
{
    const char *id = uuid_new(tx->arena);
    size_t changed;

    if (!tx_exec(tx, SQL_USER_INSERT,
                 DB_ARGS(db_text(id), db_text(wish->name), db_text(str_fold(tx->arena, wish->name)),
                         db_text(wish->password), db_int(tx->now_ms),
                         db_text(str_fold_apart(tx->arena, wish->name))),
                 &changed))
        return false;
    bool is_known = changed == 0;

    if (is_known && !find_existing(tx, wish, &id))
        return false;
    if (!tx_exec(tx, SQL_MEMBER_INSERT,
                 DB_ARGS(db_text(wish->workspace_id), db_text(id), db_text(role_name(wish->role)),
                         db_int(tx->now_ms)),
                 &changed))
        return false;
    if (changed == 0)
        return name_taken(wish->name, tx->err);
    return tell(tx, wish->workspace_id, id) && (!is_known || workspace_tell_user(tx, id)) &&
           user_get(tx, wish->workspace_id, id, user);
}

/* Fails when the user is the last owner of the workspace, or, without one, of any. */
static bool keep_an_owner(const struct tx *tx, const char *id, const char *workspace_id)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_MEMBER_LOCK_OWNERS, DB_ARGS(db_text(id)), &rows) ||
        !tx_query(tx, SQL_MEMBER_LAST_OWNER_OF, DB_ARGS(db_text(id), db_text(workspace_id)), &rows))
        return false;
    if (rows.count == 0)
        return true;
    err_set(tx->err, ERR_CONFLICT, "This is the last owner of the workspace %s.", db_cell(&rows, 0, 0));
    return err_hint(tx->err, "Make somebody else an owner first.");
}

bool user_set_role(const struct tx *tx, const char *workspace_id, const char *id, enum role role)
{
    if (role != ROLE_OWNER && !keep_an_owner(tx, id, workspace_id))
        return false;
    return tx_exec(tx, SQL_MEMBER_SET_ROLE,
                   DB_ARGS(db_text(workspace_id), db_text(id), db_text(role_name(role))), NULL) &&
           tell(tx, workspace_id, id) && workspace_tell_user(tx, id);
}

bool user_set_password(const struct tx *tx, const char *id, const char *hash)
{
    if (!hash)
        return err_set(tx->err, ERR_INTERNAL, "The new password was not hashed.");
    return tx_exec(tx, SQL_USER_SET_PASSWORD, DB_ARGS(db_text(id), db_text(hash)), NULL) &&
           session_end_all(tx, id, NULL) && tell_everywhere(tx, id);
}

bool user_change_password(const struct tx *tx, const char *id, const char *old, const char *hash,
                          const char *except_session)
{
    size_t changed;

    if (!tx_exec(tx, SQL_USER_CHANGE_PASSWORD, DB_ARGS(db_text(id), db_text(hash), db_text(old)), &changed))
        return false;
    if (changed == 0)
        return err_set(tx->err, ERR_CONFLICT, "The password was changed by somebody else just now.");
    return session_end_all(tx, id, except_session);
}

bool user_set_disabled(const struct tx *tx, const char *id, int64_t disabled_ms)
{
    if (disabled_ms && !keep_an_owner(tx, id, NULL))
        return false;
    return tx_exec(tx, SQL_USER_SET_DISABLED, DB_ARGS(db_text(id), db_ms(disabled_ms)), NULL) &&
           (!disabled_ms || session_end_all(tx, id, NULL)) && tell_everywhere(tx, id);
}

bool user_remove(const struct tx *tx, const char *workspace_id, const char *id)
{
    struct user user;

    if (!user_get(tx, workspace_id, id, &user) || !keep_an_owner(tx, id, workspace_id))
        return false;
    return token_revoke_of_user(tx, workspace_id, id) &&
           tx_exec(tx, SQL_MEMBER_DELETE, DB_ARGS(db_text(workspace_id), db_text(id)), NULL) &&
           tell(tx, workspace_id, id) && workspace_tell_user(tx, id) &&
           tx_exec(tx, SQL_USER_DELETE_IF_ALONE, DB_ARGS(db_text(id)), NULL);
}

bool user_may_change_account(const struct tx *tx, const struct user *user)
{
    const char *who = caller_is_login(tx->caller) ? tx->caller->id : NULL;
    struct db_rows rows;

    if (tx->caller->kind == CALLER_LOCAL)
        return true;
    if (!tx_query(tx, SQL_MEMBER_BEYOND,
                  DB_ARGS(db_text(user->id), db_text(who), db_text(tx->caller->workspace_id),
                          db_text(ROLES_MANAGE_WORDS)),
                  &rows))
        return false;
    if (db_cell_int(&rows, 0, 0) == 0)
        return true;
    err_set(tx->err, ERR_FORBIDDEN, "%s belongs to workspaces that you do not manage.", user->name);
    return err_hint(tx->err, "Change the role here or remove the user from this workspace instead.");
}

static bool no_preferences(struct err *err)
{
    return err_set(err, ERR_FORBIDDEN, "Only people have preferences; a token has none.");
}

bool user_preferences(const struct tx *tx, const char **preferences)
{
    struct db_rows rows;
    bool found;

    if (tx->caller->kind == CALLER_USER)
        found = tx_query(tx, SQL_USER_PREFERENCES, DB_ARGS(db_text(tx->caller->id)), &rows);
    else if (tx->caller->kind == CALLER_LOCAL)
        found = tx_query(tx, SQL_USER_LOCAL_PREFERENCES, DB_NO_ARGS, &rows);
    else
        return no_preferences(tx->err);
    if (!found)
        return false;
    *preferences = rows.count > 0 ? db_cell(&rows, 0, 0) : "{}";
    return true;
}

bool user_set_preferences(const struct tx *tx, const char *preferences)
{
    if (tx->caller->kind == CALLER_USER)
        return tx_exec(tx, SQL_USER_SET_PREFERENCES, DB_ARGS(db_text(tx->caller->id), db_text(preferences)),
                       NULL);
    if (tx->caller->kind == CALLER_LOCAL)
        return tx_exec(tx, SQL_USER_SET_LOCAL_PREFERENCES, DB_ARGS(db_text(preferences)), NULL);
    return no_preferences(tx->err);
}
