/*
 * Which models agents can name. They are the operator's (config.yaml): where they are, the variables and
 * files of their keys and their scripts are nobody else's business and not part of the reply.
 */
#include "llm/model_choice.h"
#include "llm/scout.h"
#include "ops/tables.h"

static const char *const keys[] = { "none", "there", "missing", NULL };

static const struct field model_fields[] = {
    { "name", T_TEXT, REQUIRED, "What an agent's ai_model_config calls it." },
    { "provider", T_TEXT, REQUIRED, "Who answers: ollama, openai, anthropic or scripted." },
    { "model", T_TEXT, REQUIRED, "The model's name there." },
    { "default", T_BOOL, REQUIRED, "Whether it speaks for agents that name no model." },
    { "key", T_ENUM, REQUIRED,
      "Whether its key is there; with one missing no call succeeds. None: it needs none.", .values = keys },
    { 0 },
};

static const struct field list_reply[] = {
    { "models", T_LIST, REQUIRED,
      "The models of config.yaml, in their order; without any, the one that was found on the server's machine.",
      .items = T_OBJECT, .fields = model_fields },
    { "default", T_TEXT, REQUIRED,
      "The one that speaks for agents that name none; null: there are no models.", .flags = F_NULL },
    { 0 },
};

static const char *key_of(struct arena *arena, const struct llm_model *model)
{
    const char *key = NULL;
    struct err ignored = { 0 };

    if (!model_key(model, arena, &key, &ignored))
        return keys[2];
    return key ? keys[1] : keys[0];
}

static void write_model(struct call *call, const struct llm_model *model, const char *name, bool usual)
{
    json_map(&call->out, NULL);
    json_text(&call->out, "name", name);
    json_text(&call->out, "provider", model_provider_name(model->provider));
    json_text(&call->out, "model", model->model);
    json_bool(&call->out, "default", usual);
    json_text(&call->out, "key", key_of(call->tx.arena, model));
    json_map_end(&call->out);
}

static bool run_model_list(struct call *call)
{
    const struct llm_models *all = models();
    const struct llm_model *usual = model_default();
    const char *name = usual ? usual->name : NULL;
    struct llm_model found;

    json_map(&call->out, NULL);
    json_list(&call->out, "models");
    for (size_t i = 0; i < all->count; i++)
        write_model(call, &all->list[i], all->list[i].name, &all->list[i] == usual);
    if (!usual && scout_found(call->tx.arena, &found)) {
        name = local_word(call->tx.arena, &found);
        write_model(call, &found, name, true);
    }
    json_list_end(&call->out);
    json_text(&call->out, "default", name);
    json_map_end(&call->out);
    return true;
}

const struct op model_ops[] = {
    {
        .name = "model_list",
        .http = "GET /api/models",
        .tag = "Agents",
        .help = "List the models that agents can name. What they lack, `witan model test` says.",
        .needs = ROLES_READ,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .run = run_model_list,
        .reply = list_reply,
    },
    { 0 },
};
