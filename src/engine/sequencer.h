/*
 * sequencer.h - gives PostgreSQL's events their numbers.
 *
 * Operations append events and audit rows without a number, since ordering them inside the operations'
 * own transactions would make all of them queue. Whichever node comes first numbers what has been
 * committed, seals the audit chain, and tells the other nodes with one NOTIFY. It works on a connection of
 * its own: a pool that is busy never holds up the events.
 *
 * It opens no transaction: a node that is stopped, wherever it is, holds up nobody (docs/decisions/0014).
 *
 * It runs at most every SEAL_INTERVAL_MS, at once when this node has committed or another has spoken, and
 * otherwise less and less often.
 */
#ifndef ENGINE_SEQUENCER_H
#define ENGINE_SEQUENCER_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct sequencer;

/* `numbered` is called, on the sequencer's thread, whenever there are new numbers. */
struct sequencer *sequencer_open(const char *url, void (*numbered)(void *user), void *user);
void sequencer_close(struct sequencer *sequencer); /* accepts NULL */
void sequencer_poke(struct sequencer *sequencer);
/* Waits until nothing that was committed before the call lacks a number, or the time is up. */
bool sequencer_settle(struct sequencer *sequencer, int timeout_ms);

struct sequencer_stats {
    uint64_t numbered, sealed, failures, reconnects;
};
void sequencer_stats(struct sequencer *sequencer, struct sequencer_stats *stats);

#endif
