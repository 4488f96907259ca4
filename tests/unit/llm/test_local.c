/*
 * Which ports of this machine are models', and in which words they are named.
 */
#include "llm/local.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static struct arena arena;
static struct settings set;

static int set_up(void **state)
{
    (void)state;
    set = *settings();
    set.server_listen = "127.0.0.1:7117";
    set.council_ollama = "http://127.0.0.1:11434";
    set.council_local_ports = "1234, 8000,8080";
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    models_use(NULL);
    arena_done(&arena);
    return 0;
}

static void only_the_usual_ports_of_this_machine_are_models(void **state)
{
    static const char *const usual[] = { "http://127.0.0.1:1234/v1", "http://localhost:8000/v1",
                                         "http://[::1]:8080",        "http://LOCALHOST.:11434",
                                         "http://127.9.9.9:8080",    "http://a.localhost:1234/v1" };
    static const char *const elsewhere[] = { "http://10.0.0.1:1234/v1",
                                             "http://gpu.lan:8080",
                                             "http://0.0.0.0:8080",
                                             "https://example.com:8000/v1",
                                             "http://169.254.1.1:8080",
                                             "localhost:8080",
                                             "" };
    static const char *const unusual[] = { "http://127.0.0.1", "https://localhost/v1",
                                           "http://127.0.0.1:5432/v1", "http://[::ffff:127.0.0.1]:22" };

    (void)state;
    for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
        assert_int_equal(local_judge(&set, usual[i]), LOCAL_USUAL);
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
        assert_int_equal(local_judge(&set, elsewhere[i]), LOCAL_NOT_HERE);
    for (size_t i = 0; i < sizeof(unusual) / sizeof(*unusual); i++)
        assert_int_equal(local_judge(&set, unusual[i]), LOCAL_UNUSUAL);
    assert_string_equal(local_ports_text(&arena, &set), "11434, 1234, 8000, 8080");
}

static void the_servers_own_port_is_never_a_model(void **state)
{
    size_t count;

    (void)state;
    assert_int_equal(local_judge(&set, "http://localhost:7117/v1"), LOCAL_OWN);
    set.server_listen = "[::1]:8080";
    assert_int_equal(local_judge(&set, "http://127.0.0.1:8080/v1"), LOCAL_OWN);
    assert_string_equal(local_ports_text(&arena, &set), "11434, 1234, 8000");
    local_places(&arena, &set, &count);
    assert_int_equal(count, 3);
}

static void a_model_of_the_settings_makes_its_port_usual(void **state)
{
    struct llm_model list[2];
    const struct llm_models all = { list, 2 };

    (void)state;
    model_init(&list[0], "a");
    list[0].base_url = "http://127.0.0.1:5001/v1";
    model_init(&list[1], "b");
    list[1].base_url = "http://gpu.lan:5002/v1";
    models_use(&all);
    assert_int_equal(local_judge(&set, "http://localhost:5001/other/v1"), LOCAL_USUAL);
    assert_int_equal(local_judge(&set, "http://localhost:5002/v1"), LOCAL_UNUSUAL);
    set.council_local_ports = "off";
    assert_int_equal(local_judge(&set, "http://localhost:1234/v1"), LOCAL_UNUSUAL);
}

static void only_a_server_of_this_machine_alone_is_open(void **state)
{
    const struct local_place *places;
    size_t count;

    (void)state;
    assert_true(local_is_open(&set));
    places = local_places(&arena, &set, &count);
    assert_int_equal(count, 4);
    assert_true(places[0].ollama);
    assert_string_equal(places[1].url, "http://127.0.0.1:1234");
    assert_false(places[1].ollama);
    set.server_require_auth = true;
    assert_false(local_is_open(&set));
    local_places(&arena, &set, &count);
    assert_int_equal(count, 1);
    set.server_require_auth = false;
    set.server_listen = "0.0.0.0:7117";
    assert_false(local_is_open(&set));
    set.server_listen = "192.168.1.2:7117";
    assert_false(local_is_open(&set));
    set.server_listen = "localhost:7117";
    assert_true(local_is_open(&set));
    set.council_ollama = set.council_local_ports = "off";
    local_places(&arena, &set, &count);
    assert_int_equal(count, 0);
}

static void a_port_stands_in_the_word_for_a_model(void **state)
{
    static const struct {
        const char *word, *url;
    } words[] = { { "openai@1234:qwen:7b", "http://127.0.0.1:1234/v1" },
                  { "ollama@8080:llama3.2", "http://127.0.0.1:8080" },
                  { "ollama:qwen@1234", NULL } };
    static const char *const none[] = { "openai@:x",  "openai@0:x",     "openai@99999:x", "openai@12a:x",
                                        "nobody@1:x", "scripted@123:x", "openai@1234:",   "@1234:x" };
    struct model_word word;
    struct llm_model model;

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        struct err err = { 0 };

        assert_true(model_split(&arena, words[i].word, &word));
        assert_int_equal(word.base_url != NULL, words[i].url != NULL);
        model_init(&model, "");
        model.provider_name = word.provider;
        model.model = word.model;
        model.base_url = word.base_url ? word.base_url : "";
        assert_true(model_check(&model, &arena, &err));
        assert_string_equal(model.base_url, words[i].url ? words[i].url : "");
        assert_string_equal(local_word(&arena, &model), words[i].word);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        assert_false(model_split(&arena, none[i], &word));
}

static void a_list_of_ports_is_numbers_and_commas(void **state)
{
    (void)state;
    assert_true(local_ports_valid("off"));
    assert_true(local_ports_valid(""));
    assert_true(local_ports_valid("1234, 8000,8080"));
    assert_false(local_ports_valid("any"));
    assert_false(local_ports_valid("1234,,8000"));
    assert_false(local_ports_valid("0"));
    assert_false(local_ports_valid("70000"));
    assert_false(
        local_ports_valid("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,"
                          "29,30,31,32,33"));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(only_the_usual_ports_of_this_machine_are_models),
        CASE(the_servers_own_port_is_never_a_model),
        CASE(a_model_of_the_settings_makes_its_port_usual),
        CASE(only_a_server_of_this_machine_alone_is_open),
        CASE(a_port_stands_in_the_word_for_a_model),
        CASE(a_list_of_ports_is_numbers_and_commas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
