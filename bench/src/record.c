/*
 * record.c - writes down which statements a server runs, with their values (the format is in oplog.h).
 *
 * Built as record.so and put before the server with LD_PRELOAD; BENCH_RECORD names the file. It stands
 * between the server and libsqlite3 and libpq, calls the real function, and never changes a result. Read-only
 * SQLite connections are left out: the loop that replays a record is about writes.
 *
 * Thread: the server's; one lock covers everything here.
 */
#include <dlfcn.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATEMENTS 4096
#define HANDLES    4096
#define ARGS       64

/* A prepared statement: of SQLite by its handle, of PostgreSQL by connection and name. */
struct handle {
    const void *owner;
    char name[64];
    size_t statement;
    int argc;
    struct {
        char kind;
        long long number;
        double real;
        char *text;
        size_t len;
    } args[ARGS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static char *statements[STATEMENTS];
static size_t statement_count;
static struct handle *handles[HANDLES];
static size_t handle_count;
static const void *connections[256];
static _Thread_local int inside; /* both libraries call their own functions: record only the outer call */

#define NESTED(type, call) \
    type result; \
    inside++; \
    result = call; \
    inside--; \
    return result

#define REAL(name) ((__typeof__(&name))real_function(#name))

/* ISO C has no cast from an object pointer to a function's; POSIX says that the bytes are the same. */
static void (*real_function(const char *name))(void)
{
    void *found = dlsym(RTLD_NEXT, name);
    void (*function)(void);

    if (!found)
        abort();
    memcpy(&function, &found, sizeof(function));
    return function;
}

__attribute__((constructor)) static void record_open(void)
{
    const char *path = getenv("BENCH_RECORD");

    file = path ? fopen(path, "w") : NULL;
}

__attribute__((destructor)) static void record_close(void)
{
    if (file)
        fclose(file);
    file = NULL;
}

static size_t connection_number(const void *connection)
{
    size_t i = 0;

    while (i < 255 && connections[i] && connections[i] != connection)
        i++;
    connections[i] = connection;
    return i;
}

static size_t statement_number(const char *text, int type_count, const Oid *types)
{
    for (size_t i = 0; i < statement_count; i++) {
        if (strcmp(statements[i], text) == 0)
            return i;
    }
    if (statement_count == STATEMENTS)
        abort();
    statements[statement_count] = strdup(text);
    fprintf(file, "S %zu %d", strlen(text), types ? type_count : 0);
    for (int i = 0; types && i < type_count; i++)
        fprintf(file, " %u", types[i]);
    fprintf(file, "\n%s\n", text);
    return statement_count++;
}

static struct handle *handle_of(const void *owner, const char *name, bool make)
{
    for (size_t i = 0; i < handle_count; i++) {
        if (handles[i]->owner == owner && strcmp(handles[i]->name, name) == 0)
            return handles[i];
    }
    if (!make || handle_count == HANDLES)
        return NULL;
    handles[handle_count] = calloc(1, sizeof(struct handle));
    handles[handle_count]->owner = owner;
    snprintf(handles[handle_count]->name, sizeof(handles[handle_count]->name), "%s", name);
    return handles[handle_count++];
}

static void write_text(const char *text, size_t len)
{
    fprintf(file, "t %zu\n", len);
    fwrite(text, 1, len, file);
    fputc('\n', file);
}

static void record_plain(const void *connection, const char *text)
{
    size_t number;

    if (!file)
        return;
    pthread_mutex_lock(&lock);
    number = statement_number(text, 0, NULL);
    fprintf(file, "X %zu %zu 0\n", connection_number(connection), number);
    if (strncasecmp(text, "COMMIT", 6) == 0)
        fflush(file);
    pthread_mutex_unlock(&lock);
}

/* SQLite */

static bool skipped(sqlite3 *db)
{
    return !file || inside || sqlite3_db_readonly(db, "main") == 1;
}

static void bound(sqlite3_stmt *stmt, int index, char kind, long long number, double real, const char *text,
                  size_t len)
{
    struct handle *handle;

    if (skipped(sqlite3_db_handle(stmt)) || index < 1 || index > ARGS)
        return;
    pthread_mutex_lock(&lock);
    handle = handle_of(stmt, "", true);
    if (handle) {
        free(handle->args[index - 1].text);
        handle->args[index - 1].kind = kind;
        handle->args[index - 1].number = number;
        handle->args[index - 1].real = real;
        handle->args[index - 1].text = text ? memcpy(calloc(1, len + 1), text, len) : NULL;
        handle->args[index - 1].len = len;
    }
    pthread_mutex_unlock(&lock);
}

int sqlite3_bind_text(sqlite3_stmt *stmt, int index, const char *text, int len, void (*drop)(void *))
{
    bound(stmt, index, text ? 't' : 'n', 0, 0, text, text ? (len < 0 ? strlen(text) : (size_t)len) : 0);
    return REAL(sqlite3_bind_text)(stmt, index, text, len, drop);
}

int sqlite3_bind_text64(sqlite3_stmt *stmt, int index, const char *text, sqlite3_uint64 len,
                        void (*drop)(void *), unsigned char encoding)
{
    bound(stmt, index, text ? 't' : 'n', 0, 0, text, text ? (size_t)len : 0);
    return REAL(sqlite3_bind_text64)(stmt, index, text, len, drop, encoding);
}

int sqlite3_bind_int64(sqlite3_stmt *stmt, int index, sqlite3_int64 value)
{
    bound(stmt, index, 'i', value, 0, NULL, 0);
    return REAL(sqlite3_bind_int64)(stmt, index, value);
}

int sqlite3_bind_int(sqlite3_stmt *stmt, int index, int value)
{
    bound(stmt, index, 'i', value, 0, NULL, 0);
    return REAL(sqlite3_bind_int)(stmt, index, value);
}

int sqlite3_bind_double(sqlite3_stmt *stmt, int index, double value)
{
    bound(stmt, index, 'd', 0, value, NULL, 0);
    return REAL(sqlite3_bind_double)(stmt, index, value);
}

int sqlite3_bind_null(sqlite3_stmt *stmt, int index)
{
    bound(stmt, index, 'n', 0, 0, NULL, 0);
    return REAL(sqlite3_bind_null)(stmt, index);
}

static void write_handle(sqlite3_stmt *stmt)
{
    struct handle *handle = handle_of(stmt, "", true);
    int count = sqlite3_bind_parameter_count(stmt);
    size_t number = statement_number(sqlite3_sql(stmt), 0, NULL);

    if (!handle || count > ARGS)
        abort();
    fprintf(file, "X %zu %zu %d\n", connection_number(sqlite3_db_handle(stmt)), number, count);
    for (int i = 0; i < count; i++) {
        switch (handle->args[i].kind) {
        case 'i': fprintf(file, "i %lld\n", handle->args[i].number); break;
        case 'd': fprintf(file, "d %.17g\n", handle->args[i].real); break;
        case 't': write_text(handle->args[i].text, handle->args[i].len); break;
        default: fputs("n\n", file);
        }
    }
    if (strncasecmp(sqlite3_sql(stmt), "COMMIT", 6) == 0)
        fflush(file);
}

int sqlite3_step(sqlite3_stmt *stmt)
{
    /* Only the first step of an execution: a busy statement is in the middle of its rows. */
    if (!skipped(sqlite3_db_handle(stmt)) && !sqlite3_stmt_busy(stmt)) {
        pthread_mutex_lock(&lock);
        write_handle(stmt);
        pthread_mutex_unlock(&lock);
    }
    NESTED(int, REAL(sqlite3_step)(stmt));
}

int sqlite3_finalize(sqlite3_stmt *stmt)
{
    struct handle *handle;

    if (inside || !file)
        return REAL(sqlite3_finalize)(stmt);
    pthread_mutex_lock(&lock);
    handle = stmt ? handle_of(stmt, "", false) : NULL;
    /* The address may come back as another statement, which must not inherit values. */
    for (int i = 0; handle && i < ARGS; i++)
        handle->args[i].kind = 'n';
    pthread_mutex_unlock(&lock);
    return REAL(sqlite3_finalize)(stmt);
}

int sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *ctx,
                 char **error)
{
    if (!skipped(db))
        record_plain(db, sql);
    NESTED(int, REAL(sqlite3_exec)(db, sql, row, ctx, error));
}

/* PostgreSQL */

static void prepared(const PGconn *conn, const char *name, const char *query, int type_count,
                     const Oid *types)
{
    struct handle *handle;

    if (!file || inside)
        return;
    pthread_mutex_lock(&lock);
    handle = handle_of(conn, name, true);
    if (handle)
        handle->statement = statement_number(query, type_count, types);
    pthread_mutex_unlock(&lock);
}

static void write_values(const PGconn *conn, size_t statement, int count, const char *const *values,
                         const int *formats)
{
    fprintf(file, "X %zu %zu %d\n", connection_number(conn), statement, count);
    for (int i = 0; i < count; i++) {
        if (formats && formats[i] != 0)
            abort(); /* pgbench sends text, so a binary value could not be replayed */
        if (values[i])
            write_text(values[i], strlen(values[i]));
        else
            fputs("n\n", file);
    }
}

static void ran_prepared(const PGconn *conn, const char *name, int count, const char *const *values,
                         const int *formats)
{
    struct handle *handle;

    if (!file || inside)
        return;
    pthread_mutex_lock(&lock);
    handle = handle_of(conn, name, false);
    if (handle)
        write_values(conn, handle->statement, count, values, formats);
    pthread_mutex_unlock(&lock);
}

static void ran_params(const PGconn *conn, const char *query, int count, const Oid *types,
                       const char *const *values, const int *formats)
{
    if (!file || inside)
        return;
    pthread_mutex_lock(&lock);
    write_values(conn, statement_number(query, count, types), count, values, formats);
    pthread_mutex_unlock(&lock);
}

static void ran_plain(const PGconn *conn, const char *query)
{
    if (!inside)
        record_plain(conn, query);
}

PGresult *PQprepare(PGconn *conn, const char *name, const char *query, int count, const Oid *types)
{
    prepared(conn, name, query, count, types);
    NESTED(PGresult *, REAL(PQprepare)(conn, name, query, count, types));
}

int PQsendPrepare(PGconn *conn, const char *name, const char *query, int count, const Oid *types)
{
    prepared(conn, name, query, count, types);
    NESTED(int, REAL(PQsendPrepare)(conn, name, query, count, types));
}

PGresult *PQexecPrepared(PGconn *conn, const char *name, int count, const char *const *values,
                         const int *lengths, const int *formats, int result_format)
{
    ran_prepared(conn, name, count, values, formats);
    NESTED(PGresult *, REAL(PQexecPrepared)(conn, name, count, values, lengths, formats, result_format));
}

int PQsendQueryPrepared(PGconn *conn, const char *name, int count, const char *const *values,
                        const int *lengths, const int *formats, int result_format)
{
    ran_prepared(conn, name, count, values, formats);
    NESTED(int, REAL(PQsendQueryPrepared)(conn, name, count, values, lengths, formats, result_format));
}

PGresult *PQexecParams(PGconn *conn, const char *query, int count, const Oid *types,
                       const char *const *values, const int *lengths, const int *formats, int result_format)
{
    ran_params(conn, query, count, types, values, formats);
    NESTED(PGresult *,
           REAL(PQexecParams)(conn, query, count, types, values, lengths, formats, result_format));
}

int PQsendQueryParams(PGconn *conn, const char *query, int count, const Oid *types, const char *const *values,
                      const int *lengths, const int *formats, int result_format)
{
    ran_params(conn, query, count, types, values, formats);
    NESTED(int, REAL(PQsendQueryParams)(conn, query, count, types, values, lengths, formats, result_format));
}

PGresult *PQexec(PGconn *conn, const char *query)
{
    ran_plain(conn, query);
    NESTED(PGresult *, REAL(PQexec)(conn, query));
}

int PQsendQuery(PGconn *conn, const char *query)
{
    ran_plain(conn, query);
    NESTED(int, REAL(PQsendQuery)(conn, query));
}
