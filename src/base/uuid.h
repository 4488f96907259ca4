/*
 * uuid.h - ids that sort by time.
 *
 * UUIDv7 as lower-case text. Within a process they strictly increase, so that rows made in the same
 * millisecond keep their order.
 */
#ifndef BASE_UUID_H
#define BASE_UUID_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define UUID_SIZE 37

void uuid_make(char text[static UUID_SIZE]); /* now, by clock_now_ms */
char *uuid_new(struct arena *arena);
bool uuid_valid(const char *text); /* any version, any case */
void uuid_lower(char *text);
void random_bytes(void *into, size_t len); /* from the kernel; never fails */

#endif
