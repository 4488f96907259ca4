#include "http_client.h"

#include "base/limits.h"
#include "http/websocket.h"

#define TEXT   1
#define BINARY 2
#define CLOSE  8
#define PING   9
#define PONG   10
#define FIN    0x80

#define BEAT_MS 1000 /* a client that is held up for two of them is taken for a silent one */

static struct http_server *server;
static int port;
static atomic_int opened, closed, stopped, flooded;
static struct websocket *_Atomic last;

/* Sockets that wake themselves whenever they are served, and the order in which they were. */
#define BUSY  8
#define TURNS (BUSY * 20)
static struct websocket *_Atomic sockets[BUSY];
static int turns[TURNS];
static atomic_int busy, noted, turn;

static void on_open(struct websocket *ws, void *data)
{
    int index = atomic_load(&opened); /* exact where it is asked for: there is one thread there */

    (void)data;
    last = ws;
    if (index < BUSY)
        sockets[index] = ws;
    atomic_fetch_add(&opened, 1);
}

/* Echoes; "end" closes, "flood" sends until the backlog is full, and goes on when there is room. */
static void flood(struct websocket *ws)
{
    static char text[32 * KB];

    memset(text, 'f', sizeof text);
    while (websocket_send(ws, text, sizeof text))
        atomic_fetch_add(&flooded, 1);
}

static void on_text(struct websocket *ws, void *data, const char *text, size_t len)
{
    (void)data;
    if (len == 3 && memcmp(text, "end", 3) == 0)
        websocket_end(ws, 1000, "As you wish.");
    else if (len == 5 && memcmp(text, "flood", 5) == 0)
        flood(ws);
    else
        assert_true(websocket_send(ws, text, len));
}

static void take_a_turn(struct websocket *ws)
{
    int at = atomic_load(&turn), who = 0;

    if (at == TURNS)
        return;
    while (sockets[who] != ws)
        who++;
    turns[at] = who;
    if (atomic_load(&noted))
        atomic_store(&turn, at + 1);
    websocket_wake(ws);
}

static void on_ready(struct websocket *ws, void *data)
{
    (void)data;
    if (atomic_load(&busy))
        take_a_turn(ws);
    else if (atomic_load(&flooded))
        flood(ws);
    else
        websocket_send(ws, "woken", 5);
}

static void on_stop(struct websocket *ws, void *data)
{
    (void)data;
    atomic_fetch_add(&stopped, 1);
    websocket_send(ws, "goodbye", 7);
    websocket_end(ws, 1001, "The server stops.");
}

static void on_closed(void *data)
{
    assert_ptr_equal(data, &port);
    atomic_fetch_add(&closed, 1);
}

static void handle(struct http_exchange *exchange, void *user)
{
    static const struct websocket_calls calls = {
        .opened = on_open, .text = on_text, .ready = on_ready, .stop = on_stop, .closed = on_closed
    };

    (void)user;
    websocket_accept(exchange, &calls, &port);
}

static int start_with(int threads, int heartbeat_ms)
{
    struct err err = { 0 };
    struct http_options options = {
        .listen = "127.0.0.1:0", .threads = threads, .handle = handle, .heartbeat_ms = heartbeat_ms
    };

    opened = closed = stopped = flooded = busy = noted = turn = 0;
    server = http_open(&options, &err);
    port = server ? http_port(server) : 0;
    return server ? 0 : -1;
}

static int start(void **state)
{
    (void)state;
    return start_with(2, 0);
}

static int start_fast(void **state)
{
    (void)state;
    return start_with(2, BEAT_MS);
}

static int start_alone(void **state)
{
    (void)state;
    return start_with(1, 0);
}

static int stop(void **state)
{
    (void)state;
    http_close(server, 3000);
    server = NULL;
    assert_int_equal(atomic_load(&closed), atomic_load(&opened));
    return 0;
}

#define HANDSHAKE \
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n" \
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

static void read_exact(int fd, void *into, size_t len)
{
    for (size_t have = 0; have < len;) {
        ssize_t got = client_read(fd, (char *)into + have, len - have, PATIENCE_MS);

        assert_true(got > 0);
        have += (size_t)got;
    }
}

static void read_handshake(int fd)
{
    char head[1024] = { 0 };
    size_t len = 0;

    while (!strstr(head, "\r\n\r\n")) {
        assert_true(len < sizeof head - 1);
        read_exact(fd, head + len++, 1);
    }
    assert_int_equal(reply_status(head), 101);
    /* The example of RFC 6455, section 1.3. */
    assert_non_null(strstr(head, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
}

static int ws_open(void)
{
    int fd = client_open(port);

    client_text(fd, HANDSHAKE);
    read_handshake(fd);
    return fd;
}

static size_t make_frame(uint8_t *frame, int first, const void *bytes, size_t len, bool masked)
{
    static const uint8_t mask[4] = { 0x12, 0x34, 0x56, 0x78 };
    size_t at = 0;

    frame[at++] = (uint8_t)first;
    if (len < 126) {
        frame[at++] = (uint8_t)(len | (masked ? 0x80 : 0));
    } else if (len < 65536) {
        frame[at++] = (uint8_t)(126 | (masked ? 0x80 : 0));
        frame[at++] = (uint8_t)(len >> 8);
        frame[at++] = (uint8_t)len;
    } else {
        frame[at++] = (uint8_t)(127 | (masked ? 0x80 : 0));
        for (int shift = 56; shift >= 0; shift -= 8)
            frame[at++] = (uint8_t)((uint64_t)len >> shift);
    }
    if (masked) {
        memcpy(frame + at, mask, 4);
        at += 4;
    }
    for (size_t i = 0; i < len; i++)
        frame[at++] = (uint8_t)(((const uint8_t *)bytes)[i] ^ (masked ? mask[i % 4] : 0));
    return at;
}

static void ws_send(int fd, int first, const void *bytes, size_t len)
{
    uint8_t *frame = malloc(len + 14);

    client_send(fd, frame, make_frame(frame, first, bytes, len, true));
    free(frame);
}

/* Reads one unmasked frame; returns its first byte. */
static int ws_read(int fd, char *into, size_t room, size_t *len)
{
    uint8_t head[2], more[8];
    uint64_t size;

    read_exact(fd, head, 2);
    size = head[1];
    if (size == 126) {
        read_exact(fd, more, 2);
        size = (uint64_t)(more[0] << 8 | more[1]);
    } else if (size == 127) {
        read_exact(fd, more, 8);
        size = 0;
        for (int i = 0; i < 8; i++)
            size = size << 8 | more[i];
    }
    assert_true(size < room);
    read_exact(fd, into, (size_t)size);
    into[size] = '\0';
    *len = (size_t)size;
    return head[0];
}

static void expect_text(int fd, const char *text)
{
    char got[1024];
    size_t len;

    assert_int_equal(ws_read(fd, got, sizeof got, &len), FIN | TEXT);
    assert_string_equal(got, text);
}

static void expect_close(int fd, int code)
{
    char got[256], byte;
    size_t len;

    assert_int_equal(ws_read(fd, got, sizeof got, &len), FIN | CLOSE);
    assert_true(len >= 2);
    assert_int_equal((uint8_t)got[0] << 8 | (uint8_t)got[1], code);
    ws_send(fd, FIN | CLOSE, got, 2);
    assert_true(client_read(fd, &byte, 1, 5000) <= 0);
    close(fd);
}

static void echoes(void **state)
{
    int fd = ws_open();
    static char large[WS_MESSAGE_MAX], got[WS_MESSAGE_MAX + 1];
    size_t len;

    (void)state;
    ws_send(fd, FIN | TEXT, "hello", 5);
    expect_text(fd, "hello");
    ws_send(fd, FIN | TEXT, "", 0);
    expect_text(fd, "");
    memset(large, 'x', sizeof large);
    ws_send(fd, FIN | TEXT, large, sizeof large);
    assert_int_equal(ws_read(fd, got, sizeof got, &len), FIN | TEXT);
    assert_int_equal(len, sizeof large);
    assert_memory_equal(got, large, len);
    ws_send(fd, FIN | TEXT, "end", 3);
    expect_close(fd, 1000);
}

static void joins_fragments(void **state)
{
    int fd = ws_open();
    char got[64];
    size_t len;

    (void)state;
    ws_send(fd, TEXT, "one ", 4);
    ws_send(fd, 0, "two ", 4);
    ws_send(fd, FIN | PING, "p", 1);
    ws_send(fd, FIN | 0, "three", 5);
    assert_int_equal(ws_read(fd, got, sizeof got, &len), FIN | PONG);
    assert_string_equal(got, "p");
    expect_text(fd, "one two three");
    ws_send(fd, FIN | CLOSE, "\x03\xe8", 2);
    assert_int_equal(ws_read(fd, got, sizeof got, &len), FIN | CLOSE);
    assert_int_equal(client_read(fd, got, 1, 5000), 0);
    close(fd);
}

/* What comes in the same packet as the handshake is not lost. */
static void reads_what_came_with_the_handshake(void **state)
{
    uint8_t bytes[512];
    size_t len = strlen(HANDSHAKE);
    int fd = client_open(port);

    (void)state;
    memcpy(bytes, HANDSHAKE, len);
    len += make_frame(bytes + len, FIN | TEXT, "early", 5, true);
    assert_true(client_send(fd, bytes, len));
    read_handshake(fd);
    expect_text(fd, "early");
    close(fd);
    assert_true(test_wait_for(&closed, 1));
}

static void refuses_what_the_protocol_forbids(void **state)
{
    static char large[WS_MESSAGE_MAX + 1];
    uint8_t frame[64];
    int fd = ws_open();

    (void)state;
    client_send(fd, frame, make_frame(frame, FIN | TEXT, "bare", 4, false));
    expect_close(fd, 1002);
    fd = ws_open();
    ws_send(fd, FIN | TEXT, "\xff\xfe", 2);
    expect_close(fd, 1007);
    fd = ws_open();
    ws_send(fd, FIN | BINARY, "bytes", 5);
    expect_close(fd, 1003);
    fd = ws_open();
    ws_send(fd, FIN | 3, "what", 4);
    expect_close(fd, 1002);
    fd = ws_open();
    ws_send(fd, FIN | 0x40 | TEXT, "bits", 4);
    expect_close(fd, 1002);
    fd = ws_open();
    ws_send(fd, FIN | TEXT, large, sizeof large);
    expect_close(fd, 1009);
    fd = ws_open();
    ws_send(fd, TEXT, large, WS_MESSAGE_MAX / 2);
    ws_send(fd, 0, large, WS_MESSAGE_MAX / 2);
    ws_send(fd, FIN, large, 1);
    expect_close(fd, 1009);
    assert_true(test_wait_for(&closed, 7));
}

static void check_handshake(const char *headers, int status)
{
    char request[512];

    snprintf(request, sizeof request, "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: close%s\r\n\r\n", headers);

    char *text = client_once(port, request);

    assert_int_equal(reply_status(text), status);
    if (status == 426)
        assert_non_null(strstr(text, "Sec-WebSocket-Version: 13\r\n"));
    free(text);
}

static void refuses_bad_handshakes(void **state)
{
    (void)state;
    check_handshake("\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", 400);
    check_handshake(", Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13", 400);
    check_handshake(
        ", Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short", 400);
    check_handshake(", Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                    426);
    check_handshake(", Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", 426);
    assert_int_equal(atomic_load(&opened), 0);
}

static void wakes_from_any_thread(void **state)
{
    int fd = ws_open();

    (void)state;
    assert_true(test_wait_for(&opened, 1));
    websocket_wake(last);
    expect_text(fd, "woken");
    client_reset(fd);
    assert_true(test_wait_for(&closed, 1));
}

/* Whoever is always busy is served in turn: nobody is passed over, and each waits one round at most. */
static void busy_sockets_take_turns(void **state)
{
    int fds[BUSY], served[BUSY] = { 0 };

    (void)state;
    for (int i = 0; i < BUSY; i++) {
        fds[i] = ws_open();
        assert_true(test_wait_for(&opened, i + 1));
    }
    atomic_store(&busy, 1);
    for (int i = 0; i < BUSY; i++)
        websocket_wake(sockets[i]);
    /* From here on all of them are awake. */
    atomic_store(&noted, 1);
    assert_true(test_wait_for(&turn, TURNS));
    for (int i = 0; i < TURNS; i++)
        served[turns[i]]++;
    for (int i = 0; i < BUSY; i++) {
        assert_int_equal(served[i], TURNS / BUSY);
        client_reset(fds[i]);
    }
    assert_true(test_wait_for(&closed, BUSY));
}

static void pings_and_drops_the_silent(void **state)
{
    int fd = ws_open();
    char got[64];
    size_t len;

    (void)state;
    int64_t answered = 0;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(ws_read(fd, got, sizeof got, &len), FIN | PING);
        answered = test_ms();
        ws_send(fd, FIN | PONG, "", 0);
    }
    assert_int_equal(atomic_load(&closed), 0);
    assert_true(test_wait_for(&closed, 1));
    assert_true(test_ms() - answered >= 2 * BEAT_MS);
    close(fd);
}

static void closes_slow_readers(void **state)
{
    int fd = client_open(port);
    int room = 4096;

    (void)state;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    client_text(fd, HANDSHAKE);
    read_handshake(fd);
    ws_send(fd, FIN | TEXT, "flood", 5);
    /* The peer answers pings but never reads. */
    for (int i = 0; i < PATIENCE_MS / 50 && !atomic_load(&closed); i++) {
        ws_send(fd, FIN | PONG, "", 0);
        test_sleep_ms(50);
    }
    assert_int_equal(atomic_load(&closed), 1);
    assert_true(atomic_load(&flooded) >= WS_BACKLOG_BYTES / (32 * KB));
    close(fd);
}

/* A slow reader that catches up in time gets everything and goes on. */
static void readers_that_catch_up_stay(void **state)
{
    static char got[64 * KB];
    int fd = ws_open();
    size_t len, total = 0;

    (void)state;
    ws_send(fd, FIN | TEXT, "flood", 5);
    while (total < 8 * MB) {
        if (ws_read(fd, got, sizeof got, &len) == (FIN | TEXT))
            total += len;
        else
            ws_send(fd, FIN | PONG, "", 0);
    }
    assert_int_equal(atomic_load(&closed), 0);
    client_reset(fd);
    assert_true(test_wait_for(&closed, 1));
}

static void stop_says_goodbye(void **state)
{
    int fds[20];
    char got[64];
    size_t len;

    (void)state;
    for (int i = 0; i < 20; i++)
        fds[i] = ws_open();
    assert_true(test_wait_for(&opened, 20));

    int64_t began = test_ms();

    /* Nobody answers the close frames, and still it ends in time. */
    http_close(server, 2 * PATIENCE_MS);
    server = NULL;
    assert_true(test_ms() - began < PATIENCE_MS);
    assert_int_equal(atomic_load(&stopped), 20);
    assert_int_equal(atomic_load(&closed), 20);
    for (int i = 0; i < 20; i++) {
        expect_text(fds[i], "goodbye");
        assert_int_equal(ws_read(fds[i], got, sizeof got, &len), FIN | CLOSE);
        assert_int_equal((uint8_t)got[0] << 8 | (uint8_t)got[1], 1001);
        close(fds[i]);
    }
}

static void *come_and_go(void *arg)
{
    (void)arg;
    for (int i = 0; i < 100; i++) {
        int fd = client_open(port);

        client_text(fd, HANDSHAKE);
        if (i % 4) {
            read_handshake(fd);
            ws_send(fd, FIN | TEXT, "hi", 2);
            expect_text(fd, "hi");
        }
        if (i % 2)
            client_reset(fd);
        else
            close(fd);
    }
    return NULL;
}

static void many_come_and_go(void **state)
{
    pthread_t clients[4];
    struct http_stats stats;

    (void)state;
    for (int i = 0; i < 4; i++)
        pthread_create(&clients[i], NULL, come_and_go, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(clients[i], NULL);

    int64_t until = test_ms() + PATIENCE_MS;

    do {
        test_sleep_ms(5);
        http_stats(server, &stats);
    } while ((stats.websockets > 0 || stats.connections > 0) && test_ms() < until);
    assert_int_equal(stats.websockets, 0);
    assert_int_equal(stats.connections, 0);
    /* Some broke before they were upgraded; those were closed without having been opened. */
    assert_true(atomic_load(&closed) >= atomic_load(&opened));
    atomic_store(&closed, atomic_load(&opened));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(echoes, start, stop),
        cmocka_unit_test_setup_teardown(joins_fragments, start, stop),
        cmocka_unit_test_setup_teardown(reads_what_came_with_the_handshake, start, stop),
        cmocka_unit_test_setup_teardown(refuses_what_the_protocol_forbids, start, stop),
        cmocka_unit_test_setup_teardown(refuses_bad_handshakes, start, stop),
        cmocka_unit_test_setup_teardown(wakes_from_any_thread, start, stop),
        cmocka_unit_test_setup_teardown(busy_sockets_take_turns, start_alone, stop),
        cmocka_unit_test_setup_teardown(pings_and_drops_the_silent, start_fast, stop),
        cmocka_unit_test_setup_teardown(closes_slow_readers, start_fast, stop),
        cmocka_unit_test_setup_teardown(readers_that_catch_up_stay, start_fast, stop),
        cmocka_unit_test_setup_teardown(stop_says_goodbye, start, stop),
        cmocka_unit_test_setup_teardown(many_come_and_go, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
