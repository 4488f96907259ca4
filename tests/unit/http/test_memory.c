/*
 * What many clients together may make the server hold: bodies, replies and connections.
 */
#include "http_client.h"

#include "base/limits.h"

#define ROOM  (40 * MB) /* thirty of them for what is large */
#define LARGE (20 * MB) /* more than the buffers of a socket hide */

static struct http_server *server;
static struct budget budget;
static struct http_fixed fixed;
static atomic_int handled, asked;
static _Atomic(struct http_exchange *) parked;
static unsigned each = 0;
static int port;

static void handle(struct http_exchange *exchange, void *user)
{
    struct buf body;
    size_t len;

    (void)user;
    (void)http_body(exchange, &len);
    atomic_fetch_add(&handled, 1);
    if (strcmp(http_path(exchange), "/fixed") == 0) {
        http_reply_fixed(exchange, 200, "application/json", NULL, &fixed);
        return;
    }
    buf_init(&body, 0);
    if (strcmp(http_path(exchange), "/large") == 0)
        for (size_t i = 0; i < LARGE / 16; i++)
            buf_text(&body, "0123456789abcdef");
    else
        buf_format(&body, "%zu bytes", len);
    http_reply(exchange, 200, "text/plain", NULL, &body);
}

/* "/ask" is looked into on another thread; everything else may be read. */
static bool before_body(struct http_exchange *exchange, void *user)
{
    (void)user;
    atomic_fetch_add(&asked, 1);
    if (strcmp(http_path(exchange), "/ask") != 0)
        return true;
    http_park(exchange);
    atomic_store(&parked, exchange);
    return false;
}

static unsigned address_limit(const struct sockaddr *peer, void *user)
{
    (void)user;
    assert_int_equal(peer->sa_family, AF_INET);
    return each;
}

static size_t body_limit(enum http_method method, const char *path, void *user)
{
    (void)method;
    (void)path;
    (void)user;
    return 32 * MB;
}

static int start(void **state)
{
    struct err err = { 0 };
    struct http_options options = { .listen = "127.0.0.1:0",
                                    .threads = 2,
                                    .handle = handle,
                                    .body_limit = body_limit,
                                    .before_body = before_body,
                                    .address_limit = address_limit,
                                    .linger_ms = PATIENCE_MS,
                                    .budget = &budget };

    (void)state;
    budget_init(&budget, ROOM);
    server = http_open(&options, &err);
    port = server ? http_port(server) : 0;
    return server ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    http_close(server, 1000);
    assert_int_equal(budget_used(&budget), 0);
    free((char *)(uintptr_t)fixed.packed);
    return 0;
}

static void until_used(size_t least, size_t most)
{
    int64_t began = test_ms();

    while (budget_used(&budget) < least || budget_used(&budget) > most) {
        assert_true(test_ms() - began < PATIENCE_MS);
        test_sleep_ms(2);
    }
}

static struct http_exchange *until_parked(void)
{
    struct http_exchange *exchange;
    int64_t began = test_ms();

    while (!(exchange = atomic_exchange(&parked, NULL))) {
        assert_true(test_ms() - began < PATIENCE_MS);
        test_sleep_ms(2);
    }
    return exchange;
}

static void check(int fd, int status)
{
    char *text = client_read_all(fd, NULL);

    if (reply_status(text) != status)
        fprintf(stderr, "%.600s\n", text);
    assert_int_equal(reply_status(text), status);
    if (status == 503 || status == 429)
        assert_non_null(strstr(text, "Retry-After: "));
    free(text);
    close(fd);
}

static int ask(const char *request)
{
    int fd = client_open(port);

    client_text(fd, request);
    return fd;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

/* Replies that nobody reads fill the budget; the next large one is refused, small ones go on. */
static void unread_replies_are_counted(void **state)
{
    int unread[2];

    (void)state;
    unread[0] = ask(GET("/large"));
    until_used(LARGE, LARGE);
    check(ask(GET("/large")), 503);
    check(ask(GET("/little")), 200);
    until_used(LARGE, LARGE);
    close(unread[0]);
    until_used(0, 0);
    unread[1] = ask(GET("/large"));
    until_used(LARGE, LARGE);
    /* What a write has done is told in any case. */
    int fd = ask("POST /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    char head[64] = { 0 };

    assert_true(client_read(fd, head, sizeof head - 1, PATIENCE_MS) > 0);
    assert_int_equal(reply_status(head), 200);
    close(fd);
    close(unread[1]);
    until_used(0, 0);
}

static void bodies_are_counted_as_they_come(void **state)
{
    static char bytes[LARGE];
    int first = client_open(port), second = client_open(port);
    int before = atomic_load(&handled);

    (void)state;
    /* Announcing takes nothing. */
    client_text(first, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 25000000\r\n\r\n");
    assert_true(client_send(first, bytes, 10000));
    until_used(10000, 256 * KB);
    assert_true(client_send(first, bytes, sizeof bytes));
    until_used(LARGE, 25000001);
    client_text(second, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20971520\r\n\r\n");
    assert_true(client_send(second, bytes, sizeof bytes));
    check(second, 503);
    assert_int_equal(atomic_load(&handled), before);
    close(first);
    until_used(0, 0);
    check(ask("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"), 200);
    until_used(0, 0);
}

/* A refusal before the body: with and without a client that waits for 100 Continue. */
static void a_large_body_is_asked_about_first(void **state)
{
    static char bytes[1 * MB];
    static const struct http_header_line why[] = { { "WWW-Authenticate", "Bearer" }, { NULL, NULL } };
    int before = atomic_load(&handled);

    (void)state;
    for (int expects = 0; expects < 2; expects++) {
        int fd = ask("POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n");
        struct buf body;

        client_text(fd, expects ? "Expect: 100-continue\r\n\r\n" : "\r\n");
        if (!expects)
            assert_true(client_send(fd, bytes, sizeof bytes));
        struct http_exchange *exchange = until_parked();

        assert_int_equal(budget_used(&budget), 0);
        buf_init(&body, 0);
        buf_text(&body, "{\"error\":\"Who?\"}");
        http_reply(exchange, 401, "application/json", why, &body);
        char *text = client_read_all(fd, NULL);

        assert_int_equal(reply_status(text), 401);
        assert_string_equal(reply_body(text), "{\"error\":\"Who?\"}");
        assert_non_null(strstr(text, "WWW-Authenticate: Bearer\r\n"));
        free(text);
        close(fd);
        until_used(0, 0);
    }
    assert_int_equal(atomic_load(&handled), before);
}

static void an_allowed_body_is_read(void **state)
{
    static char bytes[1 * MB];

    (void)state;
    for (int expects = 0; expects < 2; expects++) {
        int fd = ask("POST /ask HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1048576\r\n");

        client_text(fd, expects ? "Expect: 100-continue\r\n\r\n" : "\r\n");
        http_read_body(until_parked());
        if (expects) {
            char first[26] = { 0 };

            assert_true(client_read(fd, first, 25, PATIENCE_MS) > 0);
            assert_int_equal(reply_status(first), 100);
        }
        assert_true(client_send(fd, bytes, sizeof bytes));
        char *text = client_read_all(fd, NULL);

        assert_int_equal(reply_status(text), 200);
        assert_string_equal(reply_body(text), "1048576 bytes");
        free(text);
        close(fd);
    }
    until_used(0, 0);
}

static void only_large_and_unknown_bodies_are_asked_about(void **state)
{
    int before = atomic_load(&asked);

    (void)state;
    check(ask("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"), 200);
    assert_int_equal(atomic_load(&asked), before);
    check(ask("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
              "3\r\nabc\r\n0\r\n\r\n"),
          200);
    assert_int_equal(atomic_load(&asked), before + 1);
}

static void fixed_bytes_cost_nothing(void **state)
{
    static char text[3 * MB];
    int unread[8];

    (void)state;
    memset(text, 'a', sizeof text);
    fixed = (struct http_fixed){ .bytes = text, .len = sizeof text };
    fixed.packed = http_pack(text, sizeof text, &fixed.packed_len);
    assert_true(fixed.packed && fixed.packed_len < sizeof text / 100);
    for (size_t i = 0; i < 8; i++)
        unread[i] = ask(GET("/fixed"));
    check(ask("GET /fixed HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n"), 200);
    assert_int_equal(budget_used(&budget), 0);
    for (size_t i = 0; i < 8; i++)
        close(unread[i]);
}

static void until_connected(unsigned connections)
{
    struct http_stats stats;
    int64_t began = test_ms();

    for (http_stats(server, &stats); stats.connections != connections; http_stats(server, &stats)) {
        assert_true(test_ms() - began < PATIENCE_MS);
        test_sleep_ms(2);
    }
}

static void connections_of_an_address_are_limited(void **state)
{
    struct http_stats stats;
    int open[3];
    int64_t began = test_ms();

    (void)state;
    until_connected(0);
    each = 3;
    for (size_t i = 0; i < 3; i++)
        open[i] = client_open(port);
    until_connected(3);
    check(ask(GET("/")), 429);
    http_stats(server, &stats);
    assert_true(stats.crowded >= 1);
    client_text(open[0], GET("/"));
    check(open[0], 200);
    /* The place is free again once the server has seen the end. */
    for (int status = 429; status == 429;) {
        char *text = client_once(port, GET("/"));

        status = reply_status(text);
        free(text);
        assert_true(test_ms() - began < PATIENCE_MS);
    }
    close(open[1]);
    close(open[2]);
    each = 0;
}

/* Whoever looks into a large body when the server stops is waited for, or let go. */
static void stops_while_a_body_is_asked_about(void **state)
{
    int fd = ask("POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n");
    struct http_exchange *exchange = until_parked();

    (void)state;
    http_close(server, 50);
    http_read_body(exchange);
    close(fd);
    assert_int_equal(budget_used(&budget), 0);
    server = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unread_replies_are_counted),
        cmocka_unit_test(bodies_are_counted_as_they_come),
        cmocka_unit_test(a_large_body_is_asked_about_first),
        cmocka_unit_test(an_allowed_body_is_read),
        cmocka_unit_test(only_large_and_unknown_bodies_are_asked_about),
        cmocka_unit_test(fixed_bytes_cost_nothing),
        cmocka_unit_test(connections_of_an_address_are_limited),
        cmocka_unit_test(stops_while_a_body_is_asked_about),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
