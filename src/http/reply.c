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

/* Compresses in place of the body. False: it would not get smaller, and the body is as it was. */
static bool gzip_body(char **body, size_t *len)
{
    z_stream z = { 0 };
    char *packed = malloc(*len);

    if (!packed)
        return false;
    if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(packed);
        return false;
    }
    z.next_in = (unsigned char *)*body;
    z.avail_in = (unsigned)*len;
    z.next_out = (unsigned char *)packed;
    z.avail_out = (unsigned)*len;

    bool done = deflate(&z, Z_FINISH) == Z_STREAM_END;
    size_t packed_len = z.total_out;

    deflateEnd(&z);
    if (!done) {
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

enum MHD_Result reply_packed(struct http_exchange *exchange)
{
    struct packed_reply *reply = exchange->reply;

    exchange->reply = NULL;

    enum MHD_Result result =
        reply_now(exchange, reply->status, reply->content_type, reply->headers, reply->body, reply->len);

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
    struct buf body;
    size_t len;

    reply_write_refusal(exchange, &body, status, code, text);
    char *bytes = buf_take(&body, &len);

    atomic_store(&exchange->holder, HOLDER_NONE);
    exchange->refused = true;
    return reply_now(exchange, status, "application/json", close_after, bytes, len);
}

void reply_cut_off(struct http_exchange *exchange, int status, const char *code, const char *text)
{
    BUF_AUTO body, head;

    reply_write_refusal(exchange, &body, status, code, text);
    buf_init(&head, 0);
    buf_format(&head,
               "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
               "Connection: close\r\nX-Request-Id: %s\r\n",
               status, MHD_get_reason_phrase_for((unsigned)status), body.len, exchange->request_id);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        buf_format(&head, "%s: %s\r\n", defaults[i].name, defaults[i].value);
    buf_text(&head, "\r\n");
    buf_add(&head, body.bytes, body.len);

    /* Short enough for any send buffer; a client that reads nothing at all learns it from the close. */
    ssize_t sent = send(exchange->conn->fd, head.bytes, head.len, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent > 0)
        shutdown(exchange->conn->fd, SHUT_WR);
    request_drain(exchange);
}
