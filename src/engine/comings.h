/*
 * comings.h - tells those who listen that people came, went or turned to another page.
 *
 * What tabs say is written by whichever node they talk to, and a tab that is shut says nothing at all; so it
 * is each node that looks, every second while anybody listens to it, whose state has changed since the
 * last look, and says so to its own streams: one event for each workspace, in no log.
 *
 * Thread: its own.
 */
#ifndef ENGINE_COMINGS_H
#define ENGINE_COMINGS_H

#include "db/store.h"
#include "engine/tailer.h"

struct comings;

struct comings *comings_open(struct store *store, struct tailer *tailer);
void comings_close(struct comings *comings); /* accepts NULL */

#endif
