/*
 * Puts the parts together and takes them apart again. Everything that outlives its request is counted in
 * `running`; closing waits for those a while and otherwise frees nothing: a leak at the end of a process
 * harms nobody, a store thread that comes back to freed memory does.
 */
#include "edge/edge.h"

#include "base/address.h"
#include "base/clock.h"
#include "base/settings.h"
#include "edge/assets.h"
#include "edge/internal.h"
#include "edge/mcp/mcp.h"
#include "edge/rest.h"
#include "edge/stream.h"
#include "edge/wait.h"
#include "ops/asyncapi.h"
#include "ops/openapi.h"

#include <arpa/inet.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINGER_MS    5000
#define OUTAGE_LINES 10 /* log lines a second about what the store could not serve */

bool edge_outage_line(void)
{
    static _Atomic int64_t second, lines;
    int64_t now = clock_ticks_ms() / 1000;

    if (atomic_exchange(&second, now) != now)
        atomic_store(&lines, 0);
    return atomic_fetch_add(&lines, 1) < OUTAGE_LINES;
}

void edge_reply_json(struct http_exchange *exchange, int status, const struct http_header_line *headers,
                     struct buf *body)
{
    http_reply(exchange, status, "application/json", headers, body);
}

void edge_refuse(struct http_exchange *exchange, const struct err *err)
{
    BUF_AUTO body = { 0 };
    int status = err_http(err->code);
    char retry_after[16];
    struct http_header_line headers[] = { { NULL, NULL }, { NULL, NULL } };

    if (status == 429 || status == 503) {
        snprintf(retry_after, sizeof(retry_after), "%d", err->retry_after_s > 0 ? err->retry_after_s : 1);
        headers[0] = (struct http_header_line){ "Retry-After", retry_after };
    } else if (status == 401) {
        headers[0] = (struct http_header_line){ "WWW-Authenticate", "Bearer" };
    }
    dispatch_write_error(err, &body);
    edge_reply_json(exchange, status, headers, &body);
}

static void handle(struct http_exchange *exchange, void *user)
{
    struct edge *edge = user;

    if (!pages_handle(edge, exchange) && !assets_handle(edge, exchange))
        rest_handle(edge, exchange);
}

static bool is_mcp(const char *path)
{
    return strcmp(path, "/mcp") == 0;
}

static bool before_body(struct http_exchange *exchange, void *user)
{
    return is_mcp(http_path(exchange)) ? mcp_before_body(user, exchange) : rest_before_body(user, exchange);
}

/*
 * Rows may take larger bodies than the setting says, never smaller ones; but what anyone may do, and what has
 * no use for a body, takes none that somebody would have to answer for.
 */
static size_t body_limit(enum http_method method, const char *path, void *user)
{
    static const char *const names[] = { "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "" };
    struct edge *edge = user;
    ARENA_AUTO arena = { 0 };
    struct route_match match = { 0 };
    struct err err = { 0 };
    size_t limit = (size_t)settings()->limits_body;

    /* What a tool hands in may be as large as what is handed in over REST. */
    if (method == HTTP_POST && is_mcp(path))
        return limit > LIMIT_RESULT_BODY ? limit : LIMIT_RESULT_BODY;
    if (method == HTTP_GET || method == HTTP_DELETE ||
        !route_find(edge->routes, &arena, names[method], path, &match, &err) || !match.op ||
        match.op->needs & ROLE_ANYONE)
        return limit < HTTP_BODY_ASK ? limit : HTTP_BODY_ASK;
    return match.op->body_max > limit ? match.op->body_max : limit;
}

/* This machine and the proxies stand for many. */
static unsigned address_limit(const struct sockaddr *peer, void *user)
{
    const struct edge *edge = user;
    char text[INET6_ADDRSTRLEN] = "";

    if (peer->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)peer)->sin_addr, text, sizeof(text));
    else if (peer->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr, text,
                  sizeof(text));
    if (address_is_loopback(text) || proxies_trust(&edge->proxies, text))
        return 0;
    return (unsigned)settings()->limits_address_connections;
}

static void write_refusal(struct buf *body, int status, const char *code, const char *text)
{
    struct err err = { .name = code };

    (void)status;
    snprintf(err.text, sizeof(err.text), "%s", text);
    dispatch_write_error(&err, body);
}

/* Takes the text over. */
static void description_keep(struct description *description, struct buf *text)
{
    struct http_fixed *body = &description->body;
    unsigned char hash[crypto_generichash_BYTES_MIN];

    body->packed = http_pack(text->bytes, text->len, &body->packed_len);
    body->bytes = buf_take(text, &body->len);
    crypto_generichash(hash, sizeof(hash), (const unsigned char *)body->bytes, body->len, NULL, 0);
    snprintf(description->tag, sizeof(description->tag), "\"%02x%02x%02x%02x%02x%02x%02x%02x\"", hash[0],
             hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]);
}

static void description_free(struct description *description)
{
    free((char *)(uintptr_t)description->body.bytes);
    free((char *)(uintptr_t)description->body.packed);
}

static void describe_api(struct edge *edge)
{
    BUF_AUTO operations = { 0 };
    BUF_AUTO events = { 0 };

    openapi_write(op_all(), edge->options.version, &operations);
    description_keep(&edge->openapi, &operations);
    asyncapi_write(edge->options.version, &events);
    description_keep(&edge->asyncapi, &events);
}

static void edge_free(struct edge *edge)
{
    mcp_free(edge->mcp);
    waits_free(edge->waits);
    streams_free(edge->streams);
    metrics_free(edge->metrics);
    holds_free(edge->holds);
    known_free(edge->known);
    stored_free(edge->stored);
    ratelimit_free(edge->tokens);
    logins_free(edge->logins);
    routes_free(edge->routes);
    rest_free_spares(edge);
    pthread_mutex_destroy(&edge->spare_lock);
    description_free(&edge->openapi);
    description_free(&edge->asyncapi);
    free(edge);
}

static bool listen_on(struct edge *edge, struct err *err)
{
    struct http_options options = {
        .listen = edge->options.listen,
        .threads = (int)settings()->server_threads,
        .connections = (unsigned)settings()->server_connections,
        .send_ms = (int)settings()->server_send_timeout_ms,
        .handle = handle,
        .body_limit = body_limit,
        .before_body = before_body,
        .address_limit = address_limit,
        .budget = &edge->budget,
        .refusal = write_refusal,
        .user = edge,
        .forget = wait_forget,
    };

    edge->http = http_open(&options, err);
    if (!edge->http)
        return false;
    atomic_store(&edge->hosts.port, http_port(edge->http));
    return true;
}

struct edge *edge_open(const struct edge_options *options, struct err *err)
{
    struct edge *edge = calloc(1, sizeof(*edge));
    struct authority own = { .port = 0 };

    if (!edge)
        abort();
    edge->options = *options;
    edge->store = options->store;
    edge->engine = options->engine;
    (void)hosts_parse(options->listen, &own);
    if (sodium_init() < 0 || !op_check_table(op_all(), err) || !event_type_check_table(err) ||
        !proxies_parse(settings()->server_trusted_proxies, &edge->proxies, err) ||
        !hosts_init(&edge->hosts, options->listen, own.port, settings()->server_public_url,
                    settings()->server_allowed_hosts, err)) {
        free(edge);
        return NULL;
    }
    pthread_mutex_init(&edge->spare_lock, NULL);
    budget_init(&edge->budget, (size_t)settings()->limits_memory);
    edge->routes = routes_new(op_all());
    edge->tokens = ratelimit_new(settings()->limits_token_rate, 1000, settings()->limits_token_burst);
    edge->logins = logins_new();
    edge->holds = holds_new();
    edge->known = known_new();
    edge->stored = stored_new();
    edge->metrics = metrics_new();
    edge->streams = streams_new(edge->store, engine_tailer(edge->engine), engine_council(edge->engine));
    edge->waits = waits_new(engine_tailer(edge->engine));
    rest_open(edge);
    edge->mcp = mcp_new(edge);
    describe_api(edge);
    if (!listen_on(edge, err)) {
        tailer_unsubscribe(engine_tailer(edge->engine), edge->waits);
        edge_free(edge);
        return NULL;
    }
    return edge;
}

int edge_port(const struct edge *edge)
{
    return http_port(edge->http);
}

void edge_close(struct edge *edge, int grace_ms)
{
    if (!edge)
        return;
    atomic_store(&edge->closing, true);
    http_close(edge->http, grace_ms);
    /* What the grace did not suffice for still runs in the store and comes back here: then nothing is freed.
     */
    for (int waited_ms = 0; atomic_load(&edge->running) > 0; waited_ms++) {
        if (waited_ms == LINGER_MS)
            return;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    tailer_unsubscribe(engine_tailer(edge->engine), edge->waits);
    edge_free(edge);
}
