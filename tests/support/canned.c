#include "tests/support/canned.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_MOST (64 * 1024)

struct visit {
    struct canned *canned;
    int fd;
    const char *reply;
};

static size_t body_len(const char *request)
{
    const char *length = strcasestr(request, "\r\nContent-Length:");

    return length ? strtoul(length + 17, NULL, 10) : 0;
}

static void read_request(struct visit *visit)
{
    char *request = calloc(1, REQUEST_MOST + 1);
    size_t len = 0;

    for (;;) {
        ssize_t got = recv(visit->fd, request + len, REQUEST_MOST - len, 0);
        const char *end;

        if (got <= 0)
            break;
        len += (size_t)got;
        end = strstr(request, "\r\n\r\n");
        if (end && len >= (size_t)(end + 4 - request) + body_len(request))
            break;
    }
    pthread_mutex_lock(&visit->canned->lock);
    free(visit->canned->request);
    visit->canned->request = request;
    pthread_mutex_unlock(&visit->canned->lock);
    if (len > 0)
        atomic_fetch_add(&visit->canned->requests, 1);
}

static bool has_gone(int fd, int wait_ms)
{
    struct pollfd watched = { .fd = fd, .events = POLLIN };
    char byte;

    return poll(&watched, 1, wait_ms) > 0 && recv(fd, &byte, 1, MSG_DONTWAIT) <= 0;
}

static void wait_for_end(struct visit *visit)
{
    while (!atomic_load(&visit->canned->stopping)) {
        if (has_gone(visit->fd, 20)) {
            atomic_fetch_add(&visit->canned->gone, 1);
            return;
        }
    }
}

static bool send_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        bytes += sent;
        len -= (size_t)sent;
    }
    return true;
}

static void send_reply(struct visit *visit)
{
    const char *reply = visit->reply;
    size_t len = strcspn(reply, "\x01\x02\x03");

    if (!send_all(visit->fd, reply, len))
        return;
    reply += len;
    if (*reply == '\x01')
        wait_for_end(visit);
    for (const char *at = reply + 1; *reply == '\x02' && *at && send_all(visit->fd, at, 1); at++)
        ;
    while (*reply == '\x03' && !atomic_load(&visit->canned->stopping))
        if (!send_all(visit->fd, reply + 1, strlen(reply + 1))) {
            atomic_fetch_add(&visit->canned->gone, 1);
            return;
        }
}

/*
 * How many wait for the first byte of their reply at once. Whoever takes the end of a reply for leave to ask
 * again cannot be here twice, however late the threads of this server run; whoever does not wait is, since
 * each stays for a while.
 */
static void count_asking(struct canned *canned)
{
    int asking = atomic_fetch_add(&canned->asking, 1) + 1, most = atomic_load(&canned->most_asking);

    while (asking > most && !atomic_compare_exchange_weak(&canned->most_asking, &most, asking))
        continue;
    usleep(2000);
    atomic_fetch_sub(&canned->asking, 1);
}

static void *serve(void *user)
{
    struct visit *visit = user;
    struct canned *canned = visit->canned;

    read_request(visit);
    count_asking(canned);
    send_reply(visit);
    close(visit->fd);
    free(visit);
    atomic_fetch_sub(&canned->open, 1);
    return NULL;
}

static void *accept_all(void *user)
{
    struct canned *canned = user;
    int fd;

    while ((fd = accept(canned->fd, NULL, NULL)) >= 0) {
        struct visit *visit = malloc(sizeof(*visit));
        int number = atomic_fetch_add(&canned->connections, 1), which = 0;
        int no_delay = 1;
        pthread_t thread;

        setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &no_delay, sizeof(no_delay));
        while (which < number && which + 1 < CANNED_REPLIES && canned->replies[which + 1])
            which++;
        *visit = (struct visit){ canned, fd, canned->replies[which] };
        /* Before its thread runs: who stops waits for all that were let in. */
        atomic_fetch_add(&canned->open, 1);
        if (pthread_create(&thread, NULL, serve, visit) != 0)
            abort();
        pthread_detach(thread);
    }
    return NULL;
}

void canned_start(struct canned *canned, const char *const *replies)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof(address);

    *canned = (struct canned){ .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    for (size_t i = 0; i < CANNED_REPLIES && replies[i]; i++)
        canned->replies[i] = replies[i];
    pthread_mutex_init(&canned->lock, NULL);
    if (bind(canned->fd, (struct sockaddr *)&address, size) != 0 || listen(canned->fd, 512) != 0 ||
        getsockname(canned->fd, (struct sockaddr *)&address, &size) != 0)
        abort();
    canned->port = ntohs(address.sin_port);
    snprintf(canned->url, sizeof(canned->url), "http://127.0.0.1:%d", canned->port);
    if (pthread_create(&canned->thread, NULL, accept_all, canned) != 0)
        abort();
}

void canned_stop(struct canned *canned)
{
    atomic_store(&canned->stopping, true);
    shutdown(canned->fd, SHUT_RDWR);
    pthread_join(canned->thread, NULL);
    close(canned->fd);
    while (atomic_load(&canned->open) > 0)
        usleep(1000);
    free(canned->request);
    pthread_mutex_destroy(&canned->lock);
}
