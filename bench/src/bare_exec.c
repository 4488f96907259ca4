/*
 * bare_exec.c - what starting a program costs by itself: fork, three pipes, exec, a line written to it, its
 * output read to the end, and its status taken; so many at a time, for so long.
 *
 *   bare_exec TIMES SECONDS PROGRAM
 *
 * Prints how many a second that were.
 */
#include "util.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char line[] = "{}\n";

/* One program from its start to its end. */
static void run(char *program)
{
    int in[2], out[2], errors[2];
    char text[256];
    int status;

    if (pipe(in) != 0 || pipe(out) != 0 || pipe(errors) != 0)
        die("no pipes");
    pid_t child = fork();

    if (child < 0)
        die("cannot fork");
    if (child == 0) {
        char *const argv[] = { program, NULL }, *const environment[] = { NULL };

        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(errors[1], 2);
        for (int fd = 3; fd < 16; fd++)
            close(fd);
        execve(program, argv, environment);
        _exit(127);
    }
    close(in[0]), close(out[1]), close(errors[1]);
    if (write(in[1], line, sizeof(line) - 1) < 0 || close(in[1]) != 0)
        die("cannot write");
    while (read(out[0], text, sizeof(text)) > 0 || read(errors[0], text, sizeof(text)) > 0)
        continue;
    close(out[0]), close(errors[0]);
    if (waitpid(child, &status, 0) != child || status != 0)
        die("%s ended with %d", program, status);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        die("usage: bare_exec TIMES SECONDS PROGRAM");
    int times = (int)parse_count(argv[1]), counts[2];
    uint64_t end_ns = now_ns() + (uint64_t)parse_count(argv[2]) * 1000000000, begin = now_ns(), all = 0;

    if (pipe(counts) != 0)
        die("no pipe");
    for (int i = 0; i < times; i++) {
        if (fork() != 0)
            continue;
        uint64_t count = 0;

        for (; now_ns() < end_ns; count++)
            run(argv[3]);
        _exit(write(counts[1], &count, sizeof(count)) == sizeof(count) ? 0 : 1);
    }
    close(counts[1]);
    for (uint64_t count; read(counts[0], &count, sizeof(count)) == sizeof(count);)
        all += count;
    while (wait(NULL) > 0)
        continue;
    printf("%.0f\n", (double)all / seconds_since(begin));
    return 0;
}
