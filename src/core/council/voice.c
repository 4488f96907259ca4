#include "core/council/voice.h"

#include "base/settings.h"
#include "core/caller/caller.h"
#include "core/council/model_config.h"
#include "llm/model_choice.h"

bool voice_may_call(const struct tx *tx, const struct llm_model *model, struct err *cause)
{
    bool solo = true;

    if (model->here_only && !caller_solo_allowed(tx, &solo))
        return false;
    if (!solo) {
        err_set(
            cause, ERR_FORBIDDEN,
            "Its model is on this machine, which an agent may name only while the server is in solo mode.");
        err_hint(cause,
                 "Name it under models in config.yaml (`witan model add`) and start the server again.");
    }
    return true;
}

bool voice_refusal(const struct tx *tx, const char *model_config, const char **why)
{
    struct llm_model model;
    struct err cause = { 0 }, no_model = { 0 };

    *why = NULL;
    if (!model_config || !model_of_config(tx->arena, model_config, &model, &no_model))
        return true;
    if (!voice_may_call(tx, &model, &cause))
        return false;
    if (cause.code != ERR_NONE)
        *why = arena_format(tx->arena, "%s %s", cause.text, cause.hint);
    return true;
}

bool voice_check(const struct tx *tx, const struct voice *voice)
{
    struct model_config config;
    struct llm_model model;
    struct err cause = { 0 };
    const char *key = NULL;

    model_config_read(tx->arena, voice->model_config, &config);
    if (config.external || !settings()->council_drive)
        return true;
    if (model_of_config(tx->arena, voice->model_config, &model, &cause) &&
        (model.provider == LLM_SCRIPTED || model_key(&model, tx->arena, &key, &cause))) {
        if (!voice_may_call(tx, &model, &cause))
            return false;
        if (cause.code == ERR_NONE)
            return true;
    }
    err_field(tx->err, voice->field, "%s: %s cannot speak. %s", voice->field, voice->name, cause.text);
    return err_hint(tx->err, "%s%sOr rehearse: options.rehearse needs no model.", cause.hint,
                    *cause.hint ? " " : "");
}
