#include "base/clock.h"
#include "cli/client/item_ref.h"
#include "cli/commands/tables.h"

static int run_show(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    struct item_ref ref;
    struct term term;
    struct err err = { 0 };
    int code;

    if (!item_ref_find(cli, cli_get(cli, "N"), &ref, &err))
        return cli_fail(cli, &err);
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    item_write(&term, &ref.of, ref.kind, ref.whole.found,
               ref.whole.reply.date_ms ? ref.whole.reply.date_ms : clock_now_ms());
    code = cli->json ? invoke_print(cli, &ref.whole.reply, false) : cli_print(text.bytes, text.len);
    item_ref_done(&ref);
    return code;
}

const struct cli_command show_commands[] = {
    {
        .name = "show",
        .help =
            "Show one thing of the inbox whole: what is asked, by whom, its context, its options, what is proposed, what happens at the deadline, and what to type to answer it. "
            "An id may also be that of something that has ended.",
        .examples = "witan show 2\nwitan show 5d3f9a10\nwitan show ID --json",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "N", .help = "A number that this terminal has shown, an id, or the end of one." } },
        .run = run_show,
    },
    { 0 },
};
