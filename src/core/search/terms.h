/*
 * terms.h - a text as the words that it is found by.
 *
 * Words are runs of letters and digits, small, without accents: "Zürich" and "ZURICH" are both "zurich". A
 * character of a script that writes no spaces is a word by itself. The result is stored and must be
 * the same on every machine: no locale has a say in it, and a change here needs the index made anew, at least
 * for what is not ASCII (upkeep/refold.h does so when the rules of folding change).
 *
 * Thread: any.
 */
#ifndef CORE_SEARCH_TERMS_H
#define CORE_SEARCH_TERMS_H

#include "base/arena.h"

#include <stddef.h>

struct terms {
    const char **words; /* room for `most` */
    size_t count, most;
};

/* Adds the words of a text that are not there yet, in their order, up to terms->most. */
void terms_add(struct arena *arena, struct terms *terms, const char *text);
/* Adds one as it stands, if there is room. */
void terms_add_word(struct terms *terms, const char *word);

#endif
