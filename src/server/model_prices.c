#include "server/model_prices.h"

#include "base/buf.h"
#include "base/log.h"

static bool bounds_money(const struct settings *settings)
{
    return settings->runner_drive &&
           (settings->runner_money_millionths > 0 || settings->runner_project_money_millionths > 0);
}

const char *model_prices_missing(struct arena *arena, const struct settings *settings,
                                 const struct llm_models *models)
{
    BUF_AUTO names = { 0 };

    if (!bounds_money(settings))
        return NULL;
    /* One that is found on this machine speaks then, and has no price. */
    if (models->count == 0)
        return "all";
    buf_init(&names, 0);
    for (size_t i = 0; i < models->count; i++)
        if (!model_is_priced(&models->list[i]))
            buf_format(&names, "%s%s", names.len > 0 ? ", " : "", models->list[i].name);
    return names.len > 0 ? arena_copy(arena, names.bytes, names.len) : NULL;
}

void model_prices_say(const struct settings *settings)
{
    ARENA_AUTO arena = { 0 };
    const char *missing = model_prices_missing(&arena, settings, models());

    if (missing)
        log_line(LOG_WARN,
                 "runner.money and runner.project_money do not bound models without price_in and price_out",
                 "models", missing, NULL);
}
