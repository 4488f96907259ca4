/*
 * catalog.h - which models a server of Ollama has.
 */
#ifndef LLM_CATALOG_H
#define LLM_CATALOG_H

#include "base/arena.h"
#include "base/err.h"
#include "net/net.h"

struct catalog {
    const char **names; /* in the arena */
    size_t count;
};

/* Asks and waits, not for long. False: nobody answers there, or it is not Ollama. Not on the loop's thread.
 */
CHECKED bool catalog_read(struct net *net, const char *base_url, struct arena *arena, struct catalog *catalog,
                          struct err *err);

#endif
