/*
 * A model is written into config.yaml, and the rest of the file stays to the letter.
 */
#include "server/config_edit.h"

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

static char folder[] = "/tmp/witan-edit-XXXXXX", path[64], link_path[64];
static const char *values[32];
static const struct model_entry entry = { "new", values };

static int set_up(void **state)
{
    (void)state;
    assert_true(model_row_count <= 32);
    for (size_t row = 0; row < model_row_count; row++) {
        if (strcmp(model_rows[row].key, "provider") == 0)
            values[row] = "ollama";
        if (strcmp(model_rows[row].key, "model") == 0)
            values[row] = "llama3.2: the \"best\"";
    }
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/config.yaml", folder);
    snprintf(link_path, sizeof(link_path), "%s/link.yaml", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    unlink(link_path);
    return rmdir(folder);
}

static void put(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static const char *now(void)
{
    static char text[4096];
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

#define ENTRY(in) in "new:\n" in "  provider: ollama\n" in "  model: \"llama3.2: the \\\"best\\\"\"\n"
#define FLOW      "\"new\": {\"provider\": \"ollama\", \"model\": \"llama3.2: the \\\"best\\\"\"}"

static const struct {
    const char *before, *after; /* NULL: refused */
} layouts[] = {
    { "", "models:\n" ENTRY("  ") },
    { "# mine\n", "# mine\n\nmodels:\n" ENTRY("  ") },
    { "log:\n  level: warn", "log:\n  level: warn\n\nmodels:\n" ENTRY("  ") },
    { "models:\nlog:\n  level: warn # loud\n", "models:\n" ENTRY("  ") "log:\n  level: warn # loud\n" },
    { "models: {}  # none\nlog: {level: warn}\n", "models:  # none\n" ENTRY("  ") "log: {level: warn}\n" },
    { "# für uns\nmodels: # ü\n    a:\n        provider: ollama # ä\n    # later\n\nlog:\n  level: warn\n",
      "# für uns\nmodels: # ü\n    a:\n        provider: ollama # ä\n" ENTRY(
          "    ") "    # later\n\nlog:\n  level: warn\n" },
    { "models:\n  a.new: {provider: ollama}", "models:\n  a.new: {provider: ollama}\n" ENTRY("  ") },
    { "tools:\n  a: {description: x, input_schema: {type: object}, argv: [/bin/true, 1.0]}\n",
      "tools:\n  a: {description: x, input_schema: {type: object}, argv: [/bin/true, 1.0]}\n\nmodels:\n" ENTRY(
          "  ") },
    { "{}", "{ \"models\": {" FLOW "}}" },
    { "{\"models\": {}}\n", "{\"models\": { " FLOW "}}\n" },
    { "{\"models\": {\"a\": {\"provider\": \"ollama\"}}, \"log\": {\"level\": \"warn\"}}",
      "{\"models\": {\"a\": {\"provider\": \"ollama\"}, " FLOW "}, \"log\": {\"level\": \"warn\"}}" },
    { "models: {a: {provider: ollama}, }\n", "models: {a: {provider: ollama}, " FLOW " }\n" },
    { "models: {a: {provider: ollama} # one\n}\n", NULL },
    { "models:\n  new:\n    provider: openai\n", NULL },
};

static void the_rest_of_the_file_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
        struct config config;
        struct err err = { 0 };

        put(layouts[i].before);
        assert_int_equal(config_add_model(path, &entry, &err), layouts[i].after != NULL);
        assert_string_equal(now(), layouts[i].after ? layouts[i].after : layouts[i].before);
        if (!layouts[i].after) {
            assert_non_null(strstr(err.text, "nothing was written"));
            continue;
        }
        err = (struct err){ 0 };
        assert_true(config_load(&config, &(struct config_sources){ .file = path }, &err));
        assert_string_equal(model_named("new")->model, "llama3.2: the \"best\"");
        config_done(&config);
    }
}

static void the_file_keeps_its_mode_and_its_link(void **state)
{
    struct stat about;
    struct err err = { 0 };

    (void)state;
    put("log:\n  level: warn\n");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("config.yaml", link_path), 0);
    assert_true(config_add_model(link_path, &entry, &err));
    assert_int_equal(lstat(link_path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(unlink(path), 0);
    assert_true(config_add_model(path, &entry, &err));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_of_the_file_stays),
        cmocka_unit_test(the_file_keeps_its_mode_and_its_link),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
