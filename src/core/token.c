#include "core/token.h"

#include "base/uuid.h"
#include "core/secret.h"
#include "core/workspace.h"

static void token_read(const struct db_rows *rows, size_t row, struct token *token)
{
    *token = (struct token){
        .id = db_cell(rows, row, 0),
        .workspace_id = db_cell(rows, row, 1),
        .name = db_cell(rows, row, 2),
        .project_id = db_cell(rows, row, 4),
        .agent_name = db_cell(rows, row, 5),
        .created_by = db_cell(rows, row, 6),
        .created_ms = db_cell_int(rows, row, 7),
        .expires_ms = db_cell_int(rows, row, 8),
        .last_used_ms = db_cell_int(rows, row, 9),
        .revoked_ms = db_cell_int(rows, row, 10),
    };
    if (!role_parse(db_cell(rows, row, 3), &token->role))
        token->role = 0;
}

static bool check_project(struct db *db, struct arena *arena, const struct token *token, struct err *err)
{
    struct db_rows rows;

    if (!token->project_id)
        return true;
    if (!db_query(db, arena, SQL_TOKEN_PROJECT,
                  DB_ARGS(db_text(token->project_id), db_text(token->workspace_id)), &rows, err))
        return false;
    return rows.count > 0 || err_field(err, "projectId", "There is no such project in this workspace.");
}

bool token_create(struct db *db, struct arena *arena, struct token *token, int64_t now_ms,
                  const char **secret, struct err *err)
{
    struct token made = *token;
    const char *told = secret_make(arena, SECRET_TOKEN);

    if (made.expires_ms && made.expires_ms <= now_ms)
        return err_field(err, "expiresAt", "expiresAt has passed already.");
    if (!check_project(db, arena, &made, err))
        return false;
    made.id = uuid_new(arena);
    made.created_ms = now_ms;
    made.last_used_ms = made.revoked_ms = 0;
    if (!db_exec(db, arena, SQL_TOKEN_INSERT,
                 DB_ARGS(db_text(made.id), db_text(made.workspace_id), db_text(secret_hash(arena, told)),
                         db_text(made.name), db_text(role_name(made.role)), db_text(made.project_id),
                         db_text(made.agent_name), db_text(made.created_by), db_int(now_ms),
                         db_ms(made.expires_ms)),
                 NULL, err))
        return false;
    *token = made;
    *secret = told;
    return true;
}

bool token_get(struct db *db, struct arena *arena, const char *workspace_id, const char *id,
               struct token *token, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_TOKEN_GET, DB_ARGS(db_text(workspace_id), db_text(id)), &rows, err))
        return false;
    if (rows.count == 0)
        return err_set(err, ERR_NOT_FOUND, "There is no such token.");
    token_read(&rows, 0, token);
    return true;
}

bool token_list(struct db *db, struct arena *arena, const char *workspace_id, const char *cursor,
                size_t limit, struct token **tokens, size_t *count, struct err *err)
{
    struct db_rows rows;

    if (!db_query(
            db, arena, SQL_TOKEN_LIST,
            DB_ARGS(db_text(workspace_id), db_text(cursor ? cursor : ID_ABOVE_ALL), db_int((int64_t)limit)),
            &rows, err))
        return false;
    *tokens = arena_array(arena, struct token, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        token_read(&rows, row, &(*tokens)[row]);
    return true;
}

bool token_revoke(struct db *db, struct arena *arena, const char *workspace_id, const char *id,
                  int64_t now_ms, struct err *err)
{
    struct token token;

    if (!token_get(db, arena, workspace_id, id, &token, err))
        return false;
    return db_exec(db, arena, SQL_TOKEN_REVOKE, DB_ARGS(db_text(workspace_id), db_text(id), db_int(now_ms)),
                   NULL, err);
}

bool token_touch(struct db *db, struct arena *arena, const char *id, int64_t now_ms, struct err *err)
{
    return db_exec(db, arena, SQL_TOKEN_TOUCH, DB_ARGS(db_text(id), db_int(now_ms)), NULL, err);
}
