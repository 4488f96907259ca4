/*
 * A session with an MCP server, which here is a table of answers: both eras, lists, calls, what is asked for
 * on the way, and servers that do not behave.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "toolbox/mcp_session.h"
#include "toolbox/secrets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t now_ms;

static int64_t test_now(void)
{
    return now_ms;
}

struct desk {
    struct mcp_session session;
    struct mcp_setup setup;
    char last[8192]; /* letter */
    const char *method, *name, *version;
    bool stateless;
    int64_t request, dropped;
    int sent;
    char header[200];
    int ended;
    enum tool_end end;
    char text[4096], data[1024];
    int asked;
    char asked_id[24], asked_message[400], asked_schema[1024], asked_url[400];
    double done;
    char words[100];
    int progressed;
};

static bool keep_letter(void *user, const struct mcp_letter *letter)
{
    struct desk *desk = user;

    assert_true(letter->len < sizeof(desk->last));
    assert_null(memchr(letter->text, '\n', letter->len));
    memcpy(desk->last, letter->text, letter->len + 1);
    desk->method = letter->method;
    desk->name = letter->name;
    desk->version = letter->version;
    desk->stateless = letter->stateless;
    if (letter->request >= 0)
        desk->request = letter->request;
    desk->header[0] = '\0';
    if (letter->headers)
        snprintf(desk->header, sizeof(desk->header), "%s", letter->headers[0]);
    desk->sent++;
    return true;
}

static void keep_drop(void *user, int64_t request)
{
    struct desk *desk = user;

    desk->dropped = request;
}

static void keep_end(void *user, struct mcp_errand *errand, const struct tool_result *result)
{
    struct desk *desk = user;

    desk->ended++;
    desk->end = result->end;
    snprintf(desk->text, sizeof(desk->text), "%s", result->text);
    snprintf(desk->data, sizeof(desk->data), "%s", result->data ? result->data : "");
    mcp_errand_free(errand);
}

static void keep_asked(void *user, const struct tool_elicitation *asked)
{
    struct desk *desk = user;

    desk->asked++;
    snprintf(desk->asked_id, sizeof(desk->asked_id), "%s", asked->id);
    snprintf(desk->asked_message, sizeof(desk->asked_message), "%s", asked->message);
    snprintf(desk->asked_schema, sizeof(desk->asked_schema), "%s", asked->schema ? asked->schema : "");
    snprintf(desk->asked_url, sizeof(desk->asked_url), "%s", asked->url ? asked->url : "");
}

static void keep_progress(void *user, double done, double total, const char *words)
{
    struct desk *desk = user;

    (void)total;
    snprintf(desk->words, sizeof(desk->words), "%s", words ? words : "");
    desk->progressed++;
    desk->done = done;
}

static void no_done(void *user, const struct tool_result *result)
{
    (void)user, (void)result;
}

static void begin(struct desk *desk, bool over_http)
{
    struct mcp_host host = { .over_http = over_http,
                             .now_ms = test_now,
                             .send = keep_letter,
                             .drop = keep_drop,
                             .ended = keep_end,
                             .user = desk };

    now_ms = 1000000;
    memset(desk, 0, sizeof(*desk));
    desk->setup = (struct mcp_setup){ .name = "box", .timeout_ms = 5000, .restarts = 3 };
    desk->dropped = -1;
    mcp_session_begin(&desk->session, &desk->setup, &host);
}

static void done(struct desk *desk)
{
    mcp_session_end(&desk->session, TOOL_BROKE_OFF, "The end.");
}

/* What the server says; %ld in it stands for the number of the last request. */
static void say_on(struct desk *desk, const char *text, int64_t stream)
{
    char message[8192];
    const char *mark = strstr(text, "$ID");

    if (mark)
        snprintf(message, sizeof(message), "%.*s%ld%s", (int)(mark - text), text, (long)desk->request,
                 mark + 3);
    else
        snprintf(message, sizeof(message), "%s", text);
    mcp_session_take(&desk->session, message, strlen(message), stream);
}

static void say(struct desk *desk, const char *text)
{
    say_on(desk, text, -1);
}

#define ANSWER(result) "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":" result "}"
#define REFUSAL(code)  "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":" code ",\"message\":\"No.\"}}"
#define ADD_TOOL \
    "{\"name\":\"add\",\"description\":\"Adds.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}}"

/* Up to a list with one tool, in the older era. */
static void shake_hands(struct desk *desk, bool over_http)
{
    begin(desk, over_http);
    say(desk, REFUSAL("-32601"));
    assert_string_equal(desk->method, "initialize");
    say(desk,
        ANSWER("{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{\"listChanged\":true}},"
               "\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}"));
    assert_string_equal(desk->method, "tools/list");
    assert_string_equal(desk->version, "2025-06-18");
    say(desk, ANSWER("{\"tools\":[" ADD_TOOL "]}"));
    assert_int_equal(desk->session.stage, MCP_TALKING);
    assert_false(desk->session.is_broken);
}

/* The same in the newer one. */
static void discover(struct desk *desk, bool over_http)
{
    begin(desk, over_http);
    say(desk, ANSWER("{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
                     "\"capabilities\":{\"tools\":{\"listChanged\":true}}}"));
    assert_string_equal(desk->method, "tools/list");
    assert_true(desk->stateless);
    assert_non_null(strstr(desk->last, "io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""));
    say(desk, ANSWER("{\"resultType\":\"complete\",\"tools\":[" ADD_TOOL "]}"));
    assert_int_equal(desk->session.stage, MCP_TALKING);
    assert_string_equal(desk->method, "subscriptions/listen");
}

static struct mcp_errand *call_with(struct desk *desk, const char *arguments, const char *schema, bool asks)
{
    struct mcp_errand *errand = calloc(1, sizeof(*errand));

    errand->request = -1;
    errand->timeout_ms = desk->setup.timeout_ms;
    errand->began_ms = now_ms;
    errand->tool = "add";
    errand->arguments = arguments;
    errand->schema = schema;
    errand->callbacks = (struct tool_callbacks){
        .asked = asks ? keep_asked : NULL, .progress = keep_progress, .done = no_done, .user = desk
    };
    mcp_session_call(&desk->session, errand);
    return errand;
}

static struct mcp_errand *call(struct desk *desk)
{
    return call_with(desk, "{\"a\":1}", "{\"type\":\"object\"}", true);
}

/* Beginning. */

static void an_older_server_is_greeted_and_listed(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    assert_int_equal(desk.session.listed->count, 1);
    const struct tool *tool = &desk.session.listed->tools[0];

    assert_string_equal(tool->name, "box__add");
    assert_string_equal(tool->server_tool, "add");
    assert_string_equal(tool->description, "Adds.");
    assert_int_equal(strlen(tool->digest), 64);
    done(&desk);
}

static void a_newer_server_is_never_greeted(void **state)
{
    struct desk desk;

    (void)state;
    discover(&desk, false);
    assert_string_equal(desk.session.version, "2026-07-28");
    done(&desk);
}

static void a_silent_server_is_greeted_and_then_given_up(void **state)
{
    struct desk desk;

    (void)state;
    begin(&desk, false);
    assert_int_equal(mcp_session_due(&desk.session), now_ms + MCP_PROBE_MS);
    now_ms += MCP_PROBE_MS - 1;
    mcp_session_tick(&desk.session);
    assert_string_equal(desk.method, "server/discover");
    now_ms++;
    mcp_session_tick(&desk.session);
    assert_string_equal(desk.method, "initialize");
    assert_false(desk.session.is_broken);
    now_ms += MCP_START_MS;
    mcp_session_tick(&desk.session);
    assert_true(desk.session.is_broken);
    assert_non_null(strstr(desk.session.why, "within 60000 ms"));
    done(&desk);
}

/* It answers what it was asked first after it was greeted already. */
static void a_slow_newer_server_is_not_lost(void **state)
{
    struct desk desk;

    (void)state;
    begin(&desk, false);
    now_ms += MCP_PROBE_MS;
    mcp_session_tick(&desk.session);
    say(&desk, "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"No.\"}}");
    assert_false(desk.session.is_broken);
    say(&desk,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}}");
    assert_string_equal(desk.method, "tools/list");
    assert_true(desk.session.stateless);
    done(&desk);
}

static void versions_that_nobody_knows_break_it(void **state)
{
    struct desk desk;

    (void)state;
    begin(&desk, false);
    say(&desk,
        "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32022,\"message\":\"No.\",\"data\":{\"supported\":[\"2031-01-01\"]}}}");
    assert_true(desk.session.is_broken);
    done(&desk);
    begin(&desk, false);
    say(&desk,
        "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32022,\"message\":\"No.\",\"data\":{\"supported\":[\"2025-11-25\"]}}}");
    assert_string_equal(desk.method, "initialize");
    say(&desk, ANSWER("{\"protocolVersion\":\"2031-01-01\",\"capabilities\":{}}"));
    assert_true(desk.session.is_broken);
    assert_non_null(strstr(desk.session.why, "2031-01-01"));
    done(&desk);
}

static void over_http_a_refusal_says_which_era_it_is(void **state)
{
    static const char modern[] =
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32020,\"message\":\"Bad header.\"}}";
    struct mcp_failure failure = { .loss = MCP_REFUSED,
                                   .status = 400,
                                   .why = "The server answers with 400.",
                                   .body = "nothing",
                                   .body_len = 7 };
    struct desk desk;

    (void)state;
    begin(&desk, true);
    mcp_session_failed(&desk.session, desk.request, &failure);
    assert_string_equal(desk.method, "initialize");
    assert_null(desk.version);
    done(&desk);
    begin(&desk, true);
    failure.body = modern;
    failure.body_len = strlen(modern);
    mcp_session_failed(&desk.session, desk.request, &failure);
    assert_true(desk.session.is_broken);
    done(&desk);
    begin(&desk, true);
    failure = (struct mcp_failure){
        .loss = MCP_REFUSED, .status = 401, .why = "It does not let us in.", .body = ""
    };
    mcp_session_failed(&desk.session, desk.request, &failure);
    assert_true(desk.session.is_broken);
    assert_string_equal(desk.session.why, "It does not let us in.");
    done(&desk);
}

/* Lists. */

static void lists_have_pages_and_bad_tools_are_left_out(void **state)
{
    struct desk desk;

    (void)state;
    begin(&desk, false);
    say(&desk, ANSWER("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}"));
    say(&desk,
        ANSWER("{\"tools\":[" ADD_TOOL ",{\"name\":\"none\"},{\"name\":\"odd\",\"inputSchema\":{\"type\":7}},"
               "{\"name\":\"list\",\"inputSchema\":{\"type\":\"array\"}}," ADD_TOOL
               ",7],\"nextCursor\":\"p2\"}"));
    assert_non_null(strstr(desk.last, "\"cursor\":\"p2\""));
    assert_null(desk.session.listed);
    say(&desk, ANSWER("{\"tools\":[{\"name\":\"a/b c\",\"inputSchema\":{\"type\":\"object\"}}]}"));
    assert_int_equal(desk.session.listed->count, 2);
    assert_int_equal(desk.session.listed->left_out, 5);
    assert_string_equal(desk.session.listed->tools[1].name, "box__a_b_c");
    assert_string_equal(desk.session.listed->tools[1].server_tool, "a/b c");
    done(&desk);
}

static void endless_pages_come_to_an_end(void **state)
{
    struct desk desk;

    (void)state;
    begin(&desk, false);
    say(&desk, ANSWER("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}"));
    for (int i = 0; i < 2 * LIMIT_MCP_PAGES && desk.session.stage != MCP_TALKING; i++)
        say(&desk, ANSWER("{\"tools\":[],\"nextCursor\":\"on\"}"));
    assert_int_equal(desk.session.stage, MCP_TALKING);
    done(&desk);
}

static void rules_of_the_operator_hold_and_hints_do_not(void **state)
{
    static const struct mcp_rule rules[] = {
        { .name = "add", .needs_approval = true, .idempotent = true, .category = "fileChanges" },
        { .name = "gone", .off = true },
    };
    struct desk desk;

    (void)state;
    begin(&desk, false);
    desk.setup.rules = rules;
    desk.setup.rule_count = 2;
    desk.setup.all.alone = true;
    say(&desk, ANSWER("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}"));
    say(&desk, ANSWER("{\"tools\":[" ADD_TOOL ",{\"name\":\"gone\",\"inputSchema\":{\"type\":\"object\"}},"
                      "{\"name\":\"sure\",\"annotations\":{\"readOnlyHint\":true,\"idempotentHint\":true},"
                      "\"inputSchema\":{\"type\":\"object\"}}]}"));
    assert_int_equal(desk.session.listed->count, 2);
    assert_int_equal(desk.session.listed->left_out, 0);
    const struct tool *add = &desk.session.listed->tools[0], *sure = &desk.session.listed->tools[1];

    assert_true(add->needs_approval && add->idempotent && !add->alone);
    assert_string_equal(add->category, "fileChanges");
    assert_true(!sure->needs_approval && !sure->idempotent && sure->alone);
    done(&desk);
}

static void a_change_is_listed_anew_but_not_too_often(void **state)
{
    static const char changed[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
    struct desk desk;
    char before[80];

    (void)state;
    shake_hands(&desk, false);
    snprintf(before, sizeof(before), "%s", desk.session.listed->tools[0].digest);
    int sent = desk.sent;

    for (int i = 0; i < 100; i++) {
        say(&desk, changed);
        mcp_session_tick(&desk.session);
    }
    assert_int_equal(desk.sent, sent);
    now_ms += 1000;
    mcp_session_tick(&desk.session);
    mcp_session_tick(&desk.session);
    assert_int_equal(desk.sent, sent + 1);
    say(&desk,
        ANSWER(
            "{\"tools\":[{\"name\":\"add\",\"description\":\"Adds, and sends it away.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}}]}"));
    assert_string_not_equal(desk.session.listed->tools[0].digest, before);
    done(&desk);
}

static void the_order_of_a_schema_is_no_change(void **state)
{
    struct desk desk;
    char before[80];

    (void)state;
    shake_hands(&desk, false);
    snprintf(before, sizeof(before), "%s", desk.session.listed->tools[0].digest);
    done(&desk);
    begin(&desk, false);
    say(&desk, ANSWER("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}"));
    say(&desk,
        ANSWER(
            "{\"tools\":[{\"inputSchema\":{\"properties\":{\"a\":{\"type\":\"integer\"}},\"type\":\"object\"},\"description\":\"Adds.\",\"name\":\"add\"}]}"));
    assert_string_equal(desk.session.listed->tools[0].digest, before);
    done(&desk);
}

static void a_list_that_never_comes_keeps_the_old_one(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    say(&desk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
    now_ms += 1000;
    mcp_session_tick(&desk.session);
    assert_string_equal(desk.method, "tools/list");
    assert_true(mcp_session_due(&desk.session) > now_ms);
    now_ms += MCP_START_MS;
    mcp_session_tick(&desk.session);
    assert_false(desk.session.is_broken);
    assert_null(desk.session.coming);
    assert_null(desk.session.pending);
    assert_int_equal(mcp_session_due(&desk.session), now_ms + MCP_RELIST_MS);
    done(&desk);
}

static void names_are_cut_and_stay_apart(void **state)
{
    char long_a[120], long_b[120];
    ARENA_AUTO arena = { 0 };

    (void)state;
    memset(long_a, 'x', sizeof(long_a));
    long_a[100] = '\0';
    memcpy(long_b, long_a, sizeof(long_a));
    long_b[99] = 'y';
    const char *a = mcp_tool_name(&arena, "box", long_a), *b = mcp_tool_name(&arena, "box", long_b);

    assert_int_equal(strlen(a), 64);
    assert_string_not_equal(a, b);
}

/* Rules go by the server's own names, and what waits for a server is known by the model's. */
static void rules_hold_for_what_is_not_listed_yet(void **state)
{
    char long_name[120], long_twin[120];
    const struct mcp_rule rules[] = {
        { .name = "files.write", .needs_approval = true },
        { .name = long_name, .needs_approval = true },
        { .name = "a.b", .off = true },
        { .name = "one.two", .idempotent = true },
        { .name = "one/two", .needs_approval = true },
    };
    const struct mcp_setup setup = { .name = "box", .rules = rules, .rule_count = 5 };
    ARENA_AUTO arena = { 0 };
    struct tool tool;

    (void)state;
    memset(long_name, 'x', sizeof(long_name));
    long_name[100] = '\0';
    memcpy(long_twin, long_name, sizeof(long_name));
    long_twin[99] = 'y';
    assert_true(mcp_tool_awaited(&setup, "box__files_write", &tool) && tool.needs_approval);
    assert_true(mcp_tool_awaited(&setup, mcp_tool_name(&arena, "box", long_name), &tool) &&
                tool.needs_approval);
    assert_true(mcp_tool_awaited(&setup, mcp_tool_name(&arena, "box", long_twin), &tool) &&
                !tool.needs_approval);
    assert_true(mcp_tool_awaited(&setup, "box__other", &tool) && !tool.needs_approval);
    assert_false(mcp_tool_awaited(&setup, "box__a_b", &tool));
    /* It may be either, and only the server's list tells. */
    assert_false(mcp_tool_awaited(&setup, "box__one_two", &tool));
    assert_false(mcp_tool_awaited(&setup, "bo__other", &tool));
}

/* Calls. */

static void a_call_brings_its_text_and_its_data(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    call(&desk);
    assert_string_equal(desk.name, "add");
    assert_non_null(strstr(desk.last, "\"arguments\":{\"a\":1}"));
    assert_non_null(strstr(desk.last, "\"_meta\":{\"progressToken\":"));
    say(&desk,
        ANSWER(
            "{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAAAAAA\"},"
            "{\"type\":\"text\",\"text\":\"two\"},{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"A\"},"
            "{\"type\":\"resource\",\"resource\":{\"uri\":\"x:1\",\"mimeType\":\"text/plain\",\"text\":\"inside\"}},{\"type\":\"new\"}],"
            "\"structuredContent\":{\"sum\":3}}"));
    assert_int_equal(desk.ended, 1);
    assert_int_equal(desk.end, TOOL_FINE);
    assert_string_equal(desk.text,
                        "one\n[image, image/png, 6 bytes that are not shown]\ntwo\n[link file:///a: A]\n"
                        "[resource x:1, text/plain]\ninside\n[a part of the kind \"new\" that is not shown]");
    assert_string_equal(desk.data, "{\"sum\":3}");
    done(&desk);
    assert_int_equal(desk.ended, 1);
}

static void a_failure_is_told_as_one(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    call(&desk);
    say(&desk, ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"No such file.\"}],\"isError\":true}"));
    assert_int_equal(desk.end, TOOL_ERROR);
    assert_string_equal(desk.text, "No such file.");
    call(&desk);
    say(&desk, REFUSAL("-32602"));
    assert_int_equal(desk.end, TOOL_ERROR);
    assert_non_null(strstr(desk.text, "No."));
    call(&desk);
    say(&desk, ANSWER("{\"resultType\":\"task\",\"taskId\":\"1\"}"));
    assert_int_equal(desk.end, TOOL_ERROR);
    call(&desk);
    say(&desk, ANSWER("{\"nothing\":true}"));
    assert_int_equal(desk.end, TOOL_ERROR);
    assert_int_equal(desk.ended, 4);
    done(&desk);
}

static void too_much_is_not_taken(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    desk.setup.output_most = 10;
    call(&desk);
    say(&desk, ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"12345678901\"}]}"));
    assert_int_equal(desk.end, TOOL_FLOODED);
    call(&desk);
    say(&desk, ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"1234567890\"}]}"));
    assert_int_equal(desk.end, TOOL_FINE);
    call(&desk);
    say(&desk, ANSWER("{\"content\":[],\"structuredContent\":{\"a\":\"1234567890\"}}"));
    assert_int_equal(desk.end, TOOL_FLOODED);
    done(&desk);
}

static void a_call_that_takes_too_long_is_called_off(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    call(&desk);
    int64_t request = desk.request;

    now_ms += 4999;
    mcp_session_tick(&desk.session);
    assert_int_equal(desk.ended, 0);
    now_ms++;
    mcp_session_tick(&desk.session);
    assert_int_equal(desk.end, TOOL_TIMED_OUT);
    assert_string_equal(desk.method, "notifications/cancelled");
    char id[40];

    snprintf(id, sizeof(id), "\"requestId\":%ld", (long)request);
    assert_non_null(strstr(desk.last, id));
    say(&desk, ANSWER("{\"content\":[]}")); /* too late */
    assert_int_equal(desk.ended, 1);
    done(&desk);
}

static void progress_puts_the_end_off_but_not_for_ever(void **state)
{
    struct desk desk;
    char progress[200];

    (void)state;
    shake_hands(&desk, false);
    call(&desk);
    snprintf(
        progress, sizeof(progress),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%ld,\"progress\":2,\"total\":4}}",
        (long)desk.request);
    for (int i = 0; i < 12; i++) {
        now_ms += 4000;
        say(&desk, progress);
        say(&desk, progress);
        mcp_session_tick(&desk.session);
        assert_int_equal(desk.ended, 0);
        assert_int_equal(desk.progressed, i + 1);
    }
    assert_true(desk.done == 2);
    now_ms += 2000;
    say(&desk, progress);
    mcp_session_tick(&desk.session);
    assert_int_equal(desk.end, TOOL_TIMED_OUT);
    say(&desk, progress);
    done(&desk);
}

static void a_cancelled_call_is_called_off_once(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    mcp_session_cancel(&desk.session, call(&desk));
    assert_int_equal(desk.end, TOOL_CANCELLED);
    assert_string_equal(desk.method, "notifications/cancelled");
    done(&desk);
    discover(&desk, true); /* there the closed stream says it */
    struct mcp_errand *errand = call(&desk);
    int sent = desk.sent;

    mcp_session_cancel(&desk.session, errand);
    assert_int_equal(desk.sent, sent);
    assert_int_equal(desk.dropped, desk.request);
    done(&desk);
}

static void what_is_under_way_at_the_end_has_broken_off(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    call(&desk);
    call(&desk);
    done(&desk);
    assert_int_equal(desk.ended, 2);
    assert_int_equal(desk.end, TOOL_BROKE_OFF);
    assert_string_equal(desk.text, "The end.");
}

static void answers_to_nobody_are_passed_over(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    call(&desk);
    say(&desk, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{\"content\":[]}}");
    say(&desk, "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{\"content\":[]}}");
    say(&desk, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\"}}");
    say(&desk, "no JSON at all");
    say(&desk, "[]");
    say(&desk, "{\"jsonrpc\":\"1.0\",\"id\":$ID,\"result\":{\"content\":[]}}");
    assert_int_equal(desk.ended, 0);
    say(&desk, ANSWER("{\"content\":[]}"));
    say(&desk, ANSWER("{\"content\":[]}"));
    assert_int_equal(desk.ended, 1);
    assert_false(desk.session.is_broken);
    done(&desk);
}

/* What a server asks for. */

static void servers_are_answered_when_they_ask(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    say(&desk, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}");
    assert_string_equal(desk.last, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}");
    say(&desk, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"sampling/createMessage\",\"params\":{}}");
    assert_non_null(strstr(desk.last, "\"id\":5,\"error\":{\"code\":-32601"));
    say(&desk, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"roots/list\"}");
    assert_non_null(strstr(desk.last, "\"id\":6,\"error\":{\"code\":-32601"));
    done(&desk);
}

#define ELICIT(id, more) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id \
    ",\"method\":\"elicitation/create\",\"params\":{\"message\":\"Which?\"" more "}}"
#define FORM \
    ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}"

static void a_form_is_asked_and_time_stands_still(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    struct mcp_errand *errand = call(&desk);

    say(&desk, ELICIT("41", FORM));
    assert_int_equal(desk.asked, 1);
    assert_string_equal(desk.asked_message, "Which?");
    assert_non_null(strstr(desk.asked_schema, "\"name\""));
    now_ms += 100 * 5000;
    mcp_session_tick(&desk.session);
    assert_int_equal(desk.ended, 0);
    mcp_session_answer(&desk.session, errand, "e77", TOOL_ACCEPT, "{\"name\":\"x\"}");
    mcp_session_answer(&desk.session, errand, desk.asked_id, TOOL_ACCEPT, "{\"name\":\"Ada\"}");
    assert_string_equal(
        desk.last,
        "{\"jsonrpc\":\"2.0\",\"id\":41,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}}");
    int sent = desk.sent;

    mcp_session_answer(&desk.session, errand, desk.asked_id, TOOL_ACCEPT, "{\"name\":\"Bob\"}");
    assert_int_equal(desk.sent, sent);
    now_ms += 5000;
    mcp_session_tick(&desk.session);
    assert_int_equal(desk.end, TOOL_TIMED_OUT);
    done(&desk);
}

static void an_answer_that_does_not_fit_is_none(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    struct mcp_errand *errand = call(&desk);

    say(&desk, ELICIT("41", FORM));
    mcp_session_answer(&desk.session, errand, desk.asked_id, TOOL_ACCEPT, "{\"name\":7}");
    assert_non_null(strstr(desk.last, "{\"action\":\"cancel\"}"));
    say(&desk, ELICIT("42", FORM));
    mcp_session_answer(&desk.session, errand, desk.asked_id, TOOL_DECLINE, NULL);
    assert_non_null(strstr(desk.last, "{\"action\":\"decline\"}"));
    say(&desk, ELICIT("43", ",\"requestedSchema\":{\"type\":9}"));
    assert_non_null(strstr(desk.last, "\"id\":43,\"result\":{\"action\":\"cancel\"}"));
    say(&desk, ELICIT("44", ",\"mode\":\"url\",\"url\":\"javascript:alert(1)\""));
    assert_non_null(strstr(desk.last, "\"id\":44,\"result\":{\"action\":\"cancel\"}"));
    assert_int_equal(desk.asked, 2);
    say(&desk, ELICIT("45", ",\"mode\":\"url\",\"elicitationId\":\"z\",\"url\":\"https://example.org/pay\""));
    assert_string_equal(desk.asked_url, "https://example.org/pay");
    assert_string_equal(desk.asked_schema, "");
    mcp_session_answer(&desk.session, errand, desk.asked_id, TOOL_ACCEPT, NULL);
    assert_non_null(strstr(desk.last, "\"id\":45,\"result\":{\"action\":\"accept\"}"));
    done(&desk);
}

static void nobody_is_asked_where_nobody_could_tell(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    say(&desk, ELICIT("40", FORM));
    assert_non_null(strstr(desk.last, "\"id\":40,\"error\":{"));
    call(&desk);
    call(&desk);
    say(&desk, ELICIT("41", FORM));
    assert_non_null(strstr(desk.last, "\"id\":41,\"error\":{"));
    say_on(&desk, ELICIT("46", FORM), 9999); /* a stream of nobody's */
    assert_non_null(strstr(desk.last, "\"id\":46,\"error\":{"));
    assert_int_equal(desk.asked, 0);
    say_on(&desk, ELICIT("42", FORM), desk.request); /* a stream says whose it is */
    assert_int_equal(desk.asked, 1);
    done(&desk);
    shake_hands(&desk, false);
    call_with(&desk, "{}", "{}", false);
    say(&desk, ELICIT("43", FORM));
    assert_non_null(strstr(desk.last, "\"id\":43,\"result\":{\"action\":\"decline\"}"));
    done(&desk);
}

static void what_is_asked_for_a_call_that_was_given_up_is_asked_nobody(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    struct mcp_errand *errand = call(&desk);
    long cancelled = (long)desk.request;
    char answer[100];

    mcp_session_cancel(&desk.session, errand);
    call(&desk);
    int64_t late = desk.request;

    say(&desk, ELICIT("41", FORM));
    assert_non_null(strstr(desk.last, "\"id\":41,\"error\":{"));
    now_ms += 5000;
    mcp_session_tick(&desk.session);
    assert_int_equal(desk.end, TOOL_TIMED_OUT);
    snprintf(answer, sizeof(answer), "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[]}}",
             cancelled);
    say(&desk, answer);
    call(&desk);
    say(&desk, ELICIT("42", FORM));
    assert_non_null(strstr(desk.last, "\"id\":42,\"error\":{"));
    assert_int_equal(desk.asked, 0);
    snprintf(answer, sizeof(answer), "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[]}}",
             (long)late);
    say(&desk, answer);
    say(&desk, ELICIT("43", FORM));
    assert_int_equal(desk.asked, 1);
    done(&desk);
}

static void a_call_that_was_given_up_is_forgotten_in_time(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    for (int i = 0; i < LIMIT_MCP_CALLS + 1; i++)
        mcp_session_cancel(&desk.session, call(&desk));
    now_ms += 59 * 1000;
    call(&desk);
    say(&desk, ELICIT("41", FORM));
    assert_int_equal(desk.asked, 0);
    now_ms += 1000;
    say(&desk, ELICIT("42", FORM));
    assert_int_equal(desk.asked, 1);
    done(&desk);
}

static void a_call_that_waits_for_people_asks_nothing_more(void **state)
{
    struct desk desk;

    (void)state;
    shake_hands(&desk, false);
    call(&desk);
    say(&desk, ELICIT("41", FORM));
    struct mcp_errand *second = call(&desk);

    say(&desk, ELICIT("42", FORM));
    assert_int_equal(desk.asked, 2);
    mcp_session_answer(&desk.session, second, desk.asked_id, TOOL_ACCEPT, "{\"name\":\"Ada\"}");
    assert_non_null(strstr(desk.last, "\"id\":42,\"result\":{\"action\":\"accept\""));
    done(&desk);
}

/* Wherever it says it: in an error, a list, a question, progress, a result. */
static void what_it_was_given_it_does_not_give_on(void **state)
{
    static const char *const secrets[] = { "Bearer s3cr3t-s3cr3t", "s3cr3t-s3cr3t", "short", NULL };
    ARENA_AUTO arena = { 0 };
    struct mcp_failure failure = { .loss = MCP_REFUSED, .status = 400, .why = "It answers with 400." };
    struct desk desk;

    (void)state;
    begin(&desk, true);
    desk.setup.secrets = secrets_known(&arena, secrets);
    failure.body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32020,\"message\":\"Not for Bearer "
                   "s3cr3t-s3cr3t.\"}}";
    failure.body_len = strlen(failure.body);
    mcp_session_failed(&desk.session, desk.request, &failure);
    assert_non_null(strstr(desk.session.why, "Not for ***."));
    done(&desk);
    shake_hands(&desk, false);
    desk.setup.secrets = secrets_known(&arena, secrets);
    call(&desk);
    say(&desk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":$ID,"
               "\"progress\":1,\"message\":\"With s3cr3t-s3cr3t.\"}}");
    assert_string_equal(desk.words, "With ***.");
    say(&desk, "{\"jsonrpc\":\"2.0\",\"id\":41,\"method\":\"elicitation/create\",\"params\":{\"message\":"
               "\"s3cr3t\\u002ds3cr3t?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":"
               "{\"key\":{\"type\":\"string\",\"title\":\"Not s3cr3t-s3cr3t\"}}}}}");
    assert_string_equal(desk.asked_message, "***?");
    assert_non_null(strstr(desk.asked_schema, "\"title\":\"Not ***\""));
    say(&desk, ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"s3cr3t-s3cr3t and short\"}],"
                      "\"structuredContent\":{\"key\":[\"s3cr3t-s3cr3t\"]}}"));
    assert_string_equal(desk.text, "*** and short");
    assert_string_equal(desk.data, "{\"key\":[\"***\"]}");
    done(&desk);
}

static void endless_questions_are_declined(void **state)
{
    struct desk desk;
    char question[300];

    (void)state;
    shake_hands(&desk, false);
    struct mcp_errand *errand = call(&desk);

    for (int i = 0; i < 100; i++) {
        snprintf(question, sizeof(question), ELICIT("%d", FORM), 100 + i);
        say(&desk, question);
        mcp_session_answer(&desk.session, errand, desk.asked_id, TOOL_ACCEPT, "{\"name\":\"x\"}");
    }
    assert_int_equal(desk.asked, LIMIT_MCP_ROUNDS);
    assert_non_null(strstr(desk.last, "decline"));
    done(&desk);
}

static void a_newer_server_asks_by_a_result(void **state)
{
    struct desk desk;

    (void)state;
    discover(&desk, true);
    struct mcp_errand *errand = call(&desk);
    int64_t first = desk.request;

    say(&desk,
        ANSWER(
            "{\"resultType\":\"input_required\",\"requestState\":\"sealed\",\"inputRequests\":{\"who\":{\"method\":\"elicitation/create\","
            "\"params\":{\"mode\":\"form\",\"message\":\"Who?\"" FORM "}}}}"));
    assert_int_equal(desk.asked, 1);
    now_ms += 1000 * 5000;
    mcp_session_tick(&desk.session);
    assert_int_equal(desk.ended, 0);
    mcp_session_answer(&desk.session, errand, desk.asked_id, TOOL_ACCEPT, "{\"name\":\"Ada\"}");
    assert_true(desk.request > first);
    assert_non_null(strstr(
        desk.last,
        "\"inputResponses\":{\"who\":{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}},\"requestState\":\"sealed\""));
    say(&desk,
        ANSWER("{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"Hello Ada\"}]}"));
    assert_int_equal(desk.end, TOOL_FINE);
    assert_string_equal(desk.text, "Hello Ada");
    done(&desk);
}

static void several_things_are_asked_for_one_after_the_other(void **state)
{
    struct desk desk;

    (void)state;
    discover(&desk, true);
    struct mcp_errand *errand = call(&desk);
    int64_t first = desk.request;

    say(&desk,
        ANSWER(
            "{\"resultType\":\"input_required\",\"inputRequests\":{\"a\":{\"method\":\"elicitation/create\","
            "\"params\":{\"message\":\"A?\"" FORM
            "}},\"b\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"B?\"" FORM "}}}}"));
    assert_int_equal(desk.asked, 1);
    assert_string_equal(desk.asked_message, "A?");
    mcp_session_answer(&desk.session, errand, desk.asked_id, TOOL_ACCEPT, "{\"name\":\"x\"}");
    assert_int_equal(desk.asked, 2);
    assert_string_equal(desk.asked_message, "B?");
    assert_int_equal(desk.request, first);
    mcp_session_answer(&desk.session, errand, desk.asked_id, TOOL_DECLINE, NULL);
    assert_true(desk.request > first);
    assert_non_null(
        strstr(desk.last,
               "\"a\":{\"action\":\"accept\",\"content\":{\"name\":\"x\"}},\"b\":{\"action\":\"decline\"}"));
    done(&desk);
}

static void a_newer_server_cannot_go_round_for_ever(void **state)
{
    struct desk desk;

    (void)state;
    discover(&desk, true);
    call(&desk);
    for (int i = 0; i < 2 * LIMIT_MCP_ROUNDS && desk.ended == 0; i++)
        say(&desk, ANSWER("{\"resultType\":\"input_required\",\"requestState\":\"s\"}"));
    assert_int_equal(desk.end, TOOL_ERROR);
    call(&desk);
    say(&desk,
        ANSWER(
            "{\"resultType\":\"input_required\",\"inputRequests\":{\"m\":{\"method\":\"sampling/createMessage\",\"params\":{}}}}"));
    assert_int_equal(desk.ended, 2);
    assert_int_equal(desk.end, TOOL_ERROR);
    call(&desk);
    say(&desk, ANSWER("{\"resultType\":\"input_required\"}"));
    assert_int_equal(desk.ended, 3);
    done(&desk);
}

static void a_link_may_come_as_an_error(void **state)
{
    struct desk desk;

    (void)state;
    for (int accepted = 0; accepted < 2; accepted++) {
        shake_hands(&desk, false);
        struct mcp_errand *errand = call(&desk);

        say(&desk,
            "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32042,\"message\":\"Log in.\",\"data\":{\"elicitations\":"
            "[{\"mode\":\"url\",\"elicitationId\":\"q\",\"url\":\"https://example.org/in\",\"message\":\"Log in\"}]}}}");
        assert_string_equal(desk.asked_url, "https://example.org/in");
        int sent = desk.sent;

        mcp_session_answer(&desk.session, errand, desk.asked_id, accepted ? TOOL_ACCEPT : TOOL_DECLINE, NULL);
        assert_int_equal(desk.sent, sent + accepted);
        assert_int_equal(desk.ended, 1 - accepted);
        done(&desk);
    }
}

/* HTTP. */

static void a_request_that_came_to_nothing_ends_in_words(void **state)
{
    static const struct {
        enum mcp_loss loss;
        int status;
        enum tool_end end;
    } cases[] = {
        { MCP_UNREACHED, 0, TOOL_NOT_THERE }, { MCP_REFUSED, 401, TOOL_NOT_THERE },
        { MCP_REFUSED, 422, TOOL_ERROR },     { MCP_REFUSED, 502, TOOL_BROKE_OFF },
        { MCP_CUT_OFF, 0, TOOL_BROKE_OFF },   { MCP_TOO_LARGE, 0, TOOL_FLOODED },
    };
    struct desk desk;

    (void)state;
    discover(&desk, true);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct mcp_failure failure = {
            .loss = cases[i].loss, .status = cases[i].status, .why = "So it was.", .body = ""
        };

        call(&desk);
        mcp_session_failed(&desk.session, desk.request, &failure);
        assert_int_equal(desk.ended, (int)i + 1);
        assert_int_equal(desk.end, cases[i].end);
        assert_string_equal(desk.text, "So it was.");
        mcp_session_failed(&desk.session, desk.request, &failure); /* once */
        assert_int_equal(desk.ended, (int)i + 1);
    }
    done(&desk);
}

static void calls_into_a_session_that_is_gone_wait_for_the_next(void **state)
{
    struct mcp_failure failure = {
        .loss = MCP_REFUSED, .status = 404, .in_session = true, .why = "404", .body = ""
    };
    struct desk desk;

    (void)state;
    shake_hands(&desk, true);
    struct mcp_errand *first = call(&desk);
    int64_t request = desk.request;
    struct mcp_errand *second = call(&desk);

    call(&desk);
    mcp_session_failed(&desk.session, request, &failure);
    assert_false(mcp_session_talks(&desk.session));
    assert_false(desk.session.is_broken); /* what the others came to is not known yet */
    mcp_session_failed(&desk.session, request + 1, &failure);
    assert_false(desk.session.is_broken);
    say(&desk, ANSWER("{\"content\":[]}"));
    assert_int_equal(desk.ended, 1);
    assert_true(desk.session.is_broken);
    assert_ptr_equal(desk.session.again, second);
    assert_ptr_equal(desk.session.again->next, first);
    done(&desk);
    assert_int_equal(desk.ended, 1);
    mcp_errand_free(first);
    mcp_errand_free(second);
}

static void arguments_that_headers_repeat(void **state)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}}}";
    struct desk desk;

    (void)state;
    discover(&desk, true);
    call_with(&desk, "{\"region\":\"us-west1\"}", schema, true);
    assert_string_equal(desk.header, "Mcp-Param-Region: us-west1");
    call_with(&desk, "{\"region\":\"\\u4e16\"}", schema, true);
    assert_string_equal(desk.header, "Mcp-Param-Region: =?base64?5LiW?=");
    call_with(&desk, "{\"region\":\"a\\r\\nEvil: 1\"}", schema, true);
    assert_null(strstr(desk.header, "Evil"));
    call_with(&desk, "{}", schema, true);
    assert_string_equal(desk.header, "");
    done(&desk);
}

static bool header_schema_is_good(const char *text)
{
    JSON_AUTO *schema = NULL;
    struct err err = { 0 };
    const char *why = NULL;

    assert_true(json_parse(text, strlen(text), &schema, &err));
    bool good = mcp_headers_check(schema, &why);

    assert_true(good || why);
    return good;
}

static void schemas_that_ask_for_headers_wrongly_are_refused(void **state)
{
    (void)state;
    assert_true(header_schema_is_good(
        "{\"properties\":{\"a\":{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"integer\",\"x-mcp-header\":\"B\"}}}}}"));
    assert_false(
        header_schema_is_good("{\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}"));
    assert_false(
        header_schema_is_good("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}}"));
    assert_false(header_schema_is_good(
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\\r\\nB\"}}}"));
    assert_false(header_schema_is_good(
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},\"b\":{\"type\":\"string\",\"x-mcp-header\":\"a\"}}}"));
    assert_false(header_schema_is_good(
        "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}"));
    assert_false(header_schema_is_good(
        "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}]}"));
    assert_false(header_schema_is_good("{\"x-mcp-header\":\"A\"}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_server_is_greeted_and_listed),
        cmocka_unit_test(a_newer_server_is_never_greeted),
        cmocka_unit_test(a_silent_server_is_greeted_and_then_given_up),
        cmocka_unit_test(a_slow_newer_server_is_not_lost),
        cmocka_unit_test(versions_that_nobody_knows_break_it),
        cmocka_unit_test(over_http_a_refusal_says_which_era_it_is),
        cmocka_unit_test(lists_have_pages_and_bad_tools_are_left_out),
        cmocka_unit_test(endless_pages_come_to_an_end),
        cmocka_unit_test(rules_of_the_operator_hold_and_hints_do_not),
        cmocka_unit_test(a_change_is_listed_anew_but_not_too_often),
        cmocka_unit_test(the_order_of_a_schema_is_no_change),
        cmocka_unit_test(a_list_that_never_comes_keeps_the_old_one),
        cmocka_unit_test(names_are_cut_and_stay_apart),
        cmocka_unit_test(rules_hold_for_what_is_not_listed_yet),
        cmocka_unit_test(a_call_brings_its_text_and_its_data),
        cmocka_unit_test(a_failure_is_told_as_one),
        cmocka_unit_test(too_much_is_not_taken),
        cmocka_unit_test(a_call_that_takes_too_long_is_called_off),
        cmocka_unit_test(progress_puts_the_end_off_but_not_for_ever),
        cmocka_unit_test(a_cancelled_call_is_called_off_once),
        cmocka_unit_test(what_is_under_way_at_the_end_has_broken_off),
        cmocka_unit_test(answers_to_nobody_are_passed_over),
        cmocka_unit_test(servers_are_answered_when_they_ask),
        cmocka_unit_test(a_form_is_asked_and_time_stands_still),
        cmocka_unit_test(an_answer_that_does_not_fit_is_none),
        cmocka_unit_test(nobody_is_asked_where_nobody_could_tell),
        cmocka_unit_test(what_is_asked_for_a_call_that_was_given_up_is_asked_nobody),
        cmocka_unit_test(a_call_that_was_given_up_is_forgotten_in_time),
        cmocka_unit_test(a_call_that_waits_for_people_asks_nothing_more),
        cmocka_unit_test(what_it_was_given_it_does_not_give_on),
        cmocka_unit_test(endless_questions_are_declined),
        cmocka_unit_test(a_newer_server_asks_by_a_result),
        cmocka_unit_test(several_things_are_asked_for_one_after_the_other),
        cmocka_unit_test(a_newer_server_cannot_go_round_for_ever),
        cmocka_unit_test(a_link_may_come_as_an_error),
        cmocka_unit_test(a_request_that_came_to_nothing_ends_in_words),
        cmocka_unit_test(calls_into_a_session_that_is_gone_wait_for_the_next),
        cmocka_unit_test(arguments_that_headers_repeat),
        cmocka_unit_test(schemas_that_ask_for_headers_wrongly_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
