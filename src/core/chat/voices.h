/*
 * voices.h - who has replied to a prompt, each by the key of their name (str_fold), one in a line.
 *
 * Triggers add a voice with each reply and count it if it is a new one. The key of a name that is not ASCII
 * they find in the row of a call; for a row that another program wrote they take what the database makes of
 * the name. Such voices are folded here: by the sweep that reads what other programs wrote, and before the
 * next call changes the prompt. Who was counted twice under two spellings is then counted once. A prompt that
 * had all its replies before that stays resolved.
 */
#ifndef CORE_CHAT_VOICES_H
#define CORE_CHAT_VOICES_H

#include "core/caller/tx.h"

bool voices_are_folded(struct arena *arena, const char *requester, const char *requester_key,
                       const char *voices);
/* Folds the requester's name and the voices, each there once then; counts anew while the prompt is open. */
CHECKED bool voices_fold(const struct tx *tx, const char *prompt_id);
/* What another program wrote: if the author's name is not ASCII, the message gets its key, and the prompt is
 * folded. */
CHECKED bool voices_fold_message(const struct tx *tx, const char *chat_id, const char *author,
                                 const char *prompt_id);

#endif
