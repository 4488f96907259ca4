/*
 * run_drive.h - how a run is moved on: the seam between the engine, which calls models and tools, and the
 * rules.
 *
 * A run is a row beside its job, and its tool calls are rows. One node at a time drives it (core/holding,
 * HOLDING_RUN). The engine keeps what is out, and the conversation so far as a cache: it claims a run that
 * wants to be moved, advances it once, asks the model or starts the tools that it is given, and hands each
 * result back in one transaction, which stores it, decides what follows and gives that.
 *
 *     run_claim -> run_advance -> ask -> run_take_reply -> calls -> run_call_begin -> (tool) -> run_call_end
 * -> ask ...
 *
 * A model that was being asked when its node died is asked again: nothing has been done by it. A tool that
 * was running is never run again by itself: run_advance finds it as `running` of an earlier epoch and asks
 * people (error_recovery), unless it is idempotent.
 *
 * A run that waits for people, a discussion or the squad is nobody's: the step says `over`, and the row is
 * free and does not want anything until what it waits for has ended. Triggers set `wanted` then, in the
 * transaction that ends it, whoever does. No call of it runs or is to be run meanwhile. After such a step
 * nothing more is written under the claim, not in the same transaction either: it would be HOLDING_FENCED.
 *
 * A commit of which nobody knows how it went (a connection that was lost in it) is handed in once more. So
 * each of these calls may be made again under the same claim, and then does nothing a second time.
 *
 * Locks: the job's row first (docket.h), then the run's. Claiming locks runs alone and touches no job.
 */
#ifndef CORE_RUNS_RUN_DRIVE_H
#define CORE_RUNS_RUN_DRIVE_H

#include "core/holding/holding.h"
#include "core/runs/run.h"
#include "llm/llm.h"
#include "toolbox/toolbox.h"

struct run_ref {
    const char *job_id, *node;
    int64_t epoch;
    uint64_t
        tools; /* the `edition` of the step whose tools its model was told of last; 0: it does not matter */
};

/* A tool call that is to be run now. */
struct run_todo {
    const char *call_id; /* the row's */
    const struct tool *tool;
    const char *arguments; /* what was approved, where it was */
    struct tool_work work; /* what it is a part of */
};

struct run_step {
    enum run_phase phase;
    bool over; /* nothing is to be done by anybody's node: it waits, or has ended */

    /* The model is to be asked now. */
    bool ask;
    bool afresh; /* `messages` is all of it; else it goes behind what the engine has */
    struct llm_message *messages;
    size_t message_count;
    const struct llm_tool *tools; /* with `afresh`: what it may call; else as before */
    size_t tool_count;
    uint64_t edition;         /* of all tools (tools_edition), as this step knows them */
    const char *kind;         /* NULL: a step; "summary": what was said is to be condensed */
    const char *model_config; /* with `afresh` */
    const char *speaker;      /* the agent's name */
    int64_t turn;             /* which of its model calls this is, from 1 */
    int64_t max_tokens;       /* at most so many in the reply; 0: as the model's settings say */
    int64_t delay_ms;         /* wait so long before: a retry */

    struct run_todo *calls; /* to be run now; each is begun by run_call_begin */
    size_t call_count;
    const char *const *unwanted; /* calls whose results nobody wants any more: to be cancelled */
    size_t unwanted_count;
    int64_t due_ms; /* when its time is up, by tx->now_ms's clock; 0: never. run_advance then ends it */
    const char *const *lines; /* to be logged at info, word for word */
    size_t line_count;
};

/* What came of asking a model. */
struct run_reply {
    const struct llm_result *result; /* texts live until the call returns */
    const char *model, *provider;
    const struct llm_model *priced; /* whose prices hold, or NULL */
    const char *kind;               /* as it was asked */
    int64_t turn;                   /* likewise */
};

CHECKED bool run_claim(const struct tx *tx, const char *node, size_t limit, struct held_row **list,
                       size_t *count);
/*
 * Decides what follows and stores it. At any moment, also while its model is asked or its tools run: after a
 * claim, when its time is up, when the log tells of a question or of its job's end. It gives again what is to
 * be done; the engine leaves alone what it has in hand (the same `turn` and `kind`, the same call_id).
 * `messages` are always all of it (afresh).
 */
CHECKED bool run_advance(const struct tx *tx, const struct run_ref *ref, struct run_step *step);
/* Once: of a turn that is stored already nothing is taken again, and the step says what follows from that. */
CHECKED bool run_take_reply(const struct tx *tx, const struct run_ref *ref, const struct run_reply *reply,
                            struct run_step *step);
/* queued -> running: stored before it starts, so that nobody runs it twice. HOLDING_GONE: not wanted any
 * more. Also right behind the run_take_reply that gave it, in the same transaction. `in_doubt`: it was tried
 * before, nobody knows whether that was stored, and nothing was started. */
CHECKED bool run_call_begin(const struct tx *tx, const struct run_ref *ref, const char *call_id,
                            bool in_doubt);
/* Several may be handed back in one transaction, one after the other, each with a step of its own.
 * HOLDING_GONE: nobody wants it any more. */
CHECKED bool run_call_end(const struct tx *tx, const struct run_ref *ref, const char *call_id,
                          const struct tool_result *result, struct run_step *step);
/* A tool asks people in the middle of its call: a question of the job, with the call's id. The same asked
 * again is the one that stands. */
CHECKED bool run_call_ask(const struct tx *tx, const struct run_ref *ref, const char *call_id,
                          const struct tool_elicitation *asked);
/* What has been answered of such questions since: ids of elicitations with their answers. */
struct run_answered {
    const char *call_id, *elicitation;
    enum tool_answer answer;
    const char *content; /* JSON text, or NULL */
};
CHECKED bool run_call_answers(const struct tx *tx, const struct run_ref *ref, struct run_answered **list,
                              size_t *count);
/* How far a tool has come, for those who watch the job: at most once a second. `total` 0: not known. `words`
 * or NULL. */
CHECKED bool run_call_progress(const struct tx *tx, const struct run_ref *ref, const char *call_id,
                               double done, double total, const char *words);
/* A run that cannot be moved on for what is stored: ends its job as failed. */
CHECKED bool run_fail(const struct tx *tx, const struct run_ref *ref, const char *reason);
/* For who has dropped it: whoever looks next may claim it. Nothing happens where it is held under another
 * claim, or by nobody. */
CHECKED bool run_let_go(const struct tx *tx, const struct run_ref *ref);

#endif
