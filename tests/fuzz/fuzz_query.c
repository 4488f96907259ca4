/*
 * Query strings: what is accepted is UTF-8, within its limits, and says the same when it is written again.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "http/url.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check_again(struct arena *arena, const struct url_query *query)
{
    BUF_AUTO text;
    struct url_query again;
    struct err err = { 0 };

    buf_init(&text, 0);
    for (size_t i = 0; i < query->count; i++)
        buf_format(&text, "%s=%s&", str_url_encode(arena, query->pairs[i].name),
                   str_url_encode(arena, query->pairs[i].value));
    if (text.len > LIMIT_URL)
        return;
    if (!url_parse_query(arena, text.bytes, &again, &err) || again.count != query->count)
        abort();
    for (size_t i = 0; i < query->count; i++) {
        if (strcmp(again.pairs[i].name, query->pairs[i].name) != 0 ||
            strcmp(again.pairs[i].value, query->pairs[i].value) != 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO arena = { 0 };
    char *raw = malloc(size + 1);
    struct url_query query = { .count = 0 };
    struct err err = { 0 };

    memcpy(raw, data, size);
    raw[size] = '\0';
    if (url_parse_query(&arena, raw, &query, &err)) {
        for (size_t i = 0; i < query.count; i++) {
            if (!str_is_utf8(query.pairs[i].name, strlen(query.pairs[i].name)) ||
                !str_is_utf8(query.pairs[i].value, strlen(query.pairs[i].value)))
                abort();
        }
        check_again(&arena, &query);
    } else if (err.code != ERR_INVALID || !err.text[0]) {
        abort();
    }
    free(raw);
    return 0;
}
