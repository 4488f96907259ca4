/*
 * help_groups.h - the list of commands, by what one wants to do.
 */
#ifndef CLI_HELP_GROUPS_H
#define CLI_HELP_GROUPS_H

#include "base/buf.h"
#include "cli/cli.h"

/* All commands: how their names begin, or, if `whole`, each with what it is for. */
void help_write_groups(const struct cli *cli, bool whole, struct buf *into);
/* Text in lines of the terminal's width; the first begins at column `indent`, and so do the others. */
void help_write_wrapped(const struct cli *cli, const char *text, size_t len, size_t indent, struct buf *into);
/*
 * A name, and from `column` on what is said of it; on a narrow terminal, or behind a long name, below it.
 * With no cli: as it would be printed into a file.
 */
void help_write_entry(const struct cli *cli, const char *name, const char *text, size_t len, size_t column,
                      struct buf *into);
/* One: its name and the first sentence of its help. */
void help_write_line(const struct cli *cli, const struct cli_command *command, struct buf *into);

#endif
