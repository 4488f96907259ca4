/*
 * Being seen is asked before anything else is said, and a workspace in which the caller has no role is
 * answered like one that there is not. Slugs that read as an id are refused, since either may name a
 * workspace in a path.
 */
#include "core/identity/workspace.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/log/audience.h"
#include "core/log/event.h"

#include <string.h>

#define PLACES_TOLD  100 /* workspaces of one user in which a change of them is told */
#define MEMBERS_TOLD 200 /* members of one that is removed who are told so */

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

bool workspace_is_rehearsal(const struct workspace *workspace)
{
    JSON_AUTO *settings = workspace->settings ? json_loads(workspace->settings, 0, NULL) : NULL;

    return json_is_true(json_object_get(settings, WORKSPACE_REHEARSAL));
}

bool workspace_get(const struct tx *tx, const char *name, struct workspace *workspace)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_WORKSPACE_GET, DB_ARGS(db_text(str_lower(tx->arena, name))), &rows))
        return false;
    if (rows.count == 0)
        return unknown(tx->err);
    workspace_read(&rows, 0, workspace);
    return true;
}

/* What the caller may do in a workspace that is not necessarily the one of the call; 0: nothing. */
static bool role_in(const struct tx *tx, const char *workspace_id, enum role *role)
{
    struct db_rows rows;

    *role = 0;
    if (tx->caller->kind == CALLER_LOCAL || str_equal(workspace_id, tx->caller->workspace_id)) {
        *role = tx->caller->role;
        return true;
    }
    if (!caller_is_login(tx->caller))
        return true;
    if (!tx_query(tx, SQL_MEMBER_ROLE, DB_ARGS(db_text(workspace_id), db_text(tx->caller->id)), &rows))
        return false;
    if (rows.count > 0 && !role_parse(db_cell(&rows, 0, 0), role))
        *role = 0;
    return true;
}

bool workspace_see(const struct tx *tx, const char *name, struct workspace *workspace, enum role *role)
{
    struct workspace found;
    enum role found_role;

    if (!workspace_get(tx, name, &found) || !role_in(tx, found.id, &found_role))
        return false;
    if (found_role == 0)
        return unknown(tx->err);
    *workspace = found;
    *role = found_role;
    return true;
}

static bool list_own(const struct tx *tx, const char *cursor, struct db_rows *rows)
{
    if (cursor && strcmp(tx->caller->workspace_id, cursor) >= 0) {
        *rows = (struct db_rows){ 0 };
        return true;
    }
    return tx_query(tx, SQL_WORKSPACE_GET, DB_ARGS(db_text(tx->caller->workspace_id)), rows);
}

static bool list_rows(const struct tx *tx, const char *cursor, size_t limit, struct db_rows *rows)
{
    const char *below = cursor ? cursor : ID_ABOVE_ALL;

    if (!tx->caller || tx->caller->kind == CALLER_LOCAL)
        return tx_query(tx, SQL_WORKSPACE_LIST, DB_ARGS(db_text(below), db_int((int64_t)limit)), rows);
    if (caller_is_login(tx->caller))
        return tx_query(tx, SQL_WORKSPACE_LIST_OF_USER,
                        DB_ARGS(db_text(below), db_int((int64_t)limit), db_text(tx->caller->id)), rows);
    return list_own(tx, cursor, rows);
}

bool workspace_list(const struct tx *tx, const char *cursor, size_t limit, struct workspace **workspaces,
                    size_t *count)
{
    struct db_rows rows;

    if (!list_rows(tx, cursor, limit, &rows))
        return false;
    *workspaces = arena_array(tx->arena, struct workspace, rows.count);
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
    char *slug = str_lower(arena, name);
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

/* `audience`: one user whose list has changed; NULL: all there, of the workspace itself. */
static bool tell(const struct tx *tx, const char *id, const struct audience *audience)
{
    return event_changed(tx,
                         &(struct event){ .workspace_id = id,
                                          .type = EVENT_WORKSPACE_CHANGED,
                                          .audience = audience ? audience_text(tx->arena, audience) : NULL },
                         NULL);
}

bool workspace_tell_user(const struct tx *tx, const char *user_id)
{
    const struct audience user = { .user_id = user_id };
    struct db_rows rows;

    if (!tx_query(tx, SQL_WORKSPACE_LIST_OF_USER,
                  DB_ARGS(db_text(ID_ABOVE_ALL), db_int(PLACES_TOLD), db_text(user_id)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!tell(tx, db_cell(&rows, i, COL_WORKSPACE_ID), &user))
            return false;
    return true;
}

/* The list of whoever makes or removes one: a user's own, or the one of the local owner, who sees them all.
 */
static bool tell_lists(const struct tx *tx, const char *owner_id)
{
    const struct audience owner = { .roles = ROLE_OWNER };

    if (owner_id)
        return workspace_tell_user(tx, owner_id);
    return !tx->caller || tx->caller->kind != CALLER_LOCAL || tell(tx, tx->caller->workspace_id, &owner);
}

bool workspace_create(const struct tx *tx, const struct workspace *wish, const char *owner_id,
                      struct workspace *workspace)
{
    const char *slug = wish->slug ? wish->slug : slug_of(tx->arena, wish->name);
    struct db_rows rows;

    if (!check_slug(slug, tx->err))
        return false;
    if (!tx_query(tx, SQL_WORKSPACE_INSERT,
                  DB_ARGS(db_text(uuid_new(tx->arena)), db_text(slug), db_text(wish->name),
                          db_text(wish->settings ? wish->settings : "{}"), db_int(tx->now_ms)),
                  &rows))
        return false;
    if (rows.count == 0)
        return slug_taken(slug, tx->err);
    workspace_read(&rows, 0, workspace);
    if (owner_id && !tx_exec(tx, SQL_MEMBER_INSERT,
                             DB_ARGS(db_text(workspace->id), db_text(owner_id),
                                     db_text(role_name(ROLE_OWNER)), db_int(tx->now_ms)),
                             NULL))
        return false;
    return tell_lists(tx, owner_id);
}

bool workspace_check_mark(const struct workspace *wish, bool rehearsal, struct err *err)
{
    if (!wish->settings || workspace_is_rehearsal(wish) == rehearsal)
        return true;
    return err_field(err, "settings",
                     "settings." WORKSPACE_REHEARSAL
                     " says what a workspace was made for and cannot be changed.");
}

static bool keep_mark(const struct tx *tx, const char *id, const struct workspace *wish)
{
    struct workspace old;

    return !wish->settings ||
           (workspace_get(tx, id, &old) && workspace_check_mark(wish, workspace_is_rehearsal(&old), tx->err));
}

bool workspace_update(const struct tx *tx, const char *id, const struct workspace *wish,
                      struct workspace *workspace)
{
    struct db_rows rows;

    if ((wish->slug && !check_slug(wish->slug, tx->err)) || !keep_mark(tx, id, wish))
        return false;
    if (wish->slug && str_equal(id, DEFAULT_WORKSPACE_ID) && strcmp(wish->slug, DEFAULT_WORKSPACE_SLUG) != 0)
        return err_set(tx->err, ERR_CONFLICT, "The workspace default keeps its slug.");
    if (!tx_query(tx, SQL_WORKSPACE_UPDATE,
                  DB_ARGS(db_text(id), db_text(wish->slug), db_text(wish->name), db_text(wish->settings)),
                  &rows))
        return false;
    if (rows.count == 0)
        return wish->slug ? slug_taken(wish->slug, tx->err) : unknown(tx->err);
    workspace_read(&rows, 0, workspace);
    return tell(tx, id, NULL);
}

static bool keep_credentials(const struct tx *tx, const char *id)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_WORKSPACE_OTHERS_HAVE_CREDENTIALS, DB_ARGS(db_text(id)), &rows))
        return false;
    if (db_cell_bool(&rows, 0, 0))
        return true;
    err_set(tx->err, ERR_CONFLICT, "No user or token would be left after deleting this workspace.");
    return err_hint(tx->err, "Make an owner in another workspace first.");
}

static bool tell_members(const struct tx *tx, const char *gone, const struct db_rows *members)
{
    for (size_t i = 0; i < members->count; i++)
        if (!workspace_tell_user(tx, db_cell(members, i, 0)))
            return false;
    /* Nothing is told where nothing is any more. */
    return (tx->caller && str_equal(tx->caller->workspace_id, gone)) || tell_lists(tx, NULL);
}

bool workspace_delete(const struct tx *tx, const char *id)
{
    struct db_rows members;
    bool solo;

    if (str_equal(id, DEFAULT_WORKSPACE_ID))
        return err_set(tx->err, ERR_CONFLICT, "The workspace default cannot be deleted.");
    if (!caller_solo_allowed(tx, &solo) || (!solo && !keep_credentials(tx, id)))
        return false;
    return tx_query(tx, SQL_WORKSPACE_MEMBERS, DB_ARGS(db_text(id), db_int(MEMBERS_TOLD)), &members) &&
           tx_exec(tx, SQL_WORKSPACE_DELETE_LONE_USERS, DB_ARGS(db_text(id)), NULL) &&
           tx_exec(tx, SQL_WORKSPACE_DELETE, DB_ARGS(db_text(id)), NULL) && tell_members(tx, id, &members);
}
