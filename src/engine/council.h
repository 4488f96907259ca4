/*
 * council.h - drives discussions: asks models for the turns that the rules want, and hands the replies back.
 *
 * Who speaks, what a model is told and what follows from its reply is decided in core (core/council/drive.h)
 * and kept in rows. This is the part that keeps calls to models in flight: it claims discussions that want to
 * be driven (holder.h), puts their open turns in line (llm/lanes.h), begins one when its turn has come,
 * passes its text on as it is written, and finishes it in one transaction, which gives the next calls. What
 * is kept here alone can be lost: when a node dies, so do the calls that were out, and whoever claims its
 * discussions asks for those turns anew.
 *
 * One thread decides about all of it. What happens elsewhere (a commit, a model's last word, an event of the
 * log) comes to it as mail; what it wants from the store or a model is handed in and never waited for. So
 * thousands of discussions need no thread each, and their turns commit in groups. Only a turn's text while it
 * comes in is kept by the loop that calls models, under a lock of its own.
 *
 * Thread: council_texts, council_piece, council_speaks and council_figures from any; the rest from the one
 * that starts and stops.
 */
#ifndef ENGINE_COUNCIL_H
#define ENGINE_COUNCIL_H

#include "core/council/rules/state.h"
#include "db/store.h"
#include "engine/tailer.h"
#include "llm/llm.h"

#define LLM_KIND_COUNT (LLM_FAILED + 1)

struct council;

struct council *council_open(struct store *store, struct tailer *tailer, struct llm *llm, struct err *err);
/* Gives up the calls that are out (their turns are asked for anew by whoever drives next) and lets go of all.
 */
void council_close(struct council *council); /* accepts NULL */

/*
 * The text so far of the turns of this discussion that are being spoken on this node, each as a notice of its
 * own, held for the caller. At most `most`.
 */
size_t council_texts(struct council *council, const char *discussion_id, struct notice *texts[], size_t most);

/* A piece of a turn's text as a notice: what it belongs to, from which character on, and the text. */
struct council_piece {
    const char *workspace_id, *project_id, *discussion_id, *turn_id; /* project_id may be NULL */
    enum turn_kind kind;
    const char *speaker;
    int round, turn_index;
    size_t offset;
    const char *text;
    size_t len;
};
struct notice *council_piece(const struct council_piece *piece);
/* Whether this turn is being spoken on this node. */
bool council_speaks(struct council *council, const char *turn_id);

struct council_figures {
    uint64_t turns, claimed;   /* stored replies; discussions taken over */
    uint64_t late, repeated;   /* replies that came too late to be written; writes tried again */
    uint64_t given_up, failed; /* turns that were passed, discussions that were ended, for what is stored */
    uint64_t failures[LLM_KIND_COUNT]; /* by enum llm_kind */
    size_t calls, waiting;             /* out, and in line */
};
void council_figures(struct council *council, struct council_figures *figures);

#endif
