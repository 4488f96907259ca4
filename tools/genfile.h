/*
 * genfile.h - what the programs that write C have in common: files read whole, files written only when they
 * change, texts as C has them.
 */
#ifndef WITAN_TOOLS_GENFILE_H
#define WITAN_TOOLS_GENFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prints "FILE:LINE: error: MESSAGE"; always false. */
bool gen_complain(const char *file, int line, const char *message);
/* The whole of a file of at most 1 MB, to be freed. */
bool gen_read(const char *path, char **bytes, size_t *len) __attribute__((warn_unused_result));
/*
 * Writes what `write` says. A file whose content stays the same is left alone, so that what includes it is
 * not compiled again.
 */
bool gen_write(const char *path, bool (*write)(FILE *out, const void *context), const void *context)
    __attribute__((warn_unused_result));

/* A character as it stands inside a literal. */
void gen_char(FILE *out, unsigned char c);
/* A text in quotes, on one line. */
void gen_text(FILE *out, const char *text);
void gen_upper(FILE *out, const char *name);

#endif
