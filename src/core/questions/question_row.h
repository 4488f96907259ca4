/*
 * question_row.h - what the modules about questions and jobs share and nobody else needs.
 */
#ifndef CORE_QUESTIONS_QUESTION_ROW_H
#define CORE_QUESTIONS_QUESTION_ROW_H

#include "core/caller/tx.h"
#include "core/questions/job.h"
#include "core/questions/question.h"

/* From question_approval.noun, late_answer.noun and handover.noun: what a question keeps as JSON. */
#include "gen/nouns/handover.h"
#include "gen/nouns/late_answer.h"
#include "gen/nouns/question_approval.h"

CHECKED bool question_load(const struct tx *tx, const char *workspace_id, const char *id,
                           struct question *question);
bool question_not_found(struct err *err);
bool job_not_found(struct err *err);
/* Puts a new job into the store, as it stands, without a word about it. */
CHECKED bool job_insert(const struct tx *tx, const struct job *job);
/* A new job of this caller: id, workspace, who asked for it. Checks what it refers to. */
CHECKED bool job_begin(const struct tx *tx, struct job *job);

/* The same number for the same question, however it is written. */
int64_t question_key(struct arena *arena, const char *workspace_id, enum question_type type,
                     const char *text);

/*
 * Whether a late answer is worth what one in time would have been. A yes that needs several people, or comes
 * from who requested it, settles nothing by being late either.
 */
bool question_late_settles(const struct question *question, bool is_yes, const char *by);

/* Whether this caller may end a question without an answer, or move its deadline. ERR_FORBIDDEN. */
CHECKED bool question_may_end(const struct caller *caller, const struct job *job,
                              const struct question *question, struct err *err);

struct docket;
/* The docket of one question, with what it says there. One that ended earlier is loaded beside it. */
CHECKED bool question_open_one(const struct tx *tx, struct docket *docket, const char *id,
                               struct question **question);
/* ERR_CONFLICT, with how it ended. */
CHECKED bool question_must_be_open(struct arena *arena, const struct question *question, struct err *err);
/* Tells those who may answer: one notification for all of them, or one for each who is named. */
CHECKED bool question_notify(struct docket *docket, const struct question *question);

#endif
