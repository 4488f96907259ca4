/* Configuration files: YAML, then every setting's own rules, then the file that `witan config` prints. */
#include "base/json.h"
#include "server/config.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#define PRINTED_MAX (1024 * 1024)

/* The environment of whoever runs this must not decide what is found. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct arena arena = { 0 };

    (void)argc, (void)argv;
    unsetenv("WITAN_DB");
    for (size_t i = 0; i < config_row_count; i++)
        unsetenv(config_env_name(&arena, config_rows[i].key));
    arena_done(&arena);
    return 0;
}

/* Settings come from a path, so the bytes become a file that only exists in memory. */
static bool load(struct config *config, const void *bytes, size_t len, struct err *err)
{
    char path[40];
    int file = memfd_create("config", MFD_CLOEXEC);

    DEMAND(file >= 0 && write(file, bytes, len) == (ssize_t)len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    bool good = config_load(config, &(struct config_sources){ .file = path }, err);

    close(file);
    return good;
}

static void check_json(const struct config *config)
{
    struct buf text;
    json_t *printed = NULL;
    struct err err = { 0 };

    buf_init(&text, PRINTED_MAX);
    config_print_json(config, &text);
    DEMAND(json_parse(text.bytes, text.len, &printed, &err));
    DEMAND(json_array_size(json_object_get(printed, "settings")) == config_row_count);
    json_decref(printed);
    buf_done(&text);
}

/* What is printed can be used as a config.yaml and means the same; only a store's password is not in it. */
static void check_yaml(const struct config *config)
{
    struct buf text;
    struct config again;
    struct err err = { 0 };

    buf_init(&text, PRINTED_MAX);
    config_print_yaml(config, &text);
    DEMAND(load(&again, text.bytes, text.len, &err));
    for (size_t i = 0; i < config_row_count; i++)
        if (strcmp(config_rows[i].key, "store.url") != 0)
            DEMAND(strcmp(config->values[i], again.values[i]) == 0);
    config_done(&again);
    buf_done(&text);
}

static void check_ranges(const struct config *config)
{
    for (size_t i = 0; i < config_row_count; i++) {
        const struct config_row *row = &config_rows[i];
        int64_t number;

        DEMAND(config->values[i] && config->origins[i]);
        if (row->kind == CONFIG_TEXT || row->kind == CONFIG_BOOL)
            continue;
        memcpy(&number, (const char *)&config->settings + row->offset, sizeof(number));
        DEMAND(number >= row->least && number <= row->most);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct config config;
    struct err err = { 0 };

    if (load(&config, bytes, len, &err)) {
        check_ranges(&config);
        check_json(&config);
        check_yaml(&config);
        plant((size_t)config.settings.server_threads, 6);
    } else {
        DEMAND(err.code == ERR_INVALID && err.text[0]);
    }
    config_done(&config);
    return 0;
}
