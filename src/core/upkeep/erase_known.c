/*
 * The small questions that every table asks about a person who is to be erased, and what is put in their
 * place.
 */
#include "base/str.h"
#include "core/upkeep/erase_parts.h"

#include <stdio.h>
#include <string.h>

#define UNKNOWN "?" /* in a list of ids */

bool erase_is_name(const struct erasing *e, struct arena *arena, const char *text)
{
    return text && (str_equal(text, e->person->name) || str_equal(str_fold(arena, text), e->key));
}

bool erase_is_in(const struct erasing *e, const char *workspace_id)
{
    return workspace_id && json_object_get(e->workspaces, workspace_id) != NULL;
}

bool erase_is_alone(const struct erasing *e, const char *workspace_id)
{
    return erase_is_in(e, workspace_id) && !json_object_get(e->namesakes, workspace_id);
}

bool erase_is_theirs(struct erasing *e, struct arena *arena, const char *id, const char *name,
                     const char *workspace_id)
{
    if (id && !str_equal(id, UNKNOWN))
        return str_equal(id, e->person->id);
    if (!erase_is_name(e, arena, name) || !erase_is_in(e, workspace_id))
        return false;
    if (erase_is_alone(e, workspace_id))
        return true;
    e->report->unknown += e->counting && e->looking;
    return false;
}

void erase_note(json_t *set, const char *before, const char *id)
{
    char key[128];

    snprintf(key, sizeof(key), "%s%s", before, id);
    json_object_set_new(set, key, json_true());
}

bool erase_noted(const json_t *set, const char *before, const char *id)
{
    char key[128];

    snprintf(key, sizeof(key), "%s%s", before, id ? id : "");
    return json_object_get(set, key) != NULL;
}

const char *erase_seat_of(const struct erasing *e, const char *discussion_id)
{
    return discussion_id ? json_string_value(json_object_get(e->seats, discussion_id)) : NULL;
}

void erase_put(struct erase_row *row, size_t column, const char *text)
{
    row->changed = row->changed || !str_equal(row->cells[column], text);
    row->cells[column] = text;
}

void erase_put_name(struct erase_row *row, size_t column)
{
    if (erase_is_name(row->e, row->tx->arena, row->cells[column]))
        erase_put(row, column, ERASED_NAME);
}

void erase_put_json(struct erase_row *row, size_t column, const json_t *value)
{
    JSON_AUTO *before = erase_parse(row->cells[column]);

    if (value && !json_equal(before, value))
        erase_put(row, column, json_dump_text(row->tx->arena, value));
}

/* JSON */

json_t *erase_parse(const char *text)
{
    struct err ignored = { 0 };
    json_t *value = NULL;

    return text && json_parse(text, strlen(text), &value, &ignored) ? value : NULL;
}

const char *erase_member(const json_t *map, const char *key)
{
    return json_string_value(json_object_get(map, key));
}

/* What is below a member has keys of its own, which are words as well. */
static json_t *blank_of(json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING: return json_string(ERASED_TEXT);
    case JSON_OBJECT: return json_object();
    case JSON_ARRAY: return json_array();
    default: return json_incref(value);
    }
}

void erase_blank(json_t *value, bool keep_value)
{
    const char *key;
    json_t *item;
    size_t i;

    json_array_foreach(value, i, item)
    {
        if (json_is_string(item))
            json_array_set_new(value, i, json_string(ERASED_TEXT));
        else
            erase_blank(item, keep_value);
    }
    json_object_foreach(value, key, item)
    {
        if (strcmp(key, "type") != 0 && !(keep_value && strcmp(key, "value") == 0))
            json_object_set_new(value, key, blank_of(item));
    }
}

bool erase_holds(const json_t *value, const char *text)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_string(value))
        return str_equal(json_string_value(value), text);
    json_array_foreach(value, i, item) if (erase_holds(item, text)) return true;
    json_object_foreach((json_t *)(uintptr_t)value, key, item) if (erase_holds(item, text)) return true;
    return false;
}

bool erase_rename(json_t *value, const char *name)
{
    bool found = false;
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_string(value) && str_equal(json_string_value(value), name))
        return json_string_set(value, ERASED_NAME) == 0;
    json_array_foreach(value, i, item) found = erase_rename(item, name) || found;
    json_object_foreach(value, key, item) found = erase_rename(item, name) || found;
    return found;
}

bool erase_from_answerers(const struct erasing *e, struct arena *arena, json_t *settings)
{
    json_t *list = json_object_get(settings, "answerers");
    bool found = false;

    for (size_t i = json_array_size(list); i > 0; i--) {
        const char *entry = json_string_value(json_array_get(list, i - 1));

        if (!str_equal(entry, e->person->id) && !erase_is_name(e, arena, entry))
            continue;
        json_array_remove(list, i - 1);
        found = true;
    }
    return found;
}
