/*
 * waiting.h - everything that waits for people, in one list.
 *
 * Questions and approvals (decisions among them), sets of open questions, prompts that mention the
 * caller, and turns that people owe discussions: of all projects, the most urgent first. What has a deadline
 * goes by that; what has none comes after, the oldest first. A new kind of thing is a row of the table in
 * waiting.c and a statement with the same columns.
 *
 * All of it is listed to all; what of it needs the caller is said beside (standing.h): what they may answer
 * with effect and have not snoozed, sets and turns by the same rules, and every prompt that mentions them.
 */
#ifndef CORE_WORK_WAITING_H
#define CORE_WORK_WAITING_H

#include "base/err.h"
#include "core/caller/tx.h"
#include "core/questions/question.h"
#include "core/questions/standing.h"
#include "core/work/source.h"

/* What may wait: the types of questions, under their own values, and the other kinds. */
enum waiting_type { WAITING_SET = QUESTION_TYPE_END, WAITING_PROMPT, WAITING_TURN, WAITING_END };
WORDS_OF(waiting_type, waiting_types);

struct waiting {
    enum waiting_type type;
    const char *id, *text;
    const char *agent;                  /* who asks, or NULL */
    const char *project_id, *project;   /* or NULL */
    const char *task;                   /* the title of the task that it is about or is asked for, or NULL */
    const char *assigned_to, *assignee; /* a user's id and name, or NULL */
    const char *default_response;       /* JSON: what holds at the deadline, or NULL */
    const char *discussion_id;          /* of a turn; else NULL */
    enum work_source source;            /* of a set; else 0 */
    int64_t due_ms;                     /* 0: no deadline */
    int64_t asked_ms;
    int64_t questions;         /* how many a set holds; else 1 */
    const char *required_role; /* or NULL */
    struct standing standing;  /* what it is to the caller */
};

/* A page of it. */
struct waiting_page {
    struct waiting *items;
    size_t count;
    bool more;        /* there is more than is in it */
    int64_t need_you; /* how many of all need the caller, in this page or not */
};

struct waiting_filter {
    enum waiting_type type; /* 0: all */
    const char *project_id; /* or NULL: all that the caller sees */
    bool by_age;            /* the oldest first, whatever their deadlines */
    size_t limit;
};

/* At most limit of them. Overdue questions are left out. */
CHECKED bool waiting_list(const struct tx *tx, const struct waiting_filter *filter,
                          struct waiting_page *page);
/* How much needs the caller, without listing it. */
CHECKED bool waiting_count(const struct tx *tx, const struct waiting_filter *filter, int64_t *need_you);

#endif
