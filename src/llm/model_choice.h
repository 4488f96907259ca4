/*
 * model_choice.h - which model speaks for an agent, by what its config says.
 *
 * An agent's config (JSON, as core/council stores it) names a model of config.yaml or spells one out, also in
 * one word (ollama:llama3.2). Nothing at all means the default: the model of config.yaml that is called
 * `default`, or else the first one, or else one that was found on this machine (scout.h). A config that names
 * a model may set its temperature, top_p, max_tokens and, beside a provider's name, its model; where the
 * model is and what key it gets stays the operator's.
 *
 * Thread: any, once models_use was called.
 */
#ifndef LLM_MODEL_CHOICE_H
#define LLM_MODEL_CHOICE_H

#include "llm/model.h"

/* What a call fails with when neither the agent nor config.yaml names a model. */
#define NO_MODEL_WORDS "There is no model to ask."

/* Which model of config.yaml speaks where none is named; NULL: it has none, and what was found may speak. */
const struct llm_model *model_default(void);
/*
 * Whether the operator has named this address: it is where a model of config.yaml is, or a provider's own, or
 * where one was found. Any other that an agent's config spells out must be public (public_only), wherever its
 * name leads; the owner of a server in solo mode may name usual ports of this machine as well (here_only).
 */
bool model_url_is_known(const char *base_url);
/* `config` may be NULL. What the model points to is in the arena or outlives every reader. */
CHECKED bool model_of_config(struct arena *arena, const char *config, struct llm_model *model,
                             struct err *err);

#endif
