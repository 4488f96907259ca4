/*
 * scrub.h - what a server said about an error, made fit to be shown to every reader: one line, not long,
 * without the key, and without the place where the operator has put the server.
 */
#ifndef LLM_SCRUB_H
#define LLM_SCRUB_H

#include "base/arena.h"

struct secrets {
    const char
        *key; /* or NULL. A word that begins as it does is taken out too: servers like to quote half of it */
    const char *host; /* of the server; or NULL */
};

/* The host of a URL. */
const char *scrub_host(struct arena *arena, const char *url);

/* At most so many characters. */
const char *scrub(struct arena *arena, const char *text, const struct secrets *secrets, size_t chars);

#endif
