#include "core/council/own_words.h"
#include "ops/tables.h"

#define TAG_WORDINGS "Wordings"

#define NAME_PARAM \
    { \
        "name", T_ID, REQUIRED, "Which text: divergent_first, turn, vote, ... (wording_list names all)." \
    }

static const struct field wording_fields[] = {
    { "name", T_TEXT, REQUIRED, "Which text." },
    { "text", T_TEXT, REQUIRED, "What models are told, with {{placeholders}} for what it is about." },
    { "own", T_BOOL, REQUIRED, "Whether these are the workspace's own words." },
    { "updatedAt", T_TIME, REQUIRED, "When they were last changed; null: they come with the program.",
      .flags = F_NULL },
    { 0 },
};

static const struct field list_reply[] = {
    { "wordings", T_LIST, REQUIRED, "All texts, by name.", .items = T_OBJECT, .fields = wording_fields },
    { 0 },
};

static void write_wording(struct call *call, enum prompt_text prompt, const struct own_words *words)
{
    json_map(&call->out, NULL);
    json_text(&call->out, "name", prompt_texts[prompt].name);
    json_text(&call->out, "text", words->text);
    json_bool(&call->out, "own", words->updated_ms != 0);
    if (words->updated_ms != 0)
        json_time(&call->out, "updatedAt", words->updated_ms);
    else
        json_none(&call->out, "updatedAt");
    json_map_end(&call->out);
}

static bool reply_wording(struct call *call, enum prompt_text prompt)
{
    struct own_words words;

    if (!own_words_get(&call->tx, prompt, &words))
        return false;
    write_wording(call, prompt, &words);
    return true;
}

static bool named(struct call *call, enum prompt_text *prompt)
{
    return wording_find(arg_text(call, "name"), prompt, &call->err);
}

static bool run_wording_list(struct call *call)
{
    struct own_words words[PROMPT_TEXTS];

    if (!own_words_list(&call->tx, words))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "wordings");
    for (size_t i = 0; i < PROMPT_TEXTS; i++)
        write_wording(call, (enum prompt_text)i, &words[i]);
    json_list_end(&call->out);
    json_map_end(&call->out);
    return true;
}

static bool run_wording_put(struct call *call)
{
    enum prompt_text prompt;

    return named(call, &prompt) && own_words_put(&call->tx, prompt, arg_text(call, "text")) &&
           reply_wording(call, prompt);
}

static bool run_wording_delete(struct call *call)
{
    enum prompt_text prompt;

    return named(call, &prompt) && own_words_drop(&call->tx, prompt);
}

const struct op wording_ops[] = {
    {
        .name = "wording_list",
        .http = "GET /api/wordings",
        .tag = TAG_WORDINGS,
        .help = "List what models are told in discussions and as agents of the runner, and which of it is in the workspace's own words.",
        .needs = ROLES_READ,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .run = run_wording_list,
        .reply = list_reply,
    },
    {
        .name = "wording_put",
        .http = "PUT /api/wordings",
        .tag = TAG_WORDINGS,
        .help = "Have models told something in the workspace's own words. It holds from the next call on.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .run = run_wording_put,
        .example = "{\"name\": \"turn\", "
                   "\"text\": \"You are {{name}}. It is about {{topic}}. So far: {{history}} Say one thing, "
                   "in two sentences.\"}",
        .reply = wording_fields,
        .params = {
            NAME_PARAM,
            { "text", T_TEXT, REQUIRED,
              "The words; {{topic}}, {{name}}, {{role}}, {{history}}, {{round}}, {{rounds}}, {{choices}}, {{others}} and {{summary}} are filled in, in those of agents (agent_coder, ...) {{name}}, {{project}} and {{autonomy}}.", .min = 1, .max = LIMIT_WORDING },
        },
    },
    {
        .name = "wording_delete",
        .http = "DELETE /api/wordings",
        .tag = TAG_WORDINGS,
        .help = "Go back to the words that come with the program.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_wording_delete,
        .example = "{\"name\": \"turn\"}",
        .params = { NAME_PARAM },
    },
    { 0 },
};
