/*
 * A reply's head is written where the reply is made, on any thread; what only the loop knows (the date,
 * whether the connection stays, the encoding that is sent) is added on the loop just before it goes out.
 * Heads are built from constants where they can be, since this runs for every request.
 */
#include "base/clock.h"
#include "http/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* the largest window, with a gzip head */
#define GZIP_LEVEL  1         /* on an HTTP thread speed counts; JSON shrinks well at any level */
#define SPARE_HEAD  (4 * KB)  /* a larger buffer is not kept for the next reply */
#define DATE_MS     1000

/* Headers that each reply gets unless its maker says otherwise, each as it is sent. */
#define DEFAULTS(X) \
    X("Cache-Control", "no-store") \
    X("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'") \
    X("Cross-Origin-Resource-Policy", "same-origin") \
    X("Referrer-Policy", "no-referrer") \
    X("X-Content-Type-Options", "nosniff") \
    X("X-Frame-Options", "DENY")

static const char all_defaults[] =
#define X(name, value) name ": " value "\r\n"
    DEFAULTS(X)
#undef X
    ;

static const struct http_header_line defaults[] = {
#define X(name, value) { name, value },
    DEFAULTS(X)
#undef X
};

/* clang-format off */
static const struct {
    int status;
    const char *line;
} statuses[] = {
#define X(status, reason) { status, "HTTP/1.1 " #status " " reason "\r\n" },
    X(200, "OK") X(201, "Created") X(202, "Accepted") X(204, "No Content") X(302, "Found") X(303, "See Other")
    X(304, "Not Modified") X(400, "Bad Request") X(401, "Unauthorized") X(403, "Forbidden") X(404, "Not Found")
    X(405, "Method Not Allowed") X(406, "Not Acceptable") X(408, "Request Timeout") X(409, "Conflict") X(410, "Gone")
    X(413, "Content Too Large") X(414, "URI Too Long") X(415, "Unsupported Media Type")
    X(417, "Expectation Failed") X(422, "Unprocessable Content") X(426, "Upgrade Required")
    X(429, "Too Many Requests") X(431, "Request Header Fields Too Large") X(500, "Internal Server Error")
    X(501, "Not Implemented") X(503, "Service Unavailable") X(505, "HTTP Version Not Supported")
    X(101, "Switching Protocols")
#undef X
};
/* clang-format on */

static void add_status(struct buf *head, int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (statuses[i].status == status) {
            buf_text(head, statuses[i].line);
            return;
        }
    }
    buf_format(head, "HTTP/1.1 %d \r\n", status);
}

static bool has_header(const struct http_header_line *headers, const char *name)
{
    for (; headers && headers->name; headers++) {
        if (strcasecmp(headers->name, name) == 0)
            return true;
    }
    return false;
}

/* A line break in a value would begin a header that nobody meant: such a line is left out. */
static void add_line(struct buf *head, const char *name, const char *value)
{
    if (strpbrk(value, "\r\n"))
        return;
    buf_text(head, name);
    buf_add(head, ": ", 2);
    buf_text(head, value);
    buf_add(head, "\r\n", 2);
}

static bool compressible(const char *content_type)
{
    return content_type &&
           (strncmp(content_type, "text/", 5) == 0 || strncmp(content_type, "application/json", 16) == 0 ||
            strncmp(content_type, "application/javascript", 22) == 0 || strstr(content_type, "+json") ||
            strncmp(content_type, "image/svg+xml", 13) == 0);
}

void reply_begin(struct http_exchange *exchange, int status, const char *content_type,
                 const struct http_header_line *headers)
{
    struct buf *head = &exchange->out.head;

    /* On the loop's thread its buffer is at hand. */
    if (exchange->state != CONN_PARKED) {
        *head = exchange->loop->spare_head;
        buf_init(&exchange->loop->spare_head, 0);
    }
    exchange->status = status;
    exchange->packable = compressible(content_type) && !has_header(headers, "Content-Encoding");
    add_status(head, status);
    if (content_type)
        add_line(head, "Content-Type", content_type);
    if (!headers)
        buf_add(head, all_defaults, sizeof all_defaults - 1);
    for (size_t i = 0; headers && i < sizeof defaults / sizeof *defaults; i++) {
        if (!has_header(headers, defaults[i].name))
            add_line(head, defaults[i].name, defaults[i].value);
    }
    add_line(head, "X-Request-Id", exchange->request->id);
    for (; headers && headers->name; headers++)
        add_line(head, headers->name, headers->value);
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

/* Compresses in place of the body. False: it would not get smaller, and the body is as it was. */
static bool pack_body(struct out *out)
{
    char *packed = malloc(out->body_len);
    size_t len = packed ? gzip(out->body, out->body_len, packed, GZIP_LEVEL) : 0;

    if (len == 0) {
        free(packed);
        return false;
    }
    free(out->body);
    out->body = packed;
    out->body_len = len;
    return true;
}

/* Chooses the body that is sent, and says how it is encoded. */
static void choose_body(struct http_exchange *conn)
{
    struct out *out = &conn->out;
    bool packed, either;

    if (out->fixed) {
        either = out->fixed->packed != NULL;
        packed = either && conn->gzip;
        out->bytes = packed ? out->fixed->packed : out->fixed->bytes;
        out->body_len = packed ? out->fixed->packed_len : out->fixed->len;
    } else {
        either = conn->packable && out->body_len >= GZIP_FROM && out->body_len <= GZIP_UP_TO;
        packed = either && conn->gzip && pack_body(out);
        out->bytes = out->body;
    }
    if (either)
        buf_text(&out->head, "Vary: Accept-Encoding\r\n");
    if (packed)
        buf_text(&out->head, "Content-Encoding: gzip\r\n");
}

static void write_date(struct loop *loop)
{
    static const char days[] = "ThuFriSatSunMonTueWed";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t now = (time_t)(clock_now_ms() / 1000);
    struct tm t;

    gmtime_r(&now, &t);
    snprintf(loop->date, sizeof loop->date, "Date: %.3s, %02d %.3s %04d %02d:%02d:%02d GMT\r\n",
             days + now / 86400 % 7 * 3, t.tm_mday, months + t.tm_mon * 3, t.tm_year + 1900, t.tm_hour,
             t.tm_min, t.tm_sec);
    loop->date_ms = loop->now_ms;
}

/* Each reply has one, and a printf for it would show. */
static void add_length(struct buf *head, size_t len)
{
    char text[24], *at = text + sizeof text;

    *--at = '\n';
    *--at = '\r';
    do
        *--at = (char)('0' + len % 10);
    while (len /= 10);
    buf_add(head, "Content-Length: ", 16);
    buf_add(head, at, (size_t)(text + sizeof text - at));
}

void reply_end(struct http_exchange *conn)
{
    struct loop *loop = conn->loop;
    struct buf *head = &conn->out.head;
    bool stays = conn->keep && !atomic_load_explicit(&loop->server->quiet, memory_order_relaxed);

    choose_body(conn);
    if (!loop->date[0] || loop->now_ms - loop->date_ms >= DATE_MS)
        write_date(loop);
    buf_text(head, loop->date);
    if (conn->websocket)
        buf_text(head, "Connection: Upgrade\r\n");
    else if (!stays)
        buf_text(head, "Connection: close\r\n");
    else if (conn->request->head.minor == 0)
        buf_text(head, "Connection: keep-alive\r\n");
    if (conn->streaming && conn->request->head.minor > 0)
        buf_text(head, "Transfer-Encoding: chunked\r\n");
    else if (!conn->streaming && conn->status >= 200 && conn->status != 204 && conn->status != 304)
        add_length(head, conn->out.body_len);
    buf_add(head, "\r\n", 2);
    if (conn->head || conn->status < 200 || conn->status == 204 || conn->status == 304)
        conn->out.body_len = 0;
}

void reply_free(struct http_exchange *conn)
{
    struct buf *spare = &conn->loop->spare_head, *head = &conn->out.head;

    free(conn->out.body);
    if (head->room > 0 && head->room <= SPARE_HEAD && spare->room == 0) {
        *spare = *head;
        buf_clear(spare);
    } else {
        buf_done(head);
    }
    conn->out = (struct out){ 0 };
    buf_init(&conn->out.head, 0);
}

void reply_write_refusal(struct http_server *server, struct buf *body, const struct http_fault *fault)
{
    atomic_fetch_add(&server->refused, 1);
    buf_init(body, 0);
    if (server->options.refusal)
        server->options.refusal(body, fault->status, fault->code, fault->text);
    else
        buf_format(body, "{\"error\":\"%s\",\"code\":\"%s\"}", fault->text, fault->code);
}
