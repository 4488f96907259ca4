/*
 * lookup.h - which program and which folder are meant.
 *
 * Asked when the server starts, to tell about what cannot be; for the program again whenever one is run. What
 * folders are then is another matter (fixed.h).
 */
#ifndef PROGRAMS_LOOKUP_H
#define PROGRAMS_LOOKUP_H

#include <limits.h>
#include <stdbool.h>

/* Where names without a path are looked for. */
#define LOOKUP_PATH "/usr/local/bin:/usr/bin:/bin"

/* The file that argv[0] means, and that it may be run; false: errno says why not. */
bool lookup_program(const char *name, char path[static PATH_MAX]);
/*
 * Opens a folder (as O_PATH) and tells what it is called once all links are resolved. -1: errno says why not;
 * EXDEV: it is not inside of `within`, which may be NULL. What was opened is what was judged, whoever moves
 * links meanwhile.
 */
int lookup_folder(const char *folder, const char *within, char real[static PATH_MAX]);
/* What an open descriptor is called now. */
bool lookup_name(int fd, char real[static PATH_MAX]);
/* Whether it is that folder or inside of it; both without links. */
bool lookup_is_inside(const char *path, const char *folder);

#endif
