/*
 * line_editor.h - lines that a person types, with editing and history; or lines of a script.
 *
 * On a terminal this is libedit: the usual keys, and a history that is kept between two runs. Ctrl-C gives up
 * the line and not the program, Ctrl-D on an empty line ends. Where standard input is no terminal its lines
 * come as they are, and no prompt is shown.
 */
#ifndef CLI_LINE_EDITOR_H
#define CLI_LINE_EDITOR_H

#include "base/arena.h"

#include <stdbool.h>

struct line_editor;

/* `history` is a file, or NULL for none. */
struct line_editor *line_editor_new(const char *prompt, const char *history);
void line_editor_free(struct line_editor *editor);
bool line_editor_is_terminal(const struct line_editor *editor);

enum line_read {
    LINE_READ,     /* *line, without its end, in the arena */
    LINE_GIVEN_UP, /* Ctrl-C */
    LINE_END,
};

enum line_read line_editor_read(struct line_editor *editor, struct arena *arena, const char **line);

#endif
