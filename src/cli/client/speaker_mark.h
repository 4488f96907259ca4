/*
 * speaker_mark.h - the shape and the colour by which a speaker is known on a terminal.
 *
 * The roles that the transcript has a shape for keep it. Everybody else gets one by their place in the order
 * of speaking, so that the same speaker looks the same from the first turn to the last, and in every look at
 * the discussion; nobody's is that of one of these roles.
 */
#ifndef CLI_CLIENT_SPEAKER_MARK_H
#define CLI_CLIENT_SPEAKER_MARK_H

#include "cli/term.h"

struct speaker_mark {
    const char *shape;
    enum term_colour colour;
};

/* `place` is the speaker's in the order, from 0; negative: they have none, as a person who cuts in. */
struct speaker_mark speaker_mark(const char *role, const char *name, int place);

#endif
