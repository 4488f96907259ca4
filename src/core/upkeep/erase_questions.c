/*
 * Questions, jobs and the lines of their logs that a person who is erased has written or is named in.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/questions/job.h"
#include "core/questions/question.h"
#include "core/upkeep/erase_parts.h"

#include <stdlib.h>
#include <string.h>

#define NO_ARGS "{}"

struct asked {
    const char *id, *job_id, *workspace_id, *question, *context, *options, *response, *responded_by,
        *default_response, *metadata, *approvals, *action, *approved_args, *late_answers, *draft_by,
        *asked_by, *asked_by_id, *outcome_by, *restart_job_id, *assigned_to, *requested_by, *handover;
    enum response_type response_type;
    int64_t at_ms, ended_ms;
    bool changed, answer_changed;
};

static bool asked_from_row(const struct db_rows *rows, size_t i, struct asked *asked, struct err *err)
{
    const char *strange = NULL;

    *asked = (struct asked){
        .id = db_cell(rows, i, COL_ERASE_QUESTION_ID),
        .job_id = db_cell(rows, i, COL_ERASE_QUESTION_JOB_ID),
        .workspace_id = db_cell(rows, i, COL_ERASE_QUESTION_WORKSPACE_ID),
        .question = db_cell(rows, i, COL_ERASE_QUESTION_QUESTION),
        .context = db_cell(rows, i, COL_ERASE_QUESTION_CONTEXT),
        .response_type = db_cell_word(rows, i, COL_ERASE_QUESTION_RESPONSE_TYPE, response_types, &strange),
        .options = db_cell(rows, i, COL_ERASE_QUESTION_OPTIONS),
        .response = db_cell(rows, i, COL_ERASE_QUESTION_RESPONSE),
        .responded_by = db_cell(rows, i, COL_ERASE_QUESTION_RESPONDED_BY),
        .default_response = db_cell(rows, i, COL_ERASE_QUESTION_DEFAULT_RESPONSE),
        .metadata = db_cell(rows, i, COL_ERASE_QUESTION_METADATA),
        .approvals = db_cell(rows, i, COL_ERASE_QUESTION_APPROVALS),
        .action = db_cell(rows, i, COL_ERASE_QUESTION_ACTION),
        .approved_args = db_cell(rows, i, COL_ERASE_QUESTION_APPROVED_ARGS),
        .late_answers = db_cell(rows, i, COL_ERASE_QUESTION_LATE_ANSWERS),
        .draft_by = db_cell(rows, i, COL_ERASE_QUESTION_DRAFT_BY),
        .asked_by = db_cell(rows, i, COL_ERASE_QUESTION_ASKED_BY),
        .asked_by_id = db_cell(rows, i, COL_ERASE_QUESTION_ASKED_BY_ID),
        .outcome_by = db_cell(rows, i, COL_ERASE_QUESTION_OUTCOME_BY),
        .at_ms = erase_time(db_cell(rows, i, COL_ERASE_QUESTION_CREATED_AT)),
        .ended_ms = erase_time(db_cell(rows, i, COL_ERASE_QUESTION_ENDED_AT)),
        .restart_job_id = db_cell(rows, i, COL_ERASE_QUESTION_RESTART_JOB_ID),
        .assigned_to = db_cell(rows, i, COL_ERASE_QUESTION_ASSIGNED_TO),
        .requested_by = db_cell(rows, i, COL_ERASE_QUESTION_REQUESTED_BY),
        .handover = db_cell(rows, i, COL_ERASE_QUESTION_HANDOVER),
    };
    return db_words_known(strange, err);
}

/* Entries [{id, by, ...}] or [{response, by, respondedBy, ...}]: theirs by id. */
static const char *blank_entries(const struct erasing *e, struct arena *arena, const char *text,
                                 bool keep_value, bool *any, bool *changed)
{
    JSON_AUTO *list = erase_parse(text);
    json_t *entry;
    size_t i;

    *any = false;
    json_array_foreach(list, i, entry)
    {
        if (!str_equal(erase_member(entry, "id"), e->person->id) &&
            !str_equal(erase_member(entry, "respondedBy"), e->person->id))
            continue;
        *any = true;
        if (str_equal(erase_member(entry, "by"), ERASED_NAME))
            continue;
        json_object_set_new(entry, "by", json_string(ERASED_NAME));
        erase_blank(json_object_get(entry, "response"), keep_value);
        *changed = true;
    }
    return *any ? json_dump_text(arena, list) : text;
}

/*
 * Arguments that they have changed are their words, whoever approved them after them: who changes them is the
 * first of the approvals. Where it is still open, nobody approves what nobody can read any more: all begins
 * anew.
 */
static void erase_changed_args(const struct erasing *e, struct arena *arena, struct asked *q)
{
    JSON_AUTO *approvals = erase_parse(q->approvals);
    JSON_AUTO *response = erase_parse(q->response);

    if (!q->approved_args || str_equal(q->approved_args, NO_ARGS) ||
        !str_equal(erase_member(json_array_get(approvals, 0), "id"), e->person->id))
        return;
    q->changed = true;
    if (!q->ended_ms) {
        q->approved_args = NULL;
        q->approvals = "[]";
        return;
    }
    q->approved_args = NO_ARGS;
    if (json_object_get(response, "args")) {
        json_object_set_new(response, "args", json_object());
        q->response = json_dump_text(arena, response);
        q->answer_changed = true;
    }
}

static void erase_own_question(struct erasing *e, struct arena *arena, struct asked *q)
{
    bool keeps_value = q->response_type != RESPONSE_TEXT;

    erase_note(e->own, "question", q->id);
    if (str_equal(q->question, ERASED_TEXT))
        return;
    q->question = ERASED_TEXT;
    q->context = q->metadata = NULL;
    q->options = erase_blank_text(arena, q->options, true);
    q->default_response = erase_blank_text(arena, q->default_response, keeps_value);
    q->action = q->action ? "{\"name\":\"" ERASED_TEXT "\",\"args\":{}}" : NULL;
    if (erase_is_name(e, arena, q->asked_by))
        q->asked_by = ERASED_NAME;
    q->changed = true;
}

/* The answer with which a job was started again, once more. */
static bool erase_restart(const struct tx *tx, struct erasing *e, const struct asked *q, bool late, bool own)
{
    struct db_rows rows;

    if (!q->restart_job_id || e->looking)
        return true;
    if (!tx_query(tx, SQL_ERASE_RESTART_ANSWER, DB_ARGS(db_text(q->restart_job_id)), &rows))
        return false;
    JSON_AUTO *answer = rows.count > 0 ? erase_parse(db_cell(&rows, 0, 0)) : NULL;

    if (!answer)
        return true;
    if (own)
        json_object_set_new(answer, "question", json_string(ERASED_TEXT));
    if (late && erase_is_name(e, tx->arena, erase_member(answer, "by"))) {
        json_object_set_new(answer, "by", json_string(ERASED_NAME));
        erase_blank(json_object_get(answer, "response"), q->response_type != RESPONSE_TEXT);
    }
    return erase_change(tx, e, SQL_ERASE_RESTART,
                        DB_ARGS(db_text(q->restart_job_id), db_text(json_dump_text(tx->arena, answer))),
                        NULL);
}

static bool write_question(const struct tx *tx, struct erasing *e, const struct asked *q)
{
    return erase_change(tx, e, SQL_ERASE_QUESTION,
                        DB_ARGS(db_text(q->id), db_text(q->question), db_text(q->context),
                                db_text(q->options), db_text(q->response), db_text(q->default_response),
                                db_text(q->metadata), db_text(q->approvals), db_text(q->action),
                                db_text(q->approved_args), db_text(q->late_answers), db_text(q->draft_by),
                                db_text(q->asked_by), db_text(q->outcome_by), db_text(q->handover)),
                        &e->report->answers);
}

/* Who has assigned it, and what they said about it. */
static bool erase_handover(const struct erasing *e, struct arena *arena, struct asked *q)
{
    JSON_AUTO *handover = erase_parse(q->handover);

    if (!str_equal(erase_member(handover, "id"), e->person->id))
        return false;
    if (str_equal(erase_member(handover, "by"), ERASED_NAME))
        return true;
    json_object_set_new(handover, "by", json_string(ERASED_NAME));
    json_object_set_new(handover, "note", json_null());
    q->handover = json_dump_text(arena, handover);
    q->changed = true;
    return true;
}

static bool erase_question(const struct tx *tx, struct erasing *e, struct asked *q)
{
    bool keeps_value = q->response_type != RESPONSE_TEXT, approved, late;
    bool answered = str_equal(q->responded_by, e->person->id);
    bool own = str_equal(q->asked_by_id, e->person->id) ||
               (!q->asked_by_id && erase_is_theirs(e, tx->arena, q->asked_by, q->workspace_id, q->at_ms));
    bool named = erase_is_name(e, tx->arena, q->outcome_by);

    erase_changed_args(e, tx->arena, q);
    q->approvals = blank_entries(e, tx->arena, q->approvals, true, &approved, &q->changed);
    q->late_answers = blank_entries(e, tx->arena, q->late_answers, keeps_value, &late, &q->changed);
    if (own)
        erase_own_question(e, tx->arena, q);
    if (named && (answered || erase_is_theirs(e, tx->arena, q->outcome_by, q->workspace_id, q->ended_ms))) {
        q->outcome_by = ERASED_NAME;
        q->changed = true;
        if (answered) {
            q->response = erase_blank_text(tx->arena, q->response, keeps_value);
            q->answer_changed = true;
            q->approved_args = q->approved_args ? NO_ARGS : NULL;
        }
    }
    bool assigned = erase_handover(e, tx->arena, q) || str_equal(q->assigned_to, e->person->id) ||
                    str_equal(q->requested_by, e->person->id);
    bool part = own || answered || approved || late || assigned || q->changed ||
                erase_did_to(e, q->workspace_id, q->id);

    /* Who is typing is not in the audit log. */
    if (erase_is_name(e, tx->arena, q->draft_by) && (part || erase_is_alone(e, q->workspace_id))) {
        q->draft_by = NULL;
        q->changed = part = true;
    }
    if (!part)
        return true;
    erase_note(e->part, "question", q->id);
    json_object_set_new(e->jobs, q->job_id, json_true());
    if (q->restart_job_id)
        json_object_set_new(e->jobs, q->restart_job_id, json_true());
    if (!q->changed)
        return true;
    if (!write_question(tx, e, q) || !erase_restart(tx, e, q, late, own))
        return false;
    if (e->looking)
        return true;
    return (!q->answer_changed ||
            erase_change(tx, e, SQL_ERASE_RESULT, DB_ARGS(db_text(q->job_id), db_text(q->response)), NULL)) &&
           (!own ||
            erase_change(tx, e, SQL_ERASE_NOTIFICATIONS, DB_ARGS(db_text("question"), db_text(q->id)), NULL));
}

bool erase_question_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_QUESTION_PAGE, DB_ARGS(db_text(page->after[0]), db_int(ERASE_BATCH)), &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        struct asked asked;

        if (!asked_from_row(&rows, i, &asked, tx->err))
            return false;
        page->after[0] = asked.id;
        if (!erase_question(tx, e, &asked))
            return false;
    }
    return true;
}

/* Jobs */

static bool erase_job(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *id = db_cell(rows, i, COL_ERASE_JOB_ID),
               *workspace_id = db_cell(rows, i, COL_ERASE_JOB_WORKSPACE_ID);
    const char *requester = db_cell(rows, i, COL_ERASE_JOB_REQUESTED_NAME),
               *by = db_cell(rows, i, COL_ERASE_JOB_OUTCOME_BY),
               *reason = db_cell(rows, i, COL_ERASE_JOB_ERROR);
    int64_t ended_ms = db_cell_int(rows, i, COL_ERASE_JOB_ENDED_AT);
    bool requested = str_equal(db_cell(rows, i, COL_ERASE_JOB_REQUESTED_BY), e->person->id);
    bool ended = erase_is_theirs(e, tx->arena, by, workspace_id, ended_ms);
    bool said = ended && reason;

    if (said || (erase_is_in(e, workspace_id) && erase_is_gone(by, reason)))
        erase_note(e->part, "job", id);
    if (requested || ended || erase_noted(e->part, "job", id) || erase_did_to(e, workspace_id, id))
        json_object_set_new(e->jobs, id, json_true());
    requested = requested && requester && !str_equal(requester, ERASED_NAME);
    if (!requested && !ended)
        return true;
    return erase_change(tx, e, SQL_ERASE_JOB,
                        DB_ARGS(db_text(id), db_text(requested ? ERASED_NAME : requester),
                                db_text(ended ? ERASED_NAME : by), db_text(said ? ERASED_TEXT : reason)),
                        NULL) &&
           (!said || e->looking ||
            erase_change(tx, e, SQL_ERASE_NOTIFICATIONS, DB_ARGS(db_text("job"), db_text(id)), NULL));
}

bool erase_job_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_JOB_PAGE, DB_ARGS(db_text(page->after[0]), db_int(ERASE_BATCH)), &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        page->after[0] = db_cell(&rows, i, COL_ERASE_JOB_ID);
        if (!erase_job(tx, e, &rows, i))
            return false;
    }
    return true;
}

/* Lines of a log */

struct line {
    enum line_kind kind;
    const char *job_id, *message, *data, *workspace_id;
    int64_t at_ms;
};

/* "Ada answered: ...", "Ada moved the deadline ..." and the like, at a time at which they did something. */
static bool names_them(const struct erasing *e, const struct line *line)
{
    size_t len = strlen(e->person->name);

    return strncmp(line->message, e->person->name, len) == 0 && line->message[len] == ' ' &&
           erase_is_in(e, line->workspace_id) &&
           (erase_did_then(e, line->workspace_id, line->at_ms) || erase_is_alone(e, line->workspace_id));
}

/* What the server wrote about somebody, and the reason that they gave. What a job itself added to its log has
 * no author. */
static bool erase_said(const struct erasing *e, struct line *line)
{
    static const enum line_kind about[] = { LINE_ANSWER,   LINE_LATE,    LINE_APPROVAL, LINE_CANCELLED,
                                            LINE_EXTENDED, LINE_RESTART, LINE_STATUS,   LINE_ASSIGNED };
    bool theirs =
        line->kind == LINE_STATUS && strstr(line->message, ": ") && erase_noted(e->part, "job", line->job_id);

    for (size_t i = 0; i < sizeof(about) / sizeof(about[0]) && !theirs; i++)
        theirs = line->kind == about[i] && names_them(e, line);
    if (!theirs || str_equal(line->message, ERASED_TEXT))
        return false;
    line->message = ERASED_TEXT;
    line->data = NULL;
    return true;
}

/* What was asked, to whom it was given, and the answer that a job was started again with. */
static bool erase_quoted(const struct erasing *e, struct arena *arena, struct line *line)
{
    JSON_AUTO *data = erase_parse(line->data);
    const char *id = erase_member(data, "questionId");
    bool own = id && erase_noted(e->own, "question", id);
    bool to_them = line->kind == LINE_ASSIGNED && str_equal(erase_member(data, "assignedTo"), e->person->id);

    if (((line->kind == LINE_QUESTION && own) || to_them) && !str_equal(line->message, ERASED_TEXT)) {
        line->message = ERASED_TEXT;
        return true;
    }
    if (line->kind != LINE_RESTART || !json_object_get(data, "response"))
        return false;
    if (!own && !(erase_noted(e->part, "question", id) && erase_is_name(e, arena, erase_member(data, "by"))))
        return false;
    line->data = NULL;
    return true;
}

bool erase_line_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    const char *strange = NULL;
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_LINE_PAGE,
                  DB_ARGS(db_text(page->after[0]), db_int(atoll(page->after[1])), db_int(ERASE_BATCH)),
                  &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        struct line line = {
            .job_id = page->after[0],
            .kind = db_cell_word(&rows, i, COL_ERASE_LINE_KIND, line_kinds, &strange),
            .message = db_cell(&rows, i, COL_ERASE_LINE_MESSAGE),
            .data = db_cell(&rows, i, COL_ERASE_LINE_DATA),
            .at_ms = db_cell_int(&rows, i, COL_ERASE_LINE_CREATED_AT),
            .workspace_id = db_cell(&rows, i, COL_ERASE_LINE_WORKSPACE_ID),
        };

        page->after[1] = db_cell(&rows, i, COL_ERASE_LINE_SEQ);
        if (!db_words_known(strange, tx->err))
            return false;
        if (!erase_said(e, &line) && !erase_quoted(e, tx->arena, &line))
            continue;
        if (!erase_change(tx, e, SQL_ERASE_LINE,
                          DB_ARGS(db_text(line.job_id), db_int(db_cell_int(&rows, i, COL_ERASE_LINE_SEQ)),
                                  db_text(line.message), db_text(line.data)),
                          &e->report->lines))
            return false;
    }
    return true;
}
