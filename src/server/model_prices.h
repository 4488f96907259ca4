/*
 * model_prices.h - models that no budget of money bounds, since nobody has said what they cost.
 *
 * A job that names an amount is refused for such a model (core/runs/run.h). The settings runner.money and
 * runner.project_money are for all models, among which may be some that are meant to be free: they refuse
 * nothing, and what they do not bound is said.
 */
#ifndef SERVER_MODEL_PRICES_H
#define SERVER_MODEL_PRICES_H

#include "base/settings.h"
#include "llm/model.h"

/* Their names, a comma between them; NULL: none, or no such setting is made here. */
const char *model_prices_missing(struct arena *arena, const struct settings *settings,
                                 const struct llm_models *models);
/* Says so in the log. */
void model_prices_say(const struct settings *settings);

#endif
