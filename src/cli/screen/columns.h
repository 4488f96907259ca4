/*
 * columns.h - text measured in the columns of a terminal, where some characters take two and some none.
 *
 * Nothing that could steer a terminal comes out of here, whatever went in.
 */
#ifndef CLI_SCREEN_COLUMNS_H
#define CLI_SCREEN_COLUMNS_H

#include "base/arena.h"

#include <stddef.h>

size_t columns_of(const char *text);
/* Exactly so wide: cut with "…", or filled with spaces. */
const char *columns_fit(struct arena *arena, const char *text, size_t width);
/* Lines of at most that width, broken between words where there are any; `count` of them. */
const char *const *columns_wrap(struct arena *arena, const char *text, size_t width, size_t *count);

#endif
