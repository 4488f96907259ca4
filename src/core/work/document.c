#include "core/work/document.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/identity/workspace.h"
#include "core/log/event.h"

#include <string.h>

/* Whether questions about it are open stands behind the columns. */
enum { WAITING = COL_FEEDBACK_END };

static void feedback_from_row(const struct db_rows *rows, size_t row, struct feedback *feedback)
{
    *feedback = (struct feedback){
        .id = db_cell(rows, row, COL_FEEDBACK_ID),
        .project_id = db_cell(rows, row, COL_FEEDBACK_PROJECT_ID),
        .author = db_cell(rows, row, COL_FEEDBACK_AUTHOR),
        .text = db_cell(rows, row, COL_FEEDBACK_TEXT),
        .confirmed = db_cell_bool(rows, row, COL_FEEDBACK_CONFIRMED),
        .handled_ms = db_cell_int(rows, row, COL_FEEDBACK_HANDLED_AT),
        .created_ms = db_cell_int(rows, row, COL_FEEDBACK_CREATED_AT),
        .waiting = db_cell_bool(rows, row, WAITING),
    };
}

static bool tell(struct db *db, struct arena *arena, const struct project *project, const char *type,
                 const char *subject, const char *data, int64_t now_ms, struct err *err)
{
    return event_append(db, arena,
                        &(struct event){ .workspace_id = project->workspace_id,
                                         .type = type,
                                         .project_id = project->id,
                                         .subject = subject,
                                         .data = data,
                                         .at_ms = now_ms },
                        err);
}

bool feedback_create(struct db *db, struct arena *arena, const struct project *project, const char *author,
                     int64_t now_ms, struct feedback *feedback, struct err *err)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    feedback->id = uuid_new(arena);
    feedback->project_id = project->id;
    feedback->author = author;
    feedback->created_ms = now_ms;
    if (!db_exec(db, arena, SQL_FEEDBACK_INSERT,
                 DB_ARGS(db_text(feedback->id), db_text(project->workspace_id), db_text(project->id),
                         db_text(author), db_text(feedback->text), db_int(now_ms)),
                 NULL, err))
        return false;
    buf_init(&text, 0);
    json_begin(&out, &text);
    feedback_write(feedback, NULL, &out);
    return tell(db, arena, project, "feedback.added", feedback->id, text.bytes, now_ms, err);
}

bool feedback_get(struct db *db, struct arena *arena, const struct project *project, const char *id,
                  struct feedback *feedback, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_FEEDBACK_GET, DB_ARGS(db_text(id), db_text(project->id)), &rows, err))
        return false;
    if (rows.count == 0)
        return err_set(err, ERR_NOT_FOUND, "There is no feedback with that id in this project.");
    feedback_from_row(&rows, 0, feedback);
    return true;
}

bool feedback_list(struct db *db, struct arena *arena, const struct project *project, const char *cursor,
                   size_t limit, struct feedback **feedback, size_t *count, struct err *err)
{
    struct db_rows rows;

    if (!db_query(
            db, arena, SQL_FEEDBACK_LIST,
            DB_ARGS(db_text(project->id), db_text(cursor ? cursor : ID_ABOVE_ALL), db_int((int64_t)limit)),
            &rows, err))
        return false;
    *feedback = arena_array(arena, struct feedback, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        feedback_from_row(&rows, row, &(*feedback)[row]);
    return true;
}

bool feedback_set_confirmed(struct db *db, struct arena *arena, const struct project *project, const char *id,
                            struct err *err)
{
    return db_exec(db, arena, SQL_FEEDBACK_CONFIRMED, DB_ARGS(db_text(id), db_text(project->id)), NULL, err);
}

bool feedback_set_handled(struct db *db, struct arena *arena, const struct project *project, const char *id,
                          int64_t now_ms, struct err *err)
{
    return db_exec(db, arena, SQL_FEEDBACK_HANDLED,
                   DB_ARGS(db_text(id), db_text(project->id), db_int(now_ms)), NULL, err);
}

void feedback_write(const struct feedback *feedback, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_text(out, "id", feedback->id);
    json_text(out, "projectId", feedback->project_id);
    json_text(out, "author", feedback->author);
    json_text(out, "text", feedback->text);
    json_text(out, "status", feedback->waiting ? "waiting" : feedback->handled_ms ? "handled" : "new");
    json_time(out, "createdAt", feedback->created_ms);
    json_map_end(out);
}

_Static_assert((int)COL_DOCUMENT_BRIEF_END == (int)COL_DOCUMENT_END, "both lists have the same places");

static void document_from_row(const struct db_rows *rows, size_t row, struct document *document)
{
    *document = (struct document){
        .source = db_cell(rows, row, COL_DOCUMENT_SOURCE),
        .source_id = db_cell(rows, row, COL_DOCUMENT_SOURCE_ID),
        .version = db_cell_int(rows, row, COL_DOCUMENT_VERSION),
        .author = db_cell(rows, row, COL_DOCUMENT_AUTHOR),
        .text = db_cell(rows, row, COL_DOCUMENT_TEXT),
        .created_ms = db_cell_int(rows, row, COL_DOCUMENT_CREATED_AT),
    };
}

static void take_documents(struct arena *arena, const struct db_rows *rows, struct document **documents,
                           size_t *count)
{
    *documents = arena_array(arena, struct document, rows->count);
    *count = rows->count;
    for (size_t row = 0; row < rows->count; row++)
        document_from_row(rows, row, &(*documents)[row]);
}

static bool find(struct db *db, struct arena *arena, const struct project *project, const char *source,
                 const char *id, int64_t version, struct document *document, bool *found, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_DOCUMENT_GET,
                  DB_ARGS(db_text(project->id), db_text(source), db_text(id),
                          version ? db_int(version) : db_null()),
                  &rows, err))
        return false;
    *found = rows.count > 0;
    if (*found)
        document_from_row(&rows, 0, document);
    return true;
}

bool document_get(struct db *db, struct arena *arena, const struct project *project, const char *source,
                  const char *id, int64_t version, struct document *document, struct err *err)
{
    bool found;

    if (!find(db, arena, project, source, id, version, document, &found, err))
        return false;
    return found || err_set(err, ERR_NOT_FOUND, "There is no %s with that id in this project.",
                            strcmp(source, "prd") == 0 ? "section" : "plan");
}

static bool tell_document(struct db *db, struct arena *arena, const struct project *project,
                          const struct document *document, struct err *err)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "projectId", project->id);
    json_text(&out, strcmp(document->source, "prd") == 0 ? "sectionKey" : "planId", document->source_id);
    json_int(&out, "version", document->version);
    json_text(&out, "author", document->author);
    json_map_end(&out);
    return tell(db, arena, project, strcmp(document->source, "prd") == 0 ? "prd.updated" : "plan.updated",
                document->source_id, text.bytes, document->created_ms, err);
}

static bool check_room(struct db *db, struct arena *arena, const struct project *project, const char *source,
                       const char *text, bool is_first, struct err *err)
{
    struct db_rows rows;

    if (strlen(text) > LIMIT_DOCUMENT)
        return err_field(err, "text", "The text is too long: at most %d bytes.", LIMIT_DOCUMENT);
    if (!db_query(db, arena, SQL_DOCUMENT_COUNT, DB_ARGS(db_text(project->id), db_text(source)), &rows, err))
        return false;
    return !is_first || db_cell_int(&rows, 0, 0) < LIMIT_DOCUMENTS ||
           err_set(err, ERR_CONFLICT, "This project has %d of these, which is the most it can have.",
                   LIMIT_DOCUMENTS);
}

bool document_put(struct db *db, struct arena *arena, const struct project *project, const char *source,
                  const char *id, const char *text, const char *author, int64_t now_ms,
                  struct document *document, bool *is_first, struct err *err)
{
    struct document before = { 0 };
    bool found;

    if (!find(db, arena, project, source, id, 0, &before, &found, err))
        return false;
    *is_first = !found;
    if (found && strcmp(before.text, text) == 0) {
        *document = before;
        return true;
    }
    if (!check_room(db, arena, project, source, text, !found, err))
        return false;
    *document = (struct document){ .source = source,
                                   .source_id = id,
                                   .version = before.version + 1,
                                   .author = author,
                                   .text = text,
                                   .created_ms = now_ms };
    return db_exec(db, arena, SQL_DOCUMENT_INSERT,
                   DB_ARGS(db_text(project->id), db_text(source), db_text(id), db_int(document->version),
                           db_text(project->workspace_id), db_text(author), db_text(text), db_int(now_ms)),
                   NULL, err) &&
           tell_document(db, arena, project, document, err);
}

bool document_history(struct db *db, struct arena *arena, const struct project *project, const char *source,
                      const char *id, struct document **versions, size_t *count, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_DOCUMENT_HISTORY,
                  DB_ARGS(db_text(project->id), db_text(source), db_text(id), db_int(LIMIT_HISTORY)), &rows,
                  err))
        return false;
    take_documents(arena, &rows, versions, count);
    return true;
}

bool document_list(struct db *db, struct arena *arena, const struct project *project, const char *source,
                   struct document **documents, size_t *count, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_DOCUMENT_LIST,
                  DB_ARGS(db_text(project->id), db_text(source), db_int(LIMIT_DOCUMENTS)), &rows, err))
        return false;
    take_documents(arena, &rows, documents, count);
    return true;
}
