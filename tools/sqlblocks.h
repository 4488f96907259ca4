/*
 * sqlblocks.h - reads the named statements of an .sql file.
 *
 * A line `-- name: prompt_get` starts a block that runs to the next such line. `-- name: prompt_get
 * @postgres` holds the text for PostgreSQL, `@sqlite` the one for SQLite; `@postgres only` says that there is
 * none for the other. Comments and blank lines are dropped, and so is the closing semicolon: what remains
 * is what the engine gets to see. A line `-- columns: job` starts a list of columns in the same way, to which
 * statements behind it refer as `{job}` or `{job j}` (sqlcolumns.h).
 *
 * The blocks of all files are gathered in one list, so that a name used twice is found wherever the two
 * stand. The list owns its texts; `file` is borrowed from the caller. Nothing here prints or exits, and
 * every size has a limit, so that the parser can be fuzzed. No state is shared: any thread may call it
 * on a list of its own.
 */
#ifndef WITAN_TOOLS_SQLBLOCKS_H
#define WITAN_TOOLS_SQLBLOCKS_H

#include "tools/sqlcolumns.h"

#include <stdbool.h>
#include <stddef.h>

#define SQLBLOCKS_MAX        4096
#define SQLBLOCKS_NAME_MAX   63
#define SQLBLOCKS_TEXT_MAX   65536
#define SQLBLOCKS_PARAMS_MAX 99
#define SQLBLOCKS_LISTS_MAX  512

enum sqlblock_engine { SQLBLOCK_BOTH, SQLBLOCK_SQLITE, SQLBLOCK_POSTGRES, SQLBLOCK_ENGINES };

struct sqlblock {
    char name[SQLBLOCKS_NAME_MAX + 1];
    enum sqlblock_engine engine;
    bool only; /* the other engine has no text, on purpose */
    char *text;
    int params; /* the highest $n outside of string literals */
    const char *file;
    int line;
};

/* A list of columns. With a text for each engine, both have the same names in the same order. */
struct sqllist {
    char name[SQLBLOCKS_NAME_MAX + 1];
    enum sqlblock_engine engine;
    struct sqlcolumns columns;
    int params; /* the highest $n of its expressions: those of the statement that it stands in */
    const char *file;
    int line;
};

struct sqlblocks {
    struct sqlblock *items;
    size_t count;
    size_t capacity;
    struct sqllist *lists[SQLBLOCKS_LISTS_MAX];
    size_t list_count;
};

struct sqlblocks_error {
    const char *file;
    int line;
    char message[200];
};

/* One statement: the blocks of one name, sorted out by engine; one of them may be NULL. */
struct sqlblocks_statement {
    const struct sqlblock *sqlite;
    const struct sqlblock *postgres;
};

void sqlblocks_init(struct sqlblocks *blocks);
void sqlblocks_done(struct sqlblocks *blocks);

/* Appends the blocks of one file. After a failure the list holds what was read before the error. */
bool sqlblocks_parse(struct sqlblocks *blocks, const char *file, const char *buf, size_t len,
                     struct sqlblocks_error *err) __attribute__((warn_unused_result));

/*
 * Finds the texts of the statement whose first block stands at `index`. Fails when an engine has no text and
 * the other's does not say `only`, when a text would never be used, or when the twins differ in their number
 * of parameters.
 */
bool sqlblocks_statement(const struct sqlblocks *blocks, size_t index, struct sqlblocks_statement *out,
                         struct sqlblocks_error *err) __attribute__((warn_unused_result));

/* Whether no earlier block has the name of this one. */
bool sqlblocks_is_first(const struct sqlblocks *blocks, size_t index);

#endif
