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
#include "core/caller/tx.h"
#include "core/log/outcome.h"
#include "core/questions/question_type.h"

enum question_status {
    QUESTION_PENDING = 1,
    QUESTION_ANSWERED, /* by a person, or by its default */
    QUESTION_TIMEOUT,
    QUESTION_CANCELLED,
    QUESTION_STATUS_END,
};
WORDS_OF(question_status, question_statuses);

/* What an answer looks like. */
enum response_type {
    RESPONSE_TEXT = 1,
    RESPONSE_CHOICE,
    RESPONSE_BOOLEAN,
    RESPONSE_APPROVAL,
    RESPONSE_TYPE_END,
};
WORDS_OF(response_type, response_types);

/* The struct, its readers and its writer come from question.noun. */
#include "gen/nouns/question.h"

bool question_is_open(const struct question *question);
/* Whether its job waits for it. */
bool question_blocks(const struct question *question);
/* Whether a yes to it is a consent, by its type or by the form of its answer. */
bool question_asks_consent(const struct question *question);
/* Whether witan itself asks it about a run: it names what it is about (metadata), which the run's agent
 * cannot. */
bool question_is_of_witan(const struct question *question);
/* Whether it is an approval that people give by a yes, one or several of them. */
bool question_counts_approvals(const struct question *question);
bool question_is_overdue(const struct question *question, int64_t now_ms);
/* Whether an answer now would be a late one: its deadline ended it. */
bool question_ended_by_deadline(const struct question *question);

/* The question as it is to be asked. Texts and JSON values are the caller's; NULL or 0 where not given. */
struct question_wish {
    const char *question;
    enum question_type type;
    enum response_type response_type;
    const char *template; /* fills in what is not given */
    const json_t *options, *context, *metadata, *action;
    const json_t *default_response;
    bool has_timeout;
    double timeout_minutes;
    int64_t open_ms; /* instead of that, whatever deadlines may be given; 0: as above */
    const char *parent_id;
    bool allow_other, allow_default_approve;
    const char *assigned_to, *required_role, *requested_by;
    int64_t required_approvals; /* 0: 1 */
};

/* From question_preference.noun; without a response nobody has answered this before. */
#include "gen/nouns/question_preference.h"

/*
 * Asks within a job. ERR_CONFLICT when the job has ended, ERR_RATE_LIMITED when it asks too much. For a
 * non-blocking question `preference` is what was answered the last time.
 */
CHECKED bool question_ask(const struct tx *tx, const char *job_id, const struct question_wish *wish,
                          struct question *question, struct question_preference *preference);
/* Asks without a job: one is made for it (agent, project_id and task_id of `job`), which ends with it. */
struct job;
CHECKED bool question_ask_alone(const struct tx *tx, const struct question_wish *wish, struct job *job,
                                struct question *question, struct question_preference *preference);

/* ERR_NOT_FOUND, also for another workspace's; ERR_DUE when its time has passed and the row is still open. */
CHECKED bool question_get(const struct tx *tx, const char *id, struct question *question);
/* The task that its job works on; NULL: none, or the task is gone. Who came by a link sees a question and
 * nothing else. */
CHECKED bool question_task(const struct tx *tx, const struct question *question, const char **id,
                           const char **title);
/* All questions of a job, oldest first, after `cursor`. */
struct question_page {
    struct question *questions;
    size_t count;
    const char *next_cursor; /* or NULL */
};
CHECKED bool question_list_job(const struct tx *tx, const char *job_id, const char *cursor, size_t limit,
                               struct question_page *page);

struct question_filter {
    const char *workspace_id;
    enum question_type type; /* 0: all */
    const char *project_id;  /* or NULL */
    bool by_deadline; /* of open ones: the nearest first, those without any last; else the oldest first */
    enum question_status status; /* of ended ones: how */
    const char *asked_by;        /* of ended ones, or NULL */
    const char *cursor;          /* or NULL */
    size_t limit;
};
CHECKED bool question_pending(const struct tx *tx, const struct question_filter *filter,
                              struct question_page *page);
/* What has ended as `status` says, the newest first. */
CHECKED bool question_list_ended(const struct tx *tx, const struct question_filter *filter,
                                 struct question_page *page);

/* How many the caller has ended by an answer since then, up to LIMIT_LIST. */
CHECKED bool question_answered_count(const struct tx *tx, int64_t since_ms, int64_t *count);

/* Other open questions that the caller sees, with the same type and normalised text, oldest first. */
CHECKED bool question_similar(const struct tx *tx, const char *id, size_t limit, struct question **questions,
                              size_t *count);
/* People's earlier answers to the same question, newest first. They are offered, never applied. */
CHECKED bool question_precedents(const struct tx *tx, const struct question *question, size_t limit,
                                 struct question **questions, size_t *count);

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
    const char *uncounted; /* why this approval is not one of those, for who gave it; NULL: it is */
};

/*
 * Answers one or several questions, in the order given. A member's token that asked for an approval
 * does not give it. Each has its own result; false only when the store failed, so that one bad answer does
 * not undo the others. A late answer is a refusal that is kept: whoever calls must commit it.
 */
CHECKED bool question_answer(const struct tx *tx, struct question_answer answers[], size_t count);
/* Whether only people can settle it: it asks for consent, names who must answer, carries an action, or is
 * what witan asks about a run, whose tool or command goes on with the answer. */
bool question_needs_person(const struct question *question);
/*
 * A council of agents, to whom a person has put the question, answers it; the outcome says so (source agents,
 * by the caller's name). `answered` is false where it has ended, needs a person, or takes another kind of
 * answer.
 */
CHECKED bool question_answer_by_agents(const struct tx *tx, const char *id, const json_t *response,
                                       bool *answered);
/* An agent cancels what it asked itself, and extends that, but nothing that others asked: ERR_FORBIDDEN. */
CHECKED bool question_cancel(const struct tx *tx, const char *id, const char *reason, bool *job_resumed);
/* The project goes away: every question that is open in it is cancelled, and its job goes on. */
CHECKED bool question_drop_project(const struct tx *tx, const char *project_id);
/* Moves the deadline back; at most questions.max_timeout after it was asked. */
CHECKED bool question_extend(const struct tx *tx, const char *id, double minutes, struct question *question);
/* Somebody is typing: others see it, and a deadline that is near moves back a little, a few times. */
CHECKED bool question_draft(const struct tx *tx, const char *id, struct question *question);
/*
 * Gives it to one person (a user's id or name), or, with NULL, back to all who may answer. ERR_FORBIDDEN for
 * those who may not (answer_rights.h), ERR_INVALID about `to` for somebody who could not answer it.
 */
CHECKED bool question_assign(const struct tx *tx, const char *id, const char *to, const char *note,
                             struct question *question);
/* Starts a new job with the first late answer; once. */
CHECKED bool question_restart(const struct tx *tx, const char *id, struct job *job);

/* Ends what is overdue, and what follows from it; `ended` counts questions. For deadline.c. */
CHECKED bool question_sweep(const struct tx *tx, size_t limit, size_t *ended);
CHECKED bool question_next_due(const struct tx *tx, int64_t *due_ms);

/* As it is to one caller (standing.h). key NULL: inside a list. */
struct standing;
void question_write(const struct question *question, const struct standing *standing, const char *key,
                    struct json_out *out);
/* {have, need, by}: how far an approval is; null where there is none. */
void question_write_approvals(const struct question *question, const char *key, struct json_out *out);

#endif
