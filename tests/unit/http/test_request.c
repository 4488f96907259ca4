#include "http_client.h"

#include "base/limits.h"

#include <zlib.h>

/* One server waits for its clients as long as it does by itself; the hasty one is for those that are cut off.
 */
static struct http_server *server, *hasty;
static int port, hasty_port;
static atomic_int handled;

/* Answers with what it saw: "GET /path?query body". */
static void echo(struct http_exchange *exchange, void *user)
{
    struct buf body;
    size_t len;
    const char *bytes = http_body(exchange, &len);

    (void)user;
    atomic_fetch_add(&handled, 1);
    if (strcmp(http_path(exchange), "/mute") == 0)
        return;
    buf_init(&body, strcmp(http_path(exchange), "/cut") == 0 ? 4 : 0);
    if (strcmp(http_path(exchange), "/large") == 0) {
        for (int i = 0; i < 2000; i++)
            buf_format(&body, "{\"line\":%d},", i);
    } else {
        buf_format(&body, "%s %s?%s ", http_method_text(exchange), http_path(exchange), http_query(exchange));
        buf_add(&body, bytes, len);
    }
    http_reply(exchange, 200, "application/json", NULL, &body);
}

static size_t limit(enum http_method method, const char *path, void *user)
{
    (void)method;
    (void)user;
    return strcmp(path, "/small") == 0 ? 1000 : 0;
}

static int start(void **state)
{
    struct err err = { 0 };
    struct http_options options = {
        .listen = "127.0.0.1:0", .threads = 2, .handle = echo, .body_limit = limit, .linger_ms = PATIENCE_MS
    };

    (void)state;
    server = http_open(&options, &err);
    options.body_ms = 600;
    options.idle_ms = 1500;
    hasty = http_open(&options, &err);
    if (!server || !hasty) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    port = http_port(server);
    hasty_port = http_port(hasty);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    http_close(server, 1000);
    http_close(hasty, 1000);
    return 0;
}

#define CLOSE "Host: x\r\nConnection: close\r\n"

static void check_status(const char *request, int status)
{
    char *text = client_once(port, request);

    if (reply_status(text) != status)
        fprintf(stderr, "request: %s\nreply: %s\n", request, text);
    assert_int_equal(reply_status(text), status);
    free(text);
}

/* A refusal must close the connection, and nothing behind it may be served. */
static void check_refused(const char *request, int status)
{
    int before = atomic_load(&handled);
    int fd = client_open(port);

    client_text(fd, request);
    char *text = client_read_all(fd, NULL);

    if (reply_status(text) != status)
        fprintf(stderr, "request: %s\nreply: %s\n", request, text);
    assert_int_equal(reply_status(text), status);
    assert_int_equal(atomic_load(&handled), before);
    assert_null(strstr(text + 1, "HTTP/1.1 200"));
    free(text);
    close(fd);
}

static void answers_a_request(void **state)
{
    char *text = client_once(port, "POST /a/b%20c?x=1&y HTTP/1.1\r\n" CLOSE "Content-Length: 5\r\n\r\nhello");

    (void)state;
    assert_int_equal(reply_status(text), 200);
    assert_string_equal(reply_body(text), "POST /a/b%20c?x=1&y hello");
    assert_non_null(strstr(text, "X-Content-Type-Options: nosniff\r\n"));
    assert_non_null(strstr(text, "Referrer-Policy: no-referrer\r\n"));
    assert_non_null(strstr(text, "X-Frame-Options: DENY\r\n"));
    assert_non_null(strstr(text, "Cross-Origin-Resource-Policy: same-origin\r\n"));
    assert_non_null(strstr(text, "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"));
    assert_non_null(strstr(text, "Cache-Control: no-store\r\n"));
    assert_non_null(strstr(text, "X-Request-Id: "));
    free(text);
}

static void keeps_connections_and_pipelines(void **state)
{
    int fd = client_open(port);

    (void)state;
    client_text(fd, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
    char *text = client_read_reply(fd);

    assert_string_equal(reply_body(text), "GET /1? ");
    free(text);
    client_text(fd, "GET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HTTP/1.1\r\n" CLOSE "\r\n");
    text = client_read_all(fd, NULL);
    assert_non_null(strstr(text, "GET /2? "));
    assert_non_null(strstr(text, "GET /3? "));
    free(text);
    close(fd);
}

static void keeps_a_sane_request_id(void **state)
{
    char *text = client_once(port, "GET / HTTP/1.1\r\n" CLOSE "X-Request-Id: abc-1.2_Z\r\n\r\n");

    (void)state;
    assert_non_null(strstr(text, "X-Request-Id: abc-1.2_Z\r\n"));
    free(text);
    text = client_once(port, "GET / HTTP/1.1\r\n" CLOSE "X-Request-Id: a<b>\r\n\r\n");
    assert_null(strstr(text, "a<b>"));
    assert_non_null(strstr(text, "X-Request-Id: "));
    free(text);
}

static void head_is_get_without_a_body(void **state)
{
    char *get = client_once(port, "GET /large HTTP/1.1\r\n" CLOSE "\r\n");
    char *head = client_once(port, "HEAD /large HTTP/1.1\r\n" CLOSE "\r\n");
    const char *get_length = strstr(get, "Content-Length: "), *head_length = strstr(head, "Content-Length: ");

    (void)state;
    assert_int_equal(reply_status(head), 200);
    assert_string_equal(reply_body(head), "");
    assert_non_null(get_length);
    assert_non_null(head_length);
    assert_int_equal(atoi(get_length + 16), atoi(head_length + 16));
    free(get);
    free(head);
}

static void refuses_unclear_lengths(void **state)
{
    (void)state;
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
                  400);
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
                  "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
                  400);
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhelloX", 400);
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400);
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello", 400);
    check_refused(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
        "0\r\n\r\n",
        400);
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello", 400);
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\nhello", 400);
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nhello", 400);
    check_refused("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501);
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413);
}

static void refuses_bad_targets(void **state)
{
    char nul[] = "GET /a_b HTTP/1.1\r\n" CLOSE "\r\n";
    int fd = client_open(port);

    (void)state;
    check_refused("GET /a%00b HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused("GET /a?b=%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused("GET /a%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused("GET /a%4 HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused("GET /a% HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused("GET /a\x01"
                  "b HTTP/1.1\r\nHost: x\r\n\r\n",
                  400);
    check_refused("GET /a\x7f HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused("GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_status("GET http://example.test/abs?x HTTP/1.1\r\n" CLOSE "\r\n", 200);

    /* A raw NUL would end the path early. */
    nul[6] = '\0';
    int before = atomic_load(&handled);

    assert_true(client_send(fd, nul, sizeof nul - 1));
    char *text = client_read_all(fd, NULL);

    assert_int_not_equal(reply_status(text), 200);
    assert_int_equal(atomic_load(&handled), before);
    free(text);
    close(fd);
}

static void refuses_long_targets(void **state)
{
    char *request = malloc(10000);
    size_t at = 0;

    (void)state;
    at += (size_t)sprintf(request, "GET /");
    while (at < 9000)
        request[at++] = 'a';
    strcpy(request + at, " HTTP/1.1\r\nHost: x\r\n\r\n");
    check_refused(request, 414);
    free(request);
}

static void refuses_unknown_expectations(void **state)
{
    (void)state;
    check_refused("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: tea\r\n\r\n", 417);
}

static void refuses_large_bodies_before_100_continue(void **state)
{
    int fd = client_open(port);

    (void)state;
    client_text(fd,
                "POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n");
    char *text = client_read_all(fd, NULL);

    assert_int_equal(reply_status(text), 413);
    assert_null(strstr(text, "100 Continue"));
    assert_non_null(strstr(text, "Connection: close"));
    free(text);
    close(fd);

    fd = client_open(port);
    client_text(fd, "POST /small HTTP/1.1\r\n" CLOSE "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    char first[64] = { 0 };

    assert_true(client_read(fd, first, sizeof first - 1, PATIENCE_MS) > 0);
    assert_int_equal(reply_status(first), 100);
    client_text(fd, "hello");
    text = client_read_all(fd, NULL);
    assert_int_equal(reply_status(text), 200);
    free(text);
    close(fd);
}

/* A client that writes its whole body before it reads still gets to see why it was refused. */
static void large_bodies_see_their_refusal(void **state)
{
    char *body = calloc(1, 4 * MB);
    int fd = client_open(port);

    (void)state;
    client_text(fd, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n");
    assert_true(client_send(fd, body, 4 * MB));
    char *text = client_read_all(fd, NULL);

    assert_int_equal(reply_status(text), 413);
    free(text);
    free(body);
    close(fd);
}

static void cuts_off_large_chunked_bodies(void **state)
{
    char chunk[600];
    int before = atomic_load(&handled);
    int fd = client_open(port);

    (void)state;
    memset(chunk, 'a', sizeof chunk);
    memcpy(chunk, "200\r\n", 5);
    memcpy(chunk + 5 + 512, "\r\n", 2);
    client_text(fd, "POST /small HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 4; i++)
        assert_true(client_send(fd, chunk, 5 + 512 + 2));
    char *text = client_read_all(fd, NULL);

    assert_int_equal(reply_status(text), 413);
    assert_int_equal(atomic_load(&handled), before);
    free(text);
    close(fd);
    check_status("POST /small HTTP/1.1\r\n" CLOSE
                 "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
                 200);
}

/* One byte every 100 ms is never idle, but the whole takes too long. */
static void cuts_off_slow_clients(void **state)
{
    static const char *const starts[] = {
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
        "GET / HTTP/1.1\r\nX-Slow: ",
        "GET /",
    };

    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        int64_t began = test_ms();
        int fd = client_open(hasty_port);
        char byte;
        ssize_t got;

        client_text(fd, starts[i]);
        do {
            got = client_read(fd, &byte, 1, 100);
            if (got == -2 && !client_send(fd, "a", 1))
                break;
            assert_true(test_ms() - began < PATIENCE_MS);
        } while (got == -2 || got > 0);
        assert_true(test_ms() - began >= 500);
        close(fd);
    }
}

/* Errors of every kind look the same: JSON, once, and the end of the connection. */
static void check_error(int whose, const char *request, int status)
{
    char *text = client_once(whose, request);

    assert_int_equal(reply_status(text), status);
    assert_non_null(strstr(text, "Content-Type: application/json\r\n"));
    assert_non_null(strstr(text, "Connection: close\r\n"));
    assert_int_equal(strncmp(reply_body(text), "{\"error\":\"", 10), 0);
    assert_null(strstr(text + 1, "HTTP/1.1 "));
    free(text);
}

static void errors_are_json_once(void **state)
{
    char *large = calloc(1, 20 * KB);

    (void)state;
    check_error(hasty_port, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhello", 408);
    check_error(hasty_port, "GET / HTTP/1.1\r\nHost: ", 408);
    check_error(port, "POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n", 413);
    strcpy(large, "GET / HTTP/1.1\r\nHost: x\r\nA: ");
    memset(large + strlen(large), 'a', 17 * KB);
    check_error(port, large, 431);
    memset(large, 'a', 17 * KB);
    memcpy(large, "GET /", 5);
    check_error(port, large, 414);
    check_error(port, "GET /mute HTTP/1.1\r\nHost: x\r\n\r\n", 500);
    free(large);
}

static void closes_idle_connections(void **state)
{
    int64_t began = test_ms();
    int fd = client_open(hasty_port);
    char byte;

    (void)state;
    client_text(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    char *text = client_read_reply(fd);

    free(text);
    assert_int_equal(client_read(fd, &byte, 1, PATIENCE_MS), 0);
    assert_true(test_ms() - began >= 1000);
    close(fd);
}

static void gunzip_equals(const char *packed, size_t len, const char *plain)
{
    char *out = calloc(1, REPLY_ROOM);
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)packed,
                   .avail_in = (unsigned)len,
                   .next_out = (unsigned char *)out,
                   .avail_out = REPLY_ROOM - 1 };

    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    assert_string_equal(out, plain);
    free(out);
}

static void gzips_large_replies(void **state)
{
    char *plain = client_once(port, "GET /large HTTP/1.1\r\n" CLOSE "\r\n");
    int fd = client_open(port);
    size_t len;

    (void)state;
    assert_null(strstr(plain, "Content-Encoding"));
    assert_non_null(strstr(plain, "Vary: Accept-Encoding\r\n"));
    client_text(fd, "GET /large HTTP/1.1\r\n" CLOSE "Accept-Encoding: br, gzip;q=0.5\r\n\r\n");
    char *packed = client_read_all(fd, &len);

    assert_non_null(strstr(packed, "Content-Encoding: gzip\r\n"));
    assert_non_null(strstr(packed, "Vary: Accept-Encoding\r\n"));
    gunzip_equals(reply_body(packed), len - (size_t)(reply_body(packed) - packed), reply_body(plain));
    close(fd);
    free(packed);
    packed = client_once(port, "GET /large HTTP/1.1\r\n" CLOSE "Accept-Encoding: gzip;q=0, *\r\n\r\n");
    assert_string_equal(reply_body(packed), reply_body(plain));
    free(packed);
    packed = client_once(port, "GET /little HTTP/1.1\r\n" CLOSE "Accept-Encoding: gzip\r\n\r\n");
    assert_null(strstr(packed, "Content-Encoding"));
    free(packed);
    free(plain);
}

static void a_reply_over_its_limit_is_an_error(void **state)
{
    (void)state;
    check_status("GET /cut HTTP/1.1\r\n" CLOSE "\r\n", 500);
}

static void says_why_it_cannot_listen(void **state)
{
    struct err err = { 0 };
    char address[32];
    struct http_options options = { .listen = address, .handle = echo };

    (void)state;
    snprintf(address, sizeof address, "127.0.0.1:%d", port);
    assert_null(http_open(&options, &err));
    assert_non_null(strstr(err.text, "Cannot listen on 127.0.0.1:"));
    assert_non_null(strcasestr(err.text, "address already in use"));
    assert_true(err.hint[0] != '\0');

    static const char *const bad[] = {
        "127.0.0.1", "::1:80", "[::1]", "127.0.0.1:99999", "127.0.0.1:x", ":80"
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.listen = bad[i];
        assert_null(http_open(&options, &err));
    }
    options.listen = "[::1]:0";
    struct http_server *other = http_open(&options, &err);

    if (other)
        assert_true(http_port(other) > 0);
    http_close(other, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_a_request),
        cmocka_unit_test(keeps_connections_and_pipelines),
        cmocka_unit_test(keeps_a_sane_request_id),
        cmocka_unit_test(head_is_get_without_a_body),
        cmocka_unit_test(refuses_unclear_lengths),
        cmocka_unit_test(refuses_bad_targets),
        cmocka_unit_test(refuses_long_targets),
        cmocka_unit_test(refuses_unknown_expectations),
        cmocka_unit_test(refuses_large_bodies_before_100_continue),
        cmocka_unit_test(large_bodies_see_their_refusal),
        cmocka_unit_test(cuts_off_large_chunked_bodies),
        cmocka_unit_test(cuts_off_slow_clients),
        cmocka_unit_test(errors_are_json_once),
        cmocka_unit_test(closes_idle_connections),
        cmocka_unit_test(gzips_large_replies),
        cmocka_unit_test(a_reply_over_its_limit_is_an_error),
        cmocka_unit_test(says_why_it_cannot_listen),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
