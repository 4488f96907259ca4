/*
 * internal.h - what loop.c and call.c share. Everything here is the loop's thread's, but `tasks` under
 * `lock`.
 */
#ifndef NET_INTERNAL_H
#define NET_INTERNAL_H

#include "net/net.h"

#include <curl/curl.h>
#include <pthread.h>

struct net {
    pthread_t thread;
    CURLM *multi;
    int epoll_fd, event_fd;
    struct timers timers;
    struct timer curl_timer;
    struct net_call *calls; /* all that were started and are not gone */
    struct net_call *ended; /* those of them whose `done` is due, in order */
    struct net_call **ended_last;
    bool closing;
    struct net_task close_task;

    pthread_mutex_t lock;
    struct net_task *tasks;
    struct net_task **tasks_last;
    bool asleep; /* the loop waits, or is about to: whoever adds a task wakes it */
};

struct net_call {
    struct net *net;
    struct net_call *next, **link; /* in net->calls */
    struct net_call *next_ended;
    CURL *curl;
    struct curl_slist *headers;
    struct timer timer; /* for the first byte, then for the next one; never past the whole */
    int64_t began_ms, last_ms;
    size_t received;
    bool has_ended;
    enum net_end end;
    struct net_policy policy;
    bool (*chunk)(void *user, struct net_call *call, const char *bytes, size_t len);
    void (*done)(void *user, struct net_call *call, enum net_end end, const char *why);
    void *user;
    const char *reason; /* ours, instead of curl's, or NULL */
    char why[CURL_ERROR_SIZE];
};

/* Marks it as ended, unless it is; its `done` runs at the end of the loop's round. */
void call_end(struct net_call *call, enum net_end end);
/* What curl says about a transfer that it has finished. */
void call_finished(struct net_call *call, CURLcode code);
/* Takes it out of curl, runs `done` and frees it. */
void call_reap(struct net_call *call);

#endif
