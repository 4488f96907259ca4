/*
 * Options of the command line become members of the request. What an option may hold is the server's to say;
 * only what has a form of its own here (a list with commas, calls=N) is read.
 */
#include "cli/client/discussion_wish.h"

#include "base/str.h"
#include "cli/client/agent_ref.h"
#include "cli/client/council_call.h"
#include "core/council/cast.h"

#include <string.h>

static json_t *text_list(struct cli *cli, const char *text)
{
    json_t *list = json_array();

    while (*text) {
        size_t len = strcspn(text, ",");

        json_array_append_new(list, json_string(str_trim(cli->arena, arena_copy(cli->arena, text, len))));
        text += len + (text[len] == ',');
    }
    return list;
}

/* "calls=20,tokens=8000,seconds=120". */
static bool take_budget(struct cli *cli, const char *text, json_t *options, struct err *err)
{
    JSON_AUTO *parts = text_list(cli, text);
    json_t *budget = json_object(), *part;
    size_t i;

    json_object_set_new(options, "budget", budget);
    json_array_foreach(parts, i, part)
    {
        const char *word = json_string_value(part), *equals = strchr(word, '=');
        int64_t number;

        if (!equals || !str_to_int(equals + 1, &number))
            return err_field(err, "budget", "--budget takes calls=N, tokens=N and seconds=N, not \"%s\".",
                             word);
        json_object_set_new(budget, arena_copy(cli->arena, word, (size_t)(equals - word)),
                            json_integer(number));
    }
    return true;
}

static bool take_options(struct cli *cli, json_t *wish, struct err *err)
{
    const char *vote = cli_get(cli, "vote"), *rule = cli_get(cli, "rule"), *budget = cli_get(cli, "budget");
    const char *smart = cli_get(cli, "smart"), *threshold = cli_get(cli, "threshold");
    json_t *options = json_object();

    json_object_set_new(wish, "options", options);
    if (rule && !vote)
        return err_field(err, "rule", "--rule says how votes are counted: name the choices with --vote.");
    if (vote)
        json_object_set_new(options, "vote",
                            json_pack("{s:o, s:s*}", "choices", text_list(cli, vote), "rule", rule));
    if (smart)
        json_object_set_new(options, "smart_termination", json_string(smart));
    if (threshold)
        json_object_set_new(options, "agreement_threshold", json_string(threshold));
    if (cli_has(cli, "rehearse"))
        json_object_set_new(options, "rehearse", json_true());
    return !budget || take_budget(cli, budget, options, err);
}

/* What --for names: a question, or else a prompt. */
static bool take_ref(struct cli *cli, json_t *wish, struct err *err)
{
    const char *id = cli_get(cli, "for");
    JSON_AUTO *params = json_pack("{s:s*}", "id", id);
    JSON_AUTO *found = NULL;
    struct client_reply reply;
    bool question;

    if (!id)
        return true;
    question = invoke_json(cli, op_find("question_get"), params, 0, &reply, &found, err);
    if (!question && reply.status != 404)
        return false;
    *err = (struct err){ 0 };
    if (!question && !invoke_json(cli, op_find("prompt_get"), params, 0, &reply, &found, err))
        return invoke_unknown(cli, "for", err);
    json_object_set_new(wish, "ref",
                        json_pack("{s:s, s:s}", "kind", question ? "question" : "prompt", "id", id));
    return true;
}

bool discussion_wish(struct cli *cli, json_t *wish, struct err *err)
{
    const char *agents = cli_get(cli, "agents"), *project = cli_get(cli, "project");
    json_t *participants = NULL;

    if (!invoke_collect(cli, wish, err) || !take_options(cli, wish, err) || !take_ref(cli, wish, err))
        return false;
    if (project)
        json_object_set_new(wish, "projectId", json_string(project));
    if (!agents) {
        json_object_set_new(wish, "cast", json_string(cast_word(CAST_SPECIALISTS)));
        return true;
    }
    if (!agent_ref_seats(cli, agents, &participants, err))
        return false;
    json_object_set_new(wish, "participants", participants);
    return true;
}
