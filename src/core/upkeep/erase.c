/*
 * Every page is done twice: read in a snapshot to find out whether anything in it has to change, and only
 * then, in a transaction of its own, for good. Most pages have nothing, and readers are not disturbed by
 * those. The work can be repeated from the start at any time: what is already gone is not found again.
 */
#include "core/upkeep/erase.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/identity/user.h"
#include "core/log/audit_keep.h"
#include "core/upkeep/erase_parts.h"
#include "core/work/task.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NO_ID "00000000-0000-0000-0000-000000000000" /* before every other */

bool erase_find(const struct tx *tx, const char *name_or_id, struct person *person)
{
    struct account account;
    struct db_rows rows;
    struct err ignored = { 0 };
    struct tx looking = tx_with_err(tx, &ignored);

    if (!user_account_by_name(tx, name_or_id, &account))
        return false;
    if (account.id || user_account(&looking, name_or_id, &account)) {
        *person = (struct person){ account.id, account.name, true };
        return true;
    }
    if (!tx_query(tx, SQL_ERASE_FIND_REMOVED, DB_ARGS(db_text(name_or_id)), &rows))
        return false;
    if (rows.count > 0) {
        *person = (struct person){ db_cell(&rows, 0, 0), name_or_id, false };
        return true;
    }
    err_set(tx->err, ERR_NOT_FOUND, "There is no user \"%s\", and the audit log knows of none.", name_or_id);
    return err_hint(tx->err, "Names of removed users must be written as they were.");
}

/* Learning */

static void note_deed(json_t *deeds, struct arena *arena, const char *workspace_id, const char *subject,
                      const char *at)
{
    json_object_set_new(deeds, arena_format(arena, "%s %s", workspace_id, at), json_true());
    if (!subject)
        return;
    json_object_set_new(deeds, arena_format(arena, "%s %s", workspace_id, subject), json_true());
    json_object_set_new(deeds, arena_format(arena, "%s %s %s", workspace_id, subject, at), json_true());
}

/* The last to have taken a task, or given it to somebody, counts. */
static void note_claim(struct erasing *e, const struct db_rows *rows, size_t i, bool theirs)
{
    const char *operation = db_cell(rows, i, COL_ERASE_DEED_OPERATION),
               *task = db_cell(rows, i, COL_ERASE_DEED_SUBJECT);
    JSON_AUTO *detail = erase_parse(db_cell(rows, i, COL_ERASE_DEED_DETAIL));

    if (!task || (!str_equal(operation, OP_TASK_CLAIM) && !str_equal(operation, OP_TASK_UPDATE)))
        return;
    if (theirs)
        json_object_set_new(e->claims, task, json_integer(db_cell_int(rows, i, COL_ERASE_DEED_CREATED_AT)));
    else if (str_equal(operation, OP_TASK_CLAIM) || json_object_get(detail, "assignee"))
        json_object_del(e->claims, task);
}

static void note_deeds(struct erasing *e, struct arena *arena, const struct db_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const char *workspace_id = db_cell(rows, i, COL_ERASE_DEED_WORKSPACE_ID),
                   *subject = db_cell(rows, i, COL_ERASE_DEED_SUBJECT);
        bool theirs = str_equal(db_cell(rows, i, COL_ERASE_DEED_ACTOR_ID), e->person->id);

        note_claim(e, rows, i, theirs);
        if (!theirs && !str_equal(subject, e->person->id))
            continue;
        json_object_set_new(e->workspaces, workspace_id, json_integer(0));
        if (theirs)
            note_deed(e->deeds, arena, workspace_id, subject, db_cell(rows, i, COL_ERASE_DEED_CREATED_AT));
    }
}

static bool read_deeds(const struct tx *tx, struct erasing *e)
{
    struct db_rows rows = { .count = ERASE_AUDIT_BATCH };
    int64_t after = 0;

    while (rows.count == ERASE_AUDIT_BATCH) {
        ARENA_AUTO arena = { 0 };
        struct tx own = tx_with_arena(tx, &arena);

        if (!tx_query(&own, SQL_ERASE_DEEDS,
                      DB_ARGS(db_text(e->person->id), db_int(after), db_int(ERASE_AUDIT_BATCH)), &rows))
            return false;
        note_deeds(e, &arena, &rows);
        if (rows.count > 0)
            after = db_cell_int(&rows, rows.count - 1, COL_ERASE_DEED_SEQ);
    }
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);

    if (!tx_query(&own, SQL_ERASE_DEEDS_UNSEALED, DB_ARGS(db_text(e->person->id)), &rows))
        return false;
    note_deeds(e, &arena, &rows);
    return true;
}

static bool read_workspaces(const struct tx *tx, struct erasing *e)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    struct db_rows rows;
    const char *id;
    json_t *since;

    if (!tx_query(&own, SQL_ERASE_MEMBERSHIPS, DB_ARGS(db_text(e->person->id)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        json_object_set_new(e->workspaces, db_cell(&rows, i, 0), json_integer(0));
    json_object_foreach(e->workspaces, id, since)
    {
        if (!tx_query(&own, SQL_ERASE_KNOWN_SINCE, DB_ARGS(db_text(id)), &rows))
            return false;
        json_integer_set(since, db_cell_int(&rows, 0, 0));
        if (!tx_query(&own, SQL_ERASE_NAMESAKES,
                      DB_ARGS(db_text(id), db_text(e->person->name), db_text(e->key), db_text(e->person->id)),
                      &rows))
            return false;
        if (db_cell_int(&rows, 0, 0) > 0)
            json_object_set_new(e->namesakes, id, json_true());
    }
    return true;
}

/* In one snapshot. */
static bool learn(const struct tx *tx, struct erasing *e)
{
    if (!db_begin(tx->db, false, tx->err))
        return false;
    bool good = read_deeds(tx, e) && read_workspaces(tx, e);

    db_rollback(tx->db);
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

static bool commit(const struct tx *tx)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    size_t sealed;

    /* On PostgreSQL the servers seal. */
    return (tx->db->engine != DB_SQLITE || audit_seal(&own, &sealed)) && db_commit(tx->db, tx->err);
}

static bool write_once(const struct tx *tx, struct erasing *e, const struct erase_step *step,
                       struct erase_page page)
{
    int64_t began_us = clock_ticks_us();

    e->looking = false;
    /* What was read must still be so when it is written. SQLite has one writer. */
    bool good = db_begin(tx->db, true, tx->err) &&
                (tx->db->engine != DB_POSTGRES ||
                 db_script(tx->db, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", tx->err)) &&
                step->page(tx, e, &page) && commit(tx);

    if (!good)
        db_rollback(tx->db);
    else
        let_others(began_us);
    return good;
}

static bool write_page(const struct tx *tx, struct erasing *e, const struct erase_step *step,
                       const struct erase_page *page)
{
    for (int tries = 1;; tries++) {
        *tx->err = (struct err){ 0 };
        if (write_once(tx, e, step, *page))
            return true;
        if (tx->err->code != ERR_RETRY || tries == ERASE_TRIES)
            return false;
    }
}

/* Looks at one page, and changes what has to change in it. */
static bool run_page(const struct tx *tx, struct erasing *e, const struct erase_step *step, bool act,
                     struct erase_page *page)
{
    struct erase_page begin = *page;

    e->looking = true;
    e->changes = 0;
    if (!db_begin(tx->db, false, tx->err))
        return false;
    bool good = step->page(tx, e, page);

    db_rollback(tx->db);
    return good && (!act || e->changes == 0 || write_page(tx, e, step, &begin));
}

static bool run_step(const struct tx *tx, struct erasing *e, const struct erase_step *step, bool act,
                     struct erase_page *page)
{
    char *kept[ERASE_KEYS] = { 0 };
    bool good = true;

    page->rows = ERASE_BATCH;
    while (good && page->rows == ERASE_BATCH) {
        ARENA_AUTO arena = { 0 };
        struct tx own = tx_with_arena(tx, &arena);

        good = run_page(&own, e, step, act, page);
        for (size_t i = 0; i < ERASE_KEYS; i++) {
            char *next = strdup(page->after[i]);

            free(kept[i]);
            page->after[i] = kept[i] = next;
            good = good && (next || err_set(tx->err, ERR_UNAVAILABLE, "There is no memory left."));
        }
    }
    for (size_t i = 0; i < ERASE_KEYS; i++)
        free(kept[i]);
    return good;
}

static bool run_tables(const struct tx *tx, struct erasing *e, const struct erase_step steps[], size_t count,
                       bool act)
{
    for (size_t i = 0; i < count; i++) {
        struct erase_page page = { .after = { steps[i].first, "", "", "0" } };

        if (!run_step(tx, e, &steps[i], act, &page))
            return false;
    }
    return true;
}

static bool run_lines(const struct tx *tx, struct erasing *e, bool act)
{
    static const struct erase_step lines = { "", erase_line_page };
    const char *job;
    json_t *ignored;

    json_object_foreach(e->jobs, job, ignored)
    {
        struct erase_page page = { .after = { job, "0", "", "0" } };

        if (!run_step(tx, e, &lines, act, &page))
            return false;
    }
    return true;
}

static bool run_audit_page(const struct tx *tx, struct erasing *e, const struct audit_entry *by, bool act,
                           int64_t *after, bool *more)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    const struct audit_eraser eraser = { erase_audit_row, e };
    struct audit_erase_page page;
    int64_t begin = *after, began_us = clock_ticks_us();

    if (!db_begin(tx->db, false, tx->err))
        return false;
    bool good = audit_erase_look(&own, &eraser, after, &page);

    db_rollback(tx->db);
    *more = good && page.more;
    if (!good || page.changed == 0 || !act) {
        e->report->audit += good ? page.changed : 0;
        return good;
    }
    *after = begin;
    if (!db_begin(tx->db, true, tx->err))
        return false;
    good = audit_erase(&own, by, e->person->id, &eraser, after, &page) && db_commit(tx->db, tx->err);
    if (!good)
        db_rollback(tx->db);
    else
        let_others(began_us);
    *more = page.more;
    e->report->audit += page.changed;
    return good;
}

/* Rows that are not sealed yet are sealed first: only sealed ones change. */
static bool run_audit(const struct tx *tx, struct erasing *e, const struct audit_entry *by, bool act)
{
    int64_t after = 0;
    bool more = true;

    if (act && !(db_begin(tx->db, true, tx->err) && audit_erase_begin(tx) && db_commit(tx->db, tx->err))) {
        db_rollback(tx->db);
        return false;
    }
    while (more)
        if (!run_audit_page(tx, e, by, act, &after, &more))
            return false;
    return true;
}

/* The account */

/* Out of every workspace; with the last the account goes, and what hangs on it. */
static bool remove_account(const struct tx *tx, struct erasing *e)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_MEMBERSHIPS, DB_ARGS(db_text(e->person->id)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!user_remove(tx, db_cell(&rows, i, 0), e->person->id))
            return false;
    return tx_exec(tx, SQL_USER_DELETE_IF_ALONE, DB_ARGS(db_text(e->person->id)), NULL);
}

/* Whether the account may go at all; tried and undone, before anything else happens. */
static bool try_account(const struct tx *tx, struct erasing *e)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);

    e->report->account = e->person->has_account;
    if (!e->person->has_account)
        return true;
    bool good = db_begin(tx->db, true, tx->err) && remove_account(&own, e);

    db_rollback(tx->db);
    return good;
}

/* Nobody writes under the name while it is taken out. The account itself goes last: it is found by its name
 * if this is interrupted and has to be run again. */
static bool lock_out(const struct tx *tx, struct erasing *e, int64_t now_ms)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    struct db_arg id = db_text(e->person->id);
    bool good = db_begin(tx->db, true, tx->err) &&
                tx_exec(&own, SQL_ERASE_DISABLE, DB_ARGS(id, db_int(now_ms)), NULL) &&
                tx_exec(&own, SQL_ERASE_SESSIONS, DB_ARGS(id), NULL) &&
                tx_exec(&own, SQL_ERASE_LINKS, DB_ARGS(id), NULL) &&
                tx_exec(&own, SQL_ERASE_SNOOZES, DB_ARGS(id), NULL) &&
                tx_exec(&own, SQL_ERASE_PRESENCE, DB_ARGS(id), NULL) && commit(tx);

    if (!good)
        db_rollback(tx->db);
    return good;
}

static bool finish(const struct tx *tx, struct erasing *e, const struct audit_entry *by)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    bool good = db_begin(tx->db, true, tx->err) && remove_account(&own, e) &&
                audit_erase_end(&own, by, e->person->id) && db_commit(tx->db, tx->err);

    if (!good)
        db_rollback(tx->db);
    return good;
}

/* Logs come after what they tell of, since that says what is theirs; and the audit log last, which says so
 * of everything else. */
static bool run(const struct tx *tx, struct erasing *e, const struct audit_entry *by, bool act)
{
    static const struct erase_step tables[] = {
        { NO_ID, erase_chat_page },  { NO_ID, erase_prompt_page }, { "", erase_question_page },
        { "", erase_job_page },      { "", erase_feedback_page },  { "", erase_document_page },
        { "", erase_set_page },      { "", erase_task_page },      { "", erase_project_page },
        { "", erase_decision_page }, { "", erase_seat_page },      { "", erase_discussion_page },
        { "", erase_said_page },     { "", erase_turn_page },      { "", erase_interjection_page },
        { "", erase_ruling_page },   { "", erase_agent_page },     { "", erase_token_page },
        { "", erase_reply_page },    { "0", erase_event_page },
    };

    return try_account(tx, e) && (!act || lock_out(tx, e, by->at_ms)) && learn(tx, e) &&
           run_tables(tx, e, tables, sizeof(tables) / sizeof(tables[0]), act) && run_lines(tx, e, act) &&
           run_audit(tx, e, by, act) && (!act || finish(tx, e, by));
}

bool erase_person(const struct tx *tx, const struct person *person, const struct audit_entry *by, bool act,
                  struct erase_report *report)
{
    JSON_AUTO *sets = json_array();
    struct erasing e = { .person = person, .report = report };
    json_t **each[] = {
        &e.workspaces, &e.namesakes, &e.deeds, &e.claims, &e.own, &e.part, &e.jobs, &e.seats
    };

    *report = (struct erase_report){ 0 };
    e.key = str_fold(tx->arena, person->name);
    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        *each[i] = json_object();
        json_array_append_new(sets, *each[i]);
    }
    if (run(tx, &e, by, act))
        return true;
    if (act && tx->err->code != ERR_NOT_FOUND && tx->err->code != ERR_CONFLICT)
        err_hint(tx->err, "What was done so far stays done; run the command again to go on.");
    return false;
}
