/*
 * db.h - one door to two databases.
 *
 * SQL lives in src/db/sql as named blocks with $1..$n parameters and is compiled in; a statement is
 * named by its enum sql_id, prepared once per connection and cached. The same text runs on both
 * engines unless it has a twin. A driver moves values in and rows out and knows no table. Rows live in
 * the caller's arena.
 *
 * Thread: a connection belongs to one thread at a time.
 */
#ifndef DB_DB_H
#define DB_DB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/words.h"
#include "gen/sql.h"

#include <stddef.h>
#include <stdint.h>

enum db_engine { DB_SQLITE, DB_POSTGRES };

/* An argument keeps its type: SQLite compares text and integers by type, not by value. */
struct db_arg {
    enum { DB_NULL, DB_INT, DB_TEXT, DB_REAL } type;
    int64_t number;
    double real;
    const char *text;
};

static inline struct db_arg db_int(int64_t number)
{
    return (struct db_arg){ .type = DB_INT, .number = number };
}

static inline struct db_arg db_bool(bool value)
{
    return (struct db_arg){ .type = DB_INT, .number = value ? 1 : 0 };
}

static inline struct db_arg db_text(const char *text)
{
    return (struct db_arg){ .type = text ? DB_TEXT : DB_NULL, .text = text };
}

static inline struct db_arg db_null(void)
{
    return (struct db_arg){ .type = DB_NULL };
}

/* 0 stands for "no time": stored as NULL. */
static inline struct db_arg db_ms(int64_t ms)
{
    return ms ? db_int(ms) : db_null();
}

struct db_rows {
    size_t count, width;
    const char **cells; /* count * width, NUL-terminated text; NULL is SQL NULL */
    size_t changed;     /* rows touched by an INSERT, UPDATE or DELETE */
};

/* Every concrete connection starts with this. */
struct db {
    const struct db_driver *driver;
    enum db_engine engine;
    int64_t limit_ms; /* how long PostgreSQL's answer to a statement is waited for; 0: as long as it takes */
    bool late;        /* one did not come in time: the connection is of no use any more */
    size_t cut_at;    /* rows that a statement had when its arena was full, see below; 0: none was cut since
                         somebody set this to 0 */
    bool was_full;    /* the statement met an arena that was full already */
};

struct db_driver {
    const char *name;
    bool (*query)(struct db *db, struct arena *arena, enum sql_id sql, size_t argc,
                  const struct db_arg argv[], struct db_rows *rows, struct err *err);
    bool (*query_text)(struct db *db, struct arena *arena, const char *sql, size_t argc,
                       const struct db_arg argv[], struct db_rows *rows, struct err *err);
    bool (*script)(struct db *db, const char *sql, struct err *err);
    bool (*begin)(struct db *db, bool write, struct err *err);
    bool (*commit)(struct db *db, struct err *err);
    void (*rollback)(struct db *db);
    bool (*alive)(struct db *db);
    void (*close)(struct db *db); /* accepts NULL */
};

#define DB_ARGS(...) \
    (sizeof((struct db_arg[]){ __VA_ARGS__ }) / sizeof(struct db_arg)), (struct db_arg[]) \
    { \
        __VA_ARGS__ \
    }
#define DB_NO_ARGS 0, NULL

/*
 * Errors: a broken uniqueness or foreign key is ERR_CONFLICT; a broken CHECK or NOT NULL, and what a
 * trigger raises, is ERR_INVALID; a full disk, a lost connection or a closed pool is ERR_UNAVAILABLE;
 * a serialisation failure or deadlock is ERR_RETRY; a commit whose fate is not known is
 * ERR_OUTCOME_UNKNOWN; anything else is ERR_INTERNAL. After a failed statement PostgreSQL runs no other
 * one in the same transaction, so portable code ends there too.
 *
 * A statement that has a row and meets another one when its arena is full (arena.most) is ended, with
 * ERR_TOO_LARGE, and says how many it had (cut_at). So what is read at once is bounded by that and one row,
 * in the drivers' memory, too.
 */
CHECKED bool db_query(struct db *db, struct arena *arena, enum sql_id sql, size_t argc,
                      const struct db_arg argv[], struct db_rows *rows, struct err *err);
/* As db_query, for statements whose rows do not matter. `changed` may be NULL. */
CHECKED bool db_exec(struct db *db, struct arena *arena, enum sql_id sql, size_t argc,
                     const struct db_arg argv[], size_t *changed, struct err *err);
/*
 * For many rows of `width` values each: PostgreSQL, where each run is a round trip, runs `many` once, with
 * all rows as a JSON list of lists in $1. SQLite runs `one` for every row, unless `many` is for it too, which
 * pays where there may be tens of thousands. `changed` may be NULL.
 */
CHECKED bool db_exec_rows(struct db *db, struct arena *arena, enum sql_id one, enum sql_id many, size_t width,
                          const struct db_arg rows[], size_t count, size_t *changed, struct err *err);
/* Such a list by itself, for statements that take several. For rows of known size, which fit into a buffer.
 */
const char *db_list(struct arena *arena, size_t width, const struct db_arg rows[], size_t count);
/* As db_query, with text that is prepared each time: for tools and tests, never for the domain. */
CHECKED bool db_query_text(struct db *db, struct arena *arena, const char *sql, size_t argc,
                           const struct db_arg argv[], struct db_rows *rows, struct err *err);
/* Several statements without parameters, as migrations are. */
CHECKED bool db_script(struct db *db, const char *sql, struct err *err);

/* For drivers, before a further row is added to `count` others, whose `bytes` are not in the arena yet. */
CHECKED bool db_takes_row(struct db *db, const struct arena *arena, size_t count, size_t bytes,
                          struct err *err);

const char *db_cell(const struct db_rows *rows, size_t row, size_t column); /* NULL for SQL NULL */
int64_t db_cell_int(const struct db_rows *rows, size_t row, size_t column); /* 0 for SQL NULL */
bool db_cell_bool(const struct db_rows *rows, size_t row, size_t column);   /* 1, t, true */
/*
 * A state by its word (base/words.h); 0 for SQL NULL. A word that the table does not have is a row that no
 * version of the program wrote: it goes into `strange`, and db_words_known makes ERR_INTERNAL of it. So a
 * reader picks all cells of a row first and asks once.
 */
unsigned db_cell_word(const struct db_rows *rows, size_t row, size_t column, const char *const words[],
                      const char **strange);
CHECKED bool db_words_known(const char *strange, struct err *err); /* NULL: all were */

/*
 * Opens one connection, outside any pool: for migrations, tools and tests. `url` is "sqlite:PATH" or
 * "postgres://...". Never returns a half-open one.
 */
struct db *db_open(const char *url, struct err *err);
/* Which engine a url names, and the part of it that the driver wants. */
CHECKED bool db_url_engine(const char *url, enum db_engine *engine, const char **path, struct err *err);
/* Refuses an address that PostgreSQL cannot read and repeats nothing of it, since a password may stand
 * anywhere.
 */
bool db_url_unreadable(struct err *err);
void db_close(struct db *db); /* accepts NULL */

/* Without the pool's savepoints: for tools, tests and migrations. */
CHECKED bool db_begin(struct db *db, bool write, struct err *err);
CHECKED bool db_commit(struct db *db, struct err *err);
void db_rollback(struct db *db);

#endif
