/*
 * drive.h - how a discussion is moved on: the seam between the engine, which calls models, and the rules.
 *
 * A discussion is a row, and its open turns are rows. One node at a time drives it, under a lease; each time
 * a node takes one over its epoch rises, and a write that comes with an older one changes nothing
 * (ERR_CONFLICT, HOLDING_FENCED). The engine keeps nothing but the calls that are out: it claims what wants
 * to be driven, advances it once, makes the calls that it is given, and finishes each turn with the model's
 * reply in one transaction, which logs it, decides what follows and gives the next calls.
 *
 *     drive_claim -> drive_advance -> calls -> drive_begin -> (model) -> drive_finish -> calls -> ...
 *
 * What is stored may be such that a step can never be taken: a wording with a placeholder that does not
 * exist, a row of another program where a turn belongs. The machine does not fail on it, nor try for ever: a
 * turn that cannot be begun or stored is finished as failed, which makes a pass of it with the reason; a
 * discussion that cannot be moved on otherwise is ended as failed (drive_fail).
 *
 * Operations (pause, cancel, interject, a deleted agent) write what they mean themselves and let go of the
 * driver; a late drive_finish then finds no turn of its own and is dropped by its caller.
 *
 * All of it is database work in the caller's transaction; nothing here calls anybody or logs. What is
 * returned lives in the transaction's arena.
 */
#ifndef CORE_COUNCIL_DRIVE_H
#define CORE_COUNCIL_DRIVE_H

#include "core/caller/tx.h"
#include "core/council/rules/state.h"
#include "core/holding/holding.h"

#include <stdint.h>

/* Which turn, and in whose name it is written. */
struct turn_ref {
    const char *turn_id, *discussion_id, *node;
    int64_t epoch;
};

/* What to ask a model. */
struct reply_rules;

struct turn_call {
    struct turn_ref ref;
    const char *workspace_id, *project_id; /* project_id or NULL */
    enum turn_kind kind;
    int round, turn_index, attempt; /* attempt: 1, 2 ... */
    const char *speaker;            /* the participant's name */
    const char *agent_id;           /* or NULL: a judge or a summary, on the default model */
    const char *model_config;       /* the agent's ai_model_config as JSON text, or NULL: the default model */
    int64_t delay_ms;               /* wait so long before calling: a retry */
    /* From drive_begin only: */
    const char *system, *user; /* what the model is told; system may be NULL */
    const char *const *stops;  /* all that hold for this turn; core cuts by them again */
    size_t stop_count;
    bool send_stops;                 /* false: this attempt is to be asked without sending them */
    bool once;                       /* a further attempt is asked for here: a budget has to allow it */
    int64_t max_tokens;              /* at most so many in the reply; 0: as the model's settings say */
    const char *refused;             /* why it must not be made (any more), or NULL: finish it as failed */
    const struct reply_rules *rules; /* by which the reply is cut, and shown while it comes in */
};

struct drive_step {
    enum council_phase phase;
    struct turn_call *calls; /* turns that are queued and may be called now; `system` ... not filled in */
    size_t call_count;
    bool over;                /* nobody needs to drive it: ended, paused, or somebody outside owes a turn */
    const char *const *lines; /* to be logged at info, word for word */
    size_t line_count;
};

struct turn_reply {
    const char *text;  /* what came, also before a failure; may be "" */
    bool failed;       /* the call did not come to its end */
    bool permanent;    /* and would not the next time either (no such model, a wrong key) */
    bool unasked;      /* no call was made at all: none is counted */
    const char *error; /* when failed: one sentence without secrets */
    bool stopped;      /* the provider ended it at a stop that it was sent, or may have */
    bool usage_known;
    int64_t tokens_in, tokens_out;
    int attempts;                 /* how often the model was asked for it; 0: once */
    int64_t again_ms;             /* when failed, and not for good: not before so long */
    const char *finish;           /* the provider's word for why it ended, or NULL */
    const char *model, *provider; /* who answered, or NULL */
    bool rehearsed;               /* by the scripted provider */
    int64_t took_ms;
};

/* Takes up to `limit` discussions that want to be driven and that no living node drives (holding.h). Calls
 * that were out are queued again. */
CHECKED bool drive_claim(const struct tx *tx, const char *node, size_t limit, struct held_row **list,
                         size_t *count);
/* Decides what follows and stores it: opens turns, skips, ends rounds, counts votes, ends. */
CHECKED bool drive_advance(const struct tx *tx, const char *node, int64_t epoch, const char *discussion_id,
                           struct drive_step *step);
/* queued -> calling. Builds the request from the log. HOLDING_GONE: the turn is not there any more. */
CHECKED bool drive_begin(const struct tx *tx, const struct turn_ref *ref, struct turn_call *call);
/* Saves the text so far, for those who join late and for an interjection. */
CHECKED bool drive_partial(const struct tx *tx, const struct turn_ref *ref, const char *text);
/*
 * The model has answered, or not. The step's calls may hold the same turn again (a further attempt, or once
 * more without stops). HOLDING_FENCED and HOLDING_GONE: too late, drop it.
 */
CHECKED bool drive_finish(const struct tx *tx, const struct turn_ref *ref, const struct turn_reply *reply,
                          struct drive_step *step);

/* A discussion that cannot be moved on, for what is stored. */
struct drive_failure {
    const char *discussion_id, *node;
    int64_t epoch;
    const char *reason; /* one sentence, for people */
    bool plainly;       /* by its own rows alone: its task and its parent are not written to */
};
/* Ends it as failed. HOLDING_FENCED and HOLDING_GONE as with the others. */
CHECKED bool drive_fail(const struct tx *tx, const struct drive_failure *failure);

#endif
