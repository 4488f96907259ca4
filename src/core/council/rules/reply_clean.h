/*
 * reply_clean.h - a model's reply without what was never meant for readers.
 *
 * Bytes that are no UTF-8 become U+FFFD, control characters go, and so do the tokens by which models mark
 * where messages begin and end: the tokens, not the text between them. Two things count as part of a token.
 * The role behind a token that opens a message ("<|im_start|>assistant" and the line's end) names nobody who
 * speaks here. What stands between <think> and </think> is thought, not said: it is taken out and kept apart.
 * Without a <think> everything before </think> is thought, since some templates open the block themselves;
 * without a
 * </think> everything after one that opens the reply is.
 *
 * What comes out holds no token, not even one that the removal of another has put together.
 */
#ifndef CORE_COUNCIL_RULES_REPLY_CLEAN_H
#define CORE_COUNCIL_RULES_REPLY_CLEAN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct reply_clean {
    char *text;
    const char *thought; /* or NULL */
    size_t tokens;       /* that were cut */
    bool mended;         /* some bytes were no UTF-8 */
};

struct reply_clean reply_clean(struct arena *arena, const char *raw, size_t len);

#endif
