#include "base/buf.h"
#include "cli/cli_config.h"
#include "cli/commands/tables.h"
#include "server/files.h"

#include <string.h>

static int run_config(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    struct config config = { 0 };
    struct err err = { 0 };
    int code;

    buf_init(&text, 0);
    if (!cli_config(cli, &config, &err)) {
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

/* A file that is there is never written over. */
static int run_config_init(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    const char *path = cli_get(cli, "config");
    struct err err = { 0 };

    if (!path)
        path = config_file(cli->arena);
    if (!path) {
        err_set(&err, ERR_INVALID, "HOME is not set, so there is no usual place for the settings.");
        err_hint(&err, "Set HOME or XDG_CONFIG_HOME, or name a file with --config.");
        return cli_fail(cli, &err);
    }
    buf_init(&text, 0);
    config_print_template(&text);
    if (!files_make_folders(path, &err) || !files_write(path, text.bytes, text.len, &err))
        return cli_fail(cli, &err);
    cli_note(cli, "Every setting stands there with its default; remove the # from what you change.");
    return cli_print(arena_format(cli->arena, "%s\n", path), strlen(path) + 1);
}

const struct cli_command config_commands[] = {
    {
        .name = "config",
        .help = "Print every setting with its help, its value and where that comes from.",
        .examples = "witan config\nwitan config --json",
        .uses = CLI_CONFIG | CLI_JSON,
        .run = run_config,
    },
    {
        .name = "config init",
        .help = "Write a config.yaml to begin with, where the settings are read from, and print its path. "
                "One that is there stays as it is.",
        .examples = "witan config init\nwitan config init --config /etc/witan/config.yaml",
        .options = { { "config", "FILE", .help = "Write FILE instead." } },
        .run = run_config_init,
    },
    { 0 },
};
