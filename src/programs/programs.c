/*
 * Owners touch a run under the lock and wake the thread; everything else is the thread's own. What is to be
 * said to the helper waits in line while its socket is full, so that neither side ever waits for the other
 * while that waits for it.
 */
#include "programs/internal.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/memory.h"
#include "programs/helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOP_EVENTS 64
#define READY_MS    10000 /* for the helper to find out what this machine gives */

enum { WAKES = 1, HELPER = 2, FIRST_PIPE = 16 };

static const char *const *copy_list(struct arena *arena, const char *const *list)
{
    size_t count = 0;

    while (list && list[count])
        count++;
    const char **copy = arena_array(arena, const char *, count + 1);

    for (size_t i = 0; i < count; i++)
        copy[i] = arena_text(arena, list[i]);
    copy[count] = NULL;
    return copy;
}

static struct program copy_program(struct arena *arena, const struct program *program)
{
    struct program copy = *program;

    copy.argv = copy_list(arena, program->argv);
    copy.environment = copy_list(arena, program->environment);
    copy.reads = copy_list(arena, program->reads);
    copy.folder = arena_text(arena, program->folder);
    copy.within = arena_text(arena, program->within);
    return copy;
}

static void let_go(struct programs *programs)
{
    if (programs->socket >= 0)
        close(programs->socket);
    if (programs->helper > 0)
        waitpid(programs->helper, NULL, 0);
    if (programs->epoll_fd >= 0)
        close(programs->epoll_fd);
    if (programs->event_fd >= 0)
        close(programs->event_fd);
    pthread_mutex_destroy(&programs->lock);
    arena_done(&programs->arena);
    free(programs);
}

/* What the helper has found out. */
static bool hear_ready(struct programs *programs)
{
    struct pollfd wait = { .fd = programs->socket, .events = POLLIN };
    struct tell told;

    if (poll(&wait, 1, READY_MS) != 1 || recv(programs->socket, &told, sizeof(told), 0) != sizeof(told) ||
        told.kind != TELL_READY)
        return false;
    programs->bounds = told.bounds;
    return true;
}

bool programs_fork(const struct program *const *allowed, size_t count, struct programs **forked,
                   struct err *err)
{
    struct programs *programs = memory_take(sizeof(*programs));
    int pair[2];
    pid_t server = getpid();

    *programs = (struct programs){ .socket = -1, .epoll_fd = -1, .event_fd = -1, .allowed_count = count };
    programs->touched_last = &programs->touched;
    programs->unsent_last = &programs->unsent;
    pthread_mutex_init(&programs->lock, NULL);
    struct program *copies = arena_array(&programs->arena, struct program, count + 1);

    for (size_t i = 0; i < count; i++)
        copies[i] = copy_program(&programs->arena, allowed[i]);
    programs->allowed = copies;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0) {
        programs->socket = pair[0];
        programs->helper = fork();
        if (programs->helper == 0)
            helper_run(pair[1], copies, count, server);
        close(pair[1]);
        if (programs->helper > 0 && hear_ready(programs)) {
            *forked = programs;
            return true;
        }
    }
    err_set(err, ERR_UNAVAILABLE, "The process that starts programs does not start: %s.", strerror(errno));
    let_go(programs);
    return false;
}

void programs_bounds(const struct programs *programs, struct programs_bounds *bounds)
{
    *bounds = programs->bounds;
}

/* One packet for the helper; false: not now. */
static bool send_packet(struct programs *programs, struct program_run *run, enum ask_kind kind)
{
    struct ask ask = {
        .kind = kind, .slot = run->slot, .entry = run->entry, .variables = (uint32_t)run->variables
    };
    struct iovec parts[] = { { .iov_base = &ask, .iov_len = sizeof(ask) },
                             { .iov_base = run->texts, .iov_len = run->texts_len } };
    union {
        char bytes[CMSG_SPACE(sizeof(run->theirs))];
        struct cmsghdr align;
    } control = { 0 };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 1 };

    if (kind == ASK_START) {
        message.msg_iovlen = 2;
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);

        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(run->theirs));
        memcpy(CMSG_DATA(header), run->theirs, sizeof(run->theirs));
    }
    /* A helper that is gone is heard of by its socket; until then it is as if it were slow. */
    return sendmsg(programs->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

/* All that it has to say, in order; false: not now. */
static bool say_all(struct programs *programs, struct program_run *run)
{
    if (run->wants_start) {
        if (!send_packet(programs, run, ASK_START))
            return false;
        run->wants_start = false;
        for (int i = 0; i < PIPES; i++) {
            close(run->theirs[i]);
            run->theirs[i] = -1;
        }
    }
    if (run->wants_end) {
        if (!send_packet(programs, run, ASK_END))
            return false;
        run->wants_end = false;
    }
    if (run->wants_kill) {
        if (!send_packet(programs, run, ASK_KILL))
            return false;
        run->wants_kill = false;
    }
    return true;
}

/* Only while something waits is the socket looked at for room. */
static void watch_helper(struct programs *programs)
{
    struct epoll_event event = { .events = EPOLLIN | (programs->unsent ? EPOLLOUT : 0), .data.u64 = HELPER };

    if (programs->waits_for_room == (programs->unsent != NULL))
        return;
    programs->waits_for_room = programs->unsent != NULL;
    epoll_ctl(programs->epoll_fd, EPOLL_CTL_MOD, programs->socket, &event);
}

static void say_waiting(struct programs *programs)
{
    while (programs->unsent && say_all(programs, programs->unsent)) {
        struct program_run *run = programs->unsent;

        programs->unsent = run->next_unsent;
        run->is_unsent = false;
    }
    if (!programs->unsent)
        programs->unsent_last = &programs->unsent;
    watch_helper(programs);
}

void programs_say(struct programs *programs, struct program_run *run)
{
    if (!run->is_unsent) {
        run->is_unsent = true;
        run->next_unsent = NULL;
        *programs->unsent_last = run;
        programs->unsent_last = &run->next_unsent;
    }
}

static void leave_line(struct programs *programs, struct program_run *run)
{
    if (!run->is_unsent)
        return;
    programs->unsent_last = &programs->unsent;
    for (struct program_run **at = &programs->unsent; *at;) {
        if (*at == run)
            *at = run->next_unsent;
        else
            at = programs->unsent_last = &(*at)->next_unsent;
    }
}

/* It is about to be freed. An owner that touched it meanwhile has it in the other list. */
void programs_forget(struct program_run *run)
{
    struct programs *programs = run->programs;

    leave_line(programs, run);
    pthread_mutex_lock(&programs->lock);
    programs->touched_last = &programs->touched;
    for (struct program_run **at = &programs->touched; *at;) {
        if (*at == run)
            *at = run->next_touched;
        else
            at = programs->touched_last = &(*at)->next_touched;
    }
    programs->slots[run->slot] = NULL;
    programs->running--;
    pthread_mutex_unlock(&programs->lock);
}

static struct program_run *run_of(struct programs *programs, uint32_t slot)
{
    pthread_mutex_lock(&programs->lock);
    struct program_run *run = slot < LIMIT_PROGRAMS ? programs->slots[slot] : NULL;

    pthread_mutex_unlock(&programs->lock);
    return run;
}

static void lose_helper(struct programs *programs)
{
    epoll_ctl(programs->epoll_fd, EPOLL_CTL_DEL, programs->socket, NULL);
    pthread_mutex_lock(&programs->lock);
    programs->gone = true;
    pthread_mutex_unlock(&programs->lock);
    for (uint32_t i = 0; i < LIMIT_PROGRAMS; i++) {
        struct program_run *run = run_of(programs, i);

        if (run)
            run_lost(run);
    }
}

static void hear_helper(struct programs *programs)
{
    struct tell told;
    ssize_t len;

    while ((len = recv(programs->socket, &told, sizeof(told), MSG_DONTWAIT)) == sizeof(told)) {
        struct program_run *run = run_of(programs, told.slot);

        if (run && !run->wants_start)
            run_over(run, &told);
    }
    if (len >= 0 || (errno != EAGAIN && errno != EINTR))
        lose_helper(programs);
}

static void hear_owners(struct programs *programs)
{
    for (;;) {
        pthread_mutex_lock(&programs->lock);
        struct program_run *run = programs->touched;

        if (run) {
            programs->touched = run->next_touched;
            run->is_touched = false;
        }
        if (!programs->touched)
            programs->touched_last = &programs->touched;
        bool gone = programs->gone;

        pthread_mutex_unlock(&programs->lock);
        if (!run)
            return;
        if (gone)
            run_lost(run);
        else if (run->has_begun || run_begin(run))
            run_attend(run);
    }
}

static void is_ready(struct programs *programs, const struct epoll_event *event)
{
    uint64_t count, number = event->data.u64;

    if (number == WAKES) {
        if (read(programs->event_fd, &count, sizeof(count)) < 0)
            return;
    } else if (number == HELPER) {
        if (event->events & (EPOLLIN | EPOLLERR | EPOLLHUP))
            hear_helper(programs);
    } else {
        struct program_run *run = run_of(programs, (uint32_t)(number - FIRST_PIPE) / PIPES);
        int pipe = (int)((number - FIRST_PIPE) % PIPES);

        if (run && run->pipes[pipe] >= 0)
            run_ready(run, pipe);
    }
}

static bool goes_on(struct programs *programs)
{
    pthread_mutex_lock(&programs->lock);
    bool more = !programs->closing || programs->running > 0;

    pthread_mutex_unlock(&programs->lock);
    return more;
}

static void *run_loop(void *user)
{
    struct programs *programs = user;
    struct epoll_event events[LOOP_EVENTS];

    while (goes_on(programs)) {
        int count = epoll_wait(programs->epoll_fd, events, LOOP_EVENTS,
                               timers_wait(&programs->timers, clock_ticks_ms()));

        for (int i = 0; i < count; i++)
            is_ready(programs, &events[i]);
        hear_owners(programs);
        timers_run(&programs->timers, clock_ticks_ms());
        say_waiting(programs);
    }
    return NULL;
}

static bool watch_own(struct programs *programs, int fd, uint64_t number)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = number };

    return fd >= 0 && epoll_ctl(programs->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool programs_open(struct programs *programs, struct err *err)
{
    sigset_t all, before;

    programs->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    programs->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (programs->epoll_fd < 0 || !watch_own(programs, programs->event_fd, WAKES) ||
        !watch_own(programs, programs->socket, HELPER))
        return err_set(err, ERR_UNAVAILABLE, "The thread that reads programs does not start: %s.",
                       strerror(errno));
    /* Signals are the main thread's; that includes SIGPIPE, which a program that does not read would raise.
     */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&programs->thread, NULL, run_loop, programs);

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return err_set(err, ERR_UNAVAILABLE, "The thread that reads programs does not start: %s.",
                       strerror(failed));
    pthread_setname_np(programs->thread, "programs");
    programs->is_open = true;
    return true;
}

/* Under the lock. */
static void wake(struct programs *programs)
{
    uint64_t one = 1;

    if (write(programs->event_fd, &one, sizeof(one)) < 0)
        return; /* it is full, so the thread is about to wake */
}

/* Under the lock. */
static void touch(struct program_run *run)
{
    struct programs *programs = run->programs;

    if (run->is_touched)
        return;
    run->is_touched = true;
    run->next_touched = NULL;
    *programs->touched_last = run;
    programs->touched_last = &run->next_touched;
    wake(programs);
}

void programs_close(struct programs *programs)
{
    if (!programs)
        return;
    if (programs->is_open) {
        pthread_mutex_lock(&programs->lock);
        programs->closing = true;
        for (size_t i = 0; i < LIMIT_PROGRAMS; i++)
            if (programs->slots[i]) {
                programs->slots[i]->end_is_asked = true;
                touch(programs->slots[i]);
            }
        wake(programs);
        pthread_mutex_unlock(&programs->lock);
        pthread_join(programs->thread, NULL);
    }
    let_go(programs);
}

static bool same_texts(const char *const *left, const char *const *right)
{
    size_t i = 0;

    for (; left && left[i] && right && right[i]; i++)
        if (strcmp(left[i], right[i]) != 0)
            return false;
    return (!left || !left[i]) && (!right || !right[i]);
}

static bool is_added(const char *variable)
{
    return strncmp(variable, HELPER_VARIABLES, strlen(HELPER_VARIABLES)) == 0;
}

/* Those of the entry, with others beside that begin with WITAN_ and stand last. */
static bool same_environment(const char *const *entry, const char *const *asked, size_t *own)
{
    size_t i = 0;

    for (; entry && entry[i]; i++)
        if (!asked || !asked[i] || strcmp(entry[i], asked[i]) != 0)
            return false;
    *own = i;
    for (; asked && asked[i]; i++)
        if (!is_added(asked[i]))
            return false;
    return true;
}

static bool same_text(const char *left, const char *right)
{
    return left == right || (left && right && strcmp(left, right) == 0);
}

/* The folder may differ where the entry says within what; else it tells apart what is the same otherwise. */
static bool is_entry(const struct program *entry, const struct program *asked, size_t *own)
{
    return same_texts(entry->argv, asked->argv) && entry->network == asked->network &&
           same_texts(entry->reads, asked->reads) && same_text(entry->within, asked->within) &&
           (entry->within || same_text(entry->folder, asked->folder)) &&
           entry->cpu_seconds == asked->cpu_seconds && entry->memory_most == asked->memory_most &&
           entry->file_most == asked->file_most && entry->processes_most == asked->processes_most &&
           entry->files_most == asked->files_most &&
           same_environment(entry->environment, asked->environment, own);
}

/* The folder and the variables that are not the entry's. */
static bool write_texts(struct program_run *run, const struct program *asked, size_t own)
{
    BUF_AUTO texts = { 0 };

    buf_init(&texts, PACKET_MOST);
    buf_text(&texts, asked->folder ? asked->folder : "");
    buf_char(&texts, '\0');
    for (size_t i = own; asked->environment && asked->environment[i]; i++) {
        buf_text(&texts, asked->environment[i]);
        buf_char(&texts, '\0');
        run->variables++;
    }
    if (texts.full)
        return false;
    run->texts = buf_take(&texts, &run->texts_len);
    return true;
}

static bool find_entry(struct programs *programs, const struct program *asked, struct program_run *run,
                       struct err *err)
{
    size_t own;

    for (size_t i = 0; i < programs->allowed_count; i++) {
        const struct program *entry = &programs->allowed[i];

        if (!is_entry(entry, asked, &own))
            continue;
        run->entry = (uint32_t)i;
        run->program = *entry;
        run->program.time_ms = asked->time_ms;
        run->program.output_most = asked->output_most;
        if (write_texts(run, asked, own)) {
            run->program.folder = *run->texts ? run->texts : entry->folder;
            return true;
        }
        return err_set(err, ERR_TOO_LARGE, "The folder and the variables of %s are too long.",
                       asked->argv[0]);
    }
    return err_set(err, ERR_FORBIDDEN, "The program %s is not one that config.yaml names.",
                   asked->argv && asked->argv[0] ? asked->argv[0] : "");
}

/* Under the lock. */
static bool take_slot(struct programs *programs, struct program_run *run)
{
    for (uint32_t i = 0; i < LIMIT_PROGRAMS; i++)
        if (!programs->slots[i]) {
            programs->slots[i] = run;
            programs->running++;
            run->slot = i;
            return true;
        }
    return false;
}

static bool hand_in(struct programs *programs, struct program_run *run, struct err *err)
{
    pthread_mutex_lock(&programs->lock);
    bool gone = programs->gone || programs->closing, taken = !gone && take_slot(programs, run);

    if (taken)
        touch(run);
    pthread_mutex_unlock(&programs->lock);
    if (gone)
        return err_set(err, ERR_UNAVAILABLE,
                       "The process that starts programs is gone, or the server is stopping.");
    return taken || err_set(err, ERR_UNAVAILABLE, "%d programs run already; no more can be started now.",
                            LIMIT_PROGRAMS);
}

bool programs_start(struct programs *programs, const struct program *program, const char *input,
                    size_t input_len, bool keep_input, const struct program_callbacks *callbacks,
                    struct program_run **started, struct err *err)
{
    if (!programs)
        return err_set(err, ERR_UNAVAILABLE, "config.yaml names no programs, so none can be started.");
    if (input_len > LIMIT_PROGRAM_WAITING)
        return err_set(err, ERR_TOO_LARGE, "The input of %s is larger than %d bytes.", program->argv[0],
                       LIMIT_PROGRAM_WAITING);
    struct program_run *run = memory_take(sizeof(*run));

    *run = (struct program_run){ .programs = programs,
                                 .callbacks = *callbacks,
                                 .keeps_input = keep_input,
                                 .began_ms = clock_ticks_ms(),
                                 .pipes = { -1, -1, -1 },
                                 .theirs = { -1, -1, -1 } };
    run_add_input(run, run_input_of(input, input_len));
    *started = run; /* before its `done` can come */
    if (find_entry(programs, program, run, err) && hand_in(programs, run, err))
        return true;
    *started = NULL;
    run_free(run);
    return false;
}

bool programs_write(struct program_run *run, const char *bytes, size_t len)
{
    struct program_input *input = run_input_of(bytes, len); /* no memory is taken under the lock */

    pthread_mutex_lock(&run->programs->lock);
    bool good = run->keeps_input && !run->input_is_closed && len <= LIMIT_PROGRAM_WAITING - run->waiting;

    if (good) {
        run_add_input(run, input);
        touch(run);
    }
    pthread_mutex_unlock(&run->programs->lock);
    if (!good)
        free(input);
    return good;
}

void programs_close_input(struct program_run *run)
{
    pthread_mutex_lock(&run->programs->lock);
    run->keeps_input = false;
    touch(run);
    pthread_mutex_unlock(&run->programs->lock);
}

void programs_end(struct program_run *run)
{
    pthread_mutex_lock(&run->programs->lock);
    run->end_is_asked = true;
    touch(run);
    pthread_mutex_unlock(&run->programs->lock);
}
