/*
 * sentence.h - what a sentence wants from its reader.
 */
#ifndef OUTPUT_SENTENCE_H
#define OUTPUT_SENTENCE_H

#include "base/arena.h"

#include <stdbool.h>

/* Lower case, spaces collapsed, pictures and marks of emphasis gone, apostrophes made plain. */
char *sentence_plain(struct arena *arena, const char *text, size_t len);

/* What people say after a question without adding anything to it; of a text made plain. */
bool sentence_closes(const char *sentence);

/* Whether a paragraph ends in asking; `requests` counts those put without a question mark, too. */
bool sentences_ask(struct arena *arena, const char *text, size_t len, bool requests);

#endif
