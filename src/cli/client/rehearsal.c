/*
 * The server of a rehearsal is this very program, started as a child with an empty config.yaml and without
 * any WITAN_ variable, in a process group of its own. Its one line on stdout says where it listens.
 */
#include "cli/client/rehearsal.h"

#include "base/str.h"
#include "cli/client/client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static bool write_empty(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return fd >= 0 && close(fd) == 0;
}

/* The server's stdout is the pipe; its log is nobody's. */
static bool start(struct cli *cli, struct rehearsal *rehearsal, int *from)
{
    const char *config = arena_format(cli->arena, "%s/config.yaml", rehearsal->folder);
    const char *words[] = { "witan",    "serve",
                            "--listen", "127.0.0.1:0",
                            "--config", config,
                            "--db",     arena_format(cli->arena, "sqlite:%s/rehearsal.db", rehearsal->folder),
                            NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int ends[2];
    bool good;

    if (!write_empty(config) || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    /* A group of its own: Ctrl-C is for the command, which still wants to stop the discussion. */
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    good = posix_spawn(&rehearsal->pid, "/proc/self/exe", &actions, &attributes, (char *const *)words,
                       plain_environment(cli->arena)) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!good)
        close(ends[0]);
    *from = ends[0];
    return good;
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

bool rehearsal_open(struct cli *cli, struct rehearsal *rehearsal, struct err *err)
{
    int from;

    if (is_there(cli))
        return true;
    snprintf(rehearsal->folder, sizeof(rehearsal->folder), "/tmp/witan-rehearsal-XXXXXX");
    if (!mkdtemp(rehearsal->folder)) {
        rehearsal->folder[0] = '\0';
        return err_set(err, ERR_INTERNAL, "Cannot make a folder for the rehearsal: %s.", strerror(errno));
    }
    if (!start(cli, rehearsal, &from) || !read_url(cli, from)) {
        rehearsal_close(cli, rehearsal);
        err_set(err, ERR_UNAVAILABLE, "Cannot start a server for the rehearsal.");
        return err_hint(err, "Start one with `witan serve`, and rehearse on that.");
    }
    cli_note(cli,
             "No server runs at the moment, so this one is held on a store that is thrown away afterwards.");
    return true;
}

void rehearsal_close(struct cli *cli, struct rehearsal *rehearsal)
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
