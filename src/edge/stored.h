/*
 * stored.h - how much one may have stored in a day.
 *
 * The bodies of the writes that were done are counted for each token or user, each workspace and each
 * address, in kilobytes. Each has a day's worth at once and earns it back over a day; who has used it up gets
 * 429 until some is earned again. What is stored is a little more than what was sent (indexes, events, the
 * audit log), and what is deleted is not given back. The counts are this process's own: another node has its
 * own, and a restart forgets them. The local owner of solo mode and this machine's address are not counted.
 *
 * Thread: any.
 */
#ifndef EDGE_STORED_H
#define EDGE_STORED_H

#include "base/err.h"
#include "core/caller/caller.h"

#include <stddef.h>
#include <stdint.h>

struct stored;

struct stored *stored_new(void);
void stored_free(struct stored *stored); /* accepts NULL */
/* Whether so many bytes may be stored; ERR_RATE_LIMITED, saying which limit, when not. Takes nothing. */
CHECKED bool stored_admit(struct stored *stored, const struct caller *caller, const char *remote,
                          size_t bytes, int64_t now_us, struct err *err);
/* They were. */
void stored_note(struct stored *stored, const struct caller *caller, const char *remote, size_t bytes,
                 int64_t now_us);

#endif
