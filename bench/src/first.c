#include "http_in.h"
#include "modes.h"
#include "util.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GIVE_UP_S 120.0

static pid_t start(char *const *command)
{
    pid_t pid = fork();

    if (pid < 0)
        die("cannot fork: %s", strerror(errno));
    if (pid > 0)
        return pid;
    /* What the server prints is not part of our one line. */
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(command[0], command);
    die("cannot run %s: %s", command[0], strerror(errno));
}

/* One try: 0 while nobody listens or the answer is not a good one yet. */
static bool answers(const struct options *options, char *buffer)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct http_in in;
    size_t len = request_write(&options->request, 1, buffer), used;
    ssize_t got = 1;

    http_in_reset(&in);
    if (connect(fd, (const struct sockaddr *)&options->target.address, sizeof(options->target.address)) ==
            0 &&
        net_send(fd, buffer, len)) {
        while (!http_in_done(&in) && (got = recv(fd, buffer, REQUEST_MAX, 0)) > 0) {
            if (!http_in_feed(&in, buffer, (size_t)got, &used, NULL, NULL))
                break;
        }
    }
    close(fd);
    return http_in_done(&in) && in.status == 200;
}

int mode_first(const struct options *options)
{
    const struct timespec pause = { .tv_nsec = 500000 };
    char *buffer = need_memory(REQUEST_MAX);
    uint64_t begun = now_ns();
    pid_t pid;
    int status;

    if (!options->command || !options->command[0])
        die("first needs the server's command after --");
    pid = start(options->command);
    while (!answers(options, buffer)) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            die("the server ended before it answered");
        if (seconds_since(begun) > GIVE_UP_S) {
            kill(pid, SIGKILL);
            die("no answer within %.0f s", GIVE_UP_S);
        }
        nanosleep(&pause, NULL);
    }
    printf("{\"pid\":%d,\"ms\":%.1f}\n", (int)pid, seconds_since(begun) * 1000);
    free(buffer);
    return 0;
}
