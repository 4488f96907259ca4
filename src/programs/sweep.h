/*
 * sweep.h - a folder and all that is in it goes, whatever a program has made of it.
 *
 * Links are not followed; folders are emptied one after the other, however deep they were nested, with two
 * descriptors and no recursion.
 */
#ifndef PROGRAMS_SWEEP_H
#define PROGRAMS_SWEEP_H

#include <stdbool.h>

bool sweep(const char *folder);

#endif
