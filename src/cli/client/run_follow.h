/*
 * run_follow.h - follows a run to its end, whatever happens to the server meanwhile.
 *
 * What was done before is shown first, then what is done as it is done; what it asks is put to whoever sits
 * here (run_asking.h). The stream only says that something has happened: the entries of the log are then read
 * from where the last look ended, so nothing is missed and nothing shown twice when it breaks off.
 */
#ifndef CLI_CLIENT_RUN_FOLLOW_H
#define CLI_CLIENT_RUN_FOLLOW_H

#include "cli/client/invoke.h"
#include "cli/client/run_view.h"

enum run_followed {
    RUN_FOLLOWED, /* it has ended */
    RUN_LEFT,     /* by a signal (interrupt.h) */
    RUN_LOST,     /* err says why */
};

/*
 * `asks`: whether its questions are put to whoever sits here. *job is what the server says of it last, which
 * the caller json_decrefs, or NULL.
 */
enum run_followed run_follow(struct cli *cli, const char *id, struct run_view *view, bool asks, json_t **job,
                             struct err *err);
/* The exit code that an ended job stands for: 0 completed, 3 failed, 6 cancelled. */
int run_exit(const json_t *job);

/* Shows the entries of its log behind *after, which then is the last one's number; *run is what the server
 * says of the run last, as *job above. */
CHECKED bool run_entries_show(struct cli *cli, const char *id, struct run_view *view, int64_t *after,
                              json_t **run, struct err *err);

#endif
