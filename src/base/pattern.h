/*
 * pattern.h - regular expressions as JSON Schema has them (ECMA-262, by characters), matched in bounded time.
 *
 * A pattern of somebody else's is held against a text of a third one's, so matching never goes back: all ways
 * through the pattern are followed at once, one character after the other. What cannot be matched like that
 * (references back, looking ahead or behind) or needs tables that are not here (properties of Unicode) is
 * told apart from what is wrong.
 *
 * Thread: any; nothing is kept.
 */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct pattern;

enum pattern_verdict {
    PATTERN_FINE,
    PATTERN_BEYOND, /* it may be right, but is not matched here */
    PATTERN_WRONG,
};

/* The pattern in the arena when it is fine; else `why`, a part of a sentence ("a bracket is not closed"). */
enum pattern_verdict pattern_read(struct arena *arena, const char *text, const struct pattern **pattern,
                                  const char **why);
/*
 * Whether it is found anywhere in the text, which is UTF-8. Each step takes one of `work`; with none left the
 * answer is false and *work is 0.
 */
bool pattern_found(struct arena *arena, const struct pattern *pattern, const char *text, size_t len,
                   size_t *work);

#endif
