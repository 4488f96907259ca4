/*
 * question.h - an agent asks people.
 *
 * A question belongs to a job. While a blocking one is open its job waits. It ends once: by a person's
 * answer, by its deadline (with the default that was given, or without any answer), or by being cancelled.
 * Every ending says its source and who it was. An answer after the deadline is kept but changes nothing.
 * Silence is never consent: a default that approves must have been allowed in so many words.
 *
 * All changes go through a docket (docket.h), which locks the job first. A question whose time has passed is
 * treated as ended whether or not the row says so yet.
 *
 * Everything in a struct question lives in the arena it was loaded with.
 */
#ifndef CORE_QUESTIONS_QUESTION_H
#define CORE_QUESTIONS_QUESTION_H

#include "base/json.h"
#include "core/caller/caller.h"
#include "db/db.h"

struct question {
    const char *id, *job_id, *workspace_id;
    const char *project_id; /* or NULL */
    const char *type;       /* blocking, non_blocking, approval, error_recovery */
    const char *question;
    const char *context; /* a JSON object's text, or NULL; so are options .. metadata */
    const char *status;  /* pending, answered, timeout, cancelled */
    const char *response_type;
    const char *options, *response, *default_response, *metadata;
    const char *responded_by, *responded_at; /* or NULL */
    const char *timeout_at;                  /* or NULL: no deadline */
    int64_t due_ms;                          /* the same; 0: none */
    const char *created_at;
    const char *parent_id; /* or NULL */
    bool allow_other, allow_default_approve;
    const char *assigned_to, *required_role; /* or NULL: any person of the workspace */
    int64_t required_approvals;
    const char *approvals;     /* a JSON list's text */
    const char *action;        /* {name, args}, or NULL */
    const char *approved_args; /* or NULL: those proposed */
    const char *late_answers;  /* a JSON list's text */
    const char *draft_by, *draft_at;
    int64_t draft_moves;
    const char *asked_by;
    const char *asked_by_id;                            /* the user or token that asked; NULL: not known */
    const char *requested_by;                           /* a user's id, or NULL */
    const char *outcome_source, *outcome_by, *ended_at; /* NULL while open */
    const char *restart_job_id;                         /* or NULL */
    const char *template;                               /* or NULL */
    int64_t key;                                        /* what similar questions share */
    bool dirty;                                         /* the docket's: to be written back */
};

bool question_is_open(const struct question *question);
/* Whether its job waits for it. */
bool question_blocks(const struct question *question);
bool question_is_overdue(const struct question *question, int64_t now_ms);
/* Whether an answer now would be a late one: its deadline ended it. */
bool question_ended_by_deadline(const struct question *question);

/* What is asked. Texts and JSON values are the caller's; NULL or 0 where not given. */
struct question_wish {
    const char *question, *type, *response_type;
    const char *template; /* fills in what is not given */
    const json_t *options, *context, *metadata, *action;
    const json_t *default_response;
    bool has_timeout;
    double timeout_minutes;
    const char *parent_id;
    bool allow_other, allow_default_approve;
    const char *assigned_to, *required_role, *requested_by;
    int64_t required_approvals; /* 0: 1 */
};

struct question_preference {
    const char *response; /* a JSON text, or NULL: nobody has answered this before */
    const char *by, *at;
};

/*
 * Asks within a job. ERR_CONFLICT when the job has ended, ERR_RATE_LIMITED when it asks too much. For a
 * non-blocking question `preference` is what was answered the last time.
 */
CHECKED bool question_ask(struct db *db, struct arena *arena, const struct caller *caller, const char *job_id,
                          int64_t now_ms, const struct question_wish *wish, struct question *question,
                          struct question_preference *preference, struct err *err);
/* Asks without a job: one is made for it (agent, project_id and task_id of `job`), which ends with it. */
struct job;
CHECKED bool question_ask_alone(struct db *db, struct arena *arena, const struct caller *caller,
                                int64_t now_ms, const struct question_wish *wish, struct job *job,
                                struct question *question, struct question_preference *preference,
                                struct err *err);

/* ERR_NOT_FOUND, also for another workspace's; ERR_DUE when its time has passed and the row is still open. */
CHECKED bool question_get(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                          int64_t now_ms, struct question *question, struct err *err);
/* All questions of a job, oldest first, after `cursor`. */
struct question_page {
    struct question *questions;
    size_t count;
    const char *next_cursor; /* or NULL */
};
CHECKED bool question_list_job(struct db *db, struct arena *arena, const struct caller *caller,
                               const char *job_id, int64_t now_ms, const char *cursor, size_t limit,
                               struct question_page *page, struct err *err);

struct question_filter {
    const char *workspace_id;
    const char *type, *project_id; /* or NULL */
    bool by_deadline;              /* the nearest first, those without any last; else the oldest first */
    const char *cursor;            /* or NULL */
    size_t limit;
};
CHECKED bool question_pending(struct db *db, struct arena *arena, int64_t now_ms,
                              const struct question_filter *filter, struct question_page *page,
                              struct err *err);

/* Other open questions that the caller sees, with the same type and normalised text, oldest first. */
CHECKED bool question_similar(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                              int64_t now_ms, size_t limit, struct question **questions, size_t *count,
                              struct err *err);
/* People's earlier answers to the same question, newest first. They are offered, never applied. */
CHECKED bool question_precedents(struct db *db, struct arena *arena, const struct caller *caller,
                                 const struct question *question, size_t limit, struct question **questions,
                                 size_t *count, struct err *err);

struct question_answer {
    const char *id;
    const json_t *response;
    /* Filled in: what became of it. */
    struct err err; /* ERR_NONE: accepted; an answer that came too late is ERR_CONFLICT, "late" */
    bool kept;      /* late, and kept */
    bool partial;   /* an approval that others must join */
    bool job_resumed;
    int64_t have, need; /* approvals */
    bool counts_approvals;
};

/*
 * Answers one or several questions, in the order given. A member's token that asked for an approval
 * does not give it. Each has its own result; false only when the store failed, so that one bad answer does
 * not undo the others. A late answer is a refusal that is kept: whoever calls must commit it.
 */
CHECKED bool question_answer(struct db *db, struct arena *arena, const struct caller *caller, int64_t now_ms,
                             struct question_answer answers[], size_t count, struct err *err);
/* An agent cancels what it asked itself, and extends that, but nothing that others asked: ERR_FORBIDDEN. */
CHECKED bool question_cancel(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                             int64_t now_ms, const char *reason, bool *job_resumed, struct err *err);
/* The project goes away: every question that is open in it is cancelled, and its job goes on. */
CHECKED bool question_drop_project(struct db *db, struct arena *arena, const struct caller *caller,
                                   const char *project_id, int64_t now_ms, struct err *err);
/* Moves the deadline back; at most QUESTION_MAX_MS after it was asked. */
CHECKED bool question_extend(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                             int64_t now_ms, double minutes, struct question *question, struct err *err);
/* Somebody is typing: others see it, and a deadline that is near moves back a little, a few times. */
CHECKED bool question_draft(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                            int64_t now_ms, struct question *question, struct err *err);
/* Starts a new job with the first late answer; once. */
CHECKED bool question_restart(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                              int64_t now_ms, struct job *job, struct err *err);

/* Ends what is overdue, and what follows from it; `ended` counts questions. For deadline.c. */
CHECKED bool question_sweep(struct db *db, struct arena *arena, int64_t now_ms, size_t limit, size_t *ended,
                            struct err *err);
CHECKED bool question_next_due(struct db *db, struct arena *arena, int64_t *due_ms, struct err *err);

/* key NULL: inside a list. */
void question_write(const struct question *question, const char *key, struct json_out *out);
/* {source, by, at}, or null while open. */
void question_write_outcome(const struct question *question, const char *key, struct json_out *out);

#endif
