#include "exchange.h"

#include "util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

void exchange_open(struct exchange *exchange, int epoll, const struct target *target, size_t nth, void *owner)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = exchange };

    *exchange = (struct exchange){ .owner = owner };
    exchange->body = need_memory(EXCHANGE_BODY);
    exchange->fd = net_connect(target, nth, false);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, exchange->fd, &event) != 0)
        die("epoll_ctl: %s", strerror(errno));
}

void exchange_close(struct exchange *exchange)
{
    close(exchange->fd);
    free(exchange->body);
}

void exchange_send(struct exchange *exchange, const char *host, const char *path, const char *body)
{
    char out[4096];
    int len;

    if (body)
        len = snprintf(out, sizeof(out),
                       "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: "
                       "%zu\r\n\r\n%s",
                       path, host, strlen(body), body);
    else
        len = snprintf(out, sizeof(out), "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host);
    if (len < 0 || (size_t)len >= sizeof(out))
        die("a request is too long");
    http_in_reset(&exchange->in);
    exchange->body_len = 0;
    exchange->waiting = true;
    exchange->sent_at = now_ns();
    if (!net_send(exchange->fd, out, (size_t)len))
        die("a connection was lost");
}

static void keep(void *ctx, const char *data, size_t len)
{
    struct exchange *exchange = ctx;
    size_t room = EXCHANGE_BODY - 1 - exchange->body_len;

    len = len < room ? len : room;
    memcpy(exchange->body + exchange->body_len, data, len);
    exchange->body_len += len;
}

bool exchange_read(struct exchange *exchange)
{
    char buffer[16384];
    ssize_t got = recv(exchange->fd, buffer, sizeof(buffer), 0);
    size_t used;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0 || !exchange->waiting)
        die("the server closed a connection");
    if (!http_in_feed(&exchange->in, buffer, (size_t)got, &used, keep, exchange))
        die("a reply is not HTTP");
    if (!http_in_done(&exchange->in))
        return false;
    exchange->body[exchange->body_len] = '\0';
    exchange->waiting = false;
    if (exchange->in.status / 100 != 2 || exchange->in.closes)
        die("status %d: %.200s", exchange->in.status, exchange->body);
    return true;
}

void exchange_text(const struct exchange *exchange, const char *name, char *out, size_t room)
{
    char key[64];
    const char *at, *end;

    snprintf(key, sizeof(key), "\"%s\":\"", name);
    at = strstr(exchange->body, key);
    end = at ? strchr(at + strlen(key), '"') : NULL;
    if (!end || (size_t)(end - at) - strlen(key) >= room)
        die("no %s in the reply: %.200s", name, exchange->body);
    snprintf(out, room, "%.*s", (int)(end - at - (long)strlen(key)), at + strlen(key));
}
