#include "base/buf.h"
#include "cli/commands/tables.h"
#include "gen/version.h"
#include "ops/asyncapi.h"
#include "ops/openapi.h"

#include <string.h>

static const char *const documents[] = { "api", "events", "openapi", "asyncapi", "man", "exit-codes", NULL };
static const char *const shells[] = { "bash", "zsh", "fish", NULL };

static int run_docs(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    const char *what = cli_get(cli, "WHAT");

    buf_init(&text, 0);
    if (strcmp(what, "api") == 0) {
        apidoc_write(op_all(), &text);
    } else if (strcmp(what, "events") == 0) {
        eventdoc_write(&text);
    } else if (strcmp(what, "asyncapi") == 0) {
        asyncapi_write(WITAN_VERSION, &text);
    } else if (strcmp(what, "openapi") == 0) {
        openapi_write(op_all(), WITAN_VERSION, &text);
    } else if (strcmp(what, "man") == 0) {
        cli_manpage(cli, &text);
    } else if (strcmp(what, "exit-codes") == 0) {
        cli_exit_code_table(&text);
    }
    return cli_print(text.bytes, text.len);
}

static int run_completion(struct cli *cli)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    cli_completion(cli_get(cli, "SHELL"), &text);
    return cli_print(text.bytes, text.len);
}

const struct cli_command docs_commands[] = {
    {
        .name = "docs",
        .help =
            "Print the reference of the API or of its events, or the same as OpenAPI or AsyncAPI; the manual page; the table of exit codes.",
        .examples =
            "witan docs api >docs/api.md\nwitan docs openapi >openapi.json\nwitan docs man | man -l -",
        .args = { { "WHAT", .help = "Which document.", .words = documents } },
        .run = run_docs,
    },
    {
        .name = "completion",
        .help = "Print what a shell needs to complete witan's words.",
        .examples = "source <(witan completion bash)\nsource <(witan completion zsh)\n"
                    "witan completion fish >~/.config/fish/completions/witan.fish",
        .args = { { "SHELL", .help = "Which shell.", .words = shells } },
        .run = run_completion,
    },
    { 0 },
};
