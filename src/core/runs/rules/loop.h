/*
 * loop.h - the words of a run, and what follows from what in its loop.
 *
 * A run asks its model, runs the tools that the model calls, gives it the results, and asks again. Every
 * choice in that is a function of the values that it is given here: the machine (core/runs/moving.c) makes
 * it once and stores it with its reason, and a replay (rerun.h) makes it again from the log alone.
 *
 * Thread: any.
 */
#ifndef CORE_RUNS_RULES_LOOP_H
#define CORE_RUNS_RULES_LOOP_H

#include "base/arena.h"
#include "base/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a run stands. A crash test visits every one of them. */
enum run_phase {
    RUN_OPENING = 1, /* it was made, and nobody has looked at it yet */
    RUN_ASKING,      /* the model is to be asked, or is being asked */
    RUN_CALLING,     /* tools are to be run, or are running */
    RUN_WAITING,     /* only for others: people, the squad, a discussion */
    RUN_CONDENSING,  /* a summary of the older part of the conversation is asked for */
    RUN_ENDED,
    RUN_PHASE_END,
};
WORDS_OF(run_phase, run_phases);

/* Of the rows of a run's log. */
enum run_entry_kind {
    RUN_INSTRUCTIONS = 1, /* what the model is told first */
    RUN_INPUT,            /* the task */
    RUN_REPLY,            /* what the model said */
    RUN_CALL,             /* a call of a tool, and what was decided about it */
    RUN_RESULT,           /* what came of it, as the model is told */
    RUN_NOTE,             /* what the model is told beside results, such as a late answer */
    RUN_CONDENSED,        /* a summary that stands for what was said up to some entry */
    RUN_DECISION,         /* what follows, and why */
    RUN_ERROR,            /* a model that could not be asked */
    RUN_ENTRY_KIND_END,
};
WORDS_OF(run_entry_kind, run_entry_kinds);

/* Of a tool call. */
enum run_call_state {
    CALL_PROPOSED = 1, /* the model has made it, nobody has judged it */
    CALL_APPROVAL,     /* people are asked whether it may run */
    CALL_QUEUED,       /* may run */
    CALL_RUNNING,
    CALL_WAITING, /* for an answer, the squad, a discussion, or advice on what went wrong */
    CALL_DONE,
    CALL_STATE_END,
};
WORDS_OF(run_call_state, run_call_states);

/* How a call ended: as its tool did (toolbox.h's tool_end, in that order), or before it ran. */
enum run_outcome {
    OUT_OK = 1,
    OUT_ERROR,
    OUT_UNAVAILABLE,
    OUT_TIMEOUT,
    OUT_TOO_LARGE,
    OUT_CANCELLED,
    OUT_INTERRUPTED,
    OUT_REJECTED,  /* by whoever was asked for approval */
    OUT_INVALID,   /* its arguments do not fit the schema */
    OUT_UNKNOWN,   /* there is no such tool */
    OUT_FORBIDDEN, /* not in this project, not for who asked for the job, or not without a task */
    OUT_SKIPPED,   /* by whoever was asked for advice */
    OUT_END,
};
WORDS_OF(run_outcome, run_outcomes);

/* Whether a call that ended so was the model's mistake: it should not have made it. */
bool outcome_is_mistake(enum run_outcome outcome);

/* At most so much; 0: without a limit. */
struct run_budget {
    int64_t steps, tokens, ms, money; /* money in millionths */
};

enum run_limit {
    RUN_LIMIT_NONE,
    RUN_LIMIT_STEPS,
    RUN_LIMIT_TOKENS,
    RUN_LIMIT_TIME,
    RUN_LIMIT_MONEY,
    RUN_LIMIT_PROJECT_TOKENS, /* what all runs of the project may take in a day */
    RUN_LIMIT_PROJECT_MONEY,
    RUN_LIMIT_PROJECT_STEPS,
    RUN_LIMIT_PROJECT_TIME,
    RUN_LIMIT_END,
};
WORDS_OF(run_limit, run_limits);

/* Which limit is reached, the first of them in that order. */
enum run_limit loop_limit(const struct run_budget *budget, const struct run_budget *used);
/* One sentence that says which limit, and what was reached of what. */
const char *loop_limit_words(struct arena *arena, enum run_limit limit, const struct run_budget *budget,
                             const struct run_budget *used);
/* Whether a request that the model would be told so many tokens with would reach the bound of tokens by
 * itself, so that nothing is left for a reply. */
enum run_limit loop_limit_ahead(const struct run_budget *budget, const struct run_budget *used, int64_t next);
/* One sentence about that: `left` tokens are left of `most`, of the run's or of its project's. */
const char *loop_ahead_words(struct arena *arena, enum run_limit limit, int64_t next, int64_t left,
                             int64_t most);

/* What is known of a call that the model has made. */
struct call_facts {
    bool built_in;       /* one of the loop's own tools */
    bool known;          /* there is such a tool, and it was offered */
    bool here;           /* it may be used in this project, by who asked for the job */
    bool placeless;      /* it works in the folder of a task, and the run has none */
    bool object;         /* its arguments are a JSON object */
    const char *misfit;  /* what does not fit the schema, in words; NULL: it fits */
    bool needs_approval; /* the operator says so */
    int level;           /* of its category in the project (autonomy.h); CATEGORY_NONE: it has none */
    bool changed;        /* the tool is not what it was when people last approved it */
    bool replaced;       /* nor what it was when this call was made, or people were last asked about it */
    bool approved;       /* people have approved this call */
};
#define CATEGORY_NONE (-1)
/* As in core/work/autonomy.h, which core/runs holds against these. */
#define CATEGORY_APPROVAL 0
#define CATEGORY_NOTIFY   1

enum call_verdict {
    CALL_RUNS = 1,
    CALL_RUNS_TOLD, /* and people are told */
    CALL_ASKS,      /* for approval first */
    CALL_IS_INVALID,
    CALL_IS_UNKNOWN,
    CALL_IS_FORBIDDEN,
    CALL_VERDICT_END,
};
WORDS_OF(call_verdict, call_verdicts);

/* When it is made, and again when it has waited: for people, or for a node that takes it over. */
enum call_verdict loop_judge(const struct call_facts *facts, const char **reason);

/* A call of `finish`, when all others of its reply are done. */
struct finish_facts {
    bool second;   /* the reply called it before */
    size_t failed; /* of the others: did not end well */
    size_t asked;  /* brought an answer of somebody */
};
/* Whether it hands in; `words` are what the model is told. It has seen nothing yet of what came of the
 * others. */
bool loop_finishes(const struct finish_facts *facts, const char **words);

/* What stands of a run when it is to go on. */
struct loop_facts {
    bool job_ended;    /* somebody has ended the job */
    const char *fatal; /* why it cannot go on: the model could not be asked, people say so; NULL: it can */
    bool advice;       /* people are asked what to do about the model's error */
    bool begun;        /* the model has replied at least once */
    size_t open;       /* calls that are to be run, or are running */
    size_t waiting;    /* calls that wait for others: people, the squad, a discussion */
    size_t calls;      /* of the last reply */
    bool finish;       /* one of them was `finish`, and it was right */
    bool blank;        /* the last reply had neither calls nor words */
    bool heard;        /* what the model said last is dealt with, or was a summary: it is to be asked */
    int64_t mistakes;  /* replies in a row in which everything was wrong */
    enum run_limit limit;
    bool too_long; /* the conversation does not fit the model any more, and can be condensed */
};

enum loop_verdict {
    LOOP_ASK = 1,
    LOOP_CALL,
    LOOP_WAIT,
    LOOP_CONDENSE,
    LOOP_COMPLETE,
    LOOP_FAIL,
    LOOP_STOP, /* the job has ended already */
    LOOP_VERDICT_END,
};
WORDS_OF(loop_verdict, loop_verdicts);

/* `most`: mistakes in a row before it fails. The reason is one sentence. */
enum loop_verdict loop_next(const struct loop_facts *facts, int64_t most, const char **reason);

/* What becomes of a call whose tool has ended, or whose node has died. */
struct ended_facts {
    enum run_outcome outcome;
    bool idempotent; /* the tool may be run again when nobody knows whether it ran */
    bool died;       /* the node that ran it is gone */
    bool recover;    /* the job turns errors into questions */
};
enum ended_verdict { ENDED_RESULT = 1, ENDED_AGAIN, ENDED_ADVICE, ENDED_VERDICT_END };
WORDS_OF(ended_verdict, ended_verdicts);

enum ended_verdict loop_ended(const struct ended_facts *facts, const char **reason);

/*
 * How many tokens a text takes at most, about: for providers that do not say, and for what they have not seen
 * yet.
 */
int64_t loop_tokens(size_t bytes);
/* How many they are in all likelihood, where there are so many at most: nothing is refused by an estimate
 * that is meant to be too high. */
int64_t loop_tokens_likely(int64_t most);
/* How many bytes take no more than so many tokens. */
size_t loop_bytes(int64_t tokens);

/*
 * How many bytes of each of these texts fit into `most` bytes together: those that are shorter stay whole,
 * and the longer ones get equal shares of what is left. SIZE_MAX: all of them do.
 */
size_t loop_share(const size_t lens[], size_t count, size_t most);

/* One entry of the conversation, as far as condensing needs it. */
struct loop_said {
    int64_t seq, tokens;
    enum run_entry_kind kind;
};
/* What an entry of the log adds to the conversation; false: nothing that a summary could stand for. */
bool loop_said_by(int64_t seq, enum run_entry_kind kind, const char *text, const char *data,
                  struct loop_said *said);
/*
 * Up to which entry a summary should stand for what was said, so that about `keep` tokens stay as they are: a
 * reply and the results of its calls are never parted. 0: there is nothing that could be condensed.
 */
int64_t loop_condense_to(const struct loop_said said[], size_t count, int64_t keep);
/* Where the part begins that the next summary stands for: behind what the last one did (0: there is none), or
 * behind the instructions and the task. */
int64_t loop_condense_from(int64_t condensed);
const char *loop_condense_words(struct arena *arena, int64_t from, int64_t to);

#endif
