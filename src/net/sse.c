/*
 * Lines of `data` are put together until an empty line ends the event, with a line break between them as the
 * standard says. An id counts once its event has ended: whoever takes the stream up again behind it would
 * else never get the event.
 */
#include "net/sse.h"

#include "base/limits.h"
#include "base/str.h"

#include <string.h>

void sse_init(struct sse *sse, sse_take *take, void *user)
{
    *sse = (struct sse){ .take = take, .user = user, .retry_ms = -1 };
    lines_init(&sse->lines, LINES_ANY);
    buf_init(&sse->data, LIMIT_MODEL_LINE);
    buf_init(&sse->id, LIMIT_SSE_ID);
    buf_init(&sse->next_id, LIMIT_SSE_ID);
}

void sse_bound(struct sse *sse, size_t most)
{
    lines_bound(&sse->lines, most);
    buf_init(&sse->data, most);
}

void sse_done(struct sse *sse)
{
    lines_done(&sse->lines);
    buf_done(&sse->data);
    buf_done(&sse->id);
    buf_done(&sse->next_id);
}

const char *sse_last_id(const struct sse *sse)
{
    return sse->id.bytes;
}

bool sse_too_long(const struct sse *sse)
{
    return sse->lines.too_long || sse->data.full;
}

#define SSE_RETRY_DIGITS 10

static void keep_id(struct sse *sse)
{
    buf_clear(&sse->id);
    if (!sse->next_id.full)
        buf_add(&sse->id, sse->next_id.bytes, sse->next_id.len);
}

static bool end_event(struct sse *sse)
{
    keep_id(sse);
    if (!sse->has_data)
        return true;
    sse->has_data = false;
    bool more = sse->take(sse->user, sse->data.bytes, sse->data.len);

    buf_clear(&sse->data);
    return more;
}

/* Whether a line is a field of that name, and where its value begins. */
static bool is_field(const char *line, size_t len, const char *name, size_t *skip)
{
    size_t chars = strlen(name);

    if (len < chars || memcmp(line, name, chars) != 0 || (len > chars && line[chars] != ':'))
        return false;
    *skip = len > chars + 1 && line[chars + 1] == ' ' ? chars + 2 : len > chars ? chars + 1 : chars;
    return true;
}

static void take_other(struct sse *sse, const char *line, size_t len)
{
    size_t skip;
    int64_t ms;

    if (is_field(line, len, "id", &skip) && !memchr(line + skip, '\0', len - skip)) {
        buf_clear(&sse->next_id);
        buf_add(&sse->next_id, line + skip, len - skip);
    } else if (is_field(line, len, "retry", &skip) && len - skip < SSE_RETRY_DIGITS) {
        char digits[SSE_RETRY_DIGITS];

        memcpy(digits, line + skip, len - skip);
        digits[len - skip] = '\0';
        if (str_to_int(digits, &ms) && ms >= 0)
            sse->retry_ms = ms;
    }
}

static bool take_line(void *user, const char *line, size_t len)
{
    struct sse *sse = user;
    size_t skip;

    if (!sse->begun && len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3, len -= 3;
    sse->begun = true;
    if (len == 0)
        return end_event(sse);
    if (!is_field(line, len, "data", &skip)) {
        take_other(sse, line, len);
        return true;
    }
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
