/*
 * question_set.h - questions found in agents' output.
 *
 * Questions come in sets, as an agent handed them in, about one source: a task (execute), feedback (eval), a
 * section of the PRD (prd) or a plan (plan). A set is a notification of its project and one row in the inbox
 * of its people, under one id; it is open until somebody answers or dismisses it, which ends it everywhere.
 * Answers go to the task's chat and into the agent's next prompt. A task that waits for answers goes on when
 * the last set about it has been settled; where the project's orchestrator is on and that was a dismissal, a
 * task that nobody has stays blocked until somebody opens it.
 *
 * Whatever asks or settles locks the project first, so that two of them see each other.
 */
#ifndef CORE_WORK_QUESTION_SET_H
#define CORE_WORK_QUESTION_SET_H

#include "core/caller/tx.h"
#include "core/log/outcome.h"
#include "core/work/project.h"
#include "core/work/source.h"
#include "output/output.h"

/* An approval is a decision that waits for people, shown as a set of one question (project_inbox.h). */
enum set_kind { SET_OPEN_QUESTIONS = 1, SET_APPROVAL, SET_KIND_END };
WORDS_OF(set_kind, set_kinds);

enum set_status { SET_OPEN = 1, SET_RESOLVED, SET_STATUS_END };
WORDS_OF(set_status, set_statuses);

struct task;

/* Its members: question_set.noun. */
#include "gen/nouns/question_set.h"

bool question_set_is_open(const struct question_set *set);

struct question_set_wish {
    enum work_source source;
    const char *source_id;
    const char *agent;
    const char *asked_by_id; /* the user or token that hands it in */
    const char *about;       /* the task's title, or what else people know the source by */
    const struct output_question *questions;
    size_t count;
};

/*
 * Asks, and tells people. What is being asked about this source already, in an open set, is not asked again;
 * when nothing else is left, `set` is the open one. ERR_CONFLICT when more than LIMIT_OPEN_QUESTIONS about
 * the source would be open. The project must be locked.
 */
CHECKED bool question_set_ask(const struct tx *tx, const struct project *project,
                              const struct question_set_wish *wish, struct question_set *set);

CHECKED bool question_set_get(const struct tx *tx, const struct project *project, const char *id,
                              struct question_set *set);
/* The open ones, newest first, after `cursor` (an id; NULL: from the start). */
CHECKED bool question_set_list(const struct tx *tx, const struct project *project, const char *cursor,
                               size_t limit, struct question_set **sets, size_t *count);
struct question_set_filter {
    enum work_source source;
    const char *source_id;
    enum set_status status; /* 0: all */
    size_t limit;
};
/* Those about one source, newest first. */
CHECKED bool question_set_of_source(const struct tx *tx, const struct project *project,
                                    const struct question_set_filter *filter, struct question_set **sets,
                                    size_t *count);

/* The id of the newest one that is open about a source; NULL when none is. */
CHECKED bool question_set_newest_open(const struct tx *tx, const struct project *project,
                                      enum work_source source, const char *source_id, const char **id);

struct question_set_reply {
    const json_t *responses; /* [{questionId, answer}], or NULL */
    bool has_approved, approved;
    bool keep_open; /* answers to some are noted, and the set is settled with the last of them */
};

/*
 * Settles a set with what a person said; nothing said is a dismissal, which is no approval. With keep_open it
 * is settled only when every question has an answer, or by approving; an answer that was noted before stands,
 * and another one to the same question is ERR_CONFLICT. Settling it a second time changes nothing.
 * ERR_INVALID for an answer to a question that is not in the set, ERR_FORBIDDEN for those who may not answer.
 */
CHECKED bool question_set_resolve(const struct tx *tx, const struct project *project, const char *id,
                                  const struct question_set_reply *reply, struct question_set *set);
/* Dismisses all that are open, at most LIMIT_CLEAR; says how many. */
CHECKED bool question_set_clear(const struct tx *tx, const struct project *project, size_t *count);
/* What they are about goes away or is over: a source, or the whole project (source 0). All of them are
 * dismissed, and nothing is unblocked. */
CHECKED bool question_set_drop(const struct tx *tx, const struct project *project, enum work_source source,
                               const char *source_id);

void question_set_write_approved(const struct question_set *set, const char *key, struct json_out *out);

#endif
