/*
 * folding.h - the thread that keeps the figures of reports up to date (core/reports/figures.h).
 *
 * Every FOLD_INTERVAL_MS it looks whether anything has changed, and adds it in batches small enough that
 * nobody waits long behind one. A store that does not answer is asked again at the next look.
 *
 * Thread: open and close are the engine's.
 */
#ifndef ENGINE_FOLDING_H
#define ENGINE_FOLDING_H

#include "db/store.h"

struct folding;

struct folding *folding_open(struct store *store);
void folding_close(struct folding *folding); /* accepts NULL */

#endif
