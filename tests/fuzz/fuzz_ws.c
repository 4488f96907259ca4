/*
 * WebSocket frames: whatever a client sends, in whatever pieces, the session neither breaks nor disagrees
 * with itself. The first byte chooses the size of the pieces; the rest is fed once whole and once in pieces,
 * and both must hand over the same messages and answer the same bytes. Which of several faults closes a
 * session, and how early, may depend on the pieces, so the answers are compared while both are open.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "http/ws_session.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct ws_session session;
    struct buf texts;
};

/* Echoes, so that the way out is used as well. */
static void text_came(void *user, const char *text, size_t len)
{
    struct run *run = user;

    if (len > WS_MESSAGE_MAX)
        abort();
    buf_add(&run->texts, text, len);
    buf_char(&run->texts, '\n');
    ws_session_send(&run->session, text, len);
}

static void run_begin(struct run *run)
{
    buf_init(&run->texts, 0);
    ws_session_init(&run->session, text_came, run);
}

static void run_end(struct run *run)
{
    ws_session_done(&run->session);
    buf_done(&run->texts);
}

static void feed_in_pieces(struct run *run, const char *bytes, size_t len, size_t piece)
{
    while (len > 0) {
        size_t now = len < piece ? len : piece;
        char *copy = malloc(now);

        /* A copy of exact size, so that reading past a piece is seen. */
        memcpy(copy, bytes, now);
        ws_session_feed(&run->session, copy, now);
        free(copy);
        bytes += now;
        len -= now;
    }
}

static void check_same(const struct buf *a, const struct buf *b)
{
    if (a->len != b->len || memcmp(a->bytes, b->bytes, a->len) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run whole, pieces;

    if (size < 2)
        return 0;
    run_begin(&whole);
    run_begin(&pieces);
    feed_in_pieces(&whole, (const char *)data + 1, size - 1, size);
    feed_in_pieces(&pieces, (const char *)data + 1, size - 1, (size_t)data[0] % 32 + 1);
    check_same(&whole.texts, &pieces.texts);
    if (!ws_session_is_closing(&whole.session) && !ws_session_is_closing(&pieces.session))
        check_same(&whole.session.out, &pieces.session.out);
    ws_session_ping(&pieces.session);
    ws_session_end(&pieces.session, 1001, "The server stops.");
    while (ws_session_backlog(&pieces.session) > 0)
        ws_session_sent(&pieces.session, ws_session_backlog(&pieces.session) / 2 + 1);
    run_end(&whole);
    run_end(&pieces);
    return 0;
}
