/*
 * autonomy.h - how much an agent may decide by itself.
 *
 * A project's hilConfig gives one of three levels to each of three categories of decisions. There are three
 * words for common settings: confirm_all (everything requires approval), major_only (dependencies notify and
 * proceed, the rest requires approval) and full (everything is automated). What a config does not name
 * requires approval; a struct of zeros is confirm_all, so nothing is ever allowed by being forgotten.
 */
#ifndef CORE_WORK_AUTONOMY_H
#define CORE_WORK_AUTONOMY_H

#include "base/json.h"

enum autonomy_level { AUTONOMY_APPROVAL, AUTONOMY_NOTIFY, AUTONOMY_AUTOMATED };
enum autonomy_category { AUTONOMY_SCOPE, AUTONOMY_ARCHITECTURE, AUTONOMY_DEPENDENCIES, AUTONOMY_CATEGORIES };

struct autonomy {
    enum autonomy_level levels[AUTONOMY_CATEGORIES];
};

/*
 * Takes a hilConfig: an object whose categories replace those in `autonomy`, the others staying as they are,
 * or one of the three words. Categories nobody knows are ignored; a level nobody knows is ERR_INVALID.
 */
CHECKED bool autonomy_take(const json_t *config, struct autonomy *autonomy, struct err *err);
/* From and to what is stored: a JSON object's text. */
CHECKED bool autonomy_load(const char *text, struct autonomy *autonomy, struct err *err);
char *autonomy_text(struct arena *arena, const struct autonomy *autonomy);

/* The categories and the three words one by one; NULL behind the last. */
const char *autonomy_category_at(size_t at);
const char *autonomy_word_at(size_t at);

/* AUTONOMY_APPROVAL for a category that the config does not name. */
enum autonomy_level autonomy_level_for(const struct autonomy *autonomy, const char *category);
const char *autonomy_level_name(enum autonomy_level level);
/* confirm_all, major_only, full, or custom. */
const char *autonomy_word(const struct autonomy *autonomy);
/* What a level means, in the words that agents are given. */
const char *autonomy_sentence(enum autonomy_level level);
/* The sentences of the levels in use, each once, separated by "; ". */
char *autonomy_description(struct arena *arena, const struct autonomy *autonomy);
/* One line for each category, each ending in a line break: for prompts. */
char *autonomy_lines(struct arena *arena, const struct autonomy *autonomy);

void autonomy_write(const struct autonomy *autonomy, const char *key, struct json_out *out);

#endif
