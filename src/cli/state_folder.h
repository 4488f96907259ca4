/*
 * state_folder.h - where the command line keeps what is worth keeping between two runs: XDG_STATE_HOME/witan,
 * or
 * ~/.local/state/witan.
 */
#ifndef CLI_STATE_FOLDER_H
#define CLI_STATE_FOLDER_H

#include "base/arena.h"

/* A path in it; NULL: there is no home to have it. */
const char *state_folder_path(struct arena *arena, const char *name);
/* Makes a folder and those above it, for nobody else to read. What cannot be made is noticed by who uses it.
 */
void state_folder_make(struct arena *arena, const char *path);

#endif
