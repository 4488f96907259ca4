/*
 * Held requests, on a whole server: no wake is lost, none comes twice, and nobody is held who is gone.
 */
#include "base/clock.h"
#include "core/log/audit.h"
#include "db/migrate.h"
#include "edge/edge.h"
#include "tests/support/units.h"
#include "tests/unit/http/http_client.h"

#define LONGEST 55 /* seconds: no wait is longer */

struct fixture {
    char folder[64], url[96];
    struct store *store;
    struct engine *engine;
    struct edge *edge;
    int port;
};

static bool seal(struct db *db, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    size_t sealed;

    return audit_seal(&(struct tx){ .db = db, .arena = &arena, .err = err }, &sealed);
}

static int start(void **state)
{
    static struct fixture f;
    ARENA_AUTO arena = { 0 };
    struct migrate_report report;
    struct err err = { 0 };

    f = (struct fixture){ 0 };
    units_folder(f.folder, true);
    snprintf(f.url, sizeof(f.url), "sqlite:%s/db", f.folder);

    struct db *db = db_open(f.url, &err);

    assert_non_null(db);
    assert_true(migrate_up(db, &arena, &report, &err));
    db_close(db);
    f.engine = engine_new();
    f.store = store_open(
        &(struct store_options){
            .url = f.url, .seal = seal, .committed = engine_poke, .user = f.engine, .wait_ms = PATIENCE_MS },
        &err);
    assert_non_null(f.store);
    assert_true(engine_start(f.engine, f.store, f.url, true, &err));
    f.edge = edge_open(&(struct edge_options){ .store = f.store,
                                               .engine = f.engine,
                                               .listen = "127.0.0.1:0",
                                               .version = "0",
                                               .test_clock = true },
                       &err);
    if (!f.edge)
        fail_msg("%s", err.text);
    f.port = edge_port(f.edge);
    *state = &f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    edge_close(f->edge, 2 * PATIENCE_MS);
    engine_stop(f->engine);
    store_close(f->store);
    engine_free(f->engine);
    clock_set_offset_ms(0);
    units_remove(f->folder);
    return 0;
}

static void send_request(int fd, const struct fixture *f, const char *method, const char *path,
                         const char *body)
{
    char text[1024];

    snprintf(text, sizeof(text),
             "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: "
             "%zu\r\n\r\n%s",
             method, path, f->port, strlen(body), body);
    client_text(fd, text);
}

static char *ask(const struct fixture *f, const char *method, const char *path, const char *body, int status)
{
    int fd = client_open(f->port);

    send_request(fd, f, method, path, body);
    char *reply = client_read_reply(fd);

    close(fd);
    assert_int_equal(reply_status(reply), status);
    return reply;
}

static void make_prompt(const struct fixture *f, char id[static 37])
{
    char *reply =
        ask(f, "POST", "/api/discussion",
            "{\"requester_agent\":\"Scout\",\"prompt_message\":\"Which?\",\"required_responses\":1}", 201);
    const char *at = strstr(reply, "\"id\":\"");

    assert_non_null(at);
    snprintf(id, 37, "%.36s", at + 6);
    free(reply);
}

static void answer_prompt(const struct fixture *f, const char *id)
{
    char path[80];

    snprintf(path, sizeof(path), "/api/discussion/%s", id);
    free(ask(f, "POST", path, "{\"agent_name\":\"Builder\",\"message\":\"This.\"}", 201));
}

static int begin_wait(const struct fixture *f, const char *id, int seconds)
{
    int fd = client_open(f->port);
    char path[80];

    snprintf(path, sizeof(path), "/api/discussion/%s?wait=%d", id, seconds);
    send_request(fd, f, "GET", path, "");
    return fd;
}

static void expect_reply(int fd, const char *holds)
{
    char *reply = client_read_reply(fd);

    assert_int_equal(reply_status(reply), 200);
    if (!strstr(reply, holds))
        fail_msg("no %s in %s", holds, reply);
    free(reply);
    close(fd);
}

/* A gauge of /metrics. */
static int gauge(const struct fixture *f, const char *name)
{
    char *reply = ask(f, "GET", "/metrics", "", 200), line[64];
    const char *at;
    int value;

    snprintf(line, sizeof(line), "\n%s ", name);
    at = strstr(reply, line);
    assert_non_null(at);
    value = atoi(at + strlen(line));
    free(reply);
    return value;
}

static bool gauge_becomes(const struct fixture *f, const char *name, int value)
{
    for (int64_t until = test_ms() + PATIENCE_MS; test_ms() < until; test_sleep_ms(5))
        if (gauge(f, name) == value)
            return true;
    return false;
}

static void an_answer_wakes_its_own_waiters_only(void **state)
{
    struct fixture *f = *state;
    char one[37], two[37];
    int first[20], other;
    char byte;

    make_prompt(f, one);
    make_prompt(f, two);
    for (size_t i = 0; i < 20; i++)
        first[i] = begin_wait(f, one, LONGEST);
    other = begin_wait(f, two, LONGEST);
    assert_true(gauge_becomes(f, "witan_waits", 21));
    answer_prompt(f, one);
    for (size_t i = 0; i < 20; i++)
        expect_reply(first[i], "\"terminal\":true");
    assert_true(gauge_becomes(f, "witan_waits", 1));
    assert_int_equal(client_read(other, &byte, 1, 0), -2);
    client_reset(other);
    assert_true(gauge_becomes(f, "witan_waits", 0));
}

static void a_wait_ends_by_its_own_time(void **state)
{
    struct fixture *f = *state;
    char id[37];

    make_prompt(f, id);

    int64_t began = test_ms();

    expect_reply(begin_wait(f, id, 1), "\"terminal\":false");
    assert_true(test_ms() - began >= 1000);
    assert_true(gauge_becomes(f, "witan_waits", 0));
}

static void what_has_ended_is_not_waited_for(void **state)
{
    struct fixture *f = *state;
    char id[37], path[80];

    make_prompt(f, id);
    answer_prompt(f, id);
    expect_reply(begin_wait(f, id, LONGEST), "\"terminal\":true");
    snprintf(path, sizeof(path), "/api/discussion/%s?wait=56", id);
    free(ask(f, "GET", path, "", 400));
    free(ask(f, "GET", "/api/discussion/00000000-0000-7000-8000-00000000dead?wait=30", "", 404));
    assert_true(gauge_becomes(f, "witan_waits", 0));
}

struct racer {
    struct fixture *f;
    int rounds;
    atomic_int failed;
};

/* The answer and the first look race each other; whoever wins, the reply says that it has ended. */
static void *run_racer(void *user)
{
    struct racer *racer = user;

    for (int i = 0; i < racer->rounds; i++) {
        char id[37];
        int fd;

        make_prompt(racer->f, id);
        fd = begin_wait(racer->f, id, LONGEST);
        answer_prompt(racer->f, id);

        char *reply = client_read_reply(fd);

        if (!strstr(reply, "\"terminal\":true"))
            atomic_fetch_add(&racer->failed, 1);
        free(reply);
        close(fd);
    }
    return NULL;
}

static void no_wake_is_lost_in_a_race(void **state)
{
    struct racer racer = { .f = *state, .rounds = 50 };
    pthread_t threads[4];

    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_racer, &racer), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&racer.failed), 0);
}

static void clients_that_go_are_let_go(void **state)
{
    struct fixture *f = *state;
    char id[37];
    int fds[50];

    make_prompt(f, id);
    for (size_t i = 0; i < 50; i++)
        fds[i] = begin_wait(f, id, LONGEST);
    assert_true(gauge_becomes(f, "witan_waits", 50));
    for (size_t i = 0; i < 50; i++)
        client_reset(fds[i]);
    assert_true(gauge_becomes(f, "witan_waits", 0));
}

static void a_deadline_wakes_them_too(void **state)
{
    struct fixture *f = *state;
    char id[37];
    int fd;

    make_prompt(f, id);
    fd = begin_wait(f, id, LONGEST);
    assert_true(gauge_becomes(f, "witan_waits", 1));
    free(ask(f, "POST", "/api/test/clock", "{\"advance_ms\":1800000}", 200));
    free(ask(f, "POST", "/api/test/clock", "{\"advance_ms\":60000}", 200));
    expect_reply(fd, "\"timed_out\"");
    free(ask(f, "POST", "/api/test/clock", "{\"advance_ms\":-1860000}", 200));
    assert_int_equal(clock_offset_ms(), 0);
}

static void a_stop_answers_with_the_state_as_it_is(void **state)
{
    struct fixture *f = *state;
    char id[37];
    int fds[10];
    int64_t began;

    make_prompt(f, id);
    for (size_t i = 0; i < 10; i++)
        fds[i] = begin_wait(f, id, LONGEST);
    assert_true(gauge_becomes(f, "witan_waits", 10));
    began = test_ms();
    edge_close(f->edge, 2 * PATIENCE_MS);
    f->edge = NULL;
    for (size_t i = 0; i < 10; i++)
        expect_reply(fds[i], "\"terminal\":false");
    assert_true(test_ms() - began < PATIENCE_MS);
}

#define ON_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_SERVER(an_answer_wakes_its_own_waiters_only),
        ON_A_SERVER(a_wait_ends_by_its_own_time),
        ON_A_SERVER(what_has_ended_is_not_waited_for),
        ON_A_SERVER(no_wake_is_lost_in_a_race),
        ON_A_SERVER(clients_that_go_are_let_go),
        ON_A_SERVER(a_deadline_wakes_them_too),
        ON_A_SERVER(a_stop_answers_with_the_state_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
