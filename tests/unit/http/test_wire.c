/*
 * The wire as a client meets it: bad messages in every position, bursts, readers that stop, connections that
 * end, and a stop in the middle of everything.
 */
#include "http_client.h"

#include "base/limits.h"
#include "heads.h"
#include "http/websocket.h"

#include <dirent.h>
#include <semaphore.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#define SEND_MS 400
#define SLOW_MS 3000      /* a reader may be held up for so long and is still slow, not stuck */
#define LARGE   (16 * MB) /* more than the buffers of both sides hide */

static struct http_server *server;
static int port;
static atomic_int handled, parked, streams, gone, stopped, sockets;
static sem_t gate;

static ptrdiff_t pull_for_ever(void *data, char *into, size_t room)
{
    (void)data;
    memset(into, 'x', room);
    return (ptrdiff_t)room;
}

/* A quiet stream says nothing until the server stops. */
static ptrdiff_t pull_last_word(void *data, char *into, size_t room)
{
    (void)data;
    (void)room;
    if (atomic_load(&stopped) == 0)
        return 0;
    if (atomic_exchange(&streams, 0) == 0)
        return -1;
    memcpy(into, "bye", 3);
    return 3;
}

static void stream_gone(void *data)
{
    (void)data;
    atomic_fetch_add(&gone, 1);
}

static void stream_stops(void *data)
{
    atomic_fetch_add(&stopped, 1);
    http_stream_wake(data);
}

static void reply_text(struct http_exchange *exchange, int status, const char *text)
{
    struct buf body;

    buf_init(&body, 0);
    buf_text(&body, text);
    http_reply(exchange, status, "text/plain", NULL, &body);
}

static void parked_gone(void *data)
{
    reply_text(data, 200, "nobody");
}

static void parked_stops(void *data)
{
    reply_text(data, 503, "stopping");
}

static void reply_large(struct http_exchange *exchange)
{
    struct buf body;

    buf_init(&body, 0);
    for (size_t i = 0; i < LARGE / 16; i++)
        buf_text(&body, "0123456789abcdef");
    http_reply(exchange, 200, "application/octet-stream", NULL, &body);
}

static void open_stream(struct http_exchange *exchange, ptrdiff_t (*pull)(void *, char *, size_t))
{
    struct http_stream_calls calls = { pull, stream_gone, stream_stops };

    http_stream(exchange, "text/plain", NULL, &calls, exchange);
    atomic_fetch_add(&streams, 1);
}

static void socket_closed(void *data)
{
    (void)data;
    atomic_fetch_sub(&sockets, 1);
}

static void handle(struct http_exchange *exchange, void *user)
{
    static const struct websocket_calls calls = { .closed = socket_closed };
    const char *path = http_path(exchange);

    (void)user;
    if (strcmp(path, "/gate") == 0) {
        atomic_fetch_add(&parked, 1);
        sem_wait(&gate);
    } else if (strcmp(path, "/large") == 0) {
        reply_large(exchange);
        return;
    } else if (strcmp(path, "/flood") == 0) {
        open_stream(exchange, pull_for_ever);
        return;
    } else if (strcmp(path, "/quiet") == 0) {
        open_stream(exchange, pull_last_word);
        return;
    } else if (strcmp(path, "/ws") == 0) {
        if (websocket_accept(exchange, &calls, NULL))
            atomic_fetch_add(&sockets, 1);
        return;
    } else if (strcmp(path, "/wait") == 0) {
        http_set_data(exchange, exchange);
        http_park(exchange);
        http_slim(exchange);
        http_watch(exchange, parked_gone, parked_stops);
        atomic_fetch_add(&parked, 1);
        return;
    }
    atomic_fetch_add(&handled, 1);
    reply_text(exchange, 200, path);
}

/* One thread, so that everything is ready on the same one. */
static int start_with(int send_ms, int linger_ms)
{
    struct err err = { 0 };
    struct http_options options = { .listen = "127.0.0.1:0",
                                    .threads = 1,
                                    .handle = handle,
                                    .connections = 40000,
                                    .send_ms = send_ms,
                                    .linger_ms = linger_ms };

    handled = parked = streams = gone = stopped = sockets = 0;
    sem_init(&gate, 0, 0);
    server = http_open(&options, &err);
    port = server ? http_port(server) : 0;
    return server ? 0 : -1;
}

static int start(void **state)
{
    (void)state;
    return start_with(0, PATIENCE_MS);
}

static int start_hasty(void **state)
{
    (void)state;
    return start_with(SEND_MS, 0);
}

static int start_slow(void **state)
{
    (void)state;
    return start_with(SLOW_MS, 0);
}

static int stop(void **state)
{
    (void)state;
    http_close(server, 3000);
    server = NULL;
    return 0;
}

static int ask(const char *path)
{
    char request[128];
    int fd = client_open(port);

    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
    client_text(fd, request);
    return fd;
}

static void until_connections(unsigned count)
{
    struct http_stats stats;
    int64_t until = test_ms() + PATIENCE_MS;

    for (http_stats(server, &stats); stats.connections != count; http_stats(server, &stats)) {
        assert_true(test_ms() < until);
        test_sleep_ms(2);
    }
}

/* One refusal: JSON, once, closing, and nothing behind it is served. */
static void check_refusal(const struct bad_message *bad, const char *text)
{
    const char *body = reply_body(text);

    if (reply_status(text) != bad->status)
        fprintf(stderr, "%s, %s: %s\n", bad->section, bad->what, text);
    assert_int_equal(reply_status(text), bad->status);
    assert_null(strstr(text + 1, "HTTP/1."));
    assert_non_null(strstr(text, "Connection: close\r\n"));
    assert_non_null(strstr(text, "Content-Type: application/json\r\n"));
    assert_non_null(strstr(text, "X-Request-Id: "));
    assert_int_equal(strncmp(body, "{\"error\":\"", 10), 0);
    assert_int_equal(body[strlen(body) - 1], '}');
}

static void bad_messages_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < BAD_MESSAGES; i++) {
        int fd = client_open(port);

        assert_true(client_send(fd, bad_messages[i].bytes, bad_messages[i].len));
        char *text = client_read_all(fd, NULL);

        check_refusal(&bad_messages[i], text);
        free(text);
        close(fd);
    }
    assert_int_equal(atomic_load(&handled), 0);
}

static void bad_messages_behind_a_good_one(void **state)
{
    static const char first[] = "POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
    char bytes[1024];

    (void)state;
    for (size_t i = 0; i < BAD_MESSAGES; i++) {
        int fd = client_open(port);

        memcpy(bytes, first, sizeof first - 1);
        memcpy(bytes + sizeof first - 1, bad_messages[i].bytes, bad_messages[i].len);
        assert_true(client_send(fd, bytes, sizeof first - 1 + bad_messages[i].len));
        char *text = client_read_all(fd, NULL);
        char *second = strstr(text + 1, "HTTP/1.1 ");

        assert_int_equal(reply_status(text), 200);
        assert_non_null(second);
        check_refusal(&bad_messages[i], second);
        free(text);
        close(fd);
    }
    assert_int_equal(atomic_load(&handled), BAD_MESSAGES);
}

/* Byte by byte, all of them beside each other: each round gives each connection its next byte. */
static void bad_messages_byte_by_byte(void **state)
{
    int fds[BAD_MESSAGES];
    size_t longest = 0;

    (void)state;
    for (size_t i = 0; i < BAD_MESSAGES; i++) {
        fds[i] = client_open(port);
        if (bad_messages[i].len > longest)
            longest = bad_messages[i].len;
    }
    for (size_t at = 0; at < longest; at++) {
        for (size_t i = 0; i < BAD_MESSAGES; i++) {
            if (at < bad_messages[i].len)
                client_send(fds[i], bad_messages[i].bytes + at, 1);
        }
        test_sleep_ms(1);
    }
    for (size_t i = 0; i < BAD_MESSAGES; i++) {
        char *text = client_read_all(fds[i], NULL);

        check_refusal(&bad_messages[i], text);
        free(text);
        close(fds[i]);
    }
    assert_int_equal(atomic_load(&handled), 0);
}

/*
 * While the handler stands at the gate, so many requests become ready. All of them are answered, whatever
 * their number is.
 */
static void burst(int count)
{
    static int fds[256];
    int holder = client_open(port);

    for (int i = 0; i < count; i++)
        fds[i] = client_open(port);
    for (int round = 0; round < 50; round++) {
        atomic_store(&parked, 0);
        client_text(holder, "GET /gate HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_true(test_wait_for(&parked, 1));
        for (int i = 0; i < count; i++)
            client_text(fds[i], "GET /burst HTTP/1.1\r\nHost: x\r\n\r\n");
        sem_post(&gate);
        for (int i = 0; i < count; i++) {
            char *text = client_read_reply(fds[i]);

            assert_int_equal(reply_status(text), 200);
            free(text);
        }
        free(client_read_reply(holder));
    }
    for (int i = 0; i < count; i++)
        close(fds[i]);
    close(holder);
}

static void bursts_do_not_stall(void **state)
{
    (void)state;
    burst(64);
    burst(128);
    burst(256);
}

static int open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* The descriptors of streams that have ended are given back at once, also behind older idle connections. */
static void ended_streams_let_go(void **state)
{
    enum { IDLE = 20, COUNT = 1000 };
    static int fds[COUNT];
    int idle[IDLE], before;

    (void)state;
    for (int i = 0; i < IDLE; i++) {
        idle[i] = ask("/idle");
        free(client_read_reply(idle[i]));
    }
    before = open_files();
    for (int i = 0; i < COUNT; i++)
        fds[i] = ask("/quiet");
    assert_true(test_wait_for(&streams, COUNT));
    assert_int_equal(open_files(), before + 2 * COUNT);

    int64_t began = test_ms();

    for (int i = 0; i < COUNT; i++)
        close(fds[i]);
    while (open_files() > before) {
        assert_true(test_ms() - began < PATIENCE_MS);
        test_sleep_ms(2);
    }
    printf("1,000 streams let go after %d ms\n", (int)(test_ms() - began));
    assert_true(test_wait_for(&gone, COUNT)); /* a moment after its descriptor */
    for (int i = 0; i < IDLE; i++)
        close(idle[i]);
}

static void readers_that_take_nothing_are_cut(void **state)
{
    int fds[8];
    int64_t began = test_ms();

    (void)state;
    for (int i = 0; i < 8; i++)
        fds[i] = ask(i % 2 ? "/flood" : "/large");
    assert_true(test_wait_for(&streams, 4));
    until_connections(0);
    assert_true(test_ms() - began >= SEND_MS);
    assert_int_equal(atomic_load(&gone), 4);
    for (int i = 0; i < 8; i++)
        close(fds[i]);
}

/* Slow is not stuck: what is taken in small pieces goes on, far beyond the time for one of them. */
static void slow_readers_stay(void **state)
{
    static char bytes[256 * KB];
    int fd = client_open(port), room = 64 * KB;
    int64_t until = test_ms() + SLOW_MS * 3 / 2;
    size_t total = 0;
    ssize_t got;

    (void)state;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    client_text(fd, "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    while (test_ms() < until) {
        got = client_read(fd, bytes, 16 * KB, PATIENCE_MS);
        assert_true(got > 0);
        total += (size_t)got;
        test_sleep_ms(SLOW_MS / 20);
    }
    while ((got = client_read(fd, bytes, sizeof bytes, PATIENCE_MS)) > 0)
        total += (size_t)got;
    assert_int_equal(got, 0);
    assert_true(total > LARGE);
    close(fd);
}

/* More pipelined requests than one block holds, answered in order. */
static void many_requests_at_once(void **state)
{
    enum { COUNT = 500 };
    static char request[COUNT * 64];
    size_t len = 0;
    int fd = client_open(port);

    (void)state;
    for (int i = 0; i < COUNT; i++)
        len += (size_t)sprintf(request + len, "GET /%d HTTP/1.1\r\nHost: x\r\n%s\r\n", i,
                               i == COUNT - 1 ? "Connection: close\r\n" : "");
    client_text(fd, request);
    char *text = malloc(COUNT * KB), *at = text;
    ssize_t got;

    while ((got = client_read(fd, at, (size_t)(text + COUNT * KB - at) - 1, PATIENCE_MS)) > 0)
        at += got;
    *at = '\0';
    at = text;
    for (int i = 0; i < COUNT; i++) {
        char body[24];

        snprintf(body, sizeof body, "\r\n\r\n/%d", i);
        at = strstr(at, body);
        assert_non_null(at);
    }
    free(text);
    close(fd);
}

/* A request that came with its end is still answered, whether or not its client went on to send. */
static void half_closed_clients_get_their_reply(void **state)
{
    int fd = ask("/half");

    (void)state;
    shutdown(fd, SHUT_WR);
    char *text = client_read_all(fd, NULL);

    assert_int_equal(reply_status(text), 200);
    free(text);
    close(fd);
}

static void http_1_0_is_answered(void **state)
{
    char *text = client_once(port, "GET /old HTTP/1.0\r\n\r\n");

    (void)state;
    assert_int_equal(reply_status(text), 200);
    assert_non_null(strstr(text, "Connection: close\r\n"));
    free(text);
    int fd = client_open(port);

    client_text(fd, "GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    text = client_read_reply(fd);
    assert_non_null(strstr(text, "Connection: keep-alive\r\n"));
    free(text);
    /* A stream has no chunks there, and ends with the connection. */
    atomic_store(&stopped, 1);
    client_text(fd, "GET /quiet HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    text = client_read_all(fd, NULL);
    assert_null(strstr(text, "Transfer-Encoding"));
    assert_string_equal(reply_body(text), "bye");
    free(text);
    close(fd);
}

static void too_many_connections_are_told(void **state)
{
    struct err err = { 0 };
    struct http_options options = {
        .listen = "127.0.0.1:0", .threads = 1, .handle = handle, .connections = 2
    };
    struct http_server *small = http_open(&options, &err);
    int fds[3];

    (void)state;
    assert_non_null(small);
    for (int i = 0; i < 3; i++)
        fds[i] = client_open(http_port(small));
    char *text = client_read_all(fds[2], NULL);

    assert_int_equal(reply_status(text), 503);
    assert_int_equal(strncmp(reply_body(text), "{\"error\":\"", 10), 0);
    free(text);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    http_close(small, 1000);
}

static void check_end(int fd, int status, const char *body)
{
    char *text = client_read_all(fd, NULL);

    assert_int_equal(reply_status(text), status);
    if (body)
        assert_non_null(strstr(reply_body(text), body));
    assert_null(strstr(text + 1, "HTTP/1."));
    free(text);
    close(fd);
}

/* Everything at once, and the server stops: each gets its last word, and nothing keeps the server. */
static void a_stop_in_the_middle_of_everything(void **state)
{
    int idle = ask("/idle"), wait = ask("/wait"), quiet = ask("/quiet"), unread = ask("/large");
    int upload = client_open(port), chunks = client_open(port), head = client_open(port);
    int ws = client_open(port);
    char frame[2];

    (void)state;
    free(client_read_reply(idle));
    client_text(upload, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhello");
    client_text(chunks, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel");
    client_text(head, "GET / HTTP/1.1\r\nHos");
    client_text(ws, "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    assert_true(test_wait_for(&sockets, 1));
    assert_true(test_wait_for(&parked, 1));
    assert_true(test_wait_for(&streams, 1));
    /* What was sent last has been read by the time that a request sent after it is answered. */
    free(client_once(port, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
    int64_t began = test_ms();

    http_close(server, PATIENCE_MS);
    server = NULL;
    assert_true(test_ms() - began < PATIENCE_MS);
    assert_int_equal(atomic_load(&gone), 1);
    assert_int_equal(atomic_load(&sockets), 0);
    assert_int_equal(client_read(idle, frame, 1, PATIENCE_MS), 0);
    close(idle);
    check_end(wait, 503, "stopping");
    check_end(quiet, 200, "3\r\nbye\r\n0\r\n\r\n");
    check_end(upload, 503, "{\"error\":\"The server is stopping.\"");
    check_end(chunks, 503, "{\"error\":\"The server is stopping.\"");
    check_end(head, 503, "{\"error\":\"The server is stopping.\"");
    close(unread);
    close(ws);
}

/* As many as a large installation has, if this process may hold both ends of them, else as many as it may. */
static void many_connections(void **state)
{
    enum { MOST = 20000 };
    struct rlimit limit;
    static int fds[MOST];
    int count = MOST;

    (void)state;
    if (!getenv("WITAN_FULL")) {
        skip();
        return;
    }
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < 2 * MOST + 100)
        count = (int)(limit.rlim_cur - 100) / 4 * 2;
    for (int i = 0; i < count; i++)
        fds[i] = ask(i % 2 ? "/quiet" : "/wait");
    assert_true(test_wait_for(&streams, count / 2));
    assert_true(test_wait_for(&parked, count / 2));
    int fd = ask("/beside");

    free(client_read_reply(fd));
    close(fd);
    for (int i = 0; i < count; i++)
        client_reset(fds[i]);
    until_connections(0);
    assert_int_equal(atomic_load(&gone), count / 2);
    printf("%d connections held and let go\n", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bad_messages_alone, start, stop),
        cmocka_unit_test_setup_teardown(bad_messages_behind_a_good_one, start, stop),
        cmocka_unit_test_setup_teardown(bad_messages_byte_by_byte, start, stop),
        cmocka_unit_test_setup_teardown(bursts_do_not_stall, start, stop),
        cmocka_unit_test_setup_teardown(ended_streams_let_go, start, stop),
        cmocka_unit_test_setup_teardown(readers_that_take_nothing_are_cut, start_hasty, stop),
        cmocka_unit_test_setup_teardown(slow_readers_stay, start_slow, stop),
        cmocka_unit_test_setup_teardown(many_requests_at_once, start, stop),
        cmocka_unit_test_setup_teardown(half_closed_clients_get_their_reply, start, stop),
        cmocka_unit_test_setup_teardown(http_1_0_is_answered, start, stop),
        cmocka_unit_test_setup_teardown(too_many_connections_are_told, start, stop),
        cmocka_unit_test_setup_teardown(a_stop_in_the_middle_of_everything, start_hasty, stop),
        cmocka_unit_test_setup_teardown(many_connections, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
