/*
 * sqlite_blocks.h - keeps the memory at hand that SQLite takes and gives back with every statement. Internal
 * to sqlite.c.
 *
 * Thread: any; each has blocks of its own, which go with it.
 */
#ifndef DB_SQLITE_BLOCKS_H
#define DB_SQLITE_BLOCKS_H

#include <stddef.h>

#define SQLITE_BLOCK       1024 /* bytes */
#define SQLITE_BLOCKS_KEPT 256  /* by a thread at most */

/* Before anything else is asked of SQLite; later it changes nothing. */
void sqlite_blocks_begin(void);
/* How many this thread has at hand. */
size_t sqlite_blocks_kept(void);

#endif
