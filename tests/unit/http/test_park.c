#include "http_client.h"

/*
 * Parked exchanges: handed to other threads, finished exactly once, and noticed when their client goes.
 */

#define WORKERS 3

struct waiter {
    struct http_exchange *exchange;
    struct waiter *next;
    bool taken;
};

static struct http_server *server;
static int port;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct waiter *queue;
static struct http_exchange *kept;
static bool quit;
static pthread_t workers[WORKERS];
static atomic_int waiting, gone_count, stop_count, forgotten, finished;

static void finish(struct http_exchange *exchange, int status, const char *text)
{
    struct buf body;

    buf_init(&body, 0);
    buf_text(&body, text);
    atomic_fetch_add(&finished, 1);
    http_reply(exchange, status, "text/plain", (struct http_header_line[]){ { "X-Way", "parked" }, { 0 } },
               &body);
}

/* Whoever takes a waiter finishes it; the table's lock decides. */
static bool take(struct waiter *waiter)
{
    pthread_mutex_lock(&lock);
    bool mine = !waiter->taken;

    waiter->taken = true;
    pthread_mutex_unlock(&lock);
    return mine;
}

static void client_gone(void *data)
{
    struct waiter *waiter = data;

    atomic_fetch_add(&gone_count, 1);
    if (take(waiter))
        finish(waiter->exchange, 200, "nobody");
}

static void server_stops(void *data)
{
    struct waiter *waiter = data;

    atomic_fetch_add(&stop_count, 1);
    if (take(waiter))
        finish(waiter->exchange, 503, "stopping");
}

static void forget(void *data)
{
    atomic_fetch_add(&forgotten, 1);
    free(data);
}

static void *work(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!quit) {
        struct waiter *waiter = queue;

        if (!waiter) {
            pthread_cond_wait(&more, &lock);
            continue;
        }
        queue = waiter->next;

        bool mine = !waiter->taken;

        waiter->taken = true;
        pthread_mutex_unlock(&lock);
        if (mine)
            finish(waiter->exchange, 200, "worked");
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void handle(struct http_exchange *exchange, void *user)
{
    struct waiter *waiter = calloc(1, sizeof *waiter);

    (void)user;
    waiter->exchange = exchange;
    http_set_data(exchange, waiter);
    http_park(exchange);
    if (strcmp(http_path(exchange), "/wait") == 0) {
        http_watch(exchange, client_gone, server_stops);
        atomic_fetch_add(&waiting, 1);
        return;
    }
    if (strcmp(http_path(exchange), "/keep") == 0) {
        kept = exchange;
        atomic_fetch_add(&waiting, 1);
        return;
    }
    pthread_mutex_lock(&lock);
    waiter->next = queue;
    queue = waiter;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static int start(void **state)
{
    struct err err = { 0 };
    struct http_options options = {
        .listen = "127.0.0.1:0", .threads = 2, .handle = handle, .forget = forget
    };

    (void)state;
    waiting = gone_count = stop_count = forgotten = finished = 0;
    quit = false;
    server = http_open(&options, &err);
    port = server ? http_port(server) : 0;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    return server ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    http_close(server, 2000);
    server = NULL;
    pthread_mutex_lock(&lock);
    quit = true;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    return 0;
}

static void *client_load(void *arg)
{
    const int rounds = *(int *)arg;
    unsigned seed = (unsigned)(uintptr_t)pthread_self();

    for (int i = 0; i < rounds; i++) {
        int fd = client_open(port);

        for (int n = 0; n < 5; n++) {
            client_text(fd, "POST /work HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
            /* One in three goes away in the middle, by a close or a reset. */
            if (rand_r(&seed) % 15 == 0)
                break;
            char *text = client_read_reply(fd);

            if (reply_status(text) != 200 || !strstr(text, "X-Way: parked") ||
                strcmp(reply_body(text), "worked") != 0)
                abort();
            free(text);
        }
        if (rand_r(&seed) % 2)
            client_reset(fd);
        else
            close(fd);
    }
    return NULL;
}

static void replies_come_from_other_threads(void **state)
{
    pthread_t clients[4];
    int rounds = 150;
    struct http_stats stats;

    (void)state;
    for (int i = 0; i < 4; i++)
        pthread_create(&clients[i], NULL, client_load, &rounds);
    for (int i = 0; i < 4; i++)
        pthread_join(clients[i], NULL);

    int64_t until = test_ms() + PATIENCE_MS;

    do {
        test_sleep_ms(5);
        http_stats(server, &stats);
    } while ((stats.parked > 0 || stats.connections > 0) && test_ms() < until);
    assert_int_equal(stats.parked, 0);
    assert_int_equal(stats.connections, 0);
    assert_true(test_wait_for(&forgotten, atomic_load(&finished)));
}

static void open_waiters(int *fds, int count, const char *path)
{
    char request[128];

    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
    for (int i = 0; i < count; i++) {
        fds[i] = client_open(port);
        client_text(fds[i], request);
    }
    assert_true(test_wait_for(&waiting, count));
}

static void vanished_clients_are_noticed(void **state)
{
    enum { COUNT = 1000 };
    static int fds[COUNT];
    struct http_stats stats;

    (void)state;
    open_waiters(fds, COUNT, "/wait");
    http_stats(server, &stats);
    assert_int_equal(stats.parked, COUNT);

    int64_t began = test_ms();

    for (int i = 0; i < COUNT; i++)
        client_reset(fds[i]);
    assert_true(test_wait_for(&gone_count, COUNT));
    printf("1,000 vanished clients noticed after %d ms\n", (int)(test_ms() - began));
    assert_true(test_wait_for(&forgotten, COUNT));
    http_stats(server, &stats);
    assert_int_equal(stats.parked, 0);
    assert_int_equal(stats.vanished, COUNT);
}

/* A client that went away before its request was parked is noticed too. */
static void clients_gone_before_the_watch_are_noticed(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        int fd = client_open(port);

        client_text(fd, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
        close(fd);
    }
    assert_true(test_wait_for(&forgotten, 50));
    assert_int_equal(atomic_load(&gone_count), 50);
}

static void stop_ends_parked_exchanges_with_a_last_word(void **state)
{
    enum { COUNT = 100 };
    int fds[COUNT];

    (void)state;
    open_waiters(fds, COUNT, "/wait");

    int64_t began = test_ms();

    http_close(server, 2 * PATIENCE_MS);
    server = NULL;
    assert_true(test_ms() - began < PATIENCE_MS);
    assert_int_equal(atomic_load(&stop_count), COUNT);
    assert_int_equal(atomic_load(&gone_count), 0);
    assert_int_equal(atomic_load(&forgotten), COUNT);
    for (int i = 0; i < COUNT; i++) {
        char *text = client_read_all(fds[i], NULL);

        assert_int_equal(reply_status(text), 503);
        assert_string_equal(reply_body(text), "stopping");
        free(text);
        close(fds[i]);
    }
}

static void stop_refuses_new_clients(void **state)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)state;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    http_quiesce(server);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), -1);
    close(fd);
}

/* Both sides race for the same waiters: each is finished once, and none is lost. */
static void *answer_all(void *arg)
{
    struct waiter **waiters = arg;

    for (int i = 0; waiters[i]; i++)
        if (take(waiters[i]))
            finish(waiters[i]->exchange, 200, "answered");
    return NULL;
}

static struct waiter *race[401];
static atomic_int race_begun, race_len;

static void handle_race(struct http_exchange *exchange, void *user)
{
    struct waiter *waiter = calloc(1, sizeof *waiter);

    (void)user;
    waiter->exchange = exchange;
    http_set_data(exchange, waiter);
    http_park(exchange);
    if (strcmp(http_path(exchange), "/race") == 0)
        http_watch(exchange, client_gone, server_stops);
    race[atomic_fetch_add(&race_begun, 1)] = waiter;
    atomic_fetch_add(&race_len, 1);
}

/* The race's waiters must outlive both racers, so they are freed at the end and not with their exchange. */
static void forget_race(void *data)
{
    (void)data;
    atomic_fetch_add(&forgotten, 1);
}

static void answers_race_with_vanishing(void **state)
{
    enum { COUNT = 400 };
    struct err err = { 0 };
    struct http_options options = {
        .listen = "127.0.0.1:0", .threads = 2, .handle = handle_race, .forget = forget_race
    };
    int fds[COUNT];
    pthread_t answerer;
    struct http_server *racing = http_open(&options, &err);

    (void)state;
    assert_non_null(racing);
    for (int i = 0; i < COUNT; i++) {
        fds[i] = client_open(http_port(racing));
        client_text(fds[i], "GET /race HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    assert_true(test_wait_for(&race_len, COUNT));
    pthread_create(&answerer, NULL, answer_all, race);
    for (int i = COUNT - 1; i >= 0; i--)
        client_reset(fds[i]);
    pthread_join(answerer, NULL);
    assert_true(test_wait_for(&forgotten, COUNT));
    assert_int_equal(atomic_load(&finished), COUNT);
    http_close(racing, 1000);
    for (int i = 0; i < COUNT; i++)
        free(race[i]);
}

/* An owner that never answers cannot keep the server from stopping, and may still come late. */
static void stop_abandons_what_nobody_ends(void **state)
{
    int fd;
    struct http_stats stats;

    (void)state;
    open_waiters(&fd, 1, "/keep");
    http_stats(server, &stats);
    assert_int_equal(stats.parked, 1);

    http_close(server, 200);
    server = NULL;
    assert_int_equal(atomic_load(&forgotten), 0);

    char *text = client_read_all(fd, NULL);

    assert_string_equal(text, "");
    free(text);
    close(fd);
    finish(kept, 200, "too late");
    assert_int_equal(atomic_load(&forgotten), 1);
}

/* The server ends while the owners answer: each exchange is freed once, by whoever had it then. */
static void a_stop_without_grace_leaves_each_to_one(void **state)
{
    enum { COUNT = 200, ROUNDS = 20 };
    struct err err = { 0 };
    struct http_options options = {
        .listen = "127.0.0.1:0", .threads = 2, .handle = handle_race, .forget = forget_race
    };
    int fds[COUNT];
    pthread_t answerer;

    (void)state;
    race[COUNT] = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        struct http_server *ending = http_open(&options, &err);

        assert_non_null(ending);
        race_begun = race_len = forgotten = 0;
        port = http_port(ending);
        for (int i = 0; i < COUNT; i++) {
            fds[i] = client_open(port);
            client_text(fds[i], round % 2 ? "GET /race HTTP/1.1\r\nHost: x\r\n\r\n"
                                          : "GET /alone HTTP/1.1\r\nHost: x\r\n\r\n");
        }
        assert_true(test_wait_for(&race_len, COUNT));
        pthread_create(&answerer, NULL, answer_all, race);
        http_close(ending, 0);
        pthread_join(answerer, NULL);
        assert_int_equal(atomic_load(&forgotten), COUNT);
        for (int i = 0; i < COUNT; i++) {
            free(race[i]);
            close(fds[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(replies_come_from_other_threads, start, stop),
        cmocka_unit_test_setup_teardown(vanished_clients_are_noticed, start, stop),
        cmocka_unit_test_setup_teardown(clients_gone_before_the_watch_are_noticed, start, stop),
        cmocka_unit_test_setup_teardown(stop_ends_parked_exchanges_with_a_last_word, start, stop),
        cmocka_unit_test_setup_teardown(stop_refuses_new_clients, start, stop),
        cmocka_unit_test_setup_teardown(answers_race_with_vanishing, start, stop),
        cmocka_unit_test_setup_teardown(stop_abandons_what_nobody_ends, start, stop),
        cmocka_unit_test(a_stop_without_grace_leaves_each_to_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
