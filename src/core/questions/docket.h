/*
 * docket.h - jobs and their open questions, locked together, decided in memory, written back at once.
 *
 * Everything that ends or changes questions works on a docket: it locks the jobs concerned (in the order of
 * their ids, always before any question, so that nobody waits in a circle), loads their open questions and
 * first of all ends those whose time has passed. Then rules change the structs, and what has to be written
 * (questions, jobs, log lines, notifications, events, audit rows) is gathered and written with one statement
 * for each table, however many questions there are. So a sweep of 256 deadlines costs about as many
 * statements as one answer.
 *
 * A docket belongs to one transaction and lives in its arena.
 */
#ifndef CORE_QUESTIONS_DOCKET_H
#define CORE_QUESTIONS_DOCKET_H

#include "core/caller/caller.h"
#include "core/inbox/notification.h"
#include "core/log/event.h"
#include "core/questions/job.h"
#include "core/questions/question.h"

struct docket {
    const struct tx *tx;
    const char *now; /* its time, as text */
    struct job *jobs;
    size_t job_count;
    struct question *questions; /* the open ones, oldest first */
    size_t question_count;
    struct docket_writes *writes;
};

/* A job that was just made, which nobody else can know yet; tells of it. The job stays the caller's. */
void docket_of_new(const struct tx *tx, struct docket *docket, struct job *job);
/* Each locks, loads and applies deadlines. Jobs that are not there are left out. */
CHECKED bool docket_of_job(const struct tx *tx, struct docket *docket, const char *workspace_id,
                           const char *job_id);
/* A job that witan runs itself (core/runs), whoever calls. */
CHECKED bool docket_of_run(const struct tx *tx, struct docket *docket, const char *job_id);
/* The jobs of these questions. */
CHECKED bool docket_of_questions(const struct tx *tx, struct docket *docket, const char *workspace_id,
                                 const char *const ids[], size_t count);
/* Up to `limit` overdue questions with their jobs; what others hold is left out. */
CHECKED bool docket_of_due(const struct tx *tx, struct docket *docket, size_t limit, size_t *ended);
/* Writes what was gathered. */
CHECKED bool docket_close(struct docket *docket);

struct job *docket_job(struct docket *docket, const char *id); /* or NULL */
/* One that was open when the docket was made, or NULL. */
struct question *docket_question(struct docket *docket, const char *id);

struct ending {
    enum question_status status;
    enum outcome_source source;
    struct actor by;
    const char *response;      /* a JSON text, or NULL */
    const char *reason;        /* for the log, or NULL */
    const char *response_text; /* the response in one line, for the log; or NULL */
};

/*
 * Ends an open question and lets its job go on when it was the last it waited for. Says whether the job
 * went on.
 */
bool docket_end(struct docket *docket, struct question *question, const struct ending *ending);

struct job_ending {
    enum job_status status;
    enum outcome_source source;
    struct actor by;
    const char *error; /* or NULL */
};

/* Ends a job and cancels its open questions; non-blocking ones stay answerable. */
void docket_end_job(struct docket *docket, struct job *job, const struct job_ending *ending);
/* Another status that is not an end. */
void docket_set_status(struct docket *docket, struct job *job, enum job_status status);
/* A question that looks different now. */
void docket_changed(struct docket *docket, struct question *question);
/* A question was added to the job by other means: its status follows. */
void docket_added(struct docket *docket, struct job *job, const struct question *question);

/* A line of the job's log; `data` is a JSON object's text, or NULL. Returns its number. */
int64_t docket_log(struct docket *docket, struct job *job, enum line_kind kind, enum line_level level,
                   const char *message, const char *data);
/* How far a job is: kept, told, and a line of its log. */
CHECKED bool docket_report(struct docket *docket, struct job *job, const struct job_progress *progress);
/* Its time is the docket's. */
void docket_event(struct docket *docket, const struct event *event);
void docket_notify(struct docket *docket, const struct notification *notification);
/* What people were told of a question until now does not wait for them any more. */
void docket_settle(struct docket *docket, const struct question *question);

#endif
