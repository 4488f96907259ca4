/*
 * pages.c - what is not in the operation table: health, metrics, the description of the API, the front page,
 * and the test clock.
 */
#include "base/clock.h"
#include "base/str.h"
#include "edge/assets.h"
#include "edge/html.h"
#include "edge/internal.h"
#include "edge/mcp/mcp.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define API         "/api/"
#define LAG_MOST_MS 5000 /* a log that was not read for so long means that events do not flow */

static const char front_page[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>witan</title>\n"
    "<h1>witan</h1>\n"
    "<p>This is the API of witan, where agents confer with each other and with people.</p>\n"
    "<p>The pages for people were not built into this program. "
    "<code>./dev run</code> builds them, as do <code>make ui &amp;&amp; make</code> where npm is at hand, and release tarballs carry them.</p>\n"
    "<p>Ask your first question:</p>\n"
    "<pre>curl -X POST -H 'Content-Type: application/json' \\\n"
    "  -d '{\"requester_agent\": \"Scout\", \"prompt_message\": \"Which cache fits here?\"}' \\\n"
    "  http://%s/api/discussion</pre>\n"
    "<p>Everything it can do is described at <a href=\"/api/openapi.json\">/api/openapi.json</a>; <code>witan --help</code> shows the command line, and <code>curl -N http://%s/api/events</code> "
    "what happens.</p>\n"
    "</html>\n";

/* The name in Host has passed the gate, so it holds nothing that HTML would read. */
static void front(struct edge *edge, struct http_exchange *exchange)
{
    BUF_AUTO body = { 0 };
    const char *host = http_header(exchange, "Host");

    (void)edge;
    if (assets_front(exchange))
        return;
    buf_format(&body, front_page, host, host);
    http_reply(exchange, 200, "text/html; charset=utf-8", NULL, &body);
}

static void style(struct edge *edge, struct http_exchange *exchange)
{
    (void)edge;
    html_style(exchange);
}

static void health(struct edge *edge, struct http_exchange *exchange)
{
    BUF_AUTO body = { 0 };

    (void)edge;
    buf_text(&body, "{\"status\":\"ok\"}");
    edge_reply_json(exchange, 200, NULL, &body);
}

static void readiness(struct edge *edge, struct http_exchange *exchange)
{
    BUF_AUTO body = { 0 };
    struct json_out out;
    struct engine_stats stats;
    static const struct http_header_line retry[] = { { "Retry-After", "1" }, { NULL, NULL } };

    engine_stats(edge->engine, &stats);
    bool store = store_healthy(edge->store), schema = stats.deadlines.schema_fits;
    bool writes = !store_writes_fail(edge->store);
    bool events = stats.tailer.idle_ms < LAG_MOST_MS, open = !atomic_load(&edge->closing);
    bool ready = store && writes && schema && events && open;

    json_begin(&out, &body);
    json_map(&out, NULL);
    json_text(&out, "status", ready ? "ready" : "not_ready");
    json_map(&out, "checks");
    json_bool(&out, "store", store);
    json_bool(&out, "writes", writes);
    json_bool(&out, "schema", schema);
    json_bool(&out, "events", events);
    json_bool(&out, "open", open);
    json_map_end(&out);
    json_map_end(&out);
    edge_reply_json(exchange, ready ? 200 : 503, ready ? NULL : retry, &body);
}

static void metrics(struct edge *edge, struct http_exchange *exchange)
{
    BUF_AUTO body = { 0 };

    metrics_write(edge, http_server_of(exchange), &body);
    http_reply(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", NULL, &body);
}

static void describe(struct http_exchange *exchange, const struct description *description)
{
    struct http_header_line headers[] = { { "ETag", description->tag },
                                          { "Cache-Control", "no-cache" },
                                          { NULL, NULL } };
    const char *known = http_header(exchange, "If-None-Match");

    if (known && strstr(known, description->tag)) {
        http_reply(exchange, 304, NULL, headers, NULL);
        return;
    }
    http_reply_fixed(exchange, 200, "application/json", headers, &description->body);
}

static void openapi(struct edge *edge, struct http_exchange *exchange)
{
    describe(exchange, &edge->openapi);
}

static void asyncapi(struct edge *edge, struct http_exchange *exchange)
{
    describe(exchange, &edge->asyncapi);
}

/* The test clock blocks until everything due has happened, so it has a thread of its own for the moment. */
struct clock_move {
    struct edge *edge;
    struct http_exchange *exchange;
    int64_t advance_ms;
};

static void answer_clock_move(const struct clock_move *move)
{
    struct err err = { 0 };
    BUF_AUTO body = { 0 };
    struct json_out out;
    int64_t offset_ms;

    if (!engine_move_clock(move->edge->engine, move->advance_ms, &offset_ms, &err)) {
        edge_refuse(move->exchange, &err);
        return;
    }
    json_begin(&out, &body);
    json_map(&out, NULL);
    json_time(&out, "now", clock_now_ms());
    json_int(&out, "offset_ms", offset_ms);
    json_map_end(&out);
    edge_reply_json(move->exchange, 200, NULL, &body);
}

static void *run_clock_move(void *user)
{
    struct clock_move *move = user;
    struct edge *edge = move->edge;

    answer_clock_move(move);
    free(move);
    atomic_fetch_sub(&edge->running, 1);
    return NULL;
}

static bool read_advance(struct http_exchange *exchange, int64_t *advance_ms, struct err *err)
{
    size_t len;
    const char *text = http_body(exchange, &len);
    JSON_AUTO *body = NULL;

    if (!json_parse(text, len, &body, err))
        return false;
    if (!json_is_integer(json_object_get(body, "advance_ms")))
        return err_field(err, "advance_ms", "advance_ms must be a whole number.");
    *advance_ms = json_integer_value(json_object_get(body, "advance_ms"));
    return true;
}

static void test_clock(struct edge *edge, struct http_exchange *exchange)
{
    struct clock_move *move = calloc(1, sizeof(*move));
    struct err err = { 0 };
    pthread_attr_t detached;
    pthread_t thread;

    if (!move)
        abort();
    *move = (struct clock_move){ .edge = edge, .exchange = exchange };
    if (!read_advance(exchange, &move->advance_ms, &err)) {
        edge_refuse(exchange, &err);
        free(move);
        return;
    }
    atomic_fetch_add(&edge->running, 1);
    http_park(exchange);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &detached, run_clock_move, move) != 0)
        abort();
    pthread_attr_destroy(&detached);
}

struct page {
    const char *path;
    enum http_method method; /* HTTP_OTHER: looks at the method itself */
    const char *allow;
    void (*serve)(struct edge *edge, struct http_exchange *exchange);
    bool any_host; /* asked by machines that know no name of ours, and gives nothing away */
    bool own_gate; /* checks the request itself */
    bool testing;  /* only there with the test clock */
};

static const struct page pages[] = {
    { "/", HTTP_GET, "GET, HEAD", front, false, false, false },
    { "/style.css", HTTP_GET, "GET, HEAD", style, false, false, false },
    { "/q/{id}", HTTP_OTHER, "GET, HEAD, POST", question_page_handle, false, true, false },
    { "/q/{id}/{secret}", HTTP_OTHER, "GET, HEAD, POST", question_page_handle, false, true, false },
    { "/healthz", HTTP_GET, "GET, HEAD", health, true, false, false },
    { "/readyz", HTTP_GET, "GET, HEAD", readiness, true, false, false },
    { "/metrics", HTTP_GET, "GET, HEAD", metrics, false, false, false },
    { "/mcp", HTTP_OTHER, "GET, POST, DELETE", mcp_handle, false, true, false },
    { "/.well-known/oauth-protected-resource", HTTP_GET, "GET, HEAD", mcp_metadata, false, false, false },
    { "/.well-known/oauth-protected-resource/mcp", HTTP_GET, "GET, HEAD", mcp_metadata, false, false, false },
    { "/ws", HTTP_GET, "GET", ws_handle, false, true, false },
    { 0 },
};

/* What begins with "/api/", without that: nearly all such paths are operations', and soon told from these. */
static const struct page api_pages[] = {
    { "openapi.json", HTTP_GET, "GET, HEAD", openapi, false, false, false },
    { "asyncapi.json", HTTP_GET, "GET, HEAD", asyncapi, false, false, false },
    { "events", HTTP_GET, "GET", sse_handle, false, true, false },
    { "jobs/{id}/stream", HTTP_GET, "GET", sse_handle, false, true, false },
    { "discussions/{id}/stream", HTTP_GET, "GET", sse_handle, false, true, false },
    { "test/clock", HTTP_POST, "POST", test_clock, false, false, true },
    { 0 },
};

static void serve_page(struct edge *edge, struct http_exchange *exchange, const struct page *page)
{
    ARENA_AUTO arena = { 0 };
    struct credentials credentials;
    struct err err = { 0 };
    enum gate_kind kind = page->method == HTTP_GET ? GATE_SAFE : GATE_UNSAFE;
    BUF_AUTO body = { 0 };

    if (page->method != HTTP_OTHER && http_method(exchange) != page->method) {
        struct http_header_line allow[] = { { "Allow", page->allow }, { NULL, NULL } };

        err_set(&err, ERR_BAD_METHOD, "%.20s is not a method of this path.", http_method_text(exchange));
        dispatch_write_error(&err, &body);
        edge_reply_json(exchange, 405, allow, &body);
        return;
    }
    if (!page->any_host && !page->own_gate && !gate_check(edge, exchange, kind, &arena, &credentials, &err)) {
        edge_refuse(exchange, &err);
        return;
    }
    page->serve(edge, exchange);
}

/* "{id}" stands for one part of a path, whatever it is. */
static bool is_page(const char *page, const char *path)
{
    while (*page) {
        if (*page == '{') {
            size_t part = strcspn(path, "/");

            if (part == 0)
                return false;
            path += part;
            page = strchr(page, '}') + 1;
        } else if (*page++ != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

bool pages_handle(struct edge *edge, struct http_exchange *exchange)
{
    const char *path = http_path(exchange);
    bool api = str_starts(path, API);

    if (api)
        path += strlen(API);
    for (const struct page *page = api ? api_pages : pages; page->path; page++) {
        if (!is_page(page->path, path) || (page->testing && !edge->options.test_clock))
            continue;
        serve_page(edge, exchange, page);
        return true;
    }
    return false;
}
