/*
 * A statement that has triggers may have to be undone alone, so SQLite copies every page before the statement
 * changes it, in blocks of one KB, and frees them all when the statement has ended: about a hundred for a
 * question. The C library keeps seven of a size at hand and cuts and joins all others, which took a tenth
 * of the writer's time. All other sizes are left to it.
 */
#include "db/sqlite_blocks.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

struct block {
    struct block *next;
};

struct kept {
    struct block *first;
    size_t count;
    bool goes_with_thread;
};

static sqlite3_mem_methods plain;
static pthread_key_t at_end;
static _Thread_local struct kept kept;

static void *take(int bytes)
{
    struct block *block = kept.first;

    if (bytes != SQLITE_BLOCK || !block)
        return plain.xMalloc(bytes);
    kept.first = block->next;
    kept.count--;
    return block;
}

/* The library may have made a block a little larger than was asked for. */
static bool is_block(void *memory)
{
    int bytes = plain.xSize(memory);

    return bytes >= SQLITE_BLOCK && bytes < SQLITE_BLOCK + 16;
}

static void give_back(void *memory)
{
    struct block *block = memory;

    if (!kept.goes_with_thread)
        kept.goes_with_thread = pthread_setspecific(at_end, &kept) == 0;
    if (!kept.goes_with_thread || kept.count == SQLITE_BLOCKS_KEPT || !is_block(memory)) {
        plain.xFree(memory);
        return;
    }
    block->next = kept.first;
    kept.first = block;
    kept.count++;
}

static void free_kept(void *user)
{
    struct kept *own = user;

    for (struct block *block = own->first, *next; block; block = next) {
        next = block->next;
        plain.xFree(block);
    }
    *own = (struct kept){ 0 };
}

void sqlite_blocks_begin(void)
{
    sqlite3_mem_methods ours;

    if (pthread_key_create(&at_end, free_kept) != 0 ||
        sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain) != SQLITE_OK)
        return;
    ours = plain;
    ours.xMalloc = take;
    ours.xFree = give_back;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
}

size_t sqlite_blocks_kept(void)
{
    return kept.count;
}
