/*
 * Lists in slots, doubled when there are as many items as slots. Items bring their own link, so that adding
 * allocates nothing but the slots.
 */
#include "base/table.h"

#include "base/memory.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 64

static struct table_item **slot_of(const struct table *table, const char *key)
{
    return &table->slots[str_hash(key) & (table->room - 1)];
}

static void grow(struct table *table)
{
    struct table old = *table;

    table->room = old.room ? old.room * 2 : ROOM_FIRST;
    table->slots = memory_take(table->room * sizeof(struct table_item *));
    memset(table->slots, 0, table->room * sizeof(struct table_item *));
    for (size_t i = 0; i < old.room; i++) {
        for (struct table_item *item = old.slots[i], *next; item; item = next) {
            struct table_item **slot = slot_of(table, item->key);

            next = item->next;
            item->next = *slot;
            *slot = item;
        }
    }
    free(old.slots);
}

void table_done(struct table *table)
{
    free(table->slots);
    *table = (struct table){ 0 };
}

struct table_item *table_find(const struct table *table, const char *key)
{
    if (table->count == 0)
        return NULL;
    for (struct table_item *item = *slot_of(table, key); item; item = item->next)
        if (strcmp(item->key, key) == 0)
            return item;
    return NULL;
}

void table_add(struct table *table, struct table_item *item, const char *key)
{
    if (table->count == table->room)
        grow(table);
    struct table_item **slot = slot_of(table, key);

    item->key = key;
    item->next = *slot;
    *slot = item;
    table->count++;
}

void table_remove(struct table *table, struct table_item *item)
{
    struct table_item **at = slot_of(table, item->key);

    while (*at != item)
        at = &(*at)->next;
    *at = item->next;
    table->count--;
}
