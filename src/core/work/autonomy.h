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

enum hil_level { HIL_APPROVAL, HIL_NOTIFY, HIL_AUTOMATED };
enum hil_category { HIL_SCOPE, HIL_ARCHITECTURE, HIL_DEPENDENCIES, HIL_CATEGORIES };

struct hil {
    enum hil_level levels[HIL_CATEGORIES];
};

/*
 * Takes a hilConfig: an object whose categories replace those in `hil`, the others staying as they are, or
 * one of the three words. Categories nobody knows are ignored; a level nobody knows is ERR_INVALID.
 */
CHECKED bool hil_take(const json_t *config, struct hil *hil, struct err *err);
/* From and to what is stored: a JSON object's text. */
CHECKED bool hil_load(const char *text, struct hil *hil, struct err *err);
char *hil_text(struct arena *arena, const struct hil *hil);

/* HIL_APPROVAL for a category that the config does not name. */
enum hil_level hil_level_for(const struct hil *hil, const char *category);
const char *hil_level_name(enum hil_level level);
/* confirm_all, major_only, full, or custom. */
const char *hil_word(const struct hil *hil);
/* What a level means, in the words that agents are given. */
const char *hil_sentence(enum hil_level level);
/* The sentences of the levels in use, each once, separated by "; ". */
char *hil_description(struct arena *arena, const struct hil *hil);
/* One line for each category, each ending in a line break: for prompts. */
char *hil_lines(struct arena *arena, const struct hil *hil);

void hil_write(const struct hil *hil, const char *key, struct json_out *out);

#endif
