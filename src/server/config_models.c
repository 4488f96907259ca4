/*
 * Keys come one by one as `models.NAME.SETTING`, in any order, so a model is made with its first line and
 * judged when all are there. Names may hold dots: the last one divides.
 */
#include "server/config_models.h"

#include "base/limits.h"
#include "base/str.h"

#include <string.h>

static const char section[] = "models";

bool config_models_has(const char *key)
{
    return str_starts(key, section) && (key[sizeof(section) - 1] == '.' || key[sizeof(section) - 1] == '\0');
}

static bool is_name(const char *name)
{
    return *name && str_is_utf8(name, strlen(name)) && str_is_plain_line(name) && !str_is_blank(name) &&
           str_chars(name) <= LIMIT_NAME;
}

static bool find_or_add(struct config_models *models, struct arena *arena, const char *name, size_t *index,
                        struct err *err)
{
    for (*index = 0; *index < models->count; ++*index)
        if (strcmp(models->list[*index].name, name) == 0)
            return true;
    if (!is_name(name))
        return err_field(err, section, "the name of a model is one line of at most %d characters.",
                         LIMIT_NAME);
    if (models->count == LIMIT_MODELS)
        return err_field(err, section, "there can be at most %d models.", LIMIT_MODELS);
    if (!models->list) {
        models->list = arena_array(arena, struct llm_model, LIMIT_MODELS);
        models->notes = arena_array(arena, struct config_model, LIMIT_MODELS);
    }
    model_init(&models->list[models->count], arena_text(arena, name));
    models->notes[models->count].values = arena_array(arena, const char *, model_row_count);
    models->count++;
    return true;
}

/* What the table says about a setting, with the place in front and the whole key as the field. */
static bool at_place(const char *origin, const char *key, struct err *err)
{
    struct err inner = *err;

    err_field(err, key, "%s: %s: %s", origin, key, inner.text);
    return *inner.hint ? err_hint(err, "%s", inner.hint) : false;
}

static bool set_one(struct config_models *models, struct arena *arena, size_t index, const char *setting,
                    const char *value, struct err *err)
{
    struct config_model *note = &models->notes[index];
    uint32_t row = 0;

    while (row < model_row_count && strcmp(model_rows[row].key, setting) != 0)
        row++;
    if (row < model_row_count && (note->set & 1u << row))
        return err_field(err, setting, "it was set before.");
    if (!model_set(&models->list[index], arena, setting, value, err))
        return false;
    note->set |= 1u << row;
    note->values[row] = arena_text(arena, value);
    return true;
}

bool config_models_take(struct config_models *models, struct arena *arena, const char *key, const char *value,
                        const char *origin, struct err *err)
{
    const char *name = key + sizeof(section), *dot = strrchr(key, '.');
    size_t index;

    if (strcmp(key, section) == 0 && !*value)
        return true; /* "models:" with nothing under it */
    if (strcmp(key, section) == 0 || dot < name)
        return err_field(err, key,
                         "%s: %s takes settings such as provider, base_url and model, not one value.", origin,
                         key);
    if (!find_or_add(models, arena, arena_copy(arena, name, (size_t)(dot - name)), &index, err) ||
        !set_one(models, arena, index, dot + 1, value, err))
        return at_place(origin, key, err);
    if (!models->notes[index].origin)
        models->notes[index].origin = arena_text(arena, origin);
    return true;
}

/* A server that asked itself for words would wait for its own answer. */
static bool check_one(struct llm_model *model, struct arena *arena, const struct settings *settings,
                      struct err *err)
{
    if (!model_check(model, arena, err))
        return false;
    return local_judge(settings, model->base_url) != LOCAL_OWN ||
           err_field(err, "base_url", "base_url is the address of witan itself (server.listen).");
}

bool config_models_check(struct config_models *models, struct arena *arena, const struct settings *settings,
                         struct err *err)
{
    for (size_t i = 0; i < models->count; i++) {
        const char *key;

        if (check_one(&models->list[i], arena, settings, err))
            continue;
        key = arena_format(arena, "%s.%s.%s", section, models->list[i].name, err->field);
        return at_place(models->notes[i].origin, key, err);
    }
    models->in_force = (struct llm_models){ models->list, models->count };
    models_use(&models->in_force);
    return true;
}

void config_models_print_yaml(const struct config_models *models, struct buf *into)
{
    struct json_out out;

    buf_format(into, "\n# Models by name; `witan model list` shows them.\n%s:%s\n", section,
               models->count ? "" : " {}");
    for (size_t i = 0; i < models->count; i++) {
        buf_format(into, "  # from: %s\n  ", models->notes[i].origin);
        json_begin(&out, into);
        json_text(&out, NULL, models->list[i].name); /* YAML reads JSON's quoted text */
        buf_text(into, ":\n");
        for (size_t row = 0; row < model_row_count; row++) {
            if (!(models->notes[i].set & 1u << row))
                continue;
            buf_format(into, "    %s: ", model_rows[row].key);
            json_begin(&out, into);
            json_text(&out, NULL, models->notes[i].values[row]);
            buf_char(into, '\n');
        }
    }
}

void config_models_print_json(const struct config_models *models, struct json_out *out)
{
    json_map(out, section);
    for (size_t i = 0; i < models->count; i++) {
        json_map(out, models->list[i].name);
        json_text(out, "origin", models->notes[i].origin);
        for (size_t row = 0; row < model_row_count; row++)
            if (models->notes[i].set & 1u << row)
                json_text(out, model_rows[row].key, models->notes[i].values[row]);
        json_map_end(out);
    }
    json_map_end(out);
}

void config_models_print_template(struct buf *into)
{
    buf_format(
        into,
        "\n# Models by name, each with these settings. Keys of providers never stand here.\n#%s:\n#  NAME:\n",
        section);
    for (size_t row = 0; row < model_row_count; row++) {
        const char *fallback = model_rows[row].fallback;

        buf_format(into, "#    %s: %s # %s\n", model_rows[row].key, *fallback ? fallback : "\"\"",
                   model_rows[row].help);
    }
}
