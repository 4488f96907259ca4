/*
 * What cannot be seen in a text: its parts hold all of it, in its order; of what is plain nothing turns the
 * reading direction or steers a terminal; and what is written for terminals has nothing left to be marked.
 */
#include "base/buf.h"
#include "base/str.h"
#include "base/visible.h"
#include "tests/fuzz/fuzz.h"

static bool steers(uint32_t code)
{
    return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || (code >= 0x7F && code <= 0x9F) ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

static void check_plain(const struct visible_part *part)
{
    uint32_t code;

    for (size_t at = 0, step; at < part->len; at += step) {
        step = str_decode(part->text + at, part->len - at, &code);
        DEMAND(step > 0 && !steers(code));
    }
}

static size_t check_parts(const char *text, size_t len, enum visible_way way)
{
    struct visible visible;
    struct visible_part part;
    size_t at = 0, marked = 0;

    visible_begin(&visible, text, len, way);
    while (visible_next(&visible, &part)) {
        DEMAND(part.text == text + at && part.len > 0 && part.len <= len - at);
        DEMAND(strlen(part.label) < sizeof(part.label));
        if (part.is == VISIBLE_TEXT || part.is == VISIBLE_RTL)
            check_plain(&part);
        else
            marked++;
        at += part.len;
    }
    DEMAND(at == len);
    return marked;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    ARENA_AUTO arena = { 0 };
    const char *text = arena_copy(&arena, bytes, len);
    size_t marked = check_parts(text, len, VISIBLE_PROSE);

    check_parts(text, len, VISIBLE_EXACT);
    DEMAND(str_is_utf8(visible_flat(&arena, text, VISIBLE_EXACT),
                       strlen(visible_flat(&arena, text, VISIBLE_EXACT))));
    plant(marked, 3);
    return 0;
}
