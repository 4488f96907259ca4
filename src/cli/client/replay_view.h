/*
 * How a replay went, for `discuss replay` and `job replay`: what differs, or that all decisions come out as
 * they are stored.
 */
#ifndef WITAN_CLI_CLIENT_REPLAY_VIEW_H
#define WITAN_CLI_CLIENT_REPLAY_VIEW_H

#include "cli/client/invoke.h"

struct replay_view {
    const char *same;     /* the reply's member that says whether nothing differs */
    const char *uncalled; /* what a replay leaves alone, as "no model was called" */
    /* One difference, as a line for the terminal. */
    const char *(*difference)(struct arena *arena, const json_t *difference);
};

/* Calls the command's operation and prints its reply; CLI_NO where something differs. */
int replay_show(struct cli *cli, const struct replay_view *view);

#endif
