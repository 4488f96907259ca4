/*
 * Which model speaks for an agent: one by its name, one that is spelled out, or the default.
 */
#include "llm/lanes.h"
#include "llm/model_choice.h"

#include "base/str.h"
#include "llm/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static struct arena arena;
static struct llm_model list[3];
static struct llm_models all = { list, 3 };

static void make(struct llm_model *model, const char *name, const char *provider)
{
    struct err err = { 0 };

    model_init(model, name);
    assert_true(model_set(model, &arena, "provider", provider, &err));
    model->script_text = strcmp(provider, "scripted") == 0 ? "*: hello\n" : NULL;
    assert_true(model_check(model, &arena, &err));
}

static int set_up(void **state)
{
    (void)state;
    make(&list[0], "small", "ollama");
    make(&list[1], "large", "openai");
    make(&list[2], "rehearsal", "scripted");
    models_use(&all);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    models_use(NULL);
    arena_done(&arena);
    return 0;
}

static struct llm_model chosen(const char *config)
{
    struct llm_model model;
    struct err err = { 0 };

    if (!model_of_config(&arena, config, &model, &err))
        fail_msg("%s", err.text);
    return model;
}

static void refused(const char *config, const char *words)
{
    struct llm_model model;
    struct err err = { 0 };

    assert_false(model_of_config(&arena, config, &model, &err));
    assert_non_null(strstr(err.text, words));
}

static void nothing_said_means_the_default(void **state)
{
    (void)state;
    assert_string_equal(chosen(NULL).name, "small");
    assert_string_equal(chosen("{\"temperature\":0.5}").name, "small");
    list[1].name = "default";
    assert_string_equal(chosen(NULL).name, "default");
    list[1].name = "large";
    assert_ptr_equal(model_default(), &list[0]);
    models_use(NULL);
    assert_null(model_default());
    refused(NULL, "no model");
}

static void a_name_is_one_of_the_operators(void **state)
{
    (void)state;
    assert_string_equal(chosen("\"large\"").name, "large");
    assert_string_equal(chosen("{\"provider\":\"large\"}").name, "large");
    assert_string_equal(chosen("{\"model\":\"large\"}").name, "large");
    assert_false(chosen("{\"provider\":\"large\"}").spelled_out);
    assert_string_equal(chosen("{\"provider\":\"large\",\"model\":\"gpt-x\"}").model, "gpt-x");
    refused("{\"model\":\"gone\"}", "gone");
    refused("\"gone\"", "gone");
}

/* Where a named model is stays the operator's: keys go there. */
static void a_named_model_keeps_its_server(void **state)
{
    (void)state;
    assert_string_equal(chosen("{\"provider\":\"large\",\"base_url\":\"http://evil.example/v1\"}").base_url,
                        "");
}

static void a_model_may_be_spelled_out(void **state)
{
    struct llm_model model = chosen(
        "{\"provider\":\"ollama\",\"model\":\"qwen\",\"base_url\":\"http://10.0.0.7:11434\",\"top_p\":0.5,"
        "\"max_tokens\":200}");

    (void)state;
    assert_true(model.spelled_out);
    assert_int_equal(model.provider, LLM_OLLAMA);
    assert_string_equal(model.model, "qwen");
    assert_int_equal(model.max_tokens, 200);
    assert_true(model.top_p == 0.5);
    assert_string_equal(lane_of_model(&arena, &model).name, "ollama http://10.0.0.7:11434");
    refused("{\"provider\":\"openai\",\"model\":\"x\",\"base_url\":\"ftp://x/v1\"}", "base_url");
    refused("{\"provider\":\"openai\"}", "model");
    refused("{\"provider\":\"ollama\",\"model\":\"x\",\"temperature\":9}", "temperature");
    refused("{", "");
}

static void one_word_spells_a_model_out(void **state)
{
    static const char *const same[] = { "\"ollama:qwen:7b\"", "{\"model\":\"ollama:qwen:7b\"}" };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct llm_model model = chosen(same[i]);

        assert_true(model.spelled_out);
        assert_int_equal(model.provider, LLM_OLLAMA);
        assert_string_equal(model.model, "qwen:7b");
    }
    refused("\"ollama:\"", "ollama:");
    refused("\"nobody:qwen\"", "nobody:qwen");
    refused("\"scripted:x\"", "scripted:x");
    list[1].name = "ollama:qwen:7b"; /* a name of config.yaml comes first */
    assert_int_equal(chosen(same[0]).provider, LLM_OPENAI);
}

static void scripted_means_the_operators_script(void **state)
{
    struct llm_model model = chosen("{\"provider\":\"scripted\"}");

    (void)state;
    assert_string_equal(model.name, "rehearsal");
    assert_string_equal(lane_of_model(&arena, &model).name, "rehearsal");
}

/* Somebody who has no model at all can still see how a discussion goes. */
static void what_an_agent_spells_out_must_be_public_unless_the_operator_named_it(void **state)
{
    (void)state;
    list[0].base_url = "http://gpu.lan:11434";
    assert_false(chosen(NULL).public_only);
    assert_false(chosen("\"small\"").public_only);
    assert_false(chosen("\"ollama:qwen\"").public_only);
    assert_false(chosen("{\"provider\":\"ollama\",\"model\":\"qwen\",\"base_url\":\"http://gpu.lan:11434/\"}")
                     .public_only);
    assert_false(
        chosen("{\"provider\":\"ollama\",\"model\":\"qwen\",\"base_url\":\"http://127.0.0.1:11434\"}")
            .public_only);
    assert_true(chosen("{\"provider\":\"ollama\",\"model\":\"qwen\",\"base_url\":\"http://gpu.lan:1143\"}")
                    .public_only);
    assert_true(
        chosen("{\"provider\":\"ollama\",\"model\":\"qwen\",\"base_url\":\"http://gpu.lan\"}").public_only);
    assert_true(
        chosen("{\"provider\":\"openai\",\"model\":\"x\",\"base_url\":\"https://elsewhere.example/v1\"}")
            .public_only);
    list[0].base_url = "";
}

static void without_a_script_there_is_the_rehearsal(void **state)
{
    struct llm_model model;

    (void)state;
    models_use(NULL);
    model = chosen("{\"provider\":\"scripted\"}");
    assert_int_equal(model.provider, LLM_SCRIPTED);
    assert_string_equal(model.name, "rehearsal");
    for (int turn = 1; turn <= 3; turn++)
        assert_string_not_equal(script_line(&arena, model.script_text, "Critical", turn), "[PASS]");
    assert_true(str_starts(script_line(&arena, model.script_text, "Divergent", 3), "[PASS] "));
    assert_string_equal(script_line(&arena, model.script_text, "Divergent", 4), "[PASS]");
}

#define WITH_MODELS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MODELS(nothing_said_means_the_default),
        WITH_MODELS(a_name_is_one_of_the_operators),
        WITH_MODELS(a_named_model_keeps_its_server),
        WITH_MODELS(a_model_may_be_spelled_out),
        WITH_MODELS(one_word_spells_a_model_out),
        WITH_MODELS(scripted_means_the_operators_script),
        WITH_MODELS(without_a_script_there_is_the_rehearsal),
        WITH_MODELS(what_an_agent_spells_out_must_be_public_unless_the_operator_named_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
