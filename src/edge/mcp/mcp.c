/*
 * mcp.c - /mcp: from an HTTP request to a method of the protocol, and what the transport asks of headers.
 */
#include "edge/mcp/mcp.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/str.h"
#include "edge/mcp/call.h"
#include "edge/mcp/headers.h"
#include "edge/mcp/methods.h"
#include "edge/mcp/subscriptions.h"
#include "edge/mcp/tools.h"

#include <stdlib.h>
#include <string.h>

/* A store that cannot be written to just now is no reason not to serve: what is sealed lasts until the end.
 */
static void load_key(struct mcp *mcp)
{
    struct err err = { 0 };

    if (seal_load_key(mcp->edge->store, &mcp->key, &err))
        return;
    log_line(LOG_WARN, "the key for requestState could not be kept", "why", err.text, NULL);
    seal_make_key(&mcp->key);
}

struct mcp *mcp_new(struct edge *edge)
{
    struct mcp *mcp = calloc(1, sizeof(*mcp));

    if (!mcp)
        abort();
    mcp->edge = edge;
    mcp->waits = (struct wait_door){ .look = tool_look, .user = mcp };
    pthread_mutex_init(&mcp->ended.lock, NULL);
    pthread_mutex_init(&mcp->spare_lock, NULL);
    load_key(mcp);
    outlets_open(&mcp->outlets, edge->store);
    subscriptions_open(mcp);
    return mcp;
}

void mcp_free(struct mcp *mcp)
{
    if (!mcp)
        return;
    subscriptions_stop(mcp);
    outlets_close(&mcp->outlets);
    subscriptions_close(mcp);
    call_free_spares(mcp);
    pthread_mutex_destroy(&mcp->spare_lock);
    pthread_mutex_destroy(&mcp->ended.lock);
    free(mcp);
}

/* What is not an answer to a request has a status and nothing more. */
static void reply_status(struct http_exchange *exchange, int status, const char *allow)
{
    struct http_header_line headers[] = { { allow ? "Allow" : NULL, allow }, { NULL, NULL } };
    BUF_AUTO nothing = { 0 };

    http_reply(exchange, status, NULL, headers, &nothing);
}

static const char *json_of(struct mcp_call *call, const json_t *value)
{
    return value ? json_dump_text(&call->arena, value) : NULL;
}

/* Who names what it takes, and no stream among it. */
static bool takes_only_json(const struct http_exchange *exchange)
{
    const char *accept = http_header(exchange, "Accept");

    return accept && strcasestr(accept, "application/json") && !strcasestr(accept, "text/event-stream") &&
           !strcasestr(accept, "text/*") && !strstr(accept, "*/*");
}

static void make_outlet(struct mcp_call *call)
{
    const json_t *meta = json_object_get(call->message.params, "_meta");
    const json_t *token = json_object_get(meta, "progressToken");

    bool answers = call->message.kind == RPC_REQUEST;

    call->outlet = outlet_new(&call->mcp->outlets, call->parking.exchange,
                              answers ? json_of(call, call->message.id) : NULL,
                              json_is_string(token) || json_is_integer(token) ? json_of(call, token) : NULL);
    call->outlet->era = call->client.era;
    call->outlet->session = call->client.session;
    call->outlet->only_json = takes_only_json(call->parking.exchange);
}

static void run_request(struct mcp_call *call)
{
    const struct mcp_method *method = method_find(call->message.method, call->client.era);

    if (!method) {
        rpc_fail(&call->error, RPC_METHOD_NOT_FOUND, 404, "There is no method \"%.100s\".",
                 call->message.method);
        call_fail(call);
        return;
    }
    if (method->runs)
        method->run(call);
    else
        call_know(call, method->run);
}

/* Nobody is answered but by a status: what the outlet would have been for is over. */
static void end_with_status(struct mcp_call *call, int status)
{
    outlet_drop(call->outlet);
    reply_status(call->parking.exchange, status, NULL);
    call_free(call);
}

/*
 * A notification or a response of a caller who is known: taken, and nothing is said about it. It reaches what
 * the very same caller has opened in the same session, and nothing else.
 */
static void take_word(struct mcp_call *call)
{
    const struct rpc_message *message = &call->message;
    const json_t *cancelled = json_object_get(message->params, "requestId");
    struct outlet_sender from = { .session = call->client.session, .owner = call_owner(call) };

    if (message->kind == RPC_RESPONSE && message->id)
        tool_told(outlets_told(&call->mcp->outlets, from, json_of(call, message->id), message->result));
    else if (message->kind == RPC_NOTIFICATION && strcmp(message->method, "notifications/cancelled") == 0 &&
             cancelled && from.session)
        outlets_cancel(&call->mcp->outlets, from, json_of(call, cancelled));
    end_with_status(call, 202);
}

static void handle_message(struct mcp_call *call)
{
    bool good = rpc_read(call->tree, &call->message, &call->error) && headers_check(call);

    make_outlet(call);
    if (!good)
        call_fail(call);
    else if (call->message.kind == RPC_REQUEST)
        run_request(call);
    else
        call_know(call, take_word);
}

static bool parse(struct mcp_call *call)
{
    size_t len, bytes;
    const char *body = http_body(call->parking.exchange, &len);
    struct err err = { 0 };

    call->body_len = len;
    if (!json_measure(body, len, &bytes, &err))
        return rpc_fail(&call->error, RPC_INVALID_REQUEST, err_http(err.code), "%s", err.text);
    if (!budget_grow(&call->mcp->edge->budget, 0, bytes))
        return rpc_fail(&call->error, RPC_SERVER_ERROR, 503,
                        "The server has as much to read and to send as it can hold. Try again.");
    call->charged = bytes;
    if (!json_parse(body, len, &call->tree, &err))
        return rpc_fail(&call->error, RPC_PARSE_ERROR, err_http(err.code), "%s", err.text);
    return true;
}

static bool parse_work(struct db *db, struct work *work)
{
    struct mcp_call *call = (struct mcp_call *)((char *)work - offsetof(struct mcp_call, work));

    (void)db;
    call->parsed = parse(call);
    return true;
}

static void parsed(struct mcp_call *call)
{
    if (call->parsed) {
        handle_message(call);
        return;
    }
    make_outlet(call);
    call_fail(call);
}

static void parse_done(struct work *work)
{
    parsed((struct mcp_call *)((char *)work - offsetof(struct mcp_call, work)));
}

/* As with REST, what is large is parsed on a worker. */
static void handle_post(struct mcp_call *call)
{
    size_t len;

    (void)http_body(call->parking.exchange, &len);
    if (len <= LIMIT_PARSE_HERE) {
        call->parsed = parse(call);
        parsed(call);
        return;
    }
    struct err err = { 0 };

    parking_park(&call->parking);
    call->submitted = true;
    call->work =
        (struct work){ .run = parse_work, .done = parse_done, .caller = call->request.credentials.key };
    if (store_compute(call->mcp->edge->store, &call->work, &err))
        return;
    make_outlet(call);
    call_fail_with(call, &err);
}

/* Whose it is not is told what one is told about a session that there never was. */
static void end_session(struct mcp_call *call)
{
    if (!call_owns_session(call)) {
        end_with_status(call, 404);
        return;
    }
    peer_end_session(&call->mcp->ended, &call->client);
    subscriptions_forget(call->mcp, call->client.session);
    end_with_status(call, 204);
}

/* Ends a session. There is nothing to end from 2026-07-28 on. */
static void handle_delete(struct mcp_call *call)
{
    const char *id = http_header(call->parking.exchange, "Mcp-Session-Id");

    if (!id || headers_are_stateless(call->parking.exchange)) {
        reply_status(call->parking.exchange, 405, "POST");
        call_free(call);
    } else if (!peer_of_session(&call->mcp->ended, &call->arena, id, &call->client)) {
        reply_status(call->parking.exchange, 404, NULL);
        call_free(call);
    } else {
        make_outlet(call);
        call_know(call, end_session);
    }
}

/* The stream of a session, for what answers no request. */
static void handle_get(struct mcp_call *call)
{
    struct http_exchange *exchange = call->parking.exchange;
    const char *id = http_header(exchange, "Mcp-Session-Id"), *accept = http_header(exchange, "Accept");

    if (headers_are_stateless(exchange) || !id || !accept || !strstr(accept, "text/event-stream")) {
        reply_status(exchange, 405, "POST, DELETE");
        call_free(call);
    } else if (!peer_of_session(&call->mcp->ended, &call->arena, id, &call->client)) {
        reply_status(exchange, 404, NULL);
        call_free(call);
    } else {
        make_outlet(call);
        call_know(call, subscriptions_follow_session);
    }
}

void mcp_handle(struct edge *edge, struct http_exchange *exchange)
{
    struct mcp_call *call = call_new(edge->mcp, exchange);
    enum http_method method = http_method(exchange);
    struct err err = { 0 };

    if (!gate_check(edge, exchange, method == HTTP_GET ? GATE_STREAM : GATE_UNSAFE, &call->arena,
                    &call->request.credentials, &err)) {
        edge_refuse(exchange, &err);
        call_free(call);
    } else if (method == HTTP_POST) {
        handle_post(call);
    } else if (method == HTTP_DELETE) {
        handle_delete(call);
    } else if (method == HTTP_GET) {
        handle_get(call);
    } else {
        reply_status(exchange, 405, "GET, POST, DELETE");
        call_free(call);
    }
}

static void body_may_come(struct mcp_call *call)
{
    struct http_exchange *exchange = call->parking.exchange;

    outlet_drop(call->outlet);
    call_free(call);
    http_read_body(exchange);
}

bool mcp_before_body(struct edge *edge, struct http_exchange *exchange)
{
    struct mcp_call *call = call_new(edge->mcp, exchange);
    struct err err = { 0 };

    parking_park(&call->parking);
    make_outlet(call);
    if (gate_enter(edge, exchange, GATE_UNSAFE, &call->arena, &call->request.credentials, &err))
        call_know(call, body_may_come);
    else
        call_fail_with(call, &err);
    return false;
}

void mcp_metadata(struct edge *edge, struct http_exchange *exchange)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO body = { 0 };
    struct json_out out;
    const char *base = settings()->server_public_url;

    (void)edge;
    if (!*base)
        base = arena_format(&arena, "http://%s", http_header(exchange, "Host"));
    json_begin(&out, &body);
    json_map(&out, NULL);
    json_text(&out, "resource", arena_format(&arena, "%s/mcp", base));
    json_text(&out, "resource_name", "witan");
    json_list(&out, "bearer_methods_supported");
    json_text(&out, NULL, "header");
    json_list_end(&out);
    json_map_end(&out);
    edge_reply_json(exchange, 200, NULL, &body);
}
