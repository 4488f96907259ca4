/*
 * Replies in pieces, over a real socket: in order and whole, whoever hands the pieces in; with nothing left
 * behind when the client goes or the server stops.
 */
#include "../http/http_client.h"

#include "base/budget.h"
#include "edge/pieces.h"

#define PIECES 5

static struct http_server *server;
static struct budget budget;
static int port;

/* How the owner hands in what it is asked for: at once, from another thread, or not before it is told to. */
enum how { AT_ONCE, FROM_A_THREAD, WHEN_TOLD };

static enum how how;
static struct pieces *pieces;
static atomic_int asked, over;

static void put(void)
{
    int number = atomic_load(&asked);
    struct buf piece;

    buf_init(&piece, 0);
    buf_format(&piece, "piece %d\n", number);
    pieces_put(pieces, &piece, number < PIECES);
}

static void *put_later(void *arg)
{
    (void)arg;
    put();
    return NULL;
}

static void next(void *user)
{
    pthread_t thread;

    (void)user;
    atomic_fetch_add(&asked, 1);
    if (how == AT_ONCE)
        put();
    if (how != FROM_A_THREAD)
        return;
    assert_int_equal(pthread_create(&thread, NULL, put_later, NULL), 0);
    pthread_detach(thread);
}

static void is_over(void *user)
{
    (void)user;
    atomic_fetch_add(&over, 1);
}

static void handle(struct http_exchange *exchange, void *user)
{
    struct pieces_owner owner = { .next = next, .over = is_over, .budget = &budget };
    struct buf first;

    (void)user;
    buf_init(&first, 0);
    buf_text(&first, "piece 0\n");
    pieces = pieces_new(&owner, &first);
    pieces_send(pieces, exchange, "application/x-ndjson");
}

static void until(atomic_int *value, int wanted)
{
    int64_t began = test_ms();

    while (atomic_load(value) < wanted) {
        assert_true(test_ms() - began < PATIENCE_MS);
        test_sleep_ms(1);
    }
}

static int start(void **state)
{
    struct err err = { 0 };
    struct http_options options = { .listen = "127.0.0.1:0", .threads = 1, .handle = handle };

    (void)state;
    atomic_store(&asked, 0);
    atomic_store(&over, 0);
    budget_init(&budget, 0);
    server = http_open(&options, &err);
    port = server ? http_port(server) : 0;
    return server ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    http_close(server, 1000);
    assert_int_equal(atomic_load(&over), 1);
    assert_int_equal(budget_used(&budget), 0);
    return 0;
}

#define GET "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static void check_whole(enum how by)
{
    how = by;
    char *text = client_once(port, GET);

    for (int i = 0; i <= PIECES; i++) {
        char line[32];

        snprintf(line, sizeof line, "piece %d\n", i);
        const char *at = strstr(text, line);

        assert_non_null(at);
        assert_null(strstr(at + 1, line));
    }
    free(text);
    until(&over, 1);
    assert_int_equal(atomic_load(&asked), PIECES);
}

static void pieces_that_come_at_once(void **state)
{
    (void)state;
    check_whole(AT_ONCE);
}

static void pieces_that_come_from_elsewhere(void **state)
{
    (void)state;
    check_whole(FROM_A_THREAD);
}

/* The one that was asked for comes when nobody is left. */
static void a_client_that_goes(void **state)
{
    int fd;

    (void)state;
    how = WHEN_TOLD;
    fd = client_open(port);
    client_text(fd, GET);
    until(&asked, 1);
    close(fd);
    test_sleep_ms(50);
    assert_int_equal(atomic_load(&over), 0);
    put();
    until(&over, 1);
}

/* Others have taken all there is: the reply ends, and its last line says so. */
static void a_budget_that_is_used_up(void **state)
{
    struct pieces_owner owner = { .next = next, .over = is_over, .budget = &budget };
    struct buf first;
    int fd;

    (void)state;
    how = WHEN_TOLD;
    fd = client_open(port);
    client_text(fd, GET);
    until(&asked, 1);
    budget.limit = 1000;
    budget_force(&budget, 1000);
    put();
    char *text = client_read_all(fd, NULL);

    assert_non_null(strstr(text, "piece 0\n"));
    assert_null(strstr(text, "piece 1\n"));
    assert_non_null(strstr(text, "no memory to spare"));
    free(text);
    close(fd);
    until(&over, 1);
    /* A new one does not even begin. */
    buf_init(&first, 0);
    buf_text(&first, "piece 0\n");
    assert_null(pieces_new(&owner, &first));
    buf_done(&first);
    budget_give(&budget, 1000);
}

static void *close_server(void *arg)
{
    (void)arg;
    http_close(server, 5000);
    return NULL;
}

/* What is half sent says so in its last line. */
static void a_server_that_stops(void **state)
{
    pthread_t closing;
    int fd;

    (void)state;
    how = WHEN_TOLD;
    fd = client_open(port);
    client_text(fd, GET);
    until(&asked, 1);
    assert_int_equal(pthread_create(&closing, NULL, close_server, NULL), 0);
    char *text = client_read_all(fd, NULL);

    assert_non_null(strstr(text, "piece 0\n"));
    assert_non_null(strstr(text, "The server stops."));
    free(text);
    close(fd);
    put();
    pthread_join(closing, NULL);
    until(&over, 1);
    server = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_that_come_at_once, start, stop),
        cmocka_unit_test_setup_teardown(pieces_that_come_from_elsewhere, start, stop),
        cmocka_unit_test_setup_teardown(a_client_that_goes, start, stop),
        cmocka_unit_test_setup_teardown(a_budget_that_is_used_up, start, stop),
        cmocka_unit_test_setup_teardown(a_server_that_stops, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
