#include "base/buf.h"
#include "cli/cli_config.h"
#include "cli/commands/tables.h"

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

const struct cli_command config_commands[] = {
    {
        .name = "config",
        .help = "Print every setting with its help, its value and where that comes from.",
        .examples = "witan config\nwitan config >~/.config/witan/config.yaml",
        .uses = CLI_CONFIG | CLI_JSON,
        .run = run_config,
    },
    { 0 },
};
