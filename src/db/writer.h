/*
 * writer.h - the one thread that writes to SQLite.
 *
 * It takes everything that is queued, runs it unit by unit inside one transaction, commits once and only
 * then answers. A batch ends at WRITE_BATCH units or after options->batch_ms. A unit that fails is undone
 * alone.
 *
 * Thread: writer_put from any; the callbacks of units and of the options come from the writer's.
 */
#ifndef DB_WRITER_H
#define DB_WRITER_H

#include "db/queue.h"
#include "db/read_pause.h"
#include "db/threads.h"

struct writer;

/* `options`, `counters` and `pause` stay the caller's and must outlive the writer. */
struct writer *writer_open(const char *path, const struct store_options *options, struct counters *counters,
                           struct read_pause *pause, struct err *err);
void writer_close(struct writer *writer); /* runs what is queued first; accepts NULL */

CHECKED bool writer_put(struct writer *writer, struct work *work, struct err *err);
size_t writer_queued(struct writer *writer);
/* False once an I/O error has ended it: only a restart, which recovers the database, helps. */
bool writer_is_healthy(const struct writer *writer);

#endif
