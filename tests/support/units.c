#include "tests/support/units.h"

#include "db/migrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool unit_run(struct db *db, struct work *work)
{
    struct unit *unit = (struct unit *)work;
    struct db_rows rows = { 0 };

    arena_reset(&unit->arena);
    unit->runs++;
    if (unit->body)
        return unit->body(db, unit);
    for (size_t i = 0; i < sizeof(unit->sql) / sizeof(unit->sql[0]) && unit->sql[i]; i++) {
        bool has_id = strstr(unit->sql[i], "$1") != NULL;

        if (!db_query_text(db, &unit->arena, unit->sql[i], has_id ? 1 : 0,
                           (struct db_arg[]){ db_int(unit->id) }, &rows, &work->err))
            return false;
    }
    unit->number = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;
    return true;
}

static void unit_finished(struct work *work)
{
    sem_post(&((struct unit *)work)->finished);
}

void unit_init(struct unit *unit, int64_t id, const char *sql)
{
    *unit = (struct unit){ .work = { .run = unit_run, .done = unit_finished }, .id = id, .sql = { sql } };
    sem_init(&unit->finished, 0, 0);
}

void unit_wait(struct unit *unit)
{
    while (sem_wait(&unit->finished) != 0)
        continue;
}

void unit_done(struct unit *unit)
{
    sem_destroy(&unit->finished);
    arena_done(&unit->arena);
}

struct err unit_write_err(struct store *store, int64_t id, const char *sql)
{
    struct unit unit;

    unit_init(&unit, id, sql);
    store_write_wait(store, &unit.work);
    unit_done(&unit);
    return unit.work.err;
}

enum err_code unit_write(struct store *store, int64_t id, const char *sql)
{
    return unit_write_err(store, id, sql).code;
}

enum err_code unit_query(struct store *store, const char *sql, int64_t *number)
{
    struct unit unit;

    unit_init(&unit, 0, sql);
    store_read_wait(store, &unit.work);
    unit_done(&unit);
    *number = unit.number;
    return unit.work.err.code;
}

static const char *parent_folder(bool in_memory)
{
    if (in_memory && access("/dev/shm", W_OK) == 0)
        return "/dev/shm";
    return getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
}

void units_folder(char folder[static 64], bool in_memory)
{
    snprintf(folder, 64, "%s/witan-test.XXXXXX", parent_folder(in_memory));
    if (!mkdtemp(folder)) {
        perror(folder);
        abort();
    }
}

void units_remove(const char *folder)
{
    static const char *const names[] = { "db", "db-wal", "db-shm", "db-journal" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[96];

        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

struct db *units_open(const char *url)
{
    struct err err = { 0 };
    struct db *db = db_open(url, &err);
    char script[192];

    snprintf(
        script, sizeof(script),
        "SET statement_timeout = %d; SET lock_timeout = %d; SET idle_in_transaction_session_timeout = %d",
        PATIENCE_MS, PATIENCE_MS, PATIENCE_MS);
    if (!db || (db->engine == DB_POSTGRES && !db_script(db, script, &err))) {
        fprintf(stderr, "%s: %s\n", url, err.text);
        abort();
    }
    return db;
}

void units_script(const char *url, const char *script)
{
    struct db *db = units_open(url);
    struct err err = { 0 };

    if (!db_script(db, script, &err)) {
        fprintf(stderr, "%s: %s\n", script, err.text);
        abort();
    }
    db_close(db);
}

void units_migrate(const char *url)
{
    struct db *db = units_open(url);
    ARENA_AUTO arena = { 0 };
    struct migrate_report report;
    struct err err = { 0 };

    if (!migrate_up(db, &arena, &report, &err)) {
        fprintf(stderr, "%s: %s\n", url, err.text);
        abort();
    }
    db_close(db);
}

bool units_postgres(const char *name, char url[static 256])
{
    const char *server = getenv("WITAN_TEST_PG"), *slash = server ? strrchr(server, '/') : NULL;
    char script[128];

    if (!slash) {
        printf("skipped: WITAN_TEST_PG is not set (tests/pg run sets it)\n");
        return false;
    }
    snprintf(script, sizeof(script), "DROP DATABASE IF EXISTS %s WITH (FORCE)", name);
    units_script(server, script);
    snprintf(script, sizeof(script), "CREATE DATABASE %s", name);
    units_script(server, script);
    snprintf(url, 256, "%.*s/%s?connect_timeout=%d", (int)(slash - server), server, name, PATIENCE_MS / 1000);
    return true;
}

int64_t units_number(const char *url, const char *sql)
{
    struct db *db = units_open(url);
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    struct db_rows rows;

    if (!db_query_text(db, &arena, sql, DB_NO_ARGS, &rows, &err)) {
        fprintf(stderr, "%s: %s\n", sql, err.text);
        abort();
    }
    int64_t number = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;

    db_close(db);
    return number;
}
