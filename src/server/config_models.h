/*
 * config_models.h - `models:` in config.yaml: a map of named models, each with settings of its own.
 *
 * What can be set for a model is said by the table in llm/model.h. Only the file has models: a map has no
 * place in environment variables.
 */
#ifndef SERVER_CONFIG_MODELS_H
#define SERVER_CONFIG_MODELS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/settings.h"
#include "llm/local.h"

struct config_model {
    const char *origin;  /* where its first setting stands: "FILE:LINE" */
    uint32_t set;        /* rows of the table that the file has, a bit for each */
    const char **values; /* their texts */
};

struct config_models {
    struct llm_model *list;
    struct config_model *notes; /* of the same number */
    size_t count;
    struct llm_models in_force;
};

/* Whether the key is about models. */
bool config_models_has(const char *key);
/* One line of the file: "models.NAME.SETTING". */
CHECKED bool config_models_take(struct config_models *models, struct arena *arena, const char *key,
                                const char *value, const char *origin, struct err *err);
/* What must hold of each as a whole; puts them in force. */
CHECKED bool config_models_check(struct config_models *models, struct arena *arena,
                                 const struct settings *settings, struct err *err);

void config_models_print_yaml(const struct config_models *models, struct buf *into);
void config_models_print_json(const struct config_models *models, struct json_out *out);
void config_models_print_template(struct buf *into);

#endif
