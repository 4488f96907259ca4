/*
 * The choice is a copy of the operator's model on which only the harmless settings are changed, and it is
 * checked again as a whole afterwards.
 */
#include "llm/model_choice.h"

#include "base/json.h"
#include "base/settings.h"
#include "base/str.h"
#include "llm/local.h"
#include "llm/provider.h"
#include "llm/scout.h"
#include "llm/script.h"

#include <string.h>

#define DEFAULT_NAME       "default"
#define REHEARSAL_NAME     "rehearsal"
#define REHEARSAL_DELAY_MS 15 /* for each word: as fast as somebody reads */

static const char *const taken[] = { "temperature", "top_p", "max_tokens" };

static bool no_models(struct err *err)
{
    err_set(err, ERR_INVALID, NO_MODEL_WORDS);
    return err_hint(
        err,
        "Start Ollama, LM Studio, vLLM or llama-server on this machine, or name a model in config.yaml (`witan model add`); `witan model list` shows what there is.");
}

const struct llm_model *model_default(void)
{
    const struct llm_model *named = model_named(DEFAULT_NAME);

    if (named)
        return named;
    return models()->count > 0 ? &models()->list[0] : NULL;
}

static bool choose_default(struct arena *arena, struct llm_model *model, struct err *err)
{
    const struct llm_model *usual = model_default();

    if (!usual)
        return scout_found(arena, model) || no_models(err);
    *model = *usual;
    return true;
}

static bool choose_named(const char *name, struct llm_model *model, struct err *err)
{
    const struct llm_model *named = model_named(name);

    if (!named)
        return err_field(err, "ai_model_config", "config.yaml does not have the model %s (any more).", name);
    *model = *named;
    return true;
}

/* A script is the operator's: "scripted" means the first one of config.yaml, or else the rehearsal. */
static void choose_scripted(struct llm_model *model)
{
    const struct llm_models *all = models();

    for (size_t i = 0; all && i < all->count; i++) {
        if (all->list[i].provider == LLM_SCRIPTED) {
            *model = all->list[i];
            return;
        }
    }
    model_init(model, REHEARSAL_NAME);
    model->provider_name = "scripted";
    model->provider = LLM_SCRIPTED;
    model->script_text = rehearsal_script;
    model->delay_ms = REHEARSAL_DELAY_MS;
}

static bool set_text(struct llm_model *model, struct arena *arena, const json_t *config, const char *key,
                     struct err *err)
{
    const char *text = json_string_value(json_object_get(config, key));

    return !text || model_set(model, arena, key, text, err);
}

static bool spell_out(struct arena *arena, const json_t *config, struct llm_model *model, struct err *err)
{
    model_init(model, "");
    model->spelled_out = true;
    return set_text(model, arena, config, "provider", err) && set_text(model, arena, config, "model", err) &&
           set_text(model, arena, config, "base_url", err);
}

/* A name of config.yaml, or PROVIDER:MODEL. */
static bool choose_text(struct arena *arena, const json_t *config, const char *text, struct llm_model *model,
                        struct err *err)
{
    struct model_word word;

    if (model_named(text) || !model_split(arena, text, &word))
        return choose_named(text, model, err);
    model_init(model, "");
    model->spelled_out = true;
    return model_set(model, arena, "provider", word.provider, err) &&
           model_set(model, arena, "model", word.model, err) &&
           (!word.base_url || model_set(model, arena, "base_url", word.base_url, err)) &&
           set_text(model, arena, config, "base_url", err);
}

static bool choose(struct arena *arena, const json_t *config, struct llm_model *model, struct err *err)
{
    const char *provider = json_string_value(json_object_get(config, "provider"));
    const char *name = json_string_value(json_object_get(config, "model"));
    enum llm_provider known;

    if (json_is_string(config))
        return choose_text(arena, config, json_string_value(config), model, err);
    if (!provider)
        return name ? choose_text(arena, config, name, model, err) : choose_default(arena, model, err);
    if (model_named(provider))
        return choose_named(provider, model, err) && set_text(model, arena, config, "model", err);
    if (model_provider_parse(provider, &known) && known == LLM_SCRIPTED) {
        choose_scripted(model);
        return true;
    }
    if (!model_provider_parse(provider, &known))
        return err_field(
            err, "provider",
            "There is no model \"%s\" in config.yaml, and provider is the name of one or ollama, openai, anthropic or scripted.",
            provider);
    return spell_out(arena, config, model, err);
}

static bool adjust(struct arena *arena, const json_t *config, struct llm_model *model, struct err *err)
{
    for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
        const json_t *value = json_object_get(config, taken[i]);
        const char *text = json_string_value(value);

        if (json_is_number(value))
            text = arena_format(arena, "%.12g", json_number_value(value));
        if (text && !model_set(model, arena, taken[i], text, err))
            return false;
    }
    return model_check(model, arena, err);
}

bool model_url_is_known(const char *base_url)
{
    for (enum llm_provider i = 0; i < LLM_PROVIDERS; i++)
        if (model_same_url(base_url, provider_of(i)->url))
            return true;
    for (size_t i = 0; i < models()->count; i++)
        if (model_same_url(base_url, models()->list[i].base_url))
            return true;
    return model_same_url(settings()->council_ollama, base_url) || scout_is_at(base_url);
}

/* Who may make an agent is not who runs the server, and must not look around in its networks through it. In
 * solo mode they are the same, and its usual ports are open to them: whether that holds is asked by core. */
static void confine(struct llm_model *model)
{
    if (!model->spelled_out || !*model->base_url || model_url_is_known(model->base_url))
        return;
    model->here_only = local_is_open(settings()) && local_judge(settings(), model->base_url) == LOCAL_USUAL;
    model->public_only = !model->here_only;
}

bool model_of_config(struct arena *arena, const char *config, struct llm_model *model, struct err *err)
{
    json_t *parsed = NULL;

    if (!config)
        return choose_default(arena, model, err);
    if (!json_parse(config, strlen(config), &parsed, err))
        return false;
    JSON_AUTO *tree = parsed;

    if (!choose(arena, tree, model, err) || !adjust(arena, tree, model, err))
        return false;
    confine(model);
    return true;
}
