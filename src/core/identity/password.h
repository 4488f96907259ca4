/*
 * password.h - which passwords are good enough.
 *
 * Refused are short ones, those that everybody tries first, those of a few characters over and over, and
 * those that are hardly more than the user's own name. A word from the list stays what it is with digits and
 * signs around it, with its letters in any case, doubled, or with 0 for o and @ for a: so do the programs
 * that guess. There are no rules about kinds of characters: they make passwords worse.
 *
 * Thread: any.
 */
#ifndef CORE_IDENTITY_PASSWORD_H
#define CORE_IDENTITY_PASSWORD_H

#include "base/arena.h"
#include "base/err.h"

/* ERR_INVALID on `field`, with the reason. `name` is the user's, or NULL. */
CHECKED bool password_check(struct arena *arena, const char *field, const char *password, const char *name,
                            struct err *err);

#endif
