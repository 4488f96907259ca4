/*
 * Heads of requests: whatever comes, in whatever pieces, is understood in one way. The first byte chooses the
 * size of the pieces; the rest is read once whole and once in pieces. Of what is accepted, a second reader
 * that only splits lines must find the same: where it ends, its fields, one Host, one length at most.
 */
#include "http/head.h"
#include "tests/fuzz/fuzz.h"

#include <strings.h>

static enum head_state read_in_pieces(struct head *head, char *bytes, const uint8_t *from, size_t len,
                                      size_t piece)
{
    enum head_state state = HEAD_MORE;

    *head = (struct head){ 0 };
    for (size_t have = 0; state == HEAD_MORE && have < len;) {
        size_t part = len - have < piece ? len - have : piece;

        memcpy(bytes + have, from + have, part);
        have += part;
        state = head_read(head, bytes, have);
    }
    return state;
}

/* Whether a line of the original names this field. */
static int names(const char *line, size_t len, const char *name)
{
    return len > strlen(name) && strncasecmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':';
}

static void check_lines(const struct head *head, const char *bytes, const char *original)
{
    const char *line = original + (head->blank ? 2 : 0), *end = original + head->at;
    size_t fields = 0, hosts = 0, lengths = 0, codings = 0;

    DEMAND(memcmp(end - 4, "\r\n\r\n", 4) == 0);
    for (const char *c = original; c < end; c++) {
        DEMAND(*c != '\0');
        DEMAND(*c != '\n' || (c > original && c[-1] == '\r'));
        DEMAND(*c != '\r' || c[1] == '\n');
    }
    line = strchr(line, '\n') + 1;
    for (; line < end - 2; line = strchr(line, '\n') + 1, fields++) {
        const struct head_field *field = &head->fields[fields];
        size_t len = (size_t)(strchr(line, '\r') - line);

        DEMAND(fields < head->count);
        DEMAND(field->name_len == strcspn(line, ": \t"));
        DEMAND(line[field->name_len] == ':');
        DEMAND(strlen(bytes + field->name) == field->name_len);
        DEMAND(strlen(bytes + field->value) == field->value_len);
        hosts += (size_t)names(line, len, "host");
        lengths += (size_t)names(line, len, "content-length");
        codings += (size_t)names(line, len, "transfer-encoding");
    }
    DEMAND(fields == head->count);
    DEMAND(hosts <= 1 && (hosts == 1 || head->minor == 0));
    DEMAND(lengths + codings <= 1);
    DEMAND(head->chunked == (codings == 1) && head->has_length == (lengths == 1));
}

static void check_done(const struct head *head, const char *bytes, const char *original)
{
    const char *path = bytes + head->path;

    DEMAND(head->at <= HTTP_HEAD_BYTES && head->minor <= 1);
    DEMAND(*path == '/' || strcmp(path, "*") == 0);
    DEMAND(strlen(path) <= LIMIT_URL);
    DEMAND(bytes[head->method] != '\0');
    DEMAND(head->has_length || head->length == 0);
    check_lines(head, bytes, original);
    plant(strlen(path), 27);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct head whole, pieces;

    if (len < 2 || len > 2 * HTTP_HEAD_BYTES)
        return 0;
    /* Blocks of exact size, so that reading past them is seen; the original has a NUL for strchr. */
    char *first = malloc(len - 1), *second = malloc(len - 1), *original = malloc(len);

    DEMAND(first && second && original);
    memcpy(original, bytes + 1, len - 1);
    original[len - 1] = '\0';
    enum head_state state = read_in_pieces(&whole, first, bytes + 1, len - 1, len);
    enum head_state again = read_in_pieces(&pieces, second, bytes + 1, len - 1, bytes[0] % 32 + 1u);

    /* In pieces a fault may be seen before an earlier line that is too long. */
    DEMAND(state == again);
    if (state == HEAD_DONE) {
        DEMAND(memcmp(first, second, whole.at) == 0);
        DEMAND(whole.at == pieces.at && whole.count == pieces.count && whole.length == pieces.length);
        check_done(&whole, first, original);
    } else if (state == HEAD_BAD) {
        DEMAND(whole.fault->status == pieces.fault->status && whole.fault->status >= 400);
    }
    free(first);
    free(second);
    free(original);
    return 0;
}
