#include "net.h"

#include "util.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PER_SOURCE 20000

void target_parse(struct target *target, const char *text)
{
    char host[sizeof(target->host)];
    const char *colon = strrchr(text, ':');
    long port = colon ? parse_count(colon + 1) : 0;

    *target = (struct target){ .address = { .sin_family = AF_INET } };
    if (!colon || port > 65535 ||
        (size_t)snprintf(target->host, sizeof(target->host), "%s", text) >= sizeof(host))
        die("'%s' is not ADDRESS:PORT", text);
    snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
    target->address.sin_port = htons((uint16_t)port);
    if (inet_pton(AF_INET, host, &target->address.sin_addr) != 1)
        die("'%s' is not an IPv4 address", host);
}

static void bind_source(int fd, const struct target *target, size_t nth)
{
    struct sockaddr_in from = { .sin_family = AF_INET };
    uint32_t to = ntohl(target->address.sin_addr.s_addr);
    int on = 1;

    if (to >> 24 != 127 || nth < PER_SOURCE)
        return;
    from.sin_addr.s_addr = htonl(to + (uint32_t)(nth / PER_SOURCE));
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
    if (bind(fd, (struct sockaddr *)&from, sizeof(from)) != 0)
        die("cannot bind a source address: %s", strerror(errno));
}

int net_connect(const struct target *target, size_t nth, bool blocking)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    if (fd < 0)
        die("cannot open a socket: %s", strerror(errno));
    bind_source(fd, target, nth);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connect(fd, (const struct sockaddr *)&target->address, sizeof(target->address)) != 0)
        die("cannot connect to %s (connection %zu): %s", target->host, nth + 1, strerror(errno));
    if (!blocking)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}

bool net_send(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, data, len, MSG_NOSIGNAL);

        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            struct pollfd wait = { .fd = fd, .events = POLLOUT };

            poll(&wait, 1, 1000);
            continue;
        }
        if (sent < 0)
            return false;
        data += sent;
        len -= (size_t)sent;
    }
    return true;
}

void net_reset(int fd)
{
    struct linger now = { .l_onoff = 1, .l_linger = 0 };

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close(fd);
}
