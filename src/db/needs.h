/*
 * needs.h - what a store needs of the machine: folders to write, files to read, ports to connect to.
 *
 * A server that locks itself in (server/sandbox.h) leaves open what its store needs and nothing else. For
 * SQLite that is the file's folder, where its log and its index of the log stand too. For PostgreSQL it is
 * the ports of its hosts or the machine's own sockets, and the files that libpq looks for: passwords,
 * certificates, services.
 *
 * Thread: any.
 */
#ifndef DB_NEEDS_H
#define DB_NEEDS_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

#define NEEDS_PORTS_MAX 32
#define NEEDS_FILES_MAX 16

struct needs {
    const char *folder;                 /* to write, with all that is in it; NULL: none */
    const char *files[NEEDS_FILES_MAX]; /* to read; files or folders, which need not be there */
    size_t file_count;
    int ports[NEEDS_PORTS_MAX]; /* TCP ports to connect to */
    size_t port_count;
    bool any_port;     /* they cannot be told beforehand */
    bool unix_sockets; /* the machine's own sockets: it is reached by one, or its user is looked up by one */
};

/* Texts live in the arena. */
CHECKED bool needs_of_store(const char *url, struct arena *arena, struct needs *needs, struct err *err);

#endif
