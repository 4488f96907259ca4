/*
 * questions.h - what the cases about questions and jobs have in common.
 */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "base/clock.h"
#include "contract.h"

#define MINUTE ((int64_t)60000)

/* A running job of the agent Builder; its id. */
const char *make_job(struct t *t);
/* Asks in a job with parameters as for call(), which come after the job's id; the question's id. */
const char *ask_in(struct t *t, const char *job, const char *format, ...);
/* The plainest question: blocking, answered by a text. */
const char *ask_text(struct t *t, const char *job);
int answer(struct t *t, const char *id, const char *format, ...); /* format packs the response */
int answer_text(struct t *t, const char *id, const char *value);
int show(struct t *t, const char *id);
/* Fails unless the job has this status. */
void check_job(struct t *t, const char *job, const char *status);
int64_t count_events(struct t *t, const char *job, const char *type);
/* A user of this workspace with a session: the secret goes into t->as. */
const char *make_user(struct t *t, const char *name, const char *role);

#endif
