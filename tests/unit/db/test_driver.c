/*
 * What db.h promises, on both engines. PostgreSQL's half needs WITAN_TEST_PG (see tests/pg).
 */
#include "db/db.h"

#include "base/clock.h"
#include "db/migrate.h"
#include "db/sqlite.h"
#include "gen/version.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct fixture {
    char folder[64], url[256];
    enum db_engine engine;
    struct db *db;
    struct arena arena;
    struct db_rows rows;
    struct err err;
};

static void check(struct fixture *f, bool ok)
{
    if (!ok)
        fail_msg("%s", f->err.text);
}

static struct fixture *fixture_new(enum db_engine engine)
{
    static struct fixture f;

    f = (struct fixture){ .engine = engine };
    units_folder(f.folder, false);
    if (engine == DB_SQLITE)
        snprintf(f.url, sizeof(f.url), "sqlite:%s/db", f.folder);
    else if (!units_postgres("witan_driver", f.url)) {
        units_remove(f.folder);
        skip();
    }
    f.db = db_open(f.url, &f.err);
    check(&f, f.db != NULL);
    assert_int_equal(f.db->engine, engine);
    return &f;
}

static void fixture_free(struct fixture *f)
{
    db_close(f->db);
    arena_done(&f->arena);
    units_remove(f->folder);
}

static bool query(struct fixture *f, const char *sql, size_t argc, const struct db_arg argv[])
{
    return db_query_text(f->db, &f->arena, sql, argc, argv, &f->rows, &f->err);
}

static void values_keep_their_types(enum db_engine engine)
{
    struct fixture *f = fixture_new(engine);
    const char *text = "Grüße, \"welt\" 'x' \\ \n\t 🦉";
    struct db_arg all[] = { db_int(INT64_MIN), db_int(INT64_MAX), db_text(text),
                            db_null(),         db_text(""),       { .type = DB_REAL, .real = 0.1 },
                            db_bool(true),     db_ms(0) };

    check(f, db_script(
                 f->db,
                 "CREATE TABLE t(a BIGINT, b BIGINT, c TEXT, d TEXT, e TEXT, f DOUBLE PRECISION, g INTEGER,"
                 " h BIGINT)",
                 &f->err));
    /* Out of order on purpose: SQLite numbers parameters by appearance. */
    check(f,
          query(f, "INSERT INTO t(h, g, f, e, d, c, b, a) VALUES($8, $7, $6, $5, $4, $3, $2, $1)", 8, all));
    assert_int_equal(f->rows.changed, 1);
    assert_int_equal(f->rows.count, 0);
    check(f, query(f, "SELECT a, b, c, d, e, f, g, h FROM t", DB_NO_ARGS));
    assert_int_equal(f->rows.count, 1);
    assert_int_equal(f->rows.width, 8);
    assert_true(db_cell_int(&f->rows, 0, 0) == INT64_MIN);
    assert_string_equal(db_cell(&f->rows, 0, 0), "-9223372036854775808");
    assert_true(db_cell_int(&f->rows, 0, 1) == INT64_MAX);
    assert_string_equal(db_cell(&f->rows, 0, 2), text);
    assert_null(db_cell(&f->rows, 0, 3));
    assert_string_equal(db_cell(&f->rows, 0, 4), "");
    assert_string_equal(db_cell(&f->rows, 0, 5), "0.1");
    assert_true(db_cell_bool(&f->rows, 0, 6));
    assert_null(db_cell(&f->rows, 0, 7));
    assert_int_equal(db_cell_int(&f->rows, 0, 7), 0);
    assert_false(db_cell_bool(&f->rows, 0, 7));
    fixture_free(f);
}

static void many_rows_come_whole(enum db_engine engine)
{
    struct fixture *f = fixture_new(engine);

    check(f, db_script(f->db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)", &f->err));
    check(f, query(f,
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
                   " INSERT INTO t SELECT i, 'row ' || i FROM n",
                   DB_NO_ARGS));
    assert_int_equal(f->rows.changed, 1000);
    check(f, query(f, "SELECT a, b, NULL FROM t ORDER BY a", DB_NO_ARGS));
    assert_int_equal(f->rows.count, 1000);
    for (size_t row = 0; row < 1000; row++) {
        char want[32];

        snprintf(want, sizeof(want), "row %zu", row + 1);
        assert_int_equal(db_cell_int(&f->rows, row, 0), row + 1);
        assert_string_equal(db_cell(&f->rows, row, 1), want);
        assert_null(db_cell(&f->rows, row, 2));
    }
    check(f, query(f, "UPDATE t SET b = 'x' WHERE a <= 7", DB_NO_ARGS));
    assert_int_equal(f->rows.changed, 7);
    check(f, query(f, "DELETE FROM t WHERE a > 5000", DB_NO_ARGS));
    assert_int_equal(f->rows.changed, 0);
    check(f, query(f, "UPDATE t SET b = 'y' WHERE a = 9 RETURNING a", DB_NO_ARGS));
    assert_int_equal(f->rows.changed, 1);
    assert_int_equal(db_cell_int(&f->rows, 0, 0), 9);
    fixture_free(f);
}

/* A statement ends where its arena is full, says how many rows it had, and leaves the connection as it was.
 */
static void what_is_read_at_once_is_bounded(enum db_engine engine)
{
    struct fixture *f = fixture_new(engine);
    char large[20001];
    bool good;

    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    check(f, db_script(f->db, "CREATE TABLE large (n INTEGER PRIMARY KEY, empty TEXT, words TEXT)", &f->err));
    for (int i = 0; i < 20; i++)
        check(f, query(f, "INSERT INTO large (n, empty, words) VALUES ($1, $2, $3)",
                       DB_ARGS(db_int(i), i % 2 ? db_text("") : db_null(), db_text(large))));
    check(f, db_begin(f->db, false, &f->err));
    f->db->cut_at = 0;
    for (int round = 0; round < 2; round++) {
        arena_done(&f->arena);
        f->arena.most = 90000;
        good = query(f, "SELECT n, empty, words FROM large ORDER BY n", DB_NO_ARGS);
        assert_false(good);
        assert_int_equal(f->err.code, ERR_TOO_LARGE);
        assert_in_range(f->db->cut_at, 4, 5);
        assert_false(f->db->was_full);
    }
    /* One row is always read; a second is not into what was full before. */
    arena_alloc(&f->arena, 100000, 1);
    check(f, query(f, "SELECT words FROM large WHERE n = 7", DB_NO_ARGS));
    assert_int_equal(f->rows.count, 1);
    assert_string_equal(db_cell(&f->rows, 0, 0), large);
    assert_false(query(f, "SELECT words FROM large WHERE n < 2", DB_NO_ARGS));
    assert_true(f->db->was_full);
    assert_int_equal(f->db->cut_at, 1);
    arena_done(&f->arena);
    check(f, query(f, "SELECT n, empty, words FROM large WHERE n < 3 ORDER BY n", DB_NO_ARGS));
    assert_int_equal(f->rows.count, 3);
    assert_int_equal(db_cell_int(&f->rows, 2, 0), 2);
    assert_null(db_cell(&f->rows, 0, 1));
    assert_string_equal(db_cell(&f->rows, 1, 1), "");
    assert_string_equal(db_cell(&f->rows, 2, 2), large);
    check(f, query(f, "SELECT n FROM large WHERE n > 100", DB_NO_ARGS));
    assert_int_equal(f->rows.count, 0);
    check(f, db_commit(f->db, &f->err));
    fixture_free(f);
}

static void errors_say_what_kind_they_are(enum db_engine engine)
{
    static const struct {
        const char *sql;
        enum err_code code;
    } cases[] = {
        { "INSERT INTO t VALUES(1, 'again', NULL)", ERR_CONFLICT },
        { "INSERT INTO t VALUES(2, 'one', NULL)", ERR_CONFLICT },
        { "INSERT INTO t VALUES(2, 'two', 99)", ERR_CONFLICT },
        { "INSERT INTO t VALUES(2, '', NULL)", ERR_INVALID },
        { "INSERT INTO t VALUES(2, NULL, NULL)", ERR_INVALID },
        { "SELECT nothing FROM nowhere", ERR_INTERNAL },
        { "SELEKT", ERR_INTERNAL },
    };
    struct fixture *f = fixture_new(engine);

    check(f, db_script(f->db,
                       "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL UNIQUE CHECK (b <> ''),"
                       " c INTEGER REFERENCES t(a)); INSERT INTO t VALUES(1, 'one', NULL)",
                       &f->err));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        f->rows.count = 77;
        assert_false(query(f, cases[i].sql, DB_NO_ARGS));
        assert_int_equal(f->err.code, cases[i].code);
        assert_true(f->err.text[0] != '\0');
        assert_int_equal(f->rows.count, 77);
    }
    check(f, query(f, "SELECT count(*) FROM t", DB_NO_ARGS));
    assert_int_equal(db_cell_int(&f->rows, 0, 0), 1);
    fixture_free(f);
}

static void transactions_keep_or_undo(enum db_engine engine)
{
    struct fixture *f = fixture_new(engine);

    check(f, db_script(f->db, "CREATE TABLE t(a INTEGER)", &f->err));
    check(f, db_begin(f->db, true, &f->err));
    check(f, query(f, "INSERT INTO t VALUES(1)", DB_NO_ARGS));
    db_rollback(f->db);
    check(f, db_begin(f->db, true, &f->err));
    check(f, query(f, "INSERT INTO t VALUES(2)", DB_NO_ARGS));
    check(f, db_commit(f->db, &f->err));
    db_rollback(f->db);
    check(f, db_begin(f->db, false, &f->err));
    check(f, query(f, "SELECT sum(a) FROM t", DB_NO_ARGS));
    assert_int_equal(db_cell_int(&f->rows, 0, 0), 2);
    check(f, db_commit(f->db, &f->err));
    fixture_free(f);
}

static void named_statements_are_prepared_once_and_work(enum db_engine engine)
{
    struct fixture *f = fixture_new(engine);
    size_t changed = 0;
    int64_t before = (int64_t)time(NULL) * 1000 - 5000;

    check(f, db_exec(f->db, &f->arena, SQL_SCHEMA_CREATE, DB_NO_ARGS, NULL, &f->err));
    for (int i = 1; i <= 3; i++) {
        check(f, db_exec(f->db, &f->arena, SQL_SCHEMA_RECORD,
                         DB_ARGS(db_int(i), db_text("a name"), db_int(1000 + i)), &changed, &f->err));
        assert_int_equal(changed, 1);
    }
    check(f, query(f, "SELECT applied_at FROM schema_migrations WHERE number = 2", DB_NO_ARGS));
    assert_int_equal(db_cell_int(&f->rows, 0, 0), 1002);
    assert_false(db_exec(f->db, &f->arena, SQL_SCHEMA_RECORD, DB_ARGS(db_int(9)), NULL, &f->err));
    assert_int_equal(f->err.code, ERR_INTERNAL);
    for (int i = 0; i < 3; i++) {
        check(f, db_query(f->db, &f->arena, SQL_DATABASE_NOW, DB_NO_ARGS, &f->rows, &f->err));
        assert_true(db_cell_int(&f->rows, 0, 0) > before);
        assert_true(db_cell_int(&f->rows, 0, 0) < before + 600000);
    }
    fixture_free(f);
}

static void a_changed_table_does_not_break_prepared_statements(enum db_engine engine)
{
    struct fixture *f = fixture_new(engine);
    struct db *other;

    check(f, db_exec(f->db, &f->arena, SQL_SCHEMA_CREATE, DB_NO_ARGS, NULL, &f->err));
    check(f, db_query(f->db, &f->arena, SQL_SCHEMA_CURRENT, DB_NO_ARGS, &f->rows, &f->err));
    other = db_open(f->url, &f->err);
    check(f, other != NULL);
    check(f, db_script(other,
                       "DROP TABLE schema_migrations;"
                       "CREATE TABLE schema_migrations(number BIGINT, name TEXT, applied_at BIGINT)",
                       &f->err));
    db_close(other);
    check(f, db_begin(f->db, true, &f->err));
    if (!db_query(f->db, &f->arena, SQL_SCHEMA_CURRENT, DB_NO_ARGS, &f->rows, &f->err)) {
        assert_int_equal(f->err.code, ERR_RETRY);
        db_rollback(f->db);
        check(f, db_begin(f->db, true, &f->err));
        check(f, db_query(f->db, &f->arena, SQL_SCHEMA_CURRENT, DB_NO_ARGS, &f->rows, &f->err));
    }
    check(f, db_commit(f->db, &f->err));
    assert_int_equal(db_cell_int(&f->rows, 0, 0), 0);
    fixture_free(f);
}

/* Migrations */

static int migrate(struct fixture *f, struct migrate_report *report)
{
    return migrate_up(f->db, &f->arena, report, &f->err);
}

static void migrations_run_once(enum db_engine engine)
{
    struct fixture *f = fixture_new(engine);
    struct migrate_report report;
    int number = -1;

    check(f, migrate_current(f->db, &f->arena, &number, &f->err));
    assert_int_equal(number, 0);
    check(f, migrate(f, &report));
    assert_int_equal(report.from, 0);
    assert_int_equal(report.to, migrate_newest());
    check(f, migrate(f, &report));
    assert_int_equal(report.from, migrate_newest());
    assert_int_equal(report.to, migrate_newest());
    check(f, query(f, "SELECT count(*) FROM schema_migrations", DB_NO_ARGS));
    assert_int_equal(db_cell_int(&f->rows, 0, 0), migration_count);
    fixture_free(f);
}

static void a_newer_schema_is_refused(enum db_engine engine)
{
    struct fixture *f = fixture_new(engine);
    struct migrate_report report = { .from = -1 };
    char want[128];
    int number;

    check(f, migrate(f, &report));
    check(f, query(f, "INSERT INTO schema_migrations VALUES(900, 'from the future', 0)", DB_NO_ARGS));
    report.from = -1;
    assert_false(migrate(f, &report));
    snprintf(want, sizeof(want), "This store has schema 900; this witan (%s) knows up to %d.", WITAN_VERSION,
             migrate_newest());
    assert_string_equal(f->err.text, want);
    assert_int_equal(report.from, -1);
    check(f, migrate_current(f->db, &f->arena, &number, &f->err));
    assert_int_equal(number, 900);
    fixture_free(f);
}

static void *migrate_beside(void *user)
{
    struct fixture *f = user;
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    struct migrate_report report;
    struct db *db = db_open(f->url, &err);
    bool ok = db && migrate_up(db, &arena, &report, &err);

    if (!ok)
        print_message("%s\n", err.text);
    db_close(db);
    return ok ? f : NULL;
}

static void nodes_that_start_at_once_migrate_once(enum db_engine engine)
{
    struct fixture *f = fixture_new(engine);
    pthread_t threads[4];
    void *result;

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, migrate_beside, f);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &result);
        assert_non_null(result);
    }
    check(f, query(f, "SELECT count(*) FROM schema_migrations", DB_NO_ARGS));
    assert_int_equal(db_cell_int(&f->rows, 0, 0), migration_count);
    fixture_free(f);
}

/* One engine only */

static void a_database_is_named_by_its_url(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_null(db_open("mysql://x", &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_null(db_open("sqlite:", &err));
    assert_null(db_open("sqlite:/nowhere/at/all/db", &err));
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    assert_null(db_open("postgres://nobody@127.0.0.1:1/none", &err));
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "Cannot reach the database"));
    db_close(NULL);
}

static void a_new_sqlite_file_is_private_and_durable(void **state)
{
    struct fixture *f = fixture_new(DB_SQLITE);
    struct stat info;

    (void)state;
    assert_int_equal(stat(f->url + strlen("sqlite:"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    check(f, query(f, "PRAGMA journal_mode", DB_NO_ARGS));
    assert_string_equal(db_cell(&f->rows, 0, 0), "wal");
    check(f, query(f, "PRAGMA synchronous", DB_NO_ARGS));
    assert_string_equal(db_cell(&f->rows, 0, 0), "2");
    check(f, query(f, "PRAGMA foreign_keys", DB_NO_ARGS));
    assert_string_equal(db_cell(&f->rows, 0, 0), "1");
    check(f, query(f, "PRAGMA wal_autocheckpoint", DB_NO_ARGS));
    assert_string_equal(db_cell(&f->rows, 0, 0), "0");
    check(f, query(f, "SELECT witan_time('2026-01-31T12:00:00.000Z'), typeof(witan_time(5))", DB_NO_ARGS));
    assert_string_equal(db_cell(&f->rows, 0, 0), "2026-01-31T12:00:00.000Z");
    assert_string_equal(db_cell(&f->rows, 0, 1), "integer");
    fixture_free(f);
}

static void text_and_numbers_are_not_mixed_up_on_sqlite(void **state)
{
    struct fixture *f = fixture_new(DB_SQLITE);

    (void)state;
    check(f, query(f, "SELECT typeof($1), typeof($2)", DB_ARGS(db_text("2"), db_int(2))));
    assert_string_equal(db_cell(&f->rows, 0, 0), "text");
    assert_string_equal(db_cell(&f->rows, 0, 1), "integer");
    fixture_free(f);
}

static void a_postgres_session_is_marked_as_ours(void **state)
{
    struct fixture *f = fixture_new(DB_POSTGRES);

    (void)state;
    check(f, query(f,
                   "SELECT current_setting('witan.node', true), current_setting('timezone'),"
                   " current_setting('statement_timeout'), current_setting('application_name')",
                   DB_NO_ARGS));
    assert_string_equal(db_cell(&f->rows, 0, 0), "on");
    assert_string_equal(db_cell(&f->rows, 0, 1), "UTC");
    assert_string_equal(db_cell(&f->rows, 0, 2), "10s");
    assert_string_equal(db_cell(&f->rows, 0, 3), "witan");
    fixture_free(f);
}

/* A COMMIT after a failed statement answers ROLLBACK; that must not look like success. */
static void an_undone_postgres_transaction_is_not_a_commit(void **state)
{
    struct fixture *f = fixture_new(DB_POSTGRES);

    (void)state;
    check(f, db_begin(f->db, true, &f->err));
    assert_false(query(f, "SELECT 1 / 0", DB_NO_ARGS));
    assert_false(db_commit(f->db, &f->err));
    assert_int_equal(f->err.code, ERR_INTERNAL);
    check(f, query(f, "SELECT 1", DB_NO_ARGS));
    fixture_free(f);
}

#define BOTH(name) \
    static void name##_sqlite(void **state) \
    { \
        (void)state; \
        name(DB_SQLITE); \
    } \
    static void name##_postgres(void **state) \
    { \
        (void)state; \
        name(DB_POSTGRES); \
    }
#define BOTH_TESTS(name) cmocka_unit_test(name##_sqlite), cmocka_unit_test(name##_postgres)

BOTH(values_keep_their_types)
BOTH(many_rows_come_whole)
BOTH(what_is_read_at_once_is_bounded)
BOTH(errors_say_what_kind_they_are)
BOTH(transactions_keep_or_undo)
BOTH(named_statements_are_prepared_once_and_work)
BOTH(a_changed_table_does_not_break_prepared_statements)
BOTH(migrations_run_once)
BOTH(a_newer_schema_is_refused)
BOTH(nodes_that_start_at_once_migrate_once)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH_TESTS(values_keep_their_types),
        BOTH_TESTS(many_rows_come_whole),
        BOTH_TESTS(what_is_read_at_once_is_bounded),
        BOTH_TESTS(errors_say_what_kind_they_are),
        BOTH_TESTS(transactions_keep_or_undo),
        BOTH_TESTS(named_statements_are_prepared_once_and_work),
        BOTH_TESTS(a_changed_table_does_not_break_prepared_statements),
        BOTH_TESTS(migrations_run_once),
        BOTH_TESTS(a_newer_schema_is_refused),
        BOTH_TESTS(nodes_that_start_at_once_migrate_once),
        cmocka_unit_test(a_database_is_named_by_its_url),
        cmocka_unit_test(a_new_sqlite_file_is_private_and_durable),
        cmocka_unit_test(text_and_numbers_are_not_mixed_up_on_sqlite),
        cmocka_unit_test(a_postgres_session_is_marked_as_ours),
        cmocka_unit_test(an_undone_postgres_transaction_is_not_a_commit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
