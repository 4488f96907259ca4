#include "db/sqlite_functions.h"

#include <string.h>

/* Times are text in SQLite already; on PostgreSQL a function of this name formats them. */
static void witan_time(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    sqlite3_result_value(context, argv[0]);
}

/* Whether a name stands among those that are kept one in a line; PostgreSQL has a function of this name. */
static void witan_spoke(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *voices = (const char *)sqlite3_value_text(argv[0]);
    const char *key = (const char *)sqlite3_value_text(argv[1]);
    size_t len = key ? strlen(key) : 0;
    bool found = false;

    (void)argc;
    for (const char *at = voices && len > 0 ? strstr(voices, key) : NULL; at && !found;
         at = strstr(at + 1, key))
        found = at > voices && at[-1] == '\n' && at[len] == '\n';
    sqlite3_result_int(context, found);
}

/* SQLite has it since 3.43; by it and LENGTH both databases say whether a text is ASCII. */
static void octet_length(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
        sqlite3_result_int(context, sqlite3_value_bytes(argv[0]));
}

/*
 * What the guards of the audit log ask. Plain SQL from elsewhere does not have it, and with us it says no
 * until whoever purges or erases has said so (with one argument) for the length of what they do.
 */
static void witan_may_change_audit(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    bool *may = sqlite3_user_data(context);

    if (argc == 1)
        *may = sqlite3_value_int(argv[0]) != 0;
    sqlite3_result_int(context, *may);
}

bool sqlite_functions_add(sqlite3 *handle, bool *may_change_audit)
{
    int pure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    const struct {
        const char *name;
        int argc, flags;
        void (*call)(sqlite3_context *context, int argc, sqlite3_value **argv);
    } functions[] = {
        { "witan_time", 1, pure, witan_time },
        { "witan_spoke", 2, pure, witan_spoke },
        { "octet_length", 1, pure, octet_length },
        { "witan_may_change_audit", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, witan_may_change_audit },
        { "witan_may_change_audit", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, witan_may_change_audit },
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (sqlite3_create_function(handle, functions[i].name, functions[i].argc, functions[i].flags,
                                    may_change_audit, functions[i].call, NULL, NULL) != SQLITE_OK)
            return false;
    return true;
}
