/*
 * moving.h - one step of a run: its job and its row, locked and loaded, and what is written back at once.
 *
 * For the files of core/runs that move a run on (run_drive.h). What is decided stands in rules/; here is what
 * follows from it. Entries, calls and the run itself are gathered and written at the end (moving_save): the
 * run before its job, since the triggers that hear of a job's end leave a run alone that has ended.
 *
 * The job's docket is opened when it is needed and closed before anything else is called that opens one of
 * its own: two that are open at once would number the lines of the job's log alike.
 */
#ifndef CORE_RUNS_MOVING_H
#define CORE_RUNS_MOVING_H

#include "core/caller/caller.h"
#include "core/questions/docket.h"
#include "core/runs/offer.h"
#include "core/runs/run_drive.h"

/* What a step knows of a call beside its row. */
struct call_notes {
    bool fresh;              /* it is not stored yet */
    bool begun;              /* under this claim, and is to be once more: nobody is told again */
    bool looked;             /* for its tool, which is one thing for a step, whatever is listed meanwhile */
    const struct tool *tool; /* NULL: it is not there any more */
};

struct moving {
    const struct tx *tx;
    const struct run_ref *ref;
    struct tx as; /* the same transaction, as the run's own caller: an agent, never a person */
    struct caller caller;
    struct run run;
    bool job_is_open;
    struct docket docket;
    bool docket_is_open;
    struct run_call **calls;  /* of the last reply, in their order */
    struct call_notes *notes; /* of each */
    size_t call_count;
    struct run_entry *entries; /* to be added */
    size_t entry_count, entry_room;
    const struct tool_list *tools; /* moving_tools; NULL: nothing has asked for them yet */
    uint64_t edition;              /* of the tools */
    const char *fatal;             /* why the run cannot go on, or NULL */
    const char *result;            /* what the last reply handed in without a call, as JSON; or NULL */
    const char *mistake;   /* what was wrong with the last reply or summary, if all of it was; or NULL */
    bool blank;            /* the last reply had nothing in it */
    bool heard;            /* the model is to be asked, whatever it said last */
    bool rebuild;          /* the engine's conversation is not what it was */
    const char **unwanted; /* calls that are out and not wanted any more */
    size_t unwanted_count;
    struct run_budget before; /* what it had taken when this step began */
    int64_t ahead;            /* tokens that the request takes that is to be made, about; 0: none */
    const char *unfit;        /* why its model cannot be told what a run begins with, or NULL */
    const char *short_of;     /* why that request is not made: what is left is less; or NULL */
    int64_t stored_seq;       /* the last entry that is stored already */
    int64_t news_seen;        /* how much of the news was looked at */
    bool claimed;             /* what is out of an earlier claim is lost */
};

/* Locks the job, loads the run, holds it against the holder's claim. HOLDING_FENCED, HOLDING_GONE. */
CHECKED bool moving_enter(const struct tx *tx, const struct run_ref *ref, struct moving *moving);
/* The calls of the last reply. */
CHECKED bool moving_load_calls(struct moving *moving);
struct run_call *moving_call(struct moving *moving, const char *id); /* or NULL */
/* The tools there are, one list for the whole step. */
const struct tool_list *moving_tools(struct moving *moving);
/* What a call is one of, also while its server is still waited for; NULL: it is not there any more. */
const struct tool *moving_tool(struct moving *moving, const struct run_call *call);

/* The job's docket, open; and the job. */
CHECKED bool moving_docket(struct moving *moving, struct docket **docket, struct job **job);
/* Closes it, if it is open. */
CHECKED bool moving_flush(struct moving *moving);

/* A further entry; its text and data stay the caller's until the machine is saved. */
struct run_entry *moving_add(struct moving *moving, enum run_entry_kind kind, const char *text,
                             const char *data);
/* A call is done: the model is told `output`. */
void moving_done(struct moving *moving, struct run_call *call, enum run_outcome outcome, const char *output,
                 const char *data);
/* The engine is to let go of a call. */
void moving_unwanted(struct moving *moving, const struct run_call *call);
/* Text of somebody else's, as it can be stored: well-formed, and not longer than `most` bytes. */
const char *moving_clean(struct moving *moving, const char *text, size_t most);

/* The run has taken so much more, and with it its project. */
void moving_take(struct moving *moving, int64_t tokens_in, int64_t tokens_out, int64_t money);

/* limits.c: what it may take and has taken, and whether its project's budget of a day is used up. */
struct run_budget limits_of(const struct moving *moving);
struct run_budget limits_used(const struct moving *moving);
CHECKED bool limits_project(struct moving *moving, enum run_limit *limit);
/* The tokens that are left to the run, and to its project today; INT64_MAX: neither has a bound. */
CHECKED bool limits_left(struct moving *moving, int64_t *left);
/* Whether the request that is put together is not to be made after all: it cannot be told, or takes all that
 * is left by itself. `again`: it was made already, and is only looked at. */
CHECKED bool limits_ahead(struct moving *moving, struct loop_facts *facts, bool again);
/* What this step has taken is its project's. */
CHECKED bool limits_save(struct moving *moving);

/* How long the run has worked, without waiting for others. */
int64_t moving_used_ms(const struct moving *moving);

/* What people were asked about a call, or said: for who reads the trace, and for a replay. */
void moving_people(struct moving *moving, const struct run_call *call, const char *words, const char *verdict,
                   const char *question_id);

/* Stores what was added, without a step. Its time stands still while all that it does is wait for what people
 * answer its tools, and counts else. */
CHECKED bool moving_keep(struct moving *moving);

/* Decides what follows, stores everything, and gives what is to be done. */
CHECKED bool moving_run(struct moving *moving, struct run_step *step);

/* judge.c: what becomes of a call that the model has made. `extra`: there are too many in the reply. */
CHECKED bool judge_call(struct moving *moving, struct run_call *call, bool is_object, bool extra);
/*
 * The calls that are to be run and have waited (for people, to be run again, for a node that takes them over)
 * are judged by what holds now: their tools, the project and the operator's rules may be others by now.
 */
CHECKED bool judge_waited(struct moving *moving);
/* What a call is run with. */
const char *judge_arguments(const struct run_call *call);
/* Why arguments do not fit the schema of a tool, in words; NULL: they do. */
const char *judge_misfit(struct moving *moving, const char *schema, const char *arguments);

/* own_tools.c: does what one of the run's own tools is for. */
CHECKED bool own_tool_do(struct moving *moving, enum run_tool tool, struct run_call *call);
/* What became of what a call waits for; nothing happens where it has not ended. */
CHECKED bool own_tool_settle(struct moving *moving, struct run_call *call);

/* What a discussion took, with all that was split off from it, is the run's that wanted it: of the result
 * that was added last. */
CHECKED bool own_tool_spent(struct moving *moving, const char *discussion_id);
/* Hands in by `finish`, once all other calls of the reply are done, or says why not. */
void own_tools_finish(struct moving *moving);

/* people.c: whether a call may run. */
CHECKED bool people_approve(struct moving *moving, struct run_call *call, const struct tool *tool,
                            const char *reason);
/* A tool that failed or was interrupted: what is to be done about it? */
CHECKED bool people_advise(struct moving *moving, struct run_call *call, enum run_outcome outcome,
                           const char *words);
/* The same of a model. */
CHECKED bool people_advise_model(struct moving *moving, const char *words);
/* What people have answered since: approvals, advice, questions, late answers. */
CHECKED bool people_settle(struct moving *moving);
/* They are told that a call goes ahead. */
CHECKED bool people_tell(struct moving *moving, const struct run_call *call, const struct tool *tool);

/* talk.c: what the model is told, and how much that is. */
CHECKED bool talk_ask(struct moving *moving, bool afresh, struct run_step *step);
/* The request for a summary, and from and to which entry it is. */
CHECKED bool talk_condense(struct moving *moving, struct run_step *step);
/* A summary has come. */
CHECKED bool talk_condensed(struct moving *moving, const char *text, struct run_entry *reply);
/* How many tokens the result of a call that is done adds to what the model is told, beside those of the same
 * reply that are done already. */
int64_t talk_result_tokens(struct moving *moving, const struct run_call *done);
/* The same of a note. */
int64_t talk_note_tokens(struct moving *moving, const char *text);
/* Whether the conversation with what is to be added is too long for the model, and could be condensed. */
CHECKED bool talk_is_too_long(struct moving *moving, bool *too_long);

/* closing.c: the run is over. Closes what is open, and ends the job. */
CHECKED bool closing_complete(struct moving *moving);
CHECKED bool closing_fail(struct moving *moving, const char *why);
/* The same for a limit or mistakes: what it came to grief over last stands behind that. */
CHECKED bool closing_give_up(struct moving *moving, enum run_limit limit, const char *why);
/* The job has ended already. */
CHECKED bool closing_stop(struct moving *moving);

#endif
