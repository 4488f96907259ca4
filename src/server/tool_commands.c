#include "base/buf.h"
#include "db/claim.h"
#include "db/migrate.h"
#include "gen/version.h"
#include "ops/asyncapi.h"
#include "ops/openapi.h"
#include "server/commands.h"
#include "server/doctor.h"
#include "server/local.h"
#include "server/serve.h"

#include <string.h>
#include <sys/stat.h>

static int run_config(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    struct config config = { 0 };
    struct err err = { 0 };
    int code;

    buf_init(&text, 0);
    if (!commands_config(cli, &config, &err)) {
        code = cli_fail(cli, &err);
    } else {
        if (cli->json)
            config_print_json(&config, &text);
        else
            config_print_yaml(&config, &text);
        if (cli->json)
            buf_char(&text, '\n');
        code = cli_print(text.bytes, text.len);
    }
    config_done(&config);
    return code;
}

/* A server that is running goes by the schema that it found: it is not changed under it. */
static bool change_schema(struct cli *cli, const char *url, struct migrate_report *report, struct err *err)
{
    struct claim claim;

    if (!claim_take(&claim, url, err))
        return false;
    struct db *db = db_open(url, err);
    bool good = db && migrate_up(db, cli->arena, report, err);

    db_close(db);
    claim_release(&claim);
    return good;
}

/* With --check nothing is changed; a store that is behind is "no". */
static bool migrate(struct cli *cli, const char *url, struct migrate_report *report, struct err *err)
{
    if (!cli_has(cli, "check"))
        return serve_make_folder(url, err) && change_schema(cli, url, report, err);
    if (local_is_missing(url, err)) /* a look must not make the file */
        return false;
    struct db *db = db_open(url, err);
    bool good = db && migrate_current(db, cli->arena, &report->from, err);

    report->to = migrate_newest();
    db_close(db);
    return good;
}

static int run_migrate(struct cli *cli)
{
    struct config config = { 0 };
    struct err err = { 0 };
    struct migrate_report report = { 0 };
    const char *url = "";

    umask(077);
    bool good = commands_config(cli, &config, &err) && migrate(cli, config.settings.store_url, &report, &err);

    if (good)
        url = config_mask_url(cli->arena, arena_text(cli->arena, config.settings.store_url));
    config_done(&config);
    if (!good)
        return cli_fail(cli, &err);
    if (report.from == report.to)
        cli_note(cli, "%s is current: schema %d.", url, report.to);
    else if (!cli_has(cli, "check"))
        cli_note(cli, "Brought %s from schema %d to %d.", url, report.from, report.to);
    else
        cli_note(cli, "%s has schema %d; this witan works with %d.", url, report.from, report.to);
    return cli_has(cli, "check") && report.from != report.to ? CLI_NO : CLI_OK;
}

static int run_docs(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    const char *what = cli_get(cli, "WHAT");
    struct err err = { 0 };

    buf_init(&text, 0);
    if (strcmp(what, "api") == 0) {
        apidoc_write(op_all(), &text);
    } else if (strcmp(what, "events") == 0) {
        eventdoc_write(event_type_all(), &text);
    } else if (strcmp(what, "asyncapi") == 0) {
        asyncapi_write(WITAN_VERSION, &text);
    } else if (strcmp(what, "openapi") == 0) {
        openapi_write(op_all(), WITAN_VERSION, &text);
    } else {
        err_field(&err, "WHAT", "There is no document \"%s\".", what);
        err_hint(&err, "There are api, events, openapi and asyncapi.");
        return cli_fail(cli, &err);
    }
    return cli_print(text.bytes, text.len);
}

static int run_completion(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    struct err err = { 0 };

    buf_init(&text, 0);
    if (cli_completion(cli, cli_get(cli, "SHELL"), &text))
        return cli_print(text.bytes, text.len);
    err_field(&err, "SHELL", "There is no completion for \"%s\".", cli_get(cli, "SHELL"));
    err_hint(&err, "There is bash, zsh and fish.");
    return cli_fail(cli, &err);
}

const struct cli_command tool_commands[] = {
    {
        .name = "config",
        .help = "Print every setting with its help, its value and where that comes from.",
        .examples = "witan config\nwitan config >~/.config/witan/config.yaml",
        .uses = CLI_CONFIG | CLI_JSON,
        .run = run_config,
    },
    {
        .name = "migrate",
        .help = "Bring the store to the schema of this witan. `witan serve` does so by itself.",
        .examples = "witan migrate --db postgres://witan@db.example/witan\nwitan migrate --check",
        .uses = CLI_STORE,
        .options = { { "check", .help = "Change nothing; exit code 3 when there is something to do." } },
        .run = run_migrate,
    },
    {
        .name = "doctor",
        .help = "Check settings, store and server, and say what to do about what is wrong.",
        .examples = "witan doctor\nwitan doctor --json",
        .uses = CLI_STORE | CLI_JSON,
        .options = {
            { "url", "URL", .help = "The server. Else WITAN_URL, else from the settings." },
            { "token-file", "FILE", .help = "A file with the token." },
        },
        .run = doctor_run,
    },
    {
        .name = "docs",
        .help = "Print the reference of the API or of its events, or the same as OpenAPI or AsyncAPI.",
        .examples = "witan docs api >docs/api.md\nwitan docs openapi >openapi.json",
        .args = { { "WHAT", .help = "api, events, openapi or asyncapi." } },
        .run = run_docs,
    },
    {
        .name = "completion",
        .help = "Print what a shell needs to complete witan's words.",
        .examples = "source <(witan completion bash)\n"
                    "witan completion fish >~/.config/fish/completions/witan.fish",
        .args = { { "SHELL", .help = "bash, zsh or fish." } },
        .run = run_completion,
    },
    { 0 },
};
