/*
 * Everything is looked up before the server locks itself in, with libpq's own parser, so that what is left
 * open is what libpq will really use. Where an answer cannot be known beforehand (a service's file, too many
 * hosts) any port is allowed: a store that cannot be reached is worse than a wider door.
 */
#include "db/needs.h"

#include "db/db.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#define POSTGRES_PORT "5432"
#define DNS_PORT      53

static void add_file(struct needs *needs, struct arena *arena, const char *path)
{
    if (path && *path && needs->file_count < NEEDS_FILES_MAX)
        needs->files[needs->file_count++] = arena_text(arena, path);
}

static void add_home_file(struct needs *needs, struct arena *arena, const char *name)
{
    const char *home = getenv("HOME");

    if (home)
        add_file(needs, arena, arena_format(arena, "%s/%s", home, name));
}

/* Behind a link the log stands beside the file itself, so that is the folder. */
static void sqlite_needs(const char *path, struct arena *arena, struct needs *needs)
{
    if (path[0] == '\0' || path[0] == ':')
        return;
    char *real = realpath(path, NULL);
    const char *file = real ? real : path, *slash = strrchr(file, '/');

    needs->folder = !slash ? "." : slash == file ? "/" : arena_copy(arena, file, (size_t)(slash - file));
    free(real);
}

/* "5432", or one for each host: "5432,,5433", where an empty one means the default. */
static void add_ports(struct needs *needs, const char *list)
{
    for (const char *at = list;; at++) {
        long port = strtol(*at && *at != ',' ? at : POSTGRES_PORT, NULL, 10);

        if (needs->port_count == NEEDS_PORTS_MAX)
            needs->any_port = true;
        else
            needs->ports[needs->port_count++] = (int)port;
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

/* A host that is none, or a folder, means a socket of the machine. Where no user is named libpq looks up who
 * runs it, which may go by such a socket too. */
static bool needs_unix_sockets(const PQconninfoOption *given, const PQconninfoOption *usual)
{
    const char *address = option(given, usual, "hostaddr");
    const char *host = address ? address : option(given, usual, "host");

    if (!host || option(given, usual, "service") || !option(given, NULL, "user"))
        return true;
    for (const char *at = host;; at++) {
        if (*at == '/' || *at == '@' || *at == ',' || *at == '\0')
            return true;
        at += strcspn(at, ",");
        if (!*at)
            return false;
    }
}

static void postgres_needs(const PQconninfoOption *given, const PQconninfoOption *usual, struct arena *arena,
                           struct needs *needs)
{
    static const char *const files[] = {
        "passfile", "sslcert", "sslkey", "sslrootcert", "sslcrl", "sslcrldir"
    };
    static const char *const at_home[] = { ".pgpass", ".postgresql", ".pg_service.conf" };
    const char *ports = option(given, usual, "port");

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        add_file(needs, arena, option(given, usual, files[i]));
    for (size_t i = 0; i < sizeof(at_home) / sizeof(*at_home); i++)
        add_home_file(needs, arena, at_home[i]);
    add_file(needs, arena, getenv("PGSERVICEFILE"));
    add_file(needs, arena, getenv("PGSYSCONFDIR"));
    /* Names of hosts are looked up over TCP when the answer is long. */
    needs->ports[needs->port_count++] = DNS_PORT;
    add_ports(needs, ports ? ports : POSTGRES_PORT);
    /* A service's file may name any port. */
    needs->any_port |= option(given, usual, "service") != NULL;
    needs->unix_sockets = needs_unix_sockets(given, usual);
}

bool needs_of_store(const char *url, struct arena *arena, struct needs *needs, struct err *err)
{
    enum db_engine engine;
    const char *path;
    struct needs found = { 0 };

    if (!db_url_engine(url, &engine, &path, err))
        return false;
    if (engine == DB_SQLITE) {
        sqlite_needs(path, arena, &found);
    } else {
        PQconninfoOption *given = PQconninfoParse(url, NULL), *usual = PQconndefaults();

        if (given)
            postgres_needs(given, usual, arena, &found);
        PQconninfoFree(given);
        PQconninfoFree(usual);
        if (!given)
            return db_url_unreadable(err);
    }
    *needs = found;
    return true;
}
