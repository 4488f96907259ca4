#include "http_in.h"
#include "modes.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SIZE 8192
/*
 * How many connections may be on their way at once: below the usual backlog, so that none has to be tried
 * again, which the kernel does only after a second.
 */
#define OPENING 64

struct held {
    int fd;
    struct http_in in;
};

struct holder {
    const struct options *options;
    bool stream; /* a reply that never ends; otherwise long polls, asked again when answered */
    int epoll;
    struct held *held;
    size_t opened, started, answered, dropped;
    char out[REQUEST_MAX];
};

static void held_send(struct holder *holder, struct held *held)
{
    size_t nth = (size_t)(held - holder->held);
    size_t len = request_write(&holder->options->request, nth, holder->out);

    http_in_reset(&held->in);
    if (!net_send(held->fd, holder->out, len))
        die("connection %zu was lost while opening", nth + 1);
}

static void held_open(struct holder *holder)
{
    struct held *held = &holder->held[holder->opened];
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = held };

    held->fd = net_connect(&holder->options->target, holder->opened, false);
    if (epoll_ctl(holder->epoll, EPOLL_CTL_ADD, held->fd, &event) != 0)
        die("epoll_ctl: %s", strerror(errno));
    holder->opened++;
    held_send(holder, held);
}

static void held_drop(struct holder *holder, struct held *held)
{
    close(held->fd);
    held->fd = -1;
    holder->dropped++;
}

static void held_read(struct holder *holder, struct held *held)
{
    char buffer[READ_SIZE];
    ssize_t got = recv(held->fd, buffer, sizeof(buffer), 0);
    bool before = http_in_started(&held->in);
    size_t used;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || !http_in_feed(&held->in, buffer, (size_t)got, &used, NULL, NULL)) {
        held_drop(holder, held);
        return;
    }
    if (!before && http_in_started(&held->in)) {
        if (held->in.status != 200)
            die("status %d instead of 200", held->in.status);
        holder->started++;
    }
    if (!http_in_done(&held->in))
        return;
    holder->answered++;
    if (holder->stream || held->in.closes)
        held_drop(holder, held);
    else
        held_send(holder, held);
}

/* Returns whether a command may be waiting on stdin. */
static bool holder_poll(struct holder *holder, int timeout_ms)
{
    struct epoll_event events[128];
    int ready = epoll_wait(holder->epoll, events, 128, timeout_ms);
    bool command = false;

    for (int i = 0; i < ready; i++) {
        if (!events[i].data.ptr)
            command = true;
        else
            held_read(holder, events[i].data.ptr);
    }
    return command;
}

/*
 * A stream stands when its head has come. A long poll says nothing until it ends: it stands when it was
 * sent, and the caller gives the server a moment to take it in.
 */
static void holder_open_all(struct holder *holder)
{
    uint64_t start = now_ns();

    while (holder->opened < holder->options->connections ||
           (holder->stream && holder->started < holder->opened)) {
        bool room = !holder->stream || holder->opened - holder->started < OPENING;

        if (holder->opened < holder->options->connections && room)
            held_open(holder);
        holder_poll(holder, room && holder->opened < holder->options->connections ? 0 : 10);
        if (holder->dropped)
            die("the server dropped a connection after %zu were open", holder->opened);
        if (seconds_since(start) > 120)
            die("only %zu of %zu streams stand after 120 s", holder->started, holder->opened);
    }
    printf("{\"established\":%zu,\"seconds\":%.3f}\n", holder->opened, seconds_since(start));
    fflush(stdout);
}

static size_t holder_end_all(struct holder *holder, bool reset)
{
    size_t ended = 0;

    for (size_t i = 0; i < holder->opened; i++) {
        if (holder->held[i].fd < 0)
            continue;
        if (reset)
            net_reset(holder->held[i].fd);
        else
            close(holder->held[i].fd);
        holder->held[i].fd = -1;
        ended++;
    }
    return ended;
}

/* Obeys one word; returns whether to go on. */
static bool holder_obey(struct holder *holder, const char *word)
{
    uint64_t start = now_ns();

    if (strcmp(word, "state") == 0) {
        printf("{\"open\":%zu,\"answered\":%zu,\"dropped\":%zu}\n", holder->opened - holder->dropped,
               holder->answered, holder->dropped);
        fflush(stdout);
        return true;
    }
    if (strcmp(word, "reset") != 0 && strcmp(word, "close") != 0)
        die("'%s' is not reset, close or state", word);
    size_t ended = holder_end_all(holder, *word == 'r');
    printf("{\"ended\":%zu,\"by\":\"%s\",\"seconds\":%.3f,\"dropped\":%zu}\n", ended, word,
           seconds_since(start), holder->dropped);
    fflush(stdout);
    return false;
}

int mode_idle(const struct options *options)
{
    struct holder *holder = need_memory(sizeof(*holder));
    struct epoll_event input = { .events = EPOLLIN, .data.ptr = NULL };
    char word[64];
    bool more = true;
    int code;

    holder->options = options;
    holder->stream = !strstr(options->request.paths[0], "wait=");
    holder->epoll = epoll_create1(EPOLL_CLOEXEC);
    need_files(options->connections);
    holder->held = need_memory(options->connections * sizeof(*holder->held));
    holder_open_all(holder);
    if (epoll_ctl(holder->epoll, EPOLL_CTL_ADD, STDIN_FILENO, &input) != 0)
        die("stdin must be a pipe or a terminal: %s", strerror(errno));
    while (more) {
        if (!holder_poll(holder, 1000))
            continue;
        if (!fgets(word, sizeof(word), stdin))
            break;
        word[strcspn(word, "\n")] = '\0';
        more = holder_obey(holder, word);
    }
    code = holder->dropped > 0;
    close(holder->epoll);
    free(holder->held);
    free(holder);
    return code;
}
