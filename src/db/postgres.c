/*
 * Every call of libpq goes through pgwait, so no statement outlives the limit; a connection that was late
 * once is never used again, since its answer may still come and would be taken for that of the next
 * statement. What an SQLSTATE means for the caller stands in one table (code_of); whether to run again, and
 * whether the server refuses writes, is noted on the connection for the pool to ask.
 */
#include "db/postgres.h"

#include "base/limits.h"
#include "base/memory.h"
#include "db/pgwait.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX  32
#define PROBE_LOOKS 8

struct postgres_db {
    struct db base;
    PGconn *conn;
    bool open_transaction, writing;
    bool must_retry;   /* see postgres_must_retry */
    bool stale;        /* the schema changed under the prepared statements */
    bool cannot_write; /* the server said so: read-only, no room, a failing disk */
    bool prepared[SQL_COUNT + 1];
    int params[SQL_COUNT + 1]; /* parameters of the prepared text; a twin may use fewer */
};

static struct postgres_db *postgres_of(const struct db *db)
{
    return (struct postgres_db *)db;
}

static void result_clear(PGresult **result)
{
    PQclear(*result);
}
#define RESULT_AUTO __attribute__((cleanup(result_clear))) PGresult

static bool postgres_alive(struct db *base)
{
    return !base->late && PQstatus(postgres_of(base)->conn) == CONNECTION_OK;
}

/* The answer to what was sent, or NULL: it could not be sent, or the answer was too long in coming. */
static PGresult *answer(struct postgres_db *db, int sent)
{
    return sent ? pgwait_result(db->conn, db->base.limit_ms, &db->base.late) : NULL;
}

static PGresult *execute(struct postgres_db *db, const char *sql)
{
    return answer(db, PQsendQuery(db->conn, sql));
}

static enum err_code code_of(const char *state)
{
    static const struct {
        const char *prefix;
        enum err_code code;
    } codes[] = {
        { "23505", ERR_CONFLICT },    /* unique */
        { "23503", ERR_CONFLICT },    /* foreign key */
        { "23P01", ERR_CONFLICT },    /* exclusion */
        { "23", ERR_INVALID },        /* check, not null */
        { "22", ERR_INVALID },        /* a value that no column can hold: a year 0, bytes that are no text */
        { "P0001", ERR_INVALID },     /* raised by a trigger */
        { "40001", ERR_RETRY },       /* serialisation failure */
        { "40P01", ERR_RETRY },       /* deadlock */
        { "08", ERR_UNAVAILABLE },    /* connection */
        { "25006", ERR_UNAVAILABLE }, /* read-only: a standby, or a server that is being moved */
        { "53", ERR_UNAVAILABLE },    /* disk full, out of memory, too many connections */
        { "55P03", ERR_UNAVAILABLE }, /* lock_timeout */
        { "57", ERR_UNAVAILABLE },    /* shutting down, statement_timeout, cancelled */
        { "58", ERR_UNAVAILABLE },    /* I/O error of the server */
    };

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (strncmp(state, codes[i].prefix, strlen(codes[i].prefix)) == 0)
            return codes[i].code;
    }
    return ERR_INTERNAL;
}

/* Others of its class pass by themselves: a lock that took long, a statement that did. */
static bool is_about_writing(const char *state)
{
    return strcmp(state, "25006") == 0 || strcmp(state, "53100") == 0 || strncmp(state, "58", 2) == 0;
}

static bool fail(struct postgres_db *db, const PGresult *result, struct err *err)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *where = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);

    if (db->base.late) {
        err_set(err, ERR_UNAVAILABLE, "The database did not answer within %lld ms; try again shortly.",
                (long long)db->base.limit_ms);
        err->retry_after_s = 1;
        return false;
    }
    if (!postgres_alive(&db->base) || !state) {
        err_set(err, ERR_UNAVAILABLE, "The connection to the database was lost.");
        err->retry_after_s = 1;
        return false;
    }
    enum err_code code = code_of(state);

    /* Writing in a transaction that we opened for reading is our mistake, not the server's state. */
    if (strcmp(state, "25006") == 0 && db->open_transaction && !db->writing)
        code = ERR_INTERNAL;
    /* Another node migrated while this one kept plans of the old tables. */
    if (strcmp(state, "0A000") == 0 && where && strcmp(where, "RevalidateCachedQuery") == 0) {
        db->stale = true;
        code = ERR_RETRY;
    }
    if (code == ERR_UNAVAILABLE && is_about_writing(state))
        db->cannot_write = true;
    if (code == ERR_RETRY)
        db->must_retry = true;
    err_set(err, code, "%s", text ? text : "The database gave no reason.");
    err->raw = true;
    return false;
}

static bool is_ok(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

bool postgres_cannot_write(const struct db *base)
{
    return postgres_of(base)->cannot_write;
}

bool postgres_must_retry(const struct db *base)
{
    return postgres_of(base)->must_retry;
}

/* What the server said at the end comes before the end itself, so one look is not enough. */
bool postgres_probe(struct db *base)
{
    struct postgres_db *db = postgres_of(base);
    struct pollfd ready = { .fd = PQsocket(db->conn), .events = POLLIN };

    for (int i = 0; i < PROBE_LOOKS && ready.fd >= 0 && poll(&ready, 1, 0) > 0; i++)
        if (!PQconsumeInput(db->conn))
            break;
    return postgres_alive(base);
}

/* Statements */

/* Numbers travel as text; the server infers each parameter's type from where it stands. */
static const char **values_of(struct arena *arena, size_t argc, const struct db_arg argv[])
{
    const char **values = arena_array(arena, const char *, argc + 1);

    for (size_t i = 0; i < argc; i++) {
        char *digits;

        switch (argv[i].type) {
        case DB_NULL: break;
        case DB_TEXT: values[i] = argv[i].text; break;
        case DB_INT:
            values[i] = digits = arena_alloc(arena, NUMBER_MAX, 1);
            snprintf(digits, NUMBER_MAX, "%" PRId64, argv[i].number);
            break;
        case DB_REAL:
            values[i] = digits = arena_alloc(arena, NUMBER_MAX, 1);
            snprintf(digits, NUMBER_MAX, "%.17g", argv[i].real);
            break;
        }
    }
    return values;
}

/* What the cells of a row take in the arena. */
static size_t row_bytes(const PGresult *result, int row)
{
    int width = PQnfields(result);
    size_t total = 0;

    for (int column = 0; column < width; column++)
        total += (size_t)PQgetlength(result, row, column) + 1;
    return total;
}

static void collect(const PGresult *result, struct arena *arena, struct db_rows *out)
{
    struct db_rows rows = { .count = (size_t)PQntuples(result), .width = (size_t)PQnfields(result) };
    size_t cells = rows.count * rows.width, total = 0;

    for (size_t i = 0; i < rows.count; i++)
        total += row_bytes(result, (int)i);
    if (cells > 0)
        rows.cells = arena_array(arena, const char *, cells);
    char *to = cells > 0 ? arena_alloc(arena, total, 1) : NULL;

    for (size_t i = 0; i < cells; i++) {
        int row = (int)(i / rows.width), column = (int)(i % rows.width);
        size_t len = (size_t)PQgetlength(result, row, column);

        if (PQgetisnull(result, row, column))
            continue;
        memcpy(to, PQgetvalue(result, row, column), len);
        rows.cells[i] = to;
        to += len + 1;
    }
    /* For a SELECT this is the number of rows it returned, which nobody asks for. */
    if (strncmp(PQcmdStatus((PGresult *)(uintptr_t)result), "SELECT", 6) != 0)
        rows.changed = (size_t)strtoull(PQcmdTuples((PGresult *)(uintptr_t)result), NULL, 10);
    *out = rows;
}

/*
 * Rows one by one, so that those beyond the limit are never held; they still have to be let pass. A row is
 * copied out of its result, which takes kilobytes however small it is, and not into the arena: that might end
 * the call between two rows.
 */
struct some_row {
    struct some_row *next;
    char bytes[]; /* of each cell one that says whether it is there, then its text */
};

struct some_rows {
    struct db *db;
    const struct arena *arena;
    struct err *err;
    struct some_row *first, **last;
    size_t count, width, bytes;
    bool full, no_memory;
};

static void some_rows_clear(struct some_rows *rows)
{
    for (struct some_row *row = rows->first, *next; row; row = next) {
        next = row->next;
        free(row);
    }
}

static struct some_row *some_row_new(const PGresult *result, size_t bytes)
{
    int width = PQnfields(result);
    struct some_row *row = malloc(sizeof(*row) + (size_t)width + bytes);
    char *to = row ? row->bytes : NULL;

    for (int column = 0; row && column < width; column++) {
        size_t size = (size_t)PQgetlength(result, 0, column) + 1;

        *to++ = PQgetisnull(result, 0, column) ? 0 : 1;
        memcpy(to, PQgetvalue(result, 0, column), size);
        to += size;
    }
    if (row)
        row->next = NULL;
    return row;
}

static void take_row(PGresult *result, void *user)
{
    struct some_rows *rows = user;
    size_t bytes = row_bytes(result, 0);

    rows->full = rows->full || !db_takes_row(rows->db, rows->arena, rows->count, rows->bytes, rows->err);
    if (!rows->full && !rows->no_memory) {
        struct some_row *row = some_row_new(result, bytes);

        rows->no_memory = !row;
        if (row) {
            *rows->last = row;
            rows->last = &row->next;
            rows->width = (size_t)PQnfields(result);
            rows->bytes += bytes;
            rows->count++;
        }
    }
    PQclear(result);
}

static void collect_some(const struct some_rows *some, struct arena *arena, struct db_rows *out)
{
    struct db_rows rows = { .count = some->count, .width = some->width };
    const char **cell = rows.cells = arena_array(arena, const char *, rows.count *rows.width);
    char *to = arena_alloc(arena, some->bytes, 1);

    for (const struct some_row *row = some->first; row; row = row->next) {
        const char *from = row->bytes;

        for (size_t column = 0; column < rows.width; column++) {
            bool there = *from++;
            size_t size = strlen(from) + 1;

            memcpy(to, from, size);
            *cell++ = there ? to : NULL;
            to += size;
            from += size;
        }
    }
    *out = rows;
}

/* Of a statement that was just sent and only reads, into an arena that may become full. */
static bool finish_some(struct postgres_db *db, int sent, struct arena *arena, struct db_rows *rows,
                        struct err *err)
{
    __attribute__((
        cleanup(some_rows_clear))) struct some_rows some = { .db = &db->base, .arena = arena, .err = err };

    some.last = &some.first;
    if (sent)
        (void)PQsetSingleRowMode(db->conn);
    RESULT_AUTO *result =
        sent ? pgwait_rows(db->conn, db->base.limit_ms, &db->base.late, take_row, &some) : NULL;

    if (!is_ok(result))
        return fail(db, result, err);
    if (some.full)
        return false;
    if (some.no_memory)
        memory_gone(some.bytes);
    if (some.count > 0)
        collect_some(&some, arena, rows);
    else
        collect(result, arena, rows);
    return true;
}

static bool finish(struct postgres_db *db, int sent, struct arena *arena, struct db_rows *rows,
                   struct err *err)
{
    if (arena->most > 0)
        return finish_some(db, sent, arena, rows, err);
    RESULT_AUTO *result = answer(db, sent);

    if (!is_ok(result))
        return fail(db, result, err);
    collect(result, arena, rows);
    return true;
}

static bool prepare(struct postgres_db *db, enum sql_id sql, struct err *err)
{
    const struct sql_text *text = &sql_texts[sql];

    if (!text->postgres)
        return err_set(err, ERR_INTERNAL, "%s is not for PostgreSQL.", text->name);

    RESULT_AUTO *result = answer(db, PQsendPrepare(db->conn, text->name, text->postgres, 0, NULL));

    if (!is_ok(result))
        return fail(db, result, err);
    db->params[sql] = text->params;
    if (text->params > 0 && (!text->sqlite || strcmp(text->sqlite, text->postgres) != 0)) {
        RESULT_AUTO *described = answer(db, PQsendDescribePrepared(db->conn, text->name));

        if (!is_ok(described))
            return fail(db, described, err);
        db->params[sql] = PQnparams(described);
    }
    db->prepared[sql] = true;
    return true;
}

static bool postgres_query(struct db *base, struct arena *arena, enum sql_id sql, size_t argc,
                           const struct db_arg argv[], struct db_rows *rows, struct err *err)
{
    struct postgres_db *db = postgres_of(base);

    if (argc != (size_t)sql_texts[sql].params)
        return err_set(err, ERR_INTERNAL, "%s takes %d parameters, not %zu.", sql_texts[sql].name,
                       sql_texts[sql].params, argc);
    if (!db->prepared[sql] && !prepare(db, sql, err))
        return false;
    const char **values = values_of(arena, argc, argv);

    return finish(db,
                  PQsendQueryPrepared(db->conn, sql_texts[sql].name, db->params[sql], values, NULL, NULL, 0),
                  arena, rows, err);
}

static bool postgres_query_text(struct db *base, struct arena *arena, const char *sql, size_t argc,
                                const struct db_arg argv[], struct db_rows *rows, struct err *err)
{
    struct postgres_db *db = postgres_of(base);
    const char **values = values_of(arena, argc, argv);

    return finish(db, PQsendQueryParams(db->conn, sql, (int)argc, NULL, values, NULL, NULL, 0), arena, rows,
                  err);
}

static bool postgres_script(struct db *base, const char *sql, struct err *err)
{
    struct postgres_db *db = postgres_of(base);
    RESULT_AUTO *result = execute(db, sql);

    return is_ok(result) || fail(db, result, err);
}

/* Transactions */

/* A reading unit sees one moment, as it does on SQLite; a writing one sees what others just committed. */
static bool postgres_begin(struct db *base, bool write, struct err *err)
{
    struct postgres_db *db = postgres_of(base);

    db->must_retry = false;
    if (!postgres_script(base,
                         write ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
                               : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                         err)) {
        /* A standby does not even begin such a one, and calls that a feature it lacks. */
        if (write && err->code == ERR_INTERNAL) {
            err->code = ERR_UNAVAILABLE;
            db->cannot_write = true;
        }
        return false;
    }
    db->open_transaction = true;
    db->writing = write;
    return true;
}

static void forget_prepared(struct postgres_db *db)
{
    RESULT_AUTO *result = execute(db, "DEALLOCATE ALL");

    if (!is_ok(result))
        return;
    memset(db->prepared, 0, sizeof(db->prepared));
    db->stale = false;
}

static void postgres_rollback(struct db *base)
{
    struct postgres_db *db = postgres_of(base);

    if (!base->late && PQtransactionStatus(db->conn) != PQTRANS_IDLE) {
        RESULT_AUTO *result = execute(db, "ROLLBACK");

        (void)result;
    }
    if (db->stale && postgres_alive(base))
        forget_prepared(db);
    db->open_transaction = false;
}

/*
 * A connection that dies during COMMIT does not say whether the server had got it. A COMMIT after a
 * failed statement does not fail: it answers ROLLBACK, and must not be taken for success.
 */
static bool postgres_commit(struct db *base, struct err *err)
{
    struct postgres_db *db = postgres_of(base);

    /* A session that the server has ended already is told apart from one that is lost on the way. */
    if (!postgres_probe(base)) {
        db->open_transaction = false;
        return err_set(err, ERR_UNAVAILABLE, "The connection to the database was lost.");
    }
    RESULT_AUTO *result = execute(db, "COMMIT");

    if (!is_ok(result)) {
        fail(db, result, err);
        if (db->writing && !postgres_alive(base))
            err_set(err, ERR_OUTCOME_UNKNOWN,
                    base->late
                        ? "The database did not answer to the commit in time; it may have happened."
                        : "The connection to the database was lost during the commit; it may have happened.");
        postgres_rollback(base);
        return false;
    }
    db->open_transaction = false;
    if (strcmp(PQcmdStatus(result), "COMMIT") == 0)
        return true;
    return err_set(err, ERR_INTERNAL, "A statement had failed, so the transaction was undone.");
}

/* Opening and closing */

static void postgres_close(struct db *base)
{
    struct postgres_db *db = postgres_of(base);

    if (!db)
        return;
    PQfinish(db->conn);
    free(db);
}

static const struct db_driver postgres_driver = {
    .name = "postgres",
    .query = postgres_query,
    .query_text = postgres_query_text,
    .script = postgres_script,
    .begin = postgres_begin,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .alive = postgres_alive,
    .close = postgres_close,
};

static void ignore_notice(void *user, const char *message)
{
    (void)user;
    (void)message;
}

/* What the url says about these wins: it is read after them. */
PGconn *postgres_connect(const char *url, const char *application)
{
    static const char *const names[] = { "connect_timeout",  "keepalives_idle",  "keepalives_interval",
                                         "keepalives_count", "tcp_user_timeout", "application_name",
                                         "dbname",           "client_encoding",  NULL };
    const char *const values[] = { "5", "10", "3", "3", "8000", application, url, "UTF8", NULL };

    return PQconnectdbParams(names, values, 1);
}

/*
 * witan.node tells our own sessions from those of other programs: triggers announce only what the
 * latter write. The time-outs end what would otherwise hold a pooled connection for ever.
 */
static bool set_up(struct postgres_db *db, struct err *err)
{
    char idle[80];

    snprintf(idle, sizeof(idle), "SET idle_in_transaction_session_timeout = %d", TRANSACTION_IDLE_MS);
    return postgres_script(&db->base,
                           "SET client_min_messages = warning;"
                           "SET witan.node = 'on';"
                           "SET timezone = 'UTC';"
                           "SET statement_timeout = '10s';"
                           "SET lock_timeout = '5s';",
                           err) &&
           postgres_script(&db->base, idle, err);
}

bool postgres_limit(struct db *base, int64_t limit_ms, struct err *err)
{
    char script[96];

    base->limit_ms = limit_ms;
    snprintf(script, sizeof(script), "SET statement_timeout = %lld; SET lock_timeout = %lld",
             (long long)(limit_ms - limit_ms / 10), (long long)(limit_ms / 2));
    return postgres_script(base, script, err);
}

/* libpq's messages end with a line break and may have several lines; the first says it. */
static void say_unreachable(const PGconn *conn, struct err *err)
{
    const char *text = PQerrorMessage(conn);

    err_set(err, ERR_UNAVAILABLE, "Cannot reach the database: %.*s", (int)strcspn(text, "\n"), text);
    err->retry_after_s = 1;
}

static bool is_readable(const char *url)
{
    PQconninfoOption *options = PQconninfoParse(url, NULL);

    PQconninfoFree(options);
    return options != NULL;
}

struct db *postgres_open(const char *url, struct err *err)
{
    if (!is_readable(url)) {
        db_url_unreadable(err);
        return NULL;
    }
    struct postgres_db *db = calloc(1, sizeof(*db));

    if (!db) {
        err_no_memory(err);
        return NULL;
    }
    db->base = (struct db){ .driver = &postgres_driver, .engine = DB_POSTGRES };
    db->conn = postgres_connect(url, "witan");
    if (PQstatus(db->conn) != CONNECTION_OK)
        say_unreachable(db->conn, err);
    else if (PQserverVersion(db->conn) < 130000)
        err_set(err, ERR_UNAVAILABLE, "This PostgreSQL is too old: witan needs version 13 or newer.");
    else {
        PQsetNoticeProcessor(db->conn, ignore_notice, NULL);
        if (PQsetnonblocking(db->conn, 1) == 0 && set_up(db, err))
            return &db->base;
    }
    postgres_close(&db->base);
    return NULL;
}
