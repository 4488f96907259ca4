/*
 * council_internal.h - what the files of the driver share.
 *
 * A turn in hand is a struct turn: in line, being begun, with its model, or being stored. A unit is work for
 * the store; when it is done it comes back to the driver's thread as mail, as does everything else.
 */
#ifndef ENGINE_COUNCIL_INTERNAL_H
#define ENGINE_COUNCIL_INTERNAL_H

#include "base/limits.h"
#include "base/table.h"
#include "base/timers.h"
#include "base/uuid.h"
#include "core/council/drive.h"
#include "core/council/rules/reply_cut.h"
#include "engine/council.h"
#include "engine/holder.h"
#include "llm/lanes.h"
#include "llm/model_choice.h"

#include <pthread.h>

/* A turn that another node speaks, and how much of it was told here. */
struct told_turn {
    char turn_id[UUID_SIZE];
    size_t bytes;
};

struct council {
    struct holder holder; /* first: its calls hand it back */
    struct tailer *tailer;
    struct llm *llm;

    /* The holder's thread's own. */
    bool saving;
    int64_t saved_ms;    /* by clock_ticks_ms */
    struct lanes *lanes; /* llm's */
    struct lane_client client;
    struct mail room; /* a place of ours is there to be taken */
    atomic_bool room_told;
    struct table turns; /* all in hand, by id */
    size_t moving;      /* discussions that are being advanced or ended, now or after a pause */

    bool listening;      /* to other nodes: a look is under way */
    int64_t listened_ms; /* by clock_ticks_ms */
    struct told_turn elsewhere[COUNCIL_ELSEWHERE];
    size_t elsewhere_count;
    char finished[COUNCIL_ELSEWHERE][UUID_SIZE]; /* turns that ended during the look that is under way */
    size_t finished_count;

    pthread_mutex_t text_lock; /* guards the list, and the text of every turn in it */
    struct turn *speaking;     /* with their models */

    _Atomic uint64_t stored, late, given_up, failed;
    _Atomic uint64_t failures[LLM_KIND_COUNT];
    atomic_size_t calls, waiting;
};

enum turn_stage {
    STAGE_LATER,  /* to be called, after a pause */
    STAGE_LINE,   /* in line */
    STAGE_BEGINS, /* its row is becoming `calling` */
    STAGE_CALLS,  /* with its model */
    STAGE_ENDS,   /* the reply is being stored */
};

/* What a model said, kept until it is stored. */
struct turn_answer {
    struct arena arena;
    struct turn_reply reply;
};

struct turn {
    struct lane_place place; /* first: the lanes hand it back */
    struct table_item item;
    struct mail mail;   /* its model's last word */
    struct timer timer; /* when to call, or to try again */
    struct council *council;
    enum turn_stage stage;
    bool doomed;            /* what comes of it is not wanted any more */
    struct turn *successor; /* the same turn of a later epoch, which waits until this one has let go */
    uint64_t call;          /* llm's */
    int tries;              /* of a write */
    bool given_up;          /* a pass is stored instead, with the reason */
    struct turn_answer answer;

    /* The loop's that calls models. */
    struct reply_rules rules; /* by which what comes in is cut */
    struct buf said;          /* all that came in */
    struct arena hearing;     /* for cutting it */
    size_t look_at;           /* as long as it must be to be worth another look */

    struct turn *before, *behind; /* those who speak */
    struct buf text;              /* what may be shown of what came in */
    size_t chars, saved;          /* of the text: characters, and bytes that were saved */
    int64_t save_at_ms;           /* not before, by clock_ticks_ms */

    struct arena arena;      /* of the texts below */
    struct turn_call wanted; /* as core gave it */
    struct llm_model model;  /* whom to ask */
    struct err no_model;     /* why there is nobody */
    struct lane_key lane;
};

static inline struct council *council_of(struct holder *holder)
{
    return (struct council *)(void *)holder;
}

/* council_turn.c */
struct turn *turn_new(struct council *council, const struct turn_call *call);
struct turn *turn_find(struct council *council, const char *id);
struct turn *turn_of_place(struct lane_place *place);
/* Takes in what a step wants called. */
void turns_adopt(struct council *council, const struct drive_step *step, size_t but);
/* Out of everything, and gone; its successor, if any, takes its place. */
void turn_drop(struct turn *turn);
/* What comes of it is not wanted: closes its call; it is dropped as soon as nobody holds it. */
void turn_doom(struct turn *turn);
/* The same, and says so: another drives it by now, or it is gone. */
void turn_disown(struct turn *turn);
/* Dooms what a discussion has in hand from before this epoch. */
void turns_doom(struct council *council, const char *discussion_id, int64_t before_epoch);
/* The server stops: drops what waits, closes what is out. */
void turns_end(struct council *council);

/* council_step.c: turns and discussions on their way through the store. */
void step_advance(struct council *council, const char *discussion_id, int64_t epoch);
/* Somebody has stopped this discussion, now or some time ago: closes what is not wanted any more. */
void step_check(struct council *council, const char *discussion_id);
void step_begin(struct turn *turn);
void step_finish(struct turn *turn);

/* council_fail.c: what can never be written as it is. */
/* Makes a pass of the turn; of one that is a pass already, the end of its discussion. */
void turn_give_up(struct turn *turn, const struct err *why);
void step_fail(struct council *council, const char *discussion_id, int64_t epoch, const struct err *why);

/* council_call.c */
void call_start(struct turn *turn, const struct turn_call *call);

/* council_text.c */
void text_begin(struct turn *turn, const struct reply_rules *rules);
void text_end(struct turn *turn);
bool text_add(struct turn *turn, const char *text, size_t len); /* false: no more is wanted */
/* All has come in. */
void text_close(struct turn *turn, bool stopped);
void text_restart(struct turn *turn);
/* Saves what is new, at most once a second for each turn. */
void texts_save(struct council *council);

/* council_elsewhere.c: passes on what other nodes have saved of what is spoken there, once a second. */
void elsewhere_look(struct council *council);
bool elsewhere_matters(const struct council *council);
/* The log says that a turn is over: nothing of it is told any more. */
void elsewhere_finished(struct council *council, const char *turn_id);

#endif
