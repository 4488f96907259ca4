/*
 * result.h - an agent hands in what it did.
 *
 * The output has been read (output.h); here it takes effect, all of it or nothing. With open questions only
 * they do: people are asked, and a coder's task that failed for them waits. Without any, a success makes the
 * tasks it lists, writes the section or plan it holds, closes the task it is about; a failure gives that task
 * back. What could not be read is never taken for success: it is reported, and changes nothing else.
 *
 * Tasks of one result may depend on each other, by title or by place in the list (from 0), and on tasks of
 * the project, by id.
 */
#ifndef CORE_WORK_RESULT_H
#define CORE_WORK_RESULT_H

#include "core/caller/tx.h"
#include "core/work/question_set.h"
#include "core/work/task.h"
#include "output/output.h"

enum result_agent {
    AGENT_ANALYST = 1,
    AGENT_DREAMER,
    AGENT_PLANNER,
    AGENT_CODER,
    AGENT_REVIEWER,
    AGENT_END,
};
WORDS_OF(result_agent, result_agents);

struct result {
    /* Given. */
    enum result_agent agent;
    enum work_source source; /* what it is about */
    const char *source_id;
    const char *author;       /* who hands it in, by name */
    const char *handed_in_by; /* the same by id: a user's or token's */
    const struct output *output;
    /* Filled in. */
    bool accepted;                           /* it was understood and taken */
    const struct output_question *questions; /* those that stand */
    size_t question_count;
    const char *notification_id; /* the open set they are in, or NULL */
    bool has_task;
    struct task task;   /* of a coder or reviewer */
    struct task *tasks; /* made from it */
    size_t task_count;
    const char **problems;
    size_t problem_count;
};

/* Which source an agent works on. */
enum work_source result_source_of(enum result_agent agent);

/* ERR_NOT_FOUND when what it is about is not in the project. */
CHECKED bool result_hand_in(const struct tx *tx, const struct project *project, struct result *result);

#endif
