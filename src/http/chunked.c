/*
 * A state machine that takes one byte at a time, but for data, which is passed on in pieces as it lies. Each
 * state names the bytes that may follow, and everything else is BAD for good: there is no place in which two
 * readers could come to different ends of a body.
 */
#include "http/chunked.h"

#include "base/limits.h"
#include "http/head.h"

enum {
    SIZE,          /* the digits of a size */
    EXT_NAME,      /* behind ';' */
    EXT_NAME_MORE, /* at least one byte of the name is there */
    EXT_VALUE,     /* behind '=' */
    EXT_TOKEN,
    EXT_QUOTED,
    EXT_ESCAPED,
    EXT_UNQUOTED, /* behind the closing quote */
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER, /* at the beginning of a line */
    TRAILER_NAME,
    TRAILER_VALUE,
    TRAILER_LF,
    LAST_LF,
    OVER,
    BAD
};

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* What may follow a size or a whole extension. */
static int behind_extension(char c)
{
    return c == '\r' ? SIZE_LF : c == ';' ? EXT_NAME : BAD;
}

static int read_size(struct chunked *chunked, char c)
{
    int digit = digit_of(c);

    if (digit < 0)
        return chunked->digits ? behind_extension(c) : BAD;
    if (chunked->digits++ == CHUNK_DIGITS)
        return BAD;
    chunked->left = chunked->left * 16 + (uint64_t)digit;
    return SIZE;
}

static int read_extension(int state, char c)
{
    unsigned char byte = (unsigned char)c;

    switch (state) {
    case EXT_NAME: return head_is_token(byte) ? EXT_NAME_MORE : BAD;
    case EXT_NAME_MORE:
        return head_is_token(byte) ? EXT_NAME_MORE : c == '=' ? EXT_VALUE : behind_extension(c);
    case EXT_VALUE: return c == '"' ? EXT_QUOTED : head_is_token(byte) ? EXT_TOKEN : BAD;
    case EXT_TOKEN: return head_is_token(byte) ? EXT_TOKEN : behind_extension(c);
    case EXT_QUOTED:
        return c == '"' ? EXT_UNQUOTED : c == '\\' ? EXT_ESCAPED : head_is_text(byte) ? EXT_QUOTED : BAD;
    case EXT_ESCAPED: return head_is_text(byte) ? EXT_QUOTED : BAD;
    default: return behind_extension(c);
    }
}

static int read_trailer(int state, char c)
{
    unsigned char byte = (unsigned char)c;

    switch (state) {
    case TRAILER: return c == '\r' ? LAST_LF : head_is_token(byte) ? TRAILER_NAME : BAD;
    case TRAILER_NAME: return head_is_token(byte) ? TRAILER_NAME : c == ':' ? TRAILER_VALUE : BAD;
    case TRAILER_VALUE: return c == '\r' ? TRAILER_LF : head_is_text(byte) ? TRAILER_VALUE : BAD;
    default: return c == '\n' ? TRAILER : BAD;
    }
}

static int read_byte(struct chunked *chunked, char c)
{
    int state = chunked->state;

    switch (state) {
    case SIZE: return read_size(chunked, c);
    case SIZE_LF: return c != '\n' ? BAD : chunked->left > 0 ? DATA : TRAILER;
    case DATA_CR: return c == '\r' ? DATA_LF : BAD;
    case DATA_LF: chunked->digits = 0; return c == '\n' ? SIZE : BAD;
    case LAST_LF: return c == '\n' ? OVER : BAD;
    case BAD: return BAD;
    default:
        if (++chunked->overhead > CHUNK_OVERHEAD)
            return BAD;
        return state < SIZE_LF ? read_extension(state, c) : read_trailer(state, c);
    }
}

enum chunked_found chunked_next(struct chunked *chunked, const char **in, size_t *len, const char **data,
                                size_t *data_len)
{
    while (*len > 0 && chunked->state != OVER) {
        if (chunked->state == DATA) {
            size_t part = chunked->left < *len ? (size_t)chunked->left : *len;

            *data = *in;
            *data_len = part;
            *in += part;
            *len -= part;
            chunked->left -= part;
            if (chunked->left == 0)
                chunked->state = DATA_CR;
            return CHUNKED_DATA;
        }
        chunked->state = (uint8_t)read_byte(chunked, **in);
        if (chunked->state == BAD)
            return CHUNKED_BAD;
        ++*in;
        --*len;
    }
    return chunked->state == OVER ? CHUNKED_END : CHUNKED_MORE;
}
