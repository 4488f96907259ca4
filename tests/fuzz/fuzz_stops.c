/*
 * What is cut from a reply: the same whatever the pieces, and what comes out is what a reader with the whole
 * text at hand would leave. The input is a line for the speaker, up to three lines of stop sequences, an
 * empty line, the size of the pieces in one byte, and the text.
 */
#include "base/str.h"
#include "llm/stops.h"
#include "tests/fuzz/fuzz.h"

#define STOPS 3

struct input {
    char *speaker, *stops[STOPS];
    size_t count;
    char *text;
    size_t len, piece;
};

static void collect(void *user, const char *text, size_t len)
{
    DEMAND(len > 0);
    buf_add(user, text, len);
}

static bool run(const struct input *input, size_t piece, struct buf *out)
{
    ARENA_AUTO arena = { 0 };
    struct stops stops;
    bool more = true;

    buf_init(out, 0);
    stops_init(&stops, &arena, (const char *const *)input->stops, input->count, input->speaker);
    stops.emit = collect;
    stops.user = out;
    for (size_t at = 0; at < input->len && more; at += piece) {
        size_t part = input->len - at < piece ? input->len - at : piece;
        char *copy = malloc(part);

        DEMAND(copy);
        memcpy(copy, input->text + at, part);
        more = stops_feed(&stops, copy, part);
        free(copy);
    }
    stops_flush(&stops);
    DEMAND(more || stops.state == STOPS_HIT);
    bool hit = stops.state == STOPS_HIT;

    stops_done(&stops);
    return hit;
}

/* How names are compared is fuzz_fold's matter; here it is the same whatever the pieces. */
static const char *past_label(struct arena *arena, const char *text, const char *speaker)
{
    const char *labels[] = { arena_format(arena, "[%s]:", speaker), arena_format(arena, "%s:", speaker) };

    for (size_t i = 0; *speaker && i < 2; i++) {
        size_t len;

        if (str_begins_with_name(text, labels[i], &len) == STR_BEGINS_WHOLE)
            return text + len;
    }
    return text;
}

/* The slow way: everything at hand, one step after the other. */
static void check(const struct input *input, const struct buf *out, bool hit)
{
    static const char space[] = " \t\r\n\v\f";
    ARENA_AUTO arena = { 0 };
    const char *text = input->text + strspn(input->text, space), *end = NULL;

    text = past_label(&arena, text, input->speaker);
    text += strspn(text, space);
    for (size_t i = 0; i < input->count; i++) {
        const char *stop =
            str_is_blank(input->stops[i]) ? input->stops[i] : str_trim(&arena, input->stops[i]);
        const char *at = *stop ? strstr(text, stop) : NULL;

        if (at && (!end || at < end))
            end = at;
    }
    DEMAND(hit == (end != NULL));
    size_t len = end ? (size_t)(end - text) : strlen(text);

    DEMAND(out->len == len && memcmp(out->bytes, text, len) == 0);
    plant(len, 37);
}

static void drop(struct input *input)
{
    free(input->speaker);
    for (size_t i = 0; i < input->count; i++)
        free(input->stops[i]);
    free(input->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct input input = { .speaker = fuzz_line(&bytes, &len) };
    struct buf whole, pieces;

    while (input.count < STOPS && len > 0 && *bytes != '\n')
        input.stops[input.count++] = fuzz_line(&bytes, &len);
    if (len > 0 && *bytes == '\n')
        bytes++, len--;
    input.piece = len > 0 ? *bytes % 8 + 1u : 1;
    if (len > 0)
        bytes++, len--;
    input.text = malloc(len + 1);
    DEMAND(input.text);
    memcpy(input.text, bytes, len);
    input.text[len] = '\0';
    input.len = strlen(input.text);

    bool hit = run(&input, input.len + 1, &whole), hit_in_pieces = run(&input, input.piece, &pieces);

    DEMAND(hit == hit_in_pieces && whole.len == pieces.len);
    DEMAND(memcmp(whole.bytes, pieces.bytes, whole.len) == 0);
    check(&input, &whole, hit);
    buf_done(&whole);
    buf_done(&pieces);
    drop(&input);
    return 0;
}
