/*
 * files.h - files and folders that belong to the owner alone.
 */
#ifndef SERVER_FILES_H
#define SERVER_FILES_H

#include "base/arena.h"
#include "base/err.h"

/* Makes every folder on the way to `path`, for the owner alone; those that are there stay as they are. */
CHECKED bool files_make_folders(const char *path, struct err *err);

#endif
