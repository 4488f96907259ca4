/*
 * The loop: curl's sockets in an epoll of ours, an eventfd for those who post tasks, a heap of timers.
 * curl_multi_poll would do the first by itself, but looks at every transfer each time it wakes.
 *
 * curl may not be called from inside its own callbacks, so nothing ends there: a call that is over is put on
 * a list, and its `done` runs at the end of the round, when curl has returned.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "net/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LOOP_EVENTS 64

void net_post(struct net *net, struct net_task *task)
{
    uint64_t one = 1;

    pthread_mutex_lock(&net->lock);
    bool wake = net->asleep;

    task->next = NULL;
    *net->tasks_last = task;
    net->tasks_last = &task->next;
    net->asleep = false;
    pthread_mutex_unlock(&net->lock);
    if (wake && write(net->event_fd, &one, sizeof(one)) < 0)
        return; /* The counter is full: the loop is awake anyway. */
}

struct marker {
    struct net_task task;
    pthread_mutex_t lock;
    pthread_cond_t reached;
    bool is_reached;
};

static void reach_marker(void *user)
{
    struct marker *marker = user;

    pthread_mutex_lock(&marker->lock);
    marker->is_reached = true;
    pthread_cond_signal(&marker->reached);
    pthread_mutex_unlock(&marker->lock);
}

void net_wait(struct net *net)
{
    struct marker marker = { .task = { .run = reach_marker, .user = &marker } };

    pthread_mutex_init(&marker.lock, NULL);
    pthread_cond_init(&marker.reached, NULL);
    net_post(net, &marker.task);
    pthread_mutex_lock(&marker.lock);
    while (!marker.is_reached)
        pthread_cond_wait(&marker.reached, &marker.lock);
    pthread_mutex_unlock(&marker.lock);
    pthread_mutex_destroy(&marker.lock);
    pthread_cond_destroy(&marker.reached);
}

static struct net_task *take_tasks(struct net *net)
{
    pthread_mutex_lock(&net->lock);
    struct net_task *tasks = net->tasks;

    net->tasks = NULL;
    net->tasks_last = &net->tasks;
    pthread_mutex_unlock(&net->lock);
    return tasks;
}

static void run_tasks(struct net *net)
{
    for (struct net_task *task = take_tasks(net), *next; task; task = next) {
        next = task->next;
        task->run(task->user);
    }
}

void net_timer_set(struct net *net, struct timer *timer, int64_t after_ms)
{
    timers_set(&net->timers, timer, clock_ticks_ms() + after_ms);
}

void net_timer_stop(struct net *net, struct timer *timer)
{
    timers_stop(&net->timers, timer);
}

static void curl_is_due(void *user)
{
    struct net *net = user;
    int running;

    curl_multi_socket_action(net->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

static int set_curl_timer(CURLM *multi, long after_ms, void *user)
{
    struct net *net = user;

    (void)multi;
    if (after_ms < 0)
        net_timer_stop(net, &net->curl_timer);
    else
        net_timer_set(net, &net->curl_timer, after_ms);
    return 0;
}

/* `known` is set once a socket is in the epoll. */
static int watch_socket(CURL *curl, curl_socket_t fd, int what, void *user, void *known)
{
    struct net *net = user;
    struct epoll_event event = { .data.fd = fd };

    (void)curl;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(net->epoll_fd, EPOLL_CTL_DEL, fd, NULL); /* fails when the socket is closed already */
        return 0;
    }
    if (what & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    if (epoll_ctl(net->epoll_fd, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
        return -1;
    curl_multi_assign(net->multi, fd, net);
    return 0;
}

static void socket_is_ready(struct net *net, const struct epoll_event *event)
{
    int mask = 0, running;

    if (event->data.fd == net->event_fd) {
        uint64_t count;

        if (read(net->event_fd, &count, sizeof(count)) < 0)
            return;
        return;
    }
    if (event->events & EPOLLIN)
        mask |= CURL_CSELECT_IN;
    if (event->events & EPOLLOUT)
        mask |= CURL_CSELECT_OUT;
    if (event->events & (EPOLLERR | EPOLLHUP))
        mask |= CURL_CSELECT_ERR;
    curl_multi_socket_action(net->multi, event->data.fd, mask, &running);
}

static void collect_finished(struct net *net)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(net->multi, &left))) {
        struct net_call *call = NULL;

        if (message->msg == CURLMSG_DONE &&
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call) == CURLE_OK && call)
            call_finished(call, message->data.result);
    }
}

static void reap(struct net *net)
{
    collect_finished(net);
    for (struct net_call *call; (call = net->ended);) {
        net->ended = call->next_ended;
        if (!net->ended)
            net->ended_last = &net->ended;
        call_reap(call);
    }
}

/* Whether to go on; if there is nothing to do the loop is marked as asleep, before it looks a last time. */
static bool about_to_wait(struct net *net, bool *idle)
{
    pthread_mutex_lock(&net->lock);
    *idle = !net->tasks;
    net->asleep = *idle;
    bool go_on = !net->closing || net->tasks || net->calls;

    pthread_mutex_unlock(&net->lock);
    return go_on;
}

static void *run_loop(void *user)
{
    struct net *net = user;
    struct epoll_event events[LOOP_EVENTS];
    bool idle;

    while (about_to_wait(net, &idle)) {
        int wait = idle && !net->ended ? timers_wait(&net->timers, clock_ticks_ms()) : 0;
        int count = epoll_wait(net->epoll_fd, events, LOOP_EVENTS, wait);

        for (int i = 0; i < count; i++)
            socket_is_ready(net, &events[i]);
        run_tasks(net);
        timers_run(&net->timers, clock_ticks_ms());
        reap(net);
    }
    return NULL;
}

static void begin_closing(void *user)
{
    struct net *net = user;

    net->closing = true;
    for (struct net_call *call = net->calls; call; call = call->next)
        net_call_cancel(call);
}

static void let_go(struct net *net)
{
    if (net->multi)
        curl_multi_cleanup(net->multi);
    if (net->epoll_fd >= 0)
        close(net->epoll_fd);
    if (net->event_fd >= 0)
        close(net->event_fd);
    pthread_mutex_destroy(&net->lock);
    free(net);
    curl_global_cleanup();
}

static bool prepare(struct net *net)
{
    struct epoll_event event = { .events = EPOLLIN };

    net->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    net->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    event.data.fd = net->event_fd;
    net->multi = curl_multi_init();
    if (net->epoll_fd < 0 || net->event_fd < 0 || !net->multi ||
        epoll_ctl(net->epoll_fd, EPOLL_CTL_ADD, net->event_fd, &event) != 0)
        return false;
    curl_multi_setopt(net->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(net->multi, CURLMOPT_SOCKETDATA, net);
    curl_multi_setopt(net->multi, CURLMOPT_TIMERFUNCTION, set_curl_timer);
    curl_multi_setopt(net->multi, CURLMOPT_TIMERDATA, net);
    curl_multi_setopt(net->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    curl_multi_setopt(net->multi, CURLMOPT_MAXCONNECTS, (long)NET_IDLE_CONNECTIONS);
    return true;
}

/* Signals are the main thread's; that includes SIGPIPE, which TLS would raise here. */
static bool start_thread(struct net *net)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&net->thread, NULL, run_loop, net);

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed)
        pthread_setname_np(net->thread, "net");
    errno = failed;
    return failed == 0;
}

bool net_open(struct net **opened, struct err *err)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return err_set(err, ERR_UNAVAILABLE, "libcurl does not start.");
    struct net *net = memory_take(sizeof(*net));

    *net = (struct net){ .epoll_fd = -1, .event_fd = -1 };
    net->curl_timer = (struct timer){ .run = curl_is_due, .user = net };
    net->close_task = (struct net_task){ .run = begin_closing, .user = net };
    net->tasks_last = &net->tasks;
    net->ended_last = &net->ended;
    pthread_mutex_init(&net->lock, NULL);
    if (!prepare(net) || !start_thread(net)) {
        err_set(err, ERR_UNAVAILABLE, "The loop for outgoing calls does not start: %s.", strerror(errno));
        let_go(net);
        return false;
    }
    *opened = net;
    return true;
}

void net_close(struct net *net)
{
    if (!net)
        return;
    net_post(net, &net->close_task);
    pthread_join(net->thread, NULL);
    let_go(net);
}
