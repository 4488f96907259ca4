/*
 * question_ref.h - the numbers and short ids that stand for what waits, on the command line.
 *
 * `witan inbox` numbers what it shows on a terminal, and `witan answer 2` means what stood there as 2. A
 * terminal gives each thing one number, once: a later list, of whatever filter, shows the same thing under
 * the same number and a new one under the next, so that whatever can still be read on the screen is right.
 * Only what is shown gets a number; a pipe, --json and other terminals give none and change none. The numbers
 * are kept in a file of the user's state folder, one for each terminal (terminal.h), with the server and the
 * workspace of each.
 *
 * A short id is the end of an id, which is random. It means the same everywhere, as long as the thing waits,
 * and a while longer (item_ref.h).
 */
#ifndef CLI_CLIENT_QUESTION_REF_H
#define CLI_CLIENT_QUESTION_REF_H

#include "cli/cli.h"

#define QUESTION_REF_SHORT 8 /* characters of an id that `inbox` shows */

/*
 * Gives numbers to what this terminal is about to show, the old ones where it had one. 0 for those that could
 * not be kept, which is all of them when stdout is no terminal.
 */
void question_ref_number(struct cli *cli, const char *const ids[], size_t count, size_t numbers[]);

/* The newest id of those that this terminal has shown that ends in `tail`, or NULL. */
const char *question_ref_shown(struct cli *cli, const char *tail);

const char *question_ref_short(struct arena *arena, const char *id);

/*
 * The id that a word stands for: a number that this terminal has shown, the end of an id, or an id itself;
 * of a question or of anything else that the inbox lists. A number that this terminal does not know, or that
 * belongs to another server, is refused.
 */
CHECKED bool question_ref_id(struct cli *cli, const char *word, const char **id, struct err *err);

#endif
