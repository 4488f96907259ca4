/*
 * On SQLite the migrations are run once more, into memory, and both lists of what there is are compared side
 * by side. PostgreSQL has no such place beside the store, and shows its definitions in words of its own:
 * there the names of triggers, views and functions must stand in the migrations, and the bodies of functions,
 * which it keeps as they were written, too.
 */
#include "db/own_schema.h"

#include "base/buf.h"
#include "base/str.h"
#include "db/migrate.h"
#include "db/sqlite.h"

#include <ctype.h>
#include <string.h>

enum { TYPE, NAME, TEXT }; /* the columns of the lists */

/* Statistics are SQLite's own, and so are the tables that it keeps them in. Nothing else goes by their names:
 * SQLite runs a trigger of any name that stands in a file. */
static const char *const list_text =
    "SELECT type, name, sql FROM sqlite_schema WHERE NOT (type = 'table' AND ("
    "(name = 'sqlite_stat1' AND sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat)') OR (name = 'sqlite_stat4' AND sql = 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)'))) ORDER BY type, name";

/*
 * A definition without its comments, and with one space where there was any: those of an older release may
 * have been laid out differently.
 */
static const char *plain(struct arena *arena, const char *text)
{
    BUF_AUTO out = { 0 };
    char quote = '\0';

    buf_init(&out, 0);
    for (const char *c = text ? text : ""; *c; c++) {
        if (!quote && c[0] == '-' && c[1] == '-') {
            c += strcspn(c, "\n");
            if (!*c)
                break;
        }
        if (!quote && isspace((unsigned char)*c)) {
            if (out.len > 0 && out.bytes[out.len - 1] != ' ')
                buf_char(&out, ' ');
            continue;
        }
        quote = quote ? (*c == quote ? '\0' : quote) : strchr("'\"`", *c) ? *c : '\0';
        buf_char(&out, *c);
    }
    return str_trim(arena, out.len ? out.bytes : "");
}

static const char *compare(struct arena *arena, const struct db_rows *theirs, const struct db_rows *ours)
{
    for (size_t i = 0, j = 0; i < theirs->count || j < ours->count;) {
        bool more = i < theirs->count, less = j < ours->count;
        int order = !more ? 1 : !less ? -1 : strcmp(db_cell(theirs, i, TYPE), db_cell(ours, j, TYPE));

        if (order == 0)
            order = strcmp(db_cell(theirs, i, NAME), db_cell(ours, j, NAME));
        if (order < 0)
            return arena_format(arena, "it has the %s %.100s, which witan did not make",
                                db_cell(theirs, i, TYPE), db_cell(theirs, i, NAME));
        if (order > 0)
            return arena_format(arena, "the %s %s is gone from it", db_cell(ours, j, TYPE),
                                db_cell(ours, j, NAME));
        if (strcmp(plain(arena, db_cell(theirs, i, TEXT)), plain(arena, db_cell(ours, j, TEXT))) != 0)
            return arena_format(arena, "its %s %s is not as witan makes it", db_cell(ours, j, TYPE),
                                db_cell(ours, j, NAME));
        i++;
        j++;
    }
    return NULL;
}

static bool check_sqlite(struct db *db, struct arena *arena, int schema, const char **odd, struct err *err)
{
    struct migrate_report report;
    struct db_rows theirs, ours;
    struct db *reference = sqlite_open(&(struct sqlite_options){ .path = ":memory:" }, err);
    bool good = reference && migrate_up_to(reference, arena, schema, &report, err) &&
                db_query_text(reference, arena, list_text, DB_NO_ARGS, &ours, err) &&
                db_query_text(db, arena, list_text, DB_NO_ARGS, &theirs, err);

    db_close(reference);
    if (good)
        *odd = compare(arena, &theirs, &ours);
    return good;
}

/*
 * What can run by itself in a PostgreSQL store. A function's text is its body. Other schemas are other
 * programs', and what belongs to an extension is that one's; but no trigger of ours runs a function of
 * theirs.
 */
#define OURS "n.nspname = current_schema()"
#define NOT_OF_AN_EXTENSION(oid) \
    "NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = " oid " AND d.deptype = 'e')"
static const char *const postgres_list =
    "SELECT 'TRIGGER', t.tgname, NULL FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT t.tgisinternal AND " OURS
    " UNION ALL SELECT 'TRIGGER', t.tgname || ' with the function ' || t.tgfoid::regproc::text, NULL  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace  JOIN pg_proc f ON f.oid = t.tgfoid  WHERE NOT t.tgisinternal AND f.pronamespace <> c.relnamespace AND " OURS
    " UNION ALL SELECT 'EVENT TRIGGER', e.evtname, NULL FROM pg_event_trigger e UNION ALL SELECT 'RULE', r.rulename, NULL FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE r.rulename <> '_RETURN' AND " OURS
    " UNION ALL SELECT 'VIEW', c.relname, NULL FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace  WHERE c.relkind IN ('v', 'm') AND " OURS
    " AND " NOT_OF_AN_EXTENSION(
        "c.oid") " UNION ALL SELECT 'FUNCTION', p.proname, p.prosrc FROM pg_proc p  JOIN pg_namespace n ON n.oid = p.pronamespace WHERE " OURS
                 " AND " NOT_OF_AN_EXTENSION("p.oid") " ORDER BY 1, 2";

/* "TRIGGER name", followed by something that ends the name. */
static bool names(const char *text, const char *what)
{
    size_t len = strlen(what);

    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        if (!isalnum((unsigned char)at[len]) && at[len] != '_')
            return true;
    return false;
}

static bool migrations_make(struct arena *arena, const char *type, const char *name, const char *body)
{
    const char *plainly = arena_format(arena, "%s %s", type, name);
    const char *in_public = arena_format(arena, "%s public.%s", type, name);

    for (size_t i = 0; i < migration_count; i++) {
        const char *text = migrations[i].postgres;

        if ((names(text, plainly) || names(text, in_public)) && (!body || strstr(text, body)))
            return true;
    }
    return false;
}

static bool check_postgres(struct db *db, struct arena *arena, const char **odd, struct err *err)
{
    struct db_rows rows;

    if (!db_query_text(db, arena, postgres_list, DB_NO_ARGS, &rows, err))
        return false;
    for (size_t i = 0; i < rows.count && !*odd; i++) {
        const char *type = db_cell(&rows, i, TYPE), *name = db_cell(&rows, i, NAME);

        if (!migrations_make(arena, type, name, db_cell(&rows, i, TEXT)))
            *odd = arena_format(arena, "it has the %s %.100s, which witan did not make so",
                                str_lower(arena, type), name);
    }
    return true;
}

bool own_schema_check(struct db *db, struct arena *arena, int schema, const char **odd, struct err *err)
{
    *odd = NULL;
    return db->engine == DB_SQLITE ? check_sqlite(db, arena, schema, odd, err)
                                   : check_postgres(db, arena, odd, err);
}
