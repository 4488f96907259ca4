/*
 * chat_memory.h - what was asked and answered before in a chat, so that "and the second one?" means
 * something.
 *
 * The last few questions, each with what the speakers said last, shortened: a reminder for models, not a
 * record. The whole stands in the store. Everything lives in the arena of the run.
 */
#ifndef CLI_CLIENT_CHAT_MEMORY_H
#define CLI_CLIENT_CHAT_MEMORY_H

#include "base/arena.h"

#include <jansson.h>
#include <stddef.h>

#define CHAT_MEMORY_QUESTIONS 5

struct chat_memory {
    const char *past[CHAT_MEMORY_QUESTIONS]; /* oldest first */
    size_t count;
};

/* `result` is that of a discussion. One without anything said leaves nothing to remember. */
void chat_memory_add(struct chat_memory *memory, struct arena *arena, const char *question,
                     const json_t *result);
/* All of it as one text, or NULL: nothing. */
const char *chat_memory_text(const struct chat_memory *memory, struct arena *arena);

#endif
