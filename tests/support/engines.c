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

/* Connects to a store that is up to date, and begins. */
static int start(struct engine *engine)
{
    engine->db = units_open(engine->url);
    need(engine, db_begin(engine->db, true, &engine->err));
    return 0;
}

static void migrate(struct engine *engine, const char *url)
{
    struct migrate_report report;
    struct db *db = units_open(url);

    need(engine, migrate_up(db, &engine->arena, &report, &engine->err));
    db_close(db);
}

/*
 * To bring an empty store up to date takes longer than most tests, so each engine does it once in a program
 * and every test works on a copy of that.
 */
static char sqlite_folder[64], postgres_template[64];

static void forget_sqlite_template(void)
{
    units_remove(sqlite_folder);
}

static void copy_file(struct engine *engine, const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    char bytes[65536];
    size_t len;

    if (!in || !out)
        abort();
    while ((len = fread(bytes, 1, sizeof(bytes), in)) > 0)
        if (fwrite(bytes, 1, len, out) != len)
            abort();
    need(engine, fclose(in) == 0 && fclose(out) == 0);
}

int engine_start_sqlite(void **state)
{
    struct engine *engine = calloc(1, sizeof(*engine));
    char from[96], to[96], url[112];

    *state = engine;
    if (!sqlite_folder[0]) {
        units_folder(sqlite_folder, false);
        atexit(forget_sqlite_template);
        snprintf(url, sizeof(url), "sqlite:%s/db", sqlite_folder);
        migrate(engine, url);
    }
    units_folder(engine->folder, false);
    snprintf(from, sizeof(from), "%s/db", sqlite_folder);
    snprintf(to, sizeof(to), "%s/db", engine->folder);
    copy_file(engine, from, to);
    snprintf(engine->url, sizeof(engine->url), "sqlite:%s", to);
    return start(engine);
}

/* The address of a database on the server of the tests. */
static void address(const char *database, char url[static 256])
{
    const char *server = getenv("WITAN_TEST_PG");

    snprintf(url, 256, "%.*s/%s?connect_timeout=%d", (int)(strrchr(server, '/') - server), server, database,
             PATIENCE_MS / 1000);
}

static void forget_postgres_template(void)
{
    char script[128];

    snprintf(script, sizeof(script), "DROP DATABASE %s WITH (FORCE)", postgres_template);
    units_script(getenv("WITAN_TEST_PG"), script);
}

static void make_postgres_template(struct engine *engine)
{
    char url[256], name[64], script[128];

    snprintf(name, sizeof(name), "template_%d", (int)getpid());
    snprintf(script, sizeof(script), "CREATE DATABASE %s", name);
    units_script(getenv("WITAN_TEST_PG"), script);
    snprintf(postgres_template, sizeof(postgres_template), "%s", name);
    atexit(forget_postgres_template);
    address(name, url);
    migrate(engine, url);
}

/* The name of a database that no other test of this run has. */
static void name_database(struct engine *engine)
{
    static int count;

    snprintf(engine->database, sizeof(engine->database), "test_%d_%d", (int)getpid(), ++count);
}

int engine_start_postgres(void **state)
{
    struct engine *engine = calloc(1, sizeof(*engine));
    char script[192];

    *state = engine;
    if (!getenv("WITAN_TEST_PG"))
        return 0;
    if (!postgres_template[0])
        make_postgres_template(engine);
    name_database(engine);
    snprintf(script, sizeof(script), "CREATE DATABASE %s TEMPLATE %s", engine->database, postgres_template);
    units_script(getenv("WITAN_TEST_PG"), script);
    address(engine->database, engine->url);
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
        snprintf(script, sizeof(script), "DROP DATABASE %s WITH (FORCE)", engine->database);
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
    return units_open(engine->url);
}

const char *engine_sql(struct engine *engine, const char *sql)
{
    struct db_rows rows;

    need(engine, db_query_text(engine->db, &engine->arena, sql, DB_NO_ARGS, &rows, &engine->err));
    return rows.count > 0 ? db_cell(&rows, 0, 0) : NULL;
}
