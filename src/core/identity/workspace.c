#include "core/identity/workspace.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"

#include <string.h>

static void workspace_read(const struct db_rows *rows, size_t row, struct workspace *workspace)
{
    *workspace = (struct workspace){
        .id = db_cell(rows, row, COL_WORKSPACE_ID),
        .slug = db_cell(rows, row, COL_WORKSPACE_SLUG),
        .name = db_cell(rows, row, COL_WORKSPACE_NAME),
        .settings = db_cell(rows, row, COL_WORKSPACE_SETTINGS),
        .created_ms = db_cell_int(rows, row, COL_WORKSPACE_CREATED_AT),
    };
}

static bool unknown(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "There is no such workspace.");
}

bool workspace_get(struct db *db, struct arena *arena, const char *name, struct workspace *workspace,
                   struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_WORKSPACE_GET, DB_ARGS(db_text(str_fold(arena, name))), &rows, err))
        return false;
    if (rows.count == 0)
        return unknown(err);
    workspace_read(&rows, 0, workspace);
    return true;
}

/* What the caller may do in a workspace that is not necessarily the one of the call; 0: nothing. */
static bool role_in(struct db *db, struct arena *arena, const struct caller *caller, const char *workspace_id,
                    enum role *role, struct err *err)
{
    struct db_rows rows;

    *role = 0;
    if (caller->kind == CALLER_LOCAL || str_equal(workspace_id, caller->workspace_id)) {
        *role = caller->role;
        return true;
    }
    if (caller->kind != CALLER_USER)
        return true;
    if (!db_query(db, arena, SQL_MEMBER_ROLE, DB_ARGS(db_text(workspace_id), db_text(caller->id)), &rows,
                  err))
        return false;
    if (rows.count > 0 && !role_parse(db_cell(&rows, 0, 0), role))
        *role = 0;
    return true;
}

bool workspace_see(struct db *db, struct arena *arena, const struct caller *caller, const char *name,
                   struct workspace *workspace, enum role *role, struct err *err)
{
    struct workspace found;
    enum role found_role;

    if (!workspace_get(db, arena, name, &found, err) ||
        !role_in(db, arena, caller, found.id, &found_role, err))
        return false;
    if (found_role == 0)
        return unknown(err);
    *workspace = found;
    *role = found_role;
    return true;
}

static bool list_own(struct db *db, struct arena *arena, const struct caller *caller, const char *cursor,
                     struct db_rows *rows, struct err *err)
{
    if (cursor && strcmp(caller->workspace_id, cursor) >= 0) {
        *rows = (struct db_rows){ 0 };
        return true;
    }
    return db_query(db, arena, SQL_WORKSPACE_GET, DB_ARGS(db_text(caller->workspace_id)), rows, err);
}

static bool list_rows(struct db *db, struct arena *arena, const struct caller *caller, const char *cursor,
                      size_t limit, struct db_rows *rows, struct err *err)
{
    const char *below = cursor ? cursor : ID_ABOVE_ALL;

    if (!caller || caller->kind == CALLER_LOCAL)
        return db_query(db, arena, SQL_WORKSPACE_LIST, DB_ARGS(db_text(below), db_int((int64_t)limit)), rows,
                        err);
    if (caller->kind == CALLER_USER)
        return db_query(db, arena, SQL_WORKSPACE_LIST_OF_USER,
                        DB_ARGS(db_text(below), db_int((int64_t)limit), db_text(caller->id)), rows, err);
    return list_own(db, arena, caller, cursor, rows, err);
}

bool workspace_list(struct db *db, struct arena *arena, const struct caller *caller, const char *cursor,
                    size_t limit, struct workspace **workspaces, size_t *count, struct err *err)
{
    struct db_rows rows;

    if (!list_rows(db, arena, caller, cursor, limit, &rows, err))
        return false;
    *workspaces = arena_array(arena, struct workspace, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        workspace_read(&rows, row, &(*workspaces)[row]);
    return true;
}

static bool is_slug_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Letters and digits with single hyphens between them; one that reads as an id could be taken for another. */
static bool check_slug(const char *slug, struct err *err)
{
    size_t len = strlen(slug);
    bool fits = len > 0 && len <= LIMIT_SLUG && slug[0] != '-' && slug[len - 1] != '-' && !uuid_valid(slug);

    for (size_t i = 0; fits && i < len; i++)
        fits = is_slug_char(slug[i]) || (slug[i] == '-' && slug[i + 1] != '-');
    return fits || err_field(err, "slug",
                             "A slug is 1 to %d lower-case letters, digits and single hyphens between them.",
                             LIMIT_SLUG);
}

static char *slug_of(struct arena *arena, const char *name)
{
    char *slug = str_fold(arena, name);
    size_t len = 0;

    for (const char *at = slug; *at && len < LIMIT_SLUG; at++) {
        if (is_slug_char(*at))
            slug[len++] = *at;
        else if (len > 0 && slug[len - 1] != '-')
            slug[len++] = '-';
    }
    while (len > 0 && slug[len - 1] == '-')
        len--;
    slug[len] = '\0';
    return slug;
}

static bool slug_taken(const char *slug, struct err *err)
{
    err_set(err, ERR_CONFLICT, "There is a workspace with the slug %s already.", slug);
    return err_hint(err, "Choose another slug.");
}

bool workspace_create(struct db *db, struct arena *arena, const struct workspace *wish, const char *owner_id,
                      int64_t now_ms, struct workspace *workspace, struct err *err)
{
    const char *slug = wish->slug ? wish->slug : slug_of(arena, wish->name);
    struct db_rows rows;

    if (!check_slug(slug, err))
        return false;
    if (!db_query(db, arena, SQL_WORKSPACE_INSERT,
                  DB_ARGS(db_text(uuid_new(arena)), db_text(slug), db_text(wish->name),
                          db_text(wish->settings ? wish->settings : "{}"), db_int(now_ms)),
                  &rows, err))
        return false;
    if (rows.count == 0)
        return slug_taken(slug, err);
    workspace_read(&rows, 0, workspace);
    return !owner_id || db_exec(db, arena, SQL_MEMBER_INSERT,
                                DB_ARGS(db_text(workspace->id), db_text(owner_id),
                                        db_text(role_name(ROLE_OWNER)), db_int(now_ms)),
                                NULL, err);
}

bool workspace_update(struct db *db, struct arena *arena, const char *id, const struct workspace *wish,
                      struct workspace *workspace, struct err *err)
{
    struct db_rows rows;

    if (wish->slug && !check_slug(wish->slug, err))
        return false;
    if (wish->slug && str_equal(id, DEFAULT_WORKSPACE_ID) && strcmp(wish->slug, "default") != 0)
        return err_set(err, ERR_CONFLICT, "The workspace default keeps its slug.");
    if (!db_query(db, arena, SQL_WORKSPACE_UPDATE,
                  DB_ARGS(db_text(id), db_text(wish->slug), db_text(wish->name), db_text(wish->settings)),
                  &rows, err))
        return false;
    if (rows.count == 0)
        return wish->slug ? slug_taken(wish->slug, err) : unknown(err);
    workspace_read(&rows, 0, workspace);
    return true;
}

static bool keep_credentials(struct db *db, struct arena *arena, const char *id, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_WORKSPACE_OTHERS_HAVE_CREDENTIALS, DB_ARGS(db_text(id)), &rows, err))
        return false;
    if (db_cell_bool(&rows, 0, 0))
        return true;
    err_set(err, ERR_CONFLICT, "No user or token would be left after deleting this workspace.");
    return err_hint(err, "Make an owner in another workspace first.");
}

bool workspace_delete(struct db *db, struct arena *arena, const char *id, struct err *err)
{
    bool solo;

    if (str_equal(id, DEFAULT_WORKSPACE_ID))
        return err_set(err, ERR_CONFLICT, "The workspace default cannot be deleted.");
    if (!caller_solo_allowed(db, arena, &solo, err) || (!solo && !keep_credentials(db, arena, id, err)))
        return false;
    return db_exec(db, arena, SQL_WORKSPACE_DELETE_LONE_USERS, DB_ARGS(db_text(id)), NULL, err) &&
           db_exec(db, arena, SQL_WORKSPACE_DELETE, DB_ARGS(db_text(id)), NULL, err);
}
