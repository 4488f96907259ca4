/*
 * text_edit.h - a text in the editor of whoever sits at the terminal.
 *
 * Thread: the one that runs the command.
 */
#ifndef CLI_TEXT_EDIT_H
#define CLI_TEXT_EDIT_H

#include "base/arena.h"
#include "base/err.h"

/*
 * Opens $VISUAL, else $EDITOR, else the first of editor, nano and vi that is there, on a file of the caller's
 * own with this text, waits for it and gives what stands there then. False when there is no editor, or it
 * ends with an error: then nothing counts as edited.
 */
CHECKED bool text_edit(struct arena *arena, const char *before, const char **after, struct err *err);

#endif
