#include "core/identity/user.h"

#include "base/str.h"
#include "base/uuid.h"
#include "core/identity/session.h"
#include "core/identity/workspace.h"

#include <stdio.h>

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
            .id = db_cell(rows, 0, 0),
            .name = db_cell(rows, 0, 1),
            .password = db_cell(rows, 0, 2),
            .disabled = db_cell(rows, 0, 3) != NULL,
        };
}

bool user_account_by_name(struct db *db, struct arena *arena, const char *name, struct account *account,
                          struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_USER_BY_NAME, DB_ARGS(db_text(str_fold(arena, name))), &rows, err))
        return false;
    account_read(&rows, account);
    return true;
}

bool user_account(struct db *db, struct arena *arena, const char *id, struct account *account,
                  struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_USER_ACCOUNT, DB_ARGS(db_text(id)), &rows, err))
        return false;
    if (rows.count == 0)
        return err_set(err, ERR_NOT_FOUND, "There is no such user.");
    account_read(&rows, account);
    return true;
}

bool user_get(struct db *db, struct arena *arena, const char *workspace_id, const char *id, struct user *user,
              struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_USER_GET, DB_ARGS(db_text(workspace_id), db_text(id)), &rows, err))
        return false;
    if (rows.count == 0)
        return err_set(err, ERR_NOT_FOUND, "There is no such user.");
    user_read(&rows, 0, user);
    return true;
}

bool user_list(struct db *db, struct arena *arena, const char *workspace_id, const char *cursor, size_t limit,
               struct user **users, size_t *count, struct err *err)
{
    struct db_rows rows;

    if (!db_query(
            db, arena, SQL_USER_LIST,
            DB_ARGS(db_text(workspace_id), db_text(cursor ? cursor : ID_ABOVE_ALL), db_int((int64_t)limit)),
            &rows, err))
        return false;
    *users = arena_array(arena, struct user, rows.count);
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

static bool is_managed_by(struct db *db, struct arena *arena, const char *id, const struct caller *caller,
                          bool *managed, struct err *err)
{
    struct db_rows rows;

    *managed = !caller || caller->kind == CALLER_LOCAL;
    if (*managed || caller->kind != CALLER_USER)
        return true;
    if (!db_query(db, arena, SQL_MEMBER_MANAGED, DB_ARGS(db_text(id), db_text(caller->id)), &rows, err))
        return false;
    *managed = db_cell_int(&rows, 0, 0) > 0;
    return true;
}

/* The name exists: which user is meant, if the caller may mean them at all. */
static bool find_existing(struct db *db, struct arena *arena, const struct caller *caller,
                          const struct user_wish *wish, const char **id, struct err *err)
{
    struct account account;
    bool managed = false;

    if (!user_account_by_name(db, arena, wish->name, &account, err))
        return false;
    if (account.id && !is_managed_by(db, arena, account.id, caller, &managed, err))
        return false;
    if (!managed)
        return name_taken(wish->name, err);
    if (wish->password) {
        (void)name_taken(wish->name, err);
        return err_hint(err, "Leave out the password to add that user to this workspace.");
    }
    *id = account.id;
    return true;
}

bool user_create(struct db *db, struct arena *arena, const struct caller *caller,
                 const struct user_wish *wish, int64_t now_ms, struct user *user, struct err *err)
{
    const char *id = uuid_new(arena);
    size_t changed;

    if (!db_exec(db, arena, SQL_USER_INSERT,
                 DB_ARGS(db_text(id), db_text(wish->name), db_text(str_fold(arena, wish->name)),
                         db_text(wish->password), db_int(now_ms)),
                 &changed, err))
        return false;
    if (changed == 0 && !find_existing(db, arena, caller, wish, &id, err))
        return false;
    if (!db_exec(
            db, arena, SQL_MEMBER_INSERT,
            DB_ARGS(db_text(wish->workspace_id), db_text(id), db_text(role_name(wish->role)), db_int(now_ms)),
            &changed, err))
        return false;
    if (changed == 0)
        return name_taken(wish->name, err);
    return user_get(db, arena, wish->workspace_id, id, user, err);
}

/* Fails when the user is the last owner of the workspace, or, without one, of any. */
static bool keep_an_owner(struct db *db, struct arena *arena, const char *id, const char *workspace_id,
                          struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_MEMBER_LOCK_OWNERS, DB_ARGS(db_text(id)), &rows, err) ||
        !db_query(db, arena, SQL_MEMBER_LAST_OWNER_OF, DB_ARGS(db_text(id), db_text(workspace_id)), &rows,
                  err))
        return false;
    if (rows.count == 0)
        return true;
    err_set(err, ERR_CONFLICT, "This is the last owner of the workspace %s.", db_cell(&rows, 0, 0));
    return err_hint(err, "Make somebody else an owner first.");
}

bool user_set_role(struct db *db, struct arena *arena, const char *workspace_id, const char *id,
                   enum role role, struct err *err)
{
    if (role != ROLE_OWNER && !keep_an_owner(db, arena, id, workspace_id, err))
        return false;
    return db_exec(db, arena, SQL_MEMBER_SET_ROLE,
                   DB_ARGS(db_text(workspace_id), db_text(id), db_text(role_name(role))), NULL, err);
}

bool user_set_password(struct db *db, struct arena *arena, const char *id, const char *hash, struct err *err)
{
    if (!hash)
        return err_set(err, ERR_INTERNAL, "The new password was not hashed.");
    return db_exec(db, arena, SQL_USER_SET_PASSWORD, DB_ARGS(db_text(id), db_text(hash)), NULL, err) &&
           session_end_all(db, arena, id, NULL, err);
}

bool user_change_password(struct db *db, struct arena *arena, const char *id, const char *old,
                          const char *hash, const char *except_session, struct err *err)
{
    size_t changed;

    if (!db_exec(db, arena, SQL_USER_CHANGE_PASSWORD, DB_ARGS(db_text(id), db_text(hash), db_text(old)),
                 &changed, err))
        return false;
    if (changed == 0)
        return err_set(err, ERR_CONFLICT, "The password was changed by somebody else just now.");
    return session_end_all(db, arena, id, except_session, err);
}

bool user_set_disabled(struct db *db, struct arena *arena, const char *id, int64_t disabled_ms,
                       struct err *err)
{
    if (disabled_ms && !keep_an_owner(db, arena, id, NULL, err))
        return false;
    return db_exec(db, arena, SQL_USER_SET_DISABLED, DB_ARGS(db_text(id), db_ms(disabled_ms)), NULL, err) &&
           (!disabled_ms || session_end_all(db, arena, id, NULL, err));
}

bool user_remove(struct db *db, struct arena *arena, const char *workspace_id, const char *id,
                 struct err *err)
{
    struct user user;

    if (!user_get(db, arena, workspace_id, id, &user, err) ||
        !keep_an_owner(db, arena, id, workspace_id, err))
        return false;
    return db_exec(db, arena, SQL_MEMBER_DELETE, DB_ARGS(db_text(workspace_id), db_text(id)), NULL, err) &&
           db_exec(db, arena, SQL_USER_DELETE_IF_ALONE, DB_ARGS(db_text(id)), NULL, err);
}

bool user_may_change_account(struct db *db, struct arena *arena, const struct caller *caller,
                             const struct user *user, struct err *err)
{
    const char *who = caller->kind == CALLER_USER ? caller->id : NULL;
    struct db_rows rows;

    if (caller->kind == CALLER_LOCAL)
        return true;
    if (!db_query(db, arena, SQL_MEMBER_BEYOND,
                  DB_ARGS(db_text(user->id), db_text(who), db_text(caller->workspace_id)), &rows, err))
        return false;
    if (db_cell_int(&rows, 0, 0) == 0)
        return true;
    err_set(err, ERR_FORBIDDEN, "%s belongs to workspaces that you do not manage.", user->name);
    return err_hint(err, "Change the role here or remove the user from this workspace instead.");
}

static bool no_preferences(struct err *err)
{
    return err_set(err, ERR_FORBIDDEN, "Only people have preferences; a token has none.");
}

bool user_preferences(struct db *db, struct arena *arena, const struct caller *caller,
                      const char **preferences, struct err *err)
{
    struct db_rows rows;
    bool found;

    if (caller->kind == CALLER_USER)
        found = db_query(db, arena, SQL_USER_PREFERENCES, DB_ARGS(db_text(caller->id)), &rows, err);
    else if (caller->kind == CALLER_LOCAL)
        found = db_query(db, arena, SQL_USER_LOCAL_PREFERENCES, DB_NO_ARGS, &rows, err);
    else
        return no_preferences(err);
    if (!found)
        return false;
    *preferences = rows.count > 0 ? db_cell(&rows, 0, 0) : "{}";
    return true;
}

bool user_set_preferences(struct db *db, struct arena *arena, const struct caller *caller,
                          const char *preferences, struct err *err)
{
    if (caller->kind == CALLER_USER)
        return db_exec(db, arena, SQL_USER_SET_PREFERENCES,
                       DB_ARGS(db_text(caller->id), db_text(preferences)), NULL, err);
    if (caller->kind == CALLER_LOCAL)
        return db_exec(db, arena, SQL_USER_SET_LOCAL_PREFERENCES, DB_ARGS(db_text(preferences)), NULL, err);
    return no_preferences(err);
}
