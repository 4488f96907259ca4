/*
 * new_password.h - asks for a password without showing it, and hashes it.
 *
 * A password is never an argument, where every process of the machine could read it: it is typed twice, or
 * comes on standard input with --password-stdin.
 */
#ifndef CLI_STORE_NEW_PASSWORD_H
#define CLI_STORE_NEW_PASSWORD_H

#include "cli/cli.h"

/* The password of somebody who has one: typed once, or from standard input; in the arena. */
CHECKED bool new_password_typed(struct cli *cli, const char **password, struct err *err);
/* Without `must`, --no-password leaves *hash NULL. Takes a while on purpose: not within a transaction. */
CHECKED bool new_password_hash(struct cli *cli, bool must, const char **hash, struct err *err);

#endif
