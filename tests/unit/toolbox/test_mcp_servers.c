/*
 * MCP servers and their lives: programs that behave, hang, die, babble and flood (this program itself,
 * started again), and one that is spoken to over HTTP.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "net/net.h"
#include "programs/programs.h"
#include "tests/support/mcp_played.h"
#include "toolbox/secrets.h"
#include "toolbox/setup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct net *net;
static struct programs *programs;
static char self[4096];

enum { GOOD, MODERN, HANG, DEAD, BABBLE, FLOOD, MISSING, PLAYS };

static const char *const commands[PLAYS][4] = {
    [GOOD] = { self, "serve", "good", NULL },     [MODERN] = { self, "serve", "modern", NULL },
    [HANG] = { self, "serve", "hang", NULL },     [DEAD] = { self, "serve", "dead", NULL },
    [BABBLE] = { self, "serve", "babble", NULL }, [FLOOD] = { self, "serve", "flood", NULL },
    [MISSING] = { "/nowhere/at-all", NULL },
};
static const char *const secret_headers[] = { "Authorization: Bearer s3cr3t-s3cr3t", NULL };
static const char *const secrets[] = { "s3cr3t-s3cr3t", NULL };
static char url[64];

static struct mcp_setup setup_of(int play)
{
    return (struct mcp_setup){
        .name = "box", .command = commands[play], .timeout_ms = 5000, .start_ms = 10000, .restarts = 3
    };
}

/* A call, and what came of it. */
struct seen {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int ended, asked;
    enum tool_end end;
    char text[2000], data[200];
    char asked_id[24], asked_message[200];
    double done;
};

static void seen_init(struct seen *seen)
{
    memset(seen, 0, sizeof(*seen));
    pthread_mutex_init(&seen->lock, NULL);
    pthread_cond_init(&seen->changed, NULL);
}

static void see_done(void *user, const struct tool_result *result)
{
    struct seen *seen = user;

    pthread_mutex_lock(&seen->lock);
    seen->ended++;
    seen->end = result->end;
    snprintf(seen->text, sizeof(seen->text), "%s", result->text);
    snprintf(seen->data, sizeof(seen->data), "%s", result->data ? result->data : "");
    pthread_cond_broadcast(&seen->changed);
    pthread_mutex_unlock(&seen->lock);
}

static void see_asked(void *user, const struct tool_elicitation *asked)
{
    struct seen *seen = user;

    pthread_mutex_lock(&seen->lock);
    seen->asked++;
    snprintf(seen->asked_id, sizeof(seen->asked_id), "%s", asked->id);
    snprintf(seen->asked_message, sizeof(seen->asked_message), "%s", asked->message);
    pthread_cond_broadcast(&seen->changed);
    pthread_mutex_unlock(&seen->lock);
}

static void see_progress(void *user, double done, double total, const char *words)
{
    struct seen *seen = user;

    (void)total, (void)words;
    pthread_mutex_lock(&seen->lock);
    seen->done = done;
    pthread_mutex_unlock(&seen->lock);
}

static void await(struct seen *seen, const int *what)
{
    pthread_mutex_lock(&seen->lock);
    while (*what == 0)
        pthread_cond_wait(&seen->changed, &seen->lock);
    pthread_mutex_unlock(&seen->lock);
}

static struct mcp_servers *open_one(const struct mcp_setup *setup)
{
    struct mcp_servers *servers;
    struct err err = { 0 };

    assert_true(mcp_servers_open(&servers, setup, 1, programs, net, &err));
    for (int i = 0; i < 2000 && !mcp_servers_settled(servers); i++)
        usleep(10000);
    return servers;
}

static bool has_tool(struct mcp_servers *servers, const char *name)
{
    ARENA_AUTO arena = { 0 };
    const struct tool *tools;
    size_t count;

    mcp_servers_tools(servers, &arena, &tools, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(tools[i].name, name) == 0)
            return true;
    return false;
}

static enum mcp_state state_of(struct mcp_servers *servers, char *why, size_t room, int *restarts)
{
    ARENA_AUTO arena = { 0 };
    size_t count;
    const struct mcp_status *status = mcp_servers_status(servers, &arena, &count);

    assert_int_equal(count, 1);
    if (why)
        snprintf(why, room, "%s", status->why);
    if (restarts)
        *restarts = status->restarts;
    return status->state;
}

static void await_state(struct mcp_servers *servers, enum mcp_state state)
{
    for (int i = 0; i < 2000 && state_of(servers, NULL, 0, NULL) != state; i++)
        usleep(10000);
    assert_string_equal(mcp_state_name(state_of(servers, NULL, 0, NULL)), mcp_state_name(state));
}

static void begin_call(struct mcp_servers *servers, struct seen *seen, const char *name,
                       const char *arguments, uint64_t id)
{
    struct tool tool = {
        .name = name, .server = "box", .server_tool = name, .schema = "{}", .kind = TOOL_MCP
    };
    struct tool_callbacks callbacks = {
        .asked = see_asked, .progress = see_progress, .done = see_done, .user = seen
    };
    struct err err = { 0 };

    seen_init(seen);
    assert_true(mcp_servers_call(servers, &tool, arguments, &callbacks, id, &err));
}

static void call(struct mcp_servers *servers, struct seen *seen, const char *name, const char *arguments)
{
    static uint64_t id = 1000;

    begin_call(servers, seen, name, arguments, ++id);
    await(seen, &seen->ended);
}

/* Programs. */

static void a_program_lists_its_tools_and_runs_them(void **state)
{
    static const int plays[] = { GOOD, MODERN, BABBLE };

    (void)state;
    for (size_t i = 0; i < sizeof(plays) / sizeof(*plays); i++) {
        struct mcp_setup setup = setup_of(plays[i]);
        struct mcp_servers *servers = open_one(&setup);
        struct seen seen;

        assert_int_equal(state_of(servers, NULL, 0, NULL), MCP_READY);
        assert_true(has_tool(servers, "box__echo"));
        call(servers, &seen, "echo", "{\n \"text\": \"gr\\u00fc\\u00df\"\n}");
        assert_int_equal(seen.end, TOOL_FINE);
        assert_string_equal(seen.text, "gr\xc3\xbc\xc3\x9f");
        call(servers, &seen, "twice", "{}");
        assert_int_equal(seen.ended, 1);
        call(servers, &seen, "echo", "{\"text\":\"b\"}");
        assert_string_equal(seen.text, "b");
        mcp_servers_close(servers);
        assert_int_equal(seen.ended, 1);
    }
}

static void one_that_dies_in_a_call_is_started_again(void **state)
{
    struct mcp_setup setup = setup_of(GOOD);
    struct mcp_servers *servers = open_one(&setup);
    struct seen seen, slow;
    int restarts;

    (void)state;
    begin_call(servers, &slow, "slow", "{}", 1);
    call(servers, &seen, "die", "{}");
    assert_int_equal(seen.end, TOOL_BROKE_OFF);
    assert_non_null(strstr(seen.text, "status 7"));
    await(&slow, &slow.ended);
    assert_int_equal(slow.end, TOOL_BROKE_OFF);
    assert_true(has_tool(servers, "box__echo"));          /* known, though it is away */
    call(servers, &seen, "echo", "{\"text\":\"again\"}"); /* waits for the next one */
    assert_int_equal(seen.end, TOOL_FINE);
    state_of(servers, NULL, 0, &restarts);
    assert_int_equal(restarts, 1);
    mcp_servers_close(servers);
}

static void one_that_always_dies_is_given_up(void **state)
{
    struct mcp_setup setup = setup_of(DEAD);
    char why[400];
    struct seen seen;
    int restarts;

    (void)state;
    setup.restarts = 2;
    setup.start_ms = 2000;
    struct mcp_servers *servers = open_one(&setup);

    await_state(servers, MCP_UNAVAILABLE);
    for (int64_t end_ms = clock_ticks_ms() + 1500; clock_ticks_ms() < end_ms; usleep(500))
        assert_int_equal(state_of(servers, NULL, 0, NULL), MCP_UNAVAILABLE); /* and is left alone */
    state_of(servers, why, sizeof(why), &restarts);
    assert_int_equal(restarts, 2);
    assert_non_null(strstr(why, "status 3"));
    call(servers, &seen, "echo", "{}");
    assert_int_equal(seen.end, TOOL_NOT_THERE);
    assert_non_null(strstr(seen.text, "status 3"));
    mcp_servers_close(servers);
}

/* As it is called while nobody knows yet what the server has. */
static void begin_awaited(struct mcp_servers *servers, struct seen *seen, const char *name,
                          const char *digest, uint64_t id)
{
    struct tool_callbacks callbacks = { .done = see_done, .user = seen };
    struct tool tool;
    struct err err = { 0 };

    seen_init(seen);
    assert_true(mcp_servers_await(servers, name, &tool));
    tool.digest = digest;
    assert_true(mcp_servers_call(servers, &tool, "{\"text\":\"a\"}", &callbacks, id, &err));
}

static void calls_wait_for_one_that_starts(void **state)
{
    struct mcp_setup setup = setup_of(GOOD);
    struct mcp_servers *servers;
    struct seen seen, gone, changed;
    struct tool tool;
    struct err err = { 0 };

    (void)state;
    assert_true(mcp_servers_open(&servers, &setup, 1, programs, net, &err));
    begin_awaited(servers, &seen, "box__echo", NULL, 1);
    begin_awaited(servers, &gone, "box__nothing", NULL, 2);
    begin_awaited(servers, &changed, "box__echo", "of another one", 3);
    assert_false(mcp_servers_await(servers, "boxes__echo", &tool));
    await(&seen, &seen.ended);
    assert_int_equal(seen.end, TOOL_FINE);
    assert_string_equal(seen.text, "a");
    await(&gone, &gone.ended);
    assert_int_equal(gone.end, TOOL_NOT_THERE);
    await(&changed, &changed.ended);
    assert_int_equal(changed.end, TOOL_NOT_THERE);
    assert_non_null(strstr(changed.text, "not what it was"));
    assert_false(mcp_servers_await(servers, "box__nothing", &tool));
    mcp_servers_close(servers);
}

/* As a call that was judged by an earlier list, before its server was started again with another tool. */
static void call_of_a_tool_that_has_changed_is_not_made(void **state)
{
    struct mcp_setup setup = setup_of(GOOD);
    struct mcp_servers *servers = open_one(&setup);
    const struct tool *listed;
    struct seen seen;
    struct err err = { 0 };
    struct arena arena = { 0 };
    size_t count;

    (void)state;
    call(servers, &seen, "echo", "{\"text\":\"a\"}");
    assert_int_equal(seen.end, TOOL_FINE);
    mcp_servers_tools(servers, &arena, &listed, &count);
    for (size_t i = 0; i < count; i++) {
        struct tool_callbacks callbacks = { .done = see_done, .user = &seen };
        struct tool tool = listed[i];

        if (strcmp(tool.name, "box__echo") != 0)
            continue;
        seen_init(&seen);
        tool.digest = "of another one";
        assert_true(mcp_servers_call(servers, &tool, "{\"text\":\"a\"}", &callbacks, 9, &err));
        await(&seen, &seen.ended);
    }
    assert_int_equal(seen.end, TOOL_NOT_THERE);
    assert_non_null(strstr(seen.text, "not what it was"));
    arena_done(&arena);
    mcp_servers_close(servers);
}

static void one_that_hangs_is_given_up(void **state)
{
    struct mcp_setup setup = setup_of(HANG);
    struct mcp_servers *servers;
    struct seen seen;
    char why[400];

    (void)state;
    setup.start_ms = 300;
    setup.restarts = 1;
    servers = open_one(&setup);
    begin_call(servers, &seen, "echo", "{}", 1);
    await_state(servers, MCP_UNAVAILABLE);
    state_of(servers, why, sizeof(why), NULL);
    assert_non_null(strstr(why, "within 300 ms"));
    await(&seen, &seen.ended);
    assert_int_equal(seen.end, TOOL_NOT_THERE);
    mcp_servers_close(servers);
}

static void one_that_is_not_there_is_given_up(void **state)
{
    struct mcp_setup setup = setup_of(MISSING);
    struct mcp_servers *servers;
    char why[400];

    (void)state;
    setup.restarts = 0;
    servers = open_one(&setup);
    await_state(servers, MCP_UNAVAILABLE);
    state_of(servers, why, sizeof(why), NULL);
    assert_true(why[0] != '\0');
    mcp_servers_close(servers);
}

static void one_that_floods_is_ended(void **state)
{
    struct mcp_setup setup = setup_of(FLOOD);
    struct mcp_servers *servers;
    char why[400];

    (void)state;
    setup.restarts = 0;
    servers = open_one(&setup);
    await_state(servers, MCP_UNAVAILABLE);
    state_of(servers, why, sizeof(why), NULL);
    assert_string_equal(why, "The server wrote more than can be taken.");
    mcp_servers_close(servers);
}

static void an_answer_that_is_too_long_ends_as_too_large(void **state)
{
    struct mcp_setup setup = setup_of(GOOD);
    struct mcp_servers *servers = open_one(&setup);
    struct seen seen;

    (void)state;
    call(servers, &seen, "big", "{\"bytes\":300000}"); /* more than a result may be */
    assert_int_equal(seen.end, TOOL_FLOODED);
    call(servers, &seen, "echo", "{\"text\":\"a\"}"); /* by the same program */
    assert_int_equal(seen.end, TOOL_FINE);
    call(servers, &seen, "big", "{\"bytes\":5000000}"); /* more than a message may be */
    assert_int_equal(seen.end, TOOL_FLOODED);
    call(servers, &seen, "echo", "{\"text\":\"b\"}"); /* by the next one */
    assert_int_equal(seen.end, TOOL_FINE);
    mcp_servers_close(servers);
}

static void calls_end_in_time_or_when_they_are_cancelled(void **state)
{
    struct mcp_setup setup = setup_of(GOOD);
    struct mcp_servers *servers;
    struct seen seen, other;

    (void)state;
    setup.timeout_ms = 300;
    servers = open_one(&setup);
    call(servers, &seen, "slow", "{}");
    assert_int_equal(seen.end, TOOL_TIMED_OUT);
    begin_call(servers, &other, "slow", "{}", 5);
    mcp_servers_cancel(servers, 5);
    mcp_servers_cancel(servers, 5);
    mcp_servers_cancel(servers, 77);
    await(&other, &other.ended);
    assert_int_equal(other.end, TOOL_CANCELLED);
    call(servers, &seen, "called_off", "{}");
    assert_string_equal(seen.text, "2");
    mcp_servers_close(servers);
    assert_int_equal(other.ended, 1);
}

static void what_it_asks_for_comes_back_to_it(void **state)
{
    static const int plays[] = { GOOD, MODERN };

    (void)state;
    for (size_t i = 0; i < sizeof(plays) / sizeof(*plays); i++) {
        struct mcp_setup setup = setup_of(plays[i]);
        struct mcp_servers *servers = open_one(&setup);
        struct seen seen;

        begin_call(servers, &seen, "ask", "{}", 9);
        await(&seen, &seen.asked);
        assert_string_equal(seen.asked_message, "Your name?");
        mcp_servers_answer(servers, 9, seen.asked_id, TOOL_ACCEPT, "{\"name\":\"Ada\"}");
        await(&seen, &seen.ended);
        assert_int_equal(seen.end, TOOL_FINE);
        assert_string_equal(seen.text, "Hello Ada");
        begin_call(servers, &seen, "ask", "{}", 10);
        await(&seen, &seen.asked);
        mcp_servers_answer(servers, 10, seen.asked_id, TOOL_DECLINE, NULL);
        await(&seen, &seen.ended);
        assert_string_equal(seen.text, "Nobody: decline");
        mcp_servers_close(servers);
    }
}

static void a_change_of_its_tools_is_noticed(void **state)
{
    static const int plays[] = { GOOD, MODERN };

    (void)state;
    for (size_t i = 0; i < sizeof(plays) / sizeof(*plays); i++) {
        struct mcp_setup setup = setup_of(plays[i]);
        struct mcp_servers *servers = open_one(&setup);
        struct seen seen;

        assert_false(has_tool(servers, "box__grown"));
        call(servers, &seen, "grow", "{}");
        for (int tries = 0; tries < 500 && !has_tool(servers, "box__grown"); tries++)
            usleep(10000);
        assert_true(has_tool(servers, "box__grown"));
        mcp_servers_close(servers);
    }
}

static void closing_ends_what_is_under_way(void **state)
{
    struct mcp_setup setup = setup_of(GOOD);
    struct mcp_servers *servers = open_one(&setup);
    struct seen slow[8], asks;

    (void)state;
    for (size_t i = 0; i < 8; i++)
        begin_call(servers, &slow[i], "slow", "{}", i + 1);
    begin_call(servers, &asks, "ask", "{}", 20);
    mcp_servers_close(servers);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(slow[i].ended, 1);
        assert_int_equal(slow[i].end, TOOL_CANCELLED);
    }
    assert_int_equal(asks.ended, 1);
}

static void only_so_many_calls_are_under_way(void **state)
{
    struct mcp_setup setup = setup_of(GOOD);
    struct mcp_servers *servers = open_one(&setup);
    struct tool tool = { .name = "slow", .server = "box", .server_tool = "slow", .schema = "{}" };
    struct tool_callbacks callbacks = { .done = see_done };
    struct seen seen;
    struct err err = { 0 };
    uint64_t id = 1;

    (void)state;
    seen_init(&seen);
    callbacks.user = &seen;
    for (; id <= LIMIT_MCP_CALLS; id++)
        assert_true(mcp_servers_call(servers, &tool, "{}", &callbacks, id, &err));
    assert_false(mcp_servers_call(servers, &tool, "{}", &callbacks, id, &err));
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    assert_false(mcp_servers_call(servers, &tool, "[]", &callbacks, id, &err));
    assert_string_equal(err.field, "arguments");
    tool.server = "other";
    assert_false(mcp_servers_call(servers, &tool, "{}", &callbacks, id, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    mcp_servers_close(servers);
    assert_int_equal(seen.ended, LIMIT_MCP_CALLS);
}

/* HTTP. */

static void over_http_a_session_is_kept_and_streams_are_read(void **state)
{
    static const int eras[] = { PLAYED_HANDSHAKE, PLAYED_STATELESS };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(eras) / sizeof(*eras); i++) {
        struct mcp_setup setup = { .name = "box",
                                   .url = url,
                                   .headers = secret_headers,
                                   .secrets = secrets_known(&arena, secrets),
                                   .timeout_ms = 5000,
                                   .restarts = 3 };
        struct mcp_servers *servers;
        struct seen seen;

        played_era(eras[i]);
        servers = open_one(&setup);
        assert_int_equal(state_of(servers, NULL, 0, NULL), MCP_READY);
        call(servers, &seen, "echo", "{\"text\":\"json\"}");
        assert_string_equal(seen.text, "json");
        call(servers, &seen, "stream", "{\"text\":\"events\"}");
        assert_string_equal(seen.text, "events");
        assert_true(seen.done == 1);
        begin_call(servers, &seen, "ask", "{}", 3);
        await(&seen, &seen.asked);
        mcp_servers_answer(servers, 3, seen.asked_id, TOOL_ACCEPT, "{\"name\":\"Ada\"}");
        await(&seen, &seen.ended);
        assert_string_equal(seen.text, "Hello Ada");
        call(servers, &seen, "quote", "{}"); /* what it was sent as a secret */
        assert_int_equal(seen.end, TOOL_ERROR);
        assert_null(strstr(seen.text, "s3cr3t"));
        assert_non_null(strstr(seen.text, "***"));
        mcp_servers_close(servers);
        assert_int_equal(played_complaints(), 0);
        assert_int_equal(played_farewells(), eras[i] == PLAYED_HANDSHAKE);
    }
}

static void over_http_a_stream_that_broke_off_is_taken_up_again(void **state)
{
    struct mcp_setup setup = { .name = "box", .url = url, .timeout_ms = 8000, .restarts = 3 };
    struct mcp_servers *servers;
    struct seen seen;

    (void)state;
    played_era(PLAYED_HANDSHAKE);
    servers = open_one(&setup);
    call(servers, &seen, "resume", "{}");
    assert_int_equal(seen.end, TOOL_FINE);
    assert_string_equal(seen.text, "resumed");
    call(servers, &seen, "cut", "{}"); /* its events have no ids */
    assert_int_equal(seen.end, TOOL_BROKE_OFF);
    mcp_servers_close(servers);
}

static void over_http_a_session_that_is_gone_is_begun_anew(void **state)
{
    struct mcp_setup setup = { .name = "box", .url = url, .timeout_ms = 8000, .restarts = 3 };
    struct mcp_servers *servers;
    struct seen seen;

    (void)state;
    played_era(PLAYED_HANDSHAKE);
    servers = open_one(&setup);
    played_forget();
    call(servers, &seen, "echo", "{\"text\":\"anew\"}");
    assert_int_equal(seen.end, TOOL_FINE);
    assert_string_equal(seen.text, "anew");
    mcp_servers_close(servers);
}

static void over_http_nobody_there_is_told_in_words(void **state)
{
    struct mcp_setup setup = { .name = "box", .url = "http://127.0.0.1:1/mcp", .timeout_ms = 1000 };
    struct mcp_servers *servers = open_one(&setup);
    char why[400];
    struct seen seen;

    (void)state;
    await_state(servers, MCP_UNAVAILABLE);
    state_of(servers, why, sizeof(why), NULL);
    assert_string_equal(why, "The server \"box\" cannot be reached.");
    call(servers, &seen, "echo", "{}");
    assert_int_equal(seen.end, TOOL_NOT_THERE);
    mcp_servers_close(servers);
}

static void fork_helper(void)
{
    static struct mcp_setup setups[PLAYS];
    static struct program list[PLAYS];
    const struct program *allowed[PLAYS];
    struct err err = { 0 };

    for (int i = 0; i < PLAYS; i++) {
        setups[i] = setup_of(i);
        toolbox_server_program(&setups[i], &list[i]);
        allowed[i] = &list[i];
    }
    if (!programs_fork(allowed, PLAYS, &programs, &err) || !programs_open(programs, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_lists_its_tools_and_runs_them),
        cmocka_unit_test(one_that_dies_in_a_call_is_started_again),
        cmocka_unit_test(one_that_always_dies_is_given_up),
        cmocka_unit_test(calls_wait_for_one_that_starts),
        cmocka_unit_test(call_of_a_tool_that_has_changed_is_not_made),
        cmocka_unit_test(one_that_hangs_is_given_up),
        cmocka_unit_test(one_that_is_not_there_is_given_up),
        cmocka_unit_test(one_that_floods_is_ended),
        cmocka_unit_test(an_answer_that_is_too_long_ends_as_too_large),
        cmocka_unit_test(calls_end_in_time_or_when_they_are_cancelled),
        cmocka_unit_test(what_it_asks_for_comes_back_to_it),
        cmocka_unit_test(a_change_of_its_tools_is_noticed),
        cmocka_unit_test(closing_ends_what_is_under_way),
        cmocka_unit_test(only_so_many_calls_are_under_way),
        cmocka_unit_test(over_http_a_session_is_kept_and_streams_are_read),
        cmocka_unit_test(over_http_a_stream_that_broke_off_is_taken_up_again),
        cmocka_unit_test(over_http_a_session_that_is_gone_is_begun_anew),
        cmocka_unit_test(over_http_nobody_there_is_told_in_words),
    };
    struct err err = { 0 };

    if (argc > 2 && strcmp(argv[1], "serve") == 0)
        return played_program(argv[2]);
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        return 1;
    fork_helper();
    if (!net_open(&net, &err))
        return 1;
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/mcp", played_http());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    programs_close(programs);
    net_close(net);
    return failed;
}
