/*
 * own_words.h - a workspace's own words for what models are told, in place of the texts of src/prompts.
 *
 * A text is checked when it is stored (wording.h), so that a discussion does not fail on one. It holds from
 * the next call on, also in discussions that run.
 */
#ifndef CORE_COUNCIL_OWN_WORDS_H
#define CORE_COUNCIL_OWN_WORDS_H

#include "core/caller/tx.h"
#include "core/council/rules/wording.h"

struct own_words {
    const char *text;   /* as it is used now */
    int64_t updated_ms; /* 0: as it comes with the program */
};

/* Of the caller's workspace. */
CHECKED bool own_words_get(const struct tx *tx, enum prompt_text prompt, struct own_words *words);
/* All of them, indexed by enum prompt_text. */
CHECKED bool own_words_list(const struct tx *tx, struct own_words words[static PROMPT_TEXTS]);
/* ERR_INVALID when it has a placeholder that does not exist. */
CHECKED bool own_words_put(const struct tx *tx, enum prompt_text prompt, const char *text);
/* Back to what comes with the program; it is no error when it was so already. */
CHECKED bool own_words_drop(const struct tx *tx, enum prompt_text prompt);

/* The text that a workspace's models are told. */
CHECKED bool own_words_of(const struct tx *tx, const char *workspace_id, enum prompt_text prompt,
                          const char **text);

#endif
