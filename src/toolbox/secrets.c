#include "toolbox/secrets.h"

#include "base/buf.h"
#include "toolbox/secret_forms.h"

#include <string.h>

/* Where one begins inside of another, nothing of either stays. False: there is none. */
static bool hide_bytes(struct buf *out, const struct secret_forms *forms, const char *bytes, size_t len)
{
    size_t until = 0;
    bool found = false;

    for (size_t at = 0; at < len; at++) {
        size_t one = secret_forms_at(forms, bytes + at, len - at);

        if (one == 0)
            continue;
        if (at >= until) {
            buf_add(out, bytes + until, at - until);
            buf_text(out, "***");
        }
        if (at + one > until)
            until = at + one;
        found = true;
    }
    if (found)
        buf_add(out, bytes + until, len - until);
    return found;
}

const char *secrets_hidden(struct arena *arena, const struct secret_forms *forms, const char *text)
{
    BUF_AUTO out = { 0 };

    buf_init(&out, 0);
    if (!text || !forms || !hide_bytes(&out, forms, text, strlen(text)))
        return text;
    return arena_copy(arena, out.bytes, out.len);
}

/* How much of a part's beginning is the end of one. All of one counts too: its own end may be its beginning.
 */
static size_t rest_of_one(const struct secret_forms *forms, const struct said_part *part)
{
    size_t longest = 0;

    for (size_t i = 0; i < forms->count; i++) {
        const struct secret_form *one = &forms->all[i];

        for (size_t len = one->len < part->len ? one->len : part->len; len > longest; len--)
            if (memcmp(part->bytes, one->text + one->len - len, len) == 0)
                longest = len;
    }
    return longest;
}

/* How much of its end is the beginning of one. */
static size_t begun_of_one(const struct secret_forms *forms, const struct said_part *part)
{
    size_t longest = 0;

    for (size_t i = 0; i < forms->count; i++) {
        const struct secret_form *one = &forms->all[i];

        for (size_t len = one->len < part->len ? one->len : part->len; len > longest; len--)
            if (memcmp(part->bytes + part->len - len, one->text, len) == 0)
                longest = len;
    }
    return longest;
}

struct said_part secrets_hidden_part(struct arena *arena, const struct secret_forms *forms,
                                     struct said_part part)
{
    BUF_AUTO out = { 0 };
    size_t rest, begun;

    if (!forms || part.len == 0)
        return part;
    rest = part.cut_before ? rest_of_one(forms, &part) : 0;
    part.bytes += rest;
    part.len -= rest;
    begun = part.cut_behind ? begun_of_one(forms, &part) : 0;
    part.len -= begun;
    buf_init(&out, 0);
    if (hide_bytes(&out, forms, part.bytes, part.len)) {
        part.bytes = arena_copy(arena, out.bytes, out.len);
        part.len = out.len;
    } else if (begun > 0) {
        part.bytes = arena_copy(arena, part.bytes, part.len);
    }
    return part;
}

static void hide(struct arena *arena, json_t *value, const struct secret_forms *forms);

static void hide_in_members(struct arena *arena, json_t *object, const struct secret_forms *forms)
{
    const char *key;
    json_t *member;
    void *next;

    json_object_foreach_safe(object, next, key, member)
    {
        const char *shown = secrets_hidden(arena, forms, key);

        hide(arena, member, forms);
        if (shown == key)
            continue;
        json_object_set(object, shown, member);
        json_object_del(object, key);
    }
}

/* As deep as a text may be that json_parse takes. */
static void hide(struct arena *arena, json_t *value, const struct secret_forms *forms)
{
    json_t *entry;
    size_t i;

    if (json_is_string(value)) {
        const char *text = json_string_value(value), *shown = secrets_hidden(arena, forms, text);

        if (shown != text)
            json_string_set(value, shown);
    }
    json_array_foreach(value, i, entry)
    {
        hide(arena, entry, forms);
    }
    if (json_is_object(value))
        hide_in_members(arena, value, forms);
}

void secrets_hide_in(json_t *value, const struct secret_forms *forms)
{
    ARENA_AUTO arena = { 0 };

    if (forms)
        hide(&arena, value, forms);
}
