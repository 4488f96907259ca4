/*
 * The few calls that a discussion needs from the command line. A start carries an idempotency key, so that it
 * can be repeated while a server is away; a stop after Ctrl-C is sent without listening for further signals.
 */
#include "cli/client/council_call.h"

#include "base/str.h"
#include "base/uuid.h"
#include "cli/client/interrupt.h"
#include "cli/term.h"
#include "core/council/rules/state.h"
#include "llm/model_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *format;
} formats[] = { { "transcript", "text" }, { "md", "markdown" }, { "json", "json" } };

static const char *format_of(const char *word)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (strcmp(formats[i].word, word) == 0)
            return formats[i].format;
    return NULL;
}

const char *council_format_at(size_t at)
{
    return at < sizeof(formats) / sizeof(*formats) ? formats[at].word : NULL;
}

static const char *person_here(void)
{
    const char *user = getenv("USER");

    return user && *user ? user : "me";
}

bool council_speaker(struct cli *cli, const char **speaker, struct err *err)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *me = NULL;
    struct client_reply reply;

    *speaker = NULL;
    if (cli->target.session)
        return true;
    if (!invoke_json(cli, op_find("me_get"), params, 0, &reply, &me, err))
        return false;
    if (!str_equal(json_string_value(json_object_get(json_object_get(me, "caller"), "kind")), "user"))
        *speaker = person_here();
    return true;
}

static bool say_topic(struct cli *cli, const json_t *wish, const char *id, struct err *err)
{
    const char *speaker;

    if (!council_speaker(cli, &speaker, err))
        return false;
    JSON_AUTO *params =
        json_pack("{s:s, s:O, s:s*}", "id", id, "message", json_object_get(wish, "topic"), "userId", speaker);
    JSON_AUTO *state = NULL;
    struct client_reply reply;

    /* What it sets going is followed, or left to itself; either way nobody waits here. */
    return invoke_json(cli, op_find("discussion_message"), params, INVOKE_AT_ONCE, &reply, &state, err);
}

static bool send_wish(struct cli *cli, const json_t *wish, const char **id, struct err *err)
{
    JSON_AUTO *made = NULL;
    struct client_reply reply;
    const char *known;
    const json_t *name;
    size_t i;

    if (!invoke_json(cli, op_find("discussion_create"), wish, 0, &reply, &made, err))
        return false;
    known = json_string_value(json_object_get(json_object_get(made, "discussion"), "id"));
    if (!known)
        return err_set(err, ERR_INTERNAL, "The reply of %s holds no discussion; is it witan?",
                       cli->target.url);
    *id = arena_text(cli->arena, known);
    json_array_foreach(json_object_get(made, "agentsMade"), i, name)
    {
        cli_note(cli, "Made the agent %s.", term_line(cli->arena, json_string_value(name)));
    }
    return true;
}

bool council_start(struct cli *cli, const json_t *wish, const char **id, struct err *err)
{
    const char *mode = json_string_value(json_object_get(wish, "mode"));
    bool in_turns = mode && strcmp(mode, council_mode_word(MODE_TURNS)) == 0, good;
    bool (*before)(struct cli * cli) = cli->pulse;

    /*
     * Under keys, so that a server that goes away meanwhile does nothing twice; and Ctrl-C waits for the
     * reply, for without an id there would be nothing to stop.
     */
    cli->pulse = interrupt_pulse_asking;
    cli->idempotency_key = uuid_new(cli->arena);
    good = send_wish(cli, wish, id, err);
    if (good && in_turns) {
        cli->idempotency_key = uuid_new(cli->arena);
        good = say_topic(cli, wish, *id, err);
    }
    cli->pulse = before;
    cli->idempotency_key = NULL;
    return good;
}

bool council_do(struct cli *cli, const char *op, const char *id, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", id);
    JSON_AUTO *state = NULL;
    struct client_reply reply;

    return invoke_json(cli, op_find(op), params, 0, &reply, &state, err);
}

void council_stop(struct cli *cli, const char *id)
{
    struct err err = { 0 };
    bool (*before)(struct cli * cli) = cli->pulse;

    cli->pulse = NULL; /* the signal has been heard */
    if (council_do(cli, "discussion_cancel", id, &err))
        cli_note(cli, "Stopped.");
    else if (err.code != ERR_CONFLICT) /* it had ended */
        cli_fail(cli, &err);
    cli->pulse = before;
}

bool council_transcript(struct cli *cli, const char *id, const char *format, const char **text,
                        struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s, s:s}", "id", id, "format", format_of(format));
    struct client_reply reply;

    if (!invoke_json(cli, op_find("discussion_transcript"), params, 0, &reply, NULL, err))
        return false;
    *text = arena_format(cli->arena, "%.*s%s", (int)reply.len, reply.body,
                         str_starts(reply.type, "application/json") ? "\n" : "");
    return true;
}

static void say_ways(const struct cli *cli)
{
    cli_note(
        cli,
        "There is no model to speak with. Do one of these:\n"
        "  ollama pull llama3.2                           # an Ollama on this machine is found by itself,\n"
        "                                                 # as are LM Studio, vLLM and llama-server\n"
        "  name one for all agents in config.yaml (`witan model add` writes it), then start the server anew:\n"
        "      models:\n"
        "        default:\n"
        "          provider: anthropic                    # or openai, ollama\n"
        "          model: NAME                            # the key stands in ANTHROPIC_API_KEY or OPENAI_API_KEY\n"
        "  witan agent set NAME --model ollama:llama3.2   # or for one agent, at once\n"
        "  witan model list                               # which models there are, and what they lack\n"
        "  witan discuss --rehearse \"...\"                 # see how it goes, without a model");
}

/* What was typed is an option, whatever the operation calls it. */
static void speak_of_options(struct err *err)
{
    static const struct {
        const char *member, *option;
    } known[] = {
        { "options.vote.choices", "--vote" },
        { "options.vote.rule", "--rule" },
        { "options.agreement_threshold", "--threshold" },
        { "options.smart_termination", "--smart" },
        { "options.budget", "--budget" },
        { "options.rehearse", "--rehearse" },
    };
    struct err before = *err;

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        size_t len = strlen(known[i].member);

        if (strncmp(before.text, known[i].member, len) == 0)
            snprintf(err->text, sizeof(err->text), "%s%s", known[i].option, before.text + len);
    }
    if (str_starts(before.field, "participants") && strstr(before.field, "agentName"))
        snprintf(err->text, sizeof(err->text), "--agents%s", before.text + strlen(before.field));
}

bool council_lacks_model(const struct err *err)
{
    return strstr(err->text, NO_MODEL_WORDS) != NULL;
}

/* The ways that follow say more than the hint, and in the words of the command line. */
static void leave_out_hint(struct err *err)
{
    const char *words = strstr(err->text, ": ");
    struct err before = *err;

    err->hint[0] = '\0';
    if (words && str_starts(err->text, "participants"))
        snprintf(err->text, sizeof(err->text), "%s", before.text + (words + 2 - err->text));
}

int council_refused(const struct cli *cli, struct err *err)
{
    bool lacks_model = council_lacks_model(err);

    speak_of_options(err);
    if (lacks_model)
        leave_out_hint(err);
    int code = cli_fail(cli, err);

    if (!lacks_model)
        return code;
    say_ways(cli);
    return CLI_ERROR;
}

bool council_found_no_model(const json_t *state)
{
    const json_t *entry;
    size_t i;

    json_array_foreach(json_object_get(state, "entries"), i, entry)
    {
        const char *reason = json_string_value(json_object_get(json_object_get(entry, "metadata"), "reason"));

        if (reason && str_starts(reason, NO_MODEL_WORDS))
            return true;
    }
    return false;
}

void council_say_no_model(const struct cli *cli, const json_t *state)
{
    if (council_found_no_model(state))
        say_ways(cli);
}
