/*
 * discussion_follow.h - follows a discussion to its end, whatever happens to the server meanwhile.
 *
 * What was said before is shown first, then what is said as it is said. When the stream breaks off it is
 * opened again, and whatever was missed is read from the log.
 */
#ifndef CLI_CLIENT_DISCUSSION_FOLLOW_H
#define CLI_CLIENT_DISCUSSION_FOLLOW_H

#include "cli/client/discussion_view.h"
#include "cli/client/invoke.h"

enum followed {
    FOLLOW_ENDED,
    FOLLOW_RESTS,       /* somebody has to do something before it goes on: paused, or a person's turn */
    FOLLOW_INTERRUPTED, /* by a signal (interrupt.h) */
    FOLLOW_FAILED,      /* err says why */
};

/* *state is what the server says of it last, json_decref'ed by the caller; NULL when it failed. */
enum followed discussion_follow(struct cli *cli, const char *id, struct discussion_view *view, json_t **state,
                                struct err *err);
/* The exit code that an ended discussion stands for: 0 completed, 6 cancelled, 1 failed. */
int discussion_exit(const json_t *state);

#endif
