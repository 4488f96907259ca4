/*
 * sqlcolumns.h - named lists of columns, which statements refer to.
 *
 *   -- columns: job
 *   id, workspace_id, status, witan_time(.created_at) AS created_at
 *
 * An entry is a column's name, or an expression with a name behind AS. In a statement `{job}` stands for
 * the list and `{job j}` for the same with the columns taken from j: `j.id, j.workspace_id, ...`. In an
 * expression a dot before a name says where the table's name goes; a condition that many statements share is
 * such a list of one, and its parameters are the statement's. mksql writes an enum of the entries, so
 * that cells are picked by name and a column is added in one place. The statement itself does not get the
 * name: ORDER BY would then sort by the expression and not by the column of that name.
 *
 * Nothing here prints or exits; see sqlblocks.h.
 */
#ifndef WITAN_TOOLS_SQLCOLUMNS_H
#define WITAN_TOOLS_SQLCOLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#define SQLCOLUMNS_NAME_MAX 63
#define SQLCOLUMNS_MAX      99

struct sqlcolumn {
    char name[SQLCOLUMNS_NAME_MAX + 1];
    char *expression; /* NULL: the column itself */
};

struct sqlcolumns {
    struct sqlcolumn items[SQLCOLUMNS_MAX];
    size_t count;
};

/* Reads a list from the text of its block. On failure *why is a sentence without a full stop. */
bool sqlcolumns_read(struct sqlcolumns *columns, const char *text, const char **why)
    __attribute__((warn_unused_result));
void sqlcolumns_done(struct sqlcolumns *columns);
/* The list as a statement has it, to be freed; NULL when there is no memory. `table` may be "". */
char *sqlcolumns_text(const struct sqlcolumns *columns, const char *table);

#endif
