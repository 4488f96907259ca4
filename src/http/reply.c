#include "http/internal.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* the largest window, with a gzip head */
#define GZIP_LEVEL  1         /* on an HTTP thread speed counts; JSON shrinks well at any level */

/* Headers that each reply gets unless its maker says otherwise. */
static const struct http_header_line defaults[] = {
    { "Cache-Control", "no-store" },
    { "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'" },
    { "Cross-Origin-Resource-Policy", "same-origin" },
    { "Referrer-Policy", "no-referrer" },
    { "X-Content-Type-Options", "nosniff" },
    { "X-Frame-Options", "DENY" },
};

static bool has_header(const struct http_header_line *headers, const char *name)
{
    for (; headers && headers->name; headers++) {
        if (strcasecmp(headers->name, name) == 0)
            return true;
    }
    return false;
}

void reply_add_headers(struct http_exchange *exchange, struct MHD_Response *response,
                       const char *content_type, const struct http_header_line *headers)
{
    if (content_type)
        MHD_add_response_header(response, "Content-Type", content_type);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        if (!has_header(headers, defaults[i].name))
            MHD_add_response_header(response, defaults[i].name, defaults[i].value);
    }
    MHD_add_response_header(response, "X-Request-Id", exchange->request_id);
    for (; headers && headers->name; headers++)
        MHD_add_response_header(response, headers->name, headers->value);
    if (atomic_load_explicit(&exchange->server->quiet, memory_order_relaxed))
        MHD_add_response_header(response, "Connection", "close");
}

static bool compressible(const char *content_type)
{
    return content_type &&
           (strncmp(content_type, "text/", 5) == 0 || strncmp(content_type, "application/json", 16) == 0 ||
            strncmp(content_type, "application/javascript", 22) == 0 || strstr(content_type, "+json") ||
            strncmp(content_type, "image/svg+xml", 13) == 0);
}

/* As many bytes as there are may be written; 0: it would not get smaller. */
static size_t gzip(const char *bytes, size_t len, char *into, int level)
{
    z_stream z = { 0 };

    if (deflateInit2(&z, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    z.next_in = (unsigned char *)(uintptr_t)bytes;
    z.avail_in = (unsigned)len;
    z.next_out = (unsigned char *)into;
    z.avail_out = (unsigned)len;

    size_t packed = deflate(&z, Z_FINISH) == Z_STREAM_END ? z.total_out : 0;

    deflateEnd(&z);
    return packed;
}

/* Compresses in place of the body. False: it would not get smaller, and the body is as it was. */
static bool gzip_body(char **body, size_t *len)
{
    char *packed = malloc(*len);
    size_t packed_len = packed ? gzip(*body, *len, packed, GZIP_LEVEL) : 0;

    if (packed_len == 0) {
        free(packed);
        return false;
    }
    free(*body);
    *body = packed;
    *len = packed_len;
    return true;
}

enum MHD_Result reply_now(struct http_exchange *exchange, int status, const char *content_type,
                          const struct http_header_line *headers, char *body, size_t len)
{
    bool large = len >= GZIP_FROM && len <= GZIP_UP_TO && compressible(content_type) &&
                 !has_header(headers, "Content-Encoding");
    bool packed = large && exchange->gzip && gzip_body(&body, &len);
    struct MHD_Response *response = len > 0
                                        ? MHD_create_response_from_buffer(len, body, MHD_RESPMEM_MUST_FREE)
                                        : MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);

    if (!response) {
        free(body);
        return MHD_NO;
    }
    if (len == 0)
        free(body);
    reply_add_headers(exchange, response, content_type, headers);
    if (large)
        MHD_add_response_header(response, "Vary", "Accept-Encoding");
    if (packed)
        MHD_add_response_header(response, "Content-Encoding", "gzip");

    enum MHD_Result result = MHD_queue_response(exchange->connection, (unsigned)status, response);

    MHD_destroy_response(response);
    return result;
}

enum MHD_Result reply_fixed(struct http_exchange *exchange, int status, const char *content_type,
                            const struct http_header_line *headers, const struct http_fixed *fixed)
{
    bool packed = fixed->packed && exchange->gzip;
    struct MHD_Response *response = MHD_create_response_from_buffer(
        packed ? fixed->packed_len : fixed->len, (void *)(uintptr_t)(packed ? fixed->packed : fixed->bytes),
        MHD_RESPMEM_PERSISTENT);

    if (!response)
        return MHD_NO;
    reply_add_headers(exchange, response, content_type, headers);
    if (fixed->packed)
        MHD_add_response_header(response, "Vary", "Accept-Encoding");
    if (packed)
        MHD_add_response_header(response, "Content-Encoding", "gzip");

    enum MHD_Result result = MHD_queue_response(exchange->connection, (unsigned)status, response);

    MHD_destroy_response(response);
    return result;
}

enum MHD_Result reply_packed(struct http_exchange *exchange)
{
    struct packed_reply *reply = exchange->reply;

    exchange->reply = NULL;

    enum MHD_Result result =
        reply->fixed ? reply_fixed(exchange, reply->status, reply->content_type, reply->headers, reply->fixed)
                     : reply_now(exchange, reply->status, reply->content_type, reply->headers, reply->body,
                                 reply->len);

    free(reply);
    return result;
}

void reply_write_refusal(struct http_exchange *exchange, struct buf *body, int status, const char *code,
                         const char *text)
{
    atomic_fetch_add(&exchange->server->refused, 1);
    buf_init(body, 0);
    if (exchange->server->options.refusal)
        exchange->server->options.refusal(body, status, code, text);
    else
        buf_format(body, "{\"error\":\"%s\",\"code\":\"%s\"}", text, code);
}

/* The connection closes after a refusal: where the next request begins is exactly what is not known. */
enum MHD_Result reply_refuse(struct http_exchange *exchange, int status, const char *code, const char *text)
{
    static const struct http_header_line close_after[] = { { "Connection", "close" }, { NULL, NULL } };
    static const struct http_header_line come_again[] = { { "Connection", "close" },
                                                          { "Retry-After", "1" },
                                                          { NULL, NULL } };
    struct buf body;
    size_t len;

    reply_write_refusal(exchange, &body, status, code, text);
    char *bytes = buf_take(&body, &len);

    atomic_store(&exchange->holder, HOLDER_NONE);
    exchange->refused = true;
    return reply_now(exchange, status, "application/json",
                     status == 429 || status == 503 ? come_again : close_after, bytes, len);
}

/*
 * Straight to the socket: in the middle of an upload libmicrohttpd takes no reply, and one that it sends
 * before closing is lost when the client is still sending.
 */
static void write_whole(struct http_exchange *exchange, int status, const char *content_type,
                        const struct http_header_line *headers, const char *bytes, size_t len)
{
    BUF_AUTO head;

    buf_init(&head, 0);
    buf_format(&head, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n", status,
               MHD_get_reason_phrase_for((unsigned)status), content_type ? content_type : "application/json",
               len);
    buf_format(&head, "Connection: close\r\nX-Request-Id: %s\r\n", exchange->request_id);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (!has_header(headers, defaults[i].name))
            buf_format(&head, "%s: %s\r\n", defaults[i].name, defaults[i].value);
    for (; headers && headers->name; headers++)
        buf_format(&head, "%s: %s\r\n", headers->name, headers->value);
    buf_text(&head, "\r\n");
    buf_add(&head, bytes, len);

    /* Short enough for any send buffer; a client that reads nothing at all learns it from the close. */
    ssize_t sent = send(exchange->conn->fd, head.bytes, head.len, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent > 0)
        shutdown(exchange->conn->fd, SHUT_WR);
    request_drain(exchange);
}

void reply_cut_off(struct http_exchange *exchange, int status, const char *code, const char *text)
{
    static const struct http_header_line retry[] = { { "Retry-After", "1" }, { NULL, NULL } };
    BUF_AUTO body;

    reply_write_refusal(exchange, &body, status, code, text);
    write_whole(exchange, status, "application/json", status == 503 ? retry : NULL, body.bytes, body.len);
}

enum MHD_Result reply_unread(struct http_exchange *exchange)
{
    struct packed_reply *reply = exchange->reply;

    exchange->refused = true;
    if (exchange->expects)
        return reply_packed(exchange);
    exchange->reply = NULL;
    write_whole(exchange, reply->status, reply->content_type, reply->headers,
                reply->fixed ? reply->fixed->bytes : reply->body,
                reply->fixed ? reply->fixed->len : reply->len);
    exchange_release(exchange, reply->len);
    free(reply->body);
    free(reply);
    return MHD_YES;
}

char *http_pack(const char *bytes, size_t len, size_t *packed_len)
{
    char *packed = malloc(len);

    if (!packed)
        return NULL;
    *packed_len = gzip(bytes, len, packed, Z_BEST_COMPRESSION);
    if (*packed_len > 0)
        return packed;
    free(packed);
    return NULL;
}
