/*
 * inbox_screen.h - `witan inbox --watch` on a terminal: a list one moves in, live, and answers from.
 */
#ifndef CLI_SCREEN_INBOX_SCREEN_H
#define CLI_SCREEN_INBOX_SCREEN_H

#include "cli/client/pending.h"

/* Whether there is a terminal to draw on. */
bool inbox_screen_possible(void);
/* Until somebody quits; the exit code. */
int inbox_screen_run(struct cli *cli, const struct pending_filter *filter);

#endif
