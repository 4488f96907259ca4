/*
 * Calls go straight to the driver; only two things are decided here. Many rows are given as one JSON list to
 * one statement where the engine gains by it (PostgreSQL, a round trip each), and row by row where it does
 * not. And an address is taken apart before libpq sees it, since libpq's errors repeat parts of a password.
 */
#include "db/db.h"

#include "base/json.h"
#include "base/limits.h"
#include "db/postgres.h"
#include "db/sqlite.h"

#include <stdlib.h>
#include <string.h>

bool db_query(struct db *db, struct arena *arena, enum sql_id sql, size_t argc, const struct db_arg argv[],
              struct db_rows *rows, struct err *err)
{
    return db->driver->query(db, arena, sql, argc, argv, rows, err);
}

bool db_takes_row(struct db *db, const struct arena *arena, size_t count, size_t bytes, struct err *err)
{
    bool full = arena->most > 0 && arena->held + bytes > arena->most;

    if (count == 0)
        db->was_full = full;
    if (count == 0 || !full)
        return true;
    db->cut_at = count;
    return err_set(err, ERR_TOO_LARGE, "This is too much to be read at once.");
}

bool db_exec(struct db *db, struct arena *arena, enum sql_id sql, size_t argc, const struct db_arg argv[],
             size_t *changed, struct err *err)
{
    struct db_rows rows;

    if (!db->driver->query(db, arena, sql, argc, argv, &rows, err))
        return false;
    if (changed)
        *changed = rows.changed;
    return true;
}

static void write_arg(struct json_out *out, const struct db_arg *arg)
{
    switch (arg->type) {
    case DB_NULL: json_none(out, NULL); break;
    case DB_INT: json_int(out, NULL, arg->number); break;
    case DB_REAL: json_double(out, NULL, arg->real); break;
    case DB_TEXT: json_text(out, NULL, arg->text); break;
    }
}

static void write_row(struct json_out *out, size_t width, const struct db_arg row[])
{
    json_list(out, NULL);
    for (size_t i = 0; i < width; i++)
        write_arg(out, &row[i]);
    json_list_end(out);
}

const char *db_list(struct arena *arena, size_t width, const struct db_arg rows[], size_t count)
{
    BUF_AUTO list = { 0 };
    struct json_out out;

    json_begin(&out, &list);
    json_list(&out, NULL);
    for (size_t row = 0; row < count; row++)
        write_row(&out, width, &rows[row * width]);
    json_list_end(&out);
    return arena_copy(arena, list.bytes, list.len);
}

/*
 * Rows as one list in one statement, as many as fit; the first always does. Says how many it took: rows may
 * be large, and neither a buffer nor a message to the server has room for any number of them.
 */
static bool exec_some(struct db *db, struct arena *arena, enum sql_id many, size_t width,
                      const struct db_arg rows[], size_t count, size_t *taken, size_t *changed,
                      struct err *err)
{
    BUF_AUTO list = { 0 };
    struct json_out out;
    size_t row = 0;

    json_begin(&out, &list);
    json_list(&out, NULL);
    do
        write_row(&out, width, &rows[row * width]);
    while (++row < count && list.len < LIMIT_ROWS_BYTES);
    json_list_end(&out);
    *taken = row;
    if (list.full)
        return err_set(err, ERR_TOO_LARGE, "A row is larger than the database can be given.");
    return db_exec(db, arena, many, DB_ARGS(db_text(list.bytes)), changed, err);
}

static bool exec_at_once(struct db *db, struct arena *arena, enum sql_id many, size_t width,
                         const struct db_arg rows[], size_t count, size_t *changed, struct err *err)
{
    size_t all = 0;

    for (size_t row = 0, taken = 0; row < count; row += taken) {
        size_t here = 0;

        if (!exec_some(db, arena, many, width, &rows[row * width], count - row, &taken, &here, err))
            return false;
        all += here;
    }
    if (changed)
        *changed = all;
    return true;
}

bool db_exec_rows(struct db *db, struct arena *arena, enum sql_id one, enum sql_id many, size_t width,
                  const struct db_arg rows[], size_t count, size_t *changed, struct err *err)
{
    size_t all = 0;

    if (count > 1 && (db->engine == DB_POSTGRES || sql_texts[many].sqlite))
        return exec_at_once(db, arena, many, width, rows, count, changed, err);
    for (size_t row = 0; row < count; row++) {
        size_t here;

        if (!db_exec(db, arena, one, width, &rows[row * width], &here, err))
            return false;
        all += here;
    }
    if (changed)
        *changed = all;
    return true;
}

bool db_query_text(struct db *db, struct arena *arena, const char *sql, size_t argc,
                   const struct db_arg argv[], struct db_rows *rows, struct err *err)
{
    return db->driver->query_text(db, arena, sql, argc, argv, rows, err);
}

bool db_script(struct db *db, const char *sql, struct err *err)
{
    return db->driver->script(db, sql, err);
}

const char *db_cell(const struct db_rows *rows, size_t row, size_t column)
{
    return rows->cells[row * rows->width + column];
}

int64_t db_cell_int(const struct db_rows *rows, size_t row, size_t column)
{
    const char *cell = db_cell(rows, row, column);

    return cell ? strtoll(cell, NULL, 10) : 0;
}

bool db_cell_bool(const struct db_rows *rows, size_t row, size_t column)
{
    const char *cell = db_cell(rows, row, column);

    return cell && (strcmp(cell, "1") == 0 || strcmp(cell, "t") == 0 || strcmp(cell, "true") == 0);
}

unsigned db_cell_word(const struct db_rows *rows, size_t row, size_t column, const char *const words[],
                      const char **strange)
{
    unsigned value = words_find(words, db_cell(rows, row, column));

    if (value != WORD_UNKNOWN)
        return value;
    *strange = db_cell(rows, row, column);
    return 0;
}

bool db_words_known(const char *strange, struct err *err)
{
    return !strange ||
           err_set(err, ERR_INTERNAL, "The store has a row with an unknown word: %.80s.", strange);
}

/* Hosts may be several, each with a port; that of an IPv6 address follows its bracket. */
static bool hosts_are_tidy(const char *at, const char *end)
{
    while (at < end) {
        at += *at == '[' ? strcspn(at, "]") : 0;
        at += strcspn(at, ":,/?");
        if (*at == ':')
            at += 1 + strspn(at + 1, "0123456789");
        if (at < end && *at != ',')
            return false;
        at++;
    }
    return true;
}

/*
 * A password with a raw '@', '/' or '?' makes libpq take a part of it for the host or the port, and print
 * that in its error. So an address is refused, without a word of it, unless libpq reads it as it looks.
 */
static bool is_tidy(const char *rest)
{
    const char *end = rest + strcspn(rest, "/?");
    const char *at = memchr(rest, '@', (size_t)(end - rest));
    const char *hosts = at ? at + 1 : rest;

    return !strchr(hosts, '@') && hosts_are_tidy(hosts, end);
}

bool db_url_unreadable(struct err *err)
{
    err_set(err, ERR_INVALID, "The address of the PostgreSQL store cannot be read.");
    return err_hint(
        err,
        "It is postgres://USER:PASSWORD@HOST:PORT/DATABASE; in a password write @ as %%40, : as %%3A, / as %%2F, ? as %%3F and %% as %%25.");
}

bool db_url_engine(const char *url, enum db_engine *engine, const char **path, struct err *err)
{
    if (strncmp(url, "postgres://", strlen("postgres://")) == 0 ||
        strncmp(url, "postgresql://", strlen("postgresql://")) == 0) {
        if (!is_tidy(strstr(url, "://") + 3))
            return db_url_unreadable(err);
        *engine = DB_POSTGRES;
        *path = url;
        return true;
    }
    if (strncmp(url, "sqlite:", strlen("sqlite:")) == 0) {
        const char *rest = url + strlen("sqlite:");

        if (strncmp(rest, "//", 2) == 0)
            rest += 2;
        if (rest[0] != '\0') {
            *engine = DB_SQLITE;
            *path = rest;
            return true;
        }
    }
    err_set(err, ERR_INVALID, "A database is named sqlite:PATH or postgres://...");
    return false;
}

struct db *db_open(const char *url, struct err *err)
{
    enum db_engine engine;
    const char *path;

    if (!db_url_engine(url, &engine, &path, err))
        return NULL;
    if (engine == DB_POSTGRES)
        return postgres_open(path, err);
    return sqlite_open(&(struct sqlite_options){ .path = path, .busy_ms = SQLITE_START_MS }, err);
}

void db_close(struct db *db)
{
    if (db)
        db->driver->close(db);
}

bool db_begin(struct db *db, bool write, struct err *err)
{
    return db->driver->begin(db, write, err);
}

bool db_commit(struct db *db, struct err *err)
{
    return db->driver->commit(db, err);
}

void db_rollback(struct db *db)
{
    db->driver->rollback(db);
}
