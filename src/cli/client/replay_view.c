#include "cli/client/replay_view.h"

#include "cli/term.h"

static int print_replay(const struct cli *cli, const struct replay_view *view, const json_t *replay,
                        bool same)
{
    BUF_AUTO text = { 0 };
    const json_t *difference;
    size_t i;

    buf_init(&text, 0);
    json_array_foreach(json_object_get(replay, "differences"), i, difference)
    {
        buf_format(&text, "%s\n", view->difference(cli->arena, difference));
    }
    if (same)
        buf_format(&text, "All %lld decisions come out as they are stored; %s.\n",
                   (long long)member_int(replay, "decisions"), view->uncalled);
    else
        cli_note(cli, "What is stored and what comes out of the log differ.");
    return cli_print(text.bytes ? text.bytes : "", text.len);
}

int replay_show(struct cli *cli, const struct replay_view *view)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *replay = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    bool same;
    int printed;

    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &replay, &err))
        return cli_fail(cli, &err);
    same = json_is_true(json_object_get(replay, view->same));
    printed = cli->json ? invoke_print(cli, &reply, false) : print_replay(cli, view, replay, same);
    return printed != CLI_OK ? printed : same ? CLI_OK : CLI_NO;
}
