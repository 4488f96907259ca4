#include "toolbox/secrets.h"

#include "base/buf.h"

#include <string.h>

static bool holds_one(const char *const *secrets, const char *text)
{
    for (; *secrets; secrets++)
        if (strlen(*secrets) >= SECRET_LEAST && strstr(text, *secrets))
            return true;
    return false;
}

/* One may be the beginning of another: were that taken out first, the rest of the longer one would stay. */
static size_t longest_at(const char *const *secrets, const char *text)
{
    size_t longest = 0;

    for (; *secrets; secrets++) {
        size_t len = strlen(*secrets);

        if (len >= SECRET_LEAST && len > longest && strncmp(text, *secrets, len) == 0)
            longest = len;
    }
    return longest;
}

const char *secrets_hidden(struct arena *arena, const char *const *secrets, const char *text)
{
    BUF_AUTO out = { 0 };

    if (!text || !secrets || !holds_one(secrets, text))
        return text;
    buf_init(&out, 0);
    while (*text) {
        size_t len = longest_at(secrets, text);

        buf_add(&out, len > 0 ? "***" : text, len > 0 ? 3 : 1);
        text += len > 0 ? len : 1;
    }
    return arena_copy(arena, out.bytes, out.len);
}

/* How much of a text's beginning is the end of one. All of one counts too: its own end may be its beginning.
 */
static size_t rest_of_one(const char *const *secrets, const char *text, size_t len)
{
    size_t longest = 0;

    for (; *secrets; secrets++) {
        size_t whole = strlen(*secrets), most = whole < len ? whole : len;

        for (size_t part = whole < SECRET_LEAST ? 0 : most; part > longest; part--)
            if (memcmp(text, *secrets + whole - part, part) == 0)
                longest = part;
    }
    return longest;
}

/* How much of its end is the beginning of one. */
static size_t begun_of_one(const char *const *secrets, const char *text, size_t len)
{
    size_t longest = 0;

    for (; *secrets; secrets++) {
        size_t whole = strlen(*secrets), most = whole < len ? whole : len;

        for (size_t part = whole < SECRET_LEAST ? 0 : most; part > longest; part--)
            if (memcmp(text + len - part, *secrets, part) == 0)
                longest = part;
    }
    return longest;
}

const char *secrets_hidden_part(struct arena *arena, const char *const *secrets, const char *text,
                                bool cut_before, bool cut_behind)
{
    size_t len = text ? strlen(text) : 0;

    if (!text || !secrets)
        return text;
    if (cut_before) {
        size_t rest = rest_of_one(secrets, text, len);

        text += rest;
        len -= rest;
    }
    if (cut_behind)
        text = arena_copy(arena, text, len - begun_of_one(secrets, text, len));
    return secrets_hidden(arena, secrets, text);
}

static void hide(struct arena *arena, json_t *value, const char *const *secrets);

static void hide_in_members(struct arena *arena, json_t *object, const char *const *secrets)
{
    const char *key;
    json_t *member;
    void *next;

    json_object_foreach_safe(object, next, key, member)
    {
        const char *shown = secrets_hidden(arena, secrets, key);

        hide(arena, member, secrets);
        if (shown == key)
            continue;
        json_object_set(object, shown, member);
        json_object_del(object, key);
    }
}

/* As deep as a text may be that json_parse takes. */
static void hide(struct arena *arena, json_t *value, const char *const *secrets)
{
    json_t *entry;
    size_t i;

    if (json_is_string(value)) {
        const char *text = json_string_value(value), *shown = secrets_hidden(arena, secrets, text);

        if (shown != text)
            json_string_set(value, shown);
    }
    json_array_foreach(value, i, entry)
    {
        hide(arena, entry, secrets);
    }
    if (json_is_object(value))
        hide_in_members(arena, value, secrets);
}

void secrets_hide_in(json_t *value, const char *const *secrets)
{
    ARENA_AUTO arena = { 0 };

    if (secrets)
        hide(&arena, value, secrets);
}
