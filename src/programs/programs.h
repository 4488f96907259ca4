/*
 * programs.h - programs of the operator's, started in one place and never by the server itself.
 *
 * Before the server locks itself in it forks a helper, which is told what config.yaml names and starts
 * nothing else, whoever may have taken over the server since. Who wants one of them says which, and in which
 * folder; the helper starts it in a session of its own, locked in as far as the kernel can hold it to that.
 * Its pipes are the server's, which reads them on one thread of its own. There is no shell, and no variable
 * that is not listed. Nothing that was started outlives its call, its time, or the server, however that ends.
 *
 * Threads: programs_start, programs_write and programs_end from any; callbacks run on the module's own thread
 * and must not block.
 */
#ifndef PROGRAMS_PROGRAMS_H
#define PROGRAMS_PROGRAMS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct programs;
struct program_run;

/* What may be run, and within which bounds. */
struct program {
    const char *const *argv; /* ends with NULL; argv[0] is a path, or a name looked for in /usr/local/bin,
                                /usr/bin and /bin. Files that it names by an absolute path may be read. */
    const char *const
        *environment;         /* "NAME=value", ends with NULL, may be NULL. PATH, HOME (the folder) and
                                 TMPDIR (the same) are added where it does not have them, nothing else */
    const char *const *reads; /* absolute paths that it may read and run beside the system's; ends with NULL,
                                 may be NULL */
    const char *folder;  /* where it works and what it may write; NULL: one of its own, gone after, or, where
                            `within` is set, none: whoever starts it says which */
    const char *within;  /* the folder must be this one or inside of it, with no link on the way; NULL: it is
                            `folder` */
    bool network;        /* whether it may use it, and the sockets of this machine */
    int64_t time_ms;     /* then it is ended; 0: whenever its owner ends it */
    int64_t cpu_seconds; /* of each of its processes; 0: not held */
    size_t memory_most;  /* bytes of each of its processes; 0: not held */
    size_t file_most;    /* bytes of one file; 0: not held */
    int processes_most, files_most; /* at once; 0: not held */
    size_t output_most;             /* bytes of its standard output and error together; 0: not counted */
};

enum program_end {
    PROGRAM_EXITED,
    PROGRAM_SIGNALLED, /* by itself or by somebody else: a crash, a limit of the kernel's */
    PROGRAM_TIMED_OUT,
    PROGRAM_FLOODED, /* more output than it may have */
    PROGRAM_ENDED,   /* by programs_end, or because the server stops */
    PROGRAM_FAILED,  /* it could not be started */
};

struct program_result {
    enum program_end end;
    int status;      /* its exit status, or its signal */
    const char *why; /* a sentence when it did not exit by itself, else "" */
    int64_t took_ms;
};

struct program_callbacks {
    /* Pieces as they come; false: no more is wanted, and it is ended. NULL: dropped. */
    bool (*output)(void *user, const char *bytes, size_t len);
    bool (*errors)(void *user, const char *bytes, size_t len);
    /* Exactly once for each that was taken, when nothing of it is left. */
    void (*done)(void *user, const struct program_result *result);
    void *user;
};

/* How far this machine can hold a program to its bounds: said in the log at the start. */
struct programs_bounds {
    bool reads;   /* it reads the system's files and its own, nobody else's (Landlock) */
    bool writes;  /* it writes its folder alone (Landlock, or mounts of its own) */
    bool rights;  /* nor can it change the rights and times of other files (mounts of its own, or a filter) */
    bool network; /* none unless it may (a filter of system calls) */
    bool processes; /* a namespace of processes: whatever it starts goes with it */
    bool alone;     /* it sees no other processes (a /proc of its own, or Landlock) */
};

/*
 * Forks the helper, which starts what is in this list and nothing else. Once, before there are threads and
 * before sandbox_enter. The list may go afterwards. False: it cannot.
 */
CHECKED bool programs_fork(const struct program *const *allowed, size_t count, struct programs **programs,
                           struct err *err);
/* Starts the thread that reads. After sandbox_enter. */
CHECKED bool programs_open(struct programs *programs, struct err *err);
/* Ends all that run, waits for their last `done`, and lets the helper go. Accepts NULL. */
void programs_close(struct programs *programs);
void programs_bounds(const struct programs *programs, struct programs_bounds *bounds);

/*
 * Whether it could be started here: its program is there and may be run, its folder is one and inside of what
 * is allowed, what it reads is there. The field of the error is that of config.yaml ("argv", "folder",
 * "reads", "environment"). For the start; what changes later is told when it is run. Thread: any.
 */
CHECKED bool program_check(const struct program *program, struct err *err);

/*
 * Copies `program`, which must be one of those allowed but for two things: its folder, where that one says
 * within what, and further variables whose names begin with WITAN_. `input` goes to its
 * standard input, which is then closed, unless `keep_input` is set: then programs_write adds to it. False: it
 * is not allowed, too many run, or there is no helper.
 */
CHECKED bool programs_start(struct programs *programs, const struct program *program, const char *input,
                            size_t input_len, bool keep_input, const struct program_callbacks *callbacks,
                            struct program_run **run, struct err *err);
/* The rest: only before its `done` has returned. */

/* More for its input; false: it does not take it, or too much waits. */
CHECKED bool programs_write(struct program_run *run, const char *bytes, size_t len);
/* Closes its input once all of it was written. */
void programs_close_input(struct program_run *run);
/* Ends it and all that it has started: asked to first, made to soon after. `done` follows. */
void programs_end(struct program_run *run);

#endif
