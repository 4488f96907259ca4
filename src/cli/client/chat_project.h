/*
 * chat_project.h - the project in which the questions of `witan chat` are kept, unless one is named.
 *
 * It is made with the first question that somebody can answer: a chat without a model leaves nothing behind.
 */
#ifndef CLI_CLIENT_CHAT_PROJECT_H
#define CLI_CLIENT_CHAT_PROJECT_H

#include "cli/cli.h"

/* The id of the project called Chat; *made: it was not there before. ERR_INVALID as the server's, before
 * anything is made, when there is nobody to speak (council_lacks_model). */
CHECKED bool chat_project(struct cli *cli, const char **id, bool *made, struct err *err);
/* Takes away one that was made for nothing; what is wrong with that is not worth saying. */
void chat_project_drop(struct cli *cli, const char *id);

#endif
