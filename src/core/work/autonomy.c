#include "core/work/autonomy.h"

#include "base/str.h"

#include <string.h>

static const struct {
    const char *name, *title;
} categories[HIL_CATEGORIES] = {
    [HIL_SCOPE] = { "scopeChanges", "Scope changes" },
    [HIL_ARCHITECTURE] = { "architectureDecisions", "Architecture decisions" },
    [HIL_DEPENDENCIES] = { "dependencyModifications", "Dependency modifications" },
};

static const struct {
    const char *name, *sentence;
} levels[] = {
    [HIL_APPROVAL] = { "requires_approval", "Confirm all changes before proceeding" },
    [HIL_NOTIFY] = { "notify_and_proceed", "Notify user but proceed" },
    [HIL_AUTOMATED] = { "automated", "Full autonomy: proceed without confirmation" },
};

#define LEVELS (sizeof(levels) / sizeof(levels[0]))

static const struct {
    const char *word;
    struct hil hil;
} words[] = {
    { "confirm_all", { { HIL_APPROVAL, HIL_APPROVAL, HIL_APPROVAL } } },
    { "major_only", { { HIL_APPROVAL, HIL_APPROVAL, HIL_NOTIFY } } },
    { "full", { { HIL_AUTOMATED, HIL_AUTOMATED, HIL_AUTOMATED } } },
};

#define WORDS (sizeof(words) / sizeof(words[0]))

static bool take_word(const char *word, struct hil *hil, struct err *err)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (strcmp(words[i].word, word) == 0) {
            *hil = words[i].hil;
            return true;
        }
    }
    return err_field(err, "hilConfig", "hilConfig must be confirm_all, major_only, full or an object.");
}

static bool take_level(const char *category, const json_t *value, enum hil_level *level, struct err *err)
{
    const char *name = json_string_value(value);

    for (size_t i = 0; name && i < LEVELS; i++) {
        if (strcmp(levels[i].name, name) == 0) {
            *level = (enum hil_level)i;
            return true;
        }
    }
    return err_field(err, "hilConfig", "%s must be automated, notify_and_proceed or requires_approval.",
                     category);
}

bool hil_take(const json_t *config, struct hil *hil, struct err *err)
{
    struct hil taken = *hil;

    if (json_is_string(config))
        return take_word(json_string_value(config), hil, err);
    if (!json_is_object(config))
        return err_field(err, "hilConfig", "hilConfig must be confirm_all, major_only, full or an object.");
    for (size_t i = 0; i < HIL_CATEGORIES; i++) {
        const json_t *value = json_object_get(config, categories[i].name);

        if (value && !take_level(categories[i].name, value, &taken.levels[i], err))
            return false;
    }
    *hil = taken;
    return true;
}

bool hil_load(const char *text, struct hil *hil, struct err *err)
{
    JSON_AUTO *config = NULL;
    struct hil loaded = { 0 };

    if (!json_parse(text, strlen(text), &config, err) || !hil_take(config, &loaded, err))
        return false;
    *hil = loaded;
    return true;
}

char *hil_text(struct arena *arena, const struct hil *hil)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    hil_write(hil, NULL, &out);
    return arena_copy(arena, text.bytes, text.len);
}

enum hil_level hil_level_for(const struct hil *hil, const char *category)
{
    for (size_t i = 0; i < HIL_CATEGORIES; i++)
        if (strcmp(categories[i].name, category) == 0)
            return hil->levels[i];
    return HIL_APPROVAL;
}

const char *hil_level_name(enum hil_level level)
{
    return levels[level].name;
}

const char *hil_word(const struct hil *hil)
{
    for (size_t i = 0; i < WORDS; i++)
        if (memcmp(&words[i].hil, hil, sizeof(*hil)) == 0)
            return words[i].word;
    return "custom";
}

const char *hil_sentence(enum hil_level level)
{
    return levels[level].sentence;
}

char *hil_description(struct arena *arena, const struct hil *hil)
{
    char *text = arena_text(arena, "");

    for (size_t i = 0; i < HIL_CATEGORIES; i++) {
        bool said = false;

        for (size_t before = 0; before < i; before++)
            said = said || hil->levels[before] == hil->levels[i];
        if (!said)
            text = arena_format(arena, "%s%s%s", text, *text ? "; " : "", hil_sentence(hil->levels[i]));
    }
    return text;
}

char *hil_lines(struct arena *arena, const struct hil *hil)
{
    char *text = arena_text(arena, "");

    for (size_t i = 0; i < HIL_CATEGORIES; i++)
        text = arena_format(arena, "%s%s: %s\n", text, categories[i].title, hil_sentence(hil->levels[i]));
    return text;
}

void hil_write(const struct hil *hil, const char *key, struct json_out *out)
{
    json_map(out, key);
    for (size_t i = 0; i < HIL_CATEGORIES; i++)
        json_text(out, categories[i].name, hil_level_name(hil->levels[i]));
    json_map_end(out);
}
