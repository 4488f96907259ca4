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
    return question_traits(question->type)->blocks;
}

bool question_asks_consent(const struct question *question)
{
    return question_traits(question->type)->consents || question->response_type == RESPONSE_APPROVAL;
}

bool question_is_of_witan(const struct question *question)
{
    return str_equal(question->asked_by_id, ACTOR_SYSTEM.id) && question->metadata;
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

bool question_task(const struct tx *tx, const struct question *question, const char **id, const char **title)
{
    struct db_rows rows = { 0 };

    if (tx->caller->kind != CALLER_LINK &&
        !tx_query(tx, SQL_QUESTION_TASK, DB_ARGS(db_text(question->job_id), db_text(question->workspace_id)),
                  &rows))
        return false;
    *id = rows.count > 0 ? db_cell(&rows, 0, 0) : NULL;
    *title = rows.count > 0 ? db_cell(&rows, 0, 1) : NULL;
    return true;
}

/* What waits for a person is ended by a person, or taken back by whoever asked. */
bool question_may_end(const struct caller *caller, const struct job *job, const struct question *question,
                      struct err *err)
{
    bool as_the_agent = caller->agent_name && job->agent && str_same_name(caller->agent_name, job->agent);

    if (caller_is_person(caller) || as_the_agent || str_equal(question->asked_by_id, caller->id))
        return true;
    return err_set(
        err, ERR_FORBIDDEN,
        "Another agent asked this question, and it waits for people; agents can take back only what they asked themselves.");
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

/* Words or a choice are no yes that could be counted, even where they answer an approval. */
bool question_counts_approvals(const struct question *question)
{
    return question->response_type == RESPONSE_APPROVAL ||
           (question_traits(question->type)->consents && question->response_type == RESPONSE_BOOLEAN);
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

void question_write_approvals(const struct question *question, const char *key, struct json_out *out)
{
    if (!question_counts_approvals(question)) {
        json_none(out, key);
        return;
    }
    json_map(out, key);
    if (is_granted_by_one(question)) {
        json_int(out, "have", 1);
        json_int(out, "need", 1);
        json_list(out, "by");
        question_approval_write(&(struct question_approval){ .id = question->responded_by,
                                                             .by = question->outcome_by,
                                                             .at = question->responded_at },
                                NULL, out);
        json_list_end(out);
    } else {
        json_int(out, "have", (int64_t)count_entries(question->approvals));
        json_int(out, "need", question->required_approvals);
        json_raw(out, "by", question->approvals);
    }
    json_map_end(out);
}

void question_write(const struct question *question, const struct standing *standing, const char *key,
                    struct json_out *out)
{
    json_map(out, key);
    question_write_members(question, out);
    standing_write(standing, "you", out);
    json_map_end(out);
}
