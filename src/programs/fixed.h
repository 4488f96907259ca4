/*
 * fixed.h - what the paths of an entry meant when the server started.
 *
 * A program may write its folder, and so put a link there. Were paths followed anew whenever one is run, such
 * a link would lead the next one out of its own folder. So a folder is held by a descriptor, and what is run
 * in it works in that very folder or not at all; of what argv and reads name, the path is known that was left
 * once links were followed, and what leads elsewhere by now is not opened.
 *
 * Thread: the only one of the helper, of a keeper, or of a program that is about to run.
 */
#ifndef PROGRAMS_FIXED_H
#define PROGRAMS_FIXED_H

#include "programs/programs.h"

#include <limits.h>

struct fixed_folder {
    const char *path;
    int fd; /* -1: it was not there */
};

/* What argv or reads names by an absolute path. */
struct fixed_name {
    const char *path;
    const char *real; /* NULL: nothing to open was there */
    bool files_only;  /* of argv: a word such as "/" is no wish to read all there is */
};

struct program_fixed {
    struct fixed_folder folder; /* the entry's, or that within which it must be; path NULL: none */
    struct fixed_name *names;   /* those of argv, then those of reads */
    size_t count;
};

/* For the helper, at its start. False: no memory, or too many names. */
bool fixed_find(struct program_fixed *fixed, const struct program *program);
/*
 * Opens a folder (as O_PATH) that is this one or inside of it, and tells what it is called. -1: errno says
 * why not; EXDEV: it is outside, or there is a link on the way; ESTALE: the path leads to another folder than
 * at the start.
 */
int fixed_open_folder(const struct fixed_folder *fixed, const char *folder, char real[static PATH_MAX]);
/* Opens what is to be opened of the names, into `fds`, which has room for all. False: one of them leads
 * elsewhere than at the start, and `count` is its place among them. */
bool fixed_open_names(const struct program_fixed *fixed, int *fds, size_t *count);
/* The path of the one with that place; for who knows the entry, but not what was found. */
const char *fixed_name_of(const struct program *program, size_t place);

#endif
