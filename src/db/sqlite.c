/*
 * Statements are prepared once and kept by their number. The trap is an error after which SQLite has dropped
 * the transaction by itself: the connection is then in autocommit mode, and any further statement would be
 * durable alone. So each statement first compares what we believe (open_transaction) with what SQLite says.
 */
#include "db/sqlite.h"

#include "base/clock.h"
#include "base/limits.h"
#include "db/sqlite_alone.h"
#include "db/sqlite_blocks.h"
#include "db/sqlite_codes.h"
#include "db/sqlite_functions.h"
#include "db/sqlite_rows.h"
#include "db/store_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PROGRESS_STEPS 10000 /* virtual machine steps between two looks at the clock: about a millisecond */
#define NAME_MAX_LEN   24

enum control { BEGIN_READ, BEGIN_WRITE, COMMIT, ROLLBACK, MARK, KEEP, UNDO, CONTROL_COUNT };

static const char *const control_texts[CONTROL_COUNT] = {
    [BEGIN_READ] = "BEGIN",     [BEGIN_WRITE] = "BEGIN IMMEDIATE", [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",    [MARK] = "SAVEPOINT unit",         [KEEP] = "RELEASE unit",
    [UNDO] = "ROLLBACK TO unit"
};

/* A prepared statement, and where SQLite put $1, $2, ...; 0 where the text does not use one. */
struct cached {
    sqlite3_stmt *stmt;
    int *at;
    size_t params;
    bool writes;
};

struct sqlite_db {
    struct db base;
    sqlite3 *handle;
    bool readonly, patient, alone;
    bool open_transaction; /* db_begin succeeded, neither commit nor rollback was called */
    int64_t deadline_us;   /* 0 outside a read transaction */
    int wal_pages, busy_ms;
    bool may_change_audit;    /* its unit of work purges or erases */
    const atomic_bool *hurry; /* or NULL */
    sqlite3_stmt *control[CONTROL_COUNT];
    struct cached cache[SQL_COUNT + 1];
};

static struct sqlite_db *sqlite_of(const struct db *db)
{
    return (struct sqlite_db *)db;
}

static bool must_hurry(const struct sqlite_db *db)
{
    return db->hurry && atomic_load_explicit(db->hurry, memory_order_relaxed);
}

static bool read_was_ended(struct err *err)
{
    err_set(err, ERR_UNAVAILABLE, "The read was ended to make room for writes; try again.");
    err->retry_after_s = 1;
    return false;
}

/* Must be called before the failed statement is reset, which may change the message. */
static bool sqlite_fail(struct sqlite_db *db, struct err *err)
{
    int extended = sqlite3_extended_errcode(db->handle);

    if (extended == SQLITE_INTERRUPT && must_hurry(db))
        return read_was_ended(err);
    if (extended == SQLITE_INTERRUPT)
        return err_set(err, ERR_UNAVAILABLE, "The read took longer than %d ms and was ended.", READ_LIMIT_MS);
    err_set(err, sqlite_code(extended), "%s", sqlite3_errmsg(db->handle));
    /* A reader that writes is our mistake; a file that nobody may write any more is not. */
    if ((extended & 0xff) == SQLITE_READONLY && !db->readonly)
        err->code = ERR_UNAVAILABLE;
    err->raw = true;
    return false;
}

static bool control_run(struct sqlite_db *db, enum control which, struct err *err)
{
    sqlite3_stmt *stmt = db->control[which];
    bool ok = sqlite3_step(stmt) == SQLITE_DONE || sqlite_fail(db, err);

    sqlite3_reset(stmt);
    return ok;
}

bool sqlite_in_transaction(const struct db *base)
{
    const struct sqlite_db *db = sqlite_of(base);

    return db->open_transaction && !sqlite3_get_autocommit(db->handle);
}

bool sqlite_is_idle(const struct db *base)
{
    const struct sqlite_db *db = sqlite_of(base);

    return !db->open_transaction && sqlite3_get_autocommit(db->handle) &&
           sqlite3_txn_state(db->handle, NULL) == SQLITE_TXN_NONE;
}

/*
 * A transaction that SQLite dropped leaves the connection in autocommit mode: the next statement
 * would be durable on its own, although its caller is told that everything was undone.
 */
static bool may_run(struct sqlite_db *db, struct err *err)
{
    if (db->open_transaction && sqlite3_get_autocommit(db->handle))
        return err_set(err, ERR_UNAVAILABLE,
                       "The transaction was lost to an earlier error; nothing was changed.");
    if (db->deadline_us && must_hurry(db))
        return read_was_ended(err);
    if (db->deadline_us && clock_ticks_us() > db->deadline_us)
        return err_set(err, ERR_UNAVAILABLE, "The read took longer than %d ms and was ended.", READ_LIMIT_MS);
    return true;
}

static int progress(void *user)
{
    const struct sqlite_db *db = user;

    return db->deadline_us && (must_hurry(db) || clock_ticks_us() > db->deadline_us);
}

/* Statements */

static void prepared_done(struct cached *cached)
{
    sqlite3_finalize(cached->stmt);
    free(cached->at);
    *cached = (struct cached){ 0 };
}

/*
 * SQLite numbers "$2" by order of appearance, not by its digits. The places are looked up once, when
 * the statement is prepared.
 */
static bool prepare(struct sqlite_db *db, const char *sql, size_t params, unsigned flags, struct cached *out,
                    struct err *err)
{
    struct cached cached = { .params = params };

    if (sqlite3_prepare_v3(db->handle, sql, -1, flags, &cached.stmt, NULL) != SQLITE_OK)
        return sqlite_fail(db, err);
    if (!cached.stmt)
        return err_set(err, ERR_INTERNAL, "The statement is empty.");
    cached.at = calloc(params + 1, sizeof(*cached.at));
    if (!cached.at) {
        sqlite3_finalize(cached.stmt);
        return err_no_memory(err);
    }
    for (size_t i = 0; i < params; i++) {
        char name[NAME_MAX_LEN];

        snprintf(name, sizeof(name), "$%zu", i + 1);
        cached.at[i] = sqlite3_bind_parameter_index(cached.stmt, name);
    }
    cached.writes = !sqlite3_stmt_readonly(cached.stmt);
    *out = cached;
    return true;
}

static void bind(const struct cached *cached, const struct db_arg argv[])
{
    for (size_t i = 0; i < cached->params; i++) {
        int at = cached->at[i];

        if (at == 0)
            continue;
        switch (argv[i].type) {
        case DB_NULL: sqlite3_bind_null(cached->stmt, at); break;
        case DB_INT: sqlite3_bind_int64(cached->stmt, at, argv[i].number); break;
        case DB_REAL: sqlite3_bind_double(cached->stmt, at, argv[i].real); break;
        case DB_TEXT: sqlite3_bind_text(cached->stmt, at, argv[i].text, -1, SQLITE_STATIC); break;
        }
    }
}

/* A cleanup, since there may be no memory for a row: a statement that is left open keeps its transaction. */
static void reset(sqlite3_stmt **stmt)
{
    sqlite3_reset(*stmt);
}

static bool run(struct sqlite_db *db, const struct cached *cached, struct arena *arena,
                const struct db_arg argv[], struct db_rows *out, struct err *err)
{
    struct db_rows rows = { .width = (size_t)sqlite3_column_count(cached->stmt) };
    size_t room = 0;
    int step;

    if (rows.width > SQLITE_COLUMNS_MAX)
        return err_set(err, ERR_INTERNAL, "A statement returns more than %d columns.", SQLITE_COLUMNS_MAX);
    bind(cached, argv);

    __attribute__((cleanup(reset))) sqlite3_stmt *stmt = cached->stmt;

    while ((step = sqlite3_step(stmt)) == SQLITE_ROW) {
        if (!db_takes_row(&db->base, arena, rows.count, 0, err))
            return false;
        sqlite_rows_add(stmt, arena, &rows, &room);
    }
    bool ok = step == SQLITE_DONE || sqlite_fail(db, err);

    if (ok && cached->writes)
        rows.changed = (size_t)sqlite3_changes64(db->handle);
    if (ok)
        *out = rows;
    return ok;
}

static bool sqlite_query(struct db *base, struct arena *arena, enum sql_id sql, size_t argc,
                         const struct db_arg argv[], struct db_rows *rows, struct err *err)
{
    struct sqlite_db *db = sqlite_of(base);
    struct cached *cached = &db->cache[sql];

    if (argc != (size_t)sql_texts[sql].params)
        return err_set(err, ERR_INTERNAL, "%s takes %d parameters, not %zu.", sql_texts[sql].name,
                       sql_texts[sql].params, argc);
    if (!sql_texts[sql].sqlite)
        return err_set(err, ERR_INTERNAL, "%s is not for SQLite.", sql_texts[sql].name);
    if (!may_run(db, err))
        return false;
    if (!cached->stmt && !prepare(db, sql_texts[sql].sqlite, argc, SQLITE_PREPARE_PERSISTENT, cached, err))
        return false;
    return run(db, cached, arena, argv, rows, err);
}

static bool sqlite_query_text(struct db *base, struct arena *arena, const char *sql, size_t argc,
                              const struct db_arg argv[], struct db_rows *rows, struct err *err)
{
    struct sqlite_db *db = sqlite_of(base);
    __attribute__((cleanup(prepared_done))) struct cached cached = { 0 };

    return may_run(db, err) && prepare(db, sql, argc, 0, &cached, err) &&
           run(db, &cached, arena, argv, rows, err);
}

static bool sqlite_script(struct db *base, const char *sql, struct err *err)
{
    struct sqlite_db *db = sqlite_of(base);

    if (!may_run(db, err))
        return false;
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK || sqlite_fail(db, err);
}

/* Transactions */

static bool sqlite_begin(struct db *base, bool write, struct err *err)
{
    struct sqlite_db *db = sqlite_of(base);

    if (!control_run(db, write ? BEGIN_WRITE : BEGIN_READ, err))
        return false;
    db->open_transaction = true;
    db->may_change_audit = false;
    db->deadline_us = db->readonly && !db->patient ? clock_ticks_us() + (int64_t)READ_LIMIT_MS * 1000 : 0;
    return true;
}

static void sqlite_rollback(struct db *base)
{
    struct sqlite_db *db = sqlite_of(base);
    struct err ignored = { 0 };

    if (!sqlite3_get_autocommit(db->handle))
        control_run(db, ROLLBACK, &ignored);
    db->open_transaction = false;
    db->deadline_us = 0;
}

static bool sqlite_commit(struct db *base, struct err *err)
{
    struct sqlite_db *db = sqlite_of(base);

    if (db->open_transaction && sqlite3_get_autocommit(db->handle)) {
        db->open_transaction = false;
        return err_set(err, ERR_UNAVAILABLE,
                       "The transaction was lost to an earlier error; nothing was changed.");
    }
    bool read = sqlite3_txn_state(db->handle, NULL) != SQLITE_TXN_WRITE;

    if (!control_run(db, COMMIT, err)) {
        if (!read && !sqlite_nothing_committed(sqlite3_extended_errcode(db->handle)))
            err->code = ERR_OUTCOME_UNKNOWN;
        sqlite_rollback(base);
        return false;
    }
    db->open_transaction = false;
    db->deadline_us = 0;
    return true;
}

bool sqlite_mark(struct db *base, struct err *err)
{
    return may_run(sqlite_of(base), err) && control_run(sqlite_of(base), MARK, err);
}

bool sqlite_keep(struct db *base, struct err *err)
{
    return may_run(sqlite_of(base), err) && control_run(sqlite_of(base), KEEP, err);
}

bool sqlite_undo(struct db *base, struct err *err)
{
    struct sqlite_db *db = sqlite_of(base);

    return may_run(db, err) && control_run(db, UNDO, err) && control_run(db, KEEP, err);
}

int64_t sqlite_changes(const struct db *base)
{
    return sqlite3_total_changes64(sqlite_of(base)->handle);
}

/* The write-ahead log */

static int count_wal_pages(void *user, sqlite3 *handle, const char *name, int pages)
{
    struct sqlite_db *db = user;

    (void)handle;
    (void)name;
    db->wal_pages = pages;
    return SQLITE_OK;
}

int sqlite_wal_pages(const struct db *base)
{
    return sqlite_of(base)->wal_pages;
}

static bool checkpoint(struct sqlite_db *db, int mode, int *code, struct err *err)
{
    *code = sqlite3_wal_checkpoint_v2(db->handle, NULL, mode, NULL, NULL);
    /* Another program may be checkpointing, and a full disk keeps everything in the WAL: both pass. */
    if (*code == SQLITE_OK || (*code & 0xff) == SQLITE_BUSY || (*code & 0xff) == SQLITE_LOCKED ||
        (*code & 0xff) == SQLITE_FULL)
        return true;
    return sqlite_fail(db, err);
}

bool sqlite_checkpoint(struct db *base, struct err *err)
{
    int code;

    return checkpoint(sqlite_of(base), SQLITE_CHECKPOINT_PASSIVE, &code, err);
}

bool sqlite_restart_wal(struct db *base, int wait_ms, bool *emptied, struct err *err)
{
    struct sqlite_db *db = sqlite_of(base);
    int code;

    sqlite3_busy_timeout(db->handle, wait_ms);
    bool ok = checkpoint(db, SQLITE_CHECKPOINT_RESTART, &code, err);

    sqlite3_busy_timeout(db->handle, db->busy_ms);
    *emptied = ok && code == SQLITE_OK;
    return ok;
}

/* VACUUM INTO leaves out what is free, but cannot read stored columns from a file that was opened to be read.
 */
bool sqlite_copy(struct db *base, const char *path, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct sqlite_db *db = sqlite_of(base);
    struct db_rows rows;
    int code;

    if (sqlite3_db_readonly(db->handle, "main") != 1)
        return db_query_text(base, &arena, "VACUUM INTO $1", DB_ARGS(db_text(path)), &rows, err);
    code = sqlite_alone_copy(db->handle, path);
    return code == SQLITE_OK ||
           err_set(err, sqlite_code(code), "Cannot copy the store to %s: %s.", path, sqlite3_errstr(code));
}

void sqlite_abandon(struct db *base)
{
    sqlite3_db_config(sqlite_of(base)->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

/* Opening and closing */

static bool sqlite_alive(struct db *base)
{
    (void)base;
    return true;
}

static void sqlite_close(struct db *base)
{
    struct sqlite_db *db = sqlite_of(base);

    if (!db)
        return;
    for (size_t i = 0; i < SQL_COUNT; i++)
        prepared_done(&db->cache[i]);
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        sqlite3_finalize(db->control[i]);
    sqlite3_close(db->handle);
    free(db);
}

static const struct db_driver sqlite_driver = {
    .name = "sqlite",
    .query = sqlite_query,
    .query_text = sqlite_query_text,
    .script = sqlite_script,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .alive = sqlite_alive,
    .close = sqlite_close,
};

static void configure_once(void)
{
    /* Counting every allocation takes a global lock. A process that has already used SQLite keeps it. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite_blocks_begin();
}

/*
 * The file holds secrets' hashes and people's words: it is made for its owner alone; WAL and index follow it.
 * One that exists is not touched: closing any descriptor of a file drops all POSIX locks that this process
 * has on it, and with them those of its open connections; another program would then take the WAL away from
 * under them.
 */
static void create_private(const char *path)
{
    int fd = path[0] && path[0] != ':' ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

    if (fd < 0)
        return;
    store_file_give(fd, path);
    close(fd);
}

static bool set_up(struct sqlite_db *db)
{
    /* Pages of 8 KB take a quarter off a batch of writes: half as many to sum, to log and to copy back. */
    static const char *const writer = "PRAGMA page_size=8192;"
                                      "PRAGMA journal_mode=WAL;"
                                      "PRAGMA synchronous=FULL;"
                                      "PRAGMA foreign_keys=ON;"
                                      "PRAGMA secure_delete=FAST;"
                                      "PRAGMA cache_size=-65536;"
                                      "PRAGMA temp_store=MEMORY;"
                                      "PRAGMA journal_size_limit=67108864;"
                                      "PRAGMA wal_autocheckpoint=0;";
    static const char *const reader = "PRAGMA query_only=ON;"
                                      "PRAGMA cache_size=-16384;"
                                      "PRAGMA temp_store=MEMORY;";
    /* VACUUM INTO writes, to another file; this one was opened for reading alone. */
    static const char *const alone = "PRAGMA cache_size=-16384;"
                                     "PRAGMA temp_store=MEMORY;";

    if (sqlite3_exec(db->handle,
                     db->alone      ? alone
                     : db->readonly ? reader
                                    : writer,
                     NULL, NULL, NULL) != SQLITE_OK ||
        !sqlite_functions_add(db->handle, &db->may_change_audit))
        return false;
    for (size_t i = 0; i < CONTROL_COUNT; i++) {
        if (sqlite3_prepare_v3(db->handle, control_texts[i], -1, SQLITE_PREPARE_PERSISTENT, &db->control[i],
                               NULL) != SQLITE_OK)
            return false;
    }
    if (db->readonly)
        sqlite3_progress_handler(db->handle, PROGRESS_STEPS, progress, db);
    else
        sqlite3_wal_hook(db->handle, count_wal_pages, db);
    return true;
}

static bool open_file(struct sqlite_db *db, const struct sqlite_options *options)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                (options->readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);

    if (options->alone)
        return sqlite_alone_open(options->path, &db->handle);
    if (!options->readonly)
        create_private(options->path);
    return sqlite3_open_v2(options->path, &db->handle, flags, options->vfs) == SQLITE_OK;
}

static void cannot_open(struct sqlite_db *db, const char *path, struct err *err)
{
    (void)store_file_unusable(path, sqlite3_extended_errcode(db->handle), sqlite3_errmsg(db->handle), err);
    err->raw = true;
    sqlite_close(&db->base);
}

struct db *sqlite_open(const struct sqlite_options *options, struct err *err)
{
    static pthread_once_t configured = PTHREAD_ONCE_INIT;
    struct sqlite_db *db = calloc(1, sizeof(*db));

    if (!db) {
        err_no_memory(err);
        return NULL;
    }
    pthread_once(&configured, configure_once);
    db->base = (struct db){ .driver = &sqlite_driver, .engine = DB_SQLITE };
    db->readonly = options->readonly || options->alone;
    db->patient = options->patient;
    db->alone = options->alone;
    db->busy_ms = options->busy_ms;
    db->hurry = options->hurry;
    if (!open_file(db, options)) {
        cannot_open(db, options->path, err);
        return NULL;
    }
    sqlite3_busy_timeout(db->handle, options->busy_ms);
    if (!set_up(db)) {
        cannot_open(db, options->path, err);
        return NULL;
    }
    return &db->base;
}
