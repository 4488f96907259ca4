/*
 * The server of a rehearsal is this very program, started as a child with a config.yaml of its own and
 * without any WITAN_ variable, in a process group of its own. Its one line on stdout says where it listens.
 */
#include "cli/client/rehearsal.h"

#include "base/str.h"
#include "cli/client/client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY "ready: "

extern char **environ;

static bool is_there(struct cli *cli)
{
    struct client_request request = { .method = "GET", .path = "/healthz", .timeout_s = 5 };
    struct client_reply reply;
    struct err ignored = { 0 };

    return client_send(cli, &request, &reply, &ignored);
}

/* What the environment says of other servers and stores is not meant for this one. */
static char **plain_environment(struct arena *arena)
{
    size_t count = 0, kept = 0;

    while (environ[count])
        count++;
    char **plain = arena_array(arena, char *, count + 1);

    for (size_t i = 0; i < count; i++)
        if (!str_starts(environ[i], "WITAN_"))
            plain[kept++] = environ[i];
    return plain;
}

/* No models are named, and none are looked for. */
static bool write_config(const char *path)
{
    static const char text[] = "council:\n  ollama: \"off\"\n";
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write(fd, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1;

    return fd >= 0 && close(fd) == 0 && good;
}

/* In the child: its stdout is the pipe, its log is nobody's, and it ends with the command, however that ends.
 */
static void become_server(const char *const words[], char **environment, int to, pid_t parent)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    /* A group of its own: Ctrl-C is for the command, which still wants to stop the discussion. */
    if (setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent && nothing >= 0 &&
        dup2(nothing, STDIN_FILENO) >= 0 && dup2(to, STDOUT_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0)
        execve("/proc/self/exe", (char *const *)words, environment);
    _exit(CLI_ERROR);
}

static bool start(struct cli *cli, struct cli_rehearsal *rehearsal, int *from)
{
    const char *config = arena_format(cli->arena, "%s/config.yaml", rehearsal->folder);
    const char *words[] = { "witan",    "serve",
                            "--listen", "127.0.0.1:0",
                            "--config", config,
                            "--db",     arena_format(cli->arena, "sqlite:%s/rehearsal.db", rehearsal->folder),
                            NULL };
    char **environment = plain_environment(cli->arena);
    pid_t parent = getpid();
    int ends[2];

    if (!write_config(config) || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    rehearsal->pid = fork();
    if (rehearsal->pid == 0)
        become_server(words, environment, ends[1], parent);
    close(ends[1]);
    if (rehearsal->pid < 0)
        close(ends[0]);
    *from = ends[0];
    return rehearsal->pid > 0;
}

/* "witan is ready: URL". */
static bool read_url(struct cli *cli, int from)
{
    char line[512], *url = NULL;
    FILE *file = fdopen(from, "r");

    while (file && !url && fgets(line, sizeof(line), file))
        url = strstr(line, READY);
    if (file)
        fclose(file);
    if (!url)
        return false;
    url += strlen(READY);
    cli->target = (struct cli_target){ .url = arena_copy(cli->arena, url, strcspn(url, "\n")) };
    return true;
}

static bool make_folder(struct cli_rehearsal *rehearsal, struct err *err)
{
    const char *wanted = getenv("TMPDIR"), *where = wanted && *wanted ? wanted : "/tmp";
    size_t room = sizeof(rehearsal->folder);
    int len = snprintf(rehearsal->folder, room, "%s/witan-rehearsal-XXXXXX", where);

    if (len >= 0 && (size_t)len < room && mkdtemp(rehearsal->folder))
        return true;
    rehearsal->folder[0] = '\0';
    err_set(err, ERR_INTERNAL, "Cannot make a folder for the rehearsal in %.200s.", where);
    return err_hint(err, "Name another with TMPDIR.");
}

bool rehearsal_open(struct cli *cli, struct cli_rehearsal *rehearsal, struct err *err)
{
    int from;

    if (is_there(cli))
        return true;
    if (!make_folder(rehearsal, err))
        return false;
    if (!start(cli, rehearsal, &from) || !read_url(cli, from)) {
        rehearsal_close(cli, rehearsal);
        err_set(err, ERR_UNAVAILABLE, "Cannot start a server for the rehearsal.");
        return err_hint(err, "Start one with `witan serve`, and rehearse on that.");
    }
    cli_note(cli,
             "No server runs at the moment, so this one is held on a store that is thrown away afterwards.");
    return true;
}

void rehearsal_close(struct cli *cli, struct cli_rehearsal *rehearsal)
{
    DIR *files;
    const struct dirent *file;

    (void)cli;
    if (rehearsal->pid > 0) {
        kill(rehearsal->pid, SIGTERM);
        while (waitpid(rehearsal->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (!*rehearsal->folder)
        return;
    files = opendir(rehearsal->folder);
    while (files && (file = readdir(files)))
        if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
            unlinkat(dirfd(files), file->d_name, 0);
    if (files)
        closedir(files);
    rmdir(rehearsal->folder);
}
