/*
 * JSON lines: whatever comes, in whatever pieces, is the same lines, and they are what stands between the
 * line ends. The first byte chooses the size of the pieces.
 */
#include "net/ndjson.h"
#include "tests/fuzz/fuzz.h"

struct result {
    struct buf lines; /* each with LF behind it */
    size_t count, longest;
    bool good;
};

static bool keep(void *user, const char *line, size_t len)
{
    struct result *result = user;

    DEMAND(len > 0 && !memchr(line, '\n', len));
    buf_add(&result->lines, line, len);
    buf_char(&result->lines, '\n');
    result->count++;
    if (len > result->longest)
        result->longest = len;
    return true;
}

static void read_in_pieces(struct result *result, const char *bytes, size_t len, size_t piece)
{
    struct ndjson ndjson;

    *result = (struct result){ .good = true };
    buf_init(&result->lines, 0);
    ndjson_init(&ndjson, keep, result);
    for (size_t at = 0; at < len && result->good; at += piece) {
        size_t part = len - at < piece ? len - at : piece;
        char *copy = malloc(part);

        DEMAND(copy);
        memcpy(copy, bytes + at, part);
        result->good = ndjson_feed(&ndjson, copy, part);
        free(copy);
    }
    if (result->good)
        result->good = ndjson_flush(&ndjson);
    DEMAND(result->good || ndjson.lines.too_long);
    ndjson_done(&ndjson);
}

static bool is_blank(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return false;
    return true;
}

/* A second reader, which has everything at hand. */
static void check_again(const struct result *result, const char *bytes, size_t len)
{
    const char *found = result->lines.bytes;
    size_t count = 0;

    while (len > 0) {
        const char *end = memchr(bytes, '\n', len);
        size_t line = end ? (size_t)(end - bytes) : len, kept = line;

        if (kept > 0 && bytes[kept - 1] == '\r')
            kept--;
        if (!is_blank(bytes, kept)) {
            DEMAND(memcmp(found, bytes, kept) == 0 && found[kept] == '\n');
            found += kept + 1;
            count++;
        }
        line += end != NULL;
        bytes += line;
        len -= line;
    }
    DEMAND(count == result->count && found == result->lines.bytes + result->lines.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct result whole, pieces;

    if (len < 2)
        return 0;
    read_in_pieces(&whole, (const char *)bytes + 1, len - 1, len);
    read_in_pieces(&pieces, (const char *)bytes + 1, len - 1, bytes[0] % 16 + 1u);
    DEMAND(whole.good == pieces.good && whole.count == pieces.count && whole.lines.len == pieces.lines.len);
    DEMAND(memcmp(whole.lines.bytes, pieces.lines.bytes, whole.lines.len) == 0);
    if (whole.good)
        check_again(&whole, (const char *)bytes + 1, len - 1);
    plant(whole.longest, 61);
    buf_done(&whole.lines);
    buf_done(&pieces.lines);
    return 0;
}
