/*
 * indexing.h - the thread that takes the words of what was written into the index (core/search/search.h).
 *
 * It looks once a second. What it finds it takes in batch by batch: at once where the store has time, and
 * now and then while writers wait for each other. Nobody depends on it: a search has the newest taken in
 * before it answers.
 *
 * Thread: open and close are the engine's.
 */
#ifndef ENGINE_INDEXING_H
#define ENGINE_INDEXING_H

#include "db/store.h"

struct indexing;

struct indexing *indexing_open(struct store *store);
void indexing_close(struct indexing *indexing); /* accepts NULL */
/* Waits until a look finds that all words are in the index. False: the time was up. */
bool indexing_settle(struct indexing *indexing, int64_t timeout_ms);

/* Whether words should wait, by what the store did between two looks and how many things wait. */
bool indexing_gives_way(const struct store_stats *before, const struct store_stats *now, size_t waiting);

#endif
