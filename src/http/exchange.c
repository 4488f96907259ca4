/*
 * What handlers call. A parked exchange belongs to its owner and not to the loop, so everything that an owner
 * does from another thread ends in mail to the loop, and the owner does not touch it afterwards. Every byte
 * that is charged to the budget is counted in `charged`, and given back in one place.
 */
#include "http/internal.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum http_method http_method(const struct http_exchange *exchange)
{
    return (enum http_method)exchange->method;
}

const char *http_method_text(const struct http_exchange *exchange)
{
    return exchange->request->bytes + exchange->request->head.method;
}

const char *http_path(const struct http_exchange *exchange)
{
    return exchange->request->bytes + exchange->request->head.path;
}

const char *http_query(const struct http_exchange *exchange)
{
    const struct http_request *request = exchange->request;

    return request->head.query ? request->bytes + request->head.query : "";
}

const char *http_header(const struct http_exchange *exchange, const char *name)
{
    return head_value(&exchange->request->head, exchange->request->bytes, name);
}

const char *http_header_lines(const struct http_exchange *exchange, struct arena *arena, const char *name)
{
    const struct http_request *request = exchange->request;
    const char *text = NULL;

    for (size_t i = 0; i < request->head.count; i++) {
        const struct head_field *field = &request->head.fields[i];

        if (strcasecmp(request->bytes + field->name, name) == 0)
            text = arena_format(arena, "%s%s%s", text ? text : "", text ? "," : "",
                                request->bytes + field->value);
    }
    return text;
}

bool http_has_header_like(const struct http_exchange *exchange, const char *prefix)
{
    return head_has_like(&exchange->request->head, exchange->request->bytes, prefix);
}

const char *http_body(const struct http_exchange *exchange, size_t *len)
{
    if (len)
        *len = exchange->request->body_len;
    return exchange->request->body ? exchange->request->body : "";
}

bool http_peer_is_loopback(const struct http_exchange *exchange)
{
    return IN6_IS_ADDR_LOOPBACK(&exchange->peer) ||
           (IN6_IS_ADDR_V4MAPPED(&exchange->peer) && exchange->peer.s6_addr[12] == 127);
}

void http_peer_text(const struct http_exchange *exchange, char *text, size_t size)
{
    const unsigned char *bytes = exchange->peer.s6_addr;

    if (!IN6_IS_ADDR_V4MAPPED(&exchange->peer)) {
        if (!inet_ntop(AF_INET6, bytes, text, (socklen_t)size))
            snprintf(text, size, "unknown");
        return;
    }
    /* Asked for with each request, and inet_ntop would print it with sprintf. */
    char v4[INET_ADDRSTRLEN + 1], *at = v4;

    for (size_t i = 12; i < 16; i++) {
        if (bytes[i] > 99)
            *at++ = (char)('0' + bytes[i] / 100);
        if (bytes[i] > 9)
            *at++ = (char)('0' + bytes[i] / 10 % 10);
        *at++ = (char)('0' + bytes[i] % 10);
        *at++ = '.';
    }
    at[-1] = '\0';
    if (size >= (size_t)(at - v4))
        memcpy(text, v4, (size_t)(at - v4));
}

const char *http_request_id(const struct http_exchange *exchange)
{
    return exchange->request->id;
}

struct http_server *http_server_of(const struct http_exchange *exchange)
{
    return exchange->loop->server;
}

void http_set_data(struct http_exchange *exchange, void *data)
{
    exchange->data = data;
}

bool exchange_charge(struct http_exchange *exchange, size_t from, size_t to)
{
    struct budget *budget = exchange->loop->server->options.budget;

    if (budget && !budget_grow(budget, from, to))
        return false;
    exchange->charged += to - from;
    return true;
}

void exchange_release(struct http_exchange *exchange, size_t bytes)
{
    struct budget *budget = exchange->loop->server->options.budget;

    exchange->charged -= bytes;
    if (budget && bytes > 0)
        budget_give(budget, bytes);
}

static void free_body(struct http_exchange *exchange)
{
    struct http_request *request = exchange->request;

    if (!request)
        return;
    if (request->body_room > 0)
        free(request->body);
    exchange_release(exchange, request->body_room);
    request->body = NULL;
    request->body_len = request->body_room = 0;
}

/* Only the owner of a parked exchange calls this, so the loop does not look at the request meanwhile. */
void http_slim(struct http_exchange *exchange)
{
    free_body(exchange);

    struct http_request *smaller = realloc(exchange->request, sizeof *smaller + exchange->request->len + 1);

    if (smaller) {
        smaller->room = smaller->len;
        exchange->request = smaller;
    }
}

void exchange_reset(struct http_exchange *exchange)
{
    struct http_server *server = exchange->loop->server;

    if (exchange->websocket)
        websocket_free(exchange->websocket);
    exchange->websocket = NULL;
    if (exchange->streaming) {
        exchange->streaming = false;
        atomic_fetch_sub(&server->streams, 1);
        if (exchange->calls.gone)
            exchange->calls.gone(exchange->stream_data);
    }
    if (exchange->data && server->options.forget)
        server->options.forget(exchange->data);
    exchange->data = NULL;
    free_body(exchange);
    exchange_release(exchange, exchange->charged);
    exchange->asking = exchange->head = exchange->gzip = exchange->packable = false;
}

void exchange_free(struct http_exchange *exchange)
{
    exchange_reset(exchange);
    buf_done(&exchange->out.head);
    free(exchange->out.body);
    free(exchange->request);
    free(exchange);
}

void http_park(struct http_exchange *exchange)
{
    atomic_fetch_add(&exchange->loop->server->parked, 1);
    exchange->state = CONN_PARKED;
}

/* Tells the loop. One that has ended has left the exchange to its owner. */
static void post(struct http_exchange *exchange, unsigned char mail)
{
    struct http_server *server = exchange->loop->server;

    if (loop_post(exchange, mail))
        return;
    exchange_free(exchange);
    server_drop(server);
}

bool http_body_was_asked(const struct http_exchange *exchange)
{
    return exchange->request->asked;
}

void http_read_body(struct http_exchange *exchange)
{
    atomic_fetch_sub(&exchange->loop->server->parked, 1);
    post(exchange, MAIL_READ);
}

void http_watch(struct http_exchange *exchange, void (*gone)(void *data), void (*stop)(void *data))
{
    exchange->calls = (struct http_stream_calls){ .gone = gone, .stop = stop };
    loop_post(exchange, MAIL_WATCH);
}

void exchange_finish(struct http_exchange *exchange)
{
    if (exchange->state == CONN_HANDLING) {
        exchange->state = CONN_FINISHED;
        return;
    }
    atomic_fetch_sub(&exchange->loop->server->parked, 1);
    post(exchange, MAIL_FINISH);
}

/* What a GET asked for can be asked for again; any other reply tells what has been done and is always sent.
 */
static bool charge_reply(struct http_exchange *exchange, size_t len)
{
    if (exchange_charge(exchange, 0, len))
        return true;
    if (exchange->method == HTTP_GET)
        return false;
    budget_force(exchange->loop->server->options.budget, len);
    exchange->charged += len;
    return true;
}

void http_reply(struct http_exchange *exchange, int status, const char *content_type,
                const struct http_header_line *headers, struct buf *body)
{
    static const struct http_header_line retry[] = { { "Retry-After", "1" }, { NULL, NULL } };
    static const struct http_fault too_large = { 500, "internal", "The reply is too large." };
    static const struct http_fault no_room = {
        503, "unavailable", "Too many replies are waiting for those who asked to read them. Try again."
    };
    const struct http_fault *fault = NULL;

    /* A body that was cut at its limit would look whole to the client. */
    if (body && body->full)
        fault = &too_large;
    else if (body && body->len > 0 && !charge_reply(exchange, body->len))
        fault = &no_room;
    if (fault) {
        buf_done(body);
        reply_write_refusal(exchange->loop->server, body, fault);
        status = fault->status;
        content_type = "application/json";
        headers = status == 503 ? retry : NULL;
    }
    reply_begin(exchange, status, content_type, headers);
    if (body && body->len > 0)
        exchange->out.body = buf_take(body, &exchange->out.body_len);
    else if (body)
        buf_done(body);
    exchange_finish(exchange);
}

void http_reply_fixed(struct http_exchange *exchange, int status, const char *content_type,
                      const struct http_header_line *headers, const struct http_fixed *fixed)
{
    reply_begin(exchange, status, content_type, headers);
    exchange->out.fixed = fixed;
    exchange_finish(exchange);
}
