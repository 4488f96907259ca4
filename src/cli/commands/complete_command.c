/*
 * `witan __complete WORD...`, which the scripts of `witan completion` call: what may follow, one in a line.
 * It is no command for people, says nothing when there is no server, and does not wait for one.
 */
#include "base/str.h"
#include "cli/client/pending.h"
#include "cli/client/question_ref.h"
#include "cli/client/target.h"
#include "cli/commands/commands.h"
#include "cli/complete.h"
#include "cli/term.h"
#include "core/runs/run_agents.h"

#include <string.h>

static bool is_wanted(enum complete_also also, const char *type)
{
    bool set = str_equal(type, "open_questions"), prompt = str_equal(type, "prompt"),
         turn = str_equal(type, "turn");

    return also == COMPLETE_WAITING || (also == COMPLETE_SETS && set) ||
           (also == COMPLETE_PROMPTS && prompt) || (also == COMPLETE_QUESTIONS && !set && !prompt && !turn);
}

/* By their short ids, which mean the same on every terminal. */
static void offer_waiting(struct cli *cli, enum complete_also also, const char *typed, struct buf *into)
{
    struct pending_items pending;
    struct err ignored = { 0 };
    const json_t *item;
    size_t index;

    if (!pending_items_read(cli, &(struct pending_filter){ .limit = INBOX_SHOWN_MAX }, &pending, &ignored))
        return;
    json_array_foreach(pending.items, index, item)
    {
        const char *id = json_string_value(json_object_get(item, "id"));

        if (id && is_wanted(also, json_string_value(json_object_get(item, "type"))))
            complete_add(typed, question_ref_short(cli->arena, id),
                         json_string_value(json_object_get(item, "text")), into);
    }
    json_decref(pending.items);
}

static void offer_projects(struct cli *cli, const char *typed, struct buf *into)
{
    JSON_AUTO *none = json_object();
    JSON_AUTO *page = NULL;
    struct client_reply reply;
    struct err ignored = { 0 };
    const json_t *project;
    size_t index;

    if (!invoke_json(cli, op_find("project_list"), none, 0, &reply, &page, &ignored))
        return;
    json_array_foreach(json_object_get(page, "projects"), index, project)
    {
        const char *name = json_string_value(json_object_get(project, "name"));

        if (name)
            complete_add(typed, term_line(cli->arena, name), NULL, into);
    }
}

/* Those that people have made, and for `witan run` those that need not be. */
static void offer_agents(struct cli *cli, bool runs, const char *typed, struct buf *into)
{
    JSON_AUTO *params = json_pack("{s:i}", "limit", LIMIT_PAGE);
    JSON_AUTO *page = NULL;
    struct client_reply reply;
    struct err ignored = { 0 };
    const json_t *agent;
    size_t index;

    for (const char *const *name = result_agents; runs && *name; name++)
        if (run_agent_known(cli->arena, *name))
            complete_add(typed, *name, NULL, into);
    if (!invoke_json(cli, op_find("agent_list"), params, 0, &reply, &page, &ignored))
        return;
    json_array_foreach(json_object_get(page, "agents"), index, agent)
    {
        const char *name = json_string_value(json_object_get(agent, "name"));

        if (name)
            complete_add(typed, term_line(cli->arena, name),
                         json_string_value(json_object_get(agent, "role")), into);
    }
}

/* Where the value of an option stands in one word with it, it is completed in one word with it. */
static int print_lines(struct cli *cli, const char *lines, const char *before)
{
    const char *text = "";

    while (*lines) {
        size_t len = strcspn(lines, "\n");

        text = arena_format(cli->arena, "%s%s%.*s\n", text, before, (int)len, lines);
        lines += len + (lines[len] == '\n');
    }
    return *text ? cli_print(text, strlen(text)) : CLI_OK;
}

int commands_complete(struct cli *cli, int argc, char **argv)
{
    const char **words = arena_array(cli->arena, const char *, (size_t)argc + 1);
    const char *typed = argc > 0 ? argv[argc - 1] : "", *before = "";
    const char *equals = str_starts(typed, "--") ? strchr(typed, '=') : NULL;
    BUF_AUTO text = { 0 };
    struct err ignored = { 0 };

    for (int i = 0; i < argc; i++)
        words[i] = argv[i];
    buf_init(&text, 0);
    enum complete_also also = complete(cli, words, (size_t)argc, &text);

    if (equals) {
        before = arena_copy(cli->arena, typed, (size_t)(equals - typed) + 1);
        typed = equals + 1;
    } else if (str_equal(typed, "=")) {
        typed = "";
    }
    if (also != COMPLETE_NOTHING && target_find(cli, &ignored)) {
        if (also == COMPLETE_PROJECTS)
            offer_projects(cli, typed, &text);
        else if (also == COMPLETE_AGENTS)
            offer_agents(cli, argc > 0 && strcmp(argv[0], "run") == 0, typed, &text);
        else
            offer_waiting(cli, also, typed, &text);
    }
    return print_lines(cli, text.bytes ? text.bytes : "", before);
}
