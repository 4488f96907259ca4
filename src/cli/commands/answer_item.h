/*
 * answer_item.h - answers what waits and is no question: a set of open questions, a prompt, a turn.
 */
#ifndef CLI_COMMANDS_ANSWER_ITEM_H
#define CLI_COMMANDS_ANSWER_ITEM_H

#include "cli/client/item_ref.h"

/* `words` are what was typed behind its name, "-" read from standard input; with none, a person at the
 * terminal is shown it and asked. The exit code. */
int answer_item(struct cli *cli, const struct item_ref *ref, const char *const words[], size_t count);

/* One that has ended: who settled it and when, as ERR_CONFLICT. True: it is open. */
CHECKED bool answer_item_open(struct cli *cli, const struct item_ref *ref, struct err *err);

#endif
