#include "cli/client/usage_view.h"

#include "cli/client/invoke.h"
#include "cli/term.h"

static const char *count_of(struct arena *arena, const json_t *of, const char *name)
{
    return json_is_integer(json_object_get(of, name))
               ? arena_format(arena, "%lld", (long long)member_int(of, name))
               : "?";
}

static void add_row(struct arena *arena, struct term_table *table, const char *who, const json_t *of)
{
    term_table_row(table, (const char *[]){ who, count_of(arena, of, "turns"), count_of(arena, of, "passes"),
                                            count_of(arena, of, "calls"), count_of(arena, of, "tokensIn"),
                                            count_of(arena, of, "tokensOut") });
}

static void write_table(struct cli *cli, const json_t *usage)
{
    static const char *const heads[] = { "SPEAKER", "TURNS", "PASSES", "CALLS", "TOKENS IN", "TOKENS OUT" };
    BUF_AUTO text = { 0 };
    struct term_table table;
    struct term term;
    const json_t *agent;
    size_t i;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    buf_char(&text, '\n');
    term_table_init(&table, &term, 6, heads);
    json_array_foreach(json_object_get(usage, "agents"), i, agent)
    {
        add_row(cli->arena, &table, term_line(cli->arena, member_text(cli->arena, agent, "speaker")), agent);
    }
    add_row(cli->arena, &table, "in all", json_object_get(usage, "total"));
    term_table_end(&table);
    cli_print(text.bytes, text.len);
}

void usage_show(struct cli *cli, const char *discussion_id)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", discussion_id);
    JSON_AUTO *usage = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_json(cli, op_find("discussion_usage"), params, 0, &reply, &usage, &err))
        cli_note(cli, "What it took cannot be shown: %s", err.text);
    else if (member_int(json_object_get(usage, "total"), "calls") > 0)
        write_table(cli, usage);
}
