/*
 * The life of a call is that of a REST request with another dialect around it: taken from a few spares, run
 * by the dispatcher, answered on whichever thread finishes it (parking.h). `then` is what a method does once
 * its caller is known or its operation has run.
 */
#include "edge/mcp/call.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/str.h"
#include "edge/callerkey.h"
#include "gen/version.h"
#include "ops/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_CALLS 64
#define KNOCKED_ROW "question_get" /* whoever may read a question may read here */

static struct mcp_call *take_spare(struct mcp *mcp)
{
    pthread_mutex_lock(&mcp->spare_lock);
    struct mcp_call *call = mcp->spares;

    if (call) {
        mcp->spares = call->next;
        mcp->spare_count--;
    }
    pthread_mutex_unlock(&mcp->spare_lock);
    return call;
}

struct mcp_call *call_new(struct mcp *mcp, struct http_exchange *exchange)
{
    struct mcp_call *call = take_spare(mcp);
    struct arena arena = call ? call->arena : (struct arena){ NULL };

    if (!call)
        call = memory_take(sizeof(*call));
    memset(call, 0, sizeof(*call));
    atomic_fetch_add(&mcp->edge->running, 1);
    call->mcp = mcp;
    call->arena = arena;
    call->arena.budget = &mcp->edge->budget;
    call->parking.exchange = exchange;
    call->began_us = clock_ticks_us();
    call->client.name = "mcp-client";
    call->client.version = mcp_versions[1];
    buf_init(&call->request.reply, 0);
    if (exchange)
        gate_remote(mcp->edge, exchange, call->remote);
    return call;
}

/* As REST does, a few are kept with their first block of memory. The edge is not touched once `running` is
 * down.
 */
void call_free(struct mcp_call *call)
{
    struct mcp *mcp = call->mcp;
    struct edge *edge = mcp->edge;

    json_decref(call->own_args);
    json_decref(call->tree);
    if (call->charged > 0)
        budget_give(&edge->budget, call->charged);
    buf_done(&call->request.reply);
    arena_reset(&call->arena);
    pthread_mutex_lock(&mcp->spare_lock);
    bool keep = mcp->spare_count < SPARE_CALLS;

    if (keep) {
        call->next = mcp->spares;
        mcp->spares = call;
        mcp->spare_count++;
    }
    pthread_mutex_unlock(&mcp->spare_lock);
    if (!keep) {
        arena_done(&call->arena);
        free(call);
    }
    atomic_fetch_sub(&edge->running, 1);
}

void call_free_spares(struct mcp *mcp)
{
    struct mcp_call *call;

    while ((call = take_spare(mcp))) {
        arena_done(&call->arena);
        free(call);
    }
}

static bool admit_write(struct request *request, struct err *err)
{
    struct mcp_call *call = request->user;

    return stored_admit(call->mcp->edge->stored, &request->call.caller, call->remote, request->body_len,
                        clock_ticks_us(), err);
}

static void note_outcome(struct mcp_call *call)
{
    struct edge *edge = call->mcp->edge;
    struct request *request = &call->request;
    const struct err *err = &request->call.err;
    bool good = err->code == ERR_NONE;

    known_learn(edge->known, &request->credentials, &request->call.caller, err);
    if (good && request->op->kind == OP_WRITE && !request->replayed)
        stored_note(edge->stored, &request->call.caller, call->remote, request->body_len, clock_ticks_us());
}

static void fill_request(struct mcp_call *call, const struct op *op, void (*then)(struct mcp_call *call),
                         void (*finished)(struct request *request))
{
    struct request *request = &call->request;

    call->then = then;
    request->op = op;
    request->call.tx.arena = &call->arena;
    request->call.door = "mcp";
    request->call.remote = call->remote;
    request->call.device = request->credentials.device;
    request->call.request_id =
        call->parking.exchange ? arena_text(&call->arena, http_request_id(call->parking.exchange)) : "wait";
    request->admit_write = admit_write;
    request->speaker = call->client.name;
    request->finished = finished;
    request->user = call;
    buf_clear(&request->reply);
}

static void known(struct request *request)
{
    struct mcp_call *call = request->user;

    known_learn(call->mcp->edge->known, &request->credentials, &request->call.caller, &request->call.err);
    if (request->call.err.code != ERR_NONE)
        call_fail_with(call, &request->call.err);
    else
        call->then(call);
}

void call_know(struct mcp_call *call, void (*then)(struct mcp_call *call))
{
    fill_request(call, op_find(KNOCKED_ROW), then, known);
    call->submitted = true;
    parking_park(&call->parking);
    dispatch_knock(call->mcp->edge->store, &call->request);
}

uint64_t call_owner(const struct mcp_call *call)
{
    ARENA_AUTO arena = { 0 };
    const struct caller *caller = &call->request.call.caller;
    const char *whole = arena_format(&arena, "%s %s", caller->credential ? caller->credential : "",
                                     caller->workspace_id ? caller->workspace_id : "");

    return callerkey(whole, strlen(whole));
}

void call_stream(struct mcp_call *call, int64_t tick_ms)
{
    call->outlet->owner = call_owner(call);
    outlet_open(call->outlet, tick_ms);
}

bool call_owns_session(struct mcp_call *call)
{
    return peer_owns_session(&call->mcp->key, &call->client, &call->request.call.caller) ||
           rpc_fail(&call->error, RPC_INVALID_REQUEST, 404, "You have no such session; initialize anew.");
}

void call_own(struct mcp_call *call, json_t *args)
{
    json_decref(call->own_args);
    call->own_args = args;
}

static void finished(struct request *request)
{
    struct mcp_call *call = request->user;

    note_outcome(call);
    metrics_count(call->mcp->edge->metrics, request->op,
                  request->call.err.code == ERR_NONE ? request->call.status
                                                     : err_http(request->call.err.code),
                  clock_ticks_us() - call->began_us);
    call->then(call);
}

static void finished_first(struct request *request)
{
    struct mcp_call *call = request->user;

    if (parking_finished(&call->parking))
        finished(request);
}

void call_run(struct mcp_call *call, const struct op *op, json_t *args, void (*then)(struct mcp_call *call))
{
    struct request *request = &call->request;
    struct raw_input input = { .body = args, .by_name = true, .speaks = true };
    bool first = call->parking.exchange && !call->submitted;

    call->args = args;
    call->submitted = true;
    fill_request(call, op, then, first ? finished_first : finished);
    request->body_len = call->body_len;
    if (request->idempotency_key) {
        request->body = json_dump_text(&call->arena, args);
        request->body_len = strlen(request->body);
    }
    request->bind_err = (struct err){ 0 };
    (void)!bind_args(op, &call->arena, &input, request->call.args, &request->bind_err);
    if (first) {
        if (parking_submit(&call->parking, call->mcp->edge->store, request))
            finished(request);
        return;
    }
    if (call->parking.exchange)
        parking_park(&call->parking);
    dispatch_submit(call->mcp->edge->store, request);
}

void call_begin(const struct mcp_call *call, struct json_out *out, struct buf *into)
{
    call_begin_as(call, "complete", out, into);
}

void call_begin_as(const struct mcp_call *call, const char *type, struct json_out *out, struct buf *into)
{
    buf_init(into, 0);
    rpc_begin(out, into, call->outlet->id);
    json_map(out, "result");
    if (call->client.era != MCP_STATELESS)
        return;
    json_text(out, "resultType", type);
    json_map(out, "_meta");
    json_map(out, "io.modelcontextprotocol/serverInfo");
    json_text(out, "name", "witan");
    json_text(out, "version", WITAN_VERSION);
    json_map_end(out);
    json_map_end(out);
}

void call_result(struct mcp_call *call, struct json_out *out, struct buf *result)
{
    json_map_end(out);
    json_map_end(out);
    outlet_answer(call->outlet, 200, NULL, result);
    buf_done(result);
    call_free(call);
}

/* Where somebody who was not let in reads how to be. */
static const char *challenge(struct mcp_call *call)
{
    const char *base = gate_base_url(call->parking.exchange, &call->arena);

    return arena_format(&call->arena, "Bearer resource_metadata=\"%s/.well-known/oauth-protected-resource\"",
                        base ? base : "http://localhost");
}

void call_fail(struct mcp_call *call)
{
    struct http_header_line headers[] = { { NULL, NULL }, { NULL, NULL } };
    int status = call->error.http;
    BUF_AUTO message = { 0 };

    /* Before 2026-07-28 the status tells of the transport, the error of the request. */
    if (call->client.era == MCP_HANDSHAKE && call->outlet->id && call->error.code > RPC_PARSE_ERROR &&
        status != 401 && status != 403 && status != 429 && status != 503 &&
        call->error.code != MCP_UNSUPPORTED_VERSION && call->error.code != RPC_INVALID_REQUEST)
        status = 200;
    if (status == 401 && call->parking.exchange)
        headers[0] = (struct http_header_line){ "WWW-Authenticate", challenge(call) };
    if (status == 429 || status == 503)
        headers[0] = (struct http_header_line){ "Retry-After", "1" };
    rpc_write_error(&message, call->outlet->id, &call->error);
    outlet_answer(call->outlet, status, headers, &message);
    call_free(call);
}

void call_fail_with(struct mcp_call *call, const struct err *err)
{
    BUF_AUTO data = { 0 };
    int http = err_http(err->code);

    dispatch_write_error(err, &data);
    rpc_fail(&call->error,
             http == 500   ? RPC_INTERNAL_ERROR
             : http == 400 ? RPC_INVALID_PARAMS
                           : RPC_SERVER_ERROR,
             http, "%s", err_for_callers(err));
    call->error.data = arena_copy(&call->arena, data.bytes, data.len);
    call_fail(call);
}

void call_write_ttl(const struct mcp_call *call, struct json_out *out, int64_t ttl_ms, bool public)
{
    if (call->client.era != MCP_STATELESS)
        return;
    json_int(out, "ttlMs", ttl_ms);
    json_text(out, "cacheScope", public ? "public" : "private");
}

const char *call_text_param(struct mcp_call *call, const char *name)
{
    const char *text = json_string_value(json_object_get(call->message.params, name));

    if (!text)
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "%s must be a string.", name);
    return text;
}
