/*
 * store_file.h - why the file of an SQLite store cannot be used, and what to do about it.
 *
 * SQLite says "unable to open database file" for a folder that is not there, one that cannot be written and
 * a path that is a folder itself. People are told which path is meant and which of these it is.
 *
 * Nothing here opens the file by its path: closing any descriptor of it would drop SQLite's locks.
 */
#ifndef DB_STORE_FILE_H
#define DB_STORE_FILE_H

#include "base/err.h"

/* After an attempt to open or make the file that failed with this errno. */
bool store_file_refused(const char *path, int why, struct err *err);
/* After SQLite has failed with this code, and this text of its own. */
bool store_file_unusable(const char *path, int sqlite_code, const char *text, struct err *err);
/*
 * What root has just made in a folder of somebody else becomes that one's: it could not be opened by them
 * else. SQLite does the same for what it makes beside the file.
 */
void store_file_give(int fd, const char *path);
/* Whether a file that is not there yet could be made: its folder, or the nearest one above, can be written.
 */
CHECKED bool store_file_can_be_made(const char *path, struct err *err);

#endif
