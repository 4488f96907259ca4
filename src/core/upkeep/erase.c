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

#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static bool read_workspaces(const struct tx *tx, struct erasing *e)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    struct db_rows rows, same;

    if (!tx_query(&own, SQL_ERASE_WORKSPACES, DB_ARGS(db_text(e->person->id)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        const char *id = db_cell(&rows, i, 0);

        json_object_set_new(e->workspaces, id, json_true());
        if (!tx_query(&own, SQL_ERASE_NAMESAKES,
                      DB_ARGS(db_text(id), db_text(e->person->name), db_text(e->key), db_text(e->person->id)),
                      &same))
            return false;
        if (db_cell_int(&same, 0, 0) > 0)
            json_object_set_new(e->namesakes, id, json_true());
    }
    return true;
}

/* In one snapshot. */
static bool learn(const struct tx *tx, struct erasing *e)
{
    bool good = db_begin(tx->db, false, tx->err) && read_workspaces(tx, e);

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

/* What the table's marks say of a row. */
static void erase_marked(const struct erase_table *table, struct erase_row *row)
{
    for (size_t i = 0; i < ERASE_MARKS && table->marks[i].id; i++) {
        const struct erase_mark *mark = &table->marks[i];

        row->theirs[i] = erase_is_theirs(row->e, row->tx->arena, row->cells[mark->id], row->cells[mark->name],
                                         row->cells[table->written]);
        if (!row->theirs[i])
            continue;
        erase_note(mark->words ? row->e->own : row->e->part, "", row->cells[0]);
        erase_put_name(row, mark->name);
        if (mark->words && row->cells[mark->words])
            erase_put(row, mark->words, ERASED_TEXT);
        if (mark->gone)
            erase_put(row, mark->gone, NULL);
    }
}

static bool write_row(const struct erase_table *table, const struct erase_row *row)
{
    struct db_arg args[ERASE_COLUMNS];

    for (size_t i = 0; i < table->written; i++)
        args[i] = db_text(row->cells[i]);
    return tx_exec(row->tx, row->write, table->written, args, NULL);
}

static bool erase_row(const struct tx *tx, struct erasing *e, const struct erase_table *table,
                      const struct db_rows *rows, size_t at)
{
    struct erase_row row = { .tx = tx, .e = e, .rows = rows, .at = at, .write = table->write };

    for (size_t i = 0; i < rows->width; i++)
        row.cells[i] = db_cell(rows, at, i);
    erase_marked(table, &row);
    if (table->more && !table->more(&row))
        return false;
    if (!row.changed)
        return true;
    e->changes++;
    if (!e->looking)
        return write_row(table, &row);
    if (table->counts && e->counting)
        ++*(int64_t *)((char *)e->report + table->count);
    return true;
}

/* Where in a table's keys a page begins, then where it ends, and how many rows it has. */
struct erase_place {
    const char *after[ERASE_KEYS];
    size_t rows;
};

static size_t keys_of(const struct erase_table *table)
{
    return table->keys ? table->keys : 1;
}

static bool erase_page(const struct tx *tx, struct erasing *e, const struct erase_table *table,
                       struct erase_place *place)
{
    struct db_arg args[ERASE_KEYS + 1];
    size_t keys = keys_of(table);
    struct db_rows rows;

    for (size_t i = 0; i < keys; i++)
        args[i] = db_text(place->after[i]);
    args[keys] = db_int(ERASE_BATCH);
    if (!tx_query(tx, table->page, keys + 1, args, &rows))
        return false;
    place->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        if (!erase_row(tx, e, table, &rows, i))
            return false;
    for (size_t i = 0; i < keys && rows.count > 0; i++)
        place->after[i] = db_cell(&rows, rows.count - 1, i);
    return true;
}

static bool write_once(const struct tx *tx, struct erasing *e, const struct erase_table *table,
                       struct erase_place place)
{
    int64_t began_us = clock_ticks_us();

    e->looking = false;
    /* What was read must still be so when it is written. SQLite has one writer. */
    bool good = db_begin(tx->db, true, tx->err) &&
                (tx->db->engine != DB_POSTGRES ||
                 db_script(tx->db, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", tx->err)) &&
                erase_page(tx, e, table, &place) && commit(tx);

    if (!good)
        db_rollback(tx->db);
    else
        let_others(began_us);
    return good;
}

static bool write_page(const struct tx *tx, struct erasing *e, const struct erase_table *table,
                       const struct erase_place *place)
{
    for (int tries = 1;; tries++) {
        *tx->err = (struct err){ 0 };
        if (write_once(tx, e, table, *place))
            return true;
        if (tx->err->code != ERR_RETRY || tries == ERASE_TRIES)
            return false;
    }
}

/* Looks at one page, and changes what has to change in it. */
static bool run_page(const struct tx *tx, struct erasing *e, const struct erase_table *table, bool act,
                     struct erase_place *place)
{
    struct erase_place begin = *place;

    e->looking = true;
    e->changes = 0;
    bool good = db_begin(tx->db, false, tx->err) && erase_page(tx, e, table, place);

    db_rollback(tx->db);
    return good && (!act || e->changes == 0 || write_page(tx, e, table, &begin));
}

static bool run_table(const struct tx *tx, struct erasing *e, const struct erase_table *table, bool act)
{
    struct erase_place place = { .after = { table->first ? table->first : "", "0", "", "0" },
                                 .rows = ERASE_BATCH };
    char *kept[ERASE_KEYS] = { 0 };
    bool good = true;

    while (good && place.rows == ERASE_BATCH) {
        ARENA_AUTO arena = { 0 };
        struct tx own = tx_with_arena(tx, &arena);

        good = run_page(&own, e, table, act, &place);
        for (size_t i = 0; i < ERASE_KEYS; i++) {
            char *next = strdup(place.after[i]);

            free(kept[i]);
            place.after[i] = kept[i] = next;
            good = good && (next || err_set(tx->err, ERR_UNAVAILABLE, "There is no memory left."));
        }
    }
    for (size_t i = 0; i < ERASE_KEYS; i++)
        free(kept[i]);
    return good;
}

/* All are looked at first, which says what is theirs. What repeats it goes before it does: interrupted, it is
 * found again by what is still there. */
static bool run_tables(const struct tx *tx, struct erasing *e, bool act)
{
    bool good = true;

    e->counting = true;
    for (size_t i = 0; i < erase_table_count && good; i++)
        good = run_table(tx, e, &erase_tables[i], false);
    for (size_t i = 0; i < erase_log_count && good; i++)
        good = run_table(tx, e, &erase_logs[i], act);
    e->counting = false;
    for (size_t i = erase_table_count; i > 0 && good && act; i--)
        good = run_table(tx, e, &erase_tables[i - 1], true);
    return good;
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

/* The audit log comes last: of someone who has no account it is all that still knows them. */
static bool run(const struct tx *tx, struct erasing *e, const struct audit_entry *by, bool act)
{
    return try_account(tx, e) && (!act || lock_out(tx, e, by->at_ms)) && learn(tx, e) &&
           run_tables(tx, e, act) && run_audit(tx, e, by, act) && (!act || finish(tx, e, by));
}

bool erase_person(const struct tx *tx, const struct person *person, const struct audit_entry *by, bool act,
                  struct erase_report *report)
{
    JSON_AUTO *sets = json_array();
    struct erasing e = { .person = person, .report = report };
    json_t **each[] = { &e.workspaces, &e.namesakes, &e.own, &e.part, &e.seats };

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
