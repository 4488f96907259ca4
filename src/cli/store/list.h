/*
 * list.h - prints what is in the store: a table for people, or the JSON that the server would give.
 */
#ifndef CLI_STORE_LIST_H
#define CLI_STORE_LIST_H

#include "cli/store/local.h"
#include "cli/term.h"

struct store_list {
    const char *op;     /* the listing operation; all its pages are read */
    const char *plural; /* the member that holds the rows */
    const struct term_column *columns;
    size_t width;
    json_t *(*lines)(const json_t *rows); /* the table's lines, a new list; NULL: the rows as they are */
};

/* Runs the whole command. */
int list_run(struct cli *cli, const struct store_list *list);
/* A JSON object with one text, for the audit row. */
const char *list_detail(struct arena *arena, const char *key, const char *value);

#endif
