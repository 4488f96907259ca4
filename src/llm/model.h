/*
 * model.h - which models there are: rows of `models:` in config.yaml, and those that an agent spells out.
 *
 * One table says what can be set for a model, as base/settings.h does for the rest; server/config_models.c
 * reads config.yaml by it. Keys are never part of a model: it names a variable or a file, which is looked at
 * when the model is called.
 */
#ifndef LLM_MODEL_H
#define LLM_MODEL_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* PROVIDER(value, word): how models are spoken to; each has a file of its own with provider_WORD. */
#define LLM_PROVIDER_LIST(PROVIDER) \
    PROVIDER(OLLAMA, ollama) \
    PROVIDER(OPENAI, openai) \
    PROVIDER(ANTHROPIC, anthropic) \
    PROVIDER(SCRIPTED, scripted)

#define LLM_PROVIDER_VALUE(value, word) LLM_##value,
enum llm_provider { LLM_PROVIDER_LIST(LLM_PROVIDER_VALUE) LLM_PROVIDERS };

#define MODEL_UNSET (-1) /* of a number that is then not sent */

/* Kinds: TEXT, INT (least, most), REAL (least, most), TIME (in ms; least, most). "" is "not set". */
#define MODEL_SETTINGS(TEXT, INT, REAL, TIME) \
    TEXT(provider_name, "provider", "", "ollama, openai, anthropic or scripted.") \
    TEXT(base_url, "base_url", "", "Where it is; empty: the provider's own. One for openai ends in /v1.") \
    TEXT(model, "model", "", "The model's name there; empty: the name it has here.") \
    TEXT(api_key_env, "api_key_env", "", \
         "The variable with the key; else OPENAI_API_KEY or ANTHROPIC_API_KEY.") \
    TEXT(api_key_file, "api_key_file", "", "A file that holds the key, instead of a variable.") \
    TEXT(script, "script", "", "The lines of a scripted one: a file of \"Name: what it says\".") \
    REAL(temperature, "temperature", "", 0, 2, "How freely it chooses its words.") \
    REAL(top_p, "top_p", "", 0, 1, "How much of what is likely it chooses from.") \
    INT(max_tokens, "max_tokens", "", 1, 1000000, "How long a reply may get.") \
    INT(window, "window", "", 512, 100000000, \
        "Tokens that it can be told at once: what was said before is condensed to fit.") \
    REAL(price_in, "price_in", "", 0, 1000000, "What a million tokens that it is told cost, in your money.") \
    REAL(price_out, "price_out", "", 0, 1000000, "What a million tokens that it says cost.") \
    INT(max_in_flight, "max_in_flight", "8", 1, 256, "Calls at once; the rest wait their turn.") \
    INT(retries, "retries", "3", 0, 10, "How often a call that failed is tried again.") \
    TIME(connect_timeout, "connect_timeout", "10s", 10, 600000, "For the connection.") \
    TIME(first_timeout, "first_timeout", "2m", 10, 3600000, "For the first word.") \
    TIME(idle_timeout, "idle_timeout", "60s", 10, 3600000, "Between two pieces of a reply.") \
    TIME(timeout, "timeout", "5m", 10, 86400000, "For a whole call, with all its tries.") \
    TIME(delay, "delay", "0s", 0, 3600000, "How long a scripted one takes for each word.")

struct llm_model {
    const char *name; /* in config.yaml; "" for one that is spelled out */
    enum llm_provider provider;
#define TEXT(member, key, fallback, help)              const char *member;
#define INT(member, key, fallback, least, most, help)  int64_t member;
#define REAL(member, key, fallback, least, most, help) double member;
#define TIME(member, key, fallback, least, most, help) int64_t member##_ms;
    MODEL_SETTINGS(TEXT, INT, REAL, TIME)
#undef TEXT
#undef INT
#undef REAL
#undef TIME
    const char *script_text; /* instead of a file, or NULL */
    bool spelled_out; /* by an agent's config: no key of the operator's goes to a base_url of its own */
    bool public_only; /* it may not be on this machine or in a private network */
    bool here_only;   /* the solo owner named it on this machine, which holds as long as they are alone */
};

enum model_kind { MODEL_TEXT, MODEL_INT, MODEL_REAL, MODEL_TIME };

struct model_row {
    const char *key, *help;
    enum model_kind kind;
    const char *fallback;
    double least, most;
    size_t offset;
};
extern const struct model_row model_rows[];
extern const size_t model_row_count;

/* All defaults. What is set afterwards is the caller's. */
void model_init(struct llm_model *model, const char *name);
/* Sets one by its key; texts are copied into the arena. False: no such key, or a value that it does not take.
 */
CHECKED bool model_set(struct llm_model *model, struct arena *arena, const char *key, const char *text,
                       struct err *err);
/* What must hold of the whole, once all is set; err->field is the key. Fills in what follows from it. */
CHECKED bool model_check(struct llm_model *model, struct arena *arena, struct err *err);

CHECKED bool model_provider_parse(const char *name, enum llm_provider *provider);
const char *model_provider_name(enum llm_provider provider);
/* Takes PROVIDER:MODEL apart, such as ollama:llama3.2:latest, or PROVIDER@PORT:MODEL, which is on that port
 * of this machine. False: it is not of that form, or it is a script's, which only config.yaml can name. */
struct model_word {
    const char *provider, *model;
    const char *base_url; /* NULL: the provider's own */
};
CHECKED bool model_split(struct arena *arena, const char *text, struct model_word *word);
/* "http://host/v1/" and "http://host/v1" are the same; "" is like none. */
bool model_same_url(const char *a, const char *b);
/* Where it is: base_url, or the provider's own. "" for a scripted one. */
const char *model_url(const struct llm_model *model);
/*
 * The key, in the arena; NULL: it needs none. A variable or file that is named and not there, or holds
 * nothing, is an error; a default variable that is not set is one only for the provider's own servers. A
 * model that is spelled out with a base_url of its own gets no key: whoever may name servers could have it
 * sent to theirs.
 */
CHECKED bool model_key(const struct llm_model *model, struct arena *arena, const char **key, struct err *err);

/* Whether it is known what its calls cost: config.yaml says what they do both ways, even if that is nothing,
 * or they are lines of a script. */
bool model_is_priced(const struct llm_model *model);
/* What people call it: its name in config.yaml, or that of one that has none there. */
const char *model_called(const struct llm_model *model);

/* The models of config.yaml, in their order. */
struct llm_models {
    const struct llm_model *list;
    size_t count;
};
const struct llm_models *models(void);
/* Once, before threads start; the list outlives every reader. NULL: there are none. */
void models_use(const struct llm_models *in_force);
const struct llm_model *model_named(const char *name); /* or NULL */

#endif
