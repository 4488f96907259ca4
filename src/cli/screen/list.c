#include "cli/screen/list.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

static const char *id_of(const json_t *item)
{
    const char *id = json_string_value(json_object_get(item, "id"));

    return id ? id : "";
}

/* Anything that can be read in its row, in any case. */
static bool matches(struct arena *arena, const json_t *item, const char *filter)
{
    static const char *const members[] = { "text", "task", "type", "agent", "project", "assignee", "id" };
    const char *wanted = str_fold(arena, filter);

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        const char *text = json_string_value(json_object_get(item, members[i]));

        if (text && strstr(str_fold(arena, text), wanted))
            return true;
    }
    return false;
}

/* Puts the rows together again, with the chosen one chosen as long as it is there. */
static void arrange(struct screen_list *list, struct arena *arena, const char *chosen)
{
    size_t all = json_array_size(list->items);

    list->shown = arena_array(arena, size_t, all ? all : 1);
    list->count = 0;
    for (size_t i = 0; i < all; i++)
        if (matches(arena, json_array_get(list->items, i), list->filter)) {
            if (str_equal(id_of(json_array_get(list->items, i)), chosen))
                list->at = list->count;
            list->shown[list->count++] = i;
        }
    list_move(list, 0);
}

void list_fill(struct screen_list *list, struct arena *arena, json_t *items)
{
    const char *chosen = arena_text(arena, id_of(list_chosen(list)));

    json_decref(list->items);
    list->items = items;
    arrange(list, arena, chosen);
}

void list_filter(struct screen_list *list, struct arena *arena, const char *filter)
{
    const char *chosen = arena_text(arena, id_of(list_chosen(list)));

    snprintf(list->filter, sizeof(list->filter), "%.*s", (int)str_fitting(filter, sizeof(list->filter) - 1),
             filter);
    arrange(list, arena, chosen);
}

void list_done(struct screen_list *list)
{
    json_decref(list->items);
    *list = (struct screen_list){ 0 };
}

void list_move(struct screen_list *list, long by)
{
    long last = list->count > 0 ? (long)list->count - 1 : 0, at = (long)list->at + by;

    list->at = (size_t)(at < 0 ? 0 : at > last ? last : at);
}

void list_scroll(struct screen_list *list, size_t height)
{
    if (height == 0)
        height = 1;
    if (list->at < list->top)
        list->top = list->at;
    if (list->at >= list->top + height)
        list->top = list->at - height + 1;
    if (list->top > 0 && list->top + height > list->count)
        list->top = list->count > height ? list->count - height : 0;
}

const json_t *list_item(const struct screen_list *list, size_t place)
{
    return place < list->count ? json_array_get(list->items, list->shown[place]) : NULL;
}

const json_t *list_chosen(const struct screen_list *list)
{
    return list_item(list, list->at);
}

bool list_holds(const struct screen_list *list, const char *id)
{
    const json_t *item;
    size_t index;

    json_array_foreach(list->items, index, item)
    {
        if (str_equal(id_of(item), id))
            return true;
    }
    return false;
}
