/*
 * subjects.h - one of each thing that a path may name, and parameters that fit a row.
 *
 * For tests that go through the whole table: a refusal must be for the reason under test, not because nothing
 * is there or a value is wrong.
 */
#ifndef SUBJECTS_H
#define SUBJECTS_H

#include "contract.h"

/* Stands in every text of what make_subjects makes: whoever is shown it has seen too much. */
#define MARKER "Marker-of-this-workspace"

struct subjects {
    const char *prompt, *notification, *user, *token, *workspace;
    const char *project, *task, *feedback, *questions, *decision;
    const char *job, *question, *template;
    const char *agent, *discussion;
};

/* Made by t->as. Everything that can belong to a project belongs to subjects.project. */
struct subjects make_subjects(struct t *t);
/* Others like them, but for the workspace and the notification: for tests that have used theirs up. */
void renew_subjects(struct t *t, struct subjects *subjects);
/* What the row requires; the caller frees it. */
json_t *valid_params(const struct op *op, const struct subjects *subjects);

#endif
