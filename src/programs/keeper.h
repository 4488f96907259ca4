/*
 * keeper.h - the process that stands between the helper and one program, and answers for all that comes of
 * it.
 *
 * In a namespace of processes it is the first one: when it ends, the kernel ends the rest. Elsewhere whoever
 * loses his parent becomes its child, and it ends them until there are none. It goes with its program, and
 * when the helper goes.
 *
 * Thread: the only one of the helper.
 */
#ifndef PROGRAMS_KEEPER_H
#define PROGRAMS_KEEPER_H

#include "programs/fixed.h"
#include "programs/hold.h"
#include "programs/wire.h"

/* How it ended, in memory that helper, keeper and program share until that runs. */
struct outcome {
    enum tell_kind kind;
    enum stage stage;
    int status, error;
};

struct keeping {
    const struct program_hold *hold;
    const struct program *program;
    const struct program_fixed *fixed;
    const struct fixed_folder *outer; /* in which, or inside of which, it works */
    const char *folder;
    const char *const *variables; /* beside those of the program; ends with NULL */
    int pipes[PIPES];             /* the program's ends */
    struct outcome *outcome;
};

/* Signals that a keeper takes: they are blocked in the helper, and so from a keeper's first moment. SIGTERM
 * asks the program to end, SIGUSR1 makes it. */
void keeper_signals(sigset_t *set);
/* Starts a keeper with its program; -1: errno. */
pid_t keeper_start(const struct keeping *keeping);
/* Makes one end that has to be ended now, with all that it keeps. */
void keeper_kill(const struct program_hold *hold, pid_t keeper);
/* Ends and takes away whatever has become a child of this process, but for `spared`; -1 ends with them. */
void keeper_end_children(const pid_t *spared, size_t count);

#endif
