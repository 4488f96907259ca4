/*
 * scout.h - finds a server of models on this machine, and the model of it that speaks where config.yaml names
 * none.
 *
 * It looks at a few places (local.h) when a server starts and every few seconds from then on, so that
 * somebody who starts Ollama or another one, or fetches a first model, need do nothing else. The model that
 * was found first stays the one until it is gone; of several that are there at once, the first place's is
 * taken. Whoever names models in config.yaml has made their choice: then nobody looks.
 */
#ifndef LLM_SCOUT_H
#define LLM_SCOUT_H

#include "llm/local.h"
#include "net/net.h"

struct scout;

/* A model was found, or (NULL) the one before is gone. Called on the loop's thread, or while scout_open
 * waits.
 */
typedef void scout_changed(const struct llm_model *model);

/* Returns when the first look is over, which takes a moment. The places outlive it; there is at least one. */
struct scout *scout_open(struct net *net, const struct local_place *places, size_t count,
                         scout_changed *changed);
/* Before net_close, and not on the loop's thread. Accepts NULL. */
void scout_close(struct scout *scout);

/* What was found last; its texts are in the arena. False: nothing. Thread: any. */
CHECKED bool scout_found(struct arena *arena, struct llm_model *model);
/* Whether that is where it was found. Thread: any. */
bool scout_is_at(const char *base_url);

#endif
