/*
 * The parsers of heads and chunked bodies, at every split: what is refused, and what good messages mean.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heads.h"
#include "http/chunked.h"
#include "http/head.h"

/* What a reader made of a message. */
struct reading {
    int status; /* 200: a whole one; 0: more is awaited */
    size_t end; /* where it ends */
    struct head head;
    char bytes[4096];
    char body[256];
    size_t body_len;
};

/* Gives the head's parser `first` bytes of it, and then the rest. */
static enum head_state read_head(struct reading *reading, const char *bytes, size_t len, size_t first)
{
    memset(reading, 0, sizeof *reading);
    memcpy(reading->bytes, bytes, first);
    enum head_state state = head_read(&reading->head, reading->bytes, first);

    if (state != HEAD_MORE)
        return state;
    memcpy(reading->bytes + first, bytes + first, len - first);
    return head_read(&reading->head, reading->bytes, len);
}

static void read_chunks(struct reading *reading, const char *bytes, size_t len, size_t first)
{
    struct chunked chunked = { 0 };
    size_t at = reading->head.at;

    for (size_t end = first > at ? first : len;; end = len) {
        const char *in = bytes + at, *data;
        size_t left = end - at, data_len;
        enum chunked_found found;

        while ((found = chunked_next(&chunked, &in, &left, &data, &data_len)) == CHUNKED_DATA) {
            assert_true(reading->body_len + data_len <= sizeof reading->body);
            memcpy(reading->body + reading->body_len, data, data_len);
            reading->body_len += data_len;
        }
        at = end - left;
        reading->end = at;
        reading->status = found == CHUNKED_BAD ? 400 : found == CHUNKED_END ? 200 : 0;
        if (found != CHUNKED_MORE || end == len)
            return;
    }
}

static void read_message(struct reading *reading, const char *bytes, size_t len, size_t first)
{
    enum head_state state = read_head(reading, bytes, len, first);

    if (state == HEAD_BAD) {
        reading->status = reading->head.fault->status;
    } else if (state == HEAD_DONE && reading->head.chunked) {
        read_chunks(reading, bytes, len, first);
    } else if (state == HEAD_DONE) {
        reading->status = reading->head.length > LIMIT_BODY ? 413 : 200;
        reading->end = reading->head.at;
    }
}

static void bad_messages_are_refused_at_every_split(void **state)
{
    static struct reading reading;

    (void)state;
    for (size_t i = 0; i < BAD_MESSAGES; i++) {
        const struct bad_message *bad = &bad_messages[i];

        for (size_t first = 0; first <= bad->len; first++) {
            read_message(&reading, bad->bytes, bad->len, first);
            if (reading.status != bad->status)
                fprintf(stderr, "%s, %s, split at %zu: %d\n", bad->section, bad->what, first, reading.status);
            assert_int_equal(reading.status, bad->status);
        }
    }
}

static const struct {
    const char *what, *bytes;
    size_t length;
    const char *method, *path, *query, *host, *body;
    bool close, chunked;
} good[] = {
    { .what = "a plain one",
      .bytes = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n",
      .method = "GET",
      .path = "/a",
      .query = "b=c",
      .host = "x" },
    { .what = "one empty line before",
      .bytes = "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
      .method = "GET",
      .path = "/",
      .host = "x" },
    { .what = "a method that nobody knows",
      .bytes = "BREW / HTTP/1.1\r\nHost: x\r\n\r\n",
      .method = "BREW",
      .path = "/",
      .host = "x" },
    { .what = "an empty Host",
      .bytes = "GET / HTTP/1.1\r\nHost:\r\n\r\n",
      .method = "GET",
      .path = "/",
      .host = "" },
    { .what = "a Host with a port",
      .bytes = "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
      .method = "GET",
      .path = "/",
      .host = "[::1]:80" },
    { .what = "white space around a value",
      .bytes = "GET / HTTP/1.1\r\nHost: \t x \t\r\n\r\n",
      .method = "GET",
      .path = "/",
      .host = "x" },
    { .what = "names in any case",
      .bytes = "POST / HTTP/1.1\r\nhOST: x\r\ncontent-LENGTH: 5\r\n\r\n",
      .method = "POST",
      .path = "/",
      .host = "x",
      .length = 5 },
    { .what = "the host of an absolute target counts",
      .bytes = "GET http://other:1/a?b HTTP/1.1\r\nHost: x\r\n\r\n",
      .method = "GET",
      .path = "/a",
      .query = "b",
      .host = "other:1" },
    { .what = "OPTIONS of everything",
      .bytes = "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
      .method = "OPTIONS",
      .path = "*",
      .host = "x" },
    { .what = "HTTP/1.0 without a Host",
      .bytes = "GET / HTTP/1.0\r\n\r\n",
      .method = "GET",
      .path = "/",
      .close = true },
    { .what = "HTTP/1.0 that stays",
      .bytes = "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
      .method = "GET",
      .path = "/" },
    { .what = "a connection that closes",
      .bytes = "GET / HTTP/1.1\r\nHost: x\r\nConnection: a, CLOSE\r\n\r\n",
      .method = "GET",
      .path = "/",
      .host = "x",
      .close = true },
    { .what = "zeroes before a length",
      .bytes = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0005\r\n\r\n",
      .method = "POST",
      .path = "/",
      .host = "x",
      .length = 5 },
    { .what = "chunks",
      .bytes =
          "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
      .method = "POST",
      .path = "/",
      .host = "x",
      .chunked = true,
      .body = "abcde" },
    { .what = "no chunks",
      .bytes = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      .method = "POST",
      .path = "/",
      .host = "x",
      .chunked = true,
      .body = "" },
    { .what = "extensions and trailers",
      .bytes =
          "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
          "chunked\r\n\r\n00A;a;b=c;d=\"e;\\\"\"\r\n0123456789\r\n0;z\r\nContent-Length: 7\r\nA:\r\n\r\n",
      .method = "POST",
      .path = "/",
      .host = "x",
      .chunked = true,
      .body = "0123456789" },
};

static void check_text(const struct reading *reading, size_t offset, const char *text)
{
    assert_string_equal(offset || text ? reading->bytes + offset : "", text ? text : "");
}

static void good_messages_mean_the_same_at_every_split(void **state)
{
    static struct reading reading;
    char bytes[512];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t len = strlen(good[i].bytes);

        /* What follows is not touched. */
        snprintf(bytes, sizeof bytes, "%sGET /next", good[i].bytes);
        for (size_t first = 0; first <= len; first++) {
            read_message(&reading, bytes, len + 9, first);
            if (reading.status != 200)
                fprintf(stderr, "%s, split at %zu: %d\n", good[i].what, first, reading.status);
            assert_int_equal(reading.status, 200);
            assert_int_equal(reading.end, len);
            check_text(&reading, reading.head.method, good[i].method);
            check_text(&reading, reading.head.path, good[i].path);
            if (good[i].query)
                check_text(&reading, reading.head.query, good[i].query);
            else
                assert_int_equal(reading.head.query, 0);
            assert_int_equal(reading.head.length, good[i].length);
            assert_int_equal(reading.head.chunked, good[i].chunked);
            assert_int_equal(reading.head.close, good[i].close);

            const char *host = head_value(&reading.head, reading.bytes, "HOST");

            assert_string_equal(host ? host : "", good[i].host ? good[i].host : "");
            if (good[i].body) {
                assert_int_equal(reading.body_len, strlen(good[i].body));
                assert_memory_equal(reading.body, good[i].body, reading.body_len);
            }
        }
    }
}

/* Fills a buffer with `before`, as many `c` as fit into `len`, and `after`. */
static char *long_message(const char *before, char c, const char *after, size_t len)
{
    char *bytes = malloc(len + 1);

    memset(bytes, c, len);
    memcpy(bytes, before, strlen(before));
    strcpy(bytes + len - strlen(after), after);
    return bytes;
}

static void check_long(const char *before, char c, const char *after, size_t len, int status)
{
    char *bytes = long_message(before, c, after, len);
    struct head head = { 0 };
    enum head_state state = head_read(&head, bytes, len);

    assert_int_equal(state == HEAD_BAD ? head.fault->status : state == HEAD_DONE ? 200 : 0, status);
    free(bytes);
}

static void heads_are_bounded(void **state)
{
    static const char end[] = " HTTP/1.1\r\nHost: x\r\n\r\n";

    (void)state;
    check_long("GET /", 'a', end, LIMIT_URL + 4 + sizeof end - 1, 200);
    check_long("GET /", 'a', end, LIMIT_URL + 5 + sizeof end - 1, 414);
    check_long("GET /", 'a', "", HTTP_HEAD_BYTES - 1, 0);
    check_long("GET /", 'a', "", HTTP_HEAD_BYTES, 414);
    check_long("GET / HTTP/1.1\r\nHost: x\r\nA: ", 'a', "\r\n\r\n", HTTP_HEAD_BYTES, 200);
    check_long("GET / HTTP/1.1\r\nHost: x\r\nA: ", 'a', "\r\n\r\n", HTTP_HEAD_BYTES + 1, 431);

    char many[8 * (HTTP_FIELDS + 4)] = "GET / HTTP/1.1\r\nHost: x\r\n";
    struct head head = { 0 };

    for (int i = 1; i < HTTP_FIELDS; i++)
        strcat(many, "A: b\r\n");
    char *copy = strdup(many);

    strcat(many, "\r\n");
    assert_int_equal(head_read(&head, many, strlen(many)), HEAD_DONE);
    assert_int_equal(head.count, HTTP_FIELDS);
    head = (struct head){ 0 };
    copy = realloc(copy, sizeof many);
    strcat(copy, "A: b\r\n\r\n");
    assert_int_equal(head_read(&head, copy, strlen(copy)), HEAD_BAD);
    assert_int_equal(head.fault->status, 431);
    free(copy);
}

static void extensions_and_trailers_are_bounded(void **state)
{
    (void)state;
    for (int trailer = 0; trailer < 2; trailer++) {
        char *bytes = long_message(trailer ? "0\r\nA:" : "1;a=", 'a',
                                   trailer ? "\r\n\r\n" : "\r\nx\r\n0\r\n\r\n", CHUNK_OVERHEAD + 64);
        struct chunked chunked = { 0 };
        const char *in = bytes, *data;
        size_t len = strlen(bytes), data_len;

        assert_int_equal(chunked_next(&chunked, &in, &len, &data, &data_len), CHUNKED_BAD);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_messages_are_refused_at_every_split),
        cmocka_unit_test(good_messages_mean_the_same_at_every_split),
        cmocka_unit_test(heads_are_bounded),
        cmocka_unit_test(extensions_and_trailers_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
