/*
 * witan mcp: what MCP clients start. With --start it starts a server for itself when none runs, as `witan
 * serve` would: on this machine only, on the usual store, and it stays when the client is gone.
 */
#include "base/clock.h"
#include "cli/client/client.h"
#include "cli/client/mcp_bridge.h"
#include "cli/commands/tables.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_MS 60000 /* a first start makes the store, also on a slow disk */

static bool is_there(struct cli *cli, struct err *err)
{
    struct client_reply reply;

    *err = (struct err){ 0 };
    return client_send(cli, &(struct client_request){ .method = "GET", .path = "/healthz" }, &reply, err);
}

/* In the child's child, so that nobody has to wait for it. What it says is not for the client's pipes. */
static _Noreturn void become_server(const char *config)
{
    int null = open("/dev/null", O_RDWR);
    char *words[6] = { "witan", "serve", NULL };

    if (config) {
        words[2] = "--config";
        words[3] = (char *)(uintptr_t)config;
    }
    if (fork() != 0)
        _exit(0);
    setsid();
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execv("/proc/self/exe", words);
    _exit(1);
}

static bool start_server(struct cli *cli, struct err *err)
{
    int64_t until = clock_ticks_ms() + START_MS;
    pid_t child;

    if (is_there(cli, err))
        return true;
    child = fork();
    if (child == 0)
        become_server(cli_get(cli, "config"));
    if (child < 0)
        return err_set(err, ERR_INTERNAL, "The server could not be started.");
    waitpid(child, NULL, 0);
    while (!is_there(cli, err)) {
        if (clock_ticks_ms() > until)
            return err_hint(err, "It was started and does not answer; `witan serve` shows why.");
        nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000000 }, NULL);
    }
    return true;
}

static int run_mcp(struct cli *cli)
{
    struct err err = { 0 };

    if (cli_has(cli, "start") && !start_server(cli, &err))
        return cli_fail(cli, &err);
    return mcp_bridge_run(cli);
}

const struct cli_command mcp_commands[] = {
    {
        .name = "mcp",
        .help = "Speak MCP over standard input and output, for clients that start programs. "
                "`witan connect` tells them how.",
        .examples =
            "witan mcp\nwitan mcp --start\nwitan mcp --url https://witan.example --token-file agent.token",
        .uses = CLI_SERVER,
        .options = { { "start", .help = "Start a server on this machine when none answers." } },
        .run = run_mcp,
    },
    { 0 },
};
