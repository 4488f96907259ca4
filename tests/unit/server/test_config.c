#include "server/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char file[128];

/* Nothing of the machine's own settings reaches the tests. */
static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/witan-config-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/config.yaml", folder);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_DATA_HOME", "/data", 1);
    unsetenv("WITAN_DB");
    for (size_t i = 0; i < config_row_count; i++) {
        ARENA_AUTO arena = { 0 };

        unsetenv(config_env_name(&arena, config_rows[i].key));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(file);
    rmdir(folder);
    return 0;
}

static void write_file(const char *text)
{
    FILE *out = fopen(file, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static size_t row_of(const char *key)
{
    for (size_t i = 0; i < config_row_count; i++)
        if (strcmp(config_rows[i].key, key) == 0)
            return i;
    fail_msg("there is no %s", key);
    return 0;
}

static void load(struct config *config, const struct config_sources *sources)
{
    struct err err = { 0 };

    if (!config_load(config, sources, &err))
        fail_msg("%s", err.text);
}

static void defaults_hold_without_a_file(void **state)
{
    struct config config;

    (void)state;
    load(&config, &(struct config_sources){ 0 });
    assert_string_equal(config.settings.server_listen, "127.0.0.1:7117");
    assert_string_equal(config.settings.store_url, "sqlite:/data/witan/witan.db");
    assert_int_equal(config.settings.server_stop_grace_ms, 10000);
    assert_int_equal(config.settings.limits_body, 1048576);
    assert_false(config.settings.server_require_auth);
    for (size_t i = 0; i < config_row_count; i++)
        assert_string_equal(config.origins[i], "default");
    assert_ptr_equal(settings(), &config.settings);
    config_done(&config);
    assert_ptr_not_equal(settings(), &config.settings);
}

/* What each kind of value reads as, from the file and from the environment alike. */
static void each_kind_is_read(void **state)
{
    static const struct {
        const char *key, *text;
        int64_t number;
    } cases[] = {
        { "server.threads", "3", 3 },          { "server.connections", "1000000", 1000000 },
        { "server.stop_grace", "250ms", 250 }, { "server.stop_grace", "5m", 300000 },
        { "server.stop_grace", "0", 0 },       { "events.keep", "7d", 604800000 },
        { "limits.body", "2MB", 2097152 },     { "limits.body", "64KB", 65536 },
        { "limits.body", "4096", 4096 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct config_row *row = &config_rows[row_of(cases[i].key)];
        ARENA_AUTO arena = { 0 };
        const char *name = config_env_name(&arena, cases[i].key);
        struct config config;
        char text[128];
        int64_t number;

        snprintf(text, sizeof(text), "%s: %s\n", cases[i].key, cases[i].text);
        write_file(text);
        load(&config, &(struct config_sources){ .file = file });
        memcpy(&number, (char *)&config.settings + row->offset, sizeof(number));
        assert_int_equal(number, cases[i].number);
        config_done(&config);

        setenv(name, cases[i].text, 1);
        load(&config, &(struct config_sources){ 0 });
        memcpy(&number, (char *)&config.settings + row->offset, sizeof(number));
        assert_int_equal(number, cases[i].number);
        config_done(&config);
        unsetenv(name);
        unlink(file);
    }
}

static void yes_and_no_have_several_words(void **state)
{
    static const char *const yes[] = { "true", "yes", "on", "1" };
    static const char *const no[] = { "false", "no", "off", "0" };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct config config;

        setenv("WITAN_SERVER_REQUIRE_AUTH", yes[i], 1);
        load(&config, &(struct config_sources){ 0 });
        assert_true(config.settings.server_require_auth);
        config_done(&config);
        setenv("WITAN_SERVER_REQUIRE_AUTH", no[i], 1);
        load(&config, &(struct config_sources){ 0 });
        assert_false(config.settings.server_require_auth);
        config_done(&config);
    }
    unsetenv("WITAN_SERVER_REQUIRE_AUTH");
}

static void money_has_places_behind_the_point(void **state)
{
    static const struct {
        const char *text;
        int64_t millionths;
    } amounts[] = { { "0.5", 500000 },
                    { "0", 0 },
                    { "12", 12000000 },
                    { "3.000001", 3000001 },
                    { "1000000000", 1000000000000000 } };

    (void)state;
    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
        struct config config;

        setenv("WITAN_RUNNER_MONEY", amounts[i].text, 1);
        load(&config, &(struct config_sources){ 0 });
        assert_int_equal(config.settings.runner_money_millionths, amounts[i].millionths);
        assert_int_equal(config.settings.runner_project_money_millionths, 0);
        config_done(&config);
    }
    unsetenv("WITAN_RUNNER_MONEY");
}

/* Each of these files is refused, with these words in the sentence and in the hint. */
static void bad_files_are_refused(void **state)
{
    static const struct {
        const char *text, *sentence, *hint;
    } cases[] = {
        { "server:\n  threads: many\n", "config.yaml:2: server.threads must be a whole number from 0 to 64",
          "" },
        { "server:\n  threads: 65\n", "not \"65\"", "" },
        { "server:\n  threads: -1\n", "from 0 to 64", "" },
        { "server:\n  stop_grace: 5 parsecs\n", "a duration such as 30s, 5m or 24h, from 0 to 10m", "" },
        { "server:\n  stop_grace: 11m\n", "from 0 to 10m", "" },
        { "limits:\n  body: 1TB\n", "a size such as 64KB or 1MB, from 1KB to 100MB", "" },
        { "limits:\n  body: 1023\n", "from 1KB to 100MB", "" },
        { "runner:\n  money: -0.5\n", "runner.money must be an amount such as 0.50, from 0 to 1000000000",
          "" },
        { "runner:\n  money: 0.5 EUR\n", "not \"0.5 EUR\"", "" },
        { "runner:\n  money: 1000000000.01\n", "an amount such as 0.50", "" },
        { "runner:\n  project_money: .5\n", "an amount such as 0.50", "" },
        { "runner:\n  project_money: 1.\n", "an amount such as 0.50", "" },
        { "server:\n  require_auth: maybe\n", "true or false, not \"maybe\"", "" },
        { "log:\n  level: loud\n",
          "config.yaml:2: log.level must be debug, info, warn or error, not \"loud\"", "" },
        { "log:\n  format: xml\n", "log.format must be text or json", "" },
        { "store:\n  url: mysql://x\n", "store.url must be sqlite:PATH or postgres://", "" },
        { "server:\n  listen: nope\n", "server.listen must be an address and a port", "" },
        { "server:\n  listen: 127.0.0.1:99999\n", "not \"127.0.0.1:99999\"", "" },
        { "server:\n  listen: \"[::1]\"\n", "not \"[::1]\"", "" },
        { "server:\n  public_url: example.org\n", "server.public_url must be a URL with http", "" },
        { "server:\n  lisen: x\n", "config.yaml:2: there is no setting server.lisen",
          "Did you mean server.listen?" },
        { "unheard: of\n", "there is no setting unheard", "`witan config` lists every setting." },
        { "server:\n  listen: [a, b]\n", "config.yaml:2: server.listen takes one value", "" },
        { "server:\n  listen: {a: b}\n", "there is no setting server.listen.a", "" },
        { "server:\n  listen: a:1\n  listen: b:2\n", "config.yaml:3: server.listen was set before, at", "" },
        { "just words\n", "settings are written as", "" },
        { "server:\n\tlisten: x\n", "config.yaml:2: ", "" },
        { "a: {b: {c: {d: {e: {f: {g: {h: {i: j}}}}}}}}\n", "nested too deeply", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct config config;
        struct err err = { 0 };

        write_file(cases[i].text);
        if (config_load(&config, &(struct config_sources){ .file = file }, &err))
            fail_msg("taken: %s", cases[i].text);
        if (!strstr(err.text, cases[i].sentence))
            fail_msg("for %s: %s", cases[i].text, err.text);
        if (cases[i].hint[0])
            assert_string_equal(err.hint, cases[i].hint);
        config_done(&config);
    }
}

static void files_without_settings_are_fine(void **state)
{
    static const char *const texts[] = { "", "\n", "# only a comment\n", "---\n...\n" };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct config config;

        write_file(texts[i]);
        load(&config, &(struct config_sources){ .file = file });
        assert_string_equal(config.settings.server_listen, "127.0.0.1:7117");
        config_done(&config);
    }
}

static void a_file_that_was_named_must_be_there(void **state)
{
    struct config config;
    struct err err = { 0 };

    (void)state;
    assert_false(config_load(&config, &(struct config_sources){ .file = "/nowhere/config.yaml" }, &err));
    assert_non_null(strstr(err.text, "Cannot read /nowhere/config.yaml: No such file"));
    config_done(&config);
}

/* Defaults, file, environment, flags: each overrides the one before and is named as the origin. */
static void later_sources_win(void **state)
{
    size_t listen = row_of("server.listen"), store = row_of("store.url");
    char folder_file[sizeof(folder) + 32];
    struct config config;

    (void)state;
    snprintf(folder_file, sizeof(folder_file), "%s/witan", folder);
    mkdir(folder_file, 0700);
    snprintf(file, sizeof(file), "%s/config.yaml", folder_file);
    write_file("server:\n  listen: 127.0.0.1:1\nstore:\n  url: sqlite:/file.db\n");

    load(&config, &(struct config_sources){ 0 });
    assert_string_equal(config.settings.server_listen, "127.0.0.1:1");
    assert_non_null(strstr(config.origins[listen], "/witan/config.yaml:2"));
    config_done(&config);

    setenv("WITAN_SERVER_LISTEN", "127.0.0.1:2", 1);
    setenv("WITAN_DB", "sqlite:/db.db", 1);
    load(&config, &(struct config_sources){ 0 });
    assert_string_equal(config.settings.server_listen, "127.0.0.1:2");
    assert_string_equal(config.origins[listen], "environment WITAN_SERVER_LISTEN");
    assert_string_equal(config.settings.store_url, "sqlite:/db.db");
    assert_string_equal(config.origins[store], "environment WITAN_DB");
    config_done(&config);

    load(&config, &(struct config_sources){
                      .listen = "127.0.0.1:3", .store_url = "sqlite:/flag.db", .require_auth = true });
    assert_string_equal(config.settings.server_listen, "127.0.0.1:3");
    assert_string_equal(config.origins[listen], "flag --listen");
    assert_string_equal(config.settings.store_url, "sqlite:/flag.db");
    assert_string_equal(config.origins[store], "flag --db");
    assert_true(config.settings.server_require_auth);
    config_done(&config);

    unsetenv("WITAN_SERVER_LISTEN");
    unsetenv("WITAN_DB");
    unlink(file);
    rmdir(folder_file);
    snprintf(file, sizeof(file), "%s/config.yaml", folder);
}

static void passwords_are_masked(void **state)
{
    static const char *const cases[][2] = {
        { "postgres://u:secret@h/db", "postgres://u:***@h/db" },
        { "postgres://u:se@cr:et@h:5432/db", "postgres://***" },
        { "postgres://u:se/cret@h/db", "postgres://***" },
        { "postgres://u:se?cret@h/db", "postgres://***" },
        { "postgres://u:secret/db", "postgres://***" },
        { "postgres:/u:secret@h/db", "postgres://***" },
        { "host=h password=secret", "***" },
        { "postgres://u:%zz@[::1]:5432,h2:1/db", "postgres://u:***@[::1]:5432,h2:1/db" },
        { "postgres://u@h:5432/db", "postgres://u@h:5432/db" },
        { "postgres://h/db?user=u&password=secret&sslmode=require",
          "postgres://h/db?user=u&password=***&sslmode=require" },
        { "postgres://u:a@h/db?password=b", "postgres://u:***@h/db?password=***" },
        { "sqlite:/home/a:b@c/witan.db", "sqlite:/home/a:b@c/witan.db" },
    };
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    struct config config;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(config_mask_url(&arena, cases[i][0]), cases[i][1]);
    buf_init(&text, 0);
    load(&config, &(struct config_sources){ .store_url = "postgres://u:secret@h/db" });
    config_print_yaml(&config, &text);
    config_print_json(&config, &text);
    assert_null(strstr(text.bytes, "secret"));
    config_done(&config);
}

/* What `witan config` prints can be used as a config.yaml, and gives the same settings. */
static void what_is_printed_can_be_read(void **state)
{
    BUF_AUTO first = { 0 }, second = { 0 };
    struct config config;

    (void)state;
    buf_init(&first, 0);
    buf_init(&second, 0);
    write_file("server:\n  listen: \"[::1]:80\"\n  allowed_hosts: 'a\"b\\c, d'\nevents:\n  keep: 9d\n");
    load(&config, &(struct config_sources){ .file = file });
    config_print_yaml(&config, &first);
    config_done(&config);
    write_file(first.bytes);
    load(&config, &(struct config_sources){ .file = file });
    assert_string_equal(config.settings.server_listen, "[::1]:80");
    assert_string_equal(config.settings.server_allowed_hosts, "a\"b\\c, d");
    assert_int_equal(config.settings.events_keep_ms, 9LL * 86400000);
    config_print_json(&config, &second);
    assert_non_null(strstr(second.bytes, "\"key\":\"events.keep\",\"value\":\"9d\""));
    config_done(&config);
}

static void an_address_to_listen_on_becomes_a_link(void **state)
{
    static const struct {
        const char *listen;
        int port;
        const char *url;
    } cases[] = {
        { "127.0.0.1:7117", 0, "http://127.0.0.1:7117" },
        { "127.0.0.1:0", 4000, "http://127.0.0.1:4000" },
        { "0.0.0.0:80", 0, "http://127.0.0.1:80" },
        { ":80", 0, "http://127.0.0.1:80" },
        { "[::]:0", 81, "http://[::1]:81" },
        { "[fe80::1]:80", 0, "http://[fe80::1]:80" },
        { "witan.example:80", 0, "http://witan.example:80" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(config_listen_url(&arena, cases[i].listen, cases[i].port), cases[i].url);
}

static void names_of_variables_follow_keys(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(config_env_name(&arena, "server.public_url"), "WITAN_SERVER_PUBLIC_URL");
}

static void models_are_a_map_of_names(void **state)
{
    BUF_AUTO printed = { 0 };
    struct config config;

    (void)state;
    write_file(
        "models:\n"
        "  llama3.1:\n    provider: ollama\n    temperature: 0.5\n"
        "  fast:\n    provider: openai\n    base_url: http://127.0.0.1:8000/v1/\n    model: m\n"
        "    first_timeout: 5s\n    price_in: 2.5\n    price_out: 10\nconsensus:\n  discussion_rounds: 2\n  agreement_threshold: \"0.75\"\n");
    load(&config, &(struct config_sources){ .file = file });
    assert_int_equal(models()->count, 2);
    assert_string_equal(model_named("llama3.1")->model, "llama3.1");
    assert_string_equal(model_named("fast")->base_url, "http://127.0.0.1:8000/v1");
    assert_int_equal(model_named("fast")->first_timeout_ms, 5000);
    assert_true(model_named("fast")->price_in == 2.5 && model_named("fast")->price_out == 10);
    assert_true(model_named("llama3.1")->price_in <= 0 && model_named("llama3.1")->price_out <= 0);
    assert_null(model_named("slow"));
    assert_int_equal(config.settings.consensus_discussion_rounds, 2);
    buf_init(&printed, 0);
    config_print_yaml(&config, &printed);
    config_done(&config);
    assert_int_equal(models()->count, 0);

    write_file(printed.bytes); /* what is printed can be read */
    load(&config, &(struct config_sources){ .file = file });
    assert_int_equal(models()->count, 2);
    assert_int_equal(model_named("fast")->first_timeout_ms, 5000);
    assert_true(model_named("fast")->price_in == 2.5 && model_named("fast")->price_out == 10);
    config_done(&config);
    unlink(file);
}

static void wrong_models_are_refused_by_their_key(void **state)
{
    static const struct {
        const char *text, *field;
    } wrong[] = {
        { "models: x\n", "models" },
        { "models:\n  a: x\n", "models.a" },
        { "models:\n  a:\n    model: x\n", "models.a.provider" },
        { "models:\n  a:\n    provider: x\n", "models.a.provider" },
        { "models:\n  a:\n    provider: ollama\n    temprature: 1\n", "models.a.temprature" },
        { "models:\n  a:\n    provider: ollama\n    provider: openai\n", "models.a.provider" },
        { "models:\n  a:\n    provider: ollama\n    max_tokens: many\n", "models.a.max_tokens" },
        { "models:\n  a:\n    provider: openai\n    base_url: ftp://x/v1\n", "models.a.base_url" },
        { "models:\n  a:\n    provider: ollama\n    options:\n      x: 1\n", "models.a.options.x" },
        { "models:\n  a:\n    provider: ollama\n    price_in: free\n", "models.a.price_in" },
        { "models:\n  a:\n    provider: ollama\n    price_in: -1\n", "models.a.price_in" },
        { "models:\n  a:\n    provider: ollama\n    price_out: 1000001\n", "models.a.price_out" },
        { "consensus:\n  agreement_threshold: most\n", "consensus.agreement_threshold" },
        { "consensus:\n  agreement_threshold: 0\n", "consensus.agreement_threshold" },
        { "consensus:\n  agreement_threshold: 1.5\n", "consensus.agreement_threshold" },
        { "consensus:\n  discussion_rounds: 0\n", "consensus.discussion_rounds" },
        { "server:\n  connect_ports: 80,http\n", "server.connect_ports" },
        { "server:\n  connect_ports: 70000\n", "server.connect_ports" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct config config;
        struct err err = { 0 };

        write_file(wrong[i].text);
        if (config_load(&config, &(struct config_sources){ .file = file }, &err))
            fail_msg("taken: %s", wrong[i].text);
        assert_string_equal(err.field, wrong[i].field);
        assert_non_null(strstr(err.text, "config.yaml:"));
        config_done(&config);
    }
    unlink(file);
}

static void a_mistyped_variable_is_refused_and_a_foreign_one_is_not(void **state)
{
    struct config config;
    struct err err = { 0 };

    (void)state;
    setenv("WITAN_SERVICE_HOST", "10.0.0.1", 1);
    assert_true(config_load(&config, &(struct config_sources){ 0 }, &err));
    config_done(&config);
    setenv("WITAN_SERVER_LISTN", "127.0.0.1:1", 1);
    assert_false(config_load(&config, &(struct config_sources){ 0 }, &err));
    assert_non_null(strstr(err.text, "WITAN_SERVER_LISTN"));
    assert_non_null(strstr(err.hint, "WITAN_SERVER_LISTEN"));
    config_done(&config);
    unsetenv("WITAN_SERVER_LISTN");
    unsetenv("WITAN_SERVICE_HOST");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_hold_without_a_file),
        cmocka_unit_test(each_kind_is_read),
        cmocka_unit_test(yes_and_no_have_several_words),
        cmocka_unit_test(money_has_places_behind_the_point),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(files_without_settings_are_fine),
        cmocka_unit_test(a_file_that_was_named_must_be_there),
        cmocka_unit_test(later_sources_win),
        cmocka_unit_test(passwords_are_masked),
        cmocka_unit_test(what_is_printed_can_be_read),
        cmocka_unit_test(an_address_to_listen_on_becomes_a_link),
        cmocka_unit_test(names_of_variables_follow_keys),
        cmocka_unit_test(models_are_a_map_of_names),
        cmocka_unit_test(wrong_models_are_refused_by_their_key),
        cmocka_unit_test(a_mistyped_variable_is_refused_and_a_foreign_one_is_not),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
