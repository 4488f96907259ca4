/*
 * Chunked bodies: whatever comes, in whatever pieces, is the same body and ends at the same place. The first
 * byte chooses the size of the pieces. What is accepted must mean the same to a second reader, which looks
 * for line ends and believes the sizes.
 */
#include "base/limits.h"
#include "http/chunked.h"
#include "tests/fuzz/fuzz.h"

struct result {
    enum chunked_found found;
    size_t end, len;
    char *body;
};

static void read_in_pieces(struct result *result, const uint8_t *bytes, size_t len, size_t piece)
{
    struct chunked chunked = { 0 };
    size_t at = 0;

    *result = (struct result){ .found = CHUNKED_MORE, .body = malloc(len + 1) };
    DEMAND(result->body);
    while (result->found == CHUNKED_MORE && at < len) {
        size_t part = len - at < piece ? len - at : piece, left = part, data_len;
        char *copy = malloc(part);
        const char *in = copy, *data;

        DEMAND(copy);
        memcpy(copy, bytes + at, part);
        while ((result->found = chunked_next(&chunked, &in, &left, &data, &data_len)) == CHUNKED_DATA) {
            DEMAND(data >= copy && data + data_len <= copy + part && data_len > 0);
            memcpy(result->body + result->len, data, data_len);
            result->len += data_len;
        }
        DEMAND(result->found != CHUNKED_MORE || left == 0);
        at += part - left;
        free(copy);
    }
    result->end = at;
}

/* Where the line at `at` ends, past its CR LF. */
static size_t line_end(const char *bytes, size_t at, size_t len)
{
    const char *end = memmem(bytes + at, len - at, "\r\n", 2);

    DEMAND(end);
    return (size_t)(end - bytes) + 2;
}

static void check_again(const struct result *result, const char *bytes, size_t len)
{
    size_t at = 0, body = 0;

    for (;;) {
        char *digits_end;
        size_t size = strtoul(bytes + at, &digits_end, 16);

        DEMAND(digits_end > bytes + at && (*digits_end == '\r' || *digits_end == ';'));
        at = line_end(bytes, at, len);
        if (size == 0)
            break;
        DEMAND(size <= result->len - body && size <= len - at);
        DEMAND(memcmp(bytes + at, result->body + body, size) == 0);
        DEMAND(memcmp(bytes + at + size, "\r\n", 2) == 0);
        body += size;
        at += size + 2;
    }
    while (memcmp(bytes + at, "\r\n", 2) != 0)
        at = line_end(bytes, at, len);
    DEMAND(body == result->len);
    DEMAND(at + 2 == result->end);
    plant(body, 41);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct result whole, pieces;

    if (len < 2)
        return 0;
    read_in_pieces(&whole, bytes + 1, len - 1, len);
    read_in_pieces(&pieces, bytes + 1, len - 1, bytes[0] % 32 + 1u);
    DEMAND(whole.found == pieces.found && whole.end == pieces.end && whole.len == pieces.len);
    DEMAND(memcmp(whole.body, pieces.body, whole.len) == 0);
    if (whole.found == CHUNKED_END) {
        char *text = malloc(len);

        DEMAND(text);
        memcpy(text, bytes + 1, len - 1);
        text[len - 1] = '\0';
        check_again(&whole, text, len - 1);
        free(text);
    }
    free(whole.body);
    free(pieces.body);
    return 0;
}
