/*
 * One thread, one epoll. Other threads reach a connection only by mail; `asleep` says whether they have to
 * wake the loop, which saves the system call while it is busy. Timers of one kind all have the same length,
 * so each kind is a list in order of time and setting one is appending. A closed connection is freed at the
 * end of the round, once neither mail nor a queue names it.
 */
#include "base/clock.h"
#include "http/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LOOP_EVENTS  256
#define AGAIN_A_TURN 32 /* of those on loop->again before the sockets are looked at */

void timer_clear(struct http_exchange *conn)
{
    struct timer_list *list = &conn->loop->timers[conn->timer];

    if (conn->timer == TIMER_NONE)
        return;
    *(conn->earlier ? &conn->earlier->later : &list->first) = conn->later;
    *(conn->later ? &conn->later->earlier : &list->last) = conn->earlier;
    conn->timer = TIMER_NONE;
}

void timer_set(struct http_exchange *conn, enum timer_kind kind)
{
    struct timer_list *list = &conn->loop->timers[kind];

    timer_clear(conn);
    conn->timer = (unsigned char)kind;
    conn->due_ms = conn->loop->now_ms + list->ms;
    conn->earlier = list->last;
    conn->later = NULL;
    *(list->last ? &list->last->later : &list->first) = conn;
    list->last = conn;
}

static void run_timers(struct loop *loop)
{
    for (int kind = TIMER_NONE + 1; kind < TIMER_KINDS; kind++) {
        struct http_exchange *conn;

        while ((conn = loop->timers[kind].first) && conn->due_ms <= loop->now_ms) {
            timer_clear(conn);
            conn_expired(conn, (enum timer_kind)kind);
        }
    }
}

void loop_again(struct http_exchange *conn)
{
    struct loop *loop = conn->loop;

    if (conn->queued)
        return;
    conn->queued = true;
    conn->next_again = NULL;
    *loop->again_end = conn;
    loop->again_end = &conn->next_again;
}

/*
 * First in, first out, and a few at a time: a request that comes while a thousand streams are being told of
 * something does not wait for all of them, and what it has them told goes out with what they still have to
 * hear.
 */
static void run_again(struct loop *loop, unsigned most)
{
    while (loop->again && most-- > 0) {
        struct http_exchange *conn = loop->again;

        loop->again = conn->next_again;
        if (!loop->again)
            loop->again_end = &loop->again;
        conn->queued = false;
        if (conn->fd >= 0)
            conn_run(conn);
    }
}

static void nudge(struct loop *loop)
{
    uint64_t one = 1;

    if (write(loop->event_fd, &one, sizeof one) < 0)
        return; /* The counter is full: the loop is awake anyway. */
}

bool loop_post(struct http_exchange *conn, unsigned char mail)
{
    struct loop *loop = conn->loop;

    pthread_mutex_lock(&loop->lock);
    bool taken = !loop->ended, wake = loop->asleep && taken;

    if (taken && !conn->mail) {
        conn->next_mail = NULL;
        *loop->mail_end = conn;
        loop->mail_end = &conn->next_mail;
    }
    if (taken)
        conn->mail |= mail;
    if (wake)
        loop->asleep = false;
    pthread_mutex_unlock(&loop->lock);
    if (wake)
        nudge(loop);
    return taken;
}

void loop_wake(struct loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    loop->asleep = false;
    pthread_mutex_unlock(&loop->lock);
    nudge(loop);
}

static void join(struct http_exchange *conn)
{
    struct loop *loop = conn->loop;
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = conn };

    conn->next = loop->all;
    if (conn->next)
        conn->next->prev = conn;
    loop->all = conn;
    timer_set(conn, conn->crowded ? TIMER_LINGER : TIMER_REQUEST);
    if (loop->stopping || epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, conn->fd, &event) < 0)
        conn_close(conn);
}

/* Under the lock: what is in the box, in the order in which it came. */
static struct http_exchange *take_mail(struct loop *loop)
{
    struct http_exchange *round = loop->mail;

    loop->mail = NULL;
    loop->mail_end = &loop->mail;
    loop->asleep = false;
    /* From here on whoever has news is put into the box again. */
    for (struct http_exchange *conn = round; conn; conn = conn->next_mail) {
        conn->opened = conn->mail;
        conn->next_opened = conn->next_mail;
        conn->mail = 0;
    }
    return round;
}

static void open_mail(struct http_exchange *round)
{
    while (round) {
        struct http_exchange *conn = round;
        unsigned char mail = conn->opened;

        round = conn->next_opened;
        conn->opened = 0;
        if (mail & MAIL_JOIN)
            join(conn);
        else
            conn_mail(conn, mail);
    }
}

/* One round, first in, first out: mail that comes meanwhile is read after the sockets have had their turn. */
static void read_mail(struct loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    struct http_exchange *round = take_mail(loop);

    pthread_mutex_unlock(&loop->lock);
    open_mail(round);
}

/* Frees the connections that were closed and that nothing names any more. */
static void bury(struct loop *loop)
{
    struct http_exchange **at = &loop->dead, *conn;

    while ((conn = *at)) {
        pthread_mutex_lock(&loop->lock);
        bool named = conn->mail || conn->opened || conn->queued;

        pthread_mutex_unlock(&loop->lock);
        if (named) {
            at = &conn->next;
        } else {
            *at = conn->next;
            exchange_free(conn);
        }
    }
}

/* How long there is nothing to do; from here on mail has to wake the loop. */
static int time_to_sleep(struct loop *loop)
{
    int64_t due_ms = INT64_MAX;

    for (int kind = TIMER_NONE + 1; kind < TIMER_KINDS; kind++) {
        if (loop->timers[kind].first && loop->timers[kind].first->due_ms < due_ms)
            due_ms = loop->timers[kind].first->due_ms;
    }
    pthread_mutex_lock(&loop->lock);
    loop->asleep = !loop->mail;

    bool busy = loop->mail || loop->again || loop->dead;

    pthread_mutex_unlock(&loop->lock);
    if (busy || due_ms <= loop->now_ms)
        return 0;
    return due_ms == INT64_MAX ? -1 : due_ms - loop->now_ms > 60000 ? 60000 : (int)(due_ms - loop->now_ms);
}

static void serve_event(struct loop *loop, const struct epoll_event *event)
{
    struct http_exchange *conn = event->data.ptr;
    uint64_t nudges;

    if (event->data.ptr == loop->server) {
        listen_accept(loop->server);
    } else if (event->data.ptr == loop) {
        if (read(loop->event_fd, &nudges, sizeof nudges) < 0)
            return;
    } else if (conn->fd >= 0) {
        if (event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
            conn->readable = true;
        if (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
            conn->vanished = true;
        conn_run(conn);
    }
}

/* Tells all that the server stops; once. */
static void stop_all(struct loop *loop)
{
    if (loop->stopping)
        return;
    loop->stopping = true;
    for (struct http_exchange *conn = loop->all, *next; conn; conn = next) {
        next = conn->next;
        conn_stop(conn);
    }
}

/* Nobody gets another turn. */
static void drop_turns(struct loop *loop)
{
    for (; loop->again; loop->again = loop->again->next_again)
        loop->again->queued = false;
    loop->again_end = &loop->again;
}

/* Whether it is its owner's, who has not given it back by mail. */
static bool is_owned(const struct http_exchange *conn)
{
    return conn->state == CONN_PARKED && !(conn->opened & (MAIL_READ | MAIL_FINISH));
}

/*
 * The time that a stop is given may be over with exchanges that are still parked: those are left to their
 * owners. From the moment at which mail is not taken any more, an owner that is done with one frees it, so
 * all that the loop has of it is given up in that same moment, under the lock. Returns the last mail, without
 * theirs.
 */
static struct http_exchange *leave_owned(struct loop *loop)
{
    struct http_exchange *round, **at = &round;

    pthread_mutex_lock(&loop->lock);
    loop->ended = true;
    for (round = take_mail(loop); *at;) {
        if (is_owned(*at))
            *at = (*at)->next_opened;
        else
            at = &(*at)->next_opened;
    }
    for (struct http_exchange *conn = loop->all, *next; conn; conn = next) {
        next = conn->next;
        if (is_owned(conn))
            conn_close(conn);
    }
    pthread_mutex_unlock(&loop->lock);
    return round;
}

static void end(struct loop *loop)
{
    stop_all(loop);
    drop_turns(loop);
    open_mail(leave_owned(loop));
    while (loop->all)
        conn_close(loop->all);
    drop_turns(loop);
    bury(loop);
    free(loop->spare);
    buf_done(&loop->spare_head);
    free(loop->scratch);
}

static void *run(void *arg)
{
    struct loop *loop = arg;
    struct http_server *server = loop->server;
    struct epoll_event events[LOOP_EVENTS];

    pthread_setname_np(pthread_self(), "http");
    while (!atomic_load(&server->cut) && !(loop->stopping && !loop->all)) {
        int count = epoll_wait(loop->epoll_fd, events, LOOP_EVENTS, time_to_sleep(loop));

        loop->now_ms = clock_ticks_ms();
        for (int i = 0; i < count; i++)
            serve_event(loop, &events[i]);
        read_mail(loop);
        run_again(loop, AGAIN_A_TURN);
        run_timers(loop);
        if (atomic_load(&server->closing))
            stop_all(loop);
        bury(loop);
    }
    end(loop);
    return NULL;
}

bool loop_open(struct loop *loop, struct http_server *server, struct err *err)
{
    const struct http_options *options = &server->options;
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = loop };

    loop->server = server;
    loop->now_ms = clock_ticks_ms();
    loop->again_end = &loop->again;
    loop->mail_end = &loop->mail;
    loop->timers[TIMER_REQUEST].ms = options->body_ms > 0 ? options->body_ms : HTTP_BODY_S * 1000;
    loop->timers[TIMER_IDLE].ms = options->idle_ms > 0 ? options->idle_ms : HTTP_IDLE_S * 1000;
    loop->timers[TIMER_SEND].ms = options->send_ms > 0 ? options->send_ms : HTTP_SEND_S * 1000;
    loop->timers[TIMER_BEAT].ms = options->heartbeat_ms > 0 ? options->heartbeat_ms : HEARTBEAT_MS;
    loop->timers[TIMER_LINGER].ms = options->linger_ms > 0 ? options->linger_ms : HTTP_LINGER_MS;
    buf_init(&loop->spare_head, 0);
    pthread_mutex_init(&loop->lock, NULL);
    loop->scratch = malloc(SCRATCH_BYTES);
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!loop->scratch || loop->epoll_fd < 0 || loop->event_fd < 0 ||
        epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->event_fd, &event) < 0)
        return err_set(err, ERR_INTERNAL, "Cannot watch connections: %s", strerror(errno));

    int failed = pthread_create(&loop->thread, NULL, run, loop);

    if (failed)
        return err_set(err, ERR_INTERNAL, "Cannot start a thread: %s", strerror(failed));
    loop->running = true;
    return true;
}

void loop_close(struct loop *loop)
{
    if (loop->running)
        pthread_join(loop->thread, NULL);
    else
        free(loop->scratch);
    if (loop->epoll_fd > 0)
        close(loop->epoll_fd);
    if (loop->event_fd > 0)
        close(loop->event_fd);
}
