/*
 * Whose a question is, and when they want to be reminded of it.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/questions/answer_rights.h"
#include "core/questions/snooze.h"
#include "ops/example.h"
#include "ops/question_fields.h"
#include "ops/tables.h"

static const struct field assign_reply[] = {
    { "question", T_OBJECT, REQUIRED, "The question as it now is.", .fields = question_fields },
    { 0 },
};

static const struct field person_fields[] = {
    { "id", T_ID, REQUIRED, "The user." },
    { "name", T_TEXT, REQUIRED, "Their name." },
    { "role", T_TEXT, REQUIRED, "Their role in this workspace." },
    { 0 },
};

static const struct field people_reply[] = {
    { "people", T_LIST, REQUIRED, "The people, by name.", .items = T_OBJECT, .fields = person_fields },
    { "more", T_BOOL, REQUIRED, "Whether there are more than are shown; name narrows them down." },
    { 0 },
};

static const struct field snooze_reply[] = {
    { "snoozedUntil", T_TIME, REQUIRED,
      "When it wakes by itself: the time that was asked for, or five minutes before its deadline; null: it is awake.",
      .flags = F_NULL },
    { 0 },
};

static bool assign(struct call *call, const char *to)
{
    struct question question;

    if (!question_assign(&call->tx, arg_text(call, "id"), to, arg_text(call, "note"), &question))
        return false;
    json_map(&call->out, NULL);
    if (!question_write_one(call, &question))
        return false;
    json_map_end(&call->out);
    return true;
}

static bool run_question_assign(struct call *call)
{
    return assign(call, arg_text(call, "to"));
}

static bool run_question_unassign(struct call *call)
{
    return assign(call, NULL);
}

static bool run_question_people(struct call *call)
{
    struct question question;
    struct caller *people;
    size_t count;

    if (!question_get(&call->tx, arg_text(call, "id"), &question) ||
        !answer_rights_candidates(&call->tx, &question, arg_text(call, "name"), &people, &count))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "people");
    for (size_t i = 0; i < count && i < LIMIT_CANDIDATES_SHOWN; i++) {
        json_map(&call->out, NULL);
        json_text(&call->out, "id", people[i].id);
        json_text(&call->out, "name", people[i].name);
        json_text(&call->out, "role", role_name(people[i].role));
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    json_bool(&call->out, "more", count > LIMIT_CANDIDATES_SHOWN);
    json_map_end(&call->out);
    return true;
}

static bool reply_snooze(struct call *call, int64_t until_ms)
{
    json_map(&call->out, NULL);
    if (until_ms)
        json_time(&call->out, "snoozedUntil", until_ms);
    else
        json_none(&call->out, "snoozedUntil");
    json_map_end(&call->out);
    return true;
}

static bool run_question_snooze(struct call *call)
{
    int64_t until_ms;

    return snooze_set(&call->tx, arg_text(call, "id"), arg(call, "minutes")->real, &until_ms) &&
           reply_snooze(call, until_ms);
}

static bool run_question_wake(struct call *call)
{
    return snooze_end(&call->tx, arg_text(call, "id")) && reply_snooze(call, 0);
}

#define NOTE_PARAM \
    { \
        "note", T_TEXT, OPTIONAL, "What whoever it is for now should know about it.", .min = 1, \
                                                                                      .max = LIMIT_TITLE \
    }

const struct op assign_ops[] = {
    {
        .name = "question_assign",
        .http = "POST /api/questions/{id}/assign",
        .tag = TAG_QUESTIONS,
        .help = "Give an open question to one person, who alone may answer it from then on, and is told. "
                "Anyone who may answer it can do this, its assignee included; owners and admins always can. "
                "A question that needs several approvals cannot be given to one person, nor an approval to the person who asked for it.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .run = run_question_assign,
        .example = "{\"to\": \"" EXAMPLE_USER "\", \"note\": \"You know that customer.\"}",
        .reply = assign_reply,
        .params = {
            QUESTION_PARAM,
            { "to", T_NAME, REQUIRED, "Who is to answer: a user's id or name." },
            NOTE_PARAM,
        },
    },
    {
        .name = "question_unassign",
        .http = "POST /api/questions/{id}/unassign",
        .tag = TAG_QUESTIONS,
        .help = "Give a question that is assigned to somebody back to all who may answer it, who are told. "
                "Its assignee can do this, and so can owners and admins.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .run = run_question_unassign,
        .example = "{\"note\": \"I am away until Monday.\"}",
        .reply = assign_reply,
        .params = { QUESTION_PARAM, NOTE_PARAM },
    },
    {
        .name = "question_people",
        .http = "GET /api/questions/{id}/people",
        .tag = TAG_QUESTIONS,
        .help = "List the people to whom a question can be assigned.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .run = run_question_people,
        .example = "{\"name\": \"an\"}",
        .reply = people_reply,
        .params = { QUESTION_PARAM, { "name", T_NAME, OPTIONAL, "Only those with this in their name." } },
    },
    {
        .name = "question_snooze",
        .http = "POST /api/questions/{id}/snooze",
        .tag = TAG_QUESTIONS,
        .help = "Do not count a question among what needs you for a while. "
                "It stays open, for others as it was, and its deadline runs on: it wakes by itself when its time is over, five minutes before its deadline, and when somebody assigns it.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .run = run_question_snooze,
        .example = "{\"minutes\": 20}",
        .reply = snooze_reply,
        .params = {
            QUESTION_PARAM,
            { "minutes", T_REAL, REQUIRED, "For how long, at most 30 days.", .min = 1,
              .max = SNOOZE_MINUTES_MAX },
        },
    },
    {
        .name = "question_wake",
        .http = "POST /api/questions/{id}/wake",
        .tag = TAG_QUESTIONS,
        .help = "End a snooze of yours at once.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_QUESTION,
        .kind = OP_WRITE,
        .run = run_question_wake,
        .reply = snooze_reply,
        .params = { QUESTION_PARAM },
    },
    { 0 },
};
