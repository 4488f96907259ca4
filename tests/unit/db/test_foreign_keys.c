/*
 * The delete of a row looks for those that refer to it. On SQLite the one writer does that, so a foreign key
 * without an index would hold up everybody for a walk through its whole table.
 */
#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const struct {
    const char *table, *column, *why;
} exceptions[] = {
    { "alerts", "workspace_id", "A few rows for each workspace." },
    { "question_links", "workspace_id", "They are deleted when they expire, so there are few." },
    { "tickets", "workspace_id", "They live for a minute, so there are few." },
    /*
     * These go with their project, by its index. A workspace is deleted rarely, and then walks through each
     * of them once; every insert would pay for sparing it that.
     */
    { "decisions", "workspace_id", "Goes with its project." },
    { "documents", "workspace_id", "Goes with its project." },
    { "feedback", "workspace_id", "Goes with its project." },
    { "open_questions", "workspace_id", "Goes with its project." },
};

#define EXCEPTIONS (sizeof(exceptions) / sizeof(exceptions[0]))

static bool is_exception(const char *table, const char *column, bool met[])
{
    for (size_t i = 0; i < EXCEPTIONS; i++)
        if (strcmp(exceptions[i].table, table) == 0 && strcmp(exceptions[i].column, column) == 0)
            return met[i] = true;
    return false;
}

/* An exception for a key that has an index by now, or is gone, is to be taken off the list. */
static int count_stale(const bool met[])
{
    int stale = 0;

    for (size_t i = 0; i < EXCEPTIONS; i++)
        if (!met[i]) {
            print_error("%s.%s needs no exception\n", exceptions[i].table, exceptions[i].column);
            stale++;
        }
    return stale;
}

static struct db_rows query(struct engine *engine, const char *sql)
{
    struct db_rows rows;

    if (!db_query_text(engine->db, &engine->arena, sql, 0, NULL, &rows, &engine->err))
        fail_msg("%s", engine->err.text);
    return rows;
}

/* `keys` has a row for each foreign key without an index that leads with its columns: table, column. */
static void expect_only_exceptions(const struct db_rows *keys)
{
    bool met[EXCEPTIONS] = { false };
    int failed = 0;

    for (size_t i = 0; i < keys->count; i++) {
        const char *table = db_cell(keys, i, 0), *column = db_cell(keys, i, 1);

        if (!is_exception(table, column, met)) {
            print_error("%s.%s has no index\n", table, column);
            failed++;
        }
    }
    assert_int_equal(failed + count_stale(met), 0);
}

/*
 * An index counts when it is whole, or leaves out the rows without a value only: those refer to nothing. No
 * key has more than one column.
 */
static void every_foreign_key_has_an_index_on_sqlite(void **state)
{
    struct engine *engine = *state;
    struct db_rows wide = query(
        engine, "SELECT t.name FROM sqlite_schema t, pragma_foreign_key_list(t.name) k WHERE k.seq > 0");
    struct db_rows keys =
        query(engine,
              "SELECT t.name, k.\"from\" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k"
              " WHERE t.type = 'table'"
              "   AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) i, pragma_index_info(i.name) c"
              "                    WHERE c.seqno = 0 AND c.name = k.\"from\""
              "                      AND (NOT i.partial"
              "                           OR EXISTS (SELECT 1 FROM sqlite_schema s WHERE s.name = i.name"
              "                                 AND s.sql LIKE '% WHERE ' || k.\"from\" || ' IS NOT NULL')))"
              " ORDER BY 1, 2");

    assert_int_equal(wide.count, 0);
    expect_only_exceptions(&keys);
}

static void every_foreign_key_has_an_index_on_postgres(void **state)
{
    struct engine *engine = *state;
    struct db_rows keys = query(
        engine, "SELECT k.conrelid::regclass::text, a.attname::text"
                "  FROM pg_constraint k"
                "  JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]"
                " WHERE k.contype = 'f'"
                "   AND NOT EXISTS (SELECT 1 FROM pg_index i"
                "                    WHERE i.indrelid = k.conrelid AND i.indkey[0] = k.conkey[1]"
                "                      AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid)"
                "                                                = '(' || a.attname || ' IS NOT NULL)'))"
                " ORDER BY 1, 2");

    expect_only_exceptions(&keys);
}

/* What the keys of the two big tables are for: the engine that deletes really uses them. */
static void sqlite_finds_what_refers_to_a_project_by_index(void **state)
{
    static const char *const looks[] = {
        "EXPLAIN QUERY PLAN DELETE FROM notifications WHERE project_id = 'p'",
        "EXPLAIN QUERY PLAN DELETE FROM notifications WHERE user_id = 'u'",
        "EXPLAIN QUERY PLAN UPDATE agent_questions SET project_id = NULL WHERE project_id = 'p'",
    };

    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        struct db_rows plan = query(*state, looks[i]);

        assert_true(plan.count > 0);
        assert_int_equal(strncmp(db_cell(&plan, 0, 3), "SEARCH ", 7), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_foreign_key_has_an_index_on_sqlite, engine_start_sqlite,
                                        engine_end),
        cmocka_unit_test_setup_teardown(every_foreign_key_has_an_index_on_postgres, engine_start_postgres,
                                        engine_end),
        cmocka_unit_test_setup_teardown(sqlite_finds_what_refers_to_a_project_by_index, engine_start_sqlite,
                                        engine_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
