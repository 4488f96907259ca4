/*
 * heads.h - what RFC 9112 asks of a server that reads messages, as bytes.
 *
 * Each row is one requirement with a message that breaks it, and the status that says so. test_head.c feeds
 * them to the parser at every split, test_wire.c sends them to a server: alone, behind another request on the
 * same connection, and byte by byte. SECURITY.md tells them in words.
 */
#ifndef TESTS_HTTP_HEADS_H
#define TESTS_HTTP_HEADS_H

#include <stddef.h>

struct bad_message {
    const char *section; /* of RFC 9112 */
    const char *what;
    int status;
    const char *bytes;
    size_t len;
};

#define BAD(section, what, status, bytes) \
    { \
        section, what, status, bytes, sizeof(bytes) - 1 \
    }
#define H      "Host: x\r\n"
#define CHUNKS "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
#define NEXT   "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

static const struct bad_message bad_messages[] = {
    BAD("2.2", "a line that ends with LF alone", 400, "GET / HTTP/1.1\nHost: x\n\n"),
    BAD("2.2", "a field line that ends with LF alone", 400, "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n"),
    BAD("2.2", "a head that ends with LF alone", 400, "GET / HTTP/1.1\r\nHost: x\r\n\n"),
    BAD("2.2", "CR within a value", 400, "GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n"),
    BAD("2.2", "CR at the end of a value", 400, "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\r\n\r\n"),
    BAD("2.2", "CR within the request line", 400, "GET /\r HTTP/1.1\r\n" H "\r\n"),
    BAD("2.2", "white space before the first field", 400, "GET / HTTP/1.1\r\n A: b\r\n" H "\r\n"),
    BAD("2.2", "two empty lines before the request", 400, "\r\n\r\nGET / HTTP/1.1\r\n" H "\r\n"),
    BAD("2.3", "a version in lower case", 400, "GET / http/1.1\r\n" H "\r\n"),
    BAD("2.3", "a version with two digits", 400, "GET / HTTP/1.10\r\n" H "\r\n"),
    BAD("2.3", "a version without a dot", 400, "GET / HTTP/11\r\n" H "\r\n"),
    BAD("2.3", "a version that is not known", 505, "GET / HTTP/1.2\r\n" H "\r\n"),
    BAD("2.3", "HTTP/2 without being asked", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    BAD("2.3", "HTTP/0.9 with a version", 505, "GET / HTTP/0.9\r\n" H "\r\n"),
    BAD("3", "no version", 400, "GET /\r\n" H "\r\n"),
    BAD("3", "no target", 400, "GET\r\n" H "\r\n"),
    BAD("3", "two spaces before the target", 400, "GET  / HTTP/1.1\r\n" H "\r\n"),
    BAD("3", "two spaces before the version", 400, "GET /  HTTP/1.1\r\n" H "\r\n"),
    BAD("3", "a tab for a space", 400, "GET\t/ HTTP/1.1\r\n" H "\r\n"),
    BAD("3", "a space before the method", 400, " GET / HTTP/1.1\r\n" H "\r\n"),
    BAD("3", "a space behind the version", 400, "GET / HTTP/1.1 \r\n" H "\r\n"),
    BAD("3", "no HTTP at all", 400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    BAD("3.1", "a method that is no token", 400, "G@T / HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2", "a space in the target", 400, "GET /a b HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2", "a control character in the target", 400, "GET /a\001b HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2", "NUL in the target", 400, "GET /a\0b HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2", "DEL in the target", 400, "GET /a\177 HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2", "a byte beyond ASCII in the target", 400, "GET /a\303\274 HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2", "an escaped NUL", 400, "GET /a%00b HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2", "a broken escape", 400, "GET /a%zz HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2", "an escape that is cut off", 400, "GET /a%4 HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2", "no Host", 400, "GET / HTTP/1.1\r\n\r\n"),
    BAD("3.2", "two Hosts", 400, "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"),
    BAD("3.2", "a Host with a space", 400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
    BAD("3.2", "a Host with a path", 400, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    BAD("3.2", "a Host with a user", 400, "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"),
    BAD("3.2", "NUL in the Host", 400, "GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n"),
    BAD("3.2.1", "a path without a slash", 400, "GET a HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2.2", "an absolute target without a host", 400, "GET http:///a HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2.2", "an absolute target with a user", 400, "GET http://a@b/ HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2.2", "another scheme", 400, "GET ftp://x/ HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2.3", "an authority for a target", 400, "CONNECT x:80 HTTP/1.1\r\n" H "\r\n"),
    BAD("3.2.4", "* for a method other than OPTIONS", 400, "GET * HTTP/1.1\r\n" H "\r\n"),
    BAD("5", "a field without a name", 400, "GET / HTTP/1.1\r\n" H ": \r\n" NEXT),
    BAD("5", "a line without a colon", 400, "GET / HTTP/1.1\r\n" H "Nothing\r\n\r\n"),
    BAD("5.1", "a space before the colon", 400, "POST / HTTP/1.1\r\n" H "Content-Length : 5\r\n\r\nhello"),
    BAD("5.1", "a tab before the colon", 400, "GET / HTTP/1.1\r\n" H "A\t: b\r\n\r\n"),
    BAD("5.1", "a space within the name", 400, "GET / HTTP/1.1\r\n" H "A B: c\r\n\r\n"),
    BAD("5.1", "a name that is no token", 400, "GET / HTTP/1.1\r\n" H "A(b): c\r\n\r\n"),
    BAD("5.1", "NUL in a name", 400, "GET / HTTP/1.1\r\n" H "A\0: c\r\n\r\n"),
    BAD("5.5", "NUL in a value", 400, "GET / HTTP/1.1\r\n" H "Origin: a\0b\r\n\r\n"),
    BAD("5.5", "a control character in a value", 400, "GET / HTTP/1.1\r\n" H "A: b\001c\r\n\r\n"),
    BAD("5.5", "DEL in a value", 400, "GET / HTTP/1.1\r\n" H "A: b\177c\r\n\r\n"),
    BAD("5.2", "a folded value", 400, "GET / HTTP/1.1\r\n" H "A: b\r\n c\r\n\r\n"),
    BAD("5.2", "a folded Content-Length", 400, "POST / HTTP/1.1\r\n" H "Content-Length:\r\n 5\r\n\r\nhello"),
    BAD("5.2", "a folded Transfer-Encoding", 400,
        "POST / HTTP/1.1\r\n" H "Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n"),
    BAD("6.1", "a coding that is not known", 501,
        "POST / HTTP/1.1\r\n" H "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    BAD("6.1", "a tab behind the coding", 400,
        "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n"),
    BAD("6.2", "a tab before the length", 400, "POST / HTTP/1.1\r\n" H "Content-Length:\t5\r\n\r\nhello"),
    BAD("6.1", "chunked in HTTP/1.0", 400,
        "POST / HTTP/1.0\r\n" H "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    BAD("6.1", "chunked twice", 400,
        "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    BAD("6.1", "a length and chunks", 400,
        "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" NEXT),
    BAD("6.1", "chunks and a length", 400,
        "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" NEXT),
    BAD("6.2", "two different lengths", 400,
        "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
    BAD("6.2", "the same length twice", 400,
        "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    BAD("6.2", "a list of lengths", 400, "POST / HTTP/1.1\r\n" H "Content-Length: 5, 5\r\n\r\nhello"),
    BAD("6.2", "a length with a plus", 400, "POST / HTTP/1.1\r\n" H "Content-Length: +5\r\n\r\nhello"),
    BAD("6.2", "a negative length", 400, "POST / HTTP/1.1\r\n" H "Content-Length: -5\r\n\r\nhello"),
    BAD("6.2", "a length in hex", 400, "POST / HTTP/1.1\r\n" H "Content-Length: 0x5\r\n\r\nhello"),
    BAD("6.2", "an empty length", 400, "POST / HTTP/1.1\r\n" H "Content-Length:\r\n\r\nhello"),
    BAD("6.2", "NUL in the length", 400, "POST / HTTP/1.1\r\n" H "Content-Length: 5\0 0\r\n\r\nhello"),
    BAD("6.2", "a length that overflows", 413,
        "POST / HTTP/1.1\r\n" H "Content-Length: 18446744073709551621\r\n\r\nhello"),
    BAD("6.3", "chunked that is not the last coding", 400,
        "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
    BAD("7.1", "a chunk without a size", 400, CHUNKS "\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1", "a size that is no number", 400, CHUNKS "g\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1", "a size with a prefix", 400, CHUNKS "0x5\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1", "a size with a sign", 400, CHUNKS "+5\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1", "a size that overflows", 400, CHUNKS "10000000000000005\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1", "a space behind the size", 400, CHUNKS "5 \r\nhello\r\n0\r\n\r\n"),
    BAD("7.1", "a space before the size", 400, CHUNKS " 5\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1", "a size that ends with LF alone", 400, CHUNKS "5\nhello\r\n0\r\n\r\n"),
    BAD("7.1", "a chunk that ends with LF alone", 400, CHUNKS "5\r\nhello\n0\r\n\r\n"),
    BAD("7.1", "a chunk longer than it says", 400, CHUNKS "4\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1", "a body that ends with LF alone", 400, CHUNKS "5\r\nhello\r\n0\r\n\n"),
    BAD("7.1", "a last chunk with LF alone", 400, CHUNKS "5\r\nhello\r\n0\n\r\n"),
    BAD("7.1.1", "an extension without a name", 400, CHUNKS "5;\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1.1", "a control character in an extension", 400, CHUNKS "5;a=\001\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1.1", "LF in a quoted extension", 400, CHUNKS "5;a=\"\n\"\r\nhello\r\n0\r\n\r\n"),
    BAD("7.1.2", "a trailer without a colon", 400, CHUNKS "5\r\nhello\r\n0\r\nNothing\r\n\r\n"),
    BAD("7.1.2", "a trailer with a space before the colon", 400, CHUNKS "5\r\nhello\r\n0\r\nA : b\r\n\r\n"),
    BAD("7.1.2", "a folded trailer", 400, CHUNKS "5\r\nhello\r\n0\r\nA: b\r\n c\r\n\r\n"),
    BAD("9110, 5.3", "two origins", 400, "GET / HTTP/1.1\r\n" H "Origin: a\r\nOrigin: b\r\n\r\n"),
    BAD("9110, 5.3", "two tokens", 400,
        "GET / HTTP/1.1\r\n" H "Authorization: a\r\nAuthorization: b\r\n\r\n"),
    BAD("9110, 10.1.1", "an expectation that is not known", 417,
        "POST / HTTP/1.1\r\n" H "Content-Length: 2\r\nExpect: tea\r\n\r\nhi"),
};

#undef BAD
#undef H
#undef CHUNKS
#undef NEXT

#define BAD_MESSAGES (sizeof bad_messages / sizeof *bad_messages)

#endif
