/*
 * model_config.h - what an agent says about the model that speaks for it (ai_model_config).
 *
 * It names a model of config.yaml (a text, {"provider": NAME} or {"model": NAME}), spells one out
 * ({"provider": "ollama", "model": ...}, or ollama:MODEL in one text), or says that witan does not run this
 * agent ({"provider": "external"}). Nothing at all means the default model. Secrets are never part of it:
 * keys are the operator's, in the environment.
 *
 * Members may come in either spelling and numbers as texts, as other programs have written them; what is
 * stored is one form. A row that another program wrote with something else in it is read as far as it can be.
 *
 * Thread: any.
 */
#ifndef CORE_COUNCIL_MODEL_CONFIG_H
#define CORE_COUNCIL_MODEL_CONFIG_H

#include "core/caller/tx.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Checks what was given and writes it in the stored form; NULL for null and {}. err->field names the member.
 * A base_url inside the server's networks is the operator's to name, and in solo mode, on the usual ports of
 * this machine, its owner's. */
CHECKED bool model_config_check(const struct tx *tx, const json_t *given, const char **stored);

/* What the rules of a discussion need to know of a stored one. */
struct model_config {
    bool external; /* witan does not run it */
    const char **stops;
    size_t stop_count; /* 0: the mode's own */
};
void model_config_read(struct arena *arena, const char *stored, struct model_config *config);

#endif
