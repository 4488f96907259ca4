/*
 * agent_ref.h - the agent that a word on the command line stands for.
 */
#ifndef CLI_CLIENT_AGENT_REF_H
#define CLI_CLIENT_AGENT_REF_H

#include "cli/client/invoke.h"

/* Whether an agent has this name, in whatever case, and its id. */
CHECKED bool agent_ref_find(struct cli *cli, const char *name, bool *there, const char **id, struct err *err);
/* The id: of a name, or an id itself. ERR_NOT_FOUND when nobody has that name. */
CHECKED bool agent_ref_id(struct cli *cli, const char *word, const char **id, struct err *err);

/* "user,Builder,Reviewer" as the participants of a discussion, in this order: user is a person, who may be
 * named (user:Maya). The caller json_decrefs them. */
CHECKED bool agent_ref_seats(struct cli *cli, const char *names, json_t **participants, struct err *err);

#endif
