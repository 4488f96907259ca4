/*
 * known.h - credentials that were good when they were last shown, and whose they are.
 *
 * Turns in the store and the rate are shared out before anybody has looked up who calls, and should go by who
 * calls all the same. Going by what a request shows would give whoever makes up a new token for every request
 * a share for each of them. So the owner of a credential that has been found good is remembered here: a
 * token, whichever of its secrets is shown, or a user. What is not remembered, because nobody has shown it
 * yet, because it is made up, or because the table is full and others were here later, goes by its address.
 * Nothing is allowed because of what stands here.
 *
 * Thread: any.
 */
#ifndef EDGE_KNOWN_H
#define EDGE_KNOWN_H

#include "base/err.h"
#include "core/caller/caller.h"

struct known;

struct known *known_new(void);
void known_free(struct known *known); /* accepts NULL */
/* The key of whoever these are known to belong to (callerkey_of); 0: not known. */
uint64_t known_owner(struct known *known, const struct credentials *shown);
/* What came of a call: the caller that was found, or the error. */
void known_learn(struct known *known, const struct credentials *shown, const struct caller *caller,
                 const struct err *err);

#endif
