/*
 * A list of blocks, of which the newest is filled from its front. What is larger than a block gets one of its
 * own behind the newest, so that the rest of that is not lost. A reset keeps one block, since the next call
 * will want it.
 */
#include "base/arena.h"

#include "base/budget.h"
#include "base/memory.h"
#include "base/sanitized.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if SANITIZED_ADDRESS
#include <sanitizer/asan_interface.h>
/* A poisoned gap after each allocation, so that writing past one is seen even inside a block. */
#define GAP ((size_t)8)
#else
#define ASAN_POISON_MEMORY_REGION(bytes, size)   ((void)(bytes), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(bytes, size) ((void)(bytes), (void)(size))
#define GAP                                      ((size_t)0)
#endif

struct arena_block {
    struct arena_block *older;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

#define BLOCK_SIZE ((size_t)16 * 1024 - sizeof(struct arena_block))

static size_t block_size(const struct arena *arena)
{
    return arena->block ? arena->block : BLOCK_SIZE;
}

/* Of so many held bytes those that the budget knows of. */
static size_t charged(const struct arena *arena, size_t held)
{
    size_t first = sizeof(struct arena_block) + block_size(arena);

    return held > first ? held - first : 0;
}

static bool charge(const struct arena *arena, size_t held)
{
    size_t from = charged(arena, arena->held), to = charged(arena, held);

    if (!arena->budget || to == from || budget_grow(arena->budget, from, to))
        return true;
    if (memory_can_be_gone())
        return false;
    budget_force(arena->budget, to - from);
    return true;
}

static struct arena_block *block_new(struct arena *arena, size_t size)
{
    size_t whole = sizeof(struct arena_block) + size;
    struct arena_block *block = memory_take(whole);

    if (!charge(arena, arena->held + whole)) {
        free(block);
        memory_gone(whole);
    }
    arena->held += whole;
    block->older = NULL;
    block->used = 0;
    block->size = size;
    ASAN_POISON_MEMORY_REGION(block->bytes, block->size);
    return block;
}

static void block_free(struct arena *arena, struct arena_block *block)
{
    size_t held = arena->held - (sizeof(*block) + block->size);

    if (arena->budget)
        budget_give(arena->budget, charged(arena, arena->held) - charged(arena, held));
    arena->held = held;
    ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->size);
    free(block);
}

static void *block_take(struct arena_block *block, size_t size, size_t align)
{
    uintptr_t first = (uintptr_t)block->bytes + block->used;
    size_t start = block->used + (size_t)(-first & (align - 1));

    if (start > block->size || block->size - start < size + GAP)
        return NULL;
    block->used = start + size + GAP;
    ASAN_UNPOISON_MEMORY_REGION(block->bytes + start, size);
    return block->bytes + start;
}

/* A large piece gets a block of its own behind the newest, whose free rest stays in use. */
static struct arena_block *arena_grow(struct arena *arena, size_t need)
{
    size_t usual = block_size(arena);
    struct arena_block *block = block_new(arena, need > usual ? need : usual);

    if (arena->newest && need > usual) {
        block->older = arena->newest->older;
        arena->newest->older = block;
    } else {
        block->older = arena->newest;
        arena->newest = block;
    }
    return block;
}

/* The bytes hold whatever was there before. */
static void *arena_take(struct arena *arena, size_t size, size_t align)
{
    if (size > SIZE_MAX / 4)
        memory_gone(size);

    void *taken = arena->newest ? block_take(arena->newest, size, align) : NULL;

    if (taken)
        return taken;
    taken = block_take(arena_grow(arena, size + align + GAP), size, align);
    if (!taken)
        memory_gone(size);
    return taken;
}

void *arena_alloc(struct arena *arena, size_t size, size_t align)
{
    return memset(arena_take(arena, size, align), 0, size);
}

char *arena_copy(struct arena *arena, const void *from, size_t len)
{
    char *copy = arena_take(arena, len + 1, 1);

    if (len > 0)
        memcpy(copy, from, len);
    copy[len] = '\0';
    return copy;
}

char *arena_text(struct arena *arena, const char *text)
{
    return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

char *arena_format(struct arena *arena, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0)
        len = 0;

    char *text = arena_take(arena, (size_t)len + 1, 1);

    text[0] = '\0';
    va_start(args, fmt);
    vsnprintf(text, (size_t)len + 1, fmt, args);
    va_end(args);
    return text;
}

void arena_reset(struct arena *arena)
{
    struct arena_block *kept = NULL;

    for (struct arena_block *block = arena->newest, *older; block; block = older) {
        older = block->older;
        if (kept || block->size != block_size(arena)) {
            block_free(arena, block);
            continue;
        }
        kept = block;
        kept->used = 0;
        ASAN_POISON_MEMORY_REGION(kept->bytes, kept->size);
    }
    if (kept)
        kept->older = NULL;
    arena->newest = kept;
}

void arena_done(struct arena *arena)
{
    for (struct arena_block *block = arena->newest, *older; block; block = older) {
        older = block->older;
        block_free(arena, block);
    }
    arena->newest = NULL;
}
