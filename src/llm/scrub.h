/*
 * scrub.h - what a server said about an error, made fit to be shown: one line, not long, without the key.
 */
#ifndef LLM_SCRUB_H
#define LLM_SCRUB_H

#include "base/arena.h"

/* At most so many characters. `key` may be NULL. A word that begins as the key does is taken out too: servers
 * like to quote half of it. */
const char *scrub(struct arena *arena, const char *text, const char *key, size_t chars);

#endif
