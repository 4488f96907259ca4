#include "core/council/voice.h"

#include "base/settings.h"
#include "core/council/model_config.h"
#include "llm/model_choice.h"

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
        (model.provider == LLM_SCRIPTED || model_key(&model, tx->arena, &key, &cause)))
        return true;
    err_field(tx->err, voice->field, "%s: %s cannot speak. %s", voice->field, voice->name, cause.text);
    return err_hint(tx->err, "%s%sOr rehearse: options.rehearse needs no model.", cause.hint,
                    *cause.hint ? " " : "");
}
