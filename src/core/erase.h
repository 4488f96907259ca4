/*
 * erase.h - takes a person out of the store: the name, and what they wrote.
 *
 * Gone are the account, its logins, links and kept replies; the name wherever the store put it (chat,
 * answers, outcomes, who asked, who approved, the audit log); the text of their messages, answers, comments
 * and feedback, and the events and log lines that repeat it. What stays is what is not theirs: decisions
 * (approved, rejected, which option), sections of documents, what others wrote, also about them, and their
 * id, which means nobody any more. Rows of the audit log keep their hashes and verify by a record
 * (audit_keep.h).
 *
 * A name is all that some rows have, so what a person wrote under the same name without an account goes as
 * well.
 *
 * Thread: within one writing transaction of the connection.
 */
#ifndef CORE_ERASE_H
#define CORE_ERASE_H

#include "core/audit.h"

struct erase_report {
    int64_t messages, prompts, answers, sets, feedback, documents, lines, events, replies, audit;
    bool account; /* there was one, and it is gone */
};

struct person {
    const char *id, *name;
    bool has_account;
};
/* By name or id; someone who was removed before is found by the audit log. ERR_NOT_FOUND for nobody. */
CHECKED bool erase_find(struct db *db, struct arena *arena, const char *name_or_id, struct person *person,
                        struct err *err);
/* `by` is who does it: actor, door, workspace and time are those of the records. */
CHECKED bool erase_person(struct db *db, struct arena *arena, const struct person *person,
                          const struct audit_entry *by, struct erase_report *report, struct err *err);

#endif
