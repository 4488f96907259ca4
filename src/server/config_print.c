/*
 * The settings as text, in the order of their table. Texts are quoted as JSON quotes them, which YAML reads
 * as well. The one value that may hold a secret, the address of the store, goes through config_mask_url.
 */
#include "server/config.h"

#include "base/json.h"

#include <string.h>

static const char *shown_value(const struct config *config, struct arena *arena, size_t row)
{
    if (strcmp(config_rows[row].key, "store.url") == 0)
        return config_mask_url(arena, config->settings.store_url);
    return config->values[row];
}

void config_print_yaml(const struct config *config, struct buf *into)
{
    ARENA_AUTO arena = { 0 };
    size_t section_len = 0;
    const char *section = "";

    for (size_t i = 0; i < config_row_count; i++) {
        const struct config_row *row = &config_rows[i];
        size_t len = strcspn(row->key, ".");
        const char *value = shown_value(config, &arena, i);
        struct json_out out;

        if (len != section_len || strncmp(section, row->key, len) != 0)
            buf_format(into, "%s%.*s:\n", i ? "\n" : "", (int)len, row->key);
        section = row->key;
        section_len = len;
        buf_format(into, "  # %s\n  # from: %s; variable: %s\n", row->help, config->origins[i],
                   config_env_name(&arena, row->key));
        buf_format(into, "  %s: ", row->key + len + 1);
        json_begin(&out, into);
        if (row->kind == CONFIG_TEXT)
            json_text(&out, NULL, value); /* YAML reads JSON's quoted text */
        else
            buf_text(into, value);
        buf_char(into, '\n');
    }
    config_models_print_yaml(&config->models, into);
    config_tools_print_yaml(&config->tools, into);
}

void config_print_template(struct buf *into)
{
    ARENA_AUTO arena = { 0 };

    buf_text(into,
             "# The settings of witan. What is commented out has its default, which is what stands here.\n"
             "# `witan config` shows what is in force and where it comes from.\n");
    for (size_t i = 0; i < config_row_count; i++) {
        const struct config_row *row = &config_rows[i];
        struct json_out out;

        buf_format(into, "\n# %s\n# Variable: %s\n#%s: ", row->help, config_env_name(&arena, row->key),
                   row->key);
        json_begin(&out, into);
        if (row->kind == CONFIG_TEXT)
            json_text(&out, NULL, row->fallback);
        else
            buf_text(into, row->fallback);
        buf_char(into, '\n');
    }
    config_models_print_template(into);
    config_tools_print_template(into);
}

void config_print_json(const struct config *config, struct buf *into)
{
    ARENA_AUTO arena = { 0 };
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_list(&out, "settings");
    for (size_t i = 0; i < config_row_count; i++) {
        json_map(&out, NULL);
        json_text(&out, "key", config_rows[i].key);
        json_text(&out, "value", shown_value(config, &arena, i));
        json_text(&out, "origin", config->origins[i]);
        json_text(&out, "variable", config_env_name(&arena, config_rows[i].key));
        json_text(&out, "help", config_rows[i].help);
        json_map_end(&out);
    }
    json_list_end(&out);
    config_models_print_json(&config->models, &out);
    config_tools_print_json(&config->tools, &out);
    json_map_end(&out);
}
