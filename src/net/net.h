/*
 * net.h - everything that goes out, on one loop.
 *
 * One thread drives curl's multi interface over epoll. All calls, their callbacks and all timers belong to
 * that thread: whoever works with them needs no lock, and must not block. Other threads hand in tasks with
 * net_post; beside that they may open, wait, close, and ask about URLs.
 *
 * What a call may reach is said by its policy, and is held against the address that is really connected to,
 * not against a name. Only http and https are spoken, redirects are not followed, proxies that the
 * environment names are not used, and a compressed body, which nobody asked for, ends the call.
 */
#ifndef NET_NET_H
#define NET_NET_H

#include "base/err.h"
#include "base/timers.h"

#include <stddef.h>
#include <stdint.h>

struct net;
struct net_call;

CHECKED bool net_open(struct net **net, struct err *err);
/* Cancels every call, waits until all of them have said so, and ends the thread. Not from a callback. */
void net_close(struct net *net);

/* Something to be done on the loop's thread. It belongs to the loop until it runs. */
struct net_task {
    struct net_task *next; /* the loop's own */
    void (*run)(void *user);
    void *user;
};
/* Thread: any. Tasks run in the order in which they came. */
void net_post(struct net *net, struct net_task *task);
/* Returns when all that was posted before has run. Thread: any but the loop's. */
void net_wait(struct net *net);

/* The rest is for the loop's thread. */

/* Sets a timer of the caller's, or sets it anew. */
void net_timer_set(struct net *net, struct timer *timer, int64_t after_ms);
void net_timer_stop(struct net *net, struct timer *timer);

enum net_reach {
    NET_REACH_PUBLIC, /* the internet only */
    NET_REACH_OWN,    /* this machine and private networks as well */
    NET_REACH_HERE,   /* this machine only */
};

struct net_policy {
    enum net_reach reach;
    int64_t connect_ms; /* names, TCP and TLS together */
    int64_t first_ms;   /* from the beginning to the first byte of the body */
    int64_t idle_ms;    /* between two pieces of it */
    int64_t whole_ms;
    size_t body_most; /* bytes; a longer body ends the call */
};

enum net_end {
    NET_WHOLE,       /* the reply came to its end, whatever its status */
    NET_CANCELLED,   /* net_call_cancel, or the loop was closed */
    NET_ENOUGH,      /* `chunk` wanted no more */
    NET_NO_HOST,     /* the name is unknown */
    NET_NO_SERVER,   /* nobody listens there, or the network does not lead there */
    NET_NO_TLS,      /* no trusted connection */
    NET_NOT_ALLOWED, /* the policy forbids this address */
    NET_SLOW_CONNECT,
    NET_SLOW_START,
    NET_SLOW_NEXT,
    NET_SLOW_WHOLE,
    NET_BROKE_OFF, /* before its end */
    NET_TOO_LARGE,
    NET_GARBLED, /* not HTTP, or compressed */
    NET_NO_MEMORY,
};

struct net_request {
    const char *url;
    const char *const *headers; /* "Name: value"; ends with NULL; copied */
    const char *method;         /* NULL: POST with a body, else GET; static */
    const char *body;           /* NULL: none. Kept by the caller until `done`. */
    size_t body_len;
    struct net_policy policy;
    /* A piece of the body; false wants no more, which closes the connection. NULL: the body is dropped. */
    bool (*chunk)(void *user, struct net_call *call, const char *bytes, size_t len);
    /* Once for every call that was started. The call is gone when it returns. `why` is a sentence or "".
     */
    void (*done)(void *user, struct net_call *call, enum net_end end, const char *why);
    void *user;
};

/* False: the URL cannot be used, or the loop is closing. `done` is never called from in here. */
CHECKED bool net_call_start(struct net *net, const struct net_request *request, struct net_call **call,
                            struct err *err);
/* Closes the connection; `done` follows, as NET_CANCELLED unless the call had ended before. */
void net_call_cancel(struct net_call *call);

/* From now on pieces must follow each other within this time, if that is shorter than the policy's. */
void net_call_hurry(struct net_call *call, int64_t idle_ms);

/* For the callbacks: the status (0: none came), and a header's value or NULL. */
int net_call_status(struct net_call *call);
const char *net_call_header(struct net_call *call, const char *name);

/* The rest may be called on any thread. */

/*
 * Whether a URL says by itself that it leads to this machine or to an address that is not public. A name may
 * lead there all the same: that is judged when it is called.
 */
bool net_url_is_inside(const char *url);
/* Whether it says by itself that it leads to this machine, and to which of its ports; `port` may be NULL. */
bool net_url_is_here(const char *url, int *port);
/*
 * Whether a URL has the form of one that can be called: http or https, a host, no name or password in it, no
 * fragment, not too long. Where a call may lead is its policy's business, and is judged when it is made.
 */
CHECKED bool net_url_check(const char *url, struct err *err);

#endif
