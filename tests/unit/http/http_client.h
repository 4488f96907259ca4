/*
 * http_client.h - a plain socket that speaks to the server under test, byte by byte.
 *
 * Everything is static, since each test program is one file. Reads give up after PATIENCE_MS and fail the
 * test, so nothing hangs. How fast something is, the benches measure: a busy machine fails no test here.
 */
#ifndef TESTS_HTTP_CLIENT_H
#define TESTS_HTTP_CLIENT_H

#include "http/server.h"
#include "tests/support/patience.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define REPLY_ROOM (256 * 1024)

static inline int64_t test_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline void test_sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static inline int client_open(int port)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Sends all of it; false when the server has closed. */
static inline bool client_send(int fd, const void *bytes, size_t len)
{
    const char *from = bytes;

    while (len > 0) {
        ssize_t sent = send(fd, from, len, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        from += sent;
        len -= (size_t)sent;
    }
    return true;
}

static inline void client_text(int fd, const char *text)
{
    assert_true(client_send(fd, text, strlen(text)));
}

/* What is there within the time: bytes, 0 for a close, -1 for a reset; -2 when nothing comes. */
static inline ssize_t client_read(int fd, char *into, size_t room, int wait_ms)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

    if (poll(&poll_fd, 1, wait_ms) <= 0)
        return -2;
    return recv(fd, into, room, 0);
}

/* Reads until the server closes; the text is the caller's to free. */
static inline char *client_read_all(int fd, size_t *len)
{
    char *text = malloc(REPLY_ROOM + 1);
    size_t have = 0;

    for (;;) {
        ssize_t got = client_read(fd, text + have, REPLY_ROOM - have, PATIENCE_MS);

        assert_int_not_equal(got, -2);
        if (got <= 0)
            break;
        have += (size_t)got;
        assert_true(have < REPLY_ROOM);
    }
    text[have] = '\0';
    if (len)
        *len = have;
    return text;
}

/* One reply with a Content-Length, on a connection that stays open. */
static inline char *client_read_reply(int fd)
{
    char *text = malloc(REPLY_ROOM + 1);
    size_t have = 0;

    for (;;) {
        ssize_t got = client_read(fd, text + have, REPLY_ROOM - have, PATIENCE_MS);

        assert_true(got > 0);
        have += (size_t)got;
        text[have] = '\0';

        char *end = strstr(text, "\r\n\r\n");
        char *length = end ? strcasestr(text, "Content-Length: ") : NULL;

        if (length && have >= (size_t)(end + 4 - text) + strtoul(length + 16, NULL, 10))
            return text;
    }
}

/* Sends one request on a connection of its own and reads until the server closes it. */
static inline char *client_once(int port, const char *request)
{
    int fd = client_open(port);

    client_text(fd, request);
    char *text = client_read_all(fd, NULL);

    close(fd);
    return text;
}

static inline int reply_status(const char *text)
{
    return strncmp(text, "HTTP/1.1 ", 9) == 0 ? atoi(text + 9) : 0;
}

static inline const char *reply_body(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n");

    return end ? end + 4 : "";
}

/* Closes with a reset, as a client that crashed or lost its network does. */
static inline void client_reset(int fd)
{
    struct linger linger = { 1, 0 };

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(fd);
}

/* Waits until a counter reaches a value. */
static inline bool test_wait_for(atomic_int *counter, int value)
{
    int64_t until = test_ms() + PATIENCE_MS;

    while (atomic_load(counter) != value) {
        if (test_ms() > until)
            return false;
        test_sleep_ms(2);
    }
    return true;
}

#endif
