/*
 * provider.h - what differs from provider to provider: how a request is written, and what an event of its
 * stream says. One file each; the rest of the folder does not know which it talks to.
 *
 * Thread: the loop's, but `write`, which runs wherever llm_start was called.
 */
#ifndef LLM_PROVIDER_H
#define LLM_PROVIDER_H

#include "base/json.h"
#include "llm/draft.h"
#include "llm/llm.h"

struct provider {
    const char *name;
    const char *url;            /* its own, or where it is usually found */
    const char *path;           /* after base_url */
    const char *key_env;        /* the variable that holds its key by default, or NULL */
    const char *key_header;     /* the format of the header that carries the key */
    const char *const *headers; /* further ones; ends with NULL; or NULL */
    const char *accept;
    bool events;      /* the stream is server-sent events; else JSON lines */
    bool tells_stops; /* a reply that ended at a stop sequence says so */
    void (*write)(const struct llm_request *request, struct json_out *out);
    /* One event of the stream, or a whole reply. False: no more is wanted; the draft knows why. */
    bool (*take)(struct draft *draft, const json_t *event);
    /* What kind an error in this provider's own words is; LLM_FINE: the HTTP status decides. Or NULL. */
    enum llm_kind (*kind_of)(const json_t *error);
    /* Changes a request that was refused with these words so that it may be taken; false: it knows no way. Or
     * NULL. */
    bool (*adapt)(const char *complaint, json_t *body);
};

const struct provider *provider_of(enum llm_provider provider);
#define X(value, word) extern const struct provider provider_##word;
LLM_PROVIDER_LIST(X)
#undef X

#endif
