#include "core/upkeep/erase.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/identity/user.h"
#include "core/log/audit_keep.h"
#include "core/upkeep/erase_parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NO_ID "00000000-0000-0000-0000-000000000000" /* before every other */

bool erase_find(struct db *db, struct arena *arena, const char *name_or_id, struct person *person,
                struct err *err)
{
    struct account account;
    struct db_rows rows;
    struct err ignored = { 0 };

    if (!user_account_by_name(db, arena, name_or_id, &account, err))
        return false;
    if (account.id || user_account(db, arena, name_or_id, &account, &ignored)) {
        *person = (struct person){ account.id, account.name, true };
        return true;
    }
    if (!db_query(db, arena, SQL_ERASE_FIND_REMOVED, DB_ARGS(db_text(name_or_id)), &rows, err))
        return false;
    if (rows.count > 0) {
        *person = (struct person){ db_cell(&rows, 0, 0), name_or_id, false };
        return true;
    }
    err_set(err, ERR_NOT_FOUND, "There is no user \"%s\", and the audit log knows of none.", name_or_id);
    return err_hint(err, "Names of removed users must be written as they were.");
}

/* What is known */

static void note_deed(json_t *deeds, struct arena *arena, const char *workspace_id, const char *subject,
                      const char *at)
{
    json_object_set_new(deeds, arena_format(arena, "%s %s", workspace_id, at), json_true());
    if (!subject)
        return;
    json_object_set_new(deeds, arena_format(arena, "%s %s", workspace_id, subject), json_true());
    json_object_set_new(deeds, arena_format(arena, "%s %s %s", workspace_id, subject, at), json_true());
}

/* Whoever takes a task, or gives it to somebody, is the last to have done so. */
static void note_claim(struct erasing *e, const struct db_rows *rows, size_t i, bool theirs)
{
    const char *operation = db_cell(rows, i, 3), *task = db_cell(rows, i, 4);
    JSON_AUTO *detail = erase_parse(db_cell(rows, i, 6));

    if (!task || (!str_equal(operation, "task_claim") && !str_equal(operation, "task_update")))
        return;
    if (theirs)
        json_object_set_new(e->claims, task, json_integer(db_cell_int(rows, i, 5)));
    else if (str_equal(operation, "task_claim") || json_object_get(detail, "assignee"))
        json_object_del(e->claims, task);
}

static void note_deeds(struct erasing *e, struct arena *arena, const struct db_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const char *workspace_id = db_cell(rows, i, 1), *subject = db_cell(rows, i, 4);
        bool theirs = str_equal(db_cell(rows, i, 2), e->person->id);

        note_claim(e, rows, i, theirs);
        if (!theirs && !str_equal(subject, e->person->id))
            continue;
        json_object_set_new(e->workspaces, workspace_id, json_integer(0));
        if (theirs)
            note_deed(e->deeds, arena, workspace_id, subject, db_cell(rows, i, 5));
    }
}

static bool read_deeds(struct erasing *e, struct err *err)
{
    struct db_rows rows = { .count = ERASE_AUDIT_BATCH };
    int64_t after = 0;

    while (rows.count == ERASE_AUDIT_BATCH) {
        ARENA_AUTO arena = { 0 };

        if (!db_query(e->db, &arena, SQL_ERASE_DEEDS,
                      DB_ARGS(db_text(e->person->id), db_int(after), db_int(ERASE_AUDIT_BATCH)), &rows, err))
            return false;
        note_deeds(e, &arena, &rows);
        if (rows.count > 0)
            after = db_cell_int(&rows, rows.count - 1, 0);
    }
    ARENA_AUTO arena = { 0 };

    if (!db_query(e->db, &arena, SQL_ERASE_DEEDS_UNSEALED, DB_ARGS(db_text(e->person->id)), &rows, err))
        return false;
    note_deeds(e, &arena, &rows);
    return true;
}

static bool read_workspaces(struct erasing *e, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct db_rows rows;
    const char *id;
    json_t *since;

    if (!db_query(e->db, &arena, SQL_ERASE_MEMBERSHIPS, DB_ARGS(db_text(e->person->id)), &rows, err))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        json_object_set_new(e->workspaces, db_cell(&rows, i, 0), json_integer(0));
    json_object_foreach(e->workspaces, id, since)
    {
        if (!db_query(e->db, &arena, SQL_ERASE_KNOWN_SINCE, DB_ARGS(db_text(id)), &rows, err))
            return false;
        json_integer_set(since, db_cell_int(&rows, 0, 0));
        if (!db_query(e->db, &arena, SQL_ERASE_NAMESAKES,
                      DB_ARGS(db_text(id), db_text(e->person->name), db_text(e->key), db_text(e->person->id)),
                      &rows, err))
            return false;
        if (db_cell_int(&rows, 0, 0) > 0)
            json_object_set_new(e->namesakes, id, json_true());
    }
    return true;
}

/* In one snapshot. */
static bool learn(struct erasing *e, struct err *err)
{
    if (!db_begin(e->db, false, err))
        return false;
    bool good = read_deeds(e, err) && read_workspaces(e, err);

    db_rollback(e->db);
    return good;
}

/* Pages */

/* A running server on the same file gets as much of the time as this does. */
static void let_others(int64_t began_us)
{
    int64_t us = clock_ticks_us() - began_us;

    us = us < 1000 ? 1000 : us > 100000 ? 100000 : us;
    nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

static bool commit(struct db *db, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    size_t sealed;

    /* On PostgreSQL the servers seal. */
    return (db->engine != DB_SQLITE || audit_seal(db, &arena, &sealed, err)) && db_commit(db, err);
}

static bool write_once(struct erasing *e, const struct erase_step *step, struct erase_page page,
                       struct err *err)
{
    int64_t began_us = clock_ticks_us();

    e->looking = false;
    /* What was read must still be so when it is written. SQLite has one writer. */
    bool good = db_begin(e->db, true, err) &&
                (e->db->engine != DB_POSTGRES ||
                 db_script(e->db, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", err)) &&
                step->page(e, &page, err) && commit(e->db, err);

    if (!good)
        db_rollback(e->db);
    else
        let_others(began_us);
    return good;
}

static bool write_page(struct erasing *e, const struct erase_step *step, const struct erase_page *page,
                       struct err *err)
{
    for (int tries = 1;; tries++) {
        *err = (struct err){ 0 };
        if (write_once(e, step, *page, err))
            return true;
        if (err->code != ERR_RETRY || tries == ERASE_TRIES)
            return false;
    }
}

/* Looks at one page, and changes what has to change in it. */
static bool run_page(struct erasing *e, const struct erase_step *step, bool act, struct erase_page *page,
                     struct err *err)
{
    struct erase_page begin = *page;

    e->looking = true;
    e->changes = 0;
    if (!db_begin(e->db, false, err))
        return false;
    bool good = step->page(e, page, err);

    db_rollback(e->db);
    return good && (!act || e->changes == 0 || write_page(e, step, &begin, err));
}

static bool run_step(struct erasing *e, const struct erase_step *step, bool act, struct erase_page *page,
                     struct err *err)
{
    char *kept[ERASE_KEYS] = { 0 };
    bool good = true;

    page->rows = ERASE_BATCH;
    while (good && page->rows == ERASE_BATCH) {
        ARENA_AUTO arena = { 0 };

        page->arena = &arena;
        good = run_page(e, step, act, page, err);
        for (size_t i = 0; i < ERASE_KEYS; i++) {
            char *next = strdup(page->after[i]);

            free(kept[i]);
            page->after[i] = kept[i] = next;
            good = good && (next || err_set(err, ERR_UNAVAILABLE, "There is no memory left."));
        }
    }
    for (size_t i = 0; i < ERASE_KEYS; i++)
        free(kept[i]);
    return good;
}

static bool run_tables(struct erasing *e, const struct erase_step steps[], size_t count, bool act,
                       struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        struct erase_page page = { .after = { steps[i].first, "", "", "0" } };

        if (!run_step(e, &steps[i], act, &page, err))
            return false;
    }
    return true;
}

static bool run_lines(struct erasing *e, bool act, struct err *err)
{
    static const struct erase_step lines = { "", erase_line_page };
    const char *job;
    json_t *ignored;

    json_object_foreach(e->jobs, job, ignored)
    {
        struct erase_page page = { .after = { job, "0", "", "0" } };

        if (!run_step(e, &lines, act, &page, err))
            return false;
    }
    return true;
}

static bool run_audit_page(struct erasing *e, const struct audit_entry *by, bool act, int64_t *after,
                           bool *more, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    const struct audit_eraser eraser = { erase_audit_row, e };
    struct audit_erase_page page;
    int64_t begin = *after, began_us = clock_ticks_us();

    if (!db_begin(e->db, false, err))
        return false;
    bool good = audit_erase_look(e->db, &arena, &eraser, after, &page, err);

    db_rollback(e->db);
    *more = good && page.more;
    if (!good || page.changed == 0 || !act) {
        e->report->audit += good ? page.changed : 0;
        return good;
    }
    *after = begin;
    if (!db_begin(e->db, true, err))
        return false;
    good = audit_erase(e->db, &arena, by, e->person->id, &eraser, after, &page, err) && db_commit(e->db, err);
    if (!good)
        db_rollback(e->db);
    else
        let_others(began_us);
    *more = page.more;
    e->report->audit += page.changed;
    return good;
}

/* Rows that are not sealed yet are sealed first: only sealed ones change. */
static bool run_audit(struct erasing *e, const struct audit_entry *by, bool act, struct err *err)
{
    int64_t after = 0;
    bool more = true;

    if (act && !(db_begin(e->db, true, err) && audit_erase_begin(e->db, err) && db_commit(e->db, err))) {
        db_rollback(e->db);
        return false;
    }
    while (more)
        if (!run_audit_page(e, by, act, &after, &more, err))
            return false;
    return true;
}

/* The account */

/* Out of every workspace; with the last the account goes, and what hangs on it. */
static bool remove_account(struct erasing *e, struct arena *arena, struct err *err)
{
    struct db_rows rows;

    if (!db_query(e->db, arena, SQL_ERASE_MEMBERSHIPS, DB_ARGS(db_text(e->person->id)), &rows, err))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!user_remove(e->db, arena, db_cell(&rows, i, 0), e->person->id, err))
            return false;
    return db_exec(e->db, arena, SQL_USER_DELETE_IF_ALONE, DB_ARGS(db_text(e->person->id)), NULL, err);
}

/* Whether the account may go at all; tried and undone, before anything else happens. */
static bool try_account(struct erasing *e, struct err *err)
{
    ARENA_AUTO arena = { 0 };

    e->report->account = e->person->has_account;
    if (!e->person->has_account)
        return true;
    bool good = db_begin(e->db, true, err) && remove_account(e, &arena, err);

    db_rollback(e->db);
    return good;
}

/* Nobody writes under the name while it is taken out. The account itself goes last: it is found by its name
 * if this is interrupted and has to be run again. */
static bool lock_out(struct erasing *e, int64_t now_ms, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct db_arg id = db_text(e->person->id);
    bool good = db_begin(e->db, true, err) &&
                db_exec(e->db, &arena, SQL_ERASE_DISABLE, DB_ARGS(id, db_int(now_ms)), NULL, err) &&
                db_exec(e->db, &arena, SQL_ERASE_SESSIONS, DB_ARGS(id), NULL, err) &&
                db_exec(e->db, &arena, SQL_ERASE_LINKS, DB_ARGS(id), NULL, err) && commit(e->db, err);

    if (!good)
        db_rollback(e->db);
    return good;
}

static bool finish(struct erasing *e, const struct audit_entry *by, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    bool good = db_begin(e->db, true, err) && remove_account(e, &arena, err) &&
                audit_erase_end(e->db, &arena, by, e->person->id, err) && db_commit(e->db, err);

    if (!good)
        db_rollback(e->db);
    return good;
}

/* Logs come after what they tell of, since that says what is theirs; and the audit log last, which says so
 * of everything else. */
static bool run(struct erasing *e, const struct audit_entry *by, bool act, struct err *err)
{
    static const struct erase_step tables[] = {
        { NO_ID, erase_chat_page }, { NO_ID, erase_prompt_page }, { "", erase_question_page },
        { "", erase_job_page },     { "", erase_feedback_page },  { "", erase_document_page },
        { "", erase_set_page },     { "", erase_task_page },      { "", erase_project_page },
        { "", erase_token_page },   { "", erase_reply_page },     { "0", erase_event_page },
    };

    return try_account(e, err) && (!act || lock_out(e, by->at_ms, err)) && learn(e, err) &&
           run_tables(e, tables, sizeof(tables) / sizeof(tables[0]), act, err) && run_lines(e, act, err) &&
           run_audit(e, by, act, err) && (!act || finish(e, by, err));
}

bool erase_person(struct db *db, struct arena *arena, const struct person *person,
                  const struct audit_entry *by, bool act, struct erase_report *report, struct err *err)
{
    JSON_AUTO *sets = json_array();
    struct erasing e = { .db = db, .person = person, .report = report };
    json_t **each[] = { &e.workspaces, &e.namesakes, &e.deeds, &e.claims, &e.own, &e.part, &e.jobs };

    *report = (struct erase_report){ 0 };
    e.key = str_fold(arena, person->name);
    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        *each[i] = json_object();
        json_array_append_new(sets, *each[i]);
    }
    if (run(&e, by, act, err))
        return true;
    if (act && err->code != ERR_NOT_FOUND && err->code != ERR_CONFLICT)
        err_hint(err, "What was done so far stays done; run the command again to go on.");
    return false;
}
