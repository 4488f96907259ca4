/*
 * question_fields.h - what the operations on questions, jobs and templates have in common.
 */
#ifndef OPS_QUESTION_FIELDS_H
#define OPS_QUESTION_FIELDS_H

#include "core/questions/question.h"
#include "core/questions/standing.h"
#include "ops/op.h"

#define TAG_QUESTIONS "Questions to people"

#define QUESTION_PARAM \
    { \
        "id", T_UUID, REQUIRED, "The question." \
    }
#define TAG_JOBS "Jobs"

extern const struct field question_fields[];
extern const struct field standing_fields[];
extern const struct field option_fields[];
extern const struct field response_fields[];

/* An option is named by its label, its value, or both. */
#define OPTION_FORM "\"anyOf\":[{\"required\":[\"label\"]},{\"required\":[\"value\"]}]"

/* The parameters of asking, and what they say. */
#define ASK_PARAMS \
    { "question", T_TEXT, \
      OPTIONAL,   "What is asked; needed unless a template says it.", \
      .min = 1,   .max = LIMIT_MESSAGE_CEILING }, \
        { "type", T_ENUM, OPTIONAL, \
          QUESTION_TYPES(QUESTION_TYPE_MEANING) "needed unless a template says it.", \
          .values = question_types }, \
        { "responseType", T_ENUM, OPTIONAL, "What an answer looks like; needed unless a template says it.", \
          .values = response_types }, \
        { "options", \
          T_LIST, \
          OPTIONAL, \
          "What to choose from.", \
          .items = T_OBJECT, \
          .fields = option_fields, \
          .form = OPTION_FORM, \
          .max = LIMIT_OPTIONS }, \
        { "context", \
          T_OBJECT, \
          OPTIONAL, \
          "jobType, projectName, currentStep, errorDetails, suggestedOptions, and what you like. " \
          "answerSchema, a JSON Schema, says what a text that answers it must be: the text of its only member where that is a string, else JSON.", \
          .max = LIMIT_CONTEXT, \
          .flags = F_OPEN }, \
        { "timeoutMinutes", T_REAL, OPTIONAL, \
          "Minutes until the default holds or the job fails, from questions.min_timeout (5 unless set) to questions.max_timeout (1440 unless set). " \
          "Unless given: " QUESTION_TYPES(QUESTION_TYPE_MINUTES) "where 0 is no deadline." }, \
        { "defaultResponse",         T_OBJECT,       OPTIONAL, "The answer when nobody gives one in time.", \
          .fields = response_fields, .flags = F_OPEN }, \
        { "metadata",           T_OBJECT,       OPTIONAL, "Kept with the question for you.", \
          .max = LIMIT_CONTEXT, .flags = F_OPEN }, \
        { "parentId", T_UUID, OPTIONAL, "The question that this one follows up." }, \
        { "action", \
          T_OBJECT, \
          OPTIONAL, \
          "What an approval is for: {name, args, inputSchema}. Args that are changed must fit inputSchema, a JSON Schema, if it is there.", \
          .max = LIMIT_CONTEXT, \
          .flags = F_OPEN }, \
        { "requiredApprovals",          T_INT, OPTIONAL, "How many different people must approve.", .min = 1, \
          .max = QUESTION_APPROVALS_MAX }, \
        { "assignedTo", T_NAME, OPTIONAL, "The one who is to answer: a user's id or name." }, \
        { "requiredRole", T_ENUM, OPTIONAL, "The least role that may answer.", .values = answering_roles }, \
        { "requestedBy", T_NAME, OPTIONAL, \
          "The user on whose behalf it is asked; their own approval does not count." }, \
        { "allowOther", T_BOOL, OPTIONAL, "A choice may be answered in one's own words.", \
          .fallback = "false" }, \
        { "allowDefaultApprove", T_BOOL, OPTIONAL, "Silence may count as a yes.", .fallback = "false" }, \
    { \
        "template", T_NAME, OPTIONAL, "Ask with this template; what is given beside it wins." \
    }

struct question_wish question_wish_of(const struct call *call);
/* The member `question`, as it is to the caller; and `questions`. */
CHECKED bool question_write_one(struct call *call, const struct question *question);
CHECKED bool question_write_list(const struct tx *tx, const struct question *questions, size_t count,
                                 struct json_out *out);
/* Writes questionId, timeoutAt and, for a non-blocking one, what to go on with. */
void question_write_asked(struct call *call, const struct question *question,
                          const struct question_preference *preference);

#endif
