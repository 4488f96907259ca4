/*
 * followers.h - who follows which resources, found by what an event is about.
 *
 * A follower is a session up to 2025-11-25, or one stream from 2026-07-28 on. It has interests, which are
 * resources, and streams on which it hears of them: a session may have several, or none just now. An event
 * costs what those who follow its subject cost, however many others there are.
 *
 * Thread: any, under the lock of the outlets.
 */
#ifndef EDGE_MCP_FOLLOWERS_H
#define EDGE_MCP_FOLLOWERS_H

#include "edge/mcp/resources.h"
#include "engine/notice.h"

#define FOLLOWED_MOST 64 /* resources of one follower */

struct followers;
struct follower;

struct interest {
    struct interest *next, **link; /* about the same subject, or one with the same hash */
    struct interest *sibling;      /* of the same follower */
    struct follower *follower;
    char *uri;
    char *subject; /* NULL: no event tells of it */
};

/* One stream of a follower. */
struct listening {
    struct listening *next;
    struct follower *follower;
    struct outlet *outlet;
    struct notice_filter filter;
};

struct followers *followers_new(void);
void followers_free(struct followers *followers);

/* The session's, made when there is none. */
struct follower *follower_of_session(struct followers *followers, uint64_t session);
/* A new one for a stream that nobody else shares. */
struct follower *follower_alone(void);
/* False: it, or all together, follow as much as they may. What is followed already counts once. */
CHECKED bool follower_follow(struct followers *followers, struct follower *follower, const char *uri);
/* Lets go of an address, or with NULL of all; the follower is freed when it has neither interests nor
 * streams. */
void follower_unfollow(struct followers *followers, struct follower *follower, const char *uri);
const struct interest *follower_interests(const struct follower *follower);

/* A stream comes, and goes; the follower is freed as above. */
void follower_join(struct follower *follower, struct listening *listening);
void follower_part(struct followers *followers, struct listening *listening);

/* Calls `put` for each stream that follows what the notice is about and may hear of it. */
void followers_tell(struct followers *followers, const struct notice *notice,
                    void (*put)(struct outlet *outlet, const char *uri));

#endif
