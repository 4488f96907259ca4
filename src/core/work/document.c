/*
 * Versions are rows and never updated; a text that is the same as the newest makes none. The count is checked
 * only when an id is new.
 */
#include "core/work/document.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/identity/workspace.h"
#include "core/log/event.h"

#include <string.h>

static bool tell(const struct tx *tx, const struct project *project, enum event_type type,
                 const char *subject, const char *data)
{
    return event_append(tx, &(struct event){ .workspace_id = project->workspace_id,
                                             .type = type,
                                             .project_id = project->id,
                                             .subject = subject,
                                             .data = data,
                                             .at_ms = tx->now_ms });
}

bool feedback_create(const struct tx *tx, const struct project *project, const char *author,
                     struct feedback *feedback)
{
    struct db_arg row[FEEDBACK_INSERT_WIDTH];
    BUF_AUTO text = { 0 };
    struct json_out out;

    feedback->id = uuid_new(tx->arena);
    feedback->project_id = project->id;
    feedback->workspace_id = project->workspace_id;
    feedback->author = author;
    feedback->author_id = tx->caller->id;
    feedback->created_ms = tx->now_ms;
    feedback_put_insert(feedback, row);
    if (!tx_exec(tx, SQL_FEEDBACK_INSERT, FEEDBACK_INSERT_WIDTH, row, NULL))
        return false;
    buf_init(&text, 0);
    json_begin(&out, &text);
    feedback_write(feedback, NULL, &out);
    return tell(tx, project, EVENT_FEEDBACK_ADDED, feedback->id, text.bytes);
}

bool feedback_get(const struct tx *tx, const struct project *project, const char *id,
                  struct feedback *feedback)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_FEEDBACK_GET, DB_ARGS(db_text(id), db_text(project->id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no feedback with that id in this project.");
    return feedback_from_row(&rows, 0, feedback, tx->err);
}

bool feedback_list(const struct tx *tx, const struct project *project, const char *cursor, size_t limit,
                   struct feedback **feedback, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(
            tx, SQL_FEEDBACK_LIST,
            DB_ARGS(db_text(project->id), db_text(cursor ? cursor : ID_ABOVE_ALL), db_int((int64_t)limit)),
            &rows))
        return false;
    *count = rows.count;
    return feedback_from_rows(tx, &rows, rows.count, feedback);
}

bool feedback_set_confirmed(const struct tx *tx, const struct project *project, const char *id)
{
    return tx_exec(tx, SQL_FEEDBACK_CONFIRMED, DB_ARGS(db_text(id), db_text(project->id)), NULL);
}

bool feedback_set_handled(const struct tx *tx, const struct project *project, const char *id)
{
    return tx_exec(tx, SQL_FEEDBACK_HANDLED, DB_ARGS(db_text(id), db_text(project->id), db_int(tx->now_ms)),
                   NULL);
}

_Static_assert((int)COL_DOCUMENT_BRIEF_END == (int)COL_DOCUMENT_END, "both lists have the same places");

static bool document_from_row(const struct db_rows *rows, size_t row, struct document *document,
                              struct err *err)
{
    const char *strange = NULL;

    *document = (struct document){
        .source = db_cell_word(rows, row, COL_DOCUMENT_SOURCE, work_sources, &strange),
        .source_id = db_cell(rows, row, COL_DOCUMENT_SOURCE_ID),
        .version = db_cell_int(rows, row, COL_DOCUMENT_VERSION),
        .author = db_cell(rows, row, COL_DOCUMENT_AUTHOR),
        .text = db_cell(rows, row, COL_DOCUMENT_TEXT),
        .created_ms = db_cell_int(rows, row, COL_DOCUMENT_CREATED_AT),
    };
    return db_words_known(strange, err);
}

static bool take_documents(const struct tx *tx, const struct db_rows *rows, struct document **documents,
                           size_t *count)
{
    *documents = arena_array(tx->arena, struct document, rows->count);
    *count = rows->count;
    for (size_t row = 0; row < rows->count; row++)
        if (!document_from_row(rows, row, &(*documents)[row], tx->err))
            return false;
    return true;
}

/* Leaves `document` as it is when there is none. */
static bool find(const struct tx *tx, const struct project *project, enum work_source source, const char *id,
                 int64_t version, struct document *document)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_DOCUMENT_GET,
                  DB_ARGS(db_text(project->id), db_text(work_source_word(source)), db_text(id),
                          version ? db_int(version) : db_null()),
                  &rows))
        return false;
    return rows.count == 0 || document_from_row(&rows, 0, document, tx->err);
}

bool document_get(const struct tx *tx, const struct project *project, enum work_source source, const char *id,
                  int64_t version, struct document *document)
{
    struct document found = { 0 };

    if (!find(tx, project, source, id, version, &found))
        return false;
    if (found.version == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no %s with that id in this project.",
                       source == SOURCE_PRD ? "section" : "plan");
    *document = found;
    return true;
}

static bool tell_document(const struct tx *tx, const struct project *project, const struct document *document)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "projectId", project->id);
    json_text(&out, document->source == SOURCE_PRD ? "sectionKey" : "planId", document->source_id);
    json_int(&out, "version", document->version);
    json_text(&out, "author", document->author);
    json_map_end(&out);
    return tell(tx, project, document->source == SOURCE_PRD ? EVENT_PRD_UPDATED : EVENT_PLAN_UPDATED,
                document->source_id, text.bytes);
}

static bool check_room(const struct tx *tx, const struct project *project, enum work_source source,
                       const char *text, bool is_first)
{
    struct db_rows rows;

    if (strlen(text) > LIMIT_DOCUMENT)
        return err_field(tx->err, "text", "The text is too long: at most %d bytes.", LIMIT_DOCUMENT);
    if (!tx_query(tx, SQL_DOCUMENT_COUNT, DB_ARGS(db_text(project->id), db_text(work_source_word(source))),
                  &rows))
        return false;
    return !is_first || db_cell_int(&rows, 0, 0) < LIMIT_DOCUMENTS ||
           err_set(tx->err, ERR_CONFLICT, "This project has %d of these, which is the most it can have.",
                   LIMIT_DOCUMENTS);
}

bool document_put(const struct tx *tx, const struct project *project, struct document *document,
                  bool *is_first)
{
    struct document before = { 0 };

    if (!find(tx, project, document->source, document->source_id, 0, &before))
        return false;
    *is_first = before.version == 0;
    if (!*is_first && strcmp(before.text, document->text) == 0) {
        *document = before;
        return true;
    }
    if (!check_room(tx, project, document->source, document->text, *is_first))
        return false;
    document->version = before.version + 1;
    document->created_ms = tx->now_ms;
    return tx_exec(tx, SQL_DOCUMENT_INSERT,
                   DB_ARGS(db_text(project->id), db_text(work_source_word(document->source)),
                           db_text(document->source_id), db_int(document->version),
                           db_text(project->workspace_id), db_text(document->author), db_text(document->text),
                           db_int(document->created_ms), db_text(tx_actor_id(tx))),
                   NULL) &&
           tell_document(tx, project, document);
}

bool document_history(const struct tx *tx, const struct project *project, enum work_source source,
                      const char *id, struct document **versions, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_DOCUMENT_HISTORY,
                  DB_ARGS(db_text(project->id), db_text(work_source_word(source)), db_text(id),
                          db_int(LIMIT_HISTORY)),
                  &rows))
        return false;
    return take_documents(tx, &rows, versions, count);
}

bool document_list(const struct tx *tx, const struct project *project, enum work_source source,
                   struct document **documents, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_DOCUMENT_LIST,
                  DB_ARGS(db_text(project->id), db_text(work_source_word(source)), db_int(LIMIT_DOCUMENTS)),
                  &rows))
        return false;
    return take_documents(tx, &rows, documents, count);
}
