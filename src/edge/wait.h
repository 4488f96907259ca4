/*
 * wait.h - requests that are held until something has ended.
 *
 * A wait is registered under the id it is about before the first look, so that no event falls between the
 * look and the sleep. While it sleeps it keeps its owner, the credentials and its time, about 256 bytes; no
 * thread, no connection to the store. It looks again, from scratch and with its rights checked again, when an
 * event with that id comes, when its time is up, and when the server stops; it replies when the thing has
 * ended or it is the last look. A client that went away is let go at once.
 *
 * What a look is, and where the reply goes, is its door's business: the registry knows neither.
 *
 * At most WAITS_AT_ONCE of them look again at the same time: ten thousand that wake together must not fill
 * the store's queue.
 *
 * A wait has one owner at a time: the look that is under way, or the registry while it sleeps.
 */
#ifndef EDGE_WAIT_H
#define EDGE_WAIT_H

#include "core/caller/caller.h"
#include "edge/holds.h"
#include "engine/tailer.h"

#include <limits.h>

struct waits;
struct wait;

struct wait_door {
    /* Looks once more on behalf of a wait, without blocking, and ends in wait_looked. */
    void (*look)(void *user, struct wait *wait);
    /* Called once, before the first sleep: from then on another thread may end the wait. May be NULL. */
    void (*sleeps)(struct wait *wait);
    void *user;
};

/* As seconds: as long as it takes. Between events it looks once a minute, so that rights that are gone end
 * it. */
#define WAIT_UNTIL_ENDED INT_MAX

struct waits *waits_new(struct tailer *tailer);
void waits_free(
    struct waits *waits); /* after the HTTP server has ended and tailer_unsubscribe; accepts NULL */
unsigned waits_count(struct waits *waits);

/*
 * Registers what `owner` waits for; the first look belongs to the caller. The door outlives the wait, which
 * is freed by wait_forget.
 */
struct wait *wait_new(struct waits *waits, const struct wait_door *door, void *owner, const char *subject,
                      const struct credentials *credentials, int seconds);
/*
 * After a look. True: reply now, the wait is over (the caller answers for the owner). False: it sleeps, or
 * looks again; it is not the caller's any more.
 */
bool wait_looked(struct wait *wait, bool ended);
/* For a door, within its look: whether this is the last one, whose reply is sent whatever it sees. */
bool wait_is_final(const struct wait *wait);
/* Nobody waits any more. True: it slept, is over and the caller's; else the look that is under way ends it.
 */
bool wait_leave(struct wait *wait);
/* The server stops: one last look. */
void wait_hurry(struct wait *wait);
void *wait_owner(const struct wait *wait);
const struct credentials *wait_credentials(const struct wait *wait);
int64_t wait_began_us(const struct wait *wait);
/* The place it has taken, for the caller to fill in; given back with the wait. */
struct hold *wait_hold(struct wait *wait);
void wait_forget(void *wait);

#endif
