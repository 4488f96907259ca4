#include "tests/support/engines.h"

#include "db/migrate.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void need(struct engine *engine, bool ok)
{
    if (!ok)
        fail_msg("%s", engine->err.text);
}

static int start(struct engine *engine)
{
    struct migrate_report report;

    engine->db = db_open(engine->url, &engine->err);
    need(engine, engine->db != NULL);
    need(engine, migrate_up(engine->db, &engine->arena, &report, &engine->err));
    need(engine, db_begin(engine->db, true, &engine->err));
    return 0;
}

int engine_start_sqlite(void **state)
{
    struct engine *engine = calloc(1, sizeof(*engine));

    *state = engine;
    units_folder(engine->folder, false);
    snprintf(engine->url, sizeof(engine->url), "sqlite:%s/db", engine->folder);
    return start(engine);
}

/* The name of a database that no other test of this run has. */
static void name_database(struct engine *engine)
{
    static int count;

    snprintf(engine->database, sizeof(engine->database), "test_%d_%d", (int)getpid(), ++count);
}

int engine_start_postgres(void **state)
{
    const char *server = getenv("WITAN_TEST_PG");
    struct engine *engine = calloc(1, sizeof(*engine));
    char script[128];

    *state = engine;
    if (!server)
        return 0;
    name_database(engine);
    snprintf(script, sizeof(script), "CREATE DATABASE %s", engine->database);
    units_script(server, script);
    snprintf(engine->url, sizeof(engine->url), "%.*s/%s", (int)(strrchr(server, '/') - server), server,
             engine->database);
    return start(engine);
}

int engine_end(void **state)
{
    struct engine *engine = *state;
    char script[128];

    if (engine->db)
        db_rollback(engine->db);
    db_close(engine->db);
    arena_done(&engine->arena);
    if (engine->folder[0])
        units_remove(engine->folder);
    if (engine->database[0]) {
        snprintf(script, sizeof(script), "DROP DATABASE %s", engine->database);
        units_script(getenv("WITAN_TEST_PG"), script);
    }
    free(engine);
    return 0;
}

void engine_commit(struct engine *engine)
{
    need(engine, db_commit(engine->db, &engine->err));
    need(engine, db_begin(engine->db, true, &engine->err));
}

void engine_undo(struct engine *engine)
{
    db_rollback(engine->db);
    need(engine, db_begin(engine->db, true, &engine->err));
}

struct db *engine_open_another(struct engine *engine)
{
    struct db *db = db_open(engine->url, &engine->err);

    need(engine, db != NULL);
    return db;
}

const char *engine_sql(struct engine *engine, const char *sql)
{
    struct db_rows rows;

    need(engine, db_query_text(engine->db, &engine->arena, sql, DB_NO_ARGS, &rows, &engine->err));
    return rows.count > 0 ? db_cell(&rows, 0, 0) : NULL;
}
