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

#endif
