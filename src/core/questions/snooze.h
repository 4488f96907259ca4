/*
 * snooze.h - a question that one person does not want to be reminded of for a while.
 *
 * It stays open and in their lists, its deadline runs on, and others are not concerned: it is only not
 * counted among what needs them. It wakes by itself when its time is over, when its deadline is near
 * (QUESTION_WAKE_MS), which is looked at anew each time since deadlines move, and when it is assigned. A row
 * whose time is over means nothing; the sweep takes it away.
 *
 * A person is a caller's id: a user has one snooze by whatever login or token, somebody's token its own.
 */
#ifndef CORE_QUESTIONS_SNOOZE_H
#define CORE_QUESTIONS_SNOOZE_H

#include "core/caller/tx.h"
#include "core/questions/question.h"

/* Those of the caller that are not over. */
struct snoozes {
    const char **question_ids;
    int64_t *until_ms;
    size_t count;
};

/*
 * Until so many minutes from now, or until the deadline is near: `until_ms` says which. ERR_CONFLICT where
 * that is now, where the question has ended, and after too many; ERR_INVALID about minutes.
 */
CHECKED bool snooze_set(const struct tx *tx, const char *question_id, double minutes, int64_t *until_ms);
/* Wakes it; one that is awake stays so. */
CHECKED bool snooze_end(const struct tx *tx, const char *question_id);
/* It has become another matter: everybody who has snoozed it hears of it anew. */
CHECKED bool snooze_end_all(const struct tx *tx, const char *question_id);

/* All of the caller's, or the one of this question; none for those who have none. */
CHECKED bool snooze_read(const struct tx *tx, const char *question_id, struct snoozes *snoozes);
/* Until when a question is snoozed; 0: it is not. */
int64_t snooze_until(const struct snoozes *snoozes, const struct question *question, int64_t now_ms);

/* Forgets rows that are over. */
CHECKED bool snooze_prune(const struct tx *tx, size_t limit, size_t *pruned);

#endif
