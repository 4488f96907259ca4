/*
 * A credential is looked up in the transaction of the operation that it is for, by the hash of its secret and
 * one index; nothing is remembered between two calls, so a right that was taken away is gone with the next
 * one. What was shown is always judged: a wrong token beside a good cookie is refused, and only an ended
 * login falls back to solo mode.
 */
#include "core/caller/caller.h"

#include "base/str.h"
#include "core/caller/secret.h"

#include <string.h>

#define NO_SLUG "?"

const char *const caller_kinds[] = { "local", "user", "token", "link", NULL };
WORDS_FIT(caller_kinds, CALLER_KINDS);

const char *caller_kind_name(enum caller_kind kind)
{
    return kind == CALLER_NOBODY ? "nobody" : caller_kind_word(kind);
}

bool caller_is_person(const struct caller *caller)
{
    switch (caller->kind) {
    case CALLER_LOCAL:
    case CALLER_LINK: return true;
    case CALLER_USER:
    case CALLER_TOKEN: return caller->role != ROLE_AGENT && !caller->agent_name;
    case CALLER_NOBODY: return false;
    }
    return false;
}

bool caller_is_login(const struct caller *caller)
{
    return caller->kind == CALLER_USER && !caller->token_id;
}

bool caller_sees_project(const struct caller *caller, const char *project_id)
{
    return !caller->project_id || str_equal(caller->project_id, project_id);
}

bool caller_hears_project(const struct caller *caller, const char *project_id)
{
    return !project_id || caller_sees_project(caller, project_id);
}

bool caller_may_speak_as(const struct caller *caller, const char *agent_name, struct err *err)
{
    if (!caller->agent_name || str_same_name(caller->agent_name, agent_name))
        return true;
    return err_set(err, ERR_FORBIDDEN, "This token speaks as %s and cannot speak as another agent.",
                   caller->agent_name);
}

bool caller_may_speak_for(const struct tx *tx, const char *user_id)
{
    const struct caller *caller = tx->caller;
    struct db_rows rows;

    if (!caller_is_person(caller))
        return err_set(tx->err, ERR_FORBIDDEN, "An agent cannot speak for a person.");
    if (!user_id || strcmp(caller->id, user_id) == 0)
        return true;
    if (caller->kind == CALLER_USER)
        return err_set(tx->err, ERR_FORBIDDEN,
                       "You are logged in and cannot speak for another person: leave userId out.");
    if (!tx_query(tx, SQL_CALLER_IS_MEMBER, DB_ARGS(db_text(caller->workspace_id), db_text(user_id)), &rows))
        return false;
    if (rows.count == 0)
        return true;
    err_set(tx->err, ERR_FORBIDDEN, "userId names a user of this workspace, for whom nobody else may speak.");
    return err_hint(tx->err, "They speak by their login, or by a token that belongs to them.");
}

bool caller_may_grant(const struct caller *caller, enum role role, struct err *err)
{
    if (caller->project_id || caller->agent_name)
        return err_set(err, ERR_FORBIDDEN,
                       "A token that is bound to a project or an agent cannot manage users and tokens.");
    if (caller->role == ROLE_OWNER || (((unsigned)caller->role & ROLES_MANAGE) && role != ROLE_OWNER))
        return true;
    return err_set(err, ERR_FORBIDDEN, "The role %s may not make, change or remove the role %s.",
                   role_name(caller->role), role_name(role));
}

/* The stored role went through a CHECK; one that this program does not know gives no rights. */
static enum role stored_role(const char *name)
{
    enum role role = 0;

    if (!role_parse(name, &role))
        return 0;
    return role;
}

/*
 * A token that speaks as an agent is one, whatever role it was made with: what people decide is not open
 * to it, nor anything beyond what agents see.
 */
static enum role token_role(const char *name, const char *agent_name)
{
    enum role role = stored_role(name);

    return agent_name && ((unsigned)role & ROLES_PEOPLE) ? ROLE_AGENT : role;
}

static bool no_workspace(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "There is no such workspace.");
}

static bool is_wanted(const char *wanted, const char *id, const char *slug)
{
    return !wanted || str_equal(wanted, id) || str_equal(wanted, slug);
}

static bool refuse_token(struct err *err, const char *why)
{
    err_set(err, ERR_UNAUTHORIZED, "%s", why);
    return err_hint(err, "Ask an owner or admin of the workspace for a new one (`witan token create`).");
}

/* What stands behind the columns of a token. */
enum { COLUMN_EXPIRES_AT = COL_CALLER_TOKEN_END, COLUMN_LAST_USED_AT };

/* A token that belongs to a user is that user: one approver with them, and gone with their rights. */
static bool be_user(const struct tx *tx, const struct db_rows *rows, struct caller *caller)
{
    const char *user_id = db_cell(rows, 0, COL_CALLER_TOKEN_USER_ID);

    if (!user_id)
        return true;
    if (db_cell(rows, 0, COL_CALLER_TOKEN_USER_DISABLED_AT))
        return refuse_token(tx->err, "The user whom this token belongs to has been disabled.");
    if (!db_cell(rows, 0, COL_CALLER_TOKEN_USER_ROLE))
        return refuse_token(tx->err,
                            "The user whom this token belongs to is not a member of this workspace.");
    caller->kind = CALLER_USER;
    caller->token_id = caller->id;
    caller->id = user_id;
    caller->name = db_cell(rows, 0, COL_CALLER_TOKEN_USER_NAME);
    caller->role = role_lesser(caller->role, stored_role(db_cell(rows, 0, COL_CALLER_TOKEN_USER_ROLE)));
    return true;
}

static bool token_caller(const struct tx *tx, const struct db_rows *rows, const char *hash,
                         const char *wanted, struct caller *caller)
{
    int64_t expires_ms;

    if (rows->count == 0)
        return refuse_token(tx->err, "This token is not known here.");
    expires_ms = db_cell_int(rows, 0, COLUMN_EXPIRES_AT);
    if (db_cell(rows, 0, COL_CALLER_TOKEN_REVOKED_AT))
        return refuse_token(tx->err, "This token has been revoked.");
    if (expires_ms && tx->now_ms > expires_ms)
        return refuse_token(tx->err, "This token has expired.");
    if (!is_wanted(wanted, db_cell(rows, 0, COL_CALLER_TOKEN_WORKSPACE_ID),
                   db_cell(rows, 0, COL_CALLER_TOKEN_SLUG)))
        return no_workspace(tx->err);
    *caller = (struct caller){
        .kind = CALLER_TOKEN,
        .id = db_cell(rows, 0, COL_CALLER_TOKEN_ID),
        .name = db_cell(rows, 0, COL_CALLER_TOKEN_NAME),
        .role = token_role(db_cell(rows, 0, COL_CALLER_TOKEN_ROLE),
                           db_cell(rows, 0, COL_CALLER_TOKEN_AGENT_NAME)),
        .agent_name = db_cell(rows, 0, COL_CALLER_TOKEN_AGENT_NAME),
        .project_id = db_cell(rows, 0, COL_CALLER_TOKEN_PROJECT_ID),
        .workspace_id = db_cell(rows, 0, COL_CALLER_TOKEN_WORKSPACE_ID),
        .credential = arena_format(tx->arena, "token:%s", hash),
        .last_used_ms = db_cell_int(rows, 0, COLUMN_LAST_USED_AT),
    };
    return be_user(tx, rows, caller);
}

/* By the hash of a secret: the one in force, or one that has been replaced and is still good. */
static bool by_secret(const struct tx *tx, const char *hash, const char *wanted, struct caller *caller)
{
    struct db_rows rows;
    bool old;

    if (!tx_query(tx, SQL_CALLER_BY_TOKEN, DB_ARGS(db_text(hash)), &rows))
        return false;
    old = rows.count == 0;
    if (old && !tx_query(tx, SQL_CALLER_BY_OLD_SECRET, DB_ARGS(db_text(hash)), &rows))
        return false;
    if (!token_caller(tx, &rows, hash, wanted, caller))
        return false;
    caller->old_secret = old ? hash : NULL;
    return true;
}

static bool refuse_session(struct err *err, const char *why)
{
    err_set(err, ERR_UNAUTHORIZED, "%s", why);
    err->name = "session_ended";
    return err_hint(err, "Log in again.");
}

static bool by_session(const struct tx *tx, const char *hash, const char *wanted, struct caller *caller)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_CALLER_BY_SESSION, DB_ARGS(db_text(hash), db_text(wanted)), &rows))
        return false;
    if (rows.count == 0 || tx->now_ms > db_cell_int(&rows, 0, COL_CALLER_SESSION_EXPIRES_AT))
        return refuse_session(tx->err, "This login has ended.");
    if (db_cell(&rows, 0, COL_CALLER_SESSION_DISABLED_AT))
        return refuse_session(tx->err, "This user has been disabled.");
    if (!db_cell(&rows, 0, COL_CALLER_SESSION_WORKSPACE_ID))
        return refuse_session(tx->err, "This user is not a member of any workspace.");
    if (!is_wanted(wanted, db_cell(&rows, 0, COL_CALLER_SESSION_WORKSPACE_ID),
                   db_cell(&rows, 0, COL_CALLER_SESSION_SLUG)))
        return no_workspace(tx->err);
    *caller = (struct caller){
        .kind = CALLER_USER,
        .id = db_cell(&rows, 0, COL_CALLER_SESSION_ID),
        .name = db_cell(&rows, 0, COL_CALLER_SESSION_NAME),
        .role = stored_role(db_cell(&rows, 0, COL_CALLER_SESSION_ROLE)),
        .workspace_id = db_cell(&rows, 0, COL_CALLER_SESSION_WORKSPACE_ID),
        .credential = arena_format(tx->arena, "session:%s", hash),
    };
    return true;
}

/* Solo mode gives the local owner; once it has ended, somebody without credentials is nobody. */
static bool by_solo(const struct tx *tx, const char *wanted, struct caller *caller)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_CALLER_SOLO, DB_ARGS(db_text(wanted ? wanted : DEFAULT_WORKSPACE_SLUG)), &rows))
        return false;
    if (!db_cell_bool(&rows, 0, 0)) {
        *caller = (struct caller){ 0 };
        return true;
    }
    if (!db_cell(&rows, 0, 1))
        return no_workspace(tx->err);
    *caller = (struct caller){
        .kind = CALLER_LOCAL,
        .role = ROLE_OWNER,
        .id = CALLER_LOCAL_ID,
        .name = CALLER_LOCAL_ID,
        .workspace_id = db_cell(&rows, 0, 1),
        .credential = CALLER_LOCAL_ID,
    };
    return true;
}

bool caller_recheck(const struct tx *tx, const char *credential, const char *workspace_id,
                    struct caller *caller)
{
    struct caller found = { 0 };

    if (str_starts(credential, "token:"))
        return by_secret(tx, credential + strlen("token:"), workspace_id, caller);
    if (str_starts(credential, "session:"))
        return by_session(tx, credential + strlen("session:"), workspace_id, caller);
    if (!by_solo(tx, workspace_id, &found))
        return false;
    if (found.kind != CALLER_LOCAL)
        return err_set(tx->err, ERR_UNAUTHORIZED, "Solo mode has ended: a token or a login is needed now.");
    *caller = found;
    return true;
}

/* A ticket is for the workspace it was made in, whatever else its owner may see. */
static bool by_ticket(const struct tx *tx, const struct credentials *credentials, struct caller *caller)
{
    struct db_rows rows;
    struct caller found;
    const char *stands_for;

    if (!tx_query(tx, SQL_CALLER_BY_TICKET, DB_ARGS(db_text(secret_hash(tx->arena, credentials->ticket))),
                  &rows))
        return false;
    if (rows.count == 0 || tx->now_ms > db_cell_int(&rows, 0, 2)) {
        err_set(tx->err, ERR_UNAUTHORIZED, "This ticket is not known here or has expired.");
        return err_hint(tx->err, "Get a new one from POST /api/tickets just before opening the stream.");
    }
    stands_for = db_cell(&rows, 0, 0);
    if (str_equal(stands_for, CALLER_LOCAL_ID) && !credentials->may_be_solo)
        return err_set(tx->err, ERR_UNAUTHORIZED, "This ticket is only good on the machine it was made on.");
    if (!caller_recheck(tx, stands_for, db_cell(&rows, 0, 1), &found))
        return false;
    *caller = found;
    return true;
}

static bool by_nothing(const struct tx *tx, const struct credentials *credentials, const char *wanted,
                       struct caller *caller)
{
    if (credentials->may_be_solo)
        return by_solo(tx, wanted, caller);
    *caller = (struct caller){ 0 };
    return true;
}

static bool by_cookie(const struct tx *tx, const struct credentials *credentials, const char *wanted,
                      struct caller *caller)
{
    const char *hash = secret_hash(tx->arena, credentials->session);
    struct caller found;
    struct err ended = { 0 };
    struct tx looking = tx_with_err(tx, &ended);

    if (by_session(&looking, hash, wanted, caller))
        return true;
    if (ended.code == ERR_UNAUTHORIZED) {
        if (!by_nothing(tx, credentials, wanted, &found))
            return false;
        if (found.kind == CALLER_LOCAL) {
            *caller = found;
            return true;
        }
    }
    *tx->err = ended;
    return false;
}

bool caller_identify(const struct tx *tx, const struct credentials *credentials, struct caller *caller)
{
    const char *wanted = credentials->workspace;

    /* Bytes that are no text name no workspace; NO_SLUG does not either, and can be looked up. */
    if (wanted)
        wanted = str_is_utf8(wanted, strlen(wanted)) ? str_lower(tx->arena, wanted) : NO_SLUG;
    if (credentials->bearer)
        return by_secret(tx, secret_hash(tx->arena, credentials->bearer), wanted, caller);
    if (credentials->ticket)
        return by_ticket(tx, credentials, caller);
    if (credentials->session)
        return by_cookie(tx, credentials, wanted, caller);
    return by_nothing(tx, credentials, wanted, caller);
}

bool caller_solo_allowed(const struct tx *tx, bool *allowed)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_CALLER_SOLO, DB_ARGS(db_text(DEFAULT_WORKSPACE_SLUG)), &rows))
        return false;
    *allowed = db_cell_bool(&rows, 0, 0);
    return true;
}

struct actor actor_of(const struct caller *caller)
{
    return (struct actor){ caller->agent_name ? caller->agent_name : caller->name, caller->id };
}

const char *tx_actor_id(const struct tx *tx)
{
    return tx->caller ? tx->caller->id : ACTOR_SYSTEM.id;
}
