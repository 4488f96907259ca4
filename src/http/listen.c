/*
 * The first loop accepts for all and hands connections out in turn. Who comes over the limit of an address is
 * heard up to twice that limit, so that it can be told 429; above that it is closed without a word, since
 * even saying no costs a connection.
 */
#include "http/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG        4096
#define HOST_SIZE      256
#define ACCEPTS_A_TURN 256

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
    /* Accepted sockets inherit it: replies leave whole, so there is nothing to wait for. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
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

/* An IPv4 address is written as IPv6 maps it. */
static struct in6_addr address_of(const struct sockaddr_storage *peer)
{
    struct in6_addr address = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

    if (peer->ss_family == AF_INET6)
        return ((const struct sockaddr_in6 *)peer)->sin6_addr;
    memcpy(address.s6_addr + 12, &((const struct sockaddr_in *)peer)->sin_addr, 4);
    return address;
}

/* One machine may have a whole /64 of IPv6 to itself. False: there are so many that this one is not heard. */
static bool count_address(struct http_exchange *conn, const struct sockaddr_storage *peer)
{
    struct http_server *server = conn->loop->server;
    unsigned most = server->addresses
                        ? server->options.address_limit((const struct sockaddr *)peer, server->options.user)
                        : 0;

    if (most == 0)
        return true;
    memcpy(conn->counted_as, &conn->peer, sizeof conn->counted_as);
    if (!IN6_IS_ADDR_V4MAPPED(&conn->peer))
        memset(conn->counted_as + 8, 0, 8);
    conn->counted = tally_take(server->addresses, conn->counted_as, sizeof conn->counted_as, most * 2);
    conn->crowded =
        !conn->counted || tally_count(server->addresses, conn->counted_as, sizeof conn->counted_as) > most;
    if (conn->crowded)
        atomic_fetch_add(&server->crowded, 1);
    return conn->counted;
}

/* Closes one for which there is no room, with a word that fits into any buffer. */
static void turn_away(struct http_server *server, int fd)
{
    static const struct http_fault full = { 503, "unavailable", "The server has too many connections." };
    BUF_AUTO body, text = { 0 };

    reply_write_refusal(server, &body, &full);
    buf_format(&text,
               "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
               "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
               body.len, body.bytes);
    if (send(fd, text.bytes, text.len, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        shutdown(fd, SHUT_WR);
    close(fd);
}

static void hand_out(struct http_server *server, int fd, const struct sockaddr_storage *peer)
{
    unsigned most = server->options.connections ? server->options.connections : LIMIT_CONNECTIONS;

    struct http_exchange *conn = NULL;

    atomic_fetch_add(&server->accepted, 1);
    if (atomic_fetch_add(&server->connections, 1) >= most || !(conn = calloc(1, sizeof *conn))) {
        atomic_fetch_sub(&server->connections, 1);
        turn_away(server, fd);
        return;
    }
    conn->loop = &server->loops[server->next_loop++ % server->loop_count];
    conn->fd = fd;
    conn->peer = address_of(peer);
    buf_init(&conn->out.head, 0);
    if (count_address(conn, peer) && loop_post(conn, MAIL_JOIN))
        return;
    if (conn->counted)
        tally_give(server->addresses, conn->counted_as, sizeof conn->counted_as);
    close(fd);
    free(conn);
    atomic_fetch_sub(&server->connections, 1);
}

/*
 * Without a descriptor left the connection could not even be closed, and the socket would tell of it for
 * ever: one is kept for that.
 */
static bool out_of_descriptors(struct http_server *server)
{
    if ((errno != EMFILE && errno != ENFILE) || server->spare_fd < 0)
        return false;
    close(server->spare_fd);

    int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC);

    if (fd >= 0)
        turn_away(server, fd);
    server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0;
}

void listen_accept(struct http_server *server)
{
    /* A socket that was shut down would tell of it for ever. */
    if (atomic_load(&server->quiet))
        epoll_ctl(server->loops[0].epoll_fd, EPOLL_CTL_DEL, server->listen_fd, NULL);
    for (int turn = 0; turn < ACCEPTS_A_TURN; turn++) {
        struct sockaddr_storage peer;
        socklen_t size = sizeof peer;
        int fd = accept4(server->listen_fd, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0)
            hand_out(server, fd, &peer);
        else if (!out_of_descriptors(server))
            break;
    }
}
