/*
 * One thread, one wait, no timers: what is to happen when is the server's business. Each program has a slot,
 * a keeper (keeper.h) and perhaps a folder of its own, which another process takes away when it has grown.
 */
#include "programs/helper.h"

#include "programs/keeper.h"
#include "programs/sweep.h"
#include "programs/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct program_slot {
    pid_t keeper, sweeper; /* 0: none */
    char own[128];         /* the folder that goes with it; "": none */
};

struct helper {
    int socket, signals;
    const struct program *allowed;
    struct program_fixed *fixed; /* of each of them */
    size_t count;
    struct program_hold hold;
    struct outcome *outcomes;
    struct program_slot slots[LIMIT_PROGRAMS];
    size_t running;      /* keepers */
    const char *scratch; /* where folders are made */
};

/* Waits if the server is slow to read; if it has gone there is nobody to tell. */
static void tell(struct helper *helper, const struct tell *told)
{
    while (send(helper->socket, told, sizeof(*told), MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

static void tell_end(struct helper *helper, uint32_t number)
{
    const struct outcome *outcome = &helper->outcomes[number];
    struct tell told = { .kind = outcome->kind,
                         .slot = number,
                         .status = outcome->status,
                         .stage = outcome->stage,
                         .error = outcome->error };

    if (told.kind == 0) { /* its keeper was killed */
        told.kind = TELL_SIGNALLED;
        told.status = SIGKILL;
    }
    helper->slots[number] = (struct program_slot){ 0 };
    tell(helper, &told);
}

static void fail(struct helper *helper, uint32_t number, enum stage stage)
{
    struct program_slot *slot = &helper->slots[number];

    helper->outcomes[number] = (struct outcome){ .kind = TELL_FAILED, .stage = stage, .error = errno };
    if (*slot->own)
        rmdir(slot->own);
    tell_end(helper, number);
}

/* An empty folder goes at once; one with something in it is left to another process, since that can take. */
static void keeper_ended(struct helper *helper, uint32_t number)
{
    struct program_slot *slot = &helper->slots[number];

    slot->keeper = 0;
    if (*slot->own && rmdir(slot->own) != 0 && errno != ENOENT) {
        slot->sweeper = fork();
        if (slot->sweeper == 0)
            _exit(sweep(slot->own) ? 0 : 1);
        if (slot->sweeper > 0)
            return;
        slot->sweeper = 0;
        (void)sweep(slot->own);
    }
    tell_end(helper, number);
}

/* A keeper that was killed by somebody else has left its children to this process. */
static void end_strays(struct helper *helper)
{
    pid_t known[2 * LIMIT_PROGRAMS];
    size_t count = 0;

    if (helper->hold.namespaces != 0)
        return;
    for (size_t i = 0; i < LIMIT_PROGRAMS; i++) {
        if (helper->slots[i].keeper > 0)
            known[count++] = helper->slots[i].keeper;
        if (helper->slots[i].sweeper > 0)
            known[count++] = helper->slots[i].sweeper;
    }
    keeper_end_children(known, count);
}

static void reap(struct helper *helper)
{
    int status;

    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        for (uint32_t i = 0; i < LIMIT_PROGRAMS; i++) {
            if (helper->slots[i].keeper == pid) {
                helper->slots[i].keeper = 0;
                helper->running--;
                if (WIFSIGNALED(status))
                    end_strays(helper);
                keeper_ended(helper, i);
                break;
            }
            if (helper->slots[i].sweeper == pid) {
                tell_end(helper, i);
                break;
            }
        }
    }
}

/* Reads the texts behind a request: the folder, then variables. */
static bool read_texts(struct ask_packet *packet, size_t len, const char **folder, const char **variables,
                       size_t most)
{
    char *at = packet->text, *end = packet->text + (len - sizeof(packet->ask));
    size_t count = 0;

    if (at == end || end[-1] != '\0')
        return false;
    *folder = *at ? at : NULL;
    for (at += strlen(at) + 1; at < end && count < most - 1; at += strlen(at) + 1) {
        if (strncmp(at, HELPER_VARIABLES, strlen(HELPER_VARIABLES)) != 0 || !strchr(at, '='))
            return false;
        variables[count++] = at;
    }
    variables[count] = NULL;
    return at == end && count == packet->ask.variables;
}

/* The folder that it works in: the one that was asked for, its own, or a new one. */
static const char *choose_folder(struct helper *helper, struct program_slot *slot,
                                 const struct program *program, const char *asked)
{
    if (asked)
        return asked;
    if (program->folder)
        return program->folder;
    if (program->within) { /* it has to say which, and gets no other */
        errno = EXDEV;
        return NULL;
    }
    snprintf(slot->own, sizeof(slot->own), "%s/witan-tool-XXXXXX", helper->scratch);
    if (mkdtemp(slot->own))
        return slot->own;
    *slot->own = '\0';
    return NULL;
}

static void start(struct helper *helper, struct ask_packet *packet, size_t len, const int *pipes)
{
    const struct ask *ask = &packet->ask;
    struct program_slot *slot = &helper->slots[ask->slot];
    const struct program *program = &helper->allowed[ask->entry];
    const char *variables[64], *asked = NULL;

    if (!read_texts(packet, len, &asked, variables, sizeof(variables) / sizeof(*variables))) {
        errno = EPERM;
        fail(helper, ask->slot, STAGE_PROCESS);
        return;
    }
    struct keeping keeping = { .hold = &helper->hold,
                               .program = program,
                               .fixed = &helper->fixed[ask->entry],
                               .outer = &helper->fixed[ask->entry].folder,
                               .folder = choose_folder(helper, slot, program, asked),
                               .variables = variables,
                               .outcome = &helper->outcomes[ask->slot] };

    if (!keeping.folder) {
        fail(helper, ask->slot, program->within ? STAGE_OUTSIDE : STAGE_OWN_FOLDER);
        return;
    }
    struct fixed_folder own = { slot->own, -1 };

    if (*slot->own) {
        own.fd = open(slot->own, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        keeping.outer = &own;
    } else if (!keeping.outer->path) { /* one that has a folder of its own gets no other */
        errno = EXDEV;
        fail(helper, ask->slot, STAGE_OUTSIDE);
        return;
    }
    memcpy(keeping.pipes, pipes, sizeof(keeping.pipes));
    helper->hold.hidden = helper->running + 2; /* itself, and the keeper to be */
    slot->keeper = keeper_start(&keeping);
    if (own.fd >= 0)
        close(own.fd);
    if (slot->keeper > 0) {
        helper->running++;
        return;
    }
    slot->keeper = 0;
    fail(helper, ask->slot, STAGE_PROCESS);
}

static void serve(struct helper *helper, struct ask_packet *packet, size_t len, const int *pipes,
                  size_t pipe_count)
{
    const struct ask *ask = &packet->ask;

    if (len < sizeof(*ask) || ask->slot >= LIMIT_PROGRAMS)
        return;
    struct program_slot *slot = &helper->slots[ask->slot];

    if (ask->kind == ASK_START && ask->entry < helper->count && pipe_count == PIPES && slot->keeper == 0 &&
        slot->sweeper == 0)
        start(helper, packet, len, pipes);
    else if (ask->kind == ASK_END && slot->keeper > 0)
        kill(slot->keeper, SIGTERM);
    else if (ask->kind == ASK_KILL && slot->keeper > 0)
        keeper_kill(&helper->hold, slot->keeper);
}

/* False: the server has gone. */
static bool listen_to_server(struct helper *helper)
{
    static struct ask_packet packet;
    union {
        char bytes[CMSG_SPACE(sizeof(int) * PIPES)];
        struct cmsghdr align;
    } control;
    struct iovec part = { .iov_base = &packet, .iov_len = sizeof(packet) };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof(control.bytes) };
    ssize_t len = recvmsg(helper->socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    const struct cmsghdr *header = len > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    int pipes[PIPES];
    size_t count = 0;

    if (len <= 0)
        return len < 0 && (errno == EINTR || errno == EAGAIN);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(pipes, CMSG_DATA(header), count * sizeof(int));
    }
    serve(helper, &packet, (size_t)len, pipes, count);
    for (size_t i = 0; i < count; i++)
        close(pipes[i]);
    return true;
}

/* Everything that runs goes, and what it has left behind. */
static _Noreturn void end_all(struct helper *helper)
{
    for (size_t i = 0; i < LIMIT_PROGRAMS; i++)
        if (helper->slots[i].keeper > 0)
            keeper_kill(&helper->hold, helper->slots[i].keeper);
    for (size_t i = 0; i < LIMIT_PROGRAMS; i++) {
        struct program_slot *slot = &helper->slots[i];

        if (slot->keeper > 0)
            waitpid(slot->keeper, NULL, 0);
        if (slot->sweeper > 0)
            waitpid(slot->sweeper, NULL, 0);
        else if (*slot->own)
            (void)sweep(slot->own);
    }
    keeper_end_children(NULL, 0);
    _exit(0);
}

/* Keeps nothing of the server's but the socket, and its standard error for what a sanitizer has to say. */
static bool leave_server(struct helper *helper, pid_t server)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t set;

    (void)setsid();
    (void)prctl(PR_SET_NAME, "witan-programs", 0, 0, 0);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* what it was forked from has keys in its memory */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(helper->socket, 3) < 0)
        return false;
    helper->socket = 3;
    if (close_range(4, ~0U, 0) != 0 || fcntl(3, F_SETFD, FD_CLOEXEC) != 0 || chdir("/") != 0)
        return false;
    /* A terminal's or a service's signals are for the server, which says what ends; SIGUSR1: it has gone. */
    keeper_signals(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGPIPE);
    sigprocmask(SIG_SETMASK, &set, NULL);
    helper->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    (void)prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
    return helper->signals >= 0 && getppid() == server;
}

static void wait_and_serve(struct helper *helper)
{
    struct pollfd waits[] = { { .fd = helper->socket, .events = POLLIN },
                              { .fd = helper->signals, .events = POLLIN } };
    struct signalfd_siginfo signals[16];
    ssize_t len;

    if (poll(waits, 2, -1) < 0)
        return;
    while ((len = read(helper->signals, signals, sizeof(signals))) > 0)
        for (size_t i = 0; i < (size_t)len / sizeof(*signals); i++)
            if (signals[i].ssi_signo == SIGUSR1)
                end_all(helper);
    reap(helper);
    if (waits[0].revents && !listen_to_server(helper))
        end_all(helper);
}

_Noreturn void helper_run(int socket, const struct program *allowed, size_t count, pid_t server)
{
    static struct helper helper;
    const char *scratch = getenv("TMPDIR");
    size_t size = LIMIT_PROGRAMS * sizeof(*helper.outcomes);

    helper.socket = socket;
    helper.allowed = allowed;
    helper.count = count;
    helper.scratch = scratch && scratch[0] == '/' && strlen(scratch) < 100 ? scratch : "/tmp";
    if (!leave_server(&helper, server))
        _exit(1);
    helper.outcomes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    helper.fixed = calloc(count + 1, sizeof(*helper.fixed));
    if (helper.outcomes == MAP_FAILED || !helper.fixed)
        _exit(1);
    for (size_t i = 0; i < count; i++)
        if (!fixed_find(&helper.fixed[i], &allowed[i]))
            _exit(1);
    hold_find(&helper.hold, helper.scratch);
    tell(&helper, &(struct tell){ .kind = TELL_READY, .bounds = helper.hold.bounds });
    for (;;)
        wait_and_serve(&helper);
}
