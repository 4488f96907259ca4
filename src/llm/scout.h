/*
 * scout.h - finds the Ollama of this machine, and the model of it that speaks where config.yaml names none.
 *
 * It looks when a server starts and every few seconds from then on, so that somebody who starts Ollama, or
 * fetches a first model, need do nothing else. The model that was found first stays the one until it is gone.
 * Whoever names models in config.yaml has made their choice: then nobody looks.
 */
#ifndef LLM_SCOUT_H
#define LLM_SCOUT_H

#include "llm/model.h"
#include "net/net.h"

#define SCOUT_OFF "off" /* instead of an address */

struct scout;

/* A model was found, or (name NULL) is gone. Called on the loop's thread, or while scout_open waits. */
typedef void scout_changed(const char *name, const char *base_url);

/* Returns when the first look is over, which takes a moment. `base_url` outlives it. */
struct scout *scout_open(struct net *net, const char *base_url, scout_changed *changed);
/* Before net_close, and not on the loop's thread. Accepts NULL. */
void scout_close(struct scout *scout);

/* What was found last; its texts are in the arena. False: nothing. Thread: any. */
CHECKED bool scout_found(struct arena *arena, struct llm_model *model);
/* The model of an Ollama as one that an agent speaks with. */
void scout_model(struct arena *arena, const char *base_url, const char *name, struct llm_model *model);

#endif
