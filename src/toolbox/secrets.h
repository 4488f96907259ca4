/*
 * secrets.h - values that the operator has given to a server or a command, and that it may repeat: in what it
 * refuses, in descriptions, in errors. They are taken out where its words come in, before anybody reads them.
 *
 * A list ends with NULL; NULL: there are none. Short values stay, since they would be found everywhere.
 *
 * Thread: any; nothing is kept.
 */
#ifndef TOOLBOX_SECRETS_H
#define TOOLBOX_SECRETS_H

#include "base/arena.h"
#include "base/json.h"

#define SECRET_LEAST 8 /* characters of one that is taken out */

/* The text itself where none is in it, else a copy in the arena; NULL of NULL. */
const char *secrets_hidden(struct arena *arena, const char *const *secrets, const char *text);
/* The same of a part of what was said: where it was cut off, what may be the rest of one that began before
 * it, or the beginning of one that goes on behind it, goes altogether. */
const char *secrets_hidden_part(struct arena *arena, const char *const *secrets, const char *text,
                                bool cut_before, bool cut_behind);
/* In all texts of a value, and in its keys. */
void secrets_hide_in(json_t *value, const char *const *secrets);

#endif
