/*
 * A rotated token keeps its row and its id; only the hash moves, and the one before goes to a table of its
 * own with an end. So everything that refers to a token (rights, approvals, audit rows) knows nothing of
 * rotation.
 */
#include "core/identity/token.h"

#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/caller/secret.h"
#include "core/identity/user.h"
#include "core/identity/workspace.h"
#include "core/inbox/notification.h"
#include "core/log/event.h"

static void token_read(const struct db_rows *rows, size_t row, struct token *token)
{
    *token = (struct token){
        .id = db_cell(rows, row, COL_TOKEN_ID),
        .workspace_id = db_cell(rows, row, COL_TOKEN_WORKSPACE_ID),
        .name = db_cell(rows, row, COL_TOKEN_NAME),
        .project_id = db_cell(rows, row, COL_TOKEN_PROJECT_ID),
        .agent_name = db_cell(rows, row, COL_TOKEN_AGENT_NAME),
        .user_id = db_cell(rows, row, COL_TOKEN_USER_ID),
        .user_name = db_cell(rows, row, COL_TOKEN_USER_NAME),
        .created_by = db_cell(rows, row, COL_TOKEN_CREATED_BY),
        .created_ms = db_cell_int(rows, row, COL_TOKEN_CREATED_AT),
        .expires_ms = db_cell_int(rows, row, COL_TOKEN_EXPIRES_AT),
        .last_used_ms = db_cell_int(rows, row, COL_TOKEN_LAST_USED_AT),
        .revoked_ms = db_cell_int(rows, row, COL_TOKEN_REVOKED_AT),
        .rotated_ms = db_cell_int(rows, row, COL_TOKEN_ROTATED_AT),
    };
    if (!role_parse(db_cell(rows, row, COL_TOKEN_ROLE), &token->role))
        token->role = 0;
}

static bool check_project(const struct tx *tx, const struct token *token)
{
    struct db_rows rows;

    if (!token->project_id)
        return true;
    if (!tx_query(tx, SQL_TOKEN_PROJECT, DB_ARGS(db_text(token->project_id), db_text(token->workspace_id)),
                  &rows))
        return false;
    return rows.count > 0 || err_field(tx->err, "projectId", "projectId names no project of this workspace.");
}

static bool check_user(const struct tx *tx, struct token *token)
{
    struct user user;

    if (!token->user_id)
        return true;
    if (token->agent_name)
        return err_field(tx->err, "userId", "A token belongs to a user or speaks as an agent, not both.");
    if (!user_get(tx, token->workspace_id, token->user_id, &user))
        return false;
    token->user_name = user.name;
    return true;
}

static bool tell(const struct tx *tx, const char *workspace_id, const char *id)
{
    return event_changed(
        tx, &(struct event){ .workspace_id = workspace_id, .type = EVENT_TOKEN_CHANGED, .subject = id },
        "tokenId");
}

/* When its end is told: days before, of a token that does not live that long a quarter of its life. */
static int64_t notice_ms(int64_t from_ms, int64_t expires_ms)
{
    int64_t life_ms = expires_ms - from_ms, ahead_ms = settings()->tokens_notice_ms;

    if (expires_ms == 0 || life_ms <= TOKEN_BRIEF_MS)
        return 0;
    return expires_ms - (ahead_ms < life_ms / 4 ? ahead_ms : life_ms / 4);
}

bool token_create(const struct tx *tx, struct token *token, const char **secret)
{
    struct token made = *token;
    const char *told = secret_make(tx->arena, SECRET_TOKEN);

    if (made.expires_ms && made.expires_ms <= tx->now_ms)
        return err_field(tx->err, "expiresAt", "expiresAt has passed already.");
    if (!check_project(tx, &made) || !check_user(tx, &made))
        return false;
    made.id = uuid_new(tx->arena);
    made.created_ms = tx->now_ms;
    made.last_used_ms = made.revoked_ms = 0;
    if (!tx_exec(tx, SQL_TOKEN_INSERT,
                 DB_ARGS(db_text(made.id), db_text(made.workspace_id), db_text(secret_hash(tx->arena, told)),
                         db_text(made.name), db_text(role_name(made.role)), db_text(made.project_id),
                         db_text(made.agent_name), db_text(made.created_by), db_int(tx->now_ms),
                         db_ms(made.expires_ms), db_ms(notice_ms(tx->now_ms, made.expires_ms)),
                         db_text(made.user_id)),
                 NULL) ||
        !tell(tx, made.workspace_id, made.id))
        return false;
    *token = made;
    *secret = told;
    return true;
}

/* Adds the replaced secrets to tokens that are in order, the newest first. */
static bool add_old_secrets(const struct tx *tx, const char *workspace_id, struct token tokens[],
                            size_t count)
{
    struct db_rows rows;
    size_t at = 0;

    if (count == 0)
        return true;
    if (!tx_query(tx, SQL_TOKEN_OLD_SECRETS,
                  DB_ARGS(db_text(workspace_id), db_text(tokens[count - 1].id), db_text(tokens[0].id),
                          db_int(tx->now_ms)),
                  &rows))
        return false;
    struct token_secret *secrets = arena_array(tx->arena, struct token_secret, rows.count);

    for (size_t row = 0; row < rows.count; row++) {
        secrets[row] =
            (struct token_secret){ .replaced_ms = db_cell_int(&rows, row, COL_TOKEN_SECRET_REPLACED_AT),
                                   .until_ms = db_cell_int(&rows, row, COL_TOKEN_SECRET_GOOD_UNTIL),
                                   .last_used_ms = db_cell_int(&rows, row, COL_TOKEN_SECRET_LAST_USED_AT) };
        while (at < count && !str_equal(tokens[at].id, db_cell(&rows, row, COL_TOKEN_SECRET_TOKEN_ID)))
            at++;
        if (at == count)
            break;
        if (tokens[at].old_count++ == 0)
            tokens[at].old = &secrets[row];
    }
    return true;
}

bool token_get(const struct tx *tx, const char *workspace_id, const char *id, struct token *token)
{
    struct db_rows rows;
    struct token found;

    if (!tx_query(tx, SQL_TOKEN_GET, DB_ARGS(db_text(workspace_id), db_text(id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no such token.");
    token_read(&rows, 0, &found);
    if (!add_old_secrets(tx, workspace_id, &found, 1))
        return false;
    *token = found;
    return true;
}

bool token_list(const struct tx *tx, const char *workspace_id, const char *cursor, size_t limit,
                struct token **tokens, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(
            tx, SQL_TOKEN_LIST,
            DB_ARGS(db_text(workspace_id), db_text(cursor ? cursor : ID_ABOVE_ALL), db_int((int64_t)limit)),
            &rows))
        return false;
    struct token *found = arena_array(tx->arena, struct token, rows.count);

    for (size_t row = 0; row < rows.count; row++)
        token_read(&rows, row, &found[row]);
    if (!add_old_secrets(tx, workspace_id, found, rows.count))
        return false;
    *tokens = found;
    *count = rows.count;
    return true;
}

static bool may_rotate(const struct token *token, int64_t now_ms, struct err *err)
{
    bool expired = token->expires_ms && now_ms > token->expires_ms;

    if (token->revoked_ms || expired) {
        err_set(err, ERR_CONFLICT, "This token has %s.", token->revoked_ms ? "been revoked" : "expired");
        return err_hint(err, "Make a new one (`witan token create`).");
    }
    if (token->old_count >= LIMIT_OLD_SECRETS) {
        err_set(err, ERR_CONFLICT, "This token has %zu replaced secrets that are still good.",
                token->old_count);
        return err_hint(err, "Wait until one of them has ended, or revoke the token and make a new one.");
    }
    return true;
}

/* Its end needs nothing more to be done about it. */
static bool resolve_notice(const struct tx *tx, const char *id)
{
    struct event *events;
    size_t count;

    return notification_resolve(tx, ABOUT_TOKEN, &id, 1, &events, &count) &&
           event_append_many(tx, events, count);
}

static int64_t earlier(int64_t a_ms, int64_t b_ms)
{
    return b_ms == 0 || (a_ms != 0 && a_ms < b_ms) ? a_ms : b_ms;
}

/* Without an overlap no earlier secret is good any more: so it is done after one has leaked. */
static bool limit_old_secrets(const struct tx *tx, const char *id, bool overlap, int64_t until_ms)
{
    if (!overlap)
        return tx_exec(tx, SQL_TOKEN_DROP_SECRETS, DB_ARGS(db_text(id)), NULL);
    return tx_exec(tx, SQL_TOKEN_KEEP_SECRET, DB_ARGS(db_text(id), db_int(tx->now_ms), db_int(until_ms)),
                   NULL);
}

bool token_rotate(const struct tx *tx, const char *workspace_id, const char *id,
                  const struct token_rotation *rotation, struct token *token, const char **secret)
{
    int64_t expires_ms = rotation->expires_ms;
    const char *told = secret_make(tx->arena, SECRET_TOKEN);
    struct token now;

    if (expires_ms && expires_ms <= tx->now_ms)
        return err_field(tx->err, "expiresAt", "expiresAt has passed already.");
    if (!tx_exec(tx, SQL_TOKEN_HOLD, DB_ARGS(db_text(workspace_id), db_text(id)), NULL) ||
        !token_get(tx, workspace_id, id, &now) || !may_rotate(&now, tx->now_ms, tx->err))
        return false;
    if (expires_ms == 0 && now.expires_ms)
        expires_ms = tx->now_ms + (now.expires_ms - (now.rotated_ms ? now.rotated_ms : now.created_ms));
    int64_t until_ms = earlier(earlier(tx->now_ms + rotation->overlap_ms, now.expires_ms), expires_ms);

    if (!limit_old_secrets(tx, id, rotation->overlap_ms > 0, until_ms) ||
        !tx_exec(tx, SQL_TOKEN_NEW_SECRET,
                 DB_ARGS(db_text(id), db_text(secret_hash(tx->arena, told)), db_ms(expires_ms),
                         db_ms(notice_ms(tx->now_ms, expires_ms)), db_int(tx->now_ms)),
                 NULL) ||
        !resolve_notice(tx, id) || !tell(tx, workspace_id, id) || !token_get(tx, workspace_id, id, token))
        return false;
    *secret = told;
    return true;
}

bool token_revoke(const struct tx *tx, const char *workspace_id, const char *id)
{
    struct token token;

    if (!token_get(tx, workspace_id, id, &token))
        return false;
    return tx_exec(tx, SQL_TOKEN_REVOKE, DB_ARGS(db_text(workspace_id), db_text(id), db_int(tx->now_ms)),
                   NULL) &&
           resolve_notice(tx, id) && tell(tx, workspace_id, id);
}

bool token_revoke_of_user(const struct tx *tx, const char *workspace_id, const char *user_id)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TOKEN_OF_USER, DB_ARGS(db_text(workspace_id), db_text(user_id)), &rows))
        return false;
    for (size_t row = 0; row < rows.count; row++)
        if (!token_revoke(tx, workspace_id, db_cell(&rows, row, 0)))
            return false;
    return true;
}

bool token_note_use(const struct tx *tx, const char *id, const char *old_secret)
{
    if (old_secret)
        return tx_exec(tx, SQL_TOKEN_NOTE_USE_OLD, DB_ARGS(db_text(old_secret), db_int(tx->now_ms)), NULL);
    return tx_exec(tx, SQL_TOKEN_NOTE_USE, DB_ARGS(db_text(id), db_int(tx->now_ms)), NULL);
}

bool token_prune_secrets(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned)
{
    return tx_exec(tx, SQL_TOKEN_PRUNE_SECRETS, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned);
}
