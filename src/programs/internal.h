/*
 * internal.h - what programs.c and run.c share. Everything is the module's thread's, but what is marked as
 * under `lock`.
 */
#ifndef PROGRAMS_INTERNAL_H
#define PROGRAMS_INTERNAL_H

#include "programs/programs.h"

#include "base/arena.h"
#include "base/timers.h"
#include "programs/wire.h"

#include <pthread.h>

#define PIECE (64 * KB) /* that is read at once */

struct programs {
    pid_t helper;
    int socket;
    struct arena arena; /* of `allowed` */
    const struct program *allowed;
    size_t allowed_count;
    struct programs_bounds bounds;
    pthread_t thread;
    bool is_open;
    int epoll_fd, event_fd;
    struct timers timers;
    struct program_run *unsent, **unsent_last; /* those with something to say to the helper */
    bool waits_for_room;                       /* in its socket */
    char piece[PIECE];

    pthread_mutex_t lock;
    struct program_run *slots[LIMIT_PROGRAMS]; /* under `lock`, as is the rest */
    size_t running;
    struct program_run *touched, **touched_last; /* by their owners */
    bool closing, gone;                          /* gone: the helper is */
};

/* A piece of what a program is to read. */
struct program_input {
    struct program_input *next;
    size_t len, taken;
    char bytes[];
};

struct program_run {
    struct programs *programs;
    uint32_t slot, entry;
    struct program program; /* texts are the entry's */
    char *texts;            /* what goes behind a request */
    size_t texts_len, variables;
    struct program_callbacks callbacks;

    int pipes[PIPES];  /* ours; -1: closed */
    int theirs[PIPES]; /* until they were handed over */
    bool watched[PIPES];
    struct timer timer;
    int64_t began_ms;
    size_t received;
    enum program_end end;
    bool has_begun, is_ending; /* ending: `end` says why */
    bool wants_start, wants_end, wants_kill, is_unsent;
    struct program_run *next_unsent;

    struct program_input *input, **input_last; /* under `lock`, as is the rest */
    size_t waiting;                            /* bytes of it */
    bool keeps_input, input_is_closed, end_is_asked, is_touched;
    struct program_run *next_touched;
};

/* run.c: one program as the thread sees it. */
bool run_begin(struct program_run *run);  /* false: it cannot, and is gone */
void run_attend(struct program_run *run); /* its owner has touched it */
void run_ready(struct program_run *run, int pipe);
void run_end(struct program_run *run, enum program_end why);
/* Nothing of it is left: tells its owner, and frees it. */
void run_over(struct program_run *run, const struct tell *told);
void run_free(struct program_run *run);
struct program_input *run_input_of(const char *bytes, size_t len);
void run_add_input(struct program_run *run, struct program_input *input);
/* The helper is gone, and what it kept with it. */
void run_lost(struct program_run *run);

/* programs.c: puts it in line for the helper, and says what can be said. */
void programs_say(struct programs *programs, struct program_run *run);
void programs_forget(struct program_run *run);

#endif
