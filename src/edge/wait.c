/*
 * Each wait is in a hash by subject, for events, and has a timer until its time is up, for the bell. A look
 * that an event overtakes is repeated (`fired`); one that began after the time was up is final. Starting
 * looks is a pump that only one thread works at a time, since a look may end at once and come back here.
 */
#include "edge/wait.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/timers.h"
#include "engine/poke.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS       16384 /* a power of two */
#define WAITS_AT_ONCE 256
#define IDLE_MS       60000
#define LASTING_MS    60000 /* between two looks of a wait whose time is not up before it has ended */

/* LOOKING: a look is under way or queued. OVER: somebody is about to reply, or has. */
enum wait_state { WAIT_LOOKING, WAIT_SLEEPING, WAIT_OVER };

struct wait {
    struct waits *waits;
    const struct wait_door *door;
    void *owner;
    struct wait *next, **link; /* of the same bucket; thousands may wait for one thing */
    struct wait *next_ready;
    struct credentials credentials; /* their texts follow, after the subject */
    int64_t began_us;
    struct timer timer;
    struct hold hold;
    enum wait_state state;
    bool fired;   /* an event came during a look */
    bool last;    /* its time is up, or the server stops */
    bool final;   /* the look that is under way began after that: whatever it sees is the reply */
    bool gone;    /* the client went away */
    bool lasting; /* until it has ended: the bell makes it look, and is set anew */
    bool watched;
    bool counted; /* its look counts towards those at once */
    char subject[];
};

struct waits {
    pthread_mutex_t lock;
    struct wait *buckets[BUCKETS];
    struct timers timers;
    unsigned count;
    struct wait *ready, **ready_end;
    unsigned looking;
    bool pumping; /* somebody is starting looks */
    struct poke poke;
    pthread_t bell;
};

static size_t bucket_of(const char *subject)
{
    uint64_t hash = 1469598103934665603u;

    for (; *subject; subject++)
        hash = (hash ^ (unsigned char)*subject) * 1099511628211u;
    return (hash ^ hash >> 32) % BUCKETS;
}

/* The registry: every wait that is not over is in its bucket. Under the lock. */

static void enter(struct waits *waits, struct wait *wait)
{
    size_t bucket = bucket_of(wait->subject);

    wait->link = &waits->buckets[bucket];
    wait->next = *wait->link;
    if (wait->next)
        wait->next->link = &wait->next;
    *wait->link = wait;
    waits->count++;
}

static void leave(struct waits *waits, struct wait *wait)
{
    *wait->link = wait->next;
    if (wait->next)
        wait->next->link = wait->link;
    waits->count--;
    timers_stop(&waits->timers, &wait->timer);
    wait->state = WAIT_OVER;
}

static void make_ready(struct waits *waits, struct wait *wait)
{
    wait->state = WAIT_LOOKING;
    wait->next_ready = NULL;
    *waits->ready_end = wait;
    waits->ready_end = &wait->next_ready;
}

/* Starts looks while there are not too many under way. A look that ends at once comes back here and leaves.
 */
static void pump(struct waits *waits)
{
    struct wait *wait;

    pthread_mutex_lock(&waits->lock);
    if (waits->pumping) {
        pthread_mutex_unlock(&waits->lock);
        return;
    }
    waits->pumping = true;
    while (waits->looking < WAITS_AT_ONCE && (wait = waits->ready)) {
        waits->ready = wait->next_ready;
        if (!waits->ready)
            waits->ready_end = &waits->ready;
        waits->looking++;
        wait->counted = true;
        wait->fired = false;
        wait->final = wait->last;
        pthread_mutex_unlock(&waits->lock);
        wait->door->look(wait->door->user, wait);
        pthread_mutex_lock(&waits->lock);
    }
    waits->pumping = false;
    pthread_mutex_unlock(&waits->lock);
}

static void heard(void *user, struct notice *const notices[], size_t count)
{
    struct waits *waits = user;
    bool any = false;

    pthread_mutex_lock(&waits->lock);
    for (size_t i = 0; i < count && waits->count > 0; i++) {
        if (!notices[i]->subject)
            continue;
        for (struct wait *wait = waits->buckets[bucket_of(notices[i]->subject)]; wait; wait = wait->next) {
            if (strcmp(wait->subject, notices[i]->subject) != 0)
                continue;
            wait->fired = true;
            if (wait->state == WAIT_SLEEPING) {
                make_ready(waits, wait);
                any = true;
            }
        }
    }
    pthread_mutex_unlock(&waits->lock);
    if (any)
        pump(waits);
}

/*
 * Its time is up, or it lasts: then it looks, and is due again later. It stays registered until its last look
 * has ended. Under the lock.
 */
static void ring(void *user)
{
    struct wait *wait = user;

    if (wait->lasting && !wait->last)
        timers_set(&wait->waits->timers, &wait->timer, clock_ticks_ms() + LASTING_MS);
    else
        wait->last = true;
    if (wait->state == WAIT_SLEEPING)
        make_ready(wait->waits, wait);
}

/* Returns how long until the next is due. */
static int64_t ring_the_bell(struct waits *waits)
{
    int64_t now = clock_ticks_ms();

    pthread_mutex_lock(&waits->lock);
    timers_run(&waits->timers, now);
    int wait_ms = timers_wait(&waits->timers, now);

    pthread_mutex_unlock(&waits->lock);
    pump(waits);
    return wait_ms < 0 ? IDLE_MS : wait_ms;
}

static void *run_bell(void *user)
{
    struct waits *waits = user;
    int64_t sleep_ms = IDLE_MS;

    while (poke_wait(&waits->poke, sleep_ms))
        sleep_ms = ring_the_bell(waits);
    return NULL;
}

struct waits *waits_new(struct tailer *tailer)
{
    struct waits *waits = calloc(1, sizeof(*waits));

    if (!waits)
        abort();
    waits->ready_end = &waits->ready;
    pthread_mutex_init(&waits->lock, NULL);
    poke_init(&waits->poke);
    if (pthread_create(&waits->bell, NULL, run_bell, waits) != 0)
        abort();
    tailer_subscribe(tailer, heard, waits);
    return waits;
}

void waits_free(struct waits *waits)
{
    if (!waits)
        return;
    poke_stop(&waits->poke);
    pthread_join(waits->bell, NULL);
    poke_done(&waits->poke);
    pthread_mutex_destroy(&waits->lock);
    free(waits);
}

unsigned waits_count(struct waits *waits)
{
    pthread_mutex_lock(&waits->lock);
    unsigned count = waits->count;
    pthread_mutex_unlock(&waits->lock);
    return count;
}

static size_t size_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *put(char **room, const char *text)
{
    char *at = *room;

    if (!text)
        return NULL;
    *room = stpcpy(at, text) + 1;
    return at;
}

struct wait *wait_new(struct waits *waits, const struct wait_door *door, void *owner, const char *subject,
                      const struct credentials *credentials, int seconds)
{
    size_t texts = size_of(subject) + size_of(credentials->bearer) + size_of(credentials->session) +
                   size_of(credentials->workspace) + size_of(credentials->visit) +
                   size_of(credentials->visit_id);
    struct wait *wait = malloc(sizeof(*wait) + texts);
    int64_t due_ms = clock_ticks_ms() + (seconds == WAIT_UNTIL_ENDED ? LASTING_MS : (int64_t)seconds * 1000);
    char *room;
    bool earliest;

    if (!wait)
        abort();
    *wait = (struct wait){ .waits = waits, .door = door, .owner = owner, .began_us = clock_ticks_us() };
    wait->lasting = seconds == WAIT_UNTIL_ENDED;
    wait->timer = (struct timer){ .run = ring, .user = wait };
    room = wait->subject;
    put(&room, subject);
    wait->credentials = (struct credentials){ .bearer = put(&room, credentials->bearer),
                                              .session = put(&room, credentials->session),
                                              .workspace = put(&room, credentials->workspace),
                                              .visit = put(&room, credentials->visit),
                                              .visit_id = put(&room, credentials->visit_id),
                                              .may_be_solo = credentials->may_be_solo,
                                              .key = credentials->key };
    pthread_mutex_lock(&waits->lock);
    enter(waits, wait);
    timers_set(&waits->timers, &wait->timer, due_ms);
    earliest = waits->timers.first == &wait->timer;
    pthread_mutex_unlock(&waits->lock);
    if (earliest)
        poke_now(&waits->poke);
    return wait;
}

bool wait_leave(struct wait *wait)
{
    struct waits *waits = wait->waits;

    pthread_mutex_lock(&waits->lock);
    bool mine = wait->state == WAIT_SLEEPING;

    wait->gone = true;
    if (mine)
        leave(waits, wait);
    pthread_mutex_unlock(&waits->lock);
    return mine;
}

void wait_hurry(struct wait *wait)
{
    struct waits *waits = wait->waits;

    pthread_mutex_lock(&waits->lock);
    wait->last = true;
    if (wait->state == WAIT_SLEEPING)
        make_ready(waits, wait);
    pthread_mutex_unlock(&waits->lock);
    pump(waits);
}

/*
 * The door is told before the wait can sleep: from that moment on another thread may end it.
 * A look that was overtaken by an event is repeated; the first one because it may have read before it. So is
 * one that the time overtook: looks before the last need not have read what a reply holds. One that began
 * when the time was up is not, or something that changes all the time would hold its waiters for ever.
 */
bool wait_looked(struct wait *wait, bool ended)
{
    struct waits *waits = wait->waits;
    bool over;

    if (!ended && !wait->watched) {
        wait->watched = true;
        if (wait->door->sleeps)
            wait->door->sleeps(wait);
    }
    pthread_mutex_lock(&waits->lock);
    if (wait->counted) {
        wait->counted = false;
        waits->looking--;
    }
    over = ended || wait->gone || wait->final;
    if (over)
        leave(waits, wait);
    else if (wait->fired || wait->last)
        make_ready(waits, wait);
    else
        wait->state = WAIT_SLEEPING;
    pthread_mutex_unlock(&waits->lock);
    pump(waits);
    return over;
}

bool wait_is_final(const struct wait *wait)
{
    return wait->final;
}

void *wait_owner(const struct wait *wait)
{
    return wait->owner;
}

const struct credentials *wait_credentials(const struct wait *wait)
{
    return &wait->credentials;
}

int64_t wait_began_us(const struct wait *wait)
{
    return wait->began_us;
}

struct hold *wait_hold(struct wait *wait)
{
    return &wait->hold;
}

void wait_forget(void *data)
{
    struct wait *wait = data;

    hold_give(&wait->hold);
    free(wait);
}
