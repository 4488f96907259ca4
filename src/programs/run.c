/*
 * One program as the server sees it: three pipes, a timer, and a word to the helper now and then. Its input
 * is written as it takes it and its output read as it comes; neither is gathered here.
 */
#include "programs/internal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "programs/fixed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define WHY_SIZE 1024

static void close_pipe(struct program_run *run, int pipe)
{
    if (run->pipes[pipe] >= 0)
        close(run->pipes[pipe]); /* which takes it out of the epoll */
    run->pipes[pipe] = -1;
    run->watched[pipe] = false;
}

static void watch(struct program_run *run, int pipe, uint32_t events)
{
    /* A slot and a pipe in one number; the thread's own descriptors are below. */
    struct epoll_event event = { .events = events, .data.u64 = 16 + run->slot * PIPES + (uint32_t)pipe };

    if (run->watched[pipe] || run->pipes[pipe] < 0)
        return;
    run->watched[pipe] = epoll_ctl(run->programs->epoll_fd, EPOLL_CTL_ADD, run->pipes[pipe], &event) == 0;
}

static void unwatch(struct program_run *run, int pipe)
{
    if (run->watched[pipe])
        epoll_ctl(run->programs->epoll_fd, EPOLL_CTL_DEL, run->pipes[pipe], NULL);
    run->watched[pipe] = false;
}

struct program_input *run_input_of(const char *bytes, size_t len)
{
    struct program_input *input = memory_take(sizeof(*input) + len);

    *input = (struct program_input){ .len = len };
    if (len > 0)
        memcpy(input->bytes, bytes, len);
    return input;
}

void run_add_input(struct program_run *run, struct program_input *input)
{
    if (!run->input)
        run->input_last = &run->input;
    *run->input_last = input;
    run->input_last = &input->next;
    run->waiting += input->len;
}

static void drop_input(struct program_run *run)
{
    struct program_input *input = run->input;

    run->waiting -= input->len;
    run->input = input->next;
    free(input);
}

void run_free(struct program_run *run)
{
    while (run->input)
        drop_input(run);
    free(run->texts);
    free(run);
}

enum taken { TAKEN_ALL, TAKEN_SOME, TAKEN_NO_MORE };

/* Under the lock: a pipe that does not block takes the bytes or not, at once. */
static enum taken write_pieces(struct program_run *run)
{
    while (run->input) {
        struct program_input *input = run->input;
        ssize_t len = write(run->pipes[0], input->bytes + input->taken, input->len - input->taken);

        if (len < 0 && errno != EINTR)
            return errno == EAGAIN ? TAKEN_SOME : TAKEN_NO_MORE;
        input->taken += len > 0 ? (size_t)len : 0;
        if (input->taken == input->len)
            drop_input(run);
    }
    return TAKEN_ALL;
}

static void write_input(struct program_run *run)
{
    struct programs *programs = run->programs;

    if (run->pipes[0] < 0)
        return;
    pthread_mutex_lock(&programs->lock);
    enum taken taken = write_pieces(run);
    bool closes = taken == TAKEN_NO_MORE || (taken == TAKEN_ALL && !run->keeps_input);

    run->input_is_closed = run->input_is_closed || closes;
    pthread_mutex_unlock(&programs->lock);
    if (closes)
        close_pipe(run, 0);
    else if (taken == TAKEN_SOME)
        watch(run, 0, EPOLLOUT);
    else
        unwatch(run, 0);
}

void run_end(struct program_run *run, enum program_end why)
{
    if (run->is_ending)
        return;
    run->is_ending = true;
    run->end = why;
    run->wants_end = true;
    programs_say(run->programs, run);
    timers_set(&run->programs->timers, &run->timer, clock_ticks_ms() + PROGRAM_GRACE_MS);
}

static void timer_is_due(void *user)
{
    struct program_run *run = user;

    if (run->is_ending) {
        run->wants_kill = true;
        programs_say(run->programs, run);
        return;
    }
    run_end(run, PROGRAM_TIMED_OUT);
}

/* False: it wants to be ended for it. */
static bool hand_on(struct program_run *run, int pipe, const char *bytes, size_t len)
{
    bool (*to)(void *, const char *, size_t) = pipe == 1 ? run->callbacks.output : run->callbacks.errors;
    size_t most = run->program.output_most, room = len;

    if (run->is_ending)
        return true; /* what comes now is nobody's */
    if (most > 0 && len > most - run->received)
        room = most - run->received;
    run->received += room;
    if (to && room > 0 && !to(run->callbacks.user, bytes, room)) {
        run_end(run, PROGRAM_ENDED);
        return false;
    }
    if (room < len) {
        run_end(run, PROGRAM_FLOODED);
        return false;
    }
    return true;
}

/* Reads what is there, at most `pieces`; one that writes without end must not keep the thread from others. */
static void read_output(struct program_run *run, int pipe, int pieces)
{
    char *piece = run->programs->piece;

    while (run->pipes[pipe] >= 0 && pieces-- > 0) {
        ssize_t len = read(run->pipes[pipe], piece, PIECE);

        if (len > 0)
            (void)hand_on(run, pipe, piece, (size_t)len);
        else if (len == 0 || (errno != EINTR && errno != EAGAIN))
            close_pipe(run, pipe);
        if (len < PIECE)
            break;
    }
}

void run_ready(struct program_run *run, int pipe)
{
    if (pipe == 0)
        write_input(run);
    else
        read_output(run, pipe, 1);
}

void run_attend(struct program_run *run)
{
    pthread_mutex_lock(&run->programs->lock);
    bool end = run->end_is_asked || run->programs->closing;

    pthread_mutex_unlock(&run->programs->lock);
    if (end)
        run_end(run, PROGRAM_ENDED);
    write_input(run);
}

static bool make_pipe(struct program_run *run, int pipe)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    run->pipes[pipe] = ends[pipe == 0];
    run->theirs[pipe] = ends[pipe != 0];
    return fcntl(run->pipes[pipe], F_SETFL, O_NONBLOCK) == 0;
}

bool run_begin(struct program_run *run)
{
    struct programs *programs = run->programs;

    run->timer = (struct timer){ .run = timer_is_due, .user = run };
    run->has_begun = true;
    for (int i = 0; i < PIPES; i++)
        if (!make_pipe(run, i)) {
            run_over(run, &(struct tell){ .kind = TELL_FAILED, .stage = STAGE_PROCESS, .error = errno });
            return false;
        }
    watch(run, 1, EPOLLIN);
    watch(run, 2, EPOLLIN);
    if (run->program.time_ms > 0)
        timers_set(&programs->timers, &run->timer, run->began_ms + run->program.time_ms);
    run->wants_start = true;
    programs_say(programs, run);
    return true;
}

static void say_failed(const struct program_run *run, const struct tell *told, char *why)
{
    const struct program *program = &run->program;
    const char *name = program->argv[0], *error = strerror(told->error),
               *folder = program->folder ? program->folder : "";

    switch ((enum stage)told->stage) {
    case STAGE_PROGRAM:
    case STAGE_RUN:
        if (told->error == ENOENT)
            snprintf(why, WHY_SIZE, "There is no program %s, or it needs one that is not there.", name);
        else
            snprintf(why, WHY_SIZE, "The program %s cannot be run: %s.", name, error);
        return;
    case STAGE_FOLDER: snprintf(why, WHY_SIZE, "The folder %s cannot be used: %s.", folder, error); return;
    case STAGE_OUTSIDE:
        if (*folder)
            snprintf(why, WHY_SIZE, "The folder %s is outside of what %s may use.", folder, name);
        else
            snprintf(why, WHY_SIZE, "Nobody said in which folder %s is to work.", name);
        return;
    case STAGE_CHANGED:
        snprintf(
            why, WHY_SIZE,
            "The folder %s is another one than when the server started; a restart takes it as it is now.",
            folder);
        return;
    case STAGE_NAMED:
        snprintf(why, WHY_SIZE,
                 "%s leads elsewhere than when the server started; a restart takes it as it is now.",
                 fixed_name_of(program, (size_t)told->status));
        return;
    case STAGE_OWN_FOLDER:
        snprintf(why, WHY_SIZE, "No folder can be made for %s to work in: %s.", name, error);
        return;
    case STAGE_HOLD:
        snprintf(why, WHY_SIZE, "The program %s was not run, since it cannot be held to its bounds: %s.",
                 name, error);
        return;
    case STAGE_NONE:
    case STAGE_PROCESS: snprintf(why, WHY_SIZE, "No process can be made for %s: %s.", name, error); return;
    }
}

static void say_signal(const struct program_run *run, int number, char *why)
{
    const struct program *program = &run->program;

    if (number == SIGXCPU && program->cpu_seconds > 0)
        snprintf(why, WHY_SIZE, "It used more than %lld s of a processor.", (long long)program->cpu_seconds);
    else if (number == SIGXFSZ && program->file_most > 0)
        snprintf(why, WHY_SIZE, "It wrote a file of more than %zu bytes.", program->file_most);
    else if (number == SIGKILL)
        snprintf(why, WHY_SIZE, "It was killed, perhaps for want of memory.");
    else
        snprintf(why, WHY_SIZE, "It was ended by a signal: %s.", strsignal(number));
}

static void say_why(const struct program_run *run, const struct tell *told,
                    const struct program_result *result, char *why)
{
    *why = '\0';
    switch (result->end) {
    case PROGRAM_EXITED: return;
    case PROGRAM_SIGNALLED: say_signal(run, result->status, why); return;
    case PROGRAM_TIMED_OUT:
        if (run->program.time_ms < 100)
            snprintf(why, WHY_SIZE, "It did not end within %lld ms.", (long long)run->program.time_ms);
        else
            snprintf(why, WHY_SIZE, "It did not end within %lld.%lld s.",
                     (long long)run->program.time_ms / 1000, (long long)run->program.time_ms % 1000 / 100);
        return;
    case PROGRAM_FLOODED:
        snprintf(why, WHY_SIZE, "It wrote more than %zu bytes of output.", run->program.output_most);
        return;
    case PROGRAM_ENDED: snprintf(why, WHY_SIZE, "It was ended."); return;
    case PROGRAM_FAILED: say_failed(run, told, why); return;
    }
}

static enum program_end end_told(const struct program_run *run, const struct tell *told)
{
    if (told->kind == TELL_FAILED)
        return run->is_ending ? run->end : PROGRAM_FAILED;
    if (run->is_ending)
        return run->end;
    return told->kind == TELL_EXITED ? PROGRAM_EXITED : PROGRAM_SIGNALLED;
}

static void tell_owner(struct program_run *run, const struct program_result *result)
{
    timers_stop(&run->programs->timers, &run->timer);
    if (run->callbacks.done)
        run->callbacks.done(run->callbacks.user, result);
    for (int i = 0; i < PIPES; i++) {
        close_pipe(run, i);
        if (run->theirs[i] >= 0)
            close(run->theirs[i]);
    }
    programs_forget(run);
    run_free(run);
}

void run_over(struct program_run *run, const struct tell *told)
{
    char why[WHY_SIZE];

    /* Nobody writes to the pipes any more, so what is in them is all that there will be. */
    read_output(run, 1, INT_MAX);
    read_output(run, 2, INT_MAX);
    struct program_result result = { .end = end_told(run, told),
                                     .status = told->status,
                                     .why = why,
                                     .took_ms = clock_ticks_ms() - run->began_ms };

    say_why(run, told, &result, why);
    tell_owner(run, &result);
}

void run_lost(struct program_run *run)
{
    struct program_result result = { .end = PROGRAM_FAILED,
                                     .why = "The process that starts programs is gone; restart the server.",
                                     .took_ms = clock_ticks_ms() - run->began_ms };

    tell_owner(run, &result);
}
