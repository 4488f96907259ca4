/*
 * A session is named by its leader's number, the tick at which that was started and the boot, read from
 * /proc: numbers of processes are used again, so the number alone would one day name somebody else's
 * terminal.
 */
#include "cli/terminal.h"

#include "base/str.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define LEADER_FIELDS 20 /* of /proc/PID/stat, between the name and the time of the start */

/* The session whose terminal this process has; 0: none. */
static pid_t own_session(void)
{
    int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    pid_t session = fd >= 0 ? tcgetsid(fd) : 0;

    if (fd >= 0)
        close(fd);
    return session > 0 ? session : 0;
}

static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool good = file && fgets(line, (int)size, file);

    if (file)
        fclose(file);
    return good;
}

/* In ticks since the boot, so that a number that is used again is not taken for the same process. */
static bool started_at(long pid, uint64_t *ticks)
{
    char path[64], line[1024];
    const char *at;

    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    /* The name stands in parentheses and may hold anything, also parentheses. */
    if (!read_line(path, line, sizeof(line)) || !(at = strrchr(line, ')')))
        return false;
    /* One that has ended and that nobody has asked after leads nothing. */
    if (str_starts(at, ") Z") || str_starts(at, ") X"))
        return false;
    for (int field = 0; at && field < LEADER_FIELDS; field++)
        at = strchr(at + 1, ' ');
    *ticks = at ? strtoull(at + 1, NULL, 10) : 0;
    return *ticks > 0;
}

/* This boot of this machine, or of this container: numbers of processes mean something within it only. */
static const char *own_world(struct arena *arena)
{
    char boot[64], space[64];
    ssize_t len = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);
    const char *digits;

    if (len <= 0 || !read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)))
        return NULL;
    space[len] = '\0';
    digits = space + strcspn(space, "0123456789");
    return arena_format(arena, "%.8s.%.*s", boot, (int)strspn(digits, "0123456789"), digits);
}

const char *terminal_name(struct arena *arena)
{
    const char *world = own_world(arena);
    pid_t session = own_session();
    uint64_t ticks;

    if (!world || session == 0 || !started_at(session, &ticks))
        return NULL;
    return arena_format(arena, "%s.%ld.%" PRIu64, world, (long)session, ticks);
}

bool terminal_may_live(struct arena *arena, const char *name)
{
    const char *world = own_world(arena);
    const char *rest = world && str_starts(name, world) ? name + strlen(world) : "";
    uint64_t ticks, then;
    char *end;
    long pid;

    if (*rest != '.')
        return true;
    pid = strtol(rest + 1, &end, 10);
    then = *end == '.' ? strtoull(end + 1, NULL, 10) : 0;
    return started_at(pid, &ticks) && ticks == then;
}

bool terminal_shows_stdout(void)
{
    pid_t session = own_session();

    return session != 0 && isatty(STDOUT_FILENO) && tcgetsid(STDOUT_FILENO) == session;
}

bool terminal_can_ask(const struct cli *cli)
{
    return !cli_has(cli, "yes") && !cli_has(cli, "no-input") && own_session() != 0 &&
           (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO) || isatty(STDERR_FILENO));
}

bool terminal_ask(const char *prompt, char *line, size_t size)
{
    FILE *terminal = fopen("/dev/tty", "r+e");
    bool answered = false;

    if (!terminal)
        return false;
    /* What was typed before this was asked is no answer to it. */
    tcflush(fileno(terminal), TCIFLUSH);
    fputs(prompt, terminal);
    fflush(terminal);
    answered = fgets(line, (int)size, terminal) != NULL;
    fclose(terminal);
    if (answered)
        line[strcspn(line, "\r\n")] = '\0';
    return answered;
}
