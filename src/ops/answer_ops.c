/*
 * A late answer is the one refusal that has to be committed: it is written as an error, with the error's
 * status, and is a success to the store, so that the answer is kept.
 */
#include "base/settings.h"
#include "base/str.h"
#include "core/identity/cookie.h"
#include "core/questions/job.h"
#include "core/questions/link.h"
#include "core/runs/run.h"
#include "ops/dispatch.h"
#include "ops/example.h"
#include "ops/question_fields.h"
#include "ops/tables.h"

static const struct field similar_reply[] = {
    { "questions", T_LIST, REQUIRED, "Other open questions of the same type and wording, oldest first.",
      .items = T_OBJECT, .fields = question_fields },
    { 0 },
};

static const struct field progress_fields[] = {
    { "have", T_INT, REQUIRED, "How many have approved." },
    { "need", T_INT, REQUIRED, "How many must." },
    { "counted", T_BOOL, REQUIRED, "Whether yours is one of them." },
    { "why", T_TEXT, OPTIONAL, "Why yours did not count, for people." },
    { 0 },
};

static const struct field answer_reply[] = {
    { "success", T_BOOL, REQUIRED, "Whether the answer was taken." },
    { "jobResumed", T_BOOL, REQUIRED, "Whether a job goes on now; a question that stands alone has none." },
    { "approvals", T_OBJECT, OPTIONAL, "With several approvers: how far it is.", .fields = progress_fields },
    { 0 },
};

static const struct field cancel_reply[] = {
    { "success", T_BOOL, REQUIRED, "Whether it was cancelled." },
    { "jobResumed", T_BOOL, REQUIRED, "Whether a job goes on now; a question that stands alone has none." },
    { 0 },
};

static const struct field entry_fields[] = {
    { "id", T_UUID, REQUIRED, "The question." },
    { "response", T_OBJECT, REQUIRED, "The answer: {type, value, text?, args?}.", .fields = response_fields,
      .flags = F_OPEN },
    { 0 },
};

static const struct field result_fields[] = {
    { "id", T_UUID, REQUIRED, "The question." },
    { "status", T_TEXT, REQUIRED,
      "answered; pending when further approvals are needed; else why not, as the code of an error." },
    { "jobResumed", T_BOOL, REQUIRED, "Whether its job goes on now." },
    { "error", T_TEXT, OPTIONAL, "Why not, or why an approval did not count, for people." },
    { 0 },
};

static const struct field batch_reply[] = {
    { "results", T_LIST, REQUIRED, "What became of each answer, in their order.", .items = T_OBJECT,
      .fields = result_fields },
    { 0 },
};

static const struct field deadline_reply[] = {
    { "timeoutAt", T_TIME, REQUIRED, "The deadline now; null: none.", .flags = F_NULL },
    { 0 },
};

static const struct field link_reply[] = {
    { "link", T_TEXT, REQUIRED, "The secret; it is shown once." },
    { "url", T_TEXT, REQUIRED,
      "The page to send to somebody: it leads to that one question. "
      "It begins with server.public_url, or, where that is not set, as the server was reached now." },
    { "expiresAt", T_TIME, REQUIRED, "The question's deadline, with which the link ends at the latest.",
      .flags = F_NULL },
    { 0 },
};

static const struct field restart_reply[] = {
    { "jobId", T_UUID, REQUIRED, "The new job." },
    { "restartOf", T_UUID, REQUIRED, "The job whose question was answered too late." },
    { 0 },
};

static const struct field precedent_fields[] = {
    { "questionId", T_UUID, REQUIRED, "The earlier question." },
    { "question", T_TEXT, REQUIRED, "Its words." },
    { "response", T_OBJECT, REQUIRED, "What was answered.", .fields = response_fields, .flags = F_OPEN },
    { "by", T_TEXT, REQUIRED, "By whom." },
    { "at", T_TIME, REQUIRED, "When." },
    { "label", T_TEXT, REQUIRED, "Says that this is a precedent and whose." },
    { 0 },
};

static const struct field suggestion_reply[] = {
    { "suggestion", T_OBJECT, REQUIRED, "What a model proposes, labelled; null without one.",
      .flags = F_OPEN | F_NULL },
    { "precedents", T_LIST, REQUIRED, "People's earlier answers to the same question, newest first.",
      .items = T_OBJECT, .fields = precedent_fields },
    { 0 },
};

/* A late answer is refused and kept: it must be committed, so it is not an error to the store. */
static bool reply_refused(struct call *call, const struct question_answer *answer)
{
    if (!answer->kept) {
        call->err = answer->err;
        return false;
    }
    call->status = err_http(answer->err.code);
    dispatch_write_error(&answer->err, call->out.buf);
    return true;
}

static bool run_question_answer(struct call *call)
{
    struct question_answer answer = { .id = arg_text(call, "id"), .response = arg_json(call, "response") };

    if (!question_answer(&call->tx, &answer, 1))
        return false;
    if (answer.err.code != ERR_NONE)
        return reply_refused(call, &answer);
    json_map(&call->out, NULL);
    json_bool(&call->out, "success", true);
    json_bool(&call->out, "jobResumed", answer.job_resumed);
    if (answer.counts_approvals) {
        json_map(&call->out, "approvals");
        json_int(&call->out, "have", answer.have);
        json_int(&call->out, "need", answer.need);
        json_bool(&call->out, "counted", !answer.uncounted);
        if (answer.uncounted)
            json_text(&call->out, "why", answer.uncounted);
        json_map_end(&call->out);
    }
    json_map_end(&call->out);
    return true;
}

static void write_result(const struct question_answer *answer, struct json_out *out)
{
    bool refused = answer->err.code != ERR_NONE;

    json_map(out, NULL);
    json_text(out, "id", answer->id);
    json_text(out, "status", refused ? err_name(&answer->err) : answer->partial ? "pending" : "answered");
    json_bool(out, "jobResumed", answer->job_resumed);
    if (refused)
        json_text(out, "error", err_for_callers(&answer->err));
    else if (answer->uncounted)
        json_text(out, "error", answer->uncounted);
    json_map_end(out);
}

static bool run_question_answer_batch(struct call *call)
{
    const json_t *entries = arg_json(call, "answers");
    size_t count = json_array_size(entries);
    struct question_answer *answers = arena_array(call->tx.arena, struct question_answer, count);

    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(entries, i);

        answers[i].id = str_lower(call->tx.arena, json_string_value(json_object_get(entry, "id")));
        answers[i].response = json_object_get(entry, "response");
    }
    if (!question_answer(&call->tx, answers, count))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "results");
    for (size_t i = 0; i < count; i++)
        write_result(&answers[i], &call->out);
    json_list_end(&call->out);
    json_map_end(&call->out);
    return true;
}

static bool run_question_cancel(struct call *call)
{
    bool resumed;

    if (!question_cancel(&call->tx, arg_text(call, "id"), arg_text(call, "reason"), &resumed))
        return false;
    json_map(&call->out, NULL);
    json_bool(&call->out, "success", true);
    json_bool(&call->out, "jobResumed", resumed);
    json_map_end(&call->out);
    return true;
}

static bool reply_deadline(struct call *call, const struct question *question)
{
    json_map(&call->out, NULL);
    json_text(&call->out, "timeoutAt", question->timeout_at);
    json_map_end(&call->out);
    return true;
}

static bool run_question_extend(struct call *call)
{
    struct question question;

    return question_extend(&call->tx, arg_text(call, "id"), arg(call, "minutes")->real, &question) &&
           reply_deadline(call, &question);
}

static bool run_question_draft(struct call *call)
{
    struct question question;

    return question_draft(&call->tx, arg_text(call, "id"), &question) && reply_deadline(call, &question);
}

static bool run_question_link(struct call *call)
{
    const char *id = arg_text(call, "id");
    struct link made;

    if (!call->base_url) {
        err_set(&call->err, ERR_CONFLICT, "This server does not know under which name people reach it.");
        return err_hint(&call->err,
                        "Set server.public_url to the address that people use, and start it again.");
    }
    if (!link_create(&call->tx, id, &made))
        return false;
    json_map(&call->out, NULL);
    json_text(&call->out, "link", made.secret);
    json_text(&call->out, "url", arena_format(call->tx.arena, "%s/q/%s/%s", call->base_url, id, made.secret));
    if (made.expires_ms)
        json_time(&call->out, "expiresAt", made.expires_ms);
    else
        json_none(&call->out, "expiresAt");
    json_map_end(&call->out);
    return true;
}

/* From here on the caller is the holder of the link, so that the audit row is its maker's workspace's. */
static bool run_link_open(struct call *call)
{
    const char *id = arg_text(call, "id"), *visit;

    if (!link_open(&call->tx, arg_text(call, "link"), id, &visit, &call->caller))
        return false;
    call->cookies[0] = cookie_set(
        call->tx.arena, &(struct cookie){ .name = arena_format(call->tx.arena, COOKIE_VISIT "%s", id),
                                          .value = visit,
                                          .lifetime_ms = VISIT_MS,
                                          .strict = true });
    return true;
}

static bool run_question_restart(struct call *call)
{
    struct job job;

    if (!question_restart(&call->tx, arg_text(call, "id"), &job) || !run_restart(&call->tx, &job))
        return false;
    json_map(&call->out, NULL);
    json_text(&call->out, "jobId", job.id);
    json_text(&call->out, "restartOf", job.restart_of);
    json_map_end(&call->out);
    return true;
}

static bool run_question_similar(struct call *call)
{
    struct question *questions;
    size_t count;

    if (!question_similar(&call->tx, arg_text(call, "id"), LIMIT_ANSWERS, &questions, &count))
        return false;
    json_map(&call->out, NULL);
    if (!question_write_list(&call->tx, questions, count, &call->out))
        return false;
    json_map_end(&call->out);
    return true;
}

static bool run_question_suggestion(struct call *call)
{
    struct question question, *earlier;
    size_t count;

    if (!question_get(&call->tx, arg_text(call, "id"), &question) ||
        !question_precedents(&call->tx, &question, LIMIT_PRECEDENTS, &earlier, &count))
        return false;
    json_map(&call->out, NULL);
    json_none(&call->out, "suggestion");
    json_list(&call->out, "precedents");
    for (size_t i = 0; i < count; i++) {
        json_map(&call->out, NULL);
        json_text(&call->out, "questionId", earlier[i].id);
        json_text(&call->out, "question", earlier[i].question);
        json_raw(&call->out, "response", earlier[i].response);
        json_text(&call->out, "by", earlier[i].outcome_by);
        json_text(&call->out, "at", earlier[i].responded_at);
        json_text(&call->out, "label",
                  arena_format(call->tx.arena, "Precedent: answered by %s", earlier[i].outcome_by));
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    json_map_end(&call->out);
    return true;
}

const struct op answer_ops[] = {
    {
        .name = "question_answer",
        .http = "POST /api/questions/{id}/answer",
        .tag = TAG_QUESTIONS,
        .help = "Answer a question. "
                "The first answer wins and the job goes on in the same moment; an answer after the deadline is refused as late, and kept (kept: true). "
                "A member's token cannot give an approval that it asked for. "
                "An approval that does not count is no error: the reply says why.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .by_link = true,
        .run = run_question_answer,
        .example = "{\"response\": {\"type\": \"text\", \"value\": \"Frankfurt\", "
                   "\"text\": \"It is nearer to most of us.\"}}",
        .reply = answer_reply,
        .params = {
            QUESTION_PARAM,
            { "response", T_OBJECT, REQUIRED, "The answer: {type, value, text?, args?}.",
              .fields = response_fields, .flags = F_OPEN },
        },
    },
    {
        .name = "question_answer_batch",
        .http = "POST /api/questions/answer",
        .tag = TAG_QUESTIONS,
        .help = "Answer several questions at once. "
                "Each has its own result; one that is refused does not stop the others.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .run = run_question_answer_batch,
        .example = "{\"answers\": [{\"id\": \"" EXAMPLE_QUESTION "\", \"response\": {\"type\": \"text\", "
                   "\"value\": \"Frankfurt\"}}]}",
        .reply = batch_reply,
        .params = {
            { "answers", T_LIST, REQUIRED, "The answers.", .items = T_OBJECT, .fields = entry_fields,
              .min = 1, .max = LIMIT_ANSWERS },
        },
    },
    {
        .name = "question_cancel",
        .http = "POST /api/questions/{id}/cancel",
        .tag = TAG_QUESTIONS,
        .help = "Cancel an open question. Its job goes on without an answer. "
                "An agent can cancel only what it asked itself.",
        .needs = ROLES_WRITE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .tool = "cancel_question",
        .run = run_question_cancel,
        .example = "{\"reason\": \"I have found it out myself.\"}",
        .reply = cancel_reply,
        .params = {
            QUESTION_PARAM,
            { "reason", T_TEXT, OPTIONAL, "Why, for the job's log.", .max = LIMIT_TITLE },
        },
    },
    {
        .name = "question_extend",
        .http = "POST /api/questions/{id}/extend",
        .tag = TAG_QUESTIONS,
        .help = "Move a question's deadline back, up to questions.max_timeout (24 hours unless set) after it was asked. "
                "An agent can move only the deadline of what it asked itself.",
        .needs = ROLES_WRITE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .run = run_question_extend,
        .example = "{\"minutes\": 15}",
        .reply = deadline_reply,
        .params = {
            QUESTION_PARAM,
            { "minutes", T_REAL, REQUIRED, "By how much." },
        },
    },
    {
        .name = "question_draft",
        .http = "POST /api/questions/{id}/draft",
        .tag = TAG_QUESTIONS,
        .help = "Say that you are typing an answer. "
                "Others see it, and a deadline nearer than two minutes moves back to two minutes, at most three times.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .no_audit = true,
        .run = run_question_draft,
        .reply = deadline_reply,
        .params = { QUESTION_PARAM },
    },
    {
        .name = "question_link",
        .http = "POST /api/questions/{id}/link",
        .tag = TAG_QUESTIONS,
        .help = "Make a one-time link: whoever holds it may see this question and answer it once, in your place, without a login.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .status = 201,
        .tells_url = true,
        .secret_reply = true,
        .run = run_question_link,
        .reply = link_reply,
        .params = { QUESTION_PARAM },
    },
    {
        .name = "link_open",
        .http = "POST /api/questions/{id}/visit",
        .tag = TAG_QUESTIONS,
        .help = "Exchange the secret of a link for a cookie, with which the question can be seen and answered. "
                "It is good until the question has ended or was answered with the link.",
        .needs = ROLE_ANYONE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .status = 204,
        .secret_reply = true,
        .run = run_link_open,
        .example = "{\"link\": \"witanl_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789\"}",
        .params = {
            QUESTION_PARAM,
            { "link", T_TEXT, REQUIRED, "The link's secret.", .max = LIMIT_REF, .flags = F_SECRET },
        },
    },
    {
        .name = "question_restart",
        .http = "POST /api/questions/{id}/restart",
        .tag = TAG_QUESTIONS,
        .help = "Start a new job with an answer that came too late. Once for each question; a person decides it.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_question_restart,
        .reply = restart_reply,
        .params = { QUESTION_PARAM },
    },
    {
        .name = "question_similar",
        .http = "GET /api/questions/{id}/similar",
        .tag = TAG_QUESTIONS,
        .help = "List other open questions of the same type and wording, to answer them in one batch.",
        .needs = ROLES_READ,
        .reaches = REACH_QUESTION,
        .kind = OP_READ,
        .run = run_question_similar,
        .reply = similar_reply,
        .params = { QUESTION_PARAM },
    },
    {
        .name = "question_suggestion",
        .http = "GET /api/questions/{id}/suggestion",
        .tag = TAG_QUESTIONS,
        .help = "Show what people answered to the same question before. It is never applied by itself.",
        .needs = ROLES_READ,
        .reaches = REACH_QUESTION,
        .kind = OP_READ,
        .run = run_question_suggestion,
        .reply = suggestion_reply,
        .params = { QUESTION_PARAM },
    },
    { 0 },
};
