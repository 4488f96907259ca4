/*
 * local.h - servers of models on this machine: on which ports they usually are, and which are to be looked
 * at.
 *
 * Ollama, LM Studio, vLLM and llama-server each have a port of their own. The owner of a server in solo mode,
 * which nobody but this machine can reach, may have an agent speak with what listens there without a line in
 * config.yaml; the sandbox lets the server connect to these ports from the start, and to no others. Any other
 * port of this machine could be anything, and is named in config.yaml. The server's own is never a model's.
 *
 * Thread: any. The settings are those that are, or will be, in force.
 */
#ifndef LLM_LOCAL_H
#define LLM_LOCAL_H

#include "base/arena.h"
#include "base/settings.h"
#include "llm/model.h"

#define LOCAL_OFF   "off" /* instead of ports or of an address */
#define LOCAL_PORTS 256   /* at most: the settings may list a few, and config.yaml has its models */

/* Whether the server is one that can be in solo mode: only this machine reaches it, and it asks for no token.
 */
bool local_is_open(const struct settings *settings);

/* The usual ports, and those on which config.yaml has a model on this machine. Returns how many. */
size_t local_ports(const struct settings *settings, int ports[static LOCAL_PORTS]);
/* "11434, 1234, 8000, 8080" */
const char *local_ports_text(struct arena *arena, const struct settings *settings);

enum local_port { LOCAL_NOT_HERE, LOCAL_USUAL, LOCAL_UNUSUAL, LOCAL_OWN };
/* Where a URL leads that says by itself that it is on this machine; any other is LOCAL_NOT_HERE. */
enum local_port local_judge(const struct settings *settings, const char *url);

/* Where servers of models are looked for while config.yaml names none (scout.h). */
struct local_place {
    const char *url;
    bool ollama; /* an Ollama, or nothing; else whatever lists its models as Ollama or as OpenAI does */
};
const struct local_place *local_places(struct arena *arena, const struct settings *settings, size_t *count);

/* Where on this machine a provider's server with that port is. */
const char *local_url(struct arena *arena, enum llm_provider provider, int port);
/* A model in one word, as an agent's config can have it: ollama:llama3.2, or openai@1234:qwen for one on
 * another port of this machine. */
const char *local_word(struct arena *arena, const struct llm_model *model);

/* A list as in council.local_ports: numbers and commas, or off. */
bool local_ports_valid(const char *text);

#endif
