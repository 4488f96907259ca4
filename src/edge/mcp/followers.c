/*
 * Interests stand in a hash by subject, so that an event finds its own. A session that went away without a
 * word keeps its interests, since it may come back; when there is no room, those of sessions without a stream
 * are let go.
 */
#include "edge/mcp/followers.h"

#include "base/str.h"
#include "ops/event_type.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS        1024 /* a power of two */
#define INTERESTS_MOST 4096 /* of all sessions together */

struct follower {
    struct follower *next, **link; /* of the same bucket */
    uint64_t session;              /* 0: alone, and in no bucket */
    struct interest *interests;
    struct listening *streams;
    size_t count;
};

struct followers {
    struct interest *by_subject[BUCKETS];
    struct follower *by_session[BUCKETS];
    size_t kept; /* interests of sessions */
};

static void *made(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

struct followers *followers_new(void)
{
    return made(calloc(1, sizeof(struct followers)));
}

static void free_if_idle(struct follower *follower)
{
    if (follower->interests || follower->streams)
        return;
    if (follower->link) {
        *follower->link = follower->next;
        if (follower->next)
            follower->next->link = follower->link;
    }
    free(follower);
}

void followers_free(struct followers *followers)
{
    for (size_t i = 0; i < BUCKETS; i++)
        while (followers->by_session[i])
            follower_unfollow(followers, followers->by_session[i], NULL);
    free(followers);
}

struct follower *follower_of_session(struct followers *followers, uint64_t session)
{
    struct follower **bucket = &followers->by_session[session % BUCKETS], *follower;

    for (follower = *bucket; follower; follower = follower->next)
        if (follower->session == session)
            return follower;
    follower = made(calloc(1, sizeof(*follower)));
    follower->session = session;
    follower->link = bucket;
    follower->next = *bucket;
    if (follower->next)
        follower->next->link = &follower->next;
    *bucket = follower;
    return follower;
}

struct follower *follower_alone(void)
{
    return made(calloc(1, sizeof(struct follower)));
}

static struct interest **bucket_of(struct followers *followers, const char *subject)
{
    return &followers->by_subject[str_hash(subject) % BUCKETS];
}

/* Resources that any event of a type changes are found under their own address. */
static struct interest *interest_new(struct followers *followers, const char *uri)
{
    struct interest *interest = made(calloc(1, sizeof(*interest)));
    ARENA_AUTO arena = { 0 };
    const char *id = NULL;
    const struct resource *resource = resource_find(&arena, uri, &id);

    interest->uri = made(strdup(uri));
    if (!resource || (!resource->changes && !id))
        return interest;
    interest->subject = made(strdup(resource->changes ? resource->uri : str_lower(&arena, id)));
    interest->link = bucket_of(followers, interest->subject);
    interest->next = *interest->link;
    if (interest->next)
        interest->next->link = &interest->next;
    *interest->link = interest;
    return interest;
}

static void interest_free(struct interest *interest)
{
    if (interest->link) {
        *interest->link = interest->next;
        if (interest->next)
            interest->next->link = interest->link;
    }
    free(interest->uri);
    free(interest->subject);
    free(interest);
}

/* Those of sessions that nobody listens for just now. */
static void let_absent_go(struct followers *followers, const struct follower *but)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct follower *follower = followers->by_session[i], *next; follower; follower = next) {
            next = follower->next;
            if (!follower->streams && follower != but)
                follower_unfollow(followers, follower, NULL);
        }
    }
}

bool follower_follow(struct followers *followers, struct follower *follower, const char *uri)
{
    for (const struct interest *known = follower->interests; known; known = known->sibling)
        if (strcmp(known->uri, uri) == 0)
            return true;
    if (follower->count >= FOLLOWED_MOST)
        return false;
    if (follower->session && followers->kept >= INTERESTS_MOST)
        let_absent_go(followers, follower);
    if (follower->session && followers->kept >= INTERESTS_MOST) {
        free_if_idle(follower);
        return false;
    }
    struct interest *interest = interest_new(followers, uri);

    interest->follower = follower;
    interest->sibling = follower->interests;
    follower->interests = interest;
    follower->count++;
    followers->kept += follower->session != 0;
    return true;
}

void follower_unfollow(struct followers *followers, struct follower *follower, const char *uri)
{
    struct interest **link = &follower->interests, *interest;

    while ((interest = *link)) {
        if (uri && strcmp(interest->uri, uri) != 0) {
            link = &interest->sibling;
            continue;
        }
        *link = interest->sibling;
        interest_free(interest);
        follower->count--;
        followers->kept -= follower->session != 0;
    }
    free_if_idle(follower);
}

const struct interest *follower_interests(const struct follower *follower)
{
    return follower->interests;
}

void follower_join(struct follower *follower, struct listening *listening)
{
    listening->follower = follower;
    listening->next = follower->streams;
    follower->streams = listening;
}

/* What one stream alone follows goes with it. */
void follower_part(struct followers *followers, struct listening *listening)
{
    struct follower *follower = listening->follower;
    struct listening **link = &follower->streams;

    while (*link != listening)
        link = &(*link)->next;
    *link = listening->next;
    if (follower->session)
        free_if_idle(follower);
    else
        follower_unfollow(followers, follower, NULL);
}

static void tell_about(struct followers *followers, const char *subject, const struct notice *notice,
                       void (*put)(struct outlet *outlet, const char *uri))
{
    for (const struct interest *interest = *bucket_of(followers, subject); interest;
         interest = interest->next) {
        if (strcmp(interest->subject, subject) != 0)
            continue;
        for (const struct listening *to = interest->follower->streams; to; to = to->next)
            if (notice_matches(notice, &to->filter))
                put(to->outlet, interest->uri);
    }
}

void followers_tell(struct followers *followers, const struct notice *notice,
                    void (*put)(struct outlet *outlet, const char *uri))
{
    const char *about[] = { notice->subject, notice->job_id, notice->discussion_id };
    const struct event_spec *spec = event_type_spec(notice->type);

    for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++) {
        bool again = false;

        for (size_t j = 0; j < i && about[i]; j++)
            again = again || str_equal(about[i], about[j]);
        if (about[i] && !again)
            tell_about(followers, about[i], notice, put);
    }
    for (const struct resource *resource = resources_all(); resource->uri && spec; resource++)
        if (resource->changes && resource->changes == spec->reaches)
            tell_about(followers, resource->uri, notice, put);
}
