/*
 * list.h - what waits, as a list one moves in: which rows a filter leaves, which one is chosen, which stand
 * on the screen. Knows no terminal.
 *
 * The chosen row is known by its id: when the list is read anew it stays chosen wherever it stands now; when
 * it is gone, the one that took its place is.
 */
#ifndef CLI_SCREEN_LIST_H
#define CLI_SCREEN_LIST_H

#include "base/arena.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define LIST_FILTER_SIZE 128

struct screen_list {
    json_t *items; /* as the server sent them; the list's own */
    size_t *shown; /* the places of those that the filter leaves, `count` of them */
    size_t count;
    size_t at, top; /* the chosen one, and the first on the screen; places in `shown` */
    char filter[LIST_FILTER_SIZE];
};

/* Takes the items over. `arena` holds what `shown` needs until the next call. */
void list_fill(struct screen_list *list, struct arena *arena, json_t *items);
void list_filter(struct screen_list *list, struct arena *arena, const char *filter);
void list_done(struct screen_list *list);

void list_move(struct screen_list *list, long by); /* stops at either end */
/* Moves the window of `height` rows so that the chosen one is in it. */
void list_scroll(struct screen_list *list, size_t height);

const json_t *list_chosen(const struct screen_list *list); /* or NULL */
const json_t *list_item(const struct screen_list *list, size_t place);
bool list_holds(const struct screen_list *list, const char *id); /* filtered or not */

#endif
