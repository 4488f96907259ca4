/*
 * files.h - files and folders that belong to the owner alone.
 *
 * Closing any descriptor of a file drops all POSIX locks that this process has on it, SQLite's among them:
 * none of these may be called on a database that this process has open.
 */
#ifndef SERVER_FILES_H
#define SERVER_FILES_H

#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* Makes every folder on the way to `path`, for the owner alone; those that are there stay as they are. */
CHECKED bool files_make_folders(const char *path, struct err *err);
/* An empty file for the owner alone; ERR_CONFLICT when there is one. */
CHECKED bool files_create(const char *path, struct err *err);
/* A file with this text for the owner alone, brought to the disk; ERR_CONFLICT when there is one. */
CHECKED bool files_write(const char *path, const char *text, size_t len, struct err *err);
/* Gives a file or a folder that this process has made an owner, a group ((uid_t)-1 and (gid_t)-1: its own)
 * and a mode. In somebody else's folder another may stand in its place meanwhile, or a link: those are
 * refused. */
CHECKED bool files_give(const char *path, uid_t uid, gid_t gid, mode_t mode, struct err *err);
/* Opens a file that is there. */
CHECKED bool files_open(const char *path, int flags, int *fd, struct err *err);
/* A copy of an open file, which messages call `from`, for the owner alone; ERR_CONFLICT when there is a file
 * already. */
CHECKED bool files_copy_open(int in, const char *from, const char *to, struct err *err);
/* Brings a file to the disk and gives it another name, for good: a power cut does not undo it. */
CHECKED bool files_settle(const char *path, const char *name, struct err *err);
/* Its bytes, or -1. */
int64_t files_size(const char *path);

#endif
