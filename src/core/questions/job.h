/*
 * job.h - one run of an agent.
 *
 * An outside agent drives its own job: it says when it runs, reports progress, writes log lines and says how
 * it ended. While people have to answer something, the job waits; it runs again by itself when the last such
 * question has ended (see docket.h). A job that has ended stays as it is.
 *
 * Everything in a struct job lives in the arena it was loaded with.
 */
#ifndef CORE_QUESTIONS_JOB_H
#define CORE_QUESTIONS_JOB_H

#include "base/json.h"
#include "core/caller/caller.h"
#include "core/caller/tx.h"
#include "core/log/outcome.h"

enum job_status {
    JOB_PENDING = 1,
    JOB_RUNNING,
    JOB_WAITING_FOR_INPUT,
    JOB_WAITING_FOR_APPROVAL,
    JOB_COMPLETED,
    JOB_FAILED,
    JOB_CANCELLED,
    JOB_STATUS_END,
};
WORDS_OF(job_status, job_statuses);

/* Who asked for it, and so is told of its end: one person, an agent by name, or the people at large. */
enum requester_kind {
    REQUESTER_USER = 1,
    REQUESTER_AGENT,
    REQUESTER_TOKEN,
    REQUESTER_LOCAL,
    REQUESTER_LINK,
    REQUESTER_END,
};
WORDS_OF(requester_kind, requester_kinds);

/* The struct, its readers and its writer come from job.noun. */
#include "gen/nouns/job.h"

#define JOB_KIND_LONE  "question" /* what those are that were made for a single one */
#define JOB_KIND_AGENT "agent"    /* what those are that witan runs itself (core/runs) */

bool job_status_is_open(enum job_status status);
bool job_is_open(const struct job *job);
bool job_is_waiting(const struct job *job);

/*
 * Makes one from kind and, where given, agent, project_id, task_id, input and status (pending or running);
 * fills in the rest. A project or task of another workspace is ERR_INVALID.
 */
CHECKED bool job_create(const struct tx *tx, struct job *job);
/* ERR_NOT_FOUND, also for another workspace's or project's; ERR_DUE when it has an overdue question. */
CHECKED bool job_get(const struct tx *tx, const char *id, struct job *job);

enum job_order { JOBS_NEWEST = 1, JOBS_OLDEST, JOB_ORDER_END };
WORDS_OF(job_order, job_orders);

struct job_filter {
    enum job_status status;                          /* 0: all */
    const char *agent, *kind, *project_id, *task_id; /* or NULL */
    const char *text;                                /* words that are to be found in it, or NULL */
    bool all;             /* also those that were made for a single question; their kind asks for them, too */
    bool as_it_is;        /* with a text: whatever is not in the index yet */
    enum job_order order; /* 0: the newest first */
    const char *cursor;   /* or NULL */
    size_t limit;
};

struct job_page {
    struct job *jobs;
    size_t count;
    const char *next_cursor; /* or NULL */
};

/* ERR_DUE as job_get, and with a text when words are to be taken into the index first. */
CHECKED bool job_list(const struct tx *tx, const struct job_filter *filter, struct job_page *page);

struct job_change {
    enum job_status status; /* running, completed, failed; or 0 */
    const char *result;     /* a JSON text, or NULL */
    const char *error;      /* or NULL */
};

/*
 * The agent's own report. A step that the status does not allow is ERR_CONFLICT. Ending it takes its blocking
 * questions along: an agent that did not ask those ends neither this way nor by job_cancel: ERR_FORBIDDEN.
 */
CHECKED bool job_update(const struct tx *tx, const char *id, const struct job_change *change,
                        struct job *job);
CHECKED bool job_cancel(const struct tx *tx, const char *id, const char *reason, struct job *job);

/* What a line of a job's log tells of. */
enum line_kind {
    LINE_LOG = 1, /* the agent's own words */
    LINE_PROGRESS,
    LINE_STATUS,
    LINE_QUESTION,
    LINE_ANSWER,
    LINE_TIMEOUT,
    LINE_CANCELLED,
    LINE_APPROVAL,
    LINE_EXTENDED,
    LINE_LATE,
    LINE_RESTART,
    LINE_ASSIGNED,
    LINE_KIND_END,
};
WORDS_OF(line_kind, line_kinds);

enum line_level { LINE_DEBUG = 1, LINE_INFO, LINE_WARN, LINE_ERROR, LINE_LEVEL_END };
WORDS_OF(line_level, line_levels);

/* From job_line.noun. */
#include "gen/nouns/job_line.h"

/* Adds a line; fills in seq, kind and at_ms. Also after the end: last words come late. */
CHECKED bool job_log(const struct tx *tx, const char *id, struct job_line *line);

struct job_progress {
    bool has_done, has_total;
    double done, total;
    const char *step; /* or NULL */
};

/* How far it is; also a line of the log. ERR_CONFLICT when it has ended. */
CHECKED bool job_report(const struct tx *tx, const char *id, const struct job_progress *progress,
                        struct job *job);

struct line_filter {
    bool newest;         /* newest first */
    int64_t from;        /* the line before which, in that order, none is wanted; 0: all are */
    enum line_kind kind; /* 0: any */
    size_t limit;
};

CHECKED bool job_logs(const struct tx *tx, const char *id, const struct line_filter *filter,
                      struct job_line **lines, size_t *count);

/*
 * A token that is bound to an agent does not drive another agent's job: ERR_FORBIDDEN. One that witan runs is
 * driven by nobody; who asked for it may cancel it.
 */
CHECKED bool job_may_drive(const struct caller *caller, const struct job *job, struct err *err);
/* It is a run that this agent has asked for, and does not become its agent by that. */
bool job_is_run_of(const struct caller *caller, const struct job *job);

#endif
