/*
 * secrets.h - values that the operator has given to a server or a command, and that it may repeat: in what it
 * refuses, in descriptions, in errors. They are taken out where its words come in, before anybody reads them,
 * and before anything else is done to those words: what has other line ends already is no longer what was
 * given.
 *
 * A value is looked for in each form in which it comes through (secret_forms.c). Short ones stay, since they
 * would be found everywhere.
 *
 * Thread: any; nothing is kept.
 */
#ifndef TOOLBOX_SECRETS_H
#define TOOLBOX_SECRETS_H

#include "base/arena.h"
#include "base/json.h"

#define SECRET_LEAST 8 /* bytes of one that is taken out */

struct secret_forms;

/* All forms of these values, which end with NULL; in the arena. NULL: there is nothing to look for. */
const struct secret_forms *secrets_known(struct arena *arena, const char *const *values);

/* Some of what was said, any bytes, and where that was cut off. */
struct said_part {
    const char *bytes;
    size_t len;
    bool cut_before, cut_behind;
};

/* In all of these `forms` may be NULL: there are none. */

/* The text itself where none is in it, else a copy in the arena; NULL of NULL. */
const char *secrets_hidden(struct arena *arena, const struct secret_forms *forms, const char *text);
/* The same of a part: where it was cut off, what may be the rest of one that began before it, or the
 * beginning of one that goes on behind it, goes altogether. A NUL follows what has changed. */
struct said_part secrets_hidden_part(struct arena *arena, const struct secret_forms *forms,
                                     struct said_part part);
/* In all texts of a value, and in its keys. */
void secrets_hide_in(json_t *value, const struct secret_forms *forms);

#endif
