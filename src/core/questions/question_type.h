/*
 * question_type.h - the types of questions, each said once.
 *
 * A type is one row: what its job does meanwhile, how long it is usually open, how people are told. The enum,
 * the words of the store and of the API, the rules and the help texts are all made of the rows, and so is
 * what waits (core/work/waiting.h). The order of the rows is the order in which people are shown them.
 */
#ifndef CORE_QUESTIONS_QUESTION_TYPE_H
#define CORE_QUESTIONS_QUESTION_TYPE_H

#include "base/words.h"
#include "core/inbox/notification.h"
#include "core/questions/job.h"

/*
 * TYPE(name, word, waits, answer, minutes, notification, priority, title, meaning)
 *
 * - waits: the status of its job while it is open; JOB_RUNNING: the job goes on, so it needs a default.
 * - answer: GIVES_ADVICE, or GIVES_CONSENT, which people give themselves: no council does, nor who asked for
 *   it, and silence does not either, unless that was allowed in so many words.
 * - minutes: how long it is open unless its asker says; 0: until somebody answers.
 * - title: of its notification, behind the name of who asks.
 * - meaning: for help texts.
 */
#define QUESTION_TYPES(TYPE) \
    TYPE(BLOCKING, "blocking", JOB_WAITING_FOR_INPUT, GIVES_ADVICE, 30, NOTIFICATION_QUESTION, \
         PRIORITY_HIGH, "asks", "the job waits") \
    TYPE(NON_BLOCKING, "non_blocking", JOB_RUNNING, GIVES_ADVICE, 0, NOTIFICATION_QUESTION, PRIORITY_LOW, \
         "asks", "it goes on with the default") \
    TYPE(APPROVAL, "approval", JOB_WAITING_FOR_APPROVAL, GIVES_CONSENT, 15, NOTIFICATION_APPROVAL, \
         PRIORITY_HIGH, "needs your approval", "it waits for a yes or no") \
    TYPE(ERROR_RECOVERY, "error_recovery", JOB_WAITING_FOR_INPUT, GIVES_ADVICE, 10, NOTIFICATION_ERROR, \
         PRIORITY_HIGH, "asks", "it waits for advice")

#define QUESTION_TYPE_VALUE(name, ...)      QUESTION_##name,
#define QUESTION_TYPE_WORD(name, word, ...) word,
/* For help texts: "blocking: the job waits; ", and "30 for blocking, ", of each type. */
#define QUESTION_TYPE_MEANING(name, word, waits, answer, minutes, notification, priority, title, meaning) \
    word ": " meaning "; "
#define QUESTION_TYPE_MINUTES(name, word, waits, answer, minutes, ...) #minutes " for " word ", "

/* How it weighs on its job. */
enum question_type { QUESTION_NO_TYPE, QUESTION_TYPES(QUESTION_TYPE_VALUE) QUESTION_TYPE_END };
WORDS_OF(question_type, question_types);

struct question_traits {
    bool blocks;             /* its job waits for it */
    bool consents;           /* its answer is a consent */
    enum job_status waiting; /* the status of a job that waits for it */
    int64_t usual_ms;        /* 0: no deadline */
    enum notification_kind notification;
    enum notification_priority priority;
    const char *title;
};
const struct question_traits *question_traits(enum question_type type);
/* The types whose jobs wait, each between spaces: for statements, which look for one with LIKE. */
const char *question_types_that_block(struct arena *arena);

#endif
