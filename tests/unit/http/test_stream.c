#include "http_client.h"

/*
 * Streams: bytes arrive in order however they are woken, vanished readers end, and a stop says goodbye.
 */

#define WAKERS 3

/* A stream that counts: each wake adds numbers, pull writes them as "N\n". */
struct feed {
    struct http_exchange *exchange;
    struct feed *next;
    long made, sent;
    bool stopping;
};

static struct http_server *server;
static int port;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct feed *feeds;
static atomic_int opened, gone_count, stop_count, quit;

/* Takes the table's lock, as the wakers do: waking under a lock that pull takes must not deadlock. */
static ptrdiff_t pull(void *data, char *into, size_t room)
{
    struct feed *feed = data;
    size_t len = 0;

    pthread_mutex_lock(&lock);
    while (feed->sent < feed->made && room - len > 24)
        len += (size_t)snprintf(into + len, room - len, "%ld\n", feed->sent++);
    if (len == 0 && feed->stopping && feed->sent == feed->made) {
        feed->made = -1;
        len = (size_t)snprintf(into, room, "bye\n");
    }
    bool ended = len == 0 && feed->made == -1;

    pthread_mutex_unlock(&lock);
    return ended ? -1 : (ptrdiff_t)len;
}

static void gone(void *data)
{
    struct feed *feed = data;
    struct feed **at = &feeds;

    pthread_mutex_lock(&lock);
    while (*at != feed)
        at = &(*at)->next;
    *at = feed->next;
    pthread_mutex_unlock(&lock);
    free(feed);
    atomic_fetch_add(&gone_count, 1);
}

static void stop_feed(void *data)
{
    struct feed *feed = data;

    pthread_mutex_lock(&lock);
    feed->stopping = true;
    http_stream_wake(feed->exchange);
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&stop_count, 1);
}

static void handle(struct http_exchange *exchange, void *user)
{
    static const struct http_stream_calls calls = { pull, gone, stop_feed };
    struct feed *feed = calloc(1, sizeof *feed);

    (void)user;
    feed->exchange = exchange;
    pthread_mutex_lock(&lock);
    feed->next = feeds;
    feeds = feed;
    pthread_mutex_unlock(&lock);
    http_stream(exchange, "text/event-stream", NULL, &calls, feed);
    atomic_fetch_add(&opened, 1);
}

static int start(void **state)
{
    struct err err = { 0 };
    struct http_options options = { .listen = "127.0.0.1:0", .threads = 2, .handle = handle };

    (void)state;
    opened = gone_count = stop_count = quit = 0;
    server = http_open(&options, &err);
    port = server ? http_port(server) : 0;
    return server ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    http_close(server, 2000);
    server = NULL;
    return 0;
}

static int open_stream(void)
{
    int fd = client_open(port);

    client_text(fd, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
    return fd;
}

static void add_to_all(long count)
{
    pthread_mutex_lock(&lock);
    for (struct feed *feed = feeds; feed; feed = feed->next) {
        feed->made += count;
        http_stream_wake(feed->exchange);
    }
    pthread_mutex_unlock(&lock);
}

static void *wake_often(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2000; i++) {
        add_to_all(1);
        if (i % 16 == 0)
            test_sleep_ms(1);
    }
    return NULL;
}

/* Reads a chunked reply and checks that it counts up from 0 without a gap. */
struct reader {
    int fd;
    long want;
    pthread_t thread;
    bool good;
};

static void *read_numbers(void *arg)
{
    struct reader *reader = arg;
    FILE *in = fdopen(reader->fd, "r");
    char line[256];
    long next = 0;

    while (fgets(line, sizeof line, in) && strcmp(line, "\r\n") != 0)
        continue;
    while (next < reader->want && fgets(line, sizeof line, in)) {
        unsigned long left = strtoul(line, NULL, 16);

        while (left > 0 && fgets(line, sizeof line, in)) {
            left -= strlen(line);
            if (atol(line) != next++)
                return NULL;
        }
        if (!fgets(line, sizeof line, in))
            return NULL;
    }
    reader->good = next == reader->want;
    fclose(in);
    return NULL;
}

static void no_wake_is_lost(void **state)
{
    enum { READERS = 8 };
    struct reader readers[READERS] = { 0 };
    pthread_t wakers[WAKERS];

    (void)state;
    for (int i = 0; i < READERS; i++) {
        readers[i] = (struct reader){ .fd = open_stream(), .want = WAKERS * 2000 };
        struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };

        setsockopt(readers[i].fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    assert_true(test_wait_for(&opened, READERS));
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i].thread, NULL, read_numbers, &readers[i]);
    for (int i = 0; i < WAKERS; i++)
        pthread_create(&wakers[i], NULL, wake_often, NULL);
    for (int i = 0; i < WAKERS; i++)
        pthread_join(wakers[i], NULL);
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i].thread, NULL);
        assert_true(readers[i].good);
    }
    assert_true(test_wait_for(&gone_count, READERS));
}

static void vanished_readers_end(void **state)
{
    enum { COUNT = 1000 };
    static int fds[COUNT];
    struct http_stats stats;

    (void)state;
    for (int i = 0; i < COUNT; i++)
        fds[i] = open_stream();
    assert_true(test_wait_for(&opened, COUNT));
    http_stats(server, &stats);
    assert_int_equal(stats.streams, COUNT);

    int64_t began = test_ms();

    for (int i = 0; i < COUNT; i++)
        client_reset(fds[i]);
    assert_true(test_wait_for(&gone_count, COUNT));
    printf("1,000 vanished streams ended after %d ms\n", (int)(test_ms() - began));
    http_stats(server, &stats);
    assert_int_equal(stats.streams, 0);
}

static void *keep_waking(void *arg)
{
    (void)arg;
    while (!atomic_load(&quit)) {
        add_to_all(1);
        test_sleep_ms(1);
    }
    return NULL;
}

/* Wakes, resets and new streams all at once: each stream is resumed once at a time and ends once. */
static void streams_come_and_go_under_load(void **state)
{
    pthread_t waker;
    int total = 0;

    (void)state;
    pthread_create(&waker, NULL, keep_waking, NULL);
    for (int round = 0; round < 30; round++) {
        int fds[20];

        for (int i = 0; i < 20; i++, total++)
            fds[i] = open_stream();
        test_sleep_ms(10);
        for (int i = 0; i < 20; i++) {
            if (i % 2)
                client_reset(fds[i]);
            else
                close(fds[i]);
        }
    }
    assert_true(test_wait_for(&opened, total));
    assert_true(test_wait_for(&gone_count, total));
    atomic_store(&quit, 1);
    pthread_join(waker, NULL);
}

static void stop_lets_streams_say_goodbye(void **state)
{
    enum { COUNT = 200 };
    int fds[COUNT];

    (void)state;
    for (int i = 0; i < COUNT; i++)
        fds[i] = open_stream();
    assert_true(test_wait_for(&opened, COUNT));

    int64_t began = test_ms();

    http_close(server, 2 * PATIENCE_MS);
    server = NULL;
    assert_true(test_ms() - began < PATIENCE_MS);
    assert_int_equal(atomic_load(&stop_count), COUNT);
    assert_int_equal(atomic_load(&gone_count), COUNT);
    for (int i = 0; i < COUNT; i++) {
        char *text = client_read_all(fds[i], NULL);

        assert_non_null(strstr(text, "4\r\nbye\n\r\n0\r\n\r\n"));
        free(text);
        close(fds[i]);
    }
}

static void head_of_a_stream_ends_at_once(void **state)
{
    char *text = client_once(port, "HEAD /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

    (void)state;
    assert_int_equal(reply_status(text), 200);
    assert_string_equal(reply_body(text), "");
    assert_true(test_wait_for(&gone_count, 1));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_wake_is_lost, start, stop),
        cmocka_unit_test_setup_teardown(vanished_readers_end, start, stop),
        cmocka_unit_test_setup_teardown(streams_come_and_go_under_load, start, stop),
        cmocka_unit_test_setup_teardown(stop_lets_streams_say_goodbye, start, stop),
        cmocka_unit_test_setup_teardown(head_of_a_stream_ends_at_once, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
