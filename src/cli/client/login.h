/*
 * login.h - the login that `witan login` keeps: a person's session at one server, in a file of their own.
 *
 * The file `session` beside config.yaml, for its owner alone, holds the server's address and the session's
 * secret. It is used at that address and nowhere else, and only when no token is named by --token-file or
 * WITAN_TOKEN.
 */
#ifndef CLI_CLIENT_LOGIN_H
#define CLI_CLIENT_LOGIN_H

#include "cli/cli.h"

/* The secret that is kept for this server, or NULL. */
const char *login_kept(struct arena *arena, const char *url);
CHECKED bool login_keep(struct arena *arena, const char *url, const char *secret, struct err *err);
/* No login is kept any more, whichever it was. */
CHECKED bool login_forget(struct arena *arena, struct err *err);

#endif
