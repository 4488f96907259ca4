#include "http/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG   4096
#define HOST_SIZE 256

/* Takes "host:port" or "[v6]:port" apart. A bare v6 address is refused, since its last group reads as a port.
 */
static bool split_address(const char *address, char host[static HOST_SIZE], const char **port)
{
    const char *start = address, *end;

    if (*address == '[') {
        start = address + 1;
        end = strchr(start, ']');
        if (!end || end[1] != ':')
            return false;
        *port = end + 2;
    } else {
        end = strrchr(address, ':');
        if (!end || end != strchr(address, ':'))
            return false;
        *port = end + 1;
    }

    size_t len = (size_t)(end - start);

    if (len == 0 || len >= HOST_SIZE || !**port || strspn(*port, "0123456789") != strlen(*port) ||
        strlen(*port) > 5 || atoi(*port) > 65535)
        return false;
    memcpy(host, start, len);
    host[len] = '\0';
    return true;
}

static int bound_port(int fd)
{
    struct sockaddr_storage name = { 0 };
    socklen_t size = sizeof name;

    if (getsockname(fd, (struct sockaddr *)&name, &size) < 0)
        return 0;
    if (name.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&name)->sin6_port);
    return ntohs(((struct sockaddr_in *)&name)->sin_port);
}

static bool cannot_listen(const char *address, int why, struct err *err)
{
    err_set(err, ERR_UNAVAILABLE, "Cannot listen on %s: %s", address, strerror(why));
    if (why == EADDRINUSE)
        err_hint(err, "Another program uses this port; stop it, or choose another one with --listen.");
    else if (why == EACCES)
        err_hint(err, "Ports below 1024 need a privilege; choose a higher one with --listen.");
    else if (why == EADDRNOTAVAIL)
        err_hint(err, "This machine does not have that address.");
    return false;
}

static int listen_on(const struct addrinfo *info, const char *address, struct err *err)
{
    int on = 1;
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        cannot_listen(address, errno, err);
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (info->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(fd, info->ai_addr, info->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0) {
        cannot_listen(address, errno, err);
        close(fd);
        return -1;
    }
    return fd;
}

int listen_open(const char *address, int *port, struct err *err)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
    struct addrinfo *info = NULL;
    char host[HOST_SIZE];
    const char *service;

    if (!split_address(address, host, &service)) {
        err_set(err, ERR_INVALID, "Cannot listen on %s: not an address and a port", address);
        err_hint(err, "Write it as 127.0.0.1:7117 or [::1]:7117.");
        return -1;
    }

    int failed = getaddrinfo(host, service, &hints, &info);

    if (failed) {
        err_set(err, ERR_INVALID, "Cannot listen on %s: %s", address, gai_strerror(failed));
        return -1;
    }

    int fd = listen_on(info, address, err);

    freeaddrinfo(info);
    if (fd >= 0)
        *port = bound_port(fd);
    return fd;
}
