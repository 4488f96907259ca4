/*
 * Every named statement can be prepared on both engines, on the schema that the migrations make: a slip in a
 * statement that no other test runs is found here.
 */
#include "gen/sql.h"
#include "tests/support/engines.h"
#include "tools/sqlblocks.h"

#include <libpq-fe.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* EXPLAIN prepares on a connection of ours, which has functions of ours, and runs nothing. */
static void every_statement_is_understood_by_sqlite(void **state)
{
    struct engine *engine = *state;
    const struct db_arg nothing[SQLBLOCKS_PARAMS_MAX] = { 0 };
    int failed = 0;

    for (size_t i = 0; i < SQL_COUNT; i++) {
        struct db_rows rows;

        if (!sql_texts[i].sqlite)
            continue;
        const char *text = arena_format(&engine->arena, "EXPLAIN %s", sql_texts[i].sqlite);

        if (!db_query_text(engine->db, &engine->arena, text, (size_t)sql_texts[i].params, nothing, &rows,
                           &engine->err)) {
            print_error("%s: %s\n", sql_texts[i].name, engine->err.text);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

static void every_statement_is_understood_by_postgres(void **state)
{
    struct engine *engine = *state;
    PGconn *db = PQconnectdb(engine->url);
    int failed = 0;

    assert_int_equal(PQstatus(db), CONNECTION_OK);
    for (size_t i = 0; i < SQL_COUNT; i++) {
        if (!sql_texts[i].postgres)
            continue;
        PGresult *made = PQprepare(db, sql_texts[i].name, sql_texts[i].postgres, 0, NULL);
        PGresult *described = PQdescribePrepared(db, sql_texts[i].name);

        if (PQresultStatus(made) != PGRES_COMMAND_OK) {
            print_error("%s: %s\n", sql_texts[i].name, PQresultErrorMessage(made));
            failed++;
        } else if (PQnparams(described) != sql_texts[i].params) {
            print_error("%s: takes %d parameters, not %d\n", sql_texts[i].name, PQnparams(described),
                        sql_texts[i].params);
            failed++;
        }
        PQclear(made);
        PQclear(described);
    }
    PQfinish(db);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_statement_is_understood_by_sqlite, engine_start_sqlite,
                                        engine_end),
        cmocka_unit_test_setup_teardown(every_statement_is_understood_by_postgres, engine_start_postgres,
                                        engine_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
