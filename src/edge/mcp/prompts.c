/*
 * prompts.c - texts that people pick in their client to set a model to work.
 */
#include "edge/mcp/prompts.h"
#include "base/str.h"
#include "edge/mcp/further.h"
#include "edge/mcp/methods.h"

#include <string.h>

static const struct mcp_prompt prompts[] = {
    {
        .name = "ask_before_you_guess",
        .title = "Ask before you guess",
        .help = "Work on a task, and put to people what only they can decide.",
        .args = { { "task", "What is to be done.", true } },
        .text =
            "Work on this task: {task}\n\nBefore you act on an assumption that would be costly to undo, ask with ask_question: one question at a time, short, with the options you see and what you would choose. "
            "Use type \"approval\" before anything that cannot be undone. "
            "While an answer is pending, go on with what does not depend on it and call wait_for_answer from time to time. "
            "Never take silence for a yes.",
    },
    {
        .name = "hold_a_council",
        .title = "Hold a council",
        .help = "Hear the other agents on a topic before you decide.",
        .args = { { "topic", "What the council is about.", true } },
        .text =
            "Hold a council of the squad on: {topic}\n\nPut it to the other agents with ask_squad: the question, the options, and what you already know. "
            "Wait with wait_for_squad until it is ready. "
            "Weigh what they say, name where they disagree, and give one recommendation with its reasons. "
            "If they do not agree on something that matters, put that one point to a person with ask_question.",
    },
    {
        .name = "hand_in_with_open_questions",
        .title = "Hand in with open questions",
        .help = "Hand in a result and list what is still open instead of guessing it.",
        .args = { { "project", "The project's id.", true } },
        .text =
            "Hand in what you have for the project {project} with hand_in_result. "
            "Put everything that you could not find out and that changes the result into open_questions, each as one question that a person can answer without reading your work. "
            "Do not fill such gaps with guesses.",
    },
    { 0 },
};

static const struct mcp_prompt *find_in(const struct mcp_prompt *table, const char *name)
{
    for (const struct mcp_prompt *prompt = table; prompt->name; prompt++)
        if (strcmp(prompt->name, name) == 0)
            return prompt;
    return NULL;
}

static const struct mcp_prompt *find(const char *name)
{
    const struct mcp_prompt *prompt = find_in(prompts, name);

    return prompt || !mcp_further() ? prompt : find_in(mcp_further()->prompts, name);
}

static void write_prompts(struct json_out *out, const struct mcp_prompt *table)
{
    for (const struct mcp_prompt *prompt = table; prompt->name; prompt++) {
        json_map(out, NULL);
        json_text(out, "name", prompt->name);
        json_text(out, "title", prompt->title);
        json_text(out, "description", prompt->help);
        json_list(out, "arguments");
        for (const struct mcp_prompt_arg *arg = prompt->args; arg->name; arg++) {
            json_map(out, NULL);
            json_text(out, "name", arg->name);
            json_text(out, "description", arg->help);
            json_bool(out, "required", arg->required);
            json_map_end(out);
        }
        json_list_end(out);
        json_map_end(out);
    }
}

void prompts_list(struct mcp_call *call)
{
    struct json_out out;
    struct buf result;

    call_begin(call, &out, &result);
    call_write_ttl(call, &out, 60000, true);
    json_list(&out, "prompts");
    write_prompts(&out, prompts);
    if (mcp_further())
        write_prompts(&out, mcp_further()->prompts);
    json_list_end(&out);
    call_result(call, &out, &result);
}

/* {name} in the text stands for the argument; what was filled in is not looked at again. */
static void fill_in(struct buf *into, const char *text, const json_t *args)
{
    while (*text) {
        size_t name = *text == '{' ? strcspn(text + 1, "}") : 0;
        const char *value = name ? json_string_value(json_object_getn(args, text + 1, name)) : NULL;

        if (value) {
            buf_text(into, value);
            text += name + 2;
        } else {
            buf_char(into, *text++);
        }
    }
}

void prompt_write_text(struct json_out *out, const char *text, const json_t *args)
{
    BUF_AUTO filled = { 0 };

    buf_init(&filled, 0);
    fill_in(&filled, text, args);
    json_map(out, NULL);
    json_text(out, "role", "user");
    json_map(out, "content");
    json_text(out, "type", "text");
    json_text_len(out, "text", filled.bytes, filled.len);
    json_map_end(out);
    json_map_end(out);
}

static bool check_args(struct mcp_call *call, const struct mcp_prompt *prompt, const json_t *args)
{
    for (const struct mcp_prompt_arg *arg = prompt->args; arg->name; arg++) {
        const json_t *value = json_object_get(args, arg->name);

        if ((value && !json_is_string(value)) || (!value && arg->required))
            return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "The prompt %s needs %s, a string.",
                            prompt->name, arg->name);
    }
    return true;
}

void prompts_get(struct mcp_call *call)
{
    const char *name = call_text_param(call, "name");
    const json_t *args = json_object_get(call->message.params, "arguments");
    const struct mcp_prompt *prompt = name ? find(name) : NULL;
    struct json_out out;
    struct buf result;

    if (name && !prompt)
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "There is no prompt \"%.100s\".", name);
    if (!prompt || !check_args(call, prompt, args)) {
        call_fail(call);
        return;
    }
    if (prompt->asks && !prompt->asks(call))
        return;
    call_begin(call, &out, &result);
    json_text(&out, "description", prompt->help);
    json_list(&out, "messages");
    if (prompt->write)
        prompt->write(&out, args);
    if (prompt->text)
        prompt_write_text(&out, prompt->text, args);
    json_list_end(&out);
    call_result(call, &out, &result);
}

/* There is nothing to complete: the arguments are the person's own words. */
void prompts_complete(struct mcp_call *call)
{
    const json_t *ref = json_object_get(call->message.params, "ref");
    const json_t *argument = json_object_get(call->message.params, "argument");
    struct json_out out;
    struct buf result;

    if (!json_is_object(ref) || !json_is_string(json_object_get(argument, "name")) ||
        !json_is_string(json_object_get(argument, "value"))) {
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "ref and argument with name and value are needed.");
        call_fail(call);
        return;
    }
    call_begin(call, &out, &result);
    json_map(&out, "completion");
    json_list(&out, "values");
    json_list_end(&out);
    json_int(&out, "total", 0);
    json_bool(&out, "hasMore", false);
    json_map_end(&out);
    call_result(call, &out, &result);
}
