/*
 * tally.h - how many of something each holder has right now, and who has enough.
 *
 * Connections of an address, streams of a token: each key has a count while it is above zero and costs
 * nothing afterwards. Taking one more than a key may have fails and changes nothing.
 *
 * Thread: any.
 */
#ifndef BASE_TALLY_H
#define BASE_TALLY_H

#include <stdbool.h>
#include <stddef.h>

struct tally;

struct tally *tally_new(void);
void tally_free(struct tally *tally); /* accepts NULL */
/* One more for this key unless it has `most` already (0: any number). Out of memory counts as no. */
bool tally_take(struct tally *tally, const void *key, size_t len, unsigned most);
void tally_give(struct tally *tally, const void *key, size_t len);
unsigned tally_count(struct tally *tally, const void *key, size_t len);

#endif
