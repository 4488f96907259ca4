/*
 * anchor.h - one read that stays open on the newest state, so that all others begin and end without a
 * system call.
 *
 * SQLite takes a file lock when a read begins and gives it back when it ends, both under one mutex of the
 * process: with several threads that costs more than a point read itself. A lock that another connection
 * of the process holds is only counted. What a read sees does not change: each still begins a
 * transaction of its own.
 *
 * An open read keeps the WAL from starting over, so the anchor never rests: the writer moves it after every
 * commit, drops it before a checkpoint, and drops it when nobody has read for ANCHOR_MS; it also moves it
 * that often, since other programs write too. An anchor that cannot be had is no error: reads are slower
 * then.
 *
 * Thread: the writer's.
 */
#ifndef DB_ANCHOR_H
#define DB_ANCHOR_H

#include "base/err.h"

#include <stdint.h>

#define ANCHOR_MS 1000

struct anchor;

struct anchor *anchor_open(const char *path, const char *vfs, struct err *err);
void anchor_close(struct anchor *anchor); /* accepts NULL */

/* Moves to the newest state if anybody has read since the last time; `reads` is how many have so far. */
void anchor_move(struct anchor *anchor, uint64_t reads);
void anchor_drop(struct anchor *anchor);

#endif
