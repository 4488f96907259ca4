/*
 * A request is one block: its bookkeeping, its head as it came, and often its body behind it. A body that
 * came whole with its head is used where it lies; any other grows in a buffer of its own, and only as it
 * arrives. The bytes behind a message are the next one's beginning and are moved to the front.
 */
#include "base/memory.h"
#include "http/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define BLOCK_BYTES (4 * KB) /* enough for most requests whole */
#define FIRST_BODY  (4 * KB)

static const struct http_fault too_large = { 413, "too_large", "The body is too large." };
static const struct http_fault bad_chunk = { 400, "bad_request", "The chunked body is malformed." };
static const struct http_fault crowded = { 429, "rate_limited",
                                           "There are too many connections from this address." };
static const struct http_fault no_room = {
    503, "unavailable", "The server has as much to read and to send as it can hold. Try again."
};

static void begin_message(struct http_request *request)
{
    /* The fields count from 0 again, so what they held does not matter. */
    memset(&request->head, 0, offsetof(struct head, fields));
    request->chunked = (struct chunked){ 0 };
    request->used = 0;
    request->asked = false;
    request->id[0] = '\0';
}

static struct http_request *request_new(struct http_exchange *conn)
{
    struct http_request *request = conn->loop->spare;

    conn->loop->spare = NULL;
    if (!request) {
        request = memory_take(BLOCK_BYTES);
        /* One byte more than `room` says, for the NUL behind a body. */
        request->room = BLOCK_BYTES - sizeof *request - 1;
    }
    request->body = NULL;
    request->body_len = request->body_room = request->len = 0;
    begin_message(request);
    conn->request = request;
    return request;
}

static void request_grow(struct http_exchange *conn, size_t room)
{
    conn->request = memory_resize(conn->request, sizeof *conn->request + room + 1);
    conn->request->room = room;
}

void request_free(struct http_exchange *conn)
{
    struct loop *loop = conn->loop;
    struct http_request *request = conn->request;

    conn->request = NULL;
    if (!request)
        return;
    if (request->body_room > 0)
        free(request->body);
    if (!loop->spare && request->room == BLOCK_BYTES - sizeof *request - 1)
        loop->spare = request;
    else
        free(request);
}

bool request_keep_rest(struct http_exchange *conn)
{
    struct http_request *request = conn->request;

    if (!request || request->used == request->len) {
        request_free(conn);
        return false;
    }
    request->len -= request->used;
    memmove(request->bytes, request->bytes + request->used, request->len);
    begin_message(request);
    return true;
}

/*
 * The socket tells of new bytes once. A read that filled less than its room has taken them all, and what
 * comes later is told anew; only the end may already be waiting behind them.
 */
ssize_t request_receive(struct http_exchange *conn, char *into, size_t room)
{
    ssize_t got = recv(conn->fd, into, room, 0);

    if (got >= 0) {
        conn->readable = (size_t)got == room || conn->vanished;
        return got;
    }
    conn->readable = errno == EINTR;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? -1 : 0;
}

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

/* The body grows with what arrives, however much was announced: announcing costs nothing. */
static bool body_grow(struct http_exchange *conn, size_t need)
{
    struct http_request *request = conn->request;
    size_t announced = request->head.chunked ? SIZE_MAX : (size_t)request->head.length + 1;
    size_t room = request->body_room ? request->body_room : FIRST_BODY;

    while (room < need)
        room *= 2;
    if (room > announced || announced <= HTTP_BODY_ASK)
        room = announced;
    if (!exchange_charge(conn, request->body_room, room))
        return false;

    char *body = realloc(request->body_room ? request->body : NULL, room);

    if (!body) {
        exchange_release(conn, room - request->body_room);
        return false;
    }
    request->body = body;
    request->body_room = room;
    return true;
}

/* Room for so many more bytes of the body, and the NUL. False: it was refused. */
static bool body_room(struct http_exchange *conn, size_t more)
{
    struct http_request *request = conn->request;
    const struct http_fault *fault = NULL;

    if (more > request->body_limit - request->body_len)
        fault = &too_large;
    else if (request->body_len + more + 1 > request->body_room &&
             !body_grow(conn, request->body_len + more + 1))
        fault = &no_room;
    if (fault)
        conn_refuse(conn, fault);
    return !fault;
}

static bool body_add(struct http_exchange *conn, const char *bytes, size_t len)
{
    struct http_request *request = conn->request;

    if (!body_room(conn, len))
        return false;
    memcpy(request->body + request->body_len, bytes, len);
    request->body_len += len;
    return true;
}

/* A whole message is there. */
static bool done(struct http_request *request)
{
    if (request->body)
        request->body[request->body_len] = '\0';
    return true;
}

/* Not all of it has come yet: it has the time that one request may take. */
static bool wait_for_more(struct http_exchange *conn)
{
    if (conn->timer != TIMER_REQUEST && !conn->crowded)
        timer_set(conn, TIMER_REQUEST);
    if (conn->readable)
        loop_again(conn);
    return false;
}

/* Takes chunks off the input. *left says how much of it lies behind the message when that has ended. */
static enum chunked_found take_chunks(struct http_exchange *conn, const char *in, size_t len, size_t *left)
{
    enum chunked_found found;
    const char *data;
    size_t data_len;

    while ((found = chunked_next(&conn->request->chunked, &in, &len, &data, &data_len)) == CHUNKED_DATA) {
        if (!body_add(conn, data, data_len))
            return CHUNKED_BAD;
    }
    *left = len;
    if (found == CHUNKED_BAD)
        conn_refuse(conn, &bad_chunk);
    return found;
}

static bool read_chunks(struct http_exchange *conn)
{
    struct http_request *request = conn->request;
    char *scratch = conn->loop->scratch;
    ssize_t got = request_receive(conn, scratch, SCRATCH_BYTES);
    size_t left;

    if (got == 0) {
        conn_close(conn);
        return false;
    }
    if (got < 0)
        return wait_for_more(conn);
    switch (take_chunks(conn, scratch, (size_t)got, &left)) {
    case CHUNKED_MORE: return wait_for_more(conn);
    case CHUNKED_END:
        if (request->len + left > request->room) {
            request_grow(conn, request->len + left);
            request = conn->request;
        }
        memcpy(request->bytes + request->len, scratch + (size_t)got - left, left);
        request->len += left;
        return done(request);
    default: return false;
    }
}

static bool read_length(struct http_exchange *conn)
{
    struct http_request *request = conn->request;
    size_t want = (size_t)request->head.length - request->body_len;

    if (want > SCRATCH_BYTES)
        want = SCRATCH_BYTES;
    if (!body_room(conn, want))
        return false;

    ssize_t got = request_receive(conn, request->body + request->body_len, want);

    if (got == 0) {
        conn_close(conn);
        return false;
    }
    if (got > 0)
        request->body_len += (size_t)got;
    return request->body_len == request->head.length ? done(request) : wait_for_more(conn);
}

static bool say_continue(struct http_exchange *conn)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (send(conn->fd, text, sizeof text - 1, MSG_NOSIGNAL) == sizeof text - 1)
        return true;
    conn_close(conn);
    return false;
}

bool request_read_body(struct http_exchange *conn)
{
    struct http_request *request = conn->request;
    const struct head *head = &request->head;
    char *bytes = request->bytes + request->used;
    size_t there = request->len - request->used, left;

    conn->state = CONN_BODY;
    if (!head->chunked && head->length == 0)
        return true;
    if (there == 0 && head->expect == EXPECT_CONTINUE && !say_continue(conn))
        return false;
    if (head->chunked) {
        enum chunked_found found = take_chunks(conn, bytes, there, &left);

        if (found == CHUNKED_BAD)
            return false;
        request->used = request->len - left;
        if (found == CHUNKED_END)
            return done(request);
        request->len = request->used = head->at;
        return wait_for_more(conn);
    }
    /* The usual case: it came with the head, and nothing behind it. */
    if (there == head->length) {
        request->body = bytes;
        request->body_len = there;
        request->used = request->len;
        return done(request);
    }
    if (there > head->length)
        there = (size_t)head->length;
    if (!body_add(conn, bytes, there))
        return false;
    request->used += there;
    return request->body_len == head->length ? done(request) : wait_for_more(conn);
}

static void write_id(struct http_server *server, struct http_request *request)
{
    static const char hex[] = "0123456789abcdef";
    uint64_t number = atomic_fetch_add_explicit(&server->request_number, 1, memory_order_relaxed);
    char *to = request->id;

    for (int shift = 28; shift >= 0; shift -= 4)
        *to++ = hex[server->request_prefix >> shift & 15];
    *to++ = '-';
    for (int shift = 44; shift >= 0; shift -= 4)
        *to++ = hex[number >> shift & 15];
    *to = '\0';
}

/* The client's, when it is a sane one, else ours. */
void request_name(struct http_exchange *conn)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    struct http_request *request = conn->request ? conn->request : request_new(conn);
    const struct head_field *field = request->head.id ? &request->head.fields[request->head.id - 1] : NULL;
    const char *given = field ? request->bytes + field->value : "";

    if (field && field->value_len > 0 && field->value_len < REQUEST_ID_SIZE &&
        strspn(given, allowed) == field->value_len)
        memcpy(request->id, given, field->value_len + 1u);
    else
        write_id(conn->loop->server, request);
}

/* The head is whole and well formed: whether this request is taken, and what of its body. */
static bool begin(struct http_exchange *conn)
{
    struct http_server *server = conn->loop->server;
    struct http_request *request = conn->request;
    const struct head *head = &request->head;
    const char *method = request->bytes + head->method;

    request->used = head->at;
    conn->method = (unsigned char)parse_method(method);
    conn->head = strcmp(method, "HEAD") == 0;
    conn->gzip = head->gzip;
    conn->keep = !head->close;
    conn->linger = false;
    request_name(conn);
    request->body_limit =
        server->options.body_limit
            ? server->options.body_limit(conn->method, request->bytes + head->path, server->options.user)
            : 0;
    if (request->body_limit == 0)
        request->body_limit = LIMIT_BODY;

    const struct http_fault *fault = conn->crowded                        ? &crowded
                                     : conn->loop->stopping               ? &fault_stopping
                                     : head->length > request->body_limit ? &too_large
                                                                          : NULL;

    if (fault) {
        conn_refuse(conn, fault);
        return false;
    }
    if (!server->options.before_body || (head->length <= HTTP_BODY_ASK && !head->chunked))
        return request_read_body(conn);
    conn->asking = request->asked = true;
    conn->state = CONN_HANDLING;
    timer_clear(conn);
    if (!server->options.before_body(conn, server->options.user)) {
        conn_settle(conn);
        return false;
    }
    conn->asking = false;
    return request_read_body(conn);
}

static bool read_head(struct http_exchange *conn)
{
    struct http_request *request = conn->request ? conn->request : request_new(conn);

    /* What came with the message before is read first: who sends many at once fills no more than a block. */
    if (conn->readable && request->head.scanned == request->len) {
        if (request->len == request->room) {
            request_grow(conn, request->room * 2);
            request = conn->request;
        }
        ssize_t got = request_receive(conn, request->bytes + request->len, request->room - request->len);

        if (got == 0) {
            conn_close(conn);
            return false;
        }
        if (got > 0)
            request->len += (size_t)got;
    }
    if (request->len == 0) {
        request_free(conn);
        return false;
    }
    switch (head_read(&request->head, request->bytes, request->len)) {
    case HEAD_DONE: return begin(conn);
    case HEAD_BAD: conn_refuse(conn, request->head.fault); return false;
    default: return wait_for_more(conn);
    }
}

bool request_read(struct http_exchange *conn)
{
    if (conn->state == CONN_HEAD)
        return (conn->readable || conn->request) && read_head(conn);
    if (!conn->readable)
        return false;
    return conn->request->head.chunked ? read_chunks(conn) : read_length(conn);
}
