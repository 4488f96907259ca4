/*
 * The variable is a command line of the person's own, such as "code --wait", and is therefore read by a
 * shell, as git and crontab do; the file's name is handed over beside it. Without one it is an editor that is
 * there. Ctrl-C belongs to the editor while it runs.
 */
#include "cli/text_edit.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define NOT_FOUND 127 /* what a shell says of a command that is not there */

/* The person's own, or NULL. */
static const char *editor(void)
{
    const char *visual = getenv("VISUAL"), *plain = getenv("EDITOR");

    return visual && *visual ? visual : plain && *plain ? plain : NULL;
}

static bool write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, text, len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        text += put;
        len -= (size_t)put;
    }
    return true;
}

static bool make_file(char *path, const char *text, struct err *err)
{
    int fd = mkostemp(path, O_CLOEXEC);
    bool good = fd >= 0 && write_all(fd, text, strlen(text));

    if (fd >= 0 && close(fd) != 0)
        good = false;
    return good || err_set(err, ERR_INVALID, "Cannot write %s: %s.", path, strerror(errno));
}

static bool run_editor(const char *command, const char *path, struct err *err)
{
    char own[] = "exec $WITAN_EDIT_WITH \"$1\"", name[] = "sh", dash[] = "-c";
    char found[] =
        "for one in editor nano vi; do command -v $one >/dev/null && exec $one \"$1\"; done; exit 127";
    char *argv[] = { name, dash, command ? own : found, name, (char *)(uintptr_t)path, NULL };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    int status = -1;
    pid_t pid;

    if (command)
        setenv("WITAN_EDIT_WITH", command, 1);
    sigaction(SIGINT, &ignore, &before);
    posix_spawnattr_t attributes;
    sigset_t usual;

    posix_spawnattr_init(&attributes);
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    bool begun = posix_spawn(&pid, "/bin/sh", NULL, &attributes, argv, environ) == 0;

    while (begun && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    posix_spawnattr_destroy(&attributes);
    sigaction(SIGINT, &before, NULL);
    unsetenv("WITAN_EDIT_WITH");
    if (begun && WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
        err_set(err, ERR_INVALID, "There is no editor to edit with.");
        return err_hint(err, "Set EDITOR, or type the arguments as a JSON object.");
    }
    return (begun && WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           err_set(err, ERR_DECLINED, "The editor ended with an error: nothing was edited.");
}

static bool read_back(struct arena *arena, const char *path, const char **after, struct err *err)
{
    BUF_AUTO all = { 0 };
    char chunk[16 * KB];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;

    buf_init(&all, LIMIT_BODY);
    while (fd >= 0 && (got = read(fd, chunk, sizeof(chunk))) > 0)
        buf_add(&all, chunk, (size_t)got);
    if (fd >= 0)
        close(fd);
    if (got != 0 || all.full)
        return err_set(err, ERR_INVALID, "What was edited cannot be read, or is larger than %d bytes.",
                       LIMIT_BODY);
    if (all.len > 0 && !str_is_utf8(all.bytes, all.len))
        return err_set(err, ERR_INVALID, "What was edited is not UTF-8 text.");
    *after = arena_copy(arena, all.bytes ? all.bytes : "", all.len);
    return true;
}

bool text_edit(struct arena *arena, const char *before, const char **after, struct err *err)
{
    const char *command = editor(), *folder = getenv("TMPDIR");
    char *path = arena_format(arena, "%s/witan-edit-XXXXXX", folder && *folder ? folder : "/tmp");
    bool good;

    if (!make_file(path, before, err))
        return false;
    good = run_editor(command, path, err) && read_back(arena, path, after, err);
    unlink(path);
    return good;
}
