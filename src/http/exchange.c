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
    return exchange->method_text;
}

const char *http_path(const struct http_exchange *exchange)
{
    return exchange->uri;
}

const char *http_query(const struct http_exchange *exchange)
{
    return exchange->query ? exchange->query : "";
}

const char *http_header(const struct http_exchange *exchange, const char *name)
{
    return MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, name);
}

struct lines {
    struct arena *arena;
    const char *name, *text;
};

static enum MHD_Result add_line(void *user, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct lines *lines = user;

    (void)kind;
    if (strcasecmp(name, lines->name) == 0)
        lines->text = arena_format(lines->arena, "%s%s%s", lines->text ? lines->text : "",
                                   lines->text ? "," : "", value ? value : "");
    return MHD_YES;
}

const char *http_header_lines(const struct http_exchange *exchange, struct arena *arena, const char *name)
{
    struct lines lines = { .arena = arena, .name = name };

    MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, add_line, &lines);
    return lines.text;
}

struct like {
    const char *prefix;
    bool found;
};

static enum MHD_Result note_like(void *user, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct like *like = user;

    (void)kind;
    (void)value;
    like->found = strncasecmp(name, like->prefix, strlen(like->prefix)) == 0;
    return like->found ? MHD_NO : MHD_YES;
}

bool http_has_header_like(const struct http_exchange *exchange, const char *prefix)
{
    struct like like = { .prefix = prefix };

    MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, note_like, &like);
    return like.found;
}

const char *http_body(const struct http_exchange *exchange, size_t *len)
{
    if (len)
        *len = exchange->body_len;
    return exchange->body ? exchange->body : "";
}

bool http_peer_is_loopback(const struct http_exchange *exchange)
{
    const struct sockaddr *peer = exchange->peer;

    if (peer && peer->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)peer)->sin_addr.s_addr) >> 24 == 127;
    if (peer && peer->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)peer)->sin6_addr);
    return false;
}

void http_peer_text(const struct http_exchange *exchange, char *text, size_t size)
{
    const struct sockaddr *peer = exchange->peer;
    const char *written = NULL;

    if (peer && peer->sa_family == AF_INET)
        written = inet_ntop(AF_INET, &((const struct sockaddr_in *)peer)->sin_addr, text, (socklen_t)size);
    else if (peer && peer->sa_family == AF_INET6)
        written = inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)peer)->sin6_addr, text, (socklen_t)size);
    if (!written)
        snprintf(text, size, "unknown");
}

const char *http_request_id(const struct http_exchange *exchange)
{
    return exchange->request_id;
}

struct http_server *http_server_of(const struct http_exchange *exchange)
{
    return exchange->server;
}

void http_set_data(struct http_exchange *exchange, void *data)
{
    exchange->data = data;
}

bool exchange_charge(struct http_exchange *exchange, size_t from, size_t to)
{
    struct budget *budget = exchange->server->options.budget;

    if (budget && !budget_grow(budget, from, to))
        return false;
    exchange->charged += to - from;
    return true;
}

void exchange_release(struct http_exchange *exchange, size_t bytes)
{
    struct budget *budget = exchange->server->options.budget;

    exchange->charged -= bytes;
    if (budget && bytes > 0)
        budget_give(budget, bytes);
}

void exchange_activate(struct http_exchange *exchange, bool active)
{
    if (active && !exchange->active)
        atomic_fetch_add(&exchange->server->active, 1);
    else if (!active && exchange->active)
        atomic_fetch_sub(&exchange->server->active, 1);
    exchange->active = active;
}

void http_slim(struct http_exchange *exchange)
{
    free(exchange->body);
    exchange->body = NULL;
    exchange_release(exchange, exchange->body_room);
    exchange->body_len = exchange->body_room = 0;
}

void exchange_hold(struct http_exchange *exchange)
{
    atomic_fetch_add(&exchange->refs, 1);
}

/*
 * The last one to let go tells the stream's owner and frees everything, on whatever thread that is. It counts
 * as active until then: http_close waits for that and frees the server.
 */
void exchange_drop(struct http_exchange *exchange)
{
    struct http_server *server = exchange->server;

    if (atomic_fetch_sub(&exchange->refs, 1) != 1)
        return;

    bool abandoned = exchange->abandoned;
    bool active = exchange->active && !exchange->upgraded && !abandoned;

    if (exchange->streaming && exchange->calls.gone)
        exchange->calls.gone(exchange->stream_data);
    if (exchange->data && server->options.forget)
        server->options.forget(exchange->data);
    if (exchange->streaming)
        atomic_fetch_sub(&server->streams, 1);
    if (exchange->response)
        MHD_destroy_response(exchange->response);
    if (exchange->reply)
        free(exchange->reply->body);
    free(exchange->reply);
    free(exchange->body);
    exchange_release(exchange, exchange->charged);
    free(exchange);
    if (active)
        atomic_fetch_sub(&server->active, 1);
    if (abandoned)
        server_drop(server);
}

void exchange_link(struct http_exchange *exchange)
{
    struct http_server *server = exchange->server;

    pthread_mutex_lock(&server->lock);
    if (!exchange->linked) {
        exchange->linked = true;
        exchange->next = server->waiting;
        if (exchange->next)
            exchange->next->prev = exchange;
        server->waiting = exchange;
    }
    pthread_mutex_unlock(&server->lock);
}

void http_park(struct http_exchange *exchange)
{
    exchange_link(exchange);
    exchange_hold(exchange);
    atomic_fetch_add(&exchange->server->parked, 1);
    atomic_store(&exchange->holder, HOLDER_PARKED);
    MHD_suspend_connection(exchange->connection);
}

void http_watch(struct http_exchange *exchange, void (*gone)(void *data), void (*stop)(void *data))
{
    pthread_mutex_lock(&exchange->server->lock);
    exchange->calls.gone = gone;
    exchange->calls.stop = stop;
    exchange->told_to_stop = false;
    pthread_mutex_unlock(&exchange->server->lock);
    watch_arm(exchange);
}

/* True: the caller has taken the exchange over from its holder, and is the one to resume it. */
static bool take_parked(struct http_exchange *exchange)
{
    unsigned char parked = HOLDER_PARKED;

    if (!atomic_compare_exchange_strong(&exchange->holder, &parked, HOLDER_NONE))
        return false;
    atomic_fetch_sub(&exchange->server->parked, 1);
    watch_disarm(exchange);
    return true;
}

bool http_body_was_asked(const struct http_exchange *exchange)
{
    return exchange->asked;
}

/* The reading goes on as if nothing had been asked. */
void http_read_body(struct http_exchange *exchange)
{
    if (take_parked(exchange)) {
        atomic_store(&exchange->holder, HOLDER_HANDLER);
        MHD_resume_connection(exchange->connection);
    }
    exchange_drop(exchange);
}

bool exchange_abandon(struct http_exchange *exchange)
{
    if (!take_parked(exchange))
        return false;
    exchange->abandoned = true;
    atomic_fetch_add(&exchange->server->refs, 1);
    MHD_resume_connection(exchange->connection);
    return true;
}

void exchange_finish(struct http_exchange *exchange, int status, struct MHD_Response *response)
{
    if (atomic_load(&exchange->holder) == HOLDER_HANDLER) {
        atomic_store(&exchange->holder, HOLDER_NONE);
        if (exchange->streaming)
            watch_arm(exchange);
        MHD_queue_response(exchange->connection, (unsigned)status, response);
        MHD_destroy_response(response);
        return;
    }
    if (take_parked(exchange)) {
        exchange->response_status = status;
        exchange->response = response;
        if (exchange->streaming)
            watch_arm(exchange);
        MHD_resume_connection(exchange->connection);
    } else {
        MHD_destroy_response(response);
    }
    exchange_drop(exchange);
}

/*
 * A parked reply is only packed here: its headers are built and its body is compressed on the connection's
 * thread, since the caller may be the one writer that everybody waits for.
 */
static struct packed_reply *pack_reply(int status, const char *content_type,
                                       const struct http_header_line *headers)
{
    size_t lines = 0, bytes = content_type ? strlen(content_type) + 1 : 0;

    for (; headers && headers[lines].name; lines++)
        bytes += strlen(headers[lines].name) + strlen(headers[lines].value) + 2;

    struct packed_reply *reply = calloc(1, sizeof *reply + (lines + 1) * sizeof reply->headers[0] + bytes);
    char *to = reply ? (char *)&reply->headers[lines + 1] : NULL;

    if (!reply)
        abort();
    reply->status = status;
    if (content_type) {
        reply->content_type = to;
        to = stpcpy(to, content_type) + 1;
    }
    for (size_t i = 0; i < lines; i++) {
        reply->headers[i].name = to;
        to = stpcpy(to, headers[i].name) + 1;
        reply->headers[i].value = to;
        to = stpcpy(to, headers[i].value) + 1;
    }
    return reply;
}

/* What a GET asked for can be asked for again; any other reply tells what has been done and is always sent.
 */
static bool charge_reply(struct http_exchange *exchange, size_t len)
{
    if (exchange_charge(exchange, 0, len))
        return true;
    if (exchange->method == HTTP_GET)
        return false;
    budget_force(exchange->server->options.budget, len);
    exchange->charged += len;
    return true;
}

/* Hands it over, from the handler at once, else by way of the connection's thread. */
static void send_reply(struct http_exchange *exchange, int status, const char *content_type,
                       const struct http_header_line *headers, char *bytes, size_t len,
                       const struct http_fixed *fixed)
{
    if (atomic_load(&exchange->holder) == HOLDER_HANDLER) {
        atomic_store(&exchange->holder, HOLDER_NONE);
        if (fixed)
            reply_fixed(exchange, status, content_type, headers, fixed);
        else
            reply_now(exchange, status, content_type, headers, bytes, len);
        return;
    }
    if (take_parked(exchange)) {
        exchange->reply = pack_reply(status, content_type, headers);
        exchange->reply->body = bytes;
        exchange->reply->len = len;
        exchange->reply->fixed = fixed;
        MHD_resume_connection(exchange->connection);
    } else {
        free(bytes);
    }
    exchange_drop(exchange);
}

void http_reply(struct http_exchange *exchange, int status, const char *content_type,
                const struct http_header_line *headers, struct buf *body)
{
    static const struct http_header_line retry[] = { { "Retry-After", "1" }, { NULL, NULL } };
    size_t len = 0;
    char *bytes = NULL;

    /* A body that was cut at its limit would look whole to the client. */
    if (body && body->full) {
        buf_done(body);
        reply_write_refusal(exchange, body, 500, "internal", "The reply is too large.");
        status = 500;
        content_type = "application/json";
        headers = NULL;
    }
    if (body && body->len > 0 && !charge_reply(exchange, body->len)) {
        buf_done(body);
        reply_write_refusal(exchange, body, 503, "unavailable",
                            "Too many replies are waiting for those who asked to read them. Try again.");
        status = 503;
        content_type = "application/json";
        headers = retry;
    }
    if (body && body->len > 0)
        bytes = buf_take(body, &len);
    else if (body)
        buf_done(body);
    send_reply(exchange, status, content_type, headers, bytes, len, NULL);
}

void http_reply_fixed(struct http_exchange *exchange, int status, const char *content_type,
                      const struct http_header_line *headers, const struct http_fixed *fixed)
{
    send_reply(exchange, status, content_type, headers, NULL, 0, fixed);
}
