/*
 * Only `data` matters to us; lines are put together until an empty one ends the event, with a line break
 * between them as the standard says.
 */
#include "llm/sse.h"

#include "base/limits.h"

#include <string.h>

void sse_init(struct sse *sse, sse_take *take, void *user)
{
    *sse = (struct sse){ .take = take, .user = user };
    lines_init(&sse->lines, LINES_ANY);
    buf_init(&sse->data, LIMIT_MODEL_LINE);
}

void sse_done(struct sse *sse)
{
    lines_done(&sse->lines);
    buf_done(&sse->data);
}

bool sse_too_long(const struct sse *sse)
{
    return sse->lines.too_long || sse->data.full;
}

static bool end_event(struct sse *sse)
{
    if (!sse->has_data)
        return true;
    sse->has_data = false;
    bool more = sse->take(sse->user, sse->data.bytes, sse->data.len);

    buf_clear(&sse->data);
    return more;
}

static bool take_line(void *user, const char *line, size_t len)
{
    struct sse *sse = user;

    if (!sse->begun && len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3, len -= 3;
    sse->begun = true;
    if (len == 0)
        return end_event(sse);
    if (len < 4 || memcmp(line, "data", 4) != 0 || (len > 4 && line[4] != ':'))
        return true;
    size_t skip = len > 5 && line[5] == ' ' ? 6 : len > 4 ? 5 : 4;

    if (sse->has_data)
        buf_char(&sse->data, '\n');
    sse->has_data = true;
    buf_add(&sse->data, line + skip, len - skip);
    return !sse->data.full;
}

bool sse_feed(struct sse *sse, const char *bytes, size_t len)
{
    return lines_feed(&sse->lines, bytes, len, take_line, sse);
}

bool sse_flush(struct sse *sse)
{
    return lines_flush(&sse->lines, take_line, sse) && end_event(sse);
}
