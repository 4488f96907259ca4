/*
 * erase.h - takes a person out of the store: the name, and what they wrote.
 *
 * Gone are the account, its logins, links and kept replies; the name wherever the store put it as theirs
 * (chat, answers, outcomes, who asked, who approved, lists of answerers, the audit log); the text of their
 * messages, prompts, questions, answers, comments and feedback, and the notifications, events and log lines
 * that repeat it. What stays is what is not theirs: decisions (approved, rejected, which option), projects,
 * tasks, documents, what others wrote, also about them, and their id, which means nobody any more. Others of
 * the same name keep what is theirs: rows say by id who did it (erase_parts.h). Rows of the audit log keep
 * their hashes and verify by a record (audit_keep.h).
 *
 * It is done page by page, in transactions of its own, beside a running server. Interrupted, it goes on when
 * it is run again: the account is locked first and removed last.
 *
 * Thread: the connection is this thread's, and in no transaction.
 */
#ifndef CORE_UPKEEP_ERASE_H
#define CORE_UPKEEP_ERASE_H

#include "core/caller/tx.h"
#include "core/log/audit.h"

struct erase_report {
    int64_t messages, prompts, answers, sets, feedback, documents, lines, events, replies, audit;
    int64_t unknown; /* rows that bear the name and do not say whose they are: left */
    bool account;    /* there was one, and it is gone */
};

struct person {
    const char *id, *name;
    bool has_account;
};
/* By name or id; someone who was removed before is found by the audit log. ERR_NOT_FOUND for nobody. */
CHECKED bool erase_find(const struct tx *tx, const char *name_or_id, struct person *person);
/*
 * `by` is who does it: actor, door, workspace and time are those of the records. Without `act` everything is
 * only counted.
 */
CHECKED bool erase_person(const struct tx *tx, const struct person *person, const struct audit_entry *by,
                          bool act, struct erase_report *report);

#endif
