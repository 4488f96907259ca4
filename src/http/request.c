#include "http/internal.h"

#include "base/clock.h"
#include "base/limits.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define LINGER_MS  2000 /* how long a refused upload is read and thrown away, so that the refusal is seen */
#define FIRST_BODY (4 * KB)

/* What the checks of a request's head need to know of its headers. */
struct head {
    struct http_exchange *exchange;
    unsigned lengths, encodings, hosts;
    const char *length, *encoding, *expect;
    bool bad;
};

static enum http_method parse_method(const char *text)
{
    static const struct {
        const char *text;
        enum http_method method;
    } methods[] = {
        { "GET", HTTP_GET },  { "POST", HTTP_POST },     { "PUT", HTTP_PUT },         { "PATCH", HTTP_PATCH },
        { "HEAD", HTTP_GET }, { "DELETE", HTTP_DELETE }, { "OPTIONS", HTTP_OPTIONS },
    };

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(text, methods[i].text) == 0)
            return methods[i].method;
    }
    return HTTP_OTHER;
}

static void write_request_id(struct http_exchange *exchange)
{
    static const char hex[] = "0123456789abcdef";
    uint64_t number = atomic_fetch_add_explicit(&exchange->server->request_number, 1, memory_order_relaxed);
    uint32_t prefix = exchange->server->request_prefix;
    char *to = exchange->request_id;

    for (int shift = 28; shift >= 0; shift -= 4)
        *to++ = hex[prefix >> shift & 15];
    *to++ = '-';
    for (int shift = 44; shift >= 0; shift -= 4)
        *to++ = hex[number >> shift & 15];
    *to = '\0';
}

/*
 * Runs as soon as the request line is there, with the target as it was sent: libmicrohttpd is about to cut
 * it into pieces, so it is copied. What this returns comes back as the request's context.
 */
void *request_begin(void *arg, const char *uri, struct MHD_Connection *connection)
{
    struct http_server *server = arg;
    /* Newer versions of the library return the same place each time: take the value before the next call. */
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct conn *conn = info ? info->socket_context : NULL;
    size_t len = strlen(uri);
    struct http_exchange *exchange = calloc(1, sizeof *exchange + len + 1);

    if (!exchange || !conn) {
        free(exchange);
        return NULL;
    }
    exchange->server = server;
    exchange->connection = connection;
    exchange->conn = conn;
    info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    exchange->peer = info ? info->client_addr : NULL;
    exchange->raw_uri = uri;
    memcpy(exchange->uri, uri, len + 1);
    atomic_init(&exchange->refs, 1);
    if (!exchange->conn->crowded)
        atomic_store_explicit(&exchange->conn->cut_ms, clock_ticks_ms() + server->body_ms,
                              memory_order_relaxed);
    return exchange;
}

static bool token_char(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("!#$%&'*+-.^_`|~", c));
}

/* "Content-Length : 5" is no Content-Length to us and one to a lenient proxy, so odd names are refused. */
static bool header_is_clean(const char *name, size_t name_len, const char *value, size_t value_len)
{
    for (size_t i = 0; i < name_len; i++) {
        if (!token_char((unsigned char)name[i]))
            return false;
    }
    for (size_t i = 0; i < value_len; i++) {
        unsigned char c = (unsigned char)value[i];

        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return name_len > 0;
}

/* Whether an Accept-Encoding lets us gzip: named, or covered by "*", and not with a weight of 0. */
static bool accepts_gzip(const char *value)
{
    bool any = false;

    while (*value) {
        size_t len = strcspn(value, ",");
        size_t start = strspn(value, " \t");
        size_t name = start + strcspn(value + start, ";, \t");
        const char *weight = memmem(value, len, "q=", 2);
        bool wanted = !weight || strspn(weight + 2, "0.") < strcspn(weight + 2, ", \t;");

        if (name > len)
            name = len;
        if (name - start == 4 && strncasecmp(value + start, "gzip", 4) == 0)
            return wanted;
        if (name - start == 1 && value[start] == '*')
            any = wanted;
        value += len + (value[len] == ',');
    }
    return any;
}

static void take_request_id(struct http_exchange *exchange, const char *value)
{
    size_t len = strlen(value);

    if (len == 0 || len >= REQUEST_ID_SIZE)
        return;
    for (const char *c = value; *c; c++) {
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              strchr("._-", *c)))
            return;
    }
    memcpy(exchange->request_id, value, len + 1);
}

static enum MHD_Result scan_header(void *arg, enum MHD_ValueKind kind, const char *name, size_t name_len,
                                   const char *value, size_t value_len)
{
    struct head *head = arg;

    (void)kind;
    if (!value)
        value = "";
    if (!header_is_clean(name, name_len, value, value_len))
        head->bad = true;
    if (name_len == 14 && strcasecmp(name, "content-length") == 0) {
        head->lengths++;
        head->length = value;
    } else if (name_len == 17 && strcasecmp(name, "transfer-encoding") == 0) {
        head->encodings++;
        head->encoding = value;
    } else if (name_len == 4 && strcasecmp(name, "host") == 0) {
        head->hosts++;
    } else if (name_len == 6 && strcasecmp(name, "expect") == 0) {
        head->expect = value;
    } else if (name_len == 15 && strcasecmp(name, "accept-encoding") == 0) {
        head->exchange->gzip = accepts_gzip(value);
    } else if (name_len == 12 && strcasecmp(name, "x-request-id") == 0) {
        take_request_id(head->exchange, value);
    }
    return MHD_YES;
}

static bool hex_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Why a request target is refused, or NULL. Nothing is decoded: "%00" would end a path too early. */
static const char *target_fault(const char *uri)
{
    for (const unsigned char *c = (const unsigned char *)uri; *c; c++) {
        if (*c <= 0x20 || *c == 0x7f)
            return "The address contains a control character.";
        if (*c != '%')
            continue;
        if (!hex_digit((char)c[1]) || !hex_digit((char)c[2]))
            return "The address contains a broken escape.";
        if (c[1] == '0' && c[2] == '0')
            return "The address contains an escaped NUL.";
    }
    return NULL;
}

/* A proxy may send the absolute form; only its path counts here. Then path and query are parted. */
static bool split_target(struct http_exchange *exchange)
{
    char *uri = exchange->uri;

    if (strncasecmp(uri, "http://", 7) == 0) {
        char *path = uri + 7 + strcspn(uri + 7, "/?");

        if (*path != '/')
            return false;
        memmove(uri, path, strlen(path) + 1);
    }

    char *mark = strchr(uri, '?');

    if (mark) {
        *mark = '\0';
        exchange->query = mark + 1;
    }
    return *uri == '/' || (strcmp(uri, "*") == 0 && exchange->method == HTTP_OPTIONS);
}

/* In the middle of an upload. */
static enum MHD_Result cut_off(struct http_exchange *exchange, int status, const char *code, const char *text)
{
    http_slim(exchange);
    reply_cut_off(exchange, status, code, text);
    return MHD_YES;
}

static const char too_large[] = "The body is too large.";

/*
 * The layer above may park the exchange before anything of its body is read. libmicrohttpd calls again once
 * it is resumed, as if it were the first time.
 */
static enum MHD_Result ask_for_body(struct http_exchange *exchange)
{
    struct http_server *server = exchange->server;

    exchange_activate(exchange, true);
    exchange->asked = exchange->asking = true;
    if (!server->options.before_body(exchange, server->options.user))
        return MHD_YES;
    exchange->asking = false;
    exchange_activate(exchange, false);
    return MHD_YES;
}

static enum MHD_Result asked(struct http_exchange *exchange)
{
    exchange->asking = false;
    if (exchange->abandoned)
        return MHD_NO;
    if (exchange->reply)
        return reply_unread(exchange);
    exchange_activate(exchange, false);
    return MHD_YES;
}

/* Everything that would let two readers of these bytes disagree about where the body ends is refused. */
static enum MHD_Result check_body(struct http_exchange *exchange, const struct head *head)
{
    struct http_server *server = exchange->server;
    unsigned long long length = 0;

    if (head->lengths > 1 || head->encodings > 1 || (head->lengths && head->encodings))
        return reply_refuse(exchange, 400, "bad_request", "The length of the body is not clear.");
    if (head->encoding && strcasecmp(head->encoding, "chunked") != 0)
        return reply_refuse(exchange, 501, "not_implemented", "Only the transfer encoding chunked is known.");
    if (head->length) {
        if (!*head->length || strspn(head->length, "0123456789") != strlen(head->length))
            return reply_refuse(exchange, 400, "bad_request", "Content-Length is not a number.");
        length = strtoull(head->length, NULL, 10);
    }
    if (head->expect && strcasecmp(head->expect, "100-continue") != 0)
        return reply_refuse(exchange, 417, "expectation_failed", "Only Expect: 100-continue is known.");

    if (server->options.body_limit)
        exchange->body_limit =
            server->options.body_limit(exchange->method, exchange->uri, server->options.user);
    if (exchange->body_limit == 0)
        exchange->body_limit = LIMIT_BODY;
    exchange->expects = head->expect != NULL;
    exchange->body_expected = (size_t)length;
    /* Who waits for 100 Continue has sent nothing yet and reads the reply first. */
    if (length > exchange->body_limit && exchange->expects)
        return reply_refuse(exchange, 413, "too_large", too_large);
    if (length > exchange->body_limit)
        return cut_off(exchange, 413, "too_large", too_large);
    if (server->options.before_body && (length > HTTP_BODY_ASK || head->encodings))
        return ask_for_body(exchange);
    return MHD_YES;
}

/* The first call for a request: its head is there, nothing of its body, and 100 Continue is not sent yet. */
static enum MHD_Result check_head(struct http_exchange *exchange, const char *method, const char *version)
{
    struct head head = { .exchange = exchange };
    size_t len = strlen(exchange->uri);

    exchange->method_text = method;
    exchange->method = (unsigned char)parse_method(method);
    exchange->head = strcmp(method, "HEAD") == 0;
    MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, scan_header, &head);
    if (!exchange->request_id[0])
        write_request_id(exchange);

    /* The version stands right behind the target unless a NUL byte has cut the target short. */
    const char *fault = version != exchange->raw_uri + len + 1 ? "The request line is malformed."
                                                               : target_fault(exchange->uri);

    if (fault)
        return reply_refuse(exchange, 400, "bad_request", fault);
    if (len > LIMIT_URL)
        return reply_refuse(exchange, 414, "uri_too_long", "The address is too long.");
    if (!split_target(exchange))
        return reply_refuse(exchange, 400, "bad_request", "The path must start with a slash.");
    if (head.bad)
        return reply_refuse(exchange, 400, "bad_request", "A header is malformed.");
    /* A proxy may have looked at the other one. */
    if (head.hosts > 1)
        return reply_refuse(exchange, 400, "bad_request", "There is more than one Host.");
    if (exchange->conn->crowded)
        return reply_refuse(exchange, 429, "rate_limited",
                            "There are too many connections from this address.");
    if (atomic_load(&exchange->server->closing))
        return reply_refuse(exchange, 503, "unavailable", "The server is stopping.");
    return check_body(exchange, &head);
}

/* Room is made as bytes arrive, however many were announced: announcing them costs nothing. */
static bool body_grow(struct http_exchange *exchange, size_t need)
{
    size_t announced = exchange->body_expected + 1;
    size_t room = exchange->body_room ? exchange->body_room : FIRST_BODY;

    while (room < need)
        room *= 2;
    if (announced > 1 && (room > announced || announced <= HTTP_BODY_ASK) && announced >= need)
        room = announced;
    if (!exchange_charge(exchange, exchange->body_room, room))
        return false;

    char *body = realloc(exchange->body, room);

    if (!body) {
        exchange_release(exchange, room - exchange->body_room);
        return false;
    }
    exchange->body = body;
    exchange->body_room = room;
    return true;
}

static enum MHD_Result take_body(struct http_exchange *exchange, const char *bytes, size_t len)
{
    if (exchange->draining || exchange->refused)
        return MHD_YES;
    if (clock_ticks_ms() > atomic_load_explicit(&exchange->conn->cut_ms, memory_order_relaxed))
        return MHD_NO;
    if (len > exchange->body_limit - exchange->body_len)
        return cut_off(exchange, 413, "too_large", too_large);

    size_t need = exchange->body_len + len + 1;

    if (need > exchange->body_room && !body_grow(exchange, need))
        return cut_off(exchange, 503, "unavailable",
                       "The server has as much to read and to send as it can hold. Try again.");
    memcpy(exchange->body + exchange->body_len, bytes, len);
    exchange->body_len += len;
    return MHD_YES;
}

/* The connection was resumed: what to send was left on the exchange, or it was given up. */
static enum MHD_Result resumed(struct http_exchange *exchange)
{
    struct MHD_Response *response = exchange->response;

    if (exchange->reply)
        return reply_packed(exchange);
    if (!response)
        return MHD_NO;

    enum MHD_Result result =
        MHD_queue_response(exchange->connection, (unsigned)exchange->response_status, response);

    exchange->response = NULL;
    MHD_destroy_response(response);
    return result;
}

enum MHD_Result request_call(void *arg, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload, size_t *upload_len,
                             void **context)
{
    struct http_server *server = arg;
    struct http_exchange *exchange = *context;

    (void)connection;
    (void)url;
    if (!exchange)
        return MHD_NO;
    if (!exchange->begun) {
        exchange->begun = true;
        return check_head(exchange, method, version);
    }
    if (exchange->asking)
        return asked(exchange);
    if (*upload_len > 0) {
        size_t len = *upload_len;

        *upload_len = 0;
        return take_body(exchange, upload, len);
    }
    /* A daemon that is being stopped takes a refusal, forgets it, and goes on reading the request. */
    if (exchange->draining || exchange->refused)
        return MHD_NO;
    if (exchange->handled)
        return resumed(exchange);

    exchange->handled = true;
    if (exchange->body)
        exchange->body[exchange->body_len] = '\0';
    atomic_store_explicit(&exchange->conn->cut_ms, 0, memory_order_relaxed);
    /* Counted first, then looked: http_close either waits for this request or has it refused here. */
    exchange_activate(exchange, true);
    if (atomic_load(&server->closing))
        return reply_refuse(exchange, 503, "unavailable", "The server is stopping.");
    server->options.handle(exchange, server->options.user);
    if (atomic_load(&exchange->holder) == HOLDER_HANDLER)
        return reply_refuse(exchange, 500, "internal", "The request was not answered.");
    return MHD_YES;
}

void request_drain(struct http_exchange *exchange)
{
    exchange->draining = true;
    atomic_store_explicit(&exchange->conn->cut_ms, clock_ticks_ms() + LINGER_MS, memory_order_relaxed);
}

static void unlink_waiting(struct http_exchange *exchange)
{
    struct http_server *server = exchange->server;

    if (exchange->prev)
        exchange->prev->next = exchange->next;
    else
        server->waiting = exchange->next;
    if (exchange->next)
        exchange->next->prev = exchange->prev;
    exchange->linked = false;
}

/*
 * An upgraded connection ends under a lock of libmicrohttpd's, so its last reference is dropped by the
 * watcher, who holds none.
 */
void request_end(void *arg, struct MHD_Connection *connection, void **context,
                 enum MHD_RequestTerminationCode how)
{
    struct http_server *server = arg;
    struct http_exchange *exchange = *context;

    (void)connection;
    (void)how;
    *context = NULL;
    if (!exchange)
        return;
    if (exchange->websocket)
        websocket_discard(exchange->websocket);
    if (exchange->linked) {
        watch_disarm(exchange);
        pthread_mutex_lock(&server->lock);
        unlink_waiting(exchange);
        pthread_mutex_unlock(&server->lock);
    }
    if (exchange->upgraded) {
        pthread_mutex_lock(&server->lock);
        exchange->next = server->ended;
        server->ended = exchange;
        pthread_mutex_unlock(&server->lock);
        return;
    }
    if (!exchange->draining)
        atomic_store_explicit(&exchange->conn->cut_ms, clock_ticks_ms() + server->idle_ms,
                              memory_order_relaxed);
    /* An abandoned one keeps the server's memory instead: its owner may take any time to come. */
    if (exchange->abandoned)
        atomic_fetch_sub(&server->active, 1);
    exchange_drop(exchange);
}
