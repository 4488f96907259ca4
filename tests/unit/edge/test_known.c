/*
 * Whose a credential is, before anybody looks: what was found good is its owner's, the rest is its address's,
 * so that made-up tokens have one share of the store's queue together.
 */
#include "edge/known.h"

#include "base/log.h"
#include "db/migrate.h"
#include "edge/callerkey.h"
#include "edge/edge.h"
#include "tests/support/units.h"
#include "tests/unit/http/http_client.h"

#define QUEUE   32
#define MADE_UP 64

static const struct err fine = { 0 };
static const struct err refused = { .code = ERR_UNAUTHORIZED };

static struct caller token(const char *id)
{
    return (struct caller){ .kind = CALLER_TOKEN, .role = ROLE_AGENT, .id = id };
}

static void all_secrets_of_a_token_are_one_owners(void **state)
{
    struct known *known = known_new();
    struct credentials new = { .bearer = "new" }, old = { .bearer = "old" }, other = { .bearer = "other" };
    struct caller one = token("1"), two = token("2");

    (void)state;
    assert_int_equal(known_owner(known, &new), 0);
    known_learn(known, &new, &one, &fine);
    known_learn(known, &old, &one, &fine);
    known_learn(known, &other, &two, &fine);
    assert_true(known_owner(known, &new) == callerkey_of(&one));
    assert_true(known_owner(known, &old) == known_owner(known, &new));
    assert_true(known_owner(known, &other) != known_owner(known, &new));
    known_learn(known, &old, &(struct caller){ 0 }, &refused);
    assert_int_equal(known_owner(known, &old), 0);
    assert_true(known_owner(known, &new) == callerkey_of(&one));
    known_free(known);
}

static void only_what_let_somebody_in_is_learnt(void **state)
{
    struct known *known = known_new();
    struct credentials nothing = { 0 }, session = { .session = "s" }, made_up = { .bearer = "x" };
    struct credentials by_ticket = { .session = "s", .ticket = "t" };
    struct caller local = { .kind = CALLER_LOCAL, .id = "local" }, user = { .kind = CALLER_USER, .id = "u" };

    (void)state;
    known_learn(known, &nothing, &local, &fine);
    known_learn(known, &session, &local, &fine);
    known_learn(known, &by_ticket, &user, &fine);
    known_learn(known, &made_up, &(struct caller){ 0 }, &fine);
    known_learn(known, &made_up, &(struct caller){ 0 }, &refused);
    assert_int_equal(known_owner(known, &nothing), 0);
    assert_int_equal(known_owner(known, &session), 0);
    assert_int_equal(known_owner(known, &made_up), 0);
    known_learn(known, &session, &user, &fine);
    assert_true(known_owner(known, &session) == callerkey_of(&user));
    known_free(known);
}

static void many_make_room_for_each_other_and_the_one_in_use_stays(void **state)
{
    struct known *known = known_new();
    struct credentials kept = { .bearer = "kept" };
    struct caller one = token("1");
    char secret[32];

    (void)state;
    known_learn(known, &kept, &one, &fine);
    for (int i = 0; i < 100000; i++) {
        struct credentials each = { .bearer = secret };

        snprintf(secret, sizeof(secret), "secret %d", i);
        known_learn(known, &each, &one, &fine);
        assert_true(known_owner(known, &each) != 0);
        assert_true(known_owner(known, &kept) != 0);
    }
    known_free(known);
}

/* A whole server, whose queue is short. */
struct server {
    char folder[64], url[96];
    struct engine *engine;
    struct store *store;
    struct edge *edge;
    int port;
};

static int start(void **state)
{
    static struct server s;
    ARENA_AUTO arena = { 0 };
    struct migrate_report report;
    struct err err = { 0 };
    struct db *db;

    s = (struct server){ 0 };
    log_setup(LOG_ERROR, false);
    units_folder(s.folder, true);
    snprintf(s.url, sizeof(s.url), "sqlite:%s/db", s.folder);
    db = db_open(s.url, &err);
    assert_true(db && migrate_up(db, &arena, &report, &err));
    db_close(db);
    s.engine = engine_new();
    s.store = store_open(
        &(struct store_options){
            .url = s.url, .queue = QUEUE, .wait_ms = 60000, .committed = engine_poke, .user = s.engine },
        &err);
    assert_non_null(s.store);
    assert_true(engine_start(s.engine, s.store, s.url, false, &err));
    s.edge = edge_open(
        &(struct edge_options){
            .store = s.store, .engine = s.engine, .listen = "127.0.0.1:0", .version = "test" },
        &err);
    assert_non_null(s.edge);
    s.port = edge_port(s.edge);
    *state = &s;
    return 0;
}

static int stop(void **state)
{
    struct server *s = *state;

    edge_close(s->edge, 5000);
    engine_stop(s->engine);
    store_close(s->store);
    engine_free(s->engine);
    units_remove(s->folder);
    return 0;
}

/* Sends a POST and leaves the reply to be read. */
static int post(const struct server *s, const char *path, const char *bearer, const char *body)
{
    char request[1024], credential[256] = "";
    int fd = client_open(s->port), len;

    if (bearer)
        snprintf(credential, sizeof(credential), "Authorization: Bearer %s\r\n", bearer);
    len = snprintf(request, sizeof(request),
                   "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sContent-Type: application/json\r\n"
                   "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                   path, s->port, credential, strlen(body), body);
    assert_true(client_send(fd, request, (size_t)len));
    return fd;
}

/* The whole reply, whose connection is closed behind it; returns the status. */
static int answer(int fd, char *reply, size_t room)
{
    size_t len = 0;
    ssize_t got;

    while (len + 1 < room && (got = recv(fd, reply + len, room - len - 1, 0)) > 0)
        len += (size_t)got;
    reply[len] = '\0';
    close(fd);
    return strncmp(reply, "HTTP/1.1 ", 9) == 0 ? atoi(reply + 9) : 0;
}

static size_t queued(const struct server *s)
{
    struct store_stats stats;

    store_stats(s->store, &stats);
    return stats.write_queue;
}

static void make_token(const struct server *s, char secret[static 128])
{
    char reply[4096], *at;

    assert_int_equal(
        answer(post(s, "/api/tokens", NULL, "{\"name\":\"a\",\"role\":\"member\"}"), reply, sizeof(reply)),
        201);
    at = strstr(reply, "\"secret\":\"");
    assert_non_null(at);
    at += strlen("\"secret\":\"");
    snprintf(secret, 128, "%.*s", (int)strcspn(at, "\""), at);
}

/* Holds the writer until it may go on. */
struct block {
    struct work work;
    sem_t running, go_on;
};

static bool run_block(struct db *db, struct work *work)
{
    struct block *block = (struct block *)work;

    (void)db;
    sem_post(&block->running);
    sem_wait(&block->go_on);
    return true;
}

static void block_done(struct work *work)
{
    sem_post(&((struct block *)work)->running);
}

static size_t answered(const int fds[], size_t count)
{
    size_t ready = 0;

    for (size_t i = 0; i < count; i++)
        ready += poll(&(struct pollfd){ .fd = fds[i], .events = POLLIN }, 1, 0) == 1;
    return ready;
}

/* Until each of these is answered or waits in the queue. */
static void settle(const struct server *s, const int fds[], size_t count)
{
    int64_t end = test_ms() + PATIENCE_MS;

    while (queued(s) + answered(fds, count) < count) {
        assert_true(test_ms() < end);
        test_sleep_ms(5);
    }
}

static void made_up_tokens_do_not_fill_what_is_kept_for_others(void **state)
{
    static const char hello[] = "{\"agent_name\":\"A\",\"message\":\"Hello.\"}";
    struct server *s = *state;
    struct block block = { .work = { .run = run_block, .done = block_done } };
    struct err err = { 0 };
    char secret[128], reply[8192], bearer[32];
    int fds[MADE_UP + 1];

    sem_init(&block.running, 0, 0);
    sem_init(&block.go_on, 0, 0);
    make_token(s, secret);
    assert_int_equal(answer(post(s, "/api/chat", secret, hello), reply, sizeof(reply)), 201);

    assert_true(store_write(s->store, &block.work, &err));
    sem_wait(&block.running);
    for (int i = 0; i < MADE_UP; i++) {
        snprintf(bearer, sizeof(bearer), "witan_made_up_%d", i);
        fds[i] = post(s, "/api/chat", bearer, hello);
    }
    settle(s, fds, MADE_UP);
    assert_true(answered(fds, MADE_UP) >= MADE_UP - QUEUE);
    fds[MADE_UP] = post(s, "/api/chat", secret, hello);
    settle(s, fds, MADE_UP + 1);
    sem_post(&block.go_on);
    assert_int_equal(answer(fds[MADE_UP], reply, sizeof(reply)), 201);
    for (int i = 0; i < MADE_UP; i++) {
        int status = answer(fds[i], reply, sizeof(reply));

        assert_true(status == 401 || status == 503);
    }
    sem_wait(&block.running);
    sem_destroy(&block.running);
    sem_destroy(&block.go_on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_secrets_of_a_token_are_one_owners),
        cmocka_unit_test(only_what_let_somebody_in_is_learnt),
        cmocka_unit_test(many_make_room_for_each_other_and_the_one_in_use_stays),
        cmocka_unit_test_setup_teardown(made_up_tokens_do_not_fill_what_is_kept_for_others, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
