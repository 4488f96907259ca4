/*
 * Which models agents can name. They are the operator's (config.yaml): where they are, the variables and
 * files of their keys and their scripts are nobody else's business and not part of the reply.
 */
#include "llm/model_choice.h"
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
    { "models", T_LIST, REQUIRED, "The models of config.yaml, in their order.", .items = T_OBJECT,
      .fields = model_fields },
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

static bool run_model_list(struct call *call)
{
    const struct llm_models *all = models();
    const struct llm_model *usual = model_default();

    json_map(&call->out, NULL);
    json_list(&call->out, "models");
    for (size_t i = 0; i < all->count; i++) {
        const struct llm_model *model = &all->list[i];

        json_map(&call->out, NULL);
        json_text(&call->out, "name", model->name);
        json_text(&call->out, "provider", model_provider_name(model->provider));
        json_text(&call->out, "model", model->model);
        json_bool(&call->out, "default", model == usual);
        json_text(&call->out, "key", key_of(call->tx.arena, model));
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    json_text(&call->out, "default", usual ? usual->name : NULL);
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
