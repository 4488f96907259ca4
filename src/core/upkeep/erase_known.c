/*
 * All that is known of a person who is to be erased, and the small questions that every table asks.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/upkeep/erase_parts.h"

#include <stdio.h>
#include <string.h>

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

static bool has_deed(const struct erasing *e, const char *workspace_id, const char *subject, int64_t at_ms)
{
    char key[512];
    char time[24] = "";

    if (at_ms)
        snprintf(time, sizeof(time), " %lld", (long long)at_ms);
    snprintf(key, sizeof(key), "%s%s%s%s", workspace_id ? workspace_id : "", subject ? " " : "",
             subject ? subject : "", time);
    return json_object_get(e->deeds, key) != NULL;
}

bool erase_did_then(const struct erasing *e, const char *workspace_id, int64_t at_ms)
{
    return at_ms && has_deed(e, workspace_id, NULL, at_ms);
}

bool erase_did_to(const struct erasing *e, const char *workspace_id, const char *subject)
{
    return subject && has_deed(e, workspace_id, subject, 0);
}

bool erase_did(const struct erasing *e, const char *workspace_id, const char *subject, int64_t at_ms)
{
    return subject && at_ms && has_deed(e, workspace_id, subject, at_ms);
}

/* Older than what is left of the audit log. */
static bool is_forgotten(const struct erasing *e, const char *workspace_id, int64_t at_ms)
{
    return at_ms < json_integer_value(json_object_get(e->workspaces, workspace_id));
}

bool erase_is_theirs(const struct erasing *e, struct arena *arena, const char *name, const char *workspace_id,
                     int64_t at_ms)
{
    return erase_is_name(e, arena, name) && erase_is_in(e, workspace_id) &&
           (erase_did_then(e, workspace_id, at_ms) ||
            (is_forgotten(e, workspace_id, at_ms) && erase_is_alone(e, workspace_id)));
}

bool erase_is_gone(const char *name, const char *text)
{
    return str_equal(name, ERASED_NAME) && str_equal(text, ERASED_TEXT);
}

int64_t erase_time(const char *text)
{
    int64_t ms = 0;

    return text && clock_parse(text, &ms) ? ms : 0;
}

void erase_note(json_t *set, const char *type, const char *id)
{
    char key[512];

    snprintf(key, sizeof(key), "%s %s", type, id);
    json_object_set_new(set, key, json_true());
}

void erase_note_seat(struct erasing *e, const char *discussion_id, const char *name)
{
    json_object_set_new(e->seats, discussion_id, json_string(name));
}

const char *erase_seat_of(const struct erasing *e, const char *discussion_id)
{
    return discussion_id ? json_string_value(json_object_get(e->seats, discussion_id)) : NULL;
}

bool erase_noted(const json_t *set, const char *type, const char *id)
{
    char key[512];

    snprintf(key, sizeof(key), "%s %s", type ? type : "", id ? id : "");
    return json_object_get(set, key) != NULL;
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

bool erase_holds(const json_t *value, const char *name)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_string(value))
        return str_equal(json_string_value(value), name);
    json_array_foreach(value, i, item) if (erase_holds(item, name)) return true;
    json_object_foreach((json_t *)(uintptr_t)value, key, item) if (erase_holds(item, name)) return true;
    return false;
}

bool erase_rename(json_t *value, const char *name)
{
    bool found = false;
    const char *key;
    json_t *item;
    size_t i;

    json_array_foreach(value, i, item)
    {
        bool here = json_is_string(item) && str_equal(json_string_value(item), name);

        if (here)
            json_array_set_new(value, i, json_string(ERASED_NAME));
        found = here || (!json_is_string(item) && erase_rename(item, name)) || found;
    }
    json_object_foreach(value, key, item)
    {
        bool here = json_is_string(item) && str_equal(json_string_value(item), name);

        if (here)
            json_object_set_new(value, key, json_string(ERASED_NAME));
        found = here || (!json_is_string(item) && erase_rename(item, name)) || found;
    }
    return found;
}

const char *erase_blank_text(struct arena *arena, const char *text, bool keep_value)
{
    JSON_AUTO *value = erase_parse(text);

    if (!value)
        return text;
    erase_blank(value, keep_value);
    return json_dump_text(arena, value);
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

bool erase_change(const struct tx *tx, struct erasing *e, enum sql_id sql, size_t argc,
                  const struct db_arg argv[], int64_t *count)
{
    e->changes++;
    if (!e->looking)
        return tx_exec(tx, sql, argc, argv, NULL);
    if (count)
        ++*count;
    return true;
}

bool erase_each_row(const struct tx *tx, struct erasing *e, struct erase_page *page, enum sql_id sql,
                    erase_row *erase)
{
    struct db_rows rows;

    if (!tx_query(tx, sql, DB_ARGS(db_text(page->after[0]), db_int(ERASE_BATCH)), &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        page->after[0] = db_cell(&rows, i, 0);
        if (!erase(tx, e, &rows, i))
            return false;
    }
    return true;
}
