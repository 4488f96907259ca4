/*
 * Fields that several tables share stand here once, so that a question looks the same in every reply.
 */
#include "ops/question_fields.h"

#include "ops/fields.h"

const char *const question_roles[] = { "owner", "admin", "member", NULL };

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
    { "text", T_TEXT, OPTIONAL, "An explanation, or the answer in own words.", .max = LIMIT_MESSAGE_CEILING },
    { "args", T_JSON, OPTIONAL, "With an approval: do it with these args instead.", .max = LIMIT_CONTEXT },
    { 0 },
};

static const struct field approver_fields[] = {
    { "id", T_TEXT, REQUIRED, "Who approved: a user's or token's id." },
    { "by", T_TEXT, REQUIRED, "Who approved, by name." },
    { "at", T_TIME, REQUIRED, "When." },
    { 0 },
};

static const struct field approvals_fields[] = {
    { "have", T_INT, REQUIRED, "How many have approved." },
    { "need", T_INT, REQUIRED, "How many must." },
    { "by", T_LIST, REQUIRED, "Who they are.", .items = T_OBJECT, .fields = approver_fields },
    { 0 },
};

static const struct field late_fields[] = {
    { "response", T_OBJECT, REQUIRED, "The answer.", .fields = response_fields, .flags = F_OPEN },
    { "by", T_TEXT, REQUIRED, "Whose it is, by name." },
    { "respondedBy", T_TEXT, REQUIRED, "Whose it is: a user's or token's id." },
    { "at", T_TIME, REQUIRED, "When it came." },
    { 0 },
};

static const struct field draft_fields[] = {
    { "by", T_TEXT, REQUIRED, "Who is typing." },
    { "at", T_TIME, REQUIRED, "When they were last seen doing so." },
    { 0 },
};

const struct field standing_fields[] = {
    { "needed", T_BOOL, REQUIRED,
      "Whether it needs you: somebody waits for the answer, yours would count, and you have not snoozed "
      "it." },
    { "mayAnswer", T_BOOL, REQUIRED, "Whether an answer of yours is taken." },
    { "yesCounts", T_BOOL, REQUIRED,
      "Whether it has an effect: where an approval is asked for, a yes of whoever requested it, or has "
      "approved already, has none." },
    { "mayAssign", T_BOOL, REQUIRED, "Whether you may give it to somebody." },
    { "bar", T_ENUM, REQUIRED, "What stands in the way of your answer, or of your yes.",
      .values = answer_bars, .flags = F_NULL },
    { "reason", T_TEXT, REQUIRED, "The same in a sentence.", .flags = F_NULL },
    { "snoozedUntil", T_TIME, REQUIRED, "Until when you have snoozed it.", .flags = F_NULL },
    { 0 },
};

static const struct field handover_fields[] = {
    { "id", T_TEXT, REQUIRED, "Who did: a user's or token's id." },
    { "by", T_TEXT, REQUIRED, "Who did, by name." },
    { "at", T_TIME, REQUIRED, "When." },
    { "note", T_TEXT, REQUIRED, "What they said about it.", .flags = F_NULL },
    { 0 },
};

const struct field question_fields[] = {
    { "id", T_UUID, REQUIRED, "The question." },
    { "jobId", T_UUID, REQUIRED, "The job that asks." },
    { "workspaceId", T_ID, REQUIRED, "The workspace it belongs to." },
    { "projectId", T_ID, REQUIRED, "The project of the job.", .flags = F_NULL },
    { "type", T_ENUM, REQUIRED, "How it weighs on its job.", .values = question_types },
    { "question", T_TEXT, REQUIRED, "What is asked." },
    { "context", T_OBJECT, REQUIRED, "What there is to know about it.", .flags = F_OPEN | F_NULL },
    { "status", T_ENUM, REQUIRED, "Open while pending; ended otherwise.", .values = question_statuses },
    { "responseType", T_ENUM, REQUIRED, "What an answer looks like.", .values = response_types },
    { "options", T_LIST, REQUIRED, "What to choose from.", .items = T_OBJECT, .fields = option_fields,
      .flags = F_NULL },
    { "response", T_OBJECT, REQUIRED, "The answer that holds.", .fields = response_fields,
      .flags = F_OPEN | F_NULL },
    { "respondedBy", T_TEXT, REQUIRED, "Who gave it: a user's or token's id, local, or system for a default.",
      .flags = F_NULL },
    { "respondedAt", T_TIME, REQUIRED, "When.", .flags = F_NULL },
    { "timeoutAt", T_TIME, REQUIRED, "The last moment at which it is still open.", .flags = F_NULL },
    { "defaultResponse", T_OBJECT, REQUIRED, "The answer when nobody gives one in time.",
      .fields = response_fields, .flags = F_OPEN | F_NULL },
    { "metadata", T_OBJECT, REQUIRED, "Kept for the asker.", .flags = F_OPEN | F_NULL },
    { "createdAt", T_TIME, REQUIRED, "When it was asked." },
    { "outcome", T_OBJECT, REQUIRED, "How it ended; null while open.", .fields = outcome_fields,
      .flags = F_NULL },
    { "parentId", T_UUID, REQUIRED, "The question that it follows up.", .flags = F_NULL },
    { "action", T_OBJECT, REQUIRED, "What an approval is for, as it was proposed.",
      .flags = F_OPEN | F_NULL },
    { "approvedArgs", T_JSON, REQUIRED, "The args that were approved instead of those proposed.",
      .flags = F_NULL },
    { "approvals", T_OBJECT, REQUIRED, "How far an approval is.", .fields = approvals_fields,
      .flags = F_NULL },
    { "lateAnswers", T_LIST, REQUIRED, "Answers that came after the deadline.", .items = T_OBJECT,
      .fields = late_fields },
    { "assignedTo", T_TEXT, REQUIRED, "The user who shall answer.", .flags = F_NULL },
    { "assignee", T_TEXT, REQUIRED, "That user's name.", .flags = F_NULL },
    { "handover", T_OBJECT, REQUIRED, "Who has assigned it, or given it back to all, since it was asked.",
      .fields = handover_fields, .flags = F_NULL },
    { "requiredRole", T_TEXT, REQUIRED, "The least role that may answer.", .flags = F_NULL },
    { "requiredApprovals", T_INT, REQUIRED, "How many different people must approve." },
    { "allowOther", T_BOOL, REQUIRED, "Whether a choice may be answered in own words." },
    { "allowDefaultApprove", T_BOOL, REQUIRED, "Whether silence may count as a yes." },
    { "askedBy", T_TEXT, REQUIRED, "Who asks." },
    { "requestedBy", T_TEXT, REQUIRED, "The user whose own approval does not count.", .flags = F_NULL },
    { "requester", T_TEXT, REQUIRED, "That user's name.", .flags = F_NULL },
    { "template", T_TEXT, REQUIRED, "The template it was asked with.", .flags = F_NULL },
    { "draft", T_OBJECT, REQUIRED, "Who is typing an answer.", .fields = draft_fields, .flags = F_NULL },
    { "restartedAs", T_UUID, REQUIRED, "The job that a late answer started.", .flags = F_NULL },
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
    if (!preference->response) {
        json_none(out, "preference");
        return;
    }
    json_map(out, "preference");
    json_raw(out, "response", preference->response);
    json_text(out, "by", preference->by);
    json_text(out, "at", preference->at);
    json_map_end(out);
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
