/*
 * What a person who is erased has said in discussions, which of them they started or ended, and where they
 * sat.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/council/participant.h"
#include "core/upkeep/erase_parts.h"

/* The rows of a table, which `erase_row` is given one by one. */
static bool each_row(const struct tx *tx, struct erasing *e, struct erase_page *page, enum sql_id sql,
                     bool (*erase_row)(const struct tx *tx, struct erasing *e, const struct db_rows *rows,
                                       size_t i))
{
    struct db_rows rows;

    if (!tx_query(tx, sql, DB_ARGS(db_text(page->after[0]), db_int(ERASE_BATCH)), &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        page->after[0] = db_cell(&rows, i, 0);
        if (!erase_row(tx, e, &rows, i))
            return false;
    }
    return true;
}

/* A person says who they are by id, or by whatever name the caller gave. */
static bool is_them(const struct tx *tx, const struct erasing *e, const char *user_id)
{
    return user_id && (str_equal(user_id, e->person->id) || erase_is_name(e, tx->arena, user_id));
}

static bool erase_said(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *id = db_cell(rows, i, COL_ERASE_SAID_ID), *speaker = db_cell(rows, i, COL_ERASE_SAID_SPEAKER);
    const char *workspace_id = db_cell(rows, i, COL_ERASE_SAID_WORKSPACE_ID);
    int64_t at_ms = db_cell_int(rows, i, COL_ERASE_SAID_CREATED_AT);
    bool person = participant_is_person(db_cell(rows, i, COL_ERASE_SAID_ROLE));

    if (!erase_is_in(e, workspace_id) ||
        (!is_them(tx, e, db_cell(rows, i, COL_ERASE_SAID_USER_ID)) &&
         !(person && erase_is_theirs(e, tx->arena, speaker, workspace_id, at_ms)) &&
         !(person && erase_is_gone(speaker, db_cell(rows, i, COL_ERASE_SAID_CONTENT)))))
        return true;
    erase_note(e->own, "entry", id);
    if (str_equal(db_cell(rows, i, COL_ERASE_SAID_CONTENT), ERASED_TEXT) &&
        !db_cell(rows, i, COL_ERASE_SAID_USER_ID))
        return true;
    return erase_change(
        tx, e, SQL_ERASE_SAID,
        DB_ARGS(db_text(id), db_text(erase_is_name(e, tx->arena, speaker) ? ERASED_NAME : speaker)),
        &e->report->messages);
}

bool erase_said_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return each_row(tx, e, page, SQL_ERASE_SAID_PAGE, erase_said);
}

static bool erase_discussion(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *workspace_id = db_cell(rows, i, COL_ERASE_DISCUSSION_WORKSPACE_ID);
    const char *by = db_cell(rows, i, COL_ERASE_DISCUSSION_OUTCOME_BY);
    const char *created_by = db_cell(rows, i, COL_ERASE_DISCUSSION_CREATED_BY_ID);
    bool own = str_equal(created_by, e->person->id);
    bool ended =
        erase_is_theirs(e, tx->arena, by, workspace_id, db_cell_int(rows, i, COL_ERASE_DISCUSSION_ENDED_AT));

    if (!erase_is_in(e, workspace_id) || (!own && !ended))
        return true;
    if (own)
        erase_note(e->own, "discussion", db_cell(rows, i, COL_ERASE_DISCUSSION_DISCUSSION_ID));
    return erase_change(
        tx, e, SQL_ERASE_DISCUSSION,
        DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_DISCUSSION_ID)),
                db_text(own ? ERASED_TEXT : db_cell(rows, i, COL_ERASE_DISCUSSION_TOPIC)),
                db_text(own ? NULL : created_by),
                db_text(own ? ERASED_NAME : db_cell(rows, i, COL_ERASE_DISCUSSION_CREATED_BY_NAME)),
                db_text(ended ? ERASED_NAME : by)),
        NULL);
}

bool erase_discussion_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return each_row(tx, e, page, SQL_ERASE_DISCUSSION_PAGE, erase_discussion);
}

/* By the id, or, where any person may sit, by the name that they were given. */
static bool erase_seat(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *name = db_cell(rows, i, COL_ERASE_SEAT_NAME);
    const char *user_id = db_cell(rows, i, COL_ERASE_SEAT_USER_ID);
    const char *workspace_id = db_cell(rows, i, COL_ERASE_SEAT_WORKSPACE_ID);

    if (!erase_is_in(e, workspace_id) ||
        (!is_them(tx, e, user_id) &&
         (user_id || !erase_is_theirs(e, tx->arena, name, workspace_id,
                                      db_cell_int(rows, i, COL_ERASE_SEAT_CREATED_AT)))))
        return true;
    return erase_change(tx, e, SQL_ERASE_SEAT,
                        DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_SEAT_ID)),
                                db_text(erase_is_name(e, tx->arena, name) ? ERASED_NAME : name)),
                        NULL);
}

bool erase_seat_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return each_row(tx, e, page, SQL_ERASE_SEAT_PAGE, erase_seat);
}

static bool erase_agent(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *workspace_id = db_cell(rows, i, COL_ERASE_AGENT_WORKSPACE_ID);

    if (!erase_is_in(e, workspace_id) ||
        !erase_is_theirs(e, tx->arena, db_cell(rows, i, COL_ERASE_AGENT_CREATED_BY), workspace_id,
                         db_cell_int(rows, i, COL_ERASE_AGENT_CREATED_AT)))
        return true;
    return erase_change(tx, e, SQL_ERASE_AGENT, DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_AGENT_ID))), NULL);
}

bool erase_agent_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return each_row(tx, e, page, SQL_ERASE_AGENT_PAGE, erase_agent);
}
