#include "base/str.h"
#include "cli/cli_config.h"
#include "cli/commands/tables.h"
#include "server/serve.h"

#include <stdlib.h>
#include <string.h>

/* Moving the clock moves everybody's deadlines, so it takes more than a flag that slipped in. */
static bool check_clock(bool test_clock, struct err *err)
{
    const char *test = getenv("WITAN_TEST");

    if (!test_clock || (test && strcmp(test, "1") == 0))
        return true;
    err_set(err, ERR_INVALID, "--test-clock lets callers move the clock and is for tests only.");
    return err_hint(err, "Set WITAN_TEST=1 in the environment if that is what you want.");
}

static int run_serve(struct cli *cli)
{
    struct config config = { 0 };
    struct err err = { 0 };
    bool test_clock = cli_has(cli, "test-clock");
    bool stopped = check_clock(test_clock, &err) && cli_config(cli, &config, &err) &&
                   (*config.settings.store_url || config_refuse_homeless(&err)) &&
                   config_prepare(&config, &err) && serve(&config, test_clock, &err);

    config_done(&config);
    if (stopped)
        return CLI_OK;
    /* Wrong settings are usage; what goes wrong with right ones is an error. */
    return cli_fail(cli, &err) == CLI_USAGE ? CLI_USAGE : CLI_ERROR;
}

const struct cli_command serve_commands[] = {
    {
        .name = "serve",
        .help = "Start the server.",
        .examples = "witan serve\n"
                    "witan serve --listen 127.0.0.1:8080 --db sqlite:/tmp/try.db\n"
                    "witan serve --db postgres://witan@db.example/witan --require-auth\n"
                    "witan serve --listen 192.168.1.20:7117 --require-auth --setup",
        .uses = CLI_STORE,
        .options = {
            { "listen", "ADDRESS:PORT", .help = "Where to listen. Port 0 picks a free one. Default: 127.0.0.1:7117." },
            { "require-auth", .help = "Demand a token or a login even from this machine." },
            { "setup", .help = "While nobody can log in: print a link, good once, by which a browser makes the owner's account. "
                               "Without it a server that others can reach does not start on an empty store." },
            { "test-clock", .help = "For tests: POST /api/test/clock moves the clock. Needs WITAN_TEST=1." },
        },
        .run = run_serve,
    },
    { 0 },
};
