/*
 * Three small tables (categories, levels, words) say everything; AUTONOMY_APPROVAL is 0, so that a struct
 * nobody filled in allows nothing.
 */
#include "core/work/autonomy.h"

#include "base/str.h"

#include <string.h>

static const struct {
    const char *name, *title;
} categories[AUTONOMY_CATEGORIES] = {
    [AUTONOMY_SCOPE] = { "scopeChanges", "Scope changes" },
    [AUTONOMY_ARCHITECTURE] = { "architectureDecisions", "Architecture decisions" },
    [AUTONOMY_DEPENDENCIES] = { "dependencyModifications", "Dependency modifications" },
};

static const struct {
    const char *name, *sentence;
} levels[] = {
    [AUTONOMY_APPROVAL] = { "requires_approval", "Confirm all changes before proceeding" },
    [AUTONOMY_NOTIFY] = { "notify_and_proceed", "Notify user but proceed" },
    [AUTONOMY_AUTOMATED] = { "automated", "Full autonomy: proceed without confirmation" },
};

#define LEVELS (sizeof(levels) / sizeof(levels[0]))

static const struct {
    const char *word;
    struct autonomy autonomy;
} words[] = {
    { "confirm_all", { { AUTONOMY_APPROVAL, AUTONOMY_APPROVAL, AUTONOMY_APPROVAL } } },
    { "major_only", { { AUTONOMY_APPROVAL, AUTONOMY_APPROVAL, AUTONOMY_NOTIFY } } },
    { "full", { { AUTONOMY_AUTOMATED, AUTONOMY_AUTOMATED, AUTONOMY_AUTOMATED } } },
};

#define WORDS (sizeof(words) / sizeof(words[0]))

static bool take_word(const char *word, struct autonomy *autonomy, struct err *err)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (strcmp(words[i].word, word) == 0) {
            *autonomy = words[i].autonomy;
            return true;
        }
    }
    return err_field(err, "hilConfig", "hilConfig must be confirm_all, major_only, full or an object.");
}

static bool take_level(const char *category, const json_t *value, enum autonomy_level *level, struct err *err)
{
    const char *name = json_string_value(value);

    for (size_t i = 0; name && i < LEVELS; i++) {
        if (strcmp(levels[i].name, name) == 0) {
            *level = (enum autonomy_level)i;
            return true;
        }
    }
    return err_field(err, "hilConfig", "%s must be automated, notify_and_proceed or requires_approval.",
                     category);
}

bool autonomy_take(const json_t *config, struct autonomy *autonomy, struct err *err)
{
    struct autonomy taken = *autonomy;

    if (json_is_string(config))
        return take_word(json_string_value(config), autonomy, err);
    if (!json_is_object(config))
        return err_field(err, "hilConfig", "hilConfig must be confirm_all, major_only, full or an object.");
    for (size_t i = 0; i < AUTONOMY_CATEGORIES; i++) {
        const json_t *value = json_object_get(config, categories[i].name);

        if (value && !json_is_null(value) && !take_level(categories[i].name, value, &taken.levels[i], err))
            return false;
    }
    *autonomy = taken;
    return true;
}

bool autonomy_load(const char *text, struct autonomy *autonomy, struct err *err)
{
    JSON_AUTO *config = NULL;
    struct autonomy loaded = { 0 };

    if (!json_parse(text, strlen(text), &config, err) || !autonomy_take(config, &loaded, err))
        return false;
    *autonomy = loaded;
    return true;
}

char *autonomy_text(struct arena *arena, const struct autonomy *autonomy)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    autonomy_write(autonomy, NULL, &out);
    return arena_copy(arena, text.bytes, text.len);
}

const char *autonomy_category_at(size_t at)
{
    return at < AUTONOMY_CATEGORIES ? categories[at].name : NULL;
}

const char *autonomy_word_at(size_t at)
{
    return at < WORDS ? words[at].word : NULL;
}

enum autonomy_level autonomy_level_for(const struct autonomy *autonomy, const char *category)
{
    for (size_t i = 0; i < AUTONOMY_CATEGORIES; i++)
        if (strcmp(categories[i].name, category) == 0)
            return autonomy->levels[i];
    return AUTONOMY_APPROVAL;
}

const char *autonomy_level_name(enum autonomy_level level)
{
    return levels[level].name;
}

const char *autonomy_word(const struct autonomy *autonomy)
{
    for (size_t i = 0; i < WORDS; i++)
        if (memcmp(&words[i].autonomy, autonomy, sizeof(*autonomy)) == 0)
            return words[i].word;
    return "custom";
}

const char *autonomy_sentence(enum autonomy_level level)
{
    return levels[level].sentence;
}

char *autonomy_description(struct arena *arena, const struct autonomy *autonomy)
{
    char *text = arena_text(arena, "");

    for (size_t i = 0; i < AUTONOMY_CATEGORIES; i++) {
        bool said = false;

        for (size_t before = 0; before < i; before++)
            said = said || autonomy->levels[before] == autonomy->levels[i];
        if (!said)
            text = arena_format(arena, "%s%s%s", text, *text ? "; " : "",
                                autonomy_sentence(autonomy->levels[i]));
    }
    return text;
}

char *autonomy_lines(struct arena *arena, const struct autonomy *autonomy)
{
    char *text = arena_text(arena, "");

    for (size_t i = 0; i < AUTONOMY_CATEGORIES; i++)
        text = arena_format(arena, "%s%s: %s\n", text, categories[i].title,
                            autonomy_sentence(autonomy->levels[i]));
    return text;
}

void autonomy_write(const struct autonomy *autonomy, const char *key, struct json_out *out)
{
    json_map(out, key);
    for (size_t i = 0; i < AUTONOMY_CATEGORIES; i++)
        json_text(out, categories[i].name, autonomy_level_name(autonomy->levels[i]));
    json_map_end(out);
}
