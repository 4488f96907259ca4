/*
 * task.h - a unit of work in a project.
 *
 * A task is open, in_progress (claimed by its assignee), blocked or closed. It may depend on others of its
 * project; it is ready when it is open and all of those are closed, which a count kept by triggers says
 * without looking at them. Dependencies never form a circle. Every change is told as task.updated with the
 * whole task.
 *
 * Everything in a struct task lives in the arena it was loaded with.
 */
#ifndef CORE_WORK_TASK_H
#define CORE_WORK_TASK_H

#include "core/caller/tx.h"
#include "core/work/project.h"

/* The operations that give a task to somebody, as the audit log names them. */
#define OP_TASK_CLAIM  "task_claim"
#define OP_TASK_UPDATE "task_update"

/* The reason for which a task is blocked that waits for answers. */
#define BLOCKED_BY_QUESTION "Open Question"
/* Those of one whose questions were dismissed, or answered with no and nothing else, where an orchestrator
 * would take it up again at once. */
#define BLOCKED_BY_DISMISSAL "Its question was dismissed; open the task to have it worked on"
#define BLOCKED_BY_NO        "Its question was answered with no; open the task to have it worked on"

enum task_status { TASK_OPEN = 1, TASK_IN_PROGRESS, TASK_BLOCKED, TASK_CLOSED, TASK_STATUS_END };
WORDS_OF(task_status, task_statuses);

/* Its members: task.noun. */
#include "gen/nouns/task.h"

/* Takes all but the ids, times and depends_on, which it fills in. `deps` are ids of tasks of the project. */
CHECKED bool task_create(const struct tx *tx, const struct project *project, const char *const *deps,
                         size_t dep_count, struct task *task);

/* A task to be made: all but the times and depends_on, which are filled in; the id is a new one. */
struct task_draft {
    struct task task;
    const char *const
        *deps; /* ids of tasks of the project, or of drafts of the same call; never in a circle */
    size_t dep_count;
};
/*
 * The same for many, in a few statements however many there are. Their ids are given in the order of the
 * list. ERR_INVALID when one depends on what is not in the project.
 */
CHECKED bool task_create_many(const struct tx *tx, const struct project *project, struct task_draft *drafts,
                              size_t count);
CHECKED bool task_get(const struct tx *tx, const struct project *project, const char *id, struct task *task);
/* Id, title, status and block_reason alone, of those of these ids that are tasks of the project, in one
 * look-up; sorted by id. */
CHECKED bool task_labels(const struct tx *tx, const struct project *project, const char *const *ids,
                         size_t count, struct task **tasks, size_t *found);
/* As task_get; nobody else changes it until the transaction ends. */
CHECKED bool task_lock(const struct tx *tx, const struct project *project, const char *id, struct task *task);
/* Stores a task that was locked and then changed, and tells of it. */
CHECKED bool task_save(const struct tx *tx, const struct project *project, struct task *task);
CHECKED bool task_tell(const struct tx *tx, const struct task *task);
CHECKED bool task_delete(const struct tx *tx, const struct project *project, const char *id);

/*
 * Takes an open task for an agent. Of two that try one wins; ERR_CONFLICT tells the other who has it, and
 * everybody why a blocked, dependent or closed task cannot be taken.
 */
CHECKED bool task_claim(const struct tx *tx, const struct project *project, const char *id, const char *agent,
                        struct task *task);

/* What to change; what is NULL or not given stays. */
struct task_change {
    const char *title, *description;
    enum task_status status; /* 0: as it is */
    bool has_priority, has_assignee, has_block_reason, has_session, has_result, has_deps;
    int64_t priority;
    const char *assignee, *block_reason, *session_id, *result; /* NULL clears */
    const char *const *deps;
    size_t dep_count;
};

/*
 * Changes a task under the rules of its states: giving it an assignee claims it, taking the assignee away or
 * setting it to open gives it back, and as long as questions about it are open it can be closed but not
 * worked on. Closing it dismisses them.
 */
CHECKED bool task_update(const struct tx *tx, const struct project *project, const char *id,
                         const struct task_change *change, struct task *task);

/* Makes a task wait for answers; unless `keep_claim`, whoever had it has it no more. A closed one stays so.
 */
bool task_is_blocked_by_question(const struct task *task);
void task_block(struct task *task, bool keep_claim);
/*
 * All questions about it have been settled: it is open again, or in progress where somebody still has it.
 * One that nobody has stays blocked for the reason `stays`, unless that is NULL. Nothing happens to a task
 * that does not wait for answers, or is gone.
 */
CHECKED bool task_unblock(const struct tx *tx, const struct project *project, const char *id,
                          const char *stays);

struct task_filter {
    enum task_status status;           /* 0: all */
    const char *assignee, *session_id; /* or NULL */
    const char *cursor;                /* an id, or NULL */
    size_t limit;
};

/* Newest first. */
CHECKED bool task_list(const struct tx *tx, const struct project *project, const struct task_filter *filter,
                       struct task **tasks, size_t *count);
/* What can be worked on: by priority, then age. `cursor` is the id of a task, or NULL. */
CHECKED bool task_ready(const struct tx *tx, const struct project *project, const char *cursor, size_t limit,
                        struct task **tasks, size_t *count);

/* Which of these ids are tasks of the project; sorted, each once. */
CHECKED bool task_known(const struct tx *tx, const struct project *project, const char *const *ids,
                        size_t count, const char ***known, size_t *known_count);
/*
 * Makes the task depend on exactly these. ERR_INVALID for tasks that are not in the project and for circles;
 * the task has been loaded, and the project is locked.
 */
CHECKED bool task_set_deps(const struct tx *tx, const struct project *project, const struct task *task,
                           const char *const *deps, size_t dep_count);

#endif
