/*
 * rest.c - the REST dialect: a method and a path name the operation, JSON and the query are its input.
 *
 * A call is built from the exchange, handed to the dispatcher, and answered once that has finished it, on
 * this thread or on one of the store's (parking.h).
 */
#include "edge/rest.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/str.h"
#include "edge/input.h"
#include "edge/internal.h"
#include "edge/parking.h"
#include "edge/pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SPARE_CALLS 64

struct rest_call {
    struct rest_call *next; /* while it is spare */
    struct edge *edge;
    struct http_exchange *exchange;
    struct wait *wait;     /* or NULL */
    int hold_s;            /* for how long a write with .holds is held back */
    struct pieces *pieces; /* or NULL */
    struct arena piece;    /* of the piece that is being read */
    struct arena arena;
    struct request request;
    struct input input;
    int64_t began_us;
    struct parking parking;
    char remote[INET6_ADDRSTRLEN];
};

/*
 * A call with its first block of memory is some 20 KB, and taking that from malloc for each request shows. A
 * few are kept for the next ones. The edge is not touched after `running` has gone down: it may be closing.
 */
static void call_free(struct rest_call *call)
{
    struct edge *edge = call->edge;

    input_done(&call->input);
    buf_done(&call->request.reply);
    arena_reset(&call->arena);
    pthread_mutex_lock(&edge->spare_lock);
    bool keep = edge->spare_count < SPARE_CALLS;

    if (keep) {
        call->next = edge->spares;
        edge->spares = call;
        edge->spare_count++;
    }
    pthread_mutex_unlock(&edge->spare_lock);
    if (!keep) {
        arena_done(&call->arena);
        free(call);
    }
    atomic_fetch_sub(&edge->running, 1);
}

static struct rest_call *take_spare(struct edge *edge)
{
    pthread_mutex_lock(&edge->spare_lock);
    struct rest_call *call = edge->spares;

    if (call) {
        edge->spares = call->next;
        edge->spare_count--;
    }
    pthread_mutex_unlock(&edge->spare_lock);
    return call;
}

static struct rest_call *call_new(struct edge *edge, struct http_exchange *exchange)
{
    struct rest_call *call = take_spare(edge);
    struct arena arena = call ? call->arena : (struct arena){ NULL };

    if (!call)
        call = memory_take(sizeof(*call));
    memset(call, 0, sizeof(*call));
    atomic_fetch_add(&edge->running, 1);
    call->edge = edge;
    call->exchange = call->parking.exchange = exchange;
    call->input.exchange = exchange;
    call->input.budget = &edge->budget;
    call->arena = arena;
    call->began_us = clock_ticks_us();
    gate_remote(edge, exchange, call->remote);
    return call;
}

void rest_free_spares(struct edge *edge)
{
    struct rest_call *call;

    while ((call = take_spare(edge))) {
        arena_done(&call->arena);
        free(call);
    }
}

static void log_call(const struct rest_call *call, int status, int64_t took_us)
{
    const struct request *request = &call->request;
    const struct err *err = &request->call.err;
    enum log_level level = status < 500 && !err->raw              ? LOG_DEBUG
                           : status == 503 && !edge_outage_line() ? LOG_DEBUG
                                                                  : LOG_WARN;
    char code[16], ms[32];

    if (!log_wants(level))
        return;
    snprintf(code, sizeof(code), "%d", status);
    snprintf(ms, sizeof(ms), "%.3f", (double)took_us / 1000);
    log_line(level, "request", "id", http_request_id(call->exchange), "operation",
             request->op ? request->op->name : NULL, "status", code, "ms", ms, "caller",
             request->call.caller.name, "remote", call->remote, "why", level == LOG_WARN ? err->text : NULL,
             NULL);
}

static size_t add_header(struct http_header_line *headers, size_t count, const char *name, const char *value)
{
    headers[count] = (struct http_header_line){ name, value };
    return count + 1;
}

/* What was done has been stored; a repeat stored nothing. */
static void note_stored(const struct rest_call *call)
{
    const struct request *request = &call->request;

    if (request->op->kind == OP_WRITE && request->body_len > 0 && !request->replayed)
        stored_note(call->edge->stored, &request->call.caller, call->remote, request->body_len,
                    clock_ticks_us());
}

static void put_piece(struct request *request)
{
    struct rest_call *call = request->user;
    const struct err *err = &request->call.err;

    if (err->code != ERR_NONE) {
        buf_clear(&request->reply);
        dispatch_write_error(err, &request->reply);
        buf_char(&request->reply, '\n');
    }
    pieces_put(call->pieces, &request->reply, err->code == ERR_NONE && request->call.more_after > 0);
}

/* The same operation once more, from where the piece before ended, with its rights checked again. */
static void next_piece(void *user)
{
    struct rest_call *call = user;
    struct request *request = &call->request;

    for (size_t i = 0; request->op->params[i].type; i++) {
        if (strcmp(request->op->params[i].name, "after_seq") == 0)
            request->call.args[i].number = request->call.more_after;
        else if (strcmp(request->op->params[i].name, "limit") == 0)
            request->call.args[i].number = request->call.more_left;
    }
    arena_reset(&call->piece);
    request->call.tx.arena = &call->piece;
    dispatch_submit(call->edge->store, request);
}

static void pieces_over(void *user)
{
    struct rest_call *call = user;

    arena_done(&call->piece);
    call_free(call);
}

/* Its client may go while a piece is being read: what the request brought must not go with it. */
static bool begin_pieces(struct rest_call *call, struct err *err)
{
    struct request *request = &call->request;
    struct credentials *credentials = &request->credentials;
    struct pieces_owner owner = {
        .next = next_piece, .over = pieces_over, .user = call, .budget = &call->edge->budget
    };

    credentials->bearer = arena_text(&call->arena, credentials->bearer);
    credentials->workspace = arena_text(&call->arena, credentials->workspace);
    request->call.request_id = arena_text(&call->arena, request->call.request_id);
    request->idempotency_key = NULL;
    call->pieces = pieces_new(&owner, &request->reply);
    if (!call->pieces)
        return err_set(err, ERR_UNAVAILABLE, "Too much is being sent at the moment; come again.");
    request->finished = put_piece;
    return true;
}

static void answer(struct rest_call *call)
{
    struct request *request = &call->request;
    struct err *err = &request->call.err;
    struct http_header_line headers[6] = { { NULL, NULL } };
    size_t count = 0;
    char retry_after[16];
    int status = request->call.status;
    const char *type = "application/json";
    int64_t took_us = clock_ticks_us() - (call->wait ? wait_began_us(call->wait) : call->began_us);
    bool in_pieces = err->code == ERR_NONE && request->call.more_after > 0 && begin_pieces(call, err);

    if (err->code != ERR_NONE) {
        status = err_http(err->code);
        buf_clear(&request->reply);
        dispatch_write_error(err, &request->reply);
        if (status == 429 || status == 503) {
            snprintf(retry_after, sizeof(retry_after), "%d", err->retry_after_s > 0 ? err->retry_after_s : 1);
            count = add_header(headers, count, "Retry-After", retry_after);
        }
        if (status == 401)
            count = add_header(headers, count, "WWW-Authenticate", "Bearer");
        if (status == 405 && call->input.match.allow)
            count = add_header(headers, count, "Allow", call->input.match.allow);
    } else {
        note_stored(call);
        if (request->op->reply_type)
            type = request->op->reply_type;
        for (size_t i = 0; i < CALL_COOKIES && request->call.cookies[i]; i++)
            count = add_header(headers, count, "Set-Cookie", request->call.cookies[i]);
        if (request->replayed)
            count = add_header(headers, count, "Idempotent-Replayed", "true");
    }
    metrics_count(call->edge->metrics, request->op, status, took_us);
    log_call(call, status, took_us);
    if (in_pieces) {
        pieces_send(call->pieces, call->exchange, type);
        return;
    }
    http_reply(call->exchange, status, status == 204 ? NULL : type, count > 0 ? headers : NULL,
               &request->reply);
    call_free(call);
}

/* A wait takes its place when it goes to sleep for the first time; by then it is known who waits. */
static bool take_place(struct rest_call *call)
{
    struct hold *hold = wait_hold(call->wait);

    return hold->holds || holds_take(call->edge->holds, &call->request.call.caller, call->remote, hold,
                                     &call->request.call.err);
}

/* A look on behalf of a wait: the reply is held back while the thing goes on. */
static void finish_look(struct rest_call *call)
{
    struct wait *wait = call->wait;
    bool ended = call->request.call.err.code != ERR_NONE || call->request.call.ended;

    if (ended || !take_place(call)) {
        (void)wait_looked(wait, true);
        answer(call);
        return;
    }

    /* The reply is kept until it is known whether this was the last look; the rest is given back. */
    struct buf reply = call->request.reply;
    int status = call->request.call.status;
    const struct op *op = call->request.op;
    struct edge *edge = call->edge;

    call->request.reply = (struct buf){ 0 };
    atomic_fetch_add(&edge->running, 1);
    call_free(call);
    if (wait_looked(wait, false)) {
        metrics_count(edge->metrics, op, status, clock_ticks_us() - wait_began_us(wait));
        http_reply(wait_owner(wait), status, "application/json", NULL, &reply);
    }
    buf_done(&reply);
    atomic_fetch_sub(&edge->running, 1);
}

static void look_again(void *user, struct wait *wait);

/* Whether what a write has begun goes on. */
static bool goes_on(const struct rest_call *call)
{
    const struct request *request = &call->request;

    return call->hold_s > 0 && request->call.err.code == ERR_NONE && !request->call.ended &&
           !request->replayed && request->call.subject;
}

/*
 * A write that has begun something is answered when that has ended. The write is done and its body let go of;
 * what follows are looks of the read at the same path, as for a wait.
 */
static void hold_back(struct rest_call *call)
{
    struct edge *edge = call->edge;

    note_stored(call);
    parking_park(&call->parking);
    struct wait *wait = wait_new(edge->waits, &edge->rest_waits, call->exchange, call->request.call.subject,
                                 &call->request.credentials, call->hold_s);

    http_set_data(call->exchange, wait);
    http_slim(call->exchange);
    atomic_fetch_add(&edge->running, 1);
    call_free(call);
    look_again(edge, wait);
    atomic_fetch_sub(&edge->running, 1);
}

static void conclude(struct rest_call *call)
{
    if (goes_on(call))
        hold_back(call);
    else
        answer(call);
}

static void finished(struct request *request)
{
    struct rest_call *call = request->user;

    known_learn(call->edge->known, &request->credentials, &request->call.caller, &request->call.err);
    if (call->wait)
        finish_look(call);
    else if (parking_finished(&call->parking))
        conclude(call);
}

static bool admit_login(struct request *request, struct err *err)
{
    struct rest_call *call = request->user;

    return logins_admit(call->edge->logins, &request->call.tried, call->remote, clock_ticks_us(), err);
}

static bool admit_write(struct request *request, struct err *err)
{
    struct rest_call *call = request->user;

    return stored_admit(call->edge->stored, &request->call.caller, call->remote, request->body_len,
                        clock_ticks_us(), err);
}

static void fill_request(struct rest_call *call, void (*then)(struct request *request))
{
    struct request *request = &call->request;

    request->op = call->input.match.op;
    request->call.tx.arena = &call->arena;
    request->call.door = "rest";
    request->call.remote = call->remote;
    request->call.base_url = gate_base_url(call->exchange, &call->arena);
    request->call.device = request->credentials.device;
    request->admit_login = admit_login;
    request->admit_write = admit_write;
    request->call.request_id = http_request_id(call->exchange);
    request->finished = then;
    request->user = call;
    buf_init(&request->reply, 0);
}

static const char *method_of(const struct rest_call *call)
{
    bool reads = http_method(call->exchange) == HTTP_GET || call->request.call.held;

    return reads ? "GET" : http_method_text(call->exchange);
}

static bool find_route(struct rest_call *call, struct err *err)
{
    const char *method = method_of(call);

    if (!route_find(call->edge->routes, &call->arena, method, http_path(call->exchange), &call->input.match,
                    err))
        return false;
    if (call->input.match.op)
        return true;
    if (call->input.match.allow)
        return err_set(err, ERR_BAD_METHOD, "%.20s is not a method of this path.",
                       http_method_text(call->exchange));
    err_set(err, ERR_NOT_FOUND, "There is nothing at this path.");
    return err_hint(err, "GET /api/openapi.json lists every path.");
}

/* Seconds to wait at most; 0 when the request does not say. */
static bool read_wait(struct rest_call *call, int *seconds)
{
    const char *text = url_value(&call->input.query, "wait");
    int64_t number;

    *seconds = 0;
    call->hold_s = call->request.op->holds ? WAIT_SECONDS_MAX : 0;
    if (!text || !(call->request.op->waits || call->request.op->holds))
        return true;
    if (!str_to_int(text, &number) || number < 0 || number > WAIT_SECONDS_MAX)
        return err_field(&call->request.bind_err, "wait", "wait must be a whole number of seconds, 0..%d.",
                         WAIT_SECONDS_MAX);
    *(call->request.op->holds ? &call->hold_s : seconds) = (int)number;
    return true;
}

/* A wait is for the thing that the path names last, in the form it has in the log. */
static const char *wait_subject(const struct rest_call *call)
{
    const struct op *op = call->request.op;

    for (size_t i = 0; call->input.match.path_count > 0 && i < LIMIT_PARAMS && op->params[i].type; i++)
        if (strcmp(op->params[i].name, call->input.match.path[call->input.match.path_count - 1].name) == 0)
            return call->request.call.args[i].text;
    return NULL;
}

/* Both callbacks run on the exchange's HTTP thread; the exchange, and so the wait, is held meanwhile. */

static void waiter_gone(void *data)
{
    if (wait_leave(data))
        http_reply(wait_owner(data), 503, NULL, NULL, NULL);
}

static void waiter_stops(void *data)
{
    wait_hurry(data);
}

static void waiter_sleeps(struct wait *wait)
{
    http_slim(wait_owner(wait));
    http_watch(wait_owner(wait), waiter_gone, waiter_stops);
}

void rest_open(struct edge *edge)
{
    edge->rest_waits = (struct wait_door){ .look = look_again, .sleeps = waiter_sleeps, .user = edge };
}

static void begin_wait(struct rest_call *call, int seconds)
{
    http_park(call->exchange);
    call->wait = wait_new(call->edge->waits, &call->edge->rest_waits, call->exchange, wait_subject(call),
                          &call->request.credentials, seconds);
    http_set_data(call->exchange, call->wait);
    call->request.here = true;
    dispatch_submit(call->edge->store, &call->request);
}

/* Who came by a link to what the path names shows its cookie. */
static void read_visit(struct rest_call *call)
{
    const struct route_match *match = &call->input.match;

    if (match->op && match->op->by_link && match->path_count > 0)
        gate_visit(call->exchange, &call->arena, match->path[0].text, &call->request.credentials);
}

void rest_handle(struct edge *edge, struct http_exchange *exchange)
{
    struct rest_call *call = call_new(edge, exchange);
    struct request *request = &call->request;
    struct err *err = &request->call.err;
    int wait_seconds;

    if (!gate_check(edge, exchange, gate_kind_of(exchange), &call->arena, &request->credentials, err) ||
        !find_route(call, err)) {
        answer(call);
        return;
    }
    read_visit(call);
    request->idempotency_key = http_header(exchange, "Idempotency-Key");
    fill_request(call, finished);
    input_read(&call->input, request);
    if (read_wait(call, &wait_seconds) && wait_seconds > 0 && request->bind_err.code == ERR_NONE &&
        wait_subject(call))
        begin_wait(call, wait_seconds);
    else if (parking_submit(&call->parking, edge->store, request))
        conclude(call);
}

/* The sender of a large body may make this call: now it is worth reading. */
static void knocked(struct request *request)
{
    struct rest_call *call = request->user;
    struct http_exchange *exchange = call->exchange;

    known_learn(call->edge->known, &request->credentials, &request->call.caller, &request->call.err);
    if (request->call.err.code != ERR_NONE) {
        answer(call);
        return;
    }
    call_free(call);
    http_read_body(exchange);
}

bool rest_before_body(struct edge *edge, struct http_exchange *exchange)
{
    struct rest_call *call = call_new(edge, exchange);
    struct request *request = &call->request;

    http_park(exchange);
    if (!gate_enter(edge, exchange, gate_kind_of(exchange), &call->arena, &request->credentials,
                    &request->call.err)) {
        answer(call);
        return false;
    }
    /* An operation that is open to anyone, or none at all, has a small one. */
    bool known = find_route(call, &request->call.err);

    request->call.err = (struct err){ 0 };
    read_visit(call);
    fill_request(call, knocked);
    if (!known || request->op->needs & ROLE_ANYONE)
        knocked(request);
    else
        dispatch_knock(edge->store, request);
    return false;
}

static void look_again(void *user, struct wait *wait)
{
    struct rest_call *call = call_new(user, wait_owner(wait));
    struct err *err = &call->request.call.err;

    call->wait = wait;
    call->request.call.held = http_method(call->exchange) == HTTP_POST;
    call->request.credentials = *wait_credentials(wait);
    if (!find_route(call, err)) {
        finish_look(call);
        return;
    }
    fill_request(call, finished);
    input_read(&call->input, &call->request);
    dispatch_submit(call->edge->store, &call->request);
}
