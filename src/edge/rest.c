/*
 * rest.c - the REST dialect: a method and a path name the operation, JSON and the query are its input.
 *
 * A call is built from the exchange, handed to the dispatcher, and answered once that has finished it, on
 * this thread or on one of the store's (parking.h).
 */
#include "edge/rest.h"
#include "base/clock.h"
#include "base/str.h"
#include "edge/internal.h"
#include "edge/rest_call.h"

#include <string.h>

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
        rest_answer(call);
        return;
    }

    /* The reply is kept until it is known whether this was the last look; the rest is given back. */
    struct buf reply = call->request.reply;
    int status = call->request.call.status;
    const struct op *op = call->request.op;
    struct edge *edge = call->edge;

    call->request.reply = (struct buf){ 0 };
    atomic_fetch_add(&edge->running, 1);
    rest_call_free(call);
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

    rest_note_stored(call);
    parking_park(&call->parking);
    struct wait *wait = wait_new(edge->waits, &edge->rest_waits, call->exchange, call->request.call.subject,
                                 &call->request.credentials, call->hold_s);

    http_set_data(call->exchange, wait);
    http_slim(call->exchange);
    atomic_fetch_add(&edge->running, 1);
    rest_call_free(call);
    look_again(edge, wait);
    atomic_fetch_sub(&edge->running, 1);
}

static void conclude(struct rest_call *call)
{
    if (goes_on(call))
        hold_back(call);
    else
        rest_answer(call);
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
    if (request->op && request->op->tells_url)
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
    const struct route_match *match = &call->input.match;
    size_t at = match->path_count == 0
                    ? NO_PARAM
                    : op_param(op_facts(match->op), match->path[match->path_count - 1].name);

    return at == NO_PARAM ? NULL : call->request.call.args[at].text;
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
    struct rest_call *call = rest_call_new(edge, exchange);
    struct request *request = &call->request;
    struct err *err = &request->call.err;
    int wait_seconds;

    if (!gate_check(edge, exchange, gate_kind_of(exchange), &call->arena, &request->credentials, err) ||
        !find_route(call, err)) {
        rest_answer(call);
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
        rest_answer(call);
        return;
    }
    rest_call_free(call);
    http_read_body(exchange);
}

bool rest_before_body(struct edge *edge, struct http_exchange *exchange)
{
    struct rest_call *call = rest_call_new(edge, exchange);
    struct request *request = &call->request;

    http_park(exchange);
    if (!gate_enter(edge, exchange, gate_kind_of(exchange), &call->arena, &request->credentials,
                    &request->call.err)) {
        rest_answer(call);
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
    struct rest_call *call = rest_call_new(user, wait_owner(wait));
    struct err *err = &call->request.call.err;

    call->wait = wait;
    call->request.was_let_in = true;
    call->request.call.held = http_method(call->exchange) == HTTP_POST;
    call->request.call.glance = !wait_is_final(wait);
    call->request.credentials = *wait_credentials(wait);
    if (!find_route(call, err)) {
        finish_look(call);
        return;
    }
    fill_request(call, finished);
    input_read(&call->input, &call->request);
    dispatch_submit(call->edge->store, &call->request);
}
