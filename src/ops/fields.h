/*
 * fields.h - objects and values that several tables show: replies of more than one noun, and events.
 */
#ifndef OPS_FIELDS_H
#define OPS_FIELDS_H

#include "ops/op.h"

extern const struct field chat_fields[];    /* a message of the squad chat */
extern const struct field outcome_fields[]; /* {source, by, at}: how a wait ended */
extern const struct field task_fields[];
extern const struct field feedback_fields[];
extern const struct field job_progress_fields[];     /* {done, total, step} */
extern const struct field notification_ref_fields[]; /* {type, id} */
extern const struct field set_question_fields[];     /* of a set of open questions */
extern const struct field set_answer_fields[];

/* A task's members, which its events have beside their own. */
#define TASK_FIELDS                                                                                          \
    { "id", T_UUID, REQUIRED, "The task." }, { "project_id", T_UUID, REQUIRED, "Its project." },             \
        { "title", T_TEXT, REQUIRED, "One line." },                                                          \
        { "description", T_TEXT, REQUIRED, "What is to be done." },                                          \
        { "status", T_ENUM, REQUIRED, "Where it stands.", .values = task_statuses },                         \
        { "priority", T_INT, REQUIRED, "0 comes first." },                                                   \
        { "assignee", T_TEXT, REQUIRED, "Who has claimed it.", .flags = F_NULL },                            \
        { "block_reason", T_TEXT, REQUIRED,                                                                  \
          "Why it is blocked; \"Open Question\" while answers are missing.", .flags = F_NULL },              \
        { "depends_on", T_LIST, REQUIRED, "Tasks that must be closed first.", .items = T_UUID },             \
        { "session_id", T_TEXT, REQUIRED, "The session it belongs to.", .flags = F_NULL },                   \
        { "result", T_JSON, REQUIRED, "What came of it.", .flags = F_NULL },                                 \
        { "problems", T_LIST, REQUIRED, "What could not be read of its last result.", .items = T_TEXT },     \
        { "created_at", T_TIME, REQUIRED, "When it was made." },                                             \
    {                                                                                                        \
        "updated_at", T_TIME, REQUIRED, "When it last changed."                                              \
    }

#endif
