#include "http_in.h"

#include <stdlib.h>
#include <string.h>

void http_in_reset(struct http_in *in)
{
    in->state = HTTP_HEAD;
    in->status = 0;
    in->closes = false;
    in->left = 0;
    in->line = 0;
    in->head_len = 0;
}

static const char *header_value(const char *head, const char *name)
{
    size_t len = strlen(name);
    const char *line = strstr(head, "\r\n");

    for (; line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, len) == 0 && line[2 + len] == ':')
            return line + 2 + len + 1 + strspn(line + 2 + len + 1, " ");
    }
    return NULL;
}

static bool read_head(struct http_in *in)
{
    const char *value;

    in->head[in->head_len] = '\0';
    if (strncmp(in->head, "HTTP/1.", 7) != 0 || strlen(in->head) < 12)
        return false;
    in->status = atoi(in->head + 9);
    value = header_value(in->head, "connection");
    in->closes = value && strncasecmp(value, "close", 5) == 0;

    if (in->status == 204 || in->status == 304) {
        in->state = HTTP_DONE;
    } else if ((value = header_value(in->head, "content-length"))) {
        in->left = strtoul(value, NULL, 10);
        in->state = in->left ? HTTP_LENGTH : HTTP_DONE;
    } else if ((value = header_value(in->head, "transfer-encoding"))) {
        in->left = 0;
        in->state = HTTP_CHUNK_SIZE;
    } else {
        in->state = HTTP_UNTIL_CLOSE;
    }
    return true;
}

static bool feed_head(struct http_in *in, const char *data, size_t len, size_t *used)
{
    size_t before = in->head_len, take = HTTP_HEAD_MAX - before, from, end_at;
    char *end;

    if (take > len)
        take = len;
    memcpy(in->head + before, data, take);
    from = before > 3 ? before - 3 : 0;
    end = memmem(in->head + from, before + take - from, "\r\n\r\n", 4);
    if (!end) {
        in->head_len = before + take;
        *used = take;
        return in->head_len < HTTP_HEAD_MAX;
    }
    end_at = (size_t)(end - in->head) + 4;
    in->head_len = end_at;
    *used = end_at - before;
    return read_head(in);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* One byte of framing: the size line, the CRLF after a chunk, or the trailer after the last one. */
static bool feed_framing(struct http_in *in, char c)
{
    int digit = hex_digit(c);

    switch (in->state) {
    case HTTP_CHUNK_SIZE:
        if (c == '\n') {
            in->state = in->left ? HTTP_CHUNK_DATA : HTTP_TRAILER;
            in->line = 0;
            return true;
        }
        if (digit < 0)
            return c == '\r';
        in->left = in->left * 16 + (size_t)digit;
        return in->left < (1U << 30);
    case HTTP_CHUNK_END:
        if (c == '\n')
            in->state = HTTP_CHUNK_SIZE;
        return c == '\n' || c == '\r';
    case HTTP_TRAILER:
        if (c == '\n' && in->line == 0)
            in->state = HTTP_DONE;
        else if (c == '\n')
            in->line = 0;
        else if (c != '\r')
            in->line++;
        return true;
    default: return false;
    }
}

static size_t feed_body(struct http_in *in, const char *data, size_t len, http_body_fn *body, void *ctx)
{
    size_t take = len;

    if (in->state != HTTP_UNTIL_CLOSE && take > in->left)
        take = in->left;
    if (body)
        body(ctx, data, take);
    if (in->state == HTTP_UNTIL_CLOSE)
        return take;
    in->left -= take;
    if (in->left == 0)
        in->state = in->state == HTTP_LENGTH ? HTTP_DONE : HTTP_CHUNK_END;
    return take;
}

bool http_in_feed(struct http_in *in, const char *data, size_t len, size_t *used, http_body_fn *body,
                  void *ctx)
{
    size_t at = 0, step;

    while (at < len && in->state != HTTP_DONE) {
        switch (in->state) {
        case HTTP_HEAD:
            if (!feed_head(in, data + at, len - at, &step))
                return false;
            at += step;
            break;
        case HTTP_LENGTH:
        case HTTP_CHUNK_DATA:
        case HTTP_UNTIL_CLOSE: at += feed_body(in, data + at, len - at, body, ctx); break;
        default:
            if (!feed_framing(in, data[at++]))
                return false;
        }
    }
    *used = at;
    return true;
}
