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

struct voice {
    const char *field;        /* what was given wrong, when it has none */
    const char *name;         /* the agent's */
    const char *model_config; /* as model_config.h stores it, or NULL: the default model */
};

/* True also for agents that take their turns by themselves, and on a server that leaves the calls to another,
 * which may have other models. */
CHECKED bool voice_check(const struct tx *tx, const struct voice *voice);

#endif
