/*
 * readers.h - reading from SQLite beside the writer.
 *
 * Some threads with a read-only connection each take units from a queue, others only heavy ones from another;
 * a thread of the caller's may also read on the spot, with a connection of its own that is opened on first
 * use and closed when the thread or the readers end, whichever is first. Every unit is one transaction: it
 * sees one moment, and it ends within READ_LIMIT_MS, since an open reader keeps the WAL from starting over.
 *
 * Thread: any.
 */
#ifndef DB_READERS_H
#define DB_READERS_H

#include "db/queue.h"
#include "db/read_pause.h"

struct readers;

/* `pause` stays the caller's and outlives the readers. */
struct readers *readers_open(const char *path, const struct store_options *options, struct read_pause *pause,
                             struct err *err);
void readers_close(struct readers *readers); /* runs what is queued first; accepts NULL */

CHECKED bool readers_put(struct readers *readers, struct work *work, struct err *err);
/* Runs on the calling thread and fills work->err; does not call done. */
void readers_run_here(struct readers *readers, struct work *work);
size_t readers_queued(struct readers *readers);

#endif
