/*
 * table.h - things found by a text.
 *
 * The things are the caller's and have a table_item in them; the table holds pointers and grows with what is
 * in it. A key is not copied: it lives as long as its item is in the table.
 *
 * Thread: one at a time.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stddef.h>

struct table_item {
    struct table_item *next;
    const char *key;
};

struct table {
    struct table_item **slots;
    size_t room, count;
};

void table_done(struct table *table); /* the items stay with their owners */
struct table_item *table_find(const struct table *table, const char *key); /* or NULL */
/* A key that is in the table already hides nothing: the newer item is found first. */
void table_add(struct table *table, struct table_item *item, const char *key);
void table_remove(struct table *table, struct table_item *item);

#endif
