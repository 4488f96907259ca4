/*
 * fuzz.h - what the fuzz targets share.
 *
 * A target feeds bytes to one parser and then demands what must hold of anything that came out: a crash, a
 * sanitizer's report or a broken demand is a finding. With -DFUZZ_PLANT each target also has one bug planted
 * behind its parser, by which tests/fuzz/planted shows that it can find bugs there at all: it calls plant(),
 * or plant_NAME.h does so on its behalf.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#define DEMAND(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #what); \
            abort(); \
        } \
    } while (0)

/* The planted bug: off by one, since a block of `room` bytes has none at `room`. */
static inline void plant(size_t at, size_t room)
{
#ifdef FUZZ_PLANT
    volatile char *block = calloc(room, 1);

    if (block && at <= room)
        block[at] = 1;
    free((char *)block);
#else
    (void)at, (void)room;
#endif
}

/* Cuts the next line off the input and returns a copy with a NUL, which the caller frees. */
static inline char *fuzz_line(const uint8_t **bytes, size_t *len)
{
    const uint8_t *end = *len ? memchr(*bytes, '\n', *len) : NULL;
    size_t taken = end ? (size_t)(end - *bytes) : *len;
    char *line = malloc(taken + 1);

    DEMAND(line);
    if (taken)
        memcpy(line, *bytes, taken);
    line[taken] = '\0';
    taken += end != NULL;
    *bytes += taken;
    *len -= taken;
    return line;
}

#endif
