/*
 * Server-sent events: whatever comes, in whatever pieces, is the same events. The first byte chooses the size
 * of the pieces. What was read must mean the same when it is written as plainly as the format allows and read
 * again.
 */
#include "net/sse.h"
#include "tests/fuzz/fuzz.h"

struct result {
    struct buf events; /* each with its length before it */
    size_t count, longest;
    bool good;
};

static bool keep(void *user, const char *data, size_t len)
{
    struct result *result = user;

    DEMAND(data[len] == '\0');
    buf_add(&result->events, &len, sizeof(len));
    buf_add(&result->events, data, len);
    result->count++;
    if (len > result->longest)
        result->longest = len;
    return true;
}

static void read_in_pieces(struct result *result, const char *bytes, size_t len, size_t piece)
{
    struct sse sse;

    *result = (struct result){ .good = true };
    buf_init(&result->events, 0);
    sse_init(&sse, keep, result);
    for (size_t at = 0; at < len && result->good; at += piece) {
        size_t part = len - at < piece ? len - at : piece;
        char *copy = malloc(part);

        DEMAND(copy);
        memcpy(copy, bytes + at, part);
        result->good = sse_feed(&sse, copy, part);
        free(copy);
    }
    if (result->good)
        result->good = sse_flush(&sse);
    DEMAND(result->good || sse_too_long(&sse));
    sse_done(&sse);
}

/* Every line of an event's data as a line of its own; there is no CR in it, since that would end a line. */
static void check_again(const struct result *result)
{
    BUF_AUTO text = { 0 };
    struct result again;
    const char *at = result->events.bytes;

    buf_init(&text, 0);
    for (size_t i = 0; i < result->count; i++) {
        size_t len;

        memcpy(&len, at, sizeof(len));
        at += sizeof(len);
        DEMAND(!memchr(at, '\r', len));
        buf_text(&text, "data: ");
        for (const char *c = at; c < at + len; c++) {
            buf_char(&text, *c);
            if (*c == '\n')
                buf_text(&text, "data: ");
        }
        buf_text(&text, "\n\n");
        at += len;
    }
    read_in_pieces(&again, text.bytes, text.len, text.len + 1);
    DEMAND(again.good && again.count == result->count && again.events.len == result->events.len);
    DEMAND(memcmp(again.events.bytes, result->events.bytes, again.events.len) == 0);
    buf_done(&again.events);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct result whole, pieces;

    if (len < 2)
        return 0;
    read_in_pieces(&whole, (const char *)bytes + 1, len - 1, len);
    read_in_pieces(&pieces, (const char *)bytes + 1, len - 1, bytes[0] % 16 + 1u);
    DEMAND(whole.good == pieces.good && whole.count == pieces.count);
    DEMAND(whole.events.len == pieces.events.len);
    DEMAND(memcmp(whole.events.bytes, pieces.events.bytes, whole.events.len) == 0);
    if (whole.good && !whole.events.full)
        check_again(&whole);
    plant(whole.longest, 23);
    buf_done(&whole.events);
    buf_done(&pieces.events);
    return 0;
}
