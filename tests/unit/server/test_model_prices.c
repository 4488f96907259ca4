/*
 * Which models the settings about money do not bound.
 */
#include "server/model_prices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

static struct llm_model model_of(const char *name, enum llm_provider provider, double in, double out)
{
    struct llm_model model;

    model_init(&model, name);
    model.provider = provider;
    model.price_in = in;
    model.price_out = out;
    return model;
}

static const char *missing(int64_t each, int64_t project, bool drives, const struct llm_models *all)
{
    const struct settings settings = { .runner_drive = drives,
                                       .runner_money_millionths = each,
                                       .runner_project_money_millionths = project };

    return model_prices_missing(&arena, &settings, all);
}

static void models_without_both_prices_are_named_where_money_is_bounded(void **state)
{
    const struct llm_model list[] = { model_of("priced", LLM_OPENAI, 2.5, 10),
                                      model_of("free", LLM_OLLAMA, 0, 0),
                                      model_of("bare", LLM_OPENAI, MODEL_UNSET, MODEL_UNSET),
                                      model_of("half", LLM_ANTHROPIC, 3, MODEL_UNSET),
                                      model_of("other", LLM_ANTHROPIC, MODEL_UNSET, 15),
                                      model_of("lines", LLM_SCRIPTED, MODEL_UNSET, MODEL_UNSET) };
    const struct llm_models all = { list, 6 }, told = { list, 2 }, none = { 0 };

    (void)state;
    assert_string_equal(missing(1, 0, true, &all), "bare, half, other");
    assert_string_equal(missing(0, 1, true, &all), "bare, half, other");
    assert_null(missing(0, 0, true, &all));
    assert_null(missing(1, 1, false, &all));
    assert_null(missing(1, 1, true, &told));
    assert_string_equal(missing(1, 0, true, &none), "all");
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_without_both_prices_are_named_where_money_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
