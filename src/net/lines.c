/*
 * Lines are handed on where they lie in the piece that brought them; only the beginning of a line whose end
 * is still to come is copied. A CR at the end of one piece may belong to an LF at the beginning of the next.
 */
#include "net/lines.h"

#include "base/limits.h"

#include <string.h>

void lines_init(struct lines *lines, enum lines_end end)
{
    *lines = (struct lines){ .end = end };
    buf_init(&lines->rest, LIMIT_MODEL_LINE);
}

void lines_bound(struct lines *lines, size_t most)
{
    buf_init(&lines->rest, most);
}

void lines_done(struct lines *lines)
{
    buf_done(&lines->rest);
}

static size_t find_end(const struct lines *lines, const char *bytes, size_t len)
{
    const char *lf = memchr(bytes, '\n', len);
    size_t end = lf ? (size_t)(lf - bytes) : len;
    const char *cr = lines->end == LINES_ANY ? memchr(bytes, '\r', end) : NULL;

    return cr ? (size_t)(cr - bytes) : end;
}

static bool hand_on(const struct lines *lines, const char *line, size_t len, lines_take *take, void *user)
{
    if (lines->end == LINES_LF && len > 0 && line[len - 1] == '\r')
        len--;
    return take(user, line, len);
}

/* A piece that holds the end of a line of which the beginning came before. */
static bool join(struct lines *lines, const char *bytes, size_t len, lines_take *take, void *user)
{
    buf_add(&lines->rest, bytes, len);
    if (lines->rest.full) {
        lines->too_long = true;
        return false;
    }
    bool more = hand_on(lines, lines->rest.bytes, lines->rest.len, take, user);

    buf_clear(&lines->rest);
    return more;
}

static bool one_line(struct lines *lines, const char *bytes, size_t len, lines_take *take, void *user)
{
    if (lines->rest.len > 0)
        return join(lines, bytes, len, take, user);
    if (len > lines->rest.limit) {
        lines->too_long = true;
        return false;
    }
    return hand_on(lines, bytes, len, take, user);
}

bool lines_feed(struct lines *lines, const char *bytes, size_t len, lines_take *take, void *user)
{
    while (len > 0) {
        if (lines->after_cr && *bytes == '\n') {
            lines->after_cr = false;
            bytes++, len--;
            continue;
        }
        lines->after_cr = false;
        size_t end = find_end(lines, bytes, len);

        if (end == len) {
            buf_add(&lines->rest, bytes, len);
            lines->too_long = lines->rest.full;
            return !lines->too_long;
        }
        lines->after_cr = bytes[end] == '\r';
        if (!one_line(lines, bytes, end, take, user))
            return false;
        bytes += end + 1, len -= end + 1;
    }
    return true;
}

bool lines_flush(struct lines *lines, lines_take *take, void *user)
{
    return lines->rest.len == 0 || join(lines, "", 0, take, user);
}
