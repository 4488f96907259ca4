/*
 * docket_writes.h - what a docket has to write, gathered until it is closed. For docket.c and its parts only.
 *
 * Each writes_... function makes room for one more and returns it.
 */
#ifndef CORE_QUESTIONS_DOCKET_WRITES_H
#define CORE_QUESTIONS_DOCKET_WRITES_H

#include "core/questions/docket.h"

struct docket_writes *writes_new(struct arena *arena);
struct question **writes_question(struct docket_writes *writes);
struct job_line *writes_line(struct docket_writes *writes);
struct event *writes_event(struct docket_writes *writes);
struct notification *writes_notification(struct docket_writes *writes);
/* Questions that ended, or are others' now: their notifications are resolved. */
const char **writes_resolved(struct docket_writes *writes);
/* Questions that the server ended by itself: nobody's call tells of them in the audit log. */
const struct question **writes_audit(struct docket_writes *writes);

#endif
