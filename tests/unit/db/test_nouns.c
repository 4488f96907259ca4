/*
 * The table of a noun is held against the migrated schema of both databases: each column is there, with its
 * type, and may be NULL or not; each column of the table is a member, or left out with a reason; and it came
 * with the migration that the noun names.
 */
#include "db/migrate.h"
#include "tests/support/engines.h"
#include "tests/support/units.h"
#include "tools/nounfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX 65536

enum { NAME, TYPE, REQUIRED }; /* the cells of a column */

static int failures;

static void complain(const struct noun *noun, const char *column, const char *what)
{
    print_error("%s: %s.%s %s\n", noun->file, noun->table, column, what);
    failures++;
}

static void load(struct noun *noun, const char *path)
{
    static char text[FILE_MAX];
    struct noun_error err;
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    size_t len = fread(text, 1, sizeof(text), file);

    fclose(file);
    assert_true(len < sizeof(text));
    if (!noun_parse(noun, path, text, len, &err))
        fail_msg("%s:%d: %s", err.file, err.line, err.message);
}

/* Runs a check on each noun that has a table. */
static void for_each(struct engine *engine, void (*check)(struct engine *engine, const struct noun *noun))
{
    static const char *const patterns[] = { "src/core/*/*.noun", "src/core/*/*/*.noun" };
    static struct noun noun;
    size_t checked = 0;

    failures = 0;
    for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
        glob_t found = { 0 };

        if (glob(patterns[p], 0, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc; i++) {
                load(&noun, found.gl_pathv[i]);
                if (noun.table) {
                    check(engine, &noun);
                    checked++;
                }
                noun_done(&noun);
            }
        }
        globfree(&found);
    }
    assert_true(checked > 0);
    assert_int_equal(failures, 0);
}

static void query(struct engine *engine, struct db *db, const char *sql, struct db_rows *rows)
{
    if (!db_query_text(db, &engine->arena, sql, 0, NULL, rows, &engine->err))
        fail_msg("%s", engine->err.text);
}

/* Name, type, and whether it is never NULL. */
static void columns_of(struct engine *engine, const char *table, struct db_rows *rows)
{
    const char *sqlite = "SELECT name, lower(type), \"notnull\" OR pk > 0 FROM pragma_table_xinfo('%s')";
    const char *postgres = "SELECT attname::text, format_type(atttypid, NULL), attnotnull FROM pg_attribute"
                           " WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped";

    query(engine, engine->db,
          arena_format(&engine->arena, engine->db->engine == DB_SQLITE ? sqlite : postgres, table), rows);
}

static bool is_one_of(const char *word, const char *const words[])
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static bool type_fits(enum db_engine engine, enum noun_kind kind, const char *type)
{
    static const char *const texts[] = { "text", NULL }, *const numbers[] = { "integer", NULL },
                             *const counts[] = { "integer", "bigint", "smallint", NULL },
                             *const ms[] = { "bigint", NULL }, *const bools[] = { "boolean", NULL },
                             *const times[] = { "timestamp with time zone", NULL },
                             *const values[] = { "jsonb", NULL }, *const ids[] = { "text", "uuid", NULL };
    bool is_sqlite = engine == DB_SQLITE;

    switch (kind) {
    case NOUN_INT: return is_one_of(type, is_sqlite ? numbers : counts);
    case NOUN_MS: return is_one_of(type, is_sqlite ? numbers : ms);
    case NOUN_BOOL: return is_one_of(type, is_sqlite ? numbers : bools);
    case NOUN_TIME: return is_one_of(type, is_sqlite ? texts : times);
    case NOUN_JSONB: return is_one_of(type, is_sqlite ? texts : values);
    case NOUN_UUID: return is_one_of(type, ids);
    default: return is_one_of(type, texts);
    }
}

static const struct noun_member *member_of(const struct noun *noun, const char *column)
{
    for (size_t i = 0; i < noun->member_count; i++) {
        const struct noun_member *member = &noun->members[i];

        if (member->column && !(member->traits & NOUN_ALONE) && strcmp(member->column, column) == 0)
            return member;
    }
    return NULL;
}

/* Whether this database is said to have the column. */
static bool is_here(const struct engine *engine, const struct noun_left *left)
{
    return !left->engine || (strcmp(left->engine, "sqlite") == 0) == (engine->db->engine == DB_SQLITE);
}

static bool is_left_out(const struct engine *engine, const struct noun *noun, const char *column)
{
    for (size_t i = 0; i < noun->left_count; i++)
        if (is_here(engine, &noun->left[i]) && strcmp(noun->left[i].column, column) == 0)
            return true;
    return false;
}

static bool has_column(const struct db_rows *rows, const char *column)
{
    for (size_t row = 0; row < rows->count; row++)
        if (strcmp(db_cell(rows, row, NAME), column) == 0)
            return true;
    return false;
}

static void compare_column(const struct engine *engine, const struct noun *noun, const struct db_rows *rows,
                           size_t row)
{
    const char *column = db_cell(rows, row, NAME), *type = db_cell(rows, row, TYPE);
    const struct noun_member *member = member_of(noun, column);
    bool null = !db_cell_bool(rows, row, REQUIRED);

    if (!member && !is_left_out(engine, noun, column))
        complain(noun, column, "is neither a member nor left out");
    if (!member)
        return;
    if (is_left_out(engine, noun, column))
        complain(noun, column, "is a member and left out");
    if (!member->since)
        complain(noun, column, "does not say since when");
    if (!type_fits(engine->db->engine, member->kind, type))
        complain(noun, column, arena_format((struct arena *)&engine->arena, "has the type %s", type));
    if (null != (member->null && !member->absent))
        complain(noun, column, null ? "may be NULL" : "is never NULL");
}

static void compare(struct engine *engine, const struct noun *noun)
{
    struct db_rows rows;

    columns_of(engine, noun->table, &rows);
    if (rows.count == 0)
        complain(noun, "*", "is not there");
    for (size_t row = 0; row < rows.count; row++)
        compare_column(engine, noun, &rows, row);
    for (size_t i = 0; i < noun->member_count; i++)
        if (noun->members[i].since && !has_column(&rows, noun->members[i].column))
            complain(noun, noun->members[i].column, "is not there");
    for (size_t i = 0; i < noun->left_count; i++)
        if (is_here(engine, &noun->left[i]) != has_column(&rows, noun->left[i].column))
            complain(noun, noun->left[i].column,
                     "is left out, but not there, or there on the other database, too");
}

static void every_noun_has_the_columns_of_its_table(void **state)
{
    struct engine *engine = *state;

    if (!engine->db)
        skip();
    for_each(engine, compare);
}

/* By the migration: which columns there were. */
static struct db_rows history[128];

static bool was_there(int number, const char *table, const char *column)
{
    const struct db_rows *rows = &history[number];

    for (size_t row = 0; row < rows->count; row++)
        if (strcmp(db_cell(rows, row, 0), table) == 0 && strcmp(db_cell(rows, row, 1), column) == 0)
            return true;
    return false;
}

static void compare_since(struct engine *engine, const struct noun *noun)
{
    for (size_t i = 0; i < noun->member_count; i++) {
        const struct noun_member *member = &noun->members[i];
        int first = 1;

        if (!member->since)
            continue;
        while (first <= migrate_newest() && !was_there(first, noun->table, member->column))
            first++;
        if (first != member->since)
            complain(
                noun, member->column,
                arena_format(&engine->arena, "came with migration %03d, not %03d", first, member->since));
    }
}

static void every_column_came_when_the_noun_says(void **state)
{
    struct engine engine = { 0 };
    struct migrate_report report;

    (void)state;
    units_folder(engine.folder, false);
    snprintf(engine.url, sizeof(engine.url), "sqlite:%s/db", engine.folder);
    engine.db = units_open(engine.url);
    assert_true(migrate_newest() < (int)(sizeof(history) / sizeof(history[0])));
    for (int number = 1; number <= migrate_newest(); number++) {
        if (!migrate_up_to(engine.db, &engine.arena, number, &report, &engine.err))
            fail_msg("%s", engine.err.text);
        query(
            &engine, engine.db,
            "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_xinfo(t.name) c WHERE t.type = 'table'",
            &history[number]);
    }
    for_each(&engine, compare_since);
    db_close(engine.db);
    arena_done(&engine.arena);
    units_remove(engine.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(every_noun_has_the_columns_of_its_table),
        cmocka_unit_test(every_column_came_when_the_noun_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
