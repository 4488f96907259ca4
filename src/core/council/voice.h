/*
 * voice.h - whether an agent that witan runs has a model to speak with.
 *
 * Asked when a discussion is made, so that one that could only fail is not begun. What comes later (a model
 * that is taken out of config.yaml, a key that is withdrawn) is a turn that fails, and is passed with its
 * reason.
 */
#ifndef CORE_COUNCIL_VOICE_H
#define CORE_COUNCIL_VOICE_H

#include "core/caller/tx.h"
#include "llm/model.h"

struct voice {
    const char *field;        /* what was given wrong, when it has none */
    const char *name;         /* the agent's */
    const char *model_config; /* as model_config.h stores it, or NULL: the default model */
};

/* True also for agents that take their turns by themselves, and on a server that leaves the calls to another,
 * which may have other models. */
CHECKED bool voice_check(const struct tx *tx, const struct voice *voice);

/*
 * Whether a model may be called that an agent's config spells out: one on this machine only as long as the
 * server is in solo mode, in which it was named, for nobody else may look around on the machine with it.
 * `cause` says why not; false: the store failed.
 */
CHECKED bool voice_may_call(const struct tx *tx, const struct llm_model *model, struct err *cause);
/* The same by an agent's config, as one sentence or NULL. */
CHECKED bool voice_refusal(const struct tx *tx, const char *model_config, const char **why);

#endif
