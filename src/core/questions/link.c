#include "core/questions/link.h"

#include "base/limits.h"
#include "base/str.h"
#include "core/caller/secret.h"
#include "core/questions/answer_rights.h"
#include "core/questions/question.h"
#include "core/questions/question_row.h"

#include <string.h>

#define SECRET_LINK  "witanl_"
#define SECRET_VISIT "witanv_"

bool link_create(struct db *db, struct arena *arena, const struct caller *caller, const char *question_id,
                 int64_t now_ms, struct link *link, struct err *err)
{
    struct link made = { .secret = secret_make(arena, SECRET_LINK) };
    struct question question;

    if (!question_load(db, arena, caller->workspace_id, question_id, &question, err))
        return false;
    if (!caller_sees_project(caller, question.project_id))
        return question_not_found(err);
    if (!who_answers_one(db, arena, caller, &question, err))
        return false;
    if (!question_is_open(&question) || question_is_overdue(&question, now_ms))
        return err_set(err, ERR_CONFLICT, "This question has already ended.");
    if (!db_exec(db, arena, SQL_LINK_INSERT,
                 DB_ARGS(db_text(secret_hash(arena, made.secret)), db_text(question.id),
                         db_text(question.workspace_id), db_text(caller_kind_name(caller->kind)),
                         db_text(caller->id), db_int(now_ms), db_int(now_ms + LINK_LOOK_MS)),
                 NULL, err))
        return false;
    made.expires_ms = question.due_ms;
    *link = made;
    return true;
}

static bool refuse(struct err *err, const char *why)
{
    err_set(err, ERR_UNAUTHORIZED, "%s", why);
    return err_hint(err, "Ask whoever sent it for a new one.");
}

/* The maker's rights as they are today: a link must not outlive them. */
static bool maker_of(struct db *db, struct arena *arena, const struct db_rows *rows, int64_t now_ms,
                     struct caller *caller, struct err *err)
{
    const char *kind = db_cell(rows, 0, COL_LINK_MAKER_KIND);
    const char *role = NULL;
    bool solo;

    caller->id = db_cell(rows, 0, COL_LINK_MAKER_ID);
    if (str_equal(kind, "user")) {
        caller->name = db_cell(rows, 0, COL_LINK_USER_NAME);
        role = db_cell(rows, 0, COL_LINK_USER_DISABLED_AT) ? NULL : db_cell(rows, 0, COL_LINK_USER_ROLE);
    } else if (str_equal(kind, "token")) {
        bool expired = db_cell(rows, 0, COL_LINK_TOKEN_EXPIRES_AT) &&
                       now_ms > db_cell_int(rows, 0, COL_LINK_TOKEN_EXPIRES_AT);

        caller->name = db_cell(rows, 0, COL_LINK_TOKEN_NAME);
        caller->project_id = db_cell(rows, 0, COL_LINK_TOKEN_PROJECT_ID);
        role = db_cell(rows, 0, COL_LINK_TOKEN_REVOKED_AT) || expired ||
                       db_cell(rows, 0, COL_LINK_TOKEN_AGENT_NAME)
                   ? NULL
                   : db_cell(rows, 0, COL_LINK_TOKEN_ROLE);
    } else {
        if (!caller_solo_allowed(db, arena, &solo, err))
            return false;
        caller->name = "local";
        role = solo ? "owner" : NULL;
    }
    if (!role || !role_parse(role, &caller->role) || !((unsigned)caller->role & ROLES_PEOPLE))
        return refuse(err, "Whoever made this link may not answer here any more.");
    return true;
}

/* Whether a link is good now, and for whom it stands. `sql` finds it by the hash of one of its secrets. */
static bool judge(struct db *db, struct arena *arena, enum sql_id sql, const char *secret,
                  const char *question_id, int64_t now_ms, struct caller *caller, struct err *err)
{
    struct caller found = { .kind = CALLER_LINK };
    struct question question;
    struct db_rows rows;

    if (!db_query(db, arena, sql, DB_ARGS(db_text(secret_hash(arena, secret)), db_text(question_id)), &rows,
                  err))
        return false;
    if (rows.count == 0)
        return refuse(err, "This link is not good for this question.");
    found.workspace_id = db_cell(&rows, 0, COL_LINK_WORKSPACE_ID);
    found.credential = arena_format(arena, "link:%s", db_cell(&rows, 0, COL_LINK_HASH));
    if (!question_load(db, arena, found.workspace_id, question_id, &question, err))
        return false;
    if (!question_is_open(&question) || question_is_overdue(&question, now_ms) ||
        db_cell(&rows, 0, COL_LINK_USED_AT)) {
        err_set(err, ERR_UNAUTHORIZED, "This question has been settled, and its link has ended with it.");
        err->name = "link_ended";
        return false;
    }
    if (!maker_of(db, arena, &rows, now_ms, &found, err))
        return false;
    *caller = found;
    return true;
}

bool link_open(struct db *db, struct arena *arena, const char *secret, const char *question_id,
               int64_t now_ms, const char **visit, struct caller *caller, struct err *err)
{
    const char *link_hash = secret_hash(arena, secret), *made = secret_make(arena, SECRET_VISIT);

    if (!judge(db, arena, SQL_LINK_GET, secret, question_id, now_ms, caller, err) ||
        !db_exec(db, arena, SQL_LINK_VISIT,
                 DB_ARGS(db_text(secret_hash(arena, made)), db_text(link_hash), db_int(now_ms)), NULL, err) ||
        !db_exec(db, arena, SQL_LINK_FORGET_VISITS, DB_ARGS(db_text(link_hash), db_int(LIMIT_VISITS)), NULL,
                 err))
        return false;
    *visit = made;
    return true;
}

bool link_caller(struct db *db, struct arena *arena, const char *visit, const char *question_id,
                 int64_t now_ms, struct caller *caller, struct err *err)
{
    return judge(db, arena, SQL_LINK_GET_VISITED, visit, question_id, now_ms, caller, err);
}

bool link_use(struct db *db, struct arena *arena, const struct caller *caller, int64_t now_ms,
              struct err *err)
{
    size_t changed;

    if (!db_exec(db, arena, SQL_LINK_USE,
                 DB_ARGS(db_text(caller->credential + strlen("link:")), db_int(now_ms)), &changed, err))
        return false;
    return changed == 1 || err_set(err, ERR_CONFLICT, "This link has been used.");
}

bool link_prune(struct db *db, struct arena *arena, int64_t now_ms, size_t limit, size_t *pruned,
                struct err *err)
{
    return db_exec(db, arena, SQL_LINK_LOOK_LATER,
                   DB_ARGS(db_int(now_ms), db_int((int64_t)limit), db_int(now_ms + LINK_LOOK_MS)), NULL,
                   err) &&
           db_exec(db, arena, SQL_LINK_PRUNE, DB_ARGS(db_int(now_ms), db_int((int64_t)limit)), pruned, err);
}
