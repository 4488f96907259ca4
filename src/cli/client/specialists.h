/*
 * specialists.h - who speaks when nobody was named.
 *
 * Three with different tasks: Divergent opens a question up, Convergent draws together, Critical looks for
 * what is wrong with it; and a Moderator who answers alone. They are agents as any other. Whoever is missing
 * is made, on the default model, and people are told so; one that is there is taken as it is, so that it can
 * be given a model or words of its own.
 */
#ifndef CLI_CLIENT_SPECIALISTS_H
#define CLI_CLIENT_SPECIALISTS_H

#include "cli/client/invoke.h"

/* The participants of a discussion, as its operation takes them. The caller json_decrefs the list. */
CHECKED bool specialists_seat(struct cli *cli, json_t **participants, struct err *err);
CHECKED bool specialists_seat_moderator(struct cli *cli, json_t **participants, struct err *err);
/* "A,B,C": agents by name. */
CHECKED bool specialists_named(struct cli *cli, const char *names, json_t **participants, struct err *err);

#endif
