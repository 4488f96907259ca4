/*
 * ring.h - the newest notices, in memory, by their places.
 *
 * One thread appends; any number read beside each other. The ring holds every event after its floor, up
 * to RING_EVENTS of them and RING_BYTES; a reader whose cursor is below the floor has lost events here and
 * finds them in the store.
 */
#ifndef ENGINE_RING_H
#define ENGINE_RING_H

#include "engine/notice.h"

struct ring;

/* Empty, and holding everything after `floor`. Limits of 0 mean RING_EVENTS and RING_BYTES. */
struct ring *ring_new(int64_t floor, size_t most_events, size_t most_bytes);
void ring_free(struct ring *ring); /* accepts NULL */

/* Takes over the caller's hold on each notice; places must rise. */
void ring_append(struct ring *ring, struct notice *const notices[], size_t count);
int64_t ring_last(const struct ring *ring); /* the newest place, or the floor */

enum ring_found { RING_EVENT, RING_NOTHING, RING_LOST };
/*
 * The first event after *cursor that matches, held for the caller; *cursor moves past what was looked at.
 * RING_LOST leaves it where it is.
 */
enum ring_found ring_next(struct ring *ring, const struct notice_filter *filter, int64_t *cursor,
                          struct notice **notice);
/*
 * Up to `most` notices after *cursor, whoever they are for, held for the caller; *cursor moves past them.
 * What the ring has let go of is passed over.
 */
size_t ring_take(struct ring *ring, int64_t *cursor, struct notice *notices[], size_t most);

#endif
