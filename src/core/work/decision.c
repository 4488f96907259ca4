/*
 * A decision that people settle has no state of its own: it is read from its question's cells, which every
 * statement brings along. So there are not two rows that could disagree about a yes.
 */
#include "core/work/decision.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/identity/workspace.h"
#include "core/inbox/notification.h"
#include "core/questions/job.h"
#include "core/questions/question.h"

#include <string.h>

const char *const decision_statuses[] = { "approved", "rejected", "pending", NULL };
WORDS_FIT(decision_statuses, DECISION_END);

bool decision_is_pending(const struct decision *decision)
{
    return decision->status == DECISION_PENDING;
}

/* What people answered: {type, value, text?}. */
static bool read_response(struct arena *arena, const char *text, struct decision *decision, struct err *err)
{
    JSON_AUTO *response = NULL;

    if (!json_parse(text, strlen(text), &response, err))
        return false;
    if (json_is_true(json_object_get(response, "value")))
        decision->status = DECISION_APPROVED;
    decision->comment = arena_text(arena, json_string_value(json_object_get(response, "text")));
    return true;
}

/* Its question's cells stand behind its own. */
enum {
    QUESTION_STATUS = (int)COL_DECISION_END + (int)COL_DECISION_QUESTION_STATUS,
    QUESTION_RESPONSE = (int)COL_DECISION_END + (int)COL_DECISION_QUESTION_RESPONSE,
    QUESTION_OUTCOME_SOURCE = (int)COL_DECISION_END + (int)COL_DECISION_QUESTION_OUTCOME_SOURCE,
    QUESTION_OUTCOME_BY = (int)COL_DECISION_END + (int)COL_DECISION_QUESTION_OUTCOME_BY,
    QUESTION_ENDED_AT = (int)COL_DECISION_END + (int)COL_DECISION_QUESTION_ENDED_AT,
    QUESTION_TIMEOUT_AT = (int)COL_DECISION_END + (int)COL_DECISION_QUESTION_TIMEOUT_AT,
};

/* The question is the truth. Whatever it ended with that is not a yes is a no, and so is its being gone. */
static bool read_question(struct arena *arena, const struct db_rows *rows, size_t row, int64_t now_ms,
                          struct decision *decision, struct err *err)
{
    const char *strange = NULL, *response = db_cell(rows, row, QUESTION_RESPONSE);
    enum question_status status = db_cell_word(rows, row, QUESTION_STATUS, question_statuses, &strange);
    enum outcome_source source = db_cell_word(rows, row, QUESTION_OUTCOME_SOURCE, outcome_sources, &strange);
    int64_t due_ms = 0;

    if (!db_words_known(strange, err))
        return false;
    if (status == QUESTION_PENDING) {
        decision->status = DECISION_PENDING;
        if (db_cell(rows, row, QUESTION_TIMEOUT_AT) &&
            clock_parse(db_cell(rows, row, QUESTION_TIMEOUT_AT), &due_ms) && now_ms > due_ms)
            return err_set(err, ERR_DUE, "The time of this decision is up.");
        return true;
    }
    decision->status = DECISION_REJECTED;
    decision->outcome_source = status ? source : OUTCOME_CANCELLED;
    decision->outcome_by = status ? db_cell(rows, row, QUESTION_OUTCOME_BY) : "system";
    decision->ended_ms = decision->created_ms;
    if (db_cell(rows, row, QUESTION_ENDED_AT) &&
        !clock_parse(db_cell(rows, row, QUESTION_ENDED_AT), &decision->ended_ms))
        return err_set(err, ERR_INTERNAL, "The time of a question's end cannot be read.");
    return !response || read_response(arena, response, decision, err);
}

static bool read_row(struct arena *arena, const struct db_rows *rows, size_t row, int64_t now_ms,
                     struct decision *decision, struct err *err)
{
    if (!decision_from_row(rows, row, decision, err))
        return false;
    if (decision->question_id)
        return read_question(arena, rows, row, now_ms, decision, err);
    decision->status = DECISION_APPROVED;
    decision->outcome_source = OUTCOME_POLICY;
    decision->outcome_by = "system";
    decision->ended_ms = decision->created_ms;
    return true;
}

bool decision_get(const struct tx *tx, const struct project *project, const char *id,
                  struct decision *decision)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_DECISION_GET, DB_ARGS(db_text(id), db_text(project->id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no decision with that id in this project.");
    return read_row(tx->arena, &rows, 0, tx->now_ms, decision, tx->err);
}

bool decision_list(const struct tx *tx, const struct project *project, const struct decision_filter *filter,
                   struct decision **decisions, size_t *count)
{
    bool pending = filter->pending;
    struct db_arg args[] = { db_text(project->id), db_text(filter->cursor ? filter->cursor : ID_ABOVE_ALL),
                             db_int((int64_t)filter->limit), db_text(project->workspace_id) };
    struct db_rows rows;
    struct decision *found;

    if (!tx_query(tx, pending ? SQL_DECISION_PENDING : SQL_DECISION_LIST, pending ? 4 : 3, args, &rows))
        return false;
    found = arena_array(tx->arena, struct decision, rows.count);
    for (size_t row = 0; row < rows.count; row++)
        if (!read_row(tx->arena, &rows, row, tx->now_ms, &found[row], tx->err))
            return false;
    *decisions = found;
    *count = rows.count;
    return true;
}

static bool insert(const struct tx *tx, const struct project *project, struct decision *decision)
{
    struct db_arg row[DECISION_INSERT_WIDTH];

    decision->workspace_id = project->workspace_id;
    decision->asked_by_id = tx_actor_id(tx);
    decision_put_insert(decision, row);
    return tx_exec(tx, SQL_DECISION_INSERT, DECISION_INSERT_WIDTH, row, NULL);
}

/* Puts it to people. Nothing stands in for their answer: a default is never given. */
static bool ask(const struct tx *tx, const struct project *project, struct decision *decision)
{
    JSON_AUTO *context = json_object();
    JSON_AUTO *details = NULL;
    struct job job = { .agent = decision->agent, .project_id = project->id };
    struct question_wish wish = {
        .question = decision->description,
        .type = QUESTION_APPROVAL,
        .response_type = RESPONSE_APPROVAL,
        .context = context,
    };
    struct question_preference ignored;
    struct question question;

    if (decision->details && !json_parse(decision->details, strlen(decision->details), &details, tx->err))
        return false;
    json_object_set_new(context, "category", json_string(decision->category));
    if (details)
        json_object_set(context, "details", details);
    if (!question_ask_alone(tx, &wish, &job, &question, &ignored))
        return false;
    decision->id = decision->question_id = question.id;
    decision->status = DECISION_PENDING;
    return insert(tx, project, decision);
}

static bool tell_people(const struct tx *tx, const struct project *project, const struct decision *decision)
{
    size_t len = str_fitting(decision->description, DECISION_TITLE_BYTES);
    struct notification notification = {
        .workspace_id = project->workspace_id,
        .project_id = project->id,
        .kind = NOTIFICATION_DECISION,
        .priority = PRIORITY_NORMAL,
        .title =
            arena_format(tx->arena, "%s goes ahead: %.*s", decision->agent ? decision->agent : "An agent",
                         (int)len, decision->description),
        .body = arena_format(tx->arena, "%s in %s", decision->category, project->name),
        .about = ABOUT_DECISION,
        .ref_id = decision->id,
    };

    return notification_add(tx, &notification);
}

bool decision_make(const struct tx *tx, const struct project *project, struct decision *decision)
{
    enum autonomy_level level = autonomy_level_for(&project->autonomy, decision->category);

    if (decision->agent && !caller_may_speak_as(tx->caller, decision->agent, tx->err))
        return false;
    decision->project_id = project->id;
    decision->level = autonomy_level_name(level);
    decision->created_ms = tx->now_ms;
    if (level == AUTONOMY_APPROVAL)
        return ask(tx, project, decision);
    decision->id = uuid_new(tx->arena);
    decision->status = DECISION_APPROVED;
    decision->outcome_source = OUTCOME_POLICY;
    decision->outcome_by = "system";
    decision->ended_ms = tx->now_ms;
    return insert(tx, project, decision) &&
           (level == AUTONOMY_AUTOMATED || tell_people(tx, project, decision));
}

static bool answer(const struct tx *tx, const char *id, bool approved, const char *comment)
{
    JSON_AUTO *response =
        json_pack("{s:s, s:b}", "type", response_type_word(RESPONSE_APPROVAL), "value", approved);
    struct question_answer given = { .id = id, .response = response };

    if (comment)
        json_object_set_new(response, "text", json_string(comment));
    if (!question_answer(tx, &given, 1))
        return false;
    /* One yes settles a decision, so one that does not count is a refusal. */
    if (given.err.code == ERR_NONE && given.uncounted)
        return err_set(tx->err, ERR_FORBIDDEN, "%s", given.uncounted);
    if (given.err.code == ERR_NONE)
        return true;
    *tx->err = given.err;
    return false;
}

bool decision_settle(const struct tx *tx, const struct project *project, const char *id, bool approved,
                     const char *comment, struct decision *decision)
{
    struct err late = { 0 };
    struct tx settling = tx_with_err(tx, &late);

    if (!decision_get(tx, project, id, decision))
        return false;
    if (!decision_is_pending(decision) || answer(&settling, decision->question_id, approved, comment))
        return decision_get(tx, project, id, decision);
    /* Somebody settled it since it was read: then it is settled, which is all that was wanted of it. */
    if (late.code == ERR_CONFLICT) {
        if (!decision_get(tx, project, id, decision))
            return false;
        if (!decision_is_pending(decision))
            return true;
    }
    *tx->err = late;
    return false;
}
