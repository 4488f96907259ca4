/*
 * task_folder.h - the folder of a task that a coder works on, with its config.json.
 *
 * Each task has one of its own, named by its id, in the folder for all. Coders write there, so nothing in it
 * is believed: no link is followed, and a file is put in place of whatever has its name.
 *
 * Thread: any; it waits for the disk.
 */
#ifndef ENGINE_TASK_FOLDER_H
#define ENGINE_TASK_FOLDER_H

#include "base/err.h"

/* Makes the folder if it is not there and writes config.json into it. */
CHECKED bool task_folder_make(const char *root, const char *task_id, const char *config, struct err *err);

#endif
