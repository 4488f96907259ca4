/*
 * standing_read.h - one read that stays open on the newest state, so that all others begin and end without a
 * system call.
 *
 * SQLite takes a file lock when a read begins and gives it back when it ends, both under one mutex of the
 * process: with several threads that costs more than a point read itself. A lock that another connection
 * of the process holds is only counted. What a read sees does not change: each still begins a
 * transaction of its own.
 *
 * An open read keeps the WAL from starting over, so this one never rests: the writer moves it after every
 * commit, drops it before a checkpoint, and drops it when nobody has read for STANDING_READ_MS; it also moves
 * it that often, since other programs write too. When it cannot be had that is no error: reads are slower
 * then.
 *
 * Thread: the writer's.
 */
#ifndef DB_STANDING_READ_H
#define DB_STANDING_READ_H

#include "base/err.h"

#include <stdint.h>

#define STANDING_READ_MS 1000

struct standing_read;

struct standing_read *standing_read_open(const char *path, const char *vfs, struct err *err);
void standing_read_close(struct standing_read *standing); /* accepts NULL */

/* Moves to the newest state if anybody has read since the last time; `reads` is how many have so far. */
void standing_read_move(struct standing_read *standing, uint64_t reads);
void standing_read_drop(struct standing_read *standing);

#endif
