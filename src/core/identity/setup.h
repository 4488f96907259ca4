/*
 * setup.h - how the first person comes into a server that others can reach.
 *
 * Such a server has no solo mode, so nobody could make the first account over the network. It prints a code
 * where only whoever started it reads: with that, once, an owner's account can be made. A code ends with the
 * first user or token, however that was made, and after a day.
 */
#ifndef CORE_IDENTITY_SETUP_H
#define CORE_IDENTITY_SETUP_H

#include "core/caller/tx.h"
#include "core/identity/user.h"

/* A new code beside those that other nodes have printed; what has expired is forgotten. */
CHECKED bool setup_make_code(const struct tx *tx, const char **code);
/* Whether somebody with a code could make the first account now. */
CHECKED bool setup_is_open(const struct tx *tx, bool *open);
/* Whether this is such a code: ERR_FORBIDDEN otherwise, the same for one that was never good. */
CHECKED bool setup_check_code(const struct tx *tx, const char *code);
/* Uses the code up, and every other: the owner of the default workspace, with the hash of a password. */
CHECKED bool setup_make_owner(const struct tx *tx, const char *code, const char *name, const char *password,
                              struct user *user);

#endif
