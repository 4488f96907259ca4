/*
 * The escapes that programs write for terminals. A log keeps those that give words a colour or a weight,
 * which pages show and nothing else can come of; titles, the cursor's moves and whatever else a terminal
 * obeys go as a whole.
 */
#ifndef WITAN_BASE_COLOUR_H
#define WITAN_BASE_COLOUR_H

#include "base/arena.h"

/* As str_sanitise, but with colours and with lone carriage returns, by which a line of progress is written
 * anew. */
char *colour_keep(struct arena *arena, const char *text);
/* The text without any escape; everything else stays. */
char *colour_drop(struct arena *arena, const char *text);

#endif
