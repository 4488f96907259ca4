/*
 * head.h - the head of a request, read strictly (RFC 9112, sections 2 to 6).
 *
 * head_read is given the bytes that have come so far and reads as many whole lines as there are; it may be
 * called again with more. It decides everything about the message that others must not have a second opinion
 * on: where the head ends, how long the body is, which host is meant, whether the connection stays. What is
 * not plainly right is refused: a line must end with CR LF, nothing is folded, no name has a space behind it,
 * no byte is a control character, no length is said twice.
 *
 * The bytes stay the caller's. head_read ends method, target, names and values with a NUL in place, and keeps
 * where they are as offsets, so the caller may move the bytes. It allocates nothing.
 */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a message is refused: what the client is told. */
struct http_fault {
    int status;
    const char *code, *text;
};

struct head_field {
    uint16_t name, name_len, value, value_len;
};

enum head_expect { EXPECT_NOTHING, EXPECT_CONTINUE, EXPECT_UNKNOWN };

struct head {
    const struct http_fault *fault;
    uint64_t length;            /* of the body, when it is not chunked */
    uint16_t at, scanned;       /* where the line begins that is not read yet; up to where there is no LF */
    uint16_t method, path;      /* offsets of texts; the method's is 0 unless an empty line came before it */
    uint16_t query;             /* behind the '?', or 0 */
    uint16_t authority;         /* of an absolute target, or 0 */
    uint16_t count;             /* fields */
    uint16_t host, id, expects; /* 1 + the index of a field, or 0 */
    uint8_t minor;              /* HTTP/1.minor */
    uint8_t expect;             /* enum head_expect */
    bool begun;                 /* the request line has been read */
    bool blank;                 /* an empty line came before it */
    bool has_length, chunked, close, keep, gzip;
    struct head_field fields[HTTP_FIELDS];
};

enum head_state { HEAD_MORE, HEAD_DONE, HEAD_BAD };

/* Zeroed `head` begins a message. HEAD_DONE: it ends at bytes + head->at. HEAD_BAD: head->fault says why. */
enum head_state head_read(struct head *head, char *bytes, size_t len);

/* The value of a field, or NULL; the first when there are several. */
const char *head_value(const struct head *head, const char *bytes, const char *name);
/* Whether there is a field whose name begins with this, in any case. */
bool head_has_like(const struct head *head, const char *bytes, const char *prefix);

/* Whether a byte may stand in a token: a method, a field's name, a chunk's extension. */
bool head_is_token(unsigned char c);
/* Whether a byte may stand in a field's value. */
bool head_is_text(unsigned char c);

#endif
