/*
 * password.h - asks for a password without showing it, and hashes it.
 *
 * A password is never an argument, where every process of the machine could read it: it is typed twice, or
 * comes on standard input with --password-stdin.
 */
#ifndef SERVER_PASSWORD_H
#define SERVER_PASSWORD_H

#include "edge/cli/cli.h"

/* Without `must`, --no-password leaves *hash NULL. Takes a while on purpose: not within a transaction. */
CHECKED bool password_hash(struct cli *cli, bool must, const char **hash, struct err *err);

#endif
