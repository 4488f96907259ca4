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

extern const char *const alert_kinds[];
extern const char *const chat_message_types[];
extern const char *const job_log_levels[];
extern const char *const job_statuses[];
extern const char *const notification_priorities[];
extern const char *const prompt_statuses[];
extern const char *const set_statuses[];
extern const char *const task_statuses[];

#endif
