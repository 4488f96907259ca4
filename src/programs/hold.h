/*
 * hold.h - what a program is held by, as far as this kernel gives it.
 *
 * Namespaces of its own for processes and mounts: whatever it starts goes with its keeper, and all but its
 * folder is mounted read-only. Landlock: it reads the system and what its entry names. A filter of system
 * calls: no network, nothing of the kernel's. Limits of the kernel for each process. What this machine has is
 * tried once, when the helper starts.
 *
 * Thread: the only one of the helper, of a keeper, or of a program that is about to run.
 */
#ifndef PROGRAMS_HOLD_H
#define PROGRAMS_HOLD_H

#include "programs/filter.h"
#include "programs/programs.h"

#include <limits.h>
#include <sys/types.h>

struct program_hold {
    uid_t user; /* the server's */
    gid_t group;
    int namespaces;          /* CLONE_ flags of a keeper; 0: none */
    bool proc;               /* /proc is mounted anew in them, and shows their processes alone */
    bool filters;            /* whether there are any */
    struct filter filter[2]; /* without and with the network */
    struct programs_bounds bounds;
    size_t hidden; /* processes of the user's that /proc does not show as his: the helper and its keepers */
};

#define HOLD_NAMES_MOST 512 /* of argv and reads */

/* Where a program works: its folder as it is called, and a descriptor of it; and what it may read beside. */
struct program_place {
    int fd;
    char real[PATH_MAX];
    int named[HOLD_NAMES_MOST];
    size_t named_count;
};

/* Tries what this machine gives. `scratch`: a folder that can be written, for the trial. */
void hold_find(struct program_hold *hold, const char *scratch);
/* Whether every program may read and run what is there; `real` is without links. */
bool hold_is_system(const char *real);
/* fork, into namespaces of its own. */
pid_t hold_fork(const struct program_hold *hold);
/* For the keeper: becomes who it was in its namespaces. False: errno. */
bool hold_settle(const struct program_hold *hold);
/* For the keeper: mounts everything read-only but this folder, whose descriptor is changed. False: errno. */
bool hold_mounts(const struct program_hold *hold, struct program_place *place);
/* For the program, last: limits, Landlock, rights, filter. False: errno. */
bool hold_enter(const struct program_hold *hold, const struct program *program, const char *path,
                const struct program_place *place);

#endif
