/*
 * Server-sent events and JSON lines: the same in pieces of every size.
 */
#include "base/limits.h"
#include "net/ndjson.h"
#include "net/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static bool collect(void *user, const char *data, size_t len)
{
    struct buf *out = user;

    buf_char(out, '<');
    buf_add(out, data, len);
    buf_char(out, '>');
    return true;
}

static void check_sse(const char *stream, const char *events)
{
    size_t len = strlen(stream);

    for (size_t piece = 1; piece <= len; piece++) {
        BUF_AUTO out = { 0 };
        struct sse sse;

        buf_init(&out, 0);
        sse_init(&sse, collect, &out);
        for (size_t at = 0; at < len; at += piece)
            assert_true(sse_feed(&sse, stream + at, piece < len - at ? piece : len - at));
        assert_true(sse_flush(&sse));
        assert_string_equal(out.bytes, events);
        sse_done(&sse);
    }
}

static void events_are_read_in_pieces_of_any_size(void **state)
{
    (void)state;
    check_sse("data: a\n\ndata:b\r\n\r\ndata: c\r\rdata:  d\n\n", "<a><b><c>< d>");
    check_sse("event: x\nid: 7\ndata: one\ndata: two\nretry: 3\n\n: a remark\n\n\n", "<one\ntwo>");
    check_sse("\xef\xbb\xbf"
              "data: gr\xc3\xbc\xc3\x9f\n\n",
              "<gr\xc3\xbc\xc3\x9f>");
    check_sse("data\n\ndatum: x\n\ndata:\n\n", "<><>");
    check_sse("data: [DONE]", "<[DONE]>");
}

static bool feed(struct sse *sse, const char *text)
{
    return sse_feed(sse, text, strlen(text));
}

/* An id counts when its event has ended, so that one that broke off comes again. */
static void an_id_counts_once_its_event_has_ended(void **state)
{
    BUF_AUTO out = { 0 };
    struct sse sse;

    (void)state;
    buf_init(&out, 0);
    sse_init(&sse, collect, &out);
    assert_string_equal(sse_last_id(&sse), "");
    assert_int_equal(sse.retry_ms, -1);
    assert_true(feed(&sse, "id: a\ndata: one\n\nid: b\nretry: 250\ndata: tw"));
    assert_string_equal(sse_last_id(&sse), "a");
    assert_int_equal(sse.retry_ms, 250);
    assert_true(feed(&sse, "o\n\nretry: soon\nretry: -4\ndata: three\n\n"));
    assert_string_equal(sse_last_id(&sse), "b");
    assert_int_equal(sse.retry_ms, 250);
    assert_string_equal(out.bytes, "<one><two><three>");
    sse_done(&sse);
}

static void a_stream_can_have_a_bound_of_its_own(void **state)
{
    BUF_AUTO out = { 0 };
    struct sse sse;

    (void)state;
    buf_init(&out, 0);
    sse_init(&sse, collect, &out);
    sse_bound(&sse, 8);
    assert_true(feed(&sse, "data: a\n\n"));
    assert_false(feed(&sse, "data: ab1\n\n"));
    assert_true(sse_too_long(&sse));
    assert_string_equal(out.bytes, "<a>");
    sse_done(&sse);
}

static void check_lines(const char *stream, const char *lines)
{
    size_t len = strlen(stream);

    for (size_t piece = 1; piece <= len; piece++) {
        BUF_AUTO out = { 0 };
        struct ndjson ndjson;

        buf_init(&out, 0);
        ndjson_init(&ndjson, collect, &out);
        for (size_t at = 0; at < len; at += piece)
            assert_true(ndjson_feed(&ndjson, stream + at, piece < len - at ? piece : len - at));
        assert_true(ndjson_flush(&ndjson));
        assert_string_equal(out.bytes, lines);
        ndjson_done(&ndjson);
    }
}

static void lines_are_read_in_pieces_of_any_size(void **state)
{
    (void)state;
    check_lines("{\"a\":1}\n{\"b\":2}\r\n\n \r\n{\"c\":\"\r\"}", "<{\"a\":1}><{\"b\":2}><{\"c\":\"\r\"}>");
    check_lines("\n\n", "");
}

static void a_line_has_a_limit(void **state)
{
    char *piece = malloc(64 * KB);
    struct sse sse;
    struct ndjson ndjson;
    BUF_AUTO out = { 0 };
    size_t sent = 0;

    (void)state;
    buf_init(&out, 0);
    memset(piece, 'x', 64 * KB);
    sse_init(&sse, collect, &out);
    while (sse_feed(&sse, piece, 64 * KB))
        assert_true((sent += 64 * KB) <= LIMIT_MODEL_LINE);
    assert_true(sse_too_long(&sse));
    sse_done(&sse);

    sent = 0;
    sse_init(&sse, collect, &out);
    memcpy(piece, "data: ", 6);
    piece[64 * KB - 1] = '\n';
    while (sse_feed(&sse, piece, 64 * KB))
        assert_true((sent += 64 * KB) <= LIMIT_MODEL_LINE + 64 * KB);
    assert_true(sse_too_long(&sse));
    sse_done(&sse);

    sent = 0;
    memset(piece, 'x', 64 * KB);
    ndjson_init(&ndjson, collect, &out);
    while (ndjson_feed(&ndjson, piece, 64 * KB))
        assert_true((sent += 64 * KB) <= LIMIT_MODEL_LINE);
    assert_true(ndjson.lines.too_long);
    ndjson_done(&ndjson);
    assert_int_equal(out.len, 0);
    free(piece);
}

static bool no_more(void *user, const char *data, size_t len)
{
    (void)collect(user, data, len);
    return false;
}

static void a_reader_that_has_enough_gets_no_more(void **state)
{
    BUF_AUTO out = { 0 };
    struct sse sse;

    (void)state;
    buf_init(&out, 0);
    sse_init(&sse, no_more, &out);
    assert_false(feed(&sse, "data: a\n\ndata: b\n\n"));
    assert_false(sse_too_long(&sse));
    assert_string_equal(out.bytes, "<a>");
    sse_done(&sse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_read_in_pieces_of_any_size),
        cmocka_unit_test(an_id_counts_once_its_event_has_ended),
        cmocka_unit_test(a_stream_can_have_a_bound_of_its_own),
        cmocka_unit_test(lines_are_read_in_pieces_of_any_size),
        cmocka_unit_test(a_line_has_a_limit),
        cmocka_unit_test(a_reader_that_has_enough_gets_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
