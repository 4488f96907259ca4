/*
 * document.h - where work and questions come from beside tasks: feedback, sections of the PRD, plans.
 *
 * Feedback is what somebody said, once. A document (a section of the PRD, a plan) is a text that is written
 * again and again; every version stays. Sections and plans have whatever ids their writers give them.
 */
#ifndef CORE_WORK_DOCUMENT_H
#define CORE_WORK_DOCUMENT_H

#include "core/caller/tx.h"
#include "core/work/project.h"
#include "core/work/source.h"

/* Its members: feedback.noun. */
#include "gen/nouns/feedback.h"

/* Takes text; fills in the rest. */
CHECKED bool feedback_create(const struct tx *tx, const struct project *project, const char *author,
                             struct feedback *feedback);
CHECKED bool feedback_get(const struct tx *tx, const struct project *project, const char *id,
                          struct feedback *feedback);
/* Newest first, after `cursor` (an id; NULL: from the start). */
CHECKED bool feedback_list(const struct tx *tx, const struct project *project, const char *cursor,
                           size_t limit, struct feedback **feedback, size_t *count);
CHECKED bool feedback_set_confirmed(const struct tx *tx, const struct project *project, const char *id);
CHECKED bool feedback_set_handled(const struct tx *tx, const struct project *project, const char *id);

struct document {
    enum work_source source; /* SOURCE_PRD or SOURCE_PLAN */
    const char *source_id;
    int64_t version; /* 1, 2, ... */
    const char *author, *text;
    int64_t created_ms;
};

/* `version` 0: the newest. ERR_NOT_FOUND when there is none. */
CHECKED bool document_get(const struct tx *tx, const struct project *project, enum work_source source,
                          const char *id, int64_t version, struct document *document);
/*
 * Writes the next version; the same text again changes nothing. Takes source, source_id, author and text, and
 * fills in the rest; the first version is 1. The project must be locked. Says whether it made that one now.
 */
CHECKED bool document_put(const struct tx *tx, const struct project *project, struct document *document,
                          bool *is_first);
/* Newest first, at most LIMIT_HISTORY, without their texts. */
CHECKED bool document_history(const struct tx *tx, const struct project *project, enum work_source source,
                              const char *id, struct document **versions, size_t *count);
/* The newest version of each, by id, without their texts: at most LIMIT_DOCUMENTS. */
CHECKED bool document_list(const struct tx *tx, const struct project *project, enum work_source source,
                           struct document **documents, size_t *count);

#endif
