/*
 * mksql - turns the .sql files into C.
 *
 *   mksql OUT.h OUT.c STATEMENTS.sql... [--migrations NNN_name[.engine].sql...]
 *
 * Statements become sql_texts[], indexed by enum sql_id; migrations become migrations[], in order and
 * byte for byte. A file is only rewritten when its content changes, so that a
 * changed statement does not recompile everything that includes the header.
 */
#include "tools/genfile.h"
#include "tools/sqlblocks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIGRATIONS_MAX 999

struct text {
    char *bytes;
    size_t len;
};

struct migration_source {
    char name[SQLBLOCKS_NAME_MAX + 1];
    struct text sqlite;
    struct text postgres;
};

/* What is gathered lives until the process ends. */
static struct sqlblocks blocks;
static struct migration_source migrations[MIGRATIONS_MAX + 1];
static int last_migration;

static bool add_statements(const char *path)
{
    struct sqlblocks_error err;
    struct text text;
    bool ok;

    if (!gen_read(path, &text.bytes, &text.len))
        return false;
    ok = sqlblocks_parse(&blocks, path, text.bytes, text.len, &err);
    free(text.bytes);
    return ok || gen_complain(err.file, err.line, err.message);
}

/* Cuts an ending off a name; says whether it was there. */
static bool cut_ending(char *name, const char *ending)
{
    size_t len = strlen(name);
    size_t cut = strlen(ending);

    if (len <= cut || strcmp(name + len - cut, ending) != 0)
        return false;
    name[len - cut] = '\0';
    return true;
}

static bool is_migration_name(const char *name)
{
    for (int i = 0; i < 3; i++) {
        if (!isdigit((unsigned char)name[i]))
            return false;
    }
    return name[3] == '_' && name[4] != '\0' &&
           strspn(name + 4, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name + 4);
}

static bool add_migration(const char *path)
{
    const char *slash = strrchr(path, '/');
    char name[SQLBLOCKS_NAME_MAX + 1];
    struct migration_source *migration;
    bool sqlite, postgres;
    struct text text;
    int number;

    if ((size_t)snprintf(name, sizeof name, "%s", slash ? slash + 1 : path) >= sizeof name)
        return gen_complain(path, 0, "the name is too long");
    if (!cut_ending(name, ".sql"))
        return gen_complain(path, 0, "a migration's name ends in .sql");
    sqlite = cut_ending(name, ".sqlite");
    postgres = !sqlite && cut_ending(name, ".postgres");
    if (!is_migration_name(name))
        return gen_complain(
            path, 0, "a migration is named NNN_name.sql, NNN_name.sqlite.sql or NNN_name.postgres.sql");
    number = atoi(name);
    migration = &migrations[number];
    if (migration->name[0] && strcmp(migration->name, name + 4) != 0)
        return gen_complain(path, 0, "another migration has this number");
    if ((!postgres && migration->sqlite.bytes) || (!sqlite && migration->postgres.bytes))
        return gen_complain(path, 0, "this migration has two texts for one engine");
    if (!gen_read(path, &text.bytes, &text.len))
        return false;
    if (text.len == 0 || memchr(text.bytes, '\0', text.len))
        return gen_complain(path, 0, "a migration is neither empty nor holds NUL bytes");
    memcpy(migration->name, name + 4, strlen(name + 4) + 1);
    if (!postgres)
        migration->sqlite = text;
    if (!sqlite)
        migration->postgres = text;
    last_migration = number > last_migration ? number : last_migration;
    return true;
}

static bool check_migrations(void)
{
    if (migrations[0].name[0])
        return gen_complain(migrations[0].name, 0, "migrations are numbered from 001");
    for (int i = 1; i <= last_migration; i++) {
        /* One that came later would be skipped by stores that are past its number. */
        if (!migrations[i].name[0]) {
            fprintf(stderr, "error: there is no migration %03d\n", i);
            return false;
        }
        if (!migrations[i].sqlite.bytes || !migrations[i].postgres.bytes) {
            fprintf(stderr, "error: migration %03d_%s has no text for %s\n", i, migrations[i].name,
                    migrations[i].sqlite.bytes ? "PostgreSQL" : "SQLite");
            return false;
        }
    }
    return true;
}

static void write_literal(FILE *out, const char *bytes, size_t len)
{
    fputs("\n    \"", out);
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n')
            fputs(i + 1 < len ? "\\n\"\n    \"" : "\\n", out);
        else
            gen_char(out, (unsigned char)bytes[i]);
    }
    fputc('"', out);
}

/* Names for the places of a list's cells; COL_JOB_END is the place behind the last. */
static void write_columns(FILE *out, size_t index)
{
    const struct sqllist *list = blocks.lists[index];

    for (size_t i = 0; i < index; i++)
        if (strcmp(blocks.lists[i]->name, list->name) == 0)
            return;
    fprintf(out, "enum %s_column {\n", list->name);
    for (size_t i = 0; i <= list->columns.count; i++) {
        fputs("    COL_", out);
        gen_upper(out, list->name);
        fputc('_', out);
        gen_upper(out, i < list->columns.count ? list->columns.items[i].name : "end");
        fputs(i < list->columns.count ? ",\n" : "\n};\n\n", out);
    }
}

static bool write_header(FILE *out, const void *context)
{
    (void)context;
    fputs("/* Made by mksql from the .sql files; changes belong there. */\n"
          "#ifndef WITAN_GEN_SQL_H\n#define WITAN_GEN_SQL_H\n\n#include <stddef.h>\n\nenum sql_id {\n",
          out);
    for (size_t i = 0; i < blocks.count; i++) {
        if (!sqlblocks_is_first(&blocks, i))
            continue;
        fputs("    SQL_", out);
        gen_upper(out, blocks.items[i].name);
        fputs(",\n", out);
    }
    fputs("    SQL_COUNT\n};\n\n", out);
    for (size_t i = 0; i < blocks.list_count; i++)
        write_columns(out, i);
    fputs("/* A statement as each engine gets it, NULL where it has none; params is the highest $n. */\n"
          "struct sql_text {\n    const char *name;\n    const char *sqlite;\n    const char *postgres;\n"
          "    int params;\n};\n\n"
          "/* Indexed by enum sql_id; an entry of NULLs follows the last. */\n"
          "extern const struct sql_text sql_texts[SQL_COUNT + 1];\n\n"
          "struct migration {\n    int number;\n    const char *name;\n    const char *sqlite;\n"
          "    const char *postgres;\n};\n\n"
          "/* In order of their numbers, from 1; an entry of NULLs follows the last. */\n"
          "extern const struct migration migrations[];\nextern const size_t migration_count;\n\n#endif\n",
          out);
    return true;
}

static void write_text(FILE *out, const struct sqlblock *block)
{
    if (block)
        write_literal(out, block->text, strlen(block->text));
    else
        fputs("\n    NULL", out);
}

static bool write_statement(FILE *out, size_t index)
{
    struct sqlblocks_statement statement;
    struct sqlblocks_error err;

    if (!sqlblocks_statement(&blocks, index, &statement, &err))
        return gen_complain(err.file, err.line, err.message);
    fprintf(out, "    { \"%s\",", blocks.items[index].name);
    write_text(out, statement.sqlite);
    fputc(',', out);
    write_text(out, statement.postgres);
    fprintf(out, ",\n      %d },\n", blocks.items[index].params);
    return true;
}

static void write_migration(FILE *out, int number)
{
    const struct migration_source *migration = &migrations[number];

    fprintf(out, "    { %d, \"%s\",", number, migration->name);
    write_literal(out, migration->sqlite.bytes, migration->sqlite.len);
    fputc(',', out);
    write_literal(out, migration->postgres.bytes, migration->postgres.len);
    fputs(" },\n", out);
}

/* C17 promises literals of 4095 bytes only; gcc and clang take any length and just warn about it. */
static bool write_source(FILE *out, const void *context)
{
    int count = 0;

    (void)context;
    fputs("/* Made by mksql from the .sql files; changes belong there. */\n"
          "#include \"gen/sql.h\"\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
          "const struct sql_text sql_texts[SQL_COUNT + 1] = {\n",
          out);
    for (size_t i = 0; i < blocks.count; i++) {
        if (sqlblocks_is_first(&blocks, i) && !write_statement(out, i))
            return false;
    }
    fputs("    { NULL, NULL, NULL, 0 }\n};\n\nconst struct migration migrations[] = {\n", out);
    for (int i = 1; i <= last_migration; i++, count++)
        write_migration(out, i);
    fprintf(out, "    { 0, NULL, NULL, NULL }\n};\n\nconst size_t migration_count = %d;\n", count);
    return true;
}

int main(int argc, char **argv)
{
    bool in_migrations = false;
    bool ok = true;

    if (argc < 3) {
        fputs("usage: mksql OUT.h OUT.c STATEMENTS.sql... [--migrations FILE...]\n", stderr);
        return 2;
    }
    sqlblocks_init(&blocks);
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--migrations") == 0)
            in_migrations = true;
        else if (!(in_migrations ? add_migration(argv[i]) : add_statements(argv[i])))
            ok = false;
    }
    ok = ok && check_migrations();
    ok = ok && gen_write(argv[1], write_header, NULL) && gen_write(argv[2], write_source, NULL);
    return ok ? 0 : 1;
}
