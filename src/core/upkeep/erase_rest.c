/*
 * What else a person who is erased has left in projects and workspaces, and the replies kept for repeats.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/upkeep/erase_parts.h"

#include <stdlib.h>
#include <string.h>

static bool erase_feedback(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *id = db_cell(rows, i, COL_ERASE_FEEDBACK_ID),
               *workspace_id = db_cell(rows, i, COL_ERASE_FEEDBACK_WORKSPACE_ID),
               *author = db_cell(rows, i, COL_ERASE_FEEDBACK_AUTHOR);
    int64_t at_ms = db_cell_int(rows, i, COL_ERASE_FEEDBACK_CREATED_AT);

    if (!erase_is_gone(author, db_cell(rows, i, COL_ERASE_FEEDBACK_TEXT)) &&
        !erase_did(e, workspace_id, id, at_ms) &&
        (erase_did_then(e, workspace_id, at_ms) ||
         !erase_is_theirs(e, tx->arena, author, workspace_id, at_ms)))
        return true;
    erase_note(e->own, "feedback", id);
    if (str_equal(db_cell(rows, i, COL_ERASE_FEEDBACK_TEXT), ERASED_TEXT))
        return true;
    return erase_change(
        tx, e, SQL_ERASE_FEEDBACK,
        DB_ARGS(db_text(id), db_text(erase_is_name(e, tx->arena, author) ? ERASED_NAME : author)),
        &e->report->feedback);
}

bool erase_feedback_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_FEEDBACK_PAGE, erase_feedback);
}

bool erase_document_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_DOCUMENT_PAGE,
                  DB_ARGS(db_text(page->after[0]), db_text(page->after[1]), db_text(page->after[2]),
                          db_int(atoll(page->after[3])), db_int(ERASE_BATCH)),
                  &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        for (size_t key = 0; key < ERASE_KEYS; key++)
            page->after[key] = db_cell(&rows, i, key);
        if (!erase_is_theirs(e, tx->arena, db_cell(&rows, i, COL_ERASE_DOCUMENT_AUTHOR),
                             db_cell(&rows, i, COL_ERASE_DOCUMENT_WORKSPACE_ID),
                             db_cell_int(&rows, i, COL_ERASE_DOCUMENT_CREATED_AT)))
            continue;
        if (!erase_change(tx, e, SQL_ERASE_DOCUMENT,
                          DB_ARGS(db_text(page->after[0]), db_text(page->after[1]), db_text(page->after[2]),
                                  db_int(atoll(page->after[3]))),
                          &e->report->documents))
            return false;
    }
    return true;
}

/* Answers say who gave them and when while a set is open; the others are of whoever settled it. */
static bool blank_answers(const struct erasing *e, struct arena *arena, json_t *list,
                          const char *workspace_id, bool settled)
{
    bool changed = false;
    json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        const char *by = erase_member(entry, "by");

        if (by ? !erase_is_theirs(e, arena, by, workspace_id, erase_time(erase_member(entry, "at")))
               : !settled)
            continue;
        json_object_set_new(entry, "answer", json_string(ERASED_TEXT));
        if (by)
            json_object_set_new(entry, "by", json_string(ERASED_NAME));
        changed = true;
    }
    return changed;
}

/* The questions of a set that they handed in themselves. */
static bool blank_questions(json_t *list)
{
    bool changed = false;
    json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        changed = changed || !str_equal(erase_member(entry, "text"), ERASED_TEXT);
        json_object_set_new(entry, "text", json_string(ERASED_TEXT));
    }
    return changed;
}

static bool erase_set(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *id = db_cell(rows, i, COL_ERASE_SET_ID),
               *workspace_id = db_cell(rows, i, COL_ERASE_SET_WORKSPACE_ID);
    const char *agent = db_cell(rows, i, COL_ERASE_SET_AGENT),
               *by = db_cell(rows, i, COL_ERASE_SET_OUTCOME_BY);
    JSON_AUTO *questions = erase_parse(db_cell(rows, i, COL_ERASE_SET_QUESTIONS));
    JSON_AUTO *answers = erase_parse(db_cell(rows, i, COL_ERASE_SET_RESPONSES));
    bool own = str_equal(db_cell(rows, i, COL_ERASE_SET_ASKED_BY_ID), e->person->id);
    bool settled =
        erase_is_theirs(e, tx->arena, by, workspace_id, db_cell_int(rows, i, COL_ERASE_SET_RESOLVED_AT));
    bool answered = blank_answers(e, tx->arena, answers, workspace_id, settled);

    if (own)
        erase_note(e->own, "open_question", id);
    if (own || settled || answered || erase_did_to(e, workspace_id, id))
        erase_note(e->part, "open_question", id);
    own = own && blank_questions(questions);
    if (!own && !settled && !answered)
        return true;
    return erase_change(tx, e, SQL_ERASE_SET,
                        DB_ARGS(db_text(id),
                                db_text(own ? json_dump_text(tx->arena, questions)
                                            : db_cell(rows, i, COL_ERASE_SET_QUESTIONS)),
                                db_text(answered ? json_dump_text(tx->arena, answers)
                                                 : db_cell(rows, i, COL_ERASE_SET_RESPONSES)),
                                db_text(own && erase_is_name(e, tx->arena, agent) ? ERASED_NAME : agent),
                                db_text(settled ? ERASED_NAME : by)),
                        &e->report->sets) &&
           (!own || e->looking ||
            erase_change(tx, e, SQL_ERASE_NOTIFICATIONS, DB_ARGS(db_text("open_question"), db_text(id)),
                         NULL));
}

bool erase_set_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_SET_PAGE, erase_set);
}

/* Who is named there may be an agent: it is they who took it last, or nobody else has the name. */
static bool erase_task(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *id = db_cell(rows, i, COL_ERASE_TASK_ID),
               *workspace_id = db_cell(rows, i, COL_ERASE_TASK_WORKSPACE_ID);

    if (!erase_is_name(e, tx->arena, db_cell(rows, i, COL_ERASE_TASK_ASSIGNEE)) ||
        !erase_is_in(e, workspace_id) ||
        (!json_object_get(e->claims, id) && !erase_is_alone(e, workspace_id)))
        return true;
    return erase_change(tx, e, SQL_ERASE_TASK, DB_ARGS(db_text(id)), NULL);
}

bool erase_task_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_TASK_PAGE, erase_task);
}

static bool erase_project(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    JSON_AUTO *settings = erase_parse(db_cell(rows, i, COL_ERASE_PROJECT_SETTINGS));

    if (!erase_is_in(e, db_cell(rows, i, COL_ERASE_PROJECT_WORKSPACE_ID)) ||
        !erase_from_answerers(e, tx->arena, settings))
        return true;
    return erase_change(tx, e, SQL_ERASE_PROJECT,
                        DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_PROJECT_ID)),
                                db_text(json_dump_text(tx->arena, settings))),
                        NULL);
}

bool erase_project_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_PROJECT_PAGE, erase_project);
}

/* What they asked a project's autonomy about. The question that people settle it by is erased as any other.
 */
static bool erase_decision(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *id = db_cell(rows, i, COL_ERASE_DECISION_ID),
               *workspace_id = db_cell(rows, i, COL_ERASE_DECISION_WORKSPACE_ID),
               *agent = db_cell(rows, i, COL_ERASE_DECISION_AGENT),
               *text = db_cell(rows, i, COL_ERASE_DECISION_DESCRIPTION);
    int64_t at_ms = db_cell_int(rows, i, COL_ERASE_DECISION_CREATED_AT);

    if (!erase_is_in(e, workspace_id) ||
        (!erase_is_gone(agent, text) && !erase_did(e, workspace_id, id, at_ms) &&
         (erase_did_then(e, workspace_id, at_ms) ||
          !erase_is_theirs(e, tx->arena, agent, workspace_id, at_ms))))
        return true;
    erase_note(e->own, "decision", id);
    if (str_equal(text, ERASED_TEXT))
        return true;
    return erase_change(
               tx, e, SQL_ERASE_DECISION,
               DB_ARGS(db_text(id), db_text(erase_is_name(e, tx->arena, agent) ? ERASED_NAME : agent)),
               NULL) &&
           (e->looking ||
            erase_change(tx, e, SQL_ERASE_NOTIFICATIONS, DB_ARGS(db_text("decision"), db_text(id)), NULL));
}

bool erase_decision_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_DECISION_PAGE, erase_decision);
}

/* A token that they made for themselves may have their name; it goes on being good. */
static bool erase_token(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    if (!str_equal(db_cell(rows, i, COL_ERASE_TOKEN_CREATED_BY), e->person->id) ||
        !erase_is_name(e, tx->arena, db_cell(rows, i, COL_ERASE_TOKEN_NAME)))
        return true;
    return erase_change(tx, e, SQL_ERASE_TOKEN, DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_TOKEN_ID))), NULL);
}

bool erase_token_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_TOKEN_PAGE, erase_token);
}

/* Replies kept for repeats */

static bool is_noted(const json_t *set, const char *text)
{
    static const char *const types[] = { "chat",     "prompt", "question",   "open_question", "job",
                                         "feedback", "entry",  "discussion", "decision" };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (erase_noted(set, types[i], text))
            return true;
    return false;
}

struct found {
    bool own, part, name; /* an id of what they wrote, of what they had a part in; their name */
};

static void look(const struct erasing *e, struct arena *arena, json_t *value, struct found *found)
{
    const char *text = json_string_value(value), *key;
    json_t *item;
    size_t i;

    if (text) {
        found->own = found->own || is_noted(e->own, text);
        found->part = found->part || is_noted(e->part, text);
        found->name = found->name || erase_is_name(e, arena, text);
    }
    json_array_foreach(value, i, item) look(e, arena, item, found);
    json_object_foreach(value, key, item) look(e, arena, item, found);
}

/* The name by itself may be an agent's. */
static bool tells_of_them(const struct erasing *e, struct arena *arena, const char *workspace_id,
                          const char *reply)
{
    JSON_AUTO *value = erase_parse(reply);
    struct found found = { 0 };

    look(e, arena, value, &found);
    return found.own || (found.name && (found.part || erase_is_alone(e, workspace_id)));
}

bool erase_reply_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_REPLY_PAGE,
                  DB_ARGS(db_text(page->after[0]), db_text(page->after[1]), db_text(page->after[2]),
                          db_text(page->after[3]), db_int(ERASE_BATCH)),
                  &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        for (size_t key = 0; key < ERASE_KEYS; key++)
            page->after[key] = db_cell(&rows, i, key);
        bool own = str_equal(page->after[1], e->person->id);

        if (!own && !(erase_is_in(e, page->after[0]) &&
                      tells_of_them(e, tx->arena, page->after[0], db_cell(&rows, i, COL_ERASE_REPLY_REPLY))))
            continue;
        if (!erase_change(tx, e, own ? SQL_ERASE_OWN_REPLY : SQL_ERASE_REPLY,
                          DB_ARGS(db_text(page->after[0]), db_text(page->after[1]), db_text(page->after[2]),
                                  db_text(page->after[3])),
                          &e->report->replies))
            return false;
    }
    return true;
}
