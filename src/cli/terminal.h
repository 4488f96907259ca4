/*
 * terminal.h - which terminal a command runs on, and who sits there.
 *
 * A terminal is a session of this machine: the process that leads it, since when it runs, and the machine's
 * boot. Another window, another login and the next one that gets the same device are other terminals; a pipe
 * within a command line is not.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "cli/cli.h"

/* A name for the terminal of this session that no other has or will have; NULL: there is none. */
const char *terminal_name(struct arena *arena);
/* Whether a terminal with that name is still there. True when it cannot be known from here. */
bool terminal_may_live(struct arena *arena, const char *name);
/* Whether what is printed on stdout stands on the terminal of this session. */
bool terminal_shows_stdout(void);

/* Whether a person is to be asked: one of the program's ends is a terminal, and neither --yes nor --no-input.
 */
bool terminal_can_ask(const struct cli *cli);
/*
 * Asks on the terminal itself, for standard input may hold something else. `line` is what was typed; false at
 * its end, or without a terminal.
 */
bool terminal_ask(const char *prompt, char *line, size_t size);

#endif
