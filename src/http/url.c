/*
 * The raw text is split before anything is decoded, so that an escaped '&' or '=' belongs to a value.
 */
#include "http/url.h"

#include "base/limits.h"
#include "base/str.h"

#include <string.h>

static bool decode(char *text, struct err *err)
{
    if (!str_url_decode(text, true))
        return err_set(err, ERR_INVALID, "The query or form contains a broken escape.");
    if (!str_is_utf8(text, strlen(text)))
        return err_set(err, ERR_INVALID, "The query or form is not UTF-8.");
    return true;
}

static bool add_pair(struct arena *arena, const char *raw, size_t len, struct url_query *query,
                     struct err *err)
{
    char *name = arena_copy(arena, raw, len);
    char *value = strchr(name, '=');

    if (value)
        *value++ = '\0';
    else
        value = name + len;
    if (!decode(name, err) || !decode(value, err))
        return false;
    if (url_value(query, name))
        return err_field(err, name, "The query names %.64s twice.", name);
    if (query->count == URL_PAIRS)
        return err_set(err, ERR_INVALID, "The query has more than %d fields.", URL_PAIRS);
    query->pairs[query->count++] = (struct url_pair){ name, value };
    return true;
}

static bool parse(struct arena *arena, const char *raw, struct url_query *query, struct err *err)
{
    struct url_query found = { .count = 0 };

    while (*raw) {
        size_t len = strcspn(raw, "&");

        if (len > 0 && !add_pair(arena, raw, len, &found, err))
            return false;
        raw += len + (raw[len] == '&');
    }
    *query = found;
    return true;
}

bool url_parse_query(struct arena *arena, const char *raw, struct url_query *query, struct err *err)
{
    if (strlen(raw) > LIMIT_URL)
        return err_set(err, ERR_INVALID, "The query string is too long.");
    return parse(arena, raw, query, err);
}

bool url_parse_form(struct arena *arena, const char *body, size_t len, struct url_query *fields,
                    struct err *err)
{
    const char *text = arena_copy(arena, body, len);

    if (strlen(text) != len)
        return err_set(err, ERR_INVALID, "The form contains a NUL byte.");
    return parse(arena, text, fields, err);
}

const char *url_value(const struct url_query *query, const char *name)
{
    for (size_t i = 0; i < query->count; i++) {
        if (strcmp(query->pairs[i].name, name) == 0)
            return query->pairs[i].value;
    }
    return NULL;
}
