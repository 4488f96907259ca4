/*
 * Fields that several tables share stand here once, so that a question looks the same in every reply.
 */
#include "ops/question_fields.h"

#include "gen/nouns/handover_fields.h"
#include "gen/nouns/late_answer_fields.h"
#include "gen/nouns/question_approval_fields.h"
#include "gen/nouns/question_fields.h"
#include "gen/nouns/standing_fields.h"
#include "ops/fields.h"

const struct field option_fields[] = {
    { "id", T_TEXT, OPTIONAL, "Its name for answers; o1, o2 and so on when left out.", .max = LIMIT_REF },
    { "label", T_TEXT, OPTIONAL, "What people read; the value when left out.", .max = LIMIT_OPTION },
    { "value", T_JSON, OPTIONAL, "What the agent gets: a string, true or false; the label when left out.",
      .max = LIMIT_OPTION + 2 },
    { "description", T_TEXT, OPTIONAL, "More about it.", .max = LIMIT_OPTION_HELP },
    { 0 },
};

const struct field response_fields[] = {
    { "type", T_ENUM, OPTIONAL, "The question's response type.", .values = response_types },
    { "value", T_JSON, OPTIONAL, "A string for text, an option's value or id for choice, else true or false.",
      .flags = F_NULL },
    { "text", T_TEXT, OPTIONAL, "An explanation, or the answer in one's own words.",
      .max = LIMIT_MESSAGE_CEILING },
    { "args", T_JSON, OPTIONAL, "With an approval: do it with these args instead.", .max = LIMIT_CONTEXT },
    { 0 },
};

static const struct field approver_fields[] = { QUESTION_APPROVAL_FIELDS, { 0 } };

static const struct field approvals_fields[] = {
    { "have", T_INT, REQUIRED, "How many have approved." },
    { "need", T_INT, REQUIRED, "How many must." },
    { "by", T_LIST, REQUIRED, "Who they are.", .items = T_OBJECT, .fields = approver_fields },
    { 0 },
};

static const struct field late_fields[] = { LATE_ANSWER_FIELDS, { 0 } };

static const struct field draft_fields[] = {
    { "by", T_TEXT, REQUIRED, "Who is typing." },
    { "at", T_TIME, REQUIRED, "When they were last seen doing so." },
    { 0 },
};

const struct field standing_fields[] = { STANDING_FIELDS, { 0 } };

static const struct field handover_fields[] = { HANDOVER_FIELDS, { 0 } };

const struct field question_fields[] = {
    QUESTION_FIELDS,
    { "you", T_OBJECT, REQUIRED, "What it is to you.", .fields = standing_fields },
    { 0 },
};

struct question_wish question_wish_of(const struct call *call)
{
    return (struct question_wish){
        .question = arg_text(call, "question"),
        .type = arg_word(call, "type", question_types),
        .response_type = arg_word(call, "responseType", response_types),
        .template = arg_text(call, "template"),
        .options = arg_json(call, "options"),
        .context = arg_json(call, "context"),
        .metadata = arg_json(call, "metadata"),
        .action = arg_json(call, "action"),
        .default_response = arg_json(call, "defaultResponse"),
        .has_timeout = arg_given(call, "timeoutMinutes"),
        .timeout_minutes = arg(call, "timeoutMinutes")->real,
        .parent_id = arg_text(call, "parentId"),
        .allow_other = arg_bool(call, "allowOther"),
        .allow_default_approve = arg_bool(call, "allowDefaultApprove"),
        .assigned_to = arg_text(call, "assignedTo"),
        .required_role = arg_text(call, "requiredRole"),
        .requested_by = arg_text(call, "requestedBy"),
        .required_approvals = arg_int(call, "requiredApprovals"),
    };
}

void question_write_asked(struct call *call, const struct question *question,
                          const struct question_preference *preference)
{
    struct json_out *out = &call->out;

    json_text(out, "questionId", question->id);
    json_text(out, "timeoutAt", question->timeout_at);
    if (question_blocks(question))
        return;
    json_raw(out, "response", question->default_response);
    if (preference->response)
        question_preference_write(preference, "preference", out);
    else
        json_none(out, "preference");
}

bool question_write_one(struct call *call, const struct question *question)
{
    struct standing *standing;

    if (!standing_of(&call->tx, question, 1, &standing))
        return false;
    question_write(question, standing, "question", &call->out);
    return true;
}

bool question_write_list(const struct tx *tx, const struct question *questions, size_t count,
                         struct json_out *out)
{
    struct standing *standings;

    if (!standing_of(tx, questions, count, &standings))
        return false;
    json_list(out, "questions");
    for (size_t i = 0; i < count; i++)
        question_write(&questions[i], &standings[i], NULL, out);
    json_list_end(out);
    return true;
}
