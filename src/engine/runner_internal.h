/*
 * runner_internal.h - what the files of the runner share.
 *
 * A run in hand is a struct held_run: its conversation, its model's call, the calls of its tools, and what of
 * that is to be stored next. All that is there is stored by one unit of work (runner_step.c), and a run has
 * one unit under way at a time, so that its steps are applied in the order in which they were stored.
 */
#ifndef ENGINE_RUNNER_INTERNAL_H
#define ENGINE_RUNNER_INTERNAL_H

#include "base/limits.h"
#include "base/table.h"
#include "base/timers.h"
#include "base/uuid.h"
#include "core/runs/run_drive.h"
#include "engine/holder.h"
#include "engine/runner.h"
#include "llm/lanes.h"
#include "llm/model_choice.h"

struct runner {
    struct holder holder; /* first: its calls hand it back */
    struct tailer *tailer;
    struct llm *llm;
    struct toolbox *toolbox; /* or NULL */

    /* The holder's thread's own. */
    struct lanes *lanes; /* llm's */
    struct lane_client client;
    struct mail room; /* a place of ours is there to be taken */
    atomic_bool room_told;
    struct table runs;   /* all in hand, by their jobs */
    size_t calls_out;    /* of tools: begun, about to be, or room for them that is kept */
    size_t calls_kept;   /* of these only room, while a reply is stored that may have some */
    size_t calls_asking; /* of those: that wait for an answer of people, and take no room */
    bool full, crowded;  /* runs wait for room in memory; calls of tools for one to come back */
    struct mail news;    /* something may want to be claimed */
    atomic_bool news_told;
    struct timer look;   /* when to look for it */
    int64_t tools_by_ms; /* until when it waits for tools, by clock_ticks_ms */
    int64_t looked_ms;   /* by clock_ticks_ms */

    atomic_size_t in_hand, calls; /* for those who look from outside */
    _Atomic uint64_t steps, late, failed;
    _Atomic uint64_t failures[LLM_KIND_COUNT];
    _Atomic uint64_t ends[TOOL_END_COUNT];
};

/* Where the call of its model is. */
enum ask_stage {
    ASK_NOT,   /* nothing is to be asked */
    ASK_LATER, /* after a pause */
    ASK_LINE,  /* in line */
    ASK_OUT,   /* with the model */
    ASK_BACK,  /* what came of it is to be stored */
};

/* What a model is told: all of it, as the last step left it. */
struct run_talk {
    struct arena arena;
    struct llm_message *messages;
    size_t count, room;
    struct llm_tool *tools;
    size_t tool_count;
    uint64_t edition; /* of the tools */
    const char *speaker, *model_config;
};

/* Where the call of a tool is. */
enum call_stage {
    HELD_LINE,   /* to be begun */
    HELD_BEGINS, /* its row is becoming `running` */
    HELD_OUT,    /* with its tool */
    HELD_BACK,   /* what came of it is to be stored */
    HELD_ENDS,   /* is being stored */
};

/* Something that a tool asks people, or how far it has come: mail of the toolbox's thread. */
struct held_word {
    struct mail mail; /* first */
    struct held_word *next;
    struct held_call *call;
    struct arena arena;
    struct tool_elicitation asked; /* id NULL: it is progress */
    double done, total;
    const char *words;
};

struct held_call {
    struct held_call *next; /* of its run */
    struct held_run *held;
    struct mail mail; /* its tool's last word */
    enum call_stage stage;
    bool unwanted;           /* what comes of it is not stored */
    bool closed;             /* its tool was told to end */
    bool given_up;           /* that it could not be stored is stored instead */
    bool in_doubt;           /* nobody knows whether it was stored that it begins */
    uint64_t call;           /* the toolbox's */
    struct held_word *asked; /* stored, and not answered yet */
    struct arena arena;      /* the toolbox's thread's from the call's start to its last word */
    const char *call_id, *arguments;
    struct tool tool;
    struct tool_work work;
    struct tool_result result;
    int64_t told_ms; /* the toolbox's thread's: when its progress was last passed on */
};

struct held_run {
    struct lane_place place; /* first: the lanes hand it back */
    struct table_item item;
    struct runner *runner;
    char job_id[UUID_SIZE];
    int64_t epoch;
    int64_t next_epoch; /* of a later claim, which begins when this one has let go; 0: none */
    bool doomed;        /* nothing more of it is begun; it goes when all has come back */
    bool lost;          /* and nothing more of it is stored: another's, over, or failed */

    struct run_talk talk;
    enum ask_stage stage;
    int64_t turn;       /* of the call that is in hand, or was last */
    char kind[16];      /* the same; "": a step */
    int64_t max_tokens; /* the same */
    bool anew;          /* another is to be asked when this one is back */
    struct timer pause; /* before it */
    struct mail mail;   /* its last word */
    uint64_t call;      /* llm's */
    /* From its place in line on, and the loop's that calls models while it is out. */
    struct arena answer_arena;
    struct llm_model model; /* whom to ask */
    struct err no_model;    /* why there is nobody */
    struct llm_result answer;
    bool answer_given_up; /* that it could not be stored is stored instead */

    struct held_call *calls;
    struct held_word *words, **last_word; /* to be stored */

    bool storing; /* a unit is under way */
    bool look;    /* it is to be advanced */
    bool answers; /* a question of a tool may have been answered */
    bool failing; /* it is to be ended as failed, with the reason */
    char reason[sizeof(((struct err *)NULL)->text)];
    int tries, idle;    /* of a write; steps after which nothing followed */
    struct timer again; /* when to try once more */
    struct timer due;   /* when to look whether its time is up */
    int64_t due_ms;     /* by clock_now_ms; 0: never */
};

static inline struct runner *runner_of(struct holder *holder)
{
    return (struct runner *)(void *)holder;
}

/* runner_run.c: runs in hand. */
struct held_run *held_find(struct runner *runner, const char *job_id);
/* Takes on what was claimed. */
void held_claimed(struct runner *runner, const char *job_id, int64_t epoch);
/* Does what a stored step says; the first `begun` of its calls are begun already. */
void held_follow(struct held_run *held, const struct run_step *step, size_t begun);
/* Nothing more of it is begun; what is out is closed. With `lost` nothing more is stored either. */
void held_doom(struct held_run *held, bool lost);
/* Its row is nobody's, if it is still ours under this claim: what nobody has in hand would else never be
 * claimed. */
void held_let_go(const struct held_run *held);
/* Gone, if it is doomed and nothing holds it any more. */
bool held_release(struct held_run *held);
void held_each(struct runner *runner, void (*does)(struct held_run *held));

/* runner_step.c: what is to be stored, and what follows. */
void held_move(struct held_run *held);

/* runner_talk.c: what the model has been told so far. */
void talk_take(struct held_run *held, const struct run_step *step);
void talk_done(struct run_talk *talk);

/* runner_ask.c: asking the model. */
void ask_wanted(struct held_run *held, const struct run_step *step);
/* Its turn in line has come. */
void ask_start(struct held_run *held);
/* Nobody waits for it any more: closes its call. */
void ask_drop(struct held_run *held);
/* What could not be stored as it is. */
void ask_give_up(struct held_run *held, const struct err *why);

/* runner_call.c: calling tools. */
void held_call_adopt(struct held_run *held, const struct run_todo *todo, bool begun);
void held_call_begin(struct held_call *call); /* the store says that it runs */
void held_call_unwanted(struct held_run *held, const char *call_id);
void held_calls_drop(struct held_run *held, bool lost);
/* Lets go of those that are back and not wanted. */
void held_calls_sweep(struct held_run *held);
void held_call_free(struct held_call *call);
void held_call_give_up(struct held_call *call, const struct err *why);
struct held_call *held_call_find(struct held_run *held, const char *call_id);
void held_calls_answered(struct held_run *held, const struct run_answered *list, size_t count);
void held_word_free(struct held_word *word);

#endif
