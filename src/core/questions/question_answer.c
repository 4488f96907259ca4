/*
 * A batch is one docket: all questions are locked together, each answer is checked completely before anything
 * of it is applied, and one that is refused leaves the others as they are. Refusals are kept with their
 * answer; only a failing store fails the batch.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/questions/answer_rights.h"
#include "core/questions/docket.h"
#include "core/questions/link.h"
#include "core/questions/question.h"
#include "core/questions/question_row.h"
#include "core/questions/response.h"

#include <string.h>

#define TIME_WAS_UP "The time of this question was up before you answered."

struct question_answering {
    const struct tx *tx;
    struct docket docket;
    struct question **questions; /* of each answer, or NULL */
    struct project_settings *projects;
    size_t project_count;
};

/* Finding what is answered */

/* Questions that had ended before are not on the docket; they matter for those who come second or late. */
static bool find_ended(struct question_answering *answering, const struct question_answer answers[],
                       size_t count)
{
    struct docket *docket = &answering->docket;
    BUF_AUTO ids = { 0 };
    struct json_out out;
    struct db_rows rows;
    struct question *ended;
    size_t missing = 0;

    json_begin(&out, &ids);
    json_list(&out, NULL);
    for (size_t i = 0; i < count; i++) {
        answering->questions[i] = docket_question(docket, answers[i].id);
        if (answering->questions[i])
            continue;
        json_text(&out, NULL, answers[i].id);
        missing++;
    }
    json_list_end(&out);
    if (missing == 0)
        return true;
    if (!tx_query(answering->tx, SQL_QUESTION_GET_MANY,
                  DB_ARGS(db_text(ids.bytes), db_text(answering->tx->caller->workspace_id)), &rows))
        return false;
    if (!question_from_rows(answering->tx, &rows, rows.count, &ended))
        return false;
    for (size_t row = 0; row < rows.count; row++)
        for (size_t i = 0; i < count; i++)
            if (strcmp(answers[i].id, ended[row].id) == 0)
                answering->questions[i] = &ended[row];
    return true;
}

static bool open_answering(struct question_answering *answering, const struct question_answer answers[],
                           size_t count)
{
    const struct tx *tx = answering->tx;
    const char **ids = arena_array(tx->arena, const char *, count + 1);

    for (size_t i = 0; i < count; i++)
        ids[i] = answers[i].id;
    answering->questions = arena_array(tx->arena, struct question *, count + 1);
    return docket_of_questions(tx, &answering->docket, tx->caller->workspace_id, ids, count) &&
           find_ended(answering, answers, count) &&
           answer_rights_projects(tx, tx->caller->workspace_id,
                                  (const struct question *const *)answering->questions, count,
                                  &answering->projects, &answering->project_count);
}

/* Refusals */

static const char *winner_of(struct arena *arena, const struct question *question)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_text(&out, "status", question_status_word(question->status));
    json_map(&out, "winner");
    json_text(&out, "source", outcome_source_word(question->outcome_source));
    json_text(&out, "by", question->outcome_by);
    json_text(&out, "at", question->ended_at);
    json_raw(&out, "response", question->response);
    json_map_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

/* First answer wins; the loser learns who won and what. */
static void refuse_second(struct question_answering *answering, const struct question *question,
                          struct err *err)
{
    if (question_ended_by_deadline(question))
        err_set(err, ERR_CONFLICT, TIME_WAS_UP);
    else if (question->status == QUESTION_CANCELLED)
        err_set(err, ERR_CONFLICT, "This question was cancelled by %.80s.", question->outcome_by);
    else
        err_set(err, ERR_CONFLICT, "%.80s has already answered this question.", question->outcome_by);
    err->detail = winner_of(answering->tx->arena, question);
}

/* The list with one more entry, or NULL when it is full. */
static const char *append_entry(struct arena *arena, const char *list, size_t most, const char *entry)
{
    JSON_AUTO *value = NULL;
    struct err ignored = { 0 };
    size_t len = strlen(list);

    if (!json_parse(list, len, &value, &ignored) || json_array_size(value) >= most)
        return NULL;
    return arena_format(arena, "%.*s%s%s]", (int)(len - 1), list, json_array_size(value) > 0 ? "," : "",
                        entry);
}

static const char *late_entry(struct question_answering *answering, const char *response)
{
    const struct caller *caller = answering->tx->caller;

    return late_answer_text(answering->tx->arena, &(struct late_answer){ .response = response,
                                                                         .by = caller->name,
                                                                         .responded_by = caller->id,
                                                                         .at = answering->docket.now });
}

static void tell_late(struct question_answering *answering, const struct question *question,
                      const char *response)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "jobId", question->job_id);
    json_raw(&out, "response", response);
    json_text(&out, "by", answering->tx->caller->name);
    json_map_end(&out);
    docket_event(&answering->docket,
                 &(struct event){ .workspace_id = question->workspace_id,
                                  .type = EVENT_QUESTION_LATE_ANSWER,
                                  .project_id = question->project_id,
                                  .job_id = question->job_id,
                                  .subject = question->id,
                                  .data = arena_copy(answering->tx->arena, data.bytes, data.len) });
}

/*
 * The agent has gone on or given up, so a late answer changes nothing; but somebody took the trouble, and a
 * restart may use it. It is refused, and kept.
 */
static void keep_late(struct question_answering *answering, struct question *question,
                      const struct response *response, struct question_answer *answer)
{
    struct docket *docket = &answering->docket;
    const char *entry = late_entry(answering, response->json);
    const char *kept = append_entry(answering->tx->arena, question->late_answers, LIMIT_LATE_ANSWERS, entry);

    err_set(&answer->err, ERR_CONFLICT, TIME_WAS_UP);
    answer->err.name = "late";
    answer->err.detail = arena_format(answering->tx->arena, "%s,\"kept\":%s",
                                      winner_of(answering->tx->arena, question), kept ? "true" : "false");
    if (!kept) {
        err_hint(&answer->err, "This question has too many late answers to keep another one.");
        return;
    }
    if (!question->restart_job_id &&
        question_late_settles(question, response->is_true, answering->tx->caller->id))
        err_hint(&answer->err,
                 "Your answer was kept. POST /api/questions/%.40s/restart starts a new job with it.",
                 question->id);
    answer->kept = true;
    question->late_answers = kept;
    docket_changed(docket, question);
    docket_log(docket, docket_job(docket, question->job_id), LINE_LATE, LINE_WARN,
               arena_format(answering->tx->arena, "%s answered too late: %s", answering->tx->caller->name,
                            response->summary),
               arena_format(answering->tx->arena, "{\"questionId\":\"%s\"}", question->id));
    tell_late(answering, question, response->json);
}

/* Approvals */

static bool is_approval(const struct question *question, const struct response *response)
{
    return question->required_approvals > 1 && response->is_true;
}

static const char *approval_entry(struct question_answering *answering)
{
    const struct caller *caller = answering->tx->caller;

    return question_approval_text(
        answering->tx->arena,
        &(struct question_approval){ .id = caller->id, .by = caller->name, .at = answering->docket.now });
}

static bool is_requester(const struct question_answering *answering, const struct question *question)
{
    return answer_rights_is_requester(answering->tx->caller, question);
}

static void tell_approval(struct question_answering *answering, const struct question *question,
                          const struct question_answer *answer)
{
    struct docket *docket = &answering->docket;
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "jobId", question->job_id);
    json_text(&out, "by", answering->tx->caller->name);
    json_map(&out, "approvals");
    json_int(&out, "have", answer->have);
    json_int(&out, "need", answer->need);
    json_map_end(&out);
    json_map_end(&out);
    docket_log(docket, docket_job(docket, question->job_id), LINE_APPROVAL, LINE_INFO,
               arena_format(answering->tx->arena, "%s approved (%lld of %lld).", answering->tx->caller->name,
                            (long long)answer->have, (long long)answer->need),
               arena_format(answering->tx->arena, "{\"questionId\":\"%s\"}", question->id));
    docket_event(docket, &(struct event){ .workspace_id = question->workspace_id,
                                          .type = EVENT_QUESTION_APPROVAL,
                                          .project_id = question->project_id,
                                          .job_id = question->job_id,
                                          .subject = question->id,
                                          .data = arena_copy(answering->tx->arena, data.bytes, data.len) });
}

/* Somebody who says yes without args may have seen the ones from before they were changed. */
static bool check_args(struct arena *arena, const struct question *question, const struct response *response,
                       struct err *err)
{
    if (!is_approval(question, response) || response->args || !question->approved_args)
        return true;
    err_set(err, ERR_CONFLICT, "Another approver has changed the arguments of this action.");
    err->name = "args_changed";
    err->detail = arena_format(arena, "\"approvedArgs\":%s", question->approved_args);
    return err_hint(err, "Give the args that you approve; those of approvedArgs join the approvals so far.");
}

/* Why a yes does not count, or NULL when it does. Nobody shall believe to have approved what still waits. */
static const char *why_uncounted(const struct question_answering *answering, const struct question *question,
                                 const json_t *approvals)
{
    if (is_requester(answering, question))
        return answer_rights_reason(answering->tx->arena, BAR_REQUESTER, question);
    if (answer_rights_has_approved(approvals, answering->tx->caller->id))
        return answer_rights_reason(answering->tx->arena, BAR_APPROVED, question);
    return NULL;
}

/*
 * Counts one approval. Who changes the args approves something else than those before: the count starts
 * again, so that what is done in the end is what enough people have seen. The requester changes nothing.
 */
static void count_approval(struct question_answering *answering, struct question *question,
                           const struct response *response, struct question_answer *answer)
{
    struct arena *arena = answering->tx->arena;
    JSON_AUTO *approvals = NULL;
    struct err ignored = { 0 };

    answer->counts_approvals = true;
    answer->need = question->required_approvals;
    if (response->args && !is_requester(answering, question) &&
        !json_same(response->args, question->approved_args)) {
        question->approved_args = response->args;
        question->approvals = "[]";
        docket_changed(&answering->docket, question);
    }
    if (!json_parse(question->approvals, strlen(question->approvals), &approvals, &ignored))
        return;
    answer->have = (int64_t)json_array_size(approvals);
    answer->uncounted = why_uncounted(answering, question, approvals);
    if (answer->uncounted)
        return;
    question->approvals =
        append_entry(arena, question->approvals, QUESTION_APPROVALS_MAX, approval_entry(answering));
    answer->have++;
    docket_changed(&answering->docket, question);
    if (answer->have < answer->need)
        tell_approval(answering, question, answer);
}

/* Accepting */

/* The response with the args that were edited by an earlier approver. */
static const char *final_response(struct arena *arena, const struct question *question,
                                  const struct response *response)
{
    size_t len = strlen(response->json);

    if (response->args || !response->is_true || !question->approved_args)
        return response->json;
    return arena_format(arena, "%.*s,\"args\":%s}", (int)(len - 1), response->json, question->approved_args);
}

static void accept(struct question_answering *answering, struct question *question,
                   const struct response *response, struct question_answer *answer)
{
    if (is_approval(question, response) || (response->is_true && is_requester(answering, question) &&
                                            question_traits(question->type)->consents)) {
        count_approval(answering, question, response, answer);
        answer->partial = answer->have < answer->need;
        if (answer->partial)
            return;
    }
    if (response->args)
        question->approved_args = response->args;
    answer->job_resumed =
        docket_end(&answering->docket, question,
                   &(struct ending){ .status = QUESTION_ANSWERED,
                                     .source = OUTCOME_HUMAN,
                                     .by = { answering->tx->caller->name, answering->tx->caller->id },
                                     .response = final_response(answering->tx->arena, question, response),
                                     .response_text = response->summary });
}

/* A yes is asked for here, so that everything but a plain no could be taken for one. */
static bool check_consent(const struct caller *caller, const struct question *question,
                          const struct response *response, struct err *err)
{
    return !question_asks_consent(question) || response->is_false ||
           answer_rights_consent(caller, question->asked_by_id, err);
}

/*
 * Everything is checked before anything is changed, since a batch goes on after a refusal. False only when
 * the store failed.
 */
static bool answer_one(struct question_answering *answering, struct question *question,
                       struct question_answer *answer)
{
    struct tx single = tx_with_err(answering->tx, &answer->err);
    bool by_link = answering->tx->caller->kind == CALLER_LINK;
    struct response response;

    if (!question || !caller_sees_project(answering->tx->caller, question->project_id)) {
        question_not_found(&answer->err);
        return true;
    }
    if (!answer_rights_check(&single, question, answering->projects, answering->project_count) ||
        !response_check_of(answering->tx->arena, question, answer->response, &response, &answer->err) ||
        !check_consent(answering->tx->caller, question, &response, &answer->err))
        return true;
    /* A refusal takes this back. First of all, or who has answered with it would be told that they had. */
    if (by_link && !link_use(&single)) {
        *answering->tx->err = answer->err;
        return answer->err.code == ERR_UNAUTHORIZED;
    }
    /* A link is for as long as the question is open: with it nothing is left behind afterwards. */
    if (!question_is_open(question) && (by_link || !question_ended_by_deadline(question))) {
        refuse_second(answering, question, &answer->err);
        return true;
    }
    if (question_is_open(question) && !check_args(answering->tx->arena, question, &response, &answer->err))
        return true;
    if (question_is_open(question))
        accept(answering, question, &response, answer);
    else
        keep_late(answering, question, &response, answer);
    return true;
}

bool question_answer(const struct tx *tx, struct question_answer answers[], size_t count)
{
    struct question_answering answering = { .tx = tx };

    if (!open_answering(&answering, answers, count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!answer_one(&answering, answering.questions[i], &answers[i]))
            return false;
    return docket_close(&answering.docket);
}
