/*
 * decision.h - an agent asks whether it may decide something.
 *
 * What a project's hilConfig says about the category settles it: automated approves at once,
 * notify_and_proceed approves and tells people, requires_approval puts it to them as an approval question.
 * That question has the decision's id and is the only row that says how it ended, so that it can be answered
 * wherever questions are; no answer in time is a no. The level holds that was in force when the decision was
 * made.
 *
 * Everything in a struct decision lives in the arena it was loaded with.
 */
#ifndef CORE_WORK_DECISION_H
#define CORE_WORK_DECISION_H

#include "core/caller/tx.h"
#include "core/log/outcome.h"
#include "core/work/project.h"

enum decision_status { DECISION_APPROVED = 1, DECISION_REJECTED, DECISION_PENDING, DECISION_END };
WORDS_OF(decision_status, decision_statuses);

/* Its members: decision.noun. */
#include "gen/nouns/decision.h"

/* Takes category, description, details and agent; fills in the rest. */
CHECKED bool decision_make(const struct tx *tx, const struct project *project, struct decision *decision);
/* ERR_DUE when its time has passed and its question is still open. */
CHECKED bool decision_get(const struct tx *tx, const struct project *project, const char *id,
                          struct decision *decision);

struct decision_filter {
    bool pending;       /* these only */
    const char *cursor; /* an id, or NULL */
    size_t limit;
};
/* Newest first. */
CHECKED bool decision_list(const struct tx *tx, const struct project *project,
                           const struct decision_filter *filter, struct decision **decisions, size_t *count);

/* Answers for a person; one that has ended stays as it is. `comment` may be NULL. */
CHECKED bool decision_settle(const struct tx *tx, const struct project *project, const char *id,
                             bool approved, const char *comment, struct decision *decision);

bool decision_is_pending(const struct decision *decision);

#endif
