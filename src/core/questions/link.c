/*
 * A link is judged anew with every use: its question, whether it was used, and what its maker may do today.
 * Two secrets exist, the one in the mail and the one in the cookie, and the second never leads back to the
 * first.
 */
#include "core/questions/link.h"

#include "base/limits.h"
#include "core/caller/secret.h"
#include "core/questions/answer_rights.h"
#include "core/questions/question.h"
#include "core/questions/question_row.h"

#include <string.h>

#define SECRET_LINK  "witanl_"
#define SECRET_VISIT "witanv_"

/* A user's token that is revoked takes its links along, so they are the token's. */
static bool insert(const struct tx *tx, const struct question *question, const char *secret)
{
    const struct caller *maker = tx->caller;
    enum caller_kind kind = maker->token_id ? CALLER_TOKEN : maker->kind;

    return tx_exec(tx, SQL_LINK_INSERT,
                   DB_ARGS(db_text(secret_hash(tx->arena, secret)), db_text(question->id),
                           db_text(question->workspace_id), db_text(caller_kind_name(kind)),
                           db_text(maker->token_id ? maker->token_id : maker->id), db_int(tx->now_ms),
                           db_int(tx->now_ms + LINK_LOOK_MS)),
                   NULL);
}

bool link_create(const struct tx *tx, const char *question_id, struct link *link)
{
    struct link made = { .secret = secret_make(tx->arena, SECRET_LINK) };
    struct question question;

    if (!question_load(tx, tx->caller->workspace_id, question_id, &question))
        return false;
    if (!caller_sees_project(tx->caller, question.project_id))
        return question_not_found(tx->err);
    if (!answer_rights_check_one(tx, &question))
        return false;
    if (!question_is_open(&question) || question_is_overdue(&question, tx->now_ms))
        return err_set(tx->err, ERR_CONFLICT, "This question has already ended.");
    if (!insert(tx, &question, made.secret))
        return false;
    made.expires_ms = question.due_ms;
    *link = made;
    return true;
}

static bool refuse(struct err *err, const char *why)
{
    err_set(err, ERR_UNAUTHORIZED, "%s", why);
    err->name = "link_refused";
    return err_hint(err, "Ask whoever sent it for a new one.");
}

static bool refuse_ended(struct err *err, const char *why)
{
    err_set(err, ERR_UNAUTHORIZED, "%s", why);
    err->name = "link_ended";
    return false;
}

static bool refuse_used(struct err *err)
{
    return refuse_ended(err, "This link has been used: it answers once.");
}

static enum role role_at(const struct db_rows *rows, size_t column)
{
    const char *name = db_cell(rows, 0, column);
    enum role role = 0;

    return name && role_parse(name, &role) ? role : 0;
}

static enum role be_user(const struct db_rows *rows, struct caller *caller)
{
    caller->name = db_cell(rows, 0, COL_LINK_USER_NAME);
    return db_cell(rows, 0, COL_LINK_USER_DISABLED_AT) ? 0 : role_at(rows, COL_LINK_USER_ROLE);
}

/* One that belongs to a user is that user, as when it calls by itself. */
static enum role be_token(const struct tx *tx, const struct db_rows *rows, struct caller *caller)
{
    const char *user_id = db_cell(rows, 0, COL_LINK_TOKEN_USER_ID);
    bool expired = db_cell(rows, 0, COL_LINK_TOKEN_EXPIRES_AT) &&
                   tx->now_ms > db_cell_int(rows, 0, COL_LINK_TOKEN_EXPIRES_AT);
    enum role role = role_at(rows, COL_LINK_TOKEN_ROLE);

    caller->name = db_cell(rows, 0, COL_LINK_TOKEN_NAME);
    caller->project_id = db_cell(rows, 0, COL_LINK_TOKEN_PROJECT_ID);
    if (db_cell(rows, 0, COL_LINK_TOKEN_REVOKED_AT) || expired || db_cell(rows, 0, COL_LINK_TOKEN_AGENT_NAME))
        return 0;
    if (!user_id)
        return role;
    caller->id = user_id;
    return role_lesser(role, be_user(rows, caller));
}

static bool be_local(const struct tx *tx, struct caller *caller)
{
    bool solo;

    caller->name = CALLER_LOCAL_ID;
    if (!caller_solo_allowed(tx, &solo))
        return false;
    caller->role = solo ? ROLE_OWNER : 0;
    return true;
}

/* The maker's rights as they are today: a link must not outlive them. */
static bool maker_of(const struct tx *tx, const struct db_rows *rows, struct caller *caller)
{
    const char *strange = NULL;
    enum caller_kind kind = db_cell_word(rows, 0, COL_LINK_MAKER_KIND, caller_kinds, &strange);

    caller->id = db_cell(rows, 0, COL_LINK_MAKER_ID);
    if (!db_words_known(strange, tx->err))
        return false;
    if (kind == CALLER_USER)
        caller->role = be_user(rows, caller);
    else if (kind == CALLER_TOKEN)
        caller->role = be_token(tx, rows, caller);
    else if (!be_local(tx, caller))
        return false;
    return ((unsigned)caller->role & ROLES_PEOPLE) ||
           refuse(tx->err, "Whoever made this link may not answer here any more.");
}

/*
 * A link ends with its question and with its use. One that nobody has used was good for as long as its
 * question was open, so that a look that was held until the end was let in by it.
 */
static bool check_alive(const struct tx *tx, const struct question *question, bool used,
                        enum link_purpose purpose)
{
    bool over = !question_is_open(question) || question_is_overdue(question, tx->now_ms);

    if (purpose == LINK_ANSWER)
        return true;
    if (over && (used || purpose == LINK_LOOK))
        return refuse_ended(tx->err, "This question has been settled, and its link has ended with it.");
    return !used || refuse_used(tx->err);
}

/* Whether a link is good now, and for whom it stands. `sql` finds it by the hash of one of its secrets. */
static bool judge(const struct tx *tx, enum sql_id sql, const char *secret, const char *question_id,
                  enum link_purpose purpose, struct caller *caller)
{
    struct caller found = { .kind = CALLER_LINK };
    struct question question;
    struct db_rows rows;

    if (!tx_query(tx, sql, DB_ARGS(db_text(secret_hash(tx->arena, secret)), db_text(question_id)), &rows))
        return false;
    if (rows.count == 0)
        return refuse(tx->err, "This link is not good for this question.");
    found.workspace_id = db_cell(&rows, 0, COL_LINK_WORKSPACE_ID);
    found.credential = arena_format(tx->arena, "link:%s", db_cell(&rows, 0, COL_LINK_HASH));
    if (!question_load(tx, found.workspace_id, question_id, &question))
        return false;
    if (!check_alive(tx, &question, db_cell(&rows, 0, COL_LINK_USED_AT) != NULL, purpose) ||
        !maker_of(tx, &rows, &found))
        return false;
    *caller = found;
    return true;
}

bool link_open(const struct tx *tx, const char *secret, const char *question_id, const char **visit,
               struct caller *caller)
{
    const char *link_hash = secret_hash(tx->arena, secret), *made = secret_make(tx->arena, SECRET_VISIT);

    if (!judge(tx, SQL_LINK_GET, secret, question_id, LINK_LOOK, caller) ||
        !tx_exec(tx, SQL_LINK_VISIT,
                 DB_ARGS(db_text(secret_hash(tx->arena, made)), db_text(link_hash), db_int(tx->now_ms)),
                 NULL) ||
        !tx_exec(tx, SQL_LINK_FORGET_VISITS, DB_ARGS(db_text(link_hash), db_int(LIMIT_VISITS)), NULL))
        return false;
    *visit = made;
    return true;
}

bool link_caller(const struct tx *tx, const char *visit, const char *question_id, enum link_purpose purpose,
                 struct caller *caller)
{
    return judge(tx, SQL_LINK_GET_VISITED, visit, question_id, purpose, caller);
}

bool link_use(const struct tx *tx)
{
    size_t changed;

    if (!tx_exec(tx, SQL_LINK_USE,
                 DB_ARGS(db_text(tx->caller->credential + strlen("link:")), db_int(tx->now_ms)), &changed))
        return false;
    return changed == 1 || refuse_used(tx->err);
}

bool link_prune(const struct tx *tx, size_t limit, size_t *pruned)
{
    return tx_exec(tx, SQL_LINK_LOOK_LATER,
                   DB_ARGS(db_int(tx->now_ms), db_int((int64_t)limit), db_int(tx->now_ms + LINK_LOOK_MS)),
                   NULL) &&
           tx_exec(tx, SQL_LINK_PRUNE, DB_ARGS(db_int(tx->now_ms), db_int((int64_t)limit)), pruned);
}
