/*
 * arena.h - memory that dies together.
 *
 * One call, one arena. Code allocates and never frees; whoever owns the arena resets it after the
 * reply is out. Allocation cannot fail from the caller's view: a machine that is out of memory ends the
 * call (base/memory.h). Freed memory is poisoned under ASan.
 *
 * An arena may take what it holds from a budget (base/budget.h), but for its first block, which everybody
 * has: there are thousands of those that wait. A call for which the budget has no room ends as one for which
 * the machine has none; what cannot be ended takes its bytes all the same.
 *
 * Thread: an arena belongs to one thread at a time.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>

struct budget;

struct arena {
    struct arena_block *newest;
    size_t block;          /* what is taken at once; 0: the standard size. Less for what is small and there in
                              thousands */
    size_t held;           /* bytes of all its blocks */
    size_t most;           /* no further row is read into it once it holds more (db/db.h); 0: any number */
    struct budget *budget; /* that it takes from, or NULL */
};

void *arena_alloc(struct arena *arena, size_t size, size_t align);   /* zeroed, never NULL */
char *arena_copy(struct arena *arena, const void *from, size_t len); /* adds a NUL */
char *arena_text(struct arena *arena, const char *text);             /* NULL stays NULL */
char *arena_format(struct arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_reset(struct arena *arena); /* keeps one standard block for the next call */
void arena_done(struct arena *arena);  /* gives everything back */

#define arena_new(arena, type)      ((type *)arena_alloc((arena), sizeof(type), alignof(type)))
#define arena_array(arena, type, n) ((type *)arena_alloc((arena), sizeof(type) * (n), alignof(type)))

/* Scope-bound arena for code that has no call to borrow one from. */
#define ARENA_AUTO __attribute__((cleanup(arena_done))) struct arena

#endif
