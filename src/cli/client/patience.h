/*
 * patience.h - goes on trying while the server is away.
 *
 * A command with --patience does not give up at the first refusal: whatever may be repeated safely (reads,
 * and writes that carry an idempotency key) is tried again once a second until the time is up. The time
 * begins when the server goes away and ends when it answers. invoke_json does the trying; commands need not.
 */
#ifndef CLI_CLIENT_PATIENCE_H
#define CLI_CLIENT_PATIENCE_H

#include "cli/client/client.h"

#define PATIENCE_OPTION \
    { \
        "patience", "TIME", \
            .help = "How long to try again when the server is away, also while asking. " \
                    "Default while waiting: 5m; then exit code 8." \
    }

/*
 * Reads --patience, where the command has it. The default is five minutes for a command that waits and none
 * for one that does not (its --wait or --follow was not given, or --no-wait or --detach was). Whoever is
 * patient hears signals: they are caught from here on.
 */
CHECKED bool patience_begin(struct cli *cli, struct err *err);

/* Whether an error may be gone in a moment: nobody there, a server that restarts, too many requests. */
bool patience_may_pass(const struct client_reply *reply, const struct err *err);
/* After a failure: says so once, pauses, and whether to try again. False also when a signal has come. */
bool patience_lasts(struct cli *cli, const struct client_reply *reply, const struct err *err);
/* After a success. */
void patience_rests(struct cli *cli);

#endif
