/*
 * What a model may be, where its key comes from, and what a script says.
 */
#include "llm/model.h"
#include "llm/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct arena arena;

static int forget(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

/* Pairs of key and value, ended by NULL. */
static bool make(struct llm_model *model, const char *const *pairs, struct err *err)
{
    model_init(model, "named");
    for (; *pairs; pairs += 2)
        if (!model_set(model, &arena, pairs[0], pairs[1], err))
            return false;
    return model_check(model, &arena, err);
}

#define MODEL(model, err, ...) make((model), (const char *const[]){ __VA_ARGS__, NULL }, (err))

static void a_model_has_defaults(void **state)
{
    struct llm_model model;
    struct err err = { 0 };

    (void)state;
    assert_true(MODEL(&model, &err, "provider", "ollama"));
    assert_int_equal(model.provider, LLM_OLLAMA);
    assert_string_equal(model.model, "named");
    assert_string_equal(model_url(&model), "http://127.0.0.1:11434");
    assert_int_equal(model.max_tokens, MODEL_UNSET);
    assert_true(model.temperature < 0);
    assert_int_equal(model.timeout_ms, 300000);
    assert_int_equal(model.max_in_flight, 8);
}

static void values_are_read(void **state)
{
    struct llm_model model;
    struct err err = { 0 };

    (void)state;
    assert_true(MODEL(&model, &err, "provider", "openai", "base_url", "http://[::1]:8000/v1/", "model", "m",
                      "temperature", "0.7", "top_p", "1", "max_tokens", "300", "first_timeout", "1500ms"));
    assert_string_equal(model_url(&model), "http://[::1]:8000/v1");
    assert_true(model.temperature > 0.69 && model.temperature < 0.71);
    assert_int_equal(model.max_tokens, 300);
    assert_int_equal(model.first_timeout_ms, 1500);
}

static void what_is_wrong_is_refused_by_its_name(void **state)
{
    static const struct {
        const char *pairs[7];
        const char *field;
    } wrong[] = {
        { { "model", "m" }, "provider" },
        { { "provider", "gpt" }, "provider" },
        { { "provider", "openai", "base_url", "http://host/api" }, "base_url" },
        { { "provider", "openai", "base_url", "ftp://host/v1" }, "base_url" },
        { { "provider", "openai", "base_url", "host:80/v1" }, "base_url" },
        { { "provider", "openai", "base_url", "http:///v1" }, "base_url" },
        { { "provider", "openai", "base_url", "http://u:p@host/v1" }, "base_url" },
        { { "provider", "openai", "base_url", "http://host/v1?x=1" }, "base_url" },
        { { "provider", "openai", "base_url", "http://host/v1#x" }, "base_url" },
        { { "provider", "openai", "base_url", "file:///etc/passwd" }, "base_url" },
        { { "provider", "ollama", "base_url", "http://host/v1" }, "base_url" },
        { { "provider", "anthropic", "base_url", "javascript:alert(1)" }, "base_url" },
        { { "provider", "ollama", "temperature", "2.1" }, "temperature" },
        { { "provider", "ollama", "temperature", "-1" }, "temperature" },
        { { "provider", "ollama", "temperature", "warm" }, "temperature" },
        { { "provider", "ollama", "temperature", "nan" }, "temperature" },
        { { "provider", "ollama", "top_p", "1e0" }, "top_p" },
        { { "provider", "ollama", "max_tokens", "0" }, "max_tokens" },
        { { "provider", "ollama", "max_tokens", "1.5" }, "max_tokens" },
        { { "provider", "ollama", "timeout", "soon" }, "timeout" },
        { { "provider", "ollama", "max_in_flight", "1000" }, "max_in_flight" },
        { { "provider", "ollama", "model", "two\nlines" }, "model" },
        { { "provider", "openai", "api_key_env", "A", "api_key_file", "b" }, "api_key_file" },
        { { "provider", "scripted" }, "script" },
        { { "provider", "ollama", "modle", "x" }, "modle" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct llm_model model;
        struct err err = { 0 };

        if (make(&model, wrong[i].pairs, &err))
            fail_msg("%s=%s was taken", wrong[i].pairs[2], wrong[i].pairs[3]);
        assert_string_equal(err.field, wrong[i].field);
        assert_int_not_equal(err.text[0], '\0');
    }
}

static void a_key_comes_from_its_variable(void **state)
{
    struct llm_model model;
    struct err err = { 0 };
    const char *key = "unset";

    (void)state;
    unsetenv("OPENAI_API_KEY");
    assert_true(MODEL(&model, &err, "provider", "openai"));
    assert_false(model_key(&model, &arena, &key, &err)); /* the provider's own servers want one */
    setenv("OPENAI_API_KEY", " sk-default\n", 1);
    assert_true(model_key(&model, &arena, &key, &err));
    assert_string_equal(key, "sk-default");
    setenv("OPENAI_API_KEY", "two words", 1);
    assert_false(model_key(&model, &arena, &key, &err));
    assert_null(strstr(err.text, "two"));
    setenv("OPENAI_API_KEY", "sk-default", 1);

    assert_true(MODEL(&model, &err, "provider", "openai", "api_key_env", "WITAN_NO_SUCH"));
    assert_false(model_key(&model, &arena, &key, &err));
    assert_string_equal(err.field, "api_key_env");

    assert_true(MODEL(&model, &err, "provider", "ollama"));
    assert_true(model_key(&model, &arena, &key, &err));
    assert_null(key);
}

/* Whoever may spell out a model could otherwise have the operator's key sent to a server of theirs. */
static void no_key_goes_to_a_server_that_an_agent_names(void **state)
{
    struct llm_model model;
    struct err err = { 0 };
    const char *key = "unset";

    (void)state;
    setenv("OPENAI_API_KEY", "sk-default", 1);
    assert_true(MODEL(&model, &err, "provider", "openai", "base_url", "http://elsewhere/v1"));
    assert_true(model_key(&model, &arena, &key, &err));
    assert_string_equal(key, "sk-default");
    model.spelled_out = true;
    assert_true(model_key(&model, &arena, &key, &err));
    assert_null(key);
    assert_true(MODEL(&model, &err, "provider", "openai"));
    model.spelled_out = true;
    assert_true(model_key(&model, &arena, &key, &err));
    assert_string_equal(key, "sk-default");
}

static void a_key_comes_from_its_file(void **state)
{
    char path[] = "/tmp/witan-key-XXXXXX";
    int fd = mkstemp(path);
    struct llm_model model;
    struct err err = { 0 };
    const char *key = NULL;

    (void)state;
    assert_int_equal(write(fd, "sk-file\n", 8), 8);
    assert_true(MODEL(&model, &err, "provider", "openai", "api_key_file", path));
    assert_true(model_key(&model, &arena, &key, &err));
    assert_string_equal(key, "sk-file");
    assert_int_equal(write(fd, "second line", 11), 11);
    assert_false(model_key(&model, &arena, &key, &err));
    assert_null(strstr(err.text, "sk-"));
    close(fd);
    unlink(path);
    assert_false(model_key(&model, &arena, &key, &err));
    assert_string_equal(err.field, "api_key_file");
}

static void a_script_speaks_by_name_and_turn(void **state)
{
    static const char script[] = "# a remark: not a line\n"
                                 "Divergent: one\n"
                                 "Critical: a risk\\nand \\\\n another\r\n"
                                 "\n"
                                 "no line\n"
                                 "divergent:  two: halves\n"
                                 "*: hello\n";

    (void)state;
    assert_string_equal(script_line(&arena, script, "Divergent", 1), "one");
    assert_string_equal(script_line(&arena, script, "DIVERGENT", 2), "two: halves");
    assert_string_equal(script_line(&arena, script, "Divergent", 3), "[PASS]");
    assert_string_equal(script_line(&arena, script, "Critical", 1), "a risk\nand \\n another");
    assert_string_equal(script_line(&arena, script, "Nobody", 1), "hello");
    assert_string_equal(script_line(&arena, script, "Nobody", 2), "[PASS]");
    assert_string_equal(script_line(&arena, script, NULL, 0), "hello");
    assert_string_equal(script_line(&arena, "", "Nobody", 1), "[PASS]");
}

static const char *reply(const char *script, const char *speaker, const char *kind, int turn)
{
    return script_reply(&arena, script, &(struct script_cue){ speaker, kind, turn });
}

static void a_script_has_ballots_of_its_own(void **state)
{
    static const char script[] =
        "Ann: one\nAnn (ballot): 2\nAnn: two\n*: hello\n* (ballot): 1\n* (ballot): 3\n";

    (void)state;
    assert_string_equal(reply(script, "Ann", NULL, 2), "two");
    assert_string_equal(reply(script, "Ann", "ballot", 1), "2");
    assert_string_equal(reply(script, "Ann", "ballot", 7), "2");
    assert_string_equal(reply(script, "Ben", "ballot", 1), "1");
    assert_string_equal(reply(script, "Ben", "ballot", 2), "3");
    assert_string_equal(reply(script, NULL, "ballot", 5), "3");
    assert_string_equal(reply(script, "Ann", "judge", 1), "one");
    /* Nobody votes by reading out what they said. */
    assert_non_null(strstr(reply("Ann: one\n", "Ann", "ballot", 1), "choice"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_model_has_defaults, forget),
        cmocka_unit_test_teardown(values_are_read, forget),
        cmocka_unit_test_teardown(what_is_wrong_is_refused_by_its_name, forget),
        cmocka_unit_test_teardown(a_key_comes_from_its_variable, forget),
        cmocka_unit_test_teardown(no_key_goes_to_a_server_that_an_agent_names, forget),
        cmocka_unit_test_teardown(a_key_comes_from_its_file, forget),
        cmocka_unit_test_teardown(a_script_speaks_by_name_and_turn, forget),
        cmocka_unit_test_teardown(a_script_has_ballots_of_its_own, forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
