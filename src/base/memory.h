/*
 * memory.h - what happens when there is no more of it.
 *
 * Arenas, buffers and JSON trees take their memory here and never see a NULL. When the machine gives none,
 * the work that is under way is ended where it stands: its frames are left one by one, as if each had
 * returned, so that what they hold by a cleanup attribute (BUF_AUTO, JSON_AUTO, a statement, a result) is
 * given back, and memory_try returns false to whoever began the work. One call fails; the server goes on.
 *
 * Where no work is under way a reserve is used, piece by piece, and filled up again when the next work
 * begins; without any of it left the program ends, loudly.
 *
 * For code that runs inside memory_try: what must be given back needs a cleanup attribute, and no lock is
 * held while memory is taken. The program is compiled with -fexceptions for this.
 *
 * Thread: any; each has its own work.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *memory_take(size_t size);                 /* never NULL; free() gives it back */
void *memory_resize(void *memory, size_t size); /* the same; when it fails `memory` is as it was */
/* For a library that says in its own way that there is no memory. */
_Noreturn void memory_gone(size_t size);
/* Whether work is under way that can be ended so. */
bool memory_can_be_gone(void);
/* Runs it. False: there was not enough memory, and it was left half done. */
bool memory_try(void (*run)(void *arg), void *arg);
/* Sets so much aside for moments without work to end. Once, before there are other threads. */
void memory_reserve(size_t size);

#endif
