#include "db/reach.h"

#include "db/db.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#define POSTGRES_PORT "5432"

static void add_file(struct reach *reach, struct arena *arena, const char *path)
{
    if (path && *path && reach->file_count < REACH_FILES_MAX)
        reach->files[reach->file_count++] = arena_text(arena, path);
}

static void add_home_file(struct reach *reach, struct arena *arena, const char *name)
{
    const char *home = getenv("HOME");

    if (home)
        add_file(reach, arena, arena_format(arena, "%s/%s", home, name));
}

static void sqlite_reach(const char *path, struct arena *arena, struct reach *reach)
{
    const char *slash = strrchr(path, '/');

    if (path[0] == '\0' || path[0] == ':')
        return;
    reach->folder = !slash ? "." : slash == path ? "/" : arena_copy(arena, path, (size_t)(slash - path));
}

/* "5432", or one for each host: "5432,,5433", where an empty one means the default. */
static void add_ports(struct reach *reach, const char *list)
{
    for (const char *at = list;; at++) {
        long port = strtol(*at && *at != ',' ? at : POSTGRES_PORT, NULL, 10);

        if (reach->port_count == REACH_PORTS_MAX)
            reach->any_port = true;
        else
            reach->ports[reach->port_count++] = (int)port;
        at += strcspn(at, ",");
        if (!*at)
            return;
    }
}

/* What the address says goes before what the environment says. */
static const char *option(const PQconninfoOption *given, const PQconninfoOption *usual, const char *keyword)
{
    const PQconninfoOption *const lists[] = { given, usual };

    for (size_t i = 0; i < 2; i++)
        for (const PQconninfoOption *o = lists[i]; o && o->keyword; o++)
            if (strcmp(o->keyword, keyword) == 0 && o->val && *o->val)
                return o->val;
    return NULL;
}

static void postgres_reach(const PQconninfoOption *given, const PQconninfoOption *usual, struct arena *arena,
                           struct reach *reach)
{
    static const char *const files[] = {
        "passfile", "sslcert", "sslkey", "sslrootcert", "sslcrl", "sslcrldir"
    };
    static const char *const at_home[] = { ".pgpass", ".postgresql", ".pg_service.conf" };
    const char *ports = option(given, usual, "port");

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        add_file(reach, arena, option(given, usual, files[i]));
    for (size_t i = 0; i < sizeof(at_home) / sizeof(*at_home); i++)
        add_home_file(reach, arena, at_home[i]);
    add_ports(reach, ports ? ports : POSTGRES_PORT);
    /* A service's file may name any port. */
    reach->any_port |= option(given, usual, "service") != NULL;
}

bool reach_of_store(const char *url, struct arena *arena, struct reach *reach, struct err *err)
{
    enum db_engine engine;
    const char *path;
    struct reach found = { 0 };

    if (!db_url_engine(url, &engine, &path, err))
        return false;
    if (engine == DB_SQLITE) {
        sqlite_reach(path, arena, &found);
    } else {
        PQconninfoOption *given = PQconninfoParse(url, NULL), *usual = PQconndefaults();

        if (given)
            postgres_reach(given, usual, arena, &found);
        PQconninfoFree(given);
        PQconninfoFree(usual);
        if (!given)
            return err_set(err, ERR_INVALID, "The address of the store is not one that PostgreSQL reads.");
    }
    *reach = found;
    return true;
}
