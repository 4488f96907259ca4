/*
 * The time begins with the first failure and not with the command: an hour of waiting must not use it up.
 * Whether a failure may pass is asked of the error alone.
 */
#include "cli/client/patience.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/client/interrupt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_MS 1000

static bool has_option(const struct cli_command *command, const char *name)
{
    for (const struct cli_option *option = command->options; option->name; option++)
        if (strcmp(option->name, name) == 0)
            return true;
    return false;
}

/* Whether it waits by what it is, unless --no-wait or --detach says otherwise, or because --wait or --follow
 * says so. */
static bool waits(const struct cli *cli)
{
    static const char *const words[] = { "wait", "follow" };

    if (cli_has(cli, "no-wait") || cli_has(cli, "detach"))
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (has_option(cli->command, words[i]))
            return cli_has(cli, words[i]);
    return true;
}

bool patience_begin(struct cli *cli, struct err *err)
{
    const char *text = cli_get(cli, "patience");

    cli->patience_ms = 0;
    if (!has_option(cli->command, "patience"))
        return true;
    if (text && !cli_duration("patience", text, &cli->patience_ms, err))
        return false;
    if (!text && waits(cli))
        cli->patience_ms = CLIENT_PATIENCE_MS;
    if (cli->patience_ms > 0) {
        interrupt_catch();
        cli->pulse = interrupt_pulse;
    }
    return true;
}

bool patience_may_pass(const struct client_reply *reply, const struct err *err)
{
    return err->code == ERR_UNAVAILABLE || err->code == ERR_OUTCOME_UNKNOWN ||
           err->code == ERR_RATE_LIMITED || reply->status >= 500;
}

/* A countdown may stand in the line. */
static void clear_line(const struct cli *cli)
{
    if (cli->pulse && !cli->quiet && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

bool patience_lasts(struct cli *cli, const struct client_reply *reply, const struct err *err)
{
    int64_t now_ms = clock_ticks_ms();

    if (!patience_may_pass(reply, err) || interrupted())
        return false;
    if (cli->away_since_ms == 0) {
        cli->away_since_ms = now_ms;
        clear_line(cli);
        cli_note(cli, "%s%s%s Trying again for up to %lld seconds.", err->text, *err->hint ? " " : "",
                 err->hint, (long long)(cli->patience_ms / 1000));
    }
    if (now_ms - cli->away_since_ms >= cli->patience_ms)
        return false;
    interrupt_pause(PAUSE_MS);
    return !interrupted();
}

void patience_rests(struct cli *cli)
{
    if (cli->away_since_ms != 0) {
        clear_line(cli);
        cli_note(cli, "The server is back.");
    }
    cli->away_since_ms = 0;
}
