#include "programs/keeper.h"

#include "programs/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARIABLES_MOST 512
#define CHILDREN_TEXT  4096
#define PAUSE_US       1000 /* between two looks at children that have not gone yet */

void keeper_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGUSR1);
}

static _Noreturn void fail(struct outcome *outcome, enum stage stage)
{
    outcome->stage = stage;
    outcome->error = errno;
    outcome->kind = TELL_FAILED;
    _exit(127);
}

static bool has_variable(const char *const *list, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; list && list[i]; i++)
        if (strncmp(list[i], name, len) == 0 && list[i][len] == '=')
            return true;
    return false;
}

static size_t add_variables(char **to, size_t count, const char *const *list)
{
    for (size_t i = 0; list && list[i] && count < VARIABLES_MOST - 1; i++)
        to[count++] = (char *)list[i];
    return count;
}

/* What programs cannot do without, unless the entry says otherwise. */
static void make_environment(const struct keeping *keeping, const struct program_place *place, char **to)
{
    static char home[PATH_MAX + 8], scratch[PATH_MAX + 8];
    const char *const *listed = keeping->program->environment;
    size_t count = add_variables(to, 0, listed);

    count = add_variables(to, count, keeping->variables);
    snprintf(home, sizeof(home), "HOME=%s", place->real);
    snprintf(scratch, sizeof(scratch), "TMPDIR=%s", place->real);
    const char *const usual[] = { has_variable(listed, "PATH") ? NULL : "PATH=" LOOKUP_PATH,
                                  has_variable(listed, "HOME") ? NULL : home,
                                  has_variable(listed, "TMPDIR") ? NULL : scratch };

    for (size_t i = 0; i < sizeof(usual) / sizeof(*usual) && count < VARIABLES_MOST - 1; i++)
        if (usual[i])
            to[count++] = (char *)usual[i];
    to[count] = NULL;
}

/* All signals as a program expects them. */
static void reset_signals(void)
{
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool take_pipes(const int *pipes)
{
    for (int i = 0; i < PIPES; i++)
        if (dup2(pipes[i], i) < 0)
            return false;
    return close_range(PIPES, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

static _Noreturn void become_program(const struct keeping *keeping, struct program_place *place)
{
    static char path[PATH_MAX];
    char *environment[VARIABLES_MOST];
    const struct program *program = keeping->program;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    (void)setsid();
    umask(077);
    if (fchdir(place->fd) != 0)
        fail(keeping->outcome, STAGE_FOLDER);
    if (!lookup_program(program->argv[0], path))
        fail(keeping->outcome, STAGE_PROGRAM);
    if (!fixed_open_names(keeping->fixed, place->named, &place->named_count)) {
        keeping->outcome->status = (int)place->named_count;
        fail(keeping->outcome, STAGE_NAMED);
    }
    make_environment(keeping, place, environment);
    if (!take_pipes(keeping->pipes))
        fail(keeping->outcome, STAGE_PROCESS);
    reset_signals();
    if (!hold_enter(keeping->hold, program, path, place))
        fail(keeping->outcome, STAGE_HOLD);
    execve(path, (char *const *)program->argv, environment);
    fail(keeping->outcome, STAGE_RUN);
}

/* The children of this process, as the kernel lists them. */
static size_t list_children(pid_t *list, size_t most)
{
    char path[64], text[CHILDREN_TEXT];
    size_t count = 0;

    snprintf(path, sizeof(path), "/proc/self/task/%ld/children", syscall(SYS_gettid));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

    if (fd >= 0)
        close(fd);
    text[len > 0 ? len : 0] = '\0';
    /* A number that the text's end may have cut is left for the next look. */
    for (char *at = text, *end; count < most; at = end) {
        long pid = strtol(at, &end, 10);

        if (end == at || *end != ' ')
            break;
        list[count++] = (pid_t)pid;
    }
    return count;
}

static bool is_among(pid_t pid, const pid_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == pid)
            return true;
    return false;
}

void keeper_end_children(const pid_t *spared, size_t count)
{
    pid_t children[256];

    for (;;) {
        size_t found = list_children(children, sizeof(children) / sizeof(*children)), ended = 0;

        for (size_t i = 0; i < found; i++)
            if (!is_among(children[i], spared, count)) {
                kill(children[i], SIGKILL);
                if (waitpid(children[i], NULL, WNOHANG) == 0)
                    ended++;
            }
        if (ended == 0)
            return;
        usleep(PAUSE_US);
    }
}

/* Whose parent has gone is handed to the keeper, so what is left is found by looking again and again. */
static void end_rest(const struct program_hold *hold, pid_t program)
{
    if (hold->namespaces != 0)
        return; /* the kernel does it */
    kill(-program, SIGKILL);
    while (waitpid(-1, NULL, WNOHANG) >= 0) {
        keeper_end_children(NULL, 0);
        usleep(PAUSE_US);
    }
}

static void note(struct outcome *outcome, int status)
{
    if (outcome->kind != 0) /* it could not be started */
        return;
    *outcome = (struct outcome){ .kind = WIFSIGNALED(status) ? TELL_SIGNALLED : TELL_EXITED,
                                 .status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) };
}

/* Whether the program itself has ended; others that are handed over are taken away. */
static bool reap(pid_t program, struct outcome *outcome)
{
    int status;

    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == program) {
            note(outcome, status);
            return true;
        }
    return false;
}

static _Noreturn void keep(const struct keeping *keeping, pid_t program)
{
    const struct program_hold *hold = keeping->hold;
    sigset_t set;
    bool over = false;

    close_range(0, ~0U, 0);
    keeper_signals(&set);
    while (!over) {
        int number = sigwaitinfo(&set, NULL);

        if (number == SIGTERM)
            kill(hold->namespaces != 0 ? -1 : -program, SIGTERM);
        else if (number == SIGUSR1) {
            note(keeping->outcome, SIGKILL);
            over = true;
        } else if (number == SIGCHLD) {
            over = reap(program, keeping->outcome);
        }
    }
    end_rest(hold, program);
    _exit(0);
}

static _Noreturn void become_keeper(const struct keeping *keeping)
{
    const struct program_hold *hold = keeping->hold;
    static struct program_place place;

    (void)prctl(PR_SET_PDEATHSIG, hold->namespaces != 0 ? SIGKILL : SIGUSR1, 0, 0, 0);
    (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* for its own files in /proc */
    /* If memory runs out, this is what goes first, not the server. */
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        if (write(fd, "1000", 4) < 0)
            errno = 0;
        close(fd);
    }
    if (hold->namespaces == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        fail(keeping->outcome, STAGE_PROCESS);
    if (!hold_settle(hold))
        fail(keeping->outcome, STAGE_HOLD);
    place.fd = fixed_open_folder(keeping->outer, keeping->folder, place.real);
    if (place.fd < 0)
        fail(keeping->outcome, errno == EXDEV    ? STAGE_OUTSIDE
                               : errno == ESTALE ? STAGE_CHANGED
                                                 : STAGE_FOLDER);
    if (!hold_mounts(hold, &place))
        fail(keeping->outcome, STAGE_HOLD);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    pid_t program = fork();

    if (program == 0)
        become_program(keeping, &place);
    if (program < 0)
        fail(keeping->outcome, STAGE_PROCESS);
    keep(keeping, program);
}

pid_t keeper_start(const struct keeping *keeping)
{
    *keeping->outcome = (struct outcome){ 0 };
    pid_t keeper = hold_fork(keeping->hold);

    if (keeper == 0)
        become_keeper(keeping);
    return keeper;
}

void keeper_kill(const struct program_hold *hold, pid_t keeper)
{
    kill(keeper, hold->namespaces != 0 ? SIGKILL : SIGUSR1);
}
