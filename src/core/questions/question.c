/*
 * The row, how it is read and how it is shown; what may be done to it is in the files beside (question_ask.c,
 * question_answer.c, question_end.c). Similar questions share a key, a hash of workspace, type and normal
 * text.
 */
#include "core/questions/question.h"

#include "base/clock.h"
#include "base/str.h"
#include "core/questions/question_row.h"
#include "core/questions/standing.h"

#include <sodium.h>
#include <string.h>
#include <strings.h>

const char *const question_types[] = { "blocking", "non_blocking", "approval", "error_recovery", NULL };
WORDS_FIT(question_types, QUESTION_TYPE_END);
const char *const question_statuses[] = { "pending", "answered", "timeout", "cancelled", NULL };
WORDS_FIT(question_statuses, QUESTION_STATUS_END);
const char *const response_types[] = { "text", "choice", "boolean", "approval", NULL };
WORDS_FIT(response_types, RESPONSE_TYPE_END);

bool question_is_open(const struct question *question)
{
    return question->status == QUESTION_PENDING;
}

bool question_blocks(const struct question *question)
{
    switch (question->type) {
    case QUESTION_BLOCKING:
    case QUESTION_APPROVAL:
    case QUESTION_ERROR_RECOVERY: return true;
    case QUESTION_NON_BLOCKING:
    case QUESTION_TYPE_END: break;
    }
    return false;
}

bool question_is_overdue(const struct question *question, int64_t now_ms)
{
    return question_is_open(question) && question->due_ms != 0 && now_ms > question->due_ms;
}

bool question_ended_by_deadline(const struct question *question)
{
    return question->outcome_source == OUTCOME_TIMEOUT || question->outcome_source == OUTCOME_DEFAULT;
}

bool question_not_found(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "There is no question with that id.");
}

const char *caller_title(const struct caller *caller)
{
    return caller->agent_name ? caller->agent_name : caller->name;
}

bool question_from_row(const struct db_rows *rows, size_t row, struct question *question, struct err *err)
{
    const char *strange = NULL;

    *question = (struct question){
        .id = db_cell(rows, row, COL_QUESTION_ID),
        .job_id = db_cell(rows, row, COL_QUESTION_JOB_ID),
        .workspace_id = db_cell(rows, row, COL_QUESTION_WORKSPACE_ID),
        .project_id = db_cell(rows, row, COL_QUESTION_PROJECT_ID),
        .type = db_cell_word(rows, row, COL_QUESTION_TYPE, question_types, &strange),
        .question = db_cell(rows, row, COL_QUESTION_QUESTION),
        .context = db_cell(rows, row, COL_QUESTION_CONTEXT),
        .status = db_cell_word(rows, row, COL_QUESTION_STATUS, question_statuses, &strange),
        .response_type = db_cell_word(rows, row, COL_QUESTION_RESPONSE_TYPE, response_types, &strange),
        .options = db_cell(rows, row, COL_QUESTION_OPTIONS),
        .response = db_cell(rows, row, COL_QUESTION_RESPONSE),
        .responded_by = db_cell(rows, row, COL_QUESTION_RESPONDED_BY),
        .responded_at = db_cell(rows, row, COL_QUESTION_RESPONDED_AT),
        .timeout_at = db_cell(rows, row, COL_QUESTION_TIMEOUT_AT),
        .default_response = db_cell(rows, row, COL_QUESTION_DEFAULT_RESPONSE),
        .metadata = db_cell(rows, row, COL_QUESTION_METADATA),
        .created_at = db_cell(rows, row, COL_QUESTION_CREATED_AT),
        .parent_id = db_cell(rows, row, COL_QUESTION_PARENT_ID),
        .allow_other = db_cell_bool(rows, row, COL_QUESTION_ALLOW_OTHER),
        .allow_default_approve = db_cell_bool(rows, row, COL_QUESTION_ALLOW_DEFAULT_APPROVE),
        .assigned_to = db_cell(rows, row, COL_QUESTION_ASSIGNED_TO),
        .required_role = db_cell(rows, row, COL_QUESTION_REQUIRED_ROLE),
        .required_approvals = db_cell_int(rows, row, COL_QUESTION_REQUIRED_APPROVALS),
        .approvals = db_cell(rows, row, COL_QUESTION_APPROVALS),
        .action = db_cell(rows, row, COL_QUESTION_ACTION),
        .approved_args = db_cell(rows, row, COL_QUESTION_APPROVED_ARGS),
        .late_answers = db_cell(rows, row, COL_QUESTION_LATE_ANSWERS),
        .draft_by = db_cell(rows, row, COL_QUESTION_DRAFT_BY),
        .draft_at = db_cell(rows, row, COL_QUESTION_DRAFT_AT),
        .draft_moves = db_cell_int(rows, row, COL_QUESTION_DRAFT_MOVES),
        .asked_by = db_cell(rows, row, COL_QUESTION_ASKED_BY),
        .requested_by = db_cell(rows, row, COL_QUESTION_REQUESTED_BY),
        .outcome_source = db_cell_word(rows, row, COL_QUESTION_OUTCOME_SOURCE, outcome_sources, &strange),
        .outcome_by = db_cell(rows, row, COL_QUESTION_OUTCOME_BY),
        .ended_at = db_cell(rows, row, COL_QUESTION_ENDED_AT),
        .restart_job_id = db_cell(rows, row, COL_QUESTION_RESTART_JOB_ID),
        .template = db_cell(rows, row, COL_QUESTION_TEMPLATE),
        .key = db_cell_int(rows, row, COL_QUESTION_QUESTION_KEY),
        .asked_by_id = db_cell(rows, row, COL_QUESTION_ASKED_BY_ID),
        .handover = db_cell(rows, row, COL_QUESTION_HANDOVER),
        .assignee = db_cell(rows, row, COL_QUESTION_ASSIGNEE),
        .requester = db_cell(rows, row, COL_QUESTION_REQUESTER),
    };
    if (question->timeout_at && !clock_parse(question->timeout_at, &question->due_ms))
        question->due_ms = 0;
    return db_words_known(strange, err);
}

bool question_load(const struct tx *tx, const char *workspace_id, const char *id, struct question *question)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_QUESTION_GET, DB_ARGS(db_text(id), db_text(workspace_id)), &rows))
        return false;
    if (rows.count == 0)
        return question_not_found(tx->err);
    return question_from_row(&rows, 0, question, tx->err);
}

bool question_get(const struct tx *tx, const char *id, struct question *question)
{
    struct question found;

    if (!question_load(tx, tx->caller->workspace_id, id, &found))
        return false;
    if (!caller_sees_project(tx->caller, found.project_id))
        return question_not_found(tx->err);
    if (question_is_overdue(&found, tx->now_ms))
        return err_set(tx->err, ERR_DUE, "The time of this question is up.");
    *question = found;
    return true;
}

/* What waits for a person is ended by a person, or taken back by whoever asked. */
bool question_may_end(const struct caller *caller, const struct job *job, const struct question *question,
                      struct err *err)
{
    bool as_the_agent = caller->agent_name && job->agent && strcasecmp(caller->agent_name, job->agent) == 0;

    if (caller_is_person(caller) || as_the_agent || str_equal(question->asked_by_id, caller->id))
        return true;
    return err_set(err, ERR_FORBIDDEN,
                   "This question was asked by another one and waits for people; agents take back only what "
                   "they asked themselves.");
}

/* What similar questions share */

int64_t question_key(struct arena *arena, const char *workspace_id, enum question_type type, const char *text)
{
    const char *parts[] = { workspace_id, question_type_word(type), str_normal(arena, text) };
    unsigned char hash[crypto_generichash_BYTES_MIN];
    crypto_generichash_state state;
    int64_t key;

    crypto_generichash_init(&state, NULL, 0, sizeof(hash));
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        crypto_generichash_update(&state, (const unsigned char *)parts[i], strlen(parts[i]) + 1);
    crypto_generichash_final(&state, hash, sizeof(hash));
    memcpy(&key, hash, sizeof(key));
    return key;
}

/* As clients see it */

void question_write_outcome(const struct question *question, const char *key, struct json_out *out)
{
    if (!question->outcome_source) {
        json_none(out, key);
        return;
    }
    json_map(out, key);
    json_text(out, "source", outcome_source_word(question->outcome_source));
    json_text(out, "by", question->outcome_by);
    json_text(out, "at", question->ended_at);
    json_map_end(out);
}

/* Words or a choice are no yes that could be counted, even where they answer an approval. */
bool question_counts_approvals(const struct question *question)
{
    return question->response_type == RESPONSE_APPROVAL ||
           (question->type == QUESTION_APPROVAL && question->response_type == RESPONSE_BOOLEAN);
}

static size_t count_entries(const char *list)
{
    JSON_AUTO *value = NULL;
    struct err ignored = { 0 };

    /* Nearly always: nobody has approved yet. */
    if (strcmp(list, "[]") == 0 || !json_parse(list, strlen(list), &value, &ignored))
        return 0;
    return json_array_size(value);
}

/* Where one yes is enough no list is kept: the answer itself is the approval. */
static bool is_granted_by_one(const struct question *question)
{
    JSON_AUTO *response = NULL;
    struct err ignored = { 0 };

    return question->required_approvals == 1 && question->response && question->responded_by &&
           question->outcome_by && question->responded_at && question->outcome_source == OUTCOME_HUMAN &&
           json_parse(question->response, strlen(question->response), &response, &ignored) &&
           json_is_true(json_object_get(response, "value"));
}

static void write_approvals(const struct question *question, struct json_out *out)
{
    if (!question_counts_approvals(question)) {
        json_none(out, "approvals");
        return;
    }
    json_map(out, "approvals");
    if (is_granted_by_one(question)) {
        json_int(out, "have", 1);
        json_int(out, "need", 1);
        json_list(out, "by");
        json_map(out, NULL);
        json_text(out, "id", question->responded_by);
        json_text(out, "by", question->outcome_by);
        json_text(out, "at", question->responded_at);
        json_map_end(out);
        json_list_end(out);
    } else {
        json_int(out, "have", (int64_t)count_entries(question->approvals));
        json_int(out, "need", question->required_approvals);
        json_raw(out, "by", question->approvals);
    }
    json_map_end(out);
}

static void write_draft(const struct question *question, struct json_out *out)
{
    if (!question->draft_by) {
        json_none(out, "draft");
        return;
    }
    json_map(out, "draft");
    json_text(out, "by", question->draft_by);
    json_text(out, "at", question->draft_at);
    json_map_end(out);
}

static void write_rules(const struct question *question, struct json_out *out)
{
    json_text(out, "parentId", question->parent_id);
    json_raw(out, "action", question->action);
    json_raw(out, "approvedArgs", question->approved_args);
    write_approvals(question, out);
    json_raw(out, "lateAnswers", question->late_answers);
    json_text(out, "assignedTo", question->assigned_to);
    json_text(out, "assignee", question->assignee);
    json_raw(out, "handover", question->handover);
    json_text(out, "requiredRole", question->required_role);
    json_int(out, "requiredApprovals", question->required_approvals);
    json_bool(out, "allowOther", question->allow_other);
    json_bool(out, "allowDefaultApprove", question->allow_default_approve);
    json_text(out, "askedBy", question->asked_by);
    json_text(out, "requestedBy", question->requested_by);
    json_text(out, "requester", question->requester);
    json_text(out, "template", question->template);
    write_draft(question, out);
    json_text(out, "restartedAs", question->restart_job_id);
}

void question_write(const struct question *question, const struct standing *standing, const char *key,
                    struct json_out *out)
{
    json_map(out, key);
    json_text(out, "id", question->id);
    json_text(out, "jobId", question->job_id);
    json_text(out, "workspaceId", question->workspace_id);
    json_text(out, "projectId", question->project_id);
    json_text(out, "type", question_type_word(question->type));
    json_text(out, "question", question->question);
    json_raw(out, "context", question->context);
    json_text(out, "status", question_status_word(question->status));
    json_text(out, "responseType", response_type_word(question->response_type));
    json_raw(out, "options", question->options);
    json_raw(out, "response", question->response);
    json_text(out, "respondedBy", question->responded_by);
    json_text(out, "respondedAt", question->responded_at);
    json_text(out, "timeoutAt", question->timeout_at);
    json_raw(out, "defaultResponse", question->default_response);
    json_raw(out, "metadata", question->metadata);
    json_text(out, "createdAt", question->created_at);
    question_write_outcome(question, "outcome", out);
    write_rules(question, out);
    standing_write(standing, "you", out);
    json_map_end(out);
}
